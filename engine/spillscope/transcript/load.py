"""A transcript as an agent loads it to go on: the messages of the conversation, and the records beside them (B12, S4)."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from spillscope.budget.state import RECORD_TYPE
from spillscope.messages import Message
from spillscope.pipeline.collapse import COMMIT_TYPE
from spillscope.pipeline.microcompact import BOUNDARY_SUBTYPE
from spillscope.pipeline.snip import SNIP_SUBTYPE, named_by, without
from spillscope.transcript.chain import Chain
from spillscope.transcript.index import Index
from spillscope.transcript.layout import place_of
from spillscope.transcript.parse import Record, parse_line
from spillscope.transcript.spill_files import SpillFiles


class Conversation(NamedTuple):
    """`messages`: in model order, from the last compaction or `/clear` on, what it kept included, without what was snipped.

    `records`: of replacements, cleared results and collapsed spans, in file order. `last`: the uuid on which the next record
    hangs (`TranscriptWriter(last=…)`), None in a transcript without messages.
    """

    messages: list[Message]
    records: list[Record]
    last: str | None


def load_conversation(path: Path) -> Conversation:
    """Reads a transcript whole; lines that can't be read are left out (S2). Raises OSError where the file can't be read.

    For a sub-agent: its own sidechain file.
    """
    place = place_of(path)
    index = Index(SpillFiles(place), of_agent=place.agent_id is not None)
    by_uuid: dict[str, Record] = {}
    beside: list[Record] = []
    snipped: set[str] = set()
    with path.open("rb") as file:
        for line in file:
            for record in parse_line(line).records:
                index.add(record, 0, 0)
                uuid = record.get("uuid")
                if isinstance(uuid, str):
                    by_uuid.setdefault(uuid, record)
                if record.get("type") in (RECORD_TYPE, COMMIT_TYPE) or record.get("subtype") == BOUNDARY_SUBTYPE:
                    beside.append(record)
                if record.get("subtype") == SNIP_SUBTYPE:
                    snipped.update(named_by(record))
    chain = Chain(index)
    chain.update(set(), False)
    if chain.current is None:
        return Conversation([], beside, None)
    messages = [by_uuid[index.uuids[member]] for member in chain.current.order]
    return Conversation(without(messages, frozenset(snipped)), beside, index.uuids[chain.current.leaf])
