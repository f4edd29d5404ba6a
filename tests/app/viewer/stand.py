"""An app that shows nothing but a viewer, with the inspector's styles."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from textual.pilot import Pilot

from app.inspector.driving import Bench, screen_text
from app.inspector.readings import live
from spillscope_app.inspector import Inspector
from spillscope_app.screens.viewer import ViewerScreen
from spillscope_app.spans import Span
from spillscope_app.viewer.request import ViewerRequest
from spillscope_app.viewer.view import FileView

SIZE = (80, 24)


def of_file(path: Path, **more: object) -> ViewerRequest:
    """A file that was found inside."""
    return ViewerRequest((Span("a file"),), path=str(path.resolve()), **more)  # type: ignore[arg-type]


class Stand:
    """The viewer under test."""

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

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)

    async def look(self) -> None:
        """See now what happened to the file."""
        self.view.look()
        await self.pilot.pause()


@asynccontextmanager
async def standing(request: ViewerRequest, size: tuple[int, int] = SIZE) -> AsyncIterator[Stand]:
    """A viewer that shows this, at rest."""
    bench = Bench(live())
    async with bench.app.run_test(size=size) as pilot:
        await pilot.pause()
        bench.app.push_screen(ViewerScreen(request))
        await pilot.pause()
        yield Stand(pilot, bench.app)
