"""The line at the bottom: the keys that work now, as many as there is room for, each to be clicked as well."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from textual import events
from textual.screen import Screen

from spillscope_app.commands import COMMANDS, Command
from spillscope_app.spans import Line, Span, width_of
from spillscope_app.widgets.choices import Choice, Choices


class KeyLine(Choices):
    """Shows those commands of the table whose keys work where the focus is. The least important give way to the width."""

    def __init__(self) -> None:
        super().__init__(id="keys")

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._bindings_changed)

    def on_resize(self, event: events.Resize) -> None:
        self._offer_keys()

    def _bindings_changed(self, screen: Screen[object]) -> None:
        self._offer_keys()

    def _offer_keys(self) -> None:
        active, focused = self.screen.active_bindings, self.screen.focused

        def works(command: Command) -> bool:
            if command.key not in active or active[command.key].binding.id != command.id:
                return False
            typed = command.shown if len(command.shown) == 1 and command.shown.isascii() else None
            return typed is None or focused is None or not focused.check_consume_key(command.key, typed)

        working = [command for command in COMMANDS if command.footer and works(command)]
        self.offer([Choice(one.key, _words(one)) for one in _fitting(working, self.size.width)])

    def on_choices_chosen(self, message: Choices.Chosen) -> None:
        message.stop()
        self.app.simulate_key(message.name)


def _words(command: Command) -> Line:
    return Span(" "), Span(command.shown, "strong"), Span(f" {command.description}", "dim")


def _fitting(commands: Iterable[Command], width: int) -> Sequence[Command]:
    """Those of the highest ranks that fit, in the order of the table."""
    kept: list[Command] = []
    room = width
    for command in sorted(commands, key=lambda one: -one.footer):
        if (cells := width_of(_words(command))) <= room:
            kept.append(command)
            room -= cells
    return sorted(kept, key=COMMANDS.index)
