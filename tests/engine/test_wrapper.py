"""The preview of a spilled result: to the byte when we write it, tolerant when we read what others wrote (spec P9–P11)."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from spillscope.blocks import units
from spillscope.wrapper import (
    PERSISTED_TAG,
    Wrapper,
    build_large_tool_result_message,
    fits_header,
    format_size,
    generate_preview,
    parse_wrapper,
)

PATH = "/s/tool-results/toolu_01.txt"


def test_text_up_to_the_limit_is_whole() -> None:
    assert generate_preview("a" * 2_000) == ("a" * 2_000, False)
    assert generate_preview("a" * 2_001) == ("a" * 2_000, True)


@pytest.mark.parametrize(("newline", "kept"), [(999, 2_000), (1_000, 2_000), (1_001, 1_001), (1_999, 1_999), (2_000, 2_000)])
def test_the_cut_goes_before_a_newline_of_the_second_half(newline: int, kept: int) -> None:
    text = "a" * newline + "\n" + "b" * 3_000
    assert generate_preview(text) == (text[:kept], True)


def test_the_last_newline_is_the_one_that_counts() -> None:
    text = "a" * 1_100 + "\n" + "b" * 300 + "\n" + "c" * 3_000
    assert generate_preview(text).text == text[:1_401]


def test_a_newline_is_placed_by_units_not_by_characters() -> None:
    text = "😀" * 501 + "\n" + "b" * 3_000  # index 1,002 in units, 501 in characters
    assert generate_preview(text).text == "😀" * 501


def test_a_pair_at_the_cut_is_dropped_whole() -> None:
    assert generate_preview("a" * 1_999 + "😀" + "b" * 100).text == "a" * 1_999
    assert generate_preview("a" * 1_998 + "😀" + "b" * 100).text == "a" * 1_998 + "😀"


def test_another_preview_size_moves_the_middle() -> None:
    assert generate_preview("aaa\nbbb\ncccc", 8).text == "aaa\nbbb"
    assert generate_preview("aaa\nbbbbbbbb", 8).text == "aaa\nbbbb"


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (0, "0 bytes"),
        (900, "900 bytes"),
        (1_023, "1023 bytes"),
        (1_024, "1KB"),
        (2_000, "2KB"),
        (2_048, "2KB"),
        (1_075, "1KB"),
        (1_076, "1.1KB"),
        (1_280, "1.3KB"),  # 1.25: half up, not to even
        (30_310, "29.6KB"),
        (85_713, "83.7KB"),
        (1_048_575, "1024KB"),
        (1_048_576, "1MB"),
        (5_033_165, "4.8MB"),
        (1_073_741_824, "1GB"),
        (1_649_267_441_664, "1536GB"),
    ],
)
def test_sizes_in_words(count: int, words: str) -> None:
    assert format_size(count) == words


def test_the_wrapper_to_the_byte() -> None:
    text = "first line\n" + "x" * 84_246
    expected = (
        "<persisted-output>\n"
        "Output too large (82.3KB). Full output saved to: /s/tool-results/toolu_01.txt\n"
        "\n"
        "Preview (first 2KB):\n"
        "first line\n" + "x" * 1_989 + "\n"
        "...\n"
        "</persisted-output>"
    )
    assert build_large_tool_result_message(text, PATH) == expected


def test_a_short_text_has_no_dots() -> None:
    assert build_large_tool_result_message("short", PATH) == (
        f"<persisted-output>\nOutput too large (5 bytes). Full output saved to: {PATH}\n\n"
        "Preview (first 2KB):\nshort\n</persisted-output>"
    )


def test_the_header_counts_units() -> None:
    assert "(2KB)" in build_large_tool_result_message("😀" * 1_024, PATH)


HEAD = "<persisted-output>\nOutput too large (82.3KB). Full output saved to: /p/a.txt\n\nPreview (first 2KB):\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (HEAD + "one\ntwo\n...\n</persisted-output>", Wrapper("82.3KB", "/p/a.txt", "one\ntwo", True)),
        (HEAD + "one\ntwo\n</persisted-output>", Wrapper("82.3KB", "/p/a.txt", "one\ntwo", False)),
        (HEAD + "one\ntwo\n...\n", Wrapper("82.3KB", "/p/a.txt", "one\ntwo", True)),
        (HEAD + "one", Wrapper("82.3KB", "/p/a.txt", "one", False)),
        (HEAD + "  indented\n\n...\n</persisted-output>", Wrapper("82.3KB", "/p/a.txt", "  indented\n", True)),
        (HEAD.replace("to: /p", "to:\n/p") + "one\n</persisted-output>", Wrapper("82.3KB", "/p/a.txt", "one", False)),
        (HEAD.replace("82.3KB", "82.3 KB") + "one\n</persisted-output>", Wrapper("82.3 KB", "/p/a.txt", "one", False)),
        (HEAD.replace("first 2KB", "first 2.0 KB") + "one\n</persisted-output>", Wrapper("82.3KB", "/p/a.txt", "one", False)),
        (
            HEAD.replace("/p/a.txt", r"C:\Users\a b\tool-results\b1.txt") + "one\n</persisted-output>",
            Wrapper("82.3KB", r"C:\Users\a b\tool-results\b1.txt", "one", False),
        ),
        (HEAD.replace("/p/a.txt", "/p q/a.txt") + "x\n</persisted-output>", Wrapper("82.3KB", "/p q/a.txt", "x", False)),
        (
            HEAD + "see </persisted-output> here\n</persisted-output>",
            Wrapper("82.3KB", "/p/a.txt", "see </persisted-output> here", False),
        ),
        (HEAD.replace("\n", "\r\n") + "x\n</persisted-output>", Wrapper("82.3KB", "/p/a.txt", "x", False)),
    ],
)
def test_the_forms_that_agents_and_write_ups_give_it(text: str, expected: Wrapper) -> None:
    assert parse_wrapper(text) == expected


MCP = (
    "result (232,381 characters) exceeds maximum allowed tokens. "
    "Output has been saved to /p/tool-results/mcp-play wright-1.txt.\nFormat: JSON array"
)


@pytest.mark.parametrize("text", [MCP, "Error: " + MCP, MCP.partition("\n")[0]])
def test_the_mcp_wording(text: str) -> None:
    assert parse_wrapper(text) == Wrapper("232,381 characters", "/p/tool-results/mcp-play wright-1.txt", "", True)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain",
        " " + HEAD + "one\n</persisted-output>",
        "see " + HEAD,
        PERSISTED_TAG,
        "<persisted-output>\nsomething else\n</persisted-output>",
        "<persisted-output>\nOutput too large (82.3KB). Full output saved to: \n\n",
        "about that: " + MCP,
        "result (many characters) exceeds maximum allowed tokens. Output has been saved to /p.",
    ],
)
def test_what_is_no_wrapper(text: str) -> None:
    assert parse_wrapper(text) is None


paths = st.from_regex(r"/[a-zA-Z0-9_ \-/]{0,30}[a-z0-9]\.(txt|json)", fullmatch=True)


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=6_000) | st.text("ab\n😀", max_size=6_000), paths)
def test_what_is_built_is_read_back(text: str, path: str) -> None:
    preview, has_more = generate_preview(text)
    assume(has_more or not (preview.endswith("\n...") or preview == "..."))  # whole, and ending as a cut one does
    assert parse_wrapper(build_large_tool_result_message(text, path)) == Wrapper(
        format_size(units(text)), path, preview, has_more
    )


@given(st.text(max_size=300))
def test_no_text_breaks_the_parser(text: str) -> None:
    parse_wrapper(text)
    parse_wrapper(PERSISTED_TAG + text)
    parse_wrapper(HEAD + text)


@pytest.mark.parametrize(
    ("count", "size", "fits"),
    [(85_713, "83.7KB", True), (85_713, "83.7 KB", True), (85_795, "83.8KB", True), (85_713, "83.8KB", False),
     (2_048, "2.0 KB", True), (232_381, "232,381 characters", True), (900, "900 bytes", True), (5, "no size", False)],
)  # fmt: skip
def test_a_header_stands_for_a_count(count: int, size: str, fits: bool) -> None:
    assert fits_header(count, size) is fits
