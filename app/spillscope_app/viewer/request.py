"""What a viewer is asked to show."""

from __future__ import annotations

from dataclasses import dataclass

from spillscope.blocks import take_units
from spillscope_app.spans import Line
from spillscope_app.viewer.blob import Blob


@dataclass(frozen=True, slots=True)
class ViewerRequest:
    """A file or a text, and what is known of it.

    `path`: with its links resolved (`os.path.realpath`) in the moment in which `SpillFiles.find` said that it is inside
    (spec S6); `outside`: it is not, and is opened only when the user asks and confirms; `moved`: it should be, but the session
    was moved without it. `content`: a text to show in place of
    a file. `facts`: lines that stand above it. `preview_text`: what the model saw of it (P9), or where only its length is
    known `preview_chars`, in units. `model_view`: all that the model got in its place, the notice around it included.
    `json`: a list of blocks, to be shown folded.
    """

    title: Line
    path: str | None = None
    content: bytes | None = None
    facts: tuple[Line, ...] = ()
    preview_chars: int | None = None
    preview_text: str | None = None
    model_view: str | None = None
    json: bool = False
    outside: bool = False
    moved: bool = False


def preview_end(blob: Blob, request: ViewerRequest) -> int:
    """The offset where the rule stands, 0 for none: a preview that is not the beginning of the bytes marks no place in them."""
    if request.preview_text is not None:
        wanted = request.preview_text.encode("utf-8", "surrogatepass")
        end = len(wanted) if blob.read(0, len(wanted)) == wanted else 0
    elif request.preview_chars is not None:
        # A unit takes at most three bytes; surrogateescape gives each broken byte back as it was.
        head = blob.read(0, 3 * request.preview_chars + 3).decode("utf-8", "surrogateescape")
        end = len(take_units(head, request.preview_chars).encode("utf-8", "surrogateescape"))
    else:
        return 0
    after = blob.read(end, 2)
    end += 2 if after == b"\r\n" else 1 if after.startswith(b"\n") else 0
    return end if end < blob.size else 0
