"""The viewer over another screen: one text or file, whatever its size, and what the model saw of it."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Container
from textual.screen import Screen

from spillscope_app.commands import bindings
from spillscope_app.screens.detail import rule
from spillscope_app.spans import Span
from spillscope_app.viewer.request import ViewerRequest
from spillscope_app.viewer.view import FileView
from spillscope_app.widgets.key_line import KeyLine
from spillscope_app.widgets.painted import Painted

_MODEL_SAW = "What the model saw"


class ViewerScreen(Screen[None]):
    """Shows a `ViewerRequest` until it is closed. Where there is room, what the model saw stands beside it."""

    BINDINGS = bindings("viewer")
    AUTO_FOCUS = "#whole"

    def __init__(self, request: ViewerRequest) -> None:
        super().__init__()
        self._request = request

    def compose(self) -> ComposeResult:
        yield Painted(id="viewer-title")
        with Container(id="viewer-body"):
            yield FileView(id="model-view")
            yield FileView(id="whole")
        yield KeyLine()

    def on_mount(self) -> None:
        request = self._request
        self.query_one("#viewer-title", Painted).show(lambda width: (rule(request.title, (), width),))
        self.query_one("#whole", FileView).show(request)
        if request.model_view is not None:
            self.add_class("-modelled")
            content = request.model_view.encode("utf-8", "surrogatepass")
            facts = ((Span(_MODEL_SAW, "title"),),)
            self.query_one("#model-view", FileView).show(ViewerRequest(request.title, content=content, facts=facts))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action != "model" or self._request.model_view is not None

    def action_model(self) -> None:
        """What the model saw, in place of the whole or, where there is room, beside it; and back."""
        self.toggle_class("-model")
        self.call_after_refresh(self._focus_shown)

    def _focus_shown(self) -> None:
        model, whole = self.query_one("#model-view", FileView), self.query_one("#whole", FileView)
        (whole if whole.display else model).focus()

    def action_close(self) -> None:
        """Back to where it was opened."""
        self.dismiss()
