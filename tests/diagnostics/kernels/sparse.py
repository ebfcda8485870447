"""Sparse rows, lists and graphs: ends of rows, columns that data decide, scatters, lists that change."""

from kparity.compiler import Atomic, Mut, Ref, f64, i32, i64, kernel, parallel, shared, teams, threads


@kernel
def row_pointer_past_the_end(y: Mut[f64, "n"], value: Ref[f64, "nz"], start: Ref[i64, "n"]):
    for i in parallel(n):
        for k in range(start[i], start[i + 1]):  # error: [KP0301] "`start[i + 1]` is read past the end"
            y[i] += value[k]


@kernel
def row_pointer_past_the_end_safe(y: Mut[f64, "n"], value: Ref[f64, "nz"], start: Ref[i64, "n"]):
    for i in parallel(n):
        for k in range(start[i], start[i + 1] if i + 1 < n else nz):
            y[i] += value[k]


@kernel
def rows_by_a_changing_pointer(y: Mut[f64, "n"], value: Ref[f64, "nz"], start: Mut[i64, "n + 1"]):
    for i in parallel(n):
        for k in range(start[i], start[i + 1]):
            y[i] += value[k]  # error: [KP0302] "cannot prove that `value[k]` is inside `value`"


@kernel
def rows_by_a_changing_pointer_safe(y: Mut[f64, "n"], value: Ref[f64, "nz"], start: Mut[i64, "n + 1"]):
    for i in parallel(n):
        for k in range(max(start[i], 0), min(start[i + 1], nz)):
            y[i] += value[k]


@kernel
def column_of_a_changing_list(y: Mut[f64, "n"], x: Ref[f64, "m"], column: Mut[i32, "n"]):
    for i in parallel(n):
        c = column[i]
        y[i] = x[c]  # error: [KP0302] "cannot prove that `x[c]` is inside `x`"


@kernel
def column_of_a_changing_list_safe(y: Mut[f64, "n"], x: Ref[f64, "m"], column: Mut[i32, "n"]):
    for i in parallel(n):
        c = column[i]
        y[i] = x[c] if c >= 0 and c < m else 0.0


@kernel
def column_changed_behind_its_test(y: Mut[f64, "n"], x: Ref[f64, "m"], column: Mut[i64, "n"]):
    for i in parallel(n):
        c = column[i]
        if c >= 0 and c < m:
            c += 1
            y[i] = x[c]  # error: [KP0302] "cannot prove that `x[c]` is inside `x`"
            column[i] = c


@kernel
def column_changed_behind_its_test_safe(y: Mut[f64, "n"], x: Ref[f64, "m"], column: Mut[i64, "n"]):
    for i in parallel(n):
        c = column[i]
        if c >= 0 and c < m:
            y[i] = x[c]
            c += 1
            column[i] = c


@kernel
def transposed_product(y: Mut[f64, "m"], value: Ref[f64, "n", 4], column: Mut[i32, "n", 4], x: Ref[f64, "n"]):
    for i in parallel(n):
        for k in range(4):
            # error: [KP0302] "`y[column[i, k]]`"
            # error: [KP0302] "`y[column[i, k]]`"
            y[column[i, k]] += value[i, k] * x[i]


@kernel
def transposed_product_safe(y: Mut[f64, "m"], value: Ref[f64, "n", 4], column: Mut[i32, "n", 4], x: Ref[f64, "n"]):
    for i in parallel(n):
        for k in range(4):
            column[i, k] += 1


@kernel
def transposed_product_tested(y: Mut[f64, "m"], value: Ref[f64, "n", 4], column: Mut[i32, "n", 4], x: Ref[f64, "n"]):
    for i in parallel(n):
        for k in range(4):
            c = i64(column[i, k])
            if c >= 0 and c < m:
                y[c] += value[i, k] * x[i]  # error: [KP0402] "cannot exclude a data race on `y`"


@kernel
def transposed_product_tested_safe(
    y: Mut[f64, "m"], value: Ref[f64, "n", 4], column: Mut[i32, "n", 4], x: Ref[f64, "n"]
):
    for i in parallel(n):
        for k in range(4):
            c = i64(column[i, k])
            if c >= 0 and c < m:
                column[i, k] = i32(k)


