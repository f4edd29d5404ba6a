"""`report --count-api`: what the API itself counts for the messages in view (spec T6). The SDK is imported only here."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from spillscope.clean import clean
from spillscope.session.model_view import messages_in_view
from spillscope.session.session import Session
from spillscope.tokens.api_shape import api_messages
from spillscope.tokens.exact import ExactCount, count_exactly
from spillscope.tokens.hybrid import rough_token_count_estimation_for_messages
from spillscope.window.models import EXTENDED_SUFFIX

if TYPE_CHECKING:
    from anthropic import Anthropic

RETRIES = 1
TIMEOUT_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class CountedView:
    """The messages in view, counted by the API; `estimate`: T3 of the same messages; `left_out`: blocks that it refuses."""

    count: ExactCount
    model: str
    estimate: int
    left_out: int

    def to_json(self) -> dict[str, Any]:
        """The `context.exactApi` of a report."""
        return {
            "count": self.count.tokens,
            "how": self.count.how,
            "why": self.count.why,
            "model": self.model,
            "estimate": self.estimate,
            "leftOut": self.left_out,
        }

    def line(self) -> str:
        """For people."""
        count = self.count
        if count.tokens is None:
            return f"no exact count: {clean(count.why or '')}; rough estimate of the messages {self.estimate:,}"
        left = f"; {self.left_out} blocks left out" if self.left_out else ""
        return (
            f"messages alone, without system prompt and tools: {count.tokens:,} tokens by {count.how} ({clean(self.model)}), "
            f"rough estimate {self.estimate:,}{left}"
        )


def count_view(session: Session, model: str | None) -> CountedView:
    """Sends the messages in view to be counted, as those of `model`.

    Raises ClickException where the SDK, a key or the model's name is missing; a request that fails is told in the result.
    """
    name = (model or "").removesuffix(EXTENDED_SUFFIX)
    if not name:
        raise click.UsageError("the session names no model to count for: name one with --model")
    with closing(_client()) as client:
        sent = api_messages(messages_in_view(session))
        count = count_exactly(sent.messages, (), client, name)
    return CountedView(count, name, rough_token_count_estimation_for_messages(sent.messages), sent.left_out)


def _client() -> Anthropic:
    try:
        from anthropic import Anthropic, AnthropicError
    except ImportError:
        raise click.ClickException(
            "--count-api needs the anthropic SDK: install it with pip install 'spillscope[api]'"
        ) from None
    try:
        client = Anthropic(max_retries=RETRIES, timeout=TIMEOUT_SECONDS)
    except (AnthropicError, ValueError, TypeError) as error:
        raise click.ClickException(f"--count-api: {error}") from error
    if not (client.api_key or client.auth_token or client.credentials):
        client.close()
        raise click.ClickException("--count-api needs a key of the API: set ANTHROPIC_API_KEY")
    return client
