"""Transcripts on disk: finding them, following them, and what the model saw of them (spec S)."""
