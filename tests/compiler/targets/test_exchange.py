"""Messages between processes: by MPI where there is one, by copies where a process is alone, on every target."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kparity.compiler import LaunchError, Program, compile_program
from kparity.compiler.runtime import exchange
from kparity.compiler.runtime.exchange import World

from ..interpreter import each
from ..sources import program
from .emulation import Emulator, Lent

RING = program("""
    @kernel
    def double(x: Mut[f64, "n"]):
        for i in parallel(n):
            x[i] *= 2.0


    @program
    def ring(
        send: Pack[Mut[f64, "n[]"], 3], recv: Pack[Mut[f64, "n[]"], 3], ranks: Table[i32, 3], tags: Table[i32, 3]
    ):
        for m in range(3):
            double(send[m])
        exchange(send, recv, ranks, tags)
        for m in range(3):
            double(recv[m])
    """)


def arguments() -> dict[str, Any]:
    send = [np.arange(4.0) + 10 * m for m in range(3)]
    return {"send": send, "recv": [np.zeros(4) for _ in range(3)], "ranks": [0, 0, 0], "tags": [1, 2, 0]}


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """These tests are about one process without MPI; several are started below."""
    monkeypatch.setattr(exchange, "_communicator", lambda: None)


@pytest.fixture(params=["cpu1", "cpu", "emulated"])
def ring(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """`ring(arguments, repetitions)`, in place."""
    if request.param != "emulated":
        return lambda given, repetitions: compile_program(RING, request.param).bind(given).run(repetitions)
    gpu: Emulator = request.getfixturevalue("gpu")
    copy = exchange._native().addresses["copy"]
    monkeypatch.setattr(exchange, "driver_functions", lambda target: (copy, 0))
    return lambda given, repetitions: (
        gpu.compile(RING).bind({n: each(Lent, v) for n, v in given.items()}).run(repetitions)
    )


def test_each_message_arrives_between_the_launches_around_it(ring: Any) -> None:
    given = arguments()
    ring(given, 3)
    for m, tag in enumerate((1, 2, 0)):
        np.testing.assert_array_equal(given["send"][m], 8.0 * (np.arange(4.0) + 10 * m))
        np.testing.assert_array_equal(given["recv"][m], 2.0 * given["send"][tag])


@pytest.mark.parametrize(("change", "message"), [
    ({"ranks": [0, 1, 0]}, "message 1 of `ring` goes to process 1, and there are 1"),
    ({"ranks": [0, 0, -1]}, "message 2 of `ring` goes to process -1"),
    ({"tags": [0, 1, 3]}, "awaits message 3 as its message 2, and there are 3"),
    ({"tags": [0, 1, -1]}, "awaits message -1 as its message 2"),
    ({"tags": [0, 1, 1]}, "awaits a message twice, and another one never"),
])  # fmt: skip
def test_messages_that_never_arrive_are_refused(change: dict[str, Any], message: str, ring: Any) -> None:
    with pytest.raises(LaunchError, match=message):
        ring({**arguments(), **change}, 1)


def test_messages_have_the_size_of_their_receiver(ring: Any) -> None:
    given = arguments()
    for pack in ("send", "recv"):
        given[pack][1] = np.zeros(5)
    with pytest.raises(LaunchError, match="`ring` receives 32 bytes as message 0, but message 1 has 40"):
        ring(given, 1)


def test_memory_is_not_passed_twice(ring: Any) -> None:
    given = arguments()
    given["recv"][2] = given["send"][0]
    with pytest.raises(LaunchError, match=r"KP0803.*`send\[0\]` and `recv\[2\]` overlap"):
        ring(given, 1)


def test_what_is_received_overlaps_nothing_where_no_kernel_takes_it() -> None:
    only: Program = program("""
        @program
        def only(
            send: Pack[Ref[f64, "n"], 2], recv: Pack[Mut[f64, "n"], 2], ranks: Table[i32, 2], tags: Table[i32, 2]
        ):
            exchange(send, recv, ranks, tags)
        """)
    x = np.zeros(6)
    given = {"send": [x[:3], x[:3]], "recv": [np.zeros(3), x[2:5]], "ranks": [0, 0], "tags": [1, 0]}
    with pytest.raises(LaunchError, match="KP0803"):
        compile_program(only, "cpu1").bind(given)
    given["recv"] = [np.ones(3), np.ones(3)]
    compile_program(only, "cpu1").bind(given).run()
    assert not np.any(given["recv"])


def test_a_process_without_mpi_is_alone() -> None:
    assert exchange.world() == World(0, 1)


@pytest.mark.toolchain
@pytest.mark.parametrize("processes", [1, 2])
def test_processes_exchange_their_halos(processes: int, tmp_path: Path) -> None:
    """One process sends to itself by MPI as well."""
    starter = shutil.which("mpiexec") or shutil.which("mpiexec", path=str(Path(sys.executable).parent))
    if starter is None or importlib.util.find_spec("mpi4py") is None:
        pytest.skip("no MPI here: install kparity[mpi,mpich]")
    script = Path(__file__).with_name("exchange_processes.py")
    command = [starter, "-n", str(processes), sys.executable, str(script), str(processes)]
    finished = subprocess.run(
        command, capture_output=True, text=True, timeout=300, check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert finished.returncode == 0, finished.stdout + finished.stderr


def test_the_block_starts_with_what_baselines_call() -> None:
    """Its layout is written into native code."""
    offsets = {name: getattr(exchange._State, name).offset for name, _ in exchange._State._fields_}
    assert list(offsets.values()) == [8 * k for k in range(len(offsets))] and ctypes.sizeof(exchange._State) == 96
