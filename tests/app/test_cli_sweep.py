"""`spillscope sweep`: what it finds, its three forms, its exit status, and that its processes end with it."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from sleeper import own_pid
from spillscope_app.cli import main
from spillscope_app.pool import in_processes
from transcripts import Writer

PROGRAM = [sys.executable, "-c", "from spillscope_app.cli import main\nif __name__ == '__main__': main()"]


def sweep(*words: str | Path) -> Result:
    return CliRunner().invoke(main, ["sweep", "--jobs", "1", *map(str, words)])


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Two projects with three sessions, the last of one project broken."""
    folder = tmp_path / "projects"
    for number, name in enumerate(("-srv-a", "-srv-a", "-srv-b")):
        writer = Writer(session=f"{number}1111111-2222-4333-8444-555555555555")
        writer.prompt()
        writer.call("Bash", "t1", "x" * 5_000 * (number + 1))
        writer.say(usage=10_000 * (number + 1))
        (folder / name).mkdir(parents=True, exist_ok=True)
        writer.save(folder / name)
    return folder


def test_the_shape_of_the_json(root: Path) -> None:
    result = sweep(root, "--vary", "overrides.Bash=4k,8k,1M", "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    printed = json.loads(result.stdout)
    assert list(printed) == ["schema", "grid"]
    assert [entry["limits"]["overrides"]["Bash"] for entry in printed["grid"]] == [4_000, 8_000, 1_000_000]
    assert [entry["spilled"] for entry in printed["grid"]] == [3, 2, 0]
    assert [entry["peak"] for entry in printed["grid"]][-1] == {"p50": 20_000, "p90": 30_000, "max": 30_000}
    assert {(entry["sessions"], entry["failed"]) for entry in printed["grid"]} == {(3, 0)}


def test_the_grid_is_the_product_and_limits_hold_in_every_cell(root: Path) -> None:
    result = sweep(
        root, "--vary", "overrides.Bash=4k,8k", "--vary", "aggregate=true,false", "--message-budget", "77k", "--json"
    )
    limits = [entry["limits"] for entry in json.loads(result.stdout)["grid"]]
    assert [(each["overrides"]["Bash"], each["aggregate"]) for each in limits] == [
        (4_000, True), (4_000, False), (8_000, True), (8_000, False)
    ]  # fmt: skip
    assert {each["message_budget"] for each in limits} == {77_000}


def test_csv_has_a_line_a_cell(root: Path) -> None:
    result = sweep(root, "--vary", "overrides.Bash=4k,1M", "--csv")
    head, *rows = csv.reader(io.StringIO(result.stdout))
    assert head == [
        "overrides.Bash",
        "sessions",
        "failed",
        "spilled",
        "replaced",
        "tokensSaved",
        "peakP50",
        "peakP90",
        "peakMax",
    ]
    assert [row[:4] for row in rows] == [["4000", "3", "0", "3"], ["1000000", "3", "0", "0"]]


def test_the_table_has_the_smallest_context_first(root: Path) -> None:
    result = sweep(root, "--vary", "overrides.Bash=1M,4k")
    first, head, best, worst = result.stdout.splitlines()
    assert first == "3 sessions, 0 failed, 2 settings; the smallest peak of context first"
    assert head.split()[:2] == ["overrides.Bash", "spilled"]
    assert (best.split()[0], worst.split()[0]) == ("4,000", "1,000,000")


@pytest.mark.parametrize(
    ("words", "sessions"),
    [(["."], 3), (["-srv-a"], 2), (["-srv-*"], 3), (["**/*.jsonl"], 3), (["-srv-a", "./-srv-a/*.jsonl"], 2)],
)
def test_folders_and_globs(root: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], sessions: int) -> None:
    agents = root / "-srv-a" / "s" / "subagents"
    agents.mkdir(parents=True)
    (agents / "agent-1.jsonl").write_text("{}\n")
    monkeypatch.chdir(root)
    result = sweep("--json", "--", *words)
    assert json.loads(result.stdout)["grid"][0]["sessions"] == sessions


