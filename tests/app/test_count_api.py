"""`report --count-api`: asks only when told to, and says in one line what is missing."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from api_server import Answer, ApiServer, counted, failed, serving
from spillscope_app.cli import main
from transcripts import MODEL, Writer


@pytest.fixture
def path(tmp_path: Path) -> Path:
    writer = Writer()
    writer.prompt()
    writer.call("Grep", "t1", "x" * 60)
    writer.replace("t1", "a preview")
    return writer.save(tmp_path)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ApiServer]:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_PROFILE", "ANTHROPIC_CONFIG_DIR"):
        monkeypatch.delenv(name, raising=False)
    with serving(lambda _: counted(123)) as api:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", api.url)
        yield api


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch, server: ApiServer) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test")


def report(*words: str | Path) -> Result:
    return CliRunner().invoke(main, ["report", *map(str, words)])


def complaint(result: Result) -> str:
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1
    return result.stderr


@pytest.mark.usefixtures("key")
class TestWithAKey:
    def test_nothing_is_sent_unasked(self, path: Path, server: ApiServer) -> None:
        found = json.loads(report(path, "--json").stdout)
        assert "exactApi" not in found["context"]
        assert server.asked == []

    def test_the_messages_in_view_are_counted(self, path: Path, server: ApiServer) -> None:
        result = report(path, "--count-api", "--json")
        assert (result.exit_code, result.stderr) == (0, "")
        exact = json.loads(result.stdout)["context"]["exactApi"]
        assert {**exact, "estimate": ...} == {
            "count": 123, "how": "count_tokens", "why": None, "model": MODEL, "estimate": ..., "leftOut": 0,
        }  # fmt: skip
        (asked,) = server.asked
        assert asked.body["model"] == MODEL
        assert asked.body["messages"][-1]["content"][0]["content"] == "a preview"

    def test_people_see_both_figures(self, path: Path) -> None:
        last = report(path, "--count-api").stdout.splitlines()[-1]
        assert f"123 tokens by count_tokens ({MODEL})" in last
        assert "rough estimate" in last

    def test_another_model_can_be_named(self, path: Path, server: ApiServer) -> None:
        report(path, "--count-api", "--model", "claude-opus-4-1[1m]")
        assert server.asked[0].body["model"] == "claude-opus-4-1"

    @pytest.mark.parametrize("answer", [failed(429), failed(500), Answer(b"nonsense"), counted("many")])
    def test_a_failure_is_told_and_the_report_stands(self, path: Path, server: ApiServer, answer: Answer) -> None:
        server.answer = lambda _: answer
        result = report(path, "--count-api", "--json")
        assert result.exit_code == 0
        exact = json.loads(result.stdout)["context"]["exactApi"]
        assert (exact["count"], exact["how"]) == (None, None)
        assert exact["why"]
        assert len(server.asked) <= 4
        assert "no exact count" in report(path, "--count-api").stdout.splitlines()[-1]

    def test_a_model_must_be_known(self, tmp_path: Path) -> None:
        plain = tmp_path / "messages.json"
        plain.write_text('[{"role": "user", "content": "Hello."}]')
        assert "--model" in complaint(report(plain, "--count-api"))


def test_a_key_is_asked_for(path: Path, server: ApiServer) -> None:
    assert "ANTHROPIC_API_KEY" in complaint(report(path, "--count-api"))
    assert server.asked == []


def test_the_extra_is_asked_for(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anthropic", None)
    assert "spillscope[api]" in complaint(report(path, "--count-api"))


def test_a_model_without_the_count_is_a_slip(path: Path) -> None:
    assert "--count-api" in complaint(report(path, "--model", "m"))
