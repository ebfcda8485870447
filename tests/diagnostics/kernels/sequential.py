"""Loops that end early, local arrays, device functions."""

# ruff: noqa: F841  (unused variables are part of the faults)
from kparity.compiler import Mut, Ref, device, f64, i64, kernel, local, parallel


@kernel
def behind_the_loop(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        j = 0
        while j < n and x[j] > 0.0:
            j += 1
        y[i] = x[j]  # error: [KP0302] "`x[j]`"


@kernel
def behind_the_loop_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        j = 0
        while j < n and x[j] > 0.0:
            j += 1
        y[i] = x[j] if j < n else 0.0


@kernel
def past_the_end(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        j = i
        while j <= n:
            y[i] += x[j]  # error: [KP0301] "`x[j]`"
            j += 1


@kernel
def past_the_end_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        j = i
        while j < n:
            y[i] += x[j]
            j += 1


@kernel
def unassigned_after_a_while(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        j = 0
        while j < 3:
            last = x[i]
            j += 1
        y[i] = last  # error: [KP0205] "`last`"


@kernel
def unassigned_after_a_while_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        j = 0
        while True:
            last = x[i]
            j += 1
            if j == 3:
                break
        y[i] = last


@kernel
def leaving_a_thread(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        if x[i] < 0.0:
            continue  # error: [KP0101] "`continue`"
        y[i] = x[i]


@kernel
def leaving_a_thread_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        if x[i] >= 0.0:
            y[i] = x[i]


@kernel
def local_past_the_end(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        s = local(f64, 4, fill=0.0)
        for j in range(4):
            s[j + 1] = x[i]  # error: [KP0301] "`s[j + 1]`"
        y[i] = s[0]


@kernel
def local_past_the_end_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        s = local(f64, 5, fill=0.0)
        for j in range(4):
            s[j + 1] = x[i]
        y[i] = s[0]


@kernel
def local_below_the_start(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        s = local(f64, 4, fill=0.0)
        y[i] = s[i - 1] if i < 5 else 0.0  # error: [KP0301] "before the start of `s`"


@kernel
def local_below_the_start_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        s = local(f64, 4, fill=0.0)
        y[i] = s[i - 1] if 1 <= i < 5 else 0.0


@kernel
def local_on_one_path(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        s = local(f64, 2)
        if x[i] > 0.0:
            s[0] = x[i]
        y[i] = s[0]  # error: [KP0502] "`s` is a local array"


@kernel
def local_on_one_path_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        s = local(f64, 2, fill=0.0)
        if x[i] > 0.0:
            s[0] = x[i]
        y[i] = s[0]


@kernel
def local_after_continue(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        s = local(f64, 4)
        for j in range(4):
            if x[i] < 0.0:
                continue
            s[j] = x[i]
        y[i] = s[0]  # error: [KP0502] "`s` is a local array"


@kernel
def local_after_continue_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        s = local(f64, 4)
        for j in range(4):
            s[j] = 0.0
            if x[i] < 0.0:
                continue
            s[j] = x[i]
        y[i] = s[0]


@kernel
def local_outside_of_its_loop(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        for j in range(4):
            s = local(f64, 4, fill=0.0)
            s[j] = x[i]
        y[i] = s[0]  # error: [KP0103] "`s`"


@kernel
def local_outside_of_its_loop_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        s = local(f64, 4, fill=0.0)
        for j in range(4):
            s[j] = x[i]
        y[i] = s[0]


@kernel
def local_of_a_size_at_run_time(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        s = local(f64, n, fill=0.0)  # error: [KP0107] "constant"
        y[i] = 0.0


@kernel
def local_of_a_size_at_run_time_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        s = local(f64, 8, fill=0.0)
        y[i] = s[i % 8]


@device
def clear(s: Ref[f64, "m"]):
    for j in range(m):
        s[j] = 0.0  # error: [KP0501] "`s`"


@kernel
def device_writes_through_ref(y: Mut[f64, "n"]):
    for i in parallel(n):
        s = local(f64, 4)
        clear(s)
        y[i] = s[0]


@device
def clear_safe(s: Mut[f64, "m"]):
    for j in range(m):
        s[j] = 0.0


@kernel
def device_writes_through_ref_safe(y: Mut[f64, "n"]):
    for i in parallel(n):
        s = local(f64, 4)
        clear_safe(s)
        y[i] = s[0]


@kernel
def ref_lent_exclusively(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        clear_safe(x)  # error: [KP0501] "`x`"
        y[i] = x[i]


@kernel
def ref_lent_exclusively_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[i] = x[i]


@device
def element(s: Ref[f64, "m"], k: i64):
    return s[k]


@device
def element_behind(s: Ref[f64, "m"], k: i64):
    return s[k + 1]  # error: [KP0301] "`s[k + 1]`"


@kernel
def device_out_of_bounds(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[i] = element_behind(x, i)


@kernel
def device_out_of_bounds_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        s = local(f64, 4, fill=0.0)
        y[i] = element(x, i) + element(s, 3)


@device
def swap(a: Mut[f64, "m"], b: Mut[f64, "m"]):
    a[0], b[0] = b[0], a[0]


@kernel
def lent_twice(y: Mut[f64, "n"]):
    for i in parallel(n):
        s = local(f64, 4, fill=0.0)
        swap(s, s)  # error: [KP0505] "`s`"
        y[i] = s[0]


@kernel
def lent_twice_safe(y: Mut[f64, "n"]):
    for i in parallel(n):
        s, t = local(f64, 4, fill=0.0), local(f64, 4, fill=1.0)
        swap(s, t)
        y[i] = s[0]


@kernel
def wrong_number_of_arguments(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[i] = element(x)  # error: [KP0204] "takes 2 arguments, not 1"


@kernel
def wrong_number_of_arguments_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[i] = element(x, i)


@kernel
def wrong_type_of_argument(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[i] = element(x, x[i])  # error: [KP0202] "`f64` to `i64`"


@kernel
def wrong_type_of_argument_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[i] = element(x, i)


@kernel
def an_element_for_an_array(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[i] = element(x[i], i)  # error: [KP0204] "`s` is an array"


@kernel
def an_element_for_an_array_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[i] = element(x, i)


@kernel
def no_value(y: Mut[f64, "n"]):
    for i in parallel(n):
        s = local(f64, 4)
        y[i] = clear_safe(s)  # error: [KP0102] "returns none"


@kernel
def no_value_safe(y: Mut[f64, "n"]):
    for i in parallel(n):
        s = local(f64, 4)
        clear_safe(s)
        y[i] = s[0]


@device
def forwards(v: f64):
    return backwards(v) + 1.0


@device
def backwards(v: f64):
    return forwards(v) - 1.0  # error: [KP0102] "recursion"


@kernel
def recursion(y: Mut[f64, "n"]):
    for i in parallel(n):
        y[i] = forwards(y[i])


@device
def repeated(v: f64, times: i64):
    for j in range(times):
        v = 0.5 * v
    return v


@kernel
def recursion_safe(y: Mut[f64, "n"]):
    for i in parallel(n):
        y[i] = repeated(y[i], 5)


@device
def early(v: f64):
    if v < 0.0:
        return 0.0  # error: [KP0101] "`return` before the end"
    return v


@kernel
def early_return_of_a_device(y: Mut[f64, "n"]):
    for i in parallel(n):
        y[i] = early(y[i])


@device
def late(v: f64):
    if v < 0.0:
        v = 0.0
    return v


@kernel
def early_return_of_a_device_safe(y: Mut[f64, "n"]):
    for i in parallel(n):
        y[i] = late(y[i])
