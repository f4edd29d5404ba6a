"""What happened between two readings of a session, in the order in which it happened."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Literal, NamedTuple, TypeVar

from spillscope.session.reading import CacheBreak, Compaction, Group, Reading

Kind = Literal[
    "budget", "persisted", "drift", "cache", "compaction", "cleared", "rewound", "rewritten", "gone", "skipped", "evidence"
]

_Item = TypeVar("_Item")


class Event(NamedTuple):
    """One thing that happened, at a time where one is known.

    `group`, `result`: its subject and the position of a result in it. `text`: a cause or a reason, foreign where a file
    gave it. `figures`: tokens before and after a compaction; line and offset of what was skipped; the number of the
    first group that is no longer in the conversation; the number of the request that found the cache broken (`broken`).
    """

    kind: Kind
    at: float | None = None
    group: Group | None = None
    result: int | None = None
    text: str = ""
    figures: tuple[int | None, ...] = ()
    broken: CacheBreak | None = None


def events_between(old: Reading | None, new: Reading) -> tuple[Event, ...]:
    """What `new` shows that `old` did not; without `old`, or with one of another session, all that it shows.

    Costs what the two differ in.
    """
    if old is None or old.session.path != new.session.path:
        return _in_order(
            _conversation(new, 0, 0), _decisions(new, 0), _breaks(new, 0), [*_skipped(new, 0, None), *_belief(new)]
        )
    if old.session.exists and not new.session.exists:
        return (Event("gone", old.session.last_write),)
    now = new.session.last_write
    if old.session.restarts != new.session.restarts:
        told = set(map(_identity, _decisions(old, 0)))
        fresh = [event for event in _decisions(new, 0) if _identity(event) not in told]
        return (Event("rewritten", now), *fresh, *_skipped(new, 0, now))
    same = _common(old.groups, new.groups, lambda one, other: one is other)
    told = set(map(_identity, _decisions(old, same)))
    decided = [event for event in _decisions(new, same) if _identity(event) not in told]
    asked = _common(old.requests, new.requests, lambda one, other: one.assistant_id == other.assistant_id)
    conversation = [*_conversation(new, asked, len(old.session.compactions)), *_rewound(old, new, same, asked)]
    flipped = [Event("evidence", now, text=new.evidence)] if old.aggregate != new.aggregate else []
    judged = asked - (asked > 0 and old.requests[asked - 1].broken is None)  # the last one may have been told of too soon
    breaks = _breaks(new, judged)
    return _in_order(conversation, decided, breaks, [*_skipped(new, len(old.session.skipped_lines), now), *flipped])


def _common(old: Sequence[_Item], new: Sequence[_Item], alike: Callable[[_Item, _Item], bool]) -> int:
    """How many items at the beginning are alike; items change only from some point on, so a few looks are enough."""
    shorter = min(len(old), len(new))
    return bisect_left(range(shorter), True, key=lambda at: not alike(old[at], new[at]))


def _decisions(reading: Reading, first: int) -> Iterator[Event]:
    """What was decided about the groups from `first` on. A waiting group's budget is decided only when it goes out."""
    groups = reading.groups
    for group in groups[first:] if first < len(groups) else ():
        if group.over_budget:
            yield Event("budget", group.timestamp, group)
        yield from _results(group)
    if reading.pending is not None:
        yield from _results(reading.pending)


def _results(group: Group) -> Iterator[Event]:
    for position, result in enumerate(group.results):
        if result.drift is not None:
            yield Event("drift", group.timestamp, group, position, result.drift)
        elif result.fate == "persisted":
            yield Event("persisted", group.timestamp, group, position)


def _breaks(reading: Reading, first: int) -> Iterator[Event]:
    """R6: the requests from number `first` on that found the prompt cache broken, with the first group that each carried."""
    requests, groups = reading.requests, reading.groups
    for at in range(first, len(requests)):
        request = requests[at]
        if request.broken is not None:
            group = groups[request.first_group] if request.first_group < request.end_group else None
            yield Event("cache", request.timestamp, group, figures=(at,), broken=request.broken)


def _identity(event: Event) -> Hashable:
    """What makes two decisions the same one, wherever its group stands by now."""
    if event.group is None:
        return event
    results = event.group.results
    if event.result is not None:
        return event.kind, results[event.result].row.tool_use_id, event.text
    picked = [results[pick.position].row.tool_use_id for pick in event.group.picks]
    return event.kind, event.group.assistant_id, *picked


def _conversation(reading: Reading, asked: int, compacted: int) -> Iterator[Event]:
    """Where the context began anew: compactions from number `compacted` on, and starts of conversations without one."""
    compactions = reading.session.compactions
    cleared = _cleared(reading, asked, sorted(one.at for one in compactions if one.at is not None))
    yield from sorted([*map(_compaction, compactions[compacted:]), *cleared], key=lambda event: event.at or 0.0)


def _compaction(one: Compaction) -> Event:
    return Event("compaction", one.at, text=one.trigger or "", figures=(one.pre_tokens, one.post_tokens))


def _cleared(reading: Reading, asked: int, compactions: Sequence[float]) -> Iterator[Event]:
    """Requests from number `asked` on that begin a segment with no compaction since the request before."""
    requests = reading.requests
    for at in range(max(1, asked), len(requests)):
        before, now = requests[at - 1], requests[at]
        if before.segment == now.segment or now.timestamp is None or before.timestamp is None:
            continue
        if bisect_right(compactions, now.timestamp) == bisect_left(compactions, before.timestamp):
            yield Event("cleared", now.timestamp)


def _rewound(old: Reading, new: Reading, same: int, asked: int) -> Iterator[Event]:
    """The leaf moved: requests that were answered stand on a branch that was left."""
    if asked == len(old.requests):
        return
    still = {request.assistant_id for request in new.requests[asked:]} if asked < len(new.requests) else set()
    if old.requests[asked].assistant_id not in still:
        last = new.groups[same - 1] if 0 < same <= len(new.groups) else None
        yield Event("rewound", new.session.last_write, last, figures=(same,))


def _skipped(reading: Reading, first: int, now: float | None) -> Iterator[Event]:
    for line in reading.session.skipped_lines[first:]:
        yield Event("skipped", now, text=line.reason, figures=(line.line, line.offset))


def _belief(reading: Reading) -> Iterator[Event]:
    if not reading.aggregate:
        yield Event("evidence", text=reading.evidence)


def _in_order(*streams: Iterator[Event] | Sequence[Event]) -> tuple[Event, ...]:
    """Events of several streams, each in order, by time; one without a time goes with what it stands behind."""
    timed: list[tuple[float, Event]] = []
    for stream in streams:
        last = float("-inf")
        for event in stream:
            last = max(last, event.at) if event.at is not None else last
            timed.append((last, event))
    return tuple(event for _, event in sorted(timed, key=lambda item: item[0]))
