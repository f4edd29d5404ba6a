"""S6, S9: what is wrong with a spill file is told, each fault by a badge of its own, and of that file alone."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spill_folder import LONG, SpillFolder, badges
from spillscope.session.spills import FAULTS, Inventory, Spill, evidence, inventory
from spillscope.session.spills.evidence import Evidence, examine
from spillscope.session.spills.inventory import take_inventory
from spillscope.session.spills.listing import Found
from spillscope.session.spills.memory import Memory
from spillscope.transcript.spill_files import SpillFile, read_spill
from transcripts import Writer, open_session, text, use, wrapper


def words(seed: str, count: int = 12_000) -> str:
    return "".join(f"{seed} {number}\n" for number in range(count // 8))


def healthy(root: Path) -> SpillFolder:
    """Every kind of spill there is, each whole."""
    folder = SpillFolder(root)
    writer = folder.writer

    def spilled(tool: str, name: str, local: dict[str, object] | None = None) -> str:
        whole = words(name)
        path = folder.spill(f"{name}.txt", whole)
        writer.say(use(tool, name), usage=1_000)
        writer.result(name, wrapper(whole, path), None if local is None else {**local, "persistedOutputPath": path})
        return whole

    spilled("Bash", "bash", {"stdout": words("bash")[:300], "persistedOutputSize": len(words("bash"))})
    spilled("Grep", "grep", {"content": words("grep")})
    spilled("WebFetch", "fetch")
    folder.call("Glob", "glob", words("glob"))
    writer.replace("glob", wrapper(words("glob"), folder.spill("glob.txt", words("glob"))))
    blocks = json.dumps([text(words("list"))], indent=2)
    folder.call("mcp__maps__find", "list", wrapper(blocks, folder.spill("list.json", blocks)))
    path = folder.spill("mcp-maps-1.txt", words("mcp"))
    said = f"result ({len(words('mcp')):,} characters) exceeds maximum allowed tokens. Output has been saved to {path}."
    folder.call("mcp__maps__find", "over", f"Error: {said}")
    path = folder.spill("hook-1.txt", words("hook"))
    writer.put("attachment", {"attachment": {"type": "hook_success", "stdout": wrapper(words("hook"), path)}})
    for name in ("old", "micro"):
        folder.call("Bash", name, words(name))
        folder.spill(f"{name}.txt", words(name))
    writer.put("system", {"subtype": "microcompact_boundary", "microcompactMetadata": {"compactedToolIds": ["micro"]}})
    agent = Writer()
    agent.prompt()
    agent.call("Grep", "agents", wrapper(words("agents"), folder.spill("agents.txt", words("agents"))))
    folder.agent("a1", agent)
    writer.say(usage=5_000)
    return folder


NAMED = ["bash.txt", "grep.txt", "fetch.txt", "glob.txt", "list.json", "mcp-maps-1.txt", "hook-1.txt", "agents.txt"]
COPIED = ["grep.txt", "glob.txt", "old.txt", "micro.txt"]
"""Those whose whole text the transcript holds, too."""
UNNAMED = ["old.txt", "micro.txt"]


def faults(found: Inventory) -> dict[str, list[str]]:
    """Files with a fault, and which."""
    named = {Path(spill.file.path).name: list(filter(FAULTS.__contains__, badges(spill))) for spill in found.spills}
    return {name: wrong for name, wrong in named.items() if wrong}


def test_a_healthy_session_has_no_fault(tmp_path: Path) -> None:
    found = healthy(tmp_path).inventory()
    assert faults(found) == {}
    assert {Path(spill.file.path).name for spill in found.spills} == {*NAMED, *UNNAMED}
    assert found.complete
    assert (found.files, found.bytes) == (10, sum(path.stat().st_size for path in (tmp_path).rglob("tool-results/*")))


@pytest.mark.parametrize("name", NAMED)
def test_one_deleted_file_is_named(tmp_path: Path, name: str) -> None:
    folder = healthy(tmp_path)
    (folder.results / name).unlink()
    assert faults(folder.inventory()) == {name: ["missing"]}


def to_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def to_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def to_link_out(path: Path) -> None:
    outside = path.parents[4] / "outside.txt"
    path.rename(outside)
    path.symlink_to(outside)


@pytest.mark.parametrize(("alter", "badge"), [(to_folder, "unreadable"), (to_pipe, "unreadable"), (to_link_out, "outside")])
@pytest.mark.parametrize("name", NAMED)
def test_what_is_no_file_any_more_is_named_and_not_opened(
    tmp_path: Path, name: str, alter: Callable[[Path], None], badge: str
) -> None:
    folder = healthy(tmp_path)
    alter(folder.results / name)
    assert faults(folder.inventory()) == {name: [badge]}


@settings(max_examples=60, deadline=None)
@given(name=st.sampled_from([*NAMED, *UNNAMED]), share=st.floats(0, 0.95), longer=st.booleans())
def test_another_size_is_named(name: str, share: float, longer: bool) -> None:
    with TemporaryDirectory() as root:
        folder = healthy(Path(root))
        file = folder.results / name
        whole = file.read_text()
        file.write_text(whole + "x" * 300 if longer else whole[: int(len(whole) * share)])
        assert faults(folder.inventory()) == {name: ["content" if name in ("old.txt", "micro.txt") else "size"]}


@settings(max_examples=60, deadline=None)
@given(name=st.sampled_from(COPIED), share=st.floats(0, 0.999))
def test_one_other_character_anywhere_is_named_where_there_is_a_copy(name: str, share: float) -> None:
    with TemporaryDirectory() as root:
        folder = healthy(Path(root))
        file = folder.results / name
        whole = file.read_text()
        at = int(len(whole) * share)
        file.write_text(whole[:at] + "\x01" + whole[at + 1 :])
        (wrong,) = faults(folder.inventory()).items()
        assert wrong[0] == name
        assert wrong[1] in (["content"], ["preview"])


@pytest.mark.parametrize("name", ["bash.txt", "fetch.txt", "list.json", "hook-1.txt", "agents.txt", "grep.txt", "glob.txt"])
def test_another_beginning_is_named(tmp_path: Path, name: str) -> None:
    folder = healthy(tmp_path)
    whole = (folder.results / name).read_text()
    (folder.results / name).write_text("?" + whole[1:])
    assert faults(folder.inventory()) == {name: ["preview"]}


def test_a_file_that_nothing_knows_is_an_orphan(tmp_path: Path) -> None:
    folder = healthy(tmp_path)
    folder.spill("stray.txt")
    assert faults(folder.inventory()) == {"stray.txt": ["orphan"]}


def test_a_file_that_only_a_call_names_is_none(tmp_path: Path) -> None:
    folder = healthy(tmp_path)
    folder.ask("Read", "r1", {"file_path": folder.spill("stray.txt")})
    assert faults(folder.inventory()) == {}


def test_two_ids_on_one_file(tmp_path: Path) -> None:
    folder = SpillFolder(tmp_path)
    path = folder.spill("t1.txt")
    folder.call("Bash", "t1", wrapper(LONG, path))
    folder.call("Bash", "t2", wrapper(LONG, path))
    assert [spill.has("shared") for spill in folder.inventory().spills] == [True, True]


def test_two_ids_on_one_file_by_a_link(tmp_path: Path) -> None:
    folder = SpillFolder(tmp_path)
    folder.call("Bash", "t1", wrapper(LONG, folder.spill("t1.txt")))
    (folder.results / "t2.txt").symlink_to(folder.results / "t1.txt")
    folder.call("Bash", "t2", wrapper(LONG, str(folder.results / "t2.txt")))
    found = folder.inventory()
    assert [spill.has("shared") for spill in found.spills] == [True, True]
    assert (found.files, found.bytes) == (1, len(LONG))


def test_a_file_of_another_session_is_marked_and_counted_there(tmp_path: Path) -> None:
    other = SpillFolder(tmp_path, "22222222-2222-4333-8444-555555555555")
    folder = SpillFolder(tmp_path)
    folder.call("Bash", "t1", wrapper(LONG, other.spill("t1.txt")))
    found = folder.inventory()
    assert badges(found.spills[0]) == ["other session"]
    assert (found.files, found.bytes) == (0, 0)


def test_a_path_outside_is_named_and_left_alone(tmp_path: Path) -> None:
    pipe = tmp_path / "outside.txt"
    os.mkfifo(pipe)  # opening it would wait for ever
    folder = SpillFolder(tmp_path)
    folder.call("Bash", "t1", wrapper(LONG, str(pipe)))
    spill = folder.audited()
    assert badges(spill) == ["outside"]
    assert (spill.file.exists, spill.modified) == (False, None)


def test_a_session_that_was_moved_without_its_file(tmp_path: Path) -> None:
    folder = SpillFolder(tmp_path)
    folder.call("Bash", "t1", wrapper(LONG, f"C:\\u\\projects\\D--w\\{folder.writer.session}\\tool-results\\t1.txt"))
    assert badges(folder.audited()) == ["missing"]


def test_a_folder_that_nothing_names(tmp_path: Path) -> None:
    folder = SpillFolder(tmp_path)
    (folder.results / "deep").mkdir(parents=True)
    assert badges(folder.audited()) == ["unreadable", "orphan"]


def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = healthy(tmp_path)

    def refuse(file: SpillFile, count: int, start: int = 0) -> bytes:
        if file.path.endswith("bash.txt"):
            raise PermissionError(errno.EACCES, "Permission denied", file.path)
        return read_spill(file, count, start)

    monkeypatch.setattr(evidence, "read_spill", refuse)
    found = folder.inventory()
    assert faults(found) == {"bash.txt": ["unreadable"]}
    (text,) = [badge.text for spill in found.spills for badge in spill.badges if badge.name == "unreadable"]
    assert text == "The file can't be read: Permission denied."


class TestHiddenError:
    @pytest.mark.parametrize(
        "end",
        [
            'Traceback (most recent call last):\n  File "a.py", line 1\nValueError: bad',
            "error[E0308]: mismatched types",
            "src/main.c:12:4: error: expected ';'",
            "fatal: not a git repository",
            "thread 'main' panicked at src/main.rs:2:5:",
            "FAILED tests/test_a.py::test_b - assert 1 == 2",
            "======= 3 failed, 12 passed in 0.4s =======",
            "make: *** [all] Error 2",
            "npm ERR! code ELIFECYCLE",
            "Process exited with code 137",
            "Segmentation fault (core dumped)",
        ],
    )
    def test_at_the_end(self, tmp_path: Path, end: str) -> None:
        folder = SpillFolder(tmp_path)
        whole = f"{LONG}{end}\n"
        folder.call("Bash", "t1", wrapper(whole, folder.spill("t1.txt", whole)))
        (badge,) = folder.audited().badges
        assert badge.name == "hidden error"
        assert end.split("\n")[0] in badge.text

    @pytest.mark.parametrize(
        "end",
        [
            "0 errors, 0 warnings",
            "no error: all is well",
            "exit code 0",
            "12 passed",
            "def fail(error: str) -> None:",
            "errors",
        ],
    )
    def test_no_error_there(self, tmp_path: Path, end: str) -> None:
        folder = SpillFolder(tmp_path)
        whole = f"{LONG}{end}\n"
        folder.call("Bash", "t1", wrapper(whole, folder.spill("t1.txt", whole)))
        assert badges(folder.audited()) == []

    def test_not_where_the_preview_shows_it(self, tmp_path: Path) -> None:
        folder = SpillFolder(tmp_path)
        whole = f"fatal: gone\n{LONG}fatal: gone\n"
        folder.call("Bash", "t1", wrapper(whole, folder.spill("t1.txt", whole)))
        assert badges(folder.audited()) == []

    def test_not_in_a_text_that_was_only_searched(self, tmp_path: Path) -> None:
        folder = SpillFolder(tmp_path)
        whole = f"{LONG}fatal: gone\n"
        folder.call("Grep", "t1", wrapper(whole, folder.spill("t1.txt", whole)))
        assert badges(folder.audited()) == []


def test_the_whole_text_beside_a_wrapper_is_kept_in_the_transcript(tmp_path: Path) -> None:
    folder = SpillFolder(tmp_path)
    folder.writer.say(use("Grep", "t1"), usage=1_000)
    folder.writer.result("t1", wrapper(LONG, str(folder.results / "t1.txt")), {"content": LONG})
    (missing, kept) = folder.audited().badges
    assert (missing.name, kept.name) == ("missing", "kept in transcript")
    assert f"{len(LONG):,} chars" in kept.text


def test_only_its_first_part_beside_a_wrapper_is_not(tmp_path: Path) -> None:
    folder = SpillFolder(tmp_path)
    folder.writer.say(use("Bash", "t1"), usage=1_000)
    folder.writer.result("t1", wrapper(LONG, folder.spill("t1.txt")), {"stdout": LONG[:30_000]})
    assert badges(folder.audited()) == []


def test_a_file_too_large_to_be_counted_that_can_not_be_what_was_written(tmp_path: Path) -> None:
    folder = SpillFolder(tmp_path)
    path = folder.spill("t1.txt")
    for size, expected in ((9 << 20, ["size"]), (64 << 20, []), (120 << 20, [])):
        os.truncate(path, size)
        folder.writer.records[:] = folder.writer.records[:1]
        folder.call("Bash", "t1", wrapper(LONG, path).replace("58.6KB", "64MB"))
        assert badges(folder.audited()) == expected


class TestInventory:
    def test_counts_what_it_found(self, tmp_path: Path) -> None:
        folder = healthy(tmp_path)
        (folder.results / "bash.txt").unlink()
        os.utime(folder.results / "grep.txt", (1_000, 1_000))
        found = folder.inventory()
        assert found.counts["missing"] == 1
        assert found.oldest == 1_000
        assert found.files == 9
        assert {spill.modified for spill in found.spills if spill.tool_use_id in ("bash", "grep")} == {None, 1_000}

    def test_stops_when_asked(self, tmp_path: Path) -> None:
        folder = healthy(tmp_path)
        session = folder.open()
        whole = len(take_inventory(session, session.refresh()).spills)
        taken = []
        for patience in range(3 * whole):
            asked = iter([False] * patience)
            found = take_inventory(session, session.refresh(), lambda asked=asked: next(asked, True))  # type: ignore[misc]
            taken.append(len(found.spills))
            if found.complete:
                break
            assert len(found.spills) <= whole
        assert found.complete
        assert taken == sorted(taken)
        assert set(taken) == set(range(whole + 1))

    def test_a_second_one_compares_only_what_changed(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        folder, memory = healthy(tmp_path), Memory()
        session = folder.open()
        first = take_inventory(session, session.refresh(), memory=memory)
        compared: list[str] = []

        def counted(found: Found) -> Evidence:
            compared.append(Path(found.spill.file.path).name)
            return examine(found)

        monkeypatch.setattr(inventory, "examine", counted)
        assert take_inventory(session, session.refresh(), memory=memory) is first
        assert compared == []
        (folder.results / "grep.txt").write_text("other")
        second = take_inventory(session, session.refresh(), memory=memory)
        assert compared == ["grep.txt"]
        assert faults(second) == {"grep.txt": ["size"]}

    def test_a_transcript_that_was_rewritten_meanwhile(self, tmp_path: Path) -> None:
        folder = healthy(tmp_path)
        session = folder.open()
        reading = session.refresh()
        folder.path.write_bytes(b"{}\n")
        session.refresh()
        found: Inventory = take_inventory(session, reading)
        assert not found.complete

    def test_a_sub_agents_session_on_its_own(self, tmp_path: Path) -> None:
        folder = healthy(tmp_path)
        folder.open()
        session = open_session(folder.results.parent / "subagents" / "agent-a1.jsonl")
        spills: tuple[Spill, ...] = take_inventory(session, session.refresh()).spills
        assert [spill.tool_use_id for spill in spills] == ["agents"]

    def test_beside_a_thread_that_refreshes_the_session(self, tmp_path: Path) -> None:
        """Whatever the other thread takes in or throws away, an inventory ends, and the last one is whole."""
        folder = healthy(tmp_path)
        session = folder.open()
        reading = session.refresh()
        whole, memory = folder.path.read_bytes(), Memory()
        with ThreadPoolExecutor(1) as pool:
            for turn in range(30):
                folder.path.write_bytes(whole if turn % 3 else whole[: len(whole) * 2 // 3])
                refreshed = pool.submit(session.refresh)
                take_inventory(session, reading, memory=memory)
                reading = refreshed.result()
        last = take_inventory(session, reading, memory=memory)
        assert last.complete
        assert faults(last) == {}
