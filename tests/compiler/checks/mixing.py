"""Constructs that are worked into a finished random kernel: they may stand in any, so no generator knows them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from random import Random

THREADS = ("parallel", "threads")
_FIELDS = "par"  # the struct of scalars
_DEVICE = {  # by what a call of it stands for: an index, a value, a store
    "near": """
@device
def near(i: i64, low: i64, high: i64):
    return min(max(i, low), high - {one})
""",
    "counted": """
@device
def counted(i: i64):
    c = 0
    for z in range({count}):
        if z < i:
            c += 1
    return {result}
""",
    "weighed": """
@device
def weighed(v: f64, i: i64):
    w = local(f64, 3{fill})
    for z in range({three}):
        w[z] = v
    return w[min(max(i, 0), {last})] if i >= 0 else v
""",
    "element": """
@device
def element(a: Ref[f64, "len"], i: i64):
    r = 0.0
    if {condition}:
        r = a[i{plus}]
    return r
""",
    "put": """
@device
def put(a: Mut[f64, "len"], i: i64, v: f64):
    if {condition}:
        a[i{plus}] = v
""",
}
_NARROW = [
    "i64(i32({e}) + i32(0))", "i64(u32({e}) * u32(1))", "i32({e}) + i32(1) - i32(1)", "i64(u32({e}) + u32(1)) - 1",
    "i64(i32({e}) * 2) // 2", "i64(u32({e}) - u32(1)) + 1", "i64(i32({e}) + w32) - i64(w32)", "i64(i32({e}) + w32)",
    "i64(u32({e}) + v32) - i64(v32)", "i64(u32({e}) % 5)", "i64(min(u32({e}) + u32(1), v32))",
]  # fmt: skip


class Mixer:
    """One kernel, while constructs are worked into it."""

    def __init__(self, text: str, random: Random) -> None:
        self.random = random
        (self.kernel,) = ast.parse(text).body
        assert isinstance(self.kernel, ast.FunctionDef)
        self.before: list[str] = []  # definitions that the kernel needs

    def one(self, *choices: str) -> str:
        """Return any of some texts."""
        return self.random.choice(choices)

    def slip(self, right: str, *wrong: str) -> str:
        """Return the right text, or now and then another one."""
        return self.random.choice(wrong) if self.random.random() < 0.08 else right

    @property
    def text(self) -> str:
        decorated = ["@kernel\n"] if self.before else []
        return "".join([*self.before, *decorated, ast.unparse(self.kernel)])

    @property
    def parameters(self) -> list[ast.arg]:
        return self.kernel.args.args

    @property
    def outermost(self) -> str:
        """The first index of the kernel."""
        loop = next(n for n in self.kernel.body if isinstance(n, ast.For))
        return next(n.id for n in ast.walk(loop.target) if isinstance(n, ast.Name))

    def threads(self) -> list[tuple[list[str], ast.For]]:
        """Return the loops whose bodies threads run, each with its indices."""
        loops = (n for n in ast.walk(self.kernel) if isinstance(n, ast.For) and _called(n.iter) in THREADS)
        return [([n.id for n in ast.walk(loop.target) if isinstance(n, ast.Name)], loop) for loop in loops]

    def blocks(self) -> list[list[ast.stmt]]:
        """Return the blocks of statements that threads run."""
        inside = (n for _, loop in self.threads() for n in ast.walk(loop))
        return [b for n in inside for name in ("body", "orelse") if isinstance(b := getattr(n, name, None), list) and b]

    def accesses(self) -> list[ast.Subscript]:
        """Return the elements that threads read and write."""
        inside = (n for _, loop in self.threads() for s in loop.body for n in ast.walk(s))
        return [n for n in inside if isinstance(n, ast.Subscript)]

    def into_struct(self) -> None:
        """Scalars become fields of one, but for those that dims name."""
        in_dims = " ".join(
            n.value for n in ast.walk(self.kernel) if isinstance(n, ast.Constant) and isinstance(n.value, str)
        )
        fields = [a for a in self.parameters if isinstance(a.annotation, ast.Name) and a.arg not in in_dims.split()]
        names = {a.arg for a in fields}
        if not fields:
            return
        lines = [f"    {a.arg}: {a.annotation.id}\n" for a in fields if isinstance(a.annotation, ast.Name)]
        lines.insert(self.random.randrange(len(lines) + 1), f"    weight: {self.one('f64', 'i32', 'u32')}\n")
        self.before.append("@struct\nclass Scalars:\n" + "".join(lines))
        self.kernel.args.args = [a for a in self.parameters if a not in fields] + [_parameter(f"{_FIELDS}: Scalars")]
        _Replaced(lambda n: isinstance(n, ast.Name) and n.id in names, lambda text: f"{_FIELDS}.{text}").visit(
            self.kernel
        )

    def into_pack(self) -> None:
        """An array becomes some of the same; its accesses choose members, most of them by number."""
        arrays = [a for a in self.parameters if _borrow(a) in ("Ref", "Mut", "Atomic") and self.is_used(a.arg)]
        arrays = [a for a in arrays if "layout" not in ast.dump(a)]
        if not arrays:
            return
        array, members = self.random.choice(arrays), self.random.choice([2, 2, 3])
        declared = ast.unparse(array.annotation)  # type: ignore[arg-type]
        if (
            declared.count(",") == 1
            and "size" not in declared
            and _borrow(array) == "Ref"
            and self.random.random() < 0.3
        ):  # lengths of their own
            declared = f"{declared.split(',')[0]}, 'len[]']"
        array.annotation = _expression(f"Pack[{declared}, {members}]")
        index = self.outermost
        choices = [*map(str, range(members)), "0", "0", f"{index} % {members}", f"min({index}, {members - 1})"]

        def member(text: str) -> str:
            chosen = self.slip(self.one(*choices), str(members), index, "0 if weight else 1")
            return f"{array.arg}[{chosen.replace(' if weight', f' if {index} > 1')}]{text[len(array.arg) :]}"

        replaced = _Replaced(lambda n: isinstance(n, ast.Subscript) and _name(n.value) == array.arg, member)
        replaced.visit(self.kernel)

    def is_used(self, name: str) -> bool:
        return any(_name(n.value) == name for n in self.accesses())

    def into_waiver(self, header: str) -> None:
        """A statement comes to stand in a `with` block."""
        places = [(b, n) for b in self.blocks() for n, s in enumerate(b) if not _declares(s)]
        places = [(b, n) for b, n in places if "32(" not in ast.unparse(b[n])]  # wrapped, it need not be at fault
        if not places:
            return
        block, number = self.random.choice(places)
        waiver = ast.parse(f"with {header}:\n    pass").body[0]
        assert isinstance(waiver, ast.With)
        waiver.body = [block[number]]
        block[number] = waiver

    def into_checked(self) -> None:
        """An element that may be anywhere stands in `with checked()`."""
        self.into_waiver("checked()")
        inside = [n for w in ast.walk(self.kernel) if isinstance(w, ast.With) for n in ast.walk(w)]
        found = [n for n in self.indexed() if n in inside]
        loads = [n for n in found if isinstance(n.ctx, ast.Load)]
        if found:
            form = self.one("{e} + 1", "{e} + 2", "{e} - 1", "2 * i64({e})", "i64({e}) * {e}")
            self.set_index(self.random.choice(loads if loads and self.random.random() < 0.8 else found), form)

    def into_unsafe(self) -> None:
        """A statement stands in `with unsafe`: its faults are the author's."""
        self.into_waiver('unsafe("it is right")')

    def set_index(self, access: ast.Subscript, form: str) -> None:
        """Replace an index of an access by a form of it, in which `{e}` stands for what was there."""
        if not isinstance(access.slice, ast.Tuple):
            access.slice = _expression(form.format(e=f"({ast.unparse(access.slice)})"))
            return
        number = self.random.randrange(len(access.slice.elts))
        access.slice.elts[number] = _expression(form.format(e=f"({ast.unparse(access.slice.elts[number])})"))

    def private(self) -> set[str]:
        """Return the buffers whose first indices are a thread's own, as its header has them."""
        return {
            _name(s.targets[0])
            for s in ast.walk(self.kernel)
            if isinstance(s, ast.Assign) and _called(s.value) == "private"
        }

    def indexed(self) -> list[ast.Subscript]:
        """Return accesses whose indices may be any expression."""
        private = self.private()
        arrays = {a.arg for a in self.parameters if _borrow(a) == "Pack"}
        return [n for n in self.accesses() if _name(n.value) not in private | arrays]

    def any_access(self) -> ast.Subscript | None:
        """Return an access whose index may be any expression; a read, unless there is none: it races less often."""
        found = self.indexed()
        loads = [n for n in found if isinstance(n.ctx, ast.Load)]
        return self.random.choice(loads if loads and self.random.random() < 0.9 else found) if found else None

    def into_narrow(self) -> None:
        """An index goes through integers of 32 bits, most often in a launch that keeps it small."""
        form, found = self.one(*_NARROW), self.indexed()
        if not found:
            return
        self.kernel.args.args += [_parameter(p) for p in ("w32: i32", "v32: u32") if p[:3] in form]
        self.set_index(self.random.choice(found), form)
        if self.random.random() < 0.9:
            small = {"size": "size <= 100000 and n <= 10000 and m <= 10000"}
            is_flat = any(a.arg == "m" for a in self.parameters)
            has_m = is_flat or "'m" in ast.dump(self.kernel.args)
            limit = small["size"] if is_flat else "n <= 10000 and m <= 10000" if has_m else "n <= 10000"
            self.kernel.body.insert(0, ast.parse(f"require({limit})").body[0])

    def into_device(self) -> None:
        """An index, a value or a store is left to a function."""
        kinds = [self.device_index, self.device_index, self.device_value, self.device_element, self.device_put]
        self.random.shuffle(kinds)
        any(kind() for kind in kinds)

    def define(self, name: str, **parts: str) -> None:
        self.before.append(_DEVICE[name].lstrip().format(**parts))

    def device_index(self) -> bool:
        access = self.any_access()
        if access is None:
            return False
        index = self.threads()[0][0][0]
        if self.random.random() < 0.5:
            self.define("near", one=self.slip("1", "0"))
            form = self.one(f"near({{e}}, 0, {self.one('4', 'n', 'n')})", f"near({{e}}, {index}, n)")
        else:
            self.define("counted", count=self.one("3", "2"), result=self.one("max(i - c, 0)", "max(i - c, 0)", "i + c"))
            form = "counted({e})"
        self.set_index(access, form)
        return True

    def device_value(self) -> bool:
        stores = [
            s for b in self.blocks() for s in b if isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Subscript)
        ]
        stores = [s for s in stores if self.element_type(s.targets[0]) == "f64"]
        if not stores:
            return False
        store, index = self.random.choice(stores), self.threads()[0][0][0]
        self.define(
            "weighed", fill=self.one("", ", fill=0.0"), three=self.slip("3", "2", "4"), last=self.slip("2", "1", "3")
        )
        store.value = _expression(f"weighed({ast.unparse(store.value)}, {index})")
        return True

    def element_type(self, access: ast.expr) -> str:
        """Return the element type of a parameter, or nothing."""
        name = _name(access.value) if isinstance(access, ast.Subscript) else ""
        types = (a.annotation for a in self.parameters if a.arg == name)
        return next(
            (_name(t.slice.elts[0]) for t in types if isinstance(t, ast.Subscript) and isinstance(t.slice, ast.Tuple)),
            "",
        )

    def _condition(self) -> dict[str, str]:
        right = self.one("0 <= i and i < len", "i >= 0 and i + 1 < len", "i > 0 and i <= len", "i < len")
        shift = {"i >= 0 and i + 1 < len": " + 1", "i > 0 and i <= len": " - 1"}.get(right, "")
        return {"condition": right, "plus": self.slip(shift, " + 1", " - 1", "")}

    def device_element(self) -> bool:
        found = [n for n in self.indexed() if isinstance(n.ctx, ast.Load) and not isinstance(n.slice, ast.Tuple)]
        arrays = {a.arg for a in self.parameters if _borrow(a) in ("Ref", "Mut")}
        found = [n for n in found if _name(n.value) in arrays and self.element_type(n) == "f64"]
        if not found:
            return False
        load = self.random.choice(found)
        self.define("element", **self._condition())
        call = _expression(f"element({_name(load.value)}, {ast.unparse(load.slice)})")
        _Replaced(lambda n: n is load, lambda _: ast.unparse(call)).visit(self.kernel)
        return True

    def device_put(self) -> bool:
        arrays = {a.arg for a in self.parameters if _borrow(a) == "Mut" and self.element_type_of(a) == "f64"}
        for block in self.blocks():
            for number, store in enumerate(block):
                target = store.targets[0] if isinstance(store, ast.Assign) else None
                if (
                    isinstance(store, ast.Assign)
                    and isinstance(target, ast.Subscript)
                    and _name(target.value) in arrays
                    and not isinstance(target.slice, ast.Tuple)
                ):
                    self.define("put", **self._condition())
                    call = f"put({_name(target.value)}, {ast.unparse(target.slice)}, {ast.unparse(store.value)})"
                    block[number] = ast.Expr(_expression(call))
                    return True
        return False

    def element_type_of(self, parameter: ast.arg) -> str:
        return _name(items[0]) if (items := _items(parameter)) else ""

    def into_gather(self) -> None:
        """An index is read from a list."""
        loads = [n for n in self.indexed() if isinstance(n.ctx, ast.Load) and _name(n.value) in ("x", "d", "k", "mm")]
        if loads:
            self.set_index(self.random.choice(loads), f"q[{self.slip(self.outermost, self.outermost + ' + 1')}]")

    def into_table(self) -> None:
        """An index is looked up in a table of the module."""
        access = self.any_access()
        if access is None:
            return
        self.before.append(f"ORDER = {self.one('(0, 1, 2, 3)', '(0, 2, 1, 3)', '(0, 0, 1, 2)', '(0, 1, 2, 4)')}\n")
        self.set_index(access, self.one("ORDER[min(max({e}, 0), 3)]", "ORDER[{e} % 4]"))

    def into_layout(self) -> None:
        """Another order of the dims in memory."""
        arrays = [a for a in self.parameters if _borrow(a) in ("Ref", "Mut", "Out", "Atomic")]
        arrays = [a for a in arrays if isinstance(a.annotation, ast.Subscript) and self.is_used(a.arg)]
        for a in arrays:
            dims = len(_items(a)) - 1
            if dims > 1:
                order = list(range(dims))
                self.random.shuffle(order)
                a.annotation = _expression(f"{ast.unparse(a.annotation)[:-1]}, layout({', '.join(map(str, order))})]")  # type: ignore[arg-type]


