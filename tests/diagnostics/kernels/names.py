"""Names that mean nothing, or nothing yet."""

import math

from kparity.compiler import Mut, Ref, f64, kernel, parallel, sqrt

SCALE = 0.5
NAMES = ("a", "b")
TABLE = (1.0, 2.0)


@kernel
def misspelled(velocity: Mut[f64, "n"], dt: f64):
    for i in parallel(n):
        velocity[i] += dt * velocty[i]  # error: [KP0103] "unknown name `velocty`"


@kernel
def misspelled_safe(velocity: Mut[f64, "n"], dt: f64):
    for i in parallel(n):
        velocity[i] += dt * velocity[i]


@kernel
def unbound_extent(y: Mut[f64, "n"]):
    for i in parallel(size):  # error: [KP0103] "unknown name `size`"
        y[i] = 0.0


@kernel
def unbound_extent_safe(y: Mut[f64, "size"]):
    for i in parallel(size):
        y[i] = 0.0


@kernel
def python_object(y: Mut[f64, "n"]):
    for i in parallel(n):
        y[i] = NAMES[0]  # error: [KP0102] "`NAMES`, which is no table of numbers"


@kernel
def python_object_safe(y: Mut[f64, "n"]):
    for i in parallel(n):
        y[i] = SCALE * TABLE[0]


@kernel
def python_math(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[i] = math.sqrt(x[i])  # error: [KP0102] "Python's math module"


@kernel
def python_math_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[i] = sqrt(x[i]) * math.pi


@kernel
def assigned_in_one_branch(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        if x[i] > 0.0:
            scale = 2.0
        y[i] = scale * x[i]  # error: [KP0205] "`scale` may be read before it is assigned"


@kernel
def assigned_in_one_branch_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        scale = 1.0
        if x[i] > 0.0:
            scale = 2.0
        y[i] = scale * x[i]


@kernel
def assigned_in_a_loop(y: Mut[f64, "n"], a: Ref[f64, "n", "m"]):
    for i in parallel(n):
        for j in range(m):
            last = a[i, j]
        y[i] = last  # error: [KP0205] "`last` may be read before it is assigned"


@kernel
def assigned_in_a_loop_safe(y: Mut[f64, "n"], a: Ref[f64, "n", "m"]):
    for i in parallel(n):
        last = 0.0
        for j in range(m):
            last = a[i, j]
        y[i] = last


@kernel
def index_after_its_loop(y: Mut[f64, "n"], a: Ref[f64, "n", "m"]):
    for i in parallel(n):
        for j in range(m):
            y[i] += a[i, j]
        y[i] = j  # error: [KP0103] "unknown name `j`"


@kernel
def index_after_its_loop_safe(y: Mut[f64, "n"], a: Ref[f64, "n", "m"]):
    for i in parallel(n):
        for j in range(m):
            y[i] += a[i, j]
        y[i] = m


@kernel
def index_used_twice(a: Mut[f64, "n", "n"]):
    for i in parallel(n):
        for i in range(n):  # error: [KP0106] "the loop index `i` already means something else"
            a[i, i] = 0.0


@kernel
def index_used_twice_safe(a: Mut[f64, "n", "n"]):
    for i in parallel(n):
        for j in range(n):
            a[i, j] = 0.0


@kernel
def assigned_index(y: Mut[f64, "n"]):
    for i in parallel(n):
        i = i + 1  # error: [KP0101] "`i`"
        y[i - 1] = 0.0


@kernel
def assigned_index_safe(y: Mut[f64, "n"]):
    for i in parallel(n):
        after = i + 1
        y[after - 1] = 0.0
