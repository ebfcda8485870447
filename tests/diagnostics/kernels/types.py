"""Types that do not meet, and where a cast has to be written."""

from kparity.compiler import Mut, Ref, Sum, f32, f64, i32, i64, kernel, parallel, pow, sqrt


@kernel
def narrowing_store(y: Mut[f32, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[i] = x[i]  # error: [KP0202] "`f64` to `f32`"


@kernel
def narrowing_store_safe(y: Mut[f32, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[i] = f32(x[i])


@kernel
def index_into_i32(y: Mut[i32, "n"]):
    for i in parallel(n):
        y[i] = i  # error: [KP0202] "`i64` to `i32`"


@kernel
def index_into_i32_safe(y: Mut[i64, "n"]):
    for i in parallel(n):
        y[i] = i


@kernel
def division_of_integers(y: Mut[f64, "n"], k: Ref[i64, "n"]):
    for i in parallel(n):
        y[i] = k[i] / 2  # error: [KP0201] "`/` does not take `i64`"


@kernel
def division_of_integers_safe(y: Mut[f64, "n"], k: Ref[i64, "n"]):
    for i in parallel(n):
        y[i] = f64(k[i]) / 2.0


@kernel
def float_index(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[i] = x[0.5 * i]  # error: [KP0201] "an integer is needed here"


@kernel
def float_index_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[i] = x[i // 2]


@kernel
def number_as_condition(y: Mut[f64, "n"], k: Ref[i64, "n"]):
    for i in parallel(n):
        if k[i]:  # error: [KP0201] "a condition is a `bool`, not `i64`"
            y[i] = 1.0


@kernel
def number_as_condition_safe(y: Mut[f64, "n"], k: Ref[i64, "n"]):
    for i in parallel(n):
        if k[i] != 0:
            y[i] = 1.0


@kernel
def condition_as_number(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[i] += x[i] > 0.0  # error: [KP0201] "`bool`"


@kernel
def condition_as_number_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[i] += 1.0 if x[i] > 0.0 else 0.0


@kernel
def local_keeps_its_type(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        total = 0
        for j in range(3):
            total += x[i]  # error: [KP0202] "`f64` to `i64`"
        y[i] = total


@kernel
def local_keeps_its_type_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        total = 0.0
        for j in range(3):
            total += x[i]
        y[i] = total


@kernel
def arms_differ(y: Mut[f64, "n"], x: Ref[f64, "n"], k: Ref[i64, "n"]):
    for i in parallel(n):
        y[i] = x[i] if i > 0 else i > 2  # error: [KP0201] "different types"


@kernel
def arms_differ_safe(y: Mut[f64, "n"], x: Ref[f64, "n"], k: Ref[i64, "n"]):
    for i in parallel(n):
        y[i] = x[i] if i > 0 else k[i]


@kernel
def sum_of_another_type(total: Sum[i32], x: Ref[f64, "n"]):
    for i in parallel(n):
        total += x[i]  # error: [KP0202] "`f64` to `i32`"


@kernel
def sum_of_another_type_safe(total: Sum[f64], x: Ref[i32, "n"]):
    for i in parallel(n):
        total += x[i]


@kernel
def one_index_too_few(y: Mut[f64, "n"], a: Ref[f64, "n", "m"]):
    for i in parallel(n):
        y[i] = a[i]  # error: [KP0203] "`a` has 2 dimensions, but is indexed by 1"


@kernel
def one_index_too_few_safe(y: Mut[f64, "n"], a: Ref[f64, "n", "m"]):
    for i in parallel(n):
        y[i] = a[i, 0] if m > 0 else 0.0


@kernel
def chained_indices(y: Mut[f64, "n", "m"], a: Ref[f64, "n", "m"]):
    for i, j in parallel(n, m):
        y[i, j] = a[i][j]  # error: [KP0102] "indexing `a[i]`"


@kernel
def chained_indices_safe(y: Mut[f64, "n", "m"], a: Ref[f64, "n", "m"]):
    for i, j in parallel(n, m):
        y[i, j] = a[i, j]


@kernel
def too_many_arguments(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[i] = sqrt(x[i], 2.0)  # error: [KP0204] "`sqrt` takes 1 argument, not 2"


@kernel
def too_many_arguments_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[i] = sqrt(x[i]) + pow(x[i], 0.5)


@kernel
def literal_too_large(y: Mut[i32, "n"]):
    for i in parallel(n):
        y[i] = 3000000000  # error: [KP0201] "does not fit into `i32`"


@kernel
def literal_too_large_safe(y: Mut[i64, "n"]):
    for i in parallel(n):
        y[i] = 3000000000
