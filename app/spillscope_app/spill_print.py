"""`spillscope spills --cat`: finding one spilled file and printing it, however large it is."""

from __future__ import annotations

import codecs
import shutil
import sys
from collections.abc import Iterable, Iterator
from pathlib import PurePath
from typing import BinaryIO, NamedTuple

import click

from spillscope.clean import clean
from spillscope.limits_sources import LimitsBook
from spillscope.session.session import Session
from spillscope.session.spills.disk import files_on_disk
from spillscope.session.spills.listing import Source, find_spills, read_agents
from spillscope.transcript.layout import Place, Target, projects_in
from spillscope.transcript.spill_files import SpillFile, base_name, open_spill

BLOCK_BYTES = 1 << 20


class _Candidate(NamedTuple):
    names: frozenset[str]
    file: SpillFile


def print_spill(target: Target, wanted: str, *, outside: bool) -> None:
    """Print the one file that is meant. Raises ClickException, in words for the user, where there is none or more than one."""
    file = _the_one(_candidates(target), wanted)
    if file.moved and not outside:
        raise click.ClickException(f"missing here: {file.path}: give --outside to print what stands at that path")
    if not file.inside and not outside:
        raise click.ClickException(f"outside the session's project: {file.path}: give --outside to print it all the same")
    if file.inside and not file.exists:
        raise click.ClickException(f"not there any more: {file.path}: nothing is left to print")
    with _opened(file) as opened:
        if sys.stdout.isatty():
            for piece in clean_pieces(opened):
                sys.stdout.write(piece)
        else:
            sys.stdout.flush()
            shutil.copyfileobj(opened, sys.stdout.buffer, BLOCK_BYTES)


def _opened(file: SpillFile) -> BinaryIO:
    if not file.inside and not PurePath(file.path).is_absolute():
        raise click.ClickException(f"no absolute path: {file.path}: what it names can't be told")
    try:
        return open_spill(file.path)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else "not a path"
        raise click.ClickException(f"can't be printed: {file.path}: {why}") from None


def clean_pieces(opened: BinaryIO) -> Iterator[str]:
    """A file's text line by line as a terminal may be shown it, block by block, for a line may be gigabytes long."""
    decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")
    while block := opened.read(BLOCK_BYTES):
        yield "\n".join(map(clean, decoder.decode(block).split("\n")))
    yield clean(decoder.decode(b"", final=True))


# --- which one is meant -----------------------------------------------------------------------------------------------------


def _the_one(candidates: Iterable[_Candidate], wanted: str) -> SpillFile:
    """The file with that id or name; else the only one whose id or name begins so."""
    exact: dict[str, SpillFile] = {}
    begun: dict[str, SpillFile] = {}
    for candidate in candidates:
        if wanted in candidate.names:
            exact[candidate.file.path] = candidate.file
        elif any(name.startswith(wanted) for name in candidate.names):
            begun[candidate.file.path] = candidate.file
    found = list((exact or begun).values())
    if not found:
        raise click.ClickException(f"no spill {wanted!r}: spillscope spills PATH lists them")
    if len(found) > 1:
        raise click.ClickException(f"{len(found)} spills are called {wanted!r} or begin so: give more of it, or one session")
    return found[0]


def _candidates(target: Target) -> Iterator[_Candidate]:
    if target.kind == "session" and target.place is not None:
        return _of_session(target.place)
    return _on_disk(target)


def _of_session(place: Place) -> Iterator[_Candidate]:
    session = Session(place, LimitsBook())
    for found in find_spills(Source(session, session.refresh()), read_agents(session)):
        spill = found.spill
        name = base_name(spill.file.path)
        yield _Candidate(frozenset({spill.tool_use_id or name, name, PurePath(name).stem}), spill.file)


def _on_disk(target: Target) -> Iterator[_Candidate]:
    """Of many sessions the files alone, by name: no transcript is read."""
    for found in files_on_disk([target.path] if target.kind == "project" else projects_in(target.path)):
        name = PurePath(found.path).name
        file = SpillFile(found.path, inside=True, exists=True, bytes=found.bytes)
        yield _Candidate(frozenset({name, PurePath(name).stem}), file)
