"""LTIMES: moments of an angular flux, phi[z, g, m] += sum over d of ell[m, d] psi[z, g, d].

z numbers zones, g energy groups, m moments, d directions. Source: RAJAPerf src/apps/LTIMES.{hpp,cpp}; Kripke.
"""

from kparity.compiler import Mut, Ref, f64, kernel, parallel
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import NORMAL, Fill

DIRECTIONS, GROUPS, MOMENTS = 6, 32, 25


@kernel
def ltimes(phi: Mut[f64, "nz", "ng", "nm"], ell: Ref[f64, "nm", "nd"], psi: Ref[f64, "nz", "ng", "nd"]):
    for z, g, m in parallel(nz, ng, nm):
        for d in range(nd):
            phi[z, g, m] += ell[m, d] * psi[z, g, d]


def reference(phi: Array, ell: Array, psi: Array) -> None:
    phi += psi @ ell.T


def zones(size: int) -> int:
    return max((size + DIRECTIONS * GROUPS // 2) // (DIRECTIONS * GROUPS), 1)


def actual_size(size: int) -> int:
    return zones(size) * GROUPS * DIRECTIONS


def data(size: int, fill: Fill) -> Arguments:
    nz = zones(size)
    return {
        "phi": fill.constant((nz, GROUPS, MOMENTS), 0.0),
        "ell": fill.ramp((MOMENTS, DIRECTIONS)),
        "psi": fill.ramp((nz, GROUPS, DIRECTIONS)),
    }


def work(size: int) -> Work:
    # phi is modified: it is read as well as written.
    rows = zones(size) * GROUPS
    phi, ell, psi = rows * MOMENTS, MOMENTS * DIRECTIONS, rows * DIRECTIONS
    return Work(bytes_read=8 * (phi + ell + psi), bytes_written=8 * phi, flops=2 * phi * DIRECTIONS)


SPEC = Spec(
    "LTIMES", program=ltimes, reference=reference, data=data, size=999_936, repetitions=50,
    actual_size=actual_size, checksum=("phi",), tolerance=NORMAL, features=("Kernel", "Launch", "View"), work=work,
)  # fmt: skip
