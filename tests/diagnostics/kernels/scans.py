"""Reductions and scans of a team: steps without a phase between them, strides that miss, ends that nobody writes."""

from kparity.compiler import Mut, Ref, ceildiv, f64, i32, i64, kernel, require, shared, teams, threads

W = 64


@kernel
def tree_in_one_phase(part: Mut[f64, "m"], x: Ref[f64, "m", W]):
    for b in teams(m):
        s = shared(f64, W)
        for t in threads(W):
            s[t] = x[b, t]
        for t in threads(W):
            for k in range(5, -1, -1):
                if t < (1 << k):
                    s[t] += s[t + (1 << k)]  # error: [KP0402] "cannot exclude a data race on `s`"
        for t in threads(1):
            part[b] = s[0]


@kernel
def tree_in_one_phase_safe(part: Mut[f64, "m"], x: Ref[f64, "m", W]):
    for b in teams(m):
        s = shared(f64, W)
        for t in threads(W):
            s[t] = x[b, t]
        for t in threads(W):
            if t < 32:
                s[t] += s[t + 32]
        for t in threads(1):
            part[b] = s[0]


@kernel
def tree_with_a_wrong_half(part: Mut[f64, "m"], x: Ref[f64, "m", W]):
    for b in teams(m):
        s = shared(f64, W)
        for t in threads(W):
            s[t] = x[b, t]
        h = W // 2
        while h > 0:
            for t in threads(W):
                if t <= h:
                    s[t] += s[t + h]  # error: [KP0302] "cannot prove that `s[t + h]` is inside `s`"
            h = h // 2
        for t in threads(1):
            part[b] = s[0]


@kernel
def tree_with_a_wrong_half_safe(part: Mut[f64, "m"], x: Ref[f64, "m", W]):
    for b in teams(m):
        s = shared(f64, W)
        for t in threads(W):
            s[t] = x[b, t]
        h = W // 2
        while h > 0:
            for t in threads(W):
                if t < h:
                    s[t] += s[t + h]
            h = h // 2
        for t in threads(1):
            part[b] = s[0]


@kernel
def tree_with_interleaved_pairs(part: Mut[f64, "m"], x: Ref[f64, "m", W]):
    for b in teams(m):
        s = shared(f64, W)
        for t in threads(W):
            s[t] = x[b, t]
        for t in threads(W):
            if t % 2 == 0 or t % 4 == 1:
                s[t] += s[t + 1]  # error: [KP0401] "data race on `s`"
        for t in threads(1):
            part[b] = s[0]


@kernel
def tree_with_interleaved_pairs_safe(part: Mut[f64, "m"], x: Ref[f64, "m", W]):
    for b in teams(m):
        s = shared(f64, W)
        for t in threads(W):
            s[t] = x[b, t]
        for t in threads(W):
            if t % 2 == 0:
                s[t] += s[t + 1]
        for t in threads(1):
            part[b] = s[0]


@kernel
def tree_reads_before_the_tile_is_full(part: Mut[f64, "m"], x: Ref[f64, "m", W]):
    for b in teams(m):
        s = shared(f64, W)
        for t in threads(W):
            s[t] = x[b, t]  # error: [KP0401] "data race on `s`"
            if t < 32:
                s[t] += s[t + 32]
        for t in threads(1):
            part[b] = s[0]


@kernel
def tree_reads_before_the_tile_is_full_safe(part: Mut[f64, "m"], x: Ref[f64, "m", W]):
    for b in teams(m):
        s = shared(f64, W)
        for t in threads(W):
            s[t] = x[b, t]
            if t < 32:
                s[t] += x[b, t + 32]
        for t in threads(1):
            part[b] = s[0]


@kernel
def last_threads_have_no_data(part: Mut[f64, "m"], x: Ref[f64, "n"]):
    for b in teams(ceildiv(n, W)):
        s = shared(f64, W)
        for t in threads(W):
            if b * W + t < n:
                s[t] = x[b * W + t]
        for t in threads(1):
            if b < m:
                part[b] += s[0] + s[W - 1]  # guard: "s[W - 1]: would be read before it is written if 64*m > n"


@kernel
def last_threads_have_no_data_safe(part: Mut[f64, "m"], x: Ref[f64, "n"]):
    for b in teams(ceildiv(n, W)):
        s = shared(f64, W, fill=0.0)
        for t in threads(W):
            if b * W + t < n:
                s[t] = x[b * W + t]
        for t in threads(1):
            if b < m:
                part[b] += s[0] + s[W - 1]


