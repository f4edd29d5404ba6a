"""Time travel: a session as it stood when one of its requests was about to go out (spec S8).

What the file says now of what came before counts: later split records, clearings and the branch that was taken are known.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace

from spillscope.session.groups import totals_of
from spillscope.session.reading import Context, Reading, Request, SessionInfo
from spillscope.session.session import Session
from spillscope.session.turns import Before
from spillscope.window.models import resolve_window


def reading_at(session: Session, live: Reading, request: int) -> Reading:
    """The reading right before a request of `live` went out: what it carried is pending. `live`: the session's newest.

    Belongs to the thread that refreshes the session. Costs no replay: the decisions are views of what stands, and only the
    group that was pending is judged again. An unknown request raises IndexError.
    """
    replay = session.replay
    now = live.requests[request]
    before = replay.before(request)
    pending = replay.pending_before(request)
    return replace(
        live,
        session=_info(session, live, now),
        context=_context(session, live, now, before),
        groups=replay.groups.view(before.groups),
        pending=pending,
        requests=replay.requests.view(request),
        totals=before.totals if pending is None else before.totals.plus(totals_of(pending)),
        live_from=replay.segment_groups[now.segment],
        kept=replay.kept_groups(now.segment),
        cuts=live.cuts[: now.segment],
        refusals=_refusals(session, live, request),
        at=request,
    )


def horizon(session: Session, reading: Reading) -> int | None:
    """The first member that a reading of the past does not know yet; None where it shows the present."""
    return None if reading.at is None else _member(session, session.replay.requests[reading.at])


def _info(session: Session, live: Reading, now: Request) -> SessionInfo:
    """Who and where: the model that the request went to, its agent's version, and the compactions before it."""
    index = session.index
    member = _member(session, now)
    return replace(
        live.session,
        version=index.versions[index.version_of[member]],
        model=now.model,
        compactions=live.session.compactions[: bisect_left(list(index.boundaries), member)],
    )


def _context(session: Session, live: Reading, now: Request, before: Before) -> Context:
    """T4 as it was, in the window that the request had: what any response proves of it holds for the past too (W1)."""
    index, anchor = session.index, before.anchor
    stamp = None if anchor is None else index.stamps[anchor]
    return Context(
        tokens=now.estimate_before,
        usage=before.usage,
        estimate=now.estimate_before - before.usage,
        anchor_uuid=None if anchor is None else index.uuids[anchor],
        exact_at=None if stamp is None or stamp != stamp else stamp,
        window=resolve_window(now.model, live.largest_usage, live.limits),
    )


def _refusals(session: Session, live: Reading, request: int) -> int:
    """Refusals since the request before, or since the compaction between the two."""
    until = _member(session, live.requests[request])
    boundaries = list(session.index.boundaries)
    compacted = bisect_left(boundaries, until)
    since = max(_member(session, live.requests[request - 1]) if request else 0, boundaries[compacted - 1] if compacted else 0)
    return session.index.refused(since, until)


def _member(session: Session, request: Request) -> int:
    return session.index.responses[request.response].members[0]
