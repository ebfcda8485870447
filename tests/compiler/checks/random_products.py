"""Random kernels with flattened indices of symbolic strides, as source text: most of them nearly right."""

from __future__ import annotations

from . import choices as st
from .choices import DrawFn

RANGES = ["n, m", "n, m", "n, m", "m, n", "(1, n), m", "n, (1, m)", "n, m - 1", "n, min(m, s)"]
REQUIREMENTS = [
    "n * m <= size", "n * m <= size", "m >= 1", "s >= m", "s >= 0", "(n - 1) * m + s <= size", "m == n", "s * n < size",
    "n * m * s <= size", "s >= 1", "n * m + m <= size",
]  # fmt: skip
INDICES = [
    "i*m + j", "i*m + j", "i*m + j", "m*i + j", "i*n + j", "i*m + j + 1", "(i + 1)*m + j", "(i - 1)*m + j", "j*n + i",
    "i*m + j - 1", "i*s + j", "(n - 1 - i)*m + j", "(i*m + j)*2", "2*(i*m + j) + 1", "i*m + (m - 1 - j)",
    "i*m + (j + 1) % m", "((i + s) % n)*m + j", "i*m + j + s", "i*m", "i*s", "(i*m + j)*s + k", "i*m*s + j*s + k",
    "i + k*m", "k*m + j", "j + n*k", "i*m + q[j]", "q[i]*m + j",
    "i + j", "i*m + j // 2", "i*m + min(j + 1, m - 1)", "(i*m + j) % size", "i*j", "i*(m + 1) + j", "m*n - 1 - i*m - j",
]  # fmt: skip
RIGHT = ["i*m + j", "i*m + j", "m*i + j", "(n - 1 - i)*m + j", "i*m + (m - 1 - j)", "m*n - 1 - i*m - j"]
CONDITIONS = ["j + 1 < m", "i*m + j < size", "i*s + j < size and s > 0", "i < s", "i*m + j + 1 < n*m", "m > 0", "i > 0"]


@st.composite
def product_text(draw: DrawFn) -> str:
    """A kernel of two thread indices with one or two stores, perhaps under a condition or in a loop."""
    borrow = draw(st.sampled_from(["Mut", "Mut", "Mut", "Out"]))
    extent = draw(st.sampled_from(["size", "size", "size", "size + 1"]))
    lines = [f'def k(y: {borrow}[f64, "{extent}"], x: Ref[f64, "size"], q: Ref[i32, "n"], n: i64, m: i64, s: i64):']
    is_right = draw(st.integers(0, 3)) > 0
    lines += ["    require(n * m <= size)"] if is_right and draw(st.booleans()) else []
    lines += [f"    require({r})" for r in draw(st.lists(st.sampled_from(REQUIREMENTS), max_size=2))]
    lines.append(f"    for i, j in parallel({'n, m' if is_right else draw(st.sampled_from(RANGES))}):")
    for _ in range(1 if is_right else draw(st.integers(1, 2))):
        target = draw(st.sampled_from(RIGHT if is_right else INDICES))
        source = draw(st.sampled_from(RIGHT if is_right and draw(st.booleans()) else INDICES))
        array = draw(st.sampled_from(["x"] * 5 + ["y"]))
        source = target if array == "y" and is_right else source
        store = f"y[{target}] {draw(st.sampled_from(['=', '=', '+=']))} {array}[{source}]"
        pad = "        "
        if "k" in store:
            lines.append(f"{pad}for k in range({draw(st.sampled_from(['s', '3', '2', 'm']))}):")
            pad += "    "
        if draw(st.integers(0, 2)) == 0:
            lines.append(f"{pad}if {draw(st.sampled_from(CONDITIONS))}:")
            pad += "    "
        lines.append(pad + store)
    return "\n".join(lines)
