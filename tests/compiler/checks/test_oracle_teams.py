"""The oracle on teams: what barriers order, what they do not, and what nobody has written."""

from __future__ import annotations

import random
import textwrap

import pytest

from ..team_kernels import CASES
from .kernels import typed
from .oracle import Run, Thread, meet

PARAMETERS = (
    'y: Mut[f64, "n"], x: Ref[f64, "n"], z: Out[f64, "m"], h: Atomic[i32, "n"], start: Ref[i32, "m + 1"], s: i64'
)


def faults(body: str, n: int = 8, m: int = 3, s: int = 2) -> set[str]:
    """What goes wrong in a team kernel, in any of several orders; `z` is left out of it."""
    lines = textwrap.indent(textwrap.dedent(body).strip(), "        ")
    kernel = typed(f"def k({PARAMETERS}):\n    for b in teams(m):\n{lines}\n")
    found: set[str] = set()
    for seed in range(20):  # index lists are often good ones
        found |= Run(kernel, {"n": n, "m": m, "s": s}, random.Random(seed)).launch()
    return found - {"uncovered"}


CLEAN = {
    "a neighbour's element, written before the barrier": """
        q = shared(f64, n)
        for t in threads(n):
            q[t] = x[t]
        for t in threads(n - 1):
            y2 = q[t + 1]
        for t in threads((1, n)):
            q[t] = q[t] + 1.0
    """,
    "the tile of the next iteration": """
        q = shared(f64, 4)
        for i in range(3):
            for t in threads(4):
                q[t] = 1.0
            for t in threads(4):
                v = q[3 - t]
    """,
    "each team its own part of an array, by any of its threads": """
        for t in threads(1):
            y[b] = 1.0
        for t, u in threads(2, 2):
            if t == 1 and u == 1:
                y[b] += 2.0
    """,
    "`Out` written in one phase, read in the next": """
        for t in threads(4):
            if t == 2:
                z[b] = 1.0
        for t in threads(4):
            v = z[b]
    """,
    "two shapes of one buffer, in two phases": """
        q = shared(f64, 4)
        v = reshape(q, 2, 2)
        for t in threads(4):
            q[t] = 1.0
        for i, j in threads(2, 2):
            w = v[1 - i, j]
    """,
    "private from phase to phase": """
        p = private(f64, 2, threads=(4,))
        for t in threads(4):
            p[t, 1] = 1.0
        for t in threads(3):
            v = 1
        for t in threads(4):
            v = p[t, 1]
    """,
    "atomics of a team, and of all teams": """
        q = shared(i32, 1, atomic=True, fill=0)
        for t in threads(4):
            q[0] += 1
            h[0] += q[0].max(2)
    """,
}
FAULTY = {
    "a neighbour's element in one phase": (
        """
        q = shared(f64, n, fill=0.0)
        for t in threads(n - 1):
            q[t] = q[t + 1]
        """, {"race"},
    ),
    "a neighbour's element, not yet written": (
        """
        q = shared(f64, n)
        for t in threads(n - 1):
            q[t] = 1.0
            v = q[t + 1]
        """, {"race", "uninitialised"},
    ),
    "shared memory starts as garbage": (
        """
        q = shared(f64, 4)
        for t in threads(2):
            q[t] = 1.0
        for t in threads(3):
            v = q[t]
        """, {"uninitialised"},
    ),
    "the other team's element": (
        """
        for t in threads(1):
            y[b] = 1.0
        for t in threads(1):
            v = y[(b + 1) % 3]
        """, {"race"},
    ),
    "the thread's number in place of the global one": (
        """
        for t in threads(4):
            y[t] = 1.0
        """, {"race"},
    ),
    "two shapes of one buffer in one phase": (
        """
        q = shared(f64, 4, fill=0.0)
        v = reshape(q, 2, 2)
        for i, j in threads(2, 2):
            v[i, j] = 1.0
            w = q[j]
        """, {"race"},
    ),
    "a view that is too large": (
        """
        q = shared(f64, 2, s)
        v = reshape(q, 5)
        """, {"bounds"},
    ),
    "nothing is inside of a negative size": (
        """
        q = shared(f64, s - 3)
        for t in threads(1):
            q[t] = 1.0
        """, {"bounds"},
    ),
    "beyond the tile": (
        """
        q = shared(f64, 4)
        for t in threads(5):
            q[t] = 1.0
        """, {"bounds"},
    ),
    "private, read first": (
        """
        p = private(f64, 2, threads=(4,))
        for t in threads(4):
            p[t, 1] = p[t, 0]
        """, {"uninitialised"},
    ),
    "`Out` read in the phase of another thread's write": (
        """
        for t in threads(2):
            if t == 0:
                z[b] = 1.0
            else:
                v = z[b]
        """, {"race", "uninitialised"},
    ),
    "an atomic that nobody has filled": (
        """
        q = shared(i32, 1, atomic=True)
        for t in threads(2):
            q[0] += 1
        """, {"uninitialised"},
    ),
    "a loop index of the team writes for all teams": (
        """
        for i in range(2):
            for t in threads(2):
                y[2 * i + t] = 1.0
        """, {"race"},
    ),
    "an index that an outer load gives": (
        """
        for t in threads((start[b], start[b] + 1)):
            y[t] = 1.0
        """, {"bounds", "race"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CLEAN)
def test_clean_teams(name: str) -> None:
    assert faults(CLEAN[name]) == set()


@pytest.mark.parametrize("name", FAULTY)
def test_faulty_teams(name: str) -> None:
    body, expected = FAULTY[name]
    found = faults(body)
    assert found == expected


@pytest.mark.parametrize("name", [n for n in CASES if n not in ("rows of unequal length",)])
def test_kernels_with_a_meaning_are_clean(name: str) -> None:
    """But for those whose index lists are random here."""
    case = CASES[name]
    kernel = case.kernel().typed
    given = case.arguments()
    sizes = {v.name: given[v.name] for v in kernel.scalars}
    for array in kernel.arrays:
        for dim, size in zip(array.dims, given[array.name].shape, strict=True):
            sizes.setdefault(dim.text, size)
    assert Run(kernel, sizes, random.Random(1)).launch() == set()


def test_order() -> None:
    a, b = Thread((0,), 1, (0,)), Thread((0,), 1, (1,))
    later, elsewhere = Thread((0,), 2, (1,)), Thread((1,), 1, (0,))
    assert a.is_before(a) and a.is_before(later) and b.is_before(later)
    assert not a.is_before(b) and not later.is_before(a) and not a.is_before(elsewhere)
    assert meet({a}, {b}) and meet({a}, {elsewhere}) and meet({a, later}, {b})
    assert not meet({a}, {a}) and not meet({a}, {later}) and not meet({a}, set())
