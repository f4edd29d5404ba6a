"""`spillscope admit`: exactly the bytes that the model should get."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from spillscope_app.cli import main


def admit(session: Path, stdin: bytes, *options: str) -> tuple[int, bytes, str]:
    done = CliRunner().invoke(
        main, ["admit", "--session-dir", str(session), "--id", "toolu_1", "--tool", "Bash", *options], input=stdin
    )
    return done.exit_code, done.stdout_bytes, done.stderr


@pytest.mark.parametrize(
    "text", [b"short", b"a\r\n\n", "ü😀".encode(), b"no \xff UTF-8 \xed\xa0\x80", b"\xef\xbb\xbfbom", b"x" * 30_000]
)
def test_what_is_within_the_threshold_comes_back_as_it_came(tmp_path: Path, text: bytes) -> None:
    assert admit(tmp_path, text) == (0, text, "")
    assert list(tmp_path.glob("tool-results")) == []


def test_a_large_result_is_spilled(tmp_path: Path) -> None:
    large = b"line\n" * 7_000
    path = tmp_path / "tool-results" / "toolu_1.txt"
    expected = (
        f"<persisted-output>\nOutput too large (34.2KB). Full output saved to: {path}\n\n"
        "Preview (first 2KB):\n" + ("line\n" * 400)[:-1] + "\n...\n</persisted-output>"
    )
    assert admit(tmp_path, large) == (0, expected.encode(), "")
    assert path.read_bytes() == large


def test_an_empty_result(tmp_path: Path) -> None:
    assert admit(tmp_path, b" \n") == (0, b"(Bash completed with no output)", "")


def test_limits_apply(tmp_path: Path) -> None:
    assert admit(tmp_path, b"x" * 11, "--override", "Bash=10")[1].startswith(b"<persisted-output>")
    assert admit(tmp_path, b"x" * 11, "--override", "Bash=11")[1] == b"x" * 11
    assert admit(tmp_path, b"x" * 11, "--override", "Bash=10", "--set", "declared.Bash=inf")[1] == b"x" * 11


def test_a_failed_write_keeps_the_text(tmp_path: Path) -> None:
    (tmp_path / "tool-results").write_text("in the way")
    status, stdout, stderr = admit(tmp_path, b"x" * 30_001)
    assert (status, stdout) == (0, b"x" * 30_001)
    assert stderr.startswith("spillscope: kept in full: toolu_1: Not a directory")
    assert stderr.count("\n") == 1


def test_a_hostile_id_stays_inside(tmp_path: Path) -> None:
    session = tmp_path / "s"
    admit(session, b"x" * 30_001, "--id", "../../escaped")
    assert len(list((session / "tool-results").iterdir())) == 1
    assert not list(tmp_path.rglob("escaped*"))
