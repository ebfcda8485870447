"""Programs: kernel calls whose arguments fit, under loops and conditions that the launcher can compute."""

# ruff: noqa: F841  (unused variables are part of the faults)
from kparity.compiler import (
    Mut,
    Out,
    Pack,
    Ref,
    Sum,
    Table,
    exchange,
    f32,
    f64,
    i32,
    i64,
    kernel,
    parallel,
    program,
    repetition,
)


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
def swapped_with_another_borrow(a: Mut[f64, "n"], b: Ref[f64, "n"]):
    copy(a, b)
    a, b = b, a  # error: [KP0702] "`a` and `b` cannot stand for each other"


@program
def swapped_with_another_borrow_safe(a: Mut[f64, "n"], b: Mut[f64, "n"]):
    copy(a, b)
    a, b = b, a


@program
def swapped_away(a: Mut[f64, "n"], b: Mut[f64, "n"], c: Mut[f64, "n"]):
    copy(a, b)
    a, b = b, c  # error: [KP0701] "a swap has the same arrays on both sides"


@program
def swapped_away_safe(a: Mut[f64, "n"], b: Mut[f64, "n"], c: Mut[f64, "n"]):
    copy(a, b)
    a, b, c = b, c, a


@program
def swapped_and_passed_twice(a: Mut[f64, "n"], b: Mut[f64, "n"]):
    a, b = b, a
    copy(b, b)  # error: [KP0505] "`b` is passed twice to `copy`"


@program
def swapped_and_passed_twice_safe(a: Mut[f64, "n"], b: Mut[f64, "n"]):
    a, b = b, a
    copy(b, a)


@program
def bound_from_an_array(total: Sum[f64], a: Ref[f64, "n"], steps: Ref[i64, 1]):
    for k in range(steps[0]):  # error: [KP0702] "the range of a program's loop is known before the launch"
        add(total, a, 1.0)


@program
def bound_from_an_array_safe(total: Sum[f64], a: Ref[f64, "n"], steps: i64):
    for k in range(steps):
        add(total, a, 0.5 * k)


@program
def condition_on_data(total: Sum[f64], a: Ref[f64, "n"]):
    if a[0] > 0.0:  # error: [KP0702] "the condition of a program is known before the launch"
        add(total, a, 1.0)


@program
def condition_on_data_safe(total: Sum[f64], a: Ref[f64, "n"], positive: i64):
    if positive != 0 and repetition() % 2 == 0:
        add(total, a, 1.0)


@program
def index_outlives_its_loop(total: Sum[f64], a: Ref[f64, "n"]):
    for k in range(3):
        add(total, a, 0.5 * k)
    add(total, a, 0.5 * k)  # error: [KP0103] "unknown name `k`"


@program
def index_outlives_its_loop_safe(total: Sum[f64], a: Ref[f64, "n"]):
    for k in range(3):
        add(total, a, 0.5 * k)
    add(total, a, 0.5 * 3)


@program
def get_in_a_loop(total: Sum[f64], a: Ref[f64, "n"]):
    for k in range(3):
        add(total, a, 0.5 * k)
        total.get()  # error: [KP0701] "`total.get` under a loop or condition"


@program
def get_in_a_loop_safe(total: Sum[f64], a: Ref[f64, "n"]):
    for k in range(3):
        add(total, a, 0.5 * k)
    total.get()


@program
def get_of_a_whole_array(a: Mut[f64, "n"], b: Ref[f64, "n"]):
    copy(a, b)
    a.get()  # error: [KP0701] "`a` has more than one element"


@program
def get_of_a_whole_array_safe(a: Mut[f64, 1], b: Ref[f64, 1]):
    copy(a, b)
    a.get()


@program
def filled_through_ref(a: Ref[f64, "n"]):
    a.fill(0.0)  # error: [KP0501] "cannot write to `a`"


@program
def filled_through_ref_safe(a: Mut[f64, "n"]):
    a.fill(0.0)


@program
def out_is_first_read(a: Out[f64, "n"], total: Sum[f64]):
    for k in range(2):
        add(total, a, 1.0)  # error: [KP0502] "`a` is declared `Out`, but its first use may read it"
    a.fill(0.0)


