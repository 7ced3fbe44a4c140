"""The outer loops of a module: all steps of all blocks, and the start."""

from __future__ import annotations

from simulators.cpu.ir import Code
from simulators.emit import Layout
from simulators.moments import LANES
from simulators.philox import purpose_of
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
        keep = _KEEP.format(real=Code.real_of(layout.dtype), size=layout.size * LANES)
    return _RUN.format(
        state=STATE, real=Code.real_of(layout.dtype), row=layout.size * LANES, lanes=LANES,
        fused=layout.fused,
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
    assert {purpose_of(p) for p in block.purposes} <= {START}
    code = Code(layout.dtype, LANES)
    scratch = code.at("%work", str(length * LANES))
    with code.loop("0", "%blocks") as number:
        states = code.at("%x", code.let(f"mul i64 {number}, {layout.size * LANES}"))
        code.lines.append(f"  %base = add i64 %chain, {code.let(f'mul i64 {number}, {LANES}')}")
        code.lines += [fills] if fills else []
        code.do(f"call void @first(ptr {states}, ptr %c, ptr %c, ptr %work, ptr {scratch}, i64 0)")
    return code.define("begin", ("x", "c", "work"), ("blocks", "chain", "seed"))


def _fill(layout: Layout, name: str, offset: int, now: str) -> str:
    place = f"  %{name} = getelementptr {Code.real_of(layout.dtype)}, ptr %work, i64 {offset * LANES}\n"
    return place + f"  call void @{name}(ptr %{name}, i64 %base, i64 %seed, i64 {now})"


def attributes(vector_bytes: int) -> str:
    """The attributes of every function."""
    return _ATTRIBUTES.format(bits=8 * vector_bytes)
