"""The functions that AMD's pseudocode calls, over NumPy arrays; IEEE arithmetic with denormals kept."""

from __future__ import annotations

import ctypes
import functools
import operator
import re
from typing import Any

import llvmlite.binding as llvm
import numpy as np

Array = Any  # an array of lanes, or one number for all of them

CONSTANTS = {
    "UNDERFLOW_F64": np.float64(0.0),
    "OVERFLOW_F64": np.float64(np.inf),
    "UNDERFLOW_F32": np.float32(0.0),
    "OVERFLOW_F32": np.float32(np.inf),
    "WAVE64": np.bool_(False),
    "WAVE32": np.bool_(True),
}
CONSTANTS_TYPE = {name: f"f{name[-2:]}" if name.endswith(("F64", "F32")) else "u1" for name in CONSTANTS}
EXPONENT = {2: (10, 0x1F, 15), 4: (23, 0xFF, 127), 8: (52, 0x7FF, 1023)}  # bits of the mantissa, mask, bias


@functools.cache
def _fused() -> dict[int, Any]:
    """Loops of fused multiply-adds, by item size: NumPy has none, and twice rounded is not the same number."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    text = [f'target triple = "{llvm.get_process_triple()}"']
    for name, kind in (("f32", "float"), ("f64", "double")):
        text.append(f"""
