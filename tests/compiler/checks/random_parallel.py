"""Random `parallel` kernels, as source text: most of them faulty, many of them nearly right."""

from __future__ import annotations

from . import choices as st
from .choices import DrawFn

ARRAYS = {1: ("x", "y", "z"), 2: ("x", "y"), 3: ("x", "y")}
SHAPES = {
    1: ['"n"', '"n"', '"n + 1"'], 2: ['"n", "m"', '"n", "m"', '"m", "n"', '"n", 4'],
    3: ['"n", "m", 3', '"n", "m", 3', '"n", "m", "m"', '3, "n", "m"'],
}  # fmt: skip
REQUIREMENTS = ["s >= 0", "s == 1", "s >= 1", "s >= 1", "n >= 2", "t >= 0", "0 <= s and s < n", "m == n"]
RANGES = {
    1: ["n", "n", "n", "n - 1", "(1, n)", "(1, n - 1)", "(n + 1) // 2", "(s, n)", "n - s", "min(n, s)"],
    2: ["n, m", "n, m", "n, m", "m, n", "(1, n), m", "n, (1, m)", "n - 1, m - 1", "n, 4", "n, min(m, s)"],
    3: ["n, m, 3", "n, m, 3", "n, m, 3", "n, (1, m), 3", "n, m, m", "(1, n), m, 2", "n - 1, m, s"],
}
WITHIN = {  # ranges that stay inside of a shape
    '"n", "m"': ["n, m", "(1, n), m", "n - 1, m - 1", "n, (1, m)"], '"m", "n"': ["m, n", "m - 1, n"],
    '"n", 4': ["n, 4", "n, min(4, s)"], '3, "n", "m"': ["3, n, m", "3, (1, n), m"],
    '"n", "m", 3': ["n, m, 3", "n, (1, m), 3", "(1, n), m, 2", "n - 1, m, min(s, 3)"],
    '"n", "m", "m"': ["n, m, m", "n, (1, m), m"],
}  # fmt: skip
LOOPS = [
    "2", "n", "1, n", "m", "s", "i, n", "0, n, 2", "n - 1, -1, -1", "3, 0, -2", "i", "min(q[i], 5)", "i, n, s",
    "i, n, 2", "0, n, s",
]  # fmt: skip
VALUES = ["{v}", "{v} + 1.0", "2.0", "{v} if {c} else 0.0", "f64({i} // 2)", "f64({i} % 3)"]


@st.composite
def kernel_text(draw: DrawFn, dims: int) -> str:
    """A kernel with one to three statements, over one to three thread indices."""
    borrows = {name: draw(st.sampled_from(["Mut"] * 8 + ["Ref"] * 7 + ["Out"])) for name in ARRAYS[dims]}
    borrows["x"] = draw(st.sampled_from(["Mut"] * 11 + ["Out"]))
    shape = draw(st.sampled_from(SHAPES[dims]))
    parameters = [f"{name}: {borrow}[f64, {shape}]" for name, borrow in borrows.items()]
    parameters += [f"w: Atomic[f64, {shape}]", f"u: Atomic[i32, {shape}]"]
    parameters += [
        'd: Ref[f64, "n"]',
        'q: Ref[i32, "n"]',
        'p: Ref[i64, "n", 2]',
        'mm: Ref[f64, "n", "m"]',
        "s: i64",
        "t: i32",
    ]
    parameters += ["total: Sum[f64]", "least: MinLoc[f64]", 'bins: Sum[i64, "n"]']
    inside = WITHIN.get(shape, ["n", "n", "n - 1", "(1, n)", "(n + 1) // 2"])
    if "Out" in borrows.values():
        inside = inside[:1]
    ranges = draw(st.sampled_from(inside if draw(st.integers(0, 8)) else RANGES[dims]))
    lines = [f"def k({', '.join(parameters)}):"]
    if draw(st.integers(0, 3)) == 0:
        lines.append(f"    require({draw(st.sampled_from(REQUIREMENTS))})")
    indices = ["i", "j", "h"][:dims]
    lines.append(f"    for {', '.join(indices)} in parallel({ranges}):")
    for _ in range(draw(st.integers(1, 2))):
        lines += draw(_statement(borrows, dims, indices, 2, 2))
    if draw(st.integers(0, 15)):  # make coverage likely
        lines += [f"        {n}[{', '.join(indices)}] = 1.0" for n, b in borrows.items() if b == "Out"]
    return "\n".join(lines)


