"""Threads that reach one element: how it really happens, and the twin that does not."""

from kparity.compiler import Mut, Out, Ref, Sum, f64, i64, kernel, parallel, require

HALF = 2


@kernel
def smooth(x: Mut[f64, "n"]):
    for i in parallel((1, n - 1)):
        x[i] = 0.5 * (x[i - 1] + x[i + 1])  # error: [KP0401] "data race on `x`"


@kernel
def smooth_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel((1, n - 1)):
        y[i] = 0.5 * (x[i - 1] + x[i + 1])


@kernel
def recurrence(x: Mut[f64, "n"], a: f64):
    for i in parallel((1, n)):
        x[i] = a * x[i - 1]  # error: [KP0401] "data race on `x`"


@kernel
def recurrence_safe(x: Mut[f64, "n"], a: f64):
    for j in parallel(1):
        for i in range(1, n):
            x[i] = a * x[i - 1]


@kernel
def shift_down(x: Mut[f64, "n"]):
    for i in parallel(n - 1):
        x[i] = x[i + 1]  # error: [KP0401] "data race on `x`"


@kernel
def shift_down_safe(x: Mut[f64, "n"], old: Ref[f64, "n"]):
    for i in parallel(n - 1):
        x[i] = old[i + 1]


@kernel
def accumulate_into_first(total: Mut[f64, 1], x: Ref[f64, "n"]):
    for i in parallel(n):
        total[0] += x[i]  # error: [KP0401] "data race on `total`"


@kernel
def accumulate_into_first_safe(total: Sum[f64], x: Ref[f64, "n"]):
    for i in parallel(n):
        total += x[i]


@kernel
def flag_found(found: Mut[i64, 1], x: Ref[f64, "n"], wanted: f64):
    for i in parallel(n):
        if x[i] == wanted:
            found[0] = i  # error: [KP0401] "data race on `found`"


@kernel
def flag_found_safe(found: Mut[i64, "n"], x: Ref[f64, "n"], wanted: f64):
    for i in parallel(n):
        if x[i] == wanted:
            found[i] = 1


@kernel
def row_sums_over_columns(s: Mut[f64, "n"], a: Ref[f64, "n", "m"]):
    for i, j in parallel(n, m):
        s[i] += a[i, j]  # error: [KP0401] "data race on `s`"


@kernel
def row_sums_over_columns_safe(s: Mut[f64, "n"], a: Ref[f64, "n", "m"]):
    for i in parallel(n):
        for j in range(m):
            s[i] += a[i, j]


@kernel
def transpose_in_place(a: Mut[f64, "n", "n"]):
    for i, j in parallel(n, n):
        a[i, j] = a[j, i]  # error: [KP0401] "data race on `a`"


@kernel
def transpose_in_place_safe(b: Out[f64, "n", "n"], a: Ref[f64, "n", "n"]):
    for i, j in parallel(n, n):
        b[i, j] = a[j, i]


@kernel
def symmetrise(a: Mut[f64, "n", "n"]):
    for i, j in parallel(n, n):
        if i <= j:
            a[j, i] = a[i, j]


