"""Halo exchanges and fields side by side: packs of buffers, tables of offsets, layouts, structs, reducers with bins."""

from kparity.compiler import (
    Mut,
    Out,
    Pack,
    Ref,
    Sum,
    Table,
    f64,
    i64,
    kernel,
    layout,
    parallel,
    shared,
    struct,
    teams,
    threads,
)

OFFSETS = (-1, 0, 1)
FACES = (0, 5, 2, 3, 1, 4)


@struct
class Region:
    first: i64
    last: i64


@kernel
def halo_of_another_direction(cells: Mut[f64, "n"], recv: Pack[Ref[f64, "m"], 6]):
    for i in parallel(min(m, n)):
        for d in range(1, 7):
            cells[i] += recv[d][i]  # error: [KP0301] "`recv[d][i]` is read past the end of `recv`, in dimension 1"


@kernel
def halo_of_another_direction_safe(cells: Mut[f64, "n"], recv: Pack[Ref[f64, "m"], 6]):
    for i in parallel(min(m, n)):
        for d in range(6):
            cells[i] += recv[d][i]


@kernel
def longest_buffer_for_all(send: Pack[Mut[f64, "len[]"], 3], cells: Ref[f64, "n"]):
    for d in parallel(3):
        for i in range(min(len[0], n)):
            send[d][i] = cells[i]  # guard: "send[d][i]"


@kernel
def longest_buffer_for_all_safe(send: Pack[Mut[f64, "len[]"], 3], cells: Ref[f64, "n"]):
    for d in parallel(3):
        for i in range(min(len[d], n)):
            send[d][i] = cells[i]


@kernel
def all_directions_into_one_cell(cells: Mut[f64, "n"], recv: Pack[Ref[f64, "n"], 6]):
    for d, i in parallel(6, n):
        cells[i] += recv[d][i]  # error: [KP0401] "data race on `cells`"


@kernel
def all_directions_into_one_cell_safe(cells: Mut[f64, "n"], recv: Pack[Ref[f64, "n"], 6]):
    for i in parallel(n):
        for d in range(6):
            cells[i] += recv[d][i]


@kernel
def buffers_into_each_other(buf: Pack[Mut[f64, "n"], 2]):
    for i in parallel(n):
        buf[1][i] = buf[1][(i + 1) % n]  # error: [KP0401] "data race on `buf`"


@kernel
def buffers_into_each_other_safe(buf: Pack[Mut[f64, "n"], 2]):
    for i in parallel(n):
        buf[1][i] = buf[0][(i + 1) % n]


@kernel
def fields_by_the_wrong_member(field: Pack[Mut[f64, "n"], 4], x: Ref[f64, "n"]):
    for i, m in parallel(n, 4):
        field[i % 4][m] = x[i]  # error: [KP0401] "data race on `field`"


@kernel
def fields_by_the_wrong_member_safe(field: Pack[Mut[f64, "n"], 4], x: Ref[f64, "n"]):
    for i, m in parallel(n, 4):
        field[m][i] = x[i]


