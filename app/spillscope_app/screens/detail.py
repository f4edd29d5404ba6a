"""The detail of what is selected, as tabs. Content is read by a worker when it is looked at, and kept only while it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal, NamedTuple

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.message import Message
from textual.widget import Widget

from spillscope.session.contents import Look, What
from spillscope.session.reading import Group, Reading, Result
from spillscope_app.feed import Source
from spillscope_app.spans import Line, Paint, Piece, Span, spread
from spillscope_app.viewer.request import ViewerRequest
from spillscope_app.viewer.view import FileView
from spillscope_app.views.contents import choose_lines, content_lines, original_request, reading_lines
from spillscope_app.views.why import title_of, why_group, why_result, why_segments
from spillscope_app.widgets.choices import Choices, tabs
from spillscope_app.widgets.outline import ITSELF, Key
from spillscope_app.widgets.painted import Painted
from spillscope_app.widgets.text_view import TextView

Tab = Literal["model", "original", "why", "record"]
TABS: tuple[tuple[Tab, str], ...] = (
    ("model", "Model view"),
    ("original", "Original"),
    ("why", "Why"),
    ("record", "Record"),
)
_LOOK_AFTER = 0.05
"""Seconds that a selection must last before its content is read."""


class Subject(NamedTuple):
    """What is selected: a group or one of its results. `group` None: the line between two stretches of the session."""

    key: Key
    reading: Reading
    group: Group | None

    @property
    def pending(self) -> bool:
        return self.group is not None and self.group is self.reading.pending

    @property
    def position(self) -> int | None:
        """Which result of the group: the selected one, or the only one."""
        if self.group is None:
            return None
        if ITSELF < self.key.child < len(self.group.results):
            return self.key.child
        return 0 if len(self.group.results) == 1 else None

    @property
    def result(self) -> Result | None:
        return None if self.group is None or self.position is None else self.group.results[self.position]


class _Wanted(NamedTuple):
    """What of which result. A result that changed is another one."""

    what: What
    result: Result


class Detail(Container):
    """Shows a `Subject` under the active tab."""

    @dataclass
    class Looked(Message):
        """Content has been read."""

        wanted: _Wanted
        look: Look

    def __init__(self, source: Callable[[], Source], *, id: str) -> None:
        super().__init__(id=id, classes="pane")
        self._source = source
        self._subject: Subject | None = None
        self._tab: Tab = "why"
        self._wanted: _Wanted | None = None

    def compose(self) -> ComposeResult:
        yield Painted(id="detail-rule", classes="rule")
        yield Choices(id="tabs")
        yield TextView(id="detail-text")
        yield FileView(id="detail-file")

    @property
    def tab(self) -> Tab:
        """The active tab."""
        return self._tab

    @property
    def _text(self) -> TextView:
        return self.query_one("#detail-text", TextView)

    @property
    def content(self) -> Widget:
        """What of it scrolls: a few lines of ours, or a text or a file of any size."""
        return self._file if self.has_class("-filed") else self._text

    @property
    def _file(self) -> FileView:
        return self.query_one("#detail-file", FileView)

    def _show_file(self, request: ViewerRequest | None) -> None:
        """Have the viewer in place of the lines, or with None the other way round. The focus stays where it was."""
        focused = self.content.has_focus_within
        self._file.show(request)
        self.set_class(request is not None, "-filed")
        if focused and not self.content.has_focus_within:
            self.call_after_refresh(self.content.focus)

    def show(self, subject: Subject | None) -> None:
        """Show this from now on; None: nothing is selected."""
        self._subject = subject
        title = _title(subject)
        self.query_one("#detail-rule", Painted).show(lambda width: (rule(title, (), width),))
        self.query_one("#tabs", Choices).offer(tabs(TABS, self._tab))
        self._fill()

    def turn_to(self, tab: Tab) -> None:
        """Make a tab the active one."""
        self._tab = tab
        self.show(self._subject)

    def step(self, tabs_on: int) -> None:
        """To the next tab, or to the one before."""
        names = [name for name, _ in TABS]
        self.turn_to(names[(names.index(self._tab) + tabs_on) % len(names)])

    @on(Choices.Chosen)
    def _tab_clicked(self, message: Choices.Chosen) -> None:
        message.stop()
        self.turn_to(next(name for name, _ in TABS if name == message.name))

    def _fill(self) -> None:
        subject = self._subject
        if subject is None:
            self._say(lambda width: ())
            return
        what, result = self._tab, subject.result
        if what == "why" or result is None:
            self._say(_why(subject) if what == "why" or subject.group is None else choose_lines(subject.group), self._about)
            return
        wanted = _Wanted(what, result)
        if wanted != self._wanted:
            self._wanted = wanted
            self.set_timer(_LOOK_AFTER, partial(self._begin, wanted))

    def _say(self, paint: Paint, about: object = None) -> None:
        """Lines that need no reading."""
        self._wanted = None
        self._show_file(None)
        self._text.show(paint, about)

    @property
    def _about(self) -> object:
        """What the text is about: as long as that stays, it keeps its place."""
        return self._tab, self._subject.key if self._subject is not None else None

    def _begin(self, wanted: _Wanted) -> None:
        """Read what is still wanted. The worker before it is cancelled; a thread that can't be stopped is not listened to."""
        if wanted == self._wanted:
            if self._text.subject != self._about:
                self._show_file(None)
                self._text.show(reading_lines, self._about)
            self.run_worker(
                partial(self._look, wanted), name="content", group="content", thread=True, exclusive=True, exit_on_error=False
            )

    def _look(self, wanted: _Wanted) -> None:
        self.post_message(self.Looked(wanted, self._source().look(wanted.result, wanted.what)))

    @on(Looked)
    def _looked(self, message: Looked) -> None:
        message.stop()
        look, (what, result) = message.look, message.wanted
        if message.wanted != self._wanted:
            return
        if what == "original" and (look.text is not None or look.source in ("outside", "moved")):
            self._show_file(original_request(look, result))
        else:
            self._show_file(None)
            self._text.show(content_lines(what, look, result), self._about)


def _why(subject: Subject) -> Paint:
    if subject.group is None:
        return why_segments(subject.reading)
    if subject.position is not None:
        return why_result(subject.reading, subject.group, subject.position, subject.pending)
    return why_group(subject.reading, subject.group, subject.pending)


def _title(subject: Subject | None) -> Line:
    if subject is None or subject.group is None:
        return ()
    return title_of(subject.group, subject.position if subject.position is not None else ITSELF, subject.pending)


def rule(title: Line, note: Line, width: int) -> Line:
    """A horizontal rule with a title in it."""
    at_left = [Piece(2, (Span("─ ", "faint"), *title, Span(" ")))] if title else []
    at_right = [Piece(1, (Span(" "), *note, Span(" ─", "faint")))] if note else []
    spans = spread(at_left, at_right, width, "")
    return tuple(
        Span("─" * len(span.text), "faint") if len(span.text) > 1 and not span.text.strip() else span for span in spans
    )
