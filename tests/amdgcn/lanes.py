"""Instructions and operands that reach across the lanes of a wave, and parts of registers as operands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .wave import Unsupported, Wave

Array = Any
Step = Callable[[Wave], Any]


def _control(number: int, lanes: int, architecture: str) -> tuple[Array, Array]:
    """For each lane, the lane that it reads under a control of data-parallel primitives, and whether there is one."""
    lane = np.arange(lanes)
    row, within = lane & ~15, lane & 15
    always = np.ones(lanes, bool)
    if number < 0x100:
        choice = np.array([number >> 2 * place & 3 for place in range(4)])
        return (lane & ~3) + choice[lane & 3], always
    amount = number & 15
    match number >> 4:
        case 0x10 if amount:
            return row + np.minimum(within + amount, 15), within + amount < 16
        case 0x11 if amount:
            return row + np.maximum(within - amount, 0), within >= amount
        case 0x12 if amount:
            return row + (within - amount) % 16, always
        case 0x15:
            return row + amount, always
        case 0x16 if architecture != "cdna":
            return row + (within ^ amount), always
    if number == 0x140:
        return row + 15 - within, always
    if number == 0x141:
        return (lane & ~7) + 7 - (lane & 7), always
    if architecture == "cdna":
        match number:
            case 0x130:
                return np.minimum(lane + 1, lanes - 1), lane + 1 < lanes
            case 0x138:
                return np.maximum(lane - 1, 0), lane > 0
            case 0x134 | 0x13C:
                return (lane + (1 if number == 0x134 else -1)) % lanes, always
            case 0x142:
                return np.maximum(row - 1, 0), lane >= 16
            case 0x143:
                return np.maximum((lane & ~31) - 1, 0), lane >= 32
    raise Unsupported(f"the lane control {number:#x}")


def moved(inst: Any, architecture: str) -> Callable[[Wave], Array]:
    """The first operand of an instruction with data-parallel primitives: each lane reads another's register."""
    register, keep = inst.vsrc0.offset - 256, int(getattr(inst, "fi", 0))
    zero = bool(inst.bc)

    def read(wave: Wave) -> Array:
        chosen, valid = _control(inst.dpp, wave.lanes, architecture)
        if not keep:
            valid = valid & wave.active[chosen]
        value = wave.v[register][chosen]
        return np.where(valid, value, np.uint32(0)) if zero else value

    return read


