"""Many sessions under a grid of limits (spec cli: `sweep`). One session is one call of a pure function, wherever it runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from spillscope.limits import Limits
from spillscope.limits_sources import LimitsBook
from spillscope.session.report_limits import limits_values
from spillscope.session.session import Session
from spillscope.session.tools import nearest_rank
from spillscope.session.whatif.compare import WhatIf
from spillscope.tokens.priors import find_prior
from spillscope.transcript.layout import place_of

SCHEMA = "spillscope.sweep/1"
SOURCE = "sweep"


class Varied(NamedTuple):
    """One `--vary`: a dotted key of a limits file, and a layer of limits for each value, in order."""

    key: str
    values: tuple[object, ...]
    layers: tuple[Mapping[str, object], ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """The limits that sessions are read under, and what varies. A cell has one value of each varied key.

    It can be pickled, and holds all there is to know: no file of limits is read with it.
    """

    base: LimitsBook = field(default_factory=LimitsBook)
    varied: tuple[Varied, ...] = ()

    @property
    def cells(self) -> list[tuple[object, ...]]:
        """The values of each cell, the last key varying fastest."""
        return list(product(*(each.values for each in self.varied)))

    def books(self) -> Iterator[LimitsBook]:
        """The limits of each cell. Raises LimitsError for a value that a key can't have."""
        for layers in product(*(each.layers for each in self.varied)):
            book = self.base
            for layer in layers:
                book = book.with_layer(layer, SOURCE)
            yield book


class CellSweep(NamedTuple):
    """One session in one cell. `spilled` = persisted + replaced; `peak`: the largest context in tokens.

    What the cell changes of the context is weighed by the factor of the model's family (T9): to calibrate thousands of
    sessions would cost more than to decide them.
    """

    spilled: int
    replaced: int
    tokens_saved: int
    peak: int


@dataclass(frozen=True, slots=True)
class SessionSweep:
    """One session in all cells of a grid. `error`: why it could not be read, in words; then there are no cells."""

    path: str
    results: int = 0
    cells: tuple[CellSweep, ...] = ()
    error: str | None = None


class Peaks(NamedTuple):
    """Largest contexts over all sessions, nearest-rank, in tokens."""

    p50: int
    p90: int
    max: int


class GridRow(NamedTuple):
    """One cell over all sessions that could be read."""

    values: tuple[object, ...]
    limits: Limits
    sessions: int
    failed: int
    spilled: int
    replaced: int
    tokens_saved: int
    peak: Peaks


def sweep_session(path: str, grid: Grid) -> SessionSweep:
    """One transcript under all cells of a grid: read once, decided for each. One that fails says so, and raises nothing."""
    try:
        session = Session(place_of(Path(path)), grid.base)
        reading = session.refresh()
        if not reading.session.exists:
            return SessionSweep(path, error="no such file")
        if reading.session.bytes and not reading.session.records:
            return SessionSweep(path, error="no transcript: it holds no record")
        asked = WhatIf(session, reading)
        factor = find_prior(reading.session.model).rough
        return SessionSweep(path, len(asked.ledger.rows), tuple(_cell(asked, book, factor) for book in grid.books()))
    except OSError as error:
        return SessionSweep(path, error=error.strerror or str(error))
    except Exception as error:  # whatever one session of thousands may hold, the others go on
        return SessionSweep(path, error=f"{type(error).__name__}: {error}")


def _cell(asked: WhatIf, book: LimitsBook, factor: float) -> CellSweep:
    found = asked.compare(book, factor=factor)
    return CellSweep(found.spilled.after, found.replaced.after, found.tokens_kept_out.after, found.peak.after)


def grid_rows(grid: Grid, swept: Iterable[SessionSweep]) -> list[GridRow]:
    """The cells in the order of the grid, each over all sessions."""
    every = list(swept)
    read = [session for session in every if session.error is None]
    return [
        _row(values, book.newest, [session.cells[at] for session in read], len(every) - len(read))
        for at, (values, book) in enumerate(zip(grid.cells, grid.books(), strict=True))
    ]


def _row(values: tuple[object, ...], limits: Limits, cells: Sequence[CellSweep], failed: int) -> GridRow:
    peaks = sorted(cell.peak for cell in cells)
    return GridRow(
        values,
        limits,
        len(cells),
        failed,
        sum(cell.spilled for cell in cells),
        sum(cell.replaced for cell in cells),
        sum(cell.tokens_saved for cell in cells),
        Peaks(*(nearest_rank(peaks, percent) for percent in (50, 90, 100))),
    )


def grid_json(rows: Iterable[GridRow]) -> dict[str, Any]:
    """`sweep --json`."""
    return {
        "schema": SCHEMA,
        "grid": [
            {
                "limits": limits_values(row.limits),
                "sessions": row.sessions,
                "failed": row.failed,
                "spilled": row.spilled,
                "replaced": row.replaced,
                "tokensSaved": row.tokens_saved,
                "peak": row.peak._asdict(),
            }
            for row in rows
        ],
    }
