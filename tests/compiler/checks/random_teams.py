"""Random team kernels, as source text: phases, team memory, uniform loops and conditions; many of them nearly right."""

from __future__ import annotations

from . import choices as st
from .choices import DrawFn

PARAMETERS = (
    'y: Mut[f64, "n"], x: Ref[f64, "n"], g: Mut[f64, "m", 4], o: {o}[f64, "m", 4], w: Atomic[i32, "n"],'
    ' q: Ref[i32, "m + 1"], k: Ref[f64, "m", 4], s: i64, total: Sum[f64], bins: Sum[i64, 4]'
)
INDICES = {1: ["t"], 2: ["t", "u"]}
UNIFORM = ["s > 0", "s == 1", "b == 0", "b + 1 < m", "q[b] > 0", "s < n", "k[b, 0] > 0.0"]
JUMPS = ["break", "continue"]
REQUIREMENTS = ["s >= 1", "s == 4", "s >= 0 and s <= 2", "n == 4 * m", "n >= 4 * m"]
HEADER = [
    "a = shared(f64, 4",
    "c = shared(f64, 2, 2",
    "p = private(f64, threads=4",
    "r = private(f64, 2, threads=(2, 2)",
]


def slip(draw: DrawFn, right: str, *wrong: str) -> str:
    """The right text, or now and then another one."""
    return draw(st.sampled_from(wrong)) if draw(st.integers(0, 15)) == 0 else right


@st.composite
def team_text(draw: DrawFn) -> str:
    """A team kernel: buffers, then phases between loops and conditions of the team."""
    is_out = draw(st.integers(0, 3)) == 0
    lines = [f"def k({PARAMETERS.format(o='Out' if is_out else 'Mut')}):"]
    if draw(st.integers(0, 2)) == 0:
        lines.append(f"    require({draw(st.sampled_from(REQUIREMENTS))})")
    lines.append(f"    for b in teams({slip(draw, 'm', 'ceildiv(n, 4)', '(1, m)', 'n // 4', 'min(m, s)')}):")
    for declaration in HEADER:  # half of them filled, so that not all kernels read garbage
        lines.append(f"        {declaration}{draw(st.sampled_from(['', ', fill=0.0', ', fill=0.0']))})")
    lines.append(f"        d = shared(f64, {slip(draw, '8', 's', 'n', '5')})")
    lines.append(f"        h = shared(i32, {slip(draw, '4', '1')}, atomic=True, fill=0)")
    lines.append(f"        v = reshape({slip(draw, 'c', 'a', 'd')}, {slip(draw, '4', '3', '5')})")
    if draw(st.integers(0, 3)):  # make coverage and writes before reads likely
        lines += ["        for t in threads(4):", "            o[b, t] = 1.0", "            a[t] = k[b, t]"]
        lines += ["            p[t] = 2.0", "            v[t] = 3.0"]
    for _ in range(draw(st.integers(1, 2))):
        lines += draw(_team_statement(2, 2, ["b"]))
    return "\n".join(lines)


@st.composite
def _team_statement(draw: DrawFn, depth: int, indent: int, names: list[str]) -> list[str]:
    pad = "    " * indent
    kind = draw(st.sampled_from(["phase", "phase", "phase", "for", "while", "if", "local", "idiom", "idiom"]))
    if kind == "idiom":
        return [pad + line for line in draw(_idiom())]
    if depth == 0 or kind == "phase":
        return [pad + line for line in draw(_phase(names))]
    if kind == "local":
        name = f"e{depth}"
        value = draw(st.sampled_from(["4", "4", "b", "s", "b * 4", "min(q[b], 4)", "s // 2"]))
        lines = [f"{pad}{name} = i64({value}) + 0"]
        if draw(st.booleans()):
            lines += [f"{pad}if {draw(st.sampled_from(UNIFORM))}:", f"{pad}    {name} = {name} // 2"]
        return lines + draw(_team_statement(depth - 1, indent, [*names, name]))
    if kind == "if":
        lines = [f"{pad}if {draw(st.sampled_from(UNIFORM))}:", *draw(_team_statement(depth - 1, indent + 1, names))]
        if draw(st.booleans()):
            lines += [f"{pad}else:", *draw(_team_statement(depth - 1, indent + 1, names))]
        return lines
    inside = pad + "    "
    leave = []
    if draw(st.integers(0, 1)) == 0:
        leave = [f"{inside}if {draw(st.sampled_from(UNIFORM))}:", f"{inside}    {draw(st.sampled_from(JUMPS))}"]
    if kind == "while":
        loop = f"j{depth}"
        update = f"{inside}{loop} {slip(draw, '//= 2', '-= 1', '-= 3')}"
        body = draw(_team_statement(depth - 1, indent + 1, [*names, loop]))
        lines = [f"{pad}{loop} = {draw(st.sampled_from(['4', '4', 's', 'min(b, 3)']))} + 0", f"{pad}while {loop} > 0:"]
        if leave and leave[-1].endswith("break"):
            body = [*leave, *body]
        return lines + ([update, *body] if draw(st.booleans()) else [*body, update])
    loop = f"i{depth}"
    range_ = draw(st.sampled_from(["2", "3", "s", "1, s", "min(b, 3)", "min(q[b], 2)", "2, 0, -1"]))
    lines = [f"{pad}for {loop} in range({range_}):", *leave]
    for _ in range(draw(st.integers(1, 2))):
        lines += draw(_team_statement(depth - 1, indent + 1, [*names, loop]))
    return lines


