"""What a kernel does, as data; no solver."""

from __future__ import annotations

from kparity.compiler.checks.facts import Access, Facts
from kparity.compiler.checks.gather import gather
from kparity.compiler.checks.terms import Kind, symbols

from .kernels import typed


def facts_of(text: str) -> Facts:
    return gather(typed(text))


def shown(access: Access) -> str:
    kind = "A" if access.is_atomic else "W" if access.is_write else "R"
    return f"{kind} {access.array.name}[{', '.join(map(str, access.index))}]"


def test_accesses_come_in_order_of_evaluation() -> None:
    facts = facts_of("""
        def k(y: Mut[f64, "n"], x: Ref[f64, "n"]):
            for i in parallel(n):
                y[i] += 2.0 * x[i]
    """)
    assert [shown(a) for a in facts.accesses] == ["R y[i]", "R x[i]", "W y[i]"]
    assert [a.text for a in facts.accesses] == ["y[i]", "x[i]", "y[i]"]
    orders = [a.place.order for a in facts.accesses]
    assert orders == sorted(set(orders))


def test_atomic_updates_are_gathered_where_they_happen() -> None:
    facts = facts_of("""
        def k(a: Atomic[i64, "n"], b: Atomic[f64, "n"], y: Mut[f64, "n"], x: Ref[f64, "n"]):
            for i in parallel(n):
                b[i] += x[i]
                y[i] = b[a[i].add(1)].exchange(x[0]) if x[i] > 0.0 else 1.0
    """)
    found = [shown(a) for a in facts.accesses]
    assert found == ["A b[i]", "R x[i]", "R x[i]", "A a[i]", "A b[a[i].add(1)]", "R x[0]", "W y[i]"]
    assert [a.text for a in facts.accesses if a.is_atomic] == ["b[i]", "a[i]", "b[a[i].add(1)]"]


def test_each_atomic_update_gives_a_value_of_its_own() -> None:
    facts = facts_of("""
        def k(a: Atomic[i32, 1], y: Mut[f64, "n"]):
            for i in parallel(n):
                r = a[0].add(0)
                y[r] = 1.0
                s = a[0].add(0)
                y[s] = 2.0
                y[s] = 3.0
    """)
    first, second, third = (a.index[0] for a in facts.accesses if not a.is_atomic)
    assert first != second and second == third
    (symbol,) = symbols([first])
    assert symbol.kind is Kind.UNKNOWN and len(symbol.facts) == 2, "nothing but the range of i32 is known of it"


def test_locals_are_substituted_and_joined() -> None:
    facts = facts_of("""
        def k(y: Mut[f64, "n"], s: i64):
            for i in parallel(n):
                a = i + 1
                b = a * 2 - i
                if s > 0:
                    a = b
                y[a] = 1.0
                y[b] = 2.0
    """)
    joined, plain = (a.index[0] for a in facts.accesses)
    assert str(plain) == "i + 2"
    assert str(joined) == "(i + 2 if s >= 1 else i + 1)"


def test_lazy_operators_guard_what_is_behind_them() -> None:
    facts = facts_of("""
        def k(y: Mut[f64, "n"], x: Ref[f64, "n"]):
            for i in parallel(n):
                y[i] = x[i] if i > 2 and x[i - 1] > 0.0 else x[0]
    """)
    paths = {a.text: [str(c) for c in a.place.path[1:]] for a in facts.accesses if not a.is_write}
    assert paths["x[i - 1]"] == ["i >= 3"]
    assert len(paths["x[i]"]) == 1 and "x[i - 1] > 0.0" in paths["x[i]"][0]
    assert paths["x[0]"][0].startswith("not")


def test_a_condition_on_data_is_one_unknown_for_both_branches() -> None:
    facts = facts_of("""
        def k(y: Mut[f64, "n"], x: Ref[f64, "n"]):
            for i in parallel(n):
                if x[i] > 0.0:
                    y[i] = 1.0
                else:
                    y[i] = 2.0
    """)
    flags = [symbols([w.place.path[-1]]) for w in facts.accesses if w.is_write]
    assert flags[0] == flags[1] and flags[0][0].kind is Kind.UNKNOWN


