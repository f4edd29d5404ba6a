"""The viewer in a real terminal: handing a file to other programs, and what of a file's bytes reaches the terminal."""

from __future__ import annotations

from pathlib import Path

import pytest

from terminal.driver import bare, needs_tmux, tmux
from terminal.test_foreign_text import KINDS
from transcripts import Writer, wrapper

PROGRAM = """#!/bin/sh
printf 'the %s got %s words, the last %s\\n' "$(basename "$0")" "$#" "$2"
read answer
"""


def session(root: Path, content: str) -> Path:
    """A session with one spill, whose file holds this."""
    writer = Writer()
    folder = root / "-srv-app" / writer.session / "tool-results"
    folder.mkdir(parents=True)
    path = folder / "it is.txt"
    path.write_text(content, errors="surrogateescape")
    writer.prompt()
    writer.call("Bash", "a", wrapper(content + "x" * 60_000, str(path)))
    writer.say(usage=60_000)
    return writer.save(root / "-srv-app")


@needs_tmux
@pytest.mark.parametrize(("variable", "key"), [("PAGER", "L"), ("EDITOR", "D")])
def test_another_program_has_the_terminal_and_gives_it_back(
    tmp_path: Path, variable: str, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "my program"
    program.write_text(PROGRAM)
    program.chmod(0o755)
    monkeypatch.setenv(variable, f"'{program}' -q;touch")
    path = session(tmp_path / "projects", "one\ntwo\nthree\n")
    with tmux([str(path)], 80, 24) as terminal:
        terminal.wait_for("mustReapply")
        terminal.press("o")
        terminal.wait_for("3 three")
        terminal.press("Tab")
        terminal.wait_for("v other form")
        terminal.press(key)
        terminal.wait_for(r"(?s)the my program got 2 words, the last .*it is\.txt")
        terminal.press("Enter")
        terminal.wait_for("v other form")
        terminal.press("w")
        terminal.wait_for(r"\[Why\]")
        terminal.press("q")
        terminal.wait_for(r"\[exit 0\]")


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_of_a_file_takes_effect(tmp_path: Path, kind: str) -> None:
    evil, forbidden = KINDS[kind]
    path = session(tmp_path / "projects", f"{evil}\n" * 40)
    with bare([str(path)], columns=160, lines=45, variables={"XDG_CONFIG_HOME": str(tmp_path)}) as terminal:
        terminal.wait_for(b"mustReapply")
        terminal.visit(("o", "In its spill file"), ("\t", "other form"), ("v", "00000000"), ("v", "line 1"))
        terminal.visit(("Vj", "  2 "), ("y", "clipboard"))
        terminal.visit(
            ("2", "on disk"), ("\r", "What the model saw"), ("/", "find in this text"), ("evil\r", "evil"), ("q", "on disk")
        )
        terminal.write(b"q")
        assert terminal.wait_for_end() == 0
    sent = terminal.sent.decode("utf-8", "replace")
    assert not [sequence for sequence in forbidden if sequence in sent]
