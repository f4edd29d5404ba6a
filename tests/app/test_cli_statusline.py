"""`spillscope statusline`: the agent's state in, one line out, in processes of its own; and its place in the settings."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from spillscope_app.cli import main
from transcripts import Writer, lines, text, use

Json = dict[str, Any]
JUNK: tuple[object, ...] = (0, -1, "much", None, [], 10**400, True)
START = "import sys; sys.argv[1:] = {words!r}\nfrom spillscope_app.start import main; main()"


class Scene:
    """A session of the agent's, and what it tells of it."""

    def __init__(self, root: Path) -> None:
        self.project = root / "config" / "projects" / "-srv-app"
        self.project.mkdir(parents=True)
        self.writer = Writer()
        self.writer.prompt()
        self.path = self.project / f"{self.writer.session}.jsonl"

    def turns(self, *tokens: int) -> None:
        for at, carried in enumerate(tokens):
            self.writer.say(use("Bash", f"t{at}"), usage=carried)
            self.writer.result(f"t{at}", "x" * 40)

    def save(self) -> None:
        self.path.write_bytes(lines(self.writer.records))

    def spill(self, *names: str) -> None:
        folder = self.project / self.writer.session / "tool-results"
        folder.mkdir(parents=True)
        for name in names:
            (folder / name).write_text("x")

    def state(self, **more: object) -> Json:
        return {
            "session_id": self.writer.session,
            "transcript_path": str(self.path),
            "cwd": str(self.project),
            "model": {"id": "claude-opus-4-5", "display_name": "Opus"},
            "workspace": {"current_dir": str(self.project), "project_dir": str(self.project)},
            "version": "2.1.200",
            **more,
        }


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scene:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("COLUMNS", raising=False)
    return Scene(tmp_path)


