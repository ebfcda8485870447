"""Conversions between number types."""

from __future__ import annotations

from ..ir.types import Scalar
from .text import Function, Module


def emit_cast(operand: str, source: Scalar, target: Scalar, f: Function, module: Module) -> str:
    """Return an operand converted to another type."""
    if source.is_float and target.is_float:
        opcode = "fpext" if target.bits > source.bits else "fptrunc"
    elif source.is_float:
        # Saturating: a value out of range would be undefined behaviour otherwise.
        intrinsic = f"llvm.fpto{'s' if target.is_signed else 'u'}i.sat.i{target.bits}.f{source.bits}"
        module.declare(intrinsic, f"declare {target.llvm} @{intrinsic}({source.llvm})")
        return f.value(f"call {target.llvm} @{intrinsic}({source.llvm} {operand})")
    elif target.is_float:
        opcode = "sitofp" if source.is_signed else "uitofp"
    elif target.bits == source.bits:
        return operand
    elif target.bits < source.bits:
        opcode = "trunc"
    else:
        opcode = "sext" if source.is_signed else "zext"
    return f.value(f"{opcode} {source.llvm} {operand} to {target.llvm}")


def index_as_float(index: str, f: Function) -> str:
    """Convert an integer within +-2^51 by placing it into the mantissa of 1.5 * 2^52: two vector instructions."""
    bits = f.value(f"add i64 {index}, {0x4338000000000000}")
    return f.value(f"fsub double {f.value(f'bitcast i64 {bits} to double')}, 0x4338000000000000")
