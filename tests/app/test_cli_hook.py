"""`spillscope hook`: events in, answers out, in processes of its own; and its place in the agent's settings."""

from __future__ import annotations

import json
import os
import pty
import resource
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from spillscope.wrapper import build_large_tool_result_message
from spillscope_app import cli_settings
from spillscope_app.cli import main

START = "from spillscope_app.start import main; main()"
LARGE = "line\n" * 3_000
Json = dict[str, Any]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The agent's folder of one project, whose user lets a Bash result have 12,000 units."""
    folder = tmp_path / "config" / "projects" / "-srv-app"
    folder.mkdir(parents=True)
    limits = tmp_path / "home" / ".config" / "spillscope" / "limits.toml"
    limits.parent.mkdir(parents=True)
    limits.write_text("[overrides]\nBash = 12000\nWebFetch = 100\nGrep = 100\nTask = 100\nmcp__a__b = 100\nRead = 10\n")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    return folder


def bash(text: str = LARGE, **more: object) -> Json:
    return {"stdout": text, "stderr": "", "interrupted": False, "isImage": False, "noOutputExpected": False, **more}


def event(project: Path, response: object, tool: str = "Bash", tool_use_id: object = "toolu_1", **more: object) -> Json:
    return {
        "session_id": "s",
        "transcript_path": str(project / "s.jsonl"),
        "cwd": str(project),
        "permission_mode": "default",
        "hook_event_name": "PostToolUse",
        "tool_name": tool,
        "tool_input": {},
        "tool_response": response,
        "tool_use_id": tool_use_id,
        **more,
    }


def call(stdin: object, *words: str, before: str = "", **options: Any) -> subprocess.CompletedProcess[bytes]:
    raw = stdin if isinstance(stdin, bytes) else json.dumps(stdin).encode()
    program = f"import sys; sys.argv[1:] = {['hook', *words]!r}\n{before}\n{START}"
    return subprocess.run([sys.executable, "-c", program], input=raw, capture_output=True, check=False, timeout=60, **options)


def output_of(done: subprocess.CompletedProcess[bytes]) -> Any:
    """The output that the agent is to take, after a call without any complaint."""
    assert (done.returncode, done.stderr) == (0, b"")
    said = json.loads(done.stdout)
    assert said == {"hookSpecificOutput": {"hookEventName": "PostToolUse", **said["hookSpecificOutput"]}}
    return said["hookSpecificOutput"]["updatedToolOutput"]


def left_alone(done: subprocess.CompletedProcess[bytes], words: str = "") -> None:
    """Nothing on stdout, status 0, and one line on stderr with `words`; none where nothing was wrong."""
    assert (done.returncode, done.stdout) == (0, b"")
    told = done.stderr.decode()
    assert told.count("\n") == bool(words)
    assert told.startswith("spillscope hook: left as it is: " if words else "")
    assert words in told


def spills(project: Path) -> dict[str, str]:
    return {path.name: path.read_text("utf-8") for path in (project / "s" / "tool-results").glob("[!.]*")}


def wrapper(project: Path, name: str = "toolu_1.txt", text: str = LARGE) -> str:
    return build_large_tool_result_message(text, str(project / "s" / "tool-results" / name))


def test_a_result_over_the_users_threshold_is_replaced_in_its_own_shape(project: Path) -> None:
    replaced = output_of(call(event(project, bash(newField={"a": [1.5, None]}))))
    assert replaced == bash(wrapper(project), newField={"a": [1.5, None]})
    assert spills(project) == {"toolu_1.txt": LARGE}
    directory = project / "s" / "tool-results"
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    assert stat.S_IMODE((directory / "toolu_1.txt").stat().st_mode) == 0o600


def test_what_is_within_it_gets_no_answer(project: Path) -> None:
    left_alone(call(event(project, bash("x" * 12_000))))
    left_alone(call(event(project, bash(" \n"))))
    assert not (project / "s").exists()


def test_both_streams_count_and_both_are_kept(project: Path) -> None:
    replaced = output_of(call(event(project, bash("x" * 8_000, stderr="y" * 4_000))))
    text = "x" * 8_000 + "\n" + "y" * 4_000
    assert replaced == bash(wrapper(project, text=text))
    assert spills(project) == {"toolu_1.txt": text}


