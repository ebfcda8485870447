"""Team kernels in pairs: one with a fault as it really happens, with the codes expected, and its repaired twin."""

from __future__ import annotations

import textwrap

from .twins import twin


def _k(parameters: str, body: str) -> str:
    return f"def k({parameters}):\n" + textwrap.indent(textwrap.dedent(body).strip(), "    ") + "\n"


_XY = 'y: Mut[f64, "n"], x: Ref[f64, "n"]'
_ABC = 'c: Out[f64, "n", "n"], a: Ref[f64, "n", "n"], b: Ref[f64, "n", "n"]'

_TILES = """
    for by, bx in teams(ceildiv(n, 2), ceildiv(n, 2)):
        ta, tb = shared(f64, 2, 2), shared(f64, 2, 2)
        acc = private(f64, threads=(2, 2), fill=0.0)
        for t in range(ceildiv(n, 2)):
            for y, x in threads(2, 2):
                ta[y, x] = a[by*2 + y, t*2 + x] if by*2 + y < n and t*2 + x < n else 0.0
                tb[y, x] = b[t*2 + y, bx*2 + x] if t*2 + y < n and bx*2 + x < n else 0.0
            for y, x in threads(2, 2):
                for k in range(2):
                    acc[y, x] += ta[y, k] * tb[k, x]
        for y, x in threads(2, 2):
            if by*2 + y < n and bx*2 + x < n:
                c[by*2 + y, bx*2 + x] = acc[y, x]
"""

_SECOND_PHASE = "            for y, x in threads(2, 2):\n                for k"

_NEXT = """
    for b in teams(ceildiv(n, 4)):
        s = shared(f64, 4)
        for t in threads(4):
            s[t] = x[4*b + t] if 4*b + t < n else 0.0
        for t in threads(4):
            if 4*b + t < n:
                y[4*b + t] = s[t] + (s[t + 1] if t < 3 else 0.0)
"""

_HALO = """
    for b in teams(ceildiv(n, 4)):
        s = shared(f64, 6)
        for t in threads(6):
            s[t] = x[4*b + t - 1] if 1 <= 4*b + t and 4*b + t <= n else 0.0
        for t in threads(4):
            if 4*b + t < n:
                y[4*b + t] = s[t] + s[t + 1] + s[t + 2]
"""

_PING_PONG = """
    for b in teams(n):
        s = shared(f64, 2, 4)
        for t in threads(4):
            s[0, t] = x[b]
        for k in range(3):
            for t in threads(4):
                s[(k + 1) % 2, t] = s[k % 2, (t + 1) % 4]
        for t in threads(1):
            y[b] = s[1, t]
"""

_VIEWS = """
    for e in teams(n):
        m0, m1 = shared(f64, 12), shared(f64, 12)
        wide = reshape(m0, 3, 4)
        high = reshape(m0, 4, 3)
        for r, q in threads(3, 4):
            wide[r, q] = x[e]
        for r, q in threads(4, 3):
            m1[3*r + q] = high[r, q]
        for t in threads(1):
            y[e] = m1[11]
"""

_COUNTER = """
    for b in teams(ceildiv(n, 4)):
        c = shared(i64, 4)
        total = shared(i64, 1)
        for t in threads(4):
            c[t] = x[4*b + t] if 4*b + t < n else 0
        for t in threads(1):
            total[0] = c[0] + c[1] + c[2] + c[3]
        for t in threads(4):
            if 4*b + t < n:
                y[4*b + t] = total[0]
"""

_TREE_PARAMETERS = 'y: Out[f64, "g"], x: Ref[f64, "g", "w"]'

_TREE = """
    for b in teams(g):
        s = shared(f64, w)
        for t in threads(w):
            s[t] = x[b, t]
        h = w // 2
        while h > 0:
            for t in threads(w):
                if t < h:
                    s[t] += s[t + h]
            h //= 2
        for t in threads(1):
            y[b] = s[0]
"""

