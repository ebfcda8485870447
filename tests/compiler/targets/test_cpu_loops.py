"""Which loops of the CPU are seen to read windows, and which end at a test."""

from __future__ import annotations

import pytest

from kparity.compiler.ir.nodes import Parallel
from kparity.compiler.targets.cpu_loops import reads_windows, tightened

from ..sources import kernel


def body_of(text: str, ranges: str = "parallel(n)", index: str = "i") -> Parallel:
    one = kernel(f"""
        def k(y: Mut[f64, "n"], x: Ref[f64, "n + 9"], p: Ref[i32, "n"], a: Mut[f64, "n", "n"], d: i64):
            for {index} in {ranges}:
                {text}
        """)
    assert isinstance(one.typed.body, Parallel)
    return one.typed.body


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("y[i] = x[i] + x[i + 1]", True),
        ("y[i] = x[i + 1] + x[i + 1]", False),
        ("y[i] = x[i] + y[i]", False),
        ("y[i] = x[i] + x[i + 1] + x[i + d]", False),
        ("y[i] = x[p[i]] + x[p[i] + 1]", False),
    ],
)
def test_windows(text: str, wanted: bool) -> None:
    assert reads_windows(body_of(text).body) is wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("if j < d: a[i, j] = 1.0", True),
        ("if j < i: a[i, j] = 1.0", True),
        ("if j <= d: a[i, j] = 1.0", False),
        ("if d < j: a[i, j] = 1.0", False),
        ("if i < d: a[i, j] = 1.0", False),
        ("if j < i64(p[i]): a[i, j] = 1.0", False),
        ("if j < d + i: a[i, j] = 1.0", False),
    ],
)
def test_ends(text: str, wanted: bool) -> None:
    body = body_of(text, "parallel(n, n)", "i, j")
    assert (tightened(body.indices[-1], body.body) is not None) is wanted
