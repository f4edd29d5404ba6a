"""Stage 5, `autocompact`: when the context is full, a summary takes the place of the history (spec W2, W3, W7).

The decision, the records and what happens on failure are here; the words of the summary are those of the caller's model.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from spillscope.errors import one_line
from spillscope.messages import Message, content_blocks, message_body, message_id, message_kind, result_id
from spillscope.pipeline.breaker import Breaker
from spillscope.pipeline.records import CompactionRecords, new_records, without_usage
from spillscope.tokens.hybrid import HybridCount, rough_token_count_estimation_for_messages, token_count_with_estimation
from spillscope.window.thresholds import Window


class Summary(NamedTuple):
    """What a summariser gives: its text, and how many of the last messages stay whole.

    More stay where the cut would part a result from its call, or the records of one response.
    """

    text: str
    keep: int = 0


Summarise = Callable[[list[Message]], str | Summary]
"""Given the messages as the model sees them, returns their summary. Raises whatever it likes: that is a failed compaction."""
SummariseLater = Callable[[list[Message]], str | Summary | Awaitable[str | Summary]]
"""The same, or a coroutine function, for `AgentContext.aprepare`."""

Source = Literal["main", "agent", "compact"]
"""Who makes the request; `compact`: a summariser, whose own request is never compacted."""
Status = Literal["off", "below", "compaction", "stopped", "thrashing", "due", "failed", "compacted"]


@dataclass(frozen=True, slots=True)
class AutocompactContext:
    """`summarise` None, or auto-compact off in `window`: the stage is off. `freed_tokens`: what W6 took out.

    `count`: T4 of the messages, where the caller has it.
    """

    summarise: SummariseLater | None
    window: Window
    breaker: Breaker
    source: Source = "main"
    freed_tokens: int = 0
    records: CompactionRecords = new_records
    count: HybridCount | None = None


@dataclass(frozen=True, slots=True)
class AutocompactReport:
    """`status`: why nothing was compacted, or that it was. `tokens`: T4 less what was freed, as it was judged.

    `boundary` and `summary`: the records that were made. `kept`: how many of the last messages stayed. `error`: of a failed
    compaction, in one line.
    """

    status: Status
    tokens: int = 0
    boundary: Message | None = None
    summary: Message | None = None
    kept: int = 0
    error: str | None = None


def decide(messages: Sequence[Message], context: AutocompactContext) -> AutocompactReport:
    """W7: whether these messages, as the model sees them, are to be compacted: then the status is `due`. Counts the request."""
    if context.summarise is None or not context.window.auto_compact_enabled:
        return AutocompactReport("off")
    if context.source == "compact":
        return AutocompactReport("compaction")
    breaker = context.breaker
    breaker.request()
    count = context.count or token_count_with_estimation(messages)
    tokens = count.total - context.freed_tokens
    if tokens < context.window.auto_compact:
        breaker.roomy()
        return AutocompactReport("below", tokens)
    breaker.filled()
    if breaker.stopped:
        return AutocompactReport("stopped", tokens)
    return AutocompactReport("thrashing" if breaker.thrashing else "due", tokens)


def compact(
    messages: list[Message], context: AutocompactContext, due: AutocompactReport, made: str | Summary
) -> tuple[list[Message], AutocompactReport]:
    """W7: boundary record, summary message, kept messages. A blank summary, or records that can't be made, are a failure."""
    summary = made if isinstance(made, Summary) else Summary(made)
    try:
        if not summary.text.strip():
            raise ValueError("the summary is blank")
        kept = messages[_whole_from(messages, len(messages) - max(0, summary.keep)) :]
        after = rough_token_count_estimation_for_messages([{"role": "user", "content": summary.text}, *kept])
        boundary, said = context.records(summary.text, due.tokens, after, kept=kept)
    except Exception as error:  # the records are the caller's to make: the loop goes on with what it has
        return messages, failed(context, due, error)
    context.breaker.compacted()
    report = AutocompactReport("compacted", due.tokens, boundary, said, len(kept))
    return [*_in_the_shape_of(messages, boundary, said), *map(without_usage, kept)], report


def failed(context: AutocompactContext, due: AutocompactReport, error: Exception) -> AutocompactReport:
    """W3: one more failure in a row."""
    context.breaker.failed()
    return AutocompactReport("failed", due.tokens, error=one_line(error))


def autocompact(messages: list[Message], context: AutocompactContext) -> tuple[list[Message], AutocompactReport]:
    """W7, in one go: decide, ask the summariser, compact. The list it was given, unless it compacted."""
    due = decide(messages, context)
    if due.status != "due" or context.summarise is None:
        return messages, due
    try:
        made = context.summarise(messages)
    except Exception as error:  # the summariser is the caller's
        return messages, failed(context, due, error)
    if isinstance(made, Awaitable):
        if isinstance(made, Coroutine):
            made.close()
        raise TypeError("the summariser is a coroutine function: prepare with aprepare")
    return compact(messages, context, due, made)


def _whole_from(messages: Sequence[Message], at: int) -> int:
    """The nearest place at or before `at` where a cut parts no result from its call and no response from itself."""
    at = max(0, min(at, len(messages)))
    while 0 < at < len(messages) and not _may_begin(messages, at):
        at -= 1
    return at


def _may_begin(messages: Sequence[Message], at: int) -> bool:
    message = messages[at]
    kind = message_kind(message)
    if kind == "user":
        return not any(result_id(block) is not None for block in content_blocks(message))
    if kind == "assistant":
        response = message_id(message)
        return response is None or all(
            message_kind(earlier) != "assistant" or message_id(earlier) != response for earlier in messages[:at]
        )
    return True


def _in_the_shape_of(messages: Sequence[Message], boundary: Message, said: Message) -> list[Message]:
    """Both records, where the conversation is one of records; a plain one could send neither, but for what was said."""
    if any("message" in message for message in messages if isinstance(message, dict)):
        return [boundary, said]
    return [message_body(said)]
