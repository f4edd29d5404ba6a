"""What spilled files take on disk: by their folders alone, links and strangers left out."""

from __future__ import annotations

from pathlib import Path

from spillscope.transcript.layout import Place, place_of
from spillscope_app.disk import Disk, Heap, disk_of


def session(project: Path, name: str, *sizes: int) -> Place:
    transcript = project / f"{name}.jsonl"
    folder = project / name / "tool-results"
    folder.mkdir(parents=True)
    transcript.write_text("")
    for at, size in enumerate(sizes):
        (folder / f"{at}.txt").write_bytes(b"x" * size)
    return place_of(transcript)


def never() -> bool:
    return False


def test_a_project_and_its_neighbours(tmp_path: Path) -> None:
    root = tmp_path / ".claude" / "projects"
    here = session(root / "-srv-app", "one", 10, 20)
    session(root / "-srv-app", "two", 5)
    session(root / "-srv-other", "three", 100)
    (root / "-srv-app" / "two" / "notes.txt").write_text("no spill")
    (here.tool_results / "link.txt").symlink_to("/etc/passwd")
    assert disk_of(here, never) == Disk(Heap(3, 35), Heap(4, 135))


def test_a_folder_of_no_agent_has_no_neighbours(tmp_path: Path) -> None:
    here = session(tmp_path / "anywhere", "one", 10)
    session(tmp_path / "else", "two", 10)
    assert disk_of(here, never) == Disk(Heap(1, 10), None)


def test_nothing_was_spilled(tmp_path: Path) -> None:
    transcript = tmp_path / "one.jsonl"
    transcript.write_text("")
    assert disk_of(place_of(transcript), never) == Disk(Heap(), None)


def test_it_can_be_stopped(tmp_path: Path) -> None:
    assert disk_of(session(tmp_path, "one", 10), lambda: True) is None
