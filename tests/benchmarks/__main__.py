"""`python -m benchmarks`: the figures, as a table."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.active import active_figures
from benchmarks.backtest import backtest, shipped_priors
from benchmarks.bare import bare_loop
from benchmarks.counting import calibrated_appends, counting_figures
from benchmarks.forecast import forecast_table
from benchmarks.generate import Author, write_transcript
from benchmarks.measure import Figure, in_turn, table, timed
from benchmarks.screen import screen_figures
from benchmarks.spills import spill_figures
from benchmarks.starting import starting_figures
from benchmarks.tuning import tuning_figures
from benchmarks.viewer import viewer_figures
from benchmarks.whatif import MANY, MOST, what_if_figures
from benchmarks.work import first_reading, open_index, report

MB = 1_000_000
SMALL_MB = 1
MOST_SEEN = 30
"""Appends that are waited for on the screen."""
SCREEN = "spillscope_app.inspector"
REAL = os.environ.get("SPILLSCOPE_REAL_SESSIONS")
"""The folder of real sessions, if there is one."""


def main() -> None:
    """Generate, measure, print."""
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__)
    parser.add_argument("--mb", type=int, default=100, help="size of the large transcript (default: 100)")
    parser.add_argument("--rounds", type=int, default=7, help="how often each thing is measured (default: 7)")
    parser.add_argument("--appends", type=int, default=300, help="how many appends are measured (default: 300)")
    parser.add_argument("--keys", type=int, default=100, help="how many keys are measured (default: 100)")
    parser.add_argument("--screen", action="store_true", help="the figures of the screen alone")
    parser.add_argument("--backtest", action="store_true", help="the estimates on the real sessions alone")
    parser.add_argument("--priors", action="store_true", help="with --backtest: what the shipped priors would be now")
    parser.add_argument("--quick", action="store_true", help="a small file and few rounds, to try it")
    wanted = parser.parse_args()
    if wanted.quick:
        wanted.mb, wanted.rounds, wanted.appends, wanted.keys = 10, 3, 30, 20
    if wanted.backtest:
        print(
            (shipped_priors if wanted.priors else backtest)(Path(REAL)) if REAL else "SPILLSCOPE_REAL_SESSIONS names no folder"
        )
        return
    if not wanted.screen:
        print(f"Counting\n\n{table(counting_figures(min(wanted.rounds, 3)))}\n")
        print(f"The engine\n\n{table(engine_figures(wanted))}\n")
        with TemporaryDirectory() as folder:
            print(f"The agent's side\n\n{table(active_figures(Path(folder), 3 * wanted.rounds))}\n")
        with TemporaryDirectory() as folder:
            started = starting_figures(Path(folder), wanted.mb, 3 * wanted.rounds, environment(Path(folder)))
            print(f"What an agent waits for\n\n{table(started)}\n")
        with TemporaryDirectory() as folder:
            most = MANY if wanted.quick else MOST
            print(f"The what-if\n\n{table(what_if_figures(Path(folder), most, wanted.rounds))}\n")
        with TemporaryDirectory() as folder:
            spills = 1_000 if wanted.quick else 10_000
            print(f"The spills\n\n{table(spill_figures(Path(folder), spills, min(wanted.rounds, 3)))}\n")
    with TemporaryDirectory() as folder:
        print(f"The screen\n\n{table(screen_figures(Path(folder), wanted.keys, min(wanted.appends, MOST_SEEN)))}")
    with TemporaryDirectory() as folder:
        print(f"\nThe Tools screen\n\n{table(tuning_figures(Path(folder), wanted.rounds))}")
    with TemporaryDirectory() as folder:
        print(f"\nThe viewer\n\n{table(viewer_figures(Path(folder), wanted.mb, wanted.rounds))}")
    if not wanted.screen and REAL:
        print(f"\nForecasts, on the real sessions\n\n{forecast_table(Path(REAL))}")
        print(f"\nEstimates, on the real sessions\n\n{backtest(Path(REAL))}")


def engine_figures(wanted: argparse.Namespace) -> list[Figure]:
    """Opening, processes, memory and appends, over one large transcript."""
    with TemporaryDirectory() as folder:
        home = Path(folder)
        large, small = home / "-srv-app" / "large.jsonl", home / "-srv-app" / "small.jsonl"
        large.parent.mkdir()
        author, made = write_transcript(large, wanted.mb * MB)
        small_author, _ = write_transcript(small, SMALL_MB * MB)
        mean = made.size / made.records
        print(f"{made.size / MB:.0f} MB in {made.records:,} records of {mean:,.0f} bytes; the small one: {SMALL_MB} MB")
        return [
            *opening(large, wanted.rounds),
            *processes(large, wanted.rounds, environment(home)),
            *memory(large, small, wanted.rounds, environment(home)),
            *appends((large, author), (small, small_author), wanted.appends),
            calibrated_appends((large, author), (small, small_author), wanted.appends),
        ]


def opening(path: Path, rounds: int) -> list[Figure]:
    """In this process, against the bare loop over the same file."""
    works = (partial(bare_loop, str(path)), *(partial(work, path) for work in (open_index, first_reading, report)))
    bare, index, reading, whole = in_turn(rounds, *(partial(timed, work) for work in works))
    return [
        Figure("index alone / bare loop", index, bare, "s", 1.5),
        Figure("first reading / bare loop", reading, bare, "s", 2.5),
        Figure("report / bare loop", whole, bare, "s", 2.5),
    ]


def processes(path: Path, rounds: int, environment: Mapping[str, str]) -> list[Figure]:
    """Whole processes, start and end included."""
    spillscope = Path(sys.executable).with_name("spillscope")
    commands: tuple[tuple[str | Path, ...], ...] = (
        (sys.executable, "-m", "benchmarks.bare", path),
        (spillscope, "report", path, "--json"),
    )

    def run(command: tuple[str | Path, ...]) -> None:
        subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)

    bare, whole = in_turn(rounds, *(partial(timed, partial(run, command)) for command in commands))
    return [Figure("process of report --json / of the bare loop", whole, bare, "s", 2.5)]


def memory(large: Path, small: Path, rounds: int, environment: Mapping[str, str]) -> list[Figure]:
    """Of a fresh process that holds one session: the engine's alone, and one that has the screen's modules too."""

    def held(at: int, path: Path, *modules: str) -> Callable[[], float]:
        command = (sys.executable, "-m", "benchmarks.work", str(path), *modules)

        def run() -> float:
            printed = subprocess.run(command, check=True, env=environment, capture_output=True).stdout
            return float(printed.split()[at])

        return run

    kinds: list[tuple[str, int, tuple[str, ...]]] = [
        ("resident", 0, ()),
        ("resident at most", 1, ()),
        ("resident, screen loaded", 0, (SCREEN,)),
    ]
    works = [held(at, path, *modules) for _, at, modules in kinds for path in (large, small)]
    found = iter(in_turn(min(rounds, 3), *works))
    return [Figure(f"{name} / at {SMALL_MB} MB", next(found), next(found), "MB", 1.5) for name, _, _ in kinds]


def appends(large: tuple[Path, Author], small: tuple[Path, Author], count: int) -> list[Figure]:
    """A response with one result is written, then the session is refreshed: the refresh alone is timed."""
    sessions = [(path, author, first_reading(path)) for path, author in (large, small)]
    taken: tuple[list[float], list[float]] = ([], [])
    for _ in range(count):
        for (path, author, session), mine in zip(sessions, taken, strict=True):
            with path.open("ab") as file:
                file.writelines(author.one_call())
            before = session.index.records
            start = time.perf_counter()
            session.refresh()
            mine.append(1_000 * (time.perf_counter() - start))
            assert session.index.records == before + 2
    return [Figure(f"one append, refreshed / at {SMALL_MB} MB", *taken, "ms", 1.2)]


def environment(home: Path) -> dict[str, str]:
    """A home of its own: nobody's settings weigh in."""
    tests = str(Path(__file__).resolve().parent.parent)
    return {**os.environ, "HOME": str(home), "CLAUDE_CONFIG_DIR": str(home), "PYTHONPATH": tests}


if __name__ == "__main__":
    main()