@kernel
def scan_in_place(y: Mut[f64, "m", W]):
    for b in teams(m):
        s = shared(f64, W)
        r = shared(f64, W)
        for t in threads(W):
            s[t] = y[b, t]
            r[t] = 0.0
        for k in range(6):
            for t in threads(W):
                if t >= (1 << k):
                    s[t] += s[t - (1 << k)]  # error: [KP0402] "cannot exclude a data race on `s`"
            for t in threads(W):
                y[b, t] = r[t]


@kernel
def scan_in_place_safe(y: Mut[f64, "m", W]):
    for b in teams(m):
        s = shared(f64, W)
        r = shared(f64, W)
        for t in threads(W):
            s[t] = y[b, t]
            r[t] = 0.0
        for k in range(6):
            for t in threads(W):
                r[t] = s[t] + s[t - (1 << k)] if t >= (1 << k) else s[t]
            for t in threads(W):
                y[b, t] = r[t]


@kernel
def scan_reaches_below_the_tile(y: Mut[f64, "m", W], step: i64):
    require(step >= 1 and step < W)
    for b in teams(m):
        s = shared(f64, W)
        for t in threads(W):
            s[t] = y[b, t]
        for t in threads(W):
            if t > 0:
                y[b, t] += s[t - step]  # guard: "s[t - step]: smallest index -step + 1 must be >= 0"


@kernel
def scan_reaches_below_the_tile_safe(y: Mut[f64, "m", W], step: i64):
    require(step >= 1 and step < W)
    for b in teams(m):
        s = shared(f64, W)
        for t in threads(W):
            s[t] = y[b, t]
        for t in threads(W):
            if t >= step:
                y[b, t] += s[t - step]


@kernel
def scan_offset_from_the_next_team(y: Mut[f64, "m", W], x: Ref[f64, "m", W], sums: Mut[f64, "m + 1"]):
    for b in teams(m):
        s = shared(f64, W)
        for t in threads(W):
            s[t] = x[b, t]
        for t in threads(1):
            sums[b + 1] = s[0] + s[W - 1]  # error: [KP0401] "data race on `sums`"
        for t in threads(W):
            y[b, t] = s[t] + sums[b]


@kernel
def scan_offset_from_the_next_team_safe(y: Mut[f64, "m", W], x: Ref[f64, "m", W], sums: Mut[f64, "m + 1"]):
    for b in teams(m):
        s = shared(f64, W)
        for t in threads(W):
            s[t] = x[b, t]
        for t in threads(1):
            sums[b + 1] = s[0] + s[W - 1]
        for t in threads(W):
            y[b, t] = s[t] + sums[b + 1]


@kernel
def exclusive_scan_shifts_in_a_phase(y: Mut[i64, "m", W]):
    for b in teams(m):
        s = shared(i64, W + 1, fill=0)
        for t in threads(W):
            s[t] = y[b, t]
        for t in threads(W):
            s[t + 1] = s[t]  # error: [KP0401] "data race on `s`"
        for t in threads(W):
            y[b, t] = s[t]


@kernel
def exclusive_scan_shifts_in_a_phase_safe(y: Mut[i64, "m", W]):
    for b in teams(m):
        s = shared(i64, W + 1, fill=0)
        for t in threads(W):
            s[t] = y[b, t]
        for t in threads(W):
            s[t] = s[t] + 1
        for t in threads(W):
            y[b, t] = s[t]


@kernel
def up_sweep_by_all_threads(y: Mut[i64, "m", W]):
    for b in teams(m):
        s = shared(i64, W)
        for t in threads(W):
            s[t] = y[b, t]
        for t in threads(W):
            # error: [KP0301] "`s[2 * t]` is read past the end"
            # error: [KP0301] "`s[2 * t + 1]`"
            s[2 * t + 1] += s[2 * t]
        for t in threads(W):
            y[b, t] = s[t]


