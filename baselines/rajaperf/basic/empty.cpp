// EMPTY: a loop without work, over as many blocks as there are elements for, or as the device holds at once.
#include "empty.abi.h"

KP_ARGUMENTS { int64_t n; };

#ifdef KP_TUNING_DIRECT  // nothing is reduced: RAJAPerf names the mappings alone
#undef KP_TUNING_DIRECT
#undef KP_TUNING_OCCUPANCY
#define KP_TUNING_DIRECT KP_JOIN(direct_, KP_BLOCK)
#define KP_TUNING_OCCUPANCY KP_JOIN(occgs_, KP_BLOCK)
#endif

KP_REDUCTION empty(int64_t n) {
  KP_REDUCE(i, 0, n) {}
}

KP_REDUCTION_REPETITION(args, run) {
  run.launch(empty<MAPPING>, run.reduction_grid<MAPPING>(empty<MAPPING>, args.n), args.n);
}
