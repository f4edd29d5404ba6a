"""The viewer over another screen: one text or file, whatever its size, and what the model saw of it."""

from __future__ import annotations

from collections.abc import Iterator

from textual import events
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
_BROAD = 150
"""Columns from which on both have room."""


class ViewerScreen(Screen[None]):
    """Shows a `ViewerRequest` until it is closed. Where there is room, what the model saw stands beside it."""

    BINDINGS = bindings("viewer")
    AUTO_FOCUS = "#whole"

    def __init__(self, request: ViewerRequest) -> None:
        super().__init__(classes="-modelled" if request.model_view is not None else None)
        self._request = request

    def compose(self) -> ComposeResult:
        yield Painted(id="viewer-title")
        with Container(id="viewer-body"):
            if self.app.size.width >= _BROAD:
                yield from self._model_view()
            yield FileView(self._request, id="whole")
        yield KeyLine()

    def _model_view(self) -> Iterator[FileView]:
        """What the model saw, if it is known: made when there is room for it, or when it is asked for."""
        seen = self._request.model_view
        if seen is not None and not self.query("#model-view"):
            facts = ((Span(_MODEL_SAW, "title"),),)
            content = seen.encode("utf-8", "surrogatepass")
            yield FileView(ViewerRequest(self._request.title, content=content, facts=facts), id="model-view")

    def on_mount(self) -> None:
        title = self._request.title
        self.query_one("#viewer-title", Painted).show(lambda width: (rule(title, (), width),))

    def on_resize(self, event: events.Resize) -> None:
        if event.size.width >= _BROAD:
            self._mount_model_view()

    def _mount_model_view(self) -> None:
        self.query_one("#viewer-body").mount_all(self._model_view(), before=0)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action != "model" or self._request.model_view is not None

    def action_model(self) -> None:
        """What the model saw, in place of the whole or, where there is room, beside it; and back."""
        self._mount_model_view()
        self.toggle_class("-model")
        self.call_after_refresh(self._focus_shown)

    def _focus_shown(self) -> None:
        model, whole = self.query_one("#model-view", FileView), self.query_one("#whole", FileView)
        (whole if whole.display else model).focus()

    def action_close(self) -> None:
        """Back to where it was opened."""
        self.dismiss()
