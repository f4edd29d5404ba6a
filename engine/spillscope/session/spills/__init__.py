"""Every spilled file of a session: what names it, what is wrong with it, and what became of it (spec S6, S9).

The audit, which opens files, is in `spills.inventory`: a report does without it.
"""

from spillscope.session.spills.listing import list_spills
from spillscope.session.spills.model import FAULTS, Badge, BadgeName, Inventory, Link, Origin, Spill

__all__ = [
    "FAULTS",
    "Badge",
    "BadgeName",
    "Inventory",
    "Link",
    "Origin",
    "Spill",
    "list_spills",
]
