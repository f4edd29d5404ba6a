"""S6: which spill files may be opened, and how they are measured."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from spillscope.transcript.layout import place_of
from spillscope.transcript.spill_files import SpillFile, SpillFiles, base_name, open_spill, read_spill


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return tmp_path / "projects" / "-srv-app"


def spill(project: Path, session: str = "s1", name: str = "t1.txt", data: bytes = b"spilled text") -> Path:
    path = project / session / "tool-results" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def files_of(project: Path, transcript: str = "s1.jsonl") -> SpillFiles:
    return SpillFiles(place_of(project / transcript))


def test_a_file_of_this_session_is_inside(project: Path) -> None:
    path = str(spill(project))
    assert files_of(project).find(path) == SpillFile(path, inside=True, exists=True, bytes=12)


def test_a_file_in_a_folder_below_is_inside(project: Path) -> None:
    assert files_of(project).find(str(spill(project, name="deep/t1.txt"))).inside


def test_a_file_of_another_session_of_the_project_is_inside_and_marked(project: Path) -> None:
    path = str(spill(project, "s0"))
    assert files_of(project).find(path) == SpillFile(path, inside=True, exists=True, bytes=12, other_session=True)


def test_a_sub_agent_has_the_files_of_its_parent(project: Path) -> None:
    path = str(spill(project))
    found = files_of(project, "s1/subagents/deep/agent-a1.jsonl").find(path)
    assert found == SpillFile(path, inside=True, exists=True, bytes=12, other_session=False)


def test_a_file_that_is_gone_is_inside_and_missing(project: Path) -> None:
    path = str(project / "s1/tool-results/gone.txt")
    assert files_of(project).find(path) == SpillFile(path, inside=True, exists=False, bytes=None)


def test_a_folder_or_a_pipe_is_no_spill_file(project: Path) -> None:
    folder = project / "s1/tool-results/t1.txt"
    folder.mkdir(parents=True)
    assert files_of(project).find(str(folder)).exists is False


@pytest.mark.parametrize(
    "path",
    [
        "/etc/hostname",
        "{project}/s1.jsonl",
        "{project}/s1/t1.txt",
        "{project}/s1/tool-results",
        "{project}/s1/tool-results/../secret.txt",
        "{project}/s1/tool-results/../../../other/s9/tool-results/t1.txt",
        "{project}-x/s1/tool-results/t1.txt",
        "{project}/../-srv-other/s1/tool-results/t1.txt",
        "{project}/tool-results/t1.txt",
        "{project}/deep/s1/tool-results/t1.txt",
        "relative/tool-results/t1.txt",
        "t1.txt",
        "",
        ".",
        "..",
        "/",
        "{project}/s1/tool-results/a\0b.txt",
        "\0",
    ],
)
def test_any_other_path_is_outside_and_left_alone(project: Path, path: str) -> None:
    (project / "s1/tool-results").mkdir(parents=True)
    named = path.format(project=project)
    found = files_of(project).find(named)._replace(moved=False)
    assert found == SpillFile(named, inside=False, exists=False, bytes=None)


@pytest.mark.parametrize("to_folder", [False, True])
def test_a_link_that_leads_out_is_outside(project: Path, tmp_path: Path, to_folder: bool) -> None:
    secret = tmp_path / "secret" / "t1.txt"
    secret.parent.mkdir()
    secret.write_text("not yours")
    folder = project / "s1" / "tool-results"
    folder.parent.mkdir(parents=True)
    if to_folder:
        folder.symlink_to(secret.parent)
    else:
        folder.mkdir()
        (folder / "t1.txt").symlink_to(secret)
    files = files_of(project)
    found = files.find(str(folder / "t1.txt"))
    assert (found.inside, found.exists, found.bytes) == (False, False, None)
    assert files.count(found) is None


def test_a_link_inside_is_inside(project: Path) -> None:
    path = spill(project, name="real.txt")
    (path.parent / "t1.txt").symlink_to(path)
    assert files_of(project).find(str(path.parent / "t1.txt")).inside


def test_a_project_that_is_reached_by_a_link(project: Path, tmp_path: Path) -> None:
    path = spill(project)
    link = tmp_path / "link"
    link.symlink_to(project)
    assert files_of(link).find(str(path)).inside
    assert files_of(link).find(str(link / "s1/tool-results/t1.txt")).inside


class TestMoved:
    """A session that was moved: a file of that name in its own `tool-results/` is the one meant."""

    @pytest.mark.parametrize(
        "named",
        [
            "/home/other/.claude/projects/-w/s1/tool-results/t1.txt",
            "C:\\Users\\other\\.claude\\projects\\D--w\\s1\\tool-results\\t1.txt",
            "\\\\server\\share\\tool-results\\t1.txt",
            "tool-results/t1.txt",
        ],
    )
    def test_is_found_by_name(self, project: Path, named: str) -> None:
        path = str(spill(project))
        assert files_of(project).find(named) == SpillFile(path, inside=True, exists=True, bytes=12)

    @pytest.mark.parametrize(
        ("named", "moved"),
        [
            ("/home/other/.claude/projects/-w/s1/tool-results/t1.txt", True),
            ("C:\\Users\\other\\.claude\\projects\\D--w\\s1\\tool-results\\t1.txt", True),
            ("s1/tool-results/t1.txt", True),
            ("/home/other/.claude/projects/-w/s2/tool-results/t1.txt", False),
            ("/home/other/.claude/projects/-w/s1/t1.txt", False),
            ("/tool-results/t1.txt", False),
        ],
    )
    def test_without_its_file_is_told_by_the_folder_that_is_named(self, project: Path, named: str, moved: bool) -> None:
        assert files_of(project).find(named) == SpillFile(named, inside=False, exists=False, bytes=None, moved=moved)

    def test_within_the_project(self, project: Path) -> None:
        """A copy under another id still names the old session's file."""
        path = str(spill(project, "s1"))
        assert files_of(project).find(str(project / "s0/tool-results/t1.txt")).path == path

    def test_but_the_named_file_comes_first(self, project: Path) -> None:
        spill(project, "s1")
        old = str(spill(project, "s0"))
        assert files_of(project).find(old).path == old

    def test_with_a_sub_agent(self, project: Path) -> None:
        path = str(spill(project))
        assert files_of(project, "s1/subagents/agent-a1.jsonl").find("/far/tool-results/t1.txt").path == path

    def test_not_where_the_named_file_is_there(self, project: Path, tmp_path: Path) -> None:
        spill(project)
        elsewhere = tmp_path / "elsewhere" / "t1.txt"
        elsewhere.parent.mkdir()
        elsewhere.write_text("another")
        assert files_of(project).find(str(elsewhere)) == SpillFile(str(elsewhere), inside=False, exists=False, bytes=None)

    def test_not_through_a_link_that_leads_out(self, project: Path, tmp_path: Path) -> None:
        secret = tmp_path / "secret.txt"
        secret.write_text("not yours")
        folder = project / "s1" / "tool-results"
        folder.mkdir(parents=True)
        (folder / "t1.txt").symlink_to(secret)
        assert files_of(project).find("/far/tool-results/t1.txt").inside is False


