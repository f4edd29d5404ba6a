"""The viewer over another screen: one text or file, whatever its size."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Container
from textual.screen import Screen

from spillscope_app.commands import bindings
from spillscope_app.screens.detail import rule
from spillscope_app.viewer.request import ViewerRequest
from spillscope_app.viewer.view import FileView
from spillscope_app.widgets.key_line import KeyLine
from spillscope_app.widgets.painted import Painted


class ViewerScreen(Screen[None]):
    """Shows a `ViewerRequest` until it is closed."""

    BINDINGS = bindings("viewer")
    AUTO_FOCUS = "#whole"

    def __init__(self, request: ViewerRequest) -> None:
        super().__init__()
        self._request = request

    def compose(self) -> ComposeResult:
        yield Painted(id="viewer-title")
        with Container(id="viewer-body"):
            yield FileView(id="whole")
        yield KeyLine()

    def on_mount(self) -> None:
        title = self._request.title
        self.query_one("#viewer-title", Painted).show(lambda width: (rule(title, (), width),))
        self.query_one("#whole", FileView).show(self._request)

    def action_close(self) -> None:
        """Back to where it was opened."""
        self.dismiss()
