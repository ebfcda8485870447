from __future__ import annotations

import signal
import threading

import pytest

from kparity.harness.signals import uninterrupted


def test_a_signal_waits_for_the_end_of_the_block() -> None:
    done = []
    with pytest.raises(KeyboardInterrupt), uninterrupted():
        signal.raise_signal(signal.SIGINT)
        done.append("the whole block")
    assert done == ["the whole block"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_error_goes_before_a_signal_and_handlers_are_put_back() -> None:
    with pytest.raises(OSError, match="disk"), uninterrupted():
        raise OSError("disk")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_other_threads_are_left_alone() -> None:
    ran = []

    def work() -> None:
        with uninterrupted():
            ran.append(1)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert ran == [1]
