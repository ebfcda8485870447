"""Blocks in which not everything is proved, and what they do not excuse."""

from kparity.compiler import Mut, Ref, checked, f64, i64, kernel, parallel, unsafe


@kernel
def scatter_in_checked(y: Mut[f64, "n"], q: Mut[i64, "n"]):
    for i in parallel(n):
        with checked():
            y[q[i]] = 1.0  # error: [KP0402] "cannot exclude a data race on `y`"


@kernel
def scatter_in_checked_safe(y: Mut[f64, "n"], x: Ref[f64, "m"], q: Mut[i64, "n"]):
    for i in parallel(n):
        with checked():
            y[i] = x[q[i]]


@kernel
def wrapped_index_of_a_store(y: Mut[f64, "n"]):
    for i in parallel(n):
        with checked():
            y[i * 4611686018427387904] = 1.0  # error: [KP0601] "an index that is tested"


@kernel
def wrapped_index_of_a_store_safe(y: Mut[f64, "n"]):
    for i in parallel(n):
        with checked():
            y[i * 4] = 1.0


@kernel
def beyond_the_unsafe_block(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        with unsafe("x is padded"):
            y[i] = x[i + 1]
        y[i] += x[i + 1]  # error: [KP0301] "`x[i + 1]`"


@kernel
def beyond_the_unsafe_block_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        with unsafe("x is padded"):
            y[i] = x[i + 1]


@kernel
def no_reason(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        with unsafe(" "):  # error: [KP0204] "takes a reason"
            y[i] = x[i + 1]


@kernel
def no_reason_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        with unsafe("x is padded"):
            y[i] = x[i + 1]


@kernel
def checked_takes_nothing(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        with checked(y):  # error: [KP0204] "takes no arguments"
            y[i] = x[i]


@kernel
def checked_takes_nothing_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        with checked():
            y[i] = x[i]


@kernel
def opened(y: Mut[f64, "n"]):
    for i in parallel(n):
        with open("log"):  # error: [KP0101] "this `with`"
            y[i] = 1.0


@kernel
def opened_safe(y: Mut[f64, "n"]):
    for i in parallel(n):
        y[i] = 1.0
