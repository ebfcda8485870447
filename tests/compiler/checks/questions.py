"""Prints, for kernels with products, each question to z3 with its outcome and what it cost; the argument shuffles.

Run in several processes by `test_nonlinear.py`: the output must not depend on what was asked before, nor on hashing.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

from kparity.compiler import CompileError, Kernel
from kparity.compiler.checks import nonlinear
from kparity.harness.kernel_files import kernels_in

KERNELS = Path(__file__).parents[2] / "diagnostics" / "kernels"
FILES = ("arithmetic", "bounds", "integers", "matrices", "particles", "races", "stencils")


def asked(shuffle: int) -> list[str]:
    """Check the kernels in an order of its own; return a line a question, sorted by kernel."""
    lines: list[tuple[str, int, str]] = []
    kernel = ""
    answer = nonlinear.Question.answer

    def noted(question: nonlinear.Question, operations: int | None = None, *, example: bool = True) -> nonlinear.Answer:
        result = answer(question, operations, example=example)
        cost = question._solver.statistics().get_key_value("rlimit count")
        lines.append((kernel, len(lines), f"{kernel}: {result.outcome.name} after {cost}"))
        return result

    nonlinear.Question.answer = noted  # type: ignore[method-assign]
    kernels = [k for name in FILES for k in kernels_in(KERNELS / f"{name}.py") if isinstance(k, Kernel)]
    random.Random(shuffle).shuffle(kernels)
    for one in kernels:
        kernel = one.name
        try:
            _ = one.proved
        except CompileError:
            continue
    return [line for _, _, line in sorted(lines)]


if __name__ == "__main__":
    print("\n".join(asked(int(sys.argv[1]))))
