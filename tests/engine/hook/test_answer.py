"""Events of any shape: an answer in the tool's own shape, nothing, or one error that says what is missing."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spillscope.errors import RequestError
from spillscope.hook.answer import answer, read_event
from spillscope.hook.shapes import shape_of, shapes
from spillscope.limits import Limits

Json = Any
TOOLS = ("Bash", "PowerShell", "Grep", "WebFetch", "Task", "Agent", "mcp__a__b", "Read", "Edit", "mcp_", "")
LIMITS = Limits(overrides=dict.fromkeys(TOOLS, 3), preview_chars=2)

words = st.text(max_size=9)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=6,
)
blocks = st.lists(st.fixed_dictionaries({"type": st.just("text"), "text": words}) | anything, max_size=3)
outputs = anything | blocks | st.fixed_dictionaries(
    {},
    optional={
        "stdout": words | anything, "stderr": words | anything, "content": words | blocks, "result": words | anything,
        "mode": st.just("content") | words, "status": st.just("completed") | words, "isImage": st.booleans(), "more": anything,
    },
)  # fmt: skip


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("project")


def event(project: Path, tool: object, output: Json) -> dict[str, Json]:
    return {
        "hook_event_name": "PostToolUse", "tool_name": tool, "tool_response": output, "tool_use_id": "t",
        "transcript_path": str(project / "s.jsonl"),
    }  # fmt: skip


@settings(max_examples=300)
@given(tool=st.sampled_from(TOOLS[:-1]), output=outputs)
def test_the_output_keeps_its_shape(project: Path, tool: str, output: Json) -> None:
    before = json.dumps(output)
    result = read_event(event(project, tool, output))
    said = answer(result, LIMITS) if result is not None else None
    assert json.dumps(output) == before
    if said is None:
        return
    replaced = said["hookSpecificOutput"]["updatedToolOutput"]
    shape = shape_of(tool)
    assert shape is not None
    assert type(replaced) is type(output)
    if isinstance(output, dict):
        texts = {*shape.text, shape.content}
        assert list(replaced) == list(output)
        assert {name: replaced[name] for name in output if name not in texts} == {
            name: output[name] for name in output if name not in texts
        }
        assert all(type(replaced[name]) is type(output[name]) for name in output)
    assert "<persisted-output>" in json.dumps(replaced)
    again = read_event(event(project, tool, replaced))
    assert again is None  # what was spilled once is left alone


@given(event=anything | st.fixed_dictionaries({"hook_event_name": st.just("PostToolUse")}, optional={
    "tool_name": st.sampled_from(TOOLS) | anything, "tool_response": outputs, "tool_use_id": words | anything,
    "transcript_path": words | anything, "cwd": anything,
}))  # fmt: skip
def test_no_event_fails_but_with_its_own_words(event: Json) -> None:
    with contextlib.suppress(RequestError):
        read_event(event)


def test_the_table_can_be_read() -> None:
    assert [bool(shape.text) != (shape.content is not None) for shape in shapes()] == [True] * len(shapes())
    assert shape_of("Read") is None
    assert shape_of("mcp__a") is shape_of("mcp__b__c") is not None