def test_sessions_that_fail_are_counted_and_named_and_the_rest_go_on(root: Path) -> None:
    (root / "-srv-b" / "broken.jsonl").write_bytes(b"\0" * 300)
    result = sweep(root, root / "nowhere", "--json")
    assert result.exit_code == 0
    entry = json.loads(result.stdout)["grid"][0]
    assert (entry["sessions"], entry["failed"]) == (3, 2)
    assert sorted(line.split(": ")[0] for line in result.stderr.splitlines()) == ["failed", "failed"]
    assert "broken.jsonl: no transcript" in result.stderr
    assert "nowhere: no such session" in result.stderr


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--vary", "treshold=1"], "unknown limit"),
        (["--vary", "overrides.Bash"], "no key and values"),
        (["--vary", "overrides.Bash=1,x"], "no value: --vary overrides.Bash=x"),
        (["--vary", "overrides.Bash=inf"], "no number above 0: --vary overrides.Bash=inf"),
        (["--vary", "window=1", "--vary", "window=2"], "varied twice: --vary window"),
        (
            ["--vary", "window=1" + ",1" * 100, "--vary", "default_threshold=1" + ",1" * 99],
            "too many cells",
        ),
        (["--json", "--csv"], "give one of them"),
        (["--jobs", "0"], "--jobs"),
    ],
)
def test_bad_calls_get_one_line(root: Path, words: list[str], says: str) -> None:
    result = sweep(root, *words)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert says in result.stderr


def test_nothing_that_can_be_read_is_unusable(tmp_path: Path) -> None:
    result = sweep(tmp_path / "gone")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "no session could be read" in result.stderr


def test_many_processes_say_what_one_says(root: Path) -> None:
    words = ["sweep", str(root), "--vary", "overrides.Bash=4k,1M", "--csv"]
    printed = [
        subprocess.run([*PROGRAM, *words, "--jobs", jobs], capture_output=True, check=True, timeout=120).stdout for jobs in "12"
    ]
    assert printed[0] == printed[1] != b""


class TestProcesses:
    def test_end_with_a_caller_who_wants_no_more(self) -> None:
        taken = in_processes(own_pid, range(50), 2)
        pid = next(taken)
        taken.close()
        assert _ended(pid)

    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
    def test_end_with_their_parent(self, tmp_path: Path, number: signal.Signals) -> None:
        """Interrupted or killed in the middle of the work, and no process is left."""
        pids = tmp_path / "pids"
        script = (
            "import sys\n"
            "from spillscope_app.cli import EXIT_INTERRUPTED\n"
            "from spillscope_app.pool import in_processes\n"
            "from sleeper import sleep_long\n"
            "if __name__ == '__main__':\n"
            "    try:\n"
            "        list(in_processes(sleep_long, [sys.argv[1]] * 2, 2))\n"
            "    except KeyboardInterrupt:\n"
            "        sys.exit(EXIT_INTERRUPTED)\n"
        )
        program = tmp_path / "program.py"
        program.write_text(script)
        tests = str(Path(__file__).resolve().parent.parent)
        parent = subprocess.Popen([sys.executable, program, pids], env={**os.environ, "PYTHONPATH": tests})
        try:
            _wait_for(lambda: pids.exists() and pids.read_text().count("\n") == 2)
            parent.send_signal(number)
            assert parent.wait(30) == (130 if number == signal.SIGINT else -signal.SIGKILL)
        finally:
            parent.kill()
        for pid in map(int, pids.read_text().split()):
            assert _ended(pid)


def _ended(pid: int) -> bool:
    """Whether a process is gone, or goes within a while."""
    return _wait_for(lambda: not _lives(pid))


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    return not (status.exists() and status.read_text().rpartition(")")[2].split()[0] == "Z")


def _wait_for(holds: object) -> bool:
    assert callable(holds)
    end = time.monotonic() + 60
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True