@st.composite
def _phase(draw: DrawFn, names: list[str]) -> list[str]:
    dims = draw(st.sampled_from([1, 1, 2]))
    own = INDICES[dims]
    if dims == 1:
        shape = slip(draw, "4", "5", "(1, 4)", "3", "s", "min(s, 4)", *names[1:])
    else:
        shape = slip(draw, "2, 2", "2, 3", "(0, 2), 2", "1, 4")
    lines = [f"for {', '.join(own)} in threads({shape}):"]
    for _ in range(draw(st.integers(1, 2))):
        lines += ["    " + line for line in draw(_thread_statement(dims, shape, names, 1))]
    return lines


@st.composite
def _thread_statement(draw: DrawFn, dims: int, shape: str, names: list[str], depth: int) -> list[str]:
    kind = draw(
        st.sampled_from(
            ["store", "store", "store", "store", "if", "for", "for", "atomic", "while", "local", "list", "reduce"]
        )
    )
    if kind == "reduce":
        into = draw(st.sampled_from([f"bins[{_index(draw, 't', names)}] += 1", "total += "]))
        return [into + (_element(draw, dims, shape, names, False) if into.startswith("total") else "")]
    if kind == "list":
        i = draw(st.sampled_from(["q[b]", "q[b] + t", "q[min(t, m)]", "min(max(q[b], 0), m - 1)"]))
        return [
            draw(
                st.sampled_from(
                    [f"g[{i}, t] = 1.0", f"y[{i}] = 1.0", f"total += k[{i}, 0]", f"bins[{i}] += 2", f"a[{i}] = 2.0"]
                )
            )
        ]
    if kind == "local" and depth:
        return draw(_local_array(names))
    if kind == "while" and depth:
        return draw(_while(dims, shape, names))
    if kind == "atomic":
        i = _index(draw, "t", names)
        form = draw(st.sampled_from(["h[{i}] += 1", "h[{i}] += 1", "w[min(b * 4 + {i}, n - 1)] += 1", "h[{i}].max(3)"]))
        return [form.format(i=i)]
    if depth == 0 or kind == "store":
        target, source = (_element(draw, dims, shape, names, w) for w in (True, False))
        value = draw(st.sampled_from(["{v}", "{v} + 1.0", "2.0", "{v} if {c} else 0.0"]))
        operator = draw(st.sampled_from(["=", "=", "=", "+="]))
        store = f"{target} {operator} {value.format(v=source, c=_condition(draw, names))}"
        if "y[" in store or "x[" in store:
            return [f"if b * 4 + t < n{slip(draw, '', ' - 1', ' + 1')}:", f"    {store}"]
        return [store]
    if kind == "if":
        inner = draw(_thread_statement(dims, shape, names, depth - 1))
        return [f"if {_condition(draw, names)}:", *("    " + line for line in inner)]
    range_ = draw(st.sampled_from(["2", "s", "t", "t, 4", "t, 4, 4", "t, 4, 2", "t, 8, s", "0, s, s"]))
    inner = draw(_thread_statement(dims, shape, [*names, "l"], depth - 1))
    if draw(st.integers(0, 2)) == 0:
        leave = [f"if {_condition(draw, [*names, 'l'])}:", f"    {draw(st.sampled_from(JUMPS))}"]
        inner = [*leave, *inner] if draw(st.booleans()) else [*inner, *leave]
    return [f"for l in range({range_}):", *("    " + line for line in inner)]


