"""Integers that overflow where they are observed, and divisors that may be zero."""

from kparity.compiler import MinLoc, Mut, Ref, f64, i32, i64, kernel, parallel, require


@kernel
def divisor_parameter(y: Mut[f64, "n"], x: Ref[f64, "n"], q: i64):
    for i in parallel(n):
        y[i] = x[i] if i % q == 0 else 0.0  # guard: "q must be >= 1"


@kernel
def divisor_parameter_safe(y: Mut[f64, "n"], x: Ref[f64, "n"], q: i64):
    require(q > 0)
    for i in parallel(n):
        y[i] = x[i] if i % q == 0 else 0.0


@kernel
def divisor_zero_at_start(y: Mut[i64, "n"]):
    for i in parallel(n):
        y[i] = n // i  # error: [KP0602] "of `n // i` may be zero"


@kernel
def divisor_zero_at_start_safe(y: Mut[i64, "n"]):
    for i in parallel(n):
        y[i] = n // (i + 1)


@kernel
def divisor_loaded(y: Mut[i64, "n"], d: Ref[i64, "n"]):
    for i in parallel(n):
        y[i] = i // d[i]  # error: [KP0602] "of `i // d[i]` may be zero"


@kernel
def divisor_loaded_safe(y: Mut[i64, "n"], d: Ref[i64, "n"]):
    for i in parallel(n):
        y[i] = i // max(d[i], 1)


@kernel
def divisor_by_branch(y: Mut[i64, "n"], k: i64):
    for i in parallel(n):
        y[i] = i // k if k >= 0 else 0  # guard: "k must be >= 1"


@kernel
def divisor_by_branch_safe(y: Mut[i64, "n"], k: i64):
    for i in parallel(n):
        y[i] = i // k if k > 0 else 0


@kernel
def square_in_i32(y: Mut[f64, "n"], k: i32):
    for i in parallel(n):
        if k * k > 100:  # guard: "k * k: largest value k*k must be <= 2147483647"
            y[i] = 1.0


@kernel
def product_in_i32(y: Mut[f64, "n"], k: i32):
    for i in parallel(n):
        if i32(i) * k > 100:  # error: [KP0601] "`i32(i) * k` may overflow `i32`"
            y[i] = 1.0


@kernel
def product_in_i32_safe(y: Mut[f64, "n"], k: i32):
    for i in parallel(n):
        if i * 1.0 * f64(k) > 100.0:
            y[i] = 1.0


@kernel
def flattened_in_i32(y: Mut[f64, "n", "m"], x: Ref[f64, "size"], m: i32):
    for i, j in parallel(n, m):
        y[i, j] = x[i32(i) * m + i32(j)]  # guard: "m * n must be <= 2147483648" # guard: "m * n must be <= size"


@kernel
def square_in_i32_safe(y: Mut[f64, "n"], k: i32):
    for i in parallel(n):
        if i64(k) * 1000 > 100:
            y[i] = 1.0


@kernel
def square_in_i32_required(y: Mut[f64, "n"], k: i32):
    require(k >= 0)
    require(k <= 46340)
    for i in parallel(n):
        if k * k > 100:
            y[i] = 1.0


@kernel
def sum_in_i32(y: Mut[f64, "n"], x: Ref[f64, "n"], a: i32, b: i32):
    for i in parallel(n):
        if 0 <= a + b < n:  # guard: "smallest value a + b" # guard: "largest value a + b"
            y[i] = x[a + b]


@kernel
def sum_in_i32_safe(y: Mut[f64, "n"], x: Ref[f64, "n"], a: i32, b: i32):
    for i in parallel(n):
        at = i64(a) + b
        if 0 <= at < n:
            y[i] = x[at]


@kernel
def square_of_an_index(y: Mut[f64, "n"]):
    for i in parallel(n):
        if i * i < 100:  # error: [KP0601] "`i * i` may overflow `i64`"
            y[i] = 1.0


@kernel
def square_of_an_index_safe(y: Mut[f64, "n"]):
    for i in parallel(n):
        if i < 10:
            y[i] = 1.0


@kernel
def data_as_a_loop_bound(y: Mut[f64, "n"], x: Ref[f64, 8], m: Mut[i32, "n"]):
    for i in parallel(n):
        for j in range(m[i]):
            y[i] += x[j]  # error: [KP0302] "`x[j]`"


@kernel
def data_as_a_loop_bound_safe(y: Mut[f64, "n"], x: Ref[f64, 8], m: Ref[i32, "n"]):
    for i in parallel(n):
        for j in range(min(m[i] + 1, 8)):
            y[i] += x[j]


@kernel
def data_wraps(y: Mut[i32, "n"], x: Ref[i32, "n"]):
    for i in parallel(n):
        y[i] = x[i] * 1103515245 + 12345


@kernel
def location(best: MinLoc[f64], x: Ref[f64, "n"]):
    for i in parallel(n):
        best.update(x[i], i)


@kernel
def step_of_any_sign(y: Mut[f64, "n"], x: Ref[f64, "n", "m"], steps: Ref[i64, "n"]):
    for i in parallel(n):
        for j in range(0, m, steps[i]):  # error: [KP0602] "the step `steps[i]` of `0, m, steps[i]`"
            y[i] += x[i, j]


@kernel
def step_of_any_sign_safe(y: Mut[f64, "n"], x: Ref[f64, "n", "m"], steps: Ref[i64, "n"]):
    for i in parallel(n):
        for j in range(0, m, min(max(steps[i], 1), 8)):
            y[i] += x[i, j]


@kernel
def bounce(y: Mut[f64, "n"], x: Ref[f64, "n"], s: i64):  # error: [KP0108] "nested too deeply"
    for i in parallel(n):
        a = i
        for k in range(32):
            a = min(max(min(max(min(max(min(max(a + k * s, 0), n), s), i), 1), n), 0), n - 1)
        y[i] = x[a]


@kernel
def bounce_safe(y: Mut[f64, "n"], x: Ref[f64, "n"], s: i64):
    for i in parallel(n):
        a = i
        for _ in range(32):
            a = min(max(min(max(min(max(a, 0), n), s), i), 0), n - 1)
        y[i] = x[min(max(a, 0), n - 1)]
