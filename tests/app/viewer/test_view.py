"""The viewer on real files: opening, paging, and files that are not as one would wish."""

from __future__ import annotations

from pathlib import Path

from app.viewer.stand import of_file, standing


async def test_a_file_opens_pages_and_knows_its_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text("".join(f"row {number}\n" for number in range(1, 2_001)))
    async with standing(of_file(path)) as stand:
        assert stand.rows[0] == "row 1"
        assert "   1 row 1" in stand.text
        assert "line 1 of 2,000" in stand.text
        await stand.press("pagedown")
        assert stand.rows[0] == "row 21"
        await stand.press("G")
        assert stand.rows[-1] == "row 2000"
        await stand.press("k", "k")
        assert stand.rows[-1] == "row 1998"
        await stand.press("g")
        assert stand.rows[0] == "row 1"