@kernel
def pairs_overlap(y: Mut[f64, "n + 1"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[i] = x[i]
        y[i + 1] = x[i]  # error: [KP0401] "data race on `y`"


@kernel
def pairs_overlap_safe(y: Mut[f64, "2*n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[2 * i] = x[i]
        y[2 * i + 1] = x[i]


@kernel
def wrong_stride(y: Mut[f64, "4*n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        for k in range(4):
            y[3 * i + k] = x[i]  # error: [KP0401] "data race on `y`"


@kernel
def wrong_stride_safe(y: Mut[f64, "4*n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        for k in range(4):
            y[4 * i + k] = x[i]


@kernel
def halves_overlap(x: Mut[f64, "2*n"], n: i64):
    for i in parallel(n):
        x[i] = x[i + n - 1]  # error: [KP0401] "data race on `x`"


@kernel
def halves_overlap_safe(x: Mut[f64, "2*n"], n: i64):
    for i in parallel(n):
        x[i] = x[i + n]


@kernel
def reverse(x: Mut[f64, "n"]):
    for i in parallel(n):
        t = x[i]
        x[i] = x[n - 1 - i]  # error: [KP0401] "data race on `x`"
        x[n - 1 - i] = t


@kernel
def reverse_safe(x: Mut[f64, "n"]):
    for i in parallel(n // HALF):
        t = x[i]
        x[i] = x[n - 1 - i]
        x[n - 1 - i] = t


@kernel
def red_black(x: Mut[f64, "n"]):
    for i in parallel((1, n - 1)):
        if i % 2 == 0:
            x[i] = x[i - 1] + x[i + 1]  # error: [KP0401] "data race on `x`"
        else:
            x[i] = x[i - 1]


@kernel
def red_black_safe(x: Mut[f64, "n"]):
    for i in parallel((1, n - 1)):
        if i % 2 == 0:
            x[i] = x[i - 1] + x[i + 1]


@kernel
def column_sweep(a: Mut[f64, "n", "m"]):
    for i, j in parallel((1, n), m):
        a[i, j] += a[i - 1, j]  # error: [KP0401] "data race on `a`"


@kernel
def column_sweep_safe(a: Mut[f64, "n", "m"]):
    for j in parallel(m):
        for i in range(1, n):
            a[i, j] += a[i - 1, j]


@kernel
def missing_index(u: Mut[f64, "n", "m"], v: Ref[f64, "n", "m", "q"]):
    for i, j, k in parallel(n, m, q):
        u[i, j] = v[i, j, k]  # error: [KP0401] "data race on `u`"


@kernel
def missing_index_safe(u: Mut[f64, "n", "m", "q"], v: Ref[f64, "n", "m", "q"]):
    for i, j, k in parallel(n, m, q):
        u[i, j, k] = v[i, j, k]


@kernel
def triangle(a: Mut[f64, "n", "n"]):
    for i in parallel(n):
        for j in range(n):
            a[i, j] = a[j, i]  # error: [KP0401] "data race on `a`"


@kernel
def triangle_safe(a: Mut[f64, "n", "n"]):
    for i in parallel(n):
        for j in range(i + 1, n):
            a[i, j] = a[j, i]


@kernel
def neighbour_by_ternary(x: Mut[f64, "n"]):
    for i in parallel(n):
        x[i] = x[i + 1] if i + 1 < n else x[0]  # error: [KP0401] "data race on `x`"


@kernel
def neighbour_by_ternary_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[i] = x[i + 1] if i + 1 < n else x[0]


@kernel
def clamped_write(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[min(i + 1, n - 1)] = x[i]  # error: [KP0401] "data race on `y`"


@kernel
def clamped_write_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[i] = x[min(i + 1, n - 1)]


@kernel
def half_resolution_write(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[i // 2] = x[i]  # error: [KP0401] "data race on `y`"


@kernel
def half_resolution_write_safe(y: Mut[f64, "n"], x: Ref[f64, "2*n"]):
    for i in parallel(n):
        y[i] = x[2 * i] + x[2 * i + 1]


@kernel
def boundary_by_everyone(x: Mut[f64, "n", "m"]):
    for i, j in parallel(n, m):
        x[i, j] = 1.0
        x[i, 0] = 0.0  # error: [KP0401] "data race on `x`"


@kernel
def boundary_by_everyone_safe(x: Mut[f64, "n", "m"]):
    for i, j in parallel(n, m):
        x[i, j] = 1.0
        if j == 0:
            x[i, j] = 0.0


@kernel
def several_items(y: Mut[f64, "4*n + 1"], x: Ref[f64, "4*n + 1"], n: i64):
    for t in parallel(n):
        for k in range(5):
            y[4 * t + k] = x[4 * t + k]  # error: [KP0401] "data race on `y`"


@kernel
def several_items_safe(y: Mut[f64, "4*n + 1"], x: Ref[f64, "4*n + 1"], n: i64):
    for t in parallel(n):
        for k in range(4):
            y[4 * t + k] = x[4 * t + k] + x[4 * t + k + 1]


@kernel
def scatter(y: Mut[f64, "m"], x: Ref[f64, "n"], where: Mut[i64, "n"]):
    for i in parallel(n):
        if m > 0:
            y[min(max(where[i], 0), m - 1)] = x[i]  # error: [KP0402] "`where[i]`"


@kernel
def scatter_safe(y: Mut[f64, "n"], x: Ref[f64, "m"], where: Ref[i64, "n"]):
    for i in parallel(n):
        if m > 0:
            y[i] = x[min(max(where[i], 0), m - 1)]


@kernel
def window(x: Mut[f64, "n"], w: i64):
    require(w >= 1)
    for i in parallel(n - w):
        x[i] = x[i + w]  # guard: "two threads would meet in one element if n > 2*w"


@kernel
def window_safe(x: Mut[f64, "n"], w: i64):
    require(w >= 1)
    require(2 * w >= n)
    for i in parallel(n - w):
        x[i] = x[i + w]


@kernel
def mark_ranked(y: Mut[f64, "n"], rank: Ref[i64, "n"], x: Mut[i64, "n"]):
    for i in parallel(n):
        x[i] = rank[i] + 1
        if x[i] > 3:
            y[0] = 1.0  # error: [KP0401] "data race on `y`: two threads write one element"


@kernel
def mark_ranked_safe(y: Mut[f64, "n"], rank: Ref[i64, "n"], x: Mut[i64, "n"]):
    for i in parallel(n):
        x[i] = rank[i] + 1
        if x[i] > 3:
            y[i] = 1.0


@kernel
def one_place_for_all(y: Mut[f64, "n"], x: Ref[f64, "n"], places: Ref[i64, 1]):
    for i in parallel(n):
        if places[0] >= 0 and places[0] < n:
            y[places[0]] = x[i]  # error: [KP0401] "data race on `y`: two threads write one element"


@kernel
def one_place_for_all_safe(y: Mut[f64, "n"], x: Ref[f64, "n"], places: Ref[i64, 1]):
    for i in parallel(n):
        if i == places[0]:
            y[places[0]] = x[i]


@kernel
def pairs_of_a_symbolic_stride(y: Mut[f64, "n"], p: i64):
    require(p > 0)
    require(p <= 1000000)
    require(n <= 1000000)
    for t in parallel(p):
        for i in range(t, n - 1, 2 * p):
            y[i] = 1.0
            y[i + 1] = 1.0  # error: [KP0401] "data race on `y`"


@kernel
def pairs_of_a_symbolic_stride_safe(y: Mut[f64, "n"], p: i64):
    require(p > 0)
    require(p <= 1000000)
    require(n <= 1000000)
    for t in parallel(p):
        for i in range(2 * t, n - 1, 2 * p):
            y[i] = 1.0
            y[i + 1] = 1.0
