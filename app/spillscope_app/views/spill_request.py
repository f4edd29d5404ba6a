"""What the viewer is asked to show of a spill."""

from __future__ import annotations

import os

from spillscope.session.reading import Reading, Result
from spillscope.session.spills import Spill
from spillscope.wrapper import parse_wrapper
from spillscope_app.feed import Source
from spillscope_app.spans import Line, Span
from spillscope_app.viewer.request import ViewerRequest
from spillscope_app.views.badges import badges_line
from spillscope_app.views.events import key_of_result
from spillscope_app.views.spill_detail import title_of

_COPY: Line = (Span("There is no file to be opened: this is the agent's local copy in the transcript.", "warn"),)


def spill_request(spill: Spill, reading: Reading, source: Source) -> ViewerRequest:
    """The file, looked at once more (S6), with what the model saw of it; or the text that the transcript kept of it.

    Reads the transcript: for a worker.
    """
    result = _result_of(spill, reading)
    seen = source.look(result, "model").text if result is not None else None
    wrapper = parse_wrapper(seen) if seen is not None else None
    preview = wrapper.preview if wrapper is not None else None
    facts = (badges_line(spill),) if spill.badges else ()
    file = source.find(spill.file.path)
    if not file.exists and result is not None:
        kept = source.look(result, "original")
        if kept.source == "local" and kept.text is not None:
            content = kept.text.encode("utf-8", "surrogatepass")
            return ViewerRequest(title_of(spill), content=content, facts=(*facts, _COPY), preview_text=preview, model_view=seen)
    return ViewerRequest(
        title_of(spill),
        os.path.realpath(file.path) if file.inside else file.path,
        facts=facts,
        preview_text=preview,
        model_view=seen,
        json=file.path.endswith(".json"),
        outside=not file.inside,
    )


def _result_of(spill: Spill, reading: Reading) -> Result | None:
    """The result that was spilled, where it stands in a group of this reading."""
    if spill.group is None or spill.agent_id is not None:
        return None
    key = key_of_result(reading, spill.group, spill.tool_use_id)
    if key is None:
        return None
    number = key.ident // 2
    group = reading.groups[number] if number < len(reading.groups) else reading.pending
    return group.results[key.child] if group is not None else None
