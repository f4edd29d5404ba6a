"""What a viewer draws: one page, as a value."""

from __future__ import annotations

from typing import Literal, NamedTuple

from spillscope_app.viewer.pager import Row

Form = Literal["text", "hex", "folded"]
State = Literal["open", "empty", "missing", "unreadable", "not a file", "outside"]


class Page(NamedTuple):
    """What is in view. Offsets and sizes are in bytes of what is shown.

    `forms`: those that it can be shown in. `numbers`: of the line that begins in each row, None for the others or while they
    are counted. `start`, `end`: of what is in view. `lines`: in all, None while they are counted, `counted` bytes so far.
    `picked`: the first and the last offset of rows that are picked; `selecting`: they are to be copied. `asks`: whether to open
    a file outside is up to the user.
    """

    state: State
    form: Form = "text"
    forms: tuple[Form, ...] = ()
    rows: tuple[Row, ...] = ()
    numbers: tuple[int | None, ...] = ()
    digits: int = 0
    start: int = 0
    end: int = 0
    size: int = 0
    lines: int | None = 0
    counted: int = 0
    following: bool = False
    notice: str = ""
    picked: tuple[int, int] | None = None
    selecting: bool = False
    asks: bool = False


def line_digits(lines: int | None, width: int) -> int:
    """Cells for line numbers; 0 where there is little room."""
    return max(3, len(str(lines or 0))) if width >= 30 else 0
