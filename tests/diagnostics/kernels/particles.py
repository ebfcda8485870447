"""Particles and cells: neighbours that move meanwhile, cells that overflow, forces on both partners."""

from kparity.compiler import (
    Atomic,
    MinLoc,
    Mut,
    Ref,
    Sum,
    ceildiv,
    f32,
    f64,
    i64,
    kernel,
    parallel,
    require,
    shared,
    struct,
    teams,
    threads,
)


@struct
class Box:
    cells: i64
    origin: f64
    width: f64


@kernel
def forces_on_both_partners(f: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        for j in range(i):
            d = 1.0 / (x[i] - x[j] + 0.001)
            f[i] += d  # error: [KP0401] "data race on `f`"
            f[j] -= d


@kernel
def forces_on_both_partners_safe(f: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        for j in range(i):
            d = 1.0 / (x[i] - x[j] + 0.001)
            f[i] += d
            f[i] -= 2.0 * d


@kernel
def moved_while_others_look(x: Mut[f64, "n"], v: Mut[f64, "n"], dt: f64):
    for i in parallel(n):
        a = 0.0
        for j in range(n):
            a += x[j] - x[i]
        v[i] += dt * a
        x[i] += dt * v[i]  # error: [KP0401] "data race on `x`"


@kernel
def moved_while_others_look_safe(x: Mut[f64, "n"], v: Mut[f64, "n"], dt: f64):
    for i in parallel(n):
        a = 0.0
        for j in range(n):
            a += v[i] - x[i]
        v[i] += dt * a
        x[i] += dt * v[i]


@kernel
def velocities_of_the_same_step(x: Mut[f64, "n", 3], v: Mut[f64, "n", 3], dt: f64):
    for i, d in parallel(n, 3):
        x[i, d] += dt * v[i, d]
        v[i, d] *= 1.0 - 0.1 * v[i, (d + 1) % 3]  # error: [KP0401] "data race on `v`"


@kernel
def velocities_of_the_same_step_safe(x: Mut[f64, "n", 3], v: Mut[f64, "n", 3], dt: f64):
    for i, d in parallel(n, 3):
        x[i, d] += dt * v[i, d]
        v[i, d] *= 1.0 - 0.1 * v[i, d]


@kernel
def cell_of_a_position(cell: Mut[i64, "n"], count: Atomic[i64, "c"], x: Ref[f64, "n"], box: Box):
    for i in parallel(n):
        at = i64((x[i] - box.origin) / box.width)
        cell[i] = at
        if at <= c:
            count[at] += 1  # error: [KP0302] "cannot prove that `count[at]` is inside `count`"


@kernel
def cell_of_a_position_safe(cell: Mut[i64, "n"], count: Atomic[i64, "c"], x: Ref[f64, "n"], box: Box):
    for i in parallel(n):
        at = i64((x[i] - box.origin) / box.width)
        cell[i] = at
        if at >= 0 and at < c:
            count[at] += 1


@kernel
def slots_of_a_full_cell(slot: Atomic[i64, "c", 8], count: Atomic[i64, "c"], cell: Mut[i64, "n"]):
    for i in parallel(n):
        at = cell[i]
        if at >= 0 and at < c:
            k = count[at].add(1)
            if k <= 8:
                slot[at, k].exchange(i)  # error: [KP0302] "cannot prove that `slot[at, k]` is inside `slot`"


@kernel
def slots_of_a_full_cell_safe(slot: Atomic[i64, "c", 8], count: Atomic[i64, "c"], cell: Mut[i64, "n"]):
    for i in parallel(n):
        at = cell[i]
        if at >= 0 and at < c:
            k = count[at].add(1)
            if k >= 0 and k < 8:
                slot[at, k].exchange(i)


@kernel
def neighbouring_cells_in_a_row(y: Mut[f64, "c"], count: Ref[i64, "c"]):
    for a in parallel(c):
        for d in range(-1, 2):
            y[a] += f64(count[a + d])  # error: [KP0301] "`count[a + d]` is read"


@kernel
def neighbouring_cells_in_a_row_safe(y: Mut[f64, "c"], count: Ref[i64, "c"]):
    for a in parallel(c):
        for d in range(-1, 2):
            y[a] += f64(count[min(max(a + d, 0), c - 1)])


@kernel
def neighbouring_cells_of_a_torus(y: Mut[f64, "c", "c"], count: Ref[i64, "c", "c"]):
    for a, b in parallel(c, c):
        for d in range(-1, 2):
            y[a, b] += f64(count[(a + d) % c, b + d])  # error: [KP0302] "`count[(a + d) % c, b + d]`"


@kernel
def neighbouring_cells_of_a_torus_safe(y: Mut[f64, "c", "c"], count: Ref[i64, "c", "c"]):
    for a, b in parallel(c, c):
        for d in range(-1, 2):
            y[a, b] += f64(count[(a + d) % c, (b + d) % c])


@kernel
def items_of_a_cell(y: Mut[f64, "c"], x: Ref[f64, "n"], item: Mut[i64, "c", 8], count: Ref[i64, "c"]):
    for a in parallel(c):
        for k in range(min(count[a], 8)):
            p = item[a, k]
            if p >= 0:
                y[a] += x[p]  # error: [KP0302] "cannot prove that `x[p]` is inside `x`"


@kernel
def items_of_a_cell_safe(y: Mut[f64, "c"], x: Ref[f64, "n"], item: Mut[i64, "c", 8], count: Ref[i64, "c"]):
    for a in parallel(c):
        for k in range(min(count[a], 8)):
            p = item[a, k]
            if p >= 0 and p < n:
                y[a] += x[p]


@kernel
def count_beyond_the_slots(y: Mut[f64, "c"], x: Ref[f64, "c", 8], count: Mut[i64, "c"]):
    for a in parallel(c):
        for k in range(count[a]):
            y[a] += x[a, k]  # error: [KP0302] "cannot prove that `x[a, k]` is inside `x`"


@kernel
def count_beyond_the_slots_safe(y: Mut[f64, "c"], x: Ref[f64, "c", 8], count: Mut[i64, "c"]):
    for a in parallel(c):
        for k in range(min(count[a], 8)):
            y[a] += x[a, k]


@kernel
def density_of_a_box(rho: Mut[f64, "c"], x: Ref[f64, "n"], box: Box):
    for i in parallel(n):
        at = min(max(i64((x[i] - box.origin) / box.width), 0), c - 1)
        if c > 0:
            rho[at] += 1.0  # error: [KP0402] "cannot exclude a data race on `rho`"


@kernel
def density_of_a_box_safe(rho: Mut[f64, "c"], x: Ref[f64, "n"], box: Box):
    for i in parallel(n):
        at = min(max(i64((x[i] - box.origin) / box.width), 0), c - 1)
        if c > 0 and i == 0:
            rho[at] += 1.0


@kernel
def centre_in_another_type(total: Sum[f32], x: Ref[f64, "n"]):
    for i in parallel(n):
        total += x[i]  # error: [KP0202] "`f64` to `f32`"


@kernel
def centre_in_another_type_safe(total: Sum[f32], x: Ref[f64, "n"]):
    for i in parallel(n):
        total += f32(x[i])


@kernel
def nearest_by_hand(best: MinLoc[f64], x: Ref[f64, "n"], at: f64):
    for i in parallel(n):
        best.update(abs(x[i] - at), x[i])  # error: [KP0201] "an integer is needed here, not `f64`"


@kernel
def nearest_by_hand_safe(best: MinLoc[f64], x: Ref[f64, "n"], at: f64):
    for i in parallel(n):
        best.update(abs(x[i] - at), i)


@kernel
def tile_of_partners(f: Mut[f64, "n"], x: Ref[f64, "n"]):
    for b in teams(ceildiv(n, 64)):
        s = shared(f64, 64, fill=0.0)
        for k in range(ceildiv(n, 64)):
            for t in threads(64):
                s[t] = x[k * 64 + t] if k * 64 + t < n else 0.0  # error: [KP0401] "data race on `s`"
                for j in range(64):
                    if b * 64 + t < n:
                        f[b * 64 + t] += s[j]


@kernel
def tile_of_partners_safe(f: Mut[f64, "n"], x: Ref[f64, "n"]):
    for b in teams(ceildiv(n, 64)):
        s = shared(f64, 64, fill=0.0)
        for k in range(ceildiv(n, 64)):
            for t in threads(64):
                s[t] = x[k * 64 + t] if k * 64 + t < n else 0.0
            for t in threads(64):
                for j in range(64):
                    if b * 64 + t < n:
                        f[b * 64 + t] += s[j]


@kernel
def team_of_a_cell_moves_its_items(x: Mut[f64, "n"], v: Ref[f64, "n"], size: i64):
    require(size >= 1 and size <= 64)
    for b in teams(ceildiv(n, size)):
        for t in threads(size + 1):
            if b * size + t < n:
                x[b * size + t] += v[b * size + t]  # error: [KP0401] "data race on `x`"


@kernel
def team_of_a_cell_moves_its_items_safe(x: Mut[f64, "n"], v: Ref[f64, "n"], size: i64):
    require(size >= 1 and size <= 64)
    for b in teams(ceildiv(n, size)):
        for t in threads(size):
            if b * size + t < n:
                x[b * size + t] += v[b * size + t]


@kernel
def compaction_without_an_order(kept: Mut[f64, "n"], x: Ref[f64, "n"], place: Mut[i64, "n"]):
    for i in parallel(n):
        p = place[i]
        if p >= 0 and p < n:
            kept[p] = x[i]  # error: [KP0402] "cannot exclude a data race on `kept`"


@kernel
def compaction_without_an_order_safe(kept: Mut[f64, "n"], x: Ref[f64, "n"], place: Mut[i64, "n"]):
    for i in parallel(n):
        p = place[i]
        if p >= 0 and p < n:
            kept[i] = x[p]


@kernel
def leaving_particles_in_one_slot(out: Mut[f64, 4], x: Ref[f64, "n"], upper: f64):
    for i in parallel(n):
        if x[i] > upper:
            out[i % 4] = x[i]  # error: [KP0401] "data race on `out`: two threads write one element"


@kernel
def leaving_particles_in_one_slot_safe(out: Mut[f64, 4], x: Ref[f64, "n"], upper: f64):
    for i in parallel(n):
        if x[i] > upper and i < 4:
            out[i % 4] = x[i]
