"""Stencils: halos one too wide, updates in place, sweeps whose order matters, wrong axes; and the right twin."""

from kparity.compiler import Mut, Out, Ref, Table, f64, i64, kernel, parallel, require

R = 4


@kernel
def heat_on_the_border(new: Mut[f64, "n", "n", "n"], old: Ref[f64, "n", "n", "n"], c: f64):
    for i, j, k in parallel((1, n - 1), (1, n - 1), n):
        new[i, j, k] = old[i, j, k] + c * (
            (old[i + 1, j, k] - 2.0 * old[i, j, k] + old[i - 1, j, k])
            + (old[i, j + 1, k] - 2.0 * old[i, j, k] + old[i, j - 1, k])
            # error: [KP0301] "`old[i, j, k + 1]` is read past the end"
            # error: [KP0301] "`old[i, j, k - 1]` is read before the start"
            + (old[i, j, k + 1] - 2.0 * old[i, j, k] + old[i, j, k - 1])
        )


@kernel
def heat_on_the_border_safe(new: Mut[f64, "n", "n", "n"], old: Ref[f64, "n", "n", "n"], c: f64):
    for i, j, k in parallel((1, n - 1), (1, n - 1), (1, n - 1)):
        new[i, j, k] = old[i, j, k] + c * (
            (old[i + 1, j, k] - 2.0 * old[i, j, k] + old[i - 1, j, k])
            + (old[i, j + 1, k] - 2.0 * old[i, j, k] + old[i, j - 1, k])
            + (old[i, j, k + 1] - 2.0 * old[i, j, k] + old[i, j, k - 1])
        )


@kernel
def jacobi_in_place(a: Mut[f64, "n", "n"], b: Mut[f64, "n", "n"]):
    for i, j in parallel((1, n - 1), (1, n - 1)):
        a[i, j] = 0.25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])  # error: [KP0401] "data race on `a`"


@kernel
def jacobi_in_place_safe(a: Mut[f64, "n", "n"], b: Mut[f64, "n", "n"]):
    for i, j in parallel((1, n - 1), (1, n - 1)):
        b[i, j] = 0.25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])


@kernel
def red_black_without_colour(a: Mut[f64, "n", "n"]):
    for i, j in parallel((1, n - 1), (1, n - 1)):
        if j % 2 == 0:
            # error: [KP0401] "data race on `a`"
            a[i, j] = 0.25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])


@kernel
def red_black_without_colour_safe(a: Mut[f64, "n", "n"]):
    for i, j in parallel((1, n - 1), (1, n - 1)):
        if (i + j) % 2 == 0:
            a[i, j] = 0.25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])


@kernel
def checkerboard_reads_diagonals(a: Mut[f64, "n", "n"]):
    for i, j in parallel((1, n - 1), (1, n - 1)):
        if (i + j) % 2 == 1:
            a[i, j] = 0.5 * (a[i - 1, j - 1] + a[i, j + 1])  # error: [KP0401] "data race on `a`"


@kernel
def checkerboard_reads_diagonals_safe(a: Mut[f64, "n", "n"]):
    for i, j in parallel((1, n - 1), (1, n - 1)):
        if (i + j) % 2 == 1:
            a[i, j] = 0.5 * (a[i - 1, j] + a[i, j + 1])


@kernel
def electric_field_reads_its_neighbour(ey: Mut[f64, "n", "m"], hz: Mut[f64, "n", "m"]):
    for i, j in parallel((1, n), m):
        ey[i, j] -= 0.5 * (hz[i, j] - hz[i - 1, j])
        hz[i, j] -= 0.7 * ey[i, j]  # error: [KP0401] "data race on `hz`"


@kernel
def electric_field_reads_its_neighbour_safe(ey: Mut[f64, "n", "m"], hz: Mut[f64, "n", "m"]):
    for i, j in parallel((1, n), m):
        ey[i, j] -= 0.5 * (hz[i, j] - hz[i - 1, j])
        ey[i, j] *= 0.7


