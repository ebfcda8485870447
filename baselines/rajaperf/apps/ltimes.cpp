// LTIMES: phi[z][g][m] <- phi[z][g][m] + sum over d of ell[m][d] psi[z][g][d], through views of the arrays.
#include "ltimes.abi.h"

KP_ARGUMENTS { double *phi; const double *ell, *psi; int64_t nz, ng, nm, nd; };

struct row_major {  // places in an array of any number of planes
  int64_t rows, columns;
  KP_BOTH int64_t operator()(int64_t plane, int64_t row, int64_t column) const {
    return (plane * rows + row) * columns + column;
  }
};

KP_KERNEL ltimes(KP_MUT(double) phi, KP_REF(double) ell, KP_REF(double) psi, int64_t nz, int64_t ng, int64_t nm,
                 int64_t nd) {
  const row_major moment{ng, nm}, direction{ng, nd}, weight{1, nd};
  KP_FOR_3D(z, 0, nz, g, 0, ng, m, 0, nm) {
    double sum = phi[moment(z, g, m)];
    for (int64_t d = 0; d < nd; ++d) sum += ell[weight(m, 0, d)] * psi[direction(z, g, d)];
    phi[moment(z, g, m)] = sum;
  }
}

KP_REPETITION(args, run) {
  run.launch(ltimes, kp_grid(args.nz, args.ng, args.nm), args.phi, args.ell, args.psi, args.nz, args.ng, args.nm,
             args.nd);
}
