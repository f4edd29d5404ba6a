"""Conversations whose usage says what they cost, for tests of calibration."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from spillscope.session.steps import LeftOut
from spillscope.tokens.calibration import Step
from spillscope.tokens.priors import find_prior
from spillscope.tokens.weight import weigh
from transcripts import MODEL, Record, Writer, text, use

PROSE = "The parser reads a line, looks at what it holds, and hands it on to whoever asked for it. " * 8
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}
OUTPUT = 120
"""Tokens that a response puts out unless somebody says otherwise."""


class Paying(Writer):
    """Writes responses with the usage that follows from what was said before. `carried`: what the next request carries."""

    def __init__(self, head: int = 20_000, **options: Any) -> None:
        super().__init__(**options)
        self.carried = head
        self.calls = 0

    def ask(self, *blocks: Record, output: int = OUTPUT, **options: Any) -> str:
        """A response with one call, or with `blocks`; returns the call's id."""
        self.calls += 1
        name = f"t{self.calls}"
        usage = {"input_tokens": self.carried, "output_tokens": output}
        self.say(*(blocks or [use("Bash", name, {"command": "ls"})]), **{"usage": usage, **options})
        self.carried += OUTPUT
        return name

    def step(self, content: object = PROSE, cost: int | None = None, **options: Any) -> int:
        """A response, and the result of its call; returns what that costs: `cost`, or what the prior says of it."""
        name = self.ask(**options)
        self.result(name, content)
        cost = price(content) if cost is None else cost
        self.carried += cost
        return cost


def price(content: object) -> int:
    """What one result costs by the shipped prior."""
    prior = find_prior(MODEL)
    words = content if isinstance(content, str) else "".join(block.get("text", "") for block in content)  # type: ignore[attr-defined]
    return round(prior.text_tokens(weigh(words)) + prior.message)


def only_steps(found: dict[int, Step | Any]) -> dict[int, Step]:
    return {number: step for number, step in found.items() if isinstance(step, Step)}


# --- steps that prove nothing ------------------------------------------------------------------------------------------


def image(writer: Paying) -> None:
    writer.step([{"type": "text", "text": PROSE}, IMAGE])


def reference(writer: Paying) -> None:
    writer.step([{"type": "text", "text": PROSE}, {"type": "tool_reference", "tool_name": "x"}])


def attachment(writer: Paying) -> None:
    writer.step()
    writer.put("attachment", {"attachment": {"type": "task_reminder", "content": []}})


def compaction(writer: Paying) -> None:
    writer.step()
    writer.boundary()


def clear(writer: Paying) -> None:
    writer.step()
    writer.prompt(PROSE, parent=None)


def microcompaction(writer: Paying) -> None:
    writer.step()
    writer.put("system", {"subtype": "microcompact_boundary", "microcompactMetadata": {"compactedToolIds": ["t1"]}})


def placeholder(writer: Paying) -> None:
    writer.step(output=3)


def placeholder_of_many_calls(writer: Paying) -> None:
    writer.ask(*(use("Glob", f"g{at}", {"pattern": "*"}) for at in range(6)), output=100)
    writer.result("g1", PROSE)


def no_usage(writer: Paying) -> None:
    writer.step(usage=None)


def other_model(writer: Paying) -> None:
    writer.step(model="claude-haiku-4-5")


def local(writer: Paying) -> None:
    writer.step()
    writer.say(text("API Error"), model="<synthetic>", usage={"input_tokens": 0, "output_tokens": 0})


def prompt(writer: Paying) -> None:
    writer.ask(text("Done."))
    writer.prompt(PROSE)
    writer.carried += price(PROSE)


def shrunk(writer: Paying) -> None:
    writer.step(cost=-500)


def small(writer: Paying) -> None:
    writer.step("ok")


SPECIAL: list[tuple[LeftOut, Callable[[Paying], None]]] = [
    ("image", image),
    ("image", reference),
    ("attachment", attachment),
    ("compaction", compaction),
    ("compaction", clear),
    ("microcompaction", microcompaction),
    ("placeholder", placeholder),
    ("placeholder", placeholder_of_many_calls),
    ("no usage", no_usage),
    ("model", other_model),
    ("local", local),
    ("prompt", prompt),
    ("shrunk", shrunk),
    ("small", small),
]
