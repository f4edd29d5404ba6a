"""The README's lines for embedding run as they stand."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from spillscope.wrapper import PERSISTED_TAG

README = Path(__file__).parents[2] / "README.md"
MOST_LINES = 13


def snippet() -> str:
    found = re.findall(r"^```python\n(.*?)^```", README.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert len(found) == 1
    return str(found[0])


def test_the_loop_runs_and_keeps_its_promises(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    requests: list[list[str]] = []
    sizes = [(40_000, 10), (90_000,) * 3, (5,)]

    def ask_model(messages: list[dict[str, Any]]) -> dict[str, Any]:
        requests.append([json.dumps(message) for message in messages])
        turn = len(requests) - 1
        calls = sizes[turn] if turn < len(sizes) else ()
        uses = [
            {"type": "tool_use", "id": f"toolu_{turn}_{at}", "name": "Bash" if turn == 0 else "Read", "input": {"chars": chars}}
            for at, chars in enumerate(calls)
        ]
        return {"content": [{"type": "text", "text": "Well."}, *uses]}

    def run_tool(call: dict[str, Any]) -> str:
        return "x" * int(call["input"]["chars"])

    exec(compile(snippet(), str(README), "exec"), {"ask_model": ask_model, "run_tool": run_tool})
    assert len(requests) == 4
    for before, after in pairwise(requests):
        assert after[: len(before)] == before
    assert (tmp_path / "sessions/42/tool-results/toolu_0_0.txt").read_text() == "x" * 40_000
    assert PERSISTED_TAG in requests[1][2]


def test_it_is_as_short_as_it_says() -> None:
    assert len(snippet().strip().split("\n")) <= MOST_LINES


def test_it_names_every_example() -> None:
    named = re.findall(r"\]\(engine/examples/([^)]+)\)", README.read_text("utf-8"))
    assert sorted(named) == sorted(path.name for path in (README.parent / "engine/examples").iterdir() if path.is_file())
