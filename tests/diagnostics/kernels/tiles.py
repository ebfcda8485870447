"""Tiles in shared memory: used again too early, filled in part, indexed the wrong way round, mixed up between teams."""

from kparity.compiler import Mut, Out, Ref, ceildiv, f64, i64, kernel, private, shared, teams, threads

T = 16
B = 8


@kernel
def second_tile_overwrites_the_first(c: Out[f64, "n", "n"], a: Ref[f64, "n", "n"], b: Ref[f64, "n", "n"]):
    for by, bx in teams(ceildiv(n, T), ceildiv(n, T)):
        ta, tb = shared(f64, T, T), shared(f64, T, T)
        acc = private(f64, threads=(T, T), fill=0.0)
        for t in range(ceildiv(n, T)):
            for y, x in threads(T, T):
                ta[y, x] = a[by * T + y, t * T + x] if by * T + y < n and t * T + x < n else 0.0
                tb[y, x] = b[t * T + y, bx * T + x] if t * T + y < n and bx * T + x < n else 0.0
            for y, x in threads(T, T):
                for k in range(T):
                    acc[y, x] += ta[y, k] * tb[k, x]
                ta[y, x] = 0.0  # error: [KP0401] "data race on `ta`: one thread writes an element that another reads"
        for y, x in threads(T, T):
            if by * T + y < n and bx * T + x < n:
                c[by * T + y, bx * T + x] = acc[y, x]


@kernel
def second_tile_overwrites_the_first_safe(c: Out[f64, "n", "n"], a: Ref[f64, "n", "n"], b: Ref[f64, "n", "n"]):
    for by, bx in teams(ceildiv(n, T), ceildiv(n, T)):
        ta, tb = shared(f64, T, T), shared(f64, T, T)
        acc = private(f64, threads=(T, T), fill=0.0)
        for t in range(ceildiv(n, T)):
            for y, x in threads(T, T):
                ta[y, x] = a[by * T + y, t * T + x] if by * T + y < n and t * T + x < n else 0.0
                tb[y, x] = b[t * T + y, bx * T + x] if t * T + y < n and bx * T + x < n else 0.0
            for y, x in threads(T, T):
                for k in range(T):
                    acc[y, x] += ta[y, k] * tb[k, x]
            for y, x in threads(T, T):
                ta[y, x] = 0.0
        for y, x in threads(T, T):
            if by * T + y < n and bx * T + x < n:
                c[by * T + y, bx * T + x] = acc[y, x]


@kernel
def tile_guarded_by_the_other_extent(b: Mut[f64, "m", "n"], a: Ref[f64, "n", "m"]):
    for by, bx in teams(ceildiv(n, T), ceildiv(m, T)):
        tile = shared(f64, T, T, fill=0.0)
        for y, x in threads(T, T):
            if by * T + y < m and bx * T + x < n:
                # guard: "must not hold: m >= 1 and n > m"
                # guard: "must not hold: m > n and n >= 1"
                tile[y, x] = a[by * T + y, bx * T + x]
        for y, x in threads(T, T):
            if by * T + y < n and bx * T + x < m:
                b[by * T + y, bx * T + x] = tile[y, x]


@kernel
def tile_guarded_by_the_other_extent_safe(b: Mut[f64, "m", "n"], a: Ref[f64, "n", "m"]):
    for by, bx in teams(ceildiv(n, T), ceildiv(m, T)):
        tile = shared(f64, T, T, fill=0.0)
        for y, x in threads(T, T):
            if by * T + y < n and bx * T + x < m:
                tile[y, x] = a[by * T + y, bx * T + x]
        for y, x in threads(T, T):
            if by * T + y < n and bx * T + x < m:
                b[bx * T + x, by * T + y] = tile[y, x]


@kernel
def transpose_with_swapped_blocks(b: Mut[f64, "n", "n"], a: Ref[f64, "n", "n"]):
    for by, bx in teams(ceildiv(n, T), ceildiv(n, T)):
        tile = shared(f64, T, T, fill=0.0)
        for y, x in threads(T, T):
            if by * T + y < n and bx * T + x < n:
                tile[y, x] = a[by * T + y, bx * T + x]
        for y, x in threads(T, T):
            if by * T + y < n and bx * T + x < n:
                b[bx * T + y, by * T + x] = tile[x, y]  # error: [KP0301] "`b[bx * T + y, by * T + x]` is written past"


