"""T4, W1 on a transcript: how full the context is, and how large it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from spillscope.session.reading import Context
from transcripts import Writer, read, text, use


@pytest.fixture
def writer() -> Writer:
    writer = Writer()
    writer.prompt("x" * 400)
    return writer


def context(writer: Writer, folder: Path, **limits: object) -> Context:
    return read(writer.save(folder), **limits).context


def parts(found: Context) -> tuple[int, int, str | None]:
    return found.usage, found.estimate, found.anchor_uuid


def test_without_usage_all_is_estimated(tmp_path: Path, writer: Writer) -> None:
    writer.say(text("y" * 40))
    assert parts(context(writer, tmp_path)) == (0, 110, None)


def test_the_last_usage_and_what_came_after(tmp_path: Path, writer: Writer) -> None:
    writer.say(usage=1_000)
    anchor = writer.say(text("y" * 4_000), usage=5_000)
    writer.prompt("z" * 80)
    found = context(writer, tmp_path)
    assert parts(found) == (5_000, 20, anchor)
    assert found.tokens == 5_020


def test_the_anchor_moves_to_the_first_record_of_its_response(tmp_path: Path, writer: Writer) -> None:
    """The results between count, and so does what the response said after its first record."""
    anchor = writer.say(use("Bash", "t1"), id="m", usage=5_000)
    writer.result("t1", "a" * 400)
    writer.say(text("b" * 40), id="m", usage=5_000)
    writer.prompt("c" * 40)
    assert parts(context(writer, tmp_path)) == (5_000, 100 + 10 + 10, anchor)


def test_another_id_stops_the_anchor(tmp_path: Path, writer: Writer) -> None:
    writer.say(use("Bash", "t1"), id="m", usage=4_000)
    writer.say(text("n"), id="n", usage=4_500)
    anchor = writer.say(text("b" * 40), id="m", usage=5_000)
    writer.prompt("c" * 40)
    assert parts(context(writer, tmp_path)) == (5_000, 10, anchor)


def test_a_record_without_an_id_is_stepped_over(tmp_path: Path, writer: Writer) -> None:
    anchor = writer.say(text("a"), id="m", usage=5_000)
    writer.say(text("b" * 40))
    del writer.records[-1]["message"]["id"]
    writer.say(text("c" * 40), id="m", usage=5_000)
    assert parts(context(writer, tmp_path)) == (5_000, 20, anchor)


@pytest.mark.parametrize(
    "usage", [None, {}, {"input_tokens": 0, "output_tokens": 0}, {"input_tokens": None}, {"input_tokens": "9"}, [], 0]
)
def test_a_usage_that_sums_to_nothing_never_anchors(tmp_path: Path, writer: Writer, usage: object) -> None:
    anchor = writer.say(text("a"), usage=3_000)
    writer.say(text("b" * 40), usage=usage)
    assert parts(context(writer, tmp_path)) == (3_000, 10, anchor)


@pytest.mark.parametrize("how", [{"model": "<synthetic>"}, {"isApiErrorMessage": True}])
def test_a_synthetic_record_never_anchors(tmp_path: Path, writer: Writer, how: dict[str, Any]) -> None:
    anchor = writer.say(text("a"), usage=3_000)
    writer.say(text("b" * 40), usage=9_000, **how)
    assert parts(context(writer, tmp_path)) == (3_000, 10, anchor)


def test_a_usage_from_before_a_compaction_never_anchors(tmp_path: Path, writer: Writer) -> None:
    writer.say(usage=150_000)
    writer.boundary()
    found = context(writer, tmp_path)
    assert parts(found) == (0, (len("What was done so far.") + 2) // 4, None)


def test_not_even_on_a_record_that_the_compaction_kept(tmp_path: Path, writer: Writer) -> None:
    kept = writer.say(text("k" * 400), usage=150_000)
    writer.boundary(preservedSegment={"headUuid": kept, "anchorUuid": "u4", "tailUuid": kept})
    writer.prompt("n" * 40, parent=kept)
    summary = (len("What was done so far.") + 2) // 4
    assert parts(context(writer, tmp_path)) == (0, summary + 100 + 10, None)


def test_what_a_compaction_kept_is_in_the_first_usage_after_it(tmp_path: Path, writer: Writer) -> None:
    kept = writer.say(text("k" * 400), usage=150_000)
    writer.boundary(preservedSegment={"headUuid": kept, "anchorUuid": "u4", "tailUuid": kept})
    writer.prompt("n" * 40, parent=kept)
    anchor = writer.say(usage=20_000)
    assert parts(context(writer, tmp_path)) == (20_000, 0, anchor)


def test_a_replaced_result_counts_as_the_model_saw_it(tmp_path: Path, writer: Writer) -> None:
    writer.call("Bash", "t1", "x" * 4_000, usage=5_000)
    writer.replace("t1", "y" * 40)
    assert context(writer, tmp_path).estimate == 10


@pytest.mark.parametrize("kind", ["attachment", "system", "progress", "orbit"])
def test_other_records_count_nothing(tmp_path: Path, writer: Writer, kind: str) -> None:
    writer.say(usage=5_000)
    writer.put(kind, {"content": "x" * 4_000, "message": {"role": "user", "content": "x" * 4_000}})
    assert context(writer, tmp_path).tokens == 5_000


class TestWindow:
    def test_of_a_known_model(self, tmp_path: Path, writer: Writer) -> None:
        writer.say(usage=5_000)
        window = context(writer, tmp_path).window
        assert (window.size, window.effective, window.auto_compact, window.warning) == (200_000, 180_000, 167_000, 147_000)

    def test_by_the_suffix_of_the_models_name(self, tmp_path: Path, writer: Writer) -> None:
        writer.say(model="claude-sonnet-4-5-20250929[1m]", usage=5_000)
        assert context(writer, tmp_path).window.size == 1_000_000

    def test_proven_by_a_usage_anywhere_in_the_session(self, tmp_path: Path, writer: Writer) -> None:
        writer.say(usage=230_000)
        writer.boundary()
        writer.say(usage=10_000)
        window = context(writer, tmp_path).window
        assert (window.size, window.source) == (1_000_000, "proven by a response of 230,000 tokens")

    def test_exactly_full_proves_nothing(self, tmp_path: Path, writer: Writer) -> None:
        writer.say(usage=200_000)
        assert context(writer, tmp_path).window.size == 200_000

    def test_the_users_stands(self, tmp_path: Path, writer: Writer) -> None:
        writer.say(usage=230_000)
        window = context(writer, tmp_path, window=150_000).window
        assert (window.size, window.source) == (150_000, "set: test")
        assert window.percent_used(230_000) == 153.3

    def test_of_an_unknown_model_is_a_guess(self, tmp_path: Path, writer: Writer) -> None:
        writer.say(model="house-model", usage=5_000)
        window = context(writer, tmp_path).window
        assert (window.size, window.guessed) == (200_000, True)
