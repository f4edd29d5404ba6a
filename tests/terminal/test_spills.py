"""A journey among spilled files in a real terminal: list, read, lose one, filter, jump to its group and back."""

from __future__ import annotations

from pathlib import Path

import pytest

from terminal.driver import needs_tmux, tmux
from transcripts import Writer, lines, use, wrapper

pytestmark = needs_tmux
NAMES = ("alpha", "beta", "gamma")


def spilled(root: Path) -> tuple[Path, Path]:
    """A session with three spills, one of which is read back in part, and the folder of their files."""
    writer = Writer()
    project = root / "projects" / "-srv-app"
    folder = project / writer.session / "tool-results"
    folder.mkdir(parents=True)
    writer.prompt()
    for name in NAMES:
        text = "".join(f"{name} line {number}\n" for number in range(1, 4_001))
        (folder / f"{name}.txt").write_text(text)
        writer.say(use("Bash", name, {"command": f"cat {name}.log"}), usage=1_000)
        writer.result(name, wrapper(text, str(folder / f"{name}.txt")))
    writer.say(use("Read", "back", {"file_path": str(folder / "beta.txt"), "offset": 1, "limit": 2}), usage=9_000)
    writer.result("back", "1\tbeta line 1\n2\tbeta line 2")
    writer.say(usage=9_100)
    path = project / f"{writer.session}.jsonl"
    path.write_bytes(lines(writer.records))
    return path, folder


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (160, 50)])
def test_with_the_keys(tmp_path: Path, columns: int, rows: int) -> None:
    path, folder = spilled(tmp_path)
    with tmux([str(path)], columns, rows) as terminal:
        terminal.wait_for("persisted 3")
        terminal.press("2")
        terminal.wait_for("3 spills +3 files")
        terminal.wait_for(r"cat beta\.log.*◐ read in part")
        terminal.press("g", "j", "Enter")
        terminal.wait_for("beta line 7")
        terminal.press("Escape")
        terminal.wait_for("3 spills +3 files")
        (folder / "beta.txt").unlink()
        terminal.wait_for(r"cat beta\.log.*✗ missing")
        terminal.press("b")
        terminal.wait_for(r"missing +1 of 3")
        terminal.press("d")
        terminal.wait_for(r"(?s)f follows the newest.*cat beta")
        terminal.press("d")
        terminal.wait_for(r"missing +1 of 3")
        terminal.press("Escape")
        terminal.wait_for(r"cat alpha\.log.*○ never read")
        terminal.press("q")
        terminal.wait_for(r"\[exit 0\]")


def test_with_the_mouse(tmp_path: Path) -> None:
    path, _ = spilled(tmp_path)
    with tmux([str(path)], 120, 30) as terminal:
        terminal.wait_for("persisted 3")
        terminal.click(*terminal.find("2 spills"))
        terminal.wait_for("3 spills +3 files")
        terminal.click(*terminal.find("read in part 1"))
        terminal.wait_for(r"read in part +1 of 3")
        terminal.click(*terminal.find("read in part 1"))
        terminal.wait_for(r"cat alpha\.log.*○ never read")
        row = terminal.find("cat alpha.log")
        terminal.click(*row)
        terminal.click(*row)
        terminal.wait_for("alpha line 7")
        terminal.click(*terminal.find("esc close"))
        terminal.wait_for("3 spills +3 files")
        terminal.click(*terminal.find("q quit"))
        terminal.wait_for(r"\[exit 0\]")
