"""Idioms of hand-written kernels, one step wrong; and the repaired twin.

Loops that stride over the grid, trees and scans of any width, counters that are halved or doubled.
"""

from kparity.compiler import (
    Mut,
    Out,
    Ref,
    ceildiv,
    f64,
    i64,
    kernel,
    parallel,
    private,
    require,
    shared,
    teams,
    threads,
)

T = 16


@kernel
def stride_by_a_parameter_in_a_while(y: Mut[f64, "n"], x: Ref[f64, "n"], p: i64):
    require(2 <= p <= 65536)
    for t in parallel(p):
        i = t
        while i < n:
            y[i] = x[i]  # error: [KP0401] "data race on `y`: two threads write one element"
            i += p - 1


@kernel
def stride_by_a_parameter_in_a_while_safe(y: Mut[f64, "n"], x: Ref[f64, "n"], p: i64):
    require(2 <= p <= 65536)
    for t in parallel(p):
        i = t
        while i < n:
            y[i] = x[i]
            i += p


@kernel
def grid_stride_of_a_team(y: Mut[f64, "n"], x: Ref[f64, "n"], g: i64):
    require(2 <= g <= 65536)
    for b in teams(g):
        for t in threads(T):
            for i in range(b * T + t, n, g * T - 1):
                y[i] = x[i]  # error: [KP0401] "data race on `y`: two threads write one element"


@kernel
def grid_stride_of_a_team_safe(y: Mut[f64, "n"], x: Ref[f64, "n"], g: i64):
    require(2 <= g <= 65536)
    for b in teams(g):
        for t in threads(T):
            for i in range(b * T + t, n, g * T):
                y[i] = x[i]


@kernel
def grid_stride_of_a_team_in_a_while(y: Mut[f64, "n"], x: Ref[f64, "n"], g: i64):
    require(2 <= g <= 65536)
    for b in teams(g):
        for t in threads(T):
            i = b * T + t
            stride = (g - 1) * T
            while i < n:
                y[i] = x[i]  # error: [KP0401] "data race on `y`: two threads write one element"
                i += stride


@kernel
def grid_stride_of_a_team_in_a_while_safe(y: Mut[f64, "n"], x: Ref[f64, "n"], g: i64):
    require(2 <= g <= 65536)
    for b in teams(g):
        for t in threads(T):
            i = b * T + t
            stride = g * T
            while i < n:
                y[i] = x[i]
                i += stride


@kernel
def grid_stride_of_teams_of_any_size(y: Mut[f64, "n"], x: Ref[f64, "n"], g: i64, bs: i64):
    require(1 <= g <= 65536)
    require(2 <= bs <= 1024)
    require(g * bs <= 67108864)
    for b in teams(g):
        for t in threads(bs):
            for i in range(b * (bs - 1) + t, n, g * bs):
                y[i] = x[i]  # error: [KP0401] "data race on `y`: two threads write one element"


@kernel
def grid_stride_of_teams_of_any_size_safe(y: Mut[f64, "n"], x: Ref[f64, "n"], g: i64, bs: i64):
    require(1 <= g <= 65536)
    require(2 <= bs <= 1024)
    require(g * bs <= 67108864)
    for b in teams(g):
        for t in threads(bs):
            for i in range(b * bs + t, n, g * bs):
                y[i] = x[i]


@kernel
def tiles_in_turn(y: Mut[f64, "n"], x: Ref[f64, "n"], g: i64):
    require(1 <= g <= 65536)
    for b in teams(g):
        for tile in range(b, ceildiv(n, T), g):
            for t in threads(T):
                i = tile * (T - 1) + t
                if i < n:
                    y[i] = x[i]  # error: [KP0401] "data race on `y`: two threads write one element"


@kernel
def tiles_in_turn_safe(y: Mut[f64, "n"], x: Ref[f64, "n"], g: i64):
    require(1 <= g <= 65536)
    for b in teams(g):
        for tile in range(b, ceildiv(n, T), g):
            for t in threads(T):
                i = tile * T + t
                if i < n:
                    y[i] = x[i]


