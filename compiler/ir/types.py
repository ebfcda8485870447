"""Scalar types of the kernel language."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scalar:
    """A machine type.

    Attributes
    ----------
    name : str
        Spelling in kernels (`f64`).
    llvm : str
        Spelling in LLVM IR.
    bits : int
        Width; 1 for `bool`, which is stored as one byte.
    is_float, is_signed : bool
        Kind of number.
    """

    name: str
    llvm: str
    bits: int
    is_float: bool
    is_signed: bool

    def __repr__(self) -> str:
        return self.name

    @property
    def is_integer(self) -> bool:
        """Whether arithmetic on it is exact and wraps."""
        return not self.is_float and self is not BOOL

    @property
    def stored(self) -> str:
        """Spelling in LLVM IR of the type in memory and as an argument: a bool is a byte."""
        return f"i{8 * self.bytes}" if self is BOOL else self.llvm

    @property
    def bytes(self) -> int:
        """Size in memory."""
        return max(1, self.bits // 8)

    @property
    def lowest(self) -> int:
        """Smallest value of an integer type."""
        return -(1 << (self.bits - 1)) if self.is_signed else 0

    @property
    def highest(self) -> int:
        """Largest value of an integer type."""
        return (1 << (self.bits - 1)) - 1 if self.is_signed else (1 << self.bits) - 1


F64 = Scalar("f64", "double", 64, True, True)
F32 = Scalar("f32", "float", 32, True, True)
I64 = Scalar("i64", "i64", 64, False, True)
I32 = Scalar("i32", "i32", 32, False, True)
U64 = Scalar("u64", "i64", 64, False, False)
U32 = Scalar("u32", "i32", 32, False, False)
BOOL = Scalar("bool", "i1", 1, False, False)

SCALARS = {s.name: s for s in (F64, F32, I64, I32, U64, U32, BOOL)}
