"""Numbers, times and names as the screen writes them."""

from __future__ import annotations

import math
import re
import time

_SCALES = ((1_000_000_000, "G"), (1_000_000, "M"), (1_000, "k"))
_LIVE_SECONDS = 120
"""A session that was written to this recently counts as live: a model may think for a minute or two."""


def compact(number: float) -> str:
    """`950`, `12.4k`, `1.2M`, `∞`: at most six cells for what a context can hold."""
    if not math.isfinite(number):
        return "∞"
    for scale, unit in _SCALES:
        if abs(number) >= scale * 0.99995:
            return f"{number / scale:.1f}{unit}"
    return f"{number:.0f}"


def short(number: float) -> str:
    """A round number without its zero decimal: `200k`, `1M`, `167k`, `12.4k`."""
    return re.sub(r"\.0(?=[kMG]$)", "", compact(number))


_NARROW = 0.005
"""A figure that is off by less than this share is told with one figure for both sides."""


def spread_of(middle: float, low: float, high: float) -> str:
    """How far a figure may be off: `±0.5k` where that is little, or the same on both sides, else `(3.9k–5.5k)`."""
    below, above = middle - low, high - middle
    if compact(below) == compact(above) or max(below, above) <= _NARROW * middle:
        return f"±{compact(max(below, above))}"
    return f"({compact(low)}–{compact(high)})"


def turns(low: int, high: int) -> str:
    """`5–8 turns`, `1 turn`."""
    return plural(high, "turn") if low == high else f"{low:,}–{high:,} turns"


def exact(number: float) -> str:
    """Every digit: `212,104`, `∞`."""
    return f"{number:,.0f}" if math.isfinite(number) else "∞"


def age(seconds: float) -> str:
    """`2s`, `14m`, `3h`, `5d`; a time ahead of the clock is now."""
    seconds = max(0.0, seconds)
    for unit, size in (("d", 86_400), ("h", 3_600), ("m", 60)):
        if seconds >= size:
            return f"{seconds // size:.0f}{unit}"
    return f"{seconds:.0f}s"


def liveness(last_write: float | None, now: float) -> str:
    """`live 2s`, `idle 14m`; `idle` alone where no write is known."""
    if last_write is None:
        return "idle"
    return f"{'live' if is_live(last_write, now) else 'idle'} {age(now - last_write)}"


def is_live(last_write: float, now: float) -> bool:
    """Whether a session was written to so recently that an agent is likely to be at work."""
    return now - last_write < _LIVE_SECONDS


def clock(timestamp: float | None) -> str:
    """The local time of day, `14:02`; blank where there is none."""
    return _local(timestamp, "%H:%M")


def clock_seconds(timestamp: float | None) -> str:
    """The local time of day, `14:02:11`; blank where there is none."""
    return _local(timestamp, "%H:%M:%S")


def moment(timestamp: float | None) -> str:
    """The local date and time, `2026-01-31 14:02:11`."""
    return _local(timestamp, "%Y-%m-%d %H:%M:%S")


def _local(timestamp: float | None, form: str) -> str:
    if timestamp is None:
        return ""
    try:
        return time.strftime(form, time.localtime(timestamp))
    except (OverflowError, OSError, ValueError):  # a foreign file may say any number
        return ""


def model_name(model: str) -> str:
    """A model's name without what every name has: `opus-4-6` for `claude-opus-4-6-20260115`."""
    return re.sub(r"(-\d{8}|-v\d+:\d+|@\d+)+$", "", re.sub(r"^.*?claude-", "", model))


def tool_name(tool: str | None) -> str:
    """A tool in a narrow column: that of an MCP server without its server."""
    return tool.rpartition("__")[2] or tool if tool else "?"


def base_name(path: str) -> str:
    """The last part of a path of any system."""
    return re.split(r"[/\\]", path.rstrip("/\\"))[-1] or path


def plural(number: int, noun: str) -> str:
    """`1 line`, `2 lines`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
