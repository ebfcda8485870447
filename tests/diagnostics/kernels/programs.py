"""Programs: sequences of kernel calls whose arguments fit."""

# ruff: noqa: F841  (unused variables are part of the faults)
from kparity.compiler import Mut, Out, Ref, Sum, f32, f64, i64, kernel, parallel, program


@kernel
def copy(y: Out[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[i] = x[i]


@kernel
def add(total: Sum[f64], x: Ref[f64, "n"], scale: f64):
    for i in parallel(n):
        total += scale * x[i]


@program
def one_array_twice(a: Mut[f64, "n"]):
    copy(a, a)  # error: [KP0505] "`a` is passed twice to `copy`"


@program
def one_array_twice_safe(a: Mut[f64, "n"], b: Ref[f64, "n"]):
    copy(a, b)


@program
def other_extent(a: Mut[f64, "n"], b: Ref[f64, "m"]):
    copy(a, b)  # error: [KP0702] "`b` has the dim `m`"


@program
def other_extent_safe(a: Mut[f64, "n"], b: Ref[f64, "n"]):
    copy(a, b)


@program
def other_type(a: Mut[f32, "n"], b: Ref[f64, "n"]):
    copy(a, b)  # error: [KP0702] "`a` does not fit `y` of `copy`"


@program
def other_type_safe(a: Mut[f64, "n"], b: Ref[f64, "n"]):
    copy(y=a, x=b)


@program
def argument_missing(total: Sum[f64], a: Ref[f64, "n"]):
    add(total, a)  # error: [KP0702] "misses `scale`"


@program
def argument_missing_safe(total: Sum[f64], a: Ref[f64, "n"]):
    add(total, a, 2.0)


@program
def read_only(a: Ref[f64, "n"], b: Ref[f64, "n"]):
    copy(a, b)  # error: [KP0501] "`a`"


@program
def read_only_safe(a: Out[f64, "n"], b: Ref[f64, "n"]):
    copy(a, b)


@program
def array_for_reducer(total: Mut[f64, 1], a: Ref[f64, "n"]):
    add(total, a, 1.0)  # error: [KP0702] "`total` of `add`"


@program
def array_for_reducer_safe(total: Sum[f64], a: Ref[f64, "n"]):
    total.fill(0.0)
    add(total, a, 1.0)
    total.get()


@program
def host_arithmetic(total: Sum[f64], a: Ref[f64, "n"], k: i64):
    half = 0.5  # error: [KP0701] "is not part of a program"
    add(total, a, 1.0)


@program
def host_arithmetic_safe(total: Sum[f64], a: Ref[f64, "n"], k: i64):
    add(total, a, 0.5 * k)


@program
def not_a_kernel(total: Sum[f64], a: Ref[f64, "n"]):
    sum(a)  # error: [KP0701] "`sum` is not a kernel"


@program
def not_a_kernel_safe(total: Sum[f64], a: Ref[f64, "n"]):
    add(total, a, 1.0)


@program
def get_too_early(total: Sum[f64], a: Ref[f64, "n"]):
    total.get()  # error: [KP0701] "`total.get` before"
    add(total, a, 1.0)


@program
def get_too_early_safe(total: Sum[f64], a: Ref[f64, "n"]):
    add(total, a, 1.0)
    total.get()


@program
def nothing(a: Ref[f64, "n"]):  # error: [KP0701] "a program calls at least one kernel"
    """Do nothing."""


@program
def nothing_safe(total: Sum[f64], a: Ref[f64, "n"]):
    add(total, a, 1.0)


@kernel
def numbers(where: Mut[i64, "n"]):
    for i in parallel(n):
        where[i] = n - 1 - i


@kernel
def marks(y: Mut[f64, "n"], where: Ref[i64, "n"]):
    for i in parallel(n):
        y[where[i]] = 1.0


@kernel
def copies(y: Mut[i64, "n"], where: Ref[i64, "n"]):
    for i in parallel(n):
        y[i] = where[i]


@program
def list_written_before(y: Mut[f64, "n"], where: Mut[i64, "n"]):
    numbers(where)
    marks(y, where)  # error: [KP0403] "`where` decides the indices of `marks`"


@program
def list_written_afterwards(y: Mut[f64, "n"], where: Mut[i64, "n"]):
    marks(y, where)  # error: [KP0403] "this program writes to it"
    numbers(where)


@program
def list_written_before_safe(y: Mut[f64, "n"], where: Ref[i64, "n"], other: Mut[i64, "n"], z: Mut[i64, "n"]):
    numbers(other)
    copies(z, other)
    marks(y, where)


@program
def list_written_afterwards_safe(y: Mut[f64, "n"], where: Ref[i64, "n"], other: Mut[i64, "n"]):
    marks(y, where)
    numbers(other)