OFTEN = {  # in a hundred kernels
    Mixer.into_layout: 27, Mixer.into_gather: 15, Mixer.into_pack: 16, Mixer.into_narrow: 15, Mixer.into_table: 15,
    Mixer.into_device: 17, Mixer.into_struct: 23, Mixer.into_checked: 43, Mixer.into_unsafe: 17,
}  # fmt: skip


def mixed(text: str, random: Random) -> str:
    """Return a kernel with some more constructs in it."""
    mixer = Mixer(text, random)
    for rewrite, often in OFTEN.items():
        if random.randrange(100) < often:
            rewrite(mixer)
    return mixer.text


class _Replaced(ast.NodeTransformer):
    """Expressions of one kind, each by a form of its text."""

    def __init__(self, matches: Callable[[ast.AST], bool], form: Callable[[str], str]) -> None:
        self.matches, self.form = matches, form

    def generic_visit(self, node: ast.AST) -> ast.AST:
        is_match = self.matches(node)
        super().generic_visit(node)
        if not is_match:
            return node
        new = _expression(self.form(ast.unparse(node)))
        if isinstance(new, (ast.Subscript, ast.Attribute)) and isinstance(node, (ast.Subscript, ast.Name)):
            new.ctx = node.ctx
        return new


def _expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _parameter(text: str) -> ast.arg:
    (function,) = ast.parse(f"def f({text}): pass").body
    assert isinstance(function, ast.FunctionDef)
    return function.args.args[0]


def _name(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def _called(node: ast.AST) -> str:
    return _name(node.func) if isinstance(node, ast.Call) else ""


def _items(parameter: ast.arg) -> list[ast.expr]:
    annotation = parameter.annotation
    return (
        annotation.slice.elts
        if isinstance(annotation, ast.Subscript) and isinstance(annotation.slice, ast.Tuple)
        else []
    )


def _borrow(parameter: ast.arg) -> str:
    return _name(parameter.annotation.value) if isinstance(parameter.annotation, ast.Subscript) else ""


def _declares(statement: ast.stmt) -> bool:
    """Whether what stands after a statement may need the names that it makes."""
    return isinstance(statement, (ast.Assign, ast.AugAssign, ast.Break, ast.Continue)) and not (
        isinstance(statement, (ast.Assign, ast.AugAssign))
        and isinstance(statement.targets[0] if isinstance(statement, ast.Assign) else statement.target, ast.Subscript)
    )
