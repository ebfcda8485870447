"""Random kernels that store in the order of the threads, as source text: lists that grow, and sums so far."""

from __future__ import annotations

from . import choices as st
from .choices import DrawFn

RANGES = ["n", "n", "n", "n - 1", "(1, n)", "m", "n + 1", "(s, n)", "min(n, m)", "(1, n + 1)", "(0 - 1, n)"]
EXTENTS = ["n", "n", "n", "n + 1", "m", "4"]
CONDITIONS = [
    "x[i] > 0.0", "x[i] > 0.0", "i % 2 == 0", "q[i] > 0", "i + 1 < n and x[i + 1] > 0.0", "s > 0", "x[q[i]] > 0.0",
    "i < m", "i >= s",
]  # fmt: skip
PLACES = ["i", "i", "i", "i", "i + 1", "i - 1", "n - 1 - i", "2 * i", "i // 2", "i + s", "0", "min(i, n - 1)"]
VALUES = ["x[i]", "x[i]", "f64(q[i])", "x[n - 1 - i]", "x[i + 1]", "y[i]", "x[q[i]]", "2.0 * x[min(i + 1, n - 1)]"]
ITEMS = ["i", "i", "i + s", "i64(q[i])", "i64(q[i + 1])"]


@st.composite
def ordered_text(draw: DrawFn) -> str:
    """A kernel of one range that pushes, or stores a sum at the end of each thread."""
    pushes = draw(st.booleans())
    borrow = draw(st.sampled_from(["Mut", "Mut", "Out"]))
    extent = draw(st.sampled_from(EXTENTS))
    parameters = [
        f'grown: Push[i64, "{extent}"]' if pushes else f'y: {borrow}[f64, "{extent}"]', 'x: Ref[f64, "n"]',
        'q: Ref[i32, "n"]', 'other: Ref[f64, "m"]', "s: i64", "count: Sum[i64]",
    ]  # fmt: skip
    lines = [f"def k({', '.join(parameters)}):"]
    if draw(st.integers(0, 3)) == 0:
        lines.append(
            f"    require({draw(st.sampled_from(['s >= 0', 'n == m', 's >= 1 and s < n', 'm <= n', 'n >= 4']))})"
        )
    lines.append(f"    for i in parallel({draw(st.sampled_from(RANGES))}):")
    condition = draw(st.sampled_from(CONDITIONS))
    if pushes:
        lines.append(f"        if {condition}:")
        pushed = [f"            grown.push({draw(st.sampled_from(ITEMS))})", "            count += 1"]
        lines += pushed if draw(st.booleans()) else pushed[::-1]
        if draw(st.booleans()):
            lines += [f"        elif {draw(st.sampled_from(CONDITIONS))}:", "            grown.push(0 - i)"]
        return "\n".join(lines)
    lines.append("        v = 0.0")
    lines += [f"        if {condition}:", f"            v = {draw(st.sampled_from(VALUES[:5]))}"]
    value = draw(st.sampled_from(["v", "v", *VALUES]))
    lines.append(
        f"        y[{draw(st.sampled_from(PLACES))}] = {draw(st.sampled_from(['sum_before', 'sum_upto']))}({value})"
    )
    return "\n".join(lines)
