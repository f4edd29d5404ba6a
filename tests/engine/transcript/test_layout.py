"""S1, S10: what a path of the user's means, and which files belong to a session."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from spillscope.errors import SessionNotFoundError
from spillscope.transcript.layout import (
    beside_agents,
    default_config_dir,
    is_helper,
    place_of,
    projects_in,
    resolve,
    sidechain_files,
    slug_of,
    transcripts_in,
)


def touch(path: Path, age: int = 0) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"{}\n")
    os.utime(path, (1_700_000_000 - age, 1_700_000_000 - age))
    return path


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """Two projects; the newest session of the first one is `new`."""
    root = tmp_path / "config" / "projects"
    touch(root / "-srv-app" / "old.jsonl", age=50)
    touch(root / "-srv-app" / "new.jsonl", age=10)
    touch(root / "-srv-app" / "agent-0a1b2c3d.jsonl")
    touch(root / "-srv-app" / "new" / "subagents" / "agent-a1.jsonl")
    touch(root / "-srv-lib" / "lone.jsonl")
    (root / "-srv-app" / "notes.txt").write_text("no transcript")
    return root.parent


def project(config: Path) -> Path:
    return config / "projects" / "-srv-app"


class TestResolve:
    def test_a_transcript(self, config: Path) -> None:
        target = resolve(project(config) / "old.jsonl")
        assert target.kind == "session"
        assert target.place is not None
        assert target.place.id == "old"

    def test_any_other_file_is_taken_for_a_session(self, tmp_path: Path) -> None:
        target = resolve(touch(tmp_path / "request.json"))
        assert target.place is not None
        assert (target.kind, target.place.id) == ("session", "request")

    def test_a_session_directory(self, config: Path) -> None:
        target = resolve(project(config) / "new")
        assert target.kind == "session"
        assert target.place == place_of(project(config) / "new.jsonl")

    def test_a_session_that_has_no_directory_yet(self, config: Path) -> None:
        assert resolve(project(config) / "old").place == place_of(project(config) / "old.jsonl")

    def test_a_project_directory_gives_its_newest_session(self, config: Path) -> None:
        target = resolve(project(config))
        assert target.kind == "project"
        assert target.place == place_of(project(config) / "new.jsonl")

    @pytest.mark.parametrize("below", [".", "projects"])
    def test_a_projects_root_is_to_choose_from(self, config: Path, below: str) -> None:
        target = resolve(config / below)
        assert (target.kind, target.path, target.place) == ("root", config / "projects", None)

    def test_a_relative_path_means_what_the_absolute_one_does(self, config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        whole = resolve(project(config) / "new.jsonl")
        monkeypatch.chdir(project(config))
        assert resolve(Path("new.jsonl")) == whole
        assert resolve(Path("new")) == whole
        assert resolve(Path()).place == whole.place
        monkeypatch.chdir(project(config) / "new")
        assert resolve(Path()) == whole
        assert resolve(Path("..")).place == whole.place
        assert resolve(Path("../new.jsonl")) == whole
        monkeypatch.chdir(project(config) / "new" / "subagents")
        place = resolve(Path("agent-a1.jsonl")).place
        assert place is not None
        assert place.parent == project(config) / "new"

    @pytest.mark.parametrize("name", ["nowhere", "nowhere.jsonl", "no\0where"])
    def test_what_is_not_there_is_said_in_words(self, tmp_path: Path, name: str) -> None:
        with pytest.raises(SessionNotFoundError, match=r"^no such session: .*no.?where"):
            resolve(tmp_path / name)

    @pytest.mark.parametrize("inside", ["", "deep/er", "notes"])
    def test_a_folder_without_a_session_is_said_in_words(self, tmp_path: Path, inside: str) -> None:
        folder = tmp_path / "empty"
        (folder / inside).mkdir(parents=True)
        (folder / "agent-1.jsonl").write_bytes(b"")
        with pytest.raises(SessionNotFoundError, match=r"^no session in: .*empty: give"):
            resolve(folder)

    def test_what_is_neither_file_nor_folder_is_said_in_words(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pipe.jsonl")
        with pytest.raises(SessionNotFoundError, match="not a file or a folder"):
            resolve(tmp_path / "pipe.jsonl")


class TestPlace:
    def test_of_a_main_transcript(self) -> None:
        place = place_of(Path("/c/projects/-srv-app/s1.jsonl"))
        assert (place.id, place.agent_id, place.parent) == ("s1", None, None)
        assert place.tool_results == Path("/c/projects/-srv-app/s1/tool-results")
        assert place.project == Path("/c/projects/-srv-app")
        assert place.config_dir == Path("/c")

    @pytest.mark.parametrize("between", ["", "deep/", "workflows/w1/"])
    def test_of_a_sub_agent(self, between: str) -> None:
        place = place_of(Path(f"/c/projects/-srv-app/s1/subagents/{between}agent-a1.jsonl"))
        assert (place.id, place.agent_id) == ("agent-a1", "a1")
        assert place.parent == place.directory == Path("/c/projects/-srv-app/s1")
        assert place.project == Path("/c/projects/-srv-app")

    def test_of_a_sub_agent_beside_its_session(self) -> None:
        place = place_of(Path("/c/projects/-srv-app/agent-0a1b2c3d.jsonl"))
        assert (place.agent_id, place.parent) == ("0a1b2c3d", None)
        assert place.project == Path("/c/projects/-srv-app")

    def test_a_folder_higher_up_that_is_called_like_ours_makes_no_sub_agent(self) -> None:
        place = place_of(Path("/home/someone/subagents/projects/-srv-app/s1.jsonl"))
        assert (place.agent_id, place.parent, place.project.name) == (None, None, "-srv-app")

    def test_outside_the_layout_no_configuration_is_known(self) -> None:
        assert place_of(Path("/tmp/s1.jsonl")).config_dir is None


class TestFiles:
    def test_transcripts_are_newest_first_without_sub_agents(self, config: Path) -> None:
        assert [path.name for path in transcripts_in(project(config))] == ["new.jsonl", "old.jsonl"]

    def test_of_one_age_they_are_by_name(self, tmp_path: Path) -> None:
        for name in ("b", "a", "c"):
            touch(tmp_path / f"{name}.jsonl")
        assert [path.stem for path in transcripts_in(tmp_path)] == ["a", "b", "c"]

    def test_folders_and_dead_links_are_no_transcripts(self, config: Path) -> None:
        (project(config) / "folder.jsonl").mkdir()
        (project(config) / "dead.jsonl").symlink_to("/nowhere/at/all.jsonl")
        assert len(transcripts_in(project(config))) == 2

    def test_projects_by_name(self, config: Path) -> None:
        (config / "projects" / "stray.jsonl").write_bytes(b"")
        assert [path.name for path in projects_in(config / "projects")] == ["-srv-app", "-srv-lib"]

    def test_sub_agents_of_a_session_by_name(self, config: Path) -> None:
        touch(project(config) / "new/subagents/deep/agent-b2.jsonl")
        touch(project(config) / "new/subagents/agent-b2.meta.json")
        (project(config) / "new/subagents/agent-folder.jsonl").mkdir()
        found = list(sidechain_files(place_of(project(config) / "new.jsonl")))
        assert [path.name for path in found] == ["agent-a1.jsonl", "agent-b2.jsonl"]

    def test_a_sub_agent_has_none_of_its_own(self, config: Path) -> None:
        place = place_of(project(config) / "new/subagents/agent-a1.jsonl")
        assert list(sidechain_files(place)) == []
        assert beside_agents(place) == []

    def test_sub_agents_of_old_versions_stand_beside(self, config: Path) -> None:
        assert [path.name for path in beside_agents(place_of(project(config) / "new.jsonl"))] == ["agent-0a1b2c3d.jsonl"]


@pytest.mark.parametrize(
    ("agent_id", "helper"),
    [("acompact-0a1b2c", True), ("aprompt_suggestion-0a1b2c", True), ("a0123456789abcdef", False), ("0a1b2c3d", False)],
)
def test_helper_forks(agent_id: str, helper: bool) -> None:
    assert is_helper(agent_id) is helper


def test_the_configuration_folder_can_be_named() -> None:
    assert default_config_dir({"CLAUDE_CONFIG_DIR": "/elsewhere"}) == Path("/elsewhere")
    assert default_config_dir({"CLAUDE_CONFIG_DIR": ""}) == default_config_dir({}) == Path.home() / ".claude"


@pytest.mark.parametrize(
    ("cwd", "slug"), [("/srv/my_app.v2", "-srv-my-app-v2"), ("D:\\shell", "D--shell"), ("/srv/日本é", "-srv----")]
)
def test_slugs_are_lossy(cwd: str, slug: str) -> None:
    assert slug_of(cwd) == slug
