"""Programs as they go wrong: exchanged or repeated arrays, extents, borrows, lists that change."""

from kparity.compiler import Atomic, Mut, Out, Ref, Sum, f32, f64, i32, i64, kernel, parallel, program, require


@kernel
def relax(new: Mut[f64, "n"], old: Ref[f64, "n"]):
    for i in parallel((1, n - 1)):
        new[i] = 0.5 * (old[i - 1] + old[i + 1])


@kernel
def copy_all(y: Out[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[i] = x[i]


@kernel
def product(c: Out[f64, "n", "m"], a: Ref[f64, "n", "q"], b: Ref[f64, "q", "m"]):
    for i, j in parallel(n, m):
        total = 0.0
        for k in range(q):
            total += a[i, k] * b[k, j]
        c[i, j] = total


@kernel
def add_up(total: Sum[f64], x: Ref[f64, "n"]):
    for i in parallel(n):
        total += x[i]


@kernel
def scale(x: Mut[f64, "n"], a: f64):
    for i in parallel(n):
        x[i] *= a


@kernel
def normalise(x: Mut[f64, "n"], total: Ref[f64, 1]):
    for i in parallel(n):
        x[i] /= total[0]


@kernel
def tally(h: Atomic[i64, 16], key: Ref[i32, "n"]):
    for i in parallel(n):
        h[key[i] % 16] += 1


@kernel
def clear_counts(h: Out[i64, 16]):
    for i in parallel(16):
        h[i] = 0


@kernel
def scatter(y: Mut[f64, "n"], x: Ref[f64, "m"], where: Ref[i64, "m"]):
    for i in parallel(m):
        y[where[i]] = x[i]


@kernel
def reorder(where: Mut[i64, "m"]):
    for i in parallel(m):
        where[i] = m - 1 - i


@kernel
def shift(y: Mut[f64, "n"], x: Ref[f64, "n"], k: i64):
    require(k >= 0 and k < n)
    for i in parallel(n - k):
        y[i] = x[i + k]


@program
def relaxed_in_place(a: Mut[f64, "n"], b: Mut[f64, "n"]):
    for s in range(10):
        relax(a, a)  # error: [KP0505] "`a` is passed twice to `relax`"


@program
def relaxed_in_place_safe(a: Mut[f64, "n"], b: Mut[f64, "n"]):
    for s in range(10):
        relax(a, b)


@program
def relaxed_onto_the_input(a: Mut[f64, "n"], b: Ref[f64, "n"]):
    relax(b, a)  # error: [KP0501] "`b`"


@program
def relaxed_onto_the_input_safe(a: Mut[f64, "n"], b: Ref[f64, "n"]):
    relax(a, b)


@program
def swapped_with_an_input(a: Mut[f64, "n"], b: Ref[f64, "n"], c: Mut[f64, "n"]):
    for s in range(4):
        relax(a, c)
        a, b = b, a  # error: [KP0702] "`a` and `b` cannot stand for each other"


@program
def swapped_with_an_input_safe(a: Mut[f64, "n"], b: Ref[f64, "n"], c: Mut[f64, "n"]):
    for s in range(4):
        relax(a, c)
        a, c = c, a


@program
def swapped_with_another_length(a: Mut[f64, "n"], b: Mut[f64, "m"], c: Mut[f64, "n"]):
    relax(a, c)
    a, b = b, a  # error: [KP0702] "`a` and `b` cannot stand for each other"
    scale(b, 2.0)


@program
def swapped_with_another_length_safe(a: Mut[f64, "n"], b: Mut[f64, "m"], c: Mut[f64, "n"]):
    relax(a, c)
    a, c = c, a
    scale(b, 2.0)


@program
def chain_of_products(c: Mut[f64, "n", "n"], a: Ref[f64, "n", "n"], b: Ref[f64, "n", "n"], t: Mut[f64, "n", "n"]):
    product(t, t, b)  # error: [KP0505] "`t` is passed twice to `product`"
    product(c, a, t)


@program
def chain_of_products_safe(c: Mut[f64, "n", "n"], a: Ref[f64, "n", "n"], b: Ref[f64, "n", "n"], t: Mut[f64, "n", "n"]):
    product(t, a, b)
    product(c, a, t)


@program
def product_of_swapped_factors(c: Mut[f64, "n", "m"], a: Ref[f64, "n", "q"], b: Ref[f64, "q", "m"]):
    product(c, b, a)  # error: [KP0702] "`b` has the dim `q`"


@program
def product_of_swapped_factors_safe(c: Mut[f64, "n", "m"], a: Ref[f64, "n", "q"], b: Ref[f64, "q", "m"]):
    product(c, a, b)


@program
def product_of_a_vector(c: Mut[f64, "n", "m"], a: Ref[f64, "n", "q"], b: Ref[f64, "q"], d: Ref[f64, "q", "m"]):
    product(c, a, b)  # error: [KP0702] "`b` does not fit `b` of `product`"


@program
def product_of_a_vector_safe(c: Mut[f64, "n", "m"], a: Ref[f64, "n", "q"], b: Ref[f64, "q"], d: Ref[f64, "q", "m"]):
    product(c, a, d)


@program
def temporary_read_before_it_is_written(t: Out[f64, "n"], a: Ref[f64, "n"], total: Sum[f64]):
    add_up(total, t)  # error: [KP0502] "`t` is declared `Out`"
    copy_all(t, a)


@program
def temporary_read_before_it_is_written_safe(t: Out[f64, "n"], a: Ref[f64, "n"], total: Sum[f64]):
    copy_all(t, a)
    add_up(total, t)


@program
def temporary_written_in_part(t: Out[f64, "n"], a: Ref[f64, "n"]):
    relax(t, a)  # error: [KP0502] "`t` is declared `Out`"
    copy_all(t, a)


@program
def temporary_written_in_part_safe(t: Out[f64, "n"], a: Ref[f64, "n"]):
    copy_all(t, a)
    relax(t, a)


@program
def reducer_as_its_own_input(total: Sum[f64], x: Mut[f64, "n"]):
    add_up(total, total)  # error: [KP0505] "`total` is passed twice to `add_up`"


@program
def reducer_as_its_own_input_safe(total: Sum[f64], x: Mut[f64, "n"]):
    add_up(total, x)


@program
def reducer_updated_as_an_array(total: Sum[f64], x: Mut[f64, "n"]):
    add_up(total, x)
    scale(total, 0.5)  # error: [KP0702] "`x` of `scale` is an array"


@program
def reducer_updated_as_an_array_safe(total: Sum[f64], x: Mut[f64, "n"]):
    add_up(total, x)
    normalise(x, total)


@program
def counts_cleared_plainly(h: Atomic[i64, 16], own: Mut[i64, 16], key: Ref[i32, "n"]):
    clear_counts(h)  # error: [KP0702] "`h` is borrowed as `Atomic`, and `clear_counts` takes it as `Out`"
    tally(h, key)


@program
def counts_cleared_plainly_safe(h: Atomic[i64, 16], own: Mut[i64, 16], key: Ref[i32, "n"]):
    clear_counts(own)
    tally(h, key)


@program
def keys_counted_into_themselves(h: Mut[i32, 16], key: Mut[i32, 16], counts: Mut[i64, 16]):
    tally(h, h)  # error: [KP0702] "`h` does not fit `h` of `tally`"
    h, key = key, h


@program
def keys_counted_into_themselves_safe(h: Mut[i32, 16], key: Mut[i32, 16], counts: Mut[i64, 16]):
    tally(counts, h)
    h, key = key, h


@program
def list_written_in_the_same_repetition(y: Mut[f64, "n"], x: Ref[f64, "m"], where: Mut[i64, "m"], other: Mut[i64, "m"]):
    reorder(where)
    scatter(y, x, where)  # error: [KP0403] "`where` decides the indices of `scatter`"


@program
def list_written_in_the_same_repetition_safe(
    y: Mut[f64, "n"], x: Ref[f64, "m"], where: Mut[i64, "m"], other: Mut[i64, "m"]
):
    reorder(other)
    scatter(y, x, where)


@program
def list_filled_by_the_host(y: Mut[f64, "n"], x: Ref[f64, "m"], where: Mut[i64, "m"], other: Mut[i64, "m"]):
    scatter(y, x, where)  # error: [KP0403] "`where` decides the indices of `scatter`"
    where.fill(0)


@program
def list_filled_by_the_host_safe(y: Mut[f64, "n"], x: Ref[f64, "m"], where: Mut[i64, "m"], other: Mut[i64, "m"]):
    scatter(y, x, where)
    other.fill(0)


@program
def list_scattered_through_itself(y: Mut[f64, "n"], x: Ref[f64, "m"], where: Ref[i64, "m"]):
    scatter(y, where, where)  # error: [KP0702] "`where` does not fit `x` of `scatter`"


@program
def list_scattered_through_itself_safe(y: Mut[f64, "n"], x: Ref[f64, "m"], where: Ref[i64, "m"]):
    scatter(y, x, where)


@program
def guard_of_a_loop_index(y: Mut[f64, "n"], x: Ref[f64, "n"], wide: Ref[f64, "n"]):
    for k in range(3):
        shift(y, y, k)  # error: [KP0505] "`y` is passed twice to `shift`"


@program
def guard_of_a_loop_index_safe(y: Mut[f64, "n"], x: Ref[f64, "n"], wide: Ref[f64, "n"]):
    for k in range(3):
        shift(y, x, k)


@program
def index_array_as_a_scalar(y: Mut[f64, "n"], x: Ref[f64, "n"], k: Ref[i64, 1], first: i64):
    shift(y, x, k)  # error: [KP0102] "the whole array `k` as a value"


@program
def index_array_as_a_scalar_safe(y: Mut[f64, "n"], x: Ref[f64, "n"], k: Ref[i64, 1], first: i64):
    shift(y, x, first)


@program
def fraction_as_an_index(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    shift(y, x, 0.5)  # error: [KP0201] "`0.5` is not an integer, but `i64` is needed"


@program
def fraction_as_an_index_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    shift(y, x, 1)


@program
def host_reads_an_element(x: Mut[f64, "n"], a: f64):
    scale(x, a * x[0])  # error: [KP0702] "`a` of `scale` is known before the launch"


@program
def host_reads_an_element_safe(x: Mut[f64, "n"], a: f64):
    scale(x, a * 2.0)


@program
def waits_for_convergence(x: Mut[f64, "n"], y: Mut[f64, "n"], total: Sum[f64]):
    relax(x, y)
    while total.get() > 1.0:  # error: [KP0701] "is not part of a program"
        relax(y, x)
    add_up(total, x)


@program
def waits_for_convergence_safe(x: Mut[f64, "n"], y: Mut[f64, "n"], total: Sum[f64]):
    relax(x, y)
    for k in range(10):
        relax(y, x)
    add_up(total, x)


@program
def result_before_its_launch(x: Ref[f64, "n"], total: Sum[f64]):
    total.get()  # error: [KP0701] "`total.get` before"
    add_up(total, x)


@program
def result_before_its_launch_safe(x: Ref[f64, "n"], total: Sum[f64]):
    add_up(total, x)
    total.get()


@program
def single_precision_input(y: Mut[f64, "n"], x: Ref[f32, "n"], z: Ref[f64, "n"]):
    copy_all(y, x)  # error: [KP0702] "`x` does not fit `x` of `copy_all`"


@program
def single_precision_input_safe(y: Mut[f64, "n"], x: Ref[f32, "n"], z: Ref[f64, "n"]):
    copy_all(y, z)
