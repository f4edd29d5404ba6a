"""What the user has changed of the limits, as plain values: the edits, and the way back through them (spec R3, R4)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from spillscope.limits import Limits, usable_number
from spillscope.limits_sources import Layer, LimitsBook
from spillscope.session.whatif.comparison import Mode

EDITED = "your edit"
"""The source of every value that was edited."""

Value = float | bool
"""What a key of a limits file may be given here: a number, `inf` for what a tool declares, or the state of a switch."""

_NOTHING: Mapping[str, Value | None] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Edits:
    """Values by key of a limits file, dotted in its tables (`overrides.Bash`); None takes away what is set.

    `since`: in the mode "now" the first request that is decided under them.
    """

    values: Mapping[str, Value | None] = field(default_factory=lambda: _NOTHING)
    mode: Mode = "start"
    since: int | None = None

    def __bool__(self) -> bool:
        return bool(self.values)

    def over(self, base: LimitsBook) -> LimitsBook:
        """The limits in force with these edits. Raises LimitsError for a value that a key can't have."""
        gone = {key for key, value in self.values.items() if value is None}
        layers = [Layer(without(layer.values, gone), layer.source) for layer in base.layers] if gone else base.layers
        book = LimitsBook(tuple(layers))
        given = {key: value for key, value in self.values.items() if value is not None}
        return book.with_layer(nested(given), EDITED) if given else book

    def put(self, changes: Mapping[str, Value | None], base: LimitsBook) -> Edits:
        """These with some keys changed; what is as it is in force anyway is no edit. Raises LimitsError."""
        limits = base.newest
        values = {**self.values, **changes}
        kept = {key: value for key, value in values.items() if value != in_force(limits, key)}
        edits = replace(self, values=MappingProxyType(kept))
        edits.over(base)
        return edits


def in_force(limits: Limits, key: str) -> Value | None:
    """What limits have set for a key; None where nothing sets it."""
    table, dot, tool = key.partition(".")
    if dot:
        return limits.get_override(tool) if table == "overrides" else _declared(limits, tool)
    if key == "default_threshold":
        return limits.default_threshold
    if key == "message_budget":
        return usable_number(limits.message_budget)
    found: Value | None = getattr(limits, key)
    return found


def _declared(limits: Limits, tool: str) -> float | None:
    return limits.declared.get(tool)


def nested(values: Mapping[str, Value]) -> dict[str, object]:
    """Dotted keys as the tables of a limits file."""
    found: dict[str, object] = {}
    for key, value in values.items():
        table, dot, name = key.partition(".")
        if dot:
            inner = found.setdefault(table, {})
            assert isinstance(inner, dict)
            inner[name] = value
        else:
            found[key] = value
    return found


def without(values: Mapping[str, object], keys: set[str]) -> dict[str, object]:
    """A mapping of a limits file without some dotted keys."""
    found: dict[str, object] = {}
    for key, value in values.items():
        if isinstance(value, Mapping):
            found[key] = {name: one for name, one in value.items() if f"{key}.{name}" not in keys}
        elif key not in keys:
            found[key] = value
    return found


def keys_in(values: Mapping[str, object]) -> Iterator[str]:
    """The dotted keys of a mapping of a limits file."""
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield from (f"{key}.{name}" for name in value)
        else:
            yield key


def for_tool(tool: str, value: float, limits: Limits) -> Mapping[str, Value | None]:
    """The edits that make a value a tool's threshold: an override, or, as no override is infinite, what it declares (L8)."""
    if math.isinf(value):
        return {f"declared.{tool}": value}
    if limits.declared.get(tool) == math.inf and limits.source(f"declared.{tool}") == EDITED:
        return {f"overrides.{tool}": value, f"declared.{tool}": None}
    return {f"overrides.{tool}": value}


@dataclass(frozen=True, slots=True)
class Tuning:
    """The edits in hand, with those before them and those that were taken back, the newest last."""

    edits: Edits = field(default_factory=Edits)
    done: tuple[Edits, ...] = ()
    undone: tuple[Edits, ...] = ()

    def to(self, edits: Edits, *, goes_on: bool = False) -> Tuning:
        """Other edits; `goes_on`: one step of the way with the change before it, as while a key is held."""
        if edits == self.edits:
            return self
        done = self.done if goes_on and self.done else (*self.done, self.edits)
        return Tuning(edits, done)

    def undo(self) -> Tuning:
        """One step back."""
        return Tuning(self.done[-1], self.done[:-1], (*self.undone, self.edits)) if self.done else self

    def redo(self) -> Tuning:
        """One step on again."""
        return Tuning(self.undone[-1], (*self.done, self.edits), self.undone[:-1]) if self.undone else self