declare {kind} @llvm.fma.{name}({kind}, {kind}, {kind})
define void @fma_{name}(ptr %a, ptr %b, ptr %c, ptr %out, i64 %n) {{
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%next, %loop]
  %pa = getelementptr {kind}, ptr %a, i64 %i
  %pb = getelementptr {kind}, ptr %b, i64 %i
  %pc = getelementptr {kind}, ptr %c, i64 %i
  %po = getelementptr {kind}, ptr %out, i64 %i
  %va = load {kind}, ptr %pa
  %vb = load {kind}, ptr %pb
  %vc = load {kind}, ptr %pc
  %r = call {kind} @llvm.fma.{name}({kind} %va, {kind} %vb, {kind} %vc)
  store {kind} %r, ptr %po
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}}""")
    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=3
    )
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly("\n".join(text)), machine)
    engine.finalize_object()
    kind = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4, ctypes.c_int64)
    loops: dict[int, Any] = {size: kind(engine.get_function_address(f"fma_f{8 * size}")) for size in (4, 8)}
    loops[0] = engine  # lives as long as its code
    return loops


def fma(a: Array, b: Array, c: Array) -> Array:
    """a * b + c, rounded once."""
    kind = np.result_type(*(x for x in (a, b, c) if isinstance(x, np.ndarray | np.generic)))
    if kind == np.float16:
        return (np.float64(1) * a * b + c).astype(np.float16)
    sides = [np.ascontiguousarray(side, kind) for side in np.broadcast_arrays(a, b, c)]
    out = np.empty_like(sides[0])
    _fused()[kind.itemsize](*(side.ctypes.data for side in (*sides, out)), out.size)
    return out


def _fields(x: Array) -> tuple[Array, int, int, int]:
    """Bits of a floating-point number as an unsigned integer; bits of its mantissa, exponent mask and bias."""
    size = x.dtype.itemsize
    return (x.view(f"u{size}"), *EXPONENT[size])


def exponent(x: Array) -> Array:
    """The exponent field as it stands, biased."""
    bits, mantissa_bits, mask, _ = _fields(x)
    return ((bits >> mantissa_bits) & mask).astype(np.int32)


def mantissa(x: Array) -> Array:
    """The number scaled into [0.5, 1), with its sign; zero stays zero."""
    return np.frexp(x)[0]


def frexp_exponent(x: Array) -> Array:
    """What `mantissa` was scaled by, as a power of two; 0 for zero, infinities and NaN."""
    return np.where(np.isfinite(x), np.frexp(x)[1], 0).astype(np.int32)


def sign(x: Array) -> Array:
    return np.signbit(x)


def is_nan(x: Array) -> Array:
    return np.isnan(x)


def is_quiet_nan(x: Array) -> Array:
    bits, mantissa_bits, _, _ = _fields(x)
    return np.isnan(x) & ((bits >> (mantissa_bits - 1)) & 1).astype(bool)


def is_signalling_nan(x: Array) -> Array:
    return np.isnan(x) & ~is_quiet_nan(x)


def quiet(x: Array) -> Array:
    bits, mantissa_bits, _, _ = _fields(x)
    return (bits | bits.dtype.type(1 << (mantissa_bits - 1))).view(x.dtype)


def is_denormal(x: Array) -> Array:
    return (exponent(x) == 0) & (x != 0)


def is_even(x: Array) -> Array:
    return np.fmod(x, 2) == 0


def floor(x: Array) -> Array:
    return np.floor(x)


def trunc(x: Array) -> Array:
    return np.trunc(x)


def fract(x: Array) -> Array:
    return x - np.floor(x)


def absolute(x: Array) -> Array:
    return np.abs(x)


def sqrt(x: Array) -> Array:
    return np.sqrt(x)


def sine(x: Array) -> Array:
    return np.sin(np.float64(1) * x).astype(x.dtype)


def cosine(x: Array) -> Array:
    return np.cos(np.float64(1) * x).astype(x.dtype)


def log2(x: Array) -> Array:
    return np.log2(np.float64(1) * x).astype(x.dtype)


def power(x: Array, y: Array) -> Array:
    return np.power(np.float64(1) * x, np.float64(1) * y).astype(getattr(y, "dtype", np.float64))


def ldexp(x: Array, y: Array) -> Array:
    return np.ldexp(x, np.asarray(y, np.int32))


def minimum(x: Array, y: Array) -> Array:
    """The smaller; of a number and a NaN, the number."""
    return np.fmin(x, y) if x.dtype.kind == "f" else np.minimum(x, y)


def maximum(x: Array, y: Array) -> Array:
    """The larger; of a number and a NaN, the number."""
    return np.fmax(x, y) if x.dtype.kind == "f" else np.maximum(x, y)


def sign_extended(x: Array) -> Array:
    """A signed integer in 64 bits."""
    return np.asarray(x).astype(np.int64)


def sign_from_bit(x: Array, bits: Array) -> Array:
    """The low `bits` of a signed integer, extended; of none, zero."""
    size = np.int64(8 * x.dtype.itemsize)
    shift = (size - np.asarray(bits).astype(np.int64)).clip(0, size - 1).astype(x.dtype)
    return np.where(np.asarray(bits) == 0, x.dtype.type(0), (x << shift) >> shift)


def replaced(whole: Array, value: Array, high: int, low: int) -> Array:
    """`whole` with its bits `high` to `low` taken from `value`."""
    mask = whole.dtype.type((1 << (high - low + 1)) - 1)
    return (whole & ~(mask << whole.dtype.type(low))) | ((value & mask) << whole.dtype.type(low))


def reversed_bits(x: Array, bits: int) -> Array:
    """The low `bits` in reverse order."""
    out = x ^ x
    for place in range(bits):
        out = out | (((x >> x.dtype.type(place)) & x.dtype.type(1)) << x.dtype.type(bits - 1 - place))
    return out


def bit_count(x: Array) -> Array:
    return np.bitwise_count(x).astype(np.int32)


def leading_zeros(x: Array) -> Array:
    """Zeros above the highest one; -1 where there is no one."""
    size = 8 * x.dtype.itemsize
    out = np.full(np.shape(x), -1, np.int32)
    for place in range(size):
        out = np.where((x >> x.dtype.type(place)) & x.dtype.type(1), np.int32(size - 1 - place), out)
    return out


def trailing_zeros(x: Array) -> Array:
    """Zeros below the lowest one; -1 where there is no one."""
    lowest = x & (~x + x.dtype.type(1))
    zeros = np.bitwise_count(lowest - x.dtype.type(1)).astype(np.int32)
    return np.where(x == 0, np.int32(-1), zeros)


def leading_signs(x: Array) -> Array:
    """Bits equal to the sign at the top, the sign with them; -1 if all bits are equal."""
    return leading_zeros((x ^ (x >> x.dtype.type(31))).view(np.uint32))


def lanes_below(lane: Array, first: int) -> Array:
    """For each lane the mask of the lanes below it among the 32 from `first`."""
    count = (lane.astype(np.int64) - first).clip(0, 32).astype(np.uint64)
    return ((np.uint64(1) << count) - np.uint64(1)).astype(np.uint32)


def carries_out(a: Array, b: Array, c: Array) -> Array:
    """Whether a * b + c passes 64 bits."""
    product = a.astype(np.uint64) * b.astype(np.uint64)
    return product + c < c


def round_even(x: Array) -> Array:
    return np.rint(x)


def median(x: Array, y: Array, z: Array) -> Array:
    return maximum(minimum(x, y), minimum(maximum(x, y), z))


def nan_minimum(x: Array, y: Array) -> Array:
    return np.minimum(x, y)


def nan_maximum(x: Array, y: Array) -> Array:
    return np.maximum(x, y)


def byte_permute(high: Array, low: Array, choice: Array) -> Array:
    """Bytes of two registers by number: 0 to 3 of the second, 4 to 7 of the first, 12 a zero, above 12 ones."""
    both = (high.astype(np.uint64) << np.uint64(32)) | low
    out = np.uint32(0) * choice
    for place in range(4):
        number = (choice >> np.uint32(8 * place)) & np.uint32(0xFF)
        if np.any((number > 7) & (number < 12)):
            raise NotImplementedError("signs as bytes in v_perm_b32")
        byte = (both >> (np.uint64(8) * (number & np.uint32(7)).astype(np.uint64))).astype(np.uint32) & np.uint32(0xFF)
        byte = np.where(number == 12, np.uint32(0), np.where(number > 12, np.uint32(0xFF), byte))
        out = out | (byte << np.uint32(8 * place))
    return out


@functools.cache
def _two_over_pi() -> int:
    """The first 1201 bits of 2/pi, by Machin's formula in integers."""
    one = 1 << 1400

    def arctangent_of_inverse(n: int) -> int:
        total, term, k = 0, one // n, 1
        while term:
            total += term // k if k % 4 == 1 else -(term // k)
            term //= n * n
            k += 2
        return total

    pi = 4 * (4 * arctangent_of_inverse(5) - arctangent_of_inverse(239))
    return ((2 * one << 1201) // pi) & ((1 << 1201) - 1)


def two_over_pi(x: Array, segment: Array) -> Array:
    """53 bits of 2/pi for the reduction of a large argument, as `v_trig_preop_f64` picks them."""
    out = np.zeros(np.shape(x))
    exponents, segments = np.broadcast_arrays(exponent(x), segment)
    for lane in np.ndindex(out.shape):
        shift = int(segments[lane] & 31) * 53 + max(int(exponents[lane]) - 1077, 0)
        bits = ((_two_over_pi() << shift) & ((1 << 1201) - 1)) >> (1201 - 53)
        out[lane] = np.ldexp(float(bits), -53 - shift + (128 if exponents[lane] >= 1968 else 0))
    return out


def chosen_halves(a: Array, b: Array, opsel: int) -> Array:
    """One half of each of two pairs of registers, side by side."""
    low = (a >> np.uint64(32 * (opsel & 1))) & np.uint64(0xFFFFFFFF)
    return low | (((b >> np.uint64(32 * (opsel >> 1 & 1))) & np.uint64(0xFFFFFFFF)) << np.uint64(32))


def _saturated(x: Array, to: str) -> Array:
    """A number with a fraction as an integer: towards zero, kept within the type, NaN as 0."""
    limits = np.iinfo(to)
    wide = np.trunc(np.float64(1) * x)
    inside = np.where(np.isnan(wide), 0.0, wide)
    out = np.where(
        inside >= float(limits.max), limits.max, np.where(inside <= float(limits.min), limits.min, 0)
    ).astype(to)
    fits = (inside > float(limits.min)) & (inside < float(limits.max))
    return np.where(fits, np.where(fits, inside, 0.0).astype(to), out)


def _names() -> dict[str, tuple[str, str]]:
    """Python's name and the type of the result for each name that the pseudocode uses."""
    table = {
        "fma": ("fma", "same"), "abs": ("absolute", "same"), "floor": ("floor", "same"), "trunc": ("trunc", "same"),
        "fract": ("fract", "same"), "sqrt": ("sqrt", "same"), "sin": ("sine", "same"), "cos": ("cosine", "same"),
        "log2": ("log2", "same"), "mantissa": ("mantissa", "same"), "cvtToQuietNAN": ("quiet", "same"),
        "ldexp": ("ldexp", "same"), "pow": ("power", "same"), "exponent": ("exponent", "i32"), "sign": ("sign", "u1"),
        "isNAN": ("is_nan", "u1"), "isQuietNAN": ("is_quiet_nan", "u1"), "isSignalNAN": ("is_signalling_nan", "u1"),
        "isEven": ("is_even", "u1"), "signext": ("sign_extended", "i64"), "signext_from_bit": ("sign_from_bit", "same"),
        "bitCount": ("bit_count", "i32"), "roundEven": ("round_even", "same"), "median": ("median", "same"),
        "frexpExponent": ("frexp_exponent", "i32"), "nanMinimum": ("nan_minimum", "same"),
        "nanMaximum": ("nan_maximum", "same"), "twoOverPi": ("two_over_pi", "f64"),
        "lanesBelow": ("lanes_below", "u32"),
        "trailingZeros": ("trailing_zeros", "i32"), "leadingZeros": ("leading_zeros", "i32"),
        "leadingSigns": ("leading_signs", "i32"), "carriesOut": ("carries_out", "u1"),
        "bytePermute": ("byte_permute", "u32"), "chosenHalves": ("chosen_halves", "u64"),
    }  # fmt: skip
    for kind in ("f16", "f32", "f64", "i16", "i32", "u16", "u32"):
        for name in ("min", "minimum", "min_num"):
            table[f"v_{name}_{kind}"] = ("minimum", "same")
        for name in ("max", "maximum", "max_num"):
            table[f"v_{name}_{kind}"] = ("maximum", "same")
    types = {"f": "float", "i": "int", "u": "uint"}
    for source in ("f16", "f32", "f64", "i16", "i32", "u16", "u32", "u8", "i8"):
        for to in ("f16", "f32", "f64", "i16", "i32", "u16", "u32", "u8"):
            if source != to:
                python = re.sub(r"\W", "_", f"{source}_to_{to}")
                numpy = f"{types[to[0]]}{to[1:]}"
                if source[0] == "f" and to[0] != "f":
                    globals()[python] = functools.partial(_saturated, to=numpy)
                else:
                    globals()[python] = operator.methodcaller("astype", numpy)
                table[python] = (python, to)
    return table


BY_NAME = _names()
