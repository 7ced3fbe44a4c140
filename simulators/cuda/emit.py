"""CUDA C from a program: one chain a thread, its state in registers, all steps in one launch.

Blocks of 64 chains are kept as on the processor, lanes innermost, so that neighbouring threads read
neighbouring numbers. There are no barriers: a chain never meets another one, and one thread adds up
each block's sum of one monomial.

Of many problems at once each has thread blocks of its own, which find its constants, its schedule and
its seed in tables by the number of the block. Where states are recorded, a second kernel of each kind
also keeps the state after each step.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from simulators import philox
from simulators.bind import Bound
from simulators.cuda import batch, record, text
from simulators.cuda import normals as transforms
from simulators.cuda.devices import THREADS
from simulators.cuda.loops import Looped
from simulators.emit import Layout, Names, calls, place, unrolled
from simulators.moments import LANES
from simulators.program import Block
from simulators.transforms import FLOAT32, FLOAT64, Function, functions, law
from simulators.tree import written

# Two thread blocks a multiprocessor leave a thread all the registers there are: then constants stay
# in registers from step to step, and the unrolled code keeps the units busy with few threads.
RESIDENT = 2
# With eight warps on each of 132 multiprocessors, local memory of this size a thread is what the
# second-level cache of an H200 holds (50 MB). Beyond, every pass over a chain's numbers goes through
# device memory, as it does for a matrix of all chains, whose products a library tiles better. And
# where a matrix is not in constant memory, a thread loads a number for every operation.
LOCAL_BYTES = 1536
# Constant memory holds 64 kB; its numbers are operands of an instruction at no cost.
_CONSTANT_BYTES = 49_152
_FORMATS = {"float32": FLOAT32, "float64": FLOAT64}


@dataclass(frozen=True)
class Form:
    """What a text is for: one problem or many, and whether states can be recorded."""

    family: bool = False
    recorded: bool = False


ONE, FAMILY, RECORDED = Form(), Form(family=True), Form(recorded=True)


def layout(bound: Bound) -> Layout:
    """Where everything of a bound program lies in these kernels."""
    return Layout.of(bound)


def local_bytes(layout: Layout) -> int:
    """How much local memory a thread of the looped form has: state, noise and results."""
    body = layout.program.body
    numbers = layout.size + layout.noise(body)[1] + Looped(body, layout).length
    return numbers * np.dtype(layout.dtype).itemsize


def fits(layout: Layout) -> bool:
    """Whether a thread can hold a chain: in registers, or in local memory that caches can hold.

    SGD does up to 78 dimensions in single precision, 47 in double.
    """
    small = local_bytes(layout) <= LOCAL_BYTES and in_constant_memory(layout)
    return layout.unrolled or small or layout.batches is not None


def source(layout: Layout, normals: str = "exact", form: Form = ONE) -> str:
    """The whole translation unit."""
    program, real = layout.program, layout.dtype
    parts = [preamble(layout, normals)]
    for p in sorted({*program.body.purposes, *program.start.purposes}):
        width = philox.width(real, p)
        numbers = " ".join(made(p, real, "abde", [f"to[{k}]" for k in range(width)]))
        parts.append(text.FILL.format(purpose=p, width=width, normals=numbers))
    if in_constant_memory(layout) and not form.family:
        count = max(layout.constant_count, 1)
        parts.append(f'\nextern "C" {{ __constant__ real constants[{count}]; }}\n#define c constants\n')
    if layout.batches:
        parts += [batch.pick(layout, d) for d in program.body.batches]
        parts += batch.sums(layout)
    for kept in (False, True) if form.recorded else (False,):
        parts.append(_advance(layout, form, kept))
        if layout.unrolled:
            parts.append(_groups(layout, form, kept))
    if program.start.outputs:
        parts.append(_begin(layout, form))
    wide, row = 16 // np.dtype(real).itemsize, layout.size * LANES
    parts.append(text.START.format(lanes=LANES, row=row))
    parts.append(
        text.SUMS.format(lanes=LANES, lanes_less=LANES - 1, row=row, size=layout.size, wide=wide)
    )
    if form.recorded:
        parts += record.kernels()
    return "".join(parts)


def preamble(layout: Layout, normals: str) -> str:
    """Types, functions, normals from random words, and the words from their counter."""
    program, real = layout.program, layout.dtype
    head = text.HEAD.format(
        sampler=program.sampler, model=program.model, D=layout.D, dtype=real,
        types=text.TYPES[real], normals=normals,
    )  # fmt: skip
    (m0, m1), (w0, w1) = philox.MULTIPLIERS, philox.WEYL
    words = text.PHILOX.format(rounds=philox.ROUNDS, m0=m0, m1=m1, w0=w0, w1=w1)
    return "".join([head, *_transforms(real, normals), words])


def in_constant_memory(layout: Layout) -> bool:
    """Whether the constants are few enough for constant memory."""
    return layout.constant_count * np.dtype(layout.dtype).itemsize <= _CONSTANT_BYTES


def _transforms(dtype: str, normals: str) -> Iterator[str]:
    numbers = _Numbers()
    literal = _single if dtype == "float32" else numbers.literal
    box_muller, *others = functions(_FORMATS[dtype])
    if normals == "exact":
        ours = [transforms.helpers(dtype), _function(transforms.exact(box_muller), literal)]
    else:
        ours = [transforms.fast()]
    ours += [_function(f, literal) for f in others]
    yield numbers.declared()
    yield from ours


def _single(x: float) -> str:
    return _signed(f"{float(np.float32(x)).hex()}f")


class _Numbers:
    """Doubles that do not fit into an instruction: constant memory gives them to one that reads."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}

    def literal(self, x: float) -> str:
        if struct.pack("<d", x)[:4] == bytes(4):  # an instruction holds the upper half
            return _signed(x.hex())
        return f"numbers[{self._places.setdefault(x.hex(), len(self._places))}]"

    def declared(self) -> str:
        if not self._places:
            return ""
        return f"__constant__ double numbers[] = {{{', '.join(self._places)}}};\n"


