"""An AMDGPU code object as a loader sees it: the image in memory, and what each kernel's descriptor asks for."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any

import numpy as np

PT_LOAD, SHT_DYNSYM, SHT_RELA = 1, 11, 4
RELATIVE64 = 13
ARCHITECTURES = {
    0x3F: "gfx90a",
    0x4C: "gfx942",
    0x4F: "gfx950",
    0x41: "gfx1100",
    0x4E: "gfx1201",
}  # low byte of e_flags


@dataclass(frozen=True)
class Descriptor:
    """What a kernel's descriptor (64 bytes) says.

    Attributes
    ----------
    group_bytes, private_bytes : int
        Fixed memory of a group, and of a lane.
    entry : int
        Offset of the first instruction in the image.
    user : list of str
        What the first scalar registers hold, in their order.
    group_numbers : tuple of bool
        Whether the group's number in x, y and z follows them.
    wave : int
        Lanes of a wave.
    """

    group_bytes: int
    private_bytes: int
    entry: int
    user: list[str]
    user_registers: int
    group_numbers: tuple[bool, bool, bool]
    private_offset: bool
    wave: int


USER = [
    ("private_buffer", 4),
    ("dispatch", 2),
    ("queue", 2),
    ("kernarg", 2),
    ("dispatch_id", 2),
    ("flat_scratch", 2),
    ("private_size", 1),
]
SIZES = dict(USER)


class CodeObject:
    """A loaded code object: `image` holds its segments; `symbols` are offsets in it."""

    def __init__(self, raw: bytes) -> None:
        if raw[:4] != b"\x7fELF" or struct.unpack_from("<H", raw, 18)[0] != 224:
            raise ValueError("not an AMDGPU code object: no ELF file for machine 224")
        flags = struct.unpack_from("<I", raw, 48)[0]
        self.architecture = ARCHITECTURES.get(flags & 0xFF, f"unknown ({flags & 0xFF:#x})")
        program, sections = struct.unpack_from("<QQ", raw, 32)
        count, _, section_count, _ = struct.unpack_from("<HHHH", raw, 56)
        segments = [struct.unpack_from("<IIQQQQQQ", raw, program + 56 * index) for index in range(count)]
        loaded = [segment for segment in segments if segment[0] == PT_LOAD]
        self.image = np.zeros(max(s[3] + s[6] for s in loaded), np.uint8)
        for _, _, offset, address, _, in_file, _, _ in loaded:
            self.image[address : address + in_file] = np.frombuffer(raw, np.uint8, in_file, offset)
        self.symbols: dict[str, int] = {}
        self.relocations: list[tuple[int, int]] = []
        headers = [struct.unpack_from("<IIQQQQIIQQ", raw, sections + 64 * index) for index in range(section_count)]
        for header in headers:
            if header[1] == SHT_DYNSYM:
                self._read_symbols(raw, header, headers[header[6]])
            elif header[1] == SHT_RELA and header[2] & 2:
                self._read_relocations(raw, header)

    def _read_symbols(self, raw: bytes, table: Any, strings: Any) -> None:
        for place in range(table[4], table[4] + table[5], 24):
            name, _, _, _, value, _ = struct.unpack_from("<IBBHQQ", raw, place)
            start = strings[4] + name
            self.symbols[raw[start : raw.index(b"\0", start)].decode()] = value

    def _read_relocations(self, raw: bytes, table: Any) -> None:
        for place in range(table[4], table[4] + table[5], 24):
            offset, info, addend = struct.unpack_from("<QQq", raw, place)
            if info & 0xFFFFFFFF != RELATIVE64:
                raise ValueError(f"a relocation of type {info & 0xFFFFFFFF}, which is not known here")
            self.relocations.append((offset, addend))

    def relocated(self, base: int) -> Any:
        """The image as it stands at an address."""
        image = self.image.copy()
        for offset, addend in self.relocations:
            image[offset : offset + 8] = np.frombuffer(struct.pack("<Q", base + addend), np.uint8)
        return image

    @property
    def kernels(self) -> list[str]:
        """Names of the kernels."""
        return sorted(name[:-3] for name in self.symbols if name.endswith(".kd"))

    def descriptor(self, kernel: str) -> Descriptor:
        """Read a kernel's descriptor."""
        place = self.symbols[f"{kernel}.kd"]
        raw = self.image[place : place + 64].tobytes()
        group, private, _ = struct.unpack_from("<III", raw, 0)
        entry = struct.unpack_from("<q", raw, 16)[0]
        second, properties, preload = struct.unpack_from("<IHH", raw, 52)
        if preload:
            raise NotImplementedError("arguments that are preloaded into registers")
        user = [name for bit, (name, _) in enumerate(USER) if properties >> bit & 1]
        return Descriptor(
            group_bytes=group,
            private_bytes=private,
            entry=place + entry,
            user=user,
            user_registers=second >> 1 & 31,
            group_numbers=(bool(second >> 7 & 1), bool(second >> 8 & 1), bool(second >> 9 & 1)),
            private_offset=bool(second & 1),
            wave=32 if properties >> 10 & 1 else 64,
        )
