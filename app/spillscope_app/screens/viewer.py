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
    """Shows a `ViewerRequest` until it is closed. Where there is room, what the model saw stands beside it.

    To build it takes longer than to read a page of any file: once installed it is shown again and again.
    """

    BINDINGS = bindings("viewer")
    AUTO_FOCUS = "#whole"

    def __init__(self) -> None:
        super().__init__()
        self._request: ViewerRequest | None = None
        self._composed = False

    def compose(self) -> ComposeResult:
        yield Painted(id="viewer-title")
        with Container(id="viewer-body"):
            if self.app.size.width >= _BROAD:
                yield from self._model_view()
            yield FileView(id="whole")
        yield KeyLine()

    def on_mount(self) -> None:
        self._composed = True
        self._draw()

    def show(self, request: ViewerRequest | None) -> None:
        """Show this from now on, from its beginning; None: nothing."""
        self._request = request
        if self._composed:
            self._draw()

    def _draw(self) -> None:
        request, seen = self._request, self._seen
        title = request.title if request is not None else ()
        # Coming into view, all of it gets its styles anyway: once is enough.
        self.remove_class("-model", update=False)
        self.set_class(seen is not None, "-modelled", update=False)
        self.query_one("#viewer-title", Painted).show(lambda width: (rule(title, (), width),))
        whole = self.query_one("#whole", FileView)
        whole.show(request)
        for beside in self.query("#model-view").results(FileView):
            beside.show(seen)
        self.set_focus(whole)
        self.refresh_bindings()

    @property
    def _seen(self) -> ViewerRequest | None:
        """What the model saw, if it is known."""
        request, facts = self._request, ((Span(_MODEL_SAW, "title"),),)
        if request is None or request.model_view is None:
            return None
        return ViewerRequest(request.title, content=request.model_view.encode("utf-8", "surrogatepass"), facts=facts)

    def _model_view(self) -> Iterator[FileView]:
        """The place of what the model saw: made when there is room for it, or when it is asked for."""
        if not self.query("#model-view"):
            yield FileView(self._seen, id="model-view")

    def on_resize(self, event: events.Resize) -> None:
        if event.size.width >= _BROAD:
            self._mount_model_view()

    def _mount_model_view(self) -> None:
        self.query_one("#viewer-body").mount_all(self._model_view(), before=0)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action != "model" or (self._request is not None and self._request.model_view is not None)

    def action_model(self) -> None:
        """What the model saw, in place of the whole or, where there is room, beside it; and back."""
        self._mount_model_view()
        self.toggle_class("-model")
        self.call_after_refresh(self._focus_shown)

    def _focus_shown(self) -> None:
        model, whole = self.query_one("#model-view", FileView), self.query_one("#whole", FileView)
        (whole if whole.display else model).focus()

    def action_close(self) -> None:
        """Back to where it was opened; the file is closed."""
        self.dismiss()
        self.show(None)
