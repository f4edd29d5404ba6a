"""S6: how large the original of a spilled or cleared result was, and how we know."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from spillscope.blocks import content_size
from spillscope.transcript.rows import CharsSource, Notice
from spillscope.transcript.spill_files import SpillFiles
from spillscope.wrapper import fits_header, header_size, wrapper_text


class Original(NamedTuple):
    """Units of an original, and where the figure comes from."""

    chars: int
    source: CharsSource


def spilled_original(notice: Notice, local_result: object, files: SpillFiles) -> Original:
    """S6, in order: the spill file, the local copy, the size in the notice, nothing known (0)."""
    counted = files.count(files.find(notice.path))
    if counted is not None:
        return Original(counted, "file")
    copy = full_copy(local_result, notice)
    if copy is not None:
        return Original(content_size(copy), "local")
    stated = local_result.get("persistedOutputSize") if isinstance(local_result, dict) else None
    if isinstance(stated, int) and not isinstance(stated, bool) and fits_header(stated, notice.size):
        return Original(stated, "header")
    size = header_size(notice.size)
    return Original(0, "unknown") if size is None else Original(size, "header")


def full_copy(local_result: object, notice: Notice) -> object:
    """The local copy of a spilled result, a text or a list of blocks, where its size is what the notice says; else None."""
    for text in local_texts(local_result):
        if wrapper_text(text) is not None:
            continue
        if fits_header(content_size(text), notice.size) or (isinstance(text, str) and fits_header(_bytes(text), notice.size)):
            return text
    return None


def is_of_hook(content: object, local_result: object) -> bool:
    """Whether a hook has put a wrapper in the place of a tool's output: then the local copy, which is that output, is one too.

    The agent's own wrappers stand in the content alone, and always as a string.
    """
    return isinstance(content, list) or any(wrapper_text(text) is not None for text in local_texts(local_result))


def cleared_original(local_result: object, placeholder_chars: int) -> Original:
    """The local copy of a result whose content was cleared; without one, nothing but the placeholder is known."""
    for text in local_texts(local_result):
        if text:
            return Original(content_size(text), "local")
    return Original(placeholder_chars, "unknown")


def local_texts(result: object) -> Iterator[object]:
    """Texts or block lists in a `toolUseResult` that may be the whole result, the likeliest first."""
    if isinstance(result, (str, list)):
        yield result
    if not isinstance(result, dict):
        return
    stdout, stderr = result.get("stdout"), result.get("stderr")
    if isinstance(stdout, str):
        yield stdout
        if isinstance(stderr, str) and stderr:
            yield f"{stdout}\n{stderr}"
    for name in ("content", "result", "output"):
        if isinstance(result.get(name), (str, list)):
            yield result[name]
    for name in ("file", "task"):
        inner = result.get(name)
        if isinstance(inner, dict):
            yield from local_texts({"content": inner.get("content"), "output": inner.get("output")})


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
