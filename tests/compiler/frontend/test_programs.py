"""Programs: calls by position and by name, extents across calls, where `fill` and `get` may stand."""

from __future__ import annotations

import textwrap

import numpy as np
import pytest

from kparity.compiler.ir.programs import MOST_RETURNED
from kparity.compiler.runtime.expression_text import expression_text
from kparity.compiler.runtime.manifest import RESULT_SLOTS

from ..conftest import execute
from ..interpreter import interpret
from ..sources import faults, messages, program

KERNELS = """
@kernel
def copy(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[i] = x[i]

@kernel
def shift(y: Mut[f64, "n"], x: Ref[f64, "n + 1"], s: i64, a: f64):
    require(s == 0 or s == 1)
    for i in parallel(n):
        y[i] = a * x[i + s]

@kernel
def add(x: Ref[f64, "n"], total: Sum[f64]):
    for i in parallel(n):
        total += x[i]

@kernel
def both(x: Ref[f64, "n"], z: Ref[f64, "n"], low: Min[f64], high: Max[f64]):
    for i in parallel(n):
        low.update(x[i])
        high.update(z[i])
"""


def repetition(body: str, parameters: str = 'a: Mut[f64, "n"], b: Ref[f64, "n"], total: Sum[f64], k: i64'):
    lines = textwrap.indent(textwrap.dedent(body).strip(), "    ")
    return program(f"{KERNELS}\n@program\ndef repetition({parameters}):\n{lines}\n")


@pytest.mark.parametrize("call", ["copy(a, b)", "copy(y=a, x=b)", "copy(x=b, y=a)", "copy(a, x=b)"])
def test_arguments_by_position_and_name(call: str) -> None:
    (found,) = repetition(call).typed_program.calls
    assert [a.name for a in found.arguments] == ["a", "b"]  # type: ignore[union-attr]


@pytest.mark.parametrize(("call", "message"), [
    ("copy(a)", "misses `x`"),
    ("copy()", "misses `y`, `x`"),
    ("copy(a, b, b)", "gets arguments that it does not have"),
    ("copy(a, z=b)", "misses `x`"),
    ("copy(a, b, z=b)", "gets arguments that it does not have"),
    ("copy(a, b, x=b)", "gets arguments that it does not have"),
    ("copy(*a)", "misses `x`"),
    ("copy(a, b, **k)", "gets arguments that it does not have"),
    ("copy(a, k)", "`x` of `copy` is"),
    ("copy(a, 1.0)", "`x` of `copy` is"),
    ("copy(a, total)", "`total` has the dim `1`"),
    ("copy(total, b)", "`y` of `copy` is"),
    ("add(b, a)", "`total` of `add` is"),
    ("add(b, k)", "`total` of `add` is"),
])  # fmt: skip
def test_arguments_that_do_not_match(call: str, message: str) -> None:
    (found,) = messages(repetition(call))
    assert found.startswith("KP0702") and message in found


def test_extents_follow_from_the_arrays() -> None:
    one = repetition(
        "shift(a, b, 1, 2.0)\nshift(a, b, k - 1, 0.5 * k)", 'a: Mut[f64, "m"], b: Ref[f64, "m + 1"], k: i64'
    )
    first, second = one.typed_program.calls
    assert [expression_text(e, {}) for e in first.extents] == ["m"]
    assert [expression_text(e, {}) for e in second.arguments[2:]] == ["(k - 1)", "(0.5 * _kp.float(k))"]  # type: ignore[arg-type]
    arguments = {"a": np.zeros(4), "b": np.arange(5.0), "k": 2}
    np.testing.assert_array_equal(execute(one, "cpu1", arguments)["a"], interpret(one, arguments)["a"])


@pytest.mark.parametrize(("parameters", "marked"), [
    ('a: Mut[f64, "n"], b: Ref[f64, "n"]', "b"),
    ('a: Mut[f64, "n"], b: Ref[f64, "m"], c: Ref[f64, "m"]', "b"),
    ('a: Mut[f64, "n"], b: Ref[f64, "0..n + 2"]', "b"),
    ('a: Mut[f64, "n"], b: Ref[f64, "1..n + 1"]', "b"),
    ('a: Mut[f64, 4], b: Ref[f64, 4]', "b"),
])  # fmt: skip
def test_extents_that_do_not_fit(parameters: str, marked: str) -> None:
    assert faults(repetition("shift(a, b, 0, 1.0)", parameters)) == [("KP0702", marked)]


