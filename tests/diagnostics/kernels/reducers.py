"""Reducers take contributions and nothing else."""

# ruff: noqa: F841  (unused variables are part of the faults)
from kparity.compiler import Max, MaxLoc, Min, Mut, Ref, Sum, checked, f64, i64, kernel, parallel, require


@kernel
def normalise(total: Sum[f64], x: Mut[f64, "n"]):
    for i in parallel(n):
        total += x[i]
        x[i] = x[i] / total  # error: [KP0504] "reducer `total` takes contributions only"


@kernel
def normalise_safe(total: Ref[f64, 1], x: Mut[f64, "n"]):
    for i in parallel(n):
        x[i] = x[i] / total[0]


@kernel
def minimum_by_hand(smallest: Min[f64], x: Ref[f64, "n"]):
    for i in parallel(n):
        if x[i] < smallest:  # error: [KP0504] "reducer `smallest` takes contributions only"
            smallest.update(x[i])


@kernel
def minimum_by_hand_safe(smallest: Min[f64], x: Ref[f64, "n"]):
    for i in parallel(n):
        smallest.update(x[i])


@kernel
def assigned(largest: Max[f64], x: Ref[f64, "n"]):
    for i in parallel(n):
        largest = x[i]  # error: [KP0504] "reducer `largest` takes contributions only"


@kernel
def assigned_safe(largest: Max[f64], x: Ref[f64, "n"]):
    for i in parallel(n):
        largest.update(x[i])


@kernel
def subtracted(total: Sum[f64], x: Ref[f64, "n"]):
    for i in parallel(n):
        total -= x[i]  # error: [KP0504] "reducer `total` takes contributions only"


@kernel
def subtracted_safe(total: Sum[f64], x: Ref[f64, "n"]):
    for i in parallel(n):
        total += -x[i]


@kernel
def location_forgotten(best: MaxLoc[f64], x: Ref[f64, "n"]):
    for i in parallel(n):
        best.update(x[i])  # error: [KP0204] "`best.update` takes 2 arguments, not 1"


@kernel
def location_forgotten_safe(best: MaxLoc[f64], x: Ref[f64, "n"]):
    for i in parallel(n):
        best.update(x[i], i)


@kernel
def indexed(total: Sum[f64], x: Ref[f64, "n"]):
    for i in parallel(n):
        total[0] += x[i]  # error: [KP0504] "reducer `total` takes contributions only"


@kernel
def indexed_safe(total: Sum[f64], x: Ref[f64, "n"]):
    for i in parallel(n):
        total += x[i]


@kernel
def out_of_bounds_contribution(count: Sum[i64], x: Ref[f64, "n"]):
    for i in parallel(n):
        count += 1 if x[i + 1] > x[i] else 0  # error: [KP0301] "`x[i + 1]`"


@kernel
def out_of_bounds_contribution_safe(count: Sum[i64], x: Ref[f64, "n"]):
    for i in parallel(n - 1):
        count += 1 if x[i + 1] > x[i] else 0


@kernel
def which_bin(counts: Sum[i64, 8], x: Ref[f64, "n"]):
    for i in parallel(n):
        counts += 1  # error: [KP0203] "`counts` has 1 dimension, but is indexed by 0"


@kernel
def which_bin_safe(counts: Sum[i64, 8], x: Ref[f64, "n"]):
    for i in parallel(n):
        counts[i % 8] += 1


@kernel
def bin_read(counts: Sum[i64, 8], y: Mut[f64, "n"]):
    for i in parallel(n):
        y[i] = f64(counts[0])  # error: [KP0504] "reducer `counts` takes contributions only"


@kernel
def bin_read_safe(counts: Ref[i64, 8], y: Mut[f64, "n"]):
    for i in parallel(n):
        y[i] = f64(counts[0])


@kernel
def bin_assigned(least: Min[f64, "m"], x: Ref[f64, "n"]):
    for i in parallel(n):
        least[0] = x[i]  # error: [KP0504] "reducer `least` takes contributions only"


@kernel
def bin_assigned_safe(least: Min[f64, "m"], x: Ref[f64, "n"]):
    require(m > 0)
    for i in parallel(n):
        least[0].update(x[i])


@kernel
def bin_out_of_bounds(counts: Sum[i64, 8], x: Ref[f64, "n"]):
    for i in parallel(n):
        counts[i % 9] += 1  # error: [KP0301] "`counts[i % 9]`"


@kernel
def bin_out_of_bounds_safe(counts: Sum[i64, 9], x: Ref[f64, "n"]):
    for i in parallel(n):
        counts[i % 9] += 1


@kernel
def bins_of_locations(best: MaxLoc[f64, 8], x: Ref[f64, "n"]):  # error: [KP0105] "`best` has 1 dims, at most 0"
    for i in parallel(n):
        best.update(x[i], i)


@kernel
def bins_of_locations_safe(best: MaxLoc[f64], x: Ref[f64, "n"]):
    for i in parallel(n):
        best.update(x[i], i)


@kernel
def bin_tested_on_the_device(counts: Sum[i64, 8], x: Ref[f64, "n"]):
    for i in parallel(n):
        with checked():
            counts[i64(x[i])] += 1  # error: [KP0302] "cannot prove that `counts[i64(x[i])]`"


@kernel
def bin_tested_on_the_device_safe(counts: Sum[i64, 8], x: Ref[f64, "n"]):
    for i in parallel(n):
        b = i64(x[i])
        if 0 <= b < 8:
            counts[b] += 1
