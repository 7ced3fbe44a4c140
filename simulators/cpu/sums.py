"""Sums of monomials of the state over each block of chains: in double precision, lane after lane."""

from __future__ import annotations

from simulators.cpu.ir import BOOL, REAL, WIDE, Code, Env, Value
from simulators.emit import Layout
from simulators.moments import LANES

_ARRAYS = ("x", "index", "centre", "out")
_NUMBERS = ("blocks", "monomials", "factors", "chains")


def sums(layout: Layout) -> str:
    """``sums(x, index, centre, out, ...)``: a factor of a monomial that is -1 is none."""
    code = Code("float64", LANES)
    one, zero = (code.spread(code.constant(n, REAL)) for n in (1.0, 0.0))
    with code.loop("0", "%blocks") as block:
        number, row = code.real_of(layout.dtype), code.let(f"mul i64 {block}, {layout.size * LANES}")
        states = code.let(f"getelementptr {number}, ptr %x, i64 {row}")
        exist, first = there(code, block), code.let(f"mul i64 {block}, %monomials")
        with code.loop("0", "%monomials") as m:
            product: Env = {"term": one}
            start = code.let(f"mul i64 {m}, %factors")
            with code.loop("0", "%factors", carried=product) as k:
                place = code.let(f"add i64 {start}, {k}")
                i = code.load_one(code.at("%index", place, WIDE), WIDE)
                present = code.compare(("", "sge"), i, code.constant(0, WIDE))
                offset = _offset(code, layout, states, code.select(present, i, code.constant(0, WIDE)))
                product["term"] = code.binary("fmul", product["term"], code.select(present, offset, one))
            counted = code.select(exist, product["term"], zero)
            vector = f"<{LANES} x double>"
            add = f"@llvm.vector.reduce.fadd.v{LANES}f64(double 0.0, {vector} {counted.text})"
            cell = code.at("%out", code.let(f"add i64 {first}, {m}"))
            code.do(f"store double {code.let(f'call double {add}')}, ptr {cell}, align 8")
    return code.define("sums", _ARRAYS, _NUMBERS)


def there(code: Code, block: str) -> Value:
    """Which lanes of a block hold chains."""
    left = Value(code.let(f"sub i64 %chains, {code.let(f'mul i64 {block}, {LANES}')}"), WIDE, True)
    numbers = Value(f"<{', '.join(f'i64 {k}' for k in range(LANES))}>", WIDE)
    return Value(code.compare(("", "slt"), numbers, left).text, BOOL)


def _offset(code: Code, layout: Layout, states: str, i: Value) -> Value:
    """A number of the state less its centre, in every lane."""
    real = code.real_of(layout.dtype)
    flat = code.let(f"mul i64 {i.text}, {LANES}")
    address = code.let(f"getelementptr {real}, ptr {states}, i64 {flat}")
    align = 4 if layout.dtype == "float32" else 8
    value = code.let(f"load <{LANES} x {real}>, ptr {address}, align {align}")
    if layout.dtype == "float32":
        value = code.let(f"fpext <{LANES} x float> {value} to {code.vector(REAL)}")
    return code.binary("fsub", Value(value, REAL), code.load_one(code.at("%centre", i.text)))
