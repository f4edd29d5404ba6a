"""The errors that callers see. Each says, in one line, what is wrong, where, and what to do."""


class SpillscopeError(Exception):
    """Input or configuration that can't be used. `str(error)` is one line for people."""


class LimitsError(SpillscopeError):
    """A limits file or a limits option that can't be read."""


class SessionNotFoundError(SpillscopeError):
    """A path that leads to no session."""


class RequestError(SpillscopeError):
    """An `apply` request whose shape is unusable."""


def one_line(error: Exception) -> str:
    """An error in words for people."""
    if isinstance(error, OSError) and error.strerror:
        where = f": {error.filename}" if error.filename else ""
        return " ".join(f"{error.strerror}{where}".split())
    return " ".join(f"{type(error).__name__}: {error}".split())
