"""Instructions of a kernel in a listing (AMD's assembly, PTX), by class, and its innermost loops."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

# The first that matches an instruction names its class. Loads and stores say how many bits a thread moves at once.
_GCN = (
    ("barriers", r"s_barrier(?!_wait)"),
    ("branches", r"s_c?branch"),
    ("atomics", r"(global|flat|buffer)_atomic|ds_(add|sub|min|max|inc|and|or|xor|cmpst|cmpswap)_"),
    ("shared", r"ds_"),
    ("spilled", r"scratch_|buffer_(load|store)"),
    ("scalar loads", r"s_load|s_buffer_load"),
    ("loads", r"(global|flat)_load_"),
    ("stores", r"(global|flat)_store_"),
    ("f64", r"v_\w*f64"),
    ("f32", r"v_\w*f(32|16)"),
    ("integer", r"v_"),
    ("waits", r"s_wait|s_nop|s_delay|s_clause|s_sendmsg"),
    ("scalar", r"s_"),
)
_PTX = (
    ("barriers", r"bar\.|barrier\."),
    ("branches", r"bra\b|brx"),
    ("atomics", r"(atom|red)\."),
    ("shared", r"(ld|st)\.(volatile\.)?shared"),
    ("spilled", r"(ld|st)\.local"),
    ("scalar loads", r"ld\.param"),
    ("loads", r"ld\."),
    ("stores", r"st\."),
    ("f64", r"\S*\.f64"),
    ("f32", r"\S*\.f(32|16)"),
    ("integer", r"\S*\.(s|u|b)\d+|\S*\.pred"),
    ("waits", r"griddepcontrol|membar|fence"),
    ("scalar", r"ret|mov|exit"),
)
_GCN_WIDTHS = {
    "ubyte": 8, "sbyte": 8, "u8": 8, "i8": 8, "b8": 8, "ushort": 16, "sshort": 16, "u16": 16, "i16": 16, "b16": 16,
    "byte": 8, "short": 16, "dword": 32, "b32": 32, "dwordx2": 64, "b64": 64, "dwordx3": 96, "b96": 96,
    "dwordx4": 128, "b128": 128,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Code:
    """What a kernel consists of.

    Attributes
    ----------
    counts : Counter
        Class -> instructions.
    widths : Counter
        `loads 64`: those of 64 bits a thread; stores alike.
    loop : int
        Instructions in the longest innermost loop; 0 where there is none.
    threads : int
        Most threads of a block, where the listing says so, else 0.
    """

    counts: Counter[str]
    widths: Counter[str]
    loop: int
    threads: int

    @property
    def total(self) -> int:
        """All instructions but waits."""
        return sum(self.counts.values()) - self.counts["waits"]


def codes(listing: str) -> dict[str, Code]:
    """Return the kernels of a listing by their symbols.

    Parameters
    ----------
    listing : str
        AMD's assembly as LLVM writes it, or PTX.
    """
    if ".entry " in listing:
        return {name: _code(body, _PTX, _ptx_width) for name, body in _ptx_bodies(listing)}
    return {name: _code(body, _GCN, _gcn_width) for name, body in _gcn_bodies(listing)}


def _gcn_bodies(listing: str) -> list[tuple[str, str]]:
    found = []
    for name in re.findall(r"^\s*\.amdhsa_kernel\s+(\S+)", listing, re.MULTILINE):
        match = re.search(rf"^{re.escape(name)}:(.*?)^\.Lfunc_end", listing, re.MULTILINE | re.DOTALL)
        if match:
            found.append((name, match[1].partition(".section")[0]))  # behind it come constants
    return found


def _ptx_bodies(listing: str) -> list[tuple[str, str]]:
    parts = re.split(r"^\s*(?:\.visible\s+|\.weak\s+)?\.entry\s+", listing, flags=re.MULTILINE)[1:]
    return [(re.split(r"\W", part, maxsplit=1)[0], part.partition("\n}")[0]) for part in parts]


def _gcn_width(opcode: str) -> int:
    return _GCN_WIDTHS.get(opcode.rpartition("_")[2], 0)


def _ptx_width(opcode: str) -> int:
    vector = re.search(r"\.v(\d)", opcode)
    bits = re.search(r"\.[a-z](\d+)$", opcode)
    return (int(vector[1]) if vector else 1) * (int(bits[1]) if bits else 0)


def _code(body: str, classes: tuple[tuple[str, str], ...], width: Callable[[str], int]) -> Code:
    counts: Counter[str] = Counter()
    widths: Counter[str] = Counter()
    places: dict[str, int] = {}
    jumps: list[tuple[int, str]] = []
    number = 0
    for raw in body.splitlines():
        line = re.split(r";|//", raw, maxsplit=1)[0].strip() if classes is _GCN else raw.split("//")[0].strip(" \t;")
        if label := re.match(r"([.$\w]+):", line):
            places[label[1]] = number
            continue
        opcode = re.sub(r"^@!?%\w+\s+", "", line).split(maxsplit=1)
        if not opcode or opcode[0].startswith((".", "{", "}", "(", ")", "%")):
            continue
        kind = next((name for name, pattern in classes if re.match(pattern, opcode[0])), "")
        if not kind:
            continue
        counts[kind] += 1
        if kind in ("loads", "stores"):
            widths[f"{kind} {width(opcode[0])}"] += 1
        if kind == "branches":
            jumps.append((number, line.replace(";", " ").split()[-1]))
        number += 1
    loops = [(places[target], at) for at, target in jumps if places.get(target, at + 1) <= at]
    inner = [(a, b) for a, b in loops if not any((c, d) != (a, b) and a <= c and d <= b for c, d in loops)]
    threads = re.search(r"\.(?:max|req)ntid\s+(\d+)(?:,\s*(\d+))?(?:,\s*(\d+))?", body)
    sizes = [int(size) for size in threads.groups() if size] if threads else [0]
    return Code(counts, widths, max((b - a + 1 for a, b in inner), default=0), math.prod(sizes))