def test_an_element_of_a_ref_is_one_value() -> None:
    facts = facts_of("""
        def k(y: Mut[f64, "n"], q: Ref[i32, "n"], r: Mut[i32, "n"]):
            for i in parallel(n):
                y[q[i] - q[i]] = 1.0
                y[r[i] - r[i]] = 1.0
    """)
    same, different = (a.index[0] for a in facts.accesses if a.array.name == "y")
    assert same.is_constant
    assert len(symbols([different])) == 2, "a Mut may have changed in between"
    element = symbols(
        [
            a.index[0]
            for a in facts_of("""
        def k(y: Ref[f64, "n"], q: Ref[i32, "n"], z: Mut[f64, "n"]):
            for i in parallel(n):
                z[i] = y[q[i]]
    """).accesses
            if a.array.name == "y"
        ]
    )[0].element
    assert element is not None and element[0].name == "q" and str(element[1][0]) == "i"


def index_in_loop(*lines: str) -> list[str]:
    head = ['def k(y: Mut[f64, "n"], x: Ref[f64, "n"], s: i64):', "    for i in parallel(n):"]
    facts = facts_of("\n".join([*head, *("        " + line for line in lines)]))
    return [str(a.index[0]) for a in facts.accesses if a.array.name == "y"]


def test_a_counter_with_a_fixed_step_has_a_closed_form() -> None:
    loop = ("for j in range(2, s):", "    y[c] = 1.0", "    c += 3", "    y[c] = 1.0")
    assert index_in_loop("c = s + 0", *loop, "y[c] = 1.0") == ["s + 3*j - 6", "s + 3*j - 3", "s + 3*(max(s - 2, 0))"]


def test_a_counter_with_a_conditional_step_has_bounds() -> None:
    facts = facts_of("""
        def k(y: Mut[f64, "n"], x: Ref[f64, "n"], s: i64):
            for i in parallel(n):
                c = s + 0
                for j in range(4):
                    y[c] = 1.0
                    if x[j] > 0.0:
                        c += 2
    """)
    (symbol,) = symbols([a.index[0] for a in facts.accesses if a.is_write])
    assert symbol.kind is Kind.CARRIED
    assert [str(f) for f in symbol.facts] == ["c >= s", "s + 2*j >= c"]


def test_an_update_of_another_form_is_unknown() -> None:
    facts = facts_of("""
        def k(y: Mut[f64, "n"], s: i64):
            for i in parallel(n):
                c = s + 0
                for j in range(4):
                    y[c] = 1.0
                    c = c * c
    """)
    (symbol,) = symbols([a.index[0] for a in facts.accesses])
    assert symbol.kind is Kind.UNKNOWN


def test_only_what_decides_an_access_is_observed() -> None:
    facts = facts_of("""
        def k(y: Mut[f64, "n"], t: i32, s: i64):
            for i in parallel(n):
                y[i] = f64(t + t) if t * 3 > 5 else 0.0
                if t + 1 > 0:
                    y[i] = 1.0
                y[min(s + 1, i)] = 2.0
    """)
    assert [(o.text, o.why) for o in facts.observations] == [("t + 1", "compared"), ("s + 1", "an argument of `min`")]


def test_the_index_itself_is_not_observed() -> None:
    """Sums and products may wrap in between; the bounds proof covers the final value."""
    facts = facts_of("""
        def k(y: Mut[f64, "n"], s: i64):
            for i in parallel(n):
                y[i + s * 4 - s] = 1.0
    """)
    assert facts.observations == ()


def test_an_extent_is_not_negative_as_a_whole() -> None:
    facts = facts_of("""
        def k(y: Mut[f64, "n + h"], n: i64, h: i64, x: Ref[f64, "m"]):
            for i in parallel(m):
                y[0] = x[i]
    """)
    assert sorted(str(c) for c in facts.context) == ["m >= 0", "n + h >= 0"]
