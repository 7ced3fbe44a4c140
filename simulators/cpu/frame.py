"""The outer loops of a module, as text: all steps of all blocks, the start, and the sums."""

from __future__ import annotations

from simulators.emit import Layout
from simulators.moments import LANES
from simulators.program import START

STATE = "ptr noalias nocapture %x, ptr noalias nocapture readonly %c"

_RUN = """define void @run(
    {state}, ptr noalias nocapture readonly %u, ptr noalias nocapture %work,
    ptr noalias nocapture %kept, i64 %blocks, i64 %chain, i64 %seed, i64 %first, i64 %steps) #0 {{
entry:
  %end = add i64 %first, %steps
  %s = getelementptr {real}, ptr %work, i64 {scratch}
  br label %head
head:
  %b = phi i64 [0, %entry], [%onward, %next]
  %more = icmp slt i64 %b, %blocks
  br i1 %more, label %block, label %done
block:
  %place = mul i64 %b, {row}
  %states = getelementptr {real}, ptr %x, i64 %place
  %before = mul i64 %b, {lanes}
  %base = add i64 %chain, %before
  %rows = mul i64 %place, %steps
  %history = getelementptr {real}, ptr %kept, i64 %rows
  br label %clock
clock:
  %now = phi i64 [%first, %block], [%grouped, %groups], [%stepped, %one]
  %left = sub i64 %end, %now
  %going = icmp sgt i64 %left, 0
  br i1 %going, label %ready, label %next
ready:
  %row = sub i64 %now, %first
  %odd = srem i64 %now, {fused}
  %even = icmp eq i64 %odd, 0
  %whole = sdiv i64 %left, {fused}
  %some = icmp sgt i64 %whole, 0
  %both = and i1 %even, %some
  %fuse = and i1 %both, {fusing}
  br i1 %fuse, label %groups, label %one
groups:
  %group = sdiv i64 %now, {fused}
{groups}
  %passed = mul i64 %whole, {fused}
  %grouped = add i64 %now, %passed
  br label %clock
one:
{fills}
  call void @step(ptr %states, ptr %c, ptr %u, ptr %work, ptr %s, i64 %row)
{keep}
  %stepped = add i64 %now, 1
  br label %clock
next:
  %onward = add i64 %b, 1
  br label %head
done:
  ret void
}}
"""

# The state after a step, among those that are kept.
_KEEP = """  %skip = mul i64 %row, {size}
  %to = getelementptr {real}, ptr %history, i64 %skip
  call void @keep(ptr %to, ptr %states)"""

_BEGIN = """define void @begin(
    {state}, ptr noalias nocapture %work, i64 %blocks, i64 %chain, i64 %seed) #0 {{
entry:
  %s = getelementptr {real}, ptr %work, i64 {scratch}
  br label %head
head:
  %b = phi i64 [0, %entry], [%onward, %block]
  %more = icmp slt i64 %b, %blocks
  br i1 %more, label %block, label %done
block:
  %place = mul i64 %b, {row}
  %states = getelementptr {real}, ptr %x, i64 %place
  %before = mul i64 %b, {lanes}
  %base = add i64 %chain, %before
{fills}
  call void @first(ptr %states, ptr %c, ptr %c, ptr %work, ptr %s, i64 0)
  %onward = add i64 %b, 1
  br label %head
done:
  ret void
}}
"""

# One monomial of one block: a term in every lane, in double precision, then lane after lane.
_SUMS = """define void @sums(
    ptr noalias nocapture readonly %x, ptr noalias nocapture readonly %index,
    ptr noalias nocapture readonly %centre, ptr noalias nocapture %out,
    i64 %blocks, i64 %monomials, i64 %factors, i64 %chains) #0 {{
entry:
  br label %head
head:
  %b = phi i64 [0, %entry], [%onward, %next]
  %more = icmp slt i64 %b, %blocks
  br i1 %more, label %block, label %done
block:
  %place = mul i64 %b, {row}
  %states = getelementptr {real}, ptr %x, i64 %place
  %before = mul i64 %b, {lanes}
  %left = sub i64 %chains, %before
  %one = insertelement <{lanes} x i64> poison, i64 %left, i32 0
  %all = shufflevector <{lanes} x i64> %one, <{lanes} x i64> poison, <{lanes} x i32> zeroinitializer
  %there = icmp slt <{lanes} x i64> <{numbers}>, %all
  %to = mul i64 %b, %monomials
  br label %rows
rows:
  %m = phi i64 [0, %block], [%after, %summed]
  %within = icmp slt i64 %m, %monomials
  br i1 %within, label %monomial, label %next
monomial:
  %from = mul i64 %m, %factors
  br label %terms
terms:
  %k = phi i64 [0, %monomial], [%further, %multiplied]
  %term = phi <{lanes} x double> [splat (double 1.0), %monomial], [%product, %multiplied]
  %unfinished = icmp slt i64 %k, %factors
  br i1 %unfinished, label %factor, label %summed
factor:
  %entry_ = add i64 %from, %k
  %which = getelementptr i64, ptr %index, i64 %entry_
  %i = load i64, ptr %which, align 8
  %present = icmp sge i64 %i, 0
  br i1 %present, label %multiply, label %multiplied
multiply:
  %flat = mul i64 %i, {lanes}
  %address = getelementptr {real}, ptr %states, i64 %flat
  %raw = load <{lanes} x {real}>, ptr %address, align {align}
  %wide = {widen}
  %middle = getelementptr double, ptr %centre, i64 %i
  %c1 = load double, ptr %middle, align 8
  %c2 = insertelement <{lanes} x double> poison, double %c1, i32 0
  %c = shufflevector <{lanes} x double> %c2, <{lanes} x double> poison, <{lanes} x i32> zeroinitializer
  %offset = fsub <{lanes} x double> %wide, %c
  %next_term = fmul <{lanes} x double> %term, %offset
  br label %multiplied
multiplied:
  %product = phi <{lanes} x double> [%next_term, %multiply], [%term, %factor]
  %further = add i64 %k, 1
  br label %terms
summed:
  %counted = select <{lanes} x i1> %there,
    <{lanes} x double> %term, <{lanes} x double> splat (double 0.0)
  %total = call double @llvm.vector.reduce.fadd.v{lanes}f64(double 0.0, <{lanes} x double> %counted)
  %slot = add i64 %to, %m
  %cell = getelementptr double, ptr %out, i64 %slot
  store double %total, ptr %cell, align 8
  %after = add i64 %m, 1
  br label %rows
next:
  %onward = add i64 %b, 1
  br label %head
done:
  ret void
}}
"""

