"""`spillscope apply`: its JSON to the letter (cli.md), its stream, its refusals."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from conversation import Json, answers, asks, content_of, plain, result
from spillscope_app.cli import main

GROUP = [
    asks("X", ("a", "Grep"), ("b", "Read")),
    answers(result("a", "a" * 60), result("b", "b" * 500)),
    answers(result("c", "c" * 50)),
]
WRAPPED = (
    "<persisted-output>\nOutput too large (60 bytes). Full output saved to: {}\n\nPreview (first 2KB):\n"
    + "a" * 60
    + "\n</persisted-output>"
)


def call(tmp_path: Path, stdin: bytes | Json, *options: str) -> tuple[int, bytes, str]:
    given = stdin if isinstance(stdin, bytes) else json.dumps(stdin).encode()
    done = CliRunner().invoke(main, ["apply", "--session-dir", str(tmp_path / "s"), *options], input=given)
    return done.exit_code, done.stdout_bytes, done.stderr


def apply(tmp_path: Path, request: Json, *options: str) -> Json:
    status, stdout, stderr = call(tmp_path, request, *options)
    assert (status, stderr) == (0, "")
    answer: Json = json.loads(stdout)
    return answer


def request(messages: Any = GROUP, **more: Any) -> Json:
    return {"messages": messages, "limits": {"message_budget": 100}, **more}


def test_the_whole_answer(tmp_path: Path) -> None:
    path = str(tmp_path / "s" / "tool-results" / "a.txt")
    wrapped = WRAPPED.format(path)
    assert apply(tmp_path, request()) == {
        "schema": "spillscope.apply/1",
        "messages": [GROUP[0], answers(result("a", wrapped), result("b", "b" * 500)), GROUP[2]],
        "changed": True,
        "state": {"seenIds": ["b", "c", "a"], "replacements": {"a": wrapped}},
        "records": [{"kind": "tool-result", "toolUseId": "a", "replacement": wrapped}],
        "spilled": [{"toolUseId": "a", "path": path, "chars": 60}],
        "failed": [],
        "groups": [
            {
                "limit": 100,
                "frozen": 0,
                "fresh": 110,
                "reapplied": 0,
                "exempt": 500,
                "visible": 550,
                "results": [
                    {"toolUseId": "a", "tool": "Grep", "chars": 60, "state": "fresh", "fate": "replaced"},
                    {"toolUseId": "b", "tool": "Read", "chars": 500, "state": "fresh", "fate": "exempt"},
                    {"toolUseId": "c", "tool": None, "chars": 50, "state": "fresh", "fate": "full"},
                ],
            }
        ],
        "tokens": {
            "total": 142 + (len(wrapped) + 2) // 4,
            "usage": 0,
            "estimate": 142 + (len(wrapped) + 2) // 4,
            "anchorIndex": None,
        },
    }
    assert Path(path).read_text() == "a" * 60


def test_the_state_goes_round(tmp_path: Path) -> None:
    first = apply(tmp_path, request())
    again = apply(tmp_path, request(state=first["state"]))
    assert again["messages"] == first["messages"]
    assert (again["state"], again["records"], again["spilled"], again["changed"]) == (first["state"], [], [], True)
    assert [one["state"] for one in again["groups"][0]["results"]] == ["mustReapply", "frozen", "frozen"]


def test_nothing_to_do(tmp_path: Path) -> None:
    answer = apply(tmp_path, {"messages": GROUP, "state": {}})
    assert (answer["changed"], answer["messages"], answer["groups"][0]["limit"]) == (False, GROUP, 200_000)
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize(
    "off",
    [{"state": None}, {"state": {"seenIds": ["z"], "mine": 1}, "limits": {"aggregate": False, "message_budget": 1}}],
)
def test_off_hands_everything_back(tmp_path: Path, off: Json) -> None:
    answer = apply(tmp_path, request(**off))
    assert answer["state"] == off["state"]
    assert (answer["messages"], answer["changed"]) == (GROUP, False)
    assert [answer[key] for key in ("records", "spilled", "failed", "groups")] == [[], [], [], []]
    assert answer["tokens"]["total"] > 0


def test_the_switch_on_the_command_line(tmp_path: Path) -> None:
    assert apply(tmp_path, request(), "--no-aggregate")["groups"] == []
    assert apply(tmp_path, {"messages": GROUP}, "--message-budget", "100")["changed"]


def test_a_resume_from_records(tmp_path: Path) -> None:
    live = apply(tmp_path, request())
    line = {"type": "content-replacement", "sessionId": "s", "replacements": live["records"]}
    for records in (live["records"], [GROUP[0], line]):
        resumed = apply(tmp_path, request(state={"records": records}, limits={"message_budget": 1}))
        assert resumed["messages"] == live["messages"]
        assert resumed["state"] == {"seenIds": ["a", "b", "c"], "replacements": live["state"]["replacements"]}
        assert resumed["records"] == []


def test_a_sub_agent_inherits(tmp_path: Path) -> None:
    state = {
        "records": [{"kind": "tool-result", "toolUseId": "a", "replacement": "mine"}, 5],
        "inherited": {"a": "x", "c": "theirs", "z": "x"},
    }
    answer = apply(tmp_path, request(state=state))
    assert (content_of(answer["messages"], "a"), content_of(answer["messages"], "c")) == ("mine", "theirs")
    assert answer["ignoredRecords"] == {"malformed": 1, "unknown": 0, "absent": 0}


def test_exempt_tools_can_be_named(tmp_path: Path) -> None:
    answer = apply(tmp_path, request(skipToolNames=["Grep"]))
    assert [one["fate"] for one in answer["groups"][0]["results"]] == ["exempt", "replaced", "full"]
    assert [one["fate"] for one in apply(tmp_path, request(skipToolNames=None))["groups"][0]["results"]][1] == "exempt"


def test_plain_messages_are_a_new_response_each(tmp_path: Path) -> None:
    messages = [plain(message) for message in (asks("X"), GROUP[1], asks("X"), GROUP[2])]
    answer = apply(tmp_path, request(messages))
    assert [len(group["results"]) for group in answer["groups"]] == [2, 1]


def test_a_caller_that_names_its_session_gets_the_line_to_append(tmp_path: Path) -> None:
    answer = apply(tmp_path, request(sessionId="s1", agentId="a1"))
    assert answer["record"] == {
        "type": "content-replacement",
        "sessionId": "s1",
        "agentId": "a1",
        "replacements": answer["records"],
    }
    assert apply(tmp_path, request(sessionId="s1", state=answer["state"]))["record"] is None


def test_a_failed_write_is_told_and_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "tool-results").write_text("in the way")
    answer = apply(tmp_path, request())
    assert answer["messages"] == GROUP
    assert [failure["toolUseId"] for failure in answer["failed"]] == ["a"]
    assert "Not a directory" in answer["failed"][0]["error"]
    assert answer["groups"][0]["visible"] == 610


def test_tokens_are_those_of_what_goes_out(tmp_path: Path) -> None:
    usage = {"input_tokens": 90, "output_tokens": 10}
    messages = [{"type": "assistant", "message": {"id": "X", "usage": usage, "content": []}}, answers(result("a", "x" * 40))]
    assert apply(tmp_path, request(messages))["tokens"] == {"total": 110, "usage": 100, "estimate": 10, "anchorIndex": 0}


def test_lone_surrogates_and_numbers_survive(tmp_path: Path) -> None:
    message = b'{"role":"user","content":"a\\ud83d \xc3\xa9","n":12345678901234567890123,"f":1.50,"k\\udc00":"\\ud83d\\ude00"}'
    raw = b'{"messages":[' + message + b"]}"
    status, stdout, _ = call(tmp_path, raw)
    assert status == 0
    assert json.loads(stdout)["messages"] == json.loads(raw)["messages"]
    assert b"a\\ud83d \xc3\xa9" in stdout
    assert "😀".encode() in stdout


@pytest.mark.parametrize(
    ("stdin", "words"),
    [
        (b"", "no JSON"),
        (b"{", "no JSON"),
        (b"\xff", "no JSON"),
        (b'{"messages":[{"n":NaN}]}', "NaN"),
        (b"[" * 100_000, "nested too deep"),
        (b"[1]", "no object"),
        (b"{}", "messages"),
        (b'{"messages":{}}', "messages"),
        (b'{"messages":[{}, 5]}', "messages[1]"),
        (b'{"messages":[],"state":5}', "state"),
        (b'{"messages":[],"state":{"seenIds":[1]}}', "state.seenIds"),
        (b'{"messages":[],"state":{"records":{"a":1}}}', "state.records"),
        (b'{"messages":[],"state":{"inherited":{"a":1}}}', "state.inherited"),
        (b'{"messages":[],"limits":[]}', "limits"),
        (b'{"messages":[],"limits":{"aggregate":"yes"}}', "aggregate"),
        (b'{"messages":[],"skipToolNames":"Read"}', "skipToolNames"),
        (b'{"messages":[{"n":1e999}]}', "out of range"),
    ],
)
def test_unusable_input_is_one_line_and_status_2(tmp_path: Path, stdin: bytes, words: str) -> None:
    status, stdout, stderr = call(tmp_path, stdin)
    assert (status, stdout) == (2, b"")
    assert words in stderr
    assert stderr.count("\n") == 1


def test_no_session_directory_is_status_2(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["apply"], input=b"{}")
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)


def test_a_stream_answers_line_for_line(tmp_path: Path) -> None:
    lines = [
        json.dumps(request()).encode(),
        b"{",
        b"",
        json.dumps({"messages": []}).encode(),
        b'{"messages":5}',
        b"[" * 100_000,
    ]
    status, stdout, stderr = call(tmp_path, b"\n".join(lines), "--stream")
    assert (status, stderr) == (0, "")
    first, broken, blank, empty, wrong, deep = (json.loads(line) for line in stdout.splitlines())
    assert first["changed"]
    assert [list(answer) for answer in (broken, blank, wrong, deep)] == [["error"]] * 4
    assert empty["messages"] == []


def _exchange(process: subprocess.Popen[bytes], message: Json) -> Json:
    stdin, stdout = process.stdin, process.stdout
    assert stdin is not None
    assert stdout is not None
    stdin.write(json.dumps(message).encode() + b"\n")
    stdin.flush()
    answer: Json = json.loads(stdout.readline())
    return answer


def test_a_stream_in_any_locale_is_flushed_answer_by_answer_and_hears_of_new_limits(tmp_path: Path) -> None:
    limits = tmp_path / "limits.toml"
    limits.write_text("message_budget = 1000\n")
    script = "from spillscope_app.cli import main; main()"
    command = [sys.executable, "-c", script, "apply", "--session-dir", str(tmp_path), "--stream", "--limits", str(limits)]
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
    message = {"messages": [plain(answers(result("a", "é😀" * 40)))]}
    assert not _exchange(process, message)["changed"]
    limits.write_text("message_budget = 50\n# another size\n")
    assert content_of(_exchange(process, message)["messages"], "a").endswith("é😀\n</persisted-output>")
    limits.write_text("message_budget = [broken\n")
    assert _exchange(process, message)["changed"]
    assert _exchange(process, message)["changed"]
    _, stderr = process.communicate()
    assert process.returncode == 0
    assert stderr.decode().count("limits stay as they were") == 1


def test_no_screen_is_imported(tmp_path: Path) -> None:
    script = (
        "import sys; from spillscope_app.cli import main\n"
        "try: main()\nexcept SystemExit: pass\n"
        "print([name for name in ('textual', 'rich') if name in sys.modules], file=sys.stderr)"
    )
    for arguments in (["apply"], ["admit", "--tool", "Bash", "--id", "a"]):
        done = subprocess.run(
            [sys.executable, "-c", script, *arguments, "--session-dir", str(tmp_path)],
            input=b'{"messages":[]}',
            capture_output=True,
        )
        assert done.stderr.strip() == b"[]"
