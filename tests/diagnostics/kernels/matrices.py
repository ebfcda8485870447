"""Dense matrices: products, factorisations, triangles, flattened rows, layouts and ranks that do not fit."""

from kparity.compiler import Mut, Out, Ref, Sum, Table, f64, i64, kernel, layout, parallel, require


@kernel
def product_one_step_too_many(c: Mut[f64, "n", "m"], a: Ref[f64, "n", "q"], b: Ref[f64, "q", "m"]):
    for i, j in parallel(n, m):
        total = 0.0
        for k in range(q + 1):
            # error: [KP0301] "`a[i, k]` is read past the end"
            # error: [KP0301] "`b[k, j]` is read past the end"
            total += a[i, k] * b[k, j]
        c[i, j] = total


@kernel
def product_one_step_too_many_safe(c: Mut[f64, "n", "m"], a: Ref[f64, "n", "q"], b: Ref[f64, "q", "m"]):
    for i, j in parallel(n, m):
        total = 0.0
        for k in range(q):
            total += a[i, k] * b[k, j]
        c[i, j] = total


@kernel
def product_split_over_the_inner_index(c: Mut[f64, "n", "m"], a: Ref[f64, "n", "q"], b: Ref[f64, "q", "m"]):
    for i, j, k in parallel(n, m, q):
        c[i, j] += a[i, k] * b[k, j]  # error: [KP0401] "data race on `c`"


@kernel
def product_split_over_the_inner_index_safe(c: Mut[f64, "n", "m"], a: Ref[f64, "n", "q"], b: Ref[f64, "q", "m"]):
    for i, j, k in parallel(n, m, min(q, 1)):
        c[i, j] += a[i, k] * b[k, j]


@kernel
def product_onto_its_own_factor(a: Mut[f64, "n", "n"], b: Ref[f64, "n", "n"]):
    for i, j in parallel(n, n):
        total = 0.0
        for k in range(n):
            total += a[i, k] * b[k, j]
        a[i, j] = total  # error: [KP0401] "data race on `a`"


@kernel
def product_onto_its_own_factor_safe(a: Mut[f64, "n", "n"], b: Ref[f64, "n", "n"]):
    for i, j in parallel(n, n):
        total = 0.0
        for k in range(n):
            total += b[i, k] * b[k, j]
        a[i, j] = total


@kernel
def upper_triangle_with_its_mirror(a: Mut[f64, "n", "n"], x: Ref[f64, "n"]):
    for i, j in parallel(n, n):
        if j >= i - 1:
            a[i, j] = x[i] * x[j]
            a[j, i] = a[i, j]  # error: [KP0401] "data race on `a`"


@kernel
def upper_triangle_with_its_mirror_safe(a: Mut[f64, "n", "n"], x: Ref[f64, "n"]):
    for i, j in parallel(n, n):
        if j >= i:
            a[i, j] = x[i] * x[j]
            a[j, i] = x[i] * x[j]


@kernel
def elimination_of_a_column(a: Mut[f64, "n", "n"], p: i64):
    require(p >= 0 and p < n)
    for i in parallel((p, n)):
        factor = a[i, p] / a[p, p]
        for j in range(p, n):
            a[i, j] -= factor * a[p, j]  # error: [KP0401] "data race on `a`"


@kernel
def elimination_of_a_column_safe(a: Mut[f64, "n", "n"], p: i64):
    require(p >= 0 and p < n)
    for i in parallel((p + 1, n)):
        factor = a[i, p] / a[p, p]
        for j in range(p, n):
            a[i, j] -= factor * a[p, j]


@kernel
def pivot_row_scaled_by_its_readers(a: Mut[f64, "n", "n"], p: i64):
    require(p >= 0 and p < n)
    for i, j in parallel(n, n):
        if i == p:
            a[i, j] /= a[p, p]  # error: [KP0401] "data race on `a`"


@kernel
def pivot_row_scaled_by_its_readers_safe(a: Mut[f64, "n", "n"], p: i64):
    require(p >= 0 and p < n)
    for i, j in parallel(n, n):
        if i == p and j != p:
            a[i, j] /= a[p, p]


