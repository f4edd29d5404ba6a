"""Layer two, the active side (spec B3–B15)."""

from __future__ import annotations

import copy
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from conversation import Json, MemoryStore, answers, asks, content_of, plain, result
from spillscope.budget.enforce import Enforced, enforce_tool_result_budget
from spillscope.budget.sink import RecordSink
from spillscope.budget.state import ContentReplacementState, Replacement, reconstruct
from spillscope.budget.store import DirectoryStore, SpillFailure
from spillscope.limits import Limits

LIMITS = Limits(message_budget=100)
TEXT_BLOCK = {"type": "text", "text": "x" * 150}


def one_group(*sizes: int, tool: str = "Grep") -> list[Json]:
    """One response that calls `tool` for a, b, c …, and results of these sizes."""
    ids = "abcdefgh"[: len(sizes)]
    return [
        asks("X", *((name, tool) for name in ids)),
        *(answers(result(name, name * size)) for name, size in zip(ids, sizes, strict=True)),
    ]


def run(
    messages: list[Json],
    state: ContentReplacementState | None = None,
    store: MemoryStore | None = None,
    sink: RecordSink | None = None,
    **more: Any,
) -> Enforced:
    state = ContentReplacementState() if state is None else state
    return enforce_tool_result_budget(messages, state, more.pop("limits", LIMITS), store or MemoryStore(), sink, **more)


def fates(outcome: Enforced) -> list[list[str]]:
    return [[f"{one.tool_use_id} {one.state} {one.fate}" for one in group.results] for group in outcome.groups]


def test_within_the_budget_nothing_is_touched() -> None:
    messages, state = one_group(60, 40), ContentReplacementState()
    outcome = run(messages, state)
    assert outcome.messages is messages
    assert (outcome.changed, outcome.records, state.seen_ids) == (False, (), ("a", "b"))
    assert outcome.groups[0][:6] == (100, 0, 100, 0, 0, 100)


def test_over_the_budget_the_largest_is_replaced() -> None:
    messages, state = one_group(50, 60), ContentReplacementState()
    outcome = run(messages, state)
    wrapper = (
        "<persisted-output>\nOutput too large (60 bytes). Full output saved to: /spills/b.txt\n\nPreview (first 2KB):\n"
        + "b" * 60
    )
    assert content_of(outcome.messages, "b") == wrapper + "\n</persisted-output>"
    assert content_of(outcome.messages, "a") == "a" * 50
    assert state.to_json() == {"seenIds": ["a", "b"], "replacements": {"b": wrapper + "\n</persisted-output>"}}
    assert outcome.records == (Replacement("b", wrapper + "\n</persisted-output>"),)
    assert outcome.spilled == (("b", "/spills/b.txt", 60),)
    assert fates(outcome) == [["a fresh full", "b fresh replaced"]]
    assert outcome.groups[0][:6] == (100, 0, 110, 0, 0, 50)


def test_the_second_request_is_the_same_to_the_byte_without_any_writing() -> None:
    messages, state, store = one_group(50, 60), ContentReplacementState(), MemoryStore()
    first = run(messages, state, store)
    more = [*messages, asks("Y", ("z", "Grep")), answers(result("z", "z" * 100))]
    second = run(more, state, store)
    assert second.messages[: len(messages)] == first.messages
    assert (second.records, second.spilled, store.writes) == ((), (), ["b"])
    assert fates(second) == [["a frozen full", "b mustReapply replaced"], ["z fresh full"]]
    assert second.groups[0][:6] == (100, 50, 0, 60, 0, 50)


def test_what_was_sent_in_full_stays_under_any_limits() -> None:
    messages, state = one_group(50, 60), ContentReplacementState()
    assert not run(messages, state, limits=Limits(message_budget=1_000)).changed
    late = run(messages, state, limits=Limits(message_budget=10))
    assert late.messages is messages
    assert fates(late) == [["a frozen full", "b frozen full"]]


def test_only_what_is_replaced_is_new() -> None:
    messages = one_group(10, 60, 50)
    messages[2]["message"]["content"].append({"type": "text", "text": "hint"})
    messages[2]["toolUseResult"] = {"stdout": "b"}
    before = copy.deepcopy(messages)
    outcome = run(messages)
    assert messages == before
    assert outcome.messages is not messages
    assert [new is old for new, old in zip(outcome.messages, messages, strict=True)] == [True, True, False, True]
    new, old = outcome.messages[2], messages[2]
    assert new["toolUseResult"] is old["toolUseResult"]
    assert new["message"]["content"][1] is old["message"]["content"][1]
    assert {**new["message"]["content"][0], "content": None} == {**old["message"]["content"][0], "content": None}


def test_plain_messages_keep_their_shape() -> None:
    messages = [plain(message) for message in one_group(50, 60)]
    outcome = run(messages)
    assert outcome.messages[2].keys() == {"role", "content"}
    assert content_of(outcome.messages, "b").startswith("<persisted-output>")