@kernel
def scatter_by_atomics(y: Atomic[f64, "m"], x: Ref[f64, "n"], where: Mut[i64, "n"]):
    for i in parallel(n):
        w = where[i]
        if w >= 0 and w <= m:
            y[w] += x[i]  # error: [KP0302] "cannot prove that `y[w]` is inside `y`"


@kernel
def scatter_by_atomics_safe(y: Atomic[f64, "m"], x: Ref[f64, "n"], where: Mut[i64, "n"]):
    for i in parallel(n):
        w = where[i]
        if w >= 0 and w < m:
            y[w] += x[i]


@kernel
def diagonal_read_by_the_rows(x: Mut[f64, "n"], a: Ref[f64, "n", "n"], b: Ref[f64, "n"]):
    for i in parallel(n):
        total = b[i]
        for j in range(n):
            if j < i:
                total -= a[i, j] * x[j]
        x[i] = total  # error: [KP0401] "data race on `x`"


@kernel
def diagonal_read_by_the_rows_safe(x: Mut[f64, "n"], a: Ref[f64, "n", "n"], b: Ref[f64, "n"]):
    for i in parallel(n):
        total = b[i]
        for j in range(n):
            if j == i:
                total -= a[i, j] * x[j]
        x[i] = total


@kernel
def level_of_a_neighbour(level: Mut[i64, "n"], neighbour: Mut[i64, "n", 6], step: i64):
    for i in parallel(n):
        for k in range(6):
            j = neighbour[i, k]
            if j >= 0 and j < n and level[j] == step:
                level[i] = step + 1  # error: [KP0402] "cannot exclude a data race on `level`"


@kernel
def level_of_a_neighbour_safe(level: Mut[i64, "n"], neighbour: Mut[i64, "n", 6], step: i64):
    for i in parallel(n):
        for k in range(6):
            j = neighbour[i, k]
            if j >= 0 and j < n and level[i] == step:
                level[i] = step + 1


@kernel
def visited_without_atomics(visited: Mut[i32, "n"], frontier: Mut[i64, "m"]):
    for f in parallel(m):
        v = frontier[f]
        if v >= 0 and v < n:
            visited[v] = 1  # error: [KP0402] "cannot exclude a data race on `visited`"


@kernel
def visited_without_atomics_safe(visited: Mut[i32, "n"], frontier: Mut[i64, "m"]):
    for f in parallel(m):
        v = frontier[f]
        if v >= 0 and v < n:
            frontier[f] = v + 1


@kernel
def parent_of_parent(parent: Mut[i64, "n"]):
    for i in parallel(n):
        p = parent[i]
        if p >= 0 and p < n:
            parent[i] = parent[p]  # error: [KP0402] "cannot exclude a data race on `parent`"


@kernel
def parent_of_parent_safe(parent: Mut[i64, "n"]):
    for i in parallel(n):
        p = parent[i]
        if p >= 0 and p < n:
            parent[i] = p


@kernel
def list_is_its_own_target(order: Mut[i64, "n"]):
    for i in parallel(n):
        order[i] = order[min(max(order[i], 0), n - 1)]  # error: [KP0402] "cannot exclude a data race on `order`"


@kernel
def list_is_its_own_target_safe(order: Mut[i64, "n"]):
    for i in parallel(n):
        order[i] = min(max(order[i], 0), n - 1)