@st.composite
def _index(draw: DrawFn, names: list[str], own: str) -> str:
    """An index around `own`, most often right."""
    other = draw(st.sampled_from(names))
    return draw(
        st.sampled_from(
            [
                own, own, own, own, own, f"{own} + 1", f"{own} - 1", f"{own} + s", other, f"2 * {own}",
                "0", f"n - 1 - {own}", f"{own} // 2", f"({own} + 1) % n", f"min({own} + 1, n - 1)",
                f"max({own} - s, 0)", f"{own} + t", f"{own} % 3", f"abs({own} - 2)",
                f"({own} + 1 if {own} + 1 < n else 0)", f"{own} + {other}", "s",
                f"({own} - 3) // 2", f"({own} - s) % 4", "min(max(q[i], 0), n - 1)", "q[i]", f"{own} + n // 2",
            ]
        )
    )  # fmt: skip


@st.composite
def _condition(draw: DrawFn, names: list[str]) -> str:
    i = draw(st.sampled_from(names))
    return draw(
        st.sampled_from(
            [
                f"{i} + 1 < n", f"{i} > 0", f"{i} < n - 1 and {i} >= 1", f"{i} % 2 == 0", f"{i} == 0", "s > 0",
                "d[i] > 0.0", f"{i} + 1 < n and d[{i} + 1] > 0.0", f"d[{i}] > 0.0 or {i} == 1", f"not {i} < 2", "n > 2",
                f"{i} != s", f"2 * {i} < n", "q[i] >= 0 and q[i] < n", f"{i} + t < n and {i} + t >= 0", f"t * 2 > {i}",
                f"0 <= {i} + s < n", f"{i} < s",
            ]
        )
    )  # fmt: skip


def _element(draw: DrawFn, name: str, dims: int, names: list[str], right: bool) -> str:
    own = names[:dims]
    index = [o if right else draw(_index(names, o)) for o in own]
    return f"{name}[{', '.join(index)}]"


@st.composite
def _statement(
    draw: DrawFn, borrows: dict[str, str], dims: int, names: list[str], depth: int, indent: int
) -> list[str]:
    pad = "    " * indent
    kind = draw(
        st.sampled_from(
            ["store", "store", "store", "if", "for", "for", "for", "local", "count", "atomic", "while", "while",
             "buffer", "buffer", "list", "list", "stride", "stride", "reduce", "reduce", "reduce", "reduce", "atomic"]
        )
    )  # fmt: skip
    if depth == 0 or kind == "store":
        return [pad + line for line in draw(_store(borrows, dims, names))]
    if kind == "stride":
        return [pad + line for line in draw(_strided(borrows, dims, names))]
    if kind == "reduce":
        return [pad + line for line in draw(_contribution(borrows, dims, names))]
    if kind == "while":
        return draw(_while(borrows, dims, names, depth, indent))
    if kind == "buffer":
        return [pad + line for line in draw(_buffer(borrows, dims, names, depth))]
    if kind == "atomic":
        return [pad + line for line in draw(_atomic(borrows, dims, names))]
    if kind == "list":
        return [
            pad + line for line in draw((_listed if draw(st.booleans()) else _through_a_list)(borrows, dims, names))
        ]
    if kind == "if":
        lines = [f"{pad}if {draw(_condition(names))}:", *draw(_statement(borrows, dims, names, depth - 1, indent + 1))]
        if draw(st.booleans()):
            lines += [f"{pad}else:", *draw(_statement(borrows, dims, names, depth - 1, indent + 1))]
        return lines
    if kind == "local":
        i = draw(st.sampled_from(names))
        name = f"k{depth}"
        value = draw(st.sampled_from([f"{i} + 1", f"{i}", f"{i} - s", f"{i} * 2", f"{i} // 2"]))
        lines = [f"{pad}{name} = {value}"]
        if draw(st.booleans()):
            other = draw(st.sampled_from([i, "0", f"{name} - 1"]))
            lines += [f"{pad}if {draw(_condition(names))}:", f"{pad}    {name} = {other}"]
        return lines + draw(_statement(borrows, dims, [*names, name], depth - 1, indent))
    loop = f"j{depth}"
    range_ = draw(st.sampled_from(LOOPS))
    if kind == "count":
        name, start = f"c{depth}", draw(st.sampled_from(["0", "i", "s", "n"]))
        step = draw(st.sampled_from(["+= 1", "+= 2", "-= 1", "//= 2", "+= s", "*= 2", ">>= 1"]))
        inner = draw(_statement(borrows, dims, [*names, loop, name], depth - 1, indent + 1))
        maybe = draw(st.booleans())
        update = [f"{pad}    {name} {step}"]
        if maybe:
            update = [f"{pad}    if {draw(_condition(names))}:", f"{pad}        {name} {step}"]
        body = [*inner, *update] if draw(st.booleans()) else [*update, *inner]
        after = draw(_statement(borrows, dims, [*names, name], 0, indent)) if draw(st.booleans()) else []
        return [f"{pad}{name} = {start} + 0", f"{pad}for {loop} in range({range_}):", *body, *after]
    body = draw(_statement(borrows, dims, [*names, loop], depth - 1, indent + 1))
    return [f"{pad}for {loop} in range({range_}):", *draw(_with_jump(body, [*names, loop], indent + 1))]