def test_equal_extents_in_other_words() -> None:
    assert faults(repetition("shift(a, b, 0, 1.0)", 'a: Mut[f64, "n"], b: Ref[f64, "2*n - n + 3 - 2"]')) == []
    assert faults(repetition("shift(a, b, 0, 1.0)", "a: Mut[f64, 4], b: Ref[f64, 5]")) == []


@pytest.mark.parametrize(("body", "parameters", "expected"), [
    ("copy(a, a)", 'a: Mut[f64, "n"]', [("KP0505", "a")]),
    ("both(a, a, low, high)", 'a: Ref[f64, "n"], low: Min[f64], high: Max[f64]', []),
    ("copy(b, a)", 'a: Mut[f64, "n"], b: Ref[f64, "n"]', [("KP0501", "b")]),
    ("copy(a, b)", 'a: Mut[f32, "n"], b: Ref[f64, "n"]', [("KP0702", "a")]),
    ("copy(a, b)", 'a: Mut[f64, "n", "n"], b: Ref[f64, "n"]', [("KP0702", "a")]),
    ("add(a, t)", 'a: Ref[f64, "n"], t: Sum[f32]', [("KP0702", "t")]),
    ("add(a, t)", 'a: Ref[f64, "n"], t: Max[f64]', [("KP0702", "t")]),
    ("copy(a, b)\nreturn", 'a: Mut[f64, "n"], b: Ref[f64, "n"]', [("KP0701", "return")]),
    ("for i in range(3):\n    copy(a, b)", 'a: Mut[f64, "n"], b: Ref[f64, "n"]', []),
    ("for i in range(3):\n    copy(a, b)\nelse:\n    copy(a, b)", 'a: Mut[f64, 4], b: Ref[f64, 4]', [("KP0701", "for i in range(3):\n        copy(a, b)\n    else:\n        copy(a, b)")]),  # noqa: E501
    ("for n in range(3):\n    copy(a, b)", 'a: Mut[f64, "n"], b: Ref[f64, "n"]', [("KP0106", "n")]),
    ("for i in range(3):\n    for i in range(3):\n        copy(a, b)", 'a: Mut[f64, "n"], b: Ref[f64, "n"]', [("KP0106", "i")]),  # noqa: E501
    ("for i in a:\n    copy(a, b)", 'a: Mut[f64, "n"], b: Ref[f64, "n"]', [("KP0106", "a")]),
    ("for i in range(b[0]):\n    copy(a, b)", 'a: Mut[f64, "n"], b: Ref[f64, "n"]', [("KP0702", "b[0]")]),
    ("for i in range(1.5):\n    copy(a, b)", 'a: Mut[f64, "n"], b: Ref[f64, "n"]', [("KP0201", "1.5")]),
    ("for i in range(n):\n    copy(a, b)\ncopy(a, i)", 'a: Mut[f64, "n"], b: Ref[f64, "n"]', [("KP0702", "i")]),
    ("if b[0] > 0.0:\n    copy(a, b)", 'a: Mut[f64, "n"], b: Ref[f64, "n"]', [("KP0702", "b[0]")]),
    ("if n:\n    copy(a, b)", 'a: Mut[f64, "n"], b: Ref[f64, "n"]', [("KP0201", "n")]),
    ("if n > 3:\n    copy(a, b)\nelse:\n    copy(a, c)", 'a: Mut[f64, "n"], b: Ref[f64, "n"]', [("KP0702", "c")]),
    ("while n > 3:\n    copy(a, b)", 'a: Mut[f64, "n"], b: Ref[f64, "n"]', [("KP0701", "while n > 3:\n        copy(a, b)")]),  # noqa: E501
    ("nothing(a)", 'a: Mut[f64, "n"]', [("KP0701", "nothing")]),
    ("print(a)", 'a: Mut[f64, "n"]', [("KP0701", "print")]),
    ("a.fill(0.0)", 'a: Mut[f64, "n"]', []),
    ("a.fill(0.0)", 'a: Ref[f64, "n"]', [("KP0501", "a.fill(0.0)")]),
    ("a.fill(1)\na.fill(x)", 'a: Mut[i64, "n", "m"], x: f64', [("KP0202", "x")]),
    ("copy(a, b)\na.get()", 'a: Mut[f64, "n"], b: Ref[f64, "n"]', [("KP0701", "a.get()")]),
    ("copy(a, b)\na.get()", "a: Mut[f64, 1], b: Ref[f64, 1]", []),
    ("copy(a, b)\nb.get()", "a: Mut[f64, 1], b: Ref[f64, 1]", [("KP0701", "b.get()")]),
    ("copy(a, b)\na, b = b, a", 'a: Mut[f64, "n"], b: Mut[f64, "n"]', []),
    ("copy(a, b)\na, b = b, a", 'a: Mut[f64, "n"], b: Ref[f64, "n"]', [("KP0702", "a, b = b, a")]),
    ("copy(a, b)\na, b = b, a", 'a: Out[f64, "n"], b: Out[f64, "n"]', [("KP0702", "a, b = b, a")]),
    ("copy(a, b)\na, b = b, a", 'a: Mut[f64, "n"], b: Mut[f32, "n"]', [("KP0702", "b"), ("KP0702", "a, b = b, a")]),
    ("copy(a, c)\na, b = b, a", 'a: Mut[f64, "n"], b: Mut[f64, "m"], c: Ref[f64, "n"]', [("KP0702", "a, b = b, a")]),
    ("copy(a, b)\na, b = b, b", 'a: Mut[f64, "n"], b: Mut[f64, "n"]', [("KP0701", "a, b = b, b")]),
    ("copy(a, b)\na, b = a, 1", 'a: Mut[f64, "n"], b: Mut[f64, "n"]', [("KP0701", "a, b = a, 1")]),
    ("copy(a, b)\na, b = b, a\na.get()", "a: Mut[f64, 1], b: Mut[f64, 1]", [("KP0701", "a.get()")]),
    ("a = b\ncopy(a, b)", 'a: Mut[f64, "n"], b: Mut[f64, "n"]', [("KP0701", "a = b")]),
    ("shift(a, b, 1.5, 2.0)", 'a: Mut[f64, "n"], b: Ref[f64, "n + 1"]', [("KP0201", "1.5")]),
    ("t = scratch(f64, 2, 2, 2, 2, 2, 2, 2, 2)\nt.fill(0.0)\ncopy(a, b)", 'a: Mut[f64, "n"], b: Ref[f64, "n"]', []),
    ("t = scratch(f64, 2, 2, 2, 2, 2, 2, 2, 2, 2)\ncopy(a, b)", 'a: Mut[f64, "n"], b: Ref[f64, "n"]', [("KP0107", "scratch(f64, 2, 2, 2, 2, 2, 2, 2, 2, 2)")]),  # noqa: E501
    ("shift(a, b, 1, b[0])", 'a: Mut[f64, "n"], b: Ref[f64, "n + 1"]', [("KP0702", "b[0]")]),
])  # fmt: skip
def test_borrows_and_statements(body: str, parameters: str, expected: list[tuple[str, str]]) -> None:
    one = repetition(body, parameters)
    assert faults(one) == expected, messages(one)


