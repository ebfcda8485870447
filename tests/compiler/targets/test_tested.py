"""`with checked():` on every target: what would leave its array does not happen, and is reported; the rest happens."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kparity.compiler import AccessError, compile, compile_program, cuda_tools
from kparity.compiler.checks.proved import Tier
from kparity.compiler.runtime import faults
from kparity.compiler.targets import cuda

from ..interpreter import interpret
from ..sources import kernel
from .emulation import Emulator, Lent

GATHER = kernel("""
    def gather(y: Mut[f64, "n", "m"], z: Mut[i32, "n"], x: Ref[f64, "1..rows + 1", "m"], at: Ref[i64, "n", "m"],
               n: i64, m: i64, rows: i64):
        for i, j in parallel(n, m):
            with checked():
                y[i, j] = 1.0 + x[at[i, j], j] if j >= 0 else 0.0
                if j == 0:
                    z[i] = i32(x[at[i, j] + 1, m - 1 - j])
    """)
SCATTER = kernel("""
    def scatter(y: Mut[f64, "n"], count: Atomic[i64, 4], x: Ref[f64, "m"], bin: Ref[i32, "m"], s: i64):
        for i in parallel((s, s + m)):
            with checked():
                y[i] = y[i] + x[i - s] if bin[i - s] != 1 else y[i]
                y[i] += f64(count[bin[i - s]].add(7) * 0)
    """)
WRAPS = kernel("""
    def wraps(y: Mut[f64, "n"], x: Ref[f64, 8], q: Ref[i64, "n"]):
        for i in parallel(n):
            with checked():
                y[i] = x[q[i] * 4611686018427387904 + i]
    """)
COUNTED = kernel("""
    def counted(x: Ref[f64, "n"], total: Sum[f64], at: Ref[i32, "m"]):
        for i in parallel(m):
            with checked():
                total += x[at[i]]
    """)


def gather_arguments(bad: int | None) -> dict[str, Any]:
    random = np.random.default_rng(3)
    at = random.integers(1, 4, (40, 3))
    if bad is not None:
        at[17, 2] = bad
    x = random.random((4, 3))
    return {"y": np.zeros((40, 3)), "z": np.zeros(40, np.int32), "x": x, "at": at, "n": 40, "m": 3, "rows": 4}


def wanted_fault(bad: int) -> tuple[dict[str, int], int, int, tuple[int, int]]:
    return {"i": 17, "j": 2}, bad, 0, (1, 5)


BAD = [0, -1, 5, 2**62, -(2**63)]


def fault_of(error: AccessError) -> tuple[dict[str, int], int, int, tuple[int, int]]:
    return error.thread, error.index, error.dimension, error.bounds


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("target", ["cpu1", "cpu"])
def test_the_bad_access_does_not_happen(target: str, bad: int) -> None:
    arguments = gather_arguments(bad)
    wanted = interpret(GATHER, arguments)
    bound = compile_program(GATHER, target).bind(arguments)
    with pytest.raises(AccessError) as caught:
        bound.run()
    assert fault_of(caught.value) == wanted_fault(bad)
    assert caught.value.kernel == "gather" and caught.value.access == "x[at[i, j], j]"
    assert caught.value.place.endswith(":6") and "KP0808" in str(caught.value)
    for name in "yz":
        np.testing.assert_array_equal(arguments[name], wanted[name])
    arguments["at"][17, 2] = 1
    bound.run()  # the record is clean again
    assert (arguments["y"] >= 1.0).all()


@pytest.mark.toolchain
@pytest.mark.parametrize("bad", [None, *BAD])
@pytest.mark.parametrize("version", ["_narrow", ""])
def test_on_the_emulated_gpu(version: str, bad: int | None, gpu: Emulator) -> None:
    gpu.only = version
    arguments = gather_arguments(bad)
    wanted = interpret(GATHER, arguments)
    lent = {n: Lent(v) if isinstance(v, np.ndarray) else v for n, v in arguments.items()}
    bound = gpu.compile(GATHER).bind(lent)
    bound.run()  # asynchronous: nothing is raised
    for name in "yz":
        np.testing.assert_array_equal(arguments[name], wanted[name])
    if bad is None:
        faults.check_all()
        return
    with pytest.raises(AccessError) as caught:
        bound.finish()
    assert fault_of(caught.value) == wanted_fault(bad)
    faults.check_all()  # reported once


@pytest.mark.parametrize("target", ["cpu1", "cpu"])
def test_stores_and_atomics_are_skipped(target: str) -> None:
    tiers = {(e.access, e.tier) for e in SCATTER.proved.evidence if e.obligation == "bounds"}
    assert ("count[bin[i - s]]", Tier.CHECKED) in tiers
    for bad in (-1, 4, None):
        bins = np.array([0, 1, 2, 3, 0], np.int32)
        if bad is not None:
            bins[3] = bad
        arguments = {"y": np.ones(9), "count": np.zeros(4, np.int64), "x": np.arange(5.0), "bin": bins, "s": 2}
        wanted = interpret(SCATTER, arguments)
        bound = compile_program(SCATTER, target).bind(arguments)
        if bad is None:
            bound.run()
        else:
            with pytest.raises(AccessError, match="count"):
                bound.run()
        for name in ("y", "count"):
            np.testing.assert_array_equal(arguments[name], wanted[name], err_msg=f"{name} {bad}")


@pytest.mark.parametrize("target", ["cpu1", "cpu"])
def test_the_machine_value_of_an_index_is_tested(target: str) -> None:
    """4 * 2^62 is 0 in 64 bits: inside, and so no failure; 2^62 is not."""
    arguments = {"y": np.zeros(4), "x": np.arange(8.0), "q": np.array([4, 0, 8, -4])}
    compile_program(WRAPS, target).bind(arguments).run()
    assert arguments["y"].tolist() == [0.0, 1.0, 2.0, 3.0]
    arguments["q"][2] = 1
    with pytest.raises(AccessError) as caught:
        compile_program(WRAPS, target).bind(arguments).run()
    assert caught.value.index == 2**62 + 2


@pytest.mark.toolchain
def test_a_reduction_reports_when_its_scalar_comes_back(gpu: Emulator) -> None:
    total, at = np.zeros(1), np.array([0, 5, 1], np.int32)
    for run in ("cpu1", "gpu"):
        arguments = {"x": np.array([1.0, 2.0]), "total": total, "at": at}
        if run == "gpu":
            bound: Any = gpu.compile(COUNTED).bind({n: Lent(v) for n, v in arguments.items()})
            bound.run()
        else:
            bound = compile_program(COUNTED, run).bind(arguments)
        with pytest.raises(AccessError) as caught:
            bound.finish() if run == "gpu" else bound.run()
        assert caught.value.index == 5 and caught.value.thread == {"i": 1}
    assert total[0] == 6.0, "1 + 2 on each: the bad load gave 0"


@pytest.mark.toolchain
def test_ptxas_takes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    if cuda_tools.ptxas() is None:
        pytest.skip("no ptxas")
    monkeypatch.setattr(cuda, "processor", lambda: "sm_90")
    artifact, _ = compile._generate(GATHER, cuda.generate)
    assert ".cas.b64" in artifact.listing and artifact.figures


def test_nothing_is_tested_that_is_proved() -> None:
    proved = kernel("""
        def k(y: Mut[f64, "n"], x: Ref[f64, "n"]):
            for i in parallel(n):
                with checked():
                    y[i] = x[i]
        """).proved
    assert proved.tested == frozenset() and {e.tier for e in proved.evidence} == {Tier.STATIC}
