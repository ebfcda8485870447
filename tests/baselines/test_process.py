"""A compiler leaves nothing running, and its words are kept."""

from __future__ import annotations

import signal
import sys
import time

import pytest

from kparity.baselines.process import run


def test_both_streams_and_the_status_are_kept() -> None:
    script = "import sys; print('out', flush=True); print('err', file=sys.stderr); sys.exit(3)"
    finished = run([sys.executable, "-c", script], 30.0)
    assert (finished.status, finished.output) == (3, "out\nerr\n")


def test_time_out_kills_the_children_too() -> None:
    """A child that outlived its parent would hold the pipe open, and the call would wait for it."""
    script = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import time; time.sleep(60)'])"
    start = time.monotonic()
    finished = run([sys.executable, "-c", script], 0.5)
    assert time.monotonic() - start < 20
    assert finished.status == -signal.SIGKILL
    assert "killed after 0.5 s" in finished.output


def test_a_program_that_is_not_there() -> None:
    with pytest.raises(FileNotFoundError):
        run(["/nonexistent/compiler"], 1.0)
