"""`Out` arrays: written everywhere, never read before; `Ref` arrays: never written."""

from kparity.compiler import Mut, Out, Ref, f64, i64, kernel, parallel


@kernel
def partly_written(y: Out[f64, "n"], x: Ref[f64, "n"]):  # error: [KP0503] "`y`"
    for i in parallel((1, n - 1)):
        y[i] = x[i - 1] + x[i + 1]


@kernel
def partly_written_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel((1, n - 1)):
        y[i] = x[i - 1] + x[i + 1]


@kernel
def shifted(y: Out[f64, "n"], x: Ref[f64, "n"]):  # y[0] is not written for the same reason: no second error
    for i in parallel(n):
        y[i + 1] = x[i]  # error: [KP0301] "`y[i + 1]` is written past the end of `y`"


@kernel
def shifted_safe(y: Out[f64, "n + 1"], x: Ref[f64, "n"]):
    for i in parallel(n + 1):
        y[i] = x[max(i - 1, 0)] if n > 0 else 0.0


@kernel
def written_if(y: Out[f64, "n"], x: Ref[f64, "n"]):  # error: [KP0503] "`y`"
    for i in parallel(n):
        if x[i] > 0.0:
            y[i] = x[i]


@kernel
def written_if_safe(y: Out[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        if x[i] > 0.0:
            y[i] = x[i]
        else:
            y[i] = 0.0


@kernel
def read_first(y: Out[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[i] += x[i]  # error: [KP0502] "`y[i]`"


@kernel
def read_first_safe(y: Out[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[i] = 0.0
        y[i] += x[i]


@kernel
def initialised_on_one_path(y: Out[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        if i > 0:
            y[i] = x[i - 1]
        y[i] = y[i] + x[i]  # error: [KP0502] "`y[i]`"


@kernel
def initialised_on_one_path_safe(y: Out[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        if i > 0:
            y[i] = x[i - 1]
        else:
            y[i] = 0.0
        y[i] = y[i] + x[i]


@kernel
def initialised_in_a_loop(y: Out[f64, "n"], x: Ref[f64, "n", "m"]):
    for i in parallel(n):
        for j in range(m):
            y[i] += x[i, j]  # error: [KP0502] "`y[i]`"


@kernel
def initialised_in_a_loop_safe(y: Out[f64, "n"], x: Ref[f64, "n", "m"]):
    for i in parallel(n):
        total = 0.0
        for j in range(m):
            total += x[i, j]
        y[i] = total


@kernel
def every_second(y: Out[f64, "2*n"], x: Ref[f64, "n"]):  # error: [KP0503] "`y`"
    for i in parallel(n):
        y[2 * i] = x[i]


@kernel
def every_second_safe(y: Out[f64, "2*n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[2 * i] = x[i]
        y[2 * i + 1] = 0.0


@kernel
def border_missing(b: Out[f64, "n", "m"], a: Ref[f64, "n", "m"]):  # error: [KP0503] "`b`"
    for i, j in parallel((1, n - 1), (1, m - 1)):
        b[i, j] = a[i - 1, j] + a[i, j - 1]


@kernel
def border_missing_safe(b: Out[f64, "n", "m"], a: Ref[f64, "n", "m"]):
    for i, j in parallel(n, m):
        inside = 0 < i < n - 1 and 0 < j < m - 1
        b[i, j] = a[i, j]
        if inside:
            b[i, j] = a[i, j] + 1.0


@kernel
def triangle_only(a: Out[f64, "n", "n"]):  # error: [KP0503] "`a`"
    for i in parallel(n):
        for j in range(i):
            a[i, j] = 1.0


@kernel
def triangle_only_safe(a: Out[f64, "n", "n"]):
    for i in parallel(n):
        for j in range(i):
            a[i, j] = 1.0
        for j in range(i, n):
            a[i, j] = 0.0


@kernel
def two_outputs(y: Out[f64, "n"], z: Out[f64, "n"], x: Ref[f64, "n"]):  # error: [KP0503] "`z`"
    for i in parallel(n):
        y[i] = x[i]


@kernel
def two_outputs_safe(y: Out[f64, "n"], z: Out[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[i] = x[i]
        z[i] = y[i]


@kernel
def range_by_scalars(y: Out[f64, "n"], first: i64, last: i64):
    for i in parallel((first, last)):
        y[i] = 0.0  # guard: "first must be >= 0" # guard: "last - 1 must be < n" # guard: "y: not written"


@kernel
def range_by_scalars_safe(y: Out[f64, "n"], first: i64, last: i64):
    for i in parallel(n):
        y[i] = 0.0 if first <= i < last else 1.0


@kernel
def write_to_input(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        x[i] = y[i]  # error: [KP0501] "`x`"


@kernel
def write_to_input_safe(y: Ref[f64, "n"], x: Mut[f64, "n"]):
    for i in parallel(n):
        x[i] = y[i]


@kernel
def update_of_input(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        x[i] *= 2.0  # error: [KP0501] "`x`"
        y[i] = x[i]


@kernel
def update_of_input_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        doubled = x[i] * 2.0
        y[i] = doubled
