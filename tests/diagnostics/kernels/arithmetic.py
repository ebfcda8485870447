"""Integers that overflow where they are observed, and divisors that may be zero."""

from kparity.compiler import MinLoc, Mut, Ref, f64, i32, i64, kernel, parallel, require


@kernel
def divisor_parameter(y: Mut[f64, "n"], x: Ref[f64, "n"], q: i64):
    for i in parallel(n):
        y[i] = x[i] if i % q == 0 else 0.0  # error: [KP0602] "`q`"


@kernel
def divisor_parameter_safe(y: Mut[f64, "n"], x: Ref[f64, "n"], q: i64):
    require(q > 0)
    for i in parallel(n):
        y[i] = x[i] if i % q == 0 else 0.0


@kernel
def divisor_zero_at_start(y: Mut[i64, "n"]):
    for i in parallel(n):
        y[i] = n // i  # error: [KP0602] "`i`"


@kernel
def divisor_zero_at_start_safe(y: Mut[i64, "n"]):
    for i in parallel(n):
        y[i] = n // (i + 1)


@kernel
def divisor_loaded(y: Mut[i64, "n"], d: Ref[i64, "n"]):
    for i in parallel(n):
        y[i] = i // d[i]  # error: [KP0602] "`d[i]`"


@kernel
def divisor_loaded_safe(y: Mut[i64, "n"], d: Ref[i64, "n"]):
    for i in parallel(n):
        y[i] = i // max(d[i], 1)


@kernel
def divisor_by_branch(y: Mut[i64, "n"], k: i64):
    for i in parallel(n):
        y[i] = i // k if k >= 0 else 0  # error: [KP0602] "`k`"


@kernel
def divisor_by_branch_safe(y: Mut[i64, "n"], k: i64):
    for i in parallel(n):
        y[i] = i // k if k > 0 else 0


@kernel
def square_in_i32(y: Mut[f64, "n"], k: i32):
    for i in parallel(n):
        y[i] = 1.0 if k * k > 100 else 0.0  # error: [KP0601] "`k * k`"


@kernel
def square_in_i32_safe(y: Mut[f64, "n"], k: i32):
    for i in parallel(n):
        y[i] = 1.0 if i64(k) * 1000 > 100 else 0.0


@kernel
def sum_in_i32(y: Mut[f64, "n"], a: i32, b: i32):
    for i in parallel(n):
        y[i] = f64(a + b)  # guard: "a + b"


@kernel
def loop_bound_in_i32(y: Mut[f64, "n"], x: Ref[f64, 8], m: Ref[i32, "n"]):
    for i in parallel(n):
        for j in range(m[i] + 1):  # error: [KP0601] "`m[i] + 1`"
            y[i] += x[0]


@kernel
def loop_bound_in_i32_safe(y: Mut[f64, "n"], x: Ref[f64, 8], m: Ref[i32, "n"]):
    for i in parallel(n):
        for j in range(i64(m[i]) + 1):
            y[i] += x[0]


@kernel
def data_wraps(y: Mut[i32, "n"], x: Ref[i32, "n"]):
    for i in parallel(n):
        y[i] = x[i] * 1103515245 + 12345


@kernel
def location(best: MinLoc[f64], x: Ref[f64, "n"]):
    for i in parallel(n):
        best.update(x[i], i)
