"""Python source for Numba: one module per program, dimension and type.

A block of 64 chains advances together. Its state is a flat array in which the 64 lanes lie
innermost, so that the compiler widens the lane loop over generator, transform and update at once.
"""

from __future__ import annotations

from collections.abc import Iterator

from simulators import philox
from simulators.emit import Layout, Loops, Names, calls, looped, place, scratch, unrolled
from simulators.moments import LANES
from simulators.program import START, Block
from simulators.transforms import FLOAT32, FLOAT64, Function, functions

_HEAD = '''"""Kernels of {sampler} on {model} in {D} dimensions, {dtype}. Generated: do not edit."""

import numpy as np
from numba import njit

from simulators.cpu.primitives import (
    F32, F64, HALF, I32, I64, LOW, OPTIONS, U32, U64,
    absolute, bits, fma, inline, join, pick, real_w, root, unbits,
)

REAL, int_, word_ = {types}


def compiled(signature):
    return njit(signature, cache=True, **OPTIONS)


@inline
def real_i(a):
    return REAL(int_(a))


@inline
def less(a, b):
    return REAL(1.0) if a < b else REAL(0.0)


@inline
def lessequal(a, b):
    return REAL(1.0) if a <= b else REAL(0.0)


@inline
def choose(p, a, b):
    return a if p != REAL(0.0) else b

'''

_FILL = """
@njit(**OPTIONS)
def fill(z, at, base, seed, purpose, step, normals):
    size = I64({width})
    while size > 1 and (size // 2 * normals) % {width} == 0:
        size //= 2
    begin = (step % size) * normals
    low = U64(step // size) & LOW
    high = U64(step // size) >> HALF
    for block in range(begin // {width}, (begin + normals + {width} - 1) // {width}):
        to = (at + {width} + block * {width} - begin) * {lanes}
        part = z[to : to + {width} * {lanes}]  # so that indices below are plainly not negative
        for l in range({lanes}):
            a, b, d, e = philox(U64(block), low, high, U64(base + l), U64(seed), U64(purpose))
{normals}
"""

_SUMS = """
@compiled("void({real}[:, ::1], int64[:, ::1], float64[::1], int64, float64[:, ::1])")
def sums(x, index, centre, chains, out):
    for b in range(x.shape[0]):
        lanes = min({lanes}, chains - b * {lanes})
        for m in range(index.shape[0]):
            total = 0.0
            for l in range(lanes):
                term = 1.0
                for k in range(index.shape[1]):
                    i = index[m, k]
                    if i >= 0:
                        term *= F64(x[b, i * {lanes} + l]) - centre[i]
                total += term
            out[b, m] = total
"""

_RUN = """
@compiled("void({real}[:, ::1], {real}[::1], {real}[::1], int64, int64, int64, int64)")
def run(x, c, u, chain, seed, first, steps):
    z = np.empty({noise} * {lanes}, REAL)
    s = np.empty({scratch} * {lanes}, REAL)
    for b in range(x.shape[0]):
        base = chain + b * {lanes}
        now = first
        end = first + steps
        while now < end:
            count = (end - now) // {fused}
            if {fusing} and now % {fused} == 0 and count > 0:
                groups(x[b], c, u, now - first, base, seed, now // {fused}, count)
                now += count * {fused}
            else:
{fills}
                step(x[b], z, s, c, u, now - first)
                now += 1
"""

_BEGIN = """
@compiled("void({real}[:, ::1], {real}[::1], int64, int64)")
def begin(x, c, chain, seed):
    z = np.empty({noise} * {lanes}, REAL)
    s = np.empty({scratch} * {lanes}, REAL)
    u = np.empty(1, REAL)
    for b in range(x.shape[0]):
        fill(z, 0, chain + b * {lanes}, seed, {start}, 0, {normals})
        first(x[b], z, s, c, u, 0)
"""


