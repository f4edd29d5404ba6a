"""A report as JSON text, written as it comes and never held whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import orjson

from spillscope.javascript import stringify


def json_text(value: object) -> bytes:
    """Compact JSON in UTF-8; lone surrogates leave escaped."""
    try:
        return orjson.dumps(value)
    except TypeError:  # orjson refuses lone surrogates
        return stringify(value).encode()


def write_sections(sections: Iterable[tuple[str, object]]) -> Iterator[bytes]:
    """One JSON object, piece by piece; a section that is an iterator becomes a list."""
    yield b"{"
    for number, (name, section) in enumerate(sections):
        yield (b"," if number else b"") + b"\n" + json_text(name) + b":"
        if isinstance(section, Iterator):
            yield from write_list(section)
        else:
            yield json_text(section)
    yield b"\n}\n"


def write_list(items: Iterator[object]) -> Iterator[bytes]:
    """One JSON list, item by item."""
    yield b"["
    for number, item in enumerate(items):
        yield (b"," if number else b"") + b"\n " + json_text(item)
    yield b"]"
