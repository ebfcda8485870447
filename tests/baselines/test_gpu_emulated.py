"""The GPU side of every baseline, run on an emulated GPU: results, tunings, and the way back of reduced scalars."""

from __future__ import annotations

import ctypes
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kparity.baselines.sources import INCLUDE, abi_header, find_source
from kparity.baselines.toolchain import cpp_compiler
from kparity.compiler import Manifest, TargetUnavailable
from kparity.suites import Entry, arrays_in, each

from .conftest import kernels

pytestmark = pytest.mark.toolchain

EMULATOR = Path(__file__).parent / "emulated_gpu"
NOT_READY, LAUNCH_FAILURE, NOT_DELIVERED, WITHOUT_RESULTS = 600, 719, -2, 1
BINNED = ["atomic_occgs_256", "atomic_direct_256"]
WITH_LIBRARY = ["block_256", "library"]
TUNINGS = {
    "atomic": [f"replicate_4096_{by}_256" for by in ("global", "warp", "block")],
    "empty": ["occgs_256", "direct_256"], "histogram": BINNED, "multi_reduce": BINNED,
    "memcpy": WITH_LIBRARY, "memset": WITH_LIBRARY, "scan": ["cub"], "sort": ["cub"], "sortpairs": ["cub"],
    "indexlist": ["cub"], "indexlist_3loop": ["block_256"],
}  # fmt: skip


@dataclass
class Gpu:
    """One kernel compiled for the emulated GPU."""

    library: ctypes.CDLL
    manifest: Manifest

    @property
    def tunings(self) -> list[str]:
        self.library.kp_tunings.restype = ctypes.c_char_p
        return list(self.library.kp_tunings().decode().split())

    def address(self, tuning: str) -> int:
        return ctypes.cast(getattr(self.library, f"kp_run_{tuning}"), ctypes.c_void_p).value or 0


class Results(ctypes.Structure):
    _fields_ = (("arrived", ctypes.c_uint64), ("issued", ctypes.c_uint64), ("value", ctypes.c_uint64 * 6))


class Gpus(dict[str, Gpu]):
    """Compiles a kernel's baseline for the emulated GPU when it is first asked for."""

    def __init__(
        self, compiler: str, folder: Path, manifests: dict[str, Manifest], flags: tuple[str, ...] = ()
    ) -> None:
        super().__init__()
        self.compiler, self.folder, self.manifests, self.flags = compiler, folder, manifests, flags

    def __missing__(self, kernel: str) -> Gpu:
        manifest = self.manifests[kernel]
        (self.folder / f"{kernel}.abi.h").write_text(abi_header(manifest))
        library = self.folder / f"{kernel}.so"
        options = ["-D__CUDACC__", "-std=c++17", "-fPIC", "-shared", "-Wall", "-Wno-unused-function", "-Werror"]
        paths = [f"-I{EMULATOR}", f"-I{INCLUDE}", f"-I{self.folder}", str(find_source(kernel))]
        subprocess.run([self.compiler, *options, *self.flags, *paths, "-o", str(library)], check=True, timeout=120)
        self[kernel] = Gpu(ctypes.CDLL(str(library)), manifest)
        return self[kernel]


@pytest.fixture(scope="session")
def gpus(manifests: dict[str, Manifest], tmp_path_factory: pytest.TempPathFactory) -> Gpus:
    try:
        compiler = cpp_compiler().path
    except TargetUnavailable as error:
        pytest.skip(str(error))
    return Gpus(compiler, tmp_path_factory.mktemp("emulated"), manifests)


@pytest.fixture(scope="session")
def hip(gpus: Gpus, tmp_path_factory: pytest.TempPathFactory) -> Gpus:
    """The HIP text, through the headers that `hip_on_cuda` is compiled with."""
    flags = ("-D__HIP_PLATFORM_NVIDIA__", f"-I{INCLUDE / 'hip_on_cuda'}")
    return Gpus(gpus.compiler, tmp_path_factory.mktemp("hip"), gpus.manifests, flags)


