"""HIP builds: every kernel compiles for CDNA and RDNA, and its HIP text for NVIDIA as well."""

from __future__ import annotations

from typing import Any

import pytest

from kparity.baselines import Baseline, Options, Request, build_many, hip_compiler
from kparity.baselines.toolchain import cuda_compiler
from kparity.compiler import KparityError, Manifest, TargetUnavailable
from tests.amdgcn.code_object import CodeObject

from .conftest import kernels

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

# One of each kind: a plain loop, reductions with and without a location, bins, teams, tables, the runtime's copy, ocml.
SLICE = (
    "triad", "dot", "first_min", "reduce3_int", "reduce_struct", "histogram", "mat_mat_shared", "halo_packing_fused",
    "memcpy", "planckian",
)  # fmt: skip
# Debian's rocPRIM (ROCm 5.3) broadcasts along rows of lanes, which RDNA 3 and 4 cannot.
LIBRARY = {"scan", "sort", "sortpairs", "indexlist", "indexlist_3loop"}
ARCHITECTURES = ("gfx90a", "gfx942", "gfx1100", "gfx1201")


def built(target: str, architecture: str, manifests: dict[str, Manifest], stems: Any) -> list[Baseline]:
    made = build_many([Request(stem, manifests[stem], target) for stem in stems], Options(architecture=architecture))
    failed = [result for result in made if isinstance(result, KparityError)]
    assert not failed, failed[0]
    return [baseline for baseline in made if isinstance(baseline, Baseline)]


def check(baseline: Baseline, architecture: str) -> None:
    if baseline.kernel == "halo_sendrecv":  # messages alone
        assert not baseline.code_objects
        return
    (code,) = [CodeObject(raw) for name, raw in baseline.code_objects.items() if name == architecture]
    assert code.architecture == architecture
    assert code.kernels
    waves = {code.descriptor(kernel).wave for kernel in code.kernels}
    assert waves <= {64 if architecture.startswith("gfx9") else 32}


@pytest.mark.parametrize("architecture", ["gfx90a", "gfx1100"])
def test_a_slice_compiles(architecture: str, manifests: dict[str, Manifest]) -> None:
    try:
        hip_compiler(architecture)
    except TargetUnavailable as error:
        pytest.skip(str(error))
    for baseline in built("hip", architecture, manifests, SLICE):
        check(baseline, architecture)
        assert ".amdhsa_kernel" in baseline.code


def test_tunings_are_those_of_cuda(manifests: dict[str, Manifest]) -> None:
    try:
        hip_compiler("gfx90a")
    except TargetUnavailable as error:
        pytest.skip(str(error))
    made = {b.kernel: b for b in built("hip", "gfx90a", manifests, SLICE)}
    assert made["triad"].tunings == ("block_256",)
    assert made["dot"].tunings == ("blkatm_occgs_256", "blkatm_direct_256")
    assert made["triad"].address() != 0


def test_the_hip_text_compiles_for_nvidia(manifests: dict[str, Manifest]) -> None:
    try:
        cuda_compiler()
    except TargetUnavailable as error:
        pytest.skip(str(error))
    first = {"triad": "block_256", "dot": "blkatm_occgs_256", "scan": "rocprim", "intsc_hexhex": "block_288"}
    for baseline in built("hip_on_cuda", "sm_90", manifests, list(first)):
        assert baseline.tunings[0] == first[baseline.kernel]
        assert baseline.executable().target == "cuda"
        # The text is HIP's: CUDA's side has fences of its own, and adds 32-bit integers in one instruction.
        assert "fence.acq_rel.gpu" not in baseline.code


@pytest.mark.long
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_every_kernel_compiles(architecture: str, manifests: dict[str, Manifest]) -> None:
    try:
        hip_compiler(architecture)
    except TargetUnavailable as error:
        pytest.skip(str(error))
    left_out = set() if architecture.startswith("gfx9") else LIBRARY
    for baseline in built("hip", architecture, manifests, sorted({e.path.stem for e in kernels()} - left_out)):
        check(baseline, architecture)


@pytest.mark.long
def test_every_hip_text_compiles_for_nvidia(manifests: dict[str, Manifest]) -> None:
    try:
        cuda_compiler()
    except TargetUnavailable as error:
        pytest.skip(str(error))
    built("hip_on_cuda", "sm_90", manifests, [entry.path.stem for entry in kernels()])
