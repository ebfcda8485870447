"""Index arithmetic: products in 32 bits, flattened rows, divisors, remainders of negatives, shifts, casts."""

from kparity.compiler import Mut, Ref, ceildiv, f64, i32, i64, kernel, parallel, require, teams, threads, u32, u64

LARGE = 3_000_000_000


@kernel
def thread_number_in_32_bits(y: Mut[f64, "n"]):
    for b in teams(ceildiv(n, 256)):
        for t in threads(256):
            at = i32(b) * 256 + i32(t)
            if at < n:  # guard: "at: must not hold: n >= 2147483649"
                y[at] = 1.0


@kernel
def thread_number_in_32_bits_safe(y: Mut[f64, "n"]):
    for b in teams(ceildiv(n, 256)):
        for t in threads(256):
            at = b * 256 + t
            if at < n:
                y[at] = 1.0


@kernel
def first_of_a_row_by_data(y: Mut[f64, "n"], x: Ref[f64, "m"], row: Mut[i32, "n"], width: i32):
    for i in parallel(n):
        first = i64(row[i]) * width
        if first >= 0:
            y[i] = x[first]  # error: [KP0302] "cannot prove that `x[first]` is inside `x`"


@kernel
def first_of_a_row_by_data_safe(y: Mut[f64, "n"], x: Ref[f64, "m"], row: Mut[i32, "n"], width: i32):
    for i in parallel(n):
        first = i64(row[i]) * width
        if first >= 0 and first < m:
            y[i] = x[first]


@kernel
def first_of_a_row_by_data_in_32_bits(y: Mut[f64, "n"], x: Ref[f64, "m"], row: Mut[i32, "n"], width: i32):
    for i in parallel(n):
        first = row[i] * width
        if 0 < first < m:  # error: [KP0601] "`first` may overflow `i32`"
            y[i] = 1.0


@kernel
def first_of_a_row_by_data_in_32_bits_safe(y: Mut[f64, "n"], x: Ref[f64, "m"], row: Mut[i32, "n"], width: i32):
    for i in parallel(n):
        first = i64(row[i]) * width
        if 0 < first < m:
            y[i] = 1.0


