"""The loops on a plain list of messages: the one in Python, and the one in a shell with the engine as its co-process."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from api_server import Json, serving
from example_runs import EXAMPLES, KILL, Runs, ends_killed, over_both, shell
from scripted_model import ScriptedModel, Turn
from spillscope.wrapper import PERSISTED_TAG

PYTHON = [sys.executable, str(EXAMPLES / "plain_loop.py")]
SHELL = ["sh", str(EXAMPLES / "shell_loop.sh")]

needs_shell_tools = pytest.mark.skipif(not all(map(shutil.which, ("sh", "jq", "curl"))), reason="needs sh, jq and curl")
both = pytest.mark.parametrize("command", [PYTHON, pytest.param(SHELL, marks=needs_shell_tools)], ids=["python", "shell"])


@both
def test_a_conversation_killed_twice_keeps_every_prefix(command: Sequence[str], tmp_path: Path) -> None:
    running: list[subprocess.Popen[str]] = []
    turns = [
        Turn(over_both()),
        Turn(instead=lambda: running[0].kill()),
        Turn([shell(5, "e"), KILL]),
        Turn(over_both()),
        Turn(),
        Turn([("Bash", {"command": "printf ''; exit 3"})]),
        Turn(),
    ]
    model = ScriptedModel({"Begin.": turns})
    with serving(model) as api:
        runs = Runs(command, tmp_path, api.url)
        running.append(runs.begin("Begin."))
        assert ends_killed(running[0])
        assert ends_killed(runs.begin())
        assert runs.run().count("Step ") == 2
        runs.run("And now?")
        assert runs.run() == ""
    assert model.prefixes.broken == []
    assert model.left == {"Begin.": []}
    results = contents(model.asked_last)
    assert [sum(content.startswith(PERSISTED_TAG) for content in turn) for turn in results] == [2, 0, 2, 0]
    assert results[1][0].startswith("Interrupted")
    assert results[3] == ["(Bash completed with no output)"]


def contents(body: Json) -> list[list[str]]:
    """What each message with results held."""
    listed = [message["content"] for message in body["messages"] if message["role"] == "user"]
    return [[block["content"] for block in content] for content in listed if isinstance(content, list)]


@both
def test_an_api_that_refuses_is_told(command: Sequence[str], tmp_path: Path) -> None:
    with serving(ScriptedModel({"Begin.": [Turn(instead=lambda: None), Turn()]})) as api:
        runs = Runs(command, tmp_path, api.url)
        process = runs.begin("Begin.")
        _, errors = process.communicate(timeout=120)
        assert process.returncode not in (0, None)
        assert "529" in errors
        assert "Traceback" not in errors
        assert "Step" in runs.run()


@both
def test_what_it_says_of_itself(command: Sequence[str]) -> None:
    done = subprocess.run([*command, "--help"], capture_output=True, text=True, check=True)
    assert "FOLDER" in done.stdout
    assert done.stderr == ""
