"""The gauge can be trusted: what may move it, and what never does (spec T4, T7, S10)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spillscope.session.reading import Reading
from spillscope.session.sidechains import sub_agents
from transcripts import Writer, lines, open_session, read, text, use

Json = dict[str, Any]
SLOW = [HealthCheck.function_scoped_fixture]


@pytest.fixture
def writer() -> Writer:
    writer = Writer()
    writer.prompt("x" * 400)
    return writer


def usage(read_tokens: int, output: int, **more: object) -> Json:
    return {"input_tokens": 3, "cache_read_input_tokens": read_tokens, "output_tokens": output, **more}


def exact(reading: Reading) -> tuple[int, str | None, float | None]:
    return reading.context.usage, reading.context.anchor_uuid, reading.context.exact_at


class TestSplitResponses:
    def test_with_growing_output_count_once_with_the_largest(self, tmp_path: Path, writer: Writer) -> None:
        for output in (1, 1, 247):
            writer.say(text("part"), id="one", usage=usage(50_000, output))
        reading = read(writer.save(tmp_path))
        (request,) = reading.requests
        assert (request.usage.prompt, request.usage.output) == (50_003, 247)
        assert reading.context.usage == 50_250

    def test_a_record_that_comes_late_states_its_count_later(self, tmp_path: Path, writer: Writer) -> None:
        writer.say(text("part"), id="one", usage=usage(50_000, 1))
        session = open_session(writer.save(tmp_path))
        assert session.refresh().context.usage == 50_004
        writer.say(text("rest"), id="one", usage=usage(50_000, 247))
        writer.save(tmp_path)
        reading = session.refresh()
        assert (reading.context.usage, reading.requests[0].usage.total) == (50_250, 50_250)

    def test_a_fork_that_copies_a_prefix_pays_for_it_once(self, tmp_path: Path, writer: Writer) -> None:
        """The copies have uuids of their own, and the message ids of what they copy."""
        for turn in range(3):
            writer.say(use("Grep", f"t{turn}"), id=f"m{turn}", usage=10_000 * (turn + 1))
            writer.result(f"t{turn}", "found")
        prefix = [{**record, "uuid": f"copy-{record['uuid']}"} for record in writer.records]
        for record in prefix:
            record["parentUuid"] = record["parentUuid"] and f"copy-{record['parentUuid']}"
        writer.records += prefix
        writer.last = prefix[-1]["uuid"]
        writer.say(id="new", usage=45_000)
        reading = read(writer.save(tmp_path))
        names = [request.assistant_id for request in reading.requests]
        assert sorted(names) == ["m0", "m1", "m2", "new"]
        assert sum(request.usage.total for request in reading.requests) == 105_000
        assert reading.context.usage == 45_000


def test_nested_cache_fields_count_where_the_sum_is_not_given(tmp_path: Path, writer: Writer) -> None:
    nested = {"ephemeral_5m_input_tokens": 700, "ephemeral_1h_input_tokens": 300}
    iterations = [{"input_tokens": 900_000, "output_tokens": 900_000, "cache_creation": nested}]
    writer.say(usage=usage(40_000, 7, cache_creation_input_tokens=0, cache_creation=nested, iterations=iterations))
    reading = read(writer.save(tmp_path))
    assert reading.context.usage == 41_010
    assert (reading.requests[0].usage.cache_5m, reading.requests[0].usage.cache_1h) == (700, 300)


NO_MODEL: list[Json] = [
    {"model": "<synthetic>"},
    {"isApiErrorMessage": True},
    {"isApiErrorMessage": True, "model": "<synthetic>", "error": "rate_limit", "apiErrorStatus": 429},
]


@settings(max_examples=40, suppress_health_check=SLOW)
@given(st.lists(st.tuples(st.sampled_from(NO_MODEL), st.none() | st.integers(0, 900_000)), min_size=1, max_size=4))
def test_what_no_model_said_never_moves_the_exact_part(tmp_path: Path, made: list[tuple[Json, int | None]]) -> None:
    """Whatever usage it states: nor does it end a request, prove a window or set the model."""
    writer = Writer()
    writer.prompt()
    writer.call("Bash", "t", "found", usage=30_000)
    before = read(writer.save(tmp_path))
    for how, tokens in made:
        writer.say(text("API Error"), usage=tokens, **how)
    after = read(writer.save(tmp_path))
    assert exact(after) == exact(before)
    assert after.context.window == before.context.window
    assert after.session.model == before.session.model
    assert list(after.requests) == list(before.requests)


@pytest.mark.parametrize("stated", [None, {}, {"input_tokens": None, "output_tokens": None}, "none", [1]])
def test_a_response_without_usage_leaves_the_last_exact_part(tmp_path: Path, writer: Writer, stated: object) -> None:
    writer.say(usage=30_000)
    before = exact(read(writer.save(tmp_path)))
    writer.say(text("y" * 40), usage=stated)
    assert exact(read(writer.save(tmp_path))) == before


def test_after_a_compaction_the_old_figure_is_gone_until_a_response_states_one(tmp_path: Path, writer: Writer) -> None:
    writer.say(usage=166_000)
    writer.boundary(preTokens=167_000)
    session = open_session(writer.save(tmp_path))
    compacted = session.refresh()
    assert exact(compacted) == (0, None, None)
    assert compacted.context.tokens < 100
    anchor = writer.say(usage=21_000)
    writer.save(tmp_path)
    assert exact(session.refresh())[:2] == (21_000, anchor)


@settings(max_examples=40, suppress_health_check=SLOW)
@given(st.data())
def test_a_sub_agent_never_moves_the_main_gauge_and_has_its_own(tmp_path: Path, data: st.DataObject) -> None:
    """Records of two sub-agents stand between those of the main file, as in 1.0.x."""
    writer = Writer()
    writer.prompt()
    for turn in range(3):
        writer.call("Grep", f"t{turn}", "found", usage=20_000 + 1_000 * turn)
    main = read(writer.save(tmp_path))
    mixed = list(writer.records)
    for agent, tokens in (("a1", 90_000), ("a2", 260_000)):
        aside = Writer()
        aside.prompt("Look around.")
        aside.say(usage=tokens)
        for record in aside.records:
            own = {"uuid": f"{agent}-{record['uuid']}", "isSidechain": True, "agentId": agent}
            mixed.insert(data.draw(st.integers(0, len(mixed))), {**record, **own})
    path = tmp_path / f"{writer.session}.jsonl"
    path.write_bytes(lines(mixed))
    session = open_session(path)
    reading = session.refresh()
    assert reading.context == main.context
    assert list(reading.requests) == list(main.requests)
    agents = {agent.agent_id: agent for agent in sub_agents(session)}
    assert all(agent.window is not None for agent in agents.values())
    assert {name: agent.window.size for name, agent in agents.items() if agent.window} == {"a1": 200_000, "a2": 1_000_000}
    assert agents["a2"].context_tokens >= 260_000 > agents["a1"].context_tokens
