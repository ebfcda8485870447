"""The parameter lists of generated PTX, read back and compared with what the host packs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .abi import Slot

_PARAMETER = re.compile(
    r"\.param(?: \.align (?P<align>\d+))? \.(?P<kind>[a-z]+)(?P<bits>\d+)"
    r"(?P<pointer> \.ptr)?(?: \.(?P<space>global|const|shared|local))?(?: \.align \d+)? [\w$]+(?:\[(?P<count>\d+)\])?"
)


@dataclass(frozen=True, slots=True)
class PtxParameter:
    """One parameter of an entry point.

    Attributes
    ----------
    size, alignment, offset : int
        Bytes, in the parameter block.
    kind : str
        `float`, `word` (an integer or an address) or `bytes`.
    space : str
        Of what an address leads to; empty where the code does not say.
    """

    size: int
    alignment: int
    offset: int
    kind: str
    space: str = ""

    def __str__(self) -> str:
        return f"{self.kind} of {self.size} bytes aligned to {self.alignment}"


def entry_points(ptx: str, symbol: str) -> dict[str, list[PtxParameter]]:
    """Return the parameter lists of the versions of a kernel, by the suffix of their names."""
    entries = re.findall(rf"\.entry {re.escape(symbol)}(\w*)\(([^)]*)\)", ptx)
    return {version: _parameters(text) for version, text in entries}


def _parameters(text: str) -> list[PtxParameter]:
    found: list[PtxParameter] = []
    for match in _PARAMETER.finditer(text):
        bits, count = int(match["bits"]), match["count"]
        size = bits // 8 * int(count or 1)
        alignment = int(match["align"] or bits // 8)
        end = found[-1].offset + found[-1].size if found else 0
        kind = "bytes" if count else "float" if match["kind"] == "f" else "word"
        found.append(PtxParameter(size, alignment, -(-end // alignment) * alignment, kind, match["space"] or ""))
    return found


def expected(slots: Sequence[Slot]) -> list[PtxParameter]:
    """Return the parameter list that the host packs slots for."""
    result: list[PtxParameter] = []
    for slot in slots:
        kind = "bytes" if slot.is_by_value else "float" if slot.llvm in ("double", "float") else "word"
        end = result[-1].offset + result[-1].size if result else 0
        space = "global" if slot.is_pointer else ""
        result.append(PtxParameter(slot.bytes, slot.align, -(-end // slot.align) * slot.align, kind, space))
    return result


def check_parameters(ptx: str, symbol: str, slots: Sequence[Slot]) -> None:
    """Compare every version of a kernel with the host's argument list; raises RuntimeError where they part."""
    wanted = expected(slots)
    versions = entry_points(ptx, symbol)
    if not versions:
        raise RuntimeError(f"generated PTX has no entry for {symbol}")
    for version, found in versions.items():
        if len(found) != len(wanted):
            raise RuntimeError(f"{symbol}{version} has {len(found)} parameters, the host packs {len(wanted)}")
        for position, (slot, is_, should) in enumerate(zip(slots, found, wanted, strict=True)):
            if _layout(is_) != _layout(should):
                raise RuntimeError(
                    f"parameter {position} of {symbol}{version} is a {is_} at {is_.offset}, the host packs"
                    f" `{slot.name}`, a {should} at {should.offset}"
                )


def _layout(p: PtxParameter) -> tuple[str, int, int, int]:
    return p.kind, p.size, p.alignment, p.offset