@pytest.mark.parametrize(("body", "expected"), [
    ("total.fill(0.0)\nadd(b, total)\ntotal.get()", []),
    ("add(b, total)\ntotal.fill(0.0)\nadd(b, total)\ntotal.get()", []),
    ("total.get()\nadd(b, total)", ["KP0701 `total.get` before the last call that contributes to `total`"]),
    ("add(b, total)\ntotal.get()\nadd(b, total)", ["KP0701 `total.get` before the last call that contributes"]),
    ("copy(a, b)\ntotal.get()", ["KP0701 `total.get`, but no call contributes to `total`"]),
    ("add(b, total)\ntotal.fill(0.0)", ["KP0701 `total.fill` and no later call that contributes to `total`"]),
    ("add(b, total)\ntotal.get()\ntotal.get()", ["KP0701 `total.get` twice"]),
    ("total.fill()\nadd(b, total)", ["KP0204 `total.fill` takes one value"]),
    ("total.fill(k)\nadd(b, total)", ["KP0701 `total.fill` takes a constant"]),
    ("total.fill(1.0 if k > 0 else 2.0)\nadd(b, total)", ["KP0701 `total.fill` takes a constant"]),
    ("total.fill(True)\nadd(b, total)", ["KP0201 a literal cannot change its kind"]),
    ("add(b, total)\ntotal.get(1)", ["KP0204 `total.get` takes no arguments"]),
    ("total.fill(0.0)\nfor i in range(3):\n    add(b, total)\ntotal.get()", []),
    ("for i in range(3):\n    add(b, total)\n    total.fill(0.0)\ntotal.get()", []),
    ("for i in range(3):\n    add(b, total)\n    total.get()", ["KP0701 `total.get` under a loop or condition"]),
    ("if k > 3:\n    add(b, total)\ntotal.get()\nif k > 4:\n    add(b, total)", ["KP0701 `total.get` before the last"]),
    ("total.reset()\nadd(b, total)", ["KP0701 `total.reset` is not part of a program"]),
    ("total += 1.0\nadd(b, total)", ["KP0701 `total += 1.0` is not part of a program"]),
])  # fmt: skip
def test_fill_and_get(body: str, expected: list[str]) -> None:
    found = messages(repetition(body))
    assert len(found) == len(expected) and all(f.startswith(e) for f, e in zip(found, expected, strict=True)), found


