from __future__ import annotations

from kparity.compiler.targets.team_shapes import block_threads, repeated_phases

from ..sources import kernel

TEXT = """
def k(y: Mut[f64, "n"]):
    for e in teams(n):
        s = shared(f64, 8, 8)
        for a, b in threads(3, 4):
            s[a, b] = 1.0
        for c in range(3):
            for a, b in threads(4, 8):
                s[a, b] = 2.0
            for d in range(2):
                for a in threads(8):
                    s[a, 0] = 3.0
"""


def test_phases_in_loops_are_found_once_each() -> None:
    typed = kernel(TEXT).typed
    assert [phase.number for phase in repeated_phases(typed.body.body)] == [1, 2]
    assert block_threads(typed) == 32
