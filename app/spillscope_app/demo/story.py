"""What the demo's agent does: the turns of one session, in which everything happens that the budget is there for."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple

from spillscope_app.demo import outputs

Json = dict[str, Any]

CWD = "/srv/harbour"
QUERY = "mcp__warehouse__query"
QUERY_CHARS = 160_000
"""What that tool declares that its results may have."""
SEARCH = "mcp__tracker__search"
PROMPT = (
    "The nightly settlement takes forty minutes since Tuesday's release; it used to take six. Find out why, mend it, and show"
    " me that the totals are still the same."
)
TITLE = "The slow nightly settlement"
_DIGS = 12
"""As many further rounds as the agent goes before it gives up waiting for a compaction."""


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call and what comes of it. `local`: the tool's own output object; `seconds`: how long it runs.

    `agent`: the turns of the sub-agent that works on it meanwhile, which depend on what happens to it.
    """

    tool: str
    arguments: Json
    content: Any
    local: object = None
    seconds: float = 0.3
    agent: Callable[[Memory], Iterator[Turn]] | None = None


class Turn(NamedTuple):
    """One response: thinking, words, calls. Without calls it ends what the user asked for. `in_line`: results between calls."""

    thinks: bool
    words: str
    calls: tuple[Call, ...] = ()
    in_line: bool = False


class Spill(NamedTuple):
    """A result that went to disk, for the agent to read back."""

    path: str
    text: str


@dataclass(slots=True)
class Memory:
    """What happened to a conversation that its next turns depend on."""

    spills: list[Spill] = field(default_factory=list)
    compactions: int = 0


