"""Reducers over a user's struct."""

# ruff: noqa: F841  (unused variables are part of the faults)
from kparity.compiler import Mut, Reduce, Ref, Sum, device, f64, i64, kernel, local, parallel, program, struct

SCALE = 2.0


@struct
class Moments:
    n: i64
    total: f64


@struct
class Nested:
    inner: Moments
    more: f64


@device
def merge(a: Moments, b: Moments):
    return Moments(a.n + b.n, a.total + b.total)


@device
def larger(a: Moments, b: Moments):
    total = a.total
    if b.total > total:
        total = b.total
    return Moments(a.n + b.n, total * SCALE / SCALE)


@device
def of_one(a: Moments):  # error: 1 [KP0105] "`of_one` does not combine two `Moments`"
    return a


@device
def divides(a: Moments, b: Moments):
    return Moments((a.n + b.n) // a.n, a.total)  # error: [KP0102] "`//` in the operation of a reducer"


@device
def keeps_memory(a: Moments, b: Moments):
    held = local(f64, 2, fill=0.0)  # error: [KP0101] "this statement in the operation of a reducer"
    return Moments(a.n + b.n, a.total)


@device
def loops(a: Moments, b: Moments):
    total = a.total
    for j in range(3):  # error: [KP0101] "this statement in the operation of a reducer"
        total += b.total
    return Moments(a.n + b.n, total)


@device
def gives_a_number(a: Moments, b: Moments):
    return a.total + b.total  # error: [KP0201] "a `Moments` is needed here"


@device
def assigns_its_parameter(a: Moments, b: Moments):
    a.total += b.total  # error: [KP0101] "assigning to `a.total`"
    return a


@kernel
def with_one_parameter(x: Ref[f64, "n"], r: Reduce[Moments, of_one, Moments(0, 0.0)]):
    for i in parallel(n):
        r.update(Moments(1, x[i]))


@kernel
def with_one_parameter_safe(x: Ref[f64, "n"], r: Reduce[Moments, merge, Moments(0, 0.0)]):
    for i in parallel(n):
        r.update(Moments(1, x[i]))


@kernel
def with_quotient(x: Ref[f64, "n"], r: Reduce[Moments, divides, Moments(0, 0.0)]):
    for i in parallel(n):
        r.update(Moments(1, x[i]))


@kernel
def with_quotient_safe(x: Ref[f64, "n"], r: Reduce[Moments, merge, Moments(0, 0.0)]):
    for i in parallel(n):
        r.update(Moments(1, x[i]))


@kernel
def with_memory(x: Ref[f64, "n"], r: Reduce[Moments, keeps_memory, Moments(0, 0.0)]):
    for i in parallel(n):
        r.update(Moments(1, x[i]))


@kernel
def with_memory_safe(x: Ref[f64, "n"], r: Reduce[Moments, larger, Moments(0, 0.0)]):
    for i in parallel(n):
        r.update(Moments(1, x[i]))


@kernel
def with_loop(x: Ref[f64, "n"], r: Reduce[Moments, loops, Moments(0, 0.0)]):
    for i in parallel(n):
        r.update(Moments(1, x[i]))


@kernel
def with_loop_safe(x: Ref[f64, "n"], r: Reduce[Moments, merge, Moments(0, 0.0)]):
    for i in parallel(n):
        r.update(Moments(1, x[i]))


@kernel
def with_number(x: Ref[f64, "n"], r: Reduce[Moments, gives_a_number, Moments(0, 0.0)]):
    for i in parallel(n):
        r.update(Moments(1, x[i]))


@kernel
def with_number_safe(x: Ref[f64, "n"], r: Reduce[Moments, merge, Moments(0, 0.0)]):
    for i in parallel(n):
        r.update(Moments(1, x[i]))


@kernel
def with_assignment(x: Ref[f64, "n"], r: Reduce[Moments, assigns_its_parameter, Moments(0, 0.0)]):
    for i in parallel(n):
        r.update(Moments(1, x[i]))


@kernel
def with_assignment_safe(x: Ref[f64, "n"], r: Reduce[Moments, merge, Moments(0, 0.0)]):
    for i in parallel(n):
        r.update(Moments(1, x[i]))


@kernel
def with_nested(x: Ref[f64, "n"], r: Reduce[Nested, merge, Moments(0, 0.0)]):  # error: [KP0105] "cannot be combined"
    for i in parallel(n):
        r.update(Moments(1, x[i]))


@kernel
def with_nested_safe(x: Ref[f64, "n"], r: Reduce[Moments, merge, Moments(0, 0.0)]):
    for i in parallel(n):
        r.update(Moments(1, x[i]))


@kernel
def without_identity(x: Ref[f64, "n"], r: Reduce[Moments, merge]):  # error: [KP0105] "needs a struct, its operation"
    for i in parallel(n):
        r.update(Moments(1, x[i]))


@kernel
def without_identity_safe(x: Ref[f64, "n"], r: Reduce[Moments, merge, Moments(n=0, total=0.0)]):
    for i in parallel(n):
        r.update(Moments(1, x[i]))


@kernel
def with_bins(x: Ref[f64, "n"], r: Reduce[Moments, merge, Moments(0, 0.0), 8]):  # error: [KP0105] "needs a struct"
    for i in parallel(n):
        r[0].update(Moments(1, x[i]))


@kernel
def with_bins_safe(x: Ref[f64, "n"], r: Sum[f64, 8]):
    for i in parallel(n):
        r[0].update(x[i])


@kernel
def read_in_between(y: Mut[f64, "n"], x: Ref[f64, "n"], r: Reduce[Moments, merge, Moments(0, 0.0)]):
    for i in parallel(n):
        r.update(Moments(1, x[i]))
        y[i] = r.total  # error: [KP0504] "reducer `r` takes contributions only"


@kernel
def read_in_between_safe(y: Mut[f64, "n"], x: Ref[f64, "n"], r: Reduce[Moments, merge, Moments(0, 0.0)]):
    for i in parallel(n):
        r.update(Moments(1, x[i]))


@kernel
def added(x: Ref[f64, "n"], r: Reduce[Moments, merge, Moments(0, 0.0)]):
    for i in parallel(n):
        r += Moments(1, x[i])  # error: [KP0504] "reducer `r` takes contributions only"


@kernel
def added_safe(x: Ref[f64, "n"], r: Reduce[Moments, merge, Moments(0, 0.0)]):
    for i in parallel(n):
        r.update(Moments(1, x[i]))


@kernel
def a_number(x: Ref[f64, "n"], r: Reduce[Moments, merge, Moments(0, 0.0)]):
    for i in parallel(n):
        r.update(x[i])  # error: [KP0201] "a `Moments` is needed here"


@kernel
def a_number_safe(x: Ref[f64, "n"], r: Reduce[Moments, merge, Moments(0, 0.0)]):
    for i in parallel(n):
        r.update(Moments(1, x[i]) if x[i] > 0.0 else Moments(0, 0.0))


@kernel
def too_few_fields(x: Ref[f64, "n"], r: Reduce[Moments, merge, Moments(0, 0.0)]):
    for i in parallel(n):
        r.update(Moments(1))  # error: [KP0204] "`Moments` takes its fields, in order"


@kernel
def too_few_fields_safe(x: Ref[f64, "n"], r: Reduce[Moments, merge, Moments(0, 0.0)]):
    for i in parallel(n):
        r.update(Moments(1, total=x[i]))


@kernel
def a_field_of_another_type(x: Ref[f64, "n"], r: Reduce[Moments, merge, Moments(0, 0.0)]):
    for i in parallel(n):
        r.update(Moments(x[i], 1.0))  # error: [KP0202] "`f64` to `i64` loses values"


@kernel
def a_field_of_another_type_safe(x: Ref[f64, "n"], r: Reduce[Moments, merge, Moments(0, 0.0)]):
    for i in parallel(n):
        r.update(Moments(i64(x[i]), 1.0))


@kernel
def a_struct_in_a_variable(x: Ref[f64, "n"], r: Reduce[Moments, merge, Moments(0, 0.0)]):
    for i in parallel(n):
        own = Moments(1, x[i])  # error: [KP0102] "calling `Moments`"
        r.update(own)


@kernel
def a_struct_in_a_variable_safe(x: Ref[f64, "n"], r: Reduce[Moments, merge, Moments(0, 0.0)], m: Moments):
    for i in parallel(n):
        r.update(m)


@program
def filled_with_a_value(x: Ref[f64, "n"], r: Reduce[Moments, merge, Moments(0, 0.0)]):
    r.fill(0.0)  # error: [KP0204] "`r.fill` takes no arguments"
    a_number_safe(x, r)


@program
def filled_with_a_value_safe(x: Ref[f64, "n"], r: Reduce[Moments, merge, Moments(0, 0.0)]):
    r.fill()
    a_number_safe(x, r)


@program
def of_another_operation(x: Ref[f64, "n"], r: Reduce[Moments, larger, Moments(0, 0.0)]):
    a_number_safe(x, r)  # error: [KP0702] "`r` does not fit `r` of `a_number_safe`"


@program
def of_another_operation_safe(x: Ref[f64, "n"], r: Reduce[Moments, merge, Moments(0, 0.0)]):
    a_number_safe(x, r)