@program
def out_is_first_read_safe(a: Out[f64, "n"], total: Sum[f64]):
    a.fill(0.0)
    for k in range(2):
        add(total, a, 1.0)


@kernel
def count(total: Sum[i64], a: Ref[f64, "n"]):
    for i in parallel(n):
        total += 1 if a[i] > 0.0 else 0


@kernel
def choose(y: Mut[f64, "n"], x: Ref[f64, "n"], place: Ref[i64, 1]):
    for i in parallel(n):
        y[i] = x[place[0]]


@program
def index_from_a_reducer(total: Sum[i64], a: Ref[f64, "n"], y: Mut[f64, "n"]):
    count(total, a)
    choose(y, a, total)  # error: [KP0403] "`total` decides the indices of `choose`"


@program
def index_from_a_reducer_safe(place: Ref[i64, 1], a: Ref[f64, "n"], y: Mut[f64, "n"]):
    choose(y, a, place)


@program
def index_from_a_swapped_array(p: Mut[i64, 1], q: Mut[i64, 1], a: Ref[f64, "n"], y: Mut[f64, "n"]):
    choose(y, a, p)  # error: [KP0403] "`p` decides the indices of `choose`"
    q.fill(0)
    p, q = q, p


@program
def index_from_a_swapped_array_safe(p: Mut[i64, 1], q: Mut[i64, 1], a: Ref[f64, "n"], y: Mut[f64, "n"]):
    choose(y, a, p)
    p, q = q, p


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


@program
def member_beyond_the_pack(xs: Pack[Mut[f64, "n"], 3], y: Ref[f64, "n"]):
    copy(xs[3], y)  # error: [KP0702] "`xs` has the members 0 to 2"


@program
def member_beyond_the_pack_safe(xs: Pack[Mut[f64, "n"], 3], y: Ref[f64, "n"]):
    copy(xs[2], y)


@program
def members_that_may_be_one(xs: Pack[Mut[f64, "n"], 3]):
    for k in range(2):
        copy(xs[k], xs[0])  # error: [KP0505] "`xs[0]` is passed twice to `copy`"


@program
def members_that_may_be_one_safe(xs: Pack[Mut[f64, "n"], 3]):
    copy(xs[1], xs[0])


@program
def member_of_an_out(xs: Pack[Out[f64, "n"], 2], y: Ref[f64, "n"]):
    copy(xs[0], y)  # error: [KP0702] "a member of `xs` cannot be passed by itself"


@program
def member_of_an_out_safe(xs: Pack[Mut[f64, "n"], 2], y: Ref[f64, "n"]):
    copy(xs[0], y)
    copy(xs[1], y)


@program
def member_of_another_length(xs: Pack[Mut[f64, "n[]"], 2], ys: Pack[Ref[f64, "n[]"], 2]):
    for k in range(1):
        copy(xs[k], ys[k + 1])  # error: [KP0702] "`ys[k + 1]` has the dim `n[]`"


@program
def member_of_another_length_safe(xs: Pack[Mut[f64, "n[]"], 2], ys: Pack[Ref[f64, "n[]"], 2]):
    for k in range(2):
        copy(xs[k], ys[k])


