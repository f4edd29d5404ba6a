"""The observing side: a session, replayed through the engine, as an immutable reading (spec R)."""
