"""Terms keep their normal form and their meaning."""

from __future__ import annotations

import itertools
import operator

import pytest

from kparity.compiler.checks.intervals import fits, interval
from kparity.compiler.checks.products import factors, multiply, product, quotient
from kparity.compiler.checks.terms import (
    Apply,
    Choice,
    Compare,
    Condition,
    Every,
    Flag,
    Kind,
    Not,
    Some,
    Symbol,
    Term,
    Truth,
    choose,
    compare,
    every,
    floordiv,
    larger,
    mod,
    negate,
    number,
    of,
    smaller,
    some,
    symbols,
)
from kparity.compiler.ir.types import BOOL, I32, I64

A, B = Symbol("a", Kind.PARAMETER, I64), Symbol("b", Kind.PARAMETER, I64)
C = Symbol("c", Kind.UNKNOWN, BOOL)
a, b = of(A), of(B)


def value(term: Term, at: dict[Symbol, int]) -> int:
    return term.constant + sum(c * atom_value(atom, at) for atom, c in term.parts)


def atom_value(atom: Symbol | Apply | Choice, at: dict[Symbol, int]) -> int:
    match atom:
        case Symbol():
            return at[atom]
        case Choice(condition=condition, then=then, otherwise=otherwise):
            return value(then if holds(condition, at) else otherwise, at)
    x, y = value(atom.left, at), value(atom.right, at)
    meanings = {"mul": operator.mul, "floordiv": operator.floordiv, "mod": operator.mod, "min": min, "max": max}
    return int(meanings[atom.function](x, y))


def holds(condition: Condition, at: dict[Symbol, int]) -> bool:
    match condition:
        case Truth(value=known):
            return known
        case Compare(relation=relation, term=term):
            x = value(term, at)
            return {">=": x >= 0, "==": x == 0, "!=": x != 0}[relation]
        case Flag(symbol=symbol):
            return at[symbol] == 1
        case Not(condition=inner):
            return not holds(inner, at)
        case Every(conditions=conditions):
            return all(holds(c, at) for c in conditions)
        case Some(conditions=conditions):
            return any(holds(c, at) for c in conditions)


POINTS = [{A: x, B: y, C: z} for x, y, z in itertools.product(range(-4, 5), range(1, 4), (0, 1))]

MEANINGS = {
    "sum": (a + b - a.scaled(3) + 2, lambda x, y: -2 * x + y + 2),
    "product": (multiply(a + 1, b), lambda x, y: (x + 1) * y),
    "product with a constant": (multiply(a, number(-3)), lambda x, y: -3 * x),
    "floor": (floordiv(a, number(2)), lambda x, y: x // 2),
    "floor by a term": (floordiv(a, b), lambda x, y: x // y),
    "remainder": (mod(a - 1, number(3)), lambda x, y: (x - 1) % 3),
    "minimum": (smaller(a, b) + larger(a, b).scaled(2), lambda x, y: min(x, y) + 2 * max(x, y)),
    "minimum of neighbours": (smaller(a, a + 1) - larger(a - 2, a), lambda x, y: 0),
    "quotient by a multiple": (floordiv(a, b.scaled(2)), lambda x, y: x // (2 * y)),
    "remainder of a multiple": (mod(a.scaled(3), b.scaled(2)) - 1, lambda x, y: 3 * x % (2 * y) - 1),
    "product of quotients": (
        multiply(floordiv(a, b), floordiv(a + 1, b.scaled(3))),
        lambda x, y: x // y * ((x + 1) // (3 * y)),
    ),
    "quotient of a quotient": (floordiv(floordiv(a, b), b.scaled(2) + 1), lambda x, y: x // y // (2 * y + 1)),
    "choice": (choose(compare("<", a, b), a, b + 1), lambda x, y: x if x < y else y + 1),
}


@pytest.mark.parametrize("name", MEANINGS)
def test_a_term_means_what_it_was_built_for(name: str) -> None:
    term, meaning = MEANINGS[name]
    for at in POINTS:
        assert value(term, at) == meaning(at[A], at[B])


@pytest.mark.parametrize("name", MEANINGS)
def test_the_text_of_a_term_means_the_same(name: str) -> None:
    """A guard is evaluated from its text."""
    term, meaning = MEANINGS[name]
    for at in POINTS:
        assert eval(str(term), {"a": at[A], "b": at[B]}) == meaning(at[A], at[B])


@pytest.mark.parametrize("relation", ["<", "<=", ">", ">=", "==", "!="])
def test_comparisons_and_their_negations(relation: str) -> None:
    condition = compare(relation, a, b)
    for at in POINTS:
        expected = eval(f"{at[A]} {relation} {at[B]}")
        assert holds(condition, at) == expected
        assert holds(negate(condition), at) != expected


def test_connectives() -> None:
    left, right = compare("<", a, b), Flag(C)
    for at in POINTS:
        assert holds(every(left, right), at) == (holds(left, at) and holds(right, at))
        assert holds(some(left, right), at) == (holds(left, at) or holds(right, at))
        assert holds(negate(every(left, right)), at) != holds(every(left, right), at)
    assert every(left, Truth(False)) == Truth(False)
    assert every(Truth(True), left) == left


def test_equal_integers_are_equal_terms() -> None:
    assert (a + b) - b == a
    assert a + b == b + a
    assert multiply(a, b) == multiply(b, a)
    assert (a - a).is_constant
    assert a.symbol is A and (a + 1).symbol is None and a.scaled(2).symbol is None


def test_equal_products_are_equal_terms() -> None:
    i = of(Symbol("i", Kind.THREAD, I64))
    assert multiply(i + 1, a) == multiply(a, i) + a
    assert multiply(multiply(i, a) + i, b) == multiply(multiply(a, b), i) + multiply(b, i)
    assert multiply(multiply(i, a + 1), b) == multiply(multiply(a + 1, b), i), "a uniform sum stays whole"
    assert multiply(a.scaled(2), b.scaled(-3)) == multiply(a, b).scaled(-6)


def test_exact_quotients() -> None:
    square = multiply(a, b)
    assert quotient(square.scaled(6), b.scaled(2)) == a.scaled(3)
    assert quotient(square, square) == number(1)
    assert quotient(multiply(a.scaled(2) + 2, b), a + 1) == b.scaled(2)
    assert quotient(square.scaled(3), b.scaled(2)) is None and quotient(a, b) is None and quotient(number(0), b) is None
    assert factors(number(5)) == (5, ()) and product(()) == number(1)


def test_text() -> None:
    assert str(a - b.scaled(2) - 3) == "a - 2*b - 3"
    assert str(-a) == "-a"
    assert str(floordiv(a + 1, number(2))) == "(a + 1) // 2"
    assert str(compare("<", a, b)) == "b >= a + 1"


def test_symbols_are_found_everywhere() -> None:
    term = choose(Flag(C), mod(a, number(3)), b)
    assert set(symbols([term])) == {A, B, C}


def test_intervals() -> None:
    narrow = of(Symbol("t", Kind.PARAMETER, I32))
    assert interval(narrow.scaled(-2) + 1) == (-(2**32) + 3, 2**32 + 1)
    assert interval(mod(a, number(8))) == (0, 7)
    assert interval(smaller(larger(a, number(0)), number(9))) == (0, 9)
    assert interval(floordiv(narrow, number(2))) == (-(2**30), 2**30 - 1)
    assert fits(narrow + 1, I64) and not fits(narrow + 1, I32) and not fits(a + 1, I64)
    carried = Symbol("k", Kind.CARRIED, I32)
    assert interval(of(carried)) is None, "a carried value may leave its type: only its facts bound it"
