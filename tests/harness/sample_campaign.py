"""A campaign made up for the tests of reports: three targets, two sizes, and one of everything that can go wrong."""

from __future__ import annotations

import functools
import json
import random
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from kparity.harness.records import Campaign, Cell, Record, Verification

SIZES = (1_000_000, 33_554_432)
TARGETS = {"cpu1": 11e9, "cpu": 22e9, "cuda": 3.6e12}  # bytes a second of the copy kernel

# kernel: bytes read, bytes written, flops (each a multiple of the size), speedup on every target
KERNELS: dict[str, tuple[int, int, int, float]] = {
    "Apps_VOL3D": (24, 8, 72, 1.02),
    "Basic_DAXPY": (16, 8, 2, 1.0),
    "Basic_IF_QUAD": (24, 16, 11, 1.01),
    "Basic_INIT3": (16, 24, 1, 1.0),
    "Basic_MULADDSUB": (16, 24, 3, 0.99),
    "Basic_NESTED_INIT": (0, 8, 3, 1.03),
    "Basic_REDUCE3_INT": (4, 0, 1, 1.0),
    "Basic_TRAP_INT": (0, 0, 10, 1.04),
    "Lcals_FIRST_DIFF": (8, 8, 1, 1.01),
    "Lcals_HYDRO_1D": (16, 8, 5, 1.0),
    "Polybench_JACOBI_2D": (16, 16, 10, 1.31),
    "Stream_ADD": (16, 8, 1, 0.995),
    "Stream_COPY": (8, 8, 0, 1.0),
    "Stream_DOT": (16, 0, 2, 1.01),
    "Stream_MUL": (8, 8, 1, 1.0),
    "Stream_TRIAD": (16, 8, 2, 1.005),
}
SCALARS = {"Basic_REDUCE3_INT": ["vsum", "vmin", "vmax"], "Basic_TRAP_INT": ["sumx"], "Stream_DOT": ["dot"]}

SOURCE = """@kernel
def triad(a: Mut[f64, "n"], b: Ref[f64, "n"], c: Ref[f64, "n"], alpha: f64):
    for i in parallel(n):
        a[i] = b[i] + alpha * c[i]  # <- not markup & "quoted"
"""
BASELINE = """#include "triad.abi.h"
KP_KERNEL(256) triad(KP_MUT(double) a, KP_REF(double) b, KP_REF(double) c, double alpha, int64_t n) {
  const int64_t i = kp_thread_x();
  if (i < n) a[i] = b[i] + alpha * c[i];
}
"""
PTX = """.visible .entry triad(.param .u64 .ptr .global .align 8 triad_param_0)
{
  ld.param.u64 %rd1, [triad_param_0];
  ld.global.nc.f64 %fd1, [%rd1];
  fma.rn.f64 %fd2, %fd1, %fd1, %fd1;
  ret;
}
"""
COMPILER_MESSAGE = """trap_int.cpp(12): error: identifier "kp_reduce_add" is undefined
    kp_reduce_add(sumx, value);
    ^
1 error detected in the compilation of "trap_int.cpp"."""

PROVENANCE: dict[str, Any] = {
    "started": "2026-11-30T02:00:00+00:00",
    "host": "node17",
    "system": "Linux-6.1.0-x86_64-with-glibc2.36",
    "cpu": "AMD EPYC 9654",
    "cores": 16,
    "memory_bytes": 137438953472,
    "devices": {
        "cpu1": {"model": "AMD EPYC 9654", "threads": "1"},
        "cpu": {"model": "AMD EPYC 9654", "threads": "16"},
        "cuda": {"model": "NVIDIA H200", "driver": "580.95", "clock": "1980 MHz"},
    },
    "compilers": {"cpu1": "g++ 12.2.0 -O3", "cuda": "nvcc 13.0.88 -O3"},
    "packages": {"llvmlite": "0.50.0", "numpy": "2.4.6"},
    "python": "3.11.2",
    "commit": "3f2a9c41d0b7e5a8",
    "dirty": False,
    "environment": {"OMP_PROC_BIND": "close"},
    "command": ["kparity", "run"],
    "margin": 0.05,
}


@functools.cache
def sample_campaign(walks: int = 5, faults: bool = True, sizes: tuple[int, ...] = SIZES) -> Campaign:
    """Return a campaign; `faults` adds a wrong, a failed, a crashed, a slow and a noisy cell."""
    noise = random.Random(7)
    records = []
    for walk in range(walks):
        for kernel in KERNELS:
            for target in TARGETS:
                for size in sizes:
                    for variant in ("checked", "native"):
                        cell = Cell("rajaperf", kernel, target, size, variant)
                        record = _record(cell, walk, noise, faults)
                        records.append(_with_fault(record, noise) if faults else record)
    kernels = {kernel: _facts(kernel, sizes) for kernel in KERNELS}
    return Campaign("20261130-020000-node17", dict(PROVENANCE), records, kernels)


