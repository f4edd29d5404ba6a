"""The viewer over an inspector, with its styles."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.events import MouseScrollDown
from textual.pilot import Pilot

from app.inspector.driving import Bench, screen_text
from app.inspector.readings import live
from spillscope_app.inspector import Inspector
from spillscope_app.screens.viewer import ViewerScreen
from spillscope_app.spans import Span
from spillscope_app.viewer.paged import LONG_WORK
from spillscope_app.viewer.request import ViewerRequest
from spillscope_app.viewer.view import FileView

SIZE = (80, 24)
TITLE = (Span("a file"),)


def of_file(path: Path, **more: object) -> ViewerRequest:
    """A file that was found inside."""
    return ViewerRequest(TITLE, path=str(path.resolve()), **more)  # type: ignore[arg-type]


def of_text(text: str) -> ViewerRequest:
    """A text that stands in a transcript."""
    return ViewerRequest(TITLE, content=text.encode())


class Stand:
    """The viewer under test."""

    scroll_down = MouseScrollDown
    canvas, bar = "#whole Canvas", "#whole ScrollBar"

    def __init__(self, pilot: Pilot[None], app: Inspector) -> None:
        self.pilot, self.app = pilot, app

    @property
    def view(self) -> FileView:
        return self.app.screen.query_one("#whole", FileView)

    @property
    def text(self) -> str:
        """The screen, line by line."""
        return screen_text(self.app)

    @property
    def rows(self) -> list[str]:
        """What the rows of the file say, without their numbers."""
        page = self.view.page
        assert page is not None
        return ["".join(span.text for span in row.spans) for row in page.rows]

    @property
    def copied(self) -> str:
        """What was copied last."""
        return self.app.clipboard

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)

    async def look(self) -> None:
        """See now what happened to the file."""
        self.view.look()
        await self.pilot.pause()

    async def until(self, words: str) -> None:
        """Wait for words to be shown."""
        for _ in range(2_000):
            if words in self.text:
                return
            await asyncio.sleep(0.01)
        raise AssertionError(f"waited for {words!r}:\n{self.text}")


@asynccontextmanager
async def standing(request: ViewerRequest, size: tuple[int, int] = SIZE, *, at_rest: bool = True) -> AsyncIterator[Stand]:
    """A viewer that shows this, at rest unless its workers are not to be waited for."""
    bench = Bench(live())
    async with bench.app.run_test(size=size, notifications=True) as pilot:
        await pilot.pause()
        with pytest.MonkeyPatch.context() as patch:
            if not at_rest:
                patch.setattr("quiet.LEFT_ALONE", {"feed", "page", *LONG_WORK})
            viewer = ViewerScreen()
            viewer.show(request)
            bench.app.push_screen(viewer)
            await pilot.pause()
            yield Stand(pilot, bench.app)
