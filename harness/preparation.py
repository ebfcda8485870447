"""Compiles, in a worker, everything that a campaign needs, and tells what the report shows of it."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from kparity.compiler import CompileError, KparityError

from .kernel_facts import checked_facts, compiler_of, native_facts
from .messages import Teller
from .plan import RAJAPERF
from .rajaperf_run import RajaperfFailed, tunings_of
from .records import Cell
from .walk import diagnose
from .workshop import SuiteWorkshop, build_target


def prepare(cells: Iterable[Cell], workshop: SuiteWorkshop, teller: Teller, rajaperf: str = "") -> None:
    """Compile one cell a side; C++ compilers run beside the checked compiler, as many as there are cores.

    Parameters
    ----------
    cells : iterable of Cell
        Their sizes do not matter.
    workshop : SuiteWorkshop
    teller : Teller
        Receives a `prepared` event for each side that compiles, a `failed` one for each that does not.
    rajaperf : str
        RAJAPerf's executable, if it is a side too.
    """
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        builds: list[tuple[Cell, Future[Any]]] = []
        for cell in sorted(cells, key=lambda c: (c.variant == "checked", c)):  # native first: they take the longest
            teller.step("compiling", [cell])
            try:
                if cell.variant == "checked":
                    facts = checked_facts(cell, workshop.checked(cell.kernel, cell.target))
                    teller.tell("prepared", **_side(cell), facts=facts)
                elif cell.variant.startswith(RAJAPERF):
                    teller.step("asking RAJAPerf", [cell])
                    tunings, compiler = tunings_of(rajaperf, cell), f"whatever {rajaperf} was built with"
                    teller.tell("prepared", **_side(cell), tunings=tunings, compiler=compiler)
                elif workshop.is_self_test:
                    workshop.checked(cell.kernel, cell.target)
                    teller.tell("prepared", **_side(cell), tunings=["default"], compiler="kparity itself: a self-test")
                else:
                    manifest = workshop.manifest(cell.kernel)
                    builds.append((cell, pool.submit(workshop.build, cell.kernel, build_target(cell), manifest)))
            except Exception as error:
                _tell_failure(cell, error, teller)
        for cell, build in builds:
            teller.step("waiting for the C++ compiler", [cell])
            try:
                baseline = build.result()
                facts = native_facts(cell, baseline)
                tunings, compiler = list(baseline.tunings), compiler_of(baseline)
                teller.tell("prepared", **_side(cell), facts=facts, tunings=tunings, compiler=compiler)
            except Exception as error:
                _tell_failure(cell, error, teller)


def _side(cell: Cell) -> dict[str, str]:
    return {"kernel": cell.kernel, "target": cell.target, "variant": cell.variant}


def _tell_failure(cell: Cell, error: Exception, teller: Teller) -> None:
    if not isinstance(error, KparityError | CompileError | RajaperfFailed):
        traceback.print_exception(error, file=sys.stderr)  # a defect of kparity's: the log has all of it
    status, message = diagnose(error)
    teller.tell("failed", **_side(cell), status=status, message=message)
