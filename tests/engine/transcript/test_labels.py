"""Labels of calls: of a long path the end is what tells it from others."""

from __future__ import annotations

from spillscope.clean import cell_width
from spillscope.transcript.labels import call_label


def test_of_a_long_path_the_end_is_kept() -> None:
    path = "/home/user/" + "deep/" * 30 + "tides.py"
    label = call_label("Read", {"file_path": path})
    assert (label[0], label[-8:], cell_width(label)) == ("…", "tides.py", 80)
    assert call_label("Read", {"file_path": "/a/b.py"}) == "/a/b.py"
    assert cell_width(call_label("Read", {"file_path": "/" + "漢" * 200})) <= 80


def test_of_anything_else_the_beginning_is_kept() -> None:
    assert call_label("Bash", {"command": "/bin/ls " + "x" * 100}).startswith("/bin/ls x")