@kernel
def middle_of_two_ends(y: Mut[f64, "n"], x: Ref[f64, "m"], low: Mut[i32, "n"], high: Mut[i32, "n"]):
    for i in parallel(n):
        a, b = i64(low[i]), high[i]
        if a >= 0 and b >= 0 and a < m and b < m:
            y[i] = x[(i32(a) + b) // 2]  # guard: "x[(i32(a) + b) // 2]: must not hold: m >= 1073741825"


@kernel
def middle_of_two_ends_safe(y: Mut[f64, "n"], x: Ref[f64, "m"], low: Mut[i32, "n"], high: Mut[i32, "n"]):
    for i in parallel(n):
        a, b = i64(low[i]), high[i]
        if a >= 0 and b >= 0 and a < m and b < m:
            y[i] = x[(a + b) // 2]


@kernel
def distance_of_two_unsigned(y: Mut[f64, "n"], x: Ref[f64, "n"], back: u32):
    for i in parallel(n):
        at = u32(i) - back
        if at < n:  # guard: "at: largest value n - back - 1 must be <= 4294967295"
            y[i] = x[at]  # guard: "x[at]: smallest index -back must be >= 0"


@kernel
def distance_of_two_unsigned_safe(y: Mut[f64, "n"], x: Ref[f64, "n"], back: u32):
    for i in parallel(n):
        at = i - back
        if 0 <= at < n:
            y[i] = x[at]


@kernel
def backwards_from_unsigned_zero(y: Mut[f64, "n"], x: Ref[f64, "n"], count: u64):
    for i in parallel(n):
        if count - 1 < 8:  # guard: "count - 1"
            y[i] = x[i]


@kernel
def backwards_from_unsigned_zero_safe(y: Mut[f64, "n"], x: Ref[f64, "n"], count: u64):
    for i in parallel(n):
        if count < 8:
            y[i] = x[i]


@kernel
def average_over_an_empty_row(y: Mut[i64, "n"], s: Ref[i64, "n"], start: Ref[i64, "n + 1"]):
    for i in parallel(n):
        y[i] = s[i] // (start[i + 1] - start[i])  # error: [KP0602] "`start[i + 1] - start[i]`"


@kernel
def average_over_an_empty_row_safe(y: Mut[i64, "n"], s: Ref[i64, "n"], start: Ref[i64, "n + 1"]):
    for i in parallel(n):
        y[i] = s[i] // max(start[i + 1] - start[i], 1)


@kernel
def blocks_of_a_size_that_may_be_zero(y: Mut[f64, "n"], x: Ref[f64, "m"], size: i64):
    for i in parallel(n):
        if i // size < m:
            y[i] = x[i // size]  # guard: "x[i // size]: must not hold: n >= 1 and size <= 0"


@kernel
def blocks_of_a_size_that_may_be_zero_safe(y: Mut[f64, "n"], x: Ref[f64, "m"], size: i64):
    for i in parallel(n):
        if i // max(size, 1) < m:
            y[i] = x[i // max(size, 1)]


@kernel
def remainder_of_a_difference(y: Mut[f64, "n"], x: Ref[f64, 16], shift: i64):
    require(shift >= -100 and shift <= 100)
    for i in parallel(n):
        y[i] = x[(i - shift) % 17]  # error: [KP0301] "`x[(i - shift) % 17]` is read past the end"


@kernel
def remainder_of_a_difference_safe(y: Mut[f64, "n"], x: Ref[f64, 16], shift: i64):
    require(shift >= -100 and shift <= 100)
    for i in parallel(n):
        y[i] = x[(i - shift) % 16]


@kernel
def quotient_of_a_difference(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[i] = x[(i - 3) // 4]  # error: [KP0301] "`x[(i - 3) // 4]` is read before the start"


@kernel
def quotient_of_a_difference_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[i] = x[max((i - 3) // 4, 0)]


@kernel
def absolute_distance(y: Mut[f64, "n"], x: Ref[f64, "n"], centre: i64):
    require(centre >= 0 and centre < n)
    for i in parallel(n):
        y[i] = x[abs(i - centre) + 1]  # guard: "must not hold: centre == 0 or (centre >= 1 and n == centre + 1)"


@kernel
def absolute_distance_safe(y: Mut[f64, "n"], x: Ref[f64, "n"], centre: i64):
    require(centre >= 0 and centre < n)
    for i in parallel(n):
        y[i] = x[abs(i - centre)]


@kernel
def absolute_value_of_data(y: Mut[f64, "n"], x: Ref[f64, 256], key: Mut[i32, "n"]):
    for i in parallel(n):
        y[i] = x[abs(key[i])]  # error: [KP0302] "cannot prove that `x[abs(key[i])]` is inside `x`"


@kernel
def absolute_value_of_data_safe(y: Mut[f64, "n"], x: Ref[f64, 256], key: Mut[i32, "n"]):
    for i in parallel(n):
        y[i] = x[abs(key[i] % 256)]


@kernel
def bits_of_a_morton_code(y: Mut[f64, "n"], x: Ref[f64, 64]):
    for i in parallel(n):
        y[i] = x[(i >> 2) & 127]  # error: [KP0301] "`x[(i >> 2) & 127]` is read past the end"


@kernel
def bits_of_a_morton_code_safe(y: Mut[f64, "n"], x: Ref[f64, 64]):
    for i in parallel(n):
        y[i] = x[(i >> 2) & 63]


@kernel
def mask_that_is_no_power_of_two(y: Mut[f64, "n"], x: Ref[f64, 48]):
    for i in parallel(n):
        y[i] = x[i & 48]  # error: [KP0302] "`x[i & 48]`"


@kernel
def mask_that_is_no_power_of_two_safe(y: Mut[f64, "n"], x: Ref[f64, 48]):
    for i in parallel(n):
        y[i] = x[i & 31]


@kernel
def shifted_past_the_end(y: Mut[f64, "n"], x: Ref[f64, 64]):
    for i in parallel(n):
        for k in range(7):
            y[i] += x[1 << k]  # error: [KP0302] "`x[1 << k]`"


@kernel
def shifted_past_the_end_safe(y: Mut[f64, "n"], x: Ref[f64, 64]):
    for i in parallel(n):
        for k in range(7):
            y[i] += x[(1 << k) - 1]


@kernel
def butterfly_partner(y: Mut[f64, "n"], x: Ref[f64, "n"], k: i64):
    for i in parallel(n):
        y[i] = x[i ^ 1]  # error: [KP0302] "cannot prove that `x[i ^ 1]` is inside `x`"


@kernel
def butterfly_partner_safe(y: Mut[f64, "n"], x: Ref[f64, "n"], k: i64):
    for i in parallel(n):
        y[i] = x[i ^ 1] if 0 <= (i ^ 1) < n else 0.0


@kernel
def bit_of_a_word(words: Mut[u32, "m"], x: Ref[f64, "32*m"], m: i64):
    for i in parallel(32 * m):
        if x[i] > 0.0:
            words[i >> 5] |= u32(1) << u32(i & 31)  # error: [KP0401] "data race on `words`"


@kernel
def bit_of_a_word_safe(words: Mut[u32, "m"], x: Ref[f64, "32*m"], m: i64):
    for i in parallel(32 * m):
        if x[i] > 0.0 and i & 31 == 0:
            words[i >> 5] |= u32(1)


@kernel
def float_as_an_index_without_a_test(y: Mut[f64, "n"], x: Ref[f64, "m"], h: f64):
    for i in parallel(n):
        y[i] = x[i64(h * i)]  # error: [KP0302] "cannot prove that `x[i64(h * i)]` is inside `x`"


@kernel
def float_as_an_index_without_a_test_safe(y: Mut[f64, "n"], x: Ref[f64, "m"], h: f64):
    for i in parallel(n):
        y[i] = x[min(max(i64(h * i), 0), m - 1)] if m > 0 else 0.0


@kernel
def literal_beyond_32_bits(y: Mut[f64, "n"], k: Ref[i32, "n"]):
    for i in parallel(n):
        if k[i] < LARGE:  # error: [KP0201] "does not fit into `i32`"
            y[i] = 1.0


@kernel
def literal_beyond_32_bits_safe(y: Mut[f64, "n"], k: Ref[i32, "n"]):
    for i in parallel(n):
        if i64(k[i]) < LARGE:
            y[i] = 1.0


@kernel
def step_from_a_difference(y: Mut[f64, "n"], x: Ref[f64, "n", "m"], first: i64, second: i64):
    require(first >= 0 and first <= m and second >= 0 and second <= m)
    for i in parallel(n):
        # guard: "divisor of 0, m, second - first: smallest value second - first must be >= 1"
        for j in range(0, m, second - first):
            y[i] += x[i, j]


@kernel
def step_from_a_difference_safe(y: Mut[f64, "n"], x: Ref[f64, "n", "m"], first: i64, second: i64):
    require(first >= 0 and first <= m and second >= 0 and second <= m)
    for i in parallel(n):
        for j in range(0, m, max(second - first, 1)):
            y[i] += x[i, j]
