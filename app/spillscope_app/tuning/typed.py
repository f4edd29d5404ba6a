"""What a user types for a value, as edits: `12k`, `1.5M`, `inf`, `80 %`, `off`."""

from __future__ import annotations

import math
from collections.abc import Mapping

from spillscope.errors import LimitsError
from spillscope.limits import Limits
from spillscope_app.cli_limits import number_in
from spillscope_app.tuning.edits import Value, for_tool

_INFINITE = frozenset({"inf", "infinity", "∞"})
_SWITCH = {"on": True, "true": True, "off": False, "false": False}
_MOST = 10**12


def typed(key: str, text: str, limits: Limits) -> Mapping[str, Value | None]:
    """The edits that a text for a key means. Raises LimitsError, which says in a few words what it would take."""
    word = text.strip().lower().removesuffix("%").rstrip()
    table, dot, tool = key.partition(".")
    if dot:
        value = _amount(word, "12k, 1.5M or inf")
        return {key: value} if table == "declared" else for_tool(tool, value, limits)
    if key == "aggregate":
        if word not in _SWITCH:
            raise LimitsError("on or off")
        return {key: _SWITCH[word]}
    value = _amount(word, "80" if key == "auto_compact_pct" else "200k or 1M")
    if math.isinf(value):
        raise LimitsError(
            "it can't be infinite: switch the budget off instead" if key == "message_budget" else "it can't be infinite"
        )
    if key == "auto_compact_pct" and not 1 <= value <= 100:
        raise LimitsError("a percentage from 1 to 100")
    if key in ("default_threshold", "window") and value != int(value):
        raise LimitsError("a whole number")
    return {key: value}


def _amount(word: str, such_as: str) -> float:
    if word in _INFINITE:
        return math.inf
    number = number_in(word)
    if number is None:
        raise LimitsError(f"a number such as {such_as}")
    if number <= 0:
        raise LimitsError("a number above 0")
    if number > _MOST:
        raise LimitsError("a smaller number: to opt a tool out give inf")
    return number
