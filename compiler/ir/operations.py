"""Operations as rows: what they accept, mean and become."""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .types import Scalar


@dataclass(frozen=True, slots=True)
class Operation:
    """An arithmetic operation or comparison.

    Attributes
    ----------
    name : str
        Of the row; also what the interpreter and the checks match on.
    symbol : str
        In Python source.
    meaning : callable
        On Python numbers, before wrapping to the type.
    signed, unsigned, floating : str or None
        LLVM opcode (comparisons: predicate); None where the type is not accepted.
    compares : bool
        Whether the result is a bool.
    """

    name: str
    symbol: str
    meaning: Callable[..., Any]
    signed: str | None
    unsigned: str | None
    floating: str | None
    compares: bool = False

    def __repr__(self) -> str:
        return self.name


def as_f32(value: float) -> float:
    """Return a number rounded to 32 bits; beyond the largest finite one it is an infinity."""
    try:
        return float(struct.unpack("<f", struct.pack("<f", value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)


def _shift_left(a: int, b: int) -> int:
    if b > _WIDEST_SHIFT:
        raise OverflowError("the shift count is too large")
    return a << b


_WIDEST_SHIFT = 256  # a count in a type is taken modulo its width; this one bounds constants


#                name        sym    meaning             signed   unsigned  float
ADD = Operation("add", "+", operator.add, "add", "add", "fadd")
SUB = Operation("sub", "-", operator.sub, "sub", "sub", "fsub")
MUL = Operation("mul", "*", operator.mul, "mul", "mul", "fmul")
DIV = Operation("div", "/", operator.truediv, None, None, "fdiv")
FLOORDIV = Operation("floordiv", "//", operator.floordiv, "sdiv", "udiv", None)  # floors: lowering corrects sdiv
MOD = Operation("mod", "%", operator.mod, "srem", "urem", None)  # sign of the divisor, as in Python
AND = Operation("and", "&", operator.and_, "and", "and", None)
OR = Operation("or", "|", operator.or_, "or", "or", None)
XOR = Operation("xor", "^", operator.xor, "xor", "xor", None)
SHL = Operation("shl", "<<", _shift_left, "shl", "shl", None)
SHR = Operation("shr", ">>", operator.rshift, "ashr", "lshr", None)

EQ = Operation("eq", "==", operator.eq, "eq", "eq", "oeq", True)
NE = Operation("ne", "!=", operator.ne, "ne", "ne", "une", True)
LT = Operation("lt", "<", operator.lt, "slt", "ult", "olt", True)
LE = Operation("le", "<=", operator.le, "sle", "ule", "ole", True)
GT = Operation("gt", ">", operator.gt, "sgt", "ugt", "ogt", True)
GE = Operation("ge", ">=", operator.ge, "sge", "uge", "oge", True)

NEG = Operation("neg", "-", operator.neg, "neg", "neg", "fneg")
NOT = Operation("not", "not", operator.not_, "not", "not", None)

BINARY = (ADD, SUB, MUL, DIV, FLOORDIV, MOD, AND, OR, XOR, SHL, SHR)
COMPARISONS = (EQ, NE, LT, LE, GT, GE)


@dataclass(frozen=True, slots=True)
class Intrinsic:
    """A mathematical function that carries its own meaning.

    Attributes
    ----------
    name : str
        In kernels.
    arity : int
        Number of arguments, all of one type.
    meaning : callable
        On Python numbers.
    integer : bool
        Whether integer arguments are accepted (else they are converted to f64).
    llvm : str or None
        LLVM intrinsic for floats that every target lowers by itself, or None: a library call (`libm`, libdevice, ocml).
    """

    name: str
    arity: int
    meaning: Callable[..., Any]
    integer: bool = False
    llvm: str | None = None

    def __repr__(self) -> str:
        return self.name


def _minimum(a: float, b: float) -> float:
    return math.nan if a != a or b != b else min(a, b)


def _maximum(a: float, b: float) -> float:
    return math.nan if a != a or b != b else max(a, b)


INTRINSICS = {
    f.name: f
    for f in (
        Intrinsic("sqrt", 1, lambda x: math.nan if x < 0 else math.sqrt(x), llvm="sqrt"),
        Intrinsic("abs", 1, abs, integer=True, llvm="fabs"),
        Intrinsic("min", 2, _minimum, integer=True, llvm="minimum"),
        Intrinsic("max", 2, _maximum, integer=True, llvm="maximum"),
        Intrinsic("floor", 1, math.floor, llvm="floor"),
        Intrinsic("ceil", 1, math.ceil, llvm="ceil"),
        Intrinsic("trunc", 1, math.trunc, llvm="trunc"),
        Intrinsic("copysign", 2, math.copysign, llvm="copysign"),
        Intrinsic("fma", 3, lambda a, b, c: a * b + c, llvm="fma"),
        Intrinsic("exp", 1, math.exp),
        Intrinsic("log", 1, math.log),
        Intrinsic("sin", 1, math.sin),
        Intrinsic("cos", 1, math.cos),
        Intrinsic("tan", 1, math.tan),
        Intrinsic("tanh", 1, math.tanh),
        Intrinsic("atan", 1, math.atan),
        Intrinsic("cbrt", 1, math.cbrt),
        Intrinsic("pow", 2, math.pow),
        Intrinsic("atan2", 2, math.atan2),
    )
}


@dataclass(frozen=True, slots=True)
class AtomicOperation:
    """A read-modify-write of one element that no other one can come in between.

    Attributes
    ----------
    name : str
        The method in kernels.
    arity : int
        Number of arguments, all of the element's type.
    meaning : callable
        The element's new value from its old one and the arguments, on Python numbers, before wrapping to the type.
    signed, unsigned, floating : str or None
        Operation of LLVM's `atomicrmw`, `cmpxchg`, or `loop` for what no instruction does; None: not accepted.
    """

    name: str
    arity: int
    meaning: Callable[..., Any]
    signed: str | None
    unsigned: str | None
    floating: str | None

    def accepts(self, element: Scalar) -> bool:
        """Whether elements of a type have the operation."""
        return self.opcode(element) is not None

    def opcode(self, element: Scalar) -> str | None:
        """Return what the operation is in LLVM for a type."""
        return self.floating if element.is_float else self.signed if element.is_signed else self.unsigned

    def __repr__(self) -> str:
        return self.name


ATOMICS = {
    o.name: o
    for o in (
        #               name           arity  meaning                       signed     unsigned   float
        AtomicOperation("add", 1, operator.add, "add", "add", "fadd"),
        AtomicOperation("min", 1, _minimum, "min", "umin", "loop"),  # NaN propagates, which no processor's atomic does
        AtomicOperation("max", 1, _maximum, "max", "umax", "loop"),
        AtomicOperation("bit_and", 1, operator.and_, "and", "and", None),
        AtomicOperation("bit_or", 1, operator.or_, "or", "or", None),
        AtomicOperation("exchange", 1, lambda old, new: new, "xchg", "xchg", "xchg"),
        AtomicOperation(
            "compare_exchange", 2, lambda old, expected, new: new if old == expected else old,
            "cmpxchg", "cmpxchg", None,
        ),
    )
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Reduction:
    """How a reducer combines contributions.

    Attributes
    ----------
    name : str
        `Sum`, `Prod`, `Min`, `Max`, `And`, `Or`, `MinLoc`, `MaxLoc`; `Reduce` for an operation of the user's.
    has_location : bool
        Whether a contribution carries an i64 location; ties go to the lowest.
    """

    name: str
    has_location: bool = False

    def accepts(self, element: Scalar) -> bool:
        """Whether contributions may have a type: numbers; `And` and `Or` combine the bits of integers."""
        return element.is_integer or (element.is_float and self.name not in ("And", "Or"))

    def __repr__(self) -> str:
        return self.name


REDUCTIONS = {
    r.name: r
    for r in (
        Reduction("Sum"), Reduction("Prod"), Reduction("Min"), Reduction("Max"), Reduction("And"), Reduction("Or"),
        Reduction("MinLoc", True), Reduction("MaxLoc", True), Reduction("Reduce"),
    )
}  # fmt: skip
