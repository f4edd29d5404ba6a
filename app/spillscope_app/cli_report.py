"""`spillscope report`: the whole reading of one session, as JSON or as a table for people."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import click

from spillscope.errors import SessionNotFoundError
from spillscope.session.calibrated import Calibrated
from spillscope.session.calibration import Calibrator
from spillscope.session.reading import Reading
from spillscope.session.report import CALIBRATED, SECTIONS, Section, sections
from spillscope.session.session import Session
from spillscope.session.write import write_sections
from spillscope.transcript.layout import Place, resolve
from spillscope.transcript.parse import BOM, NOT_UTF8, NUL_BYTES
from spillscope_app.cli_limits import LimitsRequest, limits_options
from spillscope_app.progress import EVERY_SECONDS, Progress
from spillscope_app.report_table import report_lines
from spillscope_app.unswept import unswept

if TYPE_CHECKING:
    from spillscope_app.count_api import CountedView


def place_for(path: Path) -> Place:
    """The session that a path leads to. Raises SessionNotFoundError where it leads to many or to none."""
    target = resolve(path)
    if target.place is None:
        raise SessionNotFoundError(f"a folder of projects: {path}: give one session, or list them with spillscope sessions")
    return target.place


def insist_on_a_transcript(place: Place, reading: Reading) -> None:
    """Raises SessionNotFoundError for a file that holds no record, and is no text or does not begin like a transcript."""
    info = reading.session
    if info.records or not info.bytes:
        return
    with place.path.open("rb") as file:
        head = file.read(4096).removeprefix(BOM).lstrip()
    if head[:1] not in (b"", b"{") or any(line.reason in (NUL_BYTES, NOT_UTF8) for line in info.skipped_lines):
        raise SessionNotFoundError(f"no transcript: {place.path}: it holds no record: give a session's .jsonl file")


def calibrated(calibrator: Calibrator) -> Calibrated:
    """All of a calibration, with a word of how far it is."""
    with Progress("counting") as progress:
        while calibrator.step(EVERY_SECONDS):
            progress.step(calibrator.done, calibrator.total)
    return calibrator.run()


def _sections_wanted(context: click.Context, parameter: click.Parameter, value: str | None) -> frozenset[str] | None:
    if value is None:
        return None
    wanted = frozenset(name.strip() for name in value.split(",") if name.strip())
    unknown = sorted(wanted.difference(SECTIONS))
    if unknown or not wanted:
        raise click.BadParameter(f"no section {', '.join(unknown) or value!r}; there are {', '.join(SECTIONS)}")
    return wanted


@click.command("report")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="As JSON, in the shape of spillscope.report/1.")
@click.option("--check", is_flag=True, help="Exit with 1 when transcript and engine differ.")
@click.option("--only", metavar="SECTION,…", callback=_sections_wanted, help="Only these sections of the JSON, and their cost.")
@click.option(
    "--calibrate", type=click.Choice(["newest", "all"]), default="newest", help="Judge estimates on so many requests."
)
@click.option("--count-api", is_flag=True, help="Let the API count the messages in view: sends them there.")
@click.option("--model", metavar="NAME", help="With --count-api: the model to count for; the session's own by default.")
@limits_options
def report_command(
    path: Path,
    as_json: bool,
    check: bool,
    only: frozenset[str] | None,
    calibrate: str,
    count_api: bool,
    model: str | None,
    limits: LimitsRequest,
) -> int:
    """The whole reading of the session at PATH."""
    if model is not None and not count_api:
        raise click.UsageError("--model is for --count-api: give both")
    place = place_for(path)
    session = Session(place, limits.book(place.config_dir))
    with unswept(), Progress("reading") as progress:
        reading = session.refresh(progress.step)
    insist_on_a_transcript(place, reading)
    # Late, as it brings the SDK; and before the first word of output, as it may end the command.
    counted = None
    if count_api:
        counted = import_module("spillscope_app.count_api").count_view(session, model or reading.session.model)
    calibrator = Calibrator(session, None, None) if calibrate == "all" else Calibrator(session)
    if only is None or not only.isdisjoint(CALIBRATED):
        calibrated(calibrator)
    if as_json or check or only is not None:
        for piece in write_sections(_with_count(sections(session, reading, only, calibrator), counted)):
            sys.stdout.buffer.write(piece)
    else:
        for line in report_lines(session, reading, calibrator.run()):
            click.echo(line)
        if counted is not None:
            click.echo(counted.line())
    return 1 if check and reading.totals.drift else 0


def _with_count(found: Iterator[tuple[str, Section]], counted: CountedView | None) -> Iterator[tuple[str, Section]]:
    """The sections, with the API's count in that of the context."""
    for name, section in found:
        if name == "context" and counted is not None and isinstance(section, dict):
            section["exactApi"] = counted.to_json()
        yield name, section
