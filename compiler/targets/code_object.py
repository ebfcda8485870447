"""What an AMD code object says of its kernels, read back and compared with what the host packs.

A code object is an ELF file; its note of AMD's holds a map in MessagePack with a list `amdhsa.kernels`.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .abi import Slot

_PT_NOTE, _NT_AMDGPU_METADATA = 4, 32


@dataclass(frozen=True, slots=True)
class Argument:
    """One explicit argument: its place in the argument block, and how the launcher passes it (`value_kind`)."""

    offset: int
    size: int
    kind: str

    @property
    def alignment(self) -> int:
        """The largest power of two that offset and size are multiples of, up to 8: a code object says no other."""
        whole = self.offset | self.size | 8
        return whole & -whole


@dataclass(frozen=True, slots=True)
class KernelObject:
    """A kernel of a code object.

    Attributes
    ----------
    arguments : tuple of Argument
        Those that the host passes.
    wave : int
        Lanes of a wave.
    kernarg_bytes : int
        Of the whole argument block, with what the runtime adds behind the explicit arguments.
    figures : dict
        Registers, spills, bytes of memory.
    """

    arguments: tuple[Argument, ...]
    wave: int
    kernarg_bytes: int
    figures: dict[str, int]


_FIGURES = {
    "registers": "vgpr_count", "scalar_registers": "sgpr_count", "accumulation_registers": "agpr_count",
    "spills": "vgpr_spill_count", "scalar_spills": "sgpr_spill_count", "private_bytes": "private_segment_fixed_size",
    "shared_bytes": "group_segment_fixed_size", "kernarg_bytes": "kernarg_segment_size",
    "block_threads": "max_flat_workgroup_size",
}  # fmt: skip


def kernel_objects(code: bytes) -> dict[str, KernelObject]:
    """Return the kernels of a code object by name; raises ValueError if it is none."""
    listed = _metadata(code)["amdhsa.kernels"]
    return {k[".symbol"].removesuffix(".kd"): _kernel(k) for k in listed}


def _kernel(raw: Mapping[str, Any]) -> KernelObject:
    explicit = [a for a in raw.get(".args", ()) if not a[".value_kind"].startswith("hidden_")]
    arguments = tuple(Argument(a[".offset"], a[".size"], a[".value_kind"]) for a in explicit)
    figures = {name: raw.get(f".{key}", 0) for name, key in _FIGURES.items()}
    return KernelObject(arguments, raw[".wavefront_size"], raw[".kernarg_segment_size"], figures)


def expected(slots: Sequence[Slot]) -> list[Argument]:
    """Return the arguments that the host packs slots for."""
    end, arguments = 0, []
    for slot in slots:
        offset = -(-end // slot.align) * slot.align
        arguments.append(Argument(offset, slot.bytes, "global_buffer" if slot.is_pointer else "by_value"))
        end = offset + slot.bytes
    return arguments


def check_arguments(found: Mapping[str, KernelObject], symbol: str, slots: Sequence[Slot], wave: int) -> None:
    """Compare a kernel's argument list and wave with the host's; raises RuntimeError where they part."""
    if symbol not in found:
        raise RuntimeError(f"the generated code object has no kernel {symbol}")
    kernel, wanted = found[symbol], expected(slots)
    if len(kernel.arguments) != len(wanted):
        raise RuntimeError(f"{symbol} has {len(kernel.arguments)} arguments, the host packs {len(wanted)}")
    for position, (slot, is_, should) in enumerate(zip(slots, kernel.arguments, wanted, strict=True)):
        if is_ != should:
            raise RuntimeError(f"argument {position} of {symbol} is {is_}, the host packs `{slot.name}` as {should}")
    if kernel.wave != wave:
        raise RuntimeError(f"{symbol} has waves of {kernel.wave} lanes, its reductions combine {wave}")


# -- ELF and MessagePack ----------------------------------------------------------------------------------------------


def _metadata(code: bytes) -> Any:
    """Return the map in the note of type 32 that `AMDGPU` owns."""
    if code[:6] != b"\x7fELF\x02\x01":
        raise ValueError("no code object: no ELF file of 64 bits, little-endian")
    (table,) = struct.unpack_from("<Q", code, 32)
    size, count = struct.unpack_from("<HH", code, 54)
    for header in range(table, table + size * count, max(1, size)):
        kind, _, offset, _, _, length = struct.unpack_from("<IIQQQQ", code, header)
        at = offset
        while kind == _PT_NOTE and at < offset + length:
            owner, described, type_ = struct.unpack_from("<III", code, at)
            start = at + 12 + -(-owner // 4) * 4
            if type_ == _NT_AMDGPU_METADATA and code[at + 12 : at + 18] == b"AMDGPU":
                return _unpacked(code[start : start + described], 0)[0]
            at = start + -(-described // 4) * 4
    raise ValueError("no code object: it has no note of AMD's")


_FIXED = {
    0xCA: ">f", 0xCB: ">d", 0xCC: ">B", 0xCD: ">H", 0xCE: ">I", 0xCF: ">Q", 0xD0: ">b", 0xD1: ">h", 0xD2: ">i",
    0xD3: ">q",
}  # fmt: skip
_SIZED = {
    0xC4: (">B", "bytes"), 0xC5: (">H", "bytes"), 0xC6: (">I", "bytes"), 0xD9: (">B", "text"), 0xDA: (">H", "text"),
    0xDB: (">I", "text"), 0xDC: (">H", "array"), 0xDD: (">I", "array"), 0xDE: (">H", "map"), 0xDF: (">I", "map"),
}  # fmt: skip


def _unpacked(raw: bytes, at: int) -> tuple[Any, int]:
    """Return the MessagePack value at an offset, and where the next one starts."""
    tag, at = raw[at], at + 1
    if tag <= 0x7F or tag >= 0xE0:
        return (tag if tag <= 0x7F else tag - 256), at
    if tag in (0xC0, 0xC2, 0xC3):
        return {0xC0: None, 0xC2: False, 0xC3: True}[tag], at
    if form := _FIXED.get(tag):
        return struct.unpack_from(form, raw, at)[0], at + struct.calcsize(form)
    if tag <= 0xBF:
        kind = "map" if tag <= 0x8F else "array" if tag <= 0x9F else "text"
        length = tag & (0x1F if kind == "text" else 0x0F)
    elif tag in _SIZED:
        form, kind = _SIZED[tag]
        (length,) = struct.unpack_from(form, raw, at)
        at += struct.calcsize(form)
    else:
        raise ValueError(f"MessagePack of type {tag:#x} is not read here")
    if kind in ("text", "bytes"):
        content = raw[at : at + length]
        return (content.decode() if kind == "text" else content), at + length
    items = []
    for _ in range(length * (2 if kind == "map" else 1)):
        item, at = _unpacked(raw, at)
        items.append(item)
    return (dict(zip(items[::2], items[1::2], strict=True)) if kind == "map" else items), at
