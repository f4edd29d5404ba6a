"""Real sessions, where there are some: SPILLSCOPE_REAL_SESSIONS names a folder with `projects/` and, perhaps, `staged/`.

`staged/stages.json` names sessions, each with the byte lengths at which it was saved while it was being written.
"""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from spillscope.profiles import parse_version
from spillscope.session.calibration import Calibrator
from spillscope.session.reading import Reading
from spillscope.session.report import SECTIONS, sections
from spillscope.session.write import write_sections
from transcripts import open_session, results

NAMED = os.environ.get("SPILLSCOPE_REAL_SESSIONS")
ROOT = Path(NAMED) if NAMED else Path()
pytestmark = pytest.mark.skipif(NAMED is None, reason="SPILLSCOPE_REAL_SESSIONS names no folder of real sessions")


def transcripts() -> list[Path]:
    return sorted((ROOT / "projects").rglob("*.jsonl")) if NAMED else []


def staged() -> list[tuple[str, list[int]]]:
    table = ROOT / "staged" / "stages.json"
    return sorted(json.loads(table.read_text()).items()) if NAMED and table.is_file() else []


def comparable(reading: Reading) -> dict[str, Any]:
    """Everything of a reading but its version and what differs from file to file."""
    return {
        "session": replace(reading.session, last_write=None),
        "context": reading.context,
        "evidence": (reading.aggregate, reading.evidence),
        "groups": list(reading.groups),
        "live": [reading.is_live(group) for group in reading.groups],
        "pending": reading.pending,
        "requests": [request._replace(response=0) for request in reading.requests],
        "totals": reading.totals,
    }


def test_there_are_some() -> None:
    assert transcripts()


@pytest.mark.parametrize("path", transcripts(), ids=lambda path: f"{path.parent.name[:20]}-{path.stem[:12]}")
def test_is_read_without_an_error(path: Path) -> None:
    session = open_session(path)
    reading = session.refresh()
    report = json.loads(b"".join(write_sections(sections(session, reading))))
    assert set(report) == {"schema", *SECTIONS}
    held = [*report["groups"], *([report["pending"]] if report["pending"] else [])]
    assert report["totals"]["results"] == sum(len(group["results"]) for group in held)
    for found in results(reading).values():
        if found.drift is not None:
            version = session.index.versions[session.index.version_of[found.row.record]]
            assert (found.row.tool, parse_version(version or "")) == ("Read", (2, 1, 50)), found.drift


@pytest.mark.timeout(110)
@pytest.mark.parametrize(("name", "stages"), staged(), ids=lambda value: value[7:25] if isinstance(value, str) else "")
def test_stage_by_stage_a_live_reading_is_the_cold_one(tmp_path: Path, name: str, stages: list[int]) -> None:
    whole = (ROOT / name if (ROOT / name).is_file() else ROOT / "staged" / name).read_bytes()
    path = tmp_path / Path(name).name
    path.write_bytes(b"")
    live = open_session(path)
    live.refresh()
    calibrator = Calibrator(live)
    done = 0
    for stage in sorted({*stages, *(stage - 37 for stage in stages), len(whole)}):
        with path.open("ab") as file:
            file.write(whole[done:stage])
        done = stage
        assert comparable(live.refresh()) == comparable(open_session(path).refresh())
        calibrator.step(0.02)
    cold = open_session(path)
    cold.refresh()
    assert calibrator.run() == Calibrator(cold).run()
