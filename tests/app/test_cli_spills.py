"""`spillscope spills`: every spilled file with its state, for people and for scripts; nothing is ever removed."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from spill_folder import LONG, SpillFolder
from spillscope_app.cli import main
from transcripts import Writer, wrapper

DAY = 86_400


def spills(*words: str | Path, env: dict[str, str] | None = None) -> Result:
    return CliRunner().invoke(main, ["spills", *map(str, words)], env=env)


def complaint(result: Result) -> str:
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1
    return result.stderr


def entries(*words: str | Path) -> list[dict[str, Any]]:
    result = spills(*words, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    found: list[dict[str, Any]] = json.loads(result.stdout)
    return found


def run(*words: str | Path, first: str = "pass") -> list[str]:
    """The command as a process, after some code of the test's own."""
    code = f"import sys; {first}; from spillscope_app.cli import main; main(sys.argv[1:])"
    return [sys.executable, "-c", code, "spills", *map(str, words)]


@pytest.fixture
def folder(tmp_path: Path) -> SpillFolder:
    """Two spills, one of them deleted, and one of a sub-agent."""
    folder = SpillFolder(tmp_path)
    folder.call("Bash", "t1", wrapper(LONG, folder.spill("t1.txt")))
    folder.call("Grep", "t2", wrapper(LONG, folder.spill("t2.txt")))
    folder.writer.say(usage=2_000)
    (folder.results / "t2.txt").unlink()
    agent = Writer()
    agent.prompt()
    agent.call("Grep", "s1", wrapper(LONG[:30_000], folder.spill("s1.txt", LONG[:30_000])))
    folder.agent("a1", agent)
    for name, days in (("t1.txt", 40), ("s1.txt", 3)):
        stamp = time.time() - days * DAY
        os.utime(folder.results / name, (stamp, stamp))
    folder.open()
    return folder


class TestOneSession:
    def test_as_json(self, folder: SpillFolder) -> None:
        first, second, third = entries(folder.path)
        assert first["toolUseId"] == "t1"
        assert (first["path"], first["bytes"], first["exists"]) == (str(folder.results / "t1.txt"), len(LONG), True)
        assert (first["origin"], first["inside"], first["reread"], first["mismatch"]) == ("result", True, 0, None)
        assert (first["badges"], second["badges"], third["badges"]) == (["never re-read"], ["missing", "never re-read"], [])
        assert first["audit"][0]["name"] == "never re-read"
        assert first["audit"][0]["text"].endswith("tokens.")
        assert first["modified"].startswith("20")
        assert second["modified"] is None
        assert "agentId" not in first
        assert third["agentId"] == "a1"

    def test_as_a_table(self, folder: SpillFolder) -> None:
        result = spills(folder.path)
        assert (result.exit_code, result.stderr) == (0, "")
        head, first, second, third, sums, counts = result.stdout.splitlines()
        assert head.split() == ["spill", "tool", "bytes", "age", "origin", "read", "label", "badges"]
        assert first.split()[:4] == ["t1", "Bash", "60,000", "40d"]
        assert second.endswith("missing, never re-read")
        assert third.split()[:2] == ["s1", "Grep"]
        assert sums == "3 spills; on disk 2 files, 90,000 bytes, the oldest 40d old"
        assert counts == "2 never re-read, 1 missing"

    def test_without_any(self, tmp_path: Path) -> None:
        folder = SpillFolder(tmp_path)
        folder.open()
        assert spills(folder.path).stdout == "no spilled files\n"
        assert entries(folder.path) == []

    def test_older_than(self, folder: SpillFolder) -> None:
        result = spills(folder.path, "--older-than", "30d", "--json")
        assert [entry["toolUseId"] for entry in json.loads(result.stdout)] == ["t1"]
        assert result.stderr == "1 file, 60,000 bytes would go; nothing was removed\n"
        assert (folder.results / "t1.txt").exists()

    def test_hostile_names_take_no_effect(self, tmp_path: Path) -> None:
        folder = SpillFolder(tmp_path)
        folder.spill("\x1b[31mred\u202e.txt")
        folder.call("\x1b]0;title\x07", "t\x1b[2J", wrapper(LONG, "/far/\x1b[2J\x07/x.txt"))
        folder.open()
        for words in ([], ["--older-than", "0s"], ["--cat", "t"]):
            result = spills(folder.path, *words)
            assert not set("\x1b\x07\u202e") & set(result.stdout + result.stderr), words
        assert "\x1b" not in spills(folder.path, "--json").stdout


