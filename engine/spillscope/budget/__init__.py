"""The budget itself: what is kept, what is spilled, and what must stay as it was (spec P, B)."""
