"""Indices that leave their array, and the twin whose do not."""

from kparity.compiler import Mut, Out, Ref, f64, i32, i64, kernel, parallel, require

GHOSTS = 2


@kernel
def right_neighbour(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[i] = x[i + 1] - x[i]  # error: [KP0301] "`x[i + 1]`"


@kernel
def right_neighbour_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n - 1):
        y[i] = x[i + 1] - x[i]


@kernel
def left_neighbour(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[i] = x[i] - x[i - 1]  # error: [KP0301] "`x[i - 1]`"


@kernel
def left_neighbour_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel((1, n)):
        y[i] = x[i] - x[i - 1]


@kernel
def one_based(y: Mut[f64, "n"]):
    for i in parallel((1, n + 1)):
        y[i] = 1.0  # error: [KP0301] "`y[i]`"


@kernel
def one_based_safe(y: Mut[f64, "1..n + 1"], x: Ref[f64, "n"]):
    for i in parallel((1, n + 1)):
        y[i] = 1.0


@kernel
def stencil_both_ends(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel((1, n)):
        y[i] = x[i - 1] + x[i + 1]  # error: [KP0301] "`x[i + 1]`"


@kernel
def stencil_both_ends_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel((1, n - 1)):
        y[i] = x[i - 1] + x[i + 1]


@kernel
def swapped_dims(b: Mut[f64, "m", "n"], a: Ref[f64, "n", "m"]):
    for i, j in parallel(n, m):
        b[i, j] = a[i, j]  # guard: "n - 1 must be < m" # guard: "m - 1 must be < n"


@kernel
def swapped_dims_safe(b: Mut[f64, "m", "n"], a: Ref[f64, "n", "m"]):
    for i, j in parallel(n, m):
        b[j, i] = a[i, j]


@kernel
def other_extent(y: Mut[f64, "n"], x: Ref[f64, "m"]):
    for i in parallel(m):
        y[i] = x[i]  # guard: "m - 1 must be < n"


@kernel
def other_extent_safe(y: Mut[f64, "n"], x: Ref[f64, "m"]):
    for i in parallel(min(n, m)):
        y[i] = x[i]


@kernel
def test_after_read(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        if x[i + 1] > 0.0 and i + 1 < n:  # error: [KP0301] "`x[i + 1]`"
            y[i] = 1.0


@kernel
def test_after_read_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        if i + 1 < n and x[i + 1] > 0.0:
            y[i] = 1.0


@kernel
def ternary_swapped(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[i] = 0.0 if i > 0 else x[i - 1]  # error: [KP0301] "`x[i - 1]`"


@kernel
def ternary_swapped_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[i] = x[i - 1] if i > 0 else 0.0


@kernel
def wrong_guard(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        if i <= n:
            y[i] = x[i]
        if i < n - 1:
            y[i] += x[i + 2]  # error: [KP0301] "`x[i + 2]`"


@kernel
def wrong_guard_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        if i < n - 2:
            y[i] += x[i + 2]


@kernel
def inner_loop_inclusive(y: Mut[f64, "n"], a: Ref[f64, "n", "m"]):
    for i in parallel(n):
        for j in range(m + 1):
            y[i] += a[i, j]  # error: [KP0301] "`a[i, j]`"


@kernel
def inner_loop_inclusive_safe(y: Mut[f64, "n"], a: Ref[f64, "n", "m"]):
    for i in parallel(n):
        for j in range(m):
            y[i] += a[i, j]


@kernel
def downward_loop(y: Mut[f64, "n"], a: Ref[f64, "n", "m"]):
    for i in parallel(n):
        for j in range(m, -1, -1):
            y[i] += a[i, j]  # error: [KP0301] "`a[i, j]`"


@kernel
def downward_loop_safe(y: Mut[f64, "n"], a: Ref[f64, "n", "m"]):
    for i in parallel(n):
        for j in range(m - 1, -1, -1):
            y[i] += a[i, j]


@kernel
def row_wrap(b: Mut[f64, "n", "m"], a: Ref[f64, "n", "m"]):
    for i, j in parallel(n, m):
        b[i, j] = a[i, j + 1]  # error: [KP0301] "`a[i, j + 1]`"


@kernel
def row_wrap_safe(b: Mut[f64, "n", "m"], a: Ref[f64, "n", "m"]):
    for i, j in parallel(n, m - 1):
        b[i, j] = a[i, j + 1]


@kernel
def short_axis(b: Mut[f64, "n", "m"], a: Ref[f64, "n", "m", 3]):
    for i, j in parallel(n, m):
        for d in range(4):
            b[i, j] += a[i, j, d]  # error: [KP0301] "`a[i, j, d]`"


@kernel
def short_axis_safe(b: Mut[f64, "n", "m"], a: Ref[f64, "n", "m", 3]):
    for i, j in parallel(n, m):
        for d in range(3):
            b[i, j] += a[i, j, d]


@kernel
def rounding_up(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for t in parallel((n + 3) // 4):
        for k in range(4):
            y[4 * t + k] = x[4 * t + k]  # error: [KP0301] "`x[4 * t + k]`" # error: [KP0301] "`y[4 * t + k]`"


@kernel
def rounding_up_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for t in parallel((n + 3) // 4):
        for k in range(4):
            if 4 * t + k < n:
                y[4 * t + k] = x[4 * t + k]


@kernel
def ghost_cells(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel((GHOSTS, n - GHOSTS)):
        y[i] = x[i - GHOSTS - 1] + x[i + GHOSTS]  # error: [KP0301] "`x[i - GHOSTS - 1]`"


@kernel
def ghost_cells_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel((GHOSTS, n - GHOSTS)):
        y[i] = x[i - GHOSTS] + x[i + GHOSTS]


@kernel
def mirrored(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[i] = x[n - i]  # error: [KP0301] "`x[n - i]`"


@kernel
def mirrored_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[i] = x[n - 1 - i]


@kernel
def wrong_double(y: Mut[f64, "n"], x: Ref[f64, "2*n"]):
    for i in parallel(n):
        y[i] = x[2 * i + 2]  # error: [KP0301] "`x[2 * i + 2]`"


@kernel
def wrong_double_safe(y: Mut[f64, "n"], x: Ref[f64, "2*n"]):
    for i in parallel(n):
        y[i] = x[2 * i + 1]


@kernel
def negative_modulo(y: Mut[f64, 8], x: Ref[f64, 8]):
    for i in parallel(8):
        y[i] = x[(i - 3) // 2]  # error: [KP0301] "`x[(i - 3) // 2]`"


@kernel
def negative_modulo_safe(y: Mut[f64, 8], x: Ref[f64, 8]):
    for i in parallel(8):
        y[i] = x[(i - 3) % 8]


@kernel
def through_a_local(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        left = i - 1
        if i == n - 1:
            left = 0
        y[i] = x[left]  # error: [KP0301] "`x[left]`"


@kernel
def through_a_local_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        left = i - 1
        if i == 0:
            left = n - 1
        y[i] = x[left]


@kernel
def accumulated_index(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        at = 0
        for j in range(i):
            at += 2
        y[i] = x[at]  # error: [KP0301] "`x[at]`"


@kernel
def accumulated_index_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        at = 0
        for j in range(i):
            at += 1
        y[i] = x[at]


@kernel
def through_a_list(y: Mut[f64, "n"], x: Ref[f64, "m"], list_: Mut[i32, "n"]):
    for i in parallel(n):
        y[i] = x[list_[i]]  # error: [KP0302] "`list_[i]`"


@kernel
def through_a_list_safe(y: Mut[f64, "n"], x: Ref[f64, "m"], list_: Ref[i32, "n"]):
    for i in parallel(n):
        at = i64(list_[i])
        y[i] = x[min(max(at, 0), m - 1)] if m > 0 else 0.0


@kernel
def two_faults_on_a_line(y: Mut[f64, "n"]):
    for i in parallel(n):
        y[0] = 1.0  # error: [KP0401] "data race on `y`"
        y[n] = 1.0  # error: [KP0301] "`y[n]`" # error: [KP0401] "data race on `y`"


@kernel
def two_faults_on_a_line_safe(y: Mut[f64, "n"]):
    for i in parallel(n):
        y[i] = 1.0


@kernel
def offset(y: Mut[f64, "n"], x: Ref[f64, "m"], jp: i64):
    for i in parallel(n):
        y[i] = x[i + jp]  # guard: "smallest index jp must be >= 0" # guard: "largest index jp + n - 1 must be < m"


@kernel
def offset_safe(y: Mut[f64, "n"], x: Ref[f64, "m"], jp: i64):
    require(jp >= 0)
    require(n + jp <= m)
    for i in parallel(n):
        y[i] = x[i + jp]


@kernel
def contradiction(y: Mut[f64, "n"], x: Ref[f64, "n"], shift: i64):
    for i in parallel(n):
        y[i] = x[i + shift] - x[i - shift - 1]  # error: [KP0303] "`x[i - shift - 1]` leaves none"


@kernel
def contradiction_safe(y: Mut[f64, "n"], x: Ref[f64, "n"], shift: i64):
    require(shift >= 0)
    for i in parallel(n):
        if shift < i < n - shift:
            y[i] = x[i + shift] - x[i - shift - 1]


@kernel
def flattened(y: Mut[f64, "m"], x: Ref[f64, "m"], q: i64):
    for i in parallel(m):
        y[i] = x[i * q]  # error: [KP0302] "cannot prove that `x[i * q]` is inside `x` for every launch"


@kernel
def flattened_safe(y: Mut[f64, "m"], x: Ref[f64, "m", "q"]):
    for i in parallel(m):
        y[i] = x[i, 0] if q > 0 else 0.0


@kernel
def corner(a: Out[f64, "n", "m"], last: i64):
    for i, j in parallel(n, m):
        a[i, j] = 1.0 if i == last else 0.0