class TestManySessions:
    @pytest.fixture
    def root(self, folder: SpillFolder, tmp_path: Path) -> Path:
        other = SpillFolder(tmp_path, "22222222-2222-4333-8444-555555555555")
        other.call("Bash", "o1", wrapper(LONG, other.spill("o1.txt")))
        other.open()
        return tmp_path / "projects"

    def test_what_each_has_on_disk_the_largest_first(self, root: Path) -> None:
        result = spills(root)
        assert result.exit_code == 0
        head, first, second, sums = result.stdout.splitlines()
        assert head.split() == ["session", "project", "files", "bytes", "oldest", "newest"]
        assert first.split()[1:] == ["-srv-app", "2", "90,000", "40d", "3d"]
        assert second.split()[1:4] == ["-srv-app", "1", "60,000"]
        assert sums == "2 sessions, 3 files, 150,000 bytes"
        assert spills(root / "-srv-app").stdout == result.stdout
        assert spills(env={"CLAUDE_CONFIG_DIR": str(root.parent)}).stdout == result.stdout

    def test_without_reading_a_transcript(self, root: Path) -> None:
        for path in root.rglob("*.jsonl"):
            path.write_bytes(b"\0 no transcript")
        assert spills(root).stdout.splitlines()[-1] == "2 sessions, 3 files, 150,000 bytes"

    def test_as_json_audited(self, root: Path) -> None:
        found = entries(root)
        ids = {(entry["session"][:1], entry["toolUseId"]) for entry in found}
        assert ids == {("1", "t1"), ("1", "t2"), ("1", "s1"), ("2", "o1")}
        assert all({"badges", "modified", "mismatch"} <= set(entry) for entry in found)

    def test_older_than(self, root: Path) -> None:
        result = spills(root, "--older-than", "2d", "--json")
        found = json.loads(result.stdout)
        assert {Path(entry["path"]).name: entry["bytes"] for entry in found} == {"t1.txt": 60_000, "s1.txt": 30_000}
        assert result.stderr == "2 files, 90,000 bytes would go; nothing was removed\n"
        *rows, sums = spills(root, "--older-than", "2d").stdout.splitlines()
        assert [row.split("/")[-1] for row in rows] == ["modified    age   bytes  file", "t1.txt", "s1.txt"]
        assert sums == "2 files, 90,000 bytes would go; nothing was removed"
        assert len(list(root.rglob("tool-results/*"))) == 3

    def test_links_are_not_counted_twice(self, root: Path) -> None:
        results = next(root.rglob("t1.txt")).parent
        (results / "link.txt").symlink_to(results / "t1.txt")
        assert spills(root).stdout.splitlines()[-1] == "2 sessions, 3 files, 150,000 bytes"

    def test_one_by_its_name(self, root: Path) -> None:
        assert spills(root, "--cat", "o1").stdout == LONG