def _signed(text: str) -> str:
    return f"({text})" if text.startswith("-") else text


def _function(function: Function, literal: Callable[[float], str]) -> str:
    types = {"real": "real", "int": "int_", "word": "word_"}
    parameters = [f"{types[kind]} {name}" for kind, name in function.parameters]
    body = "".join(
        f"  {types[kind]} {name} = {written(tree, literal)};\n" for kind, name, tree in function.lines
    )
    if len(function.results) == 1:
        head = f"\nINLINE real {function.name}({', '.join(parameters)})"
        return f"{head} {{\n{body}  return {function.results[0]};\n}}\n"
    outputs = [f"real &out{k}" for k in range(len(function.results))]
    head = f"\nINLINE void {function.name}({', '.join((*parameters, *outputs))})"
    ends = "".join(f"  out{k} = {name};\n" for k, name in enumerate(function.results))
    return f"{head} {{\n{body}{ends}}}\n"


_STEPS = "i64 first, i64 steps, "
_KEPT = "real *kept, i64 row, i64 slab, "  # the first row that is written, and how far it is to the next


def _kernel(
    name: str, layout: Layout, form: Form, lines: list[str], scheduled: str = "", more: str = ""
) -> str:
    """A kernel whose threads load a chain's state, run some lines, and store it."""
    head = f'\nextern "C" __global__ void __launch_bounds__({THREADS}, {RESIDENT}) {name}('
    if form.family:
        given = f"const real *table, const w32 *seeds, i64 chains, {scheduled}{more}"
    else:
        constants = "" if in_constant_memory(layout) else "const real *c, "
        given = f"{constants}{scheduled}w32 first_chain, w32 seed, {more}"
    load, store = [], []
    if layout.unrolled:
        for i, number in enumerate(_numbers(layout)):
            load.append(f"real {number} = at[{i * LANES}];")
            store.append(f"at[{i * LANES}] = {number};")
    else:
        load = [f"real x[{layout.size}];"]
        load.append(f"for (int i = 0; i < {layout.size}; ++i) x[i] = at[i * {LANES}];")
        store = [f"for (int i = 0; i < {layout.size}; ++i) at[i * {LANES}] = x[i];"]
    lines = [*_place(layout, form), "real *at = states + place;", *load, *lines, *store]
    body = [f"  {line}" for line in lines]
    return "\n".join([head, f"    real *states, {given}i64 threads) {{", *body, "}", ""])


