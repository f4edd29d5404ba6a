"""What a calibration estimates: the messages after the exact part, and those before a segment's first request (T4, T9)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from typing import NamedTuple

from spillscope.session.reading import Request
from spillscope.session.session import Session
from spillscope.session.steps import first_member, is_placeholder, messages_between, others_between, weight_of
from spillscope.session.weights import COUNTED, UNREAD, Weights
from spillscope.tokens.calibration import Fit
from spillscope.transcript.index import USER


class Moment(NamedTuple):
    """When a session is looked at: now, or when a request was about to go out.

    `requests` had gone out. `end`, `end_member`: where the timeline and the members end for it. `usage`, `anchor`: the exact
    part of T4, and the member that states it. `model`: that the next request goes to.
    """

    requests: int
    segment: int
    end: int
    end_member: int
    usage: int
    anchor: int | None
    model: str | None


class InView(NamedTuple):
    """Members by what they are to the estimate.

    `after`: what T4 estimates. `new`: those of them that the exact part does not hold. `attached`: records between them that
    are no messages. `anchored`: the response whose usage the exact part is; None without one. `first`: the first request of
    the segment; `head` and `head_attached`: what stood before it.
    """

    after: tuple[int, ...]
    new: tuple[int, ...]
    attached: tuple[int, ...]
    anchored: int | None
    first: Request | None
    head: tuple[int, ...]
    head_attached: tuple[int, ...]


NOTHING_IN_VIEW = InView((), (), (), None, None, (), ())


def find_moment(session: Session, at: int | None) -> Moment:
    """The moment before the request of that number went out; None: now. An unknown request raises IndexError."""
    index, chain, replay = session.index, session.chain, session.replay
    if at is None:
        segment, count = len(chain.segment_starts) - 1, replay.count
        return Moment(len(replay.requests), segment, len(chain.timeline), len(index), count.usage, count.anchor, index.model)
    request, before = replay.requests[at], replay.before(at)
    member = first_member(session, request)
    end = chain.position(member) or 0
    return Moment(at, request.segment, end, member, before.usage, before.anchor, request.model)


def find_in_view(session: Session, moment: Moment) -> InView:
    """What is in the context then; no content is read."""
    index, chain = session.index, session.chain
    if moment.segment < 0:
        return NOTHING_IN_VIEW
    start, kept, anchor = chain.segment_starts[moment.segment], tuple(chain.kept[moment.segment]), moment.anchor
    root = chain.timeline[start] if start < moment.end else moment.end_member
    first = _first_request(session, moment)
    head_end, head_member = moment.end, moment.end_member
    if first is not None:
        head_member = first_member(session, first)
        head_end = chain.position(head_member) or 0
    head = (*kept, *messages_between(session, start, head_end)), others_between(session, root, head_member)
    if anchor is None:
        after = (*kept, *messages_between(session, start, moment.end))
        return InView(after, after, others_between(session, root, moment.end_member), None, first, *head)
    after = messages_between(session, (chain.position(anchor) or 0) + 1, moment.end)
    response = index.responses_of[anchor]
    new = tuple(member for member in after if index.kinds[member] == USER or index.responses_of[member] != response)
    return InView(after, new, others_between(session, anchor, moment.end_member), response, first, *head)


def _first_request(session: Session, moment: Moment) -> Request | None:
    """The first request of the segment that had gone out; None where none had."""
    requests = session.replay.requests
    at = bisect_left(range(moment.requests), moment.segment, key=lambda number: requests[number].segment)
    return requests[at] if at < moment.requests else None


def estimate_after(session: Session, weights: Weights, view: InView, fit: Fit) -> float:
    """Fitted tokens of what the exact part does not hold."""
    users = sum(session.index.kinds[member] == USER for member in view.new)
    if view.anchored is None:
        return _text(session, weights, (*view.new, *view.attached), fit) + users * fit.prior.message
    around = fit.prior.around(users)
    return _text(session, weights, (*view.new, *view.attached), fit) + around + _untold(session, weights, view.anchored, fit)


def estimate_head(session: Session, weights: Weights, view: InView, fit: Fit) -> float:
    """Fitted tokens of the messages that the first request of the segment carried."""
    return _text(session, weights, (*view.head, *view.head_attached), fit) + len(view.head) * fit.prior.message


def _text(session: Session, weights: Weights, members: Iterable[int], fit: Fit) -> float:
    """What was not counted goes by the rough rule and its factor."""
    tokens = 0.0
    counted: list[int] = []
    for member in members:
        if weights.state(member) & (COUNTED | UNREAD) == COUNTED:
            counted.append(member)
            tokens += weights.flat(member)
        else:
            tokens += fit.rough.factor * session.index.tokens[member]
    return tokens + fit.scale.factor * fit.prior.text_tokens(weight_of(weights, counted))


def _untold(session: Session, weights: Weights, number: int, fit: Fit) -> float:
    """What a response put out beyond its output count, where that is the start value of a stream."""
    response = session.index.responses[number]
    if not is_placeholder(session, weights, number):
        return 0.0
    put_out = _text(session, weights, response.members, fit) + fit.prior.call * len(response.calls)
    return max(0.0, put_out - response.usage.output)


def bpe_after(session: Session, weights: Weights, view: InView) -> int | None:
    """T8: tiktoken's count over what T4 estimates, images flat; None where some of it was not counted."""
    if any(weights.state(member) & (COUNTED | UNREAD) != COUNTED for member in view.after):
        return None
    return weight_of(weights, view.after).bpe + sum(map(weights.flat, view.after))
