"""The audit of many spills: the first one, and what it costs to look again."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from benchmarks.measure import Figure, in_turn, timed
from spillscope.session.spills.inventory import take_inventory
from spillscope.session.spills.memory import Memory
from transcripts import Writer, open_session, wrapper

TEXT = "one line of many that were spilled\n" * 300


def spill_figures(folder: Path, spills: int, rounds: int) -> list[Figure]:
    """Audits that remember the one before, against one that remembers nothing."""
    path, files = write_session(folder / "-srv-app", spills)
    session, memory = open_session(path), Memory()
    reading = session.refresh()
    again = partial(take_inventory, session, reading, memory=memory)
    again()

    def altered() -> None:
        with files[0].open("a") as file:
            file.write("more\n")
        again()

    first, unchanged, one = in_turn(
        rounds, lambda: timed(lambda: take_inventory(session, reading)), partial(timed, again), partial(timed, altered)
    )
    return [
        Figure(f"audit of {spills:,} spills again / first", unchanged, first, "s", 0.1),
        Figure("the same, one file altered / first", one, first, "s", 1.0),
    ]


def write_session(folder: Path, spills: int) -> tuple[Path, list[Path]]:
    """A session with so many spills, each of its own file."""
    writer = Writer()
    results = folder / writer.session / "tool-results"
    results.mkdir(parents=True)
    writer.prompt()
    files = [results / f"t{number}.txt" for number in range(spills)]
    for number, file in enumerate(files):
        file.write_text(TEXT)
        writer.call("Bash", f"t{number}", wrapper(TEXT, str(file)))
    writer.say(usage=60_000)
    return writer.save(folder), files
