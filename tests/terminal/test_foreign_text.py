"""Every way that foreign text takes to the screen, with everything that could take effect there: what reaches the terminal."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

import pytest

from terminal.driver import ESCAPE, bare
from transcripts import Writer, lines, use, wrapper

KINDS: dict[str, tuple[str, tuple[str, ...]]] = {
    "esc": (
        "\x1b]0;OWNED\x07\x1b[2Jm\x1b[?2004z\x1b(0\x7f",
        ("OWNED\x07", "\x1b]0;", "\x1b[2J", "\x1b[?2004z", "\x1b(0", "\x7f"),
    ),
    "c1": ("\x9b31mC\x90q\x9c\x9d0;x\x85", ("\x9b", "\x90", "\x9c", "\x9d", "\x85")),
    "bidi": ("\u202eevil\u2066b\u200f\u061c\u2069", ("\u202e", "\u2066", "\u200f", "\u061c", "\u2069")),
    "markup": ("[red]x[-red] [tmp-x] [link=x]y[@click=app.quit]z", ()),
}
"""Foreign text, and what of it must never be sent. No slash: it has to do as the name of a file."""


def tree(root: Path, evil: str) -> tuple[Path, Path]:
    """A projects root where all names and texts are hostile: the session to open, and the folder of its project."""
    project = root / f"-srv-{evil}"
    folder = project / f"one{evil}"
    (folder / "subagents").mkdir(parents=True)
    writer = Writer(version=f"2.1.88{evil}", session=f"one{evil}")
    writer.prompt(cwd=f"/srv/app{evil}", timestamp="2026-01-02T03:00:00.000Z")
    for number in range(3):
        writer.say(
            {"type": "tool_use", "id": f"toolu_{number}{evil}", "name": f"Bash{evil}", "input": {"command": f"cat {evil}"}},
            model=f"claude-{evil}",
        )
        writer.result(f"toolu_{number}{evil}", f"{evil}\n" * 9_000)
    spilled = folder / "tool-results" / f"x{evil}.txt"
    spilled.parent.mkdir()
    spilled.write_text(f"{evil}\n" * 9_000)
    writer.say(use(f"Bash{evil}", f"spilled{evil}", {"command": f"cat {evil}"}))
    writer.result(f"spilled{evil}", wrapper(f"{evil}\n" * 9_000, str(spilled)))
    writer.side({"type": evil})
    writer.put("system", {"subtype": "compact_boundary", "compactMetadata": {"trigger": evil, "preTokens": 9_000}}, parent=None)
    path = writer.save(project)
    with path.open("ab") as file:
        file.write(f"{evil} is no JSON\n".encode("utf-8", "surrogatepass"))
    agent = Writer(session=f"one{evil}")
    agent.say(isSidechain=True, usage=900, model=f"claude-{evil}")
    (folder / "subagents" / f"agent-{evil}.jsonl").write_bytes(lines(agent.records))
    return path, project


def newer(project: Path, evil: str) -> None:
    """A session of the project that begins later, and is live."""
    writer = Writer(session=f"two{evil}")
    writer.prompt(cwd=f"/srv/app{evil}", timestamp="2026-01-02T09:00:00.000Z")
    path = writer.save(project)
    os.utime(path, (time.time(), time.time()))


@pytest.mark.parametrize("kind", KINDS)
def test_foreign_text_is_only_text_wherever_it_is_shown(tmp_path: Path, kind: str) -> None:
    evil, forbidden = KINDS[kind]
    path, project = tree(tmp_path / "projects", evil)
    with bare([str(path)], columns=160, lines=45, variables={"XDG_CONFIG_HOME": str(tmp_path)}) as terminal:
        terminal.wait_for(b"mustReapply")
        terminal.visit(("g", "skipped"), ("\r", "▾"), ("j", "original"))
        terminal.visit(("m", "[Model view]"), ("o", "[Original]"), ("r", "[Record]"), ("w", "[Why]"))
        terminal.visit(("=", "arithmetic"), ("q", "Groups"), ("?", "Words"), ("q", "Groups"))
        terminal.visit(("t", "Groups"), ("x", "Groups"))
        terminal.visit(("5", "Events"), ("g", "line"), ("6", "1 agent"), ("l", "▾"), ("j", "└"))
        terminal.visit(("2", "1 spill"), ("\r", "esc close"), (ESCAPE, "what is found"), ("6", "written"))
        terminal.visit(("/", "esc back"), ("zzz", "No session"), (ESCAPE, "written"))
        newer(project, evil)
        terminal.visit(("1", "newer session"), ("]", "now showing"), ("\x10", "Search for commands"), (ESCAPE, "Groups"))
        terminal.write(b"q")
        assert terminal.wait_for_end() == 0
    sent = terminal.sent.decode("utf-8", "replace")
    assert not [sequence for sequence in forbidden if sequence in sent]
    if kind == "markup":
        assert "[red]x[-red]" in re.sub(r"\x1b\[[\d;]*m", "", sent)
