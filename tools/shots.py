"""The pictures in `screenshots/`: the main screens over the demo's session, the same for the same seed.

Writes SVG, and PNG beside it where Chromium or `rsvg-convert` is there; Chromium is right in every cell. Run by
`make screenshots`.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import NamedTuple

from textual.pilot import Pilot

from spillscope.transcript.layout import transcripts_in
from spillscope_app.cli_limits import LimitsRequest
from spillscope_app.demo.home import Home, home_of
from spillscope_app.demo.loop import open_conversation, play_round
from spillscope_app.demo.pace import Stopped, StoryPace
from spillscope_app.feed import Feed
from spillscope_app.inspector import Inspector, Post
from spillscope_app.opening import Opened, find_start, open_source

FOLDER = Path(__file__).parent.parent / "screenshots"
START = datetime(2026, 9, 14, 8, 30, tzinfo=UTC)
STORY_SECONDS = 33.0
SEED = "1/0"


TUNED = ("3", *["down"] * 6, "enter", *"8k", "enter")
"""Bash's threshold, lowered."""


class Shot(NamedTuple):
    """A picture: its name, the terminal's size, the keys that lead there, and a theme."""

    name: str
    columns: int
    lines: int
    keys: tuple[str, ...] = ()
    theme: str = "textual-dark"


SHOTS = (
    Shot("main", 120, 36),
    Shot("main-80x24", 80, 24),
    Shot("main-wide", 160, 44),
    Shot("over-budget", 120, 36, ("v", "home", "enter", "down")),
    Shot("model-view", 120, 36, ("p", "home", "enter", "down", "m")),
    Shot("arithmetic", 120, 36, ("equals_sign",)),
    Shot("spills", 120, 36, ("2", "home")),
    Shot("spills-wide", 160, 44, ("2", "s", "s", "s")),
    Shot("viewer", 120, 36, ("2", "home", "enter")),
    Shot("tools", 120, 36, TUNED),
    Shot("tools-wide", 160, 44, TUNED),
    Shot("timeline", 120, 36, ("4", *["left"] * 6)),
    Shot("past", 120, 36, ("less_than_sign",) * 5),
    Shot("events", 120, 36, ("5",)),
    Shot("sessions", 120, 36, ("6",)),
    Shot("help", 120, 36, ("question_mark",)),
    Shot("light", 120, 36, theme="textual-light"),
)


class ShortPace(StoryPace):
    """A story that stops in mid-round, with results that wait to be sent."""

    def wait(self, seconds: float) -> None:
        super().wait(seconds)
        if (self.now() - START).total_seconds() > STORY_SECONDS:
            raise Stopped


@contextmanager
def told_story() -> Iterator[tuple[Path, float]]:
    """The demo's transcript in a folder that is always called alike, and the time at which it was last written."""
    root = Path(tempfile.gettempdir()) / "spillscope-demo"
    shutil.rmtree(root, ignore_errors=True)
    home = Home(root)
    home.furnish()
    pace = ShortPace(START)
    try:
        with suppress(Stopped):
            play_round(open_conversation(home, Random(SEED), pace))
        (transcript,) = transcripts_in(home.project)
        written = pace.now().timestamp()
        for file in (transcript, *transcript.with_suffix("").rglob("*")):
            os.utime(file, (written, written))
        yield transcript, written
    finally:
        shutil.rmtree(root)


async def take(shot: Shot, transcript: Path, now: float) -> str:
    """The picture as SVG."""
    request = LimitsRequest((home_of(transcript).limits_file,), alone=True)

    def make_feed(session: str, post: Post) -> Feed:
        opened: Opened = open_source(session, request)
        return Feed(opened.source, opened.watched, post)

    app = Inspector(find_start(transcript), make_feed, now=lambda: now + 2)
    async with app.run_test(size=(shot.columns, shot.lines)) as pilot:
        app.theme = shot.theme
        await until(pilot, lambda: app.picture.reading is not None)
        for key in shot.keys:
            await pilot.press(key)
            await pilot.pause(0.3)
        await pilot.pause(0.5)
        return settled(app.export_screenshot(title="spillscope"))


async def until(pilot: Pilot[None], holds: object) -> None:
    """Waits for a condition, ten seconds at most."""
    assert callable(holds)
    for _ in range(200):
        if holds():
            return
        await pilot.pause(0.05)
    raise TimeoutError("the screen does not come")


def settled(svg: str) -> str:
    """The picture without the random id that Rich gives it."""
    return re.sub(r"terminal-\d+", "terminal", svg)


def write_png(svg: Path) -> bool:
    """The picture as PNG, by the best tool that there is; False without one."""
    png = svg.with_suffix(".png")
    box = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg.read_text("utf-8"))
    assert box is not None
    size = ",".join(str(round(float(side))) for side in box.groups())
    browser = shutil.which("chromium")
    if browser is not None:
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-background-networking"]
        command = [browser, *options, f"--window-size={size}", f"--screenshot={png}", svg.as_uri()]
    elif (converter := shutil.which("rsvg-convert")) is not None:
        command = [converter, "--output", str(png), str(svg)]
    else:
        return False
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return True


def main() -> int:
    FOLDER.mkdir(exist_ok=True)
    with told_story() as (transcript, written):
        for shot in SHOTS:
            svg = FOLDER / f"{shot.name}.svg"
            svg.write_text(asyncio.run(take(shot, transcript, written)), "utf-8")
            if not write_png(svg):
                sys.stderr.write(f"no Chromium and no rsvg-convert: {svg.name} has no PNG\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
