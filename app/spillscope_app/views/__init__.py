"""From a reading to lines: pure functions, no Textual."""
