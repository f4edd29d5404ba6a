"""A small server that speaks the shape of the Messages API, on a port of this machine."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

Json = dict[str, Any]


class Asked(NamedTuple):
    """A request that came in."""

    path: str
    body: Json


class Answer(NamedTuple):
    """What goes out; `body` bytes: as they are. `hang`: not before this is set."""

    body: object
    status: int = 200
    hang: threading.Event | None = None
    content_type: str = "application/json"


class ApiServer:
    """`answer` is asked for each request, in the server's threads; `asked` holds what came, in order."""

    def __init__(self, answer: Callable[[Asked], Answer]) -> None:
        self.answer = answer
        self.asked: list[Asked] = []
        self.url = ""


@contextmanager
def serving(answer: Callable[[Asked], Answer]) -> Iterator[ApiServer]:
    api = ApiServer(answer)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = Asked(self.path.partition("?")[0], json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            api.asked.append(asked)
            answered = api.answer(asked)
            if answered.hang is not None:
                answered.hang.wait(60)
            body = answered.body if isinstance(answered.body, bytes) else json.dumps(answered.body).encode()
            try:
                self.send_response(answered.status)
                self.send_header("Content-Type", answered.content_type)
                self.send_header("Content-Length", str(len(body)))
                self.send_header("Retry-After-Ms", "1")
                self.end_headers()
                self.wfile.write(body)
            except OSError:
                pass  # the client would not wait

        def log_message(self, format: str, *args: object) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    api.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield api
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def counted(tokens: object) -> Answer:
    """The answer of `count_tokens`."""
    return Answer({"input_tokens": tokens})


def message(usage: object, **fields: object) -> Answer:
    """The answer of `messages`."""
    body = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": "max_tokens"}
    return Answer({**body, "usage": usage, **fields})


def streamed(body: Json) -> Answer:
    """A whole message as server-sent events, each block in several pieces."""
    events: list[Json] = [{"type": "message_start", "message": {**body, "content": [], "stop_reason": None}}]
    for index, block in enumerate(body["content"]):
        begun, deltas = _in_pieces(block)
        events.append({"type": "content_block_start", "index": index, "content_block": begun})
        events += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
        events.append({"type": "content_block_stop", "index": index})
    end = {"stop_reason": body["stop_reason"], "stop_sequence": None}
    events += [{"type": "message_delta", "delta": end, "usage": body["usage"]}, {"type": "message_stop"}]
    sent = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
    return Answer(sent.encode(), content_type="text/event-stream")


def _in_pieces(block: Json) -> tuple[Json, list[Json]]:
    """A block as it begins, and what is added to it."""
    if block["type"] == "text":
        return {**block, "text": ""}, [{"type": "text_delta", "text": piece} for piece in _halves(block["text"])]
    pieces = _halves(json.dumps(block["input"]))
    return {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]


def _halves(text: str) -> tuple[str, str]:
    middle = len(text) // 2
    return text[:middle], text[middle:]


def failed(status: int, kind: str = "api_error") -> Answer:
    return Answer({"type": "error", "error": {"type": kind, "message": "It did not work."}}, status)
