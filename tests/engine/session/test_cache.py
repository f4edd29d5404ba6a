"""R6: where the prompt cache broke, and the likeliest cause."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from histories import conversations
from spillscope.session.cache import find_break, previous_request
from spillscope.session.history import History
from spillscope.session.reading import CacheBreak, Reading, Request
from spillscope.tokens.usage import Usage
from transcripts import Writer, lines, open_session, read, text, use, wrapper

Json = dict[str, Any]


def request(
    read: int,
    *,
    at: float | None = 0,
    model: str = "m",
    segment: int = 0,
    hour: int = 0,
    five: int = 0,
    input: int = 10,
) -> Request:
    return Request("msg", at, Usage(input, five + hour, read, 1, five, hour), 0, model, segment, 0)


def broke(*requests: Request, changed: tuple[str, ...] = ()) -> list[CacheBreak | None]:
    """The break of each request, without what it cost."""
    found = []
    for at in range(len(requests)):
        before = previous_request(requests, at)
        broken = find_break(requests, before, at, changed) if before is not None else None
        found.append(broken._replace(rewritten=0, cost=0.0) if broken is not None else None)
    return found


def test_a_read_that_grows_is_no_break() -> None:
    assert broke(request(0), request(50_000), request(60_000)) == [None] * 3


@pytest.mark.parametrize(
    ("before", "now", "lost"),
    [
        (100_000, 95_000, None),
        (100_000, 94_999, 5_001),
        (40_000, 38_000, None),
        (39_999, 37_999, 2_000),
        (10_000, 8_001, None),
        (10_000, 8_000, 2_000),
    ],
)
def test_both_the_share_and_the_tokens_count(before: int, now: int, lost: int | None) -> None:
    found = broke(request(before), request(now))[1]
    assert (None if found is None else found.lost) == lost


def test_nothing_read_means_the_head_changed() -> None:
    assert broke(request(50_000), request(0))[1] == CacheBreak(50_000, "head")


def test_a_part_read_is_not_explained() -> None:
    assert broke(request(50_000), request(20_000))[1] == CacheBreak(30_000, "unknown")


def test_another_model_explains_it_first() -> None:
    assert broke(request(50_000), request(0, model="n", at=9_999))[1] == CacheBreak(50_000, "model")


@pytest.mark.parametrize(
    ("seconds", "hour", "cause"), [(300, 0, "head"), (301, 0, "idle"), (301, 5, "head"), (3_600, 5, "head"), (3_601, 5, "idle")]
)
def test_a_pause_beyond_the_time_to_live_explains_it(seconds: float, hour: int, cause: str) -> None:
    found = broke(request(50_000, hour=hour), request(0, at=seconds))[1]
    assert found == CacheBreak(50_000, cause)  # type: ignore[arg-type]


def test_without_times_no_pause_is_known() -> None:
    assert broke(request(50_000, at=None), request(0, at=99_999))[1] == CacheBreak(50_000, "head")


def test_right_after_a_compaction_is_no_break() -> None:
    after = [request(9_000, segment=1), request(2_000, segment=1)]
    assert broke(request(50_000), *after) == [None, None, CacheBreak(7_000, "unknown")]


def test_a_request_without_usage_is_stepped_over() -> None:
    found = broke(request(50_000), request(0, input=0)._replace(usage=Usage()), request(20_000))
    assert found == [None, None, CacheBreak(30_000, "unknown")]


def test_a_read_that_stays_low_is_one_break() -> None:
    found = broke(request(90_000), request(20_000), request(20_000), request(20_500), request(95_000))
    assert [at for at, broken in enumerate(found) if broken is not None] == [1]


@pytest.mark.parametrize(("left", "cause"), [(10_000, "unknown"), (40_000, "idle")])
def test_the_time_to_live_is_that_of_what_was_lost(left: int, cause: str) -> None:
    """The head was written for an hour, what came after it for five minutes."""
    wrote = [request(0, hour=30_000), request(30_000, five=20_000), request(50_000, five=2_000)]
    found = broke(*wrote, request(left, at=1_000))[-1]
    assert found is not None
    assert found.cause == cause


def test_in_one_request_what_lives_long_stands_first() -> None:
    wrote = [request(0, hour=30_000, five=20_000), request(50_000)]
    causes = [found.cause for left in (10_000, 30_000) if (found := broke(*wrote, request(left, at=1_000))[-1]) is not None]
    assert causes == ["unknown", "idle"]


def test_a_changed_replacement_explains_it_when_no_pause_does() -> None:
    short, long = request(20_000, at=60), request(20_000, at=600)
    assert broke(request(50_000), short, changed=("t",))[1] == CacheBreak(30_000, "replacement", about=("t",))
    assert broke(request(50_000), long, changed=("t",))[1] == CacheBreak(30_000, "idle")


@pytest.mark.parametrize(
    ("wrote", "rewritten", "cost"),
    [
        ({"five": 33_000}, 32_000, 32_000 * 1.15),
        ({"hour": 33_000}, 32_000, 32_000 * 1.9),
        ({"five": 9_000, "input": 11_000}, 20_000, 9_000 * 1.15 + 11_000 * 0.9),
        ({"five": 10_000, "hour": 30_000}, 32_000, 8_000 * 1.15 + 24_000 * 1.9),
    ],
)
def test_what_was_paid_anew_and_what_that_cost(wrote: dict[str, Any], rewritten: int, cost: float) -> None:
    """The cache held 52,000 tokens and 20,000 were read."""
    requests = [request(50_000, five=2_000), request(20_000, **{"input": 0, **wrote})]
    found = find_break(requests, 0, 1)
    assert found is not None
    assert found.rewritten == rewritten
    assert found.cost == pytest.approx(cost)


class TestOfTheTranscript:
    """One small session for each cause."""

    @pytest.fixture
    def writer(self) -> Writer:
        writer = Writer()
        writer.prompt()
        return writer

    def broken(self, writer: Writer, folder: Path) -> list[CacheBreak | None]:
        return [request.broken for request in read(writer.save(folder)).requests]

    def test_another_model(self, tmp_path: Path, writer: Writer) -> None:
        writer.say(usage=usage(read=50_000))
        writer.prompt()
        writer.say(usage=usage(read=0, five=50_100), model="claude-opus-4-6")
        (broken,) = filter(None, self.broken(writer, tmp_path))
        assert (broken.cause, broken.lost, broken.rewritten) == ("model", 50_000, 50_000)

    @pytest.mark.parametrize(("field", "minutes", "cause"), [("five", 6, "idle"), ("hour", 6, "head"), ("hour", 61, "idle")])
    def test_a_pause(self, tmp_path: Path, writer: Writer, field: str, minutes: int, cause: str) -> None:
        """The nested fields of the usage say for how long the cache was to live."""
        writer.say(usage=usage(read=0, **{field: 50_000}), timestamp="2026-01-02T03:00:00Z")
        writer.say(usage=usage(read=50_000, **{field: 100}), timestamp="2026-01-02T03:00:10Z")
        writer.prompt()
        writer.say(usage=usage(read=0), timestamp=f"2026-01-02T{3 + minutes // 60:02d}:{minutes % 60:02d}:11Z")
        assert [broken and broken.cause for broken in self.broken(writer, tmp_path)] == [None, None, cause]

    def test_the_head(self, tmp_path: Path, writer: Writer) -> None:
        writer.say(usage=usage(read=50_000))
        writer.say(usage=usage(read=0, five=50_000))
        assert [broken and broken.cause for broken in self.broken(writer, tmp_path)] == [None, "head"]

    def test_unknown(self, tmp_path: Path, writer: Writer) -> None:
        writer.say(usage=usage(read=50_000))
        writer.say(usage=usage(read=14_000, five=36_000))
        assert [broken and broken.cause for broken in self.broken(writer, tmp_path)] == [None, "unknown"]

    def test_a_result_replaced_after_it_was_sent_in_full(self, tmp_path: Path, writer: Writer) -> None:
        for name in ("kept", "turned", "late"):
            writer.call("Grep", name, name * 3_000, usage=usage(read=50_000))
        writer.replace("turned", wrapper("turned" * 3_000))
        writer.replace("late", wrapper("late" * 3_000))
        writer.say(usage=usage(read=14_000, five=36_000))
        (broken,) = filter(None, self.broken(writer, tmp_path))
        assert (broken.cause, broken.about) == ("replacement", ("turned",))

    def test_a_change_before_a_compaction_is_not_to_blame(self, tmp_path: Path, writer: Writer) -> None:
        writer.call("Grep", "gone", "x" * 9_000, usage=usage(read=50_000))
        writer.boundary()
        writer.say(usage=usage(read=50_000))
        writer.replace("gone", "another")
        writer.say(usage=usage(read=14_000))
        assert [broken and broken.cause for broken in self.broken(writer, tmp_path)] == [None, None, "unknown"]

    def test_a_cache_edit_is_no_break(self, tmp_path: Path, writer: Writer) -> None:
        writer.call("Grep", "old", "x" * 9_000, usage=usage(read=50_000))
        writer.put("system", {"subtype": "microcompact_boundary", "microcompactMetadata": {"compactedToolIds": ["old"]}})
        writer.prompt()
        writer.say(usage=usage(read=30_000))
        writer.say(usage=usage(read=10_000))
        assert [broken and broken.cause for broken in self.broken(writer, tmp_path)] == [None, None, "unknown"]

    def test_after_a_rewind_the_request_before_it_on_the_chain_counts(self, tmp_path: Path, writer: Writer) -> None:
        first = writer.say(usage=usage(read=40_000))
        writer.prompt("A long way round.")
        writer.say(usage=usage(read=90_000))
        writer.prompt("Once more.", parent=first)
        writer.say(usage=usage(read=41_000))
        assert self.broken(writer, tmp_path) == [None, None]

    def test_what_a_later_record_says_of_a_response_is_judged_anew(self, tmp_path: Path, writer: Writer) -> None:
        writer.say(id="one", usage=usage(read=50_000))
        writer.say(text("a"), id="two", usage=None)
        path = writer.save(tmp_path)
        session = open_session(path)
        assert session.refresh().requests[1].broken is None
        writer.say(text("b"), id="two", usage=usage(read=0))
        writer.save(tmp_path)
        broken = session.refresh().requests[1].broken
        assert broken is not None
        assert broken.cause == "head"


@settings(max_examples=50)
@given(
    ids=st.lists(st.text("abc", min_size=1, max_size=4), min_size=1, max_size=6, unique=True),
    content=st.binary(min_size=1, max_size=60),
    data=st.data(),
)
def test_a_flipped_byte_of_one_replayed_preview_blames_that_id(ids: list[str], content: bytes, data: st.DataObject) -> None:
    previews = {name: wrapper((name + content.hex()) * 200) for name in ids}
    guilty = data.draw(st.sampled_from(ids), label="guilty")
    preview = previews[guilty].encode()
    at = data.draw(st.integers(0, len(preview) - 1), label="byte")
    flipped = (preview[:at] + bytes([preview[at] ^ 1]) + preview[at + 1 :]).decode()
    writer = Writer()
    writer.prompt()
    writer.say(*(use("Grep", name) for name in ids), id="calls", usage=usage(read=20_000))
    for name in ids:
        writer.result(name, (name + content.hex()) * 200)
    for name in ids:
        writer.replace(name, previews[name])
    writer.say(usage=usage(read=60_000))
    writer.prompt()
    for name in data.draw(st.permutations(ids), label="order"):
        writer.replace(name, flipped if name == guilty else previews[name])
    writer.say(usage=usage(read=21_000, five=40_000))
    with TemporaryDirectory() as folder:
        reading: Reading = read(writer.save(Path(folder)))
    (broken,) = filter(None, (request.broken for request in reading.requests))
    assert (broken.cause, broken.about) == ("replacement", (guilty,))


@settings(max_examples=80, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(conversations(), st.lists(st.integers(0, 10_000), max_size=8))
def test_appends_and_a_cold_open_find_the_same(tmp_path: Path, records: list[Json], cuts: list[int]) -> None:
    """Whatever moves: forks, late lines, compactions, replacements that change."""
    for record in records:
        stated = record.get("message", {}).get("usage")
        if stated:
            stated["cache_read_input_tokens"] *= 100
    whole, path = lines(records), tmp_path / "s.jsonl"
    path.write_bytes(b"")
    live = open_session(path)
    for cut in [*sorted(cuts), len(whole)]:
        with path.open("ab") as file:
            file.write(whole[path.stat().st_size : cut])
        found = [request.broken for request in live.refresh().requests]
        assert found == [request.broken for request in open_session(path).refresh().requests]
        assert len(list(History(live.refresh()))) == len(found)


def usage(*, read: int, five: int = 0, hour: int = 0) -> Json:
    """A usage as agents write it, with the nested fields."""
    return {
        "input_tokens": 4,
        "cache_read_input_tokens": read,
        "cache_creation_input_tokens": five + hour,
        "cache_creation": {"ephemeral_5m_input_tokens": five, "ephemeral_1h_input_tokens": hour},
        "output_tokens": 1,
    }
