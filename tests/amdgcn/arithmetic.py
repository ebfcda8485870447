"""Instructions that compute: their operands, their modifiers, and the function that their pseudocode became."""

from __future__ import annotations

import functools
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from . import lanes
from .amendments import pseudocode_of
from .pseudocode import Untranslatable, compiled
from .wave import EXEC, VCC, Unsupported, Wave, constant

Step = Callable[[Wave], Any]
SIGN = {16: 0x8000, 32: 0x80000000, 64: 1 << 63}


@functools.cache
def printed(architecture: str) -> dict[str, dict[str, str]]:
    """The pseudocode that the decoder's package carries, by class of operation and name."""
    table: dict[str, dict[str, str]] = {}
    for operation, text in import_module(f"tinygrad.runtime.autogen.amd.{architecture}.str_pcode").PCODE.items():
        table.setdefault(type(operation).__name__, {})[operation.name] = text
    return table


@functools.cache
def function(
    architecture: str, family: str, name: str, widths: tuple[tuple[str, int], ...], scalar: bool
) -> tuple[Callable[..., dict[str, Any]], frozenset[str]]:
    """The Python function of an instruction."""
    text = printed(architecture).get(family, {}).get(name, "")
    if name.endswith("_E64"):  # the long encoding of an instruction that is printed with its short one only
        short = name.removesuffix("64") + "32"
        text = text or next((t[short] for t in printed(architecture).values() if short in t), "")
    if name.startswith("V_DUAL_"):
        text = text or dual(architecture, name)
    try:
        return compiled(pseudocode_of(name.replace("V_DUAL_", "V_"), text), dict(widths), scalar)
    except Untranslatable as error:
        raise Unsupported(f"{name.lower()}: its pseudocode has {error}") from error


def dual(architecture: str, name: str) -> str:
    """The pseudocode of one half of a dual instruction, which is that of the instruction alone."""
    table = printed(architecture).get("VOP2Op", {}) | printed(architecture).get("VOP1Op", {})
    alone = name.replace("V_DUAL_", "V_")
    return next((text for key, text in table.items() if key in (f"{alone}_E32", alone)), "")


def key(inst: Any, field: str) -> str | None:
    """The name under which the decoder's tables know an operand: with or without the `v` of a vector register."""
    return next((name for name in (field, f"v{field}", field.removeprefix("v")) if name in inst.operands), None)


def source(inst: Any, field: str, architecture: str, literal: int | None) -> tuple[Callable[[Wave], Any], int, str]:
    """How to read a source operand; its bits; and the format that the ISA gives it."""
    known = key(inst, field)
    name = inst.operands[known][0].name if known else ""
    bits = inst.op_bits.get(known, 32)
    number = getattr(inst, field).offset
    return reader(number, bits, name, literal, architecture), bits, name


def reader(number: int, bits: int, kind: str, literal: int | None, architecture: str) -> Callable[[Wave], Any]:
    """How to read the operand with a number of the encoding."""
    value = constant(number, bits, kind, literal, architecture != "cdna")
    if value is not None:
        return lambda wave: value
    if number >= 256:
        register = number - 256
        return (lambda wave: wave.v[register]) if bits <= 32 else (lambda wave: wave.pair(register))
    if number < 128:
        return lambda wave: wave.scalar(number, bits)
    if number == 253:
        return lambda wave: np.uint32(wave.scc)
    if number == 252:
        return lambda wave: np.uint32(not wave.active.any())
    if number == 251:
        return lambda wave: np.uint32(not wave.mask(VCC).any())
    raise Unsupported(f"operand number {number}")


def modified(read: Callable[[Wave], Any], bits: int, absolute: bool, negated: bool) -> Callable[[Wave], Any]:
    """The operand without its sign, or with the other one."""
    if not absolute and not negated:
        return read
    sign = (np.uint64 if bits > 32 else np.uint32)(SIGN[bits])

    def changed(wave: Wave) -> Any:
        value = read(wave)
        if absolute:
            value = value & ~sign
        return value ^ sign if negated else value

    return changed


