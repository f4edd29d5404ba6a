"""The field's words, each with its one glyph and its one ink, and the rules in words.

A state looks the same on every screen, and never by colour alone.
"""

from __future__ import annotations

from typing import NamedTuple

from spillscope.session.compactions import Verdict
from spillscope.session.reading import CacheBreak, Cause, Result, Totals
from spillscope_app.format import short
from spillscope_app.spans import Ink, Line, Span


class Word(NamedTuple):
    """A state or a fate: its glyph, its ink, its name, and what it means in a sentence."""

    glyph: str
    ink: Ink
    name: str
    meaning: str

    @property
    def mark(self) -> Span:
        return Span(self.glyph, self.ink)

    @property
    def told(self) -> Line:
        """The glyph and the name."""
        return (self.mark, Span(f" {self.name}", self.ink))


REAPPLY = Word(
    "↻",
    "reapply",
    "mustReapply",
    "Replaced by a preview earlier. The same preview is put back in every request, byte for byte.",
)
FROZEN = Word("■", "frozen", "frozen", "Sent in full once, so it stays in full: changing it would lose the prompt cache.")
FRESH = Word("+", "fresh", "fresh", "Not sent yet. Only fresh results can still be replaced.")
PERSISTED = Word(
    "↓", "persisted", "persisted", "Over its tool's threshold: written to a file at once, the model got a preview."
)
EXEMPT = Word("∞", "exempt", "exempt", "Its tool declares no limit, so the message budget passes it over.")
OVER = Word("!", "over", "over budget", "frozen + fresh of one group are more than its budget.")
OTHER = Word("·", "dim", "no candidate", "Empty, an image, or cleared: nothing that the budget looks at.")

WORDS = (REAPPLY, FROZEN, FRESH, PERSISTED, EXEMPT, OVER)
STATES = {"mustReapply": REAPPLY, "frozen": FROZEN, "fresh": FRESH}

FATES: dict[str, tuple[str, Ink]] = {
    "full": ("full", "dim"),
    "persisted": ("persisted", "persisted"),
    "replaced": ("replaced", "reapply"),
    "exempt": ("exempt", "exempt"),
    "placeholder": ("empty", "dim"),
    "image": ("image", "dim"),
}
"""What became of a result, as its row says it."""

OBSERVED = {
    "inline": "in full",
    "persisted": "a preview written at the source",
    "replaced": "a preview put in by the budget",
    "cleared": "cleared later by the agent",
    "empty": "empty",
    "image": "an image",
    "pending": "not sent yet",
}
"""What the transcript proves of a result."""

RULES = {
    "P1": "It holds an image, so it is left as it is.",
    "P3": "It was empty. A short placeholder stands for it: an empty result at the end of a prompt made a model stop.",
    "B6": "Its tool declares no limit, so the budget skips it: a read of a spill would only spill again.",
    "B7": "The largest fresh results go first, until the rest is inside the budget.",
    "B9": "It was picked, but it can't be written to a file, so it stays in full for good.",
    "L8.1": "Its tool's results are never persisted, and no override changes that: a read of a spill would only spill again.",
    "L8.2": "An override for this tool gives the threshold.",
    "L8.3": "What the tool declares, cut to the default, gives the threshold.",
    "L8.4": "The default threshold holds for it.",
}
"""The rule that decided, in one sentence."""


CAUSES: dict[Cause, str] = {
    "model": "another model, which has a cache of its own",
    "idle": "idle for longer than the cache lives",
    "replacement": "a replacement that had been sent was changed",
    "head": "the system prompt or the tools changed",
    "unknown": "for an unknown cause",
}
"""Why a prompt cache broke (R6)."""


VERDICTS: dict[Verdict, tuple[str, Ink]] = {
    "expected": ("where it was expected", ""),
    "early": ("earlier than expected", "warn"),
    "late": ("later than expected", "warn"),
    "manual": ("asked for by the user", "dim"),
    "unknown": ("nobody says at which count", "dim"),
}
"""Where a compaction came (W2)."""


def broke(broken: CacheBreak) -> str:
    """What a break of the prompt cache lost, and what it cost (R5, R6)."""
    lost = f"{short(broken.lost)} tokens lost"
    if not broken.rewritten:
        return lost
    return f"{lost}, {short(broken.rewritten)} rewritten at a cost of {short(broken.cost)} input tokens"


def word_of(result: Result) -> Word:
    """The glyph of a result: what happened at the source comes before how the budget finds it."""
    if result.fate == "persisted":
        return PERSISTED
    if result.fate == "exempt":
        return EXEMPT
    return STATES[result.state] if result.state else OTHER


def count_of(word: Word, totals: Totals) -> int:
    """How many of a session's results, or messages, a word of the legend stands for."""
    counts = {
        "mustReapply": totals.must_reapply,
        "frozen": totals.frozen,
        "fresh": totals.fresh,
        "persisted": totals.persisted,
        "exempt": totals.exempt,
        "over budget": totals.over_budget,
    }
    return counts[word.name]
