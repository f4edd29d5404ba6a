"""When an app under test has come to rest, told by its loop.

Textual's pilot takes an app to be at rest while the *process* uses little time. On a loaded machine that is true of a process
which is not let run, so that a test goes on before its key was seen. Here an app is at rest when its loop has nothing to do.
"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from textual._context import active_app
from textual.app import App
from textual.screen import Screen

SOON = 0.06
"""Timers due within these seconds are waited for: what is only put off for a moment."""
LONGEST = 10.0
"""An app that is never at rest is not waited for any longer."""
LEFT_ALONE: frozenset[str] = frozenset({"feed"})
"""Groups of workers that may go on."""


async def at_rest(min_sleep: float = 0.0, max_sleep: float = LONGEST) -> None:
    """Wait until nothing is left to do: no callback, no timer that is due soon, no worker, nothing to lay out or to draw.

    Takes the parameters of Textual's own wait, which it stands in for.
    """
    app = active_app.get()
    loop: Any = asyncio.get_running_loop()
    end = loop.time() + LONGEST
    rounds = 0  # in a row with nothing to do
    while rounds < 2 and loop.time() < end:
        await asyncio.sleep(0)
        if loop._ready:
            rounds = 0
        elif _works(app) or _due(loop):
            rounds = 0
            await asyncio.sleep(0.001)
        elif app._running and app._screen_stacks.get(app._current_mode) and _unfinished(app.screen):
            rounds = 0
            app.screen._on_timer_update()
        else:
            rounds += 1


def _works(app: App[Any]) -> bool:
    return any(not worker.is_finished and worker.group not in LEFT_ALONE for worker in app.workers)


def _due(loop: Any) -> bool:
    soon = loop.time() + SOON
    return any(timer.when() < soon and not timer.cancelled() for timer in loop._scheduled)


def _unfinished(screen: Screen[Any]) -> bool:
    """Whether the screen's next frame would change something, or somebody waits for it."""
    changes = screen._layout_required or screen._scroll_required or screen._repaint_required or screen._recompose_required
    return screen.is_current and bool(changes or screen._dirty_widgets or screen._callbacks)


@pytest.fixture
def rests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the pilot wait for the app to be at rest."""
    monkeypatch.setattr("textual.pilot.wait_for_idle", at_rest)
    monkeypatch.setattr("textual.app.wait_for_idle", at_rest)
