"""The context window: its size, and where compaction begins (spec W1, W2)."""
