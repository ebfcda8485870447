"""Programs that call programs, and memory of their own."""

# ruff: noqa: F841  (unused variables are part of the faults)
from kparity.compiler import (
    Mut,
    Out,
    Ref,
    exclusive_scan,
    f32,
    f64,
    i64,
    kernel,
    parallel,
    program,
    repetition,
    scratch,
)


@kernel
def double(y: Out[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[i] = 2.0 * x[i]


@kernel
def accumulate(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[i] += x[i]


@program
def read_before_written(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    t = scratch(f64, n)
    accumulate(t, x)  # error: [KP0502] "`t` is scratch memory, but its first use may read it"
    accumulate(y, t)


@program
def read_before_written_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    t = scratch(f64, n)
    double(t, x)
    accumulate(y, t)


@program
def read_before_written_inside(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    t = scratch(f64, n)
    exclusive_scan(y, t)  # error: [KP0502] "`t` is scratch memory, but its first use may read it"


@program
def read_before_written_inside_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    t = scratch(f64, n)
    double(t, x)
    exclusive_scan(y, t)


@program
def other_size(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    t = scratch(f64, n + 1)
    double(t, x)  # error: [KP0702] "`x` has the dim `n`"


@program
def other_size_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    t = scratch(f64, n)
    double(t, x)


@program
def size_that_changes(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    t = scratch(f64, n + repetition())  # error: [KP0107] "scratch memory has one size in all repetitions"


@program
def size_that_changes_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    t = scratch(f64, n)
    double(t, x)


@program
def taken(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    y = scratch(f64, n)  # error: [KP0107] "`y` already means something else"
    double(y, x)


@program
def taken_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    z = scratch(f64, n)
    double(z, x)


@program
def in_place(y: Mut[f64, "n"]):
    exclusive_scan(y, y)  # error: [KP0505] "`y` is passed twice to `exclusive_scan`"


@program
def in_place_safe(y: Mut[f64, "n"]):
    t = scratch(f64, n)
    exclusive_scan(t, y)


@program
def through_ref(y: Ref[f64, "n"], x: Ref[f64, "n"]):
    exclusive_scan(y, x)  # error: [KP0501] "cannot write to `y`"


@program
def through_ref_safe(y: Out[f64, "n"], x: Ref[f64, "n"]):
    exclusive_scan(y, x)


@program
def other_element(y: Mut[f64, "n"], x: Ref[f32, "n"]):
    exclusive_scan(y, x)  # error: [KP0702] "`x` does not fit `x` of `exclusive_scan`"


@program
def other_element_safe(y: Mut[f32, "n"], x: Ref[f32, "n"]):
    exclusive_scan(y, x)


@program
def no_array(y: Mut[f64, "n"], k: i64):
    exclusive_scan(k, y)  # error: [KP0702] "the first argument of `exclusive_scan` is an array of `f64`"


@program
def no_array_safe(y: Mut[i64, "n"], k: Ref[i64, "n"]):
    exclusive_scan(y, k)


@program
def looping(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for k in range(3):
        accumulate(y, x)


@program
def calls_a_looping_program(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    looping(y, x)  # error: [KP0701] "`looping` has loops, swaps, `get` or members of packs, so no program calls it"


@program
def calls_a_looping_program_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    read_before_written_safe(y, x)
    read_before_written_safe(y, x)
