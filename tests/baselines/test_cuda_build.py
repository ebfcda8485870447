"""nvcc compiles every baseline for sm_90 into good code; no GPU is needed."""

from __future__ import annotations

from typing import Any

import pytest

from kparity.baselines import Baseline, Options, Request, build_many
from kparity.baselines.toolchain import cuda_compiler
from kparity.compiler import KparityError, Manifest, TargetUnavailable
from kparity.compiler.ir.nodes import Space, Teams
from kparity.compiler.ir.walk import buffers
from kparity.suites import Entry, entries

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

# Registers where 32 are too few; loads of arrays that are written as well.
REGISTERS = {
    "adi": 64, "convection3dpa": 40, "del_dot_vec_2d": 40, "diffusion3dpa": 40, "edge3d": 255, "femsweep": 64,
    "hydro_2d": 40, "intsc_hexhex": 96, "intsc_hexrect": 152, "mass3dea": 96, "mass3dpa": 72, "pi_reduce": 40,
    "reduce_struct": 40, "vol3d": 48,
}  # fmt: skip
# nvcc keeps 8 bytes of ADI's recurrences on the stack, some of EDGE3D's 78 sums, FEMSWEEP's matrix, and some vertices
# of INTSC_HEXHEX's polygons, so that two blocks of 288 threads fit.
SPILLING = {"adi", "edge3d", "femsweep", "intsc_hexhex"}
STACK = {"intsc_hexrect": 192}  # bytes of local memory: a hexahedron's corners, which a list of triangles indexes
WRITTEN_TOO = {"daxpy": 1, "diff_predict": 9, "energy": 3, "gen_lin_recur": 2, "hydro_2d": 2, "int_predict": 10}
BINNED = ("atomic_occgs_256", "atomic_direct_256")
TUNINGS = {
    "atomic": tuple(f"replicate_4096_{by}_256" for by in ("global", "warp", "block")),
    "empty": ("occgs_256", "direct_256"), "histogram": BINNED, "multi_reduce": BINNED,
    "memcpy": ("block_256", "library"), "memset": ("block_256", "library"),  # the second asks the CUDA runtime
    "scan": ("cub",), "sort": ("cub",), "sortpairs": ("cub",), "indexlist": ("cub",),
}  # fmt: skip
# Kernels that tunings share: MEMCPY's `library` launches none, MEMSET's the same one for values that are not bytes.
WITHOUT_MAPPING = {"histogram": {"begin"}, "multi_reduce": {"begin"}, "memcpy": {"copy"}, "memset": {"set"}}
# Where the baseline's own kernels are others than the program's: CUB scans and selects.
OWN_LAUNCHES: dict[str, set[str]] = {
    "pi_atomic": {"begin", "integrate"}, "scan": set(), "sort": set(), "sortpairs": set(),
    "indexlist": {"kp_deliver_value"}, "indexlist_3loop": {"count", "collect"},
}  # fmt: skip
# The launch that brings one value back, which no block has to combine.
RETURNING = {"pi_atomic": "integrate", "indexlist": "kp_deliver_value", "indexlist_3loop": "collect"}
COMBINING = {"count_by_blocks"}  # a tuning whose blocks add up what their threads have, in no reduction of ours
# Nothing that `restrict` could speak of: CUB's kernels read the borrowed array; the fused kernels take their pointers
# from tables passed by value; messages are sent without a kernel.
NO_READ_ONLY = {"scan", "indexlist", "halo_exchange_fused", "halo_packing_fused", "halo_sendrecv"}
VENDOR = ("cub::", "_ZN3cub")  # kernels that are not the baseline's own, by their name or their symbol


def reduces(baseline: Baseline) -> bool:
    reducers = any(p.kind == "reducer" for p in baseline.manifest.parameters)
    return reducers and baseline.kernel not in RETURNING


def own_code(baseline: Baseline) -> str:
    return "".join(part for part in baseline.code.split(".entry ") if not part.startswith(VENDOR))


