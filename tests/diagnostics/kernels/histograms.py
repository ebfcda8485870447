"""Counters and histograms: plain updates where threads meet, bins out of range, tickets, resets, merges of copies."""

from kparity.compiler import Atomic, Mut, Ref, ceildiv, f64, i32, i64, kernel, parallel, shared, teams, threads

BINS = 64


@kernel
def counts_by_plain_update(counts: Mut[i64, BINS], x: Ref[i64, "n"]):
    for i in parallel(n):
        counts[i % BINS] += x[i]  # error: [KP0401] "data race on `counts`"


@kernel
def counts_by_plain_update_safe(counts: Mut[i64, BINS], x: Ref[i64, "n"]):
    for i in parallel(min(n, BINS)):
        counts[i % BINS] += x[i]


@kernel
def bin_of_a_negative_value(counts: Atomic[i64, BINS], x: Mut[f64, "n"]):
    for i in parallel(n):
        counts[min(i64(x[i]), BINS - 1)] += 1  # error: [KP0302] "cannot prove that `counts[min(i64(x[i]), BINS - 1)]`"


@kernel
def bin_of_a_negative_value_safe(counts: Atomic[i64, BINS], x: Mut[f64, "n"]):
    for i in parallel(n):
        counts[max(min(i64(x[i]), BINS - 1), 0)] += 1


@kernel
def bin_of_the_largest_value(counts: Atomic[i64, BINS], x: Ref[f64, "n"], low: f64, width: f64):
    for i in parallel(n):
        b = i64((x[i] - low) / width)
        if b >= 0 and b <= BINS:
            counts[b] += 1  # error: [KP0302] "cannot prove that `counts[b]` is inside `counts`"


@kernel
def bin_of_the_largest_value_safe(counts: Atomic[i64, BINS], x: Ref[f64, "n"], low: f64, width: f64):
    for i in parallel(n):
        b = i64((x[i] - low) / width)
        if b >= 0 and b < BINS:
            counts[b] += 1


@kernel
def remainder_as_a_bin(counts: Atomic[i64, BINS], key: Mut[i32, "n"]):
    for i in parallel(n):
        counts[key[i] % (BINS + 1)] += 1  # error: [KP0302] "cannot prove that `counts[key[i] % (BINS + 1)]`"


@kernel
def remainder_as_a_bin_safe(counts: Atomic[i64, BINS], key: Mut[i32, "n"]):
    for i in parallel(n):
        counts[key[i] % BINS] += 1


@kernel
def own_copy_by_thread_number(copies: Mut[i64, 32, BINS], key: Mut[i32, "n"]):
    for i in parallel(n):
        copies[i % 32, key[i] % BINS] += 1  # error: [KP0402] "cannot exclude a data race on `copies`"


@kernel
def own_copy_by_thread_number_safe(copies: Mut[i64, 32, BINS], key: Mut[i32, "n"]):
    for i in parallel(min(n, 32)):
        copies[i % 32, key[i] % BINS] += 1


@kernel
def merge_of_copies(counts: Mut[i64, BINS], copies: Ref[i64, "m", BINS]):
    for c, b in parallel(m, BINS):
        counts[b] += copies[c, b]  # error: [KP0401] "data race on `counts`"


@kernel
def merge_of_copies_safe(counts: Mut[i64, BINS], copies: Ref[i64, "m", BINS]):
    for b in parallel(BINS):
        for c in range(m):
            counts[b] += copies[c, b]


@kernel
def total_next_to_the_bins(counts: Atomic[i64, BINS], total: Mut[i64, 1], key: Ref[i32, "n"]):
    for i in parallel(n):
        counts[key[i] % BINS] += 1
        total[0] += 1  # error: [KP0401] "data race on `total`"


@kernel
def total_next_to_the_bins_safe(counts: Atomic[i64, BINS], total: Mut[i64, 1], key: Ref[i32, "n"]):
    for i in parallel(n):
        counts[key[i] % BINS] += 1
        if i == 0:
            total[0] += n