@kernel
def transpose_with_swapped_blocks_safe(b: Mut[f64, "n", "n"], a: Ref[f64, "n", "n"]):
    for by, bx in teams(ceildiv(n, T), ceildiv(n, T)):
        tile = shared(f64, T, T, fill=0.0)
        for y, x in threads(T, T):
            if by * T + y < n and bx * T + x < n:
                tile[y, x] = a[by * T + y, bx * T + x]
        for y, x in threads(T, T):
            if bx * T + y < n and by * T + x < n:
                b[bx * T + y, by * T + x] = tile[x, y]


@kernel
def transpose_in_place_by_tiles(a: Mut[f64, "n", "n"]):
    for by, bx in teams(ceildiv(n, T), ceildiv(n, T)):
        tile = shared(f64, T, T, fill=0.0)
        for y, x in threads(T, T):
            if by * T + y < n and bx * T + x < n:
                tile[y, x] = a[by * T + y, bx * T + x]
        for y, x in threads(T, T):
            if bx * T + y < n and by * T + x < n:
                a[bx * T + y, by * T + x] = tile[x, y]  # error: [KP0401] "data race on `a`"


@kernel
def transpose_in_place_by_tiles_safe(a: Mut[f64, "n", "n"]):
    for by, bx in teams(ceildiv(n, T), ceildiv(n, T)):
        tile = shared(f64, T, T, fill=0.0)
        for y, x in threads(T, T):
            if by * T + y < n and bx * T + x < n:
                tile[y, x] = a[by * T + y, bx * T + x]
        for y, x in threads(T, T):
            if by * T + y < n and bx * T + x < n:
                a[by * T + y, bx * T + x] = 2.0 * tile[y, x]


