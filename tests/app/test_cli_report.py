"""`spillscope report`: its two forms, its exit status, and what it says of bad input."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from paying import Paying
from spillscope.session.calibration import NEWEST_REQUESTS
from spillscope.session.report import SECTIONS
from spillscope_app.cli import main
from spillscope_app.progress import Progress
from transcripts import Writer, lines, text, use, wrapper

PROGRAM = [sys.executable, "-c", "from spillscope_app.cli import main; main()"]
RAW_CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]")


def report(*words: str | Path) -> Result:
    return CliRunner().invoke(main, ["report", *map(str, words)])


def complaint(result: Result) -> str:
    """The one line of a call that can't be served."""
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("spillscope: ")
    assert result.stderr.endswith("\n")
    assert result.stderr.count("\n") == 1
    return result.stderr


@pytest.fixture
def path(tmp_path: Path) -> Path:
    writer = Writer()
    writer.prompt()
    writer.call("Bash", "t1", "x" * 200)
    writer.call("Read", "t2", "x" * 60_000)
    writer.say(usage=5_000)
    return writer.save(tmp_path)


@pytest.fixture
def drifted(tmp_path: Path) -> Path:
    writer = Writer()
    writer.prompt()
    writer.call("Bash", "t1", "x" * 30_001)
    return writer.save(tmp_path)


class TestJson:
    def test_has_every_section(self, path: Path) -> None:
        result = report(path, "--json")
        assert (result.exit_code, result.stderr) == (0, "")
        assert list(json.loads(result.stdout)) == ["schema", *SECTIONS]

    def test_can_have_some_only(self, path: Path) -> None:
        result = report(path, "--json", "--only", "totals, context")
        assert list(json.loads(result.stdout)) == ["schema", "context", "totals"]

    def test_is_meant_where_sections_are_named(self, path: Path) -> None:
        assert list(json.loads(report(path, "--only", "totals").stdout)) == ["schema", "totals"]

    def test_is_under_the_limits_given(self, path: Path) -> None:
        result = report(path, "--json", "--override", "Bash=100", "--window", "500k")
        found = json.loads(result.stdout)
        assert (found["totals"]["spilled"], found["context"]["window"]) == (1, 500_000)


