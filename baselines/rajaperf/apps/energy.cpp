// ENERGY: predict energy and viscosity, correct the energy in three steps, correct the viscosity.
#include <cmath>

#include "energy.abi.h"

KP_ARGUMENTS {
  double *e_new; const double *e_old, *delvc, *p_new, *p_old; double *q_new;
  const double *q_old, *work, *comp_half_step, *p_half_step, *bvc, *pbvc, *ql_old, *qq_old, *vnewc;
  double rho0, e_cut, emin, q_cut; int64_t n;
};

KP_BOTH static inline double speed(double square) {
  return square <= 0.1111111e-36 ? 0.3333333e-18 : sqrt(square);
}

KP_BOTH static inline double cut(double e, double e_cut, double emin) {
  if (fabs(e) < e_cut) e = 0.0;
  return e < emin ? emin : e;
}

KP_KERNEL predict_energy(KP_MUT(double) e_new, KP_REF(double) e_old, KP_REF(double) delvc, KP_REF(double) p_old,
                         KP_REF(double) q_old, KP_REF(double) work, int64_t n) {
  KP_FOR(i, 0, n) { e_new[i] = e_old[i] - 0.5 * delvc[i] * (p_old[i] + q_old[i]) + 0.5 * work[i]; }
}

KP_KERNEL predict_viscosity(KP_MUT(double) q_new, KP_REF(double) e_new, KP_REF(double) delvc,
                            KP_REF(double) comp_half_step, KP_REF(double) p_half_step, KP_REF(double) bvc,
                            KP_REF(double) pbvc, KP_REF(double) ql_old, KP_REF(double) qq_old, double rho0, int64_t n) {
  KP_FOR(i, 0, n) {
    if (delvc[i] > 0.0) {
      q_new[i] = 0.0;
    } else {
      const double v_half = 1.0 / (1.0 + comp_half_step[i]);
      const double square = (pbvc[i] * e_new[i] + v_half * v_half * bvc[i] * p_half_step[i]) / rho0;
      q_new[i] = speed(square) * ql_old[i] + qq_old[i];
    }
  }
}

KP_KERNEL add_half_step_work(KP_MUT(double) e_new, KP_REF(double) delvc, KP_REF(double) p_old, KP_REF(double) q_old,
                             KP_REF(double) p_half_step, KP_REF(double) q_new, int64_t n) {
  KP_FOR(i, 0, n) {
    e_new[i] += 0.5 * delvc[i] * (3.0 * (p_old[i] + q_old[i]) - 4.0 * (p_half_step[i] + q_new[i]));
  }
}

KP_KERNEL add_source(KP_MUT(double) e_new, KP_REF(double) work, double e_cut, double emin, int64_t n) {
  KP_FOR(i, 0, n) { e_new[i] = cut(e_new[i] + 0.5 * work[i], e_cut, emin); }
}

KP_KERNEL correct_energy(KP_MUT(double) e_new, KP_REF(double) delvc, KP_REF(double) p_new, KP_REF(double) p_old,
                         KP_REF(double) q_new, KP_REF(double) q_old, KP_REF(double) p_half_step, KP_REF(double) bvc,
                         KP_REF(double) pbvc, KP_REF(double) ql_old, KP_REF(double) qq_old, KP_REF(double) vnewc,
                         double rho0, double e_cut, double emin, int64_t n) {
  KP_FOR(i, 0, n) {
    const double e = e_new[i];
    double q_tilde = 0.0;
    if (!(delvc[i] > 0.0)) {
      const double square = (pbvc[i] * e + vnewc[i] * vnewc[i] * bvc[i] * p_new[i]) / rho0;
      q_tilde = speed(square) * ql_old[i] + qq_old[i];
    }
    const double change = 7.0 * (p_old[i] + q_old[i]) - 8.0 * (p_half_step[i] + q_new[i]) + (p_new[i] + q_tilde);
    e_new[i] = cut(e - change * delvc[i] / 6.0, e_cut, emin);
  }
}

KP_KERNEL correct_viscosity(KP_MUT(double) q_new, KP_REF(double) e_new, KP_REF(double) delvc, KP_REF(double) p_new,
                            KP_REF(double) bvc, KP_REF(double) pbvc, KP_REF(double) ql_old, KP_REF(double) qq_old,
                            KP_REF(double) vnewc, double rho0, double q_cut, int64_t n) {
  KP_FOR(i, 0, n) {
    if (delvc[i] <= 0.0) {
      const double square = (pbvc[i] * e_new[i] + vnewc[i] * vnewc[i] * bvc[i] * p_new[i]) / rho0;
      const double q = speed(square) * ql_old[i] + qq_old[i];
      q_new[i] = fabs(q) < q_cut ? 0.0 : q;
    }
  }
}

KP_REPETITION(args, run) {
  const kp_grid grid(args.n);
  run.launch(predict_energy, grid, args.e_new, args.e_old, args.delvc, args.p_old, args.q_old, args.work, args.n);
  run.launch(predict_viscosity, grid, args.q_new, args.e_new, args.delvc, args.comp_half_step, args.p_half_step,
             args.bvc, args.pbvc, args.ql_old, args.qq_old, args.rho0, args.n);
  run.launch(add_half_step_work, grid, args.e_new, args.delvc, args.p_old, args.q_old, args.p_half_step, args.q_new,
             args.n);
  run.launch(add_source, grid, args.e_new, args.work, args.e_cut, args.emin, args.n);
  run.launch(correct_energy, grid, args.e_new, args.delvc, args.p_new, args.p_old, args.q_new, args.q_old,
             args.p_half_step, args.bvc, args.pbvc, args.ql_old, args.qq_old, args.vnewc, args.rho0, args.e_cut,
             args.emin, args.n);
  run.launch(correct_viscosity, grid, args.q_new, args.e_new, args.delvc, args.p_new, args.bvc, args.pbvc, args.ql_old,
             args.qq_old, args.vnewc, args.rho0, args.q_cut, args.n);
}