class TestCat:
    @pytest.mark.parametrize("wanted", ["t1", "t1.txt", "s1", "s1.t"])
    def test_by_id_name_or_beginning(self, folder: SpillFolder, wanted: str) -> None:
        result = spills(folder.path, "--cat", wanted)
        assert (result.exit_code, result.stderr) == (0, "")
        assert result.stdout == (LONG if wanted.startswith("t1") else LONG[:30_000])

    def test_its_very_bytes(self, folder: SpillFolder) -> None:
        data = b"\x00\xff\x1b[31m\r\n" * 100
        (folder.results / "t1.txt").write_bytes(data)
        assert spills(folder.path, "--cat", "t1").stdout_bytes == data

    def test_the_whole_id_wins_over_a_longer_one(self, folder: SpillFolder) -> None:
        folder.spill("t11.txt", "another")
        assert spills(folder.path, "--cat", "t1").stdout == LONG

    def test_an_ambiguous_beginning(self, folder: SpillFolder) -> None:
        assert "2 spills are called 't' or begin so" in complaint(spills(folder.path, "--cat", "t"))

    def test_an_unknown_one(self, folder: SpillFolder) -> None:
        assert "no spill 'x9'" in complaint(spills(folder.path, "--cat", "x9"))

    def test_a_missing_one(self, folder: SpillFolder) -> None:
        assert "not there any more" in complaint(spills(folder.path, "--cat", "t2"))

    def test_one_outside_only_when_asked(self, tmp_path: Path) -> None:
        outside = tmp_path / "outside.txt"
        outside.write_text("its text")
        folder = SpillFolder(tmp_path)
        folder.call("Bash", "t1", wrapper(LONG, str(outside)))
        folder.open()
        assert "give --outside" in complaint(spills(folder.path, "--cat", "t1"))
        assert spills(folder.path, "--cat", "t1", "--outside").stdout == "its text"

    def test_one_that_stayed_where_the_session_was_before(self, tmp_path: Path) -> None:
        folder = SpillFolder(tmp_path)
        before = tmp_path / "before" / folder.writer.session / "tool-results" / "t1.txt"
        before.parent.mkdir(parents=True)
        before.write_text("its text")
        folder.call("Bash", "t1", wrapper(LONG, str(before)))
        folder.open()
        assert "missing here" in complaint(spills(folder.path, "--cat", "t1"))
        assert spills(folder.path, "--cat", "t1", "--outside").stdout == "its text"

    @pytest.mark.parametrize("named", ["relative/x.txt", "/far/away\0.txt", "/far/away.txt", "/tmp"])
    def test_one_outside_that_is_no_file(self, tmp_path: Path, named: str) -> None:
        folder = SpillFolder(tmp_path)
        folder.call("Bash", "t1", wrapper(LONG, named))
        folder.open()
        complaint(spills(folder.path, "--cat", "t1", "--outside"))

    def test_a_pipe_is_not_waited_for(self, tmp_path: Path) -> None:
        pipe = tmp_path / "pipe"
        os.mkfifo(pipe)
        folder = SpillFolder(tmp_path)
        folder.call("Bash", "t1", wrapper(LONG, str(pipe)))
        folder.open()
        assert "no regular file" in complaint(spills(folder.path, "--cat", "t1", "--outside"))

    def test_a_terminal_gets_escapes(self, folder: SpillFolder) -> None:
        (folder.results / "t1.txt").write_bytes(b"one\x1b[31m\ntwo \xff \xe2\x80\xae\n")
        ours, theirs = pty.openpty()
        subprocess.run(run(folder.path, "--cat", "t1"), stdout=theirs, check=True, timeout=60)
        os.close(theirs)
        shown = os.read(ours, 1_000).decode().replace("\r\n", "\n")
        os.close(ours)
        assert shown == "one␛[31m\ntwo \\xff \\u202e\n"

    def test_a_reader_that_leaves(self, folder: SpillFolder) -> None:
        os.truncate(folder.results / "t1.txt", 64 << 20)
        with subprocess.Popen(run(folder.path, "--cat", "t1"), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            process.stdout.read(10)
            process.stdout.close()
            assert process.stderr.read() == b""
            assert process.wait(60) == 141

    def test_three_gigabytes_in_a_little_memory(self, folder: SpillFolder) -> None:
        size = 3 << 30
        os.truncate(folder.results / "t1.txt", size)
        limit = "import resource; resource.setrlimit(resource.RLIMIT_AS, (400 << 20, 400 << 20))"
        with subprocess.Popen(run(folder.path, "--cat", "t1", first=limit), stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            count = 0
            while block := process.stdout.read(1 << 20):
                count += len(block)
            assert (process.wait(60), count) == (0, size)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--older-than", "soon"], "no age: 'soon'"),
        (["--older-than", "-3d"], "no age"),
        (["--older-than", "30"], "no age"),
        (["--cat", "t1", "--json"], "--cat prints one file"),
        (["--cat", "t1", "--older-than", "3d"], "--cat prints one file"),
        (["--outside"], "--outside goes with --cat"),
    ],
)
def test_calls_that_make_no_sense(folder: SpillFolder, words: list[str], said: str) -> None:
    assert said in complaint(spills(folder.path, *words))


def test_a_path_that_leads_nowhere(tmp_path: Path) -> None:
    assert "no such session" in complaint(spills(tmp_path / "none"))


def test_a_file_that_is_no_transcript(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_bytes(b"\x7fELF\0\0")
    assert "no transcript" in complaint(spills(tmp_path / "x.jsonl"))