def _record(cell: Cell, walk: int, noise: random.Random, faults: bool) -> Record:
    read, written, flops, speedup = KERNELS[cell.kernel]
    rate = TARGETS[cell.target]
    seconds = max((read + written) * cell.size / rate, flops * cell.size / (rate * 1.5), 2e-6)
    if cell.variant == "checked":
        seconds /= 0.87 if faults and (cell.kernel, cell.target) == ("Apps_VOL3D", "cuda") else speedup
    seconds *= 1 + noise.gauss(0, 0.06 if faults and (cell.kernel, cell.target) == ("Basic_IF_QUAD", "cpu") else 0.006)
    device = [seconds * (1 + abs(noise.gauss(0, 0.004))) for _ in range(10)]
    wait = 9e-6 if cell.kernel in SCALARS else 0.0
    return Record(
        run="20261130-020000-node17",
        cell=cell,
        walk=walk,
        attempt=0,
        status="ok",
        actual_size=cell.size,
        repetitions=max(1, int(0.02 / seconds)),
        device_seconds=device,
        wall_seconds=[s * 1.002 + wait for s in device],
        verification=Verification("160928301.92739281", "160928301.92739283", 1.2e-16, 1e-10, 0.03, ""),
        compile_seconds=0.41 if walk == 0 else 0.02,
        started="2026-11-30T02:00:00+00:00",
    )


def _with_fault(record: Record, noise: random.Random) -> Record:
    cell = record.cell
    match (cell.kernel, cell.target, cell.variant):
        case ("Lcals_HYDRO_1D", "cpu1", "checked"):
            verification = replace(record.verification, relative_difference=3e-4, largest_error=412.0)
            message = "x[17] is 0.125, the reference has 0.25 (difference 412 tolerances)"
            return replace(
                record, status="wrong", message=message, verification=verification, device_seconds=[], wall_seconds=[]
            )
        case ("Basic_TRAP_INT", "cuda", "native"):
            return replace(
                record, status="failed", message=COMPILER_MESSAGE, verification=Verification(), device_seconds=[],
                wall_seconds=[],
            )  # fmt: skip
        case ("Stream_ADD", "cuda", "checked") if record.walk == 2 and cell.size == SIZES[0]:
            return replace(
                record, status="crashed", message="worker ended by SIGSEGV", device_seconds=[], wall_seconds=[]
            )
        case ("Stream_MUL", "cuda", "native") if record.walk == 3 and cell.size == SIZES[0]:
            return replace(record, conditions={"before": {"throttled": []}, "after": {"throttled": ["power cap"]}})
        case _:
            return record


def _facts(kernel: str, sizes: tuple[int, ...]) -> dict[str, Any]:
    read, written, flops, _ = KERNELS[kernel]
    reads = [
        {"kernel": "triad", "obligation": "bounds", "access": a, "tier": 1, "detail": "0 <= i < n", "line": 4}
        for a in ("b[i]", "c[i]", "a[i]")
    ]
    race = {
        "obligation": "race",
        "access": "a[i] / a[i]",
        "tier": 1,
        "detail": "different threads write different i",
        "line": 4,
    }
    guard = {
        "obligation": "bounds",
        "access": "x[i + jp + kp]",
        "tier": 2,
        "detail": "largest index lpz + jp + kp must be < nn",
        "line": 9,
    }
    return {
        "source": SOURCE,
        "baseline_source": BASELINE,
        "evidence": [*reads, race, *([guard] if kernel == "Apps_VOL3D" else [])],
        "guards": ["x[i + jp + kp]: largest index lpz + jp + kp must be < nn"] if kernel == "Apps_VOL3D" else [],
        "code": {"cuda": PTX, "cpu": "vmovupd (%rsi,%rax,8), %ymm0\nvfmadd213pd (%rdx,%rax,8), %ymm1, %ymm0\n"},
        "static": {
            "cuda": {"checked": {"registers": 16, "spill_bytes": 0}, "native": {"registers": 18, "spill_bytes": 0}}
        },
        "work": {
            str(n): {"bytes_read": read * n, "bytes_written": written * n, "bytes_atomic": 0, "flops": flops * n}
            for n in sizes
        },
        "features": ["Forall", *(["Reduction"] if kernel in SCALARS else [])],
        "returned": SCALARS.get(kernel, []),
    }


def write_campaign(campaign: Campaign, folder: Path) -> Path:
    """Write a campaign's folder as `kparity run` leaves it, reports excepted."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "journal.jsonl").write_text("".join(r.to_json() + "\n" for r in campaign.records))
    (folder / "plan.json").write_text(json.dumps({"run": campaign.run}))
    (folder / "provenance.json").write_text(json.dumps(campaign.provenance))
    (folder / "kernels.json").write_text(json.dumps(campaign.kernels))
    return folder


def altered(campaign: Campaign, run: str, factors: Mapping[str, float], **provenance: Any) -> Campaign:
    """Return a campaign whose checked kernels take `factors` times as long, on every target, and other provenance."""

    def slower(record: Record) -> Record:
        factor = factors.get(record.cell.kernel, 1.0) if record.cell.variant == "checked" else 1.0
        device, wall = ([s * factor for s in own] for own in (record.device_seconds, record.wall_seconds))
        return replace(record, run=run, device_seconds=device, wall_seconds=wall)

    records = [slower(record) for record in campaign.records]
    return Campaign(run, {**campaign.provenance, **provenance}, records, campaign.kernels)


def own_sizes(campaign: Campaign, target: str = "cuda") -> Campaign:
    """One target of a campaign, each kernel at one size of its own: every third at the larger one."""
    mine = {kernel: SIZES[number % 3 == 0] for number, kernel in enumerate(KERNELS)}
    kept = [r for r in campaign.records if r.cell.target == target and r.cell.size == mine[r.cell.kernel]]
    return replace(campaign, records=kept)
