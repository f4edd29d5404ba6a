"""Real sessions, where SPILLSCOPE_REAL_SESSIONS names a folder of them: a what-if decides as a replay does."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from spillscope.limits_sources import LimitsBook
from spillscope.session.whatif.compare import WhatIf
from transcripts import open_session, results

NAMED = os.environ.get("SPILLSCOPE_REAL_SESSIONS")
pytestmark = pytest.mark.skipif(NAMED is None, reason="SPILLSCOPE_REAL_SESSIONS names no folder of real sessions")
EDITS: tuple[dict[str, Any], ...] = (
    {"overrides": {"Bash": 5_000, "Grep": 5_000}},
    {"aggregate": True, "message_budget": 20_000},
    {"default_threshold": 3_000, "declared": {"Read": 20_000}, "aggregate": True, "message_budget": 50_000},
    {},
)


def transcripts() -> list[Path]:
    return sorted((Path(NAMED) / "projects").rglob("*.jsonl")) if NAMED else []


@pytest.mark.parametrize("path", transcripts(), ids=lambda path: f"{path.parent.name[:20]}-{path.stem[:12]}")
def test_decides_as_a_replay_does(path: Path) -> None:
    session = open_session(path)
    reading = session.refresh()
    asked = WhatIf(session, reading)
    for edit in EDITS:
        book = LimitsBook().with_layer(edit, "test")
        found, truth = asked.compare(book), open_session(path, book).refresh()
        before, after = results(reading), results(truth)
        differing = {name for name in before if before[name].fate != after[name].fate}
        assert set(found.flips.ids()) == differing
        assert found.spilled.after == truth.totals.persisted + truth.totals.replaced
        assert (found.tokens_kept_out.after, found.over_budget.after) == (truth.totals.tokens_saved, truth.totals.over_budget)
        if not edit:
            assert found.before == found.after