@pytest.mark.parametrize("kernel", ["dot", "reduce3_int", "scan", "sort", "sortpairs", "indexlist", "indexlist_3loop"])
def test_the_hip_text_agrees_with_numpy(kernel: str, hip: Any, arguments_of: Any, launch: Any) -> None:
    """The way of reduced values, and the library's calls, which the emulator of AMD's code does not run."""
    (entry,) = [entry for entry in kernels() if entry.path.stem == kernel]
    gpu: Gpu = hip[kernel]
    assert "cub" not in gpu.tunings
    check(gpu, entry, 700, arguments_of, launch)


@pytest.mark.parametrize("size", [1, 700, 5000])
def test_agrees_with_numpy(entry: Entry, size: int, gpus: Any, arguments_of: Any, launch: Any) -> None:
    """700 elements are fewer blocks than the emulated GPU holds at once, 5000 are more."""
    check(gpus[entry.path.stem], entry, size, arguments_of, launch)


def check(gpu: Gpu, entry: Entry, size: int, arguments_of: Any, launch: Any) -> None:
    for tuning in gpu.tunings:
        arguments = arguments_of(entry, size)
        expected = {name: each(np.copy, value) for name, value in arguments.items()}
        results = Results()
        assert launch(gpu.manifest, gpu.address(tuning), arguments, 2, results=ctypes.addressof(results)) == 0
        entry.spec.repeat(expected, 2)
        got = arrays_in(arguments)
        for name, all_of_it in arrays_in(expected).items():
            rtol = max(entry.spec.rtol, 1e-15)
            mine, want = (entry.spec.result(name, array) for array in (got[name], all_of_it))
            for part in getattr(want, "dtype", np.dtype(int)).names or [...]:
                np.testing.assert_allclose(mine[part], want[part], rtol, rtol, err_msg=f"{tuning}: {name}")


def test_tunings(gpus: Gpus, blocks: dict[str, int]) -> None:
    for kernel in gpus.manifests:
        gpu = gpus[kernel]
        reduces = any(p.kind == "reducer" for p in gpu.manifest.parameters)
        usual = ["blkatm_occgs_256", "blkatm_direct_256"] if reduces else [f"block_{blocks[kernel]}"]
        assert gpu.tunings == TUNINGS.get(kernel, usual), kernel


def test_launches_of_a_repetition(entry: Entry, gpus: Any, arguments_of: Any, launch: Any) -> None:
    """One a kernel call, as RAJAPerf has it: filling reducers costs no launch of its own."""
    # Nodes of a matrix of 100 elements; messages, variables, both ways; the last kernel brings pi back; launches of a
    # library are not counted.
    others = {
        "floyd_warshall": 10, "halo_exchange": 156, "halo_packing": 156, "indexlist": 1, "indexlist_3loop": 2,
        "pi_atomic": 2, "scan": 0, "sort": 0, "sortpairs": 0,
    }  # fmt: skip
    gpu: Gpu = gpus[entry.path.stem]
    before = gpu.library.emulated_launches()
    results = Results()  # lives until the launches are over
    launch(gpu.manifest, gpu.address(gpu.tunings[0]), arguments_of(entry, 100), 3, results=ctypes.addressof(results))
    assert gpu.library.emulated_launches() - before == 3 * others.get(
        entry.path.stem, len(entry.spec.program.typed_program.calls)
    )


