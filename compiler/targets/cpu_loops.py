"""What the CPU's innermost loops look like before LLVM sees them: how far they run, and how many vectors a step has."""

from __future__ import annotations

from collections.abc import Sequence

from ..ir import operations as ops
from ..ir.nodes import (
    Array,
    Binary,
    Const,
    Constants,
    Expr,
    If,
    Indexed,
    Lengths,
    Load,
    Read,
    Statement,
    Variable,
    VariableKind,
)
from ..ir.types import I64
from ..ir.walk import alike, expressions_of, inlined, walk


def reads_windows(body: Sequence[Statement]) -> bool:
    """Whether a thread reads several neighbouring elements of an array of one dimension.

    Several vectors a step then have most of what they load in common. Not where it also reads at distances that only
    the launch knows: nothing is common there, and VOL3D's 24 vectors, four times, are more than a processor holds.
    """
    seen: dict[Indexed, Expr] = {}
    found = False
    for s in inlined(body):
        for e in (part for whole in expressions_of(s) for part in walk(whole)):
            if not isinstance(e, Load) or not isinstance(e.array, Array) or len(e.index) != 1:
                continue
            place = e.index[0]
            kinds = {p.variable.kind for p in walk(place) if isinstance(p, Read)}
            if VariableKind.THREAD not in kinds or any(isinstance(p, Load) for p in walk(place)):
                continue
            if kinds - {VariableKind.THREAD, VariableKind.LOOP}:
                return False
            found |= VariableKind.LOOP in kinds or not alike(seen.setdefault(e.array, place), place)
    return found


def tightened(index: Variable, body: Sequence[Statement]) -> tuple[Expr, tuple[Statement, ...]] | None:
    """Return an end of the loop over `index` beyond which its body does nothing, and what remains of the body.

    Found where all of the body stands behind `if index < end`, with an `end` that only parameters and outer indices
    decide.
    """
    match body:
        case (
            If(condition=Binary(operation=ops.LT, left=Read(variable=variable), right=end), then=then, otherwise=()),
        ):
            if variable is index and end.type is I64 and _is_fixed(end, index):
                return end, then
    return None


def _is_fixed(e: Expr, index: Variable) -> bool:
    match e:
        case Const():
            return True
        case Read(variable=variable):
            return variable is not index and variable.kind is not VariableKind.LOCAL
        case Load(array=array, index=places):
            return isinstance(array, Lengths | Constants) and all(_is_fixed(p, index) for p in places)
    return False
