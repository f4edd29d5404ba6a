"""The spilled files with their order and filter, kept while they are looked at anew."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import count

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.message import Message
from textual.widgets import Input

from spillscope.session.spills import BadgeName, Spill
from spillscope_app.screens.detail import rule
from spillscope_app.spans import Line, Paint, Span
from spillscope_app.views.spill_sieve import ORDERS, Order, SpillFilter, sifted, told
from spillscope_app.views.spill_summary import nothing_passes
from spillscope_app.views.spills import SpillItems, heading
from spillscope_app.widgets.line_table import SCROLLBAR, LineTable
from spillscope_app.widgets.outline import Key
from spillscope_app.widgets.painted import Painted
from spillscope_app.widgets.typed_line import FindLine


class SpillList(Container):
    """Shows those of some spills that pass a filter, in an order."""

    @dataclass
    class Changed(Message):
        """Something else is selected, or the filter is another one."""

    def __init__(self, now: Callable[[], float]) -> None:
        super().__init__(id="spill-list-pane", classes="pane")
        self._now = now
        self._spills: Sequence[Spill] = ()
        self._note = ""
        self._waiting: Paint | None = None
        self._chosen = SpillFilter()
        self._order: Order = "group"
        self._numbers: dict[tuple[object, ...], int] = {}
        self._count = count()
        self._items = SpillItems((), (), 0.0)

    def compose(self) -> ComposeResult:
        yield Painted(id="spills-rule", classes="rule")
        yield FindLine(id="spill-find", placeholder="a call, a tool, a file's name, an id")
        yield Painted(id="spills-heading")
        yield LineTable(id="spills", enter_opens=True)

    @property
    def table(self) -> LineTable:
        """The list itself."""
        return self.query_one("#spills", LineTable)

    @property
    def chosen(self) -> SpillFilter:
        """The filter in force."""
        return self._chosen

    @property
    def selected(self) -> Spill | None:
        """The spill under the cursor."""
        key = self.table.selected
        at = self._items.find(key.ident) if key is not None else None
        return self._items.spills[at] if at is not None else None

    @property
    def _find(self) -> FindLine:
        return self.query_one(FindLine)

    # --- what is shown --------------------------------------------------------------------------------------------------

    def show(self, spills: Sequence[Spill], waiting: Paint, note: str) -> None:
        """Show these from now on. `waiting`: what stands in place of none; `note`: what goes on, for the title."""
        self._spills, self._waiting, self._note = spills, waiting, note
        self._draw()

    def tell(self, note: str) -> None:
        """The same spills as before, a little later."""
        self._note = note
        self._items = self._items.at(self._now())
        self._fill()

    def forget(self) -> None:
        """What comes next is about another session: it begins with its newest file, and no filter."""
        self._numbers.clear()
        self._order = "group"
        self.table.forget()
        self.clear()

    def _draw(self) -> None:
        shown = sifted(self._spills, self._chosen, self._order)
        self._items = SpillItems(shown, [self._number(spill) for spill in shown], self._now(), found=bool(self._chosen))
        self._fill()

    def _fill(self) -> None:
        has_rows = len(self._items) > 0
        self.table.show(self._items, self._waiting if not self._spills else nothing_passes)
        self.query_one("#spills-heading", Painted).show(lambda width: (heading(width - SCROLLBAR),) if has_rows else ())
        self._draw_rule()

    def _number(self, spill: Spill) -> int:
        """Spills are told apart by their file and by who made them; what is found of one changes."""
        mark = (spill.file.path, spill.tool_use_id, spill.agent_id, spill.origin, spill.label)
        if mark not in self._numbers:
            self._numbers[mark] = next(self._count)
        return self._numbers[mark]

    def _draw_rule(self) -> None:
        title: Line = (Span("Spills", "title"),)
        state = ORDERS[self._order] if self._spills else ""
        if self._chosen:
            counted = Span(f"  {len(self._items):,} of {len(self._spills):,}", "strong")
            title, state = (*title, Span(" · ", "dim"), *told(self._chosen), counted), "x clears"
        elif self._spills and self.table.following and self._order == "group":
            state = "following"
        if self._note and self._spills:
            title = (*title, Span(f"  {self._note}", "warn"))
        self.query_one("#spills-rule", Painted).show(lambda width: (rule(title, (Span(state, "dim"),), width),))

    @on(LineTable.Selected)
    def _selection_moved(self, message: LineTable.Selected) -> None:
        message.stop()
        self.post_message(self.Changed())

    @on(LineTable.Followed)
    def _following_changed(self, message: LineTable.Followed) -> None:
        message.stop()
        self._draw_rule()

    def select(self, spill: Spill) -> None:
        """Put the cursor on a spill; a filter that hides it is cleared."""
        number = self._number(spill)
        if self._items.find(number) is None:
            self.clear()
        self.table.select(Key(number))

    # --- choosing -------------------------------------------------------------------------------------------------------

    def follow(self) -> None:
        """The newest file last, and the cursor on it."""
        self._order = "group"
        self._draw()
        self.table.following = True

    def sort(self) -> None:
        """The next order, from its first row on."""
        orders = list(ORDERS)
        self._order = orders[(orders.index(self._order) + 1) % len(orders)]
        self.table.following = False
        self._draw()
        self.table.action_edge("first")

    def filter_by(self, name: str) -> None:
        """Change one part of the filter: the next origin, the next badge, faults alone; or clear all of it."""
        if name == "clear":
            self.clear()
        elif name == "origin":
            self._choose(self._chosen.next_origin(self._spills))
        elif name == "badge":
            self._choose(self._chosen.next_badge(self._spills))
        else:
            self._choose(replace(self._chosen, faults=not self._chosen.faults))

    def toggle_badge(self, badge: BadgeName) -> None:
        """Only the spills with this badge; or all again."""
        self._choose(replace(self._chosen, badge=None if self._chosen.badge == badge else badge))

    def clear(self) -> None:
        """No filter."""
        self._find.value = ""
        self.remove_class("-finding")
        self._choose(SpillFilter())

    def _choose(self, chosen: SpillFilter) -> None:
        if chosen != self._chosen:
            self._chosen = chosen
            self._draw()
            self.post_message(self.Changed())

    @property
    def finding(self) -> bool:
        """Whether the user types a text to look for."""
        return self._find.has_focus

    def find(self) -> None:
        """Let the user type a text. The focus moves at once: the next keys may already be waiting."""
        self.add_class("-finding")
        self.screen.set_focus(self._find)

    def leave_find(self, *, keep: bool) -> None:
        """Back to the list, with the text or without it."""
        if not keep:
            self._find.value = ""
        self.set_class(bool(self._find.value), "-finding")
        self.screen.set_focus(self.table)

    @on(Input.Changed)
    def _typed(self, message: Input.Changed) -> None:
        message.stop()
        self._choose(replace(self._chosen, text=message.value))

    @on(Input.Submitted)
    def _submitted(self, message: Input.Submitted) -> None:
        message.stop()
        self.leave_find(keep=True)
