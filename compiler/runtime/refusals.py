"""The wording of refused launches: one function a fault."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from numbers import Number
from typing import Any

from ..errors import LaunchError


def refusal(
    code: str, message: str, *, place: str = "", notes: Iterable[str] = (), helps: Iterable[str] = ()
) -> LaunchError:
    """Return a launch error in the form of the compiler's diagnostics.

    Parameters
    ----------
    code : str
        Of its page.
    place : str
        `file:line`, where a line of the kernel is the reason.
    """
    lines = [f"error[{code}]: {message}"]
    lines += [f"  --> {place}"] if place else []
    lines += [f"  = note: {note}" for note in (*notes, "nothing was launched")]
    lines += [f"  = help: {text}" for text in helps]
    return LaunchError("\n".join([*lines, f"  = more: kparity explain {code}"]))


def guard_fails(kernel: str, condition: str, access: str, place: str, values: Mapping[str, Any]) -> LaunchError:
    """KP0801."""
    shown = ", ".join(f"{n} = {v}" for n, v in values.items())
    return refusal(
        "KP0801", f"launch guard of `{kernel}` does not hold: {condition}", place=place,
        notes=[f"the access `{access}` would be outside of what was proved{f', with {shown}' if shown else ''}"],
        helps=["pass values that satisfy the condition"],
    )  # fmt: skip


def requirement_fails(kernel: str, condition: str, place: str, values: Mapping[str, Any]) -> LaunchError:
    """KP0801."""
    shown = ", ".join(f"{n} = {v}" for n, v in values.items())
    return refusal(
        "KP0801", f"`{kernel}` requires {condition}", place=place,
        notes=[f"here {shown}"] if shown else [], helps=["pass values that satisfy the condition"],
    )  # fmt: skip


def left_its_array(
    kernel: str, access: str, place: str, thread: Mapping[str, int], dimension: int, index: int, bounds: tuple[int, int]
) -> str:
    """KP0808; the launch has run, and its access has not happened."""
    who = ", ".join(f"{name} = {value}" for name, value in thread.items())
    lines = [
        f"error[KP0808]: `{access}` in `{kernel}` would have left its array",
        f"  --> {place}",
        f"  = note: thread {who}: index {index} in dimension {dimension + 1}, but {bounds[0]} <= index < {bounds[1]}",
        "  = note: neither this access happened nor any other like it; a load gave 0, a store nothing",
        "  = help: correct the index, or test it first; the results are incomplete",
        "  = more: kparity explain KP0808",
    ]
    return "\n".join(lines)


def too_many_threads(kernel: str, threads: int, limit: int) -> LaunchError:
    """KP0801."""
    return refusal(
        "KP0801", f"`{kernel}` would run {threads} threads, more than a launch can number ({limit})",
        helps=["split the ranges"],
    )  # fmt: skip


def range_too_far(kernel: str, index: str, first: int, last: int, limit: str) -> LaunchError:
    """KP0801."""
    return refusal(
        "KP0801", f"the range of `{index}` in `{kernel}`, {first} .. {last}, goes beyond {limit}",
        helps=["split the range"],
    )  # fmt: skip


def too_many_blocks(kernel: str, blocks: int, limit: int) -> LaunchError:
    """KP0801."""
    return refusal(
        "KP0801", f"`{kernel}` needs {blocks} blocks in x, more than a GPU launches ({limit})",
        helps=["split the range"],
    )  # fmt: skip


def no_member(kernel: str, member: str, number: int, pack: str, members: int) -> LaunchError:
    """KP0801."""
    return refusal(
        "KP0801", f"`{member}`, an argument of `{kernel}`, is member {number} of `{pack}`, which has {members}",
        helps=[f"pass values that lead to a member from 0 to {members - 1}"],
    )  # fmt: skip


def no_rank(program: str, message: int, rank: int, size: int) -> LaunchError:
    """KP0801."""
    return refusal(
        "KP0801", f"message {message} of `{program}` goes to process {rank}, and there are {size}",
        helps=["start it with more processes (`mpiexec -n ...`), which takes mpi4py and an MPI: kparity[mpi]"],
    )  # fmt: skip


def no_message(program: str, message: int, tag: int, messages: int) -> LaunchError:
    """KP0801."""
    return refusal(
        "KP0801", f"`{program}` awaits message {tag} as its message {message}, and there are {messages}",
        helps=["tags are numbers of messages, from 0"],
    )  # fmt: skip


def other_size(program: str, message: int, tag: int, wanted: int, sent: int) -> LaunchError:
    """KP0805."""
    return refusal(
        "KP0805", f"`{program}` receives {wanted} bytes as message {message}, but message {tag} has {sent}",
        helps=["pass arrays of equal sizes"],
    )  # fmt: skip


def unpaired(program: str) -> LaunchError:
    """KP0801."""
    return refusal(
        "KP0801", f"`{program}` awaits a message twice, and another one never",
        helps=["each message is received once: the tags are a permutation"],
    )  # fmt: skip


def too_many_launches(program: str, limit: int) -> LaunchError:
    """KP0801."""
    return refusal(
        "KP0801", f"a repetition of `{program}` has more than {limit} launches and iterations",
        helps=["put the innermost loop into the kernel, or call the program for parts of the range"],
    )  # fmt: skip


def never_written(program: str, array: str) -> LaunchError:
    """KP0801."""
    return refusal(
        "KP0801", f"with these values no call of `{program}` writes `{array}`, which is declared `Out`, before its use",
        helps=[f"declare it `{array}: Mut[...]`, or call a kernel that writes it whatever the values are"],
    )  # fmt: skip


def unwritten_scratch(program: str, array: str) -> LaunchError:
    """KP0801."""
    return refusal(
        "KP0801", f"with these values a call of `{program}` reads scratch memory, `{array}`, that no call before wrote",
        helps=["call a kernel that writes it, whatever the values are"],
    )  # fmt: skip


def too_much_memory(kernel: str, what: str, needed: int, limit: int) -> LaunchError:
    """KP0801."""
    return refusal(
        "KP0801", f"a team of `{kernel}` needs {needed} bytes of {what}, more than there are ({limit})",
        helps=["make the team's buffers smaller, and the teams more"],
    )  # fmt: skip


def too_many_private(kernel: str, threads: int, limit: int) -> LaunchError:
    """KP0801."""
    return refusal(
        "KP0801", f"private memory of `{kernel}` is for {threads} threads of a team, more than a block has ({limit})",
        helps=["declare it for fewer threads, and let each of them do several elements"],
    )  # fmt: skip


def no_value(kernel: str, expression: str, why: object) -> LaunchError:
    """KP0801."""
    return refusal(
        "KP0801", f"`{expression}` in the launch of `{kernel}` has no value: {why}", helps=["pass other scalars"]
    )


def too_many_arguments(program: str, names: Sequence[str], given: int) -> LaunchError:
    """KP0802."""
    return refusal(
        "KP0802",
        f"`{program}` takes {len(names)} argument{'s' * (len(names) != 1)}, not {given}",
        helps=[_parameters(names)],
    )


def given_twice(program: str, name: str) -> LaunchError:
    """KP0802."""
    return refusal("KP0802", f"`{program}` got `{name}` by position and by name", helps=["pass it once"])


def wrong_names(program: str, missing: Sequence[str], unknown: Sequence[str], names: Sequence[str]) -> LaunchError:
    """KP0802."""
    parts = [f"{_quoted(missing)} missing"] * bool(missing) + [f"{_quoted(unknown)} unknown"] * bool(unknown)
    return refusal(
        "KP0802",
        f"arguments of `{program}` do not match its parameters: {', '.join(parts)}",
        helps=[_parameters(names)],
    )


def not_an_array(name: str, value: object) -> LaunchError:
    """KP0802."""
    help_ = "pass a NumPy array (CPU) or a CuPy array (GPU), or one of PyTorch, JAX or pandas"
    if isinstance(value, Number):
        help_ += "; one value that a kernel changes is an array of one element, `numpy.zeros(1)`"
    return refusal("KP0802", f"`{name}` is a {type(value).__name__}, not an array", helps=[help_])


def does_not_lend(name: str, value: object, why: str) -> LaunchError:
    """KP0804."""
    what = f"{type(value).__module__.partition('.')[0]} {type(value).__name__}"
    return refusal(
        "KP0804", f"`{name}`, a {what}, does not lend its memory",
        notes=[why], helps=["pass a plain array of it: detached from gradients, dense, of a type that kernels have"],
    )  # fmt: skip


def only_a_copy(name: str, what: str, remedy: str) -> LaunchError:
    """KP0804."""
    return refusal(
        "KP0804", f"`{name}`, {what}, can only be copied, and a launch copies nothing by itself",
        helps=[f"pass {remedy} of it, and put the result back yourself"],
    )  # fmt: skip


def wrong_element(name: str, found: str, parameter: str, wanted: str) -> LaunchError:
    """KP0802."""
    return refusal(
        "KP0802", f"`{name}` has elements of type {found}, but `{parameter}` needs {wanted}",
        helps=[f"convert it with `.astype({wanted!r})`, or change the parameter's type"],
    )  # fmt: skip


def wrong_fields(name: str, found: str, parameter: str, size: int, located: str, struct: str) -> LaunchError:
    """KP0802; `located` is NumPy's name of a value's type, or empty for the fields of a `struct`."""
    layout = f"numpy.dtype([('value', {located!r}), ('location', 'int64')], align=True)"
    what = "a value and its location" if located else f"the fields of `{struct}`"
    return refusal(
        "KP0802", f"`{name}` has elements of type {found}, but `{parameter}` needs {what} in {size} bytes",
        helps=[f"pass one element of `{layout}`" if located else f"pass `numpy.zeros(1, {struct})`"],
    )  # fmt: skip


def wrong_rank(name: str, found: int, dims: Sequence[str]) -> LaunchError:
    """KP0802."""
    wanted = f"{len(dims)} ({', '.join(dims)})"
    return refusal(
        "KP0802", f"`{name}` has {found} dimension{'s' * (found != 1)}, but its parameter has {wanted}",
        helps=["pass an array of that many dimensions, as `.reshape(...)` makes it"],
    )  # fmt: skip


def not_a_number(name: str, value: object, type_: str) -> LaunchError:
    """KP0802."""
    return refusal(
        "KP0802",
        f"`{name}` is a {type(value).__name__}, but a number is needed",
        helps=[f"pass a number that fits `{type_}`"],
    )


def not_an_integer(name: str, value: object, type_: str) -> LaunchError:
    """KP0802."""
    return refusal(
        "KP0802", f"`{name}` is the float {value!r}, but its type `{type_}` holds integers", helps=["pass an `int`"]
    )


def does_not_fit(what: str, value: Any, type_: str, limits: str) -> LaunchError:
    """KP0802."""
    shown = (
        f"an integer of {value.bit_length()} bits" if isinstance(value, int) and abs(value) >= 2**128 else repr(value)
    )
    return refusal(
        "KP0802", f"{what} is {shown}, which does not fit into `{type_}`",
        helps=[f"pass a value within {limits}, or widen the parameter's type"],
    )  # fmt: skip


def overlap(kernel: str, borrowed: str, access: str, first: tuple[str, str], second: tuple[str, str]) -> LaunchError:
    """KP0803: two arrays, each as its name and its addresses; `access` is the borrow that excludes the other one."""
    (a, covers_a), (b, covers_b) = first, second
    how = "updates `{}` atomically" if access == "Atomic" else "borrows `{}` exclusively"
    return refusal(
        "KP0803", f"`{a}` and `{b}` overlap in memory, and `{kernel}` {how.format(borrowed)}",
        notes=[f"`{a}` covers {covers_a}, `{b}` covers {covers_b}"], helps=["pass a copy of one of them"],
    )  # fmt: skip


def wrong_place(name: str, target: str, *, needs_gpu: bool) -> LaunchError:
    """KP0804."""
    where, needed = ("the host", "a GPU") if needs_gpu else ("a GPU", "the host")
    return refusal(
        "KP0804", f"`{name}` lies in memory of {where}, but target `{target}` needs {needed}",
        helps=["copy it with `cupy.asarray(...)`" if needs_gpu else "copy it back with `cupy.asnumpy(...)`"],
    )  # fmt: skip


def wrong_layout(
    name: str, shape: Sequence[int], strides: Sequence[int], wanted: Sequence[int], order: Sequence[int]
) -> LaunchError:
    """KP0804."""
    layout = f"`layout({', '.join(map(str, order))})`" if order else "row-major order"
    return refusal(
        "KP0804", f"`{name}` is not contiguous in {layout}",
        notes=[
            f"its strides are {tuple(strides)} bytes for the shape {tuple(shape)}; {tuple(wanted)} are needed",
        ],
        helps=[
            f"pass a copy: `numpy.empty_like(...)` of that order, filled from `{name}`" if order
            else "pass `numpy.ascontiguousarray(...)` of it, or give the parameter the order that it has, as in"
            " `layout(1, 0)` for column-major",
        ],
    )  # fmt: skip


def other_device(name: str, found: int, current: int) -> LaunchError:
    """KP0804."""
    return refusal(
        "KP0804", f"`{name}` lies in memory of GPU {found}, but GPU {current} is the current one",
        notes=["GPUs are numbered as this process sees them (CUDA_VISIBLE_DEVICES)"],
        helps=[f"launch under `with cupy.cuda.Device({found}):`, or copy the array"],
    )  # fmt: skip


def not_needed(name: str, found: str, needed: str, help_: str) -> LaunchError:
    """KP0802: something else than a pack, a table, a struct or a bool."""
    return refusal("KP0802", f"`{name}` is {found}, but {needed} is needed", helps=[help_])


def masked(name: str) -> LaunchError:
    """KP0804."""
    return refusal(
        "KP0804", f"`{name}` is a masked array, and a kernel knows no mask", helps=["pass `.filled(...)` of it"]
    )


def read_only(name: str, access: str) -> LaunchError:
    """KP0804."""
    return refusal("KP0804", f"`{name}` is read-only, but `{access}` writes to it", helps=["pass a writable copy"])


def misaligned(name: str, element: int) -> LaunchError:
    """KP0804."""
    return refusal("KP0804", f"`{name}` is not aligned to its {element}-byte elements", helps=["pass an aligned copy"])


def no_such_size(name: str, position: int, text: str, size: int, largest: int) -> LaunchError:
    """KP0805."""
    return refusal(
        "KP0805", f"dimension {position} of the scratch memory `{name}`, `{text}`, would have {size} elements",
        helps=[f"pass values for which it has 0 .. {largest}"],
    )  # fmt: skip


def too_long(name: str, position: int, size: int, largest: int) -> LaunchError:
    """KP0805."""
    return refusal(
        "KP0805", f"dimension {position} of `{name}` claims {size} elements, more than any memory has",
        notes=[f"the proofs hold for extents up to {largest}"], helps=["pass an array that exists"],
    )  # fmt: skip


def extents_disagree(
    name: str, position: int, size: int, dim: str, wanted: int, with_: str, origin: str
) -> LaunchError:
    """KP0805."""
    return refusal(
        "KP0805",
        f"dimension {position} of `{name}` has {size} elements, but its dim `{dim}` is {wanted}{with_}{origin}",
        helps=["pass arrays whose shapes agree; the same name in two dims means the same extent"],
    )  # fmt: skip


def index_arrays_refused(kernel: str, fault: str, place: str, cause: str, help_: str) -> LaunchError:
    """KP0806: an inspection found what the proofs exclude."""
    message = f"`{kernel}` cannot run on these index arrays: {fault}"
    return refusal("KP0806", message, place=place, notes=[cause], helps=[help_])


def gone(name: str, how: str) -> LaunchError:
    """KP0807."""
    owner = "the array that `move` returned" if how.startswith("moved") else "a new array"
    return refusal("KP0807", f"`{name}` is used, but was {how}", helps=[f"use {owner}"])


def borrowed(name: str, access: str, by: str) -> LaunchError:
    """KP0807."""
    return refusal(
        "KP0807", f"`{name}` is needed as `{access}`, but the host borrows it with `.{by}()`",
        helps=[f"leave the `with ....{by}()` block first"],
    )  # fmt: skip


def holds_nothing(name: str, access: str) -> LaunchError:
    """KP0807."""
    return refusal(
        "KP0807", f"`{name}` is needed as `{access}`, but holds nothing yet",
        helps=["write it first: `with a.write() as v`, or pass it as `Out`; or make it with `zeros(...)`"],
    )  # fmt: skip


def no_such_rows(name: str, rows: tuple[int, int], length: int) -> LaunchError:
    """KP0807."""
    low, high = rows
    return refusal(
        "KP0807", f"{name} has the rows 0 to {length}, the end excluded, and not {low} to {high}",
        helps=["pass `(first, end)` with 0 <= first <= end <= the length of the first dimension"],
    )  # fmt: skip


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(f"`{n}`" for n in names)


def _parameters(names: Sequence[str]) -> str:
    return f"its parameters are {_quoted(names)}" if names else "it has no parameters"
