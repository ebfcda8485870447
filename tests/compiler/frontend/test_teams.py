"""Teams: what the front end makes of them, and each thing that it refuses."""

from __future__ import annotations

import pytest

from kparity.compiler.ir.nodes import Allocate, Buffer, For, Phase, Space, Teams
from kparity.compiler.ir.verify import violations
from kparity.compiler.ir.walk import phases

from ..sources import faults, kernel, program

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
    "q = shared(f64, 2, 2, 2, 2, 2, 2, 2, 2)\nfor t in threads(2):\n    q[t, 0, 0, 0, 0, 0, 0, 1] = 1.0",  # eight dims
    "v = shared(f64, 4)\nw = reshape(v, 2, 2)\nfor t, u in threads(2, 2):\n    w[t, u] = 0.0",
    "for t in threads(n):\n    k = 0\n    y[t] = k\nfor k in threads(n):\n    y[k] = 1.0",
]


@pytest.mark.parametrize("body", ACCEPTED)
def test_uniform_code_around_phases(body: str) -> None:
    one = kernel(team(body))
    assert faults(one) == []
    assert violations(one.typed) == []


REFUSED: list[tuple[str, list[tuple[str, str]]]] = [
    # Phases inside of phases, under whatever condition; barriers by the names that people try.
    ("for t in threads(4):\n    for u in threads(4):\n        pass", [("KP0507", "threads(4)")]),
    ("for t in threads(4):\n    if t > 0:\n        for u in threads(4):\n            pass", [("KP0507", "threads(4)")]),
    ("for t in threads(4):\n    for i in range(t):\n        for u in threads(4):\n            pass", [("KP0507", "threads(4)")]),  # noqa: E501
    ("for t in threads(4):\n    barrier()", [("KP0507", "barrier()")]),
    ("for t in threads(4):\n    cuda.syncthreads()\n    __syncthreads()", [("KP0507", "cuda.syncthreads()"), ("KP0507", "__syncthreads()")]),  # noqa: E501
    ("sync_threads()", [("KP0507", "sync_threads()")]),
    ("for i in range(3):\n    for t in threads(4):\n        if t > i:\n            break", [("KP0507", "break")]),
    ("while s > 0:\n    for t in threads(4):\n        continue", [("KP0507", "continue")]),
    ("for t in threads(4):\n    break", [("KP0101", "break")]),
    ("for t in threads(4):\n    for i in range(3):\n        break", []),
    ("for i in range(3):\n    if i > s:\n        break\n    for t in threads(4):\n        pass", []),
    ("q = local(f64, 4)", [("KP0508", "local(f64, 4)")]),
    ("for t in threads(4):\n    q = local(f64, 4)\n    q[0] = 1.0\nfor t in threads(4):\n    y[b] = q[0]", [("KP0103", "q[0]")]),  # noqa: E501
    # Team scope reads `Ref` only, and stores nothing.
    ("if y[b] > 0.0:\n    for t in threads(4):\n        pass", [("KP0508", "y[b]")]),
    ("for i in range(i64(y[b])):\n    for t in threads(4):\n        pass", [("KP0508", "y[b]")]),
    ("q = shared(i32, 4, fill=0)\nfor t in threads(q[0]):\n    pass", [("KP0508", "q[0]")]),
    ("p = private(f64, threads=4)\nv = p[0]", [("KP0508", "p[0]")]),
    ("q = shared(i32, 4, fill=0)\nq[0] = 1", [("KP0508", "q[0]")]),
    ("y[b] += 1.0", [("KP0508", "y[b]")]),
    ("x[b] = 1.0", [("KP0501", "x[b]")]),
    ("total += 1.0", [("KP0508", "total += 1.0")]),
    ("total.update(1.0)", [("KP0508", "total.update(1.0)")]),
    ("h[b] += 1", [("KP0508", "h[b]")]),
    ("v = h[b].add(1)", [("KP0508", "h[b]")]),
    # Names stay on their side of a phase.
    ("for t in threads(4):\n    v = t\nw = v", [("KP0509", "v")]),
    ("for t in threads(4):\n    v = t\nif v > 0:\n    for t in threads(4):\n        pass", [("KP0509", "v")]),
    ("for t in threads(4):\n    pass\nif t > 0:\n    for t in threads(4):\n        pass", [("KP0509", "t")]),
    ("for t in threads(4):\n    v = 1.0\nfor t in threads(4):\n    y[t] = v", [("KP0509", "v")]),
    ("for t in threads(4):\n    y[b] = v\nfor t in threads(4):\n    v = 1.0", [("KP0509", "v")]),
    ("for t in threads(4):\n    for i in range(3):\n        pass\nw = i", [("KP0509", "i")]),
    ("for t in threads(4):\n    y[b] = v\n    v = 1.0", [("KP0205", "v")]),  # of this phase, only later
    ("w = 1\nfor t in threads(4):\n    w = t", [("KP0509", "w")]),
    ("w = 1\nfor t in threads(4):\n    w += 1", [("KP0509", "w")]),
    ("for t in threads(4):\n    w = t\nw = 1", [("KP0509", "w")]),
    ("if s > 0:\n    w = 1\nfor t in threads(w):\n    pass", [("KP0205", "w")]),
    # Private memory is the thread's own.
    ("p = private(f64, threads=4)\nfor t in threads(4):\n    p[t + 0] = 1.0", [("KP0510", "t + 0")]),
    ("p = private(f64, threads=4)\nfor t in threads(4):\n    p[0] = 1.0", [("KP0510", "0")]),
    ("p = private(f64, threads=(4, 4))\nfor t, u in threads(4, 4):\n    p[u, t] = 1.0", [("KP0510", "u")]),
    ("p = private(f64, 4, threads=4)\nfor t in threads(4):\n    for i in range(4):\n        p[i, t] = 1.0", [("KP0510", "i")]),  # noqa: E501
    ("p = private(f64, threads=4)\nfor t in threads(5):\n    p[t] = 1.0", [("KP0510", "p[t]")]),
    ("p = private(f64, threads=4)\nfor t in threads((0, 4)):\n    p[t] = 1.0\nfor t in threads((1, 4)):\n    p[t] = 1.0", [("KP0510", "p[t]")]),  # noqa: E501
    ("p = private(f64, threads=4)\nw = 4\nfor t in threads(w):\n    p[t] = 1.0", [("KP0510", "p[t]")]),
    ("p = private(f64, 4, threads=4)\nfor t, u in threads(4, 4):\n    p[t, u] = 1.0", [("KP0510", "p[t, u]")]),
    # Buffers stand in the body of the teams, under names of their own.
    ("for t in threads(4):\n    q = shared(f64, 4)\n    q[t] = 1.0", [("KP0107", "shared(f64, 4)")]),
    ("if s > 0:\n    q = shared(f64, 4)", [("KP0107", "shared(f64, 4)")]),
    ("for i in range(2):\n    p = private(f64, threads=4)", [("KP0107", "private(f64, threads=4)")]),
    ("w, q = 1, shared(f64, 4)", [("KP0107", "shared(f64, 4)")]),
    ("x = shared(f64, 4)", [("KP0107", "x")]),
    ("q = shared(f64, 4)\nq = shared(f64, 4)", [("KP0107", "q")]),
    ("q[0] = shared(f64, 4)", [("KP0107", "q[0]")]),
    ("q = shared(4, f64)", [("KP0107", "4")]),
    ("q = shared(f64)", [("KP0107", "shared(f64)")]),
    ("q = shared(f64, 2, 2, 2, 2, 2, 2, 2, 2, 2)", [("KP0107", "shared(f64, 2, 2, 2, 2, 2, 2, 2, 2, 2)")]),
    ("q = shared(f64, 512)\nv = reshape(q, 2, 2, 2, 2, 2, 2, 2, 2, 2)", [("KP0107", "reshape(q, 2, 2, 2, 2, 2, 2, 2, 2, 2)")]),  # noqa: E501
    ("p = private(f64, 1, 1, 1, 1, 1, 1, 1, 1, 1, threads=4)", [("KP0107", "private(f64, 1, 1, 1, 1, 1, 1, 1, 1, 1, threads=4)")]),  # noqa: E501
    ("q = shared()", [("KP0107", "shared()")]),
    ("q = shared(f64, 0)", [("KP0107", "0")]),
    ("q = shared(f64, b)", [("KP0106", "b")]),
    ("q = shared(f64, i64(x[0]))", [("KP0106", "x[0]")]),
    ("q = shared(bool, 4)", [("KP0107", "bool")]),
    ("q = shared(f64, 4, fill=s)", [("KP0107", "s")]),
    ("q = shared(i64, 4, fill=s)", [("KP0107", "s")]),
    ("q = shared(i64, 4, fill=0.5)", [("KP0201", "0.5")]),
    ("q = shared(i64, 4, atomic=1)", [("KP0107", "1")]),
    ("q = shared(i64, 4, threads=4)", [("KP0107", "shared(i64, 4, threads=4)")]),
    ("p = private(f64, 4)", [("KP0107", "private(f64, 4)")]),
    ("p = private(f64, n, threads=4)", [("KP0107", "n")]),
    ("p = private(f64, threads=((1, 4), 4))", [("KP0107", "(1, 4)")]),
    ("p = private(f64, threads=(2, 2, 2, 2))", [("KP0107", "(2, 2, 2, 2)")]),
    ("v = reshape(x, 4)", [("KP0107", "x")]),
    ("p = private(f64, threads=4)\nv = reshape(p, 4)", [("KP0107", "p")]),
    ("q = shared(f64, 4)\nv = reshape(q)", [("KP0107", "reshape(q)")]),
    ("q = shared(f64, 4)\nfor t in threads(4):\n    q[t, t] = 1.0", [("KP0203", "q[t, t]")]),
    ("q = shared(f64, 4)\nfor t in threads(4):\n    q = 1.0", [("KP0101", "q")]),
    ("q = shared(f64, 4)\nfor t in threads(4):\n    y[b] = q", [("KP0102", "q")]),
    ("q = shared(i32, 4, atomic=True, fill=0)\nfor t in threads(4):\n    q[t] = 1", [("KP0506", "q[t]")]),
    ("q = shared(i32, 4, fill=0)\nfor t in threads(4):\n    q[t].add(1)", [("KP0102", "q[t].add(1)")]),
    # Headers.
    ("for t in threads():\n    pass", [("KP0106", "threads()")]),
    ("for t in threads(2, 2):\n    pass", [("KP0106", "t")]),
    ("for b in threads(2):\n    pass", [("KP0106", "b")]),
    ("w = 1\nfor w in threads(2):\n    pass", [("KP0106", "w")]),
    ("for t in parallel(2):\n    pass", [("KP0106", "parallel(2)")]),
    ("for t in teams(2):\n    pass", [("KP0106", "teams(2)")]),
    ("for t in threads(4):\n    for u in parallel(2):\n        pass", [("KP0106", "parallel(2)")]),
    # Several at once, and nothing that follows from another.
    ("v = y[b]\nfor t in threads(v):\n    w = t + q\nw = 1.5", [("KP0508", "y[b]"), ("KP0103", "q"), ]),
    ("q = shared(f64, b)\nfor t in threads(4):\n    q[t] = 1.0\n    y[b] = q[t]", [("KP0106", "b")]),
    ("for t in threads(1.5):\n    v = nothing\n    y[b] = v\nw = y[0]", [("KP0201", "1.5"), ("KP0103", "nothing"), ("KP0508", "y[0]")]),  # noqa: E501
]  # fmt: skip


