"""The shapes of tools' outputs are what real sessions hold: the text that a shape finds is what the model got."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from spillscope.hook.shapes import shape_of
from spillscope.messages import content_blocks, result_id
from spillscope.transcript.parse import parse_line
from spillscope.wrapper import wrapper_text

REAL = os.environ.get("SPILLSCOPE_REAL_SESSIONS")
pytestmark = pytest.mark.skipif(REAL is None, reason="SPILLSCOPE_REAL_SESSIONS names no folder of real sessions")


def results() -> Iterator[tuple[str, Any, Any]]:
    """Tool, content and the tool's own output of each result that was no error and stands inline."""
    for path in Path(REAL or "").glob("projects/**/*.jsonl"):
        names: dict[str, str] = {}
        for line in path.read_bytes().splitlines():
            for record in parse_line(line).records:
                for block in content_blocks(record):
                    if isinstance(block, dict) and block.get("type") == "tool_use":
                        names[str(block.get("id"))] = str(block.get("name"))
                    elif (found := result_id(block)) in names and block.get("is_error") is not True:
                        content, output = block.get("content"), record.get("toolUseResult")
                        if output is not None and wrapper_text(content) is None:
                            yield names[found or ""], content, output


def starts_with(content: Any, held: Any) -> bool:
    """What the model got begins with what the shape found; blank lines around a text apart."""
    if isinstance(held, list):
        return isinstance(content, list) and content[: len(held)] == held
    return isinstance(content, str) and (not held.strip() or content.strip().startswith(held.strip()))


def test_a_shape_finds_what_the_model_got() -> None:
    counts: Counter[bool] = Counter()
    for tool, content, output in results():
        shape = shape_of(tool)
        held = shape.hold(output) if shape is not None else None
        if held is not None:
            counts[starts_with(content, held.content)] += 1
    assert counts[True] > 100
    assert counts[False] <= counts[True] / 200  # archives redact, and not everywhere alike
