"""What a launch of a team kernel needs besides its arguments: threads of a block, bytes of a team's memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ..ir.nodes import Buffer, Dimension, Expr, Kernel, Teams
from ..targets.team_shapes import block_threads, dynamic_shared, owned, symbolic_private
from .expression_text import HELPERS

MEMORY_LIMIT = 2**30  # bytes of one team's buffers, on any target


@dataclass(frozen=True, slots=True)
class TeamPlan:
    """Launch expressions of a team kernel.

    Attributes
    ----------
    block : int
        Threads of a GPU's block; 0: as many as `threads`, in whole warps.
    threads : str
        Threads that a GPU's block must have for private memory.
    dynamic : str
        Bytes of shared memory that a GPU is asked for at the launch.
    memory : str
        Bytes of all buffers of one team.
    """

    block: int
    threads: str
    dynamic: str
    memory: str


def team_plan(kernel: Kernel, text: Callable[[Expr], str]) -> TeamPlan | None:
    """Return the plan of a kernel; None for a `parallel`. `text` gives the launch expression of a bound."""
    if not isinstance(kernel.body, Teams):
        return None

    def product(dims: Iterable[Dimension]) -> str:
        return " * ".join(f"{HELPERS}.max(0, {text(d.upper)} - {text(d.lower)})" for d in dims) or "1"

    def aligned(buffers: Iterable[Buffer]) -> str:
        # In multiples of 16 bytes, as the kernel lays them out.
        sizes = [f"-(-({product(b.dims)} * {b.element.bytes}) // 16) * 16" for b in buffers]
        return " + ".join(sizes) or "0"

    threads = "0"
    for buffer in symbolic_private(kernel):
        threads = f"{HELPERS}.max({threads}, {product(buffer.dims[: buffer.threads])})"
    return TeamPlan(block_threads(kernel) or 0, threads, aligned(dynamic_shared(kernel)), aligned(owned(kernel)))