def source(layout: Layout) -> str:
    """The whole module."""
    program, body = layout.program, layout.program.body
    single = layout.dtype == "float32"
    real = layout.dtype
    head = _HEAD.format(
        sampler=program.sampler, model=program.model, D=layout.D, dtype=real,
        types="F32, I32, U32" if single else "F64, I64, U64",
    )  # fmt: skip
    parts = [head, *(_function(f) for f in functions(FLOAT32 if single else FLOAT64, _literal))]
    width = philox.width(real)
    parts += [_philox(), _FILL.format(width=width, lanes=LANES, normals=_transform(single))]
    parts.append(_step("step", body, layout))
    if layout.unrolled:
        parts.append(_groups(layout))
    parts.append(
        _RUN.format(
            real=real, lanes=LANES, fused=layout.fused, fusing=layout.unrolled,
            noise=layout.noise(body)[1], scratch=_scratch(body, layout), fills=_fills(layout),
        )
    )  # fmt: skip
    parts.append(_SUMS.format(real=real, lanes=LANES))
    if program.start.outputs:
        parts.append(_step("first", program.start, layout))
        parts.append(
            _BEGIN.format(
                real=real, lanes=LANES, start=START,
                noise=layout.noise(program.start)[1], scratch=_scratch(program.start, layout),
                normals=program.start.normals(START) * layout.D,
            )
        )  # fmt: skip
    return "\n".join(parts)


def _literal(x: float) -> str:
    return f"REAL({x!r})"


def _function(function: Function) -> str:
    names = ", ".join(name for _, name in function.parameters)
    head = "".join(
        f"    {name} = word_({name})\n"
        for kind, name in function.parameters
        if kind == "word" and len(function.parameters) == 2
    )
    body = "".join(f"    {name} = {value}\n" for _, name, value in function.lines)
    results = ", ".join(function.results)
    return f"\n@inline\ndef {function.name}({names}):\n{head}{body}    return {results}\n"


def _philox() -> str:
    """Words live in the low halves of 64-bit lanes; only multiplicands need the mask."""
    lines = ["", "@inline", "def philox(c0, c1, c2, c3, k0, k1):"]
    m0, m1 = philox.MULTIPLIERS
    for r in range(philox.ROUNDS):
        w0, w1 = ((r * w) & 0xFFFFFFFF for w in philox.WEYL)
        lines += [
            f"    p0 = (c0 & LOW) * U64({m0:#x})",
            f"    p1 = (c2 & LOW) * U64({m1:#x})",
            f"    c0 = (p1 >> HALF) ^ c1 ^ (k0 + U64({w0:#x}))",
            f"    c2 = (p0 >> HALF) ^ c3 ^ (k1 + U64({w1:#x}))",
            "    c1 = p1",
            "    c3 = p0",
        ]
    return "\n".join([*lines, "    return c0, c1, c2, c3", ""])


def _transform(single: bool) -> str:
    at = "            part[{} * 64 + l], part[{} * 64 + l] = box_muller({})"
    if single:
        return at.format(0, 1, "a, b") + "\n" + at.format(2, 3, "d, e")
    return at.format(0, 1, "a, b, d, e")


def _fills(layout: Layout) -> str:
    body = layout.program.body
    offsets, _ = layout.noise(body)
    lines = [
        f"fill(z, {offsets[f'purpose {p}']}, base, seed, {p}, now, {layout.normals(p)})"
        for p in body.purposes
    ]
    return "\n".join(" " * 16 + line for line in lines)


def _scratch(block: Block, layout: Layout) -> int:
    return 0 if layout.unrolled else scratch(block, layout)[1]


def _step(name: str, block: Block, layout: Layout) -> str:
    """One step on noise from a buffer: for what does not fill a group, and for tests."""
    lines = ["", "@njit(**OPTIONS)", f"def {name}(x, z, s, c, u, row):"]
    lines += [f"    {line}" for line in _scheduled(layout, "row", "u{}")]
    if not layout.unrolled:
        loops = Loops(
            at=lambda array, index: f"{array}[({index}) * {LANES} + l]",
            each=lambda variable, count: f"for {variable} in range({count}):",
            lanes=f"for l in range({LANES}):",
            end="",
            set=lambda target, value: f"{target} = {value}",
        )
        return "\n".join([*lines, *(f"    {x}" for x in looped(block, layout, loops)), ""])
    noise, _ = layout.noise(block)
    states = layout.program.states
    names = Names(
        state=lambda s, i: f"x{states.index(s)}_{i}",
        draw=lambda d, i: f"z[{(noise[d] + i) * LANES} + l]",
        constant=lambda k: f"c{k}",
        scheduled=lambda n: f"u{layout.program.scheduled.index(n)}",
    )
    lines += [f"    {line}" for line in _constants(layout)]
    lines += [f"    for l in range({LANES}):"]
    inner = [*_load(layout), *(f"{n} = {v}" for n, v in unrolled(block, layout, names))]
    written = [states.index(s) for s, _ in block.outputs]
    inner += [
        f"x[{(k * layout.D + i) * LANES} + l] = n{k}_{i}" for k in written for i in range(layout.D)
    ]
    return "\n".join([*lines, *(f"        {line}" for line in inner), ""])