@pytest.mark.parametrize("tuning", ["blkatm_occgs_256", "blkatm_direct_256"])
@pytest.mark.parametrize("n", [0, 1, 256, 257, 3000])
def test_integers_come_back_exactly(tuning: str, n: int, gpus: Any, launch: Any) -> None:
    gpu: Gpu = gpus["reduce3_int"]
    rng = np.random.default_rng(n)
    results = Results()
    for repetition in range(1, 4):
        vec = rng.integers(-(2**31), 2**31, n, np.int32)
        reducers = {name: np.full(1, 99, np.int32) for name in ("total", "smallest", "largest")}
        address = ctypes.addressof(results)
        assert launch(gpu.manifest, gpu.address(tuning), {"vec": vec, **reducers}, 1, results=address) == 0
        wanted = [
            int(np.sum(vec, dtype=np.int32)),
            int(np.min(vec, initial=2**31 - 1)),
            int(np.max(vec, initial=-(2**31))),
        ]
        assert [int(value[0]) for value in reducers.values()] == wanted
        assert [ctypes.c_int64(value).value for value in results.value[:3]] == wanted
        assert (results.arrived, results.issued) == (repetition, repetition)


def dot_arguments(n: int = 1000) -> dict[str, Any]:
    rng = np.random.default_rng(1)
    return {"a": rng.random(n), "b": rng.random(n), "total": np.full(1, 5.0)}


def test_a_sum_accumulates_and_comes_back(gpus: Any, launch: Any) -> None:
    gpu, arguments, results = gpus["dot"], dot_arguments(), Results()
    assert launch(gpu.manifest, gpu.address("blkatm_occgs_256"), arguments, 3, results=ctypes.addressof(results)) == 0
    np.testing.assert_allclose(arguments["total"][0], 5.0 + 3 * (arguments["a"] @ arguments["b"]), rtol=1e-13)
    assert np.array(results.value[:1], np.uint64).view(np.float64)[0] == arguments["total"][0]
    assert results.arrived == 3


def test_without_results_nothing_waits(gpus: Any, launch: Any) -> None:
    gpu, results = gpus["dot"], Results()
    gpu.library.emulated_fault(0, NOT_READY)  # a wait would never end
    try:
        run = gpu.address("blkatm_occgs_256")
        assert (
            launch(gpu.manifest, run, dot_arguments(), 1, results=ctypes.addressof(results), flags=WITHOUT_RESULTS) == 0
        )
    finally:
        gpu.library.emulated_fault(-1, 0)
    assert (results.arrived, results.issued) == (0, 1)


@pytest.mark.parametrize(("query", "status"), [(0, NOT_DELIVERED), (LAUNCH_FAILURE, LAUNCH_FAILURE)])
def test_a_launch_that_never_delivers_is_reported(query: int, status: int, gpus: Any, launch: Any) -> None:
    gpu, results = gpus["dot"], Results()
    gpu.library.emulated_fault(1, query)  # the second of three
    try:
        run = gpu.address("blkatm_occgs_256")
        assert launch(gpu.manifest, run, dot_arguments(), 3, results=ctypes.addressof(results)) == status
    finally:
        gpu.library.emulated_fault(-1, 0)
    assert (results.arrived, results.issued) == (1, 2)


@pytest.mark.parametrize("kernel", ["triad", "jacobi_2d", "nested_init"])
def test_nothing_to_do_is_no_launch(kernel: str, gpus: Any, launch: Any) -> None:
    """A grid without blocks is an error to the driver."""
    gpu: Gpu = gpus[kernel]
    empty = {p.name: np.empty((0,) * len(p.dims)) if p.kind == "array" else 1.0 for p in gpu.manifest.parameters}
    before = gpu.library.emulated_launches()
    assert launch(gpu.manifest, gpu.address("block_256"), empty) == 0
    assert gpu.library.emulated_launches() == before


def test_a_refused_launch_ends_the_run(gpus: Any, launch: Any) -> None:
    """65,536 planes of one element: more than a grid has in z."""
    gpu: Gpu = gpus["nested_init"]
    block = gpu.manifest.pack({"a": 0, "n": 65_536})
    run = ctypes.CFUNCTYPE(
        ctypes.c_int32, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p, ctypes.c_int32
    )(gpu.address("block_256"))
    before = gpu.library.emulated_launches()
    assert run(ctypes.addressof(block), 0, 5, None, 0) == 9
    assert gpu.library.emulated_launches() == before
