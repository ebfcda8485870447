"""Short loops that multiply their index by a size: unrolled, so that conditions on the sizes are found."""

from __future__ import annotations

import itertools

from .kernels import codes, proved
from .verdicts import holds

LEVELS = """
    def levels(px: Mut[f64, "size"], cx: Ref[f64, "size"], n: i64, off: i64):
        for i in parallel(n):
            held = cx[i]
            for q in range(4):
                px[i + off*q] += held
                held = cx[i + q*off]
"""


def test_guards_are_exact() -> None:
    guards = proved(LEVELS).guards
    for size, n, off in itertools.product((0, 5, 9), range(-1, 5), range(-2, 4)):
        reached = [(i, i + off * q) for i in range(n) for q in range(4)]
        inside = all(0 <= at < size for _, at in reached)
        apart = not any(a == b and i != j for i, a in reached for j, b in reached)
        sizes = {"size": size, "n": n, "off": off}
        assert all(holds(g, sizes) for g in guards) == (inside and apart), sizes


def test_neighbours_race_whatever_the_sizes() -> None:
    assert codes(LEVELS.replace("held = cx[i + q*off]", "held = px[i + q*off + 1]"))[0][0] in ("KP0401", "KP0303")


def test_values_of_one_iteration_reach_the_next() -> None:
    """`last` is the index of the iteration before, so the array is read one level down only."""
    text = """
        def shift(px: Mut[f64, "size"], n: i64, off: i64):
            require(off >= n and n >= 0 and 4 * off <= size)
            for i in parallel(n):
                last = 0
                for q in range(1, {}):
                    px[i + off*q] = px[i + off*last]
                    last = q
    """
    assert proved(text.format(4)).guards == ()
    assert len(proved(text.format(5)).guards) == 1


def test_a_loop_that_skips_is_not_unrolled() -> None:
    """After `continue` the values of variables differ from those at the end of the body."""
    found = codes("""
        def k(px: Mut[f64, "size"], n: i64, off: i64):
            require(off >= n and n >= 0 and 2 * off <= size)
            for i in parallel(n):
                level = 0
                for q in range(3):
                    if q == 1:
                        level = 5
                        continue
                    px[i + off*q*0 + off*level] = 1.0
                    level = 1
    """)
    assert found
