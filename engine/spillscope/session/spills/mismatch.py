"""Whether a spill file is what its notice says: by its size, and by its beginning (spec S9)."""

from __future__ import annotations

from spillscope.session.session import Session
from spillscope.session.spills.model import Spill
from spillscope.transcript.content import plain_text, read_content
from spillscope.transcript.rows import Notice
from spillscope.transcript.spill_files import MAX_COUNTED_BYTES, SpillFile, read_spill
from spillscope.wrapper import Wrapper, fits_header, header_size, header_slack, parse_wrapper

MOST_BYTES = 3
"""UTF-8 takes at most as many bytes for a unit."""


def mismatch_of(session: Session, spill: Spill, notice: Notice | None) -> str | None:
    """ "size", "preview", or None where nothing speaks against the file. Reads the record of a result, and the file's head."""
    if notice is None or not spill.file.inside or not spill.file.exists:
        return None
    if wrong_size(session, notice, spill.file):
        return "size"
    if spill.row is None or spill.origin == "budget":
        return None
    wrapper = parse_wrapper(plain_text(read_content(session.place.path, session.index, spill.row)))
    if wrapper is None:
        return None
    try:
        head = read_spill(spill.file, head_bytes(wrapper))
    except OSError:
        return None
    return "preview" if wrong_head(head, wrapper) else None


def wrong_size(session: Session, notice: Notice, file: SpillFile) -> bool:
    """Whether the header fits neither the file's units nor its bytes.

    A file too large to be counted is wrong only where no text of so many bytes has so many units.
    """
    if file.bytes is None or not notice.size or fits_header(file.bytes, notice.size):
        return False
    if file.bytes > MAX_COUNTED_BYTES:
        stated, slack = header_size(notice.size), header_slack(notice.size)
        return stated is not None and not stated - slack <= file.bytes <= MOST_BYTES * (stated + slack)
    counts = session.files.count(file), session.files.count_text(file)
    return not any(count is None or fits_header(count, notice.size) for count in counts)


def head_bytes(wrapper: Wrapper) -> int:
    """As much of a file as a preview needs to be held against it."""
    return 4 * len(wrapper.preview) + 8


def wrong_head(head: bytes, wrapper: Wrapper) -> bool:
    """Whether a file does not begin with the preview of its notice."""
    return not head.decode(errors="replace").startswith(wrapper.preview)
