"""Where the context began anew, and by what."""

from __future__ import annotations

from pathlib import Path

from spillscope.session.reading import Cut
from transcripts import Writer, read


def test_compactions_and_clears_cut_the_groups(tmp_path: Path) -> None:
    writer = Writer()
    writer.prompt()
    writer.call("Grep", "a", "x" * 500)
    writer.call("Grep", "b", "x" * 500)
    writer.say(usage=2_000)
    writer.boundary(preTokens=168_000)
    writer.call("Bash", "c", "y" * 900)
    writer.say(usage=900)
    writer.prompt("Something else.", parent=None)
    writer.call("Bash", "d", "z" * 800)
    writer.say(usage=700)
    writer.boundary()
    writer.call("Bash", "e", "z" * 800)
    reading = read(writer.save(tmp_path))
    assert reading.cuts == (Cut(2, 0), Cut(3, None), Cut(4, 1))
    assert len(reading.session.compactions) == 2
    assert reading.live_from == 4


def test_a_session_in_one_piece_has_no_cuts(tmp_path: Path) -> None:
    writer = Writer()
    writer.prompt()
    writer.call("Grep", "a", "x" * 500)
    assert read(writer.save(tmp_path)).cuts == ()
