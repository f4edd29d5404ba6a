"""What the timeline, the arithmetic and a session of the past show, as text."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from syrupy.assertion import SnapshotAssertion

from app.inspector.driving import Bench, screen_text
from app.inspector.readings import calibrated, eventful, live, reading
from spillscope.session.reading import Reading
from spillscope_app.inspector import Options

STATES: dict[str, tuple[Reading, tuple[int, int], Sequence[str]]] = {
    "timeline-80x24": (eventful(), (80, 24), ("4",)),
    "timeline-160x50": (eventful(), (160, 50), ("4", "N")),
    "timeline-40x12": (eventful(), (40, 12), ("4", "left")),
    "timeline-of-hundreds": (live(700), (120, 30), ("4", "home", "pagedown")),
    "timeline-zoomed": (live(700), (120, 30), ("4", *["left"] * 9, *["plus"] * 5)),
    "timeline-before-the-first": (reading(usage=0, estimate=0), (80, 24), ("4",)),
    "past-80x24": (eventful(), (80, 24), ("4", "c", "1")),
    "past-160x50": (eventful(), (160, 50), ("less_than_sign",)),
    "sums-80x24": (eventful(), (80, 24), ("equals_sign",)),
    "sums-160x50": (eventful(), (160, 50), ("equals_sign",)),
    "sums-over-the-window": (live(usage=214_000), (100, 50), ("equals_sign",)),
    "gauge-160x50": (eventful(), (160, 50), ()),
}


@pytest.mark.parametrize("state", STATES)
async def test_screen(state: str, snapshot: SnapshotAssertion) -> None:
    what, size, keys = STATES[state]
    assert await shown(Bench(what), size, keys) == snapshot


async def test_timeline_in_ascii(snapshot: SnapshotAssertion) -> None:
    assert await shown(Bench(eventful(), options=Options(ascii=True)), (80, 24), ("4", "N")) == snapshot


async def shown(bench: Bench, size: tuple[int, int], keys: Sequence[str]) -> str:
    usage = bench.shelf.refresh().context.usage
    bench.shelf.calibrated = calibrated(usage) if usage else None
    async with bench.app.run_test(size=size) as pilot:
        await pilot.pause()
        await pilot.press(*keys)
        await pilot.pause()
        return screen_text(bench.app)
