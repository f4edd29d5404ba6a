"""Conversations with everything that moves, for hypothesis: forks, rewinds, compactions, late and lost lines."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from transcripts import Writer, text, use

SIZES = st.sampled_from([0, 10, 90, 140, 160, 200, 400])


@st.composite
def conversations(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Records with everything that moves: forks, rewinds, late parents, compactions, replacements, clears, lost lines."""
    writer = Writer()
    writer.prompt()
    calls: list[str] = []
    for step in range(draw(st.integers(1, 25))):
        action = draw(st.sampled_from(ACTIONS))
        action(draw, writer, calls, step)
    records = writer.records
    for _ in range(draw(st.integers(0, 2))):  # a line that is lost
        if len(records) > 2:
            del records[draw(st.integers(0, len(records) - 1))]
    for _ in range(draw(st.integers(0, 2))):  # a line that comes late
        if len(records) > 2:
            records.insert(draw(st.integers(0, len(records))), records.pop(draw(st.integers(0, len(records) - 1))))
    return records


def _tool(draw: st.DrawFn) -> str:
    return draw(st.sampled_from(["Bash", "Read", "Glob"]))


def _single(draw: st.DrawFn, writer: Writer, calls: list[str], step: int) -> None:
    calls.append(f"t{step}")
    writer.call(_tool(draw), calls[-1], "x" * draw(SIZES), usage=draw(st.integers(0, 900)))


def _fan(draw: st.DrawFn, writer: Writer, calls: list[str], step: int) -> None:
    """Parallel calls: split records first, each result under its own, in any order."""
    count = draw(st.integers(2, 4))
    splits = []
    for at in range(count):
        splits.append(writer.say(use(_tool(draw), f"t{step}.{at}"), id=f"m{step}", usage=draw(st.integers(0, 900))))
    for at in draw(st.permutations(range(count))):
        if draw(st.integers(0, 9)):
            calls.append(f"t{step}.{at}")
            writer.result(calls[-1], "x" * draw(SIZES), parent=splits[at])


def _line(draw: st.DrawFn, writer: Writer, calls: list[str], step: int) -> None:
    """Split records with results between them, perhaps of two responses in turn."""
    for at in range(draw(st.integers(2, 4))):
        writer.say(use(_tool(draw), f"t{step}.{at}"), id=f"m{step}.{draw(st.integers(0, 1))}", usage=at * 10)
        calls.append(f"t{step}.{at}")
        writer.result(calls[-1], "x" * draw(SIZES))


def _rewind(draw: st.DrawFn, writer: Writer, calls: list[str], step: int) -> None:
    uuids = [record["uuid"] for record in writer.records if "uuid" in record]
    writer.last = draw(st.sampled_from([*uuids[-6:], *uuids[:2]]))
    writer.prompt("Again.")


def _compact(draw: st.DrawFn, writer: Writer, calls: list[str], step: int) -> None:
    uuids = [record["uuid"] for record in writer.records if "uuid" in record][-4:]
    if draw(st.booleans()):
        writer.boundary()
        return
    tail, head = writer.last, draw(st.sampled_from(uuids))
    summary = f"u{len([r for r in writer.records if 'uuid' in r]) + 2}"
    writer.boundary(preservedSegment={"headUuid": head, "anchorUuid": summary, "tailUuid": tail})
    writer.last = draw(st.sampled_from([tail, summary]))


def _clear(draw: st.DrawFn, writer: Writer, calls: list[str], step: int) -> None:
    writer.prompt("/clear", parent=None)


def _replace(draw: st.DrawFn, writer: Writer, calls: list[str], step: int) -> None:
    if calls:
        writer.replace(draw(st.sampled_from(calls)), "y" * draw(SIZES))


def _microcompact(draw: st.DrawFn, writer: Writer, calls: list[str], step: int) -> None:
    if calls:
        meta = {"compactedToolIds": [draw(st.sampled_from(calls))]}
        writer.put("system", {"subtype": "microcompact_boundary", "microcompactMetadata": meta})


def _noise(draw: st.DrawFn, writer: Writer, calls: list[str], step: int) -> None:
    kind = draw(st.sampled_from(["progress", "attachment", "system", "orbit"]))
    writer.put(kind, {"data": {"type": "hook_progress"}}, move=draw(st.booleans()))


def _synthetic(draw: st.DrawFn, writer: Writer, calls: list[str], step: int) -> None:
    writer.say(text("API Error"), model="<synthetic>", isApiErrorMessage=True)


def _dangling(draw: st.DrawFn, writer: Writer, calls: list[str], step: int) -> None:
    writer.prompt("Who am I?", parent="nobody")


def _again(draw: st.DrawFn, writer: Writer, calls: list[str], step: int) -> None:
    if calls:
        writer.result(draw(st.sampled_from(calls)), "x" * draw(SIZES))


ACTIONS = [_single, _single, _fan, _fan, _line, _rewind, _compact, _clear, _replace, _microcompact]
ACTIONS += [_noise, _synthetic, _dangling, _again]
