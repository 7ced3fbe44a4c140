"""CUDA C from a program: one chain a thread, its state in registers, all steps in one launch.

Blocks of 64 chains are kept as on the processor, lanes innermost, so that neighbouring threads read
neighbouring numbers. There are no atomics and no barriers: a chain never meets another one, and one
thread adds up each block's sum of one monomial.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from simulators import philox
from simulators.emit import Layout, Loops, Names, calls, looped, place, scratch, unrolled
from simulators.moments import LANES
from simulators.program import START, Block
from simulators.transforms import FLOAT32, FLOAT64, Function, functions

# Without these the compiler may fuse a product and a sum that the processor rounds apart.
OPTIONS = ("--std=c++17", "--fmad=false")
THREADS = 128
# Constant memory holds 64 kB; its numbers are operands of an instruction at no cost.
_CONSTANT_BYTES = 49_152

_TYPES = {
    "float32": """typedef float real;
typedef int int_;
typedef unsigned int word_;
INLINE real fused(real a, real b, real c) { return __fmaf_rn(a, b, c); }
INLINE real root(real a) { return __fsqrt_rn(a); }
INLINE int_ bits(real a) { return __float_as_int(a); }
INLINE real unbits(int_ a) { return __int_as_float(a); }
INLINE real real_w(word_ a) { return __uint2float_rn(a); }
""",
    "float64": """typedef double real;
