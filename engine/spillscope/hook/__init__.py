"""The budget's first layer as a hook of an agent that has one of its own: a user's thresholds where they are lower."""