class TestCalibration:
    @pytest.fixture
    def long(self, tmp_path: Path) -> Path:
        writer = Paying()
        writer.prompt()
        for _ in range(NEWEST_REQUESTS + 20):
            writer.step()
        return writer.save(tmp_path)

    def test_is_of_the_newest_requests_unless_all_are_wanted(self, long: Path) -> None:
        newest, everything = (
            json.loads(report(long, "--only", "calibration", *more).stdout) for more in ((), ("--calibrate", "all"))
        )
        assert newest["calibration"]["fitted"]["n"] == NEWEST_REQUESTS
        assert everything["calibration"]["fitted"]["n"] == NEWEST_REQUESTS + 19

    def test_is_told_to_people(self, long: Path) -> None:
        shown = report(long).stdout
        assert "likely " in shown
        assert re.search(r"fitted +[+-]\d\.\d% ", shown)

    def test_costs_nothing_where_it_is_left_out(self, long: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("spillscope.tokens.bpe.vocabulary", None)
        assert report(long, "--only", "totals").exit_code == 0


class TestCheck:
    def test_is_0_without_drift(self, path: Path) -> None:
        result = report(path, "--check")
        assert result.exit_code == 0
        assert json.loads(result.stdout)["drift"] == []

    def test_is_1_with_drift(self, drifted: Path) -> None:
        result = report(drifted, "--check")
        assert (result.exit_code, result.stderr) == (1, "")
        assert [entry["toolUseId"] for entry in json.loads(result.stdout)["drift"]] == ["t1"]

    def test_counts_what_is_not_shown(self, drifted: Path) -> None:
        assert report(drifted, "--check", "--only", "context").exit_code == 1

    def test_drift_alone_is_no_failure(self, drifted: Path) -> None:
        assert report(drifted, "--json").exit_code == 0
        assert report(drifted).exit_code == 0


class TestPaths:
    def test_a_session_a_project_and_a_relative_path(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(path.parent)
        outs = {report(name, "--json").stdout for name in (path, path.with_suffix(""), path.parent, path.name, ".")}
        assert len(outs) == 1

    def test_a_path_that_is_not_there(self, tmp_path: Path) -> None:
        assert "no such session: " in complaint(report(tmp_path / "nowhere"))

    def test_a_directory_without_a_session(self, tmp_path: Path) -> None:
        (tmp_path / "empty").mkdir()
        assert "no session in: " in complaint(report(tmp_path / "empty"))

    def test_a_folder_of_projects(self, path: Path) -> None:
        assert "give one session" in complaint(
            report(path.parent.parent if path.parent.parent.name == "projects" else _root(path))
        )

    @pytest.mark.parametrize("name", ["x.jsonl", "x.json", "x.bin"])
    @pytest.mark.parametrize(
        "data", [bytes(range(256)) * 9, b"\0" * 100, b"\x7fELF\x02\x01", b"plain words\nand more\n", b"[1, 2]\n"]
    )
    def test_a_file_that_is_no_transcript(self, tmp_path: Path, name: str, data: bytes) -> None:
        path = tmp_path / name
        path.write_bytes(data)
        assert "no transcript: " in complaint(report(path))
        assert "no transcript: " in complaint(report(path, "--json"))

    def test_an_empty_file_is_an_empty_session(self, tmp_path: Path) -> None:
        path = tmp_path / "s.jsonl"
        path.write_bytes(b"")
        result = report(path, "--json")
        assert (result.exit_code, json.loads(result.stdout)["session"]["records"]) == (0, 0)
        result = report(path)
        assert (result.exit_code, result.stdout.splitlines()[-1]) == (0, "no tool results yet")

    @pytest.mark.parametrize("data", [b'{"type":"us', b'\xef\xbb\xbf  {"type":"us', b"\n", b'{"type":NaN}\n'])
    def test_a_file_that_begins_like_one_is_an_empty_session(self, tmp_path: Path, data: bytes) -> None:
        path = tmp_path / "s.jsonl"
        path.write_bytes(data)
        assert report(path).exit_code == 0

    def test_a_bad_line_is_told_and_the_rest_shown(self, path: Path) -> None:
        path.write_bytes(b"{torn\n" + path.read_bytes() + b'{"type":"us')
        result = report(path)
        assert result.exit_code == 0
        assert "1 skipped lines, the first at line 1: " in result.stdout
        assert "Bash" in result.stdout

    def test_plain_messages(self, tmp_path: Path) -> None:
        path = tmp_path / "body.json"
        block = {"type": "tool_result", "tool_use_id": "t1", "content": "found"}
        path.write_text(json.dumps({"messages": [{"role": "user", "content": [block]}]}))
        assert json.loads(report(path, "--json").stdout)["totals"]["results"] == 1


def _root(path: Path) -> Path:
    project = path.parent / "projects" / "-srv-app"
    project.mkdir(parents=True)
    path.rename(project / path.name)
    return project.parent


class TestCalls:
    def test_a_broken_limits_file(self, path: Path, tmp_path: Path) -> None:
        limits = tmp_path / "limits.toml"
        limits.write_text("default_threshold = ")
        assert str(limits) in complaint(report(path, "--limits", str(limits)))

    def test_a_limits_file_that_is_not_there(self, path: Path, tmp_path: Path) -> None:
        assert "nowhere.toml" in complaint(report(path, "--limits", str(tmp_path / "nowhere.toml")))

    @pytest.mark.parametrize("only", ["groups,nonsense", "", ",", "GROUPS"])
    def test_a_section_that_is_none(self, path: Path, only: str) -> None:
        assert "no section " in complaint(report(path, "--only", only))

    def test_no_path(self) -> None:
        assert "PATH" in complaint(report())


class TestTable:
    def test_says_what_there_is(self, path: Path) -> None:
        result = report(path)
        assert (result.exit_code, result.stderr) == (0, "")
        assert "context 5,000 of 200,000 tokens (2.5 %): 5,000 exact + 0 estimated" in result.stdout
        assert "budget on, no evidence: no group was over the limit" in result.stdout
        assert "2 results, 60,200 chars: 0 mustReapply, 2 frozen, 0 fresh" in result.stdout
        rows = [row.split() for row in result.stdout.splitlines()]
        assert ["Bash", "1", "200", "200", "200", "30,000", "0", "0", "declared", "by", "the", "tool"] in rows

    def test_names_drift_and_its_reason(self, drifted: Path) -> None:
        rows = report(drifted).stdout.splitlines()
        assert any(row.startswith("t1 ") and row.endswith("yet not persisted at the source") for row in rows)

    def test_marks_the_request_that_was_not_sent(self, tmp_path: Path) -> None:
        writer = Writer()
        writer.prompt()
        writer.call("Bash", "t1", "x")
        writer.call("Bash", "t2", "x" * 40_000)
        rows = report(writer.save(tmp_path)).stdout.splitlines()
        assert [row.split()[0] for row in rows if "03:00:0" in row] == ["0", "next"]

    def test_shows_nothing_raw_of_a_hostile_session(self, tmp_path: Path) -> None:
        evil = "\x1b[2J\x1b]0;title\x07\r\x9b1m\u202e\u2066日本\x00\n" * 3
        writer = Writer(version=evil)
        writer.prompt(evil, cwd=evil)
        for number in range(3):
            writer.say(
                {"type": "tool_use", "id": f"{evil}{number}", "name": evil, "input": {"command": evil}}, model=evil, usage=5
            )
            writer.result(f"{evil}{number}", evil if number else wrapper("x" * 40_000, evil.replace("\n", "")))
        writer.say(use("Bash", f"{evil}9"), model=evil, cwd=evil)
        writer.result(f"{evil}9", "x" * 40_000, cwd=evil)
        path = tmp_path / "\x1b[31mred\u202e.jsonl"
        path.write_bytes(lines(writer.records) + evil.encode() + b"\n")
        limits = tmp_path / "\x1b[1mbold.toml"
        limits.write_text("aggregate = true\nwindow = 300000\n[overrides]\nBash = 5")
        result = report(path, "--limits", limits)
        assert result.exit_code == 0
        assert "skipped lines" in result.stdout
        assert RAW_CONTROL.findall(result.stdout) == []

    def test_columns_stay_aligned_beside_wide_characters(self, tmp_path: Path) -> None:
        writer = Writer()
        writer.prompt()
        for number, tool in enumerate(("日本語", "ab", "x" * 200)):
            writer.say(use(tool, f"t{number}"))
            writer.result(f"t{number}", "y" * 77_777)
        rows = report(writer.save(tmp_path)).stdout.splitlines()
        from spillscope.clean import cell_width

        places = {cell_width(row[: row.index("77,777")]) for row in rows if row.startswith(("日本語", "ab ", "xxx"))}
        assert len(places) == 1


class TestProcess:
    def run(self, *words: str | Path, **environ: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [*PROGRAM, "report", *map(str, words)],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            env={**os.environ, **environ},
            timeout=120,
            check=False,
        )

    @pytest.mark.parametrize("form", [(), ("--json",)])
    def test_speaks_utf_8_whatever_the_locale(self, tmp_path: Path, form: tuple[str, ...]) -> None:
        writer = Writer()
        writer.prompt(cwd="/srv/日本🎉")
        writer.say(use("Bash", "t\ud83d"), cwd="/srv/日本🎉")
        writer.result("t\ud83d", "x" * 31_000, cwd="/srv/日本🎉")
        done = self.run(writer.save(tmp_path), *form, LC_ALL="C", LANG="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
        assert (done.returncode, done.stderr) == (0, b"")
        assert "/srv/日本🎉" in done.stdout.decode()

    def test_ends_with_one_line_for_bad_input(self, tmp_path: Path) -> None:
        done = self.run(tmp_path / "nowhere")
        assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (2, b"", 1)

    def test_imports_no_user_interface(self, path: Path) -> None:
        code = (
            "import sys\nfrom spillscope_app.cli import main\n"
            f"try: main(['report', {str(path)!r}])\nexcept SystemExit: pass\n"
            "print([name for name in sys.modules if name.split('.')[0] in ('textual', 'rich', 'watchfiles')])"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
        assert done.stdout.splitlines()[-1] == "[]"


class Screen(io.StringIO):
    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal


class TestProgress:
    def shown(self, monkeypatch: pytest.MonkeyPatch, *, terminal: bool, seconds: float) -> str:
        screen = Screen(terminal)
        now = [100.0]
        monkeypatch.setattr("spillscope_app.progress.time.monotonic", lambda: now[0])
        monkeypatch.setattr(sys, "stderr", screen)
        with Progress("reading") as progress:
            now[0] += seconds
            assert progress.step(30, 100)
            assert progress.step(31, 100)
        return screen.getvalue()

    def test_long_work_shows_on_a_terminal_and_is_wiped(self, monkeypatch: pytest.MonkeyPatch) -> None:
        assert self.shown(monkeypatch, terminal=True, seconds=1.1) == "\rreading 30 %\x1b[K\r\x1b[K"

    def test_short_work_shows_nothing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        assert self.shown(monkeypatch, terminal=True, seconds=0.9) == ""

    def test_nothing_shows_where_no_terminal_is(self, monkeypatch: pytest.MonkeyPatch) -> None:
        assert self.shown(monkeypatch, terminal=False, seconds=60) == ""

    def test_a_report_tells_how_far_it_is(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        steps: list[tuple[int, int]] = []
        monkeypatch.setattr("spillscope.transcript.tail.READ_BYTES", 10_000)

        def note(progress: Progress, done: int, total: int) -> bool:
            steps.append((done, total))
            return True

        monkeypatch.setattr(Progress, "step", note)
        assert report(path, "--json").exit_code == 0
        assert [done for done, _ in steps] == sorted(done for done, _ in steps)
        assert {total for _, total in steps} == {path.stat().st_size}


def test_text_blocks_are_measured_like_the_report_says(tmp_path: Path) -> None:
    """P2, end to end: the sum of the units of the text blocks."""
    writer = Writer()
    writer.prompt()
    writer.call("Agent", "t1", [text("日本"), text("🎉")])
    assert json.loads(report(writer.save(tmp_path), "--only", "pending").stdout)["pending"]["results"][0]["chars"] == 4
