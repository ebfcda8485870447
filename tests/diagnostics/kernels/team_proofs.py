"""Team kernels as they go wrong: within a phase, between phases, between teams; and the repaired twin."""

from kparity.compiler import (
    Atomic,
    Mut,
    Out,
    Ref,
    ceildiv,
    f64,
    i64,
    kernel,
    private,
    reshape,
    shared,
    teams,
    threads,
)

T = 16


@kernel
def tile_without_second_phase(c: Out[f64, "n", "n"], a: Ref[f64, "n", "n"], b: Ref[f64, "n", "n"]):
    for by, bx in teams(ceildiv(n, T), ceildiv(n, T)):
        ta, tb = shared(f64, T, T), shared(f64, T, T)
        acc = private(f64, threads=(T, T), fill=0.0)
        for t in range(ceildiv(n, T)):
            for y, x in threads(T, T):
                ta[y, x] = (  # error: [KP0401] "data race on `ta`: one thread writes an element that another reads"
                    a[by * T + y, t * T + x] if by * T + y < n and t * T + x < n else 0.0
                )
                tb[y, x] = (  # error: [KP0401] "data race on `tb`: one thread writes an element that another reads"
                    b[t * T + y, bx * T + x] if t * T + y < n and bx * T + x < n else 0.0
                )
                for k in range(T):
                    acc[y, x] += ta[y, k] * tb[k, x]
        for y, x in threads(T, T):
            if by * T + y < n and bx * T + x < n:
                c[by * T + y, bx * T + x] = acc[y, x]


@kernel
def tile_without_second_phase_safe(c: Out[f64, "n", "n"], a: Ref[f64, "n", "n"], b: Ref[f64, "n", "n"]):
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
            if by * T + y < n and bx * T + x < n:
                c[by * T + y, bx * T + x] = acc[y, x]


@kernel
def tile_missing_guard(c: Mut[f64, "n", "n"], a: Ref[f64, "n", "n"]):
    for by, bx in teams(ceildiv(n, T), ceildiv(n, T)):
        ta = shared(f64, T, T)
        for y, x in threads(T, T):
            ta[y, x] = a[by * T + y, bx * T + x]  # error: [KP0301] "`a[by * T + y, bx * T + x]` is read past the end"
        for y, x in threads(T, T):
            if by * T + y < n and bx * T + x < n:
                c[by * T + y, bx * T + x] = ta[y, x]


@kernel
def tile_missing_guard_safe(c: Mut[f64, "n", "n"], a: Ref[f64, "n", "n"]):
    for by, bx in teams(ceildiv(n, T), ceildiv(n, T)):
        ta = shared(f64, T, T)
        for y, x in threads(T, T):
            ta[y, x] = a[by * T + y, bx * T + x] if by * T + y < n and bx * T + x < n else 0.0
        for y, x in threads(T, T):
            if by * T + y < n and bx * T + x < n:
                c[by * T + y, bx * T + x] = ta[y, x]


@kernel
def tile_transposed(c: Mut[f64, "n", "m"], a: Ref[f64, "n", "m"]):
    for by, bx in teams(ceildiv(n, T), ceildiv(m, T)):
        ta = shared(f64, T, T)
        for y, x in threads(T, T):
            if by * T + y < n and bx * T + x < m:
                ta[y, x] = a[by * T + y, bx * T + x]
        for y, x in threads(T, T):
            if by * T + y < n and bx * T + x < m:
                c[by * T + y, bx * T + x] = ta[x, y]  # error: [KP0502] "`ta` is `shared`, and `ta[x, y]` may be read"


@kernel
def tile_transposed_safe(c: Mut[f64, "n", "m"], a: Ref[f64, "n", "m"]):
    for by, bx in teams(ceildiv(n, T), ceildiv(m, T)):
        ta = shared(f64, T, T)
        for y, x in threads(T, T):
            ta[y, x] = a[by * T + y, bx * T + x] if by * T + y < n and bx * T + x < m else 0.0
        for y, x in threads(T, T):
            if by * T + y < n and bx * T + x < m:
                c[by * T + y, bx * T + x] = ta[x, y]


@kernel
def tile_next_row(c: Mut[f64, "n"], a: Ref[f64, "n"]):
    for b in teams(ceildiv(n, T)):
        tile = shared(f64, T, T)
        for y, x in threads(T, T):
            tile[y, x] = a[b] if b < n else 0.0
        for y, x in threads(T, T):
            tile[y, x] += 1.0  # error: [KP0401] "data race on `tile`"
            if b < n and y == 0 and x == 0:
                c[b] = tile[y + 1, x]


