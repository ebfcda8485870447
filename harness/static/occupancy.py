"""Theoretical occupancy: how many of a kernel's waves (warps) the processors hold at once.

Sources: AMD's documents on the instruction sets of CDNA2, CDNA3, RDNA3 and RDNA4 and LLVM's AMDGPU usage page; CUDA's
programming guide for compute capability 9.0.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Processor:
    """What limits waves; of AMD a compute unit (of RDNA half a work-group processor), of NVIDIA a multiprocessor.

    Attributes
    ----------
    lanes : int
        Of a wave.
    waves : int
        Most that are resident.
    registers : int
        In lanes' registers of one scheduler: the waves there share them.
    granule : int
        Registers of a lane are given out by.
    schedulers : int
    shared : int
        Bytes of shared memory.
    shared_granule : int
    groups : int
        Most groups (blocks) resident.
    """

    lanes: int
    waves: int
    registers: int
    granule: int
    schedulers: int
    shared: int
    shared_granule: int
    groups: int


_CDNA = Processor(64, 32, 512, 8, 4, 64 * 1024, 512, 32)
_RDNA = Processor(32, 32, 1536, 24, 2, 64 * 1024, 512, 32)
PROCESSORS = {
    "gfx90a": _CDNA, "gfx942": _CDNA, "gfx950": Processor(64, 32, 512, 8, 4, 160 * 1024, 1280, 32),
    "gfx1100": _RDNA, "gfx1201": _RDNA,
    "sm_90": Processor(32, 64, 512, 8, 4, 227 * 1024, 128, 32),
}  # fmt: skip
_RESERVED = {"sm_90": 1024}  # shared memory that each block costs besides its own


def occupancy(architecture: str, registers: int, shared_bytes: int, threads: int) -> int | None:
    """Return the waves that a processor holds at once; None where its limits are not known here.

    Parameters
    ----------
    architecture : str
        `gfx90a`, `sm_90`.
    registers : int
        A lane's, accumulation registers included.
    shared_bytes : int
        A group's.
    threads : int
        Of a group.
    """
    limits = PROCESSORS.get(architecture)
    if limits is None:
        return None
    waves = -(-max(1, threads) // limits.lanes)
    used = rounded(max(1, registers), limits.granule)
    by_registers = min(limits.waves // limits.schedulers, limits.registers // used) * limits.schedulers
    groups = min(limits.groups, by_registers // waves)
    if own := rounded(shared_bytes, limits.shared_granule) + _RESERVED.get(architecture, 0):
        groups = min(groups, limits.shared // own)
    return groups * waves


def rounded(amount: int, granule: int) -> int:
    """Round up to a multiple."""
    return -(-amount // granule) * granule
