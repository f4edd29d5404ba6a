"""The groups with their filters: sifted in slices of the loop, searched by a worker, kept while the session grows."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.message import Message
from textual.widgets import Input
from textual.worker import get_current_worker

from spillscope.clean import clean
from spillscope.session.reading import Reading
from spillscope.transcript.rows import ResultRow
from spillscope_app.feed import Source
from spillscope_app.picture import Picture
from spillscope_app.screens.detail import Subject, rule
from spillscope_app.spans import Line, Paint, Span, line
from spillscope_app.views.rows import GroupItems, heading
from spillscope_app.views.sieve import STATES, Filter, Sieve, told, tool_of
from spillscope_app.views.states import nothing_to_list
from spillscope_app.widgets.choices import Choice, Choices
from spillscope_app.widgets.line_table import SCROLLBAR, LineTable
from spillscope_app.widgets.outline import Empty, Key
from spillscope_app.widgets.painted import Painted
from spillscope_app.widgets.typed_line import FindLine

_SLICE = 1_000
"""Groups sifted before the loop is given back: a few milliseconds."""
_TELL_SECONDS = 0.1


class ListPane(Container):
    """Shows the groups of the newest `Picture` that pass the filter."""

    @dataclass
    class Found(Message):
        """A search has got further: what it found since the last such message, and how many groups it has looked into."""

        sieve: Sieve
        hits: list[tuple[int, ResultRow]]
        done: int
        total: int

    @dataclass
    class SubjectChanged(Message):
        """Something else is selected now, or nothing."""

    def __init__(self, picture: Picture, source: Callable[[], Source]) -> None:
        super().__init__(id="list-pane", classes="pane")
        self._picture, self._source = picture, source
        self._items: GroupItems | None = None
        self._sieve = Sieve(Filter())
        self._deep = False  # the contents are searched too
        self._searched = 0  # groups that a search has been sent through
        self._search_state: tuple[int, int] | None = None

    def compose(self) -> ComposeResult:
        yield Painted(id="list-rule", classes="rule")
        yield FindLine(id="find", placeholder="a call, a tool, an id; enter: in the contents too")
        yield Choices(id="chips")
        yield Painted(id="heading")
        yield LineTable(id="list")

    @property
    def table(self) -> LineTable:
        """The list itself."""
        return self.query_one("#list", LineTable)

    @property
    def chosen(self) -> Filter:
        """The filter in force."""
        return self._sieve.chosen

    @property
    def searching(self) -> bool:
        """Whether a search in the contents is under way."""
        return self._search_state is not None

    @property
    def subject(self) -> Subject | None:
        """What is selected."""
        key, items = self.table.selected, self._items
        at = items.find(key.ident) if key is not None and items is not None else None
        return Subject(key, items.reading, items.group(at)) if key and items is not None and at is not None else None

    # --- what is shown --------------------------------------------------------------------------------------------------

    def show(self, picture: Picture) -> None:
        """Show this from now on; another session is shown from its newest group on, with no filter."""
        before, self._picture = self._picture, picture
        if picture.path != before.path:
            self.table.forget()
            self._choose(Filter())
        self._sift()

    def _sift(self) -> None:
        """Bring the list up to date: at once where little is new, in slices where much is."""
        reading = self._picture.reading
        if reading is None or not self.chosen:
            self._show_items(GroupItems(reading) if reading is not None else None)
            return
        self._sieve.take(reading.groups)
        done = self._sieve.step(_SLICE)
        self._show_items(self._sieve.items(reading))
        if not done:
            self.run_worker(self._sift_on(self._sieve), name="sift", group="sift", exclusive=True)
        elif self._deep and not self.searching:
            self._search()

    async def _sift_on(self, sieve: Sieve) -> None:
        told_at = time.monotonic()
        done = False
        while not done:
            await asyncio.sleep(0)
            reading = self._picture.reading
            if reading is None or sieve is not self._sieve:
                return
            done = sieve.step(_SLICE)
            if done or time.monotonic() - told_at > _TELL_SECONDS:
                told_at = time.monotonic()
                self._show_items(sieve.items(reading))
        if self._deep and not self.searching:
            self._search()

    def _show_items(self, items: GroupItems | None) -> None:
        self._items = items
        self.table.show(items or Empty(), self._placeholder())
        reading = self._picture.reading
        limit = reading.limits.get_per_message_budget_limit() if reading is not None else 0.0
        has_rows = len(self.table.items) > 0
        self.query_one("#heading", Painted).show(lambda width: (heading(width - SCROLLBAR, limit),) if has_rows else ())
        self.set_class(bool(self.chosen), "-filtered")
        self._show_title()
        self._show_chips()

    def _placeholder(self) -> Paint:
        if self._picture.reading is None or not self.chosen:
            return nothing_to_list(self._picture)
        words = line(Span("  No result passes this filter. ", "title"), Span("x clears it.", "dim"))
        return lambda width: [(), words]

    def _show_title(self) -> None:
        """The title, with the filter and how many of how many pass it."""
        title: Line = (Span("Groups", "title"),)
        state = "following" if self.table.following else "f follows the newest"
        reading = self._picture.reading
        if self.chosen and reading is not None:
            total = len(reading.groups) + (reading.pending is not None)
            far = "" if self._sieve.sifted == len(reading.groups) else " so far"
            title = (
                *title,
                Span(" · ", "dim"),
                *told(self.chosen),
                Span(f"  {len(self.table.items):,} of {total:,}{far}", "strong"),
            )
            state = "x clears" if self._search_state is None else _search_words(*self._search_state)
        self.query_one("#list-rule", Painted).show(lambda width: (rule(title, (Span(state, "dim"),), width),))

    def _show_chips(self) -> None:
        chosen = self.chosen
        chips = [_chip(f"state:{word.name}", word.mark, chosen.state == word.name) for word in STATES]
        chips += [_chip("spilled", Span("spilled"), chosen.spilled), _chip("over", Span("over"), chosen.over)]
        chips += [_chip("tool", Span("this tool"), bool(chosen.tool)), _chip("clear", Span("clear"), False)]
        self.query_one("#chips", Choices).offer(chips)

    @on(LineTable.Selected)
    def _selection_moved(self, message: LineTable.Selected) -> None:
        # Told anew: a message that comes of what this pane does would not get past it.
        message.stop()
        self.post_message(self.SubjectChanged())

    @on(LineTable.Followed)
    def _following_changed(self, message: LineTable.Followed) -> None:
        message.stop()
        self._show_title()

    # --- choosing -------------------------------------------------------------------------------------------------------

    def _choose(self, chosen: Filter) -> None:
        """Filter by this from now on. What a search found for the same text stays found."""
        if chosen == self.chosen:
            return
        same_text = chosen.text == self.chosen.text
        found = self._sieve.found if same_text else set()
        self._sieve = Sieve(chosen)
        self._sieve.found = set(found)
        if not same_text:
            self._deep, self._searched = False, 0
        self.stop_search()
        self._sift()

    def filter_by(self, name: str) -> None:
        """Change one part of the filter: a state (each in turn), this tool, spilled, over; or clear all of it."""
        chosen, subject = self.chosen, self.subject
        if name == "clear":
            self.query_one("#find", FindLine).value = ""
            self._close_find()
            self._choose(Filter())
        elif name == "state":
            self._choose(chosen.next_state())
        elif name.startswith("state:"):
            state = name.removeprefix("state:")
            self._choose(replace(chosen, state="" if chosen.state == state else state))
        elif name == "tool":
            self._choose(replace(chosen, tool="" if chosen.tool else _tool_under(subject)))
        elif name == "spilled":
            self._choose(replace(chosen, spilled=not chosen.spilled))
        else:
            self._choose(replace(chosen, over=not chosen.over))

    def select(self, key: Key) -> None:
        """Put the cursor on a group, or on a result in it; a filter that hides it is cleared."""
        if self.table.items.find(key.ident) is None:
            self.filter_by("clear")
        self.table.select(key)

    @on(Choices.Chosen)
    def _chip_clicked(self, message: Choices.Chosen) -> None:
        message.stop()
        self.filter_by(message.name)

    @property
    def finding(self) -> bool:
        """Whether the user types a text to look for."""
        return self.query_one("#find", FindLine).has_focus

    def find(self) -> None:
        """Let the user type a text. The focus moves at once: the next keys may already be waiting."""
        self.add_class("-finding")
        self.screen.set_focus(self.query_one("#find", FindLine))

    def leave_find(self, *, keep: bool) -> None:
        """Back to the list, with the text or without it."""
        if not keep:
            self.query_one("#find", FindLine).value = ""
        self._close_find()

    def _close_find(self) -> None:
        self.set_class(bool(self.query_one("#find", FindLine).value), "-finding")
        self.screen.set_focus(self.table)

    @on(Input.Changed)
    def _typed(self, message: Input.Changed) -> None:
        message.stop()
        self._choose(replace(self.chosen, text=message.value))

    @on(Input.Submitted)
    def _submitted(self, message: Input.Submitted) -> None:
        message.stop()
        self._close_find()
        if self.chosen.text:
            self._deep = True
            self._sift()

    # --- searching the contents -----------------------------------------------------------------------------------------

    def stop_search(self) -> None:
        """Cancel a search; what it found stays."""
        if self._search_state is not None:
            self._deep, self._search_state = False, None
            self.workers.cancel_group(self, "search")
            self._show_title()

    def _search(self) -> None:
        """Search what no search was sent through yet, the newest first."""
        reading = self._picture.reading
        if reading is None or self._searched == len(reading.groups):
            return
        self._search_state = (0, len(reading.groups) - self._searched)
        self.run_worker(
            partial(self._look_through, self._sieve, reading, self._searched),
            name="search",
            group="search",
            thread=True,
            exclusive=True,
            exit_on_error=False,
        )
        self._searched = len(reading.groups)
        self._show_title()

    def _look_through(self, sieve: Sieve, reading: Reading, first: int) -> None:
        worker, source, chosen = get_current_worker(), self._source(), sieve.chosen
        needle = clean(chosen.text).casefold()
        total, hits = len(reading.groups) - first, []
        told_at = time.monotonic()
        for done, number in enumerate(range(len(reading.groups) - 1, first - 1, -1), 1):
            group = reading.groups[number]
            for result in group.results:
                if worker.is_cancelled:
                    return
                if chosen.admits_kind(group, result) and not chosen.is_named(result.row) and source.holds(result.row, needle):
                    hits.append((number, result.row))
            if time.monotonic() - told_at > _TELL_SECONDS:
                told_at = time.monotonic()
                self.post_message(self.Found(sieve, hits, done, total))
                hits = []
        self.post_message(self.Found(sieve, hits, total, total))

    @on(Found)
    def _found(self, message: Found) -> None:
        message.stop()
        if message.sieve is not self._sieve or self._search_state is None:
            return
        for number, row in message.hits:
            self._sieve.add(number, row)
        self._search_state = (message.done, message.total) if message.done < message.total else None
        self._sift()


def _search_words(done: int, total: int) -> str:
    return f"contents {done:,} of {total:,} · esc stops"


def _chip(name: str, word: Span, chosen: bool) -> Choice:
    if chosen:
        return Choice(name, (Span("[", "faint"), Span(word.text, "pick"), Span("]", "faint")))
    return Choice(name, (Span(" "), Span(word.text, word.ink or "dim"), Span(" ")))


def _tool_under(subject: Subject | None) -> str:
    """The tool of what is selected: of a group, that of its largest result."""
    if subject is None or subject.group is None:
        return ""
    largest = max(subject.group.results, key=lambda result: result.row.chars)
    return tool_of((subject.result or largest).row)
