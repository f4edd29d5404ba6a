"""The inks' colours as theme variables. The only hues of our own; a theme may set any of these variables itself."""

from __future__ import annotations

from textual.theme import Theme

_DARK = {
    "ink-reapply": "#ffb454",
    "ink-frozen": "#6cb2ff",
    "ink-fresh": "#6fcf97",
    "ink-persisted": "#e08cf0",
    "ink-exempt": "#9aa4b0",
    "ink-over": "#ff7b72",
    "ink-gauge": "#5cc8c0",
}
_LIGHT = {
    "ink-reapply": "#8a5a00",
    "ink-frozen": "#0b57c2",
    "ink-fresh": "#17692f",
    "ink-persisted": "#8a1fa8",
    "ink-exempt": "#555d66",
    "ink-over": "#b3161b",
    "ink-gauge": "#0a6c70",
}
_ANSI = {
    "ink-reapply": "ansi_yellow",
    "ink-frozen": "ansi_bright_blue",
    "ink-fresh": "ansi_green",
    "ink-persisted": "ansi_magenta",
    "ink-exempt": "ansi_default",
    "ink-over": "ansi_red",
    "ink-gauge": "ansi_cyan",
}
_HIGH_CONTRAST = {
    "ink-reapply": "#ffd000",
    "ink-frozen": "#80c8ff",
    "ink-fresh": "#60ff90",
    "ink-persisted": "#ffa0ff",
    "ink-exempt": "#e0e0e0",
    "ink-over": "#ff9080",
    "ink-gauge": "#60fff0",
}
HIGH_CONTRAST = Theme(
    "high-contrast",
    primary="#ffd000",
    secondary="#80c8ff",
    warning="#ffd000",
    error="#ff9080",
    success="#60ff90",
    accent="#60fff0",
    foreground="#ffffff",
    background="#000000",
    surface="#000000",
    panel="#202020",
    variables=_HIGH_CONTRAST,
)
"""White and strong hues on black."""


def ink_variables(theme: Theme) -> dict[str, str]:
    """The colour of each ink on the ground of a theme."""
    if theme.ansi:
        return dict(_ANSI)
    return dict(_DARK if theme.dark else _LIGHT)
