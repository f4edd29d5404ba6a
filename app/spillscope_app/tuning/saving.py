"""Edits written to a limits file: as a whole or not at all, with the user's comments kept (spec L11)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spillscope.errors import LimitsError
from spillscope.limits import Limits
from spillscope.limits_files import limits_from_mapping, read_limits_file
from spillscope.limits_sources import PROJECT_FILE, LimitsBook, LimitsPlan
from spillscope_app.tuning.edits import Value, keys_in
from spillscope_app.whole_file import write_whole

NEW_FILE_MODE = 0o600


@dataclass(frozen=True, slots=True)
class Target:
    """A file that limits can be saved to. `what`: whose it is. `rank`: which layers of a book are stronger than it."""

    path: Path
    what: str
    rank: int


def targets(plan: LimitsPlan) -> list[Target]:
    """The files that limits are read from and that are the user's to write, the strongest first."""
    files = plan.files()
    named = [path for path in plan.extra if isinstance(path, Path)]
    found = [Target(path, "given with --limits", _rank(files, path)) for path in named]
    if plan.project_dir is not None:
        path = plan.project_dir / PROJECT_FILE
        found.append(Target(path, "this project's", _rank(files, path)))
    if plan.user_file is not None:
        found.append(Target(plan.user_file, "yours, for every project", _rank(files, plan.user_file)))
    return sorted(found, key=lambda target: -target.rank)


def _rank(files: tuple[Path, ...], path: Path) -> int:
    return len(files) - 1 - files[::-1].index(path)


def beaten(plan: LimitsPlan, target: Target, edits: Mapping[str, Value | None], book: LimitsBook) -> Iterator[tuple[str, str]]:
    """Keys that saving to a file does not decide, and by what they are: something stronger sets them; or they are to be
    taken away, which no file does to what something weaker sets.
    """
    files = [str(path) for path in plan.files()]
    for layer in book.layers:
        rank = next((at for at in range(len(files) - 1, -1, -1) if layer.source.startswith(files[at])), len(files))
        for key in keys_in(layer.values):
            if key in edits and (rank > target.rank or (rank < target.rank and edits[key] is None)):
                yield key, layer.source


def save(path: Path, edits: Mapping[str, Value | None]) -> None:
    """Write edits into a limits file, which is made where there is none. A link stays a link.

    Raises LimitsError, in words for the user: then the file is as it was.
    """
    try:
        real = path.resolve()
        exists = real.exists()
        if exists:
            limits_from_mapping(read_limits_file(real), str(path), Limits())
        text = _edited(real.read_text("utf-8-sig") if exists else "", edits, path)
        write_whole(real, text.encode(), real.stat().st_mode & 0o777 if exists else NEW_FILE_MODE)
    except (OSError, RuntimeError) as error:  # RuntimeError: links that go in a circle
        reason = getattr(error, "strerror", None) or str(error)
        raise LimitsError(f"not saved: {path}: {reason}; the file is as it was") from error


def _edited(text: str, edits: Mapping[str, Value | None], path: Path) -> str:
    """A limits file with edits in it. Judged before it is written: a file that can't be used would take nothing up."""
    import tomlkit  # late: only a save needs it
    from tomlkit.exceptions import TOMLKitError

    if text.lstrip().startswith("{") or path.suffix.lower() == ".json":
        raise LimitsError(f"not saved: {path} is JSON, and only TOML is written here: x exports the limits as text to copy")
    try:
        document: Any = tomlkit.parse(text)
        for key, value in edits.items():
            _put(document, key, value)
        written = tomlkit.dumps(document)
        limits_from_mapping(tomlkit.parse(written).unwrap(), str(path), Limits())
    except TOMLKitError as error:
        raise LimitsError(f"not saved: {path}: {' '.join(str(error).split())}; mend or remove it") from error
    return written


def _put(document: Any, key: str, value: Value | None) -> None:
    import tomlkit

    table, dot, name = key.partition(".")
    if not dot:
        if value is not None:
            document[key] = _plain(value)
        elif key in document:
            del document[key]
        return
    if value is not None:
        if table not in document:
            document[table] = tomlkit.table()
        document[table][name] = _plain(value)
    elif name in document.get(table, {}):
        del document[table][name]


def _plain(value: Value) -> object:
    """As limits files spell it: infinity as a word, whole numbers without a point."""
    if isinstance(value, bool):
        return value
    if value == float("inf"):
        return "inf"
    return int(value) if value == int(value) else value


def write_new(path: Path, text: str) -> None:
    """Write a file that the user named, in the place of any that is there. Raises OSError: then nothing has changed.

    Its folder must be there: a slip of the keys makes none.
    """
    path.parent.stat()
    write_whole(path, text.encode(), path.stat().st_mode & 0o777 if path.exists() else NEW_FILE_MODE)
