// LTIMES_NOVIEW: phi[z][g][m] <- phi[z][g][m] + sum over d of ell[m][d] psi[z][g][d], with indices computed by hand.
#include "ltimes_noview.abi.h"

KP_ARGUMENTS { double *phi; const double *ell, *psi; int64_t nz, ng, nm, nd; };

KP_KERNEL ltimes_noview(KP_MUT(double) phi, KP_REF(double) ell, KP_REF(double) psi, int64_t nz, int64_t ng, int64_t nm,
                        int64_t nd) {
  KP_FOR_3D(z, 0, nz, g, 0, ng, m, 0, nm) {
    double sum = phi[m + g * nm + z * nm * ng];
    for (int64_t d = 0; d < nd; ++d) sum += ell[d + m * nd] * psi[d + g * nd + z * nd * ng];
    phi[m + g * nm + z * nm * ng] = sum;
  }
}

KP_REPETITION(args, run) {
  run.launch(ltimes_noview, kp_grid(args.nz, args.ng, args.nm), args.phi, args.ell, args.psi, args.nz, args.ng, args.nm,
             args.nd);
}
