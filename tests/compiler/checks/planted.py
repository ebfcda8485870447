"""Plant each known defect in the compiler, and see that a test finds it.

    python -m tests.compiler.checks.planted                  # each against the test that is known to find it
    python -m tests.compiler.checks.planted --search views   # those with "views" in their name, against every test

Prints a line for each defect. Exit status 1: one was not found, so the tests have a hole.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from .defects import DEFECTS
from .planting import ENVIRONMENT, Defect

ROOT = Path(__file__).resolve().parents[3]
SEARCHED = (
    "tests/compiler/checks/test_twins.py", "tests/diagnostics/test_kernels.py", "tests/compiler/checks",
    "tests/compiler/test_closed_holes.py", "tests/compiler/runtime", "tests/compiler/targets", "tests/compiler",
)  # fmt: skip
_FAILED = re.compile(r"^FAILED ([^\n]+?)(?: - [^\n]*)?$", re.MULTILINE)


def failing(defect: Defect | None, tests: Sequence[str]) -> str | None:
    """Return the first of some tests that fails with a defect; None if all pass.

    Raises
    ------
    RuntimeError
        The tests could not run: a defect must leave a compiler that works on most kernels.
    """
    environment = {**os.environ, ENVIRONMENT: defect.name if defect else ""}
    # What a defect says of a kernel must not be kept: the tests' own cache folder is new in each run.
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "tests.compiler.checks.planting",
         "-m", "not slow", "--deselect", "tests/compiler/checks/test_planted.py", *tests],
        cwd=ROOT, env=environment, capture_output=True, text=True,
    )  # fmt: skip
    if done.returncode == 0:
        return None
    if not (found := _FAILED.search(done.stdout)):
        raise RuntimeError(f"the tests did not run:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return found[1]


def main() -> int:
    parser = argparse.ArgumentParser(description="Plant defects in the compiler, and see that tests find them.")
    parser.add_argument("words", nargs="*", help="only defects with one of these in their name or module")
    parser.add_argument("--search", action="store_true", help="look for a test that finds it, the known one or not")
    options = parser.parse_args()
    chosen = [d for d in DEFECTS if not options.words or any(w in f"{d.name} {d.module}" for w in options.words)]
    if not options.search and (broken := failing(None, list(dict.fromkeys(d.found_by for d in chosen)))):
        print(f"fails without any defect: {broken}")
        return 1
    missed = 0
    for defect in chosen:
        test = failing(defect, SEARCHED if options.search else [defect.found_by])
        missed += test is None
        print(f"{'NOT FOUND' if test is None else 'found'}: {defect.name} ({defect.module}): {test or ''}", flush=True)
    print(f"{len(chosen) - missed} of {len(chosen)} found")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
