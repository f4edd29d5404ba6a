"""The results of the selected group, in a column of their own where there is room for one."""

from __future__ import annotations

from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.message import Message

from spillscope_app.screens.detail import Subject, rule
from spillscope_app.spans import Span
from spillscope_app.views.rows import ResultItems
from spillscope_app.widgets.line_table import SCROLLBAR, LineTable
from spillscope_app.widgets.outline import ITSELF, Empty, Key
from spillscope_app.widgets.painted import Painted


class ResultsPane(Container):
    """Lists one group's results. While it has the focus, what it has selected is what the detail is about."""

    @dataclass
    class Chosen(Message):
        """Another result is selected here."""

    def __init__(self) -> None:
        super().__init__(id="results-pane", classes="pane")
        self._of: int | None = None

    def compose(self) -> ComposeResult:
        yield Painted(id="results-rule", classes="rule")
        yield Painted(id="results-heading")
        yield LineTable(id="results")

    @property
    def table(self) -> LineTable:
        """The list itself."""
        return self.query_one("#results", LineTable)

    def show(self, subject: Subject | None) -> None:
        """List the results of this group from now on. The cursor stays while it is the same one."""
        group = subject.group if subject is not None else None
        if subject is None or group is None:
            self._of = None
            self.table.show(Empty())
            self.query_one("#results-rule", Painted).show(lambda width: (rule((), (), width),))
            return
        if subject.key.ident != self._of:
            self._of = subject.key.ident
            self.table.forget()
            self.table.following = False
        self.table.show(ResultItems(group))
        if subject.key.child != ITSELF and not self.table.has_focus:
            self.table.select(Key(subject.key.child))
        self.query_one("#results-heading", Painted).show(lambda width: (ResultItems.heading(width - SCROLLBAR),))
        name = "next" if subject.pending else str(group.number)
        self.query_one("#results-rule", Painted).show(lambda width: (rule((Span(f"Results of {name}", "title"),), (), width),))

    def narrow(self, subject: Subject | None) -> Subject | None:
        """The subject as it is selected here, while this has the focus."""
        key = self.table.selected
        if subject is None or key is None or not self.table.has_focus:
            return subject
        return subject._replace(key=Key(subject.key.ident, key.ident))

    @on(LineTable.Selected)
    def _selection_moved(self, message: LineTable.Selected) -> None:
        message.stop()
        if self.table.has_focus:
            self.post_message(self.Chosen())

    @on(LineTable.Followed)
    def _following_changed(self, message: LineTable.Followed) -> None:
        message.stop()
