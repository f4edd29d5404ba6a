"""What the index keeps of a tool result: sizes and names, no content (spec S7)."""

from __future__ import annotations

from typing import Literal, NamedTuple

CharsSource = Literal["inline", "file", "local", "header", "unknown"]
Content = Literal["text", "wrapper", "cleared", "empty", "image"]


class Notice(NamedTuple):
    """A spill notice in a transcript: the path that it names (foreign text, not believed) and its size words."""

    path: str
    size: str


class ResultRow(NamedTuple):
    """One `tool_result` block as the transcript holds it.

    `chars`: units of the original (P2), from `chars_source`. `model_chars` and `tokens` (T3) are those of what stands in
    the transcript, which is what the model saw unless the budget replaced it. `preview_chars`: units that a wrapper of the
    original would have, without its path; 0 where the text is too short to matter. `candidate`: B1 of the content in the
    transcript. `record`, `block`: where to read it again. `by_hook`: a wrapper that a hook has put in its place, whatever the
    agent's own threshold is.
    """

    tool_use_id: str
    tool: str | None
    label: str
    record: int
    block: int
    content: Content
    chars: int
    chars_source: CharsSource
    model_chars: int
    tokens: int
    preview_chars: int
    candidate: bool
    writable: bool
    notice: Notice | None
    by_hook: bool = False
