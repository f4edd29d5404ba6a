"""`limits --export`: the limits in another form, with what they would do to a session as notes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from spillscope.limits_export import Format, export_limits
from spillscope.session.calibration import Calibrator
from spillscope.session.session import Session
from spillscope.session.whatif.compare import WhatIf
from spillscope.session.whatif.comparison import Comparison
from spillscope_app.cli_limits import LimitsRequest, agent_config_dir
from spillscope_app.cli_report import calibrated, insist_on_a_transcript, place_for
from spillscope_app.progress import Progress


def exported(form: Format, measured_on: Path | None, limits: LimitsRequest) -> str:
    """The limits that a call asks for; with a session, against those that it has without the call's own."""
    if measured_on is None:
        return export_limits(limits.book(agent_config_dir()).newest, form)
    place = place_for(measured_on)
    edited = limits.book(place.config_dir)
    session = Session(place, LimitsRequest(alone=limits.alone).book(place.config_dir))
    with Progress("reading") as progress:
        reading = session.refresh(progress.step)
    insist_on_a_transcript(place, reading)
    factor = calibrated(Calibrator(session)).scores.rough.factor
    found = WhatIf(session, reading).compare(edited, factor=factor)
    return export_limits(edited.newest, form, list(expected_effect(reading.session.id, found)))


def expected_effect(session_id: str, found: Comparison) -> Iterator[str]:
    """What a comparison found, as notes for an export: before → after."""
    mode = "had it been so from the start" if found.mode == "start" else f"from request {found.since + 1:,} on"
    yield f"expected effect, measured on session {session_id}, {found.results:,} results, {mode}:"
    for name, change in (
        ("results spilled", found.spilled),
        ("tokens kept out", found.tokens_kept_out),
        ("peak of the context", found.peak),
        ("groups over budget", found.over_budget),
    ):
        yield f"  {name}: {change.before:,} → {change.after:,}"
    first, then = (_request(number) for number in found.auto_compact)
    yield f"  auto-compact: {first} → {then}"
    if found.unknown:
        yield f"  {len(found.unknown):,} results are left out, whose originals nobody has"


def _request(number: int | None) -> str:
    return "never" if number is None else f"at request {number + 1:,}"
