"""The code of team kernels, and the limits of their launches: what loads see over a barrier, shared memory, blocks."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from kparity.compiler import Kernel, LaunchError, compile_program
from kparity.compiler.targets import cpu, cuda_tools
from kparity.compiler.targets.team_shapes import STATIC_LIMIT
from kparity.compiler.targets.text import symbol_name
from kparity.suites.rajaperf.apps.convection3dpa import convection3dpa

from ..sources import kernel
from .emulation import DYNAMIC_BYTES, Emulator
from .test_cuda_code import artifact, bodies
from .test_teams import (
    EXCHANGE,
    EXCHANGED,
    HANDED_ON,
    HISTOGRAM,
    LARGE,
    LEVELS,
    NEIGHBOURS,
    PLANES,
    PRIVATE,
    REVERSED,
    SHAPES,
    TILED,
    TURNS,
    whole,
)

SHARED = {"TILED": 2 * 4 * 4 * 8, "TURNS": 35 * 35 * 8, "SHAPES": 5**3 * 4, "PLANES": 64 * 8}
KERNELS = {
    "EXCHANGED": EXCHANGED, "HANDED_ON": HANDED_ON, "HISTOGRAM": HISTOGRAM, "LARGE": LARGE, "LEVELS": LEVELS,
    "PLANES": PLANES, "PRIVATE": PRIVATE, "REVERSED": REVERSED, "SHAPES": SHAPES, "TILED": TILED[4], "TURNS": TURNS,
}  # fmt: skip


def claiming(text: str, unaliased: set[str]) -> Kernel:
    """The kernel with `noalias` where a test puts it."""
    one = kernel(text)
    one.__dict__["proved"] = replace(one.proved, unaliased=frozenset(unaliased))
    return one


def code(one: Kernel, suffix: str = "_narrow") -> str:
    made = artifact(one)
    return bodies(made.listing)[symbol_name(made.plan.calls[0].symbol) + suffix]


def steps(one: Kernel) -> str:
    """Loads (those of the read-only cache as n), stores and barriers of a kernel, in the order of the text."""
    kinds = {"ld.global.nc": "n", "ld.global": "l", "st.global": "s", "bar.sync": "|"}
    return "".join(kinds[f] for f in re.findall(r"\b(ld\.global\.nc|ld\.global|st\.global|bar\.sync)", code(one)))


def test_a_load_stays_behind_the_barrier_that_orders_it() -> None:
    assert steps(EXCHANGED) == "ls|s|ls"


def test_noalias_would_be_a_lie_that_llvm_believes() -> None:
    """The same kernel with an attribute that it has not earned: the second load is gone, so the test above can fail."""
    assert steps(claiming(EXCHANGE, {"seen", "u"})).count("l") == 1


def test_scopes_part_arrays_within_a_phase_and_not_over_barriers() -> None:
    """`v` is stored and read again without a load between; the next phase and the next step load again."""
    assert steps(HANDED_ON) == "lls|lss|"
    assert "!noalias" not in cpu.emit_module([("k", claiming(NEIGHBOURS, {"u", "y"}).proved)], threads=False).text()


def test_no_access_is_said_to_miss_its_own_array() -> None:
    """LLVM would move a load over the store that it reads: an access's own scope is none that it never meets."""
    text = cpu.emit_module([("k", HANDED_ON.proved)], threads=False).text()
    scopes = re.findall(r"!alias.scope !{(![0-9]+)}, !noalias !{([^}]*)}", text)
    assert len({mine for mine, _ in scopes}) == 2
    assert all(mine not in others.split(", ") for mine, others in scopes)


def test_the_loads_of_shared_borrows_do_not_come_back_from_memory_that_others_write() -> None:
    assert "n" not in steps(HANDED_ON) + steps(EXCHANGED)
    assert steps(REVERSED).count("n") == 1


GENERIC = re.compile(r"\b(?:ld|st|atom|red)(?:\.relaxed|\.volatile|\.\w+add|\.v\d)*\.[bfus]\d+")


@pytest.mark.parametrize("suffix", ["_narrow", ""])
def test_memory_of_a_team_is_shared_memory(suffix: str) -> None:
    """Nothing goes through generic addresses; shared updates are atomic in shared memory, others on the device."""
    assert GENERIC.search("st.b64 [%rd1], %rd2;") and not GENERIC.search("st.shared.b64 [%rd1], %rd2;")
    for name, one in KERNELS.items():
        assert not GENERIC.search(code(one, suffix)), name
    assert re.findall(r"atom\.(?:shared|global)\.add", code(HISTOGRAM, suffix)) == [
        "atom.shared.add",
        "atom.global.add",
    ]