@kernel
def bins_of_a_team_reset_by_their_users(counts: Atomic[i64, BINS], key: Ref[i32, "n"]):
    for b in teams(ceildiv(n, BINS)):
        own = shared(i64, BINS)
        for t in threads(BINS):
            own[t] = 0  # error: [KP0402] "cannot exclude a data race on `own`"
            if b * BINS + t < n:
                own[key[b * BINS + t] % BINS] += 1
        for t in threads(BINS):
            counts[t] += own[t]


@kernel
def bins_of_a_team_reset_by_their_users_safe(counts: Atomic[i64, BINS], key: Ref[i32, "n"]):
    for b in teams(ceildiv(n, BINS)):
        own = shared(i64, BINS, atomic=True, fill=0)
        for t in threads(BINS):
            if b * BINS + t < n:
                own[key[b * BINS + t] % BINS] += 1
        for t in threads(BINS):
            counts[t] += own[t].add(0)


@kernel
def bins_reset_between_two_uses(seen: Mut[i64, "m", BINS], key: Ref[i32, "m", BINS]):
    for b in teams(m):
        own = shared(i64, BINS, fill=0)
        for t in threads(BINS):
            own[t] = key[b, t]
        for t in threads(BINS):
            seen[b, t] = own[BINS - 1 - t]
            own[t] = 0  # error: [KP0401] "data race on `own`"


@kernel
def bins_reset_between_two_uses_safe(seen: Mut[i64, "m", BINS], key: Ref[i32, "m", BINS]):
    for b in teams(m):
        own = shared(i64, BINS, fill=0)
        for t in threads(BINS):
            own[t] = key[b, t]
        for t in threads(BINS):
            seen[b, t] = own[BINS - 1 - t]
            own[BINS - 1 - t] = 0


@kernel
def more_bins_than_memory(counts: Atomic[i64, BINS], key: Ref[f64, "n"]):
    for b in teams(ceildiv(n, 256)):
        own = shared(i64, BINS, atomic=True, fill=0)
        for t in threads(256):
            if b * 256 + t < n:
                # error: [KP0302] "cannot prove that `own[i64(key[b * 256 + t]) % 256]` is inside `own`"
                own[i64(key[b * 256 + t]) % 256] += 1
        for t in threads(BINS):
            counts[t] += own[t].add(0)


@kernel
def more_bins_than_memory_safe(counts: Atomic[i64, BINS], key: Ref[f64, "n"]):
    for b in teams(ceildiv(n, 256)):
        own = shared(i64, BINS, atomic=True, fill=0)
        for t in threads(256):
            if b * 256 + t < n:
                own[i64(key[b * 256 + t]) % BINS] += 1
        for t in threads(BINS):
            counts[t] += own[t].add(0)


@kernel
def merge_by_more_threads_than_bins(counts: Atomic[i64, BINS], key: Ref[i32, "n"]):
    for b in teams(ceildiv(n, 256)):
        own = shared(i64, BINS, atomic=True, fill=0)
        for t in threads(256):
            if b * 256 + t < n:
                own[key[b * 256 + t] % BINS] += 1
        for t in threads(256):
            # error: [KP0301] "`own[t]` is updated past the end"
            # error: [KP0301] "`counts[t]`"
            counts[t] += own[t].add(0)


@kernel
def merge_by_more_threads_than_bins_safe(counts: Atomic[i64, BINS], key: Ref[i32, "n"]):
    for b in teams(ceildiv(n, 256)):
        own = shared(i64, BINS, atomic=True, fill=0)
        for t in threads(256):
            if b * 256 + t < n:
                own[key[b * 256 + t] % BINS] += 1
        for t in threads(BINS):
            counts[t] += own[t].add(0)


@kernel
def plain_read_of_a_teams_counter(y: Mut[i64, "m"], x: Ref[f64, "m", 32]):
    for b in teams(m):
        hits = shared(i64, 1, atomic=True, fill=0)
        for t in threads(32):
            if x[b, t] > 0.0:
                hits[0] += 1
        for t in threads(1):
            y[b] = hits[0]  # error: [KP0506] "`hits` is declared `atomic`"


@kernel
def plain_read_of_a_teams_counter_safe(y: Mut[i64, "m"], x: Ref[f64, "m", 32]):
    for b in teams(m):
        hits = shared(i64, 1, atomic=True, fill=0)
        for t in threads(32):
            if x[b, t] > 0.0:
                hits[0] += 1
        for t in threads(1):
            y[b] = hits[0].add(0)