def _numbers(layout: Layout) -> Iterator[str]:
    """The variables that hold an unrolled state."""
    for k in range(len(layout.program.states)):
        yield from (f"x{k}_{i}" for i in range(layout.D))


def _place(layout: Layout, form: Form) -> list[str]:
    """A thread's chain, its place among the states, and its problem's constants and seed."""
    row = layout.size * LANES
    if not form.family:
        return [
            "i64 thread = (i64)blockIdx.x * blockDim.x + threadIdx.x;",
            "if (thread >= threads) return;",
            f"i64 place = thread / {LANES} * {row} + thread % {LANES};",
            "w32 chain = first_chain + (w32)thread;",
        ]
    # the same problem for a whole thread block, so that the compiler knows what all threads share
    return [
        f"w32 share = ((w32)chains + {THREADS - 1}u) / {THREADS}u, problem = blockIdx.x / share;",
        f"w32 chain = blockIdx.x % share * {THREADS}u + threadIdx.x, seed = seeds[problem];",
        "if (chain >= (w32)chains) return;",
        f"i64 place = (i64)problem * chains * {layout.size}",
        f"    + (i64)(chain / {LANES}u) * {row} + chain % {LANES}u;",
        f"const real *c = table + (i64)problem * {max(layout.constant_count, 1)};",
    ]


def _stepping(name: str, layout: Layout, form: Form, kept: bool, lines: list[str]) -> str:
    """A kernel of some steps."""
    count, scheduled = len(layout.program.scheduled), "const real *u, "
    if form.family:
        scheduled = "const real *schedules, "
        if count:
            lines = [f"const real *u = schedules + problem * steps * {count};", *lines]
    if kept:
        lines = ["real *to = kept + row * slab + place;", *lines]
    return _kernel(name, layout, form, lines, scheduled, _STEPS + _KEPT * kept)


def _keep(layout: Layout) -> list[str]:
    """What puts the state down after a step."""
    if layout.unrolled:
        lines = [f"to[{i * LANES}] = {number};" for i, number in enumerate(_numbers(layout))]
    else:
        lines = [f"for (int i = 0; i < {layout.size}; ++i) to[i * {LANES}] = x[i];"]
    return [*lines, "to += slab;"]


def _advance(layout: Layout, form: Form, kept: bool) -> str:
    """Steps one by one, on noise from a buffer: what does not fill a group."""
    body, row = layout.program.body, len(layout.program.scheduled)
    lines = [*_buffers(layout, body), "for (i64 now = first; now < first + steps; ++now) {"]
    lines += [
        f"  fill_{p}(z, {at}, chain, seed, now, {layout.normals(p)});"
        for p, at in _purposes(layout, body)
    ]
    lines += [f"  pick_{d.slot}(rows_{d.name}, chain, seed, now);" for d in body.batches]
    lines += [f"  const real *v = u + (now - first) * {row};"] if row else []
    step = _single_step(layout, body) + (_keep(layout) if kept else [])
    lines += [*(f"  {line}" for line in step), "}"]
    return _stepping(f"{'keep' if kept else 'advance'}_chains", layout, form, kept, lines)


def _begin(layout: Layout, form: Form) -> str:
    start = layout.program.start
    lines = _buffers(layout, start)
    for p, at in _purposes(layout, start):
        lines.append(f"fill_{p}(z, {at}, chain, seed, 0, {start.normals(p) * layout.D});")
    lines += _single_step(layout, start)
    return _kernel("begin_chains", layout, form, lines)


def _purposes(layout: Layout, block: Block) -> list[tuple[int, int]]:
    offsets, _ = layout.noise(block)
    return [(p, offsets[f"purpose {p}"]) for p in block.purposes]


def _buffers(layout: Layout, block: Block) -> list[str]:
    length = 0 if layout.unrolled else Looped(block, layout).length
    buffers = [("z", layout.noise(block)[1]), ("s", length)]
    size = layout.batches.size if layout.batches else 0
    rows = [f"w32 rows_{d.name}[{size}];" for d in block.batches]
    return [*(f"real {name}[{count}];" for name, count in buffers if count), *rows]


