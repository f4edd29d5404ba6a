"""Faults made for real: after each, nothing is lost, no half file has a final name, and the next run is right."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from conversation import Json, answers, asks, content_of, plain, result
from spillscope.agent import AgentContext
from spillscope.budget.sink import TranscriptSink
from spillscope.budget.state import Replacement
from spillscope.budget.store import SpillFailure
from spillscope.limits import Limits
from spillscope.transcript.load import load_conversation
from spillscope.wrapper import PERSISTED_TAG

LIMITS = Limits(message_budget=100, preview_chars=20, overrides={"Bash": 50})


def turn(number: int, *sizes: int) -> list[Json]:
    calls = asks(f"m{number}", *((f"t{number}_{at}", "Grep") for at in range(len(sizes))))
    return [calls, answers(*(result(f"t{number}_{at}", f"{at}" * size) for at, size in enumerate(sizes)))]


def sent(messages: list[Json]) -> list[str]:
    return [json.dumps(plain(message)) for message in messages]


def files(session: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in (session / "tool-results").glob("*.txt")}


def stays_in_full(session: Path) -> None:
    """What a session directory that can't be written does: everything in full, told, and the same in the next request."""
    told: list[SpillFailure] = []
    context = AgentContext(session, LIMITS, log=told.append)
    assert context.admit("Bash", "b", "x" * 51).content == "x" * 51
    messages = turn(0, 60, 70)
    assert context.prepare(messages).messages is messages
    assert [failure.tool_use_id for failure in told] == ["b", "t0_1"]
    assert set(context.state.seen_ids) == {"t0_0", "t0_1"}
    assert context.prepare(messages).messages is messages
    assert len(told) == 2


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_directory_that_is_read_only(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        stays_in_full(tmp_path / "s")
    finally:
        tmp_path.chmod(0o700)


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="needs a file system that nobody writes to")
def test_a_file_system_that_nobody_can_write_to() -> None:
    stays_in_full(Path("/proc/self/fd"))


def test_a_name_that_is_too_long(tmp_path: Path) -> None:
    stays_in_full(tmp_path / ("s" * 300))
    context = AgentContext(tmp_path / "s", LIMITS)
    name = "t" * 5_000
    assert context.admit("Bash", name, "x" * 51).fate == "persisted"
    assert list(files(tmp_path / "s").values()) == ["x" * 51]


def test_a_directory_that_is_deleted_midway(tmp_path: Path) -> None:
    context = AgentContext(tmp_path / "s", LIMITS)
    messages = turn(0, 60, 70)
    before = sent(context.prepare(messages).messages)
    shutil.rmtree(tmp_path / "s")
    messages += turn(1, 80, 90)
    request = context.prepare(messages).messages
    assert sent(request)[: len(before)] == before
    assert files(tmp_path / "s") == {"t1_1.txt": "1" * 90}


def test_a_directory_that_is_deleted_again_and_again(tmp_path: Path) -> None:
    session, done = tmp_path / "s", threading.Event()

    def delete() -> None:
        while not done.is_set():
            shutil.rmtree(session, ignore_errors=True)

    context = AgentContext(session, LIMITS)
    messages: list[Json] = []
    before: list[str] = []
    deleter = threading.Thread(target=delete)
    deleter.start()
    try:
        for number in range(40):
            messages += turn(number, 60, 70, 80)
            request = sent(context.prepare(messages).messages)
            assert request[: len(before)] == before
            before = request
    finally:
        done.set()
        deleter.join()
    assert set(context.state.seen_ids) == {f"t{number}_{at}" for number in range(40) for at in range(3)}


def test_a_sink_that_raises(tmp_path: Path) -> None:
    def full(replacements: Sequence[Replacement]) -> None:
        raise OSError(28, "No space left on device")

    context = AgentContext(tmp_path, LIMITS, sink=full)
    messages = turn(0, 60, 70)
    prepared = context.prepare(messages)
    assert prepared.budget.sink_error == "No space left on device"
    assert content_of(prepared.messages, "t0_1").startswith(PERSISTED_TAG)
    assert context.prepare(messages).messages == prepared.messages


FULL_DISK = """
import json, resource, sys
from spillscope.agent import AgentContext
from spillscope.budget.sink import TranscriptSink
from spillscope.limits import Limits
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
context = AgentContext(sys.argv[1] + "/s", Limits(message_budget=10_000), sink=TranscriptSink(sys.argv[1] + "/s.jsonl", "s"))
def turn(n, *sizes):
    calls = [{"type": "tool_use", "id": f"t{n}_{i}", "name": "Grep", "input": {}} for i in range(len(sizes))]
    held = [{"type": "tool_result", "tool_use_id": f"t{n}_{i}", "content": "x" * size} for i, size in enumerate(sizes)]
    return [{"role": "assistant", "content": calls}, {"role": "user", "content": held}]
messages, before = [], []
for n in range(6):
    messages += turn(n, 9_000, 3_000, 2_500)
    prepared = context.prepare(messages)
    request = [json.dumps(message) for message in prepared.messages]
    assert request[:len(before)] == before
    before = request
    print(len(prepared.budget.failed), len(prepared.budget.spilled), prepared.budget.sink_error)
"""


