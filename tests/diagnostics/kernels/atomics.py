"""Atomic arrays have atomic operations and nothing else."""

from kparity.compiler import Atomic, Mut, Out, Ref, f64, i32, i64, kernel, parallel, program


@kernel
def read(seen: Out[i64, "n"], counts: Atomic[i64, 8]):
    for i in parallel(n):
        seen[i] = counts[i % 8]  # error: [KP0506] "`counts` is borrowed as `Atomic`"


@kernel
def read_safe(seen: Out[i64, "n"], counts: Atomic[i64, 8]):
    for i in parallel(n):
        seen[i] = counts[i % 8].add(1)


@kernel
def written(y: Atomic[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[i] = x[i]  # error: [KP0506] "`y` is borrowed as `Atomic`"


@kernel
def written_safe(y: Atomic[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[i].exchange(x[i])


@kernel
def subtracted(y: Atomic[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[i] -= x[i]  # error: [KP0506] "`y` is borrowed as `Atomic`"


@kernel
def subtracted_safe(y: Atomic[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[i] += -x[i]


@kernel
def out_of_bounds(y: Atomic[f64, "n"]):
    for i in parallel(n):
        y[i + 1] += 1.0  # error: [KP0301] "index out of bounds: `y[i + 1]` is updated past the end"


@kernel
def out_of_bounds_safe(y: Atomic[f64, "n + 1"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[i + 1] += x[i]


@kernel
def plain_scatter(totals: Mut[f64, 8], x: Ref[f64, "n"]):
    for i in parallel(n):
        totals[i % 8] += x[i]  # error: [KP0401] "data race on `totals`"


@kernel
def plain_scatter_safe(totals: Atomic[f64, 8], x: Ref[f64, "n"]):
    for i in parallel(n):
        totals[i % 8] += x[i]


@kernel
def ticket(y: Mut[f64, "n"], next_: Atomic[i64, 1], x: Ref[f64, "n"]):
    for i in parallel(n):
        k = next_[0].add(1)
        if k >= 0 and k < n:
            y[k] = x[i]  # error: [KP0402] "cannot exclude a data race on `y`"


@kernel
def ticket_safe(y: Atomic[f64, "n"], next_: Atomic[i64, 1], x: Ref[f64, "n"]):
    for i in parallel(n):
        k = next_[0].add(1)
        if k >= 0 and k < n:
            y[k].exchange(x[i])


@kernel
def ticket_without_a_test(seen: Out[f64, "n"], next_: Atomic[i64, 1], x: Ref[f64, "n"]):
    for i in parallel(n):
        seen[i] = x[next_[0].add(1)]  # error: [KP0302] "`x[next_[0].add(1)]`"


@kernel
def ticket_without_a_test_safe(seen: Out[f64, "n"], next_: Atomic[i64, 1], x: Ref[f64, "n"]):
    for i in parallel(n):
        k = next_[0].add(1)
        seen[i] = x[k] if k >= 0 and k < n else 0.0


@kernel
def misspelt(y: Atomic[i32, "n"]):
    for i in parallel(n):
        y[i].bitand(1)  # error: [KP0102] "the atomic operation `bitand`"


@kernel
def misspelt_safe(y: Atomic[i32, "n"]):
    for i in parallel(n):
        y[i].bit_and(1)


@kernel
def whole_array(y: Atomic[i32, "n"]):
    for i in parallel(n):
        y.add(1)  # error: [KP0101] "calling `y.add` as a statement"


@kernel
def whole_array_safe(y: Atomic[i32, "n"]):
    for i in parallel(n):
        y[0].add(1)


@kernel
def bits_of_floats(y: Atomic[f64, "n"]):
    for i in parallel(n):
        y[i].bit_or(1.0)  # error: [KP0201] "`bit_or` does not take `f64`"


@kernel
def bits_of_floats_safe(y: Atomic[f64, "n"]):
    for i in parallel(n):
        y[i].max(1.0)


@kernel
def expected_forgotten(y: Atomic[i32, "n"]):
    for i in parallel(n):
        y[i].compare_exchange(1)  # error: [KP0204] "takes two arguments, the expected value and the new one, not 1"


@kernel
def expected_forgotten_safe(y: Atomic[i32, "n"]):
    for i in parallel(n):
        y[i].compare_exchange(0, 1)


@kernel
def method_of_a_mut(y: Mut[i32, "n"]):
    for i in parallel(n):
        y[i].add(1)  # error: [KP0102] "calling `y[i].add` on an element of a `Mut`"


@kernel
def method_of_a_mut_safe(y: Atomic[i32, "n"]):
    for i in parallel(n):
        y[i].add(1)


@kernel
def used_twice(y: Out[i32, "n"], c: Atomic[i32, 1]):
    for i in parallel(n):
        y[i] = c[0].add(1) ** 2  # error: [KP0102] "an atomic operation whose value is used twice"


@kernel
def used_twice_safe(y: Out[i32, "n"], c: Atomic[i32, 1]):
    for i in parallel(n):
        old = c[0].add(1)
        y[i] = old**2


@kernel
def between(y: Mut[i32, "n"], c: Atomic[i32, 1]):
    for i in parallel(n):
        if 0 <= c[0].add(1) < 5:  # error: [KP0102] "an atomic operation whose value is used twice"
            y[i] = 1


@kernel
def between_safe(y: Mut[i32, "n"], c: Atomic[i32, 1]):
    for i in parallel(n):
        old = c[0].add(1)
        if 0 <= old < 5:
            y[i] = 1


@kernel
def index_of_an_update(y: Mut[i32, "n"], c: Atomic[i64, 1]):
    for i in parallel(n):
        y[c[0].add(1)] += 1  # error: [KP0102] "an atomic operation whose value is used twice"


@kernel
def index_of_an_update_safe(y: Atomic[i32, "n"], c: Atomic[i64, 1]):
    for i in parallel(n):
        k = c[0].add(1)
        if 0 <= k < n:
            y[k] += 1


@kernel
def narrowed(y: Atomic[i32, "n"]):
    for i in parallel(n):
        y[i] += i  # error: [KP0202] "`i64` to `i32` loses values"


@kernel
def narrowed_safe(y: Atomic[i32, "n"]):
    for i in parallel(n):
        y[i] += i32(i)


@kernel
def add(y: Atomic[f64, "n"], z: Atomic[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[i] += x[i]
        z[i].max(x[i])


@kernel
def scale(y: Mut[f64, "n"]):
    for i in parallel(n):
        y[i] *= 2.0


@program
def shared_and_atomic(y: Mut[f64, "n"], z: Mut[f64, "n"]):
    add(y, z, y)  # error: [KP0505] "`y` is passed twice to `add`, which borrows it atomically and plainly"


@program
def shared_and_atomic_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    add(y, y, x)
    scale(y)


@program
def through_a_ref(y: Ref[f64, "n"], z: Mut[f64, "n"], x: Ref[f64, "n"]):
    add(y, z, x)  # error: [KP0501] "cannot write to `y`"


@program
def through_a_ref_safe(y: Atomic[f64, "n"], z: Mut[f64, "n"], x: Ref[f64, "n"]):
    add(y, z, x)


@program
def plainly(y: Atomic[f64, "n"]):
    scale(y)  # error: [KP0702] "`y` is borrowed as `Atomic`, and `scale` takes it as `Mut`"


@program
def plainly_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    add(y, y, x)
    scale(y)
