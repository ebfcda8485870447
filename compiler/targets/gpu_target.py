"""What the code of one vendor's GPUs has of its own: registers, barriers, lanes, address spaces, fences."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from ..ir.nodes import Reducer
from ..ir.types import Scalar
from .abi import Slot
from .llvm import Machine
from .text import Function, Module


class Gpu(ABC):
    """A kind of GPU that kernels are lowered to; what it does not answer is the same on all of them.

    Attributes
    ----------
    machine : Machine
        The code generator's settings.
    lanes : int
        Threads that execute together: of a warp, of a wave.
    device, team : str
        Scopes of atomic operations and fences: all threads of the device, those of a block.
    overlaps : bool
        Whether a launch may start while the one before it ends.
    """

    machine: Machine
    lanes: int
    device: str
    team: str
    overlaps: bool = False

    @abstractmethod
    def module(self) -> Module:
        """Return an empty module."""

    @abstractmethod
    def function(self, symbol: str, parameters: Sequence[tuple[Slot, str]], threads: tuple[int, int, int]) -> Function:
        """Return an empty kernel for blocks of at most `threads`; parameters come with their attributes."""

    @abstractmethod
    def register(self, name: str, f: Function, module: Module) -> str:
        """Read `tid`, `ctaid`, `ntid` or `nctaid` of an axis (`tid.x`), as i32."""

    @abstractmethod
    def barrier(self, f: Function, module: Module) -> None:
        """Wait for all threads of the block; what they wrote before, all of them see behind it."""

    @abstractmethod
    def shuffle(self, bits: str, distance: int, count: int, f: Function, module: Module) -> str:
        """Return the i32 of the lane `distance` further on; the first `count` lanes take part."""

    @abstractmethod
    def from_lane(self, bits: str, lane: str, f: Function, module: Module) -> str:
        """Return the i32 of the lane of that number, modulo the number of lanes; all take part."""

    @abstractmethod
    def ballot(self, flag: str, f: Function, module: Module) -> str:
        """Return a number with a bit for each lane, the first one's the lowest: whether its flag is set."""

    @abstractmethod
    def all_equal(self, number: str, f: Function, module: Module) -> str:
        """Return whether an i32 is the same in all lanes."""

    @abstractmethod
    def system_fence(self, f: Function, module: Module) -> None:
        """Let the host see what was written so far before what comes."""

    @abstractmethod
    def call(self, name: str, type_: Scalar, arguments: Sequence[str], f: Function, module: Module) -> str:
        """Call a mathematical function of the vendor's library, and return its result."""

    def reduce_lanes(self, reducer: Reducer, value: str, f: Function, module: Module) -> str | None:
        """Combine a value over all lanes, where one instruction does it; else None, and nothing is emitted."""
        del reducer, value, f, module
        return None

    def keep_resident(self, blocks: int, f: Function) -> None:
        """Ask for few enough registers that a multiprocessor holds that many blocks, where one may ask."""
        del blocks, f

    def opaque(self, number: str, f: Function) -> str:
        """Hide from LLVM what an i32 is made of, where that gives better addresses."""
        del f
        return number

    def begin_overlapped(self, f: Function, module: Module, threads: int, axes: str) -> None:
        """Let the next launch start, once the last blocks of `threads` each in a grid along `axes` run."""
        del f, module, threads, axes

    def wait_for_previous(self, block: str, f: Function) -> str:
        """Wait for the launch before; returns the block's number again, as something that comes out of the wait."""
        del f
        return block


def library_call(symbol: str, type_: Scalar, arguments: Sequence[str], f: Function, module: Module) -> str:
    """Call a function of one type that the vendor's bitcode defines."""
    llvm_type = type_.llvm
    module.declare(symbol, f"declare {llvm_type} @{symbol}({', '.join([llvm_type] * len(arguments))})")
    module.imports.add(symbol)
    return f.value(f"call {llvm_type} @{symbol}({', '.join(f'{llvm_type} {a}' for a in arguments)})")
