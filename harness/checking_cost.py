"""How long checking takes: processor time of the front end and all proofs of a kernel."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from kparity.compiler import Kernel

SAMPLES = 3


def checking_seconds(kernel: Kernel, samples: int = SAMPLES) -> list[float]:
    """Read and prove a kernel anew, several times.

    Parameters
    ----------
    kernel : Kernel
        One that compiles; its own proof is not touched.

    Returns
    -------
    list of float
        Seconds of processor time, in the order taken. The first may hold the loading of a solver's library, so the
        least is what checking takes.
    """
    return [kernel.anew().check_seconds for _ in range(samples)]


def print_cost(kernels: Sequence[Kernel], console: Console) -> None:
    """Time kernels and print them, the slowest first, with the median."""
    seconds = {kernel: min(checking_seconds(kernel)) for kernel in kernels}
    table = Table("kernel", "accesses", "ms", box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    table.columns[1].justify = table.columns[2].justify = "right"
    for kernel, taken in sorted(seconds.items(), key=lambda item: -item[1]):
        accesses = sum(e.obligation == "bounds" for e in kernel.proved.evidence)
        table.add_row(Text(kernel.name), str(accesses), f"{taken * 1e3:.1f}")
    console.print(table)
    if seconds:
        middle = statistics.median(seconds.values()) * 1e3
        console.print(f"median {middle:.1f} ms, slowest {max(seconds.values()) * 1e3:.1f} ms")