@kernel
def up_sweep_by_all_threads_safe(y: Mut[i64, "m", W]):
    for b in teams(m):
        s = shared(i64, W)
        for t in threads(W):
            s[t] = y[b, t]
        for t in threads(W // 2):
            s[2 * t + 1] += s[2 * t]
        for t in threads(W):
            y[b, t] = s[t]


@kernel
def down_sweep_swaps_with_a_neighbour(y: Mut[i64, "m", W]):
    for b in teams(m):
        s = shared(i64, W)
        for t in threads(W):
            s[t] = y[b, t]
        for t in threads(W // 2):
            left = s[2 * t]
            s[2 * t] = s[2 * t + 2] if t < W // 2 - 1 else 0  # error: [KP0401] "data race on `s`"
            s[2 * t + 1] += left
        for t in threads(W):
            y[b, t] = s[t]


@kernel
def down_sweep_swaps_with_a_neighbour_safe(y: Mut[i64, "m", W]):
    for b in teams(m):
        s = shared(i64, W)
        for t in threads(W):
            s[t] = y[b, t]
        for t in threads(W // 2):
            left = s[2 * t]
            s[2 * t] = s[2 * t + 1]
            s[2 * t + 1] += left
        for t in threads(W):
            y[b, t] = s[t]


@kernel
def strided_partial_sums_overlap(part: Mut[f64, "m"], x: Ref[f64, "m", W]):
    for b in teams(m):
        s = shared(f64, 8)
        for t in threads(8):
            total = 0.0
            for k in range(8):
                total += x[b, 8 * t + k]
            s[t // 2] = total  # error: [KP0401] "data race on `s`: two threads write one element"
        for t in threads(1):
            part[b] = s[0] + s[3]


@kernel
def strided_partial_sums_overlap_safe(part: Mut[f64, "m"], x: Ref[f64, "m", W]):
    for b in teams(m):
        s = shared(f64, 8)
        for t in threads(8):
            total = 0.0
            for k in range(8):
                total += x[b, 8 * t + k]
            s[t] = total
        for t in threads(1):
            part[b] = s[0] + s[7]


@kernel
def maximum_by_plain_compare(best: Mut[f64, "m"], x: Ref[f64, "m", W]):
    for b in teams(m):
        s = shared(f64, 1, fill=0.0)
        for t in threads(W):
            if x[b, t] > s[0]:
                s[0] = x[b, t]  # error: [KP0401] "data race on `s`"
        for t in threads(1):
            best[b] = s[0]


@kernel
def maximum_by_plain_compare_safe(best: Mut[f64, "m"], x: Ref[f64, "m", W]):
    for b in teams(m):
        s = shared(f64, 1, fill=0.0)
        for t in threads(W):
            if t == 0:
                s[0] = x[b, t]
        for t in threads(1):
            best[b] = s[0]


@kernel
def votes_of_a_team(any_: Mut[i32, "m"], x: Ref[f64, "m", W]):
    for b in teams(m):
        hit = shared(i32, 1, fill=0)
        for t in threads(W):
            if x[b, t] > 1.0:
                hit[0] = 1  # error: [KP0401] "data race on `hit`: two threads write one element"
        for t in threads(1):
            any_[b] = hit[0]


@kernel
def votes_of_a_team_safe(any_: Mut[i32, "m"], x: Ref[f64, "m", W]):
    for b in teams(m):
        hit = shared(i32, 1, fill=0, atomic=True)
        for t in threads(W):
            if x[b, t] > 1.0:
                hit[0].exchange(1)
        for t in threads(1):
            any_[b] = hit[0].add(0)


@kernel
def sums_of_all_teams_in_one_place(total: Mut[f64, 1], x: Ref[f64, "m", W]):
    for b in teams(m):
        s = shared(f64, W)
        for t in threads(W):
            s[t] = x[b, t]
        for t in threads(1):
            total[0] += s[0] + s[1]  # error: [KP0401] "data race on `total`"


@kernel
def sums_of_all_teams_in_one_place_safe(total: Mut[f64, 1], x: Ref[f64, "m", W]):
    for b in teams(m):
        s = shared(f64, W)
        for t in threads(W):
            s[t] = x[b, t]
        for t in threads(1):
            if b == 0:
                total[0] += s[0] + s[1]


@kernel
def segment_ends(last: Mut[f64, "m"], x: Ref[f64, "m", W], length: Ref[f64, "m"]):
    for b in teams(m):
        s = shared(f64, W)
        for t in threads(W):
            s[t] = x[b, t]
        for t in threads(1):
            size = i64(length[b])
            # error: [KP0302] "cannot prove that `s[size - 1]` is inside `s`"
            last[b] = s[size - 1] if size <= W else 0.0


@kernel
def segment_ends_safe(last: Mut[f64, "m"], x: Ref[f64, "m", W], length: Ref[f64, "m"]):
    for b in teams(m):
        s = shared(f64, W)
        for t in threads(W):
            s[t] = x[b, t]
        for t in threads(1):
            size = i64(length[b])
            last[b] = s[size - 1] if 1 <= size <= W else 0.0
