"""Statistics over steps on the processor: products of numbers that were kept, summed over time.

``accumulate2(kept, index, lag, centre, out, blocks, rows, from, to, every, monomials, chains)`` adds
to ``out[block, m]`` the sum over the rows ``from, from + every, ...`` before ``to`` and over the
chains of a block of products of two factors. A factor is a number of the state less its centre,
``lag`` rows earlier. Over time each lane has a sum in the type of the run; lanes are added in double
precision, by halves.
"""

from __future__ import annotations

from simulators.cpu.ir import REAL, Code, Env, Value
from simulators.cpu.sums import there
from simulators.emit import Layout
from simulators.moments import LANES

ORDERS = (1, 2, 3, 4)  # how many factors a monomial may have

_NUMBERS = ("blocks", "rows", "from", "to", "every", "monomials", "chains")
_ARRAYS = ("kept", "index", "lag", "centre", "out")


def accumulate(layout: Layout, order: int) -> str:
    """The definition of the function for monomials of so many factors."""
    code = Code(layout.dtype, LANES)
    with code.loop("0", "%blocks") as block:
        kept = code.let(f"mul i64 {code.let(f'mul i64 {block}, %rows')}, {layout.size * LANES}")
        history, exist = code.at("%kept", kept), there(code, block)
        with code.loop("0", "%monomials") as m:
            start = code.let(f"mul i64 {m}, {order}")
            factors = [_factor(code, start, k) for k in range(order)]
            totals: Env = {"total": code.spread(code.constant(0.0, REAL))}
            with code.loop("%from", "%to", "%every", carried=totals) as row:
                offsets = [_offset(code, layout, history, row, *f) for f in factors]
                product = offsets[0]
                for offset in offsets[1:-1]:
                    product = code.binary("fmul", product, offset)
                if order == 1:
                    totals["total"] = code.binary("fadd", totals["total"], product)
                else:
                    totals["total"] = code.fma(product, offsets[-1], totals["total"])
            place = code.let(f"add i64 {code.let(f'mul i64 {block}, %monomials')}, {m}")
            address = code.let(f"getelementptr double, ptr %out, i64 {place}")
            before = code.let(f"load double, ptr {address}, align 8")
            added = code.let(f"fadd double {before}, {_over_lanes(code, totals['total'], exist)}")
            code.do(f"store double {added}, ptr {address}, align 8")
    return code.define(f"accumulate{order}", _ARRAYS, _NUMBERS)


def _factor(code: Code, start: str, k: int) -> tuple[str, str, Value]:
    """A factor's number in the state, how many rows earlier, and its centre."""
    place = code.let(f"add i64 {start}, {k}")
    found = []
    for array in ("%index", "%lag"):
        address = code.let(f"getelementptr i64, ptr {array}, i64 {place}")
        found.append(code.let(f"load i64, ptr {address}, align 8"))
    centre = code.spread(code.load_one(code.at("%centre", found[0])))
    return found[0], found[1], centre


def _offset(
    code: Code, layout: Layout, history: str, row: str, index: str, lag: str, centre: Value
) -> Value:
    past = code.let(f"mul i64 {code.let(f'sub i64 {row}, {lag}')}, {layout.size}")
    place = code.let(f"mul i64 {code.let(f'add i64 {past}, {index}')}, {LANES}")
    return code.binary("fsub", code.load(code.at(history, place)), centre)


def _over_lanes(code: Code, total: Value, there: Value) -> str:
    """The sum of the lanes that hold chains, by halves, in double precision."""
    wide, n = f"<{LANES} x double>", LANES
    value = total.text
    if code.bits == 32:
        value = code.let(f"fpext {code.vector(REAL)} {value} to {wide}")
    value = code.let(f"select <{LANES} x i1> {there.text}, {wide} {value}, {wide} splat (double 0.0)")
    while n > 1:
        halves = []
        for begin in (0, n // 2):
            mask = ", ".join(f"i32 {k}" for k in range(begin, begin + n // 2))
            text = f"shufflevector <{n} x double> {value}, <{n} x double> poison"
            halves.append(code.let(f"{text}, <{n // 2} x i32> <{mask}>"))
        n //= 2
        value = code.let(f"fadd <{n} x double> {halves[0]}, {halves[1]}")
    return code.let(f"extractelement <1 x double> {value}, i32 0")
