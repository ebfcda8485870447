// ARRAY_OF_PTRS: y <- sum of the arrays that a table of pointers names; the table is passed by value.
#include "array_of_ptrs.abi.h"

enum { ARRAYS = 26 };

struct pointers {
  const double *array[ARRAYS];
};

KP_ARGUMENTS {
  double *y;
  const double *x[ARRAYS];
  int64_t n;
};

KP_KERNEL array_of_ptrs(KP_MUT(double) y, pointers x, int64_t n) {
  KP_FOR(i, 0, n) {
    double total = 0.0;
    for (int a = 0; a < ARRAYS; ++a) total += x.array[a][i];
    y[i] = total;
  }
}

KP_REPETITION(args, run) {
  pointers x;
  std::memcpy(x.array, args.x, sizeof x.array);
  run.launch(array_of_ptrs, kp_grid(args.n), args.y, x, args.n);
}
