"""`spillscope sweep`: many sessions under a grid of limits."""

from __future__ import annotations

import csv
import glob
import json
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from math import prod
from pathlib import Path

import click

from spillscope.clean import clean
from spillscope.errors import LimitsError, SessionNotFoundError
from spillscope.limits import usable_number
from spillscope.session.listing import find_sessions
from spillscope.session.sweep import Grid, GridRow, SessionSweep, Varied, grid_json, grid_rows, sweep_session
from spillscope.transcript.layout import place_of, resolve
from spillscope_app.cli_limits import LimitsRequest, limits_options, parse_setting
from spillscope_app.pool import in_processes, usable_cores
from spillscope_app.progress import Progress
from spillscope_app.report_table import table

MOST_CELLS = 10_000
SHOWN = 20
_MAGIC = frozenset("*?[")
_HEAD = ("sessions", "failed", "spilled", "replaced", "tokensSaved", "peakP50", "peakP90", "peakMax")


@click.command("sweep")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "--vary", "varied", multiple=True, metavar="KEY=A,B,C", help="A key as in --set, and the values to try; repeatable."
)
@click.option("--jobs", type=click.IntRange(1, 1_024), default=usable_cores, help="Processes; by default one a core.")
@click.option("--json", "as_json", is_flag=True, help="As JSON, in the shape of spillscope.sweep/1.")
@click.option("--csv", "as_csv", is_flag=True, help="As CSV, one line a cell of the grid.")
@limits_options
def sweep_command(
    paths: Sequence[str], varied: Sequence[str], jobs: int, as_json: bool, as_csv: bool, limits: LimitsRequest
) -> None:
    """Replay sessions under a grid of limits. PATH: transcripts, sessions, projects, folders of projects, or globs."""
    if as_json and as_csv:
        raise click.UsageError("--json and --csv: give one of them")
    keys = _varied(varied)
    found, failed = _find(paths)
    grids = _grids(found, keys, limits)
    swept = [*failed, *_sweep([(path, grids[place_of(Path(path)).config_dir]) for path in found], jobs)]
    for session in swept:
        if session.error is not None:
            click.echo(clean(f"failed: {session.path}: {session.error}"), err=True)
    if all(session.error is not None for session in swept):
        raise SessionNotFoundError(f"no session could be read: {len(swept)} failed: give transcripts or folders of them")
    grid = next(iter(grids.values()))
    rows = grid_rows(grid, swept)
    if as_json:
        click.echo(json.dumps(grid_json(rows), ensure_ascii=True))
    elif as_csv:
        csv.writer(sys.stdout, lineterminator="\n").writerows(_csv_rows(grid, rows))
    else:
        for line in _table(grid, rows):
            click.echo(line)


# --- what to sweep ----------------------------------------------------------------------------------------------------------


def _varied(texts: Sequence[str]) -> tuple[Varied, ...]:
    """Raises LimitsError for what is no key with values, or a grid that is too large."""
    varied = tuple(map(_vary, texts))
    names = [each.key for each in varied]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise LimitsError(f"varied twice: --vary {twice}: give all its values at once, as {twice}=A,B,C")
    cells = prod(len(each.values) for each in varied)
    if cells > MOST_CELLS:
        raise LimitsError(f"too many cells: {cells:,} from --vary: try fewer values at once, at most {MOST_CELLS:,}")
    return varied


def _vary(text: str) -> Varied:
    key, equals, words = text.partition("=")
    if not equals or not key.strip():
        raise LimitsError(f"no key and values: --vary {text}: write it as KEY=A,B,C, such as overrides.Bash=8k,12k,30k")
    layers = tuple(parse_setting(f"{key}={word}", "--vary") for word in words.split(","))
    values = tuple(_innermost(layer) for layer in layers)
    table_name = key.strip().partition(".")[0]
    if table_name in ("overrides", "message_budget"):  # which a limits file may hold junk for, and ignores it
        junk = next((word for word, value in zip(words.split(","), values, strict=True) if usable_number(value) is None), None)
        if junk is not None:
            raise LimitsError(f"no number above 0: --vary {key}={junk}: give numbers such as 12000, 12k or 1.5M")
    return Varied(key.strip(), values, layers)


