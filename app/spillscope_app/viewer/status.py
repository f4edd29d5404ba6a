"""What a viewer says about itself: the line below the text, and what stands in a text's place where there is none."""

from __future__ import annotations

from collections.abc import Sequence

from spillscope_app.format import compact, exact, plural
from spillscope_app.spans import Line, Paint, Piece, Span, foreign, line, spread, wrap
from spillscope_app.viewer.page import Page
from spillscope_app.viewer.request import ViewerRequest
from spillscope_app.views.facts import Facts

_ABSENT = {
    "empty": "It is empty.",
    "missing": "It is not there any more:",
    "unreadable": "It can't be read: its permissions, or the disk, do not allow it.",
    "not a file": "It is no regular file, but a folder, a pipe, a socket or a device. It is not opened:",
    "outside": "It lies outside this project's tool-results folders. It is not opened:",
}
_MOVED = "It is missing here: the session was moved without it. Its notice names the old place:"
_ASK = "O opens it nevertheless, after one more question."


def nothing(width: int) -> Sequence[Line]:
    """Nothing is shown."""
    return ()


def trouble_lines(words: str) -> Paint:
    """Why there is no page."""
    return lambda width: wrap(line(Span("! ", "over"), foreign(words)), width)


def opening_lines(width: int) -> Sequence[Line]:
    """While the first page is under way."""
    return [line(Span("Opening …", "dim"))]


def absent_lines(page: Page, request: ViewerRequest) -> Paint:
    """Why nothing is shown, and what can be done."""

    def paint(width: int) -> Sequence[Line]:
        facts = Facts(width)
        words = _MOVED if request.moved and page.state == "missing" else _ABSENT.get(page.state, "")
        facts.say(line(Span(words, "dim" if page.state == "empty" else "warn")))
        if request.path is not None and page.state != "empty":
            facts.say(line(foreign(request.path)), 2)
        if page.asks:
            facts.gap()
            facts.say(line(Span(_ASK, "dim")))
        return facts.lines

    return paint


def status_line(page: Page, search: Line) -> Paint:
    """Where the page stands, how it is shown, and what goes on."""

    def paint(width: int) -> Sequence[Line]:
        at_left = [Piece(3, (Span(_place(page), "dim"),)), Piece(2, (Span(f"{_share(page)} %", "dim"),))]
        if search:
            at_left.insert(0, Piece(5, search))
        if page.notice:
            at_left.append(Piece(6, (Span("! ", "over"), Span(page.notice, "warn"))))
        at_right = [Piece(1, (Span(page.form, "dim"),))]
        if page.following:
            at_right.insert(0, Piece(4, (Span("following", "fresh"),)))
        return (spread(at_left, at_right, width),)

    return paint


def _place(page: Page) -> str:
    if page.form == "hex":
        return f"{page.start:#x} of {exact(page.size)} bytes"
    numbers = [number for number in page.numbers if number is not None]
    if page.lines is None:
        counted = 100 * page.counted // max(1, page.size)
        place = f"line {exact(numbers[0])}" if numbers else compact(page.start) + " bytes in"
        return f"{place}, counting lines {counted} %"
    return f"line {exact(numbers[0])} of {exact(page.lines)}" if numbers else plural(page.lines, "line")


def _share(page: Page) -> int:
    return 100 * page.end // max(1, page.size)