@pytest.mark.parametrize("suffix", ["_narrow", ""])
def test_neighbours_in_shared_memory_are_a_constant_apart(suffix: str) -> None:
    """A row of one tile, all four elements from one address, so that ptxas reads 16 bytes at a time."""
    loads = re.findall(r"ld\.shared\.b64 \s*%rd\d+, \[(%rd\d+)(?:\+\d+)?\]", code(TILED[4], suffix))
    assert len(loads) == 8 and max(loads.count(one) for one in loads) == 4


@pytest.mark.toolchain
@pytest.mark.parametrize("name", KERNELS)
def test_ptxas_accepts_it_without_spills(name: str) -> None:
    if cuda_tools.ptxas() is None:
        pytest.skip("no ptxas")
    assembled = cuda_tools.assemble(artifact(KERNELS[name]).listing, "sm_90")
    assert assembled is not None
    for figures in assembled[1].values():
        assert figures["spill_bytes"] == 0
        assert figures["registers"] <= 72
        if name in SHARED:
            assert figures["shared_bytes"] == SHARED[name]


def test_blocks_that_the_grid_does_not_hold_take_turns(gpu: Emulator) -> None:
    one = kernel("""
        def k(y: Out[i64, "m", "n"]):
            for i, j in teams(m, n):
                s = shared(i64, 4)
                for t in threads(4):
                    s[t] = i * t
                for t in threads(1):
                    y[i, j] = s[3] + j
        """)
    for shape, suffix in (((65_535, 1), "_narrow"), ((65_536, 1), ""), ((1, 65_536), "_narrow")):
        found = gpu.run(one, {"y": np.zeros(shape, np.int64)})
        i, j = np.indices(shape)
        assert np.array_equal(found["y"], 3 * i + j)
        assert gpu.launched[-1].endswith(suffix) and gpu.launched[-1].endswith("narrow") == bool(suffix)


def test_more_shared_memory_than_every_kernel_gets_is_asked_for(gpu: Emulator) -> None:
    for n, asked in ((STATIC_LIMIT // 8, False), (STATIC_LIMIT // 8 + 1, True), (DYNAMIC_BYTES // 8, True)):
        gpu.attributes.clear()
        gpu.run(REVERSED, {"y": np.zeros((1, n)), "x": whole(1, n)})
        assert [limit for _, _, limit in gpu.attributes] == [DYNAMIC_BYTES] * asked


def test_what_the_device_does_not_have_is_refused(gpu: Emulator) -> None:
    n, before = DYNAMIC_BYTES // 8 + 1, gpu.launches
    with pytest.raises(LaunchError, match=r"a team of `reverse` needs 100016 bytes of shared memory, more than there"):
        gpu.run(REVERSED, {"y": np.zeros((1, n)), "x": whole(1, n)})
    with pytest.raises(LaunchError, match=r"private memory of `shifted` is for 1025 threads of a team"):
        gpu.run(PRIVATE, {"y": np.zeros((1, 1025)), "x": whole(1, 1025)})
    assert gpu.launches == before


@pytest.mark.parametrize("target", ["cpu1", "cpu"])
@pytest.mark.parametrize(("k", "refused"), [(0, False), (2**26, False), (2**27 + 1, True), (2**62, True)])
def test_memory_that_no_team_can_have_is_refused_on_the_cpu(k: int, refused: bool, target: str) -> None:
    one = kernel("""
        def k(y: Out[f64, "m"], size: i64):
            for b in teams(m):
                s = shared(f64, size)
                for t in threads(min(size, 10)):
                    s[t] = 1.0
                for t in threads(1):
                    y[b] = s[0] if size > 0 else 2.0
        """)
    arguments: dict[str, Any] = {"y": np.zeros(3), "size": k}
    if refused:
        with pytest.raises(LaunchError, match=r"a team of `k` needs \d+ bytes of memory of its own"):
            compile_program(one, target).bind(arguments)
        return
    compile_program(one, target).bind(arguments).run()
    assert set(arguments["y"]) == {1.0 if k > 0 else 2.0}


def test_a_phase_on_the_cpu_scatters_nothing() -> None:
    """The innermost loops are too short for vectors and taken apart; the next ones have a stride."""
    listing = compile_program(convection3dpa, "cpu1", use_cache=False).listing
    assert not re.search(r"gather|scatter", listing)
