"""Drawing that keeps pace with the screen: what comes faster than it is painted is drawn once."""

from __future__ import annotations

from collections.abc import Callable

from textual.message_pump import MessagePump


class Paced:
    """Calls what draws, at once or as soon as the last drawing has been painted."""

    def __init__(self, pump: MessagePump, draw: Callable[[], object]) -> None:
        """`pump`: of the app or the screen that is drawn on."""
        self._pump, self._draw = pump, draw
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
            self._pump.call_after_refresh(self._go_on)
