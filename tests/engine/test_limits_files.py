"""L11: the keys of a limits file and their forms."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from spillscope.errors import LimitsError
from spillscope.limits import Limits
from spillscope.limits_files import MAX_FILE_BYTES, limits_from_mapping, read_limits_file


def read(mapping: dict[str, Any], base: Limits | None = None) -> Limits:
    return limits_from_mapping(mapping, "here", base or Limits())


def test_every_key_is_taken_and_its_source_noted() -> None:
    limits = read(
        {
            "default_threshold": 40_000,
            "message_budget": 150_000.5,
            "aggregate": False,
            "preview_chars": 500.0,
            "window": 300_000,
            "auto_compact_pct": 80,
            "auto_compact_window": 400_000,
            "auto_compact": False,
            "declared": {"X": "inf"},
            "overrides": {"Bash": 12_000},
        }
    )
    assert limits == Limits(
        default_threshold=40_000,
        message_budget=150_000.5,
        aggregate=False,
        preview_chars=500,
        window=300_000,
        auto_compact_pct=80,
        auto_compact_window=400_000,
        auto_compact=False,
        declared={"X": math.inf},
        overrides={"Bash": 12_000},
        sources=limits.sources,
    )
    assert isinstance(limits.preview_chars, int)
    keys = "default_threshold message_budget aggregate preview_chars window auto_compact_pct auto_compact_window auto_compact"
    assert limits.sources == dict.fromkeys([*keys.split(), "declared.X", "overrides.Bash"], "here")


@pytest.mark.parametrize(
    ("mapping", "words"),
    [
        ({"defualt_threshold": 1}, ["unknown limit", "defualt_threshold", "here", "default_threshold"]),
        ({"default_threshold": "50000"}, ["default_threshold", '"50000"', "here", "whole number"]),
        ({"default_threshold": True}, ["default_threshold"]),
        ({"default_threshold": 0}, ["default_threshold"]),
        ({"default_threshold": 10**400}, ["default_threshold", "out of range"]),
        ({"preview_chars": 1.5}, ["preview_chars"]),
        ({"window": -1}, ["window"]),
        ({"window": math.inf}, ["window"]),
        ({"window": [1]}, ["window"]),
        ({"aggregate": 1}, ["aggregate", "true or false"]),
        ({"auto_compact_pct": 0}, ["auto_compact_pct", "1 to 100"]),
        ({"auto_compact_pct": 101}, ["auto_compact_pct"]),
        ({"declared": 5}, ["declared", "table"]),
        ({"overrides": [1]}, ["overrides", "table"]),
    ],
)
def test_an_unknown_key_or_a_wrong_type_is_told_in_one_line(mapping: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(LimitsError) as caught:
        read(mapping)
    message = str(caught.value)
    assert "\n" not in message
    assert all(word in message for word in words), message


def test_null_means_not_set_here() -> None:
    base = read({"window": 300_000, "message_budget": 5})
    assert read({"window": None, "message_budget": None, "overrides": None}, base) == base


@pytest.mark.parametrize("junk", [True, "x", [1], math.nan, 0])
def test_a_junk_budget_leaves_the_one_below(junk: object) -> None:
    assert read({"message_budget": junk}, read({"message_budget": 5})).get_per_message_budget_limit() == 5
    assert read({"message_budget": junk}).get_per_message_budget_limit() == 200_000


def test_junk_overrides_are_kept_as_given_but_hide_nothing() -> None:
    limits = read({"overrides": {"Bash": "x", "Grep": None, "New": 0, "Good": 3}}, read({"overrides": {"Bash": 5}}))
    assert dict(limits.overrides) == {"Bash": 5, "Grep": None, "New": 0, "Good": 3}
    assert limits.sources["overrides.Good"] == "here"


@pytest.mark.parametrize(
    ("value", "chars"), [("inf", math.inf), (" Infinity ", math.inf), (math.inf, math.inf), (7, 7), (0, 0)]
)
def test_declared_values(value: object, chars: float) -> None:
    assert read({"declared": {"X": value}}).declared["X"] == chars


@pytest.mark.parametrize("junk", ["30000", True, None, [1], -1, 10**400])
def test_junk_in_declared_is_ignored_one_by_one(junk: object) -> None:
    assert dict(read({"declared": {"X": junk, "Y": 5}}).declared) == {"Y": 5}


def test_tables_merge_key_by_key() -> None:
    limits = read({"declared": {"B": 2}, "overrides": {"B": 4}}, read({"declared": {"A": 1}, "overrides": {"A": 3}}))
    assert dict(limits.declared) == {"A": 1, "B": 2}
    assert dict(limits.overrides) == {"A": 3, "B": 4}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.toml", "window = 7\n[overrides]\nBash = 12\n"),
        ("a.json", '{"window": 7, "overrides": {"Bash": 12}}'),
        ("a.toml", ' {"window": 7, "overrides": {"Bash": 12}}'),
        ("plain", '\ufeff{"window": 7, "overrides": {"Bash": 12}}'),
        ("plain", "window = 7\noverrides.Bash = 12\n"),
    ],
)
def test_toml_and_json_are_told_apart_by_content(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    assert read_limits_file(path) == {"window": 7, "overrides": {"Bash": 12}}


@pytest.mark.parametrize(
    ("name", "raw"),
    [
        ("a.toml", b"window = "),
        ("a.toml", b"window = 1\nwindow = 2"),
        ("a.json", b'{"window": '),
        ("a.json", b"[1]"),
        ("a.json", b""),
        ("a.toml", b"\xff\xfe"),
        ("a.toml", b"a = " + b"[" * 100_000),
        ("a.json", b"[" * 100_000),
        ("a.json", b'{"window": ' + b"9" * 5000 + b"}"),
        ("a.toml", b"#" * (MAX_FILE_BYTES + 1)),
    ],
)
def test_a_broken_file_is_told_in_one_line(tmp_path: Path, name: str, raw: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(raw)
    with pytest.raises(LimitsError) as caught:
        read_limits_file(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("path", ["missing.toml", ".", "nul\0nul"])
def test_a_file_that_can_not_be_read_is_told(tmp_path: Path, path: str) -> None:
    with pytest.raises(LimitsError, match="can't read"):
        read_limits_file(tmp_path / path)
