"""Spill files: whole or not there, once, and nowhere else (spec P4–P8)."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spillscope.budget.store import DirectoryStore, Spilled, SpillFailure, persist, safe_stem, spill_text


@pytest.fixture
def session(tmp_path: Path) -> Path:
    return tmp_path / "projects" / "session"


def names(session: Path) -> list[str]:
    return sorted(path.name for path in (session / "tool-results").iterdir())


def persisted(session: Path, tool_use_id: str, content: object) -> Spilled:
    outcome = persist(DirectoryStore(session), tool_use_id, content)
    assert isinstance(outcome, Spilled)
    return outcome


def refused(session: Path, tool_use_id: str, content: object) -> str:
    outcome = persist(DirectoryStore(session), tool_use_id, content)
    assert isinstance(outcome, SpillFailure)
    assert outcome.tool_use_id == tool_use_id
    return outcome.error


def test_a_string_is_written_as_it_is(session: Path) -> None:
    spilled = persisted(session, "toolu_01", "a\r\nb\nü😀\x00")
    assert spilled.path == str(session / "tool-results" / "toolu_01.txt")
    assert Path(spilled.path).read_bytes() == "a\r\nb\nü😀\x00".encode()


@pytest.mark.parametrize(
    ("text", "written"),
    [("a\ud83d", "a\ufffd"), ("\ude00\ud83db", "\ufffd\ufffdb"), ("\ud83d" + "\ude00", "😀"), ("plain", "plain")],
)
def test_lone_surrogates_are_replaced(session: Path, text: str, written: str) -> None:
    spilled = persisted(session, "a", text)
    assert (spilled.text, Path(spilled.path).read_bytes()) == (written, written.encode())


def test_a_list_is_written_as_javascript_prints_it(session: Path) -> None:
    blocks = [{"type": "text", "text": 'é"\n\ud800'}, {"type": "text", "text": "", "n": [1.0, {}]}]
    spilled = persisted(session, "a", blocks)
    assert spilled.path.endswith("a.json")
    assert Path(spilled.path).read_text(encoding="utf-8") == (
        '[\n  {\n    "type": "text",\n    "text": "é\\"\\n\\ud800"\n  },\n'
        '  {\n    "type": "text",\n    "text": "",\n    "n": [\n      1,\n      {}\n    ]\n  }\n]'
    )


def test_a_list_with_another_block_is_not_written(session: Path) -> None:
    assert refused(session, "a", [{"type": "text", "text": "x"}, {"type": "tool_reference"}])
    assert not session.exists()


def test_everything_is_for_its_owner_only(session: Path) -> None:
    old = os.umask(0)
    try:
        spilled = persisted(session, "a", "text")
    finally:
        os.umask(old)
    modes = {
        path.name: stat.S_IMODE(path.stat().st_mode) for path in (Path(spilled.path), *list(Path(spilled.path).parents)[:3])
    }
    assert modes == {"a.txt": 0o600, "tool-results": 0o700, "session": 0o700, "projects": 0o700}


def test_a_file_that_is_there_stays_as_it_is(session: Path) -> None:
    first = persisted(session, "a", "first")
    before = Path(first.path).stat()
    second = persisted(session, "a", "second")
    after = Path(first.path).stat()
    assert (second.path, second.text) == (first.path, "second")
    assert Path(first.path).read_text() == "first"
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_nothing_else_is_left_behind(session: Path) -> None:
    persisted(session, "a", "text")
    persisted(session, "a", "text")
    assert names(session) == ["a.txt"]


def test_a_relative_session_directory_gives_absolute_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert persisted(Path("s"), "a", "text").path == str(tmp_path / "s" / "tool-results" / "a.txt")


HOSTILE = [
    *("", ".", "..", "../a", "a/../b", "/etc/passwd", "a/b", "a\\b", "..\\a", "C:\\a", "C:a", "a\0b"),
    *("a" * 300, "é" * 200, " ", "a ", "a.", ".a", "a\nb", "a:b", "a*", "~", "-rf", "\ud800", "é"),
    *("con", "NUL", "aux.1", "Com1", "LPT9.x", "id-" + "0" * 64, "ID-" + "A" * 64),
]


@pytest.mark.parametrize("tool_use_id", HOSTILE)
def test_a_foreign_id_is_never_a_path(session: Path, tool_use_id: str) -> None:
    spilled = persisted(session, tool_use_id, "text")
    assert Path(spilled.path).parent == session / "tool-results"
    assert Path(spilled.path).read_text() == "text"
    assert names(session) == [safe_stem(tool_use_id) + ".txt"]
    assert safe_stem(tool_use_id) != tool_use_id
    assert safe_stem(tool_use_id) == safe_stem(tool_use_id)
    assert [path.name for path in session.parent.iterdir()] == ["session"]


@pytest.mark.parametrize("tool_use_id", ["toolu_01AbC-d_9", "call.1", "a", "x" * 200, "id-7", "console", "com12"])
def test_an_ordinary_id_names_its_file(tool_use_id: str) -> None:
    assert safe_stem(tool_use_id) == tool_use_id


ids = st.sampled_from(HOSTILE) | st.text("aA.-_/\\\0é\ud800", max_size=4) | st.text(max_size=8)


@given(ids, ids)
def test_two_ids_never_share_a_file(one: str, other: str) -> None:
    for tool_use_id in (one, other):
        assert safe_stem(tool_use_id).isascii()
    if one != other:
        assert safe_stem(one) != safe_stem(other)
        assert safe_stem(one) != safe_stem(safe_stem(other)) or safe_stem(other) == one


def test_an_id_that_is_another_ones_derived_name_gets_its_own(session: Path) -> None:
    first = persisted(session, "../a", "first")
    second = persisted(session, Path(first.path).stem, "second")
    third = persisted(session, Path(first.path).stem.upper(), "third")
    assert [Path(each.path).read_text() for each in (first, second, third)] == ["first", "second", "third"]
    assert len({path.lower() for path in (first.path, second.path, third.path)}) == 3


def test_ids_that_differ_in_case_where_the_file_system_ignores_it(session: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real_lstat, real_link = Path.lstat, Path.hardlink_to

    def folded(path: Path) -> Path:
        twins = [entry for entry in path.parent.glob("*") if entry.name.lower() == path.name.lower()]
        return twins[0] if twins else path

    monkeypatch.setattr(Path, "lstat", lambda path: real_lstat(folded(path)))
    monkeypatch.setattr(Path, "hardlink_to", lambda path, target: real_link(folded(path), target))
    for _ in range(2):
        one, other = persisted(session, "toolu_A", "one"), persisted(session, "toolu_a", "other")
        assert Path(one.path).name == "toolu_A.txt"
        assert [Path(each.path).read_text() for each in (one, other)] == ["one", "other"]
    assert len(names(session)) == 2


def test_without_hard_links(session: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(path: Path, target: Path) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(Path, "hardlink_to", no_links)
    assert Path(persisted(session, "a", "first").path).read_text() == "first"
    assert Path(persisted(session, "a", "second").path).read_text() == "first"
    assert names(session) == ["a.txt"]


def test_a_rename_that_comes_too_late_is_success(session: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def another_engine_is_faster(path: Path, target: Path) -> None:
        path.write_text("theirs")
        raise OSError(errno.ENOTSUP, "no links")

    monkeypatch.setattr(Path, "hardlink_to", another_engine_is_faster)
    assert Path(persisted(session, "a", "ours").path).read_text() == "theirs"
    assert names(session) == ["a.txt"]


def test_a_file_in_place_of_the_directory_is_a_failure(tmp_path: Path) -> None:
    (tmp_path / "tool-results").write_text("in the way")
    assert "Not a directory" in refused(tmp_path, "a", "text")


def test_something_else_under_the_name_is_a_failure(session: Path) -> None:
    (session / "tool-results" / "a.txt").mkdir(parents=True)
    (session / "tool-results" / "b.txt").symlink_to("/nowhere")
    assert refused(session, "a", "text")
    assert refused(session, "b", "text")
    assert names(session) == ["a.txt", "b.txt"]


def test_a_session_directory_that_no_system_allows_is_a_failure() -> None:
    assert refused(Path("/tmp/a\0b"), "a", "text")


def test_an_error_is_one_line_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "tool-results").write_text("in the way")
    error = refused(tmp_path, "a", "text")
    assert "\n" not in error
    assert str(tmp_path) in error


FULL_DISK = """
import resource, sys
from pathlib import Path
from spillscope.budget.store import DirectoryStore, persist
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
store = DirectoryStore(sys.argv[1])
print(type(persist(store, "large", "x" * 10_000)).__name__, type(persist(store, "small", "x" * 100)).__name__)
"""


def test_a_write_that_breaks_off_leaves_nothing(session: Path) -> None:
    done = subprocess.run([sys.executable, "-c", FULL_DISK, str(session)], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["SpillFailure", "Spilled"]
    assert names(session) == ["small.txt"]


KILLED = """
import os, sys
from spillscope.budget import store
os.fsync = lambda handle: os._exit(9)
store.persist(store.DirectoryStore(sys.argv[1]), "a", "x" * 10_000)
"""


def test_a_crash_leaves_nothing_under_the_final_name(session: Path) -> None:
    assert subprocess.run([sys.executable, "-c", KILLED, str(session)]).returncode == 9
    assert "a.txt" not in names(session)
    assert Path(persisted(session, "a", "whole").path).read_text() == "whole"


def test_threads_on_one_id_agree(session: Path) -> None:
    texts = [f"{number}" * 50_000 for number in range(8)]
    with ThreadPoolExecutor(8) as pool:
        paths = set(pool.map(lambda text: persisted(session, "a", text).path, texts))
    assert len(paths) == 1
    assert Path(paths.pop()).read_text() in texts
    assert names(session) == ["a.txt"]


TWO_ENGINES = """
import sys
from spillscope.budget.store import DirectoryStore, Spilled, persist
store = DirectoryStore(sys.argv[1])
sys.stdin.readline()
print(sum(isinstance(persist(store, f"toolu_{n}", f"text {n}" * 100), Spilled) for n in range(20)))
"""


def test_processes_on_one_directory_agree(session: Path) -> None:
    command = [sys.executable, "-c", TWO_ENGINES, str(session)]
    engines = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    for engine in engines:
        assert engine.stdin is not None
        engine.stdin.write("go\n")
        engine.stdin.flush()
    assert [engine.communicate()[0].strip() for engine in engines] == ["20", "20"]
    assert names(session) == sorted(f"toolu_{number}.txt" for number in range(20))
    assert all((session / "tool-results" / f"toolu_{n}.txt").read_text() == f"text {n}" * 100 for n in range(20))


@given(st.text())
def test_written_text_always_encodes(text: str) -> None:
    for content in (text, [{"type": "text", "text": text}]):
        spill_text(content)[0].encode()
