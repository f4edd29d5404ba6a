"""What a path on the command line opens."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from spillscope.errors import SessionNotFoundError
from spillscope.transcript.layout import slug_of
from spillscope_app.cli_limits import LimitsRequest
from spillscope_app.inspector import open_source, run

REQUEST = LimitsRequest()


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of this directory's sessions, with none in it."""
    here = tmp_path / "work"
    here.mkdir()
    monkeypatch.chdir(here)
    folder = Path(os.environ["CLAUDE_CONFIG_DIR"]) / "projects" / slug_of(str(here))
    folder.mkdir(parents=True)
    return folder


def test_without_a_path_the_newest_of_this_directory(project: Path) -> None:
    for name, seconds in (("old", 1), ("new", 9), ("older", 0)):
        path = project / f"{name}.jsonl"
        path.write_bytes(b"")
        os.utime(path, (seconds, seconds))
    assert open_source(None, REQUEST).path == str(project / "new.jsonl")


@pytest.mark.parametrize("made", [True, False])
def test_without_a_path_and_without_a_session_it_says_so(project: Path, made: bool) -> None:
    if not made:
        project.rmdir()
    with pytest.raises(SessionNotFoundError, match="no session of this directory yet"):
        open_source(None, REQUEST)


def test_a_transcript_that_is_still_to_come_is_waited_for(tmp_path: Path) -> None:
    opened = open_source(tmp_path / "later.jsonl", REQUEST)
    assert not opened.source.refresh().session.exists
    assert opened.watched == (str(tmp_path / "later.jsonl"),)


def test_what_can_never_come_is_an_error(tmp_path: Path) -> None:
    for path in (tmp_path / "no" / "folder.jsonl", tmp_path / "nothing"):
        with pytest.raises(SessionNotFoundError):
            open_source(path, REQUEST)


def test_a_root_of_many_projects_asks_for_one(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / "projects" / name).mkdir(parents=True)
        (tmp_path / "projects" / name / "s.jsonl").write_bytes(b"")
    with pytest.raises(SessionNotFoundError, match="more than one project"):
        open_source(tmp_path, REQUEST)
    assert open_source(tmp_path / "projects" / "a", REQUEST).path == str(tmp_path / "projects" / "a" / "s.jsonl")


def test_a_redirected_stderr_is_no_screen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (tmp_path / "log").open("w") as log:
        monkeypatch.setattr("sys.__stderr__", log)
        with pytest.raises(SessionNotFoundError, match="stderr is no terminal"):
            run(tmp_path / "x.jsonl", REQUEST)
