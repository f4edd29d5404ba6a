"""`spillscope hook` as the agent calls it: an event on standard input, an answer or nothing on standard output.

It fails open: whatever goes wrong, the result stays as it is, the status is 0, and a line on stderr says why. Imports no more
than it needs, for it starts once a tool call.
"""

from __future__ import annotations

import json
import os
import sys

from spillscope.errors import RequestError
from spillscope.hook.answer import answer, read_event
from spillscope.transcript.parse import TOO_DEEP, parse_line
from spillscope_app.failing_open import Deadline, complain
from spillscope_app.limits_places import standing_limits

_PROJECT_VARIABLE = "CLAUDE_PROJECT_DIR"
WHO = "hook: left as it is"
"""How its complaints begin."""
MAX_EVENT_BYTES = 64 << 20
"""An event beyond that is left alone: no tool gives as much, and to parse it would cost more than its text."""
SECONDS = 2.0
"""Wall time after which the agent gets its result as it is."""


def run(seconds: float = SECONDS) -> int:
    """Answers the event on standard input. Always 0."""
    deadline = Deadline(seconds, f"spillscope {WHO}: not done within {seconds:g} seconds")
    said = b""
    try:
        said = respond(sys.stdin.buffer.read(MAX_EVENT_BYTES + 1))
    except (Exception, KeyboardInterrupt) as error:  # the agent's own result is always there
        complain(WHO, error)
    deadline.met()
    try:
        sys.stdout.buffer.write(said)
        sys.stdout.buffer.flush()
    except OSError as error:
        complain(WHO, error)
    return 0


def respond(raw: bytes) -> bytes:
    """The bytes that answer an event; none where its result stays as it is. Raises SpillscopeError or OSError."""
    result = read_event(_parse(raw))
    if result is None:
        return b""
    limits = standing_limits(result.transcript, (result.cwd, os.environ.get(_PROJECT_VARIABLE)))
    said = answer(result, limits, log=lambda failure: complain(WHO, failure.error))
    return json.dumps(said).encode() if said is not None else b""


def _parse(raw: bytes) -> object:
    if len(raw) > MAX_EVENT_BYTES:
        raise RequestError(f"the event on standard input is larger than {MAX_EVENT_BYTES >> 20} MB")
    if not raw.strip():
        raise RequestError("there is no event on standard input")
    parsed = parse_line(raw)
    if len(parsed.records) != 1 or parsed.reason is not None:
        raise RequestError(f"the event on standard input is {parsed.reason or TOO_DEEP}")
    return parsed.records[0]
