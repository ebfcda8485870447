// MAT_MAT_SHARED: c <- a b by tiles of 16 x 16 in memory that a team shares.
#include "mat_mat_shared.abi.h"

#include "kparity/teams.h"

KP_ARGUMENTS { double *c; const double *a, *b; int64_t n; };

constexpr int TILE = 16;
static KP_BOTH int64_t tiles(int64_t n) { return (n + TILE - 1) / TILE; }

KP_KERNEL mat_mat_shared(KP_MUT(double) c, KP_REF(double) a, KP_REF(double) b, int n) {
  KP_TEAMS_2D(by, tiles(n), bx, tiles(n)) {
    KP_SHARED double ta[TILE][TILE], tb[TILE][TILE];
    kp_private<double, TILE, TILE> sum;
    KP_THREADS_2D(y, TILE, x, TILE) sum(y, x) = 0.0;
    for (int t = 0; t < tiles(n); ++t) {
      KP_THREADS_2D(y, TILE, x, TILE) {
        const int row = by * TILE + y, column = bx * TILE + x, k = t * TILE;
        ta[y][x] = row < n && k + x < n ? a[row * n + k + x] : 0.0;
        tb[y][x] = k + y < n && column < n ? b[(k + y) * n + column] : 0.0;
      }
      KP_BARRIER();
      KP_THREADS_2D(y, TILE, x, TILE)
        for (int k = 0; k < TILE; ++k) sum(y, x) += ta[y][k] * tb[k][x];
      KP_BARRIER();
    }
    KP_THREADS_2D(y, TILE, x, TILE) {
      const int row = by * TILE + y, column = bx * TILE + x;
      if (row < n && column < n) c[row * n + column] = sum(y, x);
    }
  }
}

KP_REPETITION(args, run) {
  const int64_t side = tiles(args.n);
  run.launch(mat_mat_shared, kp_team_grid<TILE, TILE>(side, side), args.c, args.a, args.b, args.n);
}
