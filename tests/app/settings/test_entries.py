"""What installing adds to a settings text, uninstalling takes away to the byte."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spillscope_app.settings.entries import (
    find_hooks,
    find_status,
    hook_addition,
    installed,
    status_addition,
    uninstalled,
)
from spillscope_app.settings.json_text import SettingsError

HOOK = hook_addition("'/opt/my tools/spillscope' hook", "Bash|Grep", 10)
OTHER_HOOK = hook_addition("/usr/bin/spillscope hook", "Bash", 10)
LINE = status_addition("/opt/bin/spillscope statusline")

words = st.text(max_size=6).filter(lambda word: word not in ("hooks", "statusLine"))  # those have their own shapes below
values = st.recursive(
    st.none() | st.booleans() | st.integers() | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=8,
)
foreign_hooks = st.fixed_dictionaries({"type": st.just("command"), "command": words})
groups = st.fixed_dictionaries({"matcher": words, "hooks": st.lists(foreign_hooks, max_size=3)})
hooks = st.dictionaries(st.sampled_from(["PostToolUse", "PreToolUse", "Stop"]), st.lists(groups, max_size=3))
settings = st.dictionaries(words, values, max_size=4).flatmap(
    lambda rest: st.one_of(st.just(rest), hooks.map(lambda found: {**rest, "hooks": found}))
)
blanks = st.sampled_from(["", " ", "\n", "\n  ", "\t", "\r\n\r\n"])


@st.composite
def texts(draw: st.DrawFn) -> str:
    """A settings file as anybody may have written it."""
    value = draw(settings)
    indent = draw(st.sampled_from([None, 1, 2, 4, "\t"]))
    separators = draw(st.sampled_from([None, (",", ":"), (" ,", " : ")]))
    printed = json.dumps(value, indent=indent, separators=separators, ensure_ascii=draw(st.booleans()))
    printed = printed.replace("{}", "{" + draw(blanks) + "}").replace("[]", "[" + draw(blanks) + "]")
    try:
        if json.loads(printed) != value:  # a word held brackets
            printed = json.dumps(value, indent=indent)
    except ValueError:
        printed = json.dumps(value, indent=indent)
    if draw(st.booleans()):
        printed = printed.replace("\n", "\r\n")
    return draw(blanks) + printed + draw(blanks)


@given(texts())
def test_uninstalling_gives_the_hooks_text_back(text: str) -> None:
    once = installed(text, HOOK, find_hooks)
    group = {
        "matcher": "Bash|Grep",
        "hooks": [{"type": "command", "command": "'/opt/my tools/spillscope' hook", "timeout": 10}],
    }
    wanted = json.loads(text)
    wanted.setdefault("hooks", {}).setdefault("PostToolUse", []).append(group)
    assert json.loads(once) == wanted
    assert list(json.loads(once)) == list(wanted)
    assert installed(once, HOOK, find_hooks) == once
    assert uninstalled(once, find_hooks) == text


@given(texts())
def test_both_together_are_taken_away_in_any_order(text: str) -> None:
    both = installed(installed(text, HOOK, find_hooks), LINE, find_status)
    assert uninstalled(uninstalled(both, find_status) or "", find_hooks) == text
    assert uninstalled(uninstalled(both, find_hooks) or "", find_status) == text


@given(texts())
def test_another_installation_takes_the_place_of_the_first(text: str) -> None:
    moved = installed(installed(text, OTHER_HOOK, find_hooks), HOOK, find_hooks)
    assert moved == installed(text, HOOK, find_hooks)


@given(texts())
def test_without_ours_there_is_nothing_to_take_away(text: str) -> None:
    assert uninstalled(text, find_hooks) == text
    assert uninstalled(text, find_status) == text


def test_a_file_made_for_us_goes_with_us() -> None:
    made = installed(None, HOOK, find_hooks)
    assert made.endswith("}\n")
    assert uninstalled(made, find_hooks) is None
    both = installed(made, LINE, find_status)
    assert uninstalled(uninstalled(both, find_hooks) or "", find_status) is None
    assert uninstalled(installed("{}\n", HOOK, find_hooks), find_hooks) == "{}\n"


def test_it_is_written_in_the_files_own_manner() -> None:
    text = '{\n    "model": "opus",\n    "env": {}\n}\n'
    assert installed(text, LINE, find_status) == (
        '{\n    "model": "opus",\n    "env": {},\n    "statusLine": {\n'
        '        "type": "command",\n        "command": "/opt/bin/spillscope statusline"\n    }\n}\n'
    )


def test_hooks_of_others_in_the_same_group_stay() -> None:
    other = {"type": "command", "command": "lint"}
    ours = {"type": "command", "command": "/bin/spillscope hook"}
    text = json.dumps({"hooks": {"PostToolUse": [{"matcher": "*", "hooks": [other, ours]}]}})
    assert uninstalled(text, find_hooks) == json.dumps({"hooks": {"PostToolUse": [{"matcher": "*", "hooks": [other]}]}})


def test_of_a_key_that_stands_twice_the_last_counts() -> None:
    text = '{"hooks": 1, "hooks": {"PostToolUse": [{"hooks": []}]}}'
    once = installed(text, HOOK, find_hooks)
    assert once.startswith('{"hooks": 1, "hooks": {')
    assert len(json.loads(once)["hooks"]["PostToolUse"]) == 2
    assert uninstalled(once, find_hooks) == text


@pytest.mark.parametrize(
    "command", ["spillscope report", "my-spillscope hook", "'spillscope hook", "echo spillscope hook", 7, None, "spillscope"]
)
def test_what_is_not_ours_is_not_touched(command: Any) -> None:
    group = {"hooks": [{"type": "command", "command": command}]}
    text = json.dumps({"hooks": {"PostToolUse": [group, 1, {"hooks": 5}, []]}, "statusLine": {"command": command}})
    assert uninstalled(text, find_hooks) == text
    assert uninstalled(text, find_status) == text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"a": 1} // mine', "no plain JSON"),
        ("", "no plain JSON"),
        ("[]", "its top is no object"),
        ('{"a": NaN}', "no plain JSON"),
        pytest.param("[" * 100_000, "nested too deep", id="deep"),
        ('{"hooks": []}', "no object where one belongs, for PostToolUse: []}"),
        ('{"hooks": {"PostToolUse": {}}}', "no list where one belongs, for PostToolUse"),
        ('{"hooks": null}', "no object where one belongs"),
    ],
)
def test_what_can_not_be_edited_is_refused(text: str, words: str) -> None:
    with pytest.raises(SettingsError, match=words.replace("[", r"\[").replace("}", r"\}")):
        installed(text, HOOK, find_hooks)


@pytest.mark.parametrize("value", [{}, {"type": "command", "command": "my-line.sh"}, None, "x"])
def test_the_status_line_of_another_is_never_replaced(value: Any) -> None:
    with pytest.raises(SettingsError, match="statusLine is set already"):
        installed(json.dumps({"statusLine": value}), LINE, find_status)
