"""The ends of a transcript: what its first and its newest records say, without reading what lies between."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from spillscope.transcript.parse import Record, parse_line


class Tail(NamedTuple):
    """The newest records of a file, oldest first. `whole`: they are all there are."""

    records: list[Record]
    whole: bool


def read_tail(path: Path, most_bytes: int) -> Tail:
    """The records of the whole lines among a file's last bytes. Raises OSError."""
    with path.open("rb") as file:
        start = max(0, file.seek(0, 2) - most_bytes)
        file.seek(start)
        piece = file.read(most_bytes)
    return Tail(list(whole_records(piece, whole=start == 0)), start == 0)


def whole_records(piece: bytes, *, whole: bool) -> Iterator[Record]:
    """The records of whole lines; `whole` False: the first line may be the end of one."""
    lines = piece.split(b"\n")
    for line in lines if whole else lines[1:]:
        if line.strip():
            yield from parse_line(line).records