class TestCount:
    @pytest.mark.parametrize(
        ("data", "units"), [(b"", 0), (b"plain", 5), ("日本🎉".encode(), 4), (b"a\xffb", 3), (b"a\r\nb", 4)]
    )
    def test_text_in_units(self, project: Path, data: bytes, units: int) -> None:
        files = files_of(project)
        found = files.find(str(spill(project, data=data)))
        assert files.count(found) == files.count_text(found) == units

    @pytest.mark.parametrize(
        ("value", "units"),
        [
            ([{"type": "text", "text": "日本🎉"}, {"type": "text", "text": "ab"}], 6),
            ([{"type": "image"}, {"type": "text"}], 0),
            ([], 0),
        ],
    )
    def test_a_json_file_by_its_blocks(self, project: Path, value: object, units: int) -> None:
        data = json.dumps(value, indent=2, ensure_ascii=False)
        files = files_of(project)
        found = files.find(str(spill(project, name="t1.json", data=data.encode())))
        assert files.count(found) == units
        assert files.count_text(found) == len(data.encode("utf-16-le")) // 2

    @pytest.mark.parametrize("data", [b'{"a":1}', b"[1", b"words", b"[" * 5_000, b"\xff"])
    def test_a_json_file_without_blocks_as_text(self, project: Path, data: bytes) -> None:
        files = files_of(project)
        assert files.count(files.find(str(spill(project, name="t1.json", data=data)))) == len(data)

    def test_blocks_in_a_text_file_are_text(self, project: Path) -> None:
        data = b'[{"type":"text","text":"ab"}]'
        files = files_of(project)
        assert files.count(files.find(str(spill(project, data=data)))) == len(data)

    def test_a_file_over_the_limit_is_not_counted(self, project: Path) -> None:
        path = spill(project)
        files = files_of(project)
        for size, counted in ((8 << 20, 8 << 20), ((8 << 20) + 1, None)):
            with path.open("wb") as file:
                file.truncate(size)
            assert files.count(files.find(str(path))) == counted

    def test_a_file_that_changed_is_counted_again(self, project: Path) -> None:
        path = spill(project)
        files = files_of(project)
        assert files.count(files.find(str(path))) == 12
        path.write_bytes(b"longer than it was")
        assert files.count(files.find(str(path))) == 18

    def test_a_file_that_did_not_change_is_read_once(self, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path = spill(project)
        files = files_of(project)
        read: list[Path] = []
        whole = Path.read_bytes

        def noted(path: Path) -> bytes:
            read.append(path)
            return whole(path)

        monkeypatch.setattr(Path, "read_bytes", noted)
        assert [files.count(files.find(str(path))) for _ in range(3)] == [12] * 3
        assert read == [path]

    def test_what_is_outside_or_gone_is_not_counted(self, project: Path, tmp_path: Path) -> None:
        outside = tmp_path / "outside.txt"
        outside.write_text("not yours")
        path = spill(project)
        files = files_of(project)
        found = files.find(str(path))
        path.unlink()
        assert files.count(files.find(str(outside))) is None
        assert files.count(found) is None
        assert files.count(files.find(str(path))) is None


def test_a_listing_is_of_the_session_itself_and_by_name(project: Path, tmp_path: Path) -> None:
    spill(project, "s0")
    for name in ("b.txt", "a.json"):
        spill(project, name=name)
    (project / "s1/tool-results/folder").mkdir()
    (project / "s1/tool-results/out.txt").symlink_to(tmp_path)
    found = files_of(project).listing()
    assert [(Path(file.path).name, file.inside) for file in found] == [("a.json", True), ("b.txt", True), ("out.txt", False)]


def test_a_listing_of_nothing_is_empty(project: Path) -> None:
    assert files_of(project).listing() == []


@pytest.mark.parametrize("path", ["/a/b/t.txt", "C:\\a\\b\\t.txt", "t.txt", "a\\b/t.txt", "/a/b\\t.txt"])
def test_base_names_of_both_kinds_of_systems(path: str) -> None:
    assert base_name(path) == "t.txt"


def test_what_is_no_file_is_listed_apart(project: Path) -> None:
    folder = spill(project).parent
    (folder / "deep").mkdir()
    os.mkfifo(folder / "pipe")
    (folder / "link").symlink_to(folder / "t1.txt")
    files = files_of(project)
    assert [Path(file.path).name for file in files.irregular()] == ["deep", "pipe"]
    assert files.names() == ["deep", "link", "pipe", "t1.txt"]
    assert [Path(file.path).name for file in files.listing(["t1.txt", "deep"])] == ["t1.txt"]


class TestOpen:
    def test_a_file_or_a_link_to_one(self, project: Path) -> None:
        path = spill(project)
        (path.parent / "link").symlink_to(path)
        for name in ("t1.txt", "link"):
            with open_spill(str(path.parent / name)) as opened:
                assert opened.read() == b"spilled text"

    def test_a_part_of_it(self, project: Path) -> None:
        file = files_of(project).find(str(spill(project)))
        assert read_spill(file, 3, 8) == b"tex"

    def test_what_is_no_file_is_refused_at_once(self, project: Path) -> None:
        folder = spill(project).parent
        os.mkfifo(folder / "pipe")  # opened as a file is, it would wait for a writer
        for path in (folder, folder / "pipe", folder / "none"):
            with pytest.raises(OSError, match=r"no regular file|Is a directory|No such file"):
                open_spill(str(path))