@st.composite
def _while(draw: DrawFn, dims: int, shape: str, names: list[str]) -> list[str]:
    """A loop of a thread whose counter goes up, is halved, or leaves by a `break`."""
    start, limit, update = draw(
        st.sampled_from(
            [
                ("t", "turn < 4", "turn += 1"), ("t", "turn < 4", "turn += 2"), ("0", "turn < 4", "turn += 1"),
                ("3", "turn >= 0", "turn -= 1"), ("t", "turn > 0", "turn //= 2"), ("4", "turn > 0", "turn //= 2"),
                ("t", "turn != 4", "turn += 1"), ("t", "turn != 4", "turn += 2"), ("s", "turn < 4", "turn += 1"),
                ("q[b]", "turn < 4 and turn >= 0", "turn += 1"), ("t", "True", "turn += 1"),
                ("b * 4 + t", "turn < n", "turn += 4 * m"), ("b * s + t", "turn < n", "turn += m * s"),
                ("b * 4 + t", "turn < n", "turn += 4 * s"), ("1", "turn < 4", "turn *= 2"),
                ("t", "turn < 4", "turn <<= 1"), ("s", "turn > 0", "turn >>= 1"),
                ("4", "turn > 1", "turn = (turn + 1) // 2"),
            ]
        )
    )  # fmt: skip
    inner = draw(_thread_statement(dims, shape, [*names, "turn"], 0))
    if limit == "True":
        inner = ["if turn >= 4:", "    break", *inner]
    elif draw(st.integers(0, 2)) == 0:
        inner = [f"if {_condition(draw, [*names, 'turn'])}:", "    break", *inner]
    body = [*inner, update] if draw(st.integers(0, 2)) else [update, *inner]
    return [f"turn = i64({start}) + 0", f"while {limit}:", *("    " + line for line in body)]


@st.composite
def _local_array(draw: DrawFn, names: list[str]) -> list[str]:
    """A small array of the thread: filled, or written on some ways only, then read."""
    e = f"e{draw(st.integers(10, 10**6))}"
    end, place = slip(draw, "3", "2", "4", "t", "s"), slip(draw, "0", "2", "3", "t", names[-1])
    write = draw(
        st.sampled_from(
            [
                [f"for z in range({end}):", f"    {e}[z] = 1.0"],
                [f"if {_condition(draw, names)}:", f"    {e}[{place}] = 1.0", "else:", f"    {e}[{place}] = 2.0"],
                ["for z in range(3):", f"    if {_condition(draw, [*names, 'z'])}:",
                 f"        {draw(st.sampled_from(JUMPS))}", f"    {e}[z] = 2.0"],
                ["count = 0", f"while count < {end}:", f"    {e}[count] = 1.0", "    count += 1"],
            ]
        )
    )  # fmt: skip
    # What a `while` writes counts for itself only.
    fills = ["", "", ", fill=0.0"] if "count = 0" not in write else [", fill=0.0"] * 7 + [""]
    declared = f"{e} = local(f64, 3{draw(st.sampled_from(fills))})"
    return [declared, *write, f"total += {e}[{place}]"]


def _index(draw: DrawFn, own: str, names: list[str]) -> str:
    """An index around `own`, most often right."""
    other = draw(st.sampled_from(names))
    return slip(
        draw, own, f"{own} + 1", f"{own} - 1", f"3 - {own}", f"({own} + 1) % 4", "0", other, f"{own} + {other}",
        f"{own} // 2", f"min({own} + 1, 3)", f"max({own} - 1, 0)", f"({own} + {other}) % 2", "s", f"{own} * 2",
    )  # fmt: skip


def _element(draw: DrawFn, dims: int, shape: str, names: list[str], written: bool) -> str:
    """An element of any memory, its index most often the thread's own."""
    number, pair = ("t", ("t // 2", "t % 2")) if dims == 1 else ("2 * t + u", ("t", "u"))
    near = _index(draw, number, names)
    row, column = (_index(draw, part, names) for part in pair)
    team = slip(draw, "b", "0", "b - 1", names[-1])
    forms = [
        f"a[{near}]", f"a[{near}]", f"c[{row}, {column}]", f"v[{near}]", f"g[{team}, {near}]", f"o[{team}, {near}]",
        f"y[b * 4 + {near}]", f"d[{near}]", f"d[{near} + 4]",
    ]  # fmt: skip
    if shape == "4":
        forms += ["p[t]", "p[t]"]
    if shape == "2, 2":
        forms += [f"r[t, u, {slip(draw, '0', '1', 's', names[-1])}]"] * 2
    if not written:
        forms += [f"x[b * 4 + {near}]", f"k[{team}, {near}]", "1.0"]
    return draw(st.sampled_from(forms))


def _condition(draw: DrawFn, names: list[str]) -> str:
    i = draw(st.sampled_from(names))
    return draw(
        st.sampled_from(
            [
                "t + 1 < 4", "t > 0", "t == 0", "b * 4 + t < n", "t < 4", f"t < {i}", f"{i} % 2 == 0", "k[b, 0] > 0.0",
                f"t + {i} < 4", "t % 2 == 0", "s > 0", "b * 4 + t + 1 < n", f"t == {i}", "t < s and s <= 4",
            ]
        )
    )  # fmt: skip


