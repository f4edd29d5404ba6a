"""What the second estimate and calibration cost (spec T8): hostile text beside prose, an append beside a small session's."""

from __future__ import annotations

import base64
import random
from functools import partial
from pathlib import Path

from benchmarks.generate import Author
from benchmarks.measure import Figure, in_turn, timed
from benchmarks.work import first_reading
from spillscope.session.calibration import Calibrator
from spillscope.tokens.weight import weigh

CHARS = 1_000_000
PROSE = "The context of a session grows with each result, and nobody (not even the agent) knows by how much.\n"


def hostile() -> dict[str, str]:
    """A megabyte each of what tokenizers like least."""
    chance = random.Random(5)
    letters = "abcdefghijklmnopqrstuvwxyz"
    return {
        "one letter": "a" * CHARS,
        "letters at random": "".join(chance.choices(letters, k=CHARS)),
        "base64": base64.b64encode(chance.randbytes(CHARS))[:CHARS].decode(),
        "CJK": "漢" * CHARS,
        "CJK at random": "".join(map(chr, chance.choices(range(0x4E00, 0x9FFF), k=CHARS))),
        "emoji": "😀" * CHARS,
        "spaces": " " * CHARS,
        "line ends": "\n" * CHARS,
        "equals signs": "=" * CHARS,
        "special tokens": ("<|endoftext|>" * CHARS)[:CHARS],
    }


def counting_figures(rounds: int) -> list[Figure]:
    """Each against prose of the same length."""
    texts = hostile()
    prose = (PROSE * (CHARS // len(PROSE) + 1))[:CHARS]
    weigh(prose)  # loads the vocabulary
    base, *taken = in_turn(rounds, *(partial(timed, partial(weigh, text)) for text in (prose, *texts.values())))
    return [Figure(f"1 MB of {name} / of prose", mine, base, "s", 10) for name, mine in zip(texts, taken, strict=True)]


def calibrated_appends(large: tuple[Path, Author], small: tuple[Path, Author], count: int) -> Figure:
    """A response with one result is written and read, then calibrated: that alone is timed."""
    sessions = [
        (path, author, session, Calibrator(session)) for path, author in (large, small) if (session := first_reading(path))
    ]
    taken: tuple[list[float], list[float]] = ([], [])
    for *_, calibrator in sessions:
        calibrator.run()
    for _ in range(count):
        for (path, author, session, calibrator), mine in zip(sessions, taken, strict=True):
            with path.open("ab") as file:
                file.writelines(author.one_call())
            session.refresh()
            mine.append(1_000 * timed(calibrator.run))
    return Figure("one append, calibrated / at 1 MB", *taken, "ms", 1.2)
