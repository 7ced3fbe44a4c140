"""Minibatches in CUDA: a thread draws its chain's examples and sums their gradients.

The sums are those of the processor, number by number. Of short rows (``simulators.cpu.columns``) they
run in order; of long ones (``simulators.cpu.batch``) margins fold by halves, and even and odd rows have
a sum each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from simulators.emit import Layout, elementwise
from simulators.program import MINIBATCH, Draw, Instruction, Weight
from simulators.tree import written

# 32-bit byte offsets of rows, as the processor keeps them.
_PICK = """
INLINE void pick_{slot}(w32 *rows, w32 chain, w32 seed, i64 now) {{
  w32 low = (w32)now, high = (w32)(now >> 32), w[4];
  for (int s = 0; s < {size}; ++s) {{
    if (s % 4 == 0)
      philox({first}u + s / 4, low, high, chain, seed, {purpose}u, w[0], w[1], w[2], w[3]);
{choice}
  }}
}}
"""

_WITH = """    rows[s] = __umulhi(w[s % 4], {examples}u) * {row}u;"""

_WITHOUT = """    w32 among = {examples}u - {size}u + (w32)s + 1u;
    w32 begin = __umulhi(w[s % 4], among) * {row}u;
    bool taken = false;
    for (int k = 0; k < s; ++k) taken = taken || rows[k] == begin;
    rows[s] = taken ? (among - 1u) * {row}u : begin;"""

_ALL = """    rows[s] = (w32)s * {row}u;"""

_SHORT = """
INLINE void {name}(const real *c, const real *point, const w32 *rows, real *out) {{
  real sums[{D}];
  for (int i = 0; i < {D}; ++i) sums[i] = (real)0;
  for (int s = 0; s < {count}; ++s) {{
    const real *row = (const real *)((const char *)(c + {offset}) + {begin});
{margin}{weight}    for (int i = 0; i < {D}; ++i) sums[i] = fma(w, {entry}, sums[i]);
  }}
  for (int i = 0; i < {D}; ++i) out[i] = sums[i];
}}
"""

# The same of a gradient that is written out.
_WRITTEN = _SHORT.replace("    for (int i = 0; i < {D}; ++i) sums[i] = fma(w, {entry}, sums[i]);\n", "")

_SHORT_MARGIN = """    real m = point[0] * row[0];
    for (int i = 1; i < {D}; ++i) m = fma(point[i], row[i], m);
"""

_LONG = """
INLINE void {name}(const real *c, const real *point, const w32 *rows, real *out) {{
  real {padded}sums[2][{P}];
  for (int k = 0; k < 2 * {P}; ++k) sums[k / {P}][k % {P}] = (real)0;
{pad}  for (int s = 0; s < {count}; ++s) {{
    const real *row = (const real *)((const char *)(c + {offset}) + {begin});
{margin}{weight}    for (int i = 0; i < {P}; ++i) sums[s % 2][i] = fma(w, {entry}, sums[s % 2][i]);
  }}
  for (int i = 0; i < {D}; ++i) out[i] = sums[0][i] + sums[1][i];
}}
"""

_PAD = "  for (int i = 0; i < {P}; ++i) x[i] = i < {D} ? point[i] : (real)0;\n"

_LONG_MARGIN = """    real v[16];
    for (int l = 0; l < 16; ++l) {{
      v[l] = (real)0;
      for (int i = l; i < {P}; i += 16) v[l] = fma(x[i], row[i], v[l]);
    }}
    for (int h = 8; h; h /= 2)
      for (int l = 0; l < h; ++l) v[l] = v[l] + v[l + h];
    real m = v[0];
"""


def pick(layout: Layout, draw: Draw) -> str:
    """The function that draws a minibatch."""
    assert layout.batches is not None
    examples, size = layout.batches.examples, layout.batches.size
    choice = _WITH
    if draw.law != "with replacement":
        choice = _ALL if size == examples else _WITHOUT
    return _PICK.format(
        slot=draw.slot, size=size, first=draw.slot * -(-size // 4), purpose=MINIBATCH,
        choice=choice.format(examples=examples, size=size, row=layout.row_bytes),
    )  # fmt: skip


def sums(layout: Layout) -> Iterator[str]:
    """The functions that sum over minibatches, or over all examples: one for each use of a weight."""
    assert layout.batches is not None
    blocks = (layout.program.body, layout.program.start)
    found = {i.args[:2] for b in blocks for i in b.instructions if i.op == "batch"}
    for weight, among in sorted(found):
        every = among == "all"
        count = layout.batches.examples if every else layout.batches.size
        yield _sum(layout, layout.program.weight(weight), count, every)


def _name(weight: str, every: bool) -> str:
    return f"{'total' if every else 'batch'}_{weight[1:]}"


def _sum(layout: Layout, weight: Weight, count: int, every: bool) -> str:
    text, margin = (_SHORT, _SHORT_MARGIN) if layout.short else (_LONG, _LONG_MARGIN)
    text = _WRITTEN if weight.results else text
    sizes, sees = {"P": layout.padded, "D": layout.D}, weight.sees_margin
    return text.format(
        name=_name(weight.name, every), count=count, **sizes,
        padded=f"x[{layout.padded}], " if sees else "", pad=_PAD.format(**sizes) if sees else "",
        offset=layout.constants[weight.covariates],
        begin=f"(i64)s * {layout.row_bytes}" if every else "rows[s]",
        margin=margin.format(**sizes) if sees else "",
        entry="row[i] * row[i]" if weight.power == 2 else "row[i]",
        weight="".join(f"    {line}\n" for line in _weight(layout, weight)),
    )  # fmt: skip


def _weight(layout: Layout, weight: Weight) -> Iterator[str]:
    def operand(name: str) -> str:
        if name == "m":
            return "m"
        if name[0] in "pr":
            return f"{'point' if name[0] == 'p' else 'row'}[{name[1:]}]"
        if name in weight.numbers:
            return f"row[{layout.behind(name)}]"
        return f"c[{layout.constants[name]}]" if name.startswith("$") else f"w{name[1:]}"

    for i in weight.instructions:
        yield f"real w{i.result[1:]} = {written(elementwise(i, operand))};"
    for k, result in enumerate(weight.results):
        yield f"sums[{k}] = sums[{k}] + {operand(result)};"
    if weight.result:
        yield f"real w = {operand(weight.result)};"


def _count(layout: Layout, instruction: Instruction, operand: Callable[[str, str], str]) -> str:
    """How often a minibatch has an example."""
    assert layout.batches is not None
    (among, number), total = instruction.args, operand(instruction.result, "0")
    same = f"rows_{among}[k] == {int(number) * layout.row_bytes}u"
    loop = f"for (int k = 0; k < {layout.batches.size}; ++k)"
    return f"{total} = (real)0; {loop} {total} = {total} + ({same} ? (real)1 : (real)0);"


def call(layout: Layout, instruction: Instruction, operand: Callable[[str, str], str]) -> str:
    """The statement of an instruction."""
    if instruction.op == "count":
        return _count(layout, instruction, operand)
    weight, among, *point = instruction.args
    every = among == "all"
    at = f"&{operand(point[0], '0')}" if point else "c"
    rows = "(const w32 *)0" if every else f"rows_{among}"
    gate = f"if ({operand(instruction.when, '0')} != (real)0) " if instruction.when else ""
    return f"{gate}{_name(weight, every)}(c, {at}, {rows}, &{operand(instruction.result, '0')});"
