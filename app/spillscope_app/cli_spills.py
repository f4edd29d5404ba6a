"""`spillscope spills`: every spilled file with its state, what a retention rule would remove, and the text of one."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import click

from spillscope.clean import clean
from spillscope.limits_sources import LimitsBook
from spillscope.session.listing import find_sessions
from spillscope.session.reading import Reading
from spillscope.session.report import Json, spill_row
from spillscope.session.session import Session, iso_time
from spillscope.session.spills import Inventory, Spill
from spillscope.session.spills.disk import DiskFile, files_on_disk
from spillscope.session.spills.inventory import take_inventory
from spillscope.session.write import write_list
from spillscope.transcript.layout import Place, Target, place_of, projects_in, resolve
from spillscope_app.cli_limits import agent_config_dir
from spillscope_app.cli_report import insist_on_a_transcript
from spillscope_app.progress import Progress
from spillscope_app.spill_print import print_spill
from spillscope_app.spills_table import disk_lines, inventory_lines, removal_lines, removal_summary

_AGE = re.compile(r"(\d+(?:\.\d+)?)([smhdw])")
_SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}


def _age(context: click.Context, parameter: click.Parameter, value: str | None) -> float | None:
    if value is None:
        return None
    match = _AGE.fullmatch(value.strip())
    if match is None:
        raise click.BadParameter(f"no age: {value!r}: give a number and a unit of s m h d w, as 12h, 30d or 2w")
    return float(match[1]) * _SECONDS[match[2]]


@click.command("spills")
@click.argument("path", required=False, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="As a JSON list.")
@click.option("--cat", "wanted", metavar="ID", help="Print one file: its tool_use_id, its name, or a beginning of either.")
@click.option("--outside", is_flag=True, help="With --cat: print the file even where it lies outside the session's project.")
@click.option("--older-than", "age", metavar="AGE", callback=_age, help="What a retention rule of 12h, 30d or 2w would remove.")
def spills_command(path: Path | None, as_json: bool, wanted: str | None, outside: bool, age: float | None) -> None:
    """The spilled files of the session at PATH, or of each session in a folder, by default the agent's own.

    Nothing is ever removed.
    """
    if wanted is not None and (as_json or age is not None):
        raise click.UsageError("--cat prints one file: give no --json and no --older-than with it")
    if outside and wanted is None:
        raise click.UsageError("--outside goes with --cat")
    target = resolve(path if path is not None else agent_config_dir())
    if wanted is not None:
        print_spill(target, wanted, outside=outside)
    elif target.kind == "session" and target.place is not None:
        _show_session(target.place, as_json, age)
    elif age is not None:
        before = time.time() - age
        old = [file for file in files_on_disk(_projects_of(target)) if file.modified < before]
        _show_removals(old, map(_disk_entry, old), as_json)
    elif as_json:
        _write(entry for place in _places(target) for entry in _entries_of(place))
    else:
        _say(disk_lines(files_on_disk(_projects_of(target)), time.time()))


def _projects_of(target: Target) -> list[Path]:
    """The project folders that a folder of the user's means."""
    return [target.path] if target.kind == "project" else projects_in(target.path)


def _show_session(place: Place, as_json: bool, age: float | None) -> None:
    inventory = _audit(place)
    if age is not None:
        before = time.time() - age
        own = ((_own_file(spill, place), spill) for spill in inventory.spills)
        old = [(file, spill) for file, spill in own if file is not None and file.modified < before]
        _show_removals([file for file, _ in old], (_entry(spill, place) for _, spill in old), as_json)
    elif as_json:
        _write(_entry(spill, place) for spill in inventory.spills)
    else:
        _say(inventory_lines(inventory, time.time()))


def _own_file(spill: Spill, place: Place) -> DiskFile | None:
    """The spill's file where a rule for this session's files would look at it."""
    file = spill.file
    if not (file.inside and file.exists) or file.other_session or spill.modified is None:
        return None
    return DiskFile(place.project.name, place.id, file.path, file.bytes or 0, spill.modified)


def _show_removals(old: Sequence[DiskFile], entries: Iterable[Json], as_json: bool) -> None:
    if as_json:
        _write(entries)
        click.echo(removal_summary(old), err=True)
    else:
        _say(removal_lines(old, time.time()))


# --- reading ----------------------------------------------------------------------------------------------------------------


def _audit(place: Place) -> Inventory:
    session, reading = _read(place)
    insist_on_a_transcript(place, reading)
    return take_inventory(session, reading)


def _read(place: Place) -> tuple[Session, Reading]:
    session = Session(place, LimitsBook())
    with Progress("reading") as progress:
        return session, session.refresh(progress.step)


def _places(target: Target) -> Iterator[Place]:
    return (place_of(found.path) for found in find_sessions(target.path))


def _entries_of(place: Place) -> Iterator[Json]:
    """The entries of one session of many; of one that is gone, or not ours to read, none."""
    try:
        inventory = take_inventory(*_read(place))
    except OSError as error:
        click.echo(clean(f"spillscope: left out: {place.path}: {error.strerror or error}"), err=True)
        return
    for spill in inventory.spills:
        yield _entry(spill, place)


# --- writing ----------------------------------------------------------------------------------------------------------------


def _entry(spill: Spill, place: Place) -> Json:
    """An entry of `report` with what the audit adds."""
    return spill_row(spill) | {
        "session": place.id,
        "project": place.project.name,
        "modified": iso_time(spill.modified),
        "badges": [badge.name for badge in spill.badges],
        "audit": [{"name": badge.name, "text": badge.text} for badge in spill.badges],
        "label": spill.label,
        "group": spill.group,
        "chars": spill.chars,
        "tokensPreview": spill.tokens_preview,
        "tokensReread": spill.tokens_reread,
        "chain": [{"toolUseId": link.tool_use_id, "name": link.name, "chars": link.chars} for link in spill.chain],
    }


def _disk_entry(file: DiskFile) -> Json:
    return {
        "session": file.session,
        "project": file.project,
        "path": file.path,
        "bytes": file.bytes,
        "modified": iso_time(file.modified),
    }


def _write(entries: Iterable[Json]) -> None:
    for piece in write_list(iter(entries)):
        sys.stdout.buffer.write(piece)
    sys.stdout.buffer.write(b"\n")


def _say(lines: Iterable[str]) -> None:
    for line in lines:
        click.echo(line)