@pytest.fixture(scope="session")
def cuda(manifests: dict[str, Manifest]) -> dict[str, Baseline]:
    try:
        cuda_compiler()
    except TargetUnavailable as error:
        pytest.skip(str(error))
    wanted = [Request(entry.path, manifests[entry.path.stem], "cuda") for entry in entries("rajaperf")]
    made = build_many(wanted, Options(architecture="sm_90"))
    failed = [result for result in made if isinstance(result, KparityError)]
    assert not failed, failed[0]
    return {baseline.kernel: baseline for baseline in made if isinstance(baseline, Baseline)}


def test_entry_points(entry: Entry, cuda: Any, blocks: dict[str, int]) -> None:
    baseline: Baseline = cuda[entry.path.stem]
    usual = ("blkatm_occgs_256", "blkatm_direct_256") if reduces(baseline) else (f"block_{blocks[entry.path.stem]}",)
    assert baseline.tunings == TUNINGS.get(baseline.kernel, usual)
    assert len({baseline.address(tuning) for tuning in baseline.tunings}) == len(baseline.tunings)


def test_registers_allow_full_occupancy_and_nothing_spills(entry: Entry, cuda: Any) -> None:
    """Up to 32 registers a thread hold 2,048 threads a multiprocessor; VOL3D's 24 corner coordinates need more."""
    baseline: Baseline = cuda[entry.path.stem]
    reduction = reduces(baseline)
    called = {call.kernel for call in entry.spec.program.typed_program.calls}
    calls, teams = {k.name for k in called}, [k.body for k in called if isinstance(k.body, Teams)]
    shares = any(b.space is Space.SHARED for team in teams for b in buffers(team.body))
    alike = WITHOUT_MAPPING.get(baseline.kernel, set())
    if (own := OWN_LAUNCHES.get(baseline.kernel)) is not None:
        calls, teams, shares = own, [], False
    kernels = {name: used for name, used in baseline.resources.items() if not name.startswith(VENDOR)}
    assert own is None or set(kernels) == own
    assert len(kernels) == len(baseline.tunings) * (len(calls) - len(alike)) + len(alike)
    for name, used in kernels.items():
        spills = (used.spill_stores, used.spill_loads, used.stack - STACK.get(baseline.kernel, 0)) != (0, 0, 0)
        assert not spills or baseline.kernel in SPILLING, name
        assert 0 < used.registers <= REGISTERS.get(baseline.kernel, 32), name
        waits = (reduction or bool(teams)) and name not in alike
        combines = name in COMBINING
        assert used.barriers == (waits or combines or name == RETURNING.get(baseline.kernel)), name
        assert (used.shared > 0) == (combines or ((reduction or shares) and name not in alike)), name


def test_borrowed_arrays_are_read_through_the_read_only_path(entry: Entry, cuda: Any, manifests: Any) -> None:
    """`restrict` holds: otherwise a store before a load would keep the loads from moving up."""
    baseline: Baseline = cuda[entry.path.stem]
    loads = [line for line in own_code(baseline).splitlines() if "ld.global" in line]
    if any(p.access == "Ref" for p in manifests[baseline.kernel].parameters):
        assert any(".nc." in line for line in loads) == (baseline.kernel not in NO_READ_ONLY)
    others = [line for line in loads if ".nc." not in line]
    # What a repetition also writes is a plain load, as it must be; DAXPY has one such array, read once.
    several_launches = len(entry.spec.program.typed_program.calls) > 1  # one may read what another wrote
    writes_what_it_reads = several_launches or any(p.access == "Mut" for p in manifests[baseline.kernel].parameters)
    assert not others or writes_what_it_reads
    assert len(others) <= WRITTEN_TOO.get(baseline.kernel, len(others))


def test_full_occupancy_reductions_load_four_elements_ahead(cuda: Any) -> None:
    kernels = cuda["dot"].code.split(".entry")[1:]
    loads = sorted(kernel.count("ld.global.nc.f64") for kernel in kernels)
    assert loads == [2, 10]  # direct: one element; grid-stride: four at a time and a remainder


def test_one_kernel_compiled_for_another_block(manifests: Any) -> None:
    try:
        cuda_compiler()
    except TargetUnavailable as error:
        pytest.skip(str(error))
    options = Options(architecture="sm_90", extra=("-DKP_BLOCK=128",))
    (made,) = build_many([Request("triad", manifests["triad"], "cuda")], options)
    assert isinstance(made, Baseline), made
    assert made.tunings == ("block_128",)
    assert ".maxntid 128" in made.code
