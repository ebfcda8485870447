"""What each of several processes runs, `mpiexec -n 2 python exchange_processes.py 2`; fails if anything is wrong."""

from __future__ import annotations

import sys

import numpy as np

from kparity.baselines import Baseline, Request, build_many
from kparity.compiler import LaunchError, compile_program, manifest_of, world
from kparity.suites import arrays_in, entries
from kparity.suites.rajaperf.halo import NEIGHBOURS, OPPOSITE, VARIABLES, Halo, division

STEP = 2.0**24


def main() -> None:
    """Exchange halos of a periodic domain and compare with the domain, checked programs and baselines."""
    here = world()
    assert here.size == int(sys.argv[1]), here
    for name in ("HALO_SENDRECV", "HALO_EXCHANGE", "HALO_EXCHANGE_FUSED"):
        entry = entries("rajaperf")[name]
        (built,) = build_many([Request(entry.path, manifest_of(entry.spec.program), "cpu1")])
        assert isinstance(built, Baseline), built
        for executable in (compile_program(entry.spec.program, "cpu1"), built.executable()):
            for repetition in range(3):
                arguments = entry.arguments(343)
                mark(arguments, here.rank, repetition)
                executable.bind(arguments).run(2)
                check(arguments, here)
    try:
        arguments = entry.arguments(343)
        arguments["ranks"] = arguments["ranks"] + here.size
        executable.bind(arguments)
    except LaunchError as error:
        assert "KP0801" in str(error) and f"and there are {here.size}" in str(error)
    else:
        raise AssertionError("a process that is not there")


def mark(arguments: dict, rank: int, repetition: int) -> None:
    """Give every value of a process that no other one has."""
    for array in arrays_in({n: arguments[n] for n in ("variables", "send") if n in arguments}).values():
        array[...] = np.floor(1000 * array) + STEP * (rank + 1) + repetition  # exact, so that differences are


def check(arguments: dict, here) -> None:
    """Each message is what the neighbour's sender has; values tell the process and the cell."""
    for m, message in enumerate(arguments["recv"]):
        sender = int(arguments["ranks"][m])
        own = arguments["send"][OPPOSITE[m]]
        np.testing.assert_array_equal(message, own + STEP * (sender - here.rank))
    if "variables" not in arguments:
        return
    cube = Halo.around(arguments["variables"][0])
    for v, variable in enumerate(arguments["variables"]):
        for m in range(NEIGHBOURS):
            region = variable.reshape(cube.shape)[cube.received(m)]
            np.testing.assert_array_equal(region.ravel(), arguments["recv"][m][v])
    assert len(arguments["variables"]) == VARIABLES and np.prod(division(here.size)) == here.size


if __name__ == "__main__":
    main()