@kernel
def offsets_of_a_stencil_table(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        for k in range(3):
            y[i] += x[i + OFFSETS[k]]  # error: [KP0301] "`x[i + OFFSETS[k]]` is read before the start of `x`"


@kernel
def offsets_of_a_stencil_table_safe(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel((1, n - 1)):
        for k in range(3):
            y[i] += x[i + OFFSETS[k]]


@kernel
def offsets_from_the_caller(y: Mut[f64, "n"], x: Ref[f64, "n"], offset: Table[i64, 3]):
    for i in parallel(n):
        for k in range(3):
            at = i + offset[k]
            if at >= 0:
                y[i] += x[at]  # error: [KP0302] "cannot prove that `x[at]` is inside `x`"


@kernel
def offsets_from_the_caller_safe(y: Mut[f64, "n"], x: Ref[f64, "n"], offset: Table[i64, 3]):
    for i in parallel(n):
        for k in range(3):
            at = i + offset[k]
            if at >= 0 and at < n:
                y[i] += x[at]


@kernel
def permutation_of_faces(y: Mut[f64, "n", 6], x: Ref[f64, "n", 6]):
    for e in parallel(n):
        for f in range(6):
            y[e, f] = x[e, FACES[f + 1]]  # error: [KP0301] "`FACES[f + 1]` is read past the end"


@kernel
def permutation_of_faces_safe(y: Mut[f64, "n", 6], x: Ref[f64, "n", 6]):
    for e in parallel(n):
        for f in range(6):
            y[e, f] = x[e, FACES[f]]


@kernel
def faces_of_a_smaller_element(y: Mut[f64, "n", 5], x: Ref[f64, "n", 5]):
    for e in parallel(n):
        for f in range(5):
            y[e, f] = x[e, FACES[f]]  # error: [KP0301] "`x[e, FACES[f]]` is read past the end"


@kernel
def faces_of_a_smaller_element_safe(y: Mut[f64, "n", 5], x: Ref[f64, "n", 5]):
    for e in parallel(n):
        for f in range(5):
            y[e, f] = x[e, min(FACES[f], 4)]


@kernel
def region_of_a_struct(y: Mut[f64, "n"], x: Ref[f64, "n"], r: Region):
    for i in parallel((r.first, r.last + 1)):
        y[i] = x[i]  # guard: "largest index r.last must be < n" # guard: "smallest index r.first must be >= 0"


@kernel
def region_of_a_struct_safe(y: Mut[f64, "n"], x: Ref[f64, "n"], r: Region):
    for i in parallel((max(r.first, 0), min(r.last, n))):
        y[i] = x[i]


@kernel
def region_written_by_the_kernel(y: Mut[f64, "n"], r: Region):
    for i in parallel(n):
        r.last = 1  # error: [KP0101] "`r.last`"
        y[i] = 1.0


@kernel
def region_written_by_the_kernel_safe(y: Mut[f64, "n"], r: Region):
    for i in parallel(n):
        y[i] = 1.0
        y[i] += f64(r.last)


@kernel
def column_major_planes(y: Mut[f64, "n", "m", layout(1, 0)], x: Ref[f64, "n", "m"]):
    for i, j in parallel(n, m):
        y[i, j - 1] = x[i, j]  # error: [KP0301] "`y[i, j - 1]` is written before the start"


@kernel
def column_major_planes_safe(y: Mut[f64, "n", "m", layout(1, 0)], x: Ref[f64, "n", "m"]):
    for i, j in parallel(n, m):
        y[i, j] = x[i, j]


@kernel
def bins_of_a_reducer(h: Sum[i64, 16], x: Mut[i64, "n"]):
    for i in parallel(n):
        h[x[i]] += 1  # error: [KP0302] "cannot prove that `h[x[i]]` is inside `h`"


@kernel
def bins_of_a_reducer_safe(h: Sum[i64, 16], x: Mut[i64, "n"]):
    for i in parallel(n):
        h[x[i] % 16] += 1


@kernel
def bins_one_too_few(h: Sum[i64, 16], x: Ref[f64, "n"]):
    for i in parallel(n):
        h[min(max(i64(x[i]), 0), 16)] += 1  # error: [KP0302] "`h[min(max(i64(x[i]), 0), 16)]`"


@kernel
def bins_one_too_few_safe(h: Sum[i64, 16], x: Ref[f64, "n"]):
    for i in parallel(n):
        h[min(max(i64(x[i]), 0), 15)] += 1


@kernel
def bins_read_while_they_fill(h: Sum[f64, 16], y: Mut[f64, "n"]):
    for i in parallel(n):
        h[i % 16] += y[i]
        y[i] = h[i % 16]  # error: [KP0504] "reducer `h`"


@kernel
def bins_read_while_they_fill_safe(h: Sum[f64, 16], y: Mut[f64, "n"]):
    for i in parallel(n):
        h[i % 16] += y[i]
        y[i] = 0.0


@kernel
def borrowed_twice_in_a_pack(y: Mut[f64, "n"], xs: Pack[Ref[f64, "n"], 2]):
    for i in parallel(n):
        xs[0][i] = y[i]  # error: [KP0501] "cannot write to `xs`"


@kernel
def borrowed_twice_in_a_pack_safe(y: Mut[f64, "n"], xs: Pack[Ref[f64, "n"], 2]):
    for i in parallel(n):
        y[i] = xs[0][i]


@kernel
def packed_outputs_in_part(ys: Pack[Out[f64, "n"], 3], x: Ref[f64, "n"]):  # error: [KP0503] "`ys` is `Out`"
    for m, i in parallel(3, n - 1):
        ys[m][i] = x[i]


@kernel
def packed_outputs_in_part_safe(ys: Pack[Out[f64, "n"], 3], x: Ref[f64, "n"]):
    for m, i in parallel(3, n):
        ys[m][i] = x[i]


@kernel
def planes_of_a_team(y: Mut[f64, "n", 16], xs: Pack[Ref[f64, "n", 16], 3]):
    for e in teams(n):
        s = shared(f64, 3, 16)
        for m, t in threads(3, 16):
            s[m, t] = xs[m][e, t]
        for m, t in threads(3, 16):
            y[e, t] += s[m, t]  # error: [KP0401] "data race on `y`"


@kernel
def planes_of_a_team_safe(y: Mut[f64, "n", 16], xs: Pack[Ref[f64, "n", 16], 3]):
    for e in teams(n):
        s = shared(f64, 3, 16)
        for m, t in threads(3, 16):
            s[m, t] = xs[m][e, t]
        for t in threads(16):
            for m in range(3):
                y[e, t] += s[m, t]
