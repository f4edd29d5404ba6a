"""What a path on the command line opens."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from spillscope.errors import SessionNotFoundError
from spillscope.transcript.layout import slug_of
from spillscope_app.cli_limits import LimitsRequest
from spillscope_app.inspector import Options, run
from spillscope_app.opening import Start, find_start, open_source

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
    assert find_start(None) == Start(str(project / "new.jsonl"), project.parent)


@pytest.mark.parametrize("made", [True, False])
def test_without_a_path_and_without_a_session_the_picker_waits_for_one(project: Path, made: bool) -> None:
    if not made:
        project.rmdir()
    assert find_start(None) == Start(None, project.parent, project, str(Path.cwd()))


def test_a_transcript_that_is_still_to_come_is_waited_for(tmp_path: Path) -> None:
    start = find_start(tmp_path / "later.jsonl")
    assert start == Start(str(tmp_path / "later.jsonl"), tmp_path)
    opened = open_source(str(start.session), REQUEST)
    assert not opened.source.refresh().session.exists
    assert opened.watched == (str(tmp_path / "later.jsonl"),)


def test_what_can_never_come_is_an_error(tmp_path: Path) -> None:
    for path in (tmp_path / "no" / "folder.jsonl", tmp_path / "nothing"):
        with pytest.raises(SessionNotFoundError):
            find_start(path)


def test_a_root_of_many_projects_is_for_the_picker_and_a_project_is_its_newest_session(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / "projects" / name).mkdir(parents=True)
        (tmp_path / "projects" / name / "s.jsonl").write_bytes(b"")
    root = tmp_path / "projects"
    assert find_start(tmp_path) == find_start(root) == Start(None, root)
    assert find_start(root / "a") == Start(str(root / "a" / "s.jsonl"), root)


def test_a_redirected_stderr_is_no_screen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (tmp_path / "log").open("w") as log:
        monkeypatch.setattr("sys.__stderr__", log)
        with pytest.raises(SessionNotFoundError, match="stderr is no terminal"):
            run(tmp_path / "x.jsonl", REQUEST, Options())
