"""Signals that ask a command to stop, held back while something must not be cut in two."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

STOPS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Hold back Ctrl-C and SIGTERM inside the block; one that came is delivered at its end.

    Masking is not enough: another thread may take the signal, and Python runs the handler in the main one at once.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # handlers run in the main thread only, so nothing is raised here
        return
    came: list[tuple[int, FrameType | None]] = []
    handlers = {number: signal.signal(number, lambda n, frame: came.append((n, frame))) for number in STOPS}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    if came:
        signal.raise_signal(came[0][0])