@kernel
def row_swap_by_every_thread(a: Mut[f64, "n", "m"], r: i64, s: i64):
    require(r >= 0 and r < n and s >= 0 and s < n)
    for j in parallel(m):
        for k in range(m):
            t = a[r, k]
            a[r, k] = a[s, k]  # error: [KP0401] "data race on `a`"
            a[s, k] = t


@kernel
def row_swap_by_every_thread_safe(a: Mut[f64, "n", "m"], r: i64, s: i64):
    require(r >= 0 and r < n and s >= 0 and s < n)
    for j in parallel(m):
        for k in range(j, j + 1):
            t = a[r, k]
            a[r, k] = a[s, k]
            a[s, k] = t


@kernel
def back_substitution_all_at_once(x: Mut[f64, "n"], u: Ref[f64, "n", "n"], b: Ref[f64, "n"]):
    for i in parallel(n):
        total = b[i]
        for j in range(i + 1, n):
            total -= u[i, j] * x[j]
        x[i] = total / u[i, i]  # error: [KP0401] "data race on `x`"


@kernel
def back_substitution_all_at_once_safe(x: Mut[f64, "n"], u: Ref[f64, "n", "n"], b: Ref[f64, "n"]):
    for i in parallel(n):
        total = b[i]
        for j in range(i, i + 1):
            total -= u[i, j] * x[j]
        x[i] = total / u[i, i]


@kernel
def cholesky_reads_below(low: Mut[f64, "n", "n"], p: i64):
    require(p >= 0 and p < n)
    for i in parallel((p + 1, n)):
        for j in range(p + 1, i + 1):
            low[i, j] -= low[i, p] * low[j, p]
            low[j, p] = 0.0  # error: [KP0401] "data race on `low`"


@kernel
def cholesky_reads_below_safe(low: Mut[f64, "n", "n"], p: i64):
    require(p >= 0 and p < n)
    for i in parallel((p + 1, n)):
        for j in range(p + 1, i + 1):
            low[i, j] -= low[i, p] * low[j, p]


@kernel
def matrix_times_columns_in_place(v: Mut[f64, "n", 3], r: Table[f64, 3, 3]):
    for i in parallel(n):
        for k in range(3):
            total = 0.0
            for d in range(3):
                total += r[k, d] * v[i + d, k]  # error: [KP0301] "`v[i + d, k]`"
            v[i, k] = total  # error: [KP0401] "data race on `v`"


@kernel
def matrix_times_columns_in_place_safe(v: Mut[f64, "n", 3], r: Table[f64, 3, 3]):
    for i in parallel(n):
        for k in range(3):
            total = 0.0
            for d in range(3):
                total += r[k, d] * v[i, d]
            v[i, k] = total


@kernel
def flattened_row_of_another_width(y: Mut[f64, "n", 8], x: Ref[f64, "8*n"], n: i64):
    for i, j in parallel(n, 8):
        y[i, j] = x[9 * i + j]  # error: [KP0301] "`x[9 * i + j]` is read past the end"


@kernel
def flattened_row_of_another_width_safe(y: Mut[f64, "n", 8], x: Ref[f64, "8*n"], n: i64):
    for i, j in parallel(n, 8):
        y[i, j] = x[8 * i + j]


@kernel
def flattened_write_of_another_width(y: Mut[f64, "8*n"], x: Ref[f64, "n", 8], n: i64):
    for i, j in parallel(n, 8):
        y[7 * i + j] = x[i, j]  # error: [KP0401] "data race on `y`: two threads write one element"


@kernel
def flattened_write_of_another_width_safe(y: Mut[f64, "8*n"], x: Ref[f64, "n", 8], n: i64):
    for i, j in parallel(n, 8):
        y[8 * i + j] = x[i, j]


@kernel
def flattened_by_columns(y: Mut[f64, "size"], x: Ref[f64, "n", "m"], size: i64):
    require(size >= n * m)
    for i, j in parallel(n, m):
        y[i * n + j] = x[i, j]  # error: [KP0302] "`y[i * n + j]`"


@kernel
def flattened_by_columns_safe(y: Mut[f64, "size"], x: Ref[f64, "n", "m"], size: i64):
    require(size >= n * m)
    for i, j in parallel(n, m):
        y[i * m + j] = x[i, j]


