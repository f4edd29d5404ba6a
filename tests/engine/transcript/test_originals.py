"""S6: how large an original was: the spill file, the local copy, the header, unknown; in that order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from spillscope.transcript.layout import place_of
from spillscope.transcript.originals import Original, cleared_original, local_texts, spilled_original
from spillscope.transcript.rows import Notice
from spillscope.transcript.spill_files import SpillFiles

TEXT = "é" * 51_200
"""50KB in units, 100KB in bytes."""


@pytest.fixture
def files(tmp_path: Path) -> SpillFiles:
    return SpillFiles(place_of(tmp_path / "project" / "s1.jsonl"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    folder = tmp_path / "project" / "s1" / "tool-results"
    folder.mkdir(parents=True)
    return folder / "t1.txt"


def test_the_spill_file_comes_first(files: SpillFiles, path: Path) -> None:
    path.write_text("short")
    local = {"stdout": TEXT, "persistedOutputSize": 102_400}
    assert spilled_original(Notice(str(path), "50KB"), local, files) == Original(5, "file")


@pytest.mark.parametrize("size", ["50KB", "100KB", "50.0 KB", "51,200 characters"])
@pytest.mark.parametrize(
    "local",
    [
        TEXT,
        [{"type": "text", "text": TEXT}],
        {"stdout": TEXT, "stderr": ""},
        {"stdout": TEXT[:-1_000], "stderr": "é" * 999},
        {"content": TEXT},
        {"content": [{"type": "text", "text": TEXT}]},
        {"result": TEXT},
        {"output": TEXT},
        {"type": "text", "file": {"content": TEXT}},
        {"task": {"output": TEXT}},
    ],
)
def test_then_a_local_copy_that_fits_the_header(files: SpillFiles, path: Path, local: Any, size: str) -> None:
    """In units or, for text, in bytes."""
    found = spilled_original(Notice(str(path), size), local, files)
    if size == "100KB" and not _is_text_of_its_size(local):
        assert found == Original(102_400, "header")
    else:
        assert found == Original(51_200, "local")


def _is_text_of_its_size(local: Any) -> bool:
    return any(isinstance(text, str) and len(text.encode()) in (102_399, 102_400) for text in local_texts(local))


@pytest.mark.parametrize(
    "local",
    [None, 5, "", "cut", {}, {"stdout": TEXT[:30_000]}, {"content": TEXT * 2}, {"file": "no object"}, {"stdout": 5}, [5]],
)
def test_then_the_size_in_the_header(files: SpillFiles, path: Path, local: object) -> None:
    assert spilled_original(Notice(str(path), "50KB"), local, files) == Original(51_200, "header")


def test_a_stated_size_is_finer_than_the_header(files: SpillFiles, path: Path) -> None:
    local = {"stdout": "cut", "persistedOutputSize": 51_234}
    assert spilled_original(Notice(str(path), "50KB"), local, files) == Original(51_234, "header")


@pytest.mark.parametrize("stated", [True, "51234", 51_234.5, 99, None])
def test_a_stated_size_that_does_not_fit_is_not_believed(files: SpillFiles, path: Path, stated: object) -> None:
    local = {"persistedOutputSize": stated}
    assert spilled_original(Notice(str(path), "50KB"), local, files) == Original(51_200, "header")


@pytest.mark.parametrize("size", ["", "a lot", "KB", "9" * 400 + "KB"], ids=len)
def test_else_it_is_unknown(files: SpillFiles, path: Path, size: str) -> None:
    assert spilled_original(Notice(str(path), size), {"stdout": "cut"}, files) == Original(0, "unknown")


def test_a_file_outside_is_never_measured(files: SpillFiles, tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("not yours")
    assert spilled_original(Notice(str(outside), "50KB"), None, files) == Original(51_200, "header")


def test_a_file_over_the_limit_leaves_the_header(files: SpillFiles, path: Path) -> None:
    with path.open("wb") as file:
        file.truncate((8 << 20) + 1)
    assert spilled_original(Notice(str(path), "8MB"), None, files) == Original(8 << 20, "header")


@pytest.mark.parametrize(
    ("local", "original"),
    [
        ({"stdout": TEXT}, Original(51_200, "local")),
        ([{"type": "text", "text": "ab"}], Original(2, "local")),
        ({"stdout": "", "content": "abc"}, Original(3, "local")),
        ({"stdout": ""}, Original(33, "unknown")),
        (None, Original(33, "unknown")),
    ],
)
def test_of_a_cleared_result_only_a_local_copy_is_known(local: object, original: Original) -> None:
    assert cleared_original(local, 33) == original
