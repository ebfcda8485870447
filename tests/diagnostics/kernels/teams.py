"""Teams: what is the same for a whole team, what belongs to a phase, and what to one thread."""

from kparity.compiler import Atomic, Mut, Ref, Sum, f64, i32, kernel, parallel, private, shared, teams, threads


def barrier() -> None:
    """What other languages have."""


@kernel
def barrier_call(y: Mut[f64, "m", 32]):
    for b in teams(m):
        s = shared(f64, 32)
        for t in threads(32):
            s[t] = y[b, t]
            barrier()  # error: [KP0507] "there is no `barrier()`: a barrier is the end of a phase"
            y[b, t] = s[t]


@kernel
def barrier_call_safe(y: Mut[f64, "m", 32]):
    for b in teams(m):
        s = shared(f64, 32)
        for t in threads(32):
            s[t] = y[b, t]
        for t in threads(32):
            y[b, t] = s[31 - t]


@kernel
def phase_under_a_condition_of_threads(y: Mut[f64, "m", 32]):
    for b in teams(m):
        for t in threads(32):
            if t < 16:
                for u in threads(16):  # error: [KP0507] "a phase inside a phase"
                    y[b, u] = 1.0


@kernel
def phase_under_a_condition_of_threads_safe(y: Mut[f64, "m", 32], x: Ref[f64, "m"]):
    for b in teams(m):
        if x[b] > 0.0:  # the same for all threads of a team
            for u in threads(16):
                y[b, u] = 1.0


@kernel
def condition_on_a_thread_index(y: Mut[f64, "m", 32]):
    for b in teams(m):
        for t in threads(32):
            y[b, t] = 0.0
        if t == 0:  # error: [KP0509] "`t` has no value here"
            for t in threads(32):
                y[b, t] = 1.0


@kernel
def condition_on_a_thread_index_safe(y: Mut[f64, "m", 32]):
    for b in teams(m):
        for t in threads(32):
            y[b, t] = 0.0
        if b == 0:
            for t in threads(32):
                y[b, t] = 1.0


@kernel
def loop_until_memory_says_so(y: Mut[f64, "m", 32], go: Mut[i32, "m"]):
    for b in teams(m):
        for step in range(go[b]):  # error: [KP0508] "a team cannot read `go` outside of its phases"
            for t in threads(32):
                y[b, t] *= 0.5
                if t == 0:
                    go[b] = 0


@kernel
def loop_until_memory_says_so_safe(y: Mut[f64, "m", 32], go: Ref[i32, "m"]):
    for b in teams(m):
        for step in range(go[b]):
            for t in threads(32):
                y[b, t] *= 0.5


@kernel
def condition_on_shared_memory(y: Mut[f64, "m", 32]):
    for b in teams(m):
        found = shared(i32, 1, atomic=True, fill=0)
        for t in threads(32):
            if y[b, t] > 1.0:
                found[0] += 1
        if found[0].add(0) > 0:  # error: [KP0508] "a team cannot read `found` outside of its phases"
            for t in threads(32):
                y[b, t] = 0.0


@kernel
def condition_on_shared_memory_safe(y: Mut[f64, "m", 32]):
    for b in teams(m):
        found = shared(i32, 1, atomic=True, fill=0)
        for t in threads(32):
            if y[b, t] > 1.0:
                found[0] += 1
        for t in threads(32):
            if found[0].add(0) > 0:
                y[b, t] = 0.0


@kernel
def store_by_a_team(y: Mut[f64, "m"], total: Sum[f64]):
    for b in teams(m):
        y[b] = 1.0  # error: [KP0508] "a team cannot write `y` outside of its phases"
        total += 1.0  # error: [KP0508] "a team cannot contribute to `total` outside of its phases"


@kernel
def store_by_a_team_safe(y: Mut[f64, "m"], total: Sum[f64]):
    for b in teams(m):
        for t in threads(1):
            y[b] = 1.0
            total += 1.0


@kernel
def value_of_another_phase(y: Mut[f64, "m", 32]):
    for b in teams(m):
        for t in threads(32):
            v = y[b, t]
        for t in threads(32):
            y[b, t] = 2.0 * v  # error: [KP0509] "`v` has no value here: it is a name of another phase"


