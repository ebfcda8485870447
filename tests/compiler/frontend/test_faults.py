"""Several faults at once, each reported once, at its place, without errors that only follow from others."""

from __future__ import annotations

import pytest

from kparity.compiler import CompileError

from ..sources import faults, kernel, marked, messages


def test_all_faults_of_a_kernel_in_source_order() -> None:
    one = kernel("""
        def k(y: Mut[f64, "n"], x: Ref[f64, "n"], a, total: Sum[f64]):
            require(missing > 0)
            for i in parallel(nowhere):
                x[i] = 1.0
                y[i] = a
                t = unknown + 1.0
                y[i] = t * t
                u, v = undefined, t
                y[i] = u + v
                y[i] = total
                for j in range(0, n, 0):
                    y[j] = 1.5 // i
                if y[i]:
                    y[i] = x[i][0]
                else:
                    y[i] = sqrt()
                with y:
                    pass
        """)
    assert faults(one) == [
        ("KP0105", "a"), ("KP0103", "missing"), ("KP0103", "nowhere"), ("KP0501", "x[i]"), ("KP0103", "unknown"),
        ("KP0103", "undefined"), ("KP0504", "total"), ("KP0106", "0"), ("KP0201", "1.5 // i"), ("KP0201", "y[i]"),
        ("KP0102", "x[i][0]"), ("KP0204", "sqrt()"), ("KP0101", "y"),
    ], messages(one)  # fmt: skip


@pytest.mark.parametrize("header", ["for j in range(bad):", "if bad > 0:", "for j in bad:", "if x[i]:"])
def test_names_defined_under_a_faulty_head_are_silent(header: str) -> None:
    one = kernel(f"""
        def k(y: Mut[f64, "n"], x: Ref[f64, "n"]):
            for i in parallel(n):
                {header}
                    t = x[i]
                    y[i] = wrong
                y[i] = t
        """)
    assert [text for _, text in faults(one)][1:] == ["wrong"]
    assert len(faults(one)) == 2, messages(one)


@pytest.mark.parametrize(("statement", "code", "text"), [
    ("return", "KP0101", "return"),
    ("y[i] = z = 1.0", "KP0101", "y[i] = z = 1.0"),
    ("(y[i], t), s = (1.0, 2.0), 3.0", "KP0102", "(1.0, 2.0)"),
    ("a, b = 1.0", "KP0101", "a, b"),
    ("a, b = 1.0, 2.0, 3.0", "KP0204", "a, b = 1.0, 2.0, 3.0"),
    ("y[i] @= 2.0", "KP0101", "y[i] @= 2.0"),
    ("y[i] **= 2.0", "KP0101", "y[i] **= 2.0"),
    ("y.data = 1.0", "KP0101", "y.data"),
    ("y[i]: f64 = 1.0", "KP0101", "y[i]: f64 = 1.0"),
    ("t: f64", "KP0101", "t: f64"),
    ("t: float = 1.0", "KP0101", "t: float = 1.0"),
    ("sqrt(y[i])", "KP0101", "sqrt(y[i])"),
    ("y[i]", "KP0101", "y[i]"),
    ("total *= 2.0", "KP0504", "total *= 2.0"),
    ("total = 2.0", "KP0504", "total"),
    ("low += 2.0", "KP0504", "low += 2.0"),
    ("total.update()", "KP0204", "total.update()"),
    ("total.update(1.0, 2)", "KP0204", "total.update(1.0, 2)"),
    ("low.update(1.0)", "KP0204", "low.update(1.0)"),
    ("low.update(1.0, 2.0)", "KP0201", "2.0"),
    ("low.update(True, 2)", "KP0201", "True"),
    ("total.get()", "KP0504", "total.get()"),
    ("y[i, 0] = 1.0", "KP0203", "y[i, 0]"),
    ("y[i:n] = 1.0", "KP0203", "y[i:n]"),
    ("y[1.5] = 1.0", "KP0201", "1.5"),
    ("y[y[i]] = 1.0", "KP0201", "y[i]"),
    ("y[i > 0] = 1.0", "KP0201", "i > 0"),
    ("with y: pass", "KP0101", "y"),
    ("break", "KP0101", "break"),
    ("if y[i] > 0.0: continue", "KP0101", "continue"),
    ("while y[i]: pass", "KP0201", "y[i]"),
    ("while True: pass\n                else: pass", "KP0101", "pass"),
    ("s = local(f64)", "KP0107", "local(f64)"),
    ("s = local(8, 8)", "KP0107", "8"),
    ("s = local(bool, 8)", "KP0107", "bool"),
    ("s = local(f64, n)", "KP0107", "n"),
    ("s = local(f64, i)", "KP0106", "i"),
    ("s = local(f64, 0)", "KP0107", "0"),
    ("s = local(f64, 2, 2, 2, 2, 2, 2, 2, 2, 2)", "KP0107", "local(f64, 2, 2, 2, 2, 2, 2, 2, 2, 2)"),
    ("s = local(f64, 100_000)", "KP0107", "local(f64, 100_000)"),
    ("s = local(f64, 8, atomic=True)", "KP0107", "local(f64, 8, atomic=True)"),
    ("s = local(f64, 8, fill=y[i])", "KP0107", "y[i]"),
    ("s = local(i64, 8, fill=0.5)", "KP0201", "0.5"),
    ("y = local(f64, 8)", "KP0107", "y"),
    ("i = local(f64, 8)", "KP0107", "i"),
    ("y[i] = local(f64, 8)", "KP0107", "y[i]"),
    ("s = local(f64, 8) + 1.0", "KP0107", "local(f64, 8)"),
    ("s = local(f64, 8); s = 1.0", "KP0101", "s"),
    ("s = local(f64, 8); y[i] = s", "KP0102", "s"),
    ("s = local(f64, 2, 2); y[i] = s[0]", "KP0203", "s[0]"),
    ("s = local(i32, 8, fill=0); s[0].add(1)", "KP0102", "s[0].add(1)"),
    ("for j in range(0, 3, True): pass", "KP0201", "True"),
    ("for j in range(0, 3, 0): pass", "KP0106", "0"),
    ("for j in range(0.5): pass", "KP0201", "0.5"),
    ("for j in range(3, step=1): pass", "KP0106", "range(3, step=1)"),
    ("for j, l in range(3): pass", "KP0106", "j, l"),
    ("for j in y: pass", "KP0106", "y"),
    ("lambda: 1", "KP0101", "lambda: 1"),
    ("y[i] = (t := 1.0)", "KP0102", "t := 1.0"),
    ("y[i] = [v for v in y][0]", "KP0102", "[v for v in y][0]"),
])  # fmt: skip
def test_statements_that_are_not_supported(statement: str, code: str, text: str) -> None:
    one = kernel(f"""
        def k(y: Mut[f64, "n"], total: Sum[f64], low: MinLoc[f64]):
            for i in parallel(n):
                {statement}
        """)
    (found,) = faults(one)
    assert found[0] == code and (not text or found[1] == text), messages(one)


