"""Widgets that know nothing of sessions, only of values."""
