"""PRESSURE: pressure from compression and energy, with cut-offs. Source: RAJAPerf src/apps/PRESSURE.{hpp,cpp}.

Two launches: the first leaves the bulk coefficient in memory, the second reads it from there, as in RAJAPerf.
"""

import numpy as np

from kparity.compiler import Out, Ref, f64, kernel, parallel, program
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import NORMAL, Fill


@kernel
def bulk_coefficient(compression: Ref[f64, "n"], bvc: Out[f64, "n"], cls: f64):
    for i in parallel(n):
        bvc[i] = cls * (compression[i] + 1.0)


@kernel
def pressure_of_energy(
    bvc: Ref[f64, "n"],
    p_new: Out[f64, "n"],
    e_old: Ref[f64, "n"],
    vnewc: Ref[f64, "n"],
    p_cut: f64,
    pmin: f64,
    eosvmax: f64,
):
    for i in parallel(n):
        p = bvc[i] * e_old[i]
        if abs(p) < p_cut:
            p = 0.0
        if vnewc[i] >= eosvmax:
            p = 0.0
        if p < pmin:
            p = pmin
        p_new[i] = p


@program
def pressure(
    compression: Ref[f64, "n"],
    bvc: Out[f64, "n"],
    p_new: Out[f64, "n"],
    e_old: Ref[f64, "n"],
    vnewc: Ref[f64, "n"],
    cls: f64,
    p_cut: f64,
    pmin: f64,
    eosvmax: f64,
):
    bulk_coefficient(compression, bvc, cls)
    pressure_of_energy(bvc, p_new, e_old, vnewc, p_cut, pmin, eosvmax)


def reference(
    compression: Array,
    bvc: Array,
    p_new: Array,
    e_old: Array,
    vnewc: Array,
    cls: float,
    p_cut: float,
    pmin: float,
    eosvmax: float,
) -> None:
    bvc[:] = cls * (compression + 1.0)
    p = bvc * e_old
    vanishes = (np.abs(p) < p_cut) | (vnewc >= eosvmax)
    np.maximum(np.where(vanishes, 0.0, p), pmin, out=p_new)


def data(n: int, fill: Fill) -> Arguments:
    arrays = {
        "compression": fill.ramp(n), "bvc": fill.ramp(n), "p_new": fill.constant(n, 0.0),
        "e_old": fill.ramp(n), "vnewc": fill.ramp(n),
    }  # fmt: skip
    return arrays | {name: fill.scalar() for name in ("cls", "p_cut", "pmin", "eosvmax")}


def random(n: int, rng: np.random.Generator) -> Arguments:
    # Each cut-off acts on some elements and not on others; the published data shows the last one only. One element in
    # eight has exactly the limiting volume.
    vnewc = np.where(rng.random(n) < 0.125, 0.75, rng.uniform(0.0, 1.0, n))
    return {
        "compression": rng.uniform(-0.5, 1.0, n), "bvc": rng.random(n), "p_new": rng.random(n),
        "e_old": rng.uniform(-1.0, 1.0, n), "vnewc": vnewc,
        "cls": 0.8, "p_cut": 0.1, "pmin": -0.4, "eosvmax": 0.75,
    }  # fmt: skip


SPEC = Spec(
    "PRESSURE", program=pressure, reference=reference, data=data, random=random, size=1_000_000, repetitions=700,
    checksum=("p_new",), tolerance=NORMAL, features=("Forall",),
    work=lambda n: Work(bytes_read=32 * n, bytes_written=16 * n, flops=3 * n),
)  # fmt: skip
