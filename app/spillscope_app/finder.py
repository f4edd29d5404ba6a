"""The command table in the palette."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from textual.command import DiscoveryHit, Hit, Hits, Provider

from spillscope_app.commands import COMMANDS, Command


class CommandFinder(Provider):
    """Offers the commands that work on the screen that the palette was opened over."""

    async def discover(self) -> Hits:
        for command in self._findable():
            yield DiscoveryHit(_title(command), self._runner(command), help=command.help)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for command in self._findable():
            score = matcher.match(f"{_title(command)} {command.help}")
            if score > 0:
                yield Hit(score, matcher.highlight(_title(command)), self._runner(command), help=command.help)

    def _findable(self) -> Iterable[Command]:
        return (command for command in COMMANDS if command.in_palette and self._works(command))

    def _works(self, command: Command) -> bool:
        return command.place == "anywhere" or any(binding.id == command.id for binding in self.screen.BINDINGS)  # type: ignore[union-attr]

    def _runner(self, command: Command) -> Callable[[], object]:
        return partial(self.app.run_action, command.action, self.screen)


def _title(command: Command) -> str:
    return f"{command.description.capitalize()} ({command.shown})"
