"""What becomes of every result under some terms, kept up to date when the terms move (spec P1, B3 to B9).

The budget's decisions are `budget.decide`'s. It is asked only about runs where something can differ: those over the limit,
and those that share an id with another.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import islice

from spillscope.budget.decide import GroupPlan, Plan
from spillscope.session.judge import judge_in_group
from spillscope.session.whatif.asking import ask, bounds_of, candidates_of, learned_from
from spillscope.session.whatif.codes import CODES, EXEMPT, FATES, FIXED, SPILLED, TO_FATES, TO_WAYS, WAYS, WHOLE
from spillscope.session.whatif.columns import KEPT
from spillscope.session.whatif.ledger import Ledger
from spillscope.session.whatif.tally import Tally
from spillscope.session.whatif.terms import Terms

_INFINITY = float("inf")


class Outcome:
    """By row a code of `codes.VERDICTS`. Runs before `first_run` are as `before` has them (R4)."""

    def __init__(self, ledger: Ledger, terms: Terms, before: Outcome | None = None, first_run: int = 0) -> None:
        self.ledger, self.terms, self.before, self.first_run = ledger, terms, before, first_run
        self.codes = bytearray()
        self.sums = array("q")  # by group: frozen + fresh, in units
        self.learned: dict[int, list[tuple[str, bool]]] = {}  # by entangled run: ids that became seen, and whether replaced
        self.tally = Tally(ledger)
        self._low: list[float] = []  # by run, the limits under which it stays decided as it is: from here
        self._high: list[float] = []  # up to but not including this
        self._over: set[int] = set()  # runs that the budget was asked about and found over the limit
        self.extend()

    def fates(self) -> bytes:
        """The fates by row, as bytes that can be compared."""
        return bytes(self.codes.translate(TO_FATES))

    def spilled(self) -> tuple[int, int]:
        """How many results are persisted, and how many replaced."""
        fates = self.fates()
        return fates.count(FATES.index("persisted")), fates.count(FATES.index("replaced"))

    def is_spilled(self, row: int) -> bool:
        return WAYS[self.codes[row]] != KEPT

    def way(self, row: int) -> int:
        return WAYS[self.codes[row]]

    def over_budget(self, groups: int | None = None) -> int:
        """How many groups, or of the first few, are over their budget; with the switch off too."""
        end = len(self.sums) if groups is None else groups
        first = min(end, self.ledger.first_groups[self.first_run])
        earlier = 0 if self.before is None else self.before.over_budget(first)
        budget = self.terms.budget
        return earlier + sum([size > budget for size in self.sums[first:end]])

    def learned_ids(self) -> dict[str, tuple[float, bool]]:
        """The ids that stand twice: the first group after they became seen (inf: never), and whether replaced (B3)."""
        found: dict[str, tuple[float, bool]] = {}
        for run in sorted(self.learned):
            for tool_use_id, replaced in self.learned[run]:
                found.setdefault(tool_use_id, (self.ledger.first_groups[run + 1], replaced))
        return dict.fromkeys(self.ledger.shared, (_INFINITY, False)) | found

    # --- following the ledger -----------------------------------------------------------------------------------------------

    def truncate(self, runs: int) -> None:
        """Forget the runs from a number on. Call it before the ledger forgets them."""
        group = self.ledger.first_groups[runs]
        row = self.ledger.first_rows[group]
        self.tally.add(range(row, len(self.codes)), self.codes[row:].translate(TO_WAYS), -1)
        del self.codes[row:], self.sums[group:], self._low[runs:], self._high[runs:]
        self._over = {run for run in self._over if run < runs}
        self.learned = {run: ids for run, ids in self.learned.items() if run < runs}

    def extend(self) -> None:
        """Take in the runs that the ledger has beyond these."""
        ledger = self.ledger
        self.terms.learn(ledger)
        self.tally.resize()
        start = len(self._low)
        for run in range(start, ledger.runs):
            self._take(run)
        self._decide(range(max(start, self.first_run), ledger.runs))

    def _take(self, run: int) -> None:
        ledger = self.ledger
        rows = ledger.rows_of_run(run)
        if self.before is not None and run < self.first_run:
            self.codes += self.before.codes[rows.start : rows.stop]
            self.sums.extend(self.before.sums[group] for group in ledger.groups_of_run(run))
        else:
            self.codes.extend(map(self._alone, rows))
            self.sums.extend(sum(map(self._weight, ledger.rows_of_group(group))) for group in ledger.groups_of_run(run))
        self.tally.add(rows, self.codes[rows.start :].translate(TO_WAYS))
        self._low.append(0)
        self._high.append(0)
        self._leave(run)

    def _alone(self, row: int) -> int:
        """The code where the budget does nothing."""
        fixed = self.ledger.fixed[row]
        if fixed is not None:
            return FIXED[fixed]
        judged = self.ledger.judged[row]
        if judged is not None and judged > self.terms.thresholds[self.ledger.kind_of[row]].chars:
            return SPILLED
        return self._kept(row)

    def _kept(self, row: int) -> int:
        return EXEMPT if self.terms.switch and self.terms.exempt[self.ledger.exempt_kind_of[row]] else WHOLE

    def _weight(self, row: int) -> int:
        """Units that count against the budget, where no id binds two results."""
        ledger = self.ledger
        candidate = ledger.candidates[row]
        if candidate is None or self.codes[row] == SPILLED or self.terms.exempt[ledger.exempt_kind_of[row]]:
            return 0
        return candidate.chars

    def _leave(self, run: int) -> None:
        """A run that the budget leaves alone, as long as none of its groups is over the limit."""
        first, end = self.ledger.first_groups[run], self.ledger.first_groups[run + 1]
        self._low[run], self._high[run] = max(self.sums[first:end]), _INFINITY

    # --- moving -------------------------------------------------------------------------------------------------------------

    def move(self, terms: Terms) -> bool:
        """Other terms; False where they spare other results from the budget, which takes a new outcome."""
        terms.learn(self.ledger)
        if not terms.exempts_like(self.terms):
            return False
        old, self.terms = self.terms, terms
        touched: set[int] = set()
        for kind, (then, now) in enumerate(zip(old.thresholds, terms.thresholds, strict=True)):
            if then.chars != now.chars:
                self._cross(kind, then.chars, now.chars, touched)
        for run in touched:
            if run in self._over:
                self._low[run] = _INFINITY  # whatever the limit is, the budget is asked
            else:
                self._leave(run)
        if touched or old.limit != terms.limit:
            self._decide(range(self.first_run, len(self._low)))
        return True

    def _cross(self, kind: int, then: float, now: float, touched: set[int]) -> None:
        """A threshold moves: what lies between its old and its new place changes sides."""
        ledger, sums, weight = self.ledger, self.sums, self._weight
        ordered, group_of = ledger.ordered[kind], ledger.group_of
        # The infinity stands behind every row of that size.
        start, end = sorted((bisect_right(ordered, (then, _INFINITY)), bisect_right(ordered, (now, _INFINITY))))
        first_row = ledger.first_rows[ledger.first_groups[self.first_run]]
        rows = [row for _, row in ordered[start:end] if row >= first_row]
        groups = [group_of[row] for row in rows]
        if now < then:
            for row, group in zip(rows, groups, strict=True):
                sums[group] -= weight(row)
            self._set(rows, [SPILLED] * len(rows))
        else:
            self._set(rows, list(map(self._kept, rows)))
            for row, group in zip(rows, groups, strict=True):
                sums[group] += weight(row)
        touched.update(map(ledger.run_of.__getitem__, groups))

    def _set(self, rows: Sequence[int], codes: Sequence[int]) -> None:
        """Other codes for rows, and the sums with them."""
        moved: dict[tuple[int, int], list[int]] = {}
        mine = self.codes
        for row, code in zip(rows, codes, strict=True):
            old = mine[row]
            if old != code:
                mine[row] = code
                ways = WAYS[old], WAYS[code]
                if ways in moved:
                    moved[ways].append(row)
                else:
                    moved[ways] = [row]
        for (way, to), changed in moved.items():
            if way != to:
                self.tally.move(changed, way, to)

    # --- the budget ---------------------------------------------------------------------------------------------------------

    def _decide(self, runs: range) -> None:
        """Ask the budget about the runs whose decision does not hold at the present limit."""
        limit, ledger = self.terms.limit, self.ledger
        bounds = zip(runs, self._low[runs.start :], self._high[runs.start :], strict=True)
        asked = [run for run, low, high in bounds if not low <= limit < high and run not in ledger.entangled]
        by_version: dict[str | None, list[int]] = {}
        for run in asked:
            by_version.setdefault(ledger.run_versions[run], []).append(run)
        for mine in by_version.values():
            self._apply(mine, self._ask(mine, {}))  # at once: what they decide binds no other
        if ledger.entangled:
            self._decide_entangled()

    def _decide_entangled(self) -> None:
        """Runs that share ids, in order: what one learns binds the next."""
        shared = self.ledger.shared
        seen: dict[str, bool] = {}
        for run in sorted(self.ledger.entangled):
            if run < self.first_run and self.before is not None:
                learned = self.before.learned[run]
            else:
                plan = self._ask([run], seen)
                self._apply([run], plan)
                for group, number in zip(plan.groups, self.ledger.groups_of_run(run), strict=True):
                    self.sums[number] = group.frozen_chars + group.fresh_chars
                learned = [entry for entry in learned_from(self.ledger, self.codes, run, plan) if entry[0] in shared]
            self.learned[run] = learned
            for tool_use_id, replaced in learned:
                seen.setdefault(tool_use_id, replaced)

    def _ask(self, runs: Sequence[int], seen: Mapping[str, bool]) -> Plan:
        return ask(self.ledger, self.codes, self.terms, runs, seen)

    def _apply(self, runs: Sequence[int], plan: Plan) -> None:
        """What was decided of runs becomes the codes of their rows."""
        rows: list[int] = []
        codes: list[int] = []
        plans = iter(plan.groups)
        for run in runs:
            numbers = self.ledger.groups_of_run(run)
            groups = list(islice(plans, len(numbers)))
            for number, group in zip(numbers, groups, strict=True):
                mine = candidates_of(self.ledger, self.codes, number)
                rows += mine
                codes += self._codes(mine, group)
            self._low[run], self._high[run] = bounds_of(groups)
            if any(group.over for group in groups):
                self._over.add(run)
            else:
                self._over.discard(run)
        self._set(rows, codes)

    def _codes(self, rows: Sequence[int], group: GroupPlan) -> list[int]:
        candidates, switch, picked = self.ledger.rows, self.terms.switch, group.selected
        return [
            CODES[judge_in_group(group, position, picked, candidates[row].writable, switch)]
            for position, row in enumerate(rows)
        ]