@st.composite
def _with_jump(draw: DrawFn, body: list[str], names: list[str], indent: int) -> list[str]:
    """A loop's body, often with a way out, before or behind the rest."""
    pad = "    " * indent
    if draw(st.integers(0, 2)) == 0:
        return body
    leave = draw(st.sampled_from(["break", "continue", "continue"]))
    jump = [f"{pad}if {draw(_condition(names))}:", f"{pad}    {leave}"]
    return [*jump, *body] if draw(st.booleans()) else [*body, *jump]


@st.composite
def _while(draw: DrawFn, borrows: dict[str, str], dims: int, names: list[str], depth: int, indent: int) -> list[str]:
    """A loop over a counter that goes up or down, or nowhere, to a limit that it may miss."""
    pad, v = "    " * indent, f"v{depth}"
    start = draw(st.sampled_from(["0", "0", "i", "i", "s", "n - 1", "n", "q[i]"]))
    limits = {
        "+= 1": [f"{v} < n", f"{v} + 1 < n", f"{v} <= i", f"{v} < n and d[{v}] > 0.0", f"{v} != s", f"{v} < s"],
        "-= 1": [f"{v} > 0", f"{v} >= 0", f"{v} > i", f"0 < {v} and d[{v}] > 0.0", f"{v} != 0"],
        "+= 2": [f"{v} < n", f"{v} + 1 < n", f"{v} != n"],
        "//= 2": [f"{v} > 0", f"{v} > 1"],
        "= s": [f"{v} < n and {v} >= 0"],
        "+= s": [f"{v} < n", f"{v} < n and {v} >= 0", f"{v} != n"],
        f"= {v} + s * m": [f"{v} < n"],
        "*= 2": [f"{v} < n", f"{v} < 9 and {v} > 0", f"0 < {v} < n"],
        "<<= 1": [f"{v} < n and {v} > 0", f"{v} < 8"],
        ">>= 1": [f"{v} > 0", f"{v} >= 2"],
        f"= ({v} + 1) // 2": [f"{v} > 1", f"{v} > 0 and d[{v}] > 0.0"],
    }
    step = draw(st.sampled_from(list(limits)))
    if step in ("*= 2", "<<= 1"):
        start = draw(st.sampled_from(["1", "1", start]))
    limit = draw(st.sampled_from([*limits[step], "True"]))
    inner = draw(_statement(borrows, dims, [*names, v], depth - 1, indent + 1))
    update = [f"{pad}    {v} {step}"]
    if draw(st.integers(0, 3)) == 0:
        update = [f"{pad}    if {draw(_condition([*names, v]))}:", f"{pad}        {v} {step}"]
    body = [*draw(_with_jump(inner, [*names, v], indent + 1)), *update] if draw(st.booleans()) else [*update, *inner]
    if limit == "True":
        stop = draw(st.sampled_from(limits[step]))
        body = [f"{pad}    if not ({stop}):", f"{pad}        break", *body]
    after = draw(_statement(borrows, dims, [*names, v], 0, indent)) if draw(st.booleans()) else []
    return [f"{pad}{v} = i64({start}) + 0", f"{pad}while {limit}:", *body, *after]


