from __future__ import annotations

import io

from rich.console import Console

from kparity.harness.progress import Bar, Lines, line_of, watcher
from kparity.harness.records import Cell, Record, Verification

CELL = Cell("s", "G_A", "cpu", 1_000_000, "native", "block_256")


def test_a_log_gets_each_first_phase_and_everything_alarming() -> None:
    stream = io.StringIO()
    lines = watcher(stream)
    assert isinstance(lines, Lines)
    lines.begin("walk 1 of 2", 2)
    lines.step("sample", [CELL])
    lines.advance("A: 1 ms")
    lines.begin("walk 2 of 2", 2)
    lines.advance("A: 1 ms again")
    lines.advance("B: crashed", alarming=True)
    lines.end()
    assert stream.getvalue() == "walk 1 of 2: 2 items\n  A: 1 ms\nwalk 2 of 2: 2 items\n  B: crashed\n"


def test_a_terminal_gets_a_bar_and_what_is_alarming() -> None:
    stream = io.StringIO()
    bar = Bar(Console(file=stream, force_terminal=True, width=100))
    bar.begin("walk 1 of 1", 2)
    bar.step("warm up", [CELL])
    bar.advance("fine")
    bar.advance("[G_A] crashed", alarming=True)
    bar.end()
    assert "[G_A] crashed" in stream.getvalue()
    assert "fine" not in stream.getvalue()


def test_a_record_is_one_line() -> None:
    ok = Record("r", CELL, 0, 0, "ok", device_seconds=[1e-3, 3e-3, 2e-3])
    assert line_of(ok) == "G_A cpu 1,000,000 native/block_256: 2.000 ms a repetition"
    assert line_of(Record("r", CELL, 0, 0, "ok")).endswith(": right")
    failed = Record("r", CELL, 0, 0, "out_of_memory", "no room\nat all")
    assert line_of(failed).endswith("native/block_256: out of memory: no room")
    wrong = Record("r", CELL, 0, 0, "wrong", verification=Verification(message="`y` differs"))
    assert line_of(wrong).endswith(": wrong: `y` differs")