@kernel
def tree_of_any_width(y: Mut[f64, "m"], x: Ref[f64, "m", "w"]):
    require(w >= 1)
    for b in teams(m):
        s = shared(f64, w)
        for t in threads(w):
            s[t] = x[b, t]
        width = w
        while width > 1:
            half = ceildiv(width, 2)
            for t in threads(half):
                s[t] += s[t + half]  # error: [KP0302] "cannot prove that `s[t + half]`"
            width = half
        for t in threads(1):
            y[b] = s[0]


@kernel
def tree_of_any_width_safe(y: Mut[f64, "m"], x: Ref[f64, "m", "w"]):
    require(w >= 1)
    for b in teams(m):
        s = shared(f64, w)
        for t in threads(w):
            s[t] = x[b, t]
        width = w
        while width > 1:
            half = ceildiv(width, 2)
            for t in threads(width // 2):
                s[t] += s[t + half]
            width = half
        for t in threads(1):
            y[b] = s[0]


@kernel
def tree_by_shifts(y: Mut[f64, "m"], x: Ref[f64, "m", "w"]):
    require(w >= 1)
    for b in teams(m):
        s = shared(f64, w)
        for t in threads(w):
            s[t] = x[b, t]
        half = w >> 1
        while half > 0:
            for t in threads(half + 1):
                s[t] += s[t + half]  # error: [KP0302] "cannot prove that `s[t + half]`"
            half >>= 1
        for t in threads(1):
            y[b] = s[0]


@kernel
def tree_by_shifts_safe(y: Mut[f64, "m"], x: Ref[f64, "m", "w"]):
    require(w >= 1)
    for b in teams(m):
        s = shared(f64, w)
        for t in threads(w):
            s[t] = x[b, t]
        half = w >> 1
        while half > 0:
            for t in threads(half):
                s[t] += s[t + half]
            half >>= 1
        for t in threads(1):
            y[b] = s[0]


@kernel
def tree_by_shifts_of_a_constant(y: Mut[f64, "m"], x: Ref[f64, "m", 64]):
    for b in teams(m):
        s = shared(f64, 64)
        for t in threads(64):
            s[t] = x[b, t]
        for step in range(6):
            half = 64 >> step
            for t in threads(64):
                if t < half:
                    s[t] += s[t + half]  # error: [KP0302] "cannot prove that `s[t + half]`"
        for t in threads(1):
            y[b] = s[0]


@kernel
def tree_by_shifts_of_a_constant_safe(y: Mut[f64, "m"], x: Ref[f64, "m", 64]):
    for b in teams(m):
        s = shared(f64, 64)
        for t in threads(64):
            s[t] = x[b, t]
        for step in range(6):
            half = 32 >> step
            for t in threads(64):
                if t < half:
                    s[t] += s[t + half]
        for t in threads(1):
            y[b] = s[0]


@kernel
def scan_with_doubled_distance(y: Out[f64, "m", "w"], x: Ref[f64, "m", "w"]):
    for b in teams(m):
        s = shared(f64, w)
        p = private(f64, threads=(w,), fill=0.0)
        for t in threads(w):
            s[t] = x[b, t]
        d = 1
        while d < w:
            for t in threads(w):
                p[t] = s[t - d] if t >= d - 1 else 0.0  # error: [KP0302] "cannot prove that `s[t - d]`"
            for t in threads(w):
                s[t] += p[t]
            d *= 2
        for t in threads(w):
            y[b, t] = s[t]


@kernel
def scan_with_doubled_distance_safe(y: Out[f64, "m", "w"], x: Ref[f64, "m", "w"]):
    for b in teams(m):
        s = shared(f64, w)
        p = private(f64, threads=(w,), fill=0.0)
        for t in threads(w):
            s[t] = x[b, t]
        d = 1
        while d < w:
            for t in threads(w):
                p[t] = s[t - d] if t >= d else 0.0
            for t in threads(w):
                s[t] += p[t]
            d *= 2
        for t in threads(w):
            y[b, t] = s[t]


@kernel
def upsweep_of_any_width(y: Mut[f64, "m"], x: Ref[f64, "m", "w"]):
    require(w >= 1)
    for b in teams(m):
        s = shared(f64, w)
        for t in threads(w):
            s[t] = x[b, t]
        step = 1
        while step < w:
            for t in threads(w):
                if t % step == 0 and t + step < w:
                    s[t] += s[t + step]  # error: [KP0402] "cannot exclude a data race on `s`"
            step <<= 1
        for t in threads(1):
            y[b] = s[0]


@kernel
def upsweep_of_any_width_safe(y: Mut[f64, "m"], x: Ref[f64, "m", "w"]):
    require(w >= 1)
    for b in teams(m):
        s = shared(f64, w)
        for t in threads(w):
            s[t] = x[b, t]
        step = 1
        while step < w:
            for t in threads(w):
                if t % (2 * step) == 0 and t + step < w:
                    s[t] += s[t + step]
            step <<= 1
        for t in threads(1):
            y[b] = s[0]


@kernel
def doubled_too_early(y: Mut[f64, "n", "m"]):
    for i in parallel(n):
        d = 0
        while d < m:
            y[i, d - 1] += 1.0  # error: [KP0302] "cannot prove that `y[i, d - 1]`"
            d += d


@kernel
def doubled_too_early_safe(y: Mut[f64, "n", "m"]):
    for i in parallel(n):
        d = 1
        while d < m:
            y[i, d - 1] += 1.0
            d += d


@kernel
def halved_upwards(y: Mut[f64, "n", "m"]):
    for i in parallel(n):
        d = m
        while d > 1:
            y[i, d - 1] += 1.0  # error: [KP0302] "cannot prove that `y[i, d - 1]`"
            d = (d + 2) // 2


@kernel
def halved_upwards_safe(y: Mut[f64, "n", "m"]):
    for i in parallel(n):
        d = m
        while d > 1:
            y[i, d - 1] += 1.0
            d = (d + 1) // 2


@kernel
def strides_backwards(y: Mut[f64, "n", "m"], s: i64):
    require(1 <= s <= 65536)
    for i in parallel(n):
        j = m - 1
        while j >= 0 - s:
            y[i, j] += 1.0  # error: [KP0302] "cannot prove that `y[i, j]`"
            j += 0 - s


@kernel
def strides_backwards_safe(y: Mut[f64, "n", "m"], s: i64):
    require(1 <= s <= 65536)
    for i in parallel(n):
        j = m - 1
        while j >= 0:
            y[i, j] += 1.0
            j += 0 - s


@kernel
def halved_to_nothing(y: Mut[f64, "n", "m"]):
    require(m >= 1)
    for i in parallel(n):
        d = m
        for k in range(70):
            y[i, d - 1] += 1.0  # error: [KP0302] "cannot prove that `y[i, d - 1]`"
            d = (d + 0) // 2


@kernel
def halved_to_nothing_safe(y: Mut[f64, "n", "m"]):
    require(m >= 1)
    for i in parallel(n):
        d = m
        for k in range(70):
            y[i, d - 1] += 1.0
            d = (d + 1) // 2


@kernel
def doubled_from_the_start(y: Mut[f64, "n", "m"], s: i64):
    require(1 <= s <= 1024)
    for i in parallel(n):
        d = s
        while d < m:
            y[i, d - s - 1] += 1.0  # error: [KP0302] "cannot prove that `y[i, d - s - 1]`"
            d *= 2


@kernel
def doubled_from_the_start_safe(y: Mut[f64, "n", "m"], s: i64):
    require(1 <= s <= 1024)
    for i in parallel(n):
        d = s
        while d < m:
            y[i, d - s] += 1.0
            d *= 2


@kernel
def stride_that_grows(y: Mut[f64, "n"], p: i64):
    require(1 <= p <= 65536)
    for t in parallel(p):
        i, w = t, p
        while i < n:
            y[i] = 1.0  # error: [KP0302] "cannot prove that `y[i]`"
            i += w
            w -= 1


@kernel
def stride_that_grows_safe(y: Mut[f64, "n"], p: i64):
    require(1 <= p <= 65536)
    for t in parallel(p):
        i, w = t, p
        while i < n:
            y[i] = 1.0
            i += p
            w -= 1


@kernel
def doubling_width(y: Mut[f64, "m", 128]):
    for b in teams(m):
        w = 1
        for _ in range(9):
            for t in threads(w):
                y[b, t] = 1.0  # error: [KP0302] "cannot prove that `y[b, t]`"
            w = w * 2


@kernel
def doubling_width_safe(y: Mut[f64, "m", 128]):
    for b in teams(m):
        w = 1
        for _ in range(8):
            for t in threads(w):
                y[b, t] = 1.0
            w = w * 2