@kernel
def divergence_of_a_face_field(div: Out[f64, "n"], flux: Ref[f64, "n + 1"]):
    for i in parallel(n):
        div[i] = flux[i + 2] - flux[i + 1]  # error: [KP0301] "`flux[i + 2]` is read past the end"


@kernel
def divergence_of_a_face_field_safe(div: Out[f64, "n"], flux: Ref[f64, "n + 1"]):
    for i in parallel(n):
        div[i] = flux[i + 1] - flux[i]


@kernel
def fluxes_to_both_cells(cell: Mut[f64, "n"], flux: Ref[f64, "n"], part: i64):
    require(part >= 0 and part <= 1)
    for f in parallel(n // 2):
        if 2 * f + 1 + part < n:
            cell[2 * f + part] -= flux[f]  # error: [KP0401] "data race on `cell`"
            cell[f + 1 + part] += flux[f]


@kernel
def fluxes_to_both_cells_safe(cell: Mut[f64, "n"], flux: Ref[f64, "n"], part: i64):
    require(part >= 0 and part <= 1)
    for f in parallel(n // 2):
        if 2 * f + 1 + part < n:
            cell[2 * f + part] -= flux[f]
            cell[2 * f + 1 + part] += flux[f]


@kernel
def edges_add_to_their_ends(node: Mut[f64, "n + 1"], edge: Ref[f64, "n"]):
    for e in parallel(n):
        node[e] += 0.5 * edge[e]  # error: [KP0401] "data race on `node`"
        node[e + 1] += 0.5 * edge[e]


@kernel
def edges_add_to_their_ends_safe(node: Mut[f64, "n + 1"], edge: Ref[f64, "n"]):
    for e in parallel(n):
        node[e] += 0.5 * edge[e]


@kernel
def wide_stencil_short_margin(y: Mut[f64, "n"], x: Ref[f64, "n"], w: Table[f64, 9]):
    for i in parallel((R - 1, n - R)):
        for k in range(-R, R + 1):
            y[i] += w[k + R] * x[i + k]  # error: [KP0301] "`x[i + k]` is read before the start"


@kernel
def wide_stencil_short_margin_safe(y: Mut[f64, "n"], x: Ref[f64, "n"], w: Table[f64, 9]):
    for i in parallel((R, n - R)):
        for k in range(-R, R + 1):
            y[i] += w[k + R] * x[i + k]


@kernel
def weights_of_a_wide_stencil(y: Mut[f64, "n"], x: Ref[f64, "n"], w: Table[f64, 8]):
    for i in parallel((R, n - R)):
        for k in range(-R, R + 1):
            y[i] += w[k + R] * x[i + k]  # error: [KP0301] "`w[k + R]` is read past the end"


@kernel
def weights_of_a_wide_stencil_safe(y: Mut[f64, "n"], x: Ref[f64, "n"], w: Table[f64, 8]):
    for i in parallel((R, n - R)):
        for k in range(-R, R):
            y[i] += w[k + R] * x[i + k]


@kernel
def coarse_from_fine(coarse: Out[f64, "n"], fine: Ref[f64, "2*n"]):
    for i in parallel(n):
        # error: [KP0301] "`fine[2 * i + 2]`"
        coarse[i] = 0.25 * (fine[2 * i] + 2.0 * fine[2 * i + 1] + fine[2 * i + 2])


@kernel
def coarse_from_fine_safe(coarse: Out[f64, "n"], fine: Ref[f64, "2*n"]):
    for i in parallel(n):
        coarse[i] = 0.25 * (fine[2 * i] + 2.0 * fine[2 * i + 1] + fine[min(2 * i + 2, 2 * n - 1)])


@kernel
def fine_from_coarse(fine: Mut[f64, "2*n + 1"], coarse: Ref[f64, "n + 1"], n: i64):
    for i in parallel(n):
        fine[2 * i] = coarse[i]
        fine[2 * i + 1] = 0.5 * (coarse[i] + coarse[i + 1])
        fine[2 * i + 2] = coarse[i + 1]  # error: [KP0401] "data race on `fine`: two threads write one element"


@kernel
def fine_from_coarse_safe(fine: Mut[f64, "2*n + 1"], coarse: Ref[f64, "n + 1"], n: i64):
    for i in parallel(n):
        fine[2 * i] = coarse[i]
        fine[2 * i + 1] = 0.5 * (coarse[i] + coarse[i + 1])
        if i == n - 1:
            fine[2 * i + 2] = coarse[i + 1]


@kernel
def boundary_copies_itself(u: Mut[f64, "n", "m"]):
    for i, j in parallel(n, m):
        if i == 0 and n > 1:
            u[i, j] = u[i + 1, (j + 1) % m]
        if i == 1:  # the same row that others read
            u[i, j] = 0.0  # error: [KP0401] "data race on `u`"


@kernel
def boundary_copies_itself_safe(u: Mut[f64, "n", "m"]):
    for i, j in parallel(n, m):
        if i == 0 and n > 1:
            u[i, j] = u[i + 1, (j + 1) % m]
        if i == 2:
            u[i, j] = 0.0


@kernel
def periodic_left(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        left = i - 1 if i > 1 else n
        y[i] = x[left] + x[i]  # error: [KP0301] "`x[left]` is read past the end"


@kernel
def periodic_left_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        left = i - 1 if i > 0 else n - 1
        y[i] = x[left] + x[i]


@kernel
def periodic_in_place(x: Mut[f64, "n"], y: Mut[f64, "n"]):
    for i in parallel(n):
        x[i] = 0.5 * (x[i] + x[(i + 1) % n])  # error: [KP0401] "data race on `x`"


@kernel
def periodic_in_place_safe(x: Mut[f64, "n"], y: Mut[f64, "n"]):
    for i in parallel(n):
        y[i] = 0.5 * (x[i] + x[(i + 1) % n])


@kernel
def wavefront_by_rows(h: Mut[i64, "n", "m"], cost: Ref[i64, "n", "m"]):
    for i in parallel((1, n)):
        for j in range(1, m):
            h[i, j] = min(h[i - 1, j], h[i, j - 1]) + cost[i, j]  # error: [KP0401] "data race on `h`"


@kernel
def wavefront_by_rows_safe(h: Mut[i64, "n", "m"], cost: Ref[i64, "n", "m"]):
    for i in parallel((1, n)):
        for j in range(1, m):
            h[i, j] = min(h[i, j], h[i, j - 1]) + cost[i, j]


@kernel
def wavefront_diagonal(h: Mut[i64, "n", "n"], cost: Ref[i64, "n", "n"], d: i64):
    require(d >= 2 and d < n)
    for i in parallel((1, d)):
        h[i, d - i] = min(h[i - 1, d - i], h[i + 1, d - i - 1]) + cost[i, d - i]  # error: [KP0401] "data race on `h`"


@kernel
def wavefront_diagonal_safe(h: Mut[i64, "n", "n"], cost: Ref[i64, "n", "n"], d: i64):
    require(d >= 2 and d < n)
    for i in parallel((1, d)):
        h[i, d - i] = min(h[i - 1, d - i], h[i, d - i - 1]) + cost[i, d - i]


@kernel
def line_sweep_the_wrong_way(u: Mut[f64, "n", "n"], p: Ref[f64, "n", "n"]):
    for i in parallel((1, n - 1)):
        for j in range(n - 2, 0, -1):
            u[j, i] = p[i, j] * u[j, i + 1]  # error: [KP0401] "data race on `u`"


@kernel
def line_sweep_the_wrong_way_safe(u: Mut[f64, "n", "n"], p: Ref[f64, "n", "n"]):
    for i in parallel((1, n - 1)):
        for j in range(n - 2, 0, -1):
            u[j, i] = p[i, j] * u[j + 1, i]