BLOCKS = [{"type": "text", "text": "wörd " * 30}]


@pytest.mark.parametrize(
    ("tool", "response", "place"),
    [
        ("PowerShell", bash("x" * 30_001), ("stdout",)),
        ("Grep", {"mode": "content", "content": "a:1:x\n" * 30, "numFiles": 0, "filenames": [], "numLines": 30}, ("content",)),
        (
            "WebFetch",
            {"bytes": 9, "code": 200, "codeText": "OK", "result": "x" * 101, "durationMs": 1, "url": "u"},
            ("result",),
        ),
        ("Task", {"status": "completed", "prompt": "p", "content": BLOCKS, "totalTokens": 3}, ("content", 0, "text")),
        ("mcp__a__b", BLOCKS, (0, "text")),
        ("mcp__a__b", "x" * 101, ()),
    ],
)
def test_each_tool_keeps_its_shape(project: Path, tool: str, response: Any, place: tuple[Any, ...]) -> None:
    replaced = output_of(call(event(project, response, tool)))
    text = replaced
    for step in place:
        text = text[step]
    assert text.startswith("<persisted-output>\nOutput too large (")
    assert type(replaced) is type(response)
    if isinstance(response, dict):
        assert {**replaced, place[0]: None} == {**response, place[0]: None}
    ((name, held),) = spills(project).items()
    assert (name, held) in [("toolu_1.txt", held), ("toolu_1.json", json.dumps(BLOCKS, indent=2, ensure_ascii=False))]


@pytest.mark.parametrize(
    ("tool", "response"),
    [
        ("Bash", bash(persistedOutputPath="/x/b1.txt", persistedOutputSize=99)),
        ("Bash", bash(isImage=True)),
        ("Bash", bash(interrupted=True)),
        ("Bash", bash(backgroundTaskId="b1")),
        ("Bash", bash(build_large_tool_result_message(LARGE * 2, "/x") + "x" * 20_000)),
        ("Bash", {**bash(), "stdout": 7}),
        ("Bash", {**bash(), "stderr": None}),
        ("Bash", {"stderr": "x" * 20_000}),
        ("Bash", LARGE),
        ("Bash", None),
        ("Grep", {"mode": "files_with_matches", "content": "x" * 500, "filenames": []}),
        ("Task", {"status": "async_launched", "content": BLOCKS}),
        ("mcp__a__b", {"content": BLOCKS}),
        ("mcp__a__b", [*BLOCKS, {"type": "image", "source": {}}]),
        ("mcp__a__b", [{"type": "text", "text": "<persisted-output>\nOutput too large" + "x" * 500}]),
        ("mcp__a__b", ["x" * 500]),
        ("Read", {"type": "text", "file": {"content": LARGE * 20}}),
        ("Unheard", {"stdout": LARGE}),
    ],
)
def test_what_is_of_no_known_shape_is_left_alone(project: Path, tool: str, response: Any) -> None:
    left_alone(call(event(project, response, tool)))
    assert not (project / "s").exists()


def test_what_a_sub_agent_got_goes_to_its_session(project: Path) -> None:
    agents = project / "s" / "subagents"
    agents.mkdir(parents=True)
    replaced = output_of(call(event(project, bash(), transcript_path=str(agents / "agent-a1.jsonl"))))
    assert replaced["stdout"] == wrapper(project)
    assert spills(project) == {"toolu_1.txt": LARGE}


def test_the_projects_file_wins_over_the_users(project: Path) -> None:
    (project / ".spillscope.toml").write_text("preview_chars = 100\n[overrides]\nBash = 10\n")
    replaced = output_of(call(event(project, bash("x" * 11)), cwd=project.parent))
    assert replaced["stdout"].startswith("<persisted-output>\nOutput too large (11 bytes)")
    assert "Preview (first 100 bytes)" in replaced["stdout"]


def test_the_projects_file_counts_also_below_it(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "app"
    (root / "deep").mkdir(parents=True)
    (root / ".spillscope.toml").write_text("[overrides]\nBash = 10\n")
    left_alone(call(event(project, bash("x" * 11), cwd=str(root / "deep"))))
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(root))
    assert output_of(call(event(project, bash("x" * 11), cwd=str(root / "deep"))))["stdout"].startswith("<persisted-output>")


