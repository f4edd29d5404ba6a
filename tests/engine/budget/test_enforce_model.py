"""The engine against a plain model of the spec's rules, written for reading, over many small conversations."""

from __future__ import annotations

import copy
import os
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from conversation import Json, MemoryStore
from spillscope.budget.enforce import enforce_tool_result_budget
from spillscope.budget.state import ContentReplacementState
from spillscope.limits import Limits

CASES = int(os.environ.get("SPILLSCOPE_MODEL_CASES", "300"))
LIMIT = 20
FAILING = "toolu_7"


def model(messages: list[Json], seen: list[str], replacements: dict[str, str]) -> list[list[tuple[str, str, str]]]:
    """One run: extends `seen` and `replacements`, returns (id, state, fate) by group."""
    tools = {block["id"]: block["name"] for m in messages if m["type"] == "assistant" for block in m["message"]["content"]}
    groups: list[list[Json]] = [[]]
    met = set()
    for message in messages:
        if message["type"] == "user":
            groups[-1] += [
                b for b in message["message"]["content"] if not b["content"].startswith("<persisted-output>") and b["content"]
            ]
        elif message["type"] == "assistant" and message["message"]["id"] not in met:
            met.add(message["message"]["id"])
            groups.append([])
    groups = [group for group in groups if group]

    chosen: list[str] = []
    states = []
    for group in groups:
        state = {}
        for block in group:
            name = block["tool_use_id"]
            state[name] = "mustReapply" if name in replacements else "frozen" if name in seen else "fresh"
        states.append(state)
        exempt = [
            b["tool_use_id"] for b in group if state[b["tool_use_id"]] == "fresh" and tools.get(b["tool_use_id"]) == "Read"
        ]
        frozen = [b for b in group if state[b["tool_use_id"]] == "frozen"]
        fresh = [b for b in group if state[b["tool_use_id"]] == "fresh" and b["tool_use_id"] not in exempt]
        total = sum(len(b["content"]) for b in frozen + fresh)
        mine = []
        for block in sorted(fresh, key=lambda b: len(b["content"]), reverse=True):  # sorted() is stable in reverse, too
            if total > LIMIT:
                mine.append(block["tool_use_id"])
                total -= len(block["content"])
        chosen += mine
        seen += [name for name in exempt if name not in seen]
        seen += [b["tool_use_id"] for b in group if b["tool_use_id"] not in mine and b["tool_use_id"] not in seen]
    originals = {block["tool_use_id"]: block["content"] for group in groups for block in group}
    for name in chosen:
        seen.append(name)
        if name != FAILING:
            text = originals[name]
            replacements[name] = (
                f"<persisted-output>\nOutput too large ({len(text)} bytes). Full output saved to: /spills/{name}.txt\n\n"
                f"Preview (first 2KB):\n{text}\n</persisted-output>"
            )

    def fate(name: str, was: str) -> str:
        if name in replacements:
            return "replaced"
        return "exempt" if was == "fresh" and tools.get(name) == "Read" else "full"

    return [[(name, was, fate(name, was)) for name, was in state.items()] for state in states]


@st.composite
def conversations(draw: st.DrawFn) -> list[Json]:
    messages: list[Json] = []
    number = 0
    for _ in range(draw(st.integers(1, 14))):
        kind = draw(st.sampled_from(["user", "user", "assistant", "assistant", "progress", "attachment"]))
        if kind == "assistant":
            calls = [
                {
                    "type": "tool_use",
                    "id": f"toolu_{number + ahead}",
                    "name": draw(st.sampled_from(["Read", "Grep", "Bash"])),
                    "input": {},
                }
                for ahead in range(draw(st.integers(0, 3)))
            ]
            messages.append({"type": kind, "message": {"id": draw(st.sampled_from("XYZ")), "content": calls}})
        elif kind == "user":
            blocks: list[Any] = []
            for _ in range(draw(st.integers(0, 3))):
                size = draw(st.integers(0, 25))
                content = "<persisted-output> old" if draw(st.integers(0, 9)) == 0 else "x" * size
                blocks.append({"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": content})
                number += 1
            messages.append({"type": kind, "message": {"role": "user", "content": blocks}})
        else:
            messages.append({"type": kind, "data": {}})
    return messages


@settings(max_examples=CASES)
@given(conversations(), st.lists(st.integers(0, 14), max_size=3))
def test_the_engine_does_what_the_model_does(messages: list[Json], cuts: list[int]) -> None:
    """A conversation that grows: a run at each cut and one at the end, on one state."""
    state = ContentReplacementState()
    seen: list[str] = []
    replacements: dict[str, str] = {}
    for cut in [*sorted(cuts), len(messages)]:
        part = messages[:cut]
        untouched = copy.deepcopy(part)
        outcome = enforce_tool_result_budget(part, state, Limits(message_budget=LIMIT), MemoryStore(fail=(FAILING,)))
        expected = model(part, seen, replacements)
        assert [[(one.tool_use_id, one.state, one.fate) for one in group.results] for group in outcome.groups] == expected
        assert state.to_json() == {"seenIds": seen, "replacements": replacements}
        assert part == untouched
        for group in outcome.groups:
            assert group.visible == sum(one.chars for one in group.results if one.fate != "replaced")
            assert group.frozen == sum(one.chars for one in group.results if one.state == "frozen")
        sent = {
            b["tool_use_id"]: b["content"] for m in outcome.messages if m["type"] == "user" for b in m["message"]["content"]
        }
        was = {b["tool_use_id"]: b["content"] for m in part if m["type"] == "user" for b in m["message"]["content"]}
        assert sent == {name: replacements.get(name, content) for name, content in was.items()}