_ROUNDS = """
    for b in teams(n):
        s = shared(f64, 8)
        for t in threads(8):
            s[t] = 0.0
        r = 0
        while r < rounds:
            if x[b] > f64(r):
                break
            for t in threads(8):
                s[t] = x[b]
            r += 1
        for t in threads(8):
            if t == 0:
                y[b] = s[7 - t]
"""

_GRID_STRIDE = """
    for b in teams(m):
        for t in threads(4):
            for i in range(4*b + t, n, m*4):
                y[i] += x[i]
"""

_BLOCK_STRIDE = """
    for b in teams(1):
        for t in threads(w):
            for i in range(t, n, w):
                y[i] += x[i]
"""

_IN_TURN = """
    for b in teams(n):
        s = shared(f64, 2, 4)
        for t in threads(4):
            s[0, t] = x[b]
        now = 0
        for k in range(steps):
            for t in threads(4):
                s[1 - now, t] = s[now, (t + 1) % 4]
            now = 1 - now
        for t in threads(4):
            if t == 0:
                y[b] = s[now, t]
"""

TEAM_TWINS = [
    twin(
        "tile read in the phase that writes it",
        _k(_ABC, _TILES.replace(_SECOND_PHASE, "                for k")),
        [("KP0401", "ta[y, x]"), ("KP0401", "tb[y, x]")],
        _k(_ABC, _TILES),
    ),
    twin(
        "surplus threads of the last team",
        _k(_ABC, _TILES.replace("            if by*2 + y < n and bx*2 + x < n:\n                c", "            c")),
        [("KP0301", "c[by*2 + y, bx*2 + x]")],
        _k(_ABC, _TILES),
    ),
    twin(
        "next row of the tile",
        _k(_ABC, _TILES.replace("ta[y, k]", "ta[y + 1, k]")),
        [("KP0301", "ta[y + 1, k]")],
        _k(_ABC, _TILES),
    ),
    twin(
        "one team's rows written by all",
        _k(_ABC, _TILES.replace("c[by*2 + y, bx*2 + x]", "c[y, bx*2 + x]")),
        [("KP0503", 'c: Out[f64, "n", "n"]'), ("KP0401", "c[y, bx*2 + x]")],
        _k(_ABC, _TILES),
    ),
    twin(
        "sum of a tile starts from nothing",
        _k(_ABC, _TILES.replace(", fill=0.0", "")),
        [("KP0502", "acc[y, x]")],
        _k(_ABC, _TILES),
    ),
    twin(
        "number within the team used for all",
        _k(_XY, _NEXT.replace("if 4*b + t < n:\n                y[4*b + t]", "if t < n:\n                y[t]")),
        [("KP0401", "y[t]")],
        _k(_XY, _NEXT),
    ),
    twin(
        "number within the grid used for the team's memory",
        _k(_XY, _NEXT.replace("s[t] = x[4*b + t] if 4*b + t < n else 0.0", "if 4*b + t < 4:\n                s[4*b + t] = x[0] if n > 0 else 0.0")),  # noqa: E501
        [("KP0502", "s[t]")],
        _k(_XY, _NEXT),
    ),
    twin(
        "neighbour in the same phase",
        _k(_XY, _NEXT.replace("y[4*b + t] = s[t] + (s[t + 1] if t < 3 else 0.0)", "s[t] = s[t] + (s[t + 1] if t < 3 else 0.0)\n                y[4*b + t] = s[t]")),  # noqa: E501
        [("KP0401", "s[t]")],
        _k(_XY, _NEXT),
    ),
    twin(
        "neighbour beyond the tile",
        _k(_XY, _NEXT.replace("(s[t + 1] if t < 3 else 0.0)", "s[t + 1]")),
        [("KP0301", "s[t + 1]")],
        _k(_XY, _NEXT),
    ),
    twin(
        "neighbour in the next team",
        _k(_XY, _NEXT.replace("s[t] + (s[t + 1] if t < 3 else 0.0)", "s[t] + (y[4*b + t - 1] if t < 3 and b > 0 else 0.0)")),  # noqa: E501
        [("KP0401", "y[4*b + t]")],
        _k(_XY, _NEXT),
    ),
    twin(
        "halo one too short",
        _k(_XY, _HALO.replace("shared(f64, 6)", "shared(f64, 5)").replace("threads(6)", "threads(5)")),
        [("KP0301", "s[t + 2]")],
        _k(_XY, _HALO),
    ),
    twin(
        "halo cells that nobody loads",
        _k(_XY, _HALO.replace("in threads(6)", "in threads(5)")),
        [("KP0502", "s[t + 2]")],
        _k(_XY, _HALO),
    ),
    twin(
        "halo read beyond the array",
        _k(_XY, _HALO.replace("1 <= 4*b + t and ", "")),
        [("KP0301", "x[4*b + t - 1]")],
        _k(_XY, _HALO),
    ),
    twin(
        "ping-pong into the same side",
        _k(_XY, _PING_PONG.replace("s[(k + 1) % 2, t]", "s[k % 2, t]").replace("s[1, t]", "s[0, t]")),
        [("KP0401", "s[k % 2, t]")],
        _k(_XY, _PING_PONG),
    ),
    twin(
        "ping-pong, the wrong side at the end",
        _k(_XY, _PING_PONG.replace("s[0, t] = x[b]", "s[1, t] = x[b]")),
        [("KP0502", "s[k % 2, (t + 1) % 4]")],
        _k(_XY, _PING_PONG),
    ),
    twin(
        "two shapes of one memory in a phase",
        _k(_XY, _VIEWS.replace("m1[3*r + q] = high[r, q]", "high[r, q] = wide[r - 1, q] if r > 0 else 0.0").replace("m1[11]", "high[3, 2]")),  # noqa: E501
        [("KP0401", "high[r, q]")],
        _k(_XY, _VIEWS),
    ),
    twin(
        "shape with more elements than were written",
        _k(_XY, _VIEWS.replace("r, q in threads(3, 4)", "r, q in threads(2, 4)")),
        [("KP0502", "high[r, q]")],
        _k(_XY, _VIEWS),
    ),
    twin(
        "counter reset while others read it",
        _k(_XY.replace("f64", "i64"), _COUNTER.replace("y[4*b + t] = total[0]", "y[4*b + t] = total[0]\n            if t == 3:\n                total[0] = 0")),  # noqa: E501
        [("KP0401", "total[0]")],
        _k(_XY.replace("f64", "i64"), _COUNTER),
    ),
    twin(
        "one thread's result read in its phase",
        _k(_XY.replace("f64", "i64"), _COUNTER.replace("        for t in threads(1):\n            total[0] =", "        for t in threads(4):\n            total[0] =")),  # noqa: E501
        [("KP0401", "total[0]")],
        _k(_XY.replace("f64", "i64"), _COUNTER),
    ),
    twin(
        "block stride one too short",
        _k(_XY, """
            for b in teams(ceildiv(n, 16)):
                for t in threads(4):
                    for i in range(16*b + t, min(16*b + 16, n), 2):
                        y[i] = x[i]
        """),
        [("KP0401", "y[i]")],
        _k(_XY, """
            for b in teams(ceildiv(n, 16)):
                for t in threads(4):
                    for i in range(16*b + t, min(16*b + 16, n), 4):
                        y[i] = x[i]
        """),
    ),
    twin(
        "several items of a phase that overlap",
        _k(_XY, """
            for b in teams(ceildiv(n, 8)):
                for t in threads(4):
                    for i in range(3):
                        if 8*b + 2*t + i < n:
                            y[8*b + 2*t + i] = x[8*b + 2*t + i]
        """),
        [("KP0401", "y[8*b + 2*t + i]")],
        _k(_XY, """
            for b in teams(ceildiv(n, 8)):
                for t in threads(4):
                    for i in range(2):
                        if 8*b + 4*i + t < n:
                            y[8*b + 4*i + t] = x[8*b + 4*i + t]
        """),
    ),
    twin(
        "halves that meet",
        _k('y: Mut[f64, "2*n"], x: Ref[f64, "n"]', """
            for b in teams(n):
                for t in threads(2):
                    y[b + t] = x[b]
        """),
        [("KP0401", "y[b + t]")],
        _k('y: Mut[f64, "2*n"], x: Ref[f64, "n"]', """
            for b in teams(n):
                for t in threads(2):
                    y[b + n*t] = x[b]
        """).replace("b + n*t", "b if t == 0 else b + n"),
    ),
    twin(
        "odd and even",
        _k(_XY, """
            for b in teams(1):
                s = shared(f64, 8, fill=0.0)
                for t in threads(4):
                    s[2*t] = 1.0
                    s[2*t] += s[(2*t + 2) % 8]
                for t in threads(8):
                    if t < n:
                        y[t] = s[t]
        """),
        [("KP0401", "s[2*t]")],
        _k(_XY, """
            for b in teams(1):
                s = shared(f64, 8, fill=0.0)
                for t in threads(4):
                    s[2*t] = 1.0
                    s[2*t] += s[(2*t + 3) % 8]
                for t in threads(8):
                    if t < n:
                        y[t] = s[t]
        """),
    ),
    twin(
        "shared memory of symbolic size",
        _k(_XY + ", w: i64", """
            for b in teams(n):
                s = shared(f64, w)
                for t in threads(w):
                    s[t] = x[b]
                for t in threads(w):
                    y[b] = s[w - 1 - t]
        """),
        [("KP0401", "y[b]")],
        _k(_XY + ", w: i64", """
            for b in teams(n):
                s = shared(f64, w)
                for t in threads(w):
                    s[t] = x[b]
                for t in threads(1):
                    y[b] = s[w - 1 - t]
        """),
        guards=1,
    ),
    twin(
        "only the first team writes",
        _k('y: Out[f64, "n"], x: Ref[f64, "n"]', """
            for b in teams(ceildiv(n, 4)):
                for t in threads(4):
                    if b == 0 and t < n:
                        y[t] = x[t]
        """),
        [("KP0503", 'y: Out[f64, "n"]')],
        _k('y: Out[f64, "n"], x: Ref[f64, "n"]', """
            for b in teams(ceildiv(n, 4)):
                for t in threads(4):
                    if 4*b + t < n:
                        y[4*b + t] = x[4*b + t]
        """),
    ),
    twin(
        "partial sums of another iteration",
        _k(_XY, """
            for b in teams(n):
                s = shared(f64, 4)
                for k in range(3):
                    for t in threads(4):
                        s[t] = x[b] if k == 0 else s[t + 1] if t < 3 else 0.0
                for t in threads(1):
                    y[b] = s[0]
        """),
        [("KP0401", "s[t]")],
        _k(_XY, """
            for b in teams(n):
                s = shared(f64, 4)
                for k in range(3):
                    for t in threads(4):
                        s[t] = x[b] if k == 0 else s[t] + 1.0
                for t in threads(1):
                    y[b] = s[0]
        """),
    ),
    twin(
        "tree of sums without a test",
        _k(_TREE_PARAMETERS, _TREE.replace("if t < h:", "if t + h < w:")),
        [("KP0402", "s[t]")],
        _k(_TREE_PARAMETERS, _TREE),
        guards=1,
    ),
    twin(
        "tree of sums, one thread too many",
        _k(_TREE_PARAMETERS, _TREE.replace("if t < h:", "if t <= h and t + h < w:")),
        [("KP0402", "s[t]")],
        _k(_TREE_PARAMETERS, _TREE),
        guards=1,
    ),
    twin(
        "tree of sums beyond the end",
        _k(_TREE_PARAMETERS, _TREE.replace("s[t + h]", "s[t + h + 1]")),
        [("KP0302", "s[t + h + 1]")],
        _k(_TREE_PARAMETERS, _TREE),
        guards=1,
    ),
    twin(
        "sum of a round that may not come",
        _k(_XY + ", rounds: i64", _ROUNDS.replace("s[t] = 0.0", "pass_ = 0.0")),
        [("KP0502", "s[7 - t]")],
        _k(_XY + ", rounds: i64", _ROUNDS),
    ),
    twin(
        "round that reads what the next one writes",
        _k(_XY + ", rounds: i64", _ROUNDS.replace("s[t] = x[b]", "s[t] = s[t - 1] if t > 0 else x[b]")),
        [("KP0401", "s[t]")],
        _k(_XY + ", rounds: i64", _ROUNDS),
    ),
    twin(
        "grid stride of too few threads",
        _k(_XY + ", m: i64", _GRID_STRIDE.replace("m*4", "m*2")),
        [("KP0401", "y[i]")],
        _k(_XY + ", m: i64", _GRID_STRIDE),
        guards=3,
    ),
    twin(
        "block stride that two threads start alike",
        _k(_XY + ", w: i64", _BLOCK_STRIDE.replace("range(t, n, w)", "range(t // 2, n, w)")),
        [("KP0401", "y[i]")],
        _k(_XY + ", w: i64", _BLOCK_STRIDE),
        guards=1,
    ),
    twin(
        "block stride, neighbour in place",
        _k(_XY + ", w: i64", _BLOCK_STRIDE.replace("+= x[i]", "+= y[i - 1] if i > 0 else 0.0")),
        [("KP0401", "y[i]")],
        _k(_XY + ", w: i64", _BLOCK_STRIDE),
        guards=1,
    ),
    twin(
        "covered by strides of any step",
        _k('y: Out[f64, "n"], x: Ref[f64, "n"], w: i64', _BLOCK_STRIDE.replace("+=", "=")),
        [("KP0503", 'y: Out[f64, "n"]')],
        _k('y: Mut[f64, "n"], x: Ref[f64, "n"], w: i64', _BLOCK_STRIDE.replace("+=", "=")),
        guards=1,
    ),
    twin(
        "buffer in turn, one of three",
        _k(_XY + ", steps: i64", _IN_TURN.replace("1 - now\n", "2 - now\n").replace("steps)", "3)")),
        [("KP0301", "s[1 - now, t]"), ("KP0301", "s[now, (t + 1) % 4]"), ("KP0301", "s[now, t]")],
        _k(_XY + ", steps: i64", _IN_TURN),
    ),
    twin(
        "buffer in turn, read in the phase that writes it",
        _k(_XY + ", steps: i64", _IN_TURN.replace("s[1 - now, t] = ", "s[now, t] = ")),
        [("KP0401", "s[now, t]")],
        _k(_XY + ", steps: i64", _IN_TURN),
    ),
    twin(
        "counters that hold nothing",
        _k('y: Mut[i64, "n", 4], x: Ref[i32, "n"]', """
            for b in teams(n):
                c = shared(i64, 4, atomic=True)
                for t in threads(8):
                    c[t % 4] += 1
        """),
        [("KP0502", "c[t % 4]")],
        _k('y: Mut[i64, "n", 4], x: Ref[i32, "n"]', """
            for b in teams(n):
                c = shared(i64, 4, atomic=True, fill=0)
                for t in threads(8):
                    c[t % 4] += 1
        """),
    ),
    twin(
        "scatter between teams",
        _k('y: Mut[f64, "m"], q: Mut[i32, "n", 4]', """
            for b in teams(n):
                for t in threads(4):
                    z = q[b, t]
                    if 0 <= z < m:
                        y[z] = 1.0
        """),
        [("KP0402", "y[z]")],
        _k('y: Mut[f64, "m"], q: Ref[i32, "n", 4]', """
            for b in teams(n):
                for t in threads(4):
                    z = q[b, t]
                    if 0 <= z < m:
                        y[z] = 1.0
        """),
    ),
    twin(
        "scatter in shared memory",
        _k('y: Mut[f64, "n", 4], q: Ref[i32, "n", 4]', """
            for b in teams(n):
                s = shared(f64, 4, fill=0.0)
                for t in threads(4):
                    s[q[b, t]] = 1.0
                for t in threads(4):
                    y[b, t] = s[t]
        """),
        [("KP0402", "s[q[b, t]]")],
        _k('y: Mut[f64, "n", 4], q: Ref[i32, "n", 4]', """
            for b in teams(n):
                s = shared(f64, 4, fill=0.0)
                for t in threads(4):
                    s[t] = 1.0
                for t in threads(4):
                    y[b, t] = s[q[b, t]]
        """),
    ),
]  # fmt: skip
