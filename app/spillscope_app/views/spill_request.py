"""What the viewer is asked to show of a spill."""

from __future__ import annotations

import os

from spillscope.session.reading import Reading
from spillscope.session.spills import Spill
from spillscope.wrapper import parse_wrapper
from spillscope_app.feed import Source
from spillscope_app.spans import Line, Span
from spillscope_app.viewer.request import ViewerRequest
from spillscope_app.views.badges import badges_line
from spillscope_app.views.spill_detail import title_of

_COPY: Line = (Span("There is no file to be opened: this is the agent's local copy in the transcript.", "warn"),)


def spill_request(spill: Spill, reading: Reading, source: Source) -> ViewerRequest:
    """The file, looked at once more (S6), with what the model saw of it; or the text that the transcript kept of it.

    Reads the transcript: for a worker.
    """
    seen = source.seen(spill, reading)
    wrapper = parse_wrapper(seen) if seen is not None else None
    preview = wrapper.preview if wrapper is not None else None
    facts = (badges_line(spill),) if spill.badges else ()
    file = source.find(spill.file.path)
    kept = None if file.exists else source.kept(spill, reading)
    if kept is not None:
        content = kept.encode("utf-8", "surrogatepass")
        return ViewerRequest(title_of(spill), content=content, facts=(*facts, _COPY), preview_text=preview, model_view=seen)
    return ViewerRequest(
        title_of(spill),
        os.path.realpath(file.path) if file.inside else file.path,
        facts=facts,
        preview_text=preview,
        model_view=seen,
        json=file.path.endswith(".json"),
        outside=not file.inside,
        moved=file.moved,
    )