def scalar_step(inst: Any, architecture: str) -> Step:
    """An instruction on scalar registers."""
    name, literal = inst.op.name, inst._literal
    reads: dict[str, Callable[[Wave], Any]] = {}
    widths: dict[str, int] = {}
    for place, field in (("S0", "ssrc0"), ("S1", "ssrc1")):
        if hasattr(type(inst), field) and key(inst, field):
            reads[place], widths[place], _ = source(inst, field, architecture, literal)
            if widths[place] == 16:
                reads[place] = lambda wave, read=reads[place]: np.uint16(read(wave) & np.uint32(0xFFFF))
    bits = inst.op_bits.get("sdst", 32)
    target = inst.sdst.offset if hasattr(type(inst), "sdst") else None
    if target is not None:
        reads["D0"], widths["D0"] = (lambda wave: wave.scalar(target, bits)), bits
    if hasattr(type(inst), "simm16"):
        # Where the pseudocode compares, S0 is the register; else some architectures call the immediate S0.
        immediate = np.uint16(inst.simm16)
        reads["SIMM16"], widths["SIMM16"] = (lambda wave: immediate), 16
        if "CMPK" in name:
            reads |= {"S0": reads["D0"], "S1": reads["SIMM16"]}
            widths |= {"S0": bits, "S1": 16}
        else:
            reads["S0"], widths["S0"] = reads["SIMM16"], 16
    if literal is not None:
        whole = np.uint32(literal)
        reads["SIMM32"], widths["SIMM32"] = (lambda wave: whole), 32
    run, writes = function(architecture, type(inst.op).__name__, name, tuple(sorted(widths.items())), True)
    wave_bits = 64 if "B64" in name or architecture == "cdna" else 32

    def step(wave: Wave) -> None:
        out = run(
            **{place: read(wave) for place, read in reads.items()},
            EXEC=wave.scalar(EXEC, 64),
            VCC=wave.scalar(VCC, 64),
            SCC=wave.scc,
        )
        if "D0" in writes and target is not None and target != 124:
            wave.set_scalar(target, out["D0"], bits)
        elif "D0" in writes and target == 124 and architecture == "cdna":
            wave.set_scalar(124, out["D0"], bits)
        if "EXEC" in writes:
            wave.set_scalar(EXEC, out["EXEC"], wave_bits)
        if "SCC" in writes:
            wave.scc = np.bool_(out["SCC"])

    return step


def any_of_three_bits(inst: Any, architecture: str) -> Step:
    """`v_bitop3_b32`: a truth table of three bits stands where other instructions have their modifiers."""
    table = int(inst.omod) << 6 | int(inst.abs) << 3 | int(inst.neg)
    reads = [source(inst, f"src{index}", architecture, inst._literal)[0] for index in range(3)]

    def step(wave: Wave) -> None:
        operands = [np.asarray(read(wave), np.uint32) for read in reads]
        out = np.zeros(wave.lanes, np.uint32)
        for row in (row for row in range(8) if table >> row & 1):
            first, second, third = (x if row >> 2 - place & 1 else ~x for place, x in enumerate(operands))
            out |= first & second & third
        wave.set_vector(inst.vdst.offset - 256, out, 32)

    return step


def vector_step(inst: Any, architecture: str) -> Step:
    """An instruction on vector registers."""
    name, form = inst.op.name, type(inst).__name__
    if name.startswith("V_BITOP3_B32"):
        return any_of_three_bits(inst, architecture)
    literal = inst._literal
    reads: dict[str, Callable[[Wave], Any]] = {}
    widths: dict[str, int] = {}
    negated = getattr(inst, "neg", 0) if "VOP3" in form else 0
    absolute = getattr(inst, "abs", 0) if form.startswith("VOP3") and hasattr(type(inst), "abs") else 0
    carried = _mask_operand(inst, name)
    for index, fields in enumerate((("src0",), ("src1", "vsrc1"), ("src2",))):
        field = next((f for f in fields if hasattr(type(inst), f) and key(inst, f)), None)
        if field is None or field == carried:
            continue
        if "SDWA" in form and index == 0:  # the field says that the operand is in the second word
            read, bits, kind = lanes.selected(inst, 0, lambda wave: None), inst.op_bits.get(key(inst, field), 32), ""
        else:
            read, bits, kind = source(inst, field, architecture, literal)
        if index == 0 and "DPP16" in form:
            read = lanes.moved(inst, architecture)
        elif "SDWA" in form and index == 1:
            read = lanes.selected(inst, index, read)
        elif bits == 16 and architecture != "cdna" and not form.startswith("VOP3P"):
            read = lanes.half(getattr(inst, field).offset, read, _chosen(inst, index))
        if "DPP" in form or "SDWA" in form:
            flip, drop = getattr(inst, f"src{index}_neg", 0), getattr(inst, f"src{index}_abs", 0)
        else:
            flip, drop = negated >> index & 1, absolute >> index & 1
        size = {"FMT_NUM_F16": 16}.get(kind, bits)
        reads[f"S{index}"], widths[f"S{index}"] = modified(read, size, bool(drop), bool(flip)), max(bits, 32)
    if getattr(inst, "opsel", 0) and "16" in name and architecture == "cdna":
        raise Unsupported(f"{name.lower()} on the upper halves of registers")
    if literal is not None:
        whole = np.uint32(literal)
        reads["SIMM32"], widths["SIMM32"] = (lambda wave: whole), 32
    if hasattr(type(inst), "opsel"):
        choice = int(inst.opsel)
        reads["OPSEL"], widths["OPSEL"] = (lambda wave: choice), 8
    return _written(inst, architecture, reads, widths, carried)


def _chosen(inst: Any, index: int) -> int | None:
    """Which half of a register an operand of 16 bits is, by the bits of a long encoding (3: the result); else None."""
    return int(inst.opsel) >> index & 1 if hasattr(type(inst), "opsel") else None


def _mask_operand(inst: Any, name: str) -> str | None:
    """The operand that holds a lane mask instead of VCC: in long encodings of selections and sums with carries."""
    form = type(inst).__name__
    if form.startswith("VOP3") and ("CNDMASK" in name or "ADDC" in name or "SUBB" in name or "_CO_CI_" in name):
        return "src2"
    return None


