"""`--install`, `--uninstall` and `--print` of the commands that an agent calls: its settings, changed with consent."""

from __future__ import annotations

import difflib
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

import click

from spillscope.clean import clean
from spillscope_app.settings.entries import Finder, fresh, installed, uninstalled
from spillscope_app.settings.file import SCOPES, Edit, Scope, edited, read, settings_path, write
from spillscope_app.settings.json_text import Addition, SettingsError

R = TypeVar("R")

Action = Literal["install", "uninstall", "print"]
_SCOPES = "Whose settings: yours, this directory's project's, or your own for that project."


@dataclass(frozen=True, slots=True)
class SettingsRequest:
    """What the settings options of a call ask for. `action` None: nothing; the agent calls."""

    action: Action | None
    scope: Scope
    yes: bool


def settings_options(command: Callable[..., R]) -> Callable[..., R]:
    """Adds the options to a command, which gets them as `action`, `scope` and `yes`."""
    options = (
        click.option("--install", "action", flag_value="install", help="Put it into the agent's settings, after a question."),
        click.option("--uninstall", "action", flag_value="uninstall", help="Take it out of them again."),
        click.option("--print", "action", flag_value="print", help="Print what --install would add to them."),
        click.option("--scope", type=click.Choice(SCOPES), default="user", show_default=True, help=_SCOPES),
        click.option("--yes", is_flag=True, help="Change the settings without a question."),
    )
    decorated: Any = command
    for option in reversed(options):
        decorated = option(decorated)
    return decorated  # type: ignore[no-any-return]


def change_settings(request: SettingsRequest, addition: Addition, ours: Finder) -> None:
    """Does what was asked. Raises SettingsError where the settings can't be changed, or nobody could agree to it."""
    if request.action == "print":
        click.echo(fresh(addition), nl=False)
        return
    path = settings_path(request.scope)
    before = read(path)
    after = edited(path, before, _edit(request.action, addition, ours))
    if after == before:
        click.echo(f"nothing to change: {clean(str(path))}", err=True)
        return
    _show(path, before, after)
    if not request.yes:
        _ask(path)
    write(path, before, after)
    click.echo(f"{'removed' if after is None else 'written'}: {clean(str(path))}", err=True)


def program() -> str:
    """The command that runs, as a shell takes it: its absolute path, quoted. Raises SettingsError where it has none."""
    called = shutil.which(sys.argv[0])
    beside = Path(sys.executable).with_name("spillscope")
    for path in (Path(called) if called else None, beside):
        if path is not None and path.stem == "spillscope" and path.is_file():
            return shlex.quote(str(path.absolute()))
    raise SettingsError("this program has no path that an agent could call: install it first, as with pipx install")


def _edit(action: Action | None, addition: Addition, ours: Finder) -> Edit:
    def install(text: str | None) -> str | None:
        return installed(text, addition, ours)

    def uninstall(text: str | None) -> str | None:
        return None if text is None else uninstalled(text, ours)

    return install if action == "install" else uninstall


def _show(path: Path, before: bytes | None, after: bytes | None) -> None:
    for line in _diff(str(path), before or b"", after or b""):
        click.echo(clean(line))


def _diff(name: str, before: bytes, after: bytes) -> Iterator[str]:
    old, new = (text.decode().splitlines() for text in (before, after))
    return difflib.unified_diff(old, new, name, name, lineterm="")


def _ask(path: Path) -> None:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise SettingsError(f"no terminal to ask on whether to change {path}: add --yes if you want that")
    click.confirm("Change it so?", abort=True)