def _scheduled(layout: Layout, row: str, name: str) -> Iterator[str]:
    count = len(layout.program.scheduled)
    yield from (f"{name.format(k)} = u[({row}) * {count} + {k}]" for k in range(count))


def _constants(layout: Layout) -> Iterator[str]:
    yield from (f"c{k} = c[{k}]" for k in range(layout.constant_count))


def _load(layout: Layout) -> Iterator[str]:
    for k in range(len(layout.program.states)):
        for i in range(layout.D):
            yield f"x{k}_{i} = x[{(k * layout.D + i) * LANES} + l]"


def _groups(layout: Layout) -> str:
    """Fused steps: as many as use whole generator calls, with everything in local variables."""
    lines = ["", "@njit(**OPTIONS)", "def groups(x, c, u, row, base, seed, group, count):"]
    lines += [f"    {line}" for line in _constants(layout)]
    lines += ["    k0 = U64(seed)", "    for g in range(group, group + count):"]
    lines += [f"        {line}" for line in _counters(layout)]
    for s in range(layout.fused):
        row = f"row + (g - group) * {layout.fused} + {s}"
        lines += [f"        {line}" for line in _scheduled(layout, row, f"u{{}}_{s}")]
    lines += [f"        for l in range({LANES}):", "            chain = U64(base + l)"]
    inner = list(_load(layout))
    for s in range(layout.fused):
        inner += [*_draws(layout, s), *_fused_step(layout, s)]
    inner += [
        f"x[{(k * layout.D + i) * LANES} + l] = x{k}_{i}"
        for k in range(len(layout.program.states))
        for i in range(layout.D)
    ]
    return "\n".join([*lines, *(f"            {line}" for line in inner), ""])


def _counters(layout: Layout) -> Iterator[str]:
    for p in layout.program.body.purposes:
        repeats = layout.fused // layout.group(p)
        for r in range(repeats):
            yield f"low{p}_{r} = U64(g * {repeats} + {r}) & LOW"
            yield f"high{p}_{r} = U64(g * {repeats} + {r}) >> HALF"


def _draws(layout: Layout, s: int) -> Iterator[str]:
    width = philox.width(layout.dtype)
    for p, r, block in calls(layout, s):
        yield f"a, b, d, e = philox(U64({block}), low{p}_{r}, high{p}_{r}, chain, k0, U64({p}))"
        z = [f"z{p}_{r}_{block * width + lane}" for lane in range(width)]
        if width == 4:
            yield f"{z[0]}, {z[1]} = box_muller(a, b)"
            yield f"{z[2]}, {z[3]} = box_muller(d, e)"
        else:
            yield f"{z[0]}, {z[1]} = box_muller(a, b, d, e)"


def _fused_step(layout: Layout, s: int) -> Iterator[str]:
    program = layout.program
    draws = {d.name: d for d in program.body.draws}
    names = Names(
        state=lambda name, i: f"x{program.states.index(name)}_{i}",
        draw=lambda name, i: place(layout, draws[name], i, s),
        constant=lambda k: f"c{k}",
        scheduled=lambda n: f"u{program.scheduled.index(n)}_{s}",
    )
    yield from (f"{n} = {v}" for n, v in unrolled(program.body, layout, names))
    for k, state in enumerate(program.states):
        if any(name == state for name, _ in program.body.outputs):
            yield from (f"x{k}_{i} = n{k}_{i}" for i in range(layout.D))