@program
def member_of_no_pack(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    copy(y[0], x)  # error: [KP0702] "`y` of `copy` is an array"


@program
def member_of_no_pack_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    copy(y, x)


@program
def member_written_through_ref(xs: Pack[Ref[f64, "n"], 2], y: Ref[f64, "n"]):
    copy(xs[0], y)  # error: [KP0501]


@program
def member_written_through_ref_safe(xs: Pack[Mut[f64, "n"], 2], y: Ref[f64, "n"]):
    copy(xs[0], y)


@program
def exchange_of_other_lengths(
    a: Pack[Ref[f64, "n[]"], 2], b: Pack[Mut[f64, "m[]"], 2], ranks: Table[i32, 2], tags: Table[i32, 2]
):
    exchange(a, b, ranks, tags)  # error: [KP0702] "`a` and `b` have members of other types or dims"


@program
def exchange_of_other_lengths_safe(
    a: Pack[Ref[f64, "n"], 2], b: Pack[Mut[f64, "n"], 2], ranks: Table[i32, 2], tags: Table[i32, 2]
):
    exchange(a, b, ranks, tags)


@program
def exchange_into_a_ref(
    a: Pack[Ref[f64, "n"], 2], b: Pack[Ref[f64, "n"], 2], ranks: Table[i32, 2], tags: Table[i32, 2]
):
    exchange(a, b, ranks, tags)  # error: [KP0501]


@program
def exchange_into_a_ref_safe(
    a: Pack[Ref[f64, "n"], 2], b: Pack[Mut[f64, "n"], 2], ranks: Table[i32, 2], tags: Table[i32, 2]
):
    exchange(a, b, ranks, tags)


@program
def exchange_with_itself(a: Pack[Mut[f64, "n"], 2], ranks: Table[i32, 2], tags: Table[i32, 2]):
    exchange(a, a, ranks, tags)  # error: [KP0702] "`a` is not what a message can be read from"


@program
def exchange_with_itself_safe(
    a: Pack[Ref[f64, "n"], 2], b: Pack[Mut[f64, "n"], 2], ranks: Table[i32, 2], tags: Table[i32, 2]
):
    exchange(a, b, ranks, tags)


@program
def exchange_of_lists(a: Pack[Ref[i32, "n"], 2], b: Pack[Mut[i32, "n"], 2], ranks: Table[i32, 2], tags: Table[i32, 2]):
    exchange(a, b, ranks, tags)  # error: [KP0702] "`a` is no pack of float arrays"


@program
def exchange_of_lists_safe(
    a: Pack[Ref[f64, "n"], 2], b: Pack[Mut[f64, "n"], 2], ranks: Table[i32, 2], tags: Table[i32, 2]
):
    exchange(a, b, ranks, tags)


@program
def exchange_with_three_ranks(
    a: Pack[Ref[f64, "n"], 2], b: Pack[Mut[f64, "n"], 2], ranks: Table[i32, 3], tags: Table[i32, 2]
):
    exchange(a, b, ranks, tags)  # error: [KP0702] "`ranks` is no `Table[i32, 2]`"


@program
def exchange_with_three_ranks_safe(
    a: Pack[Ref[f64, "n"], 2], b: Pack[Mut[f64, "n"], 2], ranks: Table[i32, 2], tags: Table[i32, 2]
):
    exchange(a, b, ranks, tags)


@program
def exchange_without_tags(a: Pack[Ref[f64, "n"], 2], b: Pack[Mut[f64, "n"], 2], ranks: Table[i32, 2]):
    exchange(a, b, ranks)  # error: [KP0702] "`exchange`: takes two packs and two tables"


@program
def exchange_without_tags_safe(
    a: Pack[Ref[f64, "n"], 2], b: Pack[Mut[f64, "n"], 2], ranks: Table[i32, 2], tags: Table[i32, 2]
):
    exchange(a, b, ranks, tags)


@program
def exchange_in_a_loop(a: Pack[Ref[f64, "n"], 2], b: Pack[Mut[f64, "n"], 2], ranks: Table[i32, 2], tags: Table[i32, 2]):
    for _k in range(2):
        exchange(a, b, ranks, tags)  # error: [KP0701] "`exchange` under a loop or condition"


@program
def exchange_in_a_loop_safe(
    a: Pack[Ref[f64, "n"], 2], b: Pack[Mut[f64, "n"], 2], ranks: Table[i32, 2], tags: Table[i32, 2]
):
    exchange(a, b, ranks, tags)


@program
def exchange_twice(a: Pack[Ref[f64, "n"], 2], b: Pack[Mut[f64, "n"], 2], ranks: Table[i32, 2], tags: Table[i32, 2]):
    exchange(a, b, ranks, tags)
    exchange(a, b, ranks, tags)  # error: [KP0701] "a second `exchange`"


@program
def exchange_twice_safe(
    a: Pack[Ref[f64, "n"], 2], b: Pack[Mut[f64, "n"], 2], ranks: Table[i32, 2], tags: Table[i32, 2]
):
    exchange(a, b, ranks, tags)