@st.composite
def _idiom(draw: DrawFn) -> list[str]:
    """What users write, with places where they slip."""

    def one(*choices: str) -> str:
        return slip(draw, *dict.fromkeys(choices))

    forms = [
        [  # a tree of sums
            "for t in threads(4):",
            f"    a[t] = g[b, {one('t', 't', 't', '3 - t', 't + 1')}]",
            "j = 4",
            f"for step in range({one('2', '2', '3', 's')}):",
            f"    j = j // {one('2', '2', '4')}",
            "    for t in threads(4):",
            f"        if t {one('<', '<', '<', '<=')} j:",
            f"            a[t] += a[t + {one('j', 'j', 'j', '1', 'step')}]",
            f"for t in threads({one('1', '1', '2')}):",
            f"    o[b, {one('0', 't')}] = a[0]",
        ],
        [  # a tree of sums of any size
            "for t in threads(8):",
            "    d[t] = 1.0",
            f"j = {one('4', 's', 's // 2')} + 0",
            "while j > 0:",
            f"    for t in threads({one('j', '4')}):",
            f"        {one('if t < j', 'if t <= j')}:",
            "            d[t] += d[t + j]",
            f"    j {one('//= 2', '-= 1', '>>= 1')}",
        ],
        [  # a tree of sums of any size, the middle one left alone
            "for t in threads(8):",
            "    d[t] = 1.0",
            f"j = {one('5', 's', '8')} + 0",
            "while j > 1:",
            f"    half = {one('(j + 1) // 2', 'j // 2')}",
            f"    for t in threads({one('j // 2', 'half', 'j')}):",
            "        d[t] += d[t + half]",
            f"    j = {one('half', 'half + 1')}",
        ],
        [  # a scan, its distance doubled
            f"j = {one('1', '0', 's')} + 0",
            "while j < 4:",
            "    for t in threads(4):",
            f"        p[t] = a[t - j] if t {one('>=', '>')} {one('j', 'j - 1', '0')} else 0.0",
            *one("    for t in threads(4):", "").split("|"),
            "        a[t] += p[t]",
            f"    j {one('*= 2', '<<= 1', '+= j', '+= 1')}",
        ],
        [  # a stride over the grid
            f"for t in threads({one('4', 's', '3')}):",
            f"    for l in range({one('b * 4 + t', 'b * s + t', 'b + t')}, n, {one('4 * m', '3 * m', 's * m')}):",
            "        y[l] = x[l]",
        ],
        [  # tiles in turn
            f"for l in range(b, ceildiv(n, {one('4', '3')}), {one('m', 'm - 1', '1')}):",
            f"    for t in threads({one('4', '5', '3')}):",
            "        if l * 4 + t < n:",
            "            y[l * 4 + t] = x[l * 4 + t]",
        ],
        [  # a tile, once or in turns
            f"for step in range({one('2', 's', 'min(b, 2)')}):",
            "    for t, u in threads(2, 2):",
            f"        c[t, u] = k[{one('b', 'step')}, {one('2 * t + u', 't + u', '2 * t + u + 1')}]",
            *one("    for t, u in threads(2, 2):", "    for t in threads(2):|        u = t", "").split("|"),
            f"        g[b, {one('2 * t + u', 't')}] = c[{one('u, t', '1 - t, u', 't, u', 't + 1, u')}]",
        ],
        [  # a halo
            f"for t in threads({one('4', '5')}):",
            f"    if {one('b * 4 + t', 't')} < n:",
            f"        a[t] = y[{one('b * 4 + t', 't')}]",
            f"for t in threads({one('3', '4', '(1, 3)')}):",
            f"    if b * 4 + t + {one('1', '0')} < n:",
            f"        o[b, t] = a[{one('t', 't - 1')}] + a[t + 1]",
        ],
        [  # two halves in turn
            f"for step in range({one('2', 's')}):",
            "    for t in threads(2):",
            "        a[step % 2 * 2 + t] = " + one("1.0", "a[(1 - step % 2) * 2 + 1 - t]", "a[step % 2 * 2 + 1 - t]"),
        ],
        [  # several items a thread
            f"for t in threads({one('2', '2', '3')}):",
            f"    for l in range(t, 4, {one('2', '2', '2', '1', '3')}):",
            f"        {one('a[l]', 'g[b, l]', 'y[b * 4 + l]')} = 1.0",
            f"for t in threads({one('4', '2')}):",
            f"    o[b, t] = {one('a[t]', 'a[3 - t]', 'g[b, t]')}",
        ],
    ]
    return [line for line in draw(st.sampled_from(forms)) if line.strip()]