def test_what_opts_out_is_never_spilled(project: Path) -> None:
    (project / ".spillscope.toml").write_text('declared = { Bash = "inf" }')
    left_alone(call(event(project, bash())))


# --- failing open -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"", "no event"),
        (b"{", "cut short"),
        (b"[]", "no JSON object"),
        (b"\xff\xfe", "not UTF-8"),
        pytest.param(b'{"a":' * 200_000, "nested too deep", id="deep"),
        (b"{} {}", "more than one value"),
        (b"\0" * 10, "NUL"),
    ],
)
def test_an_event_that_can_not_be_read(project: Path, raw: bytes, words: str) -> None:
    left_alone(call(raw), words)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"tool_name": None}, "no tool_name"),
        ({"tool_use_id": 7}, "no tool_use_id"),
        ({"tool_use_id": ""}, "no tool_use_id"),
        ({"transcript_path": None}, "no transcript_path"),
        ({"transcript_path": "s.jsonl"}, "transcript_path"),
        ({"transcript_path": "/nowhere/at/all/s.jsonl"}, "transcript_path"),
        ({"transcript_path": "/etc/passwd"}, "transcript_path"),
        ({"transcript_path": "/etc/../tmp/s.jsonl"}, "transcript_path"),
        ({"transcript_path": "/\0.jsonl"}, "transcript_path"),
        ({"hook_event_name": "PreToolUse"}, ""),
        ({"hook_event_name": None}, ""),
    ],
)
def test_an_event_that_lacks_something(project: Path, change: Json, words: str) -> None:
    left_alone(call(event(project, bash(), **change)), words)
    assert not (project / "s").exists()


@pytest.mark.parametrize("cwd", [None, 7, "", "/nowhere", "/\0", "/" + "x" * 5_000], ids=range(6))
def test_a_working_directory_that_is_none(project: Path, cwd: object) -> None:
    assert output_of(call(event(project, bash(), cwd=cwd)))["stdout"] == wrapper(project)


def test_lone_surrogates_come_through(project: Path) -> None:
    replaced = output_of(call(event(project, bash("\ud800" + LARGE, more="\udfff"))))
    assert replaced["more"] == "\udfff"
    assert spills(project) == {"toolu_1.txt": "\ufffd" + LARGE}


@pytest.mark.parametrize(
    "tool_use_id", ["../../out", "/etc/out", "a\0b", "..", "x" * 5_000, "CON", "a\\b", "\ud800"], ids=range(8)
)
def test_a_hostile_id_stays_inside(project: Path, tmp_path: Path, tool_use_id: str) -> None:
    assert output_of(call(event(project, bash(), tool_use_id=tool_use_id)))["stdout"].startswith("<persisted-output>")
    assert list(spills(project).values()) == [LARGE]
    assert not list(tmp_path.rglob("out*"))


def test_a_broken_limits_file(project: Path) -> None:
    (project / ".spillscope.toml").write_text("overrides = [")
    left_alone(call(event(project, bash())), "broken limits file")


def test_a_call_that_can_not_be_read_is_no_word_to_the_model(project: Path) -> None:
    left_alone(call(event(project, bash()), "--no-such"), "No such option")
    left_alone(call(event(project, bash()), "--timeout", "0"), "--timeout")
    assert call(b"", "--install", "--no-such").returncode == 2


def test_a_full_disk(project: Path) -> None:
    def small() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4_096, 4_096))

    left_alone(call(event(project, bash()), preexec_fn=small), "File too large")
    assert spills(project) == {}
    assert output_of(call(event(project, bash())))["stdout"] == wrapper(project)


def test_something_in_the_way(project: Path) -> None:
    (project / "s").write_text("no folder")
    left_alone(call(event(project, bash())), "Not a directory")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_directory_that_is_read_only(project: Path) -> None:
    project.chmod(0o500)
    try:
        left_alone(call(event(project, bash())), "Permission denied")
    finally:
        project.chmod(0o700)


