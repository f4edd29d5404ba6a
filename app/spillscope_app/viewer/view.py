"""The viewer's widget: a window over a text or a file of any size, and all that can be done there."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from textual import on
from textual.message import Message

from spillscope_app.commands import bindings
from spillscope_app.spans import foreign, printable
from spillscope_app.viewer.asking import AskScreen
from spillscope_app.viewer.canvas import Canvas
from spillscope_app.viewer.handing import copy, open_in
from spillscope_app.viewer.reader import Reader
from spillscope_app.viewer.request import ViewerRequest
from spillscope_app.viewer.seeking_view import SeekingView

_FOLDING = frozenset({"fold", "fold_all"})
_OPENED = frozenset({"turn", "follow", "find", "match", "select", "copy"})


class FileView(SeekingView):
    """Shows a `ViewerRequest`, the first one or what `show` is given. Searches, folds, follows, copies, and hands on."""

    BINDINGS = bindings("file")

    @dataclass
    class Picked(Message):
        """The selected lines; None: they are too many."""

        text: str | None

    def __init__(self, request: ViewerRequest | None = None, *, id: str | None = None) -> None:
        super().__init__(request, id=id)
        self._works: object = None  # what decides which keys work
        self._pressed: int | None = None  # the segment in which a mouse button went down

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        page = self._page
        is_open = page is not None and page.state == "open"
        if action in _FOLDING:
            return page is not None and page.form == "folded"
        if action in _OPENED:
            return is_open
        if action in ("copy_path", "hand"):
            return self._path is not None and (action == "copy_path" or is_open)
        if action == "confirm":
            return page is not None and page.asks
        if action == "leave":
            return self._typed.has_focus or self._finding is not None or (page is not None and page.selecting)
        return True

    @property
    def _path(self) -> str | None:
        return self.request.path if self.request is not None else None

    def _draw(self) -> None:
        super()._draw()
        page = self._page
        works = page and (page.state, page.form, page.selecting), self._finding is None
        if works != self._works:  # it costs more than a page
            self._works = works
            self.refresh_bindings()

    # --- how it is shown ------------------------------------------------------------------------------------------------

    def action_turn(self) -> None:
        """The next form: text, hex, or folded."""
        self._forget_found()
        self._have(Reader.turn)

    def action_follow(self) -> None:
        """Stay at the end while the file grows, until the user moves."""
        self._have(Reader.follow)

    def action_fold(self, way: str) -> None:
        """`open` or `close` the part under the cursor, or `turn` it to what it is not."""
        opened = {"open": True, "close": False}.get(way)
        self._have(lambda reader: reader.fold(opened))

    def action_fold_all(self, closed: bool) -> None:
        """Close every part but the outermost, or open all."""
        self._have(lambda reader: reader.fold_all(closed))

    def action_confirm(self) -> None:
        """Open a file outside, once the user has said so twice (spec S6)."""
        reader, path = self._reader, self._path

        def answered(yes: bool | None) -> None:
            if yes and reader is not None and reader is self._reader:
                self._ask(partial(reader.open, confirmed=True))

        if path is not None:
            self.app.push_screen(AskScreen(path), answered)

    def action_leave(self) -> None:
        """One step back: stop typing, stop searching, select nothing, pick nothing out."""
        if self._typed.has_focus:
            self._stop_typing()
        elif self._stop_seeking():
            return
        elif self._page is not None and self._page.selecting:
            self._have(lambda reader: reader.picked.end())
        else:
            self._finding = None
            self._have(lambda reader: reader.look_for(""))

    # --- picking and handing on -----------------------------------------------------------------------------------------

    def action_select(self, rows: int) -> None:
        """Select lines from here on, or one more of them, or one less."""

        def select(reader: Reader) -> None:
            if not reader.picked.selecting:
                reader.picked.begin()
            reader.move(rows)

        self._have(select)

    @on(Canvas.Pointed)
    def _pointed(self, message: Canvas.Pointed) -> None:
        message.stop()
        self.focus()
        at = message.row.place.at
        if message.dragged:
            anchor = at if self._pressed is None else self._pressed
            self._have(lambda reader: reader.picked.select(anchor, at))
        else:
            self._pressed = at
            self._have(lambda reader: reader.point(at, fold=message.on_mark))

    def action_copy(self) -> None:
        """Put the selected lines on the clipboard, printable."""
        self._have(lambda reader: self.post_message(self.Picked(reader.picked.text())))

    @on(Picked)
    def _copy(self, message: Picked) -> None:
        message.stop()
        self._tell(copy(self.app, message.text, "the selected lines are"))

    def action_copy_path(self) -> None:
        """Put the file's path on the clipboard."""
        self._tell(copy(self.app, printable(self._path or ""), "the path is"))

    def action_hand(self, variable: str) -> None:
        """Open the file in `$PAGER` or `$EDITOR`."""
        request = self.request
        if request is None or request.path is None or request.outside:
            self._tell("only a file inside the project's tool-results folders is handed to other programs")
            return
        if told := open_in(self.app, variable, request.path):
            self._tell(told)
        self.look()

    def _tell(self, words: str) -> None:
        self.notify(foreign(words).text, timeout=4, markup=False)
