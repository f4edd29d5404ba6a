"""The groups of a request in which something is still to be decided, and the results to be put back (spec B2–B5).

What has become of every older group is known: there this reads ids, and no content. So a run costs what the number of results
is, and little for each that was sent before.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import NamedTuple

from spillscope.blocks import Block
from spillscope.budget.grouping import Group, Place, group_of, is_candidate
from spillscope.messages import content_blocks, message_id, message_kind, result_id, tool_results


class Sifted(NamedTuple):
    """`groups`: those that hold an id not seen. `replaced`: where the results stand, in any group, that have a replacement."""

    groups: list[Group]
    replaced: list[Place]


def sift(messages: Sequence[object], seen: Container[str], replacements: Container[str]) -> Sifted:
    """What of `collect_candidates_by_message` a run has to look at, in the same order."""
    groups: list[Group] = []
    replaced: list[Place] = []
    met: set[str] = set()
    waiting: list[tuple[Place, Block]] = []
    fresh = False
    for at, message in enumerate(messages if _has_work(messages, seen, replacements) else ()):
        kind = message_kind(message)
        if kind is None or not isinstance(message, dict):
            continue
        if kind == "user":
            for index, block in enumerate(content_blocks(message)):
                tool_use_id = result_id(block)
                if tool_use_id is None:
                    continue
                waiting.append((Place(at, index), block))
                if tool_use_id in replacements:
                    if is_candidate(block):
                        replaced.append(Place(at, index))
                elif not fresh:
                    fresh = tool_use_id not in seen and is_candidate(block)
            continue
        response = message_id(message)
        if response is None or response not in met:
            if fresh:
                groups.append(group_of(messages, waiting))
            waiting, fresh = [], False
        if response is not None:
            met.add(response)
    if fresh:
        groups.append(group_of(messages, waiting))
    return Sifted(groups, replaced)


def _has_work(messages: Sequence[object], seen: Container[str], replacements: Container[str]) -> bool:
    """Whether any result is to be decided or to be put back. Most of a long conversation's calls end here."""
    return any(
        (tool_use_id in replacements or tool_use_id not in seen) and is_candidate(block)
        for tool_use_id, block in tool_results(messages)
    )