@pytest.mark.parametrize("step", ["tempfile.mkstemp", "os.fsync", "os.link"])
def test_a_kill_at_each_step_leaves_no_half_file(project: Path, step: str) -> None:
    module, _, name = step.rpartition(".")
    kill = (
        f"import os, signal, {module}\nreal = {step}\n"
        f"def {name}(*args, **options):\n    os.kill(os.getpid(), signal.SIGKILL)\n{step} = {name}"
    )
    done = call(event(project, bash()), before=kill)
    assert (done.returncode, done.stdout) == (-9, b"")
    assert spills(project) == {}
    assert output_of(call(event(project, bash())))["stdout"] == wrapper(project)
    assert spills(project) == {"toolu_1.txt": LARGE}


def test_a_disk_that_hangs(project: Path) -> None:
    hang = "import os, threading\nos.fsync = lambda handle: threading.Event().wait()"
    left_alone(call(event(project, bash()), "--timeout", "0.2", before=hang), "not done within 0.2 seconds")
    assert spills(project) == {}


def test_an_event_that_never_ends(project: Path) -> None:
    program = f"import sys; sys.argv[1:] = ['hook', '--timeout', '0.2']\n{START}"
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.read() == b""
        assert process.wait(60) == 0


def test_an_agent_that_does_not_listen(project: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    program = f"import sys; sys.argv[1:] = ['hook']\n{START}"
    raw = json.dumps(event(project, bash())).encode()
    done = subprocess.run([sys.executable, "-c", program], input=raw, stdout=write, stderr=subprocess.PIPE, check=False)
    os.close(write)
    assert done.returncode == 0
    assert done.stderr.decode() == "spillscope hook: left as it is: Broken pipe\n"


def test_two_at_once_with_one_id(project: Path) -> None:
    program = f"import sys; sys.argv[1:] = ['hook']\n{START}"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    both = [subprocess.Popen([sys.executable, "-c", program], **pipes) for _ in range(2)]  # type: ignore[call-overload]
    said = []
    for process in both:
        process.stdin.write(json.dumps(event(project, bash())).encode())
        process.stdin.flush()
    for process in both:
        said.append(process.communicate(timeout=60))
    assert said[0] == said[1]
    assert json.loads(said[0][0])["hookSpecificOutput"]["updatedToolOutput"]["stdout"] == wrapper(project)
    assert spills(project) == {"toolu_1.txt": LARGE}


# --- settings ---------------------------------------------------------------------------------------------------------------


@pytest.fixture
def settings(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's settings of the agent, and a program with blanks in its path."""
    program = tmp_path / "my tools" / "spillscope"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "argv", [str(program)])
    monkeypatch.chdir(tmp_path)
    return tmp_path / "config" / "settings.json"


def run(*words: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(main, ["hook", *words])
    return done.exit_code, done.stdout, done.stderr


def test_it_is_installed_and_taken_out_again(settings: Path, tmp_path: Path) -> None:
    original = '{\n\t"model":   "opus",\n\t"hooks": { }\n}'
    settings.write_text(original)
    settings.chmod(0o640)
    status, shown, told = run("--install", "--yes")
    assert (status, told) == (0, f"written: {settings}\n")
    assert '\n- "hooks": { }\n' in shown
    (group,) = json.loads(settings.read_text())["hooks"]["PostToolUse"]
    assert group == {
        "matcher": "Bash|PowerShell|Grep|WebFetch|Task|Agent|mcp__.*",
        "hooks": [{"type": "command", "command": f"'{tmp_path}/my tools/spillscope' hook", "timeout": 5}],
    }
    assert stat.S_IMODE(settings.stat().st_mode) == 0o640
    assert run("--install", "--yes") == (0, "", f"nothing to change: {settings}\n")
    assert run("--uninstall", "--yes")[0] == 0
    assert settings.read_text() == original
    assert run("--uninstall", "--yes") == (0, "", f"nothing to change: {settings}\n")
    assert sorted(path.name for path in settings.parent.iterdir()) == ["projects", "settings.json"]


def test_options_are_written_into_the_command(settings: Path) -> None:
    assert run("--install", "--yes", "--matcher", "Bash", "--timeout", "0.5")[0] == 0
    (group,) = json.loads(settings.read_text())["hooks"]["PostToolUse"]
    assert group["matcher"] == "Bash"
    assert group["hooks"][0]["command"].endswith("/spillscope' hook --timeout 0.5")
    assert group["hooks"][0]["timeout"] == 4


@pytest.mark.parametrize(("scope", "name"), [("project", "settings.json"), ("local", "settings.local.json")])
def test_a_projects_settings(settings: Path, tmp_path: Path, scope: str, name: str) -> None:
    assert run("--install", "--yes", "--scope", scope)[0] == 0
    assert json.loads((tmp_path / ".claude" / name).read_text())["hooks"]
    assert not settings.exists()
    assert run("--uninstall", "--yes", "--scope", scope)[0] == 0
    assert not (tmp_path / ".claude" / name).exists()


def test_print_writes_nothing(settings: Path) -> None:
    status, shown, told = run("--print")
    assert (status, told) == (0, "")
    assert json.loads(shown)["hooks"]["PostToolUse"][0]["hooks"][0]["type"] == "command"
    assert not settings.exists()


def test_nobody_to_ask(settings: Path) -> None:
    settings.write_text("{}")
    status, _, told = run("--install")
    assert status == 2
    assert told == f"spillscope: no terminal to ask on whether to change {settings}: add --yes if you want that\n"
    assert settings.read_text() == "{}"


@pytest.mark.parametrize(("word", "status"), [(b"y\n", 0), (b"n\n", 130), (b"\n", 130), (b"\x04", 130)])
def test_a_person_is_asked(settings: Path, word: bytes, status: int) -> None:
    settings.write_text("{}")
    ours, theirs = pty.openpty()
    program = f"import sys; sys.argv[:] = [{sys.argv[0]!r}, 'hook', '--install']\n{START}"
    with subprocess.Popen([sys.executable, "-c", program], stdin=theirs, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        shown = b""
        while b"Change it so?" not in shown:
            shown += os.read(ours, 1_024)
        os.write(ours, word)
        assert process.wait(60) == status
    os.close(ours)
    assert b'+{"hooks": {' in shown
    assert (settings.read_text() == "{}") == (status != 0)


def test_a_link_stays_a_link(settings: Path, tmp_path: Path) -> None:
    target = tmp_path / "dotfiles.json"
    target.write_text('{"a": 1}\n')
    settings.symlink_to(target)
    assert run("--install", "--yes")[0] == 0
    assert settings.is_symlink()
    assert json.loads(target.read_text())["hooks"]
    assert run("--uninstall", "--yes")[0] == 0
    assert settings.is_symlink()
    assert target.read_text() == '{"a": 1}\n'


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b'{"a": 1, // mine\n}', "no plain JSON"),
        (b"\xff", "no UTF-8"),
        (b'{"hooks": []}', "no object where one belongs"),
    ],
)
def test_settings_that_can_not_be_changed(settings: Path, raw: bytes, words: str) -> None:
    settings.write_bytes(raw)
    status, shown, told = run("--install", "--yes")
    assert (status, shown) == (2, "")
    assert told.startswith(f"spillscope: can't change the settings: {settings}: {words}")
    assert told.count("\n") == 1
    assert settings.read_bytes() == raw


