"""Products of terms in one normal form: sums of monomials, so that equal products are equal terms.

A factor that only parameters determine, such as `n + 1`, stays whole: it may be the stride of an array.
"""

from __future__ import annotations

from collections import Counter
from math import gcd

from .terms import Apply, Atom, Kind, Term, number, of, symbols

_MOST_MONOMIALS = 64  # a product of longer sums stays one unknown


def is_uniform(term: Term) -> bool:
    """Whether all threads agree on a value, because parameters alone determine it."""
    return all(s.kind is Kind.PARAMETER for s in symbols([term]))


def factors(term: Term) -> tuple[int, tuple[Term, ...]]:
    """Return the constant and the other factors of a product; a sum is one factor, without its content."""
    if term.is_constant:
        return term.constant, ()
    if term.constant or len(term.parts) > 1:
        content = gcd(term.constant, *(c for _, c in term.parts))
        return content, (Term(term.constant // content, tuple((a, c // content) for a, c in term.parts)),)
    atom, coefficient = term.parts[0]
    return coefficient, _of_atom(atom)


def _of_atom(atom: Atom) -> tuple[Term, ...]:
    if isinstance(atom, Apply) and atom.function == "mul":
        return *factors(atom.left)[1], *factors(atom.right)[1]
    return (of(atom),)


def product(terms: tuple[Term, ...]) -> Term:
    """Return the product of factors, as one monomial."""
    terms = tuple(sorted(terms, key=str))
    result = terms[0] if terms else number(1)
    for factor in terms[1:]:
        result = of(Apply("mul", result, factor))
    return result


def multiply(left: Term, right: Term) -> Term:
    """Return the product; linear if one side is a constant."""
    if left.is_constant or right.is_constant:
        return left.scaled(right.constant) if right.is_constant else right.scaled(left.constant)
    ours, theirs = _summands(left), _summands(right)
    if len(ours) * len(theirs) > _MOST_MONOMIALS:
        ours, theirs = [left], [right]
    result = number(0)
    for a in ours:
        for b in theirs:
            (scale, first), (other, second) = factors(a), factors(b)
            result += product((*first, *second)).scaled(scale * other)
    return result


def _summands(term: Term) -> list[Term]:
    """Return what a product is distributed over: the terms of a sum that depends on threads."""
    if is_uniform(term):
        return [term]
    return [Term(0, (part,)) for part in term.parts] + ([number(term.constant)] if term.constant else [])


def quotient(term: Term, divisor: Term) -> Term | None:
    """Return the exact quotient of two products, or None if the divisor's factors are not among those of the term."""
    (scale, ours), (by, theirs) = factors(term), factors(divisor)
    if not by or scale % by or Counter(theirs) - Counter(ours):
        return None
    return product(tuple((Counter(ours) - Counter(theirs)).elements())).scaled(scale // by)