@pytest.mark.parametrize(("body", "code"), [
    ("pass", "KP0104"),
    ("y[0] = 1.0", "KP0104"),
    ("for i in range(n):\n        y[i] = 1.0", "KP0104"),
    ("for i in parallel(n):\n        y[i] = 1.0\n    y[0] = 2.0", "KP0104"),
    ("for i in parallel(n):\n        y[i] = 1.0\n    require(n > 2)", "KP0104"),
    ("for i in parallel(n):\n        y[i] = 1.0\n    else:\n        y[0] = 1.0", "KP0101"),
    ("for i in parallel():\n        y[i] = 1.0", "KP0106"),
    ("for i, j in parallel(n):\n        y[i] = 1.0", "KP0106"),
    ("for i, i in parallel(n, n):\n        y[i] = 1.0", "KP0106"),
    ("for y in parallel(n):\n        pass", "KP0106"),
    ("for y[0] in parallel(n):\n        pass", "KP0106"),
    ("for i in parallel((1, 2, 3)):\n        y[i] = 1.0", "KP0106"),
    ("for i in parallel(n=4):\n        y[i] = 1.0", "KP0106"),
    ("for i in parallel(1, 2, 3, 4):\n        y[i] = 1.0", "KP0106"),
    ("for i in parallel(y[0]):\n        y[i] = 1.0", "KP0106"),
    ("for i in parallel(2.5):\n        y[i] = 1.0", "KP0201"),
    ("require(y[0] > 0.0)\n    for i in parallel(n):\n        y[i] = 1.0", "KP0204"),
    ("require(n)\n    for i in parallel(n):\n        y[i] = 1.0", "KP0201"),
    ("require(n > 0, n > 1)\n    for i in parallel(n):\n        y[i] = 1.0", "KP0204"),
    ("require()\n    for i in parallel(n):\n        y[i] = 1.0", "KP0204"),
    ("require(i > 0)\n    for i in parallel(n):\n        y[i] = 1.0", "KP0103"),
])  # fmt: skip
def test_the_shape_of_a_kernel(body: str, code: str) -> None:
    one = kernel(f'def k(y: Mut[f64, "n"]):\n    {body}\n')
    assert [c for c, _ in faults(one)] == [code], messages(one)


def test_columns_count_what_stands_before_on_the_line() -> None:
    one = kernel("""
        def k(größe: Mut[f64, "n"]):
            for i in parallel(n):
                größe[i] = 1.0 if größe[i] > 0.0 else falsch  # Fehler
        """)
    with pytest.raises(CompileError) as caught:
        assert one.typed
    (found,) = caught.value.diagnostics
    assert marked(found) == "falsch"
    shown = str(caught.value).splitlines()
    line = next(s for s in shown if "größe[i] = 1.0" in s)
    carets = shown[shown.index(line) + 1]
    assert line[carets.index("^") : carets.rindex("^") + 1] == "falsch"
