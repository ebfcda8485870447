"""Instructions that reach memory: of the device, of the group, and of a lane alone."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from . import lanes
from .memory import PRIVATE_HIGH, SHARED_HIGH, Fault, Memory, gathered, scattered, updated
from .wave import Unsupported, Wave, constant

Array = Any
Step = Callable[[Wave], Any]

SIZES = {"UBYTE": 1, "SBYTE": 1, "BYTE": 1, "U8": 1, "I8": 1, "B8": 1, "USHORT": 2, "SSHORT": 2, "SHORT": 2, "U16": 2}
SIZES |= {"I16": 2, "B16": 2}
WORDS = {"DWORD": 1, "B32": 1, "DWORDX2": 2, "B64": 2, "DWORDX3": 3, "B96": 3, "DWORDX4": 4, "B128": 4, "DWORDX8": 8}
WORDS |= {"B256": 8, "DWORDX16": 16, "B512": 16}
SIGNED = {"SBYTE", "I8", "SSHORT", "I16"}
HARMLESS = re.compile(r"(GLOBAL|BUFFER)_(INV|WB|WBINV|WBL2|GL0_INV|GL1_INV|WBINVL1|INVL2)(_VOL)?|DS_NOP")


def integer(value: int, bits: int) -> int:
    """A field as the signed number that it holds."""
    return value - (1 << bits) if value >> (bits - 1) & 1 else value


def scalar_load(inst: Any, architecture: str, memory: Memory) -> Step:
    """`s_load_*`: words from device memory into scalar registers."""
    match = re.fullmatch(r"S_LOAD_(\w+)", inst.op.name)
    if match is None or match[1] not in WORDS:
        if inst.op.name in ("S_DCACHE_INV", "S_DCACHE_WB", "S_GL1_INV", "S_ICACHE_INV"):
            return lambda wave: None
        raise Unsupported(inst.op.name.lower())
    words, target, base = WORDS[match[1]], inst.sdata.offset, inst.sbase.offset
    if hasattr(type(inst), "ioffset"):
        offset = integer(inst.ioffset, 24)
    else:
        offset = integer(inst.offset, 21) if architecture != "cdna" or inst.imm else 0
    register = inst.soffset.offset
    has_register = register != 124 if architecture != "cdna" else bool(inst.soffset_en)

    def step(wave: Wave) -> None:
        address = (int(wave.scalar(base, 64)) + offset + (int(wave.s[register]) if has_register else 0)) & ~3
        out = memory.load(np.array([address], np.uint64), 4, words)[:, 0]
        for word in range(words):
            wave.set_scalar(target + word, out[word], 32)

    return step


class Place:
    """Where the lanes of one instruction reach: which memory, and at which addresses or offsets."""

    def __init__(self, inst: Any, architecture: str, memory: Memory) -> None:
        self.memory, self.form = memory, type(inst).__name__.removeprefix("V")
        field = "ioffset" if hasattr(type(inst), "ioffset") else "offset"
        if self.form == "DS":
            self.offset = inst.offset0 | inst.offset1 << 8
        elif self.form in ("MUBUF", "BUFFER"):
            self.offset = inst.offset
        else:
            bits = 24 if field == "ioffset" else getattr(type(inst), field).hi + 1
            self.offset = integer(getattr(inst, field), bits)
        self.vector = (inst.vaddr if hasattr(type(inst), "vaddr") else inst.addr).offset - 256
        self.base: int | None = None
        if self.form in ("GLOBAL", "FLAT", "SCRATCH"):
            nothing = (125, 127) if architecture == "cdna" else (124, 125)
            self.base = None if inst.saddr.offset in nothing else inst.saddr.offset
        self.vector_used = self.form != "SCRATCH" or bool(inst.sve)
        if self.form in ("MUBUF", "BUFFER"):
            if inst.idxen:
                raise Unsupported(f"{inst.op.name.lower()} with an index")
            self.vector_used = bool(inst.offen)
            number = inst.soffset.offset
            known = constant(number, 32, "", None, architecture != "cdna")
            self.base, self.known = (number, None) if known is None else (None, int(known))

    def offsets(self, wave: Wave, extra: int = 0) -> Array:
        """Addresses of the active lanes, or offsets in the memory of the group or the lane."""
        chosen = wave.active
        if self.form == "GLOBAL":
            if self.base is not None:
                base = int(wave.scalar(self.base, 64)) + self.offset
                return wave.v[self.vector][chosen].astype(np.uint64) + np.uint64(base & (2**64 - 1))
            return wave.pair(self.vector)[chosen] + np.uint64(self.offset & (2**64 - 1))
        if self.form == "FLAT":
            return wave.pair(self.vector)[chosen] + np.uint64(self.offset & (2**64 - 1))
        out = np.full(int(chosen.sum()), self.offset + extra, np.int64)
        if self.vector_used:
            out += wave.v[self.vector][chosen].astype(np.int64)
        if self.base is not None:
            out += int(wave.s[self.base])
        elif self.form in ("MUBUF", "BUFFER"):
            out += self.known or 0
        return out & 0xFFFFFFFF if self.form == "DS" else out  # of the group's memory, addresses have 32 bits and wrap

    def _own(self, wave: Wave, offsets: Array, size: int, shared: bool) -> tuple[Array, Array]:
        """The group's or the lanes' own memory as one array of bytes, and offsets in it."""
        length = len(wave.group) - 16 if shared else wave.private_bytes
        outside = (offsets < 0) | (offsets + size > length)
        if outside.any():
            which = "the group's memory" if shared else "a lane's memory"
            raise Fault(
                f"{size} bytes at offset {int(offsets[int(np.argmax(outside))])} of {which}, which has {length} bytes"
            )
        if shared:
            return wave.group, offsets
        return wave.private.reshape(-1), offsets + np.flatnonzero(wave.active) * wave.private.shape[1]

    def split(self, wave: Wave, offsets: Array, size: int) -> tuple[Array, Array] | None:
        """The bytes and offsets for memory that is no device memory; None for device memory."""
        if self.form == "GLOBAL":
            return None
        if self.form == "FLAT":
            high = int(offsets[0]) >> 32
            if high not in (SHARED_HIGH, PRIVATE_HIGH):
                return None
            return self._own(wave, offsets.astype(np.int64) & 0xFFFFFFFF, size, high == SHARED_HIGH)
        return self._own(wave, offsets, size, self.form == "DS")

    def load(self, wave: Wave, size: int, words: int, extra: int = 0) -> Array:
        offsets = self.offsets(wave, extra)
        own = self.split(wave, offsets, size * words)
        if own is None:
            return self.memory.load(offsets, size, words)
        return gathered(*own, size, words)

    def store(self, wave: Wave, size: int, values: Array, extra: int = 0) -> None:
        offsets = self.offsets(wave, extra)
        own = self.split(wave, offsets, size * len(values))
        if own is None:
            self.memory.store(offsets, values, size)
        else:
            scattered(*own, size, values)

    def update(self, wave: Wave, kind: Any, change: Callable[[Any, int], Any]) -> Array:
        offsets = self.offsets(wave)
        own = self.split(wave, offsets, np.dtype(kind).itemsize)
        return self.memory.update(offsets, kind, change) if own is None else updated(*own, kind, change)


def step_of(inst: Any, architecture: str, memory: Memory) -> Step:
    """The step of an instruction that loads, stores or updates memory by lanes."""
    name = inst.op.name
    if HARMLESS.fullmatch(name):
        return lambda wave: None
    exchanged = lanes.exchange_step(inst, name) if name.startswith("DS_") else None
    if exchanged is not None:
        return exchanged
    place = Place(inst, architecture, memory)
    plain = name.split("_", 1)[1]
    if match := re.fullmatch(r"(?:LOAD|READ)_(\w+)", plain):
        return _load(inst, place, match[1])
    if match := re.fullmatch(r"(?:STORE|WRITE)_(\w+)", plain):
        return _store(inst, place, match[1])
    if match := re.fullmatch(r"(READ|WRITE)2(ST64)?_(B32|B64)", plain):
        return _two(inst, place, match[1] == "READ", bool(match[2]), match[3])
    return _atomic(inst, place, architecture, plain)


def _registers(inst: Any, *names: str) -> int:
    """The first vector register of the operand that bears one of these names."""
    name = next(name for name in names if hasattr(type(inst), name))
    return getattr(inst, name).offset - 256 + (256 if getattr(inst, "acc", 0) else 0)


def _deliver(wave: Wave, target: int, rows: Array) -> None:
    for word, row in enumerate(rows):
        wave.v[target + word][wave.active] = row


def _part(what: str) -> tuple[str, int | None]:
    """The kind of an item that is half of a register, and which half; None: it is a whole one or several."""
    if "D16" not in what:
        return what, None
    words = [word for word in what.split("_") if word not in ("D16", "HI")]
    return "_".join(words), int("HI" in what.split("_"))


def _load(inst: Any, place: Place, what: str) -> Step:
    two = re.fullmatch(r"2ADDR_(STRIDE64_)?(B32|B64)", what)
    if two:
        return _two(inst, place, True, bool(two[1]), two[2])
    target = _registers(inst, "vdst", "vdata")
    what, part = _part(what)
    if what in SIZES:
        size, signed = SIZES[what], what in SIGNED
        sign = np.uint32(1 << (8 * size - 1))

        def narrow(wave: Wave) -> None:
            if wave.active.any():
                rows = place.load(wave, size, 1)
                rows = (rows ^ sign) - sign if signed else rows
                if part is not None:
                    rows = lanes.with_half(wave.v[target][wave.active], part, rows)
                _deliver(wave, target, rows)

        return narrow
    if what not in WORDS:
        raise Unsupported(inst.op.name.lower())
    words = WORDS[what]

    def step(wave: Wave) -> None:
        if wave.active.any():
            _deliver(wave, target, place.load(wave, 4, words))

    return step


def _store(inst: Any, place: Place, what: str) -> Step:
    two = re.fullmatch(r"2ADDR_(STRIDE64_)?(B32|B64)", what)
    if two:
        return _two(inst, place, False, bool(two[1]), two[2])
    source = _registers(inst, "data", "data0", "vdata", "vsrc")
    what, part = _part(what)
    if what not in SIZES and what not in WORDS:
        raise Unsupported(inst.op.name.lower())
    size, words, shift = SIZES.get(what, 4), WORDS.get(what, 1), np.uint32(16 * (part or 0))

    def step(wave: Wave) -> None:
        if wave.active.any():
            place.store(wave, size, wave.v[source : source + words][:, wave.active] >> shift)

    return step


def _two(inst: Any, place: Place, reading: bool, strided: bool, what: str) -> Step:
    """Two items at two offsets, counted in items or in 64 of them."""
    words = WORDS[what]
    unit = 4 * words * (64 if strided else 1)
    places = (inst.offset0 * unit, inst.offset1 * unit)
    place.offset = 0
    acc = 256 if getattr(inst, "acc", 0) else 0
    target = inst.vdst.offset - 256 + acc
    sources = (inst.data0.offset - 256 + acc, inst.data1.offset - 256 + acc)

    def step(wave: Wave) -> None:
        if not wave.active.any():
            return
        if reading:
            rows = np.concatenate([place.load(wave, 4, words, extra) for extra in places])
            _deliver(wave, target, rows)
            return
        for extra, source in zip(places, sources, strict=True):
            place.store(wave, 4, wave.v[source : source + words][:, wave.active], extra)

    return step


CHANGES: dict[str, Callable[[Any, Any], Any]] = {
    "ADD": lambda old, value: old + value,
    "SUB": lambda old, value: old - value,
    "MIN": np.fmin,
    "MAX": np.fmax,
    "AND": lambda old, value: old & value,
    "OR": lambda old, value: old | value,
    "XOR": lambda old, value: old ^ value,
    "INC": lambda old, value: 0 if old >= value else old + 1,
    "DEC": lambda old, value: value if old == 0 or old > value else old - 1,
    "SWAP": lambda _, value: value,
    "WRXCHG": lambda _, value: value,
    "STOREXCHG": lambda _, value: value,
}


def _atomic(inst: Any, place: Place, architecture: str, plain: str) -> Step:
    """Read, change and write, lane after lane."""
    text = plain.removeprefix("ATOMIC_")
    returns = "_RTN" in text if place.form == "DS" else bool(getattr(inst, "sc0", 0) or getattr(inst, "glc", 0))
    if hasattr(type(inst), "th"):
        returns = bool(inst.th & 1)
    match = re.fullmatch(r"(F|U|S)?(CMPSWAP|CMPST|CMPSTORE|[A-Z]+?)(_NUM)?(_RTN)?(?:_([UIFB])(32|64))?(_X2)?", text)
    if match is None:
        raise Unsupported(inst.op.name.lower())
    prefix, operation, _, _, letter, size, double = match.groups()
    if prefix and operation not in ("MIN", "MAX"):
        prefix, operation = None, prefix + operation
    bits = 64 if double or size == "64" else 32
    letter = letter or {"S": "I", "F": "F"}.get(prefix or "", "U")
    kind = np.dtype({"U": "u", "B": "u", "I": "i", "F": "f"}[letter] + str(bits // 8))
    target = _registers(inst, "vdst", "vdata") if returns else None
    source = _registers(inst, "data", "data0", "vdata", "vsrc")
    compares = operation in ("CMPSWAP", "CMPST", "CMPSTORE")
    if not compares and operation not in CHANGES:
        raise Unsupported(inst.op.name.lower())
    words = bits // 32
    if compares and place.form == "DS":
        second = inst.data1.offset - 256
        value_at, expected_at = (second, source) if architecture == "cdna" else (source, second)
    else:
        value_at, expected_at = source, source + words

    def typed(wave: Wave, register: int) -> Array:
        raw = wave.pair(register) if bits == 64 else wave.v[register]
        return raw[wave.active].view(kind)

    def step(wave: Wave) -> None:
        if not wave.active.any():
            return
        values = typed(wave, value_at)
        if compares:
            expected = typed(wave, expected_at)
            old = place.update(wave, kind, lambda held, index: values[index] if held == expected[index] else held)
        else:
            change = CHANGES[operation]
            old = place.update(wave, kind, lambda held, index: change(held, values[index]))
        if target is not None:
            _deliver(wave, target, old.view(np.uint32).reshape(-1, words).T)

    return step