# Vectors stay as long as they are written, whatever the processor's tuning prefers.
_ATTRIBUTES = (
    'attributes #0 = {{ nounwind "min-legal-vector-width"="{bits}" "prefer-vector-width"="{bits}" }}\n'
)


def run(layout: Layout, recorded: bool) -> str:
    """All steps of all blocks: whole groups where they fit, single steps elsewhere."""
    body = layout.program.body
    offsets, length = layout.noise(body)
    calls = [(f"fill{p}", offsets[f"purpose {p}"]) for p in body.purposes]
    calls += [(f"pick{d.slot}", offsets[d.name]) for d in body.batches]
    fills = "\n".join(_fill(layout, name, offset, "%now") for name, offset in calls)
    constants = ", ".join(["ptr %c"] * layout.fused)
    groups = (
        f"  call void @groups(ptr %states, {constants}, ptr %u, ptr %history, "
        "i64 %row, i64 %base, i64 %seed, i64 %group, i64 %whole)"
    )
    keep = ""
    if recorded:
        keep = _KEEP.format(real=real(layout), size=layout.size * LANES)
    return _RUN.format(
        state=STATE, real=real(layout), row=layout.size * LANES, lanes=LANES, fused=layout.fused,
        fusing=str(layout.unrolled).lower(), groups=groups if layout.unrolled else "",
        fills=fills, scratch=length * LANES, keep=keep,
    )  # fmt: skip


def groups_parameters(layout: Layout) -> str:
    """The parameters of a fused group.

    Each of its steps has a pointer of its own to the constants, though all are the same: were it
    one, the compiler would find that both steps read the same numbers, keep 200 of them for the
    second, and pour the registers out for that.
    """
    constants = ", ".join(f"ptr noalias nocapture readonly %c{s}" for s in range(layout.fused))
    numbers = ", ".join(f"i64 %{n}" for n in ("row", "base", "seed", "group", "count"))
    arrays = f"{constants}, ptr noalias nocapture readonly %u, ptr noalias nocapture %h"
    return f"ptr noalias nocapture %x, {arrays}, {numbers}"


def begin(layout: Layout) -> str:
    """The states before the first step, where they are drawn."""
    block = layout.program.start
    offsets, length = layout.noise(block)
    calls = [(f"fill{p}", offsets[f"purpose {p}"]) for p in block.purposes]
    fills = "\n".join(_fill(layout, name, offset, "0") for name, offset in calls)
    assert {p % 256 for p in block.purposes} <= {START}
    return _BEGIN.format(
        state=STATE, real=real(layout), row=layout.size * LANES, lanes=LANES, fills=fills,
        scratch=length * LANES,
    )  # fmt: skip


def _fill(layout: Layout, name: str, offset: int, now: str) -> str:
    place = f"  %{name} = getelementptr {real(layout)}, ptr %work, i64 {offset * LANES}\n"
    return place + f"  call void @{name}(ptr %{name}, i64 %base, i64 %seed, i64 {now})"


def sums(layout: Layout) -> str:
    """Sums of monomials about a centre over each block."""
    single = layout.dtype == "float32"
    widen = f"fpext <{LANES} x float> %raw to <{LANES} x double>"
    return _SUMS.format(
        real=real(layout), row=layout.size * LANES, lanes=LANES, align=4 if single else 8,
        widen=widen if single else f"bitcast <{LANES} x double> %raw to <{LANES} x double>",
        numbers=", ".join(f"i64 {k}" for k in range(LANES)),
    )  # fmt: skip


def attributes(vector_bytes: int) -> str:
    """The attributes of every function."""
    return _ATTRIBUTES.format(bits=8 * vector_bytes)


def real(layout: Layout) -> str:
    """LLVM's name of the run's floating-point type."""
    return "float" if layout.dtype == "float32" else "double"
