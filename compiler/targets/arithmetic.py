"""Arithmetic for which LLVM has no single instruction: conversions between types, division that floors, functions."""

from __future__ import annotations

from ..ir import operations as ops
from ..ir.nodes import Binary, Call
from ..ir.types import Scalar
from .environment import MathLibrary
from .text import Function, Module


def index_as_float(index: str, f: Function) -> str:
    """Convert an integer within +-2^51 by placing it into the mantissa of 1.5 * 2^52: two vector instructions."""
    bits = f.value(f"add i64 {index}, {0x4338000000000000}")
    return f.value(f"fsub double {f.value(f'bitcast i64 {bits} to double')}, 0x4338000000000000")


def emit_cast(operand: str, source: Scalar, target: Scalar, f: Function, module: Module) -> str:
    """Convert a number; exactly where the target type can hold it."""
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


def emit_floor_division(e: Binary, a: str, b: str, f: Function, *, plain: bool) -> str:
    """Emit Python's `//` or `%`: LLVM's round towards zero, so negative operands, unless `plain`, need a correction."""
    type_ = e.type.llvm
    if plain:
        return f.value(f"{'udiv' if e.operation is ops.FLOORDIV else 'urem'} {type_} {a}, {b}")
    quotient = f.value(f"sdiv {type_} {a}, {b}")
    remainder = f.value(f"srem {type_} {a}, {b}")
    inexact = f.value(f"icmp ne {type_} {remainder}, 0")
    signs = f.value(f"icmp slt {type_} {f.value(f'xor {type_} {a}, {b}')}, 0")
    correct = f.value(f"and i1 {inexact}, {signs}")
    if e.operation is ops.FLOORDIV:
        return f.value(f"sub {type_} {quotient}, {f.value(f'zext i1 {correct} to {type_}')}")
    return f.value(f"add {type_} {remainder}, {f.value(f'select i1 {correct}, {type_} {b}, {type_} 0')}")


def emit_call(e: Call, arguments: list[str], math: MathLibrary, f: Function, module: Module) -> str:
    """Emit a mathematical function: an LLVM intrinsic, or a call of the target's library."""
    if e.function.llvm is None:
        return math.call(e.function.name, e.type, arguments, f, module)
    if e.function.name == "abs" and not e.type.is_signed:
        return arguments[0]
    name = e.function.llvm if e.type.is_float else _INTEGER_INTRINSICS[e.function.name][not e.type.is_signed]
    suffix = f"f{e.type.bits}" if e.type.is_float else f"i{e.type.bits}"
    if name == "abs":
        arguments.append("false")
    types = [e.type.llvm] * len(e.arguments) + ["i1"] * (name == "abs")
    full = f"llvm.{name}.{suffix}"
    module.declare(full, f"declare {e.type.llvm} @{full}({', '.join(types)})")
    typed = ", ".join(f"{t} {a}" for t, a in zip(types, arguments, strict=True))
    return f.value(f"call {e.type.llvm} @{full}({typed})")


_INTEGER_INTRINSICS = {"abs": ("abs", ""), "min": ("smin", "umin"), "max": ("smax", "umax")}