def test_no_state_or_no_switch_passes_through() -> None:
    messages, store, state = one_group(500, 600), MemoryStore(), ContentReplacementState(["z"])
    off = enforce_tool_result_budget(messages, None, LIMITS, store)
    switched = enforce_tool_result_budget(messages, state, Limits(message_budget=100, aggregate=False), store)
    for outcome in (off, switched):
        assert outcome == Enforced(messages)
        assert outcome.messages is messages
    assert (store.writes, state.seen_ids) == ([], ("z",))


def test_exempt_tools_stay_for_good() -> None:
    messages, state = one_group(500, 400, tool="Read"), ContentReplacementState()
    first = run(messages, state)
    assert fates(first) == [["a fresh exempt", "b fresh exempt"]]
    assert first.groups[0][:6] == (100, 0, 0, 0, 900, 900)
    assert fates(run(messages, state, skip_tool_names=())) == [["a frozen full", "b frozen full"]]


def test_the_caller_may_name_the_exempt_tools() -> None:
    assert fates(run(one_group(500, tool="Read"), skip_tool_names=["Grep"])) == [["a fresh replaced"]]
    assert fates(run(one_group(500), skip_tool_names=["Grep"])) == [["a fresh exempt"]]
    assert fates(run(one_group(500, tool="Own"), limits=Limits(message_budget=100, declared={"Own": float("inf")}))) == [
        ["a fresh exempt"]
    ]


def test_a_failed_write_keeps_its_result_for_good() -> None:
    messages, state = one_group(50, 60, 70), ContentReplacementState()
    told: list[SpillFailure] = []
    failing = MemoryStore(fail=("c",))
    outcome = run(messages, state, failing, log=told.append)
    assert fates(outcome) == [["a fresh full", "b fresh replaced", "c fresh full"]]
    assert outcome.groups[0].visible == 120
    assert outcome.failed == (SpillFailure("c", "No space left on device"),)
    assert told == list(outcome.failed)
    assert state.to_json()["seenIds"] == ["a", "c", "b"]
    healed = MemoryStore()
    assert fates(run(messages, state, healed)) == [["a frozen full", "b mustReapply replaced", "c frozen full"]]
    assert healed.writes == []


def test_nothing_else_is_selected_for_a_failed_write() -> None:
    outcome = run(one_group(50, 60), store=MemoryStore(fail=("b",)))
    assert fates(outcome) == [["a fresh full", "b fresh full"]]


def test_a_list_that_can_not_be_written_is_a_failed_write() -> None:
    blocks = [TEXT_BLOCK, {"type": "tool_reference", "tool_name": "x"}]
    messages, store = (
        [asks("X", ("a", "ToolSearch"), ("b", "Grep")), answers(result("a", blocks), result("b", "b" * 60))],
        MemoryStore(),
    )
    outcome = run(messages, store=store)
    assert fates(outcome) == [["a fresh full", "b fresh full"]]
    assert ([failure.tool_use_id for failure in outcome.failed], store.writes) == (["a"], [])


def test_a_list_is_spilled_as_json() -> None:
    outcome = run([answers(result("a", [TEXT_BLOCK]))])
    assert outcome.spilled == (("a", "/spills/a.json", 150),)
    assert "Output too large (196 bytes)" in content_of(outcome.messages, "a")


def test_a_real_fault_on_disk(tmp_path: Path) -> None:
    (tmp_path / "tool-results").write_text("in the way")
    messages = one_group(50, 60)
    outcome = enforce_tool_result_budget(messages, ContentReplacementState(), LIMITS, DirectoryStore(tmp_path))
    assert outcome.messages is messages
    assert [failure.tool_use_id for failure in outcome.failed] == ["b"]


def test_the_same_id_twice_is_written_once() -> None:
    messages = [answers(result("a", "1" * 60), result("a", "2" * 70), result("b", "b"))]
    store = MemoryStore()
    outcome = run(messages, store=store)
    assert store.files == {"a": "2" * 70}
    assert [record.tool_use_id for record in outcome.records] == ["a"]
    assert outcome.spilled[0].chars == 70
    contents = [block["content"] for block in outcome.messages[0]["message"]["content"]]
    assert contents[0] == contents[1] == outcome.records[0].replacement


def test_an_image_with_a_replaced_id_is_left_alone() -> None:
    image = result("a", [{"type": "image"}])
    outcome = run([answers(result("a", "a" * 200), image)])
    assert outcome.messages[0]["message"]["content"][1] is image


def test_groups_have_a_budget_each() -> None:
    messages = [asks("X"), answers(result("a", "a" * 75)), asks("Y"), answers(result("b", "b" * 75))]
    assert not run(messages).changed