def test_a_byte_order_mark_stays(settings: Path) -> None:
    settings.write_bytes(b"\xef\xbb\xbf{}")
    run("--install", "--yes")
    assert settings.read_bytes().startswith(b'\xef\xbb\xbf{"hooks"')
    run("--uninstall", "--yes")
    assert settings.read_bytes() == b"\xef\xbb\xbf{}"


def test_settings_that_change_while_the_question_stands(settings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.write_text("{}")
    monkeypatch.setattr(cli_settings, "_ask", lambda path: path.write_text('{"b": 2}'))
    status, _, told = run("--install")
    assert (status, told) == (2, f"spillscope: the settings were changed meanwhile: {settings}: run the command again\n")
    assert settings.read_text() == '{"b": 2}'


def test_settings_on_a_full_disk(settings: Path, project: Path) -> None:
    original = json.dumps({"a": "x" * 8_000})
    settings.write_text(original)

    def small() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4_096, 4_096))

    done = call(b"", "--install", "--yes", before=f"sys.argv[0] = {sys.argv[0]!r}", preexec_fn=small)
    assert done.returncode == 2
    assert b"can't write the settings" in done.stderr
    assert settings.read_text() == original
    assert sorted(path.name for path in settings.parent.iterdir()) == ["projects", "settings.json"]
