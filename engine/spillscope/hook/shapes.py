"""Where the text of a tool's own output stands, and how another text is put there. Data, not code: shapes.toml."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

from spillscope.shipped import shipped_table


class Held(NamedTuple):
    """What a tool's output holds for the model: a text or a list of blocks, and the output with a text in its place."""

    content: Any
    replaced: Callable[[str], object]


@dataclass(frozen=True, slots=True)
class Shape:
    """One row of the table; shapes.toml says what its fields mean."""

    tools: tuple[str, ...]
    text: tuple[str, ...] = ()
    content: str | None = None
    where: Mapping[str, object] = field(default_factory=dict)
    leave: tuple[str, ...] = ()

    def is_of(self, tool: str) -> bool:
        return any(tool.startswith(name[:-1]) if name.endswith("*") else tool == name for name in self.tools)

    def hold(self, output: object) -> Held | None:
        """What `output` holds; None where it is of another shape, or to be left alone."""
        if self.content == "":
            return _held_content(output, lambda content: content)
        if not isinstance(output, dict) or any(output.get(name) for name in self.leave):
            return None
        if any(output.get(name) != value for name, value in self.where.items()):
            return None
        if self.content is not None:
            name = self.content
            return _held_content(output.get(name), lambda content: {**output, name: content})
        return self._held_text(output)

    def _held_text(self, output: dict[str, object]) -> Held | None:
        texts = [output.get(name, "") for name in self.text]
        if self.text[0] not in output or not all(isinstance(text, str) for text in texts):
            return None
        first, *others = (name for name in self.text if name in output)

        def replaced(text: str) -> object:
            return {**output, first: text, **dict.fromkeys(others, "")}

        return Held("\n".join(text for text in texts if isinstance(text, str) and text), replaced)


@cache
def shapes() -> tuple[Shape, ...]:
    """The whole table."""
    return tuple(_row(**row) for row in shipped_table("spillscope.hook", "shapes.toml")["shape"])


def shape_of(tool: str) -> Shape | None:
    """The shape of a tool's output; None where it is not known."""
    return next((shape for shape in shapes() if shape.is_of(tool)), None)


def _row(tools: list[str], text: tuple[str, ...] = (), leave: tuple[str, ...] = (), **rest: Any) -> Shape:
    return Shape(tuple(tools), tuple(text), leave=tuple(leave), **rest)


def _held_content(content: object, put: Callable[[object], object]) -> Held | None:
    if isinstance(content, str):
        return Held(content, put)
    if not isinstance(content, list):
        return None
    return Held(content, lambda text: put([{"type": "text", "text": text}]))