@pytest.mark.parametrize(("body", "expected"), REFUSED)
def test_refusals(body: str, expected: list[tuple[str, str]]) -> None:
    assert faults(kernel(team(body))) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("for i in parallel(n):\n    for t in threads(4):\n        pass", [("KP0106", "threads(4)")]),
        ("for i in parallel(n):\n    for t in teams(4):\n        pass", [("KP0106", "teams(4)")]),
        ("for i in parallel(n):\n    q = shared(f64, 4)\n    y[i] = q[0]", [("KP0107", "shared(f64, 4)")]),
        ("for i in parallel(n):\n    barrier()", [("KP0507", "barrier()")]),
        ("for b in teams(y[0]):\n    pass", [("KP0106", "y[0]")]),
        ("for b in teams(1, 2, 3, 4):\n    pass", [("KP0106", "teams(1, 2, 3, 4)")]),
        ("for t in threads(4):\n    pass", [("KP0104", "threads(4)")]),
        (
            "for b in teams(n):\n    pass\nfor b in teams(n):\n    pass",
            [("KP0104", "for b in teams(n):\n        pass")],
        ),
    ],
)
def test_refusals_around_teams(text: str, expected: list[tuple[str, str]]) -> None:
    lines = "\n".join(f"    {line}" for line in text.split("\n"))
    assert faults(kernel(f'def k(y: Mut[f64, "n"]):\n{lines}\n')) == expected


DEVICE = """
@device
def first(y: Ref[f64, "n"]):
    return y[0]

@device
def phase(y: Mut[f64, "n"]):
    for t in threads(4):
        pass

@device
def wait():
    barrier()

@kernel
def k(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for b in teams(n):
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("if first(x) > 0.0:\n    for t in threads(4):\n        pass", []),
        ("if first(y) > 0.0:\n    for t in threads(4):\n        pass", [("KP0508", "y[0]")]),
        ("for t in threads(4):\n    y[b] = first(y)", []),
        ("phase(y)", [("KP0106", "threads(4)")]),
        ("for t in threads(4):\n    phase(y)", [("KP0106", "threads(4)")]),
        ("for t in threads(4):\n    wait()", [("KP0507", "barrier()")]),
        ("p = private(f64, threads=4)\nfor t in threads(4):\n    y[b] = first(p)", [("KP0204", "p")]),
    ],
)
def test_device_functions_keep_the_rules_of_where_they_are_called(body: str, expected: list[tuple[str, str]]) -> None:
    lines = "\n".join(f"        {line}" for line in body.split("\n"))
    assert faults(program(DEVICE + lines)) == expected
