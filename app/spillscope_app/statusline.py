"""`spillscope statusline`: the agent's state as JSON on standard input, one line of how full the context is on standard output.

It fails open, with an empty line, and imports no more than it needs, for the agent calls it after every message.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from spillscope.clean import cell_width
from spillscope.errors import LimitsError, RequestError
from spillscope.limits import Limits, usable_number
from spillscope.limits_sources import LimitsBook
from spillscope.session.glimpse import MOST_SPILLS, Glimpse, count_spills, glimpse
from spillscope.transcript.layout import place_of
from spillscope.transcript.parse import parse_line
from spillscope.window.forecast import forecast
from spillscope.window.models import resolve_window
from spillscope.window.thresholds import Window
from spillscope_app.failing_open import Deadline, complain
from spillscope_app.format import compact, short, turns
from spillscope_app.limits_places import standing_limits

MAX_STATE_BYTES = 4 << 20
SECONDS = 1.0
"""Wall time after which the line stays empty."""
CELLS = 10
"""Of the bar."""

_DIM, _GOOD, _WARN, _OVER = "2", "32", "33", "31"
_PLAIN = str.maketrans("█▒░·–∞", "#:.|-*")


class Part(NamedTuple):
    """A piece of the line. `worth`: the least one goes first where there is no room."""

    text: str
    worth: int
    colour: str = _DIM


def run(ascii_only: bool = False, seconds: float = SECONDS) -> int:
    """Draws the line for the state on standard input. Always 0."""
    deadline = Deadline(seconds, f"spillscope statusline: not done within {seconds:g} seconds")
    line = ""
    try:
        state = _read(sys.stdin.buffer.read(MAX_STATE_BYTES))
        line = status_line(state, os.environ, ascii_only=ascii_only)
    except (Exception, KeyboardInterrupt) as error:  # a line that is empty disturbs nobody
        complain("statusline", error)
    deadline.met()
    try:
        sys.stdout.buffer.write(f"{line}\n".encode())
        sys.stdout.buffer.flush()
    except OSError:  # nobody listens
        pass
    return 0


def status_line(state: Mapping[str, Any], environment: Mapping[str, str], *, ascii_only: bool) -> str:
    """The line for one state of the agent's. Raises OSError where its transcript can't be read."""
    path = Path(state["transcript_path"]) if isinstance(state.get("transcript_path"), str) else None
    stated = _table(state.get("context_window"))
    workspace = _table(state.get("workspace"))
    found = glimpse(path, stated.get("current_usage")) if path is not None else Glimpse()
    limits = _limits(path or Path(), (state.get("cwd"), workspace.get("current_dir"), workspace.get("project_dir")))
    model = _table(state.get("model")).get("id")
    window = window_of(model if isinstance(model, str) else found.model, found, limits, stated.get("context_window_size"))
    parts = _parts(found, window, count_spills(place_of(path)) if path is not None else 0)
    plain = [part._replace(text=part.text.translate(_PLAIN)) for part in parts] if ascii_only else parts
    return _joined(_fitting(plain, environment.get("COLUMNS")), " | " if ascii_only else " · ", _is_coloured(environment))


def _limits(transcript: Path, folders: Iterable[object]) -> Limits:
    """Those that stand; of a broken file the line says nothing, and goes by the built-in ones."""
    try:
        return standing_limits(transcript, folders)
    except LimitsError as error:
        complain("statusline", error)
        return LimitsBook().newest


def window_of(model: str | None, found: Glimpse, limits: Limits, size: object) -> Window:
    """W1: the window, where nobody set one of the `size` that the agent states."""
    tokens = usable_number(size)
    if limits.window is None and tokens is not None and tokens >= 1:
        capped = min(int(tokens), limits.auto_compact_window or int(tokens))
        limits = replace(limits, window=capped, sources={**limits.sources, "window": "the agent"})
    return resolve_window(model, found.largest_usage, limits)


def _parts(found: Glimpse, window: Window, spills: int) -> list[Part]:
    """Where one number decides, it is the band's upper end (T9)."""
    tokens = found.highest
    level = _OVER if tokens >= window.blocking else _WARN if tokens >= window.warning else _GOOD
    parts = [
        Part(f"{_bar(found, window)} {tokens / max(1, window.size) * 100:.0f}%", 3, level),
        Part(f"{compact(tokens)}/{short(window.size)}", 0),
    ]
    if spills:
        parts.append(Part(f"{spills:,}{'+' if spills == MOST_SPILLS else ''} spilled", 1))
    to_come = forecast(found.sent, found.usage + found.estimate, window, tokens)
    if to_come is not None:
        low, _, high = to_come.auto_compact if window.auto_compact_enabled else to_come.window
        what = "compacts" if window.auto_compact_enabled else "full"
        parts.append(Part(f"{what} in {turns(low, high)}" if high else f"{what} now", 2))
    return parts


def _bar(found: Glimpse, window: Window) -> str:
    scale = max(1, window.size)
    filled = min(CELLS, round(found.highest / scale * CELLS))
    exact = min(filled, round(found.usage / scale * CELLS))
    return "█" * exact + "▒" * (filled - exact) + "░" * (CELLS - filled)


def _fitting(parts: list[Part], columns: str | None) -> list[Part]:
    """As many parts as a line of so many columns has room for, the most worth ones."""
    width = int(columns) if columns is not None and columns.isdecimal() and len(columns) < 9 else None
    kept = list(parts)
    while width and len(kept) > 1 and sum(cell_width(part.text) + 3 for part in kept) - 3 > width:
        kept.remove(min(kept, key=lambda part: part.worth))
    return kept


def _joined(parts: list[Part], mark: str, coloured: bool) -> str:
    if not coloured:
        return mark.join(part.text for part in parts)
    return f"\x1b[{_DIM}m{mark}\x1b[0m".join(f"\x1b[{part.colour}m{part.text}\x1b[0m" for part in parts)


def _is_coloured(environment: Mapping[str, str]) -> bool:
    return not environment.get("NO_COLOR") and environment.get("TERM") != "dumb"


def _read(raw: bytes) -> Mapping[str, Any]:
    parsed = parse_line(raw)
    if len(parsed.records) != 1 or parsed.reason is not None:
        raise RequestError(f"the state on standard input: {parsed.reason or 'there is none'}")
    return parsed.records[0]


def _table(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