def _innermost(value: object) -> object:
    while isinstance(value, dict):
        value = next(iter(value.values()))
    return value


def _grids(paths: Sequence[str], varied: tuple[Varied, ...], limits: LimitsRequest) -> dict[Path | None, Grid]:
    """One for each agent's settings. Raises LimitsError for a key or a value that is none."""
    folders = dict.fromkeys(place_of(Path(path)).config_dir for path in paths) or {None: None}
    grids = {folder: Grid(limits.book(folder), varied) for folder in folders}
    for grid in grids.values():
        for each in varied:  # each value once: a cell only combines them
            list(replace(grid, varied=(each,)).books())
    return grids


def _find(paths: Sequence[str]) -> tuple[list[str], list[SessionSweep]]:
    """The transcripts that paths lead to, each once, the largest first; and the paths that lead to none."""
    found: dict[str, int] = {}
    failed: list[SessionSweep] = []
    for named in paths:
        try:
            transcripts = list(_transcripts(named))
        except (SessionNotFoundError, OSError, ValueError) as error:
            failed.append(SessionSweep(named, error=str(error)))
            continue
        for path in transcripts:
            found[str(path)] = path.stat().st_size if path.exists() else 0
    return sorted(found, key=lambda path: -found[path]), failed


def _transcripts(named: str) -> Iterator[Path]:
    if Path(named).exists() or not _MAGIC.intersection(named):
        yield from _transcripts_at(Path(named))
        return
    matches = sorted(glob.glob(named, recursive=True))  # noqa: PTH207
    if not matches:
        raise SessionNotFoundError("no file matches it")
    for match in map(Path, matches):
        if match.is_dir() or (match.suffix in (".jsonl", ".json") and not match.name.startswith("agent-")):
            yield from _transcripts_at(match)


def _transcripts_at(path: Path) -> Iterator[Path]:
    target = resolve(path)
    if target.kind == "session" and target.place is not None:
        yield target.place.path
    else:
        yield from (found.path for found in find_sessions(target.path))


def _sweep(work: Sequence[tuple[str, Grid]], jobs: int) -> Iterator[SessionSweep]:
    left = {path for path, _ in work}
    with Progress("sweeping") as progress:
        try:
            for done, swept in enumerate(in_processes(_sweep_one, work, jobs), 1):
                left.discard(swept.path)
                progress.step(done, len(work))
                yield swept
        except BrokenProcessPool:
            yield from (SessionSweep(path, error="a worker process was killed: try fewer --jobs") for path in sorted(left))


def _sweep_one(work: tuple[str, Grid]) -> SessionSweep:
    return sweep_session(*work)


# --- what to show -----------------------------------------------------------------------------------------------------------


def _cells(row: GridRow) -> tuple[int, ...]:
    return row.sessions, row.failed, row.spilled, row.replaced, row.tokens_saved, *row.peak


def _csv_rows(grid: Grid, rows: Sequence[GridRow]) -> Iterator[Sequence[object]]:
    yield *(each.key for each in grid.varied), *_HEAD
    for row in rows:
        yield *row.values, *_cells(row)


def _table(grid: Grid, rows: Sequence[GridRow]) -> Iterator[str]:
    """The settings with the smallest contexts first; of equal ones, that which spills the least."""
    best = sorted(rows, key=lambda row: (row.peak.p90, row.peak.p50, row.peak.max, row.spilled))
    first = rows[0]
    yield f"{first.sessions:,} sessions, {first.failed:,} failed, {len(rows):,} settings; the smallest peak of context first"
    keys = [clean(each.key) for each in grid.varied]
    head = [*keys, "spilled", "replaced", "tokens saved", "peak p50", "p90", "max"]
    shown = [[*map(_word, row.values), *(f"{count:,}" for count in _cells(row)[2:])] for row in best[:SHOWN]]
    yield from table([head, *shown], ">" * len(head))
    if len(best) > SHOWN:
        yield f"and {len(best) - SHOWN:,} more: --json or --csv has them all"


def _word(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:,}" if isinstance(value, (int, float)) else clean(str(value))
