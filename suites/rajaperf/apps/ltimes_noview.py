"""LTIMES_NOVIEW: the moments of LTIMES, on flat arrays. Source: RAJAPerf src/apps/LTIMES_NOVIEW.{hpp,cpp}.

Only the native sides differ from LTIMES, as only they have flat arrays: those of the checked kernel are the same memory
with three dims, which is what can be proved for any number of groups, moments and directions.
"""

from kparity.compiler import Mut, Ref, f64, kernel, parallel
from kparity.suites import Spec
from kparity.suites.rajaperf import NORMAL

from .ltimes import actual_size, data, reference, work


@kernel
def ltimes_noview(phi: Mut[f64, "nz", "ng", "nm"], ell: Ref[f64, "nm", "nd"], psi: Ref[f64, "nz", "ng", "nd"]):
    for z, g, m in parallel(nz, ng, nm):
        for d in range(nd):
            phi[z, g, m] += ell[m, d] * psi[z, g, d]


SPEC = Spec(
    "LTIMES_NOVIEW", program=ltimes_noview, reference=reference, data=data, size=999_936, repetitions=50,
    actual_size=actual_size, checksum=("phi",), tolerance=NORMAL, features=("Kernel", "Launch"), work=work,
)  # fmt: skip