class Story:
    """A session's turns, one after the other: each is made up when it is asked for."""

    def __init__(self, dice: Random, memory: Memory) -> None:
        self._dice, self._memory = dice, memory

    def turns(self) -> Iterator[Turn]:
        """All turns, up to the answer."""
        yield self._look_around()
        yield self._reproduce()
        yield self._ask_widely()
        yield self._read_back(2)
        yield self._look_at_chart()
        yield self._delegate()
        yield self._change()
        yield self._ask_again()
        digs = 0
        while not self._memory.compactions and digs < _DIGS:
            digs += 1
            yield self._dig()
        yield self._change()
        yield self._read_back(1)
        yield Turn(True, "Done: rates are read once a run now, as they were before the release. The run takes 6 min 12 s again,"
                   " and all 412 totals of February are the same to the cent.")  # fmt: skip

    # --- turns ------------------------------------------------------------------------------------------------------------

    def _look_around(self) -> Turn:
        calls = (self._bash("git log --oneline --stat -12", outputs.git_log(self._dice, 3_800)), self._grep(8_200))
        return Turn(True, "I'll look at what the release changed, and at who reads the rates.", calls)

    def _reproduce(self) -> Turn:
        dice = self._dice
        noisy = self._bash("pytest -v tests/ledger tests/exchange", outputs.checks(dice, 94_000, failed=9), seconds=0.9)
        return Turn(False, "Now the code, and the tests.", (noisy, self._read(15_000), self._read(9_500)), in_line=True)

    def _ask_widely(self) -> Turn:
        """Inside every threshold, but not inside the budget of a message."""
        dice = self._dice
        unmatched = "select * from charges where rate_id is null and posted_at >= '2026-03-01'"
        calls = (
            self._grep(18_600),
            self._mcp(QUERY, {"sql": unmatched}, outputs.rows(dice, 142_000), seconds=0.7),
            self._bash("journalctl -u settlement --since '2026-03-03 02:00'", outputs.service_log(dice, 27_500)),
            self._grep(16_400),
            self._mcp(SEARCH, {"query": "settlement slow", "state": "open"}, outputs.issues(dice, 31_000)),
        )
        return Turn(True, "Five questions at once: the data, the log, the tracker, and both places in the code.", calls)

    def _read_back(self, newest: int) -> Turn:
        """What was spilled is still there; and an empty result."""
        calls = [self._back(spill) for spill in self._memory.spills[-newest:]]
        calls.append(self._bash("rg -n 'rates_by_entry' src --glob '!*.pyc'", ""))
        return Turn(False, "The previews are not enough; I'll read what matters.", tuple(calls))

    def _look_at_chart(self) -> Turn:
        png = base64.b64encode(outputs.chart(self._dice)).decode()
        source = {"type": "base64", "media_type": "image/png", "data": png}
        local = {"type": "image", "file": {"base64": png, "type": "image/png", "dimensions": {"width": 240, "height": 96}}}
        image = Call("Read", {"file_path": "/tmp/seconds-a-batch.png"}, [{"type": "image", "source": source}], local)
        explain = self._bash("psql -f explain_settle.sql", outputs.plan(self._dice, 9_000), seconds=0.6)
        return Turn(True, "Every batch is slower than the last.", (image, explain), in_line=True)

    def _delegate(self) -> Turn:
        task = "List every caller of load_rates outside src/exchange, and what each does when a rate is missing."
        answer = (
            "Eleven callers. Nine ask again at once when a rate is missing; two keep the miss for the run:\n"
            + outputs.grep(self._dice, 1_400)
        )

        def steps(memory: Memory) -> Iterator[Turn]:
            yield Turn(True, "I'll find them first.", (self._grep(19_500), self._grep(12_000)))
            caches = self._bash("cat src/*/cache.py", self._code(36_000))
            yield Turn(False, "Now how each deals with a miss.", (self._read(8_000), caches))
            yield Turn(False, "I need all of that one.", tuple(map(_whole, memory.spills[-1:])))
            yield Turn(False, answer)

        content = [{"type": "text", "text": answer}]
        local = {"status": "completed", "prompt": task, "content": content, "totalToolUseCount": 5}
        arguments = {"description": "Find callers of load_rates", "prompt": task, "subagent_type": "Explore"}
        return Turn(False, "A sub-agent can do that part.", (Call("Agent", arguments, content, local, 0.4, steps),))

    def _change(self) -> Turn:
        dice = self._dice
        where, old, new = outputs.path(dice), outputs.statement(dice), outputs.statement(dice)
        said = f"The file {CWD}/{where} has been updated successfully."
        arguments = {"file_path": f"{CWD}/{where}", "old_string": old, "new_string": new, "replace_all": False}
        edit = Call("Edit", arguments, said, {"filePath": arguments["file_path"], "oldString": old, "newString": new})
        passed = self._bash("pytest -q tests/exchange", outputs.checks(dice, 5_200, failed=0), seconds=0.8)
        return Turn(True, "A miss is kept for the whole run now.", (edit, passed), in_line=True)

    def _ask_again(self) -> Turn:
        """The largest has to go, and the next one too."""
        dice = self._dice
        months = [
            self._mcp(QUERY, {"sql": f"select * from charges where month = '2026-{month}'"}, outputs.rows(dice, chars), 0.8)
            for month, chars in (("01", 151_000), ("02", 158_500))
        ]
        (day,) = dice.sample(range(10, 29), 1)
        log = self._bash(f"zcat /var/log/harbour/settle-2026-02-{day}.log.gz", outputs.service_log(dice, 26_500))
        found = self._mcp(SEARCH, {"query": "totals differ", "state": "all"}, outputs.issues(dice, 11_500))
        return Turn(True, "To be sure, the months before for comparison.", (log, *months, self._grep(18_900), found))

    def _dig(self) -> Turn:
        dice = self._dice
        calls = (
            self._read(dice.randint(12_000, 17_000)),
            self._read(dice.randint(6_000, 9_000)),
            self._grep(dice.randint(4_000, 9_000)),
        )
        words = ("And the module that it calls.", "One more caller to check.", "The same pattern may hide here too.")
        return Turn(dice.random() < 0.5, dice.choice(words), calls, dice.random() < 0.5)

    # --- calls ------------------------------------------------------------------------------------------------------------

    def _code(self, chars: int) -> str:
        return outputs.until(outputs.source(self._dice), chars)

    def _bash(self, command: str, output: str, seconds: float = 0.4) -> Call:
        local = {"stdout": output[:30_000], "stderr": "", "interrupted": False, "isImage": False, "noOutputExpected": False}
        return Call("Bash", {"command": command}, output, local, seconds)

    def _grep(self, chars: int) -> Call:
        dice = self._dice
        pattern = f"{dice.choice(outputs.VERBS)}_{dice.choice(outputs.NOUNS)}s?\\("
        content = outputs.grep(dice, chars)
        local = {"mode": "content", "numFiles": 0, "filenames": [], "content": content, "numLines": content.count("\n") + 1}
        return Call("Grep", {"pattern": pattern, "path": f"{CWD}/src", "output_mode": "content"}, content, local, 0.2)

    def _read(self, chars: int) -> Call:
        where, content = f"{CWD}/{outputs.path(self._dice)}", outputs.read_file(self._dice, chars)
        file = {"filePath": where, "numLines": content.count("\n") + 1, "startLine": 1}
        return Call("Read", {"file_path": where}, content, {"type": "text", "file": file}, 0.2)

    def _mcp(self, tool: str, arguments: Json, output: str, seconds: float = 0.5) -> Call:
        return Call(tool, arguments, [{"type": "text", "text": output}], None, seconds)

    def _back(self, spill: Spill) -> Call:
        """A part of a spilled result: a file of blocks by jq, a text by Read."""
        lines = spill.text.split("\n")
        start = self._dice.randrange(max(1, len(lines) - 80))
        part = lines[start : start + 80]
        if spill.path.endswith(".json"):
            command = f"jq -r '.[].text' {spill.path} | sed -n '{start + 1},{start + 80}p'"
            return self._bash(command, "\n".join(part))
        arguments = {"file_path": spill.path, "offset": start + 1, "limit": 80}
        return Call("Read", arguments, "\n".join(f"{start + at}\t{line}" for at, line in enumerate(part, 1)), None, 0.2)


def _whole(spill: Spill) -> Call:
    """All of a spilled text, in one read."""
    numbered = "\n".join(f"{at}\t{line}" for at, line in enumerate(spill.text.split("\n"), 1))
    return Call("Read", {"file_path": spill.path}, numbered, None, 0.2)


def spill_of(path: str, content: Any) -> Spill:
    """A spilled result, a text or text blocks, as the agent remembers it."""
    return Spill(path, content if isinstance(content, str) else "\n".join(block["text"] for block in content))
