"""HYDRO_2D: explicit two-dimensional hydrodynamics fragment in three stencil sweeps.

Source: RAJAPerf src/lcals/HYDRO_2D.{hpp,cpp}; Livermore loop 18.
"""

import numpy as np

from kparity.compiler import Mut, Ref, f64, kernel, parallel, program
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import NORMAL, Fill, square_side


@kernel
def fluxes(
    za: Mut[f64, "n", "n"],
    zb: Mut[f64, "n", "n"],
    zm: Ref[f64, "n", "n"],
    zp: Ref[f64, "n", "n"],
    zq: Ref[f64, "n", "n"],
    zr: Ref[f64, "n", "n"],
):
    for k, j in parallel((1, n - 1), (1, n - 1)):
        za[k, j] = (
            (zp[k + 1, j - 1] + zq[k + 1, j - 1] - zp[k, j - 1] - zq[k, j - 1])
            * (zr[k, j] + zr[k, j - 1]) / (zm[k, j - 1] + zm[k + 1, j - 1])
        )  # fmt: skip
        zb[k, j] = (
            (zp[k, j - 1] + zq[k, j - 1] - zp[k, j] - zq[k, j])
            * (zr[k, j] + zr[k - 1, j]) / (zm[k, j] + zm[k, j - 1])
        )  # fmt: skip


@kernel
def accelerate(
    zu: Mut[f64, "n", "n"],
    zv: Mut[f64, "n", "n"],
    za: Ref[f64, "n", "n"],
    zb: Ref[f64, "n", "n"],
    zr: Ref[f64, "n", "n"],
    zz: Ref[f64, "n", "n"],
    s: f64,
):
    for k, j in parallel((1, n - 1), (1, n - 1)):
        zu[k, j] += s * (
            za[k, j] * (zz[k, j] - zz[k, j + 1]) - za[k, j - 1] * (zz[k, j] - zz[k, j - 1])
            - zb[k, j] * (zz[k, j] - zz[k - 1, j]) + zb[k + 1, j] * (zz[k, j] - zz[k + 1, j])
        )  # fmt: skip
        zv[k, j] += s * (
            za[k, j] * (zr[k, j] - zr[k, j + 1]) - za[k, j - 1] * (zr[k, j] - zr[k, j - 1])
            - zb[k, j] * (zr[k, j] - zr[k - 1, j]) + zb[k + 1, j] * (zr[k, j] - zr[k + 1, j])
        )  # fmt: skip


@kernel
def move(
    zrout: Mut[f64, "n", "n"],
    zzout: Mut[f64, "n", "n"],
    zr: Ref[f64, "n", "n"],
    zu: Ref[f64, "n", "n"],
    zz: Ref[f64, "n", "n"],
    zv: Ref[f64, "n", "n"],
    t: f64,
):
    for k, j in parallel((1, n - 1), (1, n - 1)):
        zrout[k, j] = zr[k, j] + t * zu[k, j]
        zzout[k, j] = zz[k, j] + t * zv[k, j]


@program
def hydro_2d(
    zrout: Mut[f64, "n", "n"],
    zzout: Mut[f64, "n", "n"],
    za: Mut[f64, "n", "n"],
    zb: Mut[f64, "n", "n"],
    zm: Ref[f64, "n", "n"],
    zp: Ref[f64, "n", "n"],
    zq: Ref[f64, "n", "n"],
    zr: Ref[f64, "n", "n"],
    zu: Mut[f64, "n", "n"],
    zv: Mut[f64, "n", "n"],
    zz: Ref[f64, "n", "n"],
    s: f64,
    t: f64,
):
    fluxes(za, zb, zm, zp, zq, zr)
    accelerate(zu, zv, za, zb, zr, zz, s)
    move(zrout, zzout, zr, zu, zz, zv, t)


def reference(
    zrout: Array, zzout: Array, za: Array, zb: Array, zm: Array, zp: Array, zq: Array, zr: Array, zu: Array, zv: Array,
    zz: Array, s: float, t: float,
) -> None:  # fmt: skip
    """Pressure differences over mean masses, then their divergence of positions, then the step in time."""
    inner = (slice(1, -1), slice(1, -1))
    pressure = zp + zq
    za[inner] = np.diff(pressure, axis=0)[1:, :-2] * (zr[:, 1:] + zr[:, :-1])[1:-1, :-1] / (zm[1:] + zm[:-1])[1:, :-2]
    zb[inner] = -np.diff(pressure)[1:-1, :-1] * (zr[1:] + zr[:-1])[:-1, 1:-1] / (zm[:, 1:] + zm[:, :-1])[1:-1, :-1]
    for velocity, position in ((zu, zz), (zv, zr)):
        along, across = za[1:-1, :-1] * np.diff(position)[1:-1], zb[1:, 1:-1] * np.diff(position, axis=0)[:, 1:-1]
        velocity[inner] -= s * (along[:, 1:] + along[:, :-1] + across[:-1] + across[1:])
    zrout[inner] = zr[inner] + t * zu[inner]
    zzout[inner] = zz[inner] + t * zv[inner]


def data(size: int, fill: Fill) -> Arguments:
    shape = (square_side(size), square_side(size))
    outputs = {name: fill.constant(shape, 0.0) for name in ("zrout", "zzout")}
    inputs = {name: fill.ramp(shape) for name in ("za", "zb", "zm", "zp", "zq", "zr", "zu", "zv", "zz")}
    return outputs | inputs | {"s": 0.0041, "t": 0.0037}


def random(size: int, rng: np.random.Generator) -> Arguments:
    # Masses are positive: fluxes divide by them. With steps of about one, the velocities count in the results.
    shape = (square_side(size), square_side(size))
    names = ("zrout", "zzout", "za", "zb", "zm", "zp", "zq", "zr", "zu", "zv", "zz")
    arrays = {name: rng.uniform(0.5, 1.5, shape) if name == "zm" else rng.uniform(-1.0, 1.0, shape) for name in names}
    return arrays | {"s": 0.7, "t": 0.9}


def work(size: int) -> Work:
    """Each element that a sweep reads, once; the parts of the boundary differ from array to array."""
    inner = square_side(size) - 2
    interior = inner * inner
    fluxes_read = 4 * (interior + 2 * inner)  # zm, zp, zq, zr: an edge of two sides each
    accelerate_read = 2 * interior + 2 * (interior + inner) + 2 * (interior + 4 * inner)  # zu, zv; za, zb; zr, zz
    return Work(
        bytes_read=8 * (fluxes_read + accelerate_read + 4 * interior),
        bytes_written=8 * 6 * interior,
        flops=(14 + 26 + 4) * interior,
    )


SPEC = Spec(
    "HYDRO_2D", program=hydro_2d, reference=reference, data=data, random=random, size=1_000_000, repetitions=100,
    actual_size=lambda size: square_side(size) ** 2,
    checksum=("zzout", "zrout"), tolerance=NORMAL, features=("Kernel",), work=work,
)  # fmt: skip