def _written(
    inst: Any, architecture: str, reads: dict[str, Callable[[Wave], Any]], widths: dict[str, int], carried: str | None
) -> Step:
    """The step that computes and writes the results where the encoding says."""
    name, form = inst.op.name, type(inst).__name__
    compares = name.startswith("V_CMP")
    target = inst.vdst.offset if hasattr(type(inst), "vdst") else VCC
    bits = inst.op_bits.get("vdst", 32)
    mask_target = inst.sdst.offset if hasattr(type(inst), "sdst") else VCC
    if compares and form.startswith("VOPC"):
        target = inst.sdst.offset if "SDST" in form and getattr(inst, "sd", 0) else VCC
    part = None
    if bits == 16 and not compares and architecture != "cdna" and not form.startswith("VOP3P"):
        target, part = lanes.register_and_half(target, _chosen(inst, 3))
    if not compares:
        reads["D0"] = reader(target, bits, "", None, architecture) if "DIV_SCALE" not in name else reads["S0"]
        widths["D0"] = max(bits, 32)
    else:
        widths["D0"] = 64
    run, writes = function(architecture, type(inst.op).__name__, name, tuple(sorted(widths.items())), False)
    carry_in = getattr(inst, carried).offset if carried else VCC
    scale, clamped = getattr(inst, "omod", 0), getattr(inst, "clmp", 0)
    if clamped and not name.endswith(("F64", "F32", "F64_E64", "F32_E64")):
        raise Unsupported(f"{name.lower()} with clamp")
    merged = lanes.merged(inst) if "SDWA" in form and not compares else None
    enabled = lanes.enabled(inst, architecture) if "DPP16" in form else None
    cmpx = name.startswith("V_CMPX")

    def step(wave: Wave) -> None:
        saved = wave.active
        operands = {place: read(wave) for place, read in reads.items()}
        if enabled is not None:
            wave.active = saved & enabled(wave)
        out = run(
            **operands,
            VCC=wave.mask(carry_in),
            EXEC=wave.active,
            laneId=wave.numbers,
        )
        if "D1" in writes and mask_target not in (124,):
            wave.set_mask(mask_target, np.broadcast_to(out["D1"], wave.active.shape) & wave.active)
        if "VCC" in writes and not compares and (mask_target != 124 or architecture == "cdna"):
            kept = wave.mask(mask_target) & ~wave.active if enabled is not None else False
            wave.set_mask(mask_target, (np.broadcast_to(out["VCC"], wave.active.shape) & wave.active) | kept)
        if cmpx:
            taken = np.broadcast_to(out["EXEC"] if "EXEC" in out else out["D0"], wave.active.shape) & wave.active
            if architecture == "cdna":
                wave.set_mask(target, taken)
            wave.set_mask(EXEC, taken)
            return
        if compares:
            taken = np.broadcast_to(out["D0"], wave.active.shape) & wave.active
            wave.set_mask(target, taken)
        elif "D0" in writes:
            value = _finished(out["D0"], bits, scale, clamped)
            if part is not None:
                value = lanes.with_half(wave.v[target - 256], part, value)
            wave.set_vector(target - 256, merged(wave, value) if merged else value, bits)
        wave.active = saved

    return step


def _finished(value: Any, bits: int, scale: int, clamped: int) -> Any:
    """A floating-point result after its output modifiers."""
    if not scale and not clamped:
        return value
    kind, raw = (np.float64, np.uint64) if bits > 32 else (np.float32, np.uint32)
    number = np.asarray(value, raw).view(kind)
    if scale:
        number = number * kind({1: 2.0, 2: 4.0, 3: 0.5}[scale])
    if clamped:
        number = np.clip(np.where(np.isnan(number), kind(0), number), kind(0), kind(1))
    return number.view(raw)


def dual_step(inst: Any, architecture: str) -> Step:
    """Two instructions in one word: both read before either writes."""
    halves = []
    for side in ("x", "y"):
        operation = getattr(inst, f"op{side}")
        number = getattr(inst, f"src{side}0").offset
        first = reader(number, 32, "", inst._literal, architecture)
        second_register = getattr(inst, f"vsrc{side}1").offset
        second = reader(second_register, 32, "", None, architecture)
        target = getattr(inst, f"vdst{side}").offset - 256
        widths: dict[str, int] = {"S0": 32, "S1": 32, "D0": 32}
        if inst._literal is not None:
            widths["SIMM32"] = 32
        run, _ = function(architecture, type(operation).__name__, operation.name, tuple(sorted(widths.items())), False)
        halves.append((run, first, second, target))
    literal = {} if inst._literal is None else {"SIMM32": np.uint32(inst._literal)}

    def step(wave: Wave) -> None:
        out = [
            run(S0=first(wave), S1=second(wave), D0=wave.v[target], VCC=wave.mask(VCC), laneId=wave.numbers, **literal)[
                "D0"
            ]
            for run, first, second, target in halves
        ]
        for (_, _, _, target), value in zip(halves, out, strict=True):
            wave.set_vector(target, value, 32)

    return step