@kernel
def padded_column_read(b: Mut[f64, "n", "n"], a: Ref[f64, "n", "n"]):
    for by, bx in teams(n // T, n // T):
        tile = shared(f64, T, T + 1)
        for y, x in threads(T, T):
            tile[y, x] = a[by * T + y, bx * T + x]
        for y, x in threads(T, T):
            b[bx * T + y, by * T + x] = tile[x, y + 1]  # error: [KP0502] "`tile` is `shared`, and `tile[x, y + 1]`"


@kernel
def padded_column_read_safe(b: Mut[f64, "n", "n"], a: Ref[f64, "n", "n"]):
    for by, bx in teams(n // T, n // T):
        tile = shared(f64, T, T + 1)
        for y, x in threads(T, T):
            tile[y, x] = a[by * T + y, bx * T + x]
        for y, x in threads(T, T):
            b[bx * T + y, by * T + x] = tile[x, y]


@kernel
def tile_of_half_the_threads(b: Mut[f64, "n", "n"], a: Ref[f64, "n", "n"]):
    for by, bx in teams(n // T, n // T):
        tile = shared(f64, T, T)
        for y, x in threads(B, T):
            tile[y, x] = a[by * T + y, bx * T + x]
        for y, x in threads(T, T):
            b[bx * T + y, by * T + x] = tile[x, y]  # error: [KP0502] "`tile` is `shared`, and `tile[x, y]`"


@kernel
def tile_of_half_the_threads_safe(b: Mut[f64, "n", "n"], a: Ref[f64, "n", "n"]):
    for by, bx in teams(n // T, n // T):
        tile = shared(f64, T, T)
        for y, x in threads(T, T):
            tile[y, x] = a[by * T + y, bx * T + x]
        for y, x in threads(T, T):
            b[bx * T + y, by * T + x] = tile[x, y]


@kernel
def several_rows_a_thread(b: Mut[f64, "n", "n"], a: Ref[f64, "n", "n"]):
    for by, bx in teams(n // T, n // T):
        tile = shared(f64, T, T)
        for y, x in threads(B, T):
            for k in range(0, T, T):
                tile[y + k, x] = a[by * T + y + k, bx * T + x]
        for y, x in threads(B, T):
            for k in range(0, T, B):
                b[bx * T + y + k, by * T + x] = tile[x, y + k]  # error: [KP0502] "`tile` is `shared`"


@kernel
def several_rows_a_thread_safe(b: Mut[f64, "n", "n"], a: Ref[f64, "n", "n"]):
    for by, bx in teams(n // T, n // T):
        tile = shared(f64, T, T)
        for y, x in threads(B, T):
            for k in range(0, T, B):
                tile[y + k, x] = a[by * T + y + k, bx * T + x]
        for y, x in threads(B, T):
            for k in range(0, T, B):
                b[bx * T + y + k, by * T + x] = tile[x, y + k]


@kernel
def several_rows_with_a_wrong_step(b: Mut[f64, "n", "n"], a: Ref[f64, "n", "n"]):
    for by, bx in teams(n // T, n // T):
        tile = shared(f64, T, T)
        for y, x in threads(B, T):
            for k in range(0, T, B // 2):
                # error: [KP0301] "`tile[y + k, x]`"
                # error: [KP0401] "data race on `tile`"
                tile[y + k, x] = a[by * T + y, bx * T + x]
        for y, x in threads(T, T):
            b[bx * T + y, by * T + x] = tile[x, y]


@kernel
def several_rows_with_a_wrong_step_safe(b: Mut[f64, "n", "n"], a: Ref[f64, "n", "n"]):
    for by, bx in teams(n // T, n // T):
        tile = shared(f64, T, T)
        for y, x in threads(B, T):
            for k in range(0, T, B):
                tile[y + k, x] = a[by * T + y, bx * T + x]
        for y, x in threads(T, T):
            b[bx * T + y, by * T + x] = tile[x, y]


@kernel
def halo_loaded_by_the_first_threads(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for b in teams(ceildiv(n, T)):
        s = shared(f64, T + 2 * B, fill=0.0)
        for t in threads(T):
            at = b * T + t
            if at < n:
                s[t + B] = x[at]
            if t < B:
                s[t] = x[at - B]  # error: [KP0301] "`x[at - B]` is read before the start"
        for t in threads(T):
            if b * T + t < n:
                y[b * T + t] = s[t] + s[t + 2 * B]


@kernel
def halo_loaded_by_the_first_threads_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for b in teams(ceildiv(n, T)):
        s = shared(f64, T + 2 * B, fill=0.0)
        for t in threads(T):
            at = b * T + t
            if at < n:
                s[t + B] = x[at]
            if t < B:
                s[t] = x[at - B] if B <= at < n else 0.0
        for t in threads(T):
            if b * T + t < n:
                y[b * T + t] = s[t] + s[t + 2 * B]


@kernel
def halo_at_the_place_of_the_tile(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for b in teams(ceildiv(n, T)):
        s = shared(f64, T + 2, fill=0.0)
        for t in threads(T):
            at = b * T + t
            if at < n:
                s[t + 1] = x[at]
            if t == 0:
                s[1] = x[at - 1] if 0 < at < n else 0.0
                s[T] = x[at + T] if at + T < n else 0.0  # error: [KP0401] "data race on `s`"
        for t in threads(T):
            if b * T + t < n:
                y[b * T + t] = s[t] + s[t + 1] + s[t + 2]


@kernel
def halo_at_the_place_of_the_tile_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for b in teams(ceildiv(n, T)):
        s = shared(f64, T + 2, fill=0.0)
        for t in threads(T):
            at = b * T + t
            if at < n:
                s[t + 1] = x[at]
            if t == 0:
                s[0] = x[at - 1] if 0 < at < n else 0.0
                s[T + 1] = x[at + T] if at + T < n else 0.0
        for t in threads(T):
            if b * T + t < n:
                y[b * T + t] = s[t] + s[t + 1] + s[t + 2]


@kernel
def plane_by_plane(v: Mut[f64, "q", "n", "n"], u: Ref[f64, "q", "n", "n"]):
    for by, bx in teams(ceildiv(n, T), ceildiv(n, T)):
        plane = shared(f64, T, T, fill=0.0)
        for k in range(q):
            for y, x in threads(T, T):
                if by * T + y < n and bx * T + x < n:
                    plane[y, x] = u[k, by * T + y, bx * T + x]
            for y, x in threads(T, T):
                if by * T + y < n and bx * T + x < n and x > 0:
                    v[k, by * T + y, bx * T + x] = plane[y, x] - plane[y, x - 1]
                if k + 1 < q and by * T + y < n and bx * T + x < n:
                    plane[y, x] = u[k + 1, by * T + y, bx * T + x]  # error: [KP0401] "data race on `plane`"


@kernel
def plane_by_plane_safe(v: Mut[f64, "q", "n", "n"], u: Ref[f64, "q", "n", "n"]):
    for by, bx in teams(ceildiv(n, T), ceildiv(n, T)):
        plane = shared(f64, T, T, fill=0.0)
        for k in range(q):
            for y, x in threads(T, T):
                if by * T + y < n and bx * T + x < n:
                    plane[y, x] = u[k, by * T + y, bx * T + x]
            for y, x in threads(T, T):
                if by * T + y < n and bx * T + x < n and x > 0:
                    v[k, by * T + y, bx * T + x] = plane[y, x] - plane[y, x - 1]
                if k + 1 < q and by * T + y < n and bx * T + x < n:
                    v[k + 1, by * T + y, bx * T + x] = u[k + 1, by * T + y, bx * T + x]


@kernel
def double_buffer_not_switched(y: Mut[f64, "m", 32], steps: i64):
    for b in teams(m):
        s = shared(f64, 2, 32)
        for t in threads(32):
            s[0, t] = y[b, t]
            s[1, t] = 0.0
        for k in range(steps):
            for t in threads(32):
                s[k % 2, t] = s[k % 2, (t + 1) % 32]  # error: [KP0401] "data race on `s`"
        for t in threads(32):
            y[b, t] = s[0, t]


@kernel
def double_buffer_not_switched_safe(y: Mut[f64, "m", 32], steps: i64):
    for b in teams(m):
        s = shared(f64, 2, 32)
        for t in threads(32):
            s[0, t] = y[b, t]
            s[1, t] = 0.0
        for k in range(steps):
            for t in threads(32):
                s[(k + 1) % 2, t] = s[k % 2, (t + 1) % 32]
        for t in threads(32):
            y[b, t] = s[0, t]


@kernel
def team_writes_the_next_teams_border(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for b in teams(ceildiv(n, T)):
        for t in threads(T + 1):
            if b * T + t < n:
                y[b * T + t] = x[b * T + t]  # error: [KP0401] "data race on `y`: two threads write one element"


@kernel
def team_writes_the_next_teams_border_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for b in teams(ceildiv(n, T)):
        for t in threads(T):
            if b * T + t < n:
                y[b * T + t] = x[b * T + t]


@kernel
def blocks_one_too_few_apart(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for b in teams(ceildiv(n, T)):
        for t in threads(T):
            if b * (T - 1) + t < n:
                y[b * (T - 1) + t] = x[b * (T - 1) + t]  # error: [KP0401] "data race on `y`"


@kernel
def blocks_one_too_few_apart_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for b in teams(ceildiv(n, T)):
        for t in threads(T):
            if b * T + t < n:
                y[b * T + t] = x[b * T + t]


@kernel
def result_of_a_team_at_the_place_of_a_thread(y: Mut[f64, "n"], x: Ref[f64, "n", T]):
    for b in teams(n):
        s = shared(f64, T)
        for t in threads(T):
            s[t] = x[b, t]
        for t in threads(T):
            if t < n:
                y[t] = s[0] + s[T - 1]  # error: [KP0401] "data race on `y`: two threads write one element"


@kernel
def result_of_a_team_at_the_place_of_a_thread_safe(y: Mut[f64, "n"], x: Ref[f64, "n", T]):
    for b in teams(n):
        s = shared(f64, T)
        for t in threads(T):
            s[t] = x[b, t]
        for t in threads(T):
            if t == 0:
                y[b] = s[0] + s[T - 1]


@kernel
def all_threads_write_the_teams_result(y: Mut[f64, "n"], x: Ref[f64, "n", T]):
    for b in teams(n):
        s = shared(f64, T)
        for t in threads(T):
            s[t] = x[b, t]
        for t in threads(T):
            y[b] = s[0] + s[T - 1]  # error: [KP0401] "data race on `y`: two threads write one element"


@kernel
def all_threads_write_the_teams_result_safe(y: Mut[f64, "n"], x: Ref[f64, "n", T]):
    for b in teams(n):
        s = shared(f64, T)
        for t in threads(T):
            s[t] = x[b, t]
        for t in threads(1):
            y[b] = s[0] + s[T - 1]
