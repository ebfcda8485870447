"""Teams: what the front end makes of them, and each thing that it refuses."""

from __future__ import annotations

import pytest

from kparity.compiler.ir.nodes import Allocate, Buffer, For, Phase, Space, Teams
from kparity.compiler.ir.verify import violations
from kparity.compiler.ir.walk import phases

from ..sources import faults, kernel

MATMUL = """
    def matmul(c: Mut[f64, "n", "n"], a: Ref[f64, "n", "n"], b: Ref[f64, "n", "n"]):
        for by, bx in teams(ceildiv(n, T), ceildiv(n, T)):
            ta, tb = shared(f64, T, T), shared(f64, T, T)
            acc = private(f64, threads=(T, T), fill=0.0)
            for t in range(ceildiv(n, T)):
                for y, x in threads(T, T):
                    row, col = by * T + y, t * T + x
                    ta[y, x] = a[row, col] if row < n and col < n else 0.0
                    row, col = t * T + y, bx * T + x
                    tb[y, x] = b[row, col] if row < n and col < n else 0.0
                for y, x in threads(T, T):
                    for k in range(T):
                        acc[y, x] += ta[y, k] * tb[k, x]
            for y, x in threads(T, T):
                row, col = by * T + y, bx * T + x
                if row < n and col < n:
                    c[row, col] = acc[y, x]
    """


def team(body: str) -> str:
    """A team kernel around statements at team scope."""
    lines = "\n".join(f"        {line}" for line in body.strip().split("\n"))
    return (
        'def k(y: Mut[f64, "n"], x: Ref[f64, "n"], s: i64, first: Ref[i32, "m + 1"], total: Sum[f64],'
        ' h: Atomic[i32, "n"], j: i32, z: Mut[f64, "m"]):\n'
        f"    for b in teams(m):\n{lines}\n"
    )


def test_teams_phases_and_buffers() -> None:
    body = kernel(MATMUL, T=16).typed.body
    assert isinstance(body, Teams)
    ta, tb, acc, loop, last = body.body
    assert isinstance(loop, For) and isinstance(last, Phase)
    assert [p.number for p in phases(body.body)] == [0, 1, 2]
    found = [s.buffer for s in (ta, tb, acc) if isinstance(s, Allocate)]
    assert [(b.name, b.space, len(b.dims), b.threads) for b in found] == [
        ("ta", Space.SHARED, 2, 0), ("tb", Space.SHARED, 2, 0), ("acc", Space.PRIVATE, 2, 2),
    ]  # fmt: skip
    assert found[2].fill is not None and found[2].fill.value == 0.0


def buffer(declaration: str) -> Buffer:
    body = kernel(team(f"{declaration}\nfor t in threads(4):\n    y[b] = 1.0"), T=16).typed.body.body
    last = [s for s in body if isinstance(s, Allocate)][-1]
    return last.buffer


def test_forms_of_buffers() -> None:
    histogram = buffer("a = shared(i32, 4, atomic=True, fill=-1)")
    assert histogram.is_atomic and histogram.fill is not None and histogram.fill.value == -1
    mine = buffer("a = private(f32, 4, 3, threads=T)")
    assert (mine.threads, [d.text for d in mine.dims]) == (1, ["T", "4", "3"])
    view = buffer("a = shared(f64, n, 2)\nv = reshape(a, 2 * n)")
    assert view.base is not None and view.memory.name == "a" and len(view.dims) == 1


ACCEPTED = [
    "for t in threads((first[b], first[b + 1])):\n    y[t] = x[t]",  # bounds loaded from `Ref`
    "w = n // 2\nif w > s:\n    w = s\nfor t in threads(w):\n    y[t] = x[w]",  # a phase reads the team's locals
    "for u in range(s):\n    lo = first[u]\n    for t in threads((lo, n)):\n        y[t] = 1.0",
    "if x[b] > 0.0:\n    for t in threads(n):\n        y[t] = 1.0",  # a condition on `Ref` is uniform
    "for t in threads(n):\n    v = 1.0\n    y[t] = v\nfor t in threads(n):\n    v = 2\n    y[t] = f64(v)",  # two names
    "h2 = shared(i32, 4, atomic=True, fill=0)\nfor t in threads(n):\n    h2[t % 4] += 1\n    e = h2[0].max(3)",
    "p = private(f64, 2, threads=(n, 4))\nfor t, u in threads(n, 4):\n    p[t, u, 1] = 0.0\n    p[t, u, 0] += 1.0",
    "v = shared(f64, 4)\nw = reshape(v, 2, 2)\nfor t, u in threads(2, 2):\n    w[t, u] = 0.0",
    "for t in threads(n):\n    k = 0\n    y[t] = k\nfor k in threads(n):\n    y[k] = 1.0",
]


@pytest.mark.parametrize("body", ACCEPTED)
def test_uniform_code_around_phases(body: str) -> None:
    one = kernel(team(body))
    assert faults(one) == []
    assert violations(one.typed) == []
