"""The inventory of a session's spills, audited from their files (spec S6, S9)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from spillscope.session.reading import Reading
from spillscope.session.session import Session
from spillscope.session.spills.listing import list_spills
from spillscope.session.spills.model import BadgeName, Inventory, Spill


class Memory:
    """What one inventory leaves for the next one of the same session, so that it costs what changed. For one thread."""


def take_inventory(
    session: Session, reading: Reading, stop: Callable[[], bool] | None = None, memory: Memory | None = None
) -> Inventory:
    """Every spill of a session with its badges. Reads the spill files; safe beside a thread that refreshes the session.

    `stop` is asked between files; once it says True, what was found until then is given, not `complete`.
    """
    spills: list[Spill] = []
    complete = True
    for spill in list_spills(session, reading):
        if stop is not None and stop():
            complete = False
            break
        spills.append(spill)
    counts: Counter[BadgeName] = Counter(badge.name for spill in spills for badge in spill.badges)
    disk = {spill.file.path: spill for spill in spills if spill.file.exists and not spill.file.other_session}
    ages = [spill.modified for spill in disk.values() if spill.modified is not None]
    return Inventory(
        spills=tuple(spills),
        files=len(disk),
        bytes=sum(spill.file.bytes or 0 for spill in disk.values()),
        oldest=min(ages, default=None),
        counts=counts,
        complete=complete,
    )