@kernel
def ell_width_and_rows_swapped(y: Mut[f64, "n"], value: Ref[f64, "w", "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        for k in range(w):
            y[i] += value[i, k] * x[i]  # guard: "value[i, k]" # guard: "value[i, k]"


@kernel
def ell_width_and_rows_swapped_safe(y: Mut[f64, "n"], value: Ref[f64, "w", "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        for k in range(w):
            y[i] += value[k, i] * x[i]


@kernel
def segment_sums_share_their_ends(s: Mut[f64, "m"], x: Ref[f64, "4*m + 1"], m: i64):
    for g in parallel(m):
        for k in range(5):
            if g + k // 4 < m:
                s[g + k // 4] += x[4 * g + k]  # error: [KP0401] "data race on `s`"


@kernel
def segment_sums_share_their_ends_safe(s: Mut[f64, "m"], x: Ref[f64, "4*m + 1"], m: i64):
    for g in parallel(m):
        for k in range(5):
            if g + k // 5 < m:
                s[g + k // 5] += x[4 * g + k]


@kernel
def search_in_a_sorted_row(y: Mut[i64, "n"], key: Ref[i64, "m"], wanted: Ref[i64, "n"]):
    for i in parallel(n):
        low, high = 0, m
        while low < high:
            middle = (low + high) // 2
            if key[middle + 1] < wanted[i]:  # error: [KP0302] "`key[middle + 1]`"
                low = middle + 1
            else:
                high = middle
        y[i] = low


@kernel
def search_in_a_sorted_row_safe(y: Mut[i64, "n"], key: Ref[i64, "m"], wanted: Ref[i64, "n"]):
    for i in parallel(n):
        low, high = 0, m
        while low < high:
            middle = (low + high) // 2
            if 0 <= middle < m and key[middle] < wanted[i]:
                low = middle + 1
            else:
                high = middle
        y[i] = low


@kernel
def linked_list_walk(y: Mut[f64, "n"], next_: Mut[i64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        at = i
        for k in range(4):
            y[i] += x[at]  # error: [KP0302] "cannot prove that `x[at]` is inside `x`"
            at = next_[i]


@kernel
def linked_list_walk_safe(y: Mut[f64, "n"], next_: Mut[i64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        at = i
        for k in range(4):
            y[i] += x[at] if at >= 0 and at < n else 0.0
            at = next_[i]


@kernel
def edge_colours_not_used(force: Mut[f64, "n"], edge: Mut[i64, "m", 2], f: Ref[f64, "m"]):
    for e in parallel(m):
        a, b = edge[e, 0], edge[e, 1]
        if 0 <= a < n and 0 <= b < n:
            force[a] += f[e]  # error: [KP0402] "cannot exclude a data race on `force`"
            force[b] -= f[e]


@kernel
def edge_colours_not_used_safe(force: Mut[f64, "n"], edge: Mut[i64, "m", 2], f: Ref[f64, "m"]):
    for e in parallel(m):
        a, b = edge[e, 0], edge[e, 1]
        if 0 <= a < n and 0 <= b < n:
            edge[e, 0] = b
            edge[e, 1] = a


@kernel
def row_of_a_team(y: Mut[f64, "n"], value: Ref[f64, "n", "w"]):
    for i in teams(n):
        s = shared(f64, 32)
        for t in threads(32):
            s[t] = 0.0
            for k in range(t, w, 32):
                s[t] += value[i, k]
        for t in threads(32):
            y[i] += s[t]  # error: [KP0401] "data race on `y`"


@kernel
def row_of_a_team_safe(y: Mut[f64, "n"], value: Ref[f64, "n", "w"]):
    for i in teams(n):
        s = shared(f64, 32)
        for t in threads(32):
            s[t] = 0.0
            for k in range(t, w, 32):
                s[t] += value[i, k]
        for t in threads(1):
            y[i] += s[t]


@kernel
def row_of_a_team_summed_by_all(y: Mut[f64, "n"], value: Ref[f64, "n", "w"]):
    for i in teams(n):
        s = shared(f64, 1, fill=0.0)
        for t in threads(32):
            for k in range(t, w, 32):
                s[0] += value[i, k]  # error: [KP0401] "data race on `s`"
        for t in threads(1):
            y[i] += s[0]


@kernel
def row_of_a_team_summed_by_all_safe(y: Mut[f64, "n"], value: Ref[f64, "n", "w"]):
    for i in teams(n):
        s = shared(f64, 1, fill=0.0)
        for t in threads(32):
            for k in range(t, w, 32):
                if t == 0:
                    s[0] += value[i, k]
        for t in threads(1):
            y[i] += s[0]