def call(state: object, *words: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
    raw = state if isinstance(state, bytes) else json.dumps(state).encode()
    program = START.format(words=["statusline", *words])
    return subprocess.run([sys.executable, "-c", program], input=raw, capture_output=True, check=False, timeout=60, **options)


def line_of(state: object, *words: str) -> str:
    """The one line, after a call without complaint."""
    done = call(state, *words)
    assert (done.returncode, done.stderr) == (0, b"")
    line = done.stdout.decode()
    assert line.endswith("\n")
    assert line.count("\n") == 1
    return line[:-1]


def test_gauge_spills_and_forecast(scene: Scene) -> None:
    scene.turns(*range(90_000, 100_001, 1_000))
    scene.save()
    scene.spill("toolu_1.txt", "toolu_2.json", ".spill-x.tmp")
    line = line_of(scene.state())
    assert line.startswith("█████░░░░░ 50% · 100.0k/200k · 2 spilled · compacts in ")
    assert line.endswith(" turns")


def test_what_came_after_the_last_response_counts_at_most(scene: Scene) -> None:
    scene.writer.say(use("Bash", "t"), usage=100_000)
    scene.writer.result("t", "x" * 120_000)
    scene.save()
    line = line_of(scene.state())
    # 30,000 by four units a token, which is too low for this family: the upper end of the prior's band.
    assert line == "█████▒▒░░░ 73% · 146.1k/200k"


def test_marks_are_told_by_colour(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR")
    for carried, colour in ((100_000, 32), (147_000, 33), (177_000, 31)):
        scene.writer.records.clear()
        scene.turns(carried)
        scene.writer.say(usage=carried)
        scene.save()
        assert line_of(scene.state()).startswith(f"\x1b[{colour}m█")
    monkeypatch.setenv("TERM", "dumb")
    assert "\x1b" not in line_of(scene.state())


def test_ascii(scene: Scene) -> None:
    scene.turns(10_000, 50_000, 90_000, 130_000)
    scene.save()
    line = line_of(scene.state(), "--ascii")
    assert line.isascii()
    assert line.startswith("######:... 65% | 130.0k/200k | compacts in 1-")


@pytest.mark.parametrize(
    ("columns", "line"),
    [
        ("200", "█████░░░░░ 50% · 100.0k/200k · 1 spilled · compacts in "),
        ("52", "█████░░░░░ 50% · 1 spilled · compacts in "),
        ("51", "█████░░░░░ 50% · compacts in "),
        ("20", "█████░░░░░ 50%"),
        ("1", "█████░░░░░ 50%"),
        ("0", "█████░░░░░ 50% · 100.0k/200k"),
        ("wide", "█████░░░░░ 50% · 100.0k/200k"),
    ],
)
def test_what_is_worth_least_goes_where_there_is_no_room(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, columns: str, line: str
) -> None:
    scene.turns(*range(90_000, 100_001, 1_000))
    scene.save()
    scene.spill("toolu_1.txt")
    monkeypatch.setenv("COLUMNS", columns)
    found = line_of(scene.state())
    assert found.startswith(line)


def test_the_window_that_the_agent_states(scene: Scene) -> None:
    scene.turns(100_000)
    scene.save()
    stated = {"context_window_size": 1_000_000}
    assert "/1M" in line_of(scene.state(context_window=stated))
    for junk in JUNK:
        assert "/200k" in line_of(scene.state(context_window={"context_window_size": junk}))
    (scene.project / ".spillscope.toml").write_text("window = 400000")
    assert "/400k" in line_of(scene.state(context_window=stated))


def test_a_broken_limits_file_is_told_and_passed_over(scene: Scene) -> None:
    scene.turns(100_000)
    scene.save()
    (scene.project / ".spillscope.toml").write_text("window = ")
    done = call(scene.state())
    assert done.stdout.decode() == "█████░░░░░ 50% · 100.0k/200k\n"
    assert done.stderr.startswith(b"spillscope statusline: broken limits file: ")


def test_before_the_first_message(scene: Scene) -> None:
    assert line_of(scene.state()) == "░░░░░░░░░░ 0% · 0/200k"
    usage = {"input_tokens": 5, "cache_read_input_tokens": 39_995, "output_tokens": 0}
    assert line_of(scene.state(context_window={"current_usage": usage})).startswith("██░░░░░░░░ 20% · 40.0k/200k")


def test_a_compaction_begins_anew(scene: Scene) -> None:
    scene.turns(*range(90_000, 160_001, 10_000))
    scene.writer.boundary()
    scene.turns(20_000, 21_000)
    scene.save()
    assert line_of(scene.state()) == "█░░░░░░░░░ 11% · 21.0k/200k"


def test_only_the_end_of_a_long_transcript_is_read(scene: Scene) -> None:
    scene.turns(*range(90_000, 100_001, 1_000))
    with scene.path.open("wb") as file:
        file.truncate(3 << 30)  # a hole, which takes no disk; to read it all would take more than the time there is
        file.seek(0, os.SEEK_END)
        file.write(b"\n" + lines(scene.writer.records))
    assert line_of(scene.state()).startswith("█████░░░░░ 50% · 100.0k/200k · compacts in ")


def test_long_lines_at_the_end(scene: Scene) -> None:
    scene.turns(80_000, 90_000, 100_000)
    scene.writer.say(text("x" * 2_000_000), usage=110_000)
    scene.save()
    assert line_of(scene.state()).startswith("██████░░░░ 55% · 110.0k/200k · compacts in ")


def test_what_a_sub_agent_did_is_no_context_of_the_session(scene: Scene) -> None:
    scene.turns(100_000)
    scene.writer.say(usage=190_000, isSidechain=True)
    scene.save()
    assert line_of(scene.state()).startswith("█████░░░░░ 50%")


@pytest.mark.parametrize(
    "raw",
    [b"", b"{", b"[]", b"\xff", b"\0", pytest.param(b"[" * 100_000, id="deep"), pytest.param(b"x" * (5 << 20), id="long")],
)
def test_a_state_that_can_not_be_read(raw: bytes) -> None:
    done = call(raw)
    assert (done.returncode, done.stdout) == (0, b"\n")
    assert done.stderr.startswith(b"spillscope statusline: ")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize(
    "more",
    [
        {"model": 7, "workspace": [], "context_window": "x", "cwd": None},
        {"model": {"id": None}, "workspace": {"current_dir": 5}, "context_window": {"current_usage": [1]}},
        {"transcript_path": None},
        {"transcript_path": "nowhere.jsonl"},
    ],
)
def test_a_state_of_other_shapes(scene: Scene, more: Json) -> None:
    assert line_of(scene.state(**more)) == "░░░░░░░░░░ 0% · 0/200k"


def test_junk_in_the_transcript(scene: Scene) -> None:
    scene.turns(100_000)
    scene.path.write_bytes(
        b"\xff\xfe\n[1]\n{\"type\":7}\n" + lines([{"type": "assistant", "message": 5}, {"message": {"usage": 3}}])
        + lines(scene.writer.records) + b'{"type":"assistant","message":{"usa'
    )  # fmt: skip
    assert line_of(scene.state()).startswith("█████░░░░░ 50%")


def test_a_transcript_that_is_none(scene: Scene) -> None:
    scene.path.mkdir()
    done = call(scene.state())
    assert (done.returncode, done.stdout) == (0, b"\n")
    assert done.stderr == f"spillscope statusline: Is a directory: {scene.path}\n".encode()


def test_a_pipe_that_never_ends(scene: Scene) -> None:
    os.mkfifo(scene.path)
    done = call(scene.state())
    assert (done.returncode, done.stdout) == (0, b"")
    assert done.stderr == b"spillscope statusline: not done within 1 seconds\n"


# --- settings ---------------------------------------------------------------------------------------------------------------


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    program = tmp_path / "spillscope"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "argv", [str(program)])
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))
    return tmp_path / "settings.json"


def run(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["statusline", *words])
    return done.exit_code, done.stderr


def test_it_is_installed_beside_the_hook(settings: Path, tmp_path: Path) -> None:
    settings.write_text('{"model": "opus"}')
    assert CliRunner().invoke(main, ["hook", "--install", "--yes"]).exit_code == 0
    assert run("--install", "--yes", "--ascii") == (0, f"written: {settings}\n")
    written = json.loads(settings.read_text())
    assert written["statusLine"] == {"type": "command", "command": f"{tmp_path}/spillscope statusline --ascii"}
    assert list(written) == ["model", "hooks", "statusLine"]
    assert CliRunner().invoke(main, ["hook", "--uninstall", "--yes"]).exit_code == 0
    assert run("--uninstall", "--yes") == (0, f"written: {settings}\n")
    assert settings.read_text() == '{"model": "opus"}'


def test_the_line_of_another_stays(settings: Path) -> None:
    settings.write_text('{"statusLine": {"type": "command", "command": "mine.sh"}}')
    status, told = run("--install", "--yes")
    assert status == 2
    assert told == f"spillscope: can't change the settings: {settings}: statusLine is set already: remove it first\n"
    assert run("--uninstall", "--yes") == (0, f"nothing to change: {settings}\n")
