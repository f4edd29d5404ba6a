"""What is asked about edited limits, and what comes back: immutable, so that it can go from a worker to the screen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from spillscope.limits_sources import LimitsBook
from spillscope.session.reading import Reading, Totals
from spillscope.session.session import Session
from spillscope.session.spills import Spill
from spillscope.session.whatif.by_tool import SizesByTool, ToolSizes
from spillscope.session.whatif.compare import WhatIf
from spillscope.session.whatif.comparison import Comparison
from spillscope.session.whatif.effect import no_effect
from spillscope.session.whatif.under_edit import UnderEdit
from spillscope_app.tuning.edits import Edits


@dataclass(frozen=True, slots=True)
class Question:
    """What would these edits do? `factor`: tokens that the session's model makes of one T3 token (T9).

    `key`: the edited key of which it is to be known why it does nothing, if it does nothing. `groups`: whether somebody
    wants to see the groups under the edits.
    """

    edits: Edits
    factor: float = 1.0
    key: str | None = None
    groups: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """What edits do to a reading. `groups`: units that each group holds against its budget under them, ascending.

    `mixed`: the limits in force are not those that decided all of it (L11): "before" is as they would have had it.
    `rereads`: later reads of spills, by tool; None where nobody has looked. `under`, `totals`: the session's groups under
    the edits, and the totals of the reading, where they were asked for.
    """

    question: Question
    reading: Reading
    base: LimitsBook
    edited: LimitsBook
    comparison: Comparison
    tools: Sequence[ToolSizes]
    groups: Sequence[int]
    rereads: dict[str | None, int] | None
    mixed: bool = False
    under: UnderEdit | None = None
    totals: Totals | None = None

    def shown(self, reading: Reading) -> Reading:
        """A reading of the session as the edits have it, where that was asked for; else as it is."""
        if self.under is None or self.totals is None or not self.question.edits:
            return reading
        edited = self.under.reading(reading)
        return replace(edited, totals=self.totals) if reading is self.reading else edited


class Tuner:
    """Answers questions about one session. Belongs to whoever holds the session still."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._asked: WhatIf | None = None
        self._sizes = SizesByTool()
        self._spills: Sequence[Spill] | None = None

    def note_rereads(self, spills: Sequence[Spill]) -> None:
        """What an audit found of spills that were read back."""
        self._spills = spills
        if self._asked is not None:
            self._asked.note_rereads(spills)

    def ask(self, question: Question, reading: Reading) -> Answer:
        """What the edits do to a reading, which is the session's newest. Raises LimitsError."""
        asked, edits = self._up_to_date(reading), question.edits
        edited = edits.over(asked.base)
        comparison = asked.compare(edited, edits.mode, since=edits.since, factor=question.factor)
        under = self._under(asked, edited, comparison) if question.groups and edits else None
        return Answer(
            question=question,
            reading=reading,
            base=asked.base,
            edited=edited,
            comparison=comparison,
            tools=self._sizes.tools(asked),
            groups=sorted(asked.outcomes[1].sums),
            rereads=self._rereads(),
            mixed=bool(self._session.earlier),
            under=under,
            totals=under.totals(reading) if under is not None else None,
        )

    def _under(self, asked: WhatIf, edited: LimitsBook, comparison: Comparison) -> UnderEdit:
        version = self._session.index.version
        limits = (asked.base.for_version(version), edited.for_version(version))
        learned = asked.outcomes[1].learned_ids()
        return UnderEdit.of(comparison, limits, self._session.replay.judge.path_chars, learned)

    def why_not(self, question: Question, reading: Reading) -> str | None:
        """Why the value of the question's key does nothing; None where it does something. May hold a foreign name."""
        asked = self._up_to_date(reading)
        return None if question.key is None else no_effect(asked, question.edits.over(asked.base), question.key)

    def _up_to_date(self, reading: Reading) -> WhatIf:
        asked = self._asked
        if asked is None or asked.base is not self._session.book:
            asked = self._asked = WhatIf(self._session, reading)
            asked.note_rereads(self._spills or ())
        elif asked.reading is not reading:
            asked.follow(reading)
        return asked

    def _rereads(self) -> dict[str | None, int] | None:
        if self._spills is None:
            return None
        found: dict[str | None, int] = {}
        for spill in self._spills:
            if spill.reread and spill.agent_id is None:
                found[spill.tool] = found.get(spill.tool, 0) + spill.reread
        return found
