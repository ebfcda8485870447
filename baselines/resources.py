"""What a compiled GPU kernel uses of a multiprocessor, as the assembler reports it."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass

from .process import run

_ENTRY = re.compile(r"Compiling entry function '(\w+)'")
_STACK = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
_USED = re.compile(r"Used (\d+) registers(?:, used (\d+) barriers)?(.*)")
_NAME = re.compile(r"(?:void )?([^(]+(?:\(kp_mapping\)[^(]+)*)\(")
_SHARED = re.compile(r"(\d+) bytes smem")


@dataclass(frozen=True, slots=True)
class Resources:
    """Of one kernel.

    Attributes
    ----------
    registers : int
        A thread.
    spill_stores, spill_loads : int
        Bytes a thread; zero in good code.
    stack : int
        Bytes a thread.
    shared : int
        Static shared memory, bytes a block.
    barriers : int
        Barriers that a block uses.
    """

    registers: int
    spill_stores: int
    spill_loads: int
    stack: int
    shared: int
    barriers: int


def readable_name(symbol: str) -> str:
    """Return a kernel's C++ name; its symbol where no demangler is at hand."""
    if (tool := shutil.which("c++filt")) is None:
        return symbol
    name = _NAME.match(run([tool, symbol], 10.0).output)
    return name[1].replace("(kp_mapping)", "") if name else symbol


def resources(log: str) -> dict[str, Resources]:
    """Read `ptxas -v`'s report: kernel -> what it uses. A template's arguments stand in its name."""
    found = {}
    for entry in _ENTRY.finditer(log):
        part = log[entry.end() :].split("Compiling entry function", 1)[0]
        stack, used = _STACK.search(part), _USED.search(part)
        if not stack or not used:
            raise ValueError(f"ptxas reports nothing that can be read for {entry[1]}:\n{part}")
        shared = _SHARED.search(used[3])
        frame, stores, loads = map(int, stack.groups())
        found[readable_name(entry[1])] = Resources(
            int(used[1]), stores, loads, frame, int(shared[1]) if shared else 0, int(used[2] or 0)
        )
    return found