def enabled(inst: Any, architecture: str) -> Callable[[Wave], Array]:
    """The lanes that such an instruction writes: of its rows and banks, those whose source is there or reads as 0."""

    def mask(wave: Wave) -> Array:
        lane = np.arange(wave.lanes)
        rows = (inst.row_mask >> (lane // 16 % 4) & 1).astype(bool)
        banks = (inst.bank_mask >> (lane % 16 // 4) & 1).astype(bool)
        out = rows & banks
        if not inst.bc:
            chosen, valid = _control(inst.dpp, wave.lanes, architecture)
            out = out & valid
            if not getattr(inst, "fi", 0):
                out = out & wave.active[chosen]
        return out

    return mask


def selected(inst: Any, index: int, read: Callable[[Wave], Any]) -> Callable[[Wave], Any]:
    """An operand that is a byte or a half of a register."""
    choice, extend = getattr(inst, f"src{index}_sel"), getattr(inst, f"src{index}_sext")
    if index == 0:
        number = inst.vsrc0.offset - 256
        read = (lambda wave: wave.s[number]) if inst.s0 else (lambda wave: wave.v[number])
    elif getattr(inst, "s1", 0):
        scalar = inst.vsrc1.offset - 256
        read = lambda wave: wave.s[scalar]  # noqa: E731
    if choice == 6:
        return read
    bits, shift = (8, 8 * choice) if choice < 4 else (16, 16 * (choice - 4))

    def part(wave: Wave) -> Any:
        value = (read(wave) >> np.uint32(shift)) & np.uint32((1 << bits) - 1)
        if extend:
            sign = np.uint32(1 << (bits - 1))
            value = (value ^ sign) - sign
        return value

    return part


def register_and_half(number: int, chosen: int | None) -> tuple[int, int]:
    """The register of a 16-bit operand on RDNA, and which half of it: the highest bit of a short encoding."""
    if chosen is not None:
        return number, chosen
    return number & ~128, number >> 7 & 1


def half(number: int, read: Callable[[Wave], Any], chosen: int | None) -> Callable[[Wave], Any]:
    """An operand of 16 bits; what `read` gives if it is no vector register and no half is chosen."""
    if number < 256 and not chosen:
        return read
    number, part = register_and_half(number, chosen) if number >= 256 else (number, 1)
    shift = np.uint32(16 * part)
    source = (lambda wave: wave.v[number - 256]) if number >= 256 else read
    return lambda wave: (source(wave) >> shift) & np.uint32(0xFFFF)


def with_half(held: Array, part: int, value: Any) -> Array:
    """What a register holds after one half of it was written."""
    shift = np.uint32(16 * part)
    low = np.asarray(value).astype(np.uint32) & np.uint32(0xFFFF)
    return (held & ~(np.uint32(0xFFFF) << shift)) | (low << shift)


def merged(inst: Any) -> Callable[[Wave, Any], Any] | None:
    """What becomes of a result that goes to a byte or a half of its register."""
    if inst.dst_sel == 6:
        return None
    bits, shift = (8, 8 * inst.dst_sel) if inst.dst_sel < 4 else (16, 16 * (inst.dst_sel - 4))
    keep = np.uint32(((1 << bits) - 1) << shift)
    register = inst.vdst.offset - 256

    def place(wave: Wave, value: Any) -> Any:
        part = (np.asarray(value, np.uint32) << np.uint32(shift)) & keep
        if inst.dst_unused == 0:
            return part
        if inst.dst_unused == 2:
            return part | (wave.v[register] & ~keep)
        raise Unsupported("a result that is sign-extended from a part of its register")

    return place


SOURCE, TARGET = 1, 8  # bits of an index mode
M0 = {"cdna": 124, "rdna": 125}


def index_mode(inst: Any) -> Step:
    """`s_set_gpr_idx_on` and `_off`: between them registers of moves are counted from M0 on."""
    name = inst.op.name
    if name == "S_SET_GPR_IDX_OFF":
        return lambda wave: setattr(wave, "indexed", 0)
    if name != "S_SET_GPR_IDX_ON":
        raise Unsupported(name.lower())
    number, mode = inst.ssrc0.offset, inst.ssrc1.offset & 15

    def step(wave: Wave) -> None:
        index = number - 128 if 128 <= number <= 192 else int(wave.s[number])
        wave.s[M0["cdna"]], wave.indexed = (index & 0xFF) | mode << 12, mode

    return step


def indexed_move(inst: Any, read: Callable[[str], Callable[[Wave], Any]]) -> Step | None:
    """A move whose registers M0 may count on from: by its name on RDNA, by the mode on CDNA; None for other moves."""
    name = inst.op.name.removesuffix("_E32").removesuffix("_E64")
    modes = {"V_MOVRELS_B32": SOURCE, "V_MOVRELD_B32": TARGET, "V_MOVRELSD_B32": SOURCE | TARGET, "V_MOV_B32": None}
    if name not in modes or "DPP" in type(inst).__name__ or "SDWA" in type(inst).__name__:
        return None
    always, number, target = modes[name], inst.src0.offset, inst.vdst.offset - 256
    value = read("src0")

    def step(wave: Wave) -> None:
        mode = wave.indexed if always is None else always
        index = int(wave.s[M0["cdna"]]) & 0xFF if always is None else int(wave.s[M0["rdna"]])
        if mode & ~(SOURCE | TARGET):
            raise Unsupported(f"the index mode {mode}")
        moved = wave.v[number - 256 + index] if mode & SOURCE and number >= 256 else value(wave)
        wave.set_vector(target + (index if mode & TARGET else 0), moved, 32)

    return step


def unindexed(step: Step, name: str) -> Step:
    """An instruction that is not emulated where registers are indexed."""

    def checked(wave: Wave) -> Any:
        if wave.indexed:
            raise Unsupported(f"{name.lower()} on indexed registers")
        return step(wave)

    return checked


def cross_lane_step(inst: Any, architecture: str, read: Callable[[str], Callable[[Wave], Any]]) -> Step | None:
    """Instructions whose result in one lane depends on other lanes; None for all others."""
    name = inst.op.name.removesuffix("_E32").removesuffix("_E64")
    if name == "V_READFIRSTLANE_B32":
        target, value = inst.vdst.offset, read("src0")
        # The field of a vector register holds the number of a scalar one here.
        target = target - 256 if target >= 256 else target

        def first(wave: Wave) -> None:
            lane = int(np.argmax(wave.active)) if wave.active.any() else 0
            wave.set_scalar(target, np.broadcast_to(value(wave), wave.lanes)[lane], 32)

        return first
    if name == "V_READLANE_B32":
        target, value, chosen = inst.vdst.offset, read("src0"), read("src1")
        target = target - 256 if target >= 256 else target
        return lambda wave: wave.set_scalar(target, value(wave)[int(chosen(wave)) % wave.lanes], 32)
    if name == "V_WRITELANE_B32":
        target, value, chosen = inst.vdst.offset - 256, read("src0"), read("src1")

        def write(wave: Wave) -> None:
            wave.v[target][int(chosen(wave)) % wave.lanes] = value(wave)

        return write
    if name in ("V_PERMLANEX16_B32", "V_PERMLANE16_B32"):
        target, value = inst.vdst.offset - 256, read("src0")
        low, high, across = read("src1"), read("src2"), name.startswith("V_PERMLANEX")

        def permute(wave: Wave) -> None:
            table = int(low(wave)) | int(high(wave)) << 32
            lane = np.arange(wave.lanes)
            chosen = np.array([table >> 4 * int(place) & 15 for place in lane & 15]) + (
                (lane & ~15) ^ (16 if across else 0)
            )
            wave.set_vector(target, value(wave)[chosen], 32)

        return permute
    if name == "V_PERMLANE64_B32":
        target, value = inst.vdst.offset - 256, read("src0")
        return lambda wave: wave.set_vector(target, np.roll(value(wave), 32) if wave.lanes == 64 else value(wave), 32)
    return None


def exchange_step(inst: Any, name: str) -> Step | None:
    """Data-share instructions that move values between lanes without memory."""
    if name not in ("DS_BPERMUTE_B32", "DS_PERMUTE_B32", "DS_SWIZZLE_B32"):
        return None
    target, data, address = (getattr(inst, field).offset - 256 for field in ("vdst", "data0", "addr"))
    offset = inst.offset0 | inst.offset1 << 8

    def pull(wave: Wave) -> None:
        span = 32 if wave.lanes == 32 else 64
        chosen = ((wave.v[address] + np.uint32(offset)) // np.uint32(4)) % np.uint32(span)
        wave.set_vector(target, np.where(wave.active[chosen], wave.v[data][chosen], np.uint32(0)), 32)

    def push(wave: Wave) -> None:
        chosen = ((wave.v[address] + np.uint32(offset)) // np.uint32(4)) % np.uint32(wave.lanes)
        out = np.zeros(wave.lanes, np.uint32)
        out[chosen[wave.active]] = wave.v[data][wave.active]
        wave.set_vector(target, out, 32)

    def swizzle(wave: Wave) -> None:
        lane = np.arange(wave.lanes)
        if offset & 0x8000:
            chosen = (lane & ~3) + np.array([offset >> 2 * int(place) & 3 for place in lane & 3])
        else:
            within = ((lane & (offset & 31)) | (offset >> 5 & 31)) ^ (offset >> 10 & 31)
            chosen = (lane & ~31) + within
        wave.set_vector(target, np.where(wave.active[chosen], wave.v[address][chosen], np.uint32(0)), 32)

    return {"DS_BPERMUTE_B32": pull, "DS_PERMUTE_B32": push, "DS_SWIZZLE_B32": swizzle}[name]
