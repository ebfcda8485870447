"""Lists and sums in the order of the threads: once a thread, nothing beside them, no look at a list that grows."""

from kparity.compiler import (
    Atomic,
    Mut,
    Out,
    Push,
    Ref,
    Sum,
    checked,
    f64,
    i32,
    i64,
    kernel,
    parallel,
    sum_before,
    sum_upto,
    teams,
    threads,
)


@kernel
def twice(list: Push[i64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        if x[i] < 0.0:
            list.push(i)
        if x[i] < -1.0:
            list.push(i)  # error: [KP0511] "a thread pushes once at most"


@kernel
def twice_safe(list: Push[i64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        if x[i] < -1.0:
            list.push(-i)
        elif x[i] < 0.0:
            list.push(i)


@kernel
def in_a_loop(list: Push[f64, "n"], x: Ref[f64, "n", 4]):
    for i in parallel(n):
        for j in range(4):
            if x[i, j] > 0.0:
                list.push(x[i, j])  # error: [KP0511] "inside of a loop"


@kernel
def in_a_loop_safe(list: Push[f64, "n"], x: Ref[f64, "n", 4]):
    for i in parallel(n):
        best = 0.0
        for j in range(4):
            best = max(best, x[i, j])
        if best > 0.0:
            list.push(best)


@kernel
def a_list_too_short(list: Push[i64, "m"], x: Ref[f64, "n"]):
    for i in parallel(n):
        if x[i] < 0.0:
            list.push(i)  # guard: "list.push: largest index n - 1 must be < m"


@kernel
def a_list_too_short_safe(list: Push[i64, "m"], x: Ref[f64, "n"]):
    for i in parallel(n):
        if i < m and x[i] < 0.0:
            list.push(i)


@kernel
def a_list_without_a_place(list: Push[i64, "n"], x: Ref[f64, "n + 1"]):
    for i in parallel(n + 1):
        if x[i] < 0.0:
            list.push(i)  # error: [KP0301] "`list.push` is written past the end"


@kernel
def a_list_without_a_place_safe(list: Push[i64, "n"], x: Ref[f64, "n + 2"]):
    for i in parallel((2, n + 2)):
        if x[i] < 0.0:
            list.push(i)


@kernel
def read_while_it_grows(list: Push[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        if x[i] < list[0]:  # error: [KP0511] "`list` is borrowed as `Push`"
            list.push(x[i])


@kernel
def read_while_it_grows_safe(list: Push[f64, "n"], x: Ref[f64, "n"], least: f64):
    for i in parallel(n):
        if x[i] < least:
            list.push(x[i])


@kernel
def written_by_index(list: Push[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        list[i] = x[i]  # error: [KP0511] "`list` is borrowed as `Push`"


@kernel
def written_by_index_safe(list: Push[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        list.push(x[i])


@kernel
def pushed_into_another_borrow(list: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        list.push(x[i])  # error: [KP0204] "`list.push` is not what a `Mut` array has"


@kernel
def pushed_into_another_borrow_safe(list: Push[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        list.push(x[i])


@kernel
def two_lists(low: Push[i64, "n"], high: Push[i64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        if x[i] < 0.0:
            low.push(i)
        else:
            high.push(i)  # error: [KP0511] "nothing else is stored in such a kernel"


@kernel
def two_lists_safe(low: Push[i64, "n"], x: Ref[f64, "n"], count: Sum[i64]):
    for i in parallel(n):
        if x[i] < 0.0:
            low.push(i)
        else:
            count += 1


@kernel
def stored_beside(list: Push[i64, "n"], y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[i] = x[i]  # error: [KP0511] "nothing else is stored in such a kernel"
        if x[i] < 0.0:
            list.push(i)


@kernel
def stored_beside_safe(list: Push[i64, "n"], x: Ref[f64, "n"], total: Sum[f64]):
    for i in parallel(n):
        total += x[i]
        if x[i] < 0.0:
            list.push(i)


@kernel
def atomic_beside(list: Push[i64, "n"], seen: Atomic[i32, 1]):
    for i in parallel(n):
        if seen[0].exchange(1) == 0:  # error: [KP0511] "atomic operations do not go with it"
            list.push(i)


@kernel
def atomic_beside_safe(list: Push[i64, "n"], seen: Ref[i32, 1]):
    for i in parallel(n):
        if seen[0] == 0:
            list.push(i)


@kernel
def bins_beside(list: Push[i64, "n"], h: Sum[i64, 8]):
    for i in parallel(n):
        h[i % 8] += 1  # error: [KP0511] "bins take no contributions"
        list.push(i)


@kernel
def bins_beside_safe(list: Push[i64, "n"], h: Sum[i64], most: Sum[f64]):
    for i in parallel(n):
        h += 1
        most += 2.0
        list.push(i)


@kernel
def a_plane(list: Push[i64, "n"]):
    for i, j in parallel(n, 1):
        list.push(i)  # error: [KP0511] "a `parallel` of one range"


@kernel
def a_plane_safe(list: Push[i64, "n"]):
    for i in parallel(n):
        list.push(i)


@kernel
def a_team(list: Push[i64, "n"]):
    for b in teams(n):
        for t in threads(1):
            list.push(b)  # error: [KP0511] "a `parallel` of one range"


@kernel
def a_team_safe(list: Push[i64, "n"]):
    for b in parallel(n):
        list.push(2 * b)


@kernel
def tested(list: Push[i64, "n"], where: Ref[f64, "n"]):
    for i in parallel(n):
        with checked():
            list.push(i)  # error: [KP0511] "inside of a `checked` or `unsafe` block"


@kernel
def tested_safe(list: Push[i64, "n"], where: Ref[f64, "n"]):
    for i in parallel(n):
        with checked():
            at = i64(where[i])
        list.push(at)


@kernel
def summed_under_a_condition(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        if x[i] > 0.0:
            y[i] = sum_before(x[i])  # error: [KP0511] "the last statement of the thread"


@kernel
def summed_under_a_condition_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[i] = sum_before(x[i] if x[i] > 0.0 else 0.0)


@kernel
def summed_at_a_loaded_place(y: Mut[f64, "n"], x: Ref[f64, "n"], at: Ref[i64, "n"]):
    for i in parallel(n):
        y[at[i]] = sum_upto(x[i])  # error: [KP0511] "its place depends on the thread's index"


@kernel
def summed_at_a_loaded_place_safe(y: Mut[f64, "n"], x: Ref[f64, "n"], at: Ref[i64, "n"]):
    for i in parallel(n):
        y[i] = sum_upto(f64(at[i]) * x[i])


@kernel
def summed_by_neighbours(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[i // 2] = sum_upto(x[i])  # error: [KP0401] "data race on `y`"


@kernel
def summed_by_neighbours_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[n - 1 - i] = sum_upto(x[i])


@kernel
def in_place_of_a_neighbour(y: Mut[f64, "n"]):
    for i in parallel(n - 1):
        y[i + 1] = sum_upto(y[i])  # error: [KP0401] "data race on `y`"


@kernel
def in_place_of_a_neighbour_safe(y: Mut[f64, "n"]):
    for i in parallel(n):
        y[i] = sum_upto(y[i])


@kernel
def not_everywhere(y: Out[f64, "n + 1"], x: Ref[f64, "n"]):  # error: [KP0503] "`y`"
    for i in parallel(n):
        y[i] = sum_upto(x[i])


@kernel
def not_everywhere_safe(y: Out[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[i] = sum_upto(x[i])
