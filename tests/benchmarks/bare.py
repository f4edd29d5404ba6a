"""What everything is held against: each line of a file read and parsed. As a program: `python -m benchmarks.bare PATH`."""

import sys

import orjson


def bare_loop(path: str) -> None:
    """The least that reading a transcript costs."""
    with open(path, "rb") as file:  # noqa: PTH123 - pathlib would weigh on the start of the bare process
        readline, loads = file.readline, orjson.loads
        while line := readline():
            loads(line)


if __name__ == "__main__":
    bare_loop(sys.argv[1])
