"""S5: the messages in the context as the model sees them, read back from the files, for whoever sends them on."""

from __future__ import annotations

from collections.abc import Iterator

from spillscope.blocks import CLEARED_PLACEHOLDER
from spillscope.budget.enforce import apply_replacements
from spillscope.budget.grouping import collect_candidates_by_message
from spillscope.messages import Message, with_results
from spillscope.session.contents import replacement_text
from spillscope.session.session import Session
from spillscope.transcript.content import records_at
from spillscope.transcript.plain import plain_records, read_plain


def messages_in_view(session: Session) -> list[Message]:
    """The records of the current segment in model order, what the compaction kept included, replacements applied.

    Holds the whole context in memory; what the file no longer holds is left out. Attachments are not among them.
    """
    messages = list(_records(session))
    groups = collect_candidates_by_message(messages)
    wanted = {candidate.tool_use_id for group in groups for candidate in group.candidates}
    replaced = apply_replacements(messages, groups, dict(_replacements(session, wanted)))
    return with_results(replaced, dict.fromkeys(session.index.cleared, CLEARED_PLACEHOLDER))


def _records(session: Session) -> Iterator[Message]:
    index, segment = session.index, session.chain.current
    members = segment.order if segment is not None else ()
    if any(index.lengths[member] == 0 for member in members):  # plain messages have no place of their own in their file
        plain = read_plain(session.place.path)
        records = {record["uuid"]: record for record in plain_records(plain.messages if plain is not None else ())}
        yield from (records[name] for member in members if (name := index.uuids[member]) in records)
        return
    for member in members:
        held = records_at(session.place.path, index.offsets[member], index.lengths[member])
        yield from (record for record in held if record.get("uuid") == index.uuids[member])


def _replacements(session: Session, wanted: set[str]) -> Iterator[tuple[str, str]]:
    for tool_use_id in wanted.intersection(session.index.replacements):
        text = replacement_text(session, tool_use_id, session.index.replacements[tool_use_id])
        if text is not None:
            yield tool_use_id, text
