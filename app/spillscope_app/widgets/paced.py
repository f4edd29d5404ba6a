"""Drawing that keeps pace with the screen: what comes faster than it is painted is drawn once."""

from __future__ import annotations

from collections.abc import Callable

from textual.screen import Screen


class Paced:
    """Calls what draws, at once or as soon as the last drawing has been painted."""

    def __init__(self, screen: Screen[None], draw: Callable[[], object]) -> None:
        self._screen, self._draw = screen, draw
        self._is_drawn = self._is_due = False

    def ask(self) -> None:
        """There is something new to draw."""
        self._is_due = True
        if not self._is_drawn:
            self._go_on()

    def _go_on(self) -> None:
        self._is_drawn, self._is_due = self._is_due, False
        if self._is_drawn:
            self._draw()
            self._screen.call_after_refresh(self._go_on)
