// REDUCE3_INT: sum, minimum and maximum of a vector, each from its initial value, brought back to the host.
#include "reduce3_int.abi.h"

KP_ARGUMENTS { const int32_t *vec; int32_t *total, *smallest, *largest; int64_t n; kp_results *results; };

KP_REDUCTION reduce3_int(KP_REF(int32_t) vec, int32_t *total, int32_t *smallest, int32_t *largest, int64_t n,
                         kp_ticket ticket) {
  uint32_t sum = 0;  // wraps
  int32_t least = INT32_MAX, greatest = INT32_MIN;
  KP_REDUCE(i, 0, n, reduction(+ : sum) reduction(min : least) reduction(max : greatest)) {
    const int32_t value = vec[i];
    sum += static_cast<uint32_t>(value);
    least = value < least ? value : least;
    greatest = value > greatest ? value : greatest;
  }
  kp_combine(ticket, kp_sum(total, static_cast<int32_t>(sum), 0), kp_min(smallest, least, INT32_MAX),
             kp_max(largest, greatest, INT32_MIN));
}

KP_REDUCTION_REPETITION(args, run) {
  const kp_grid grid = run.reduction_grid<MAPPING>(reduce3_int<MAPPING>, args.n);
  run.launch(reduce3_int<MAPPING>, grid, args.vec, args.total, args.smallest, args.largest, args.n,
             run.issue(args.results));
}
