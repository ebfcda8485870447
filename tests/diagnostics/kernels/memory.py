"""Memory of a thread or a team: local arrays, private values, device functions that write, loops that leave holes."""

from kparity.compiler import Mut, Ref, f64, i64, kernel, local, parallel, private, reshape, shared, teams, threads


@kernel
def stack_of_a_traversal(y: Mut[f64, "n"], x: Ref[f64, "n", 16]):
    for i in parallel(n):
        stack = local(i64, 8, fill=0)
        depth = 0
        for k in range(16):
            if x[i, k] > 0.0:
                stack[depth] = k  # error: [KP0302] "cannot prove that `stack[depth]` is inside"
                depth += 1
        y[i] = f64(depth)


@kernel
def stack_of_a_traversal_safe(y: Mut[f64, "n"], x: Ref[f64, "n", 16]):
    for i in parallel(n):
        stack = local(i64, 8, fill=0)
        depth = 0
        for k in range(16):
            if x[i, k] > 0.0 and depth < 8:
                stack[depth] = k
                depth += 1
        y[i] = f64(depth)


@kernel
def top_of_an_empty_stack(y: Mut[f64, "n"], x: Ref[f64, "n", 8]):
    for i in parallel(n):
        stack = local(f64, 8, fill=0.0)
        depth = 0
        for k in range(8):
            if x[i, k] > 0.0:
                stack[depth] = x[i, k]
                depth += 1
        y[i] = stack[depth - 1]  # error: [KP0302] "cannot prove that `stack[depth - 1]` is"


@kernel
def top_of_an_empty_stack_safe(y: Mut[f64, "n"], x: Ref[f64, "n", 8]):
    for i in parallel(n):
        stack = local(f64, 8, fill=0.0)
        depth = 0
        for k in range(8):
            if x[i, k] > 0.0:
                stack[depth] = x[i, k]
                depth += 1
        y[i] = stack[max(depth - 1, 0)]