def test_a_disk_that_is_full(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", FULL_DISK, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["1 0 None"] * 6
    assert files(tmp_path / "s") == {}
    assert list((tmp_path / "s/tool-results").iterdir()) == []


RECORDS_ONLY = FULL_DISK.replace("9_000, 3_000, 2_500", "4_000, 3_900, 3_800")


def test_a_transcript_that_can_not_grow(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", RECORDS_ONLY, str(tmp_path)], capture_output=True, text=True, check=True)
    told = [line.split(" ", 2) for line in done.stdout.splitlines()]
    assert [words[:2] for words in told] == [["0", "1"]] * 6
    errors = [words[2] for words in told]
    assert errors[0] == "None"
    assert errors[-1] != "None"
    whole = [line for line in (tmp_path / "s.jsonl").read_bytes().split(b"\n") if line.endswith(b"]}")]
    assert len(whole) == errors.count("None")
    assert all(json.loads(line)["type"] == "content-replacement" for line in whole)


TWO_ENGINES = """
import json, sys
from spillscope.agent import AgentContext
from spillscope.budget.sink import TranscriptSink
from spillscope.limits import Limits
context = AgentContext(sys.argv[1] + "/s", Limits(message_budget=1_000), sink=TranscriptSink(sys.argv[1] + "/s.jsonl", "s"))
messages = json.loads(sys.stdin.readline())
for end in range(2, len(messages) + 1, 2):
    request = context.prepare(messages[:end]).messages
print(json.dumps(request))
"""


def test_two_processes_on_one_session(tmp_path: Path) -> None:
    messages = [message for number in range(15) for message in turn(number, 700, 800)]
    command = [sys.executable, "-c", TWO_ENGINES, str(tmp_path)]
    engines = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    for engine in engines:
        assert engine.stdin is not None
        engine.stdin.write(json.dumps(messages) + "\n")
        engine.stdin.flush()
    first, second = (json.loads(engine.communicate()[0]) for engine in engines)
    assert first == second
    assert files(tmp_path / "s") == {f"t{number}_1.txt": "1" * 800 for number in range(15)}
    records = [json.loads(line) for line in (tmp_path / "s.jsonl").read_text().splitlines()]
    assert len(records) == 30
    resumed = AgentContext.resume(tmp_path / "s", messages, records, LIMITS)
    assert sent(resumed.prepare(messages).messages) == sent(first)


KILLED = """
import json, os, signal, sys
from pathlib import Path
from spillscope.agent import AgentContext
from spillscope.limits import Limits
from spillscope.transcript.writer import Author, TranscriptWriter

left, armed = 0, False

def trapped(real):
    def call(*args, **named):
        global left
        left -= armed
        if armed and left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*args, **named)
    return call

def converse(folder):
    global armed
    writer = TranscriptWriter(folder / "s.jsonl", Author("s", "/srv"))
    limits = Limits(message_budget=100, preview_chars=20, overrides={"Bash": 50})
    context = AgentContext(folder / "s", limits, sink=writer.sink())
    history = [writer.prompt("Go.")]
    with (folder / "requests").open("w") as requests:
        for number, sizes in enumerate([(60, 70), (10, 95, 96)]):
            calls = [{"type": "tool_use", "id": f"t{number}_{at}", "name": "Grep", "input": {}} for at in range(len(sizes))]
            history += writer.response({"id": f"m{number}", "role": "assistant", "content": calls})
            history += [writer.result(call["id"], str(at) * size) for at, (call, size) in enumerate(zip(calls, sizes))]
            armed = True
            request = context.prepare(history).messages
            armed = False
            print(json.dumps([message["message"] for message in request]), file=requests, flush=True)

fork, wait = os.fork, os.waitpid
for name in ("open", "write", "fsync", "link", "unlink", "mkdir", "lseek", "close"):
    setattr(os, name, trapped(getattr(os, name)))
step, killed = 0, True
while killed:  # every run of the conversation is a process of its own, and comes one step further
    step += 1
    folder = Path(sys.argv[1]) / str(step)
    folder.mkdir()
    child = fork()
    if child == 0:
        left = step
        converse(folder)
        os._exit(0)
    status = wait(child, 0)[1]
    killed = os.WIFSIGNALED(status)
    assert killed or status == 0
"""
WRITTEN = {"t0_1.txt": "1" * 70, "t1_2.txt": "2" * 96, "t1_1.txt": "1" * 95}


def test_a_kill_at_every_step_of_a_run(tmp_path: Path) -> None:
    steps = tmp_path / "steps"
    steps.mkdir()
    subprocess.run([sys.executable, "-c", KILLED, str(steps)], check=True)
    came_to = []
    for folder in steps.iterdir():
        assert files(folder / "s").items() <= WRITTEN.items()
        requests = [json.loads(line) for line in (folder / "requests").read_text().splitlines()]
        came_to.append(len(requests))
        loaded = load_conversation(folder / "s.jsonl")
        sink = TranscriptSink(folder / "s.jsonl", "s")
        resumed = AgentContext.resume(folder / "s", loaded.messages, loaded.records, LIMITS, sink=sink)
        again = [message["message"] for message in resumed.prepare(loaded.messages).messages]
        assert len(again) == (11 if requests else 5)
        if requests:
            assert again[: len(requests[-1])] == requests[-1]
        following = [*loaded.messages, *turn(9, 60, 70)]
        assert content_of(resumed.prepare(following).messages, "t9_1").startswith(PERSISTED_TAG)
    assert came_to.count(2) == 1
    assert min(came_to.count(0), came_to.count(1)) > 10
