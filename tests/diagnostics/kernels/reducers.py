"""Reducers take contributions and nothing else."""

# ruff: noqa: F841  (unused variables are part of the faults)
from kparity.compiler import Max, MaxLoc, Min, Mut, Ref, Sum, f64, i64, kernel, parallel


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
