"""The tail of a transcript says what the whole session says of its context."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spillscope.session.glimpse import Glimpse, count_spills, glimpse
from spillscope.transcript.layout import place_of
from transcripts import Writer, line, open_session, text, use

REAL = os.environ.get("SPILLSCOPE_REAL_SESSIONS")


def agrees(path: Path) -> bool:
    """Whether the tail and the session count the same."""
    found, context = glimpse(path), open_session(path).refresh().context
    return (found.usage, found.estimate) == (context.usage, context.estimate)


steps = st.lists(st.sampled_from(["ask", "call", "parallel", "split", "compact", "error", "side"]), max_size=12)


@given(steps)
def test_it_counts_as_the_session_does(tmp_path_factory: pytest.TempPathFactory, moves: list[str]) -> None:
    writer = Writer()
    writer.prompt("Begin. " * 20)
    for at, move in enumerate(moves):
        used, call = 1_000 * (at + 1), f"t{at}"
        if move == "ask":
            writer.prompt("Go on. " * at)
        elif move == "call":
            writer.say(use("Bash", call), usage=used)
            writer.result(call, "wörd " * 99)
        elif move == "parallel":
            for part in "ab":
                writer.say(use("Grep", call + part), id=f"p{at}", usage=used)
                writer.result(call + part, "x" * 99)
        elif move == "split":
            writer.say(text("First."), id=f"s{at}", usage={})
            writer.say(text("Second."), id=f"s{at}", usage=used)
        elif move == "compact":
            writer.boundary()
        elif move == "error":
            writer.say(text("API Error"), model="<synthetic>", usage=0, isApiErrorMessage=True)
        else:
            writer.say(usage=90_000, isSidechain=True, move=False)
    assert agrees(writer.save(tmp_path_factory.mktemp("s")))


@pytest.mark.skipif(REAL is None, reason="SPILLSCOPE_REAL_SESSIONS names no folder of real sessions")
def test_it_counts_real_sessions_as_they_are() -> None:
    paths = [path for path in Path(REAL or "").glob("projects/*/*.jsonl") if b'"usage"' in path.read_bytes()]
    assert sum(map(agrees, paths)) >= 0.9 * len(paths)


def test_turns_since_the_last_compaction(tmp_path: Path) -> None:
    writer = Writer()
    for at in range(3):
        writer.call("Bash", f"t{at}", "x", usage=1_000 * at + 500)
    writer.boundary()
    writer.say(text("One."), id="m", usage=700)
    writer.say(use("Bash", "t"), id="m", usage=700)
    writer.result("t", "x")
    writer.say(usage=900)
    found = glimpse(writer.save(tmp_path))
    assert [sent.tokens for sent in found.sent] == [700, 900]
    assert found.largest_usage == 2_500


def test_a_tail_without_usage(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(line({"type": "user", "message": {"role": "user", "content": "x" * 5_000_000}}) * 2)
    assert glimpse(path) == Glimpse()
    stated = {"input_tokens": 3, "cache_read_input_tokens": 4, "output_tokens": 5}
    assert glimpse(path, stated) == Glimpse(12, 0, 12, None, (), 12)


def test_what_is_not_there_yet(tmp_path: Path) -> None:
    assert glimpse(tmp_path / "s.jsonl") == Glimpse()
    assert count_spills(place_of(tmp_path / "s.jsonl")) == 0


def test_only_whole_files_are_spills(tmp_path: Path) -> None:
    folder = tmp_path / "s" / "tool-results"
    (folder / "sub").mkdir(parents=True)
    for name in ("a.txt", "b.json", ".spill-1.tmp"):
        (folder / name).touch()
    (folder / "link.txt").symlink_to(folder / "a.txt")
    assert count_spills(place_of(tmp_path / "s.jsonl")) == 2
