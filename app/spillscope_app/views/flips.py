"""The results that edited limits flip, a row a result: what becomes of it, and why."""

from __future__ import annotations

import math

from spillscope.session.whatif.flips import Flip
from spillscope_app.format import compact, tool_name
from spillscope_app.spans import Line, Span, beside, foreign, left, right
from spillscope_app.views.rows import call_label
from spillscope_app.views.words import FATES
from spillscope_app.widgets.outline import Listed

_GROUP, _FATES, _SIZE, _WHY, _TOKENS = 5, 20, 6, 22, 8
"""Cells of the fixed columns."""
_ROOMY = 74
"""Cells from which on a row says why, and what that keeps out."""


class FlipItems(Listed[Flip]):
    """`Items` over flips. Each is made when its row comes into view."""

    def line(self, at: int, child: int, width: int) -> Line:
        return flip_line(self.things[at], width)


def flip_line(flip: Flip, width: int) -> Line:
    """One result: its group, its fate before and after, its call, its size, why, and what that keeps out."""
    before, after = FATES[flip.before.fate], FATES[flip.after.fate]
    fates = (Span(before[0], "dim"), Span(" → ", "faint"), Span(*after))
    why, tokens = (_WHY, _TOKENS) if width >= _ROOMY else (0, 0)
    tool = 8 if width >= _ROOMY else 5
    fixed = (_GROUP, _FATES, tool, _SIZE, why, tokens)
    call = max(1, width - sum(fixed) - len(fixed))
    return beside(
        right(Span(str(flip.group), "dim"), _GROUP),
        left(fates, _FATES),
        left(foreign(tool_name(flip.row.tool)), tool),
        left(call_label(flip.row.label, call), call),
        right(Span(compact(flip.row.chars)), _SIZE),
        left(Span(why_of(flip), "dim"), why),
        right(Span(f"{-flip.tokens_saved:+,}", "dim"), tokens),
    )


def why_of(flip: Flip) -> str:
    """The rule that decides now, with the size that it is held against."""
    decision = flip.after
    chars = decision.threshold.chars
    if decision.fate == "persisted":
        return f"over {compact(chars)}  {decision.rule}"
    if decision.fate == "replaced":
        return f"picked by the budget  {decision.rule}"
    if flip.before.fate == "replaced":
        return f"no longer picked  {decision.rule}"
    if math.isinf(chars):
        return f"opts out  {decision.rule}"
    return f"not over {compact(chars)}  {decision.rule}"
