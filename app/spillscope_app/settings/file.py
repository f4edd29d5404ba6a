"""A settings file: where it is, and writing it as a whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from spillscope.transcript.layout import default_config_dir
from spillscope_app.settings.json_text import SettingsError
from spillscope_app.whole_file import write_whole

Scope = Literal["user", "project", "local"]
SCOPES: tuple[Scope, ...] = ("user", "project", "local")
MAX_BYTES = 16 << 20
_BOM = "\ufeff"

Edit = Callable[[str | None], str | None]
"""What becomes of a file's text; None: no file."""


def settings_path(scope: Scope) -> Path:
    """The user's settings, those of the project in this directory, or a person's own for that project."""
    if scope == "user":
        return default_config_dir(os.environ) / "settings.json"
    return Path.cwd() / ".claude" / ("settings.json" if scope == "project" else "settings.local.json")


def read(path: Path) -> bytes | None:
    """The bytes of a settings file; None where there is none. Raises SettingsError for one that can't be read."""
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise SettingsError(f"can't read the settings: {path}: {error.strerror or error}; check the path") from error
    if len(raw) > MAX_BYTES:
        raise SettingsError(f"these are no settings: {path}: larger than {MAX_BYTES >> 20} MB; check the path")
    return raw


def edited(path: Path, raw: bytes | None, edit: Edit) -> bytes | None:
    """What the edit makes of a file's bytes. Raises SettingsError, which names the file, where it can't be edited."""
    try:
        text = None if raw is None else raw.decode()
        mark = _BOM if text is not None and text.startswith(_BOM) else ""
        made = edit(None if text is None else text.removeprefix(mark))
    except UnicodeDecodeError as error:
        raise SettingsError(f"can't change the settings: {path}: no UTF-8: mend it first") from error
    except SettingsError as error:
        raise SettingsError(f"can't change the settings: {path}: {error}") from error
    return None if made is None else (mark + made).encode()


def write(path: Path, before: bytes | None, after: bytes | None) -> None:
    """Puts `after` in the place of `before`; None: no file. A link stays one. On a SettingsError nothing has changed."""
    target = Path(os.path.realpath(path))
    if read(path) != before:
        raise SettingsError(f"the settings were changed meanwhile: {path}: run the command again")
    try:
        if after is None:
            target.unlink(missing_ok=True)
        else:
            write_whole(target, after, _mode(target))
    except OSError as error:
        reason = error.strerror or error
        raise SettingsError(f"can't write the settings: {path}: {reason}; check its permissions and the space left") from error


def _mode(target: Path) -> int:
    """The permissions of the file that is there; a new one is for its owner alone."""
    try:
        return target.stat().st_mode & 0o7777
    except FileNotFoundError:
        return 0o600
