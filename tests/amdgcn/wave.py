"""One wave: its registers, and the values that instructions read from and write to them."""

from __future__ import annotations

from typing import Any

import numpy as np

from .memory import PRIVATE_HIGH, SHARED_HIGH

Array = Any
VCC, EXEC = 106, 126
FLOATS = [0.5, -0.5, 1.0, -1.0, 2.0, -2.0, 4.0, -4.0, 1 / (2 * np.pi)]


class Unsupported(Exception):
    """An instruction, or a form of one, that is not emulated; the message names it."""


class Wave:
    """Registers of one wave, and the memory of its group and its lanes.

    Attributes
    ----------
    v : array of uint32, shape (512, lanes)
        Vector registers; from 256 on the accumulation registers of CDNA.
    s : array of uint32, shape (128,)
        Scalar registers by their operand numbers, VCC and EXEC among them.
    active : array of bool
        EXEC as a mask.
    """

    def __init__(self, lanes: int, pc: int, group: Array, private_bytes: int) -> None:
        self.lanes = lanes
        self.v = np.zeros((512, lanes), np.uint32)
        self.s = np.zeros(128, np.uint32)
        self.numbers = np.arange(lanes, dtype=np.uint32)
        self.scc = np.bool_(False)
        self.pc = pc
        self.group = group
        self.private = np.zeros((lanes, (private_bytes + 31) // 16 * 16), np.uint8)
        self.private_bytes = private_bytes
        self.active = np.ones(lanes, bool)
        self.indexed = 0  # CDNA: which operands of moves are indexed by M0, as bits; 0 outside of that mode

    def mask(self, register: int) -> Array:
        """A lane mask held in scalar registers."""
        words = self.s[register : register + self.lanes // 32]
        return np.unpackbits(words.view(np.uint8), bitorder="little").view(bool)

    def set_mask(self, register: int, mask: Array) -> None:
        """Write a lane mask to scalar registers."""
        words = np.packbits(mask, bitorder="little").view(np.uint32)
        self.s[register : register + self.lanes // 32] = words
        if register == EXEC:
            self.active = np.array(mask, bool)

    def pair(self, register: int) -> Array:
        """Two neighbouring vector registers as 64-bit numbers."""
        return self.v[register] | (self.v[register + 1].astype(np.uint64) << np.uint64(32))

    def scalar(self, register: int, bits: int) -> Any:
        """A number in scalar registers."""
        if bits <= 32:
            return self.s[register]
        return np.uint64(int(self.s[register]) | int(self.s[register + 1]) << 32)

    def set_scalar(self, register: int, value: Any, bits: int) -> None:
        """Write a number to scalar registers; EXEC follows."""
        number = int(value) & ((1 << bits) - 1)
        for word in range(max(1, bits // 32)):
            self.s[register + word] = number >> (32 * word) & 0xFFFFFFFF
        if register + max(1, bits // 32) > EXEC and register <= EXEC + 1:
            self.active = self.mask(EXEC)

    def set_vector(self, register: int, value: Any, bits: int) -> None:
        """Write to the active lanes of one vector register, or of two for 64 bits."""
        if bits <= 32:
            np.copyto(self.v[register], value, where=self.active, casting="unsafe")
            return
        value = np.asarray(value, np.uint64)
        np.copyto(self.v[register], value.astype(np.uint32), where=self.active)
        np.copyto(self.v[register + 1], (value >> np.uint64(32)).astype(np.uint32), where=self.active)


def constant(number: int, bits: int, kind: str, literal: int | None, rdna: bool) -> Any:
    """The value of an operand that is no register, or None; `number` is what the encoding has in its place."""
    unsigned = np.uint64 if bits > 32 else np.uint32
    if 128 <= number <= 208:
        value = number - 128 if number <= 192 else 192 - number
        return unsigned(value & ((1 << (64 if bits > 32 else 32)) - 1))
    if 240 <= number <= 248:
        value = FLOATS[number - 240]
        if bits > 32:
            return np.float64(value).view(np.uint64)
        return np.uint32(np.float16(value).view(np.uint16)) if bits == 16 else np.float32(value).view(np.uint32)
    if number == 255 and literal is not None:
        if bits <= 32:
            return np.uint32(literal)
        if "F64" in kind:
            return np.uint64(literal << 32)
        return np.uint64((literal - (1 << 32) if "I64" in kind and literal >> 31 else literal) & (2**64 - 1))
    if number == 124 and rdna:
        return unsigned(0)
    if number in (235, 236, 237, 238):
        high = {235: SHARED_HIGH << 32, 236: 0xFFFFFFFF, 237: PRIVATE_HIGH << 32, 238: 0xFFFFFFFF}[number]
        return np.uint64(high) if bits > 32 else np.uint32(high & 0xFFFFFFFF)
    return None