typedef long long int_;
typedef unsigned long long word_;
INLINE real fused(real a, real b, real c) { return __fma_rn(a, b, c); }
INLINE real root(real a) { return __dsqrt_rn(a); }
INLINE int_ bits(real a) { return __double_as_longlong(a); }
INLINE real unbits(int_ a) { return __longlong_as_double(a); }
INLINE word_ join(word_ high, word_ low) { return high << 32 | low; }
""",
}

_HEAD = """// Kernels of {sampler} on {model} in {D} dimensions, {dtype}. Generated: do not edit.
#define INLINE __device__ __forceinline__
typedef unsigned int w32;
typedef long long i64;
{types}#define fma fused
INLINE real real_i(int_ a) {{ return (real)a; }}
INLINE real absolute(real a) {{ return a < (real)0 ? -a : a + (real)0; }}
template <class T> INLINE T pick(bool condition, T a, T b) {{ return condition ? a : b; }}
INLINE real less(real a, real b) {{ return a < b ? (real)1 : (real)0; }}
INLINE real lessequal(real a, real b) {{ return a <= b ? (real)1 : (real)0; }}
INLINE real choose(real p, real a, real b) {{ return p != (real)0 ? a : b; }}
"""

_PHILOX = """
INLINE void philox(w32 c0, w32 c1, w32 c2, w32 c3, w32 k0, w32 k1, w32 &a, w32 &b, w32 &d, w32 &e) {{
#pragma unroll
  for (int r = 0; r < {rounds}; ++r) {{
    w32 h0 = __umulhi({m0:#x}u, c0), l0 = {m0:#x}u * c0;
    w32 h1 = __umulhi({m1:#x}u, c2), l1 = {m1:#x}u * c2;
    c0 = h1 ^ c1 ^ k0; c1 = l1; c2 = h0 ^ c3 ^ k1; c3 = l0;
    k0 += {w0:#x}u; k1 += {w1:#x}u;
  }}
  a = c0; b = c1; d = c2; e = c3;
}}
"""

_FILL = """
INLINE void fill(real *z, int at, w32 chain, w32 seed, w32 purpose, i64 step, int normals) {{
  int size = {width};
  while (size > 1 && (size / 2 * normals) % {width} == 0) size /= 2;
  int begin = (int)(step % size) * normals;
  i64 group = step / size;
  w32 low = (w32)group, high = (w32)(group >> 32), a, b, d, e;
  for (int block = begin / {width}; block < (begin + normals + {width} - 1) / {width}; ++block) {{
    real *to = z + at + {width} + block * {width} - begin;
    philox((w32)block, low, high, chain, seed, purpose, a, b, d, e);
    {normals}
  }}
}}

extern "C" __global__ void draw_normals(
    real *out, w32 chain, w32 seed, w32 purpose, i64 step, int normals, i64 threads) {{
  i64 thread = (i64)blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= threads) return;
  fill(out + thread * (normals + {width} * 2), 0, chain + (w32)thread, seed, purpose, step, normals);
}}
"""

_SUMS = """
extern "C" __global__ void sum_monomials(
    const real *states, const i64 *index, i64 factors, i64 monomials, const double *centre,
    i64 chains, double *out, i64 threads) {{
  i64 thread = (i64)blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= threads) return;
  i64 block = thread / monomials, m = thread % monomials;
  i64 lanes = chains - block * {lanes} < {lanes} ? chains - block * {lanes} : {lanes};
  const real *from = states + block * {row};
  double total = 0.0;
  for (i64 l = 0; l < lanes; ++l) {{
    double term = 1.0;
    for (i64 k = 0; k < factors; ++k) {{
      i64 i = index[m * factors + k];
      if (i >= 0) term *= (double)from[i * {lanes} + l] - centre[i];
    }}
    total += term;
  }}
  out[thread] = total;
}}
"""


def source(layout: Layout) -> str:
    """The whole translation unit."""
    program, real = layout.program, layout.dtype
    single = real == "float32"
    parts = [
        _HEAD.format(
            sampler=program.sampler, model=program.model, D=layout.D, dtype=real,
            types=_TYPES[real],
        )
    ]  # fmt: skip
    literal = _single if single else _double
    parts += [_function(f) for f in functions(FLOAT32 if single else FLOAT64, literal)]
    (m0, m1), (w0, w1) = philox.MULTIPLIERS, philox.WEYL
    parts.append(_PHILOX.format(rounds=philox.ROUNDS, m0=m0, m1=m1, w0=w0, w1=w1))
    pairs = "box_muller(a, b, to[0], to[1]); box_muller(d, e, to[2], to[3]);"
    one = "box_muller(a, b, d, e, to[0], to[1]);"
    parts.append(_FILL.format(width=philox.width(real), normals=pairs if single else one))
    if in_constant_memory(layout):
        count = max(layout.constant_count, 1)
        parts.append(f'\nextern "C" {{ __constant__ real constants[{count}]; }}\n#define c constants\n')
    parts += [_advance(layout), _SUMS.format(lanes=LANES, row=layout.size * LANES)]
    if program.start.outputs:
        parts.append(_begin(layout))
    return "".join(parts)


def in_constant_memory(layout: Layout) -> bool:
    """Whether the constants are few enough for constant memory."""
    return layout.constant_count * np.dtype(layout.dtype).itemsize <= _CONSTANT_BYTES


def _single(x: float) -> str:
    return _signed(f"{float(np.float32(x)).hex()}f")


def _double(x: float) -> str:
    return _signed(x.hex())


def _signed(text: str) -> str:
    return f"({text})" if text.startswith("-") else text


def _function(function: Function) -> str:
    types = {"real": "real", "int": "int_", "word": "word_"}
    parameters = [f"{types[kind]} {name}" for kind, name in function.parameters]
    body = "".join(f"  {types[kind]} {name} = {value};\n" for kind, name, value in function.lines)
    if len(function.results) == 1:
        head = f"\nINLINE real {function.name}({', '.join(parameters)})"
        return f"{head} {{\n{body}  return {function.results[0]};\n}}\n"
    outputs = [f"real &out{k}" for k in range(len(function.results))]
    head = f"\nINLINE void {function.name}({', '.join((*parameters, *outputs))})"
    ends = "".join(f"  out{k} = {name};\n" for k, name in enumerate(function.results))
    return f"{head} {{\n{body}{ends}}}\n"


def _kernel(name: str, layout: Layout, parameters: str, lines: list[str], written: bool) -> str:
    """A kernel whose threads load a chain's state, run some lines, and store it."""
    size = layout.size
    constants = "" if in_constant_memory(layout) else "const real *c, "
    head = [
        "",
        f'extern "C" __global__ void __launch_bounds__({THREADS}) {name}(',
        f"    real *states, {constants}{parameters}, i64 threads) {{",
        "  i64 thread = (i64)blockIdx.x * blockDim.x + threadIdx.x;",
        "  if (thread >= threads) return;",
        f"  real *at = states + thread / {LANES} * {size * LANES} + thread % {LANES};",
        "  w32 chain = first_chain + (w32)thread;",
    ]
    load, store = [], []
    if layout.unrolled:
        for k in range(len(layout.program.states)):
            for i in range(layout.D):
                place = (k * layout.D + i) * LANES
                load.append(f"real x{k}_{i} = at[{place}];")
                store.append(f"at[{place}] = x{k}_{i};")
    else:
        load = [f"real x[{size}];", f"for (int i = 0; i < {size}; ++i) x[i] = at[i * {LANES}];"]
        store = [f"for (int i = 0; i < {size}; ++i) at[i * {LANES}] = x[i];"]
    lines = [*load, *lines, *(store if written else [])]
    return "\n".join([*head, *(f"  {line}" for line in lines), "}", ""])


def _advance(layout: Layout) -> str:
    body = layout.program.body
    fills = [
        f"fill(z, {at}, chain, seed, {p}, now, {layout.normals(p)});"
        for p, at in _purposes(layout, body)
    ]
    row = len(layout.program.scheduled)
    lines = ["i64 now = first, end = first + steps;", *_buffers(layout, body)]
    lines += ["while (now < end) {"]
    if layout.unrolled:
        lines += [
            f"  i64 count = (end - now) / {layout.fused};",
            f"  if (now % {layout.fused} == 0 && count > 0) {{",
            f"    i64 group = now / {layout.fused};",
            *(f"    {line}" for line in _groups(layout)),
            f"    now += count * {layout.fused};",
            "    continue;",
            "  }",
        ]
    lines += [f"  {line}" for line in fills]
    lines += [f"  const real *v = u + (now - first) * {row};"] if row else []
    lines += [f"  {line}" for line in _single_step(layout, body)]
    lines += ["  ++now;", "}"]
    parameters = "const real *u, w32 first_chain, w32 seed, i64 first, i64 steps"
    return _kernel("advance_chains", layout, parameters, lines, True)


def _begin(layout: Layout) -> str:
    start = layout.program.start
    lines = _buffers(layout, start)
    if start.draws:
        lines.append(f"fill(z, 0, chain, seed, {START}, 0, {start.normals(START) * layout.D});")
    lines += _single_step(layout, start)
    return _kernel("begin_chains", layout, "w32 first_chain, w32 seed", lines, True)


def _purposes(layout: Layout, block: Block) -> list[tuple[int, int]]:
    offsets, _ = layout.noise(block)
    return [(p, offsets[f"purpose {p}"]) for p in block.purposes]


def _buffers(layout: Layout, block: Block) -> list[str]:
    length = 0 if layout.unrolled else scratch(block, layout)[1]
    buffers = [("z", layout.noise(block)[1]), ("s", length)]
    return [f"real {name}[{count}];" for name, count in buffers if count]


def _scheduled(layout: Layout, suffix: str = "") -> Iterator[str]:
    for k in range(len(layout.program.scheduled)):
        yield f"real u{k}{suffix} = v[{k}];"


def _single_step(layout: Layout, block: Block) -> list[str]:
    """One step on noise from the buffer ``z``."""
    lines = list(_scheduled(layout)) if block is layout.program.body else []
    if not layout.unrolled:
        loops = Loops(
            at=lambda array, index: f"{array}[{index}]",
            each=lambda name, count: f"for (int {name} = 0; {name} < {count}; ++{name}) {{",
            lanes="",
            end="}",
            set=lambda target, value: f"{target} = {value};",
        )
        return [*lines, *looped(block, layout, loops)]
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
    lines = ["{", *(f"  real {n} = {v};" for n, v in unrolled(block, layout, names))]
    for k, state in enumerate(program.states):
        if any(name == state for name, _ in block.outputs):
            lines += [f"  x{k}_{i} = n{k}_{i};" for i in range(layout.D)]
    return [*lines, "}"]


def _groups(layout: Layout) -> list[str]:
    """The loop over groups of fused steps, each using whole generator calls."""
    row = len(layout.program.scheduled)
    draws = {d.name: d for d in layout.program.body.draws}
    lines = ["for (i64 g = group; g < group + count; ++g) {"]
    for p in layout.program.body.purposes:
        repeats = layout.fused // layout.group(p)
        lines += [f"  i64 group{p}_{r} = g * {repeats} + {r};" for r in range(repeats)]
    for s in range(layout.fused):
        lines += [f"  {line}" for line in _draws(layout, s)]
        if row:
            offset = f"(now - first + (g - group) * {layout.fused} + {s}) * {row}"
            lines.append(f"  {{ const real *v = u + {offset};")
            lines += [f"  {line}" for line in _scheduled(layout, f"_{s}")]
        named = _assignments(
            layout.program.body, layout, lambda n, i, s=s: place(layout, draws[n], i, s), f"_{s}"
        )
        lines += [f"  {line}" for line in named]
        lines += ["  }"] if row else []
    return [*lines, "}"]


def _draws(layout: Layout, s: int) -> Iterator[str]:
    width = philox.width(layout.dtype)
    for p, r, block in calls(layout, s):
        z = [f"z{p}_{r}_{block * width + lane}" for lane in range(width)]
        w = [f"w{p}_{r}_{block}_{k}" for k in range(4)]
        group = f"group{p}_{r}"
        yield f"w32 {', '.join(w)};"
        counter = f"{block}u, (w32){group}, (w32)({group} >> 32), chain"
        yield f"philox({counter}, seed, {p}u, {', '.join(w)});"
        yield f"real {', '.join(z)};"
        if width == 4:
            yield f"box_muller({w[0]}, {w[1]}, {z[0]}, {z[1]});"
            yield f"box_muller({w[2]}, {w[3]}, {z[2]}, {z[3]});"
        else:
            yield f"box_muller({', '.join(w)}, {z[0]}, {z[1]});"
