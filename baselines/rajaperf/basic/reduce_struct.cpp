// REDUCE_STRUCT: centre and bounding box of the points (x[i], y[i]), brought back to the host.
#include <cfloat>
#include <cmath>

#include "reduce_struct.abi.h"

KP_ARGUMENTS {
  const double *x, *y;
  double *xcenter, *xmin, *xmax, *ycenter, *ymin, *ymax;
  int64_t n;
  kp_results *results;
};

// Order of doubles without NaN.
struct least {
  template <class T> KP_BOTH static constexpr T identity() { return static_cast<T>(HUGE_VAL); }
  template <class T> KP_BOTH static T apply(T left, T right) { return left < right ? left : right; }
};
struct greatest {
  template <class T> KP_BOTH static constexpr T identity() { return static_cast<T>(-HUGE_VAL); }
  template <class T> KP_BOTH static T apply(T left, T right) { return left > right ? left : right; }
};
using minimum = kp_term<least, double, true>;
using maximum = kp_term<greatest, double, true>;

#if defined(KP_GPU)
// One integer atomic each: bits of positive doubles are in the doubles' order, those of negative ones in reverse order.
static __device__ void kp_atomic(least, double *target, double value) {
  const long long bits = __double_as_longlong(value);
  if (bits >= 0) KP_ATOMIC_MIN(reinterpret_cast<long long *>(target), bits);
  else KP_ATOMIC_MAX(reinterpret_cast<unsigned long long *>(target), static_cast<unsigned long long>(bits));
}
static __device__ void kp_atomic(greatest, double *target, double value) {
  const long long bits = __double_as_longlong(value);
  if (bits >= 0) KP_ATOMIC_MAX(reinterpret_cast<long long *>(target), bits);
  else KP_ATOMIC_MIN(reinterpret_cast<unsigned long long *>(target), static_cast<unsigned long long>(bits));
}
#endif

KP_REDUCTION reduce_struct(KP_REF(double) x, KP_REF(double) y, double *xcenter, double *xmin, double *xmax,
                           double *ycenter, double *ymin, double *ymax, int64_t n, kp_ticket ticket) {
  double xsum = 0.0, xleast = DBL_MAX, xgreatest = -DBL_MAX, ysum = 0.0, yleast = DBL_MAX, ygreatest = -DBL_MAX;
  KP_REDUCE(i, 0, n, reduction(+ : xsum, ysum) reduction(min : xleast, yleast) reduction(max : xgreatest, ygreatest)) {
    const double xi = x[i], yi = y[i];
    xsum += xi;
    xleast = xi < xleast ? xi : xleast;
    xgreatest = xi > xgreatest ? xi : xgreatest;
    ysum += yi;
    yleast = yi < yleast ? yi : yleast;
    ygreatest = yi > ygreatest ? yi : ygreatest;
  }
  const double points = static_cast<double>(n);
  kp_combine(ticket, kp_sum(xcenter, xsum / points, 0.0), minimum{xmin, xleast, DBL_MAX},
             maximum{xmax, xgreatest, -DBL_MAX}, kp_sum(ycenter, ysum / points, 0.0), minimum{ymin, yleast, DBL_MAX},
             maximum{ymax, ygreatest, -DBL_MAX});
}

KP_REDUCTION_REPETITION(args, run) {
  const kp_grid grid = run.reduction_grid<MAPPING>(reduce_struct<MAPPING>, args.n);
  run.launch(reduce_struct<MAPPING>, grid, args.x, args.y, args.xcenter, args.xmin, args.xmax, args.ycenter, args.ymin,
             args.ymax, args.n, run.issue(args.results));
}