@kernel
def tile_next_row_safe(c: Mut[f64, "n"], a: Ref[f64, "n"]):
    for b in teams(ceildiv(n, T)):
        tile = shared(f64, T, T)
        for y, x in threads(T, T):
            tile[y, x] = a[b] if b < n else 0.0
        for y, x in threads(T, T):
            tile[y, x] += 1.0
        for y, x in threads(1, 1):
            if b < n and y == 0 and x == 0:
                c[b] = tile[y + 1, x]


@kernel
def stencil_halo_short(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for b in teams(ceildiv(n, T)):
        s = shared(f64, T + 2)
        for t in threads(T + 1):  # one too few
            s[t] = x[b * T + t - 1] if b * T + t >= 1 and b * T + t <= n else 0.0
        for t in threads(T):
            if b * T + t < n:
                y[b * T + t] = s[t] + s[t + 1] + s[t + 2]  # error: [KP0502] "`s[t + 2]` may be read"


@kernel
def stencil_halo_short_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for b in teams(ceildiv(n, T)):
        s = shared(f64, T + 2)
        for t in threads(T + 2):
            s[t] = x[b * T + t - 1] if b * T + t >= 1 and b * T + t < n + 1 else 0.0
        for t in threads(T):
            if b * T + t < n:
                y[b * T + t] = s[t] + s[t + 1] + s[t + 2]


@kernel
def stencil_halo_off_by_one(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for b in teams(ceildiv(n, T)):
        s = shared(f64, T + 2)
        for t in threads(T + 2):
            s[t] = x[b * T + t - 1] if b * T + t >= 1 and b * T + t < n + 1 else 0.0
        for t in threads(T):
            if b * T + t < n:
                y[b * T + t] = s[t + 1] + s[t + 2] + s[t + 3]  # error: [KP0301] "`s[t + 3]` is read past"


@kernel
def stencil_halo_off_by_one_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for b in teams(ceildiv(n, T)):
        s = shared(f64, T + 2)
        for t in threads(T + 2):
            s[t] = x[b * T + t - 1] if b * T + t >= 1 and b * T + t < n + 1 else 0.0
        for t in threads(T):
            if b * T + t < n:
                y[b * T + t] = s[t] + s[t + 1] + s[t + 2]


@kernel
def local_number_used_for_all(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for b in teams(ceildiv(n, 256)):
        for t in threads(256):
            if t < n:
                y[t] = x[t]  # error: [KP0401] "data race on `y`: two threads write one element"


@kernel
def local_number_used_for_all_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for b in teams(ceildiv(n, 256)):
        for t in threads(256):
            if b * 256 + t < n:
                y[b * 256 + t] = x[b * 256 + t]


@kernel
def smooth_in_place(x: Mut[f64, "n"]):
    for b in teams(ceildiv(n, 256)):
        for t in threads(256):
            if b * 256 + t > 0 and b * 256 + t < n:
                x[b * 256 + t] += x[b * 256 + t - 1]  # error: [KP0401] "data race on `x`"


@kernel
def smooth_in_place_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for b in teams(ceildiv(n, 256)):
        for t in threads(256):
            if b * 256 + t > 0 and b * 256 + t < n:
                y[b * 256 + t] += x[b * 256 + t - 1]


@kernel
def neighbour_of_another_team(x: Mut[f64, "n"], y: Mut[f64, "n"]):
    for b in teams(ceildiv(n, 256)):
        for t in threads(256):
            if b * 256 + t < n:
                x[b * 256 + t] = 1.0  # error: [KP0401] "data race on `x`: one thread writes an element that another"
        for t in threads(256):
            if b * 256 + t + 1 < n:
                y[b * 256 + t] = x[b * 256 + t + 1]


@kernel
def neighbour_of_another_team_safe(x: Mut[f64, "n"], old: Ref[f64, "n"], y: Mut[f64, "n"]):
    for b in teams(ceildiv(n, 256)):
        for t in threads(256):
            if b * 256 + t < n:
                x[b * 256 + t] = 1.0
        for t in threads(256):
            if b * 256 + t + 1 < n:
                y[b * 256 + t] = old[b * 256 + t + 1]


@kernel
def neighbour_in_a_phase(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for b in teams(ceildiv(n, 256)):
        s = shared(f64, 256)
        for t in threads(256):
            s[t] = x[b * 256 + t] if b * 256 + t < n else 0.0
        for t in threads(256):
            if t < 255:
                s[t] = s[t + 1]  # error: [KP0401] "data race on `s`: one thread writes an element that another reads"
        for t in threads(256):
            if b * 256 + t < n:
                y[b * 256 + t] = s[t]


@kernel
def neighbour_in_a_phase_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for b in teams(ceildiv(n, 256)):
        s, r = shared(f64, 256), shared(f64, 256)
        for t in threads(256):
            s[t] = x[b * 256 + t] if b * 256 + t < n else 0.0
        for t in threads(256):
            r[t] = s[t + 1] if t < 255 else s[t]
        for t in threads(256):
            if b * 256 + t < n:
                y[b * 256 + t] = r[t]


@kernel
def two_shapes_in_a_phase(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for e in teams(n):
        m = shared(f64, 24)
        wide, high = reshape(m, 4, 6), reshape(m, 6, 4)
        for r, q in threads(4, 6):
            wide[r, q] = x[e]
        for r, q in threads(4, 4):
            high[r, q] = wide[q, r]  # error: [KP0401] "data race on `high`"
        for t in threads(1):
            y[e] = high[0, 0]


@kernel
def two_shapes_in_a_phase_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for e in teams(n):
        m = shared(f64, 24)
        wide, other = reshape(m, 4, 6), shared(f64, 4, 4)
        for r, q in threads(4, 6):
            wide[r, q] = x[e]
        for r, q in threads(4, 4):
            other[r, q] = wide[q, r]
        for t in threads(1):
            y[e] = other[0, 0]


@kernel
def counters_reset_while_others_read(y: Mut[i64, "n"], x: Ref[i64, "n"]):
    for b in teams(ceildiv(n, 64)):
        count = shared(i64, 1, fill=0)
        for t in threads(64):
            if b * 64 + t < n:
                y[b * 64 + t] = count[0]
            if t == 0:
                count[0] = 0  # error: [KP0401] "data race on `count`"


@kernel
def counters_reset_while_others_read_safe(y: Mut[i64, "n"], x: Ref[i64, "n"]):
    for b in teams(ceildiv(n, 64)):
        count = shared(i64, 1, fill=0)
        for t in threads(64):
            if b * 64 + t < n:
                y[b * 64 + t] = count[0]
        for t in threads(1):
            count[0] = 0


@kernel
def histogram_without_fill(counts: Atomic[i64, 64], x: Ref[i64, "n"]):
    for b in teams(ceildiv(n, 64)):
        own = shared(i64, 64, atomic=True)
        for t in threads(64):
            if b * 64 + t < n:
                own[min(max(x[b * 64 + t], 0), 63)] += 1  # error: [KP0502] "may be read before it is written"
        for t in threads(64):
            counts[t] += own[t].add(0)  # error: [KP0502] "may be read before it is written"


@kernel
def histogram_without_fill_safe(counts: Atomic[i64, 64], x: Ref[i64, "n"]):
    for b in teams(ceildiv(n, 64)):
        own = shared(i64, 64, atomic=True, fill=0)
        for t in threads(64):
            if b * 64 + t < n:
                own[min(max(x[b * 64 + t], 0), 63)] += 1
        for t in threads(64):
            counts[t] += own[t].add(0)


@kernel
def larger_view(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for e in teams(n):
        m = shared(f64, 24)
        more = reshape(m, 5, 5)  # error: [KP0302] "`more` does not fit into `m`"
        for r, q in threads(5, 5):
            more[r, q] = x[e]
        for t in threads(1):
            y[e] = more[0, 0]


@kernel
def larger_view_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for e in teams(n):
        m = shared(f64, 24)
        more = reshape(m, 4, 5)
        for r, q in threads(4, 5):
            more[r, q] = x[e]
        for t in threads(1):
            y[e] = more[0, 0]


@kernel
def size_of_team_memory(y: Mut[f64, "n"], x: Ref[f64, "n"], w: i64):
    for e in teams(n):
        s = shared(f64, w)
        for t in threads(w):
            s[t] = x[e]
        for t in threads(1):
            y[e] = s[0]  # guard: "s[0]: largest index 0 must be < w"


@kernel
def flags_on_data(y: Mut[f64, 4], rank: Ref[f64, "n"]):
    for b in teams(ceildiv(n, 64)):
        for t in threads(64):
            if b * 64 + t < n and rank[b * 64 + t] == 0.0:
                y[0] = 1.0  # error: [KP0401] "data race on `y`: two threads write one element"


@kernel
def flags_on_data_safe(y: Atomic[i64, 4], rank: Ref[f64, "n"]):
    for b in teams(ceildiv(n, 64)):
        for t in threads(64):
            if b * 64 + t < n and rank[b * 64 + t] == 0.0:
                y[0] += 1
