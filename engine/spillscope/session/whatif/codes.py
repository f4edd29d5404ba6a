"""Fates and the rules that gave them, as one byte a result."""

from __future__ import annotations

from spillscope.session.reading import Fate
from spillscope.session.whatif.columns import KEPT, PERSISTED, REPLACED

VERDICTS: tuple[tuple[Fate, str], ...] = (
    *(("full", ""), ("exempt", "B6"), ("persisted", ""), ("placeholder", "P3"), ("image", "P1")),
    *(("replaced", "B7"), ("replaced", "B4"), ("full", "B7"), ("full", "B9")),
)
"""What may be decided; the rule is "" where it is that of the threshold. A code is a place in this table."""
CODES = {verdict: code for code, verdict in enumerate(VERDICTS)}
WHOLE, EXEMPT, SPILLED = CODES["full", ""], CODES["exempt", "B6"], CODES["persisted", ""]
FIXED = {fate: code for code, (fate, _) in enumerate(VERDICTS[:5])}
"""By fate, the code where limits decide nothing."""
WAYS = bytes({"persisted": PERSISTED, "replaced": REPLACED}.get(fate, KEPT) for fate, _ in VERDICTS)
"""By code, the way of the ledger in which a result ends up."""
FATES: tuple[Fate, ...] = tuple(dict.fromkeys(fate for fate, _ in VERDICTS))
TO_FATES = bytes([FATES.index(fate) for fate, _ in VERDICTS] + [0] * (256 - len(VERDICTS)))
"""Translates codes to places in `FATES`."""
TO_WAYS = WAYS.ljust(256, bytes([KEPT]))
"""Translates codes to ways."""
