"""isl's answers in the user's words."""

from __future__ import annotations

from collections.abc import Sequence

import islpy as isl

from .proved import Affine
from .sets import DIMENSION, PARAMETER, Frame


def affine_of(constraint: isl.Constraint, names: Sequence[str]) -> tuple[int, list[tuple[str, int]]]:
    """Return a constraint's constant, and its coefficients of parameters, then of dimensions called `names`."""
    aff = constraint.get_aff()
    constant, terms = _coefficients(aff)
    for position, name in enumerate(names):
        coefficient = aff.get_coefficient_val(isl.dim_type.in_, position).to_python()
        if coefficient:
            terms.append((name, int(coefficient)))
    return constant, terms


def alternatives(parameters: isl.Set) -> tuple[tuple[Affine, ...], ...]:
    """Return a set of parameters, free of divisions, as a disjunction of conjunctions of forms that are >= 0."""
    result = []
    for basic in parameters.get_basic_sets():
        forms: list[Affine] = []
        for constraint in basic.get_constraints():
            constant, terms = affine_of(constraint, ())
            forms.append(Affine(constant, tuple(sorted(terms))))
            if constraint.is_equality():
                forms.append(Affine(-constant, tuple(sorted((n, -c) for n, c in terms))))
        result.append(tuple(forms))
    return tuple(result)


def sum_text(constant: int, terms: Sequence[tuple[str, int]]) -> str:
    """Return `constant + terms` as it would be written: `fpz + jp - 1`."""
    text = ""
    for name, coefficient in sorted(terms, key=lambda t: t[1] < 0):
        sign = (" - " if text else "-") if coefficient < 0 else (" + " if text else "")
        text += sign + (name if abs(coefficient) == 1 else f"{abs(coefficient)}*{name}")
    if not text:
        return str(constant)
    return text + (f" + {constant}" if constant > 0 else f" - {-constant}" if constant else "")


def set_text(points: isl.Set, names: Sequence[str] = ()) -> str:
    """Return a set as conditions: `lo <= index and index < hi`, alternatives joined by `or`."""
    parts = []
    for basic in points.coalesce().remove_divs().get_basic_sets():
        constraints = [
            _constraint_text(c.is_equality(), *affine_of(c, names), set(names)) for c in basic.get_constraints()
        ]
        parts.append(" and ".join(sorted(constraints)) or "always")
    if len(parts) == 1:
        return parts[0]
    return " or ".join(f"({p})" if " and " in p else p for p in parts) or "never"


def _constraint_text(equality: bool, constant: int, terms: list[tuple[str, int]], subjects: set[str]) -> str:
    """Return `left <= right` with the subject (an index, if there is one) alone on its side."""
    subject = next(((n, c) for n, c in reversed(terms) if n in subjects), None)
    if subject and abs(subject[1]) == 1:
        name, sign = subject
        rest = [(n, -sign * c) for n, c in terms if n != name]
        other = sum_text(-sign * constant, rest)
        return f"{name} {'==' if equality else '>=' if sign > 0 else '<='} {other}"
    positive = [(n, c) for n, c in terms if c > 0]
    negative = [(n, -c) for n, c in terms if c < 0]
    if not positive:
        return f"{sum_text(0, negative)} {'==' if equality else '<='} {constant}"
    # a constant moves to the side where it is positive; `a >= b + 1` reads better as `a > b`
    if constant == -1 and not equality and negative:
        return f"{sum_text(0, positive)} > {sum_text(0, negative)}"
    left, right = (constant, 0) if constant > 0 and negative else (0, -constant)
    return f"{sum_text(left, positive)} {'==' if equality else '>='} {sum_text(right, negative)}"


def extreme_text(values: isl.Set, *, largest: bool) -> str | None:
    """Return the smallest or largest element of a one-dimensional set, if it is a single affine expression."""
    found = extreme(values, largest=largest)
    return None if found is None else sum_text(*found)


def extreme(values: isl.Set, *, largest: bool) -> tuple[int, list[tuple[str, int]]] | None:
    """Return the constant and the coefficients of the smallest or largest element, if it is one affine expression.

    Proofs are built on it, and isl's search misses points now and then: that none lies beyond is tested.
    """
    try:
        found = values.dim_max(0) if largest else values.dim_min(0)
    except isl.Error as error:
        if "unbounded" in str(error):
            return None
        raise
    pieces = found.get_pieces()
    if len(pieces) != 1 or pieces[0][1].dim(isl.dim_type.div):
        return None
    order = isl.Map.lex_ge if largest else isl.Map.lex_le
    if not values.is_subset(isl.Set.from_pw_aff(found).apply(order(values.get_space()))):
        return None
    return _coefficients(pieces[0][1])


def _coefficients(aff: isl.Aff) -> tuple[int, list[tuple[str, int]]]:
    terms = []
    for position in range(aff.dim(PARAMETER)):
        coefficient = aff.get_coefficient_val(PARAMETER, position).to_python()
        if coefficient:
            terms.append((str(aff.get_dim_name(PARAMETER, position)), int(coefficient)))
    return int(aff.get_constant_val().to_python()), terms


def when_text(frame: Frame, domain: isl.Set) -> str:
    """Return `, when ...` if a place is reached only under further conditions on the parameters."""
    solver = frame.solver
    further = domain.params().remove_divs().gist(solver.threads_exist).gist(solver.ranges)
    return "" if further.plain_is_universe() else f", when {set_text(further)}"


def image(domain: isl.Set, value: isl.PwAff) -> isl.Set:
    """Return the values that a function takes on a set; one dimension."""
    result = domain.apply(value.as_map())
    assert result.dim(DIMENSION) == 1
    return result