def test_no_more_scalars_come_back_than_the_block_holds() -> None:
    assert MOST_RETURNED == RESULT_SLOTS
    names = [f"s{i}" for i in range(MOST_RETURNED + 1)]
    parameters = ", ".join(['x: Ref[f64, "n"]', *(f"{s}: Sum[f64]" for s in names)])
    lines = [f"add(x, {s})" for s in names] + [f"{s}.get()" for s in names]
    assert faults(repetition("\n".join(lines), parameters)) == [("KP0701", f"{names[-1]}.get()")]
    assert faults(repetition("\n".join(lines[:-1]), parameters)) == []


@pytest.mark.parametrize("taken", ["results", "_kp"])
def test_names_that_the_launch_needs_are_taken(taken: str) -> None:
    parameters = f'{taken}: Ref[f64, "n"], total: Sum[f64]'
    assert [c for c, _ in faults(repetition(f"add({taken}, total)\ntotal.get()", parameters))] == ["KP0105"]
    assert [c for c, _ in faults(repetition("add(x, total)", f'x: Ref[f64, "{taken}"], total: Sum[f64]'))] == ["KP0105"]


def test_faults_of_kernels_and_program_come_together() -> None:
    one = program("""
        @kernel
        def first(y: Mut[f64, "n"]):
            for i in parallel(n):
                y[i] = wrong

        @kernel
        def second(y: Mut[f64, "n"]):
            for i in parallel(n):
                y[i] = false

        @program
        def repetition(y: Mut[f64, "n"], z: Mut[f64, "m"]):
            first(y)
            nothing(y)
            second(y)
            first(z)
        """)
    assert faults(one) == [("KP0103", "wrong"), ("KP0103", "false"), ("KP0701", "nothing")]


def test_a_sequence_of_calls_runs_in_order() -> None:
    one = repetition("""
        total.fill(10.0)
        copy(a, b)
        add(a, total)
        total.fill(1.0)
        add(b, total)
        add(a, total)
        total.get()
        """)
    arguments = {"a": np.zeros(40), "b": np.arange(40.0), "total": np.array([99.0]), "k": 0}
    for target in ("cpu1", "cpu"):
        assert execute(one, target, arguments)["total"][0] == interpret(one, arguments)["total"][0] == 1.0 + 2 * 780
