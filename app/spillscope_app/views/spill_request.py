"""What the viewer is asked to show of a spill."""

from __future__ import annotations

import os

from spillscope.session.reading import Reading, Result
from spillscope.session.spills import Spill
from spillscope.wrapper import parse_wrapper
from spillscope_app.feed import Source
from spillscope_app.viewer.request import ViewerRequest
from spillscope_app.views.badges import badges_line
from spillscope_app.views.events import key_of_result
from spillscope_app.views.spill_detail import title_of


def spill_request(spill: Spill, reading: Reading, source: Source) -> ViewerRequest:
    """The file, looked at once more (S6), with what the model saw of it. Reads the transcript: for a worker."""
    file = source.find(spill.file.path)
    seen = _model_view(spill, reading, source)
    wrapper = parse_wrapper(seen) if seen is not None else None
    return ViewerRequest(
        title_of(spill),
        os.path.realpath(file.path) if file.inside else file.path,
        facts=(badges_line(spill),) if spill.badges else (),
        preview_text=wrapper.preview if wrapper is not None else None,
        model_view=seen,
        json=file.path.endswith(".json"),
        outside=not file.inside,
    )


def _model_view(spill: Spill, reading: Reading, source: Source) -> str | None:
    """The notice that the model got; None where it stands in no group of this reading."""
    result = _result_of(spill, reading)
    return source.look(result, "model").text if result is not None else None


def _result_of(spill: Spill, reading: Reading) -> Result | None:
    if spill.group is None or spill.agent_id is not None:
        return None
    key = key_of_result(reading, spill.group, spill.tool_use_id)
    if key is None:
        return None
    number = key.ident // 2
    group = reading.groups[number] if number < len(reading.groups) else reading.pending
    return group.results[key.child] if group is not None else None
