"""The agent on the SDK, as processes of its own, against a server that checks every request's prefix."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from api_server import Json, serving
from example_runs import EXAMPLES, KILL, Runs, ends_killed, over_both, shell
from scripted_model import SUMMARY, Prefixes, ScriptedModel, Turn
from spillscope.wrapper import PERSISTED_TAG
from spillscope_app.cli import main

FULL = 170_000
"""Tokens, over the mark of the example's model."""


def with_notes() -> list[tuple[str, Json]]:
    """Both layers, and a tool that is exempt."""
    return [*over_both(), ("Read", {"path": "notes.txt"})]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path.resolve() / "work"
    folder.mkdir()
    (folder / "notes.txt").write_text("note\n" * 500)
    return folder


class Sessions(Runs):
    def __init__(self, folder: Path, url: str) -> None:
        super().__init__([sys.executable, str(EXAMPLES / "anthropic_agent.py")], folder, url)

    @property
    def transcript(self) -> Path:
        (found,) = (self.folder / ".sessions").glob("*.jsonl")
        return found

    def report(self) -> Json:
        """What the inspector's own reading says of the session."""
        words = ["report", str(self.transcript), "--json", "--limits", str(self.folder / ".spillscope.toml")]
        report: Json = json.loads(CliRunner().invoke(main, words).stdout)
        return report


def test_a_long_session_killed_twice_keeps_every_prefix(folder: Path) -> None:
    running: list[subprocess.Popen[str]] = []
    turns = [
        Turn(with_notes()),
        Turn([shell(10, "c"), ("Agent", {"prompt": "Look around."}), shell(1_200, "d")]),
        Turn(with_notes()),
        Turn(instead=lambda: running[0].kill()),
        Turn(with_notes()),
        Turn([shell(5, "e"), KILL]),
        Turn(with_notes()),
        Turn(),
        Turn(over_both(), tokens=FULL),
    ]
    sub_agent = [Turn(with_notes()), Turn(with_notes()), Turn()]
    compacted = [Turn(with_notes()), Turn([shell(7, "f")]), Turn()]
    model = ScriptedModel({"Look around.": sub_agent, SUMMARY: compacted, "Begin.": turns})
    with serving(model) as api:
        runs = Sessions(folder, api.url)
        running.append(runs.begin("Begin."))
        assert ends_killed(running[0])
        resume = ["--resume", runs.transcript.stem]
        assert ends_killed(runs.begin(*resume))
        runs.run(*resume)
        runs.run(*resume, "And now?")
    assert model.prefixes.broken == []
    assert model.left == {"Look around.": [], SUMMARY: [], "Begin.": []}
    assert (model.summaries, model.prefixes.held > 80) == (1, True)
    report = runs.report()
    assert report["drift"] == []
    assert {result["fate"] for group in report["groups"] for result in group["results"]} >= {"persisted", "replaced", "exempt"}
    assert [sidechain["records"] for sidechain in report["session"]["sidechains"]] == [30]
    assert len(report["session"]["compactions"]) == 1
    assert any("agentId" in spill for spill in report["spills"])
    assert all(spill["exists"] and spill["inside"] and spill["mismatch"] is None for spill in report["spills"])


def test_a_lost_record_is_caught(folder: Path) -> None:
    """What the checker is for: without its record a replaced result would be sent in full, and the cache be lost."""
    model = ScriptedModel({"Begin.": [Turn(with_notes()), Turn(), Turn()]})
    with serving(model) as api:
        runs = Sessions(folder, api.url)
        runs.run("Begin.")
        lines = runs.transcript.read_text().splitlines(keepends=True)
        runs.transcript.write_text("".join(line for line in lines if '"content-replacement"' not in line))
        process = runs.begin("--resume", runs.transcript.stem, "And now?")
        _, errors = process.communicate(timeout=120)
    assert process.returncode == 1
    assert "it broke off" in errors
    (broken,) = model.prefixes.broken
    assert broken.startswith("message 2 was")


def test_a_changed_preview_is_caught() -> None:
    preview = f"{PERSISTED_TAG}\nOutput too large (60 bytes)."
    asked: Json = {"messages": [{"role": "user", "content": "Go."}, {"role": "user", "content": preview}]}
    for changed in (preview.replace("60", "61"), preview + "\n", "the whole"):
        prefixes = Prefixes()
        assert prefixes.check(asked)
        assert prefixes.check({"messages": [*asked["messages"], {"role": "user", "content": "And now?"}]})
        assert not prefixes.check({"messages": [asked["messages"][0], {"role": "user", "content": changed}]})
    assert not prefixes.check({"messages": asked["messages"][:1]})


@pytest.mark.parametrize(("words", "told"), [(["--resume", "nobody"], "No such file"), ([], "say what you want")])
def test_what_it_can_not_do_is_told_in_a_line(folder: Path, words: list[str], told: str) -> None:
    process = Sessions(folder, "http://127.0.0.1:9").begin(*words)
    _, errors = process.communicate(timeout=120)
    assert process.returncode in (1, 2)
    assert told in errors
    assert "Traceback" not in errors


def test_it_reads_in_its_folder_only(folder: Path) -> None:
    (folder.parent / "secret").write_text("secret")
    (folder / "link").symlink_to(folder.parent / "secret")
    paths = ["../secret", "/etc/hostname", "link"]
    model = ScriptedModel({"Begin.": [Turn([("Read", {"path": path}) for path in paths]), Turn()]})
    with serving(model) as api:
        Sessions(folder, api.url).run("Begin.")
    told = model.asked_last["messages"][-1]["content"]
    assert {block["content"] for block in told} == {f"PermissionError: {path} is not in the folder" for path in paths}
    assert all(block["is_error"] for block in told)


def test_a_command_that_never_ends_its_output_is_cut(folder: Path) -> None:
    model = ScriptedModel(
        {"Begin.": [Turn([("Bash", {"command": "yes"}), ("Bash", {"command": "echo no >&2; exit 3"})]), Turn()]}
    )
    with serving(model) as api:
        Sessions(folder, api.url).run("Begin.")
    told = {block["tool_use_id"][-1]: block["content"] for block in model.asked_last["messages"][-1]["content"]}
    assert told["0"].splitlines()[1].startswith("Output too large (9.")
    assert told["1"] == "no\n\nexit status 3"
