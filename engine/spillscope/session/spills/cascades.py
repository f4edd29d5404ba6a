"""Spills of reads of spills: a model that reads a spilled file back gets another preview (spec tui: Spills)."""

from __future__ import annotations

from collections.abc import Iterable

from spillscope.session.spills.listing import Found, Source
from spillscope.session.spills.model import Badge, Link
from spillscope.transcript.spill_files import base_name


class Cascades:
    """Which spilled file each spilled result was a read of."""

    def __init__(self, founds: Iterable[Found], sources: Iterable[Source]) -> None:
        self._by_name: dict[str, Found] = {}
        for found in founds:
            self._by_name.setdefault(base_name(found.spill.file.path), found)
        self._read_by: dict[str, list[str]] = {}  # call → names of the files that it reads
        for source in sources:
            for name, mentions in source.mentions.items():
                for mention in mentions:
                    self._read_by.setdefault(mention.tool_use_id, []).append(name)

    def chain(self, found: Found) -> tuple[Link, ...]:
        """From the first spill to this one; empty where this one is no spill of a read of a spill."""
        if found.notice is None:
            return ()
        links: dict[str, Link] = {}
        at: Found | None = found
        while at is not None and (name := base_name(at.spill.file.path)) not in links:
            links[name] = Link(at.spill.tool_use_id, name, at.spill.chars)
            at = self._read(at)
        return tuple(reversed(links.values())) if len(links) > 1 else ()

    def _read(self, found: Found) -> Found | None:
        """The first spill that the call behind a spill read."""
        for name in self._read_by.get(found.spill.tool_use_id or "", ()):
            parent = self._by_name.get(name)
            if parent is not None and (parent.source is not found.source or parent.member < found.member):
                return parent
        return None


def cascade_badge(chain: tuple[Link, ...]) -> Badge | None:
    if not chain:
        return None
    sizes = " → ".join("?" if link.chars is None else f"{link.chars:,}" for link in chain)
    return Badge("cascade", f"A spill of a read of a spill, {len(chain)} files deep: {sizes} chars.")
