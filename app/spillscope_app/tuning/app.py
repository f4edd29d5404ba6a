"""The part of the inspector that tries edited limits on the open session, whatever screen is shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from textual import on
from textual.app import App
from textual.worker import get_current_worker

from spillscope.errors import LimitsError
from spillscope.limits_export import export_limits
from spillscope.session.reading import Reading
from spillscope_app.export import expected_effect
from spillscope_app.feed import FromFeed, Source
from spillscope_app.picture import Picture
from spillscope_app.screens.choose import ChooseScreen, Option
from spillscope_app.screens.export import ExportScreen
from spillscope_app.screens.tools import ToolsScreen
from spillscope_app.spans import line
from spillscope_app.tuning.answer import Question
from spillscope_app.tuning.desk import Asker, Desk, Reasoned, Tuned, Untunable
from spillscope_app.tuning.edits import Edits, Tuning
from spillscope_app.tuning.presets import presets
from spillscope_app.tuning.saving import Target, beaten, save, targets
from spillscope_app.views.saving import preset_lines, target_lines, target_words
from spillscope_app.widgets.paced import Paced


class Audited(FromFeed):
    """It is known which spills were read back."""


@dataclass
class Saved(FromFeed):
    """Edits were written to a file, or were not."""

    edits: Edits
    words: str
    is_trouble: bool = False


class TuningApp(App[None]):
    """Holds the desk. Asks anew when the session, the edits or the screen have changed, and shows what comes back."""

    def __init__(self, *, ansi_color: bool | None) -> None:
        super().__init__(ansi_color=ansi_color)
        self._desk = Desk()
        self._asker: Asker | None = None
        self._answers = Paced(self, self._show_answer)
        self._audited: Reading | None = None  # whose spills were last looked through
        self._auditing = False

    # --- what the inspector is to this part ------------------------------------------------------------------------------

    _picture: Picture
    _origin: int
    _tools: ToolsScreen

    def _source(self) -> Source:
        raise NotImplementedError

    def _show(self, picture: Picture) -> None:
        raise NotImplementedError

    def _read_soon(self) -> None:
        raise NotImplementedError

    def _post_from(self, origin: int, message: FromFeed) -> None:
        raise NotImplementedError

    def _tell(self, text: str, *, is_trouble: bool = False) -> None:
        raise NotImplementedError

    # --- asking ---------------------------------------------------------------------------------------------------------

    def _begin_tuning(self) -> None:
        """Another session is open. The edits are tried on that one from now on."""
        self._asker, self._audited, self._auditing = None, None, False
        self._desk.move_on()

    def _ask(self) -> None:
        """Try the edits as they are, where somebody wants to know what they do."""
        desk, live = self._desk, self._picture.live
        is_looked_at = self.current_mode == "tools"
        if live is None or not (desk.is_on or is_looked_at):
            return
        if self._asker is None:
            self._asker = Asker(self._source(), partial(self._post_from, self._origin))
        calibrated = self._picture.calibrated
        factor = calibrated.scores.rough.factor if calibrated is not None else None
        key = self._tools.asked_key if is_looked_at else None
        if self._asker.ask(Question(desk.edits, factor or 1.0, key, groups=not is_looked_at)):
            self.run_worker(self._asker.work, name="tune", group="tune", thread=True, exit_on_error=False)
        if is_looked_at:
            self._audit(live)

    def _under_edit(self, picture: Picture) -> Picture:
        """A picture whose groups are as the edits have them, as far as that is known."""
        answer, reading = self._desk.answer, picture.reading
        if answer is None or reading is None or picture.comparison is None or answer.reading is not picture.live:
            return picture
        shown = answer.shown(reading)
        return replace(picture, reading=shown, live=shown if reading is picture.live else picture.live)

    @on(Tuned)
    def _tuned(self, message: Tuned) -> None:
        if message.origin == self._origin:
            self._desk.answer = message.answer
            self._picture = replace(self._picture, comparison=message.answer.comparison if self._desk.is_on else None)
            self._answers.ask()

    def _show_answer(self) -> None:
        if self.current_mode == "tools":
            self._tools.show_answer(self._picture)
        else:
            self._show(self._picture)
        if self._asker is not None:
            self._asker.note_shown()

    @on(Reasoned)
    def _reasoned(self, message: Reasoned) -> None:
        if message.origin == self._origin:
            self._desk.note_reason(message.question, message.words)
            self._tools.show_reason()

    @on(Untunable)
    def _untunable(self, message: Untunable) -> None:
        if message.origin == self._origin:
            self._tell(f"the edits can't be tried: {message.words}", is_trouble=True)

    # --- what was read back ----------------------------------------------------------------------------------------------

    def _audit(self, reading: Reading) -> None:
        """Look through the spills of a reading for those that were read back, one reading at a time."""
        if not self._auditing and reading is not self._audited:
            self._auditing, self._audited = True, reading
            work = partial(self._look_for_rereads, reading, self._source(), self._origin)
            self.run_worker(work, name="rereads", group="rereads", thread=True, exit_on_error=False)

    def _look_for_rereads(self, reading: Reading, source: Source, origin: int) -> None:
        worker = get_current_worker()
        try:
            inventory = source.inventory(reading, lambda: worker.is_cancelled)
            if inventory.complete:
                source.note_rereads(inventory.spills)
        finally:
            self._post_from(origin, Audited())

    @on(Audited)
    def _rereads_found(self, message: Audited) -> None:
        if message.origin == self._origin:
            self._auditing = False
            self._ask()

    # --- what the user asks for -----------------------------------------------------------------------------------------

    @on(ToolsScreen.Edited)
    def _edited(self) -> None:
        if self._desk.is_on != (self._picture.comparison is not None):
            self.screen.refresh_bindings()
        if not self._desk.is_on and self._picture.comparison is not None:
            self._show(replace(self._picture, comparison=None))
        self._ask()

    @on(ToolsScreen.PresetsAsked)
    def _presets_asked(self) -> None:
        options = [Option(line(preset.name), preset_lines(preset)) for preset in presets()]
        self.push_screen(ChooseScreen("Begin from the policy of", options), self._preset_chosen)

    def _preset_chosen(self, at: int | None) -> None:
        if at is not None and self._desk.begin_from(presets()[at]):
            self._edited()

    @on(ToolsScreen.ExportAsked)
    def _export_asked(self) -> None:
        answer = self._desk.answer
        if answer is None:
            self._tell("nothing to export yet")
            return
        notes = list(expected_effect(answer.reading.session.id, answer.comparison))
        self.push_screen(ExportScreen(lambda form: export_limits(answer.edited.newest, form, notes)))

    # --- saving ---------------------------------------------------------------------------------------------------------

    @on(ToolsScreen.SavingAsked)
    def _saving_asked(self) -> None:
        answer, edits = self._desk.answer, self._desk.edits
        if answer is None:
            return
        plan = self._source().plan
        found = targets(plan)
        options = [
            Option(
                target_words(target),
                target_lines(target, list(edits.values.items()), list(beaten(plan, target, edits.values, answer.base))),
            )
            for target in found
        ]
        if options:
            self.push_screen(ChooseScreen("Save the edits to", options), partial(self._target_chosen, found, edits))
        else:
            self._tell("there is no limits file to save to: x exports the limits")

    def _target_chosen(self, found: Sequence[Target], edits: Edits, at: int | None) -> None:
        if at is not None:
            work = partial(self._save, found[at], edits, self._origin)
            self.run_worker(work, name="save", group="save", thread=True, exit_on_error=False)

    def _save(self, target: Target, edits: Edits, origin: int) -> None:
        try:
            save(target.path, edits.values)
        except LimitsError as error:
            self._post_from(origin, Saved(edits, str(error), is_trouble=True))
        else:
            told = f"saved to {target.path}: in force from the next result on; what was decided stays decided"
            self._post_from(origin, Saved(edits, told))

    @on(Saved)
    def _saved(self, message: Saved) -> None:
        self._tell(message.words, is_trouble=message.is_trouble)
        if message.origin == self._origin and not message.is_trouble:
            if self._desk.edits == message.edits:
                self._desk.tuning = Tuning(Edits(mode=message.edits.mode, since=message.edits.since))
            self._read_soon()
            self._edited()

    def action_end_what_if(self) -> None:
        """Back to the limits in force."""
        desk = self._desk
        desk.tuning = desk.tuning.to(Edits(mode=desk.edits.mode, since=desk.edits.since))
        self._edited()
