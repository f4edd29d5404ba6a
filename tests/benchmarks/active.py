"""The acting side: what one `prepare` costs in a long conversation, and in a real loop of growing ones."""

from __future__ import annotations

import time
import timeit
from functools import partial
from pathlib import Path

from benchmarks.measure import Figure, in_turn, timed
from spillscope.agent import AgentContext
from spillscope.messages import Message
from spillscope.pipeline.run import Stages

MESSAGES = 1_000
ALLOWED_SECONDS = 0.001
"""For a request in which nothing is to be done."""
REQUEST_SECONDS = 1.0
SHORT, LONG = 100, 20_000
"""Units of a result."""


def active_figures(folder: Path, rounds: int) -> list[Figure]:
    """A settled conversation against what it may take; long results against short ones; a loop against its API."""
    settled, full = Stages(), Stages(summarise=lambda _: "So far.")
    pairs = [_agent(folder / name, SHORT, stages) for name, stages in (("a", settled), ("b", full))]
    small, large = _agent(folder / "c", SHORT, settled), _agent(folder / "d", LONG, settled)
    idle = in_turn(rounds, *(partial(_quickest, *agent) for agent in pairs))
    allowed = [ALLOWED_SECONDS] * rounds
    new = in_turn(rounds, *(partial(_one_more, *agent, chars) for agent, chars in ((large, LONG), (small, SHORT))))
    alike = in_turn(rounds, *(partial(_quickest, *agent) for agent in (large, small)))
    loop = [_loop(folder / f"loop{number}") for number in range(rounds)]
    return [
        Figure(f"prepare of {MESSAGES:,} messages, nothing to do / 1 ms", idle[0], allowed, "s", 1.0),
        Figure("the same with autocompact on / 1 ms", idle[1], allowed, "s", 1.0),
        Figure(f"results of {LONG:,} chars / of {SHORT}, nothing to do", alike[0], alike[1], "s", 1.2),
        Figure(f"results of {LONG:,} chars / of {SHORT}, one of them new", new[0], new[1], "s", 1.2),
        Figure("a turn of a loop, spills written / a request of 1 s", loop, [REQUEST_SECONDS] * rounds, "s", 0.01),
    ]


def _turn(number: int, chars: int, results: int = 1) -> list[Message]:
    calls = [{"type": "tool_use", "id": f"t{number}_{at}", "name": "Grep", "input": {"at": at}} for at in range(results)]
    held = [{"type": "tool_result", "tool_use_id": call["id"], "content": f"é{number}".ljust(chars, "ü")} for call in calls]
    answer = {"role": "assistant", "id": f"m{number}", "content": calls, "usage": {"input_tokens": 100 + number}}
    return [
        {"type": "assistant", "uuid": f"a{number}", "message": answer},
        {"type": "user", "uuid": f"u{number}", "message": {"role": "user", "content": held}},
    ]


def _agent(folder: Path, chars: int, stages: Stages) -> tuple[AgentContext, list[Message]]:
    context = AgentContext(folder, stages=stages)
    messages = [message for number in range(MESSAGES // 2) for message in _turn(number, chars)]
    assert context.prepare(messages).messages is messages
    return context, messages


def _quickest(context: AgentContext, messages: list[Message], calls: int = 10) -> float:
    """Seconds of the quickest of some calls in a row: a figure in seconds must leave out what else the machine does."""
    return min(timeit.repeat(partial(context.prepare, messages), number=1, repeat=calls))


def _one_more(context: AgentContext, messages: list[Message], chars: int) -> float:
    """Seconds of a request with one new result; takes it back, so that every round is as long."""
    new = _turn(len(context.state.seen_ids) + MESSAGES, chars)
    longer = [*messages, *new]
    return timed(lambda: context.prepare(longer))


def _loop(folder: Path, turns: int = 100) -> float:
    """Seconds a turn that `admit` and `prepare` take in a growing conversation, one turn in ten over the budget."""
    context = AgentContext(folder)
    messages: list[Message] = []
    taken = 0.0
    for number in range(turns):
        turn = _turn(number, 45_000 if number % 10 == 0 else 4_000, 6)
        start = time.perf_counter()
        for block in turn[1]["message"]["content"]:
            context.admit("Grep", block["tool_use_id"], block["content"])
        messages += turn
        context.prepare(messages)
        taken += time.perf_counter() - start
    return taken / turns
