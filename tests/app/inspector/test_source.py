"""A session under limits that change: the files of limits, and the switch that the user flips."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.message import Message

from app.inspector.driving import Bench, no_hints, screen_text
from app.inspector.readings import LIMITS, live, troubled
from paying import Paying
from spillscope.limits_sources import LimitsBook, LimitsPlan, WatchedLimits
from spillscope.session.calibration import Calibrator
from spillscope.session.session import Session
from spillscope.transcript.layout import place_of
from spillscope_app.feed import Feed, LimitsTrouble, NewCalibration, NewReading, Progressed
from spillscope_app.source import FLIPPED, SessionSource
from transcripts import Writer, lines, use


def over_budget(folder: Path) -> Path:
    """A session with one group over its budget that went out in full."""
    writer = Writer()
    writer.prompt()
    writer.say(*(use("Fetch", name, {}) for name in "abcdef"), id="one", usage=1_000)
    for name in "abcdef":
        writer.result(name, name * 45_000)
    writer.say(usage=70_000)
    return writer.save(folder)


@pytest.fixture
def limits_file(tmp_path: Path) -> Path:
    return tmp_path / "limits.toml"


@pytest.fixture
def source(tmp_path: Path, limits_file: Path) -> SessionSource:
    limits = WatchedLimits(LimitsPlan(user_file=limits_file))
    return SessionSource(Session(place_of(over_budget(tmp_path)), limits.book), limits)


def test_flipping_replays_once_and_back(source: SessionSource) -> None:
    first = source.refresh()
    assert (first.aggregate, first.totals.replaced) == (False, 0)
    source.flip(True)
    flipped = source.refresh()
    assert (flipped.aggregate, flipped.totals.replaced, flipped.limits.source("aggregate")) == (True, 2, FLIPPED)
    assert source.refresh() is flipped
    source.flip(None)
    assert source.refresh().totals.replaced == 0


def test_changed_limits_take_effect_and_broken_ones_are_told_of(source: SessionSource, limits_file: Path) -> None:
    inbox: list[Message] = []
    feed = Feed(source, (), inbox.append, no_hints)
    feed.read_now()
    limits_file.write_text("[overrides]\nFetch = 40_000\n")
    feed.read_now()
    limits_file.write_text("[overrides\n")
    feed.read_now()
    feed.read_now()
    limits_file.unlink()
    feed.read_now()
    kinds = [type(message) for message in inbox if not isinstance(message, (Progressed, NewCalibration))]
    assert kinds == [NewReading, NewReading, LimitsTrouble, LimitsTrouble, NewReading]
    readings = [message.reading for message in inbox if isinstance(message, NewReading)]
    assert [reading.limits.get_override("Fetch") for reading in readings] == [None, 40_000, None]
    words = [message.words for message in inbox if isinstance(message, LimitsTrouble)]
    assert words[0] is not None
    assert words[1] is None


def test_what_was_decided_before_the_limits_changed_stays_decided(
    source: SessionSource, limits_file: Path, tmp_path: Path
) -> None:
    """L11: it is no drift that an agent has not obeyed limits which nobody had set yet."""
    source.refresh()
    limits_file.write_text("[overrides]\nFetch = 40_000\n")
    changed = source.refresh()
    assert (changed.totals.persisted, changed.totals.drift) == (0, 0)
    writer = Writer()
    writer.prompt()
    writer.call("Fetch", "later", "z" * 45_000, id="two")
    records = [
        {**record, "timestamp": "2090-01-01T00:00:00Z", "uuid": f"later-{at}"} for at, record in enumerate(writer.records)
    ]
    records = [{**record, "parentUuid": f"later-{at - 1}" if at else None} for at, record in enumerate(records)]
    with (tmp_path / f"{source.refresh().session.id}.jsonl").open("ab") as file:
        file.write(lines(records))
    grown = source.refresh()
    assert grown.pending is not None
    assert [found.fate for found in grown.pending.results] == ["persisted"]
    source.flip(True)
    assert [group.results[0].fate for group in source.refresh().groups] == ["replaced"]


async def test_b_flips_and_the_header_says_so() -> None:
    bench = Bench(troubled())
    async with bench.app.run_test(size=(120, 36)) as pilot:
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        await pilot.press("b")
        assert bench.shelf.switch is True
        limits = type(LIMITS)(sources={"aggregate": FLIPPED})
        await bench.deliver(live(aggregate=True, limits=limits), pilot)
        assert "what-if: budget on" in screen_text(bench.app)
        await pilot.press("b")
        assert bench.shelf.switch is None


async def test_broken_limits_raise_a_badge() -> None:
    bench = Bench(live())
    async with bench.app.run_test(size=(160, 36)) as pilot:
        await pilot.app.workers.wait_for_complete()
        bench.shelf.limits_error = "no TOML: \x1b[2J limits.toml"
        bench.feed.read_now()
        await pilot.pause()
        shown = screen_text(bench.app)
        assert "! limits no TOML: ␛[2J limits.toml" in shown
        bench.shelf.limits_error = None
        bench.feed.read_now()
        await pilot.pause()
        assert "no TOML" not in screen_text(bench.app).split("\n")[0]


def test_the_past_is_that_of_the_newest_reading(source: SessionSource) -> None:
    assert source.at(0) is None
    now = source.refresh()
    past = source.at(1)
    assert past is not None
    assert (past.at, len(past.groups), past.context.usage) == (1, 0, 1_000)
    assert past.pending is not None
    assert len(past.pending.results) == 6
    assert source.at(len(now.requests)) is None


def test_calibration_is_told_with_the_reading_that_it_is_of(source: SessionSource) -> None:
    assert source.calibrate(1.0) is None
    now = source.refresh()
    while (found := source.calibrate(1.0)) is None:
        pass
    assert found[0] is now
    assert found[1].usage == now.context.usage


def test_the_past_is_calibrated_as_it_was_then(tmp_path: Path) -> None:
    writer = Paying(20_000)
    writer.prompt("Please look.")
    for _ in range(6):
        writer.step()
    path = writer.save(tmp_path)
    session = Session(place_of(path), LimitsBook())
    source = SessionSource(session, WatchedLimits(LimitsPlan()))
    source.refresh()
    assert source.calibrate_at(4, 0.0) is None
    for request in (4, 2, 4):
        assert source.calibrate_at(request, 10.0) == Calibrator(session).at(request).run()
    with pytest.raises(IndexError):
        source.calibrate_at(60, 10.0)
