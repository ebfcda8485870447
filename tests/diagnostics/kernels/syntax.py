"""Python that is not part of the kernel language."""

# ruff: noqa: F841  (unused variables are part of the faults)
from kparity.compiler import Mut, Out, Ref, f64, kernel, parallel, sqrt


@kernel
def python_list(y: Mut[f64, "n"]):
    for i in parallel(n):
        weights = [1.0, 2.0]  # error: [KP0102] "`[1.0, 2.0]`"
        y[i] = 1.0


@kernel
def python_list_safe(y: Mut[f64, "n"]):
    for i in parallel(n):
        first, second = 1.0, 2.0
        y[i] = first + second


@kernel
def early_return(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        if x[i] < 0.0:
            return  # error: [KP0101] "`return`"
        y[i] = sqrt(x[i])


@kernel
def early_return_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        if x[i] >= 0.0:
            y[i] = sqrt(x[i])


@kernel
def printing(y: Mut[f64, "n"]):
    for i in parallel(n):
        print(y[i])  # error: [KP0101] "`print`"
        y[i] = 0.0


@kernel
def printing_safe(y: Mut[f64, "n"]):
    for i in parallel(n):
        y[i] = 0.0


@kernel
def slices(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[i] = x[0:2]  # error: [KP0203] "`x`"


@kernel
def slices_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[i] = x[0] + x[n - 1]


@kernel
def whole_array(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[i] = 2.0 * x  # error: [KP0102] "the whole array `x`"


@kernel
def whole_array_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[i] = 2.0 * x[i]


@kernel
def power(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[i] = x[i] ** 0.5  # error: [KP0102] "`x[i] ** 0.5`"


@kernel
def power_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[i] = sqrt(x[i]) + x[i] ** 2


@kernel
def sequential_first(y: Mut[f64, "n", "m"]):
    for i in range(n):  # error: [KP0104] "a kernel is one top-level"
        for j in parallel(m):
            y[i, j] = 0.0


@kernel
def sequential_first_safe(y: Mut[f64, "n", "m"]):
    for i, j in parallel(n, m):
        y[i, j] = 0.0


@kernel
def two_loops(y: Out[f64, "n"], z: Out[f64, "n"]):
    for i in parallel(n):
        y[i] = 0.0
    for i in parallel(n):  # error: [KP0104] "a kernel is one top-level"
        z[i] = y[i]


@kernel
def two_loops_safe(y: Out[f64, "n"], z: Out[f64, "n"]):
    for i in parallel(n):
        y[i] = 0.0
        z[i] = y[i]


@kernel
def work_before(y: Mut[f64, "n"]):
    half = n // 2  # error: [KP0104] "a kernel is one top-level"
    for i in parallel(n):
        y[i] = 0.5


@kernel
def work_before_safe(y: Mut[f64, "n"]):
    for i in parallel(n):
        half = n // 2
        y[i] = half


@kernel
def nested(y: Mut[f64, "n", "m"]):
    for i in parallel(n):
        for j in parallel(m):  # error: [KP0106] "an inner loop runs over `range(...)`"
            y[i, j] = 0.0


@kernel
def nested_safe(y: Mut[f64, "n", "m"]):
    for i in parallel(n):
        for j in range(m):
            y[i, j] = 0.0


@kernel
def too_few_names(y: Mut[f64, "n", "m"]):
    for i in parallel(n, m):  # error: [KP0106] "1 index for 2 ranges"
        y[i, 0] = 0.0


@kernel
def too_few_names_safe(y: Mut[f64, "n", "m"]):
    for i, j in parallel(n, m):
        y[i, j] = 0.0


@kernel
def step_of_zero(y: Mut[f64, "n"], a: Ref[f64, "n", "m"]):
    for i in parallel(n):
        for j in range(0, m, 0):  # error: [KP0106] "the step of a range is 0"
            y[i] += a[i, j]


@kernel
def step_of_zero_safe(y: Mut[f64, "n"], a: Ref[f64, "n", "m"]):
    for i in parallel(n):
        for j in range(0, m, 2):
            y[i] += a[i, j]


@kernel
def untyped(y: Mut[f64, "n"], a):  # error: [KP0105] "parameter `a` has no type"
    for i in parallel(n):
        y[i] = a


@kernel
def untyped_safe(y: Mut[f64, "n"], a: f64):
    for i in parallel(n):
        y[i] = a


@kernel
def python_type(y: Mut[f64, "n"], a: float):  # error: [KP0105] "`float` is not a parameter type"
    for i in parallel(n):
        y[i] = 1.0


@kernel
def python_type_safe(y: Mut[f64, "n"], a: f64):
    for i in parallel(n):
        y[i] = a


@kernel
def unbound_dim(y: Mut[f64, "n + ghosts"]):  # error: [KP0105] "which nothing binds"
    for i in parallel(4):
        y[i] = 1.0


@kernel
def unbound_dim_safe(y: Mut[f64, "n + 4"], x: Ref[f64, "n"]):
    for i in parallel(4):
        y[i] = 1.0


@kernel
def product_dim(y: Mut[f64, "n*m"], x: Ref[f64, "n", "m"]):  # error: [KP0105] "`n*m`"
    for i in parallel(n):
        y[i] = 1.0


@kernel
def product_dim_safe(y: Mut[f64, "n", "m"], x: Ref[f64, "n", "m"]):
    for i, j in parallel(n, m):
        y[i, j] = x[i, j]
