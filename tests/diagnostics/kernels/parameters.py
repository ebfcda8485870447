"""Structs, tables, packs, layouts, bools and compile-time integers as parameters."""

from kparity.compiler import (
    Atomic,
    Mut,
    Out,
    Pack,
    Ref,
    Static,
    Table,
    f64,
    i64,
    kernel,
    layout,
    parallel,
    program,
    require,
    struct,
)

COEFFS = (0.25, 0.5, 0.25)
OFFSETS = (2, 0, 1)


@struct
class Grid:
    first: i64
    last: i64
    h: f64


@kernel
def table_too_short(y: Mut[f64, "n"], c: Table[f64, 4]):
    for i in parallel(n):
        y[i] = c[i % 5]  # error: [KP0301] "index out of bounds: `c[i % 5]` is read past the end"


@kernel
def table_too_short_safe(y: Mut[f64, "n"], c: Table[f64, 5]):
    for i in parallel(n):
        y[i] = c[i % 5]


@kernel
def table_written(y: Mut[f64, "n"], c: Table[f64, 4]):
    for i in parallel(n):
        c[0] = y[i]  # error: [KP0501] "cannot write to `c`"


@kernel
def table_written_safe(y: Mut[f64, "n"], c: Table[f64, 4]):
    for i in parallel(n):
        y[i] = c[0]


@kernel
def table_of_the_module(y: Mut[f64, "n"]):
    for i in parallel(n):
        y[i] = COEFFS[i % 4]  # error: [KP0301] "index out of bounds: `COEFFS[i % 4]` is read past the end"


@kernel
def table_of_the_module_safe(y: Mut[f64, "n"]):
    for i in parallel(n):
        y[i] = COEFFS[i % 3] + COEFFS[2]


@kernel
def constant_index_beyond_a_table(y: Mut[f64, "n"]):
    for i in parallel(n):
        y[i] = COEFFS[3]  # error: [KP0301] "index out of bounds: `COEFFS[3]` is read past the end"


@kernel
def constant_index_beyond_a_table_safe(y: Mut[f64, "n"]):
    for i in parallel(n):
        y[i] = COEFFS[2]


@kernel
def index_out_of_a_table(y: Mut[f64, "n"], x: Ref[f64, "n + 1"]):
    for i in parallel(n):
        y[i] = x[i + OFFSETS[i % 3]]  # error: [KP0301] "`x[i + OFFSETS[i % 3]]` is read past the end of `x`"


@kernel
def index_out_of_a_table_safe(y: Mut[f64, "n"], x: Ref[f64, "n + 2"]):
    for i in parallel(n):
        y[i] = x[i + OFFSETS[i % 3]]


@kernel
def member_beyond_a_pack(y: Mut[f64, "n"], xs: Pack[Ref[f64, "n"], 3]):
    for i in parallel(n):
        for m in range(4):
            y[i] += xs[m][i]  # error: [KP0301] "`xs[m][i]` is read past the end of `xs`, in dimension 1"


@kernel
def member_beyond_a_pack_safe(y: Mut[f64, "n"], xs: Pack[Ref[f64, "n"], 3]):
    for i in parallel(n):
        for m in range(3):
            y[i] += xs[m][i]


@kernel
def member_chosen_by_data(y: Mut[f64, "n"], xs: Pack[Ref[f64, "n"], 3], which: Mut[i64, "n"]):
    for i in parallel(n):
        y[i] = xs[which[i]][i]  # error: [KP0302] "cannot prove that `xs[which[i]][i]` is inside `xs`"


@kernel
def member_chosen_by_data_safe(y: Mut[f64, "n"], xs: Pack[Ref[f64, "n"], 3], which: Mut[i64, "n"]):
    for i in parallel(n):
        y[i] = xs[min(max(which[i], 0), 2)][i]


@kernel
def threads_meet_in_a_member(ys: Pack[Mut[f64, "n"], 3], x: Ref[f64, "n"]):
    for i in parallel(n):
        ys[i % 3][0] = x[i]  # error: [KP0401] "data race on `ys`"


@kernel
def threads_meet_in_a_member_safe(ys: Pack[Mut[f64, "n"], 3], x: Ref[f64, "n"]):
    for i in parallel(n):
        ys[i % 3][i] = x[i]


@kernel
def read_of_another_members_element(ys: Pack[Mut[f64, "n"], 2]):
    for i in parallel(n):
        ys[0][i] = ys[0][n - 1 - i]  # error: [KP0401] "data race on `ys`"


@kernel
def read_of_another_members_element_safe(ys: Pack[Mut[f64, "n"], 2]):
    for i in parallel(n):
        ys[0][i] = ys[1][n - 1 - i]


@kernel
def lengths_of_another_member(ys: Pack[Mut[f64, "n[]"], 2]):
    for i in parallel(n[1]):
        ys[0][i] = 1.0  # guard: "ys[0][i]: largest index in dimension 2 n[1] - 1 must be < n[0]"


@kernel
def lengths_of_any_member(ys: Pack[Mut[f64, "n[]"], 2]):
    for m in parallel(2):
        for i in range(n[0]):
            ys[m][i] = 1.0  # guard: "ys[m][i]"


@kernel
def lengths_of_any_member_safe(ys: Pack[Mut[f64, "n[]"], 2]):
    for m in parallel(2):
        for i in range(n[m]):
            ys[m][i] = 1.0


@kernel
def length_beyond_a_pack(ys: Pack[Mut[f64, "n[]"], 2]):
    for m in parallel(3):
        for i in range(n[m]):  # error: [KP0301] "index out of bounds: `n[m]` is read past the end of `n`"
            if m < 2:
                ys[m][i] = 1.0