@st.composite
def _buffer(draw: DrawFn, borrows: dict[str, str], dims: int, names: list[str], depth: int) -> list[str]:
    """A local array: written in a loop, under a condition, or through a counter; then read."""
    b, i = f"b{draw(st.integers(0, 10**6))}", draw(st.sampled_from(names))

    def pick(*words: str) -> str:
        return str(draw(st.sampled_from(words)))

    fill, condition = pick("", ", fill=0.5", ", fill=0.5"), draw(_condition([*names, "l"]))
    forms = [
        [f"for l in range({pick('4', '3', '5', 'min(n, 4)')}):", f"    {b}[l] = d[i]"],
        [f"if {draw(_condition(names))}:", f"    {b}[0] = 1.0", "else:", f"    {b}[0] = 2.0"],
        [f"c{depth} = 0", "for l in range(4):", f"    if {condition}:", f"        {b}[c{depth}] = d[i]",
         f"        c{depth} += 1"],
        [f"r = {pick('0', '1', 's')} + 0", f"while r < {pick('4', '5', 'n')}:", f"    {b}[r] = 1.0",
         f"    if {draw(_condition([*names, 'r']))}:", f"        {b}[r] = {b}[r] + {b}[max(r - 1, 0)]", "    r += 1"],
        ["for l in range(4):", f"    if {condition}:", f"        {pick('break', 'continue')}", f"    {b}[l] = 1.0"],
    ]  # fmt: skip
    target = draw(st.sampled_from([n for n, x in borrows.items() if x != "Ref"]))
    place = draw(st.sampled_from(["0", "0", "3", "3", "4", "i % 4", f"min(max({i}, 0), 3)", i]))
    lines = [f"{b} = local(f64, 4{fill})", *draw(st.sampled_from(forms))]
    return [*lines, f"{_element(draw, target, dims, names, True)} = {b}[{place}]"]


@st.composite
def _store(draw: DrawFn, borrows: dict[str, str], dims: int, names: list[str]) -> list[str]:
    writable = [n for n, b in borrows.items() if b != "Ref"]
    target = draw(st.sampled_from(writable))
    source = draw(st.sampled_from([*borrows, "d", "mm"]))
    right = draw(st.integers(0, 24)) > 0
    left = _element(draw, target, dims, names, right)
    if source in ("d", "mm"):
        value = "d[i]" if source == "d" or dims == 1 else "mm[i, j]"
    else:
        value = _element(draw, source, dims, names, draw(st.integers(0, 11)) > 0)
    i = draw(st.sampled_from(names))
    shape = draw(st.sampled_from(VALUES))
    operator = draw(st.sampled_from(["=", "=", "=", "+="]))
    return [f"{left} {operator} {shape.format(v=value, c=draw(_condition(names)), i=i)}"]


@st.composite
def _atomic(draw: DrawFn, borrows: dict[str, str], dims: int, names: list[str]) -> list[str]:
    """An update whose old value is dropped, used as data, or used as an index, guarded or not."""
    floats = _element(draw, "w", dims, names, draw(st.integers(0, 11)) > 0)
    ints = _element(draw, "u", dims, names, draw(st.integers(0, 11)) > 0)
    target = _element(draw, draw(st.sampled_from([n for n, b in borrows.items() if b != "Ref"])), dims, names, True)
    i = draw(st.sampled_from(names))
    forms = [
        [f"{floats} += d[i]"],
        [f"{ints}.bit_or(i32({i}))"],
        [f"{target} = {floats}.exchange(2.0)"],
        [f"{target} = {floats}.max(d[i]) if {draw(_condition(names))} else 0.0"],
        [f"e = {ints}.add(1)", f"{floats}.min(d[min(max(i64(e), 0), n - 1)])"],
        [f"e = {ints}.compare_exchange(0, q[i])", "if e >= 0 and e < n:", f"    {target} = d[e]"],
        [f"{floats} += d[{ints}.add(1)]"],
        [f"if {ints}.add(1) < 2:", f"    {target} = 1.0"],
    ]
    return draw(st.sampled_from(forms))


@st.composite
def _through_a_list(draw: DrawFn, borrows: dict[str, str], dims: int, names: list[str]) -> list[str]:
    """An element that an index list names, in range or not, once or twice."""
    target = draw(st.sampled_from([n for n, b in borrows.items() if b != "Ref"]))
    own = names[:dims]
    place = draw(
        st.sampled_from(["q[i]", "q[i]", "q[i]", "q[i] + 1", "q[n - 1 - i]", "q[q[i]]", "p[i, 0]", "p[i, 1] + s"])
    )
    axis = draw(st.integers(0, dims - 1))
    index = [place if d == axis else o for d, o in enumerate(own)]
    element = f"{target}[{', '.join(index)}]"
    value = draw(st.sampled_from(["d[i]", "d[q[i]]", f"{element} + 1.0", "2.0"]))
    inner = f"{element} = {value}"
    return draw(
        st.sampled_from(
            [
                [inner], [inner], [f"if {draw(_condition(names))}:", f"    {inner}"],
                [f"o = i64({place})", "if 0 <= o and o < n:", f"    {inner.replace(place, 'o')}"],
                [f"for l in range(max(p[i, 0], -1), min(p[i, 1], {draw(st.sampled_from(['n', 'n + 1']))})):",
                 f"    {inner.replace(place, draw(st.sampled_from(['l', 'i', 'min(max(l, 0), n - 1)'])))}"],
            ]
        )
    )  # fmt: skip


