"""T9: what each request carried more than the last one had, and which of these steps prove something."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from spillscope.session.reading import Request
from spillscope.session.session import Session
from spillscope.session.weights import ATTACHMENT, EDIT, ODD, PROMPT, UNREAD, Want, Weights
from spillscope.tokens.calibration import Step
from spillscope.tokens.weight import NOTHING, Weight
from spillscope.transcript.index import ASSISTANT, OTHER, USER

LEAST_TOKENS = 50
"""A step with less text than this says more of what stands around a message than of its text."""
LEAST_OUTPUT = 0.8
"""An output count under this share of tiktoken's count of what was put out is a placeholder."""
LEAST_CALL_TOKENS = 25
"""Less than any model needs for the form of a call."""

LeftOut = Literal[
    "compaction", "no usage", "model", "placeholder", "local", "prompt", "image", "attachment", "microcompaction",
    "unread", "small", "shrunk",
]  # fmt: skip
"""Why a step is no evidence. `local`: records stand in it that no model wrote. `prompt`: it begins a turn, where agents add
words of their own and the API drops earlier thinking. `shrunk`: it carried less than the last one had."""


class Stretch(NamedTuple):
    """The members of a step: what was put out last, the messages that are new, and the records between that are none."""

    own: tuple[int, ...]
    new: tuple[int, ...]
    others: tuple[int, ...]

    @property
    def members(self) -> tuple[int, ...]:
        return (*self.new, *self.own, *self.others)


def first_member(session: Session, request: Request) -> int:
    """The member with which a request's response begins in the timeline."""
    position = session.chain.position
    placed = [
        (at, member) for member in session.index.responses[request.response].members if (at := position(member)) is not None
    ]
    return min(placed)[1]


def find_step(session: Session, last: Request, request: Request) -> Stretch | LeftOut:
    """The members of the step from one request to the next; or why it is left out, where no content is needed to know."""
    if last.segment != request.segment:
        return "compaction"
    if not last.usage.total or not request.usage.prompt:
        return "no usage"
    if last.model != request.model:
        return "model"
    response = session.index.responses[last.response]
    if response.usage.output < LEAST_CALL_TOKENS * len(response.calls):
        return "placeholder"  # whatever the text of its calls
    index, chain = session.index, session.chain
    first, end = first_member(session, last), first_member(session, request)
    messages = messages_between(session, chain.position(first) or 0, chain.position(end) or 0)
    new = tuple(member for member in messages if index.responses_of[member] != last.response or index.kinds[member] == USER)
    if any(index.kinds[member] == ASSISTANT for member in new):
        return "local"
    return Stretch(tuple(index.responses[last.response].members), new, others_between(session, first, end))


def messages_between(session: Session, start: int, end: int) -> tuple[int, ...]:
    """The messages from one position of the timeline to another."""
    kinds = session.index.kinds
    return tuple(member for member in session.chain.timeline[start:end] if kinds[member] in (USER, ASSISTANT))


def others_between(session: Session, first: int, end: int) -> tuple[int, ...]:
    """The records from one member to another, in the file, that are no messages: attachments among them."""
    kinds = session.index.kinds
    return tuple(member for member in range(first, end) if kinds[member] == OTHER)


def wanted_of(session: Session, weights: Weights, last: Request, request: Request, found: Stretch) -> Iterator[Want]:
    """What of a step is to be counted to judge it, each after the one before was: no text of one that proves nothing."""
    for member in (*found.new, *found.others):
        yield Want(member, text=False)
    if _flagged(weights, found) is not None:
        return
    yield from map(Want, found.own)
    if request.usage.prompt > last.usage.total and not is_placeholder(session, weights, last.response):
        yield from map(Want, found.new)


def step_of(session: Session, weights: Weights, last: Request, request: Request, found: Stretch) -> Step | LeftOut:
    """The step from one request to the next, or why it is left out. Its members were counted."""
    reason = _left_out(session, weights, last, found)
    if reason is not None:
        return reason
    truth = request.usage.prompt - last.usage.total
    if truth <= 0:
        return "shrunk"
    step = Step(
        request.model,
        truth,
        sum(session.index.tokens[member] for member in found.new),
        weight_of(weights, found.new),
        len(found.new),
    )
    return "small" if step.weight.bpe < LEAST_TOKENS else step


def _left_out(session: Session, weights: Weights, last: Request, found: Stretch) -> LeftOut | None:
    reason = _flagged(weights, found)
    return "placeholder" if reason is None and is_placeholder(session, weights, last.response) else reason


def _flagged(weights: Weights, found: Stretch) -> LeftOut | None:
    """Why a step is left out by what its records are."""
    flags = 0
    for member in (*found.new, *found.others):
        flags |= weights.state(member)
    for flag, reason in _REASONS:
        if flags & flag:
            return reason
    return None


_REASONS: tuple[tuple[int, LeftOut], ...] = (
    (UNREAD, "unread"),
    (ODD, "image"),
    (EDIT, "microcompaction"),
    (ATTACHMENT, "attachment"),
    (PROMPT, "prompt"),
)


def is_placeholder(session: Session, weights: Weights, number: int) -> bool:
    """Whether a response put out more than its output count says: then that is the start value of a stream."""
    response = session.index.responses[number]
    least = LEAST_OUTPUT * weight_of(weights, response.members).bpe + LEAST_CALL_TOKENS * len(response.calls)
    return response.usage.output < least


def weight_of(weights: Weights, members: Iterable[int]) -> Weight:
    """The weight of members together."""
    total = NOTHING
    for member in members:
        total = total.plus(weights.of(member))
    return total