@kernel
def value_of_another_phase_safe(y: Mut[f64, "m", 32]):
    for b in teams(m):
        v = private(f64, threads=32)
        for t in threads(32):
            v[t] = y[b, t]
        for t in threads(32):
            y[b, t] = 2.0 * v[t]


@kernel
def count_of_the_team(y: Mut[f64, "m", 32]):
    for b in teams(m):
        n = 32
        for t in threads(32):
            if y[b, t] > 0.0:
                n = n // 2  # error: [KP0509] "`n` belongs to the whole team"
        for t in threads(n):
            y[b, t] = 0.0


@kernel
def count_of_the_team_safe(y: Mut[f64, "m", 32], few: i32):
    for b in teams(m):
        n = 32
        if few > 0:
            n = n // 2
        for t in threads(n):
            y[b, t] = 0.0


@kernel
def private_of_a_neighbour(y: Mut[f64, "m", 32]):
    for b in teams(m):
        v = private(f64, 2, threads=32, fill=0.0)
        for t in threads(32):
            y[b, t] = v[31 - t, 0]  # error: 25 [KP0510] "`v` is private"


@kernel
def private_of_a_neighbour_safe(y: Mut[f64, "m", 32]):
    for b in teams(m):
        v = private(f64, 2, threads=32, fill=0.0)
        for t in threads(32):
            y[b, t] = v[t, 0]


@kernel
def private_in_another_shape(y: Mut[f64, "m", 32]):
    for b in teams(m):
        v = private(f64, threads=32, fill=0.0)
        for t in threads((1, 32)):
            y[b, t] = v[t]  # error: [KP0510] "`v` is private to the threads of phases of another shape"


@kernel
def private_in_another_shape_safe(y: Mut[f64, "m", 32]):
    for b in teams(m):
        v = private(f64, threads=32, fill=0.0)
        for t in threads(32):
            if t >= 1:
                y[b, t] = v[t]


@kernel
def private_of_a_corner(y: Mut[f64, "m", 4, 4]):
    for b in teams(m):
        v = private(f64, threads=(4, 4), fill=0.0)
        for t, u in threads(2, 2):
            y[b, t, u] = v[t, u]  # error: [KP0510] "`v` is private to the threads of phases of another shape"


@kernel
def private_of_a_corner_safe(y: Mut[f64, "m", 4, 4]):
    for b in teams(m):
        v = private(f64, threads=(4, 4), fill=0.0)
        for t, u in threads(4, 4):
            if t < 2 and u < 2:
                y[b, t, u] = v[t, u]


@kernel
def shared_in_a_phase(y: Mut[f64, "m", 32]):
    for b in teams(m):
        for t in threads(32):
            s = shared(f64, 32)  # error: [KP0107] "`shared` memory is declared in the body of a `teams` itself"
            s[t] = 1.0


@kernel
def shared_in_a_phase_safe(y: Mut[f64, "m", 32]):
    for b in teams(m):
        s = shared(f64, 32)
        for t in threads(32):
            s[t] = 1.0


@kernel
def plain_store_to_atomic_memory(h: Atomic[i32, 8]):
    for b in teams(4):
        mine = shared(i32, 8, atomic=True, fill=0)
        for t in threads(8):
            mine[t] = 1  # error: [KP0506] "`mine` is declared `atomic`"
        for t in threads(8):
            h[t] += mine[t].add(0)


@kernel
def plain_store_to_atomic_memory_safe(h: Atomic[i32, 8]):
    for b in teams(4):
        mine = shared(i32, 8, atomic=True, fill=0)
        for t in threads(8):
            mine[t] += 1
        for t in threads(8):
            h[t] += mine[t].add(0)


@kernel
def threads_without_a_team(y: Mut[f64, "n"]):
    for i in parallel(n):
        for t in threads(4):  # error: [KP0106] "an inner loop runs over `range(...)`"
            y[i] = 1.0


@kernel
def threads_without_a_team_safe(y: Mut[f64, "n"]):
    for i in parallel(n):
        for t in range(4):
            y[i] = 1.0
