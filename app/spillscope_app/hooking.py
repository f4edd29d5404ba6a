"""`spillscope hook` as the agent calls it: an event on standard input, an answer or nothing on standard output.

It fails open: whatever goes wrong, the result stays as it is, the status is 0, and a line on stderr says why. Imports no more
than it needs, for it starts once a tool call.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable

from spillscope.clean import clean
from spillscope.errors import RequestError, SpillscopeError, one_line
from spillscope.hook.answer import Result, answer, read_event
from spillscope.limits import Limits
from spillscope.transcript.parse import TOO_DEEP, parse_line
from spillscope_app.deadline import Deadline

MAX_EVENT_BYTES = 64 << 20
"""An event beyond that is left alone: no tool gives as much, and to parse it would cost more than its text."""
SECONDS = 2.0
"""Wall time after which the agent gets its result as it is."""

LimitsFor = Callable[[Result], Limits]


def run(seconds: float = SECONDS, limits_for: LimitsFor | None = None) -> int:
    """Answers the event on standard input. Always 0. `limits_for`: by default what the files say."""
    deadline = Deadline(seconds, f"spillscope hook: left as it is: not done within {seconds:g} seconds")
    try:
        said = respond(sys.stdin.buffer.read(MAX_EVENT_BYTES + 1), limits_for or standing_limits)
        deadline.met()
        if said:
            sys.stdout.buffer.write(said)
        sys.stdout.buffer.flush()
    except (Exception, KeyboardInterrupt) as error:  # the agent's own result is always there
        complain(str(error) if isinstance(error, SpillscopeError) else one_line(_as_exception(error)))
    return 0


def respond(raw: bytes, limits_for: LimitsFor) -> bytes:
    """The bytes that answer an event; none where its result stays as it is. Raises SpillscopeError or OSError."""
    result = read_event(_parse(raw))
    if result is None:
        return b""
    said = answer(result, limits_for(result), log=lambda failure: complain(failure.error))
    return json.dumps(said).encode() if said is not None else b""


def standing_limits(result: Result) -> Limits:
    """L11: the agent's settings < the user's file < the project's, for the folder that the agent works in."""
    from spillscope.limits_sources import LimitsPlan
    from spillscope.transcript.layout import default_config_dir, place_of
    from spillscope_app.limits_places import user_limits_file

    config_dir = place_of(result.session_dir).config_dir or default_config_dir(os.environ)
    return LimitsPlan(config_dir, user_limits_file(), result.cwd).load().newest


def complain(words: str) -> None:
    """One line on stderr."""
    sys.stderr.write(f"spillscope hook: left as it is: {clean(' '.join(words.split()))}\n")


def _parse(raw: bytes) -> object:
    if len(raw) > MAX_EVENT_BYTES:
        raise RequestError(f"the event on standard input is larger than {MAX_EVENT_BYTES >> 20} MB")
    if not raw.strip():
        raise RequestError("there is no event on standard input")
    parsed = parse_line(raw)
    if len(parsed.records) != 1 or parsed.reason is not None:
        raise RequestError(f"the event on standard input is {parsed.reason or TOO_DEEP}")
    return parsed.records[0]


def _as_exception(error: BaseException) -> Exception:
    return error if isinstance(error, Exception) else Exception("interrupted")