@kernel
def length_beyond_a_pack_safe(ys: Pack[Mut[f64, "n[]"], 2]):
    for m in parallel(3):
        if m < 2:
            for i in range(n[m]):
                ys[m][i] = 1.0


@kernel
def pack_not_covered(
    ys: Pack[Out[f64, "n"], 3],  # error: [KP0503] "`ys` is `Out`, but not proved to be written everywhere"
):
    for m, i in parallel(2, n):
        ys[m][i] = 1.0


@kernel
def pack_not_covered_safe(ys: Pack[Out[f64, "n"], 3]):
    for m, i in parallel(3, n):
        ys[m][i] = 1.0


@kernel
def pack_of_lengths_not_covered(ys: Pack[Out[f64, "n[]"], 2]):
    for i in parallel(n[0]):
        ys[0][i] = 1.0  # guard: "ys: not written everywhere if n[1] >= 1"


@kernel
def pack_of_lengths_not_covered_safe(ys: Pack[Out[f64, "n[]"], 2]):
    for m in parallel(2):
        for i in range(n[m]):
            ys[m][i] = 1.0


@kernel
def whole_pack(y: Mut[f64, "n"], xs: Pack[Ref[f64, "n"], 3]):
    for i in parallel(n):
        y[i] = xs[i]  # error: [KP0102] "`xs[i]`"


@kernel
def whole_pack_safe(y: Mut[f64, "n"], xs: Pack[Ref[f64, "n"], 3]):
    for i in parallel(n):
        y[i] = xs[0][i]


@kernel
def field_as_a_bound(y: Mut[f64, "n"], g: Grid):
    for i in parallel((g.first, g.last)):
        y[i] = g.h  # guard: "smallest index g.first must be >= 0"  # guard: "largest index g.last - 1 must be < n"


@kernel
def misspelled_field(y: Mut[f64, "n"], g: Grid):
    for i in parallel(n):
        y[i] *= g.hh  # error: [KP0103] "unknown name `g.hh`"


@kernel
def misspelled_field_safe(y: Mut[f64, "n"], g: Grid):
    for i in parallel(n):
        y[i] *= g.h


@kernel
def whole_struct(y: Mut[f64, "n"], g: Grid):
    for i in parallel(n):
        y[i] *= g  # error: [KP0102] "the whole struct `g` as a value"


@kernel
def whole_struct_safe(y: Mut[f64, "n"], g: Grid):
    require(g.first >= 0)
    for i in parallel((g.first, n)):
        y[i] *= g.h


@kernel
def columns_race(y: Mut[f64, "n", "m", layout(1, 0)]):
    for i, j in parallel(n, m):
        y[0, j] = 1.0  # error: [KP0401] "data race on `y`"


@kernel
def columns_race_safe(y: Mut[f64, "n", "m", layout(1, 0)]):
    for i, j in parallel(n, m):
        y[i, j] = 1.0


@kernel
def flag_guards(y: Mut[f64, "n"], x: Ref[f64, "n"], shifted: bool):
    for i in parallel(n):
        y[i] = x[i + 1] if shifted else x[i]  # error: [KP0301] "index out of bounds: `x[i + 1]`"


@kernel
def flag_guards_safe(y: Mut[f64, "n"], x: Ref[f64, "n"], shifted: bool):
    for i in parallel(n):
        y[i] = x[i + 1] if shifted and i + 1 < n else x[i]


@kernel
def flags_are_numbers(y: Mut[f64, "n"], shifted: bool):
    for i in parallel(n):
        y[i] = 1.0 + shifted  # error: [KP0201] "a literal cannot change its kind"


@kernel
def flags_are_numbers_safe(y: Mut[f64, "n"], shifted: bool):
    for i in parallel(n):
        y[i] = 1.0 + (1.0 if shifted else 0.0)


@kernel
def atomic_flags(y: Atomic[bool, "n"]):  # error: [KP0105] "`Atomic` array `y` holds `bool`"
    for i in parallel(n):
        y[i].exchange(True)


@kernel
def atomic_flags_safe(y: Atomic[i64, "n"]):
    for i in parallel(n):
        y[i].exchange(1)


@kernel
def width(y: Mut[f64, "n"], T: Static[i64]):
    for i in parallel(n):
        y[i] = f64(T)


@program
def width_not_constant(y: Mut[f64, "n"], t: i64):
    width(y, t)  # error: [KP0702] "`T` of `width` is a compile-time integer"


@program
def width_not_constant_safe(y: Mut[f64, "n"], t: i64):
    width(y, 4)


@program
def pack_of_another_size(xs: Pack[Ref[f64, "n"], 4], y: Mut[f64, "n"]):
    whole_pack_safe(y, xs)  # error: [KP0702] "`xs` does not fit `xs` of `whole_pack_safe`"


@program
def pack_of_another_size_safe(xs: Pack[Ref[f64, "n"], 3], y: Mut[f64, "n"]):
    whole_pack_safe(y, xs)


@kernel
def from_columns(x: Ref[f64, "n", "m", layout(1, 0)], y: Mut[f64, "n", "m"]):
    for i, j in parallel(n, m):
        y[i, j] = x[i, j]


@program
def rows_as_columns(x: Ref[f64, "n", "m"], y: Mut[f64, "n", "m"]):
    from_columns(x, y)  # error: [KP0702] "`x` does not fit `x` of `from_columns`"


@program
def rows_as_columns_safe(x: Ref[f64, "n", "m", layout(1, 0)], y: Mut[f64, "n", "m"]):
    from_columns(x, y)
