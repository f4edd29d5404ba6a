"""Spilled files as tables for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from spillscope.clean import clean
from spillscope.session.session import iso_time
from spillscope.session.spills import Inventory, Spill
from spillscope.session.spills.disk import DiskFile
from spillscope_app.format import age, base_name, plural
from spillscope_app.report_table import table

NOTHING = "no spilled files"


def inventory_lines(inventory: Inventory, now: float) -> Iterator[str]:
    """One session: every spill, then what they come to."""
    if not inventory.spills:
        yield NOTHING
        return
    head = ("spill", "tool", "bytes", "age", "origin", "read", "label", "badges")
    yield from table([head, *(_spill_row(spill, now) for spill in inventory.spills)], "<<>><><<")
    oldest = "" if inventory.oldest is None else f", the oldest {age(now - inventory.oldest)} old"
    spills = plural(len(inventory.spills), "spill")
    yield f"{spills}; on disk {plural(inventory.files, 'file')}, {inventory.bytes:,} bytes{oldest}"
    if inventory.counts:
        yield ", ".join(f"{count} {name}" for name, count in sorted(inventory.counts.items(), key=lambda item: -item[1]))


def _spill_row(spill: Spill, now: float) -> tuple[str, ...]:
    return (
        clean(spill.tool_use_id or base_name(spill.file.path)),
        clean(spill.tool or ""),
        "" if spill.file.bytes is None else f"{spill.file.bytes:,}",
        "" if spill.modified is None else age(now - spill.modified),
        spill.origin,
        str(spill.reread or ""),
        clean(spill.label),
        ", ".join(badge.name for badge in spill.badges),
    )


def disk_lines(files: Iterable[DiskFile], now: float) -> Iterator[str]:
    """Many sessions: what each has on disk, the largest first, and all of them."""
    heaps: dict[tuple[str, str], list[DiskFile]] = {}
    for file in files:
        heaps.setdefault((file.project, file.session), []).append(file)
    if not heaps:
        yield NOTHING
        return
    ordered = sorted(heaps.items(), key=lambda item: -_bytes(item[1]))
    rows = [(clean(session), clean(project), *_heap(heap, now)) for (project, session), heap in ordered]
    every = [file for heap in heaps.values() for file in heap]
    yield from table([("session", "project", "files", "bytes", "oldest", "newest"), *rows], "<<>>>>")
    yield f"{plural(len(heaps), 'session')}, {plural(len(every), 'file')}, {_bytes(every):,} bytes"


def _heap(heap: Sequence[DiskFile], now: float) -> tuple[str, ...]:
    times = [file.modified for file in heap]
    return f"{len(heap):,}", f"{_bytes(heap):,}", age(now - min(times)), age(now - max(times))


def _bytes(files: Iterable[DiskFile]) -> int:
    return sum(file.bytes for file in files)


def removal_lines(old: Sequence[DiskFile], now: float) -> Iterator[str]:
    """What a retention rule would remove, the oldest first, and what that comes to."""
    if old:
        rows = [_removal(file, now) for file in sorted(old, key=lambda file: file.modified)]
        yield from table([("modified", "age", "bytes", "file"), *rows], "<>><")
    yield removal_summary(old)


def _removal(file: DiskFile, now: float) -> tuple[str, ...]:
    return (iso_time(file.modified) or "")[:10], age(now - file.modified), f"{file.bytes:,}", clean(file.path)


def removal_summary(old: Sequence[DiskFile]) -> str:
    """What they come to, each file once; and that nothing happened to them."""
    files = {file.path: file for file in old}
    return f"{plural(len(files), 'file')}, {_bytes(files.values()):,} bytes would go; nothing was removed"