@kernel
def smallest_of_a_window(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        w = local(f64, 5)
        for k in range(5):
            if 0 <= i + k - 2 < n:
                w[k] = x[i + k - 2]
        y[i] = min(w[0], w[4])  # error: [KP0502] "`w[0]` may be read"


@kernel
def smallest_of_a_window_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        w = local(f64, 5, fill=0.0)
        for k in range(5):
            if 0 <= i + k - 2 < n:
                w[k] = x[i + k - 2]
        y[i] = min(w[0], w[4])


@kernel
def insertion_sort_of_a_window(y: Mut[f64, "n"], x: Ref[f64, "n", 5]):
    for i in parallel(n):
        w = local(f64, 5)
        for k in range(5):
            w[k] = x[i, k]
        for k in range(1, 5):
            j = k
            while j >= 0 and w[max(j, 0)] < w[j - 1]:  # error: [KP0301] "`w[j - 1]` is read before the start"
                t = w[max(j, 0)]
                w[max(j, 0)] = w[max(j - 1, 0)]
                w[max(j - 1, 0)] = t
                j -= 1
        y[i] = w[2]


@kernel
def insertion_sort_of_a_window_safe(y: Mut[f64, "n"], x: Ref[f64, "n", 5]):
    for i in parallel(n):
        w = local(f64, 5)
        for k in range(5):
            w[k] = x[i, k]
        for k in range(1, 5):
            j = k
            while j >= 1 and w[max(j, 0)] < w[j - 1]:
                t = w[max(j, 0)]
                w[max(j, 0)] = w[max(j - 1, 0)]
                w[max(j - 1, 0)] = t
                j -= 1
        y[i] = w[2]


@kernel
def lower_half_of_a_small_matrix(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for e in parallel(n):
        a = local(f64, 4, 4)
        for i in range(4):
            for j in range(i):
                a[i, j] = x[e]
        for i in range(4):
            y[e] += a[i, i]  # error: [KP0502] "`a[i, i]` may be read before it is written"


@kernel
def lower_half_of_a_small_matrix_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for e in parallel(n):
        a = local(f64, 4, 4)
        for i in range(4):
            for j in range(i + 1):
                a[i, j] = x[e]
        for i in range(4):
            y[e] += a[i, i]


@kernel
def jacobian_of_an_element(y: Mut[f64, "n"], x: Ref[f64, "n", 8, 3]):
    for e in parallel(n):
        jac = local(f64, 3, 3)
        for d in range(3):
            for c in range(d, 3):
                jac[d, c] = x[e, c, d]
        y[e] = jac[0, 0] * jac[1, 1] - jac[0, 1] * jac[1, 0]  # error: [KP0502] "`jac[1, 0]` may be read"


@kernel
def jacobian_of_an_element_safe(y: Mut[f64, "n"], x: Ref[f64, "n", 8, 3]):
    for e in parallel(n):
        jac = local(f64, 3, 3)
        for d in range(3):
            for c in range(3):
                jac[d, c] = x[e, c, d]
        y[e] = jac[0, 0] * jac[1, 1] - jac[0, 1] * jac[1, 0]


@kernel
def accumulator_never_cleared(y: Mut[f64, "n"], x: Ref[f64, "n", 8]):
    for i in parallel(n):
        s = local(f64, 2)
        for k in range(8):
            s[k % 2] += x[i, k]  # error: [KP0502] "`s[k % 2]` may be read before it is written"
        y[i] = s[0] + s[1]


@kernel
def accumulator_never_cleared_safe(y: Mut[f64, "n"], x: Ref[f64, "n", 8]):
    for i in parallel(n):
        s = local(f64, 2, fill=0.0)
        for k in range(8):
            s[k % 2] += x[i, k]
        y[i] = s[0] + s[1]


@kernel
def while_that_may_not_start(y: Mut[f64, "n"], x: Ref[f64, "n", 8], least: f64):
    for i in parallel(n):
        k = 0
        while k < 8 and x[i, k] < least:
            best = x[i, k]
            k += 1
        y[i] = best  # error: [KP0205] "`best` may be read before it is assigned"


@kernel
def while_that_may_not_start_safe(y: Mut[f64, "n"], x: Ref[f64, "n", 8], least: f64):
    for i in parallel(n):
        k = 0
        best = 0.0
        while k < 8 and x[i, k] < least:
            best = x[i, k]
            k += 1
        y[i] = best


@kernel
def search_without_a_result(y: Mut[f64, "n"], x: Ref[f64, "n", 8]):
    for i in parallel(n):
        found = 8
        for k in range(8):
            if x[i, k] > 1.0:
                found = k
                break
        y[i] = x[i, found]  # error: [KP0302] "`x[i, found]`"


@kernel
def search_without_a_result_safe(y: Mut[f64, "n"], x: Ref[f64, "n", 8]):
    for i in parallel(n):
        found = 0
        for k in range(8):
            if x[i, k] > 1.0:
                found = k
                break
        y[i] = x[i, found]


@kernel
def private_kept_by_another_thread(y: Mut[f64, "m", 32], x: Ref[f64, "m", 32]):
    for b in teams(m):
        keep = private(f64, threads=32)
        for t in threads(32):
            keep[t] = x[b, t]
        for t in threads(32):
            y[b, t] = keep[(t + 1) % 32]  # error: [KP0510] "`keep` is private"


@kernel
def private_kept_by_another_thread_safe(y: Mut[f64, "m", 32], x: Ref[f64, "m", 32]):
    for b in teams(m):
        keep = private(f64, threads=32)
        for t in threads(32):
            keep[t] = x[b, t]
        for t in threads(32):
            y[b, t] = keep[t]


@kernel
def private_never_written_by_some(y: Mut[f64, "m", 32], x: Ref[f64, "m", 32]):
    for b in teams(m):
        keep = private(f64, threads=32)
        for t in threads(32):
            if t < 16:
                keep[t] = x[b, t]
        for t in threads(32):
            y[b, t] = keep[t]  # error: [KP0502] "`keep[t]` may be read before it is written"


@kernel
def private_never_written_by_some_safe(y: Mut[f64, "m", 32], x: Ref[f64, "m", 32]):
    for b in teams(m):
        keep = private(f64, threads=32, fill=0.0)
        for t in threads(32):
            if t < 16:
                keep[t] = x[b, t]
        for t in threads(32):
            y[b, t] = keep[t]


@kernel
def private_items_past_their_end(y: Mut[f64, "m", 128], x: Ref[f64, "m", 128]):
    for b in teams(m):
        item = private(f64, 4, threads=32, fill=0.0)
        for t in threads(32):
            for k in range(1, 5):
                item[t, k] = x[b, 32 * (k % 4) + t]  # error: [KP0301] "`item[t, k]` is written past the end"
        for t in threads(32):
            y[b, t] = item[t, 0]


@kernel
def private_items_past_their_end_safe(y: Mut[f64, "m", 128], x: Ref[f64, "m", 128]):
    for b in teams(m):
        item = private(f64, 4, threads=32, fill=0.0)
        for t in threads(32):
            for k in range(4):
                item[t, k] = x[b, 32 * (k % 4) + t]
        for t in threads(32):
            y[b, t] = item[t, 0]


@kernel
def carry_of_the_last_tile(y: Mut[f64, "m", 32], x: Ref[f64, "m", "q", 32]):
    for b in teams(m):
        carry = shared(f64, 1, fill=0.0)
        for k in range(q):
            for t in threads(32):
                y[b, t] = x[b, k, t] + carry[0]
                if t == 31:
                    carry[0] = y[b, t]  # error: [KP0401] "data race on `carry`"


@kernel
def carry_of_the_last_tile_safe(y: Mut[f64, "m", 32], x: Ref[f64, "m", "q", 32]):
    for b in teams(m):
        carry = shared(f64, 1, fill=0.0)
        for k in range(q):
            for t in threads(32):
                y[b, t] = x[b, k, t] + carry[0]
            for t in threads((31, 32)):
                carry[0] = y[b, t]


@kernel
def shared_of_the_first_iteration(y: Mut[f64, "m", 32], x: Ref[f64, "m", 32], q: i64):
    for b in teams(m):
        s = shared(f64, 32)
        for k in range(q):
            if k > 0:
                for t in threads(32):
                    s[t] = x[b, t]
            for t in threads(32):
                y[b, t] += s[31 - t]  # error: [KP0502] "`s` is `shared`, and `s[31 - t]` may be read"


@kernel
def shared_of_the_first_iteration_safe(y: Mut[f64, "m", 32], x: Ref[f64, "m", 32], q: i64):
    for b in teams(m):
        s = shared(f64, 32)
        for k in range(q):
            if k >= 0:
                for t in threads(32):
                    s[t] = x[b, t]
            for t in threads(32):
                y[b, t] += s[31 - t]


@kernel
def shared_of_one_branch(y: Mut[f64, "m", 32], x: Ref[f64, "m", 32], weight: Ref[f64, "m"]):
    for b in teams(m):
        s = shared(f64, 32)
        if weight[b] > 0.0:
            for t in threads(32):
                s[t] = weight[b] * x[b, t]
        for t in threads(32):
            y[b, t] = s[31 - t]  # error: [KP0502] "`s` is `shared`, and `s[31 - t]` may be read"


@kernel
def shared_of_one_branch_safe(y: Mut[f64, "m", 32], x: Ref[f64, "m", 32], weight: Ref[f64, "m"]):
    for b in teams(m):
        s = shared(f64, 32, fill=0.0)
        if weight[b] > 0.0:
            for t in threads(32):
                s[t] = weight[b] * x[b, t]
        for t in threads(32):
            y[b, t] = s[31 - t]


@kernel
def view_larger_than_its_buffer(y: Mut[f64, "m", 32], x: Ref[f64, "m", 32]):
    for b in teams(m):
        base = shared(f64, 6, 5)
        line = reshape(base, 32)  # error: [KP0302] "`line` does not fit into `base`"
        for t in threads(32):
            line[t] = x[b, t]
        for t in threads(32):
            y[b, t] = line[31 - t]


@kernel
def view_larger_than_its_buffer_safe(y: Mut[f64, "m", 32], x: Ref[f64, "m", 32]):
    for b in teams(m):
        base = shared(f64, 8, 4)
        line = reshape(base, 32)
        for t in threads(32):
            line[t] = x[b, t]
        for t in threads(32):
            y[b, t] = line[31 - t]


@kernel
def view_written_while_its_base_is_read(y: Mut[f64, "m", 32], x: Ref[f64, "m", 32]):
    for b in teams(m):
        base = shared(f64, 8, 4)
        line = reshape(base, 32)
        for r, c in threads(8, 4):
            base[r, c] = x[b, 4 * r + c]
        for t in threads(32):
            line[t] = base[t % 8, t // 8]  # error: [KP0401] "data race on `line`"
        for t in threads(32):
            y[b, t] = line[t]


@kernel
def view_written_while_its_base_is_read_safe(y: Mut[f64, "m", 32], x: Ref[f64, "m", 32]):
    for b in teams(m):
        base = shared(f64, 8, 4)
        line = reshape(base, 32)
        for r, c in threads(8, 4):
            base[r, c] = x[b, 4 * r + c]
        for t in threads(32):
            line[t] = 2.0 * line[t]
        for t in threads(32):
            y[b, t] = line[t]


@kernel
def loop_ends_with_a_thread(y: Mut[f64, "m", 32]):
    for b in teams(m):
        for k in range(4):
            for t in threads(32):
                y[b, t] *= 0.5
                if y[b, t] < 1.0:
                    break  # error: [KP0507] "`break`"


@kernel
def loop_ends_with_a_thread_safe(y: Mut[f64, "m", 32]):
    for b in teams(m):
        for k in range(4):
            for t in threads(32):
                y[b, t] *= 0.5
                if y[b, t] < 1.0:
                    y[b, t] = 1.0