@kernel
def kept_items_in_ticket_order(kept: Mut[f64, "n"], next_: Atomic[i64, 1], x: Ref[f64, "n"]):
    for i in parallel(n):
        if x[i] > 0.0:
            place = next_[0].add(1)
            if 0 <= place < n:
                kept[place] = x[i]  # error: [KP0402] "cannot exclude a data race on `kept`"


@kernel
def kept_items_in_ticket_order_safe(kept: Mut[f64, "n"], next_: Atomic[i64, 1], x: Ref[f64, "n"]):
    for i in parallel(n):
        if x[i] > 0.0:
            place = next_[0].add(1)
            if 0 <= place < n:
                kept[i] = x[i]


@kernel
def ticket_of_a_team(kept: Mut[f64, "m", 32], x: Ref[f64, "m", 32]):
    for b in teams(m):
        next_ = shared(i64, 1, atomic=True, fill=0)
        for t in threads(32):
            place = next_[0].add(1)
            if place <= 32:
                kept[b, place] = x[b, t]  # error: [KP0302] "cannot prove that `kept[b, place]`"


@kernel
def ticket_of_a_team_safe(kept: Mut[f64, "m", 32], x: Ref[f64, "m", 32]):
    for b in teams(m):
        next_ = shared(i64, 1, atomic=True, fill=0)
        for t in threads(32):
            place = next_[0].add(1)
            if place <= 32:
                kept[b, t] = x[b, t]


@kernel
def lock_by_compare_exchange(total: Mut[f64, 1], lock: Atomic[i32, 1], x: Ref[f64, "n"]):
    for i in parallel(n):
        if lock[0].compare_exchange(0, 1) == 0:
            total[0] += x[i]  # error: [KP0401] "data race on `total`"
            lock[0].exchange(0)


@kernel
def lock_by_compare_exchange_safe(total: Mut[f64, 1], lock: Atomic[i32, 1], x: Ref[f64, "n"]):
    for i in parallel(n):
        if lock[0].compare_exchange(0, 1) == 0:
            lock[0].max(0)
            lock[0].exchange(0)


@kernel
def publish_behind_a_flag(data: Mut[f64, "n"], ready: Atomic[i32, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        data[i] = x[i]  # error: [KP0401] "data race on `data`"
        ready[i].exchange(1)
        if i > 0 and ready[i - 1].add(0) == 1:
            data[i] += data[i - 1]


@kernel
def publish_behind_a_flag_safe(data: Mut[f64, "n"], ready: Atomic[i32, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        data[i] = x[i]
        ready[i].exchange(1)
        if i > 0 and ready[i - 1].add(0) == 1:
            data[i] += x[i - 1]


@kernel
def last_team_adds_up(total: Mut[f64, 1], part: Mut[f64, "m"], done: Atomic[i64, 1], x: Ref[f64, "m", 32]):
    for b in teams(m):
        for t in threads(1):
            part[b] = x[b, 0] + x[b, 31]  # error: [KP0401] "data race on `part`"
            if done[0].add(1) == m - 1:
                for k in range(m):
                    total[0] += part[k]  # error: [KP0401] "data race on `total`"


@kernel
def last_team_adds_up_safe(total: Mut[f64, 1], part: Mut[f64, "m"], done: Atomic[i64, 1], x: Ref[f64, "m", 32]):
    for b in teams(m):
        for t in threads(1):
            part[b] = x[b, 0] + x[b, 31]
            if done[0].add(1) == m - 1:
                for k in range(b, b + 1):
                    part[k] += x[k, 1]


@kernel
def swap_by_exchange(y: Atomic[i64, "n"], order: Mut[i64, "n"]):
    for i in parallel(n):
        order[i] = y[order[i]].exchange(i)  # error: [KP0302] "cannot prove that `y[order[i]]` is inside `y`"


@kernel
def swap_by_exchange_safe(y: Atomic[i64, "n"], order: Mut[i64, "n"]):
    for i in parallel(n):
        order[i] = y[i].exchange(i)
