"""The suite's kernels with their manifests, and a launch straight through the C entry point."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from kparity.baselines import Baseline, Request, build_many
from kparity.baselines.sources import find_source
from kparity.compiler import KparityError, Manifest, manifest_of
from kparity.compiler.runtime.arguments import view_of
from kparity.compiler.runtime.binding import Arguments
from kparity.compiler.runtime.exchange import Exchange
from kparity.suites import Entry, arrays_in, each, entries

RUN = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p, ctypes.c_int32)
Built = dict[tuple[str, str], Baseline]


def kernels() -> list[Entry]:
    return list(entries("rajaperf"))


@pytest.fixture(params=kernels(), ids=lambda entry: entry.path.stem)
def entry(request: pytest.FixtureRequest) -> Entry:
    kernel: Entry = request.param
    return kernel


@pytest.fixture(scope="session")
def manifests() -> dict[str, Manifest]:
    return {entry.path.stem: manifest_of(entry.spec.program) for entry in kernels()}


@pytest.fixture(scope="session")
def blocks() -> dict[str, int]:
    """Threads of each kernel's blocks: 256, or what its source says."""
    said = {
        e.path.stem: re.search(r"^#define KP_BLOCK (\d+)$", find_source(e.path.stem).read_text(), re.M)
        for e in kernels()
    }
    return {kernel: int(match[1]) if match else 256 for kernel, match in said.items()}


@pytest.fixture(scope="session")
def built(manifests: dict[str, Manifest]) -> Built:
    """Every kernel for both CPU targets."""
    wanted = [Request(e.path, manifests[e.path.stem], target) for e in kernels() for target in ("cpu1", "cpu")]
    made = build_many(wanted)
    failed = [result for result in made if isinstance(result, KparityError)]
    assert not failed, failed[0]
    return {(b.kernel, b.target): b for b in made if isinstance(b, Baseline)}


def random_arguments(entry: Entry, size: int, seed: int = 7) -> dict[str, Any]:
    """Arguments with nothing constant in them, so that a wrong index is seen."""
    from kparity.suites.rajaperf import Fill

    rng = np.random.default_rng(seed)
    if entry.spec.random is not None:
        return dict(entry.spec.random(size, rng))
    arguments = entry.spec.data(size, Fill())

    def noise(array: Any) -> Any:
        return rng.uniform(-1.0, 1.0, array.shape) if array.dtype.kind == "f" else array  # index lists stay

    return {name: each(noise, value) for name, value in arguments.items()}


def words(numbers: Sequence[int]) -> bytes:
    return np.array(numbers, np.int64).tobytes()


MESSAGES: list[Any] = [None]  # those of the last launch: its block holds their address


def messages_of(manifest: Manifest, arguments: Mapping[str, Any], values: Mapping[str, Any]) -> Exchange:
    views = {name: view_of(name, array) for name, array in arrays_in(arguments).items()}
    return Exchange(
        manifest, Arguments(views, {}, {}, {n: v for n, v in values.items() if isinstance(v, bytes)}), False
    )


def pack(manifest: Manifest, arguments: Mapping[str, Any], results: int = 0) -> ctypes.Array[ctypes.c_char]:
    """Pack host arrays and scalars; extents follow from the dims that are bare names."""
    values: dict[str, Any] = {"results": results}
    for p in manifest.parameters:
        if p.kind in ("array", "reducer"):
            values[p.name] = arguments[p.name].ctypes.data
            values.update(
                (dim, size) for dim, size in zip(p.dims, arguments[p.name].shape, strict=False) if dim.isidentifier()
            )
        elif p.kind == "scalar":
            values[p.name] = arguments[p.name]
        elif p.kind == "table":
            values[p.name] = np.asarray(arguments[p.name]).tobytes()
        elif p.kind == "exchange":
            MESSAGES[0] = messages_of(manifest, arguments, values)
            values[p.name] = MESSAGES[0].address
        elif p.kind == "pack":
            members = list(arguments[p.name])
            values[p.name] = words([a.ctypes.data for a in members])
            for dim, sizes in zip(p.dims, zip(*(a.shape for a in members), strict=True), strict=True):
                values[dim.removesuffix("[]")] = words(sizes) if dim.endswith("[]") else sizes[0]
    return manifest.pack(values)


@pytest.fixture
def arguments_of() -> Callable[..., dict[str, Any]]:
    return random_arguments


Launch = Callable[..., int]


@pytest.fixture
def launch() -> Launch:
    """Run repetitions through a C entry point; returns what it returns."""

    def run(
        manifest: Manifest,
        address: int,
        arguments: Mapping[str, Any],
        repetitions: int = 1,
        *,
        results: int = 0,
        flags: int = 0,
    ) -> int:
        block = pack(manifest, arguments, results)
        return int(RUN(address)(ctypes.addressof(block), 0, repetitions, None, flags))

    return run
