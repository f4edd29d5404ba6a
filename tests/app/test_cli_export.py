"""`spillscope limits --export`: four forms, and what the limits would have done to a session as notes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from paying import PROSE, Paying
from spillscope_app.cli import main
from transcripts import Writer, text


def export(*words: str | Path) -> Result:
    return CliRunner().invoke(main, ["limits", *map(str, words)])


@pytest.fixture
def session(tmp_path: Path) -> Path:
    writer = Writer()
    writer.prompt()
    writer.call("Bash", "t1", "x" * 20_000)
    writer.say(usage=10_000)
    writer.say(usage=170_000)
    return writer.save(tmp_path)


@pytest.mark.parametrize("form", ["claude-env", "mcp-meta", "flags", "toml"])
def test_every_form_tells_the_effect_and_where_it_was_measured(session: Path, form: str) -> None:
    result = export("--export", form, "--for", session, "--override", "Bash=12k")
    assert (result.exit_code, result.stderr) == (0, "")
    assert f"measured on session {session.stem}, 1 results" in result.stdout
    assert "results spilled: 0 → 1" in result.stdout
    assert "auto-compact: at request 3 → never" in result.stdout


def test_what_the_limits_change_is_weighed_as_the_session_is_calibrated(tmp_path: Path) -> None:
    writer = Paying(20_000)
    writer.prompt("Please look.")
    for _ in range(30):
        writer.step(cost=3 * round(len(PROSE) / 4))  # three tokens for each of the rough rule
    kept = "x" * 20_000
    writer.ask()
    writer.result(f"t{writer.calls}", kept)
    writer.carried += len(kept) * 3 // 4
    writer.ask(text("Done."))
    path = writer.save(tmp_path)
    told = export("--export", "toml", "--for", path, "--override", "Bash=12k").stdout
    (words,) = (line for line in told.splitlines() if "peak of the context" in line)
    before, after = (int(figure.replace(",", "")) for figure in words.partition(": ")[2].split(" → "))
    kept_out = next(line for line in told.splitlines() if "tokens kept out" in line)
    saved = int(kept_out.rpartition("→ ")[2].replace(",", ""))
    assert saved > 4_000
    assert before - after == pytest.approx(3 * saved, rel=0.05)


def test_a_limits_file_can_be_given_back(tmp_path: Path, session: Path) -> None:
    written = tmp_path / "back.toml"
    words = ("--override", "Bash=12k", "--set", "declared.Read=9", "--no-aggregate")
    written.write_text(export("--export", "toml", "--for", session, *words).stdout, encoding="utf-8")
    given, back = (json.loads(export(*source, "--json").stdout) for source in (words, ("--limits", written)))
    for key, entry in given.items():
        if key not in ("declared", "overrides"):
            assert back[key]["value"] == entry["value"]
    assert back["overrides"]["Bash"]["value"] == 12_000
    assert back["declared"]["Read"]["value"] == 9


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--export", "yaml"], "yaml"),
        (["--export", "toml", "--json"], "give one of them"),
        (["--for", "here"], "--for goes with --export"),
        (["--export", "toml", "--for", "/nowhere/at/all"], "no such session"),
    ],
)
def test_bad_calls_get_one_line(words: list[str], says: str) -> None:
    result = export(*words)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert says in result.stderr
