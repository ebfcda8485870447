"""Launches a kernel of a code object on any machine: each instruction as AMD's pseudocode defines it.

It says whether the bytes of a code object compute the right numbers. It knows no time, no caches and no weak memory
order: lanes of a wave run in step, waves of a group in turn between barriers, groups one after another.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from . import access, arithmetic, lanes
from .code_object import SIZES, CodeObject, Descriptor
from .decoder import decode_inst
from .memory import PRIVATE_HIGH, SHARED_HIGH, Fault, Memory
from .wave import EXEC, VCC, Unsupported, Wave

Step = Callable[[Wave], Any]
BARRIER, END = "barrier", "end"
FAMILIES = {"gfx9": "cdna", "gfx11": "rdna3", "gfx12": "rdna4"}
# Of the buffer instructions: write back, invalidate.
CACHE_CONTROL = {"cdna": (40, 41, 62, 63), "rdna3": range(128), "rdna4": ()}
MEMORY_BASES = 15  # hardware register: upper halves of addresses
PASSED = (
    "S_WAIT",
    "S_NOP",
    "S_CLAUSE",
    "S_DELAY_ALU",
    "S_SENDMSG",
    "S_SETPRIO",
    "S_SLEEP",
    "S_INST_PREFETCH",
    "S_ICACHE",
)
PASSED += ("S_SET_INST_PREFETCH", "S_TTRACEDATA", "S_SETREG_IMM32_B32", "S_DENORM_MODE", "S_ROUND_MODE", "S_VERSION")
PASSED += ("S_BARRIER_SIGNAL", "S_PREFETCH", "S_SETREG_B32", "S_INCPERFLEVEL")


class Stopped(Exception):
    """A kernel that could not go on: what happened, at which instruction, in which group."""


class Machine:
    """One emulated device with one code object loaded.

    Parameters
    ----------
    code : CodeObject
        What to run.
    memory : Memory, optional
        The device's, if another one is to share it.
    writable : bool
        Whether kernels may store into the code object: its variables lie there.

    Attributes
    ----------
    memory : Memory
        The device's memory; add arrays to it and pass their addresses.
    executed : dict of str to int
        How often each instruction ran, by its name.
    """

    def __init__(self, code: CodeObject, memory: Memory | None = None, writable: bool = False) -> None:
        self.code = code
        family = next((name for prefix, name in FAMILIES.items() if code.architecture.startswith(prefix)), None)
        if family is None:
            raise Unsupported(f"the architecture {code.architecture}")
        self.family = family
        self.memory = memory or Memory()
        self.base = self.memory.add("the code object", code.image, writable)
        self.memory.regions[-1][1][: len(code.image)] = code.relocated(self.base)
        self.steps: dict[int, tuple[Step, int, str]] = {}
        self.executed: dict[str, int] = {}

    def launch(
        self,
        kernel: str,
        groups: tuple[int, int, int],
        group: tuple[int, int, int],
        arguments: bytes,
        dynamic: int = 0,
    ) -> None:
        """Run a kernel to its end.

        Parameters
        ----------
        kernel : str
            Its name.
        groups, group : tuple of int
            Groups of the grid and work items of a group, in x, y and z.
        arguments : bytes
            The explicit arguments as they lie in memory; what the ABI hides behind them is added.
        dynamic : int
            Bytes of the group's memory that the launch asks for, behind what the kernel has anyway.

        Raises
        ------
        Stopped
            An address outside of every array, or an instruction that is not emulated.
        """
        descriptor = self.code.descriptor(kernel)
        descriptor = replace(descriptor, group_bytes=descriptor.group_bytes + dynamic)
        hidden = struct.pack("<IIIHHHHHH", *groups, *group, 0, 0, 0).ljust(64, b"\0") + struct.pack("<H", 3)
        size = (len(arguments) + 7) // 8 * 8
        kernarg = self.memory.add(
            "the arguments", np.frombuffer(arguments.ljust(size, b"\0") + hidden.ljust(256, b"\0"), np.uint8)
        )
        packet = struct.pack(
            "<HHHHHHIIIII", 0, 3, *group, 0, *(a * b for a, b in zip(groups, group, strict=True)), 0, 0
        )
        dispatch = self.memory.add("the dispatch packet", np.frombuffer(packet.ljust(64, b"\0"), np.uint8))
        with np.errstate(all="ignore"):
            for z in range(groups[2]):
                for y in range(groups[1]):
                    for x in range(groups[0]):
                        self._group(descriptor, (x, y, z), group, kernarg, dispatch)
        del self.memory.regions[-2:]

    def _group(
        self,
        descriptor: Descriptor,
        number: tuple[int, int, int],
        group: tuple[int, int, int],
        kernarg: int,
        dispatch: int,
    ) -> None:
        shared = np.zeros(descriptor.group_bytes + 16, np.uint8)
        items = group[0] * group[1] * group[2]
        running = []
        for first in range(0, items, descriptor.wave):
            wave = Wave(descriptor.wave, descriptor.entry, shared, descriptor.private_bytes)
            item = np.arange(first, first + descriptor.wave)
            x, y, z = item % group[0], item // group[0] % group[1], item // (group[0] * group[1])
            wave.v[0] = (x | y << 10 | z << 20).astype(np.uint32)
            wave.set_mask(EXEC, item < items)
            self._scalars(wave, descriptor, number, kernarg, dispatch)
            running.append(self._run(wave, number))
        while running:
            running = [wave for wave in running if next(wave, END) == BARRIER]

    def _scalars(
        self, wave: Wave, descriptor: Descriptor, number: tuple[int, int, int], kernarg: int, dispatch: int
    ) -> None:
        """What the hardware has in scalar registers when a wave begins."""
        place = 0
        values = {"kernarg": kernarg, "dispatch": dispatch, "private_size": descriptor.private_bytes}
        for name in descriptor.user:
            for word in range(SIZES[name]):
                wave.s[place + word] = values.get(name, 0) >> 32 * word & 0xFFFFFFFF if word < 2 else 0
            place += SIZES[name]
        place = descriptor.user_registers
        if self.family == "rdna4":  # group numbers come in registers of the trap handler there
            wave.s[108 + 9] = number[0]
            wave.s[108 + 7] = number[1] | number[2] << 16
            return
        for wanted, value in zip(descriptor.group_numbers, number, strict=True):
            if wanted:
                wave.s[place] = value
                place += 1

    def _run(self, wave: Wave, group: tuple[int, int, int]) -> Iterator[str]:
        """The wave's instructions; yields at each barrier."""
        while True:
            here = wave.pc
            name = "an instruction"
            try:
                step, size, name = self.steps.get(here) or self._decode(here)
                wave.pc = here + size
                outcome = step(wave)
            except (Fault, Unsupported) as error:
                raise Stopped(f"{error}; {name} at {here:#x}, group {group}") from error
            self.executed[name] = self.executed.get(name, 0) + 1
            if outcome is END:
                return
            if outcome is BARRIER:
                yield BARRIER

    def _decode(self, place: int) -> tuple[Step, int, str]:
        raw = self.code.image[place : place + 16].tobytes().ljust(24, b"\0")
        try:
            inst = decode_inst(raw, self.family)
        except ValueError as error:
            if (
                raw[3] >> 2 == 0b111000
                and (int.from_bytes(raw[:4], "little") >> 18 & 127) in CACHE_CONTROL[self.family]
            ):
                self.steps[place] = ((lambda wave: None), 8, "cache control")  # which the decoder does not know
                return self.steps[place]
            raise Unsupported(f"the encoding {raw[:8].hex()}: {error}") from error
        name = inst.op.name.lower() if hasattr(inst, "op") else f"{inst.opx.name} :: {inst.opy.name}".lower()
        self.steps[place] = (self._step(inst), inst.size(), name)
        return self.steps[place]

    def _step(self, inst: Any) -> Step:
        form = type(inst).__name__
        if form.startswith("VOPD"):
            return arithmetic.dual_step(inst, self.family)
        name = inst.op.name
        if name.startswith(PASSED):
            return lambda wave: None
        if name.startswith("S_SET_GPR_IDX"):
            return lanes.index_mode(inst)
        if form.startswith("SOPP"):
            return self._control(inst, name)
        if form.startswith("SMEM"):
            return access.scalar_load(inst, self.family, self.memory)
        if name == "S_GETREG_B32":
            return self._hardware_register(inst)
        if form.startswith("SOP"):
            jump = self._jump(inst, name)
            return jump or arithmetic.scalar_step(inst, self.family)
        if form.startswith("VOP"):
            if name.startswith("V_NOP"):
                return lambda wave: None
            if name.startswith("V_ACCVGPR"):
                return self._accumulation(inst, name)

            def read(field: str) -> Callable[[Wave], Any]:
                name = field if hasattr(type(inst), field) else f"v{field}"
                return arithmetic.source(inst, name, self.family, inst._literal)[0]

            moves = lanes.indexed_move(inst, read) if name.startswith(("V_MOVREL", "V_MOV_B32")) else None
            if moves is not None:
                return moves
            step = lanes.cross_lane_step(inst, self.family, read) or arithmetic.vector_step(inst, self.family)
            return lanes.unindexed(step, name) if self.family == "cdna" else step
        return access.step_of(inst, self.family, self.memory)

    def _accumulation(self, inst: Any, name: str) -> Step:
        """Moves between the two halves of CDNA's vector registers."""
        target = inst.vdst.offset - 256 + (256 if "WRITE" in name or "MOV" in name else 0)
        number = inst.src0.offset
        if "WRITE" in name:
            value = arithmetic.reader(number, 32, "", inst._literal, self.family)
            return lambda wave: wave.set_vector(target, value(wave), 32)
        return lambda wave: wave.set_vector(target, wave.v[number], 32)  # 256 and up are the upper half's own numbers

    def _hardware_register(self, inst: Any) -> Step:
        """Read where the groups' and the lanes' own memory begin among all addresses; no other register is known."""
        number, first, bits = inst.simm16 & 63, inst.simm16 >> 6 & 31, (inst.simm16 >> 11 & 31) + 1
        if number != MEMORY_BASES:
            raise Unsupported(f"hardware register {number}")
        value = (SHARED_HIGH | PRIVATE_HIGH >> 16) >> first & ((1 << bits) - 1)
        target = inst.sdst.offset
        return lambda wave: wave.set_scalar(target, value, 32)

    def _control(self, inst: Any, name: str) -> Step:
        distance = access.integer(inst.simm16, 16) * 4
        tests: dict[str, Callable[[Wave], bool]] = {
            "S_BRANCH": lambda wave: True,
            "S_CBRANCH_SCC0": lambda wave: not wave.scc,
            "S_CBRANCH_SCC1": lambda wave: bool(wave.scc),
            "S_CBRANCH_VCCZ": lambda wave: not wave.mask(VCC).any(),
            "S_CBRANCH_VCCNZ": lambda wave: bool(wave.mask(VCC).any()),
            "S_CBRANCH_EXECZ": lambda wave: not wave.active.any(),
            "S_CBRANCH_EXECNZ": lambda wave: bool(wave.active.any()),
        }
        if name in ("S_ENDPGM", "S_ENDPGM_SAVED"):
            return lambda wave: END
        if name in ("S_BARRIER", "S_BARRIER_WAIT"):
            return lambda wave: BARRIER
        if name not in tests:
            raise Unsupported(name.lower())
        test = tests[name]

        def step(wave: Wave) -> None:
            if test(wave):
                wave.pc += distance

        return step

    def _jump(self, inst: Any, name: str) -> Step | None:
        """Instructions that read or write the place of the next one."""
        if name not in ("S_GETPC_B64", "S_SETPC_B64", "S_SWAPPC_B64"):
            return None
        target = inst.sdst.offset
        source = inst.ssrc0.offset

        def step(wave: Wave) -> None:
            destination = int(wave.scalar(source, 64)) - self.base if name != "S_GETPC_B64" else 0
            if name != "S_SETPC_B64":
                wave.set_scalar(target, wave.pc + self.base, 64)
            if name != "S_GETPC_B64":
                wave.pc = destination

        return step