@kernel
def band_matrix_row(y: Mut[f64, "n"], band: Ref[f64, "n", 5], x: Ref[f64, "n"]):
    for i in parallel(n):
        for k in range(5):
            if i + k - 2 >= 0:
                y[i] += band[i, k] * x[i + k - 2]  # error: [KP0301] "`x[i + k - 2]` is read past the end"


@kernel
def band_matrix_row_safe(y: Mut[f64, "n"], band: Ref[f64, "n", 5], x: Ref[f64, "n"]):
    for i in parallel(n):
        for k in range(5):
            if 0 <= i + k - 2 < n:
                y[i] += band[i, k] * x[i + k - 2]


@kernel
def packed_triangle(y: Mut[f64, "n", 4, 4], x: Ref[f64, "n", 10]):
    for e in parallel(n):
        for i in range(4):
            for j in range(4):
                y[e, i, j] = x[e, j + 3 * i]  # error: [KP0301] "`x[e, j + 3 * i]` is read past the end"


@kernel
def packed_triangle_safe(y: Mut[f64, "n", 4, 4], x: Ref[f64, "n", 10]):
    for e in parallel(n):
        for i in range(4):
            for j in range(4):
                y[e, i, j] = x[e, j + 2 * i]


@kernel
def batched_product_reads_the_next_matrix(c: Mut[f64, "q", 4, 4], a: Ref[f64, "q", 4, 4], b: Ref[f64, "q", 4, 4]):
    for e, i, j in parallel(q, 4, 4):
        for k in range(4):
            c[e, i, j] += a[e, i, k] * b[e + 1, k, j]  # error: [KP0301] "`b[e + 1, k, j]` is read past the end"


@kernel
def batched_product_reads_the_next_matrix_safe(c: Mut[f64, "q", 4, 4], a: Ref[f64, "q", 4, 4], b: Ref[f64, "q", 4, 4]):
    for e, i, j in parallel(q, 4, 4):
        for k in range(4):
            c[e, i, j] += a[e, i, k] * b[e, k, j]


@kernel
def column_norm_by_rows(norm: Mut[f64, "m"], a: Ref[f64, "n", "m"]):
    for i in parallel(n):
        for j in range(m):
            norm[j] += a[i, j] * a[i, j]  # error: [KP0401] "data race on `norm`"


@kernel
def column_norm_by_rows_safe(norm: Mut[f64, "m"], a: Ref[f64, "n", "m"]):
    for j in parallel(m):
        for i in range(n):
            norm[j] += a[i, j] * a[i, j]


@kernel
def outer_product_of_other_lengths(a: Out[f64, "n", "m"], x: Ref[f64, "n"], y: Ref[f64, "m"]):
    for i, j in parallel(m, n):
        a[i, j] = x[i] * y[j]  # guard: "x[i]: largest index m - 1" # guard: "y[j]: largest index n - 1"


@kernel
def outer_product_of_other_lengths_safe(a: Out[f64, "n", "m"], x: Ref[f64, "n"], y: Ref[f64, "m"]):
    for i, j in parallel(n, m):
        a[i, j] = x[i] * y[j]


@kernel
def rotated_layout_with_rows_first(y: Out[f64, "n", 3], x: Ref[f64, "n", 3, layout(1, 0)]):
    for i, d in parallel(n, 3):
        y[i, d] = x[d, i]  # error: [KP0301] "`x[d, i]` is read past the end of `x`, in dimension 2"


@kernel
def rotated_layout_with_rows_first_safe(y: Out[f64, "n", 3], x: Ref[f64, "n", 3, layout(1, 0)]):
    for i, d in parallel(n, 3):
        y[i, d] = x[i, d]


@kernel
def trace_with_one_index(t: Sum[f64], a: Ref[f64, "n", "n"]):
    for i in parallel(n):
        t += a[i]  # error: [KP0203] "`a` has 2 dimensions, but is indexed by 1"


@kernel
def trace_with_one_index_safe(t: Sum[f64], a: Ref[f64, "n", "n"]):
    for i in parallel(n):
        t += a[i, i]