@st.composite
def _strided(draw: DrawFn, borrows: dict[str, str], dims: int, names: list[str]) -> list[str]:
    """Several items a thread, in steps of a constant or of any number."""
    target = draw(st.sampled_from([n for n, b in borrows.items() if b != "Ref"]))
    first, step = draw(
        st.sampled_from([("i", "n"), ("i", "s"), ("i", "2"), ("2 * i", "1"), ("i * s", "s"), ("0", "s")])
    )
    end = draw(st.sampled_from(["n", "n", "n - 1", "min(n, i + 2)", "2 * i + 2"]))
    index = ["l", *names[1:dims]]
    value = draw(st.sampled_from(["d[l]", "d[i]", "1.0"]))
    store = f"{target}[{', '.join(index)}] {draw(st.sampled_from(['=', '+=']))} {value}"
    guarded = [f"    if {draw(_condition([*names, 'l']))}:", f"        {store}"]
    return [f"for l in range({first}, {end}, {step}):", *draw(st.sampled_from([[f"    {store}"], guarded]))]


@st.composite
def _contribution(draw: DrawFn, borrows: dict[str, str], dims: int, names: list[str]) -> list[str]:
    """What a thread gives to a reducer; nothing orders it, whatever it reads must be there."""
    source = _element(draw, draw(st.sampled_from(list(borrows))), dims, names, draw(st.booleans()))
    value = draw(st.sampled_from([source, f"d[{draw(_index(names, 'i'))}]", "1.0", "d[q[i]]"]))
    bin_ = draw(st.sampled_from(["i", "i % 3", "q[i]", "min(max(q[i], 0), n - 1)", draw(_index(names, "i"))]))
    give = draw(
        st.sampled_from(
            [
                f"total += {value}",
                f"total += {value}",
                f"least.update({value}, {draw(_index(names, 'i'))})",
                f"bins[{bin_}] += 1",
                f"bins[{draw(st.sampled_from(['i', 'min(i, n - 1)']))}] += 4",
                f"bins[{bin_}] += i64(q[i])",
                f"bins[{bin_}] += 2",
                f"bins[{bin_}] += 3",
                f"bins[{bin_}].update(i64(q[i]))",
            ]
        )
    )
    return draw(st.sampled_from([[give], [f"if {draw(_condition(names))}:", f"    {give}"]]))


@st.composite
def _listed(draw: DrawFn, borrows: dict[str, str], dims: int, names: list[str]) -> list[str]:
    """Accesses through an index list: scatter, gather, nested, in place, over parts of the list."""
    own = names[:dims]
    lead = "".join(f"{o}, " for o in own[:-1])
    target = draw(st.sampled_from([n for n, b in borrows.items() if b != "Ref"]))
    i = draw(st.sampled_from(own + own + names))
    forms = [
        [f"{target}[{lead}q[{i}]] = 1.0"],
        [f"{target}[{lead}q[{i}] + s] += 1.0"],
        [f"{target}[{', '.join(own)}] = d[q[{i}]]"],
        [f"{target}[{lead}q[q[{i}]]] = 2.0"],
        [f"if {draw(_condition(names))}:", f"    {target}[{lead}q[{i}]] = 1.0"],
        [f"at = i64(q[{i}])", "if q[i] > 2:", "    at = at - 1", f"{target}[{lead}at] = 1.0"],
        ["if q[i] >= 0 and q[i] < n:", f"    {target}[{lead}q[i]] = {target}[{lead}{own[-1]}] + 1.0"],
        ["for jl in range(i, n):", "    if q[jl] > 3:", "        break", f"    {target}[{lead}q[jl]] = 1.0"],
        ["for jl in range(i, n):", "    if q[jl] < 2:", "        continue", f"    w[{lead}q[jl]] += 1.0"],
        ["rest = i64(min(q[i], 9))", "while rest >= 2:", "    rest = rest - 2", f"{target}[{lead}rest + 2 * i] = 1.0"],
    ]
    return draw(st.sampled_from(forms))
