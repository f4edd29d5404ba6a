"""What a what-if answers: one immutable comparison of two sets of limits over one session (spec R3, R4, R5).

"Before" is under the limits in force, "after" under the edited ones. Sizes are UTF-16 units, tokens are T3 tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from spillscope.session.whatif.flips import Change, Flips
from spillscope.window.thresholds import Window

Mode = Literal["start", "now"]
"""R4: had it been so from the start; from now on."""


class Spending(NamedTuple):
    """R5: what all requests of the session cost, in base input tokens. What they wrote is in neither."""

    before: float
    after: float

    @property
    def difference(self) -> float:
        return self.after - self.before


class Curve(NamedTuple):
    """One figure a request, and a last one for the request that has not gone out yet.

    `context`: tokens in the context. `tokens_kept_out`, `chars_kept_out`: of the originals in view, what a preview or a
    placeholder kept out.
    """

    context: Sequence[int]
    tokens_kept_out: Sequence[int]
    chars_kept_out: Sequence[int]

    @property
    def peak(self) -> int:
        """The first request at which the context was the largest."""
        return self.context.index(max(self.context))


class Crossing(NamedTuple):
    """The first requests at which the context is at or over the auto-compact line; None: at none."""

    before: int | None
    after: int | None

    @property
    def later(self) -> int | None:
        """Requests by which it comes later; negative: sooner. None where one of the two never comes."""
        return None if self.before is None or self.after is None else self.after - self.before


class Rereads(NamedTuple):
    """Spills that the model read back, among the results that are spilled: how many, how often, and tokens of those reads.

    `kept_out`: tokens that these spills kept out, times the requests that each would have stayed in.
    """

    results: int = 0
    times: int = 0
    tokens: int = 0
    kept_out: int = 0

    @property
    def net(self) -> int:
        """R3: what they saved after all, in tokens times requests."""
        return self.kept_out - self.tokens


@dataclass(frozen=True, slots=True)
class Comparison:
    """R3: what the edited limits do to a session, against those in force.

    `since`: the first request decided under the edit; in the mode "now" nothing that went out before it changes (R4).
    `spilled` counts results that are persisted or replaced, `replaced` those of the budget alone; the three `…kept_out` and
    `rereads` are about them. `over_budget` counts groups. `hypothetical_from`: the first request that a compaction which
    would have moved makes a guess; None: none did. `unknown`: ids of results whose original nobody knows, which stay what
    they were. `windows`: before and after.
    """

    mode: Mode
    since: int
    flips: Flips
    results: int
    spilled: Change
    replaced: Change
    chars_kept_out: Change
    tokens_kept_out: Change
    kept_out_requests: Change
    over_budget: Change
    before: Curve
    after: Curve
    auto_compact: Crossing
    hypothetical_from: int | None
    rereads: tuple[Rereads, Rereads]
    cost: Spending
    unknown: tuple[str, ...]
    windows: tuple[Window, Window]

    @property
    def context(self) -> Change:
        """Tokens in the context of the next request."""
        return Change(self.before.context[-1], self.after.context[-1])

    @property
    def peak(self) -> Change:
        """The largest contexts."""
        return Change(max(self.before.context), max(self.after.context))

    @property
    def kept_out_at_peak(self) -> Change:
        """Tokens kept out where each context is the largest."""
        curves = (self.before, self.after)
        return Change(*(curve.tokens_kept_out[curve.peak] for curve in curves))