def _scheduled(layout: Layout, suffix: str = "") -> Iterator[str]:
    for k in range(len(layout.program.scheduled)):
        yield f"real u{k}{suffix} = v[{k}];"


def _single_step(layout: Layout, block: Block) -> list[str]:
    """One step on noise from the buffer ``z``."""
    lines = list(_scheduled(layout)) if block is layout.program.body else []
    if not layout.unrolled:
        return [*lines, *Looped(block, layout).lines()]
    noise, _ = layout.noise(block)
    return [*lines, *_assignments(block, layout, lambda d, i: f"z[{noise[d] + i}]", "")]


def _assignments(block: Block, layout: Layout, draw: object, suffix: str) -> list[str]:
    program = layout.program
    names = Names(
        state=lambda s, i: f"x{program.states.index(s)}_{i}",
        draw=draw,  # type: ignore[arg-type]
        constant=lambda k: f"c[{k}]",
        scheduled=lambda n: f"u{program.scheduled.index(n)}{suffix}",
    )
    lines = ["{", *(f"  real {n} = {written(v)};" for n, v in unrolled(block, layout, names))]
    for k, state in enumerate(program.states):
        if any(name == state for name, _ in block.outputs):
            lines += [f"  x{k}_{i} = n{k}_{i};" for i in range(layout.D)]
    return [*lines, "}"]


def _groups(layout: Layout, form: Form, kept: bool) -> str:
    """Groups of fused steps, each using whole generator calls: begins and ends between groups."""
    row, fused = len(layout.program.scheduled), layout.fused
    draws = {d.name: d for d in layout.program.body.draws}
    lines = [f"for (i64 g = first / {fused}; g < (first + steps) / {fused}; ++g) {{"]
    for p in layout.program.body.purposes:
        repeats = fused // layout.group(p)
        lines += [f"  i64 group{p}_{r} = g * {repeats} + {r};" for r in range(repeats)]
    for s in range(fused):
        lines += [f"  {line}" for line in _draws(layout, s)]
        if row:
            lines.append(f"  {{ const real *v = u + (g * {fused} + {s} - first) * {row};")
            lines += [f"  {line}" for line in _scheduled(layout, f"_{s}")]
        named = _assignments(
            layout.program.body, layout, lambda n, i, s=s: place(layout, draws[n], i, s), f"_{s}"
        )
        lines += [f"  {line}" for line in named]
        lines += ["  }"] if row else []
        lines += [f"  {line}" for line in _keep(layout)] if kept else []
    name = f"{'keep' if kept else 'advance'}_groups"
    return _stepping(name, layout, form, kept, [*lines, "}"])


def _draws(layout: Layout, s: int) -> Iterator[str]:
    for p, r, block in calls(layout, s):
        width = philox.width(layout.dtype, p)
        z = [f"z{p}_{r}_{block * width + lane}" for lane in range(width)]
        w = [f"w{p}_{r}_{block}_{k}" for k in range(4)]
        group = f"group{p}_{r}"
        yield f"w32 {', '.join(w)};"
        counter = f"{block}u, (w32){group}, (w32)({group} >> 32), chain"
        yield f"philox({counter}, seed, {p}u, {', '.join(w)});"
        yield f"real {', '.join(z)};"
        yield from made(p, layout.dtype, w, z)


def made(purpose: int, dtype: str, words: Sequence[str], targets: Sequence[str]) -> Iterator[str]:
    """What makes a stream's numbers of four words."""
    name, constants = law(purpose)
    literal = _single if dtype == "float32" else float.hex
    results = 2 if name == "box_muller" else 1
    share = len(words) * results // len(targets)
    for k in range(len(targets) // results):
        args = [*words[k * share : (k + 1) * share], *(_signed(literal(x)) for x in constants)]
        to = targets[k * results : (k + 1) * results]
        if results == 2:
            yield f"{name}({', '.join((*args, *to))});"
        else:
            yield f"{to[0]} = {name}({', '.join(args)});"