def test_the_writes_of_all_groups_meet() -> None:
    all_at_once = threading.Barrier(4, timeout=20)

    def meet(tool_use_id: str) -> None:
        all_at_once.wait()

    store = MemoryStore(on_write=meet)
    messages = [*one_group(80, 70, 90), asks("Y"), answers(result("y", "y" * 101)), asks("Z"), answers(result("z", "z" * 102))]
    outcome = run(messages, store=store)
    assert outcome.failed == ()
    assert [record.tool_use_id for record in outcome.records] == ["c", "a", "y", "z"]


def test_at_no_instant_is_an_id_seen_without_its_replacement() -> None:
    state = ContentReplacementState()
    instants: list[tuple[tuple[str, ...], dict[str, str]]] = []
    messages = [*one_group(80, 10, 90), asks("Y", ("y", "Grep")), answers(result("y", "y" * 101), result("d", "d" * 5))]

    def look(tool_use_id: str) -> None:
        fork = state.fork()
        instants.append((fork.seen_ids, fork.replacements))

    outcome = run(messages, state, MemoryStore(on_write=look), sink=lambda records: look(""))
    *during, after = instants
    assert during == [(("a", "b", "d"), {})] * 2
    assert after == (("a", "b", "d", "c", "y"), {record.tool_use_id: record.replacement for record in outcome.records})


def test_commits_never_show_an_id_without_its_replacement() -> None:
    class Watched(ContentReplacementState):
        def commit(self, replacement: Replacement) -> None:
            before = self.to_json()
            super().commit(replacement)
            after = self.to_json()
            steps.append(
                (set(after["seenIds"]) - set(before["seenIds"]), after["replacements"].keys() - before["replacements"].keys())
            )

    steps: list[tuple[set[str], set[str]]] = []
    run(one_group(101, 102, 50), Watched())
    assert steps == [({"b"}, {"b"}), ({"a"}, {"a"})]


def test_a_fork_made_while_files_are_written_decides_the_same() -> None:
    state = ContentReplacementState()
    forks: list[ContentReplacementState] = []
    messages = one_group(50, 60)
    outcome = run(messages, state, MemoryStore(on_write=lambda tool_use_id: forks.append(state.fork())))
    assert run(messages, forks[0]).messages == outcome.messages


def test_two_runs_on_one_state_follow_each_other() -> None:
    state, store = ContentReplacementState(), MemoryStore()
    writing, go_on = threading.Event(), threading.Event()
    outcomes: list[Enforced] = []

    def hold(tool_use_id: str) -> None:
        writing.set()
        assert go_on.wait(20)

    messages = one_group(50, 60)
    first = threading.Thread(target=lambda: outcomes.append(run(messages, state, MemoryStore(on_write=hold))))
    first.start()
    assert writing.wait(20)
    second = threading.Thread(target=lambda: outcomes.append(run(messages, state, store)))
    second.start()
    second.join(0.2)
    assert second.is_alive()
    go_on.set()
    first.join(20)
    second.join(20)
    assert outcomes[0].messages == outcomes[1].messages
    assert [len(outcome.records) for outcome in outcomes] == [1, 0]
    assert store.writes == []


def test_new_replacements_alone_reach_the_sink_before_the_messages_do() -> None:
    kept: list[Sequence[Replacement]] = []
    messages, state = one_group(101, 102), ContentReplacementState()
    first = run(messages, state, sink=kept.append)
    run(messages, state, sink=kept.append)
    assert kept == [first.records]


def test_a_sink_that_fails_is_told_and_the_state_stays() -> None:
    def full(records: Sequence[Replacement]) -> None:
        raise OSError(28, "No space left on device", "/t/session.jsonl")

    messages, state = one_group(101), ContentReplacementState()
    outcome = run(messages, state, sink=full)
    assert outcome.sink_error == "No space left on device: /t/session.jsonl"
    assert outcome.changed
    assert state.replacements.keys() == {"a"}


def test_a_resumed_conversation_is_the_same_to_the_byte(tmp_path: Path) -> None:
    messages = [*one_group(80, 70, 90), asks("Y", ("y", "Grep")), answers(result("y", "y\ud83d" * 101))]
    store = DirectoryStore(tmp_path)
    live = enforce_tool_result_budget(messages, ContentReplacementState(), LIMITS, store)
    resumed = reconstruct(messages, [record.to_json() for record in live.records])
    again = enforce_tool_result_budget(messages, resumed.state, Limits(message_budget=7), store)
    assert again.messages == live.messages
    assert again.records == ()


def test_a_replacement_of_any_text_is_put_back() -> None:
    state = ContentReplacementState(["a"], {"a": "any text\n"})
    assert content_of(run(one_group(5), state).messages, "a") == "any text\n"


@pytest.mark.parametrize(
    "junk",
    [None, 5, "text", {"type": "user"}, {"type": "user", "message": {"content": None}}, {"role": "user", "content": "hi"}],
)
def test_foreign_records_pass_through(junk: Any) -> None:
    messages = [junk, *one_group(50, 60)]
    assert run(messages).messages[0] is junk
