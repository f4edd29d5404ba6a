"""Work on many things at once, in processes that never outlive this one."""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def in_processes(work: Callable[[T], R], items: Sequence[T], jobs: int) -> Generator[R, None, None]:
    """`work(item)` for each item, as they come, in so many processes; in this one where one is enough.

    `work` must be picklable. When the caller is interrupted, or does not want the rest, the processes end at once.
    Raises BrokenProcessPool where one of them was killed.
    """
    jobs = min(jobs, len(items))
    if jobs < 2:
        yield from map(work, items)
        return
    pool = ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), initializer=_stay_with_parent)
    try:
        for future in as_completed([pool.submit(work, item) for item in items]):
            yield future.result()
    except BaseException:
        for child in multiprocessing.active_children():
            child.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def usable_cores() -> int:
    """The cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # macOS
        return os.cpu_count() or 1


def _stay_with_parent() -> None:
    """An interrupt is the parent's to handle; without the parent there is nobody to work for."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)
