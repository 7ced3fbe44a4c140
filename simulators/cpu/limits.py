"""What one core of this machine can do: multiply-adds, random words, normals from words.

Small kernels in the language of the others, each bound by one thing only. The sum of the parts that a
step needs, each at its best rate, is a floor that a kernel would reach if nothing overlapped and
nothing but the parts took time; better overlap, and arithmetic that is saved, can go below it.
"""

from __future__ import annotations

import ctypes
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from simulators.cpu import draws, native
from simulators.cpu.frame import attributes
from simulators.cpu.ir import REAL, WIDE, Code, Env, Value
from simulators.transforms import FLOAT32, FLOAT64, functions

_SUMS = 12  # independent sums: more than a multiply-add's latency times how many start at once
_TURNS = 20_000
_REPEATS = 12


@dataclass(frozen=True)
class Limits:
    """Rates of one core, per second."""

    multiply_adds: float
    words: float
    normals: float  # from words that cost nothing

    def floor(self, multiply_adds: int, normals: int, words_a_normal: int) -> float:
        """The seconds of a chain-step that needs so many of each."""
        a_normal = words_a_normal / self.words + 1 / self.normals
        return multiply_adds / self.multiply_adds + normals * a_normal


def measured(dtype: str) -> Limits:
    """The best of several short measurements; about half a second."""
    native_lanes = native.machine().vector_bytes // (4 if dtype == "float32" else 8)
    rates = []
    for make, lanes, each in (
        (_multiply_adds, native_lanes, _SUMS),
        (_words, 2 * native_lanes, 4),
        (_normals, native_lanes, 2),
    ):
        code = Code(dtype, lanes, _functions(dtype))
        make(code)
        rates.append(lanes * each * _TURNS / _seconds(code))
    return Limits(*rates)


def _functions(dtype: str) -> Any:
    made = functions(FLOAT32 if dtype == "float32" else FLOAT64)
    return {f.name: f for f in made}


def _seconds(code: Code) -> float:
    """Of one call."""
    lines = "\n".join(["entry:", *code.lines, "  ret void"])
    text = f"define void @measured(ptr %out, i64 %turns, i64 %seed) #0 {{\n{lines}\n}}\n"
    text += attributes(native.machine().vector_bytes)
    types = (ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
    kernel = native.load(text, (("measured", types),))["measured"]
    out, best = np.zeros(4096, np.uint8), float("inf")
    for _ in range(_REPEATS):
        before = time.perf_counter()
        kernel(out.ctypes.data, _TURNS, 1)
        best = min(best, time.perf_counter() - before)
    return best


def _lanes(code: Code, kind: str) -> Value:
    """The numbers 0, 1, 2, ... in the lanes."""
    numbers = ", ".join(f"{code.scalar(kind)} {k}" for k in range(code.lanes))
    return Value(f"<{numbers}>", kind)


def _multiply_adds(code: Code) -> None:
    start = code.convert("sitofp", _lanes(code, "int"), REAL)
    sums: Env = {str(k): code.binary("fadd", start, code.constant(k, REAL)) for k in range(_SUMS)}
    factor, term = code.spread(code.constant(0.999, REAL)), code.spread(code.constant(1e-3, REAL))
    with code.loop("0", "%turns", carried=sums):
        for k, value in list(sums.items()):
            sums[k] = code.fma(value, factor, term)
    for k, value in sums.items():
        code.store(value, code.at("%out", str(int(k) * code.lanes)))


def _words(code: Code) -> None:
    """Every word of the counter differs between lanes and turns, so that no round is saved."""
    lane, zero = _lanes(code, WIDE), code.spread(code.constant(0, WIDE))
    mixed: Env = {"mixed": zero}
    with code.loop("0", "%turns", carried=mixed) as turn:
        count = code.binary("add", lane, Value(turn, WIDE, True))
        for word in draws.words(code, (count, lane, count, lane), 1):
            mixed["mixed"] = code.binary("xor", mixed["mixed"], word)
    code.store(mixed["mixed"], code.at("%out", "0", WIDE))


def _normals(code: Code) -> None:
    """Words that are an addition away from the last ones."""
    lane = _lanes(code, "word")
    step = code.constant(0x9E3779B97F4A7C15, "word")
    state: Env = {
        "first": code.binary("mul", lane, step), "second": lane,
        "sum": code.spread(code.constant(0.0, REAL)),
    }  # fmt: skip
    with code.loop("0", "%turns", carried=state):
        for k in ("first", "second"):
            state[k] = code.binary("add", state[k], step)
        given: tuple[Value, ...] = (state["first"], state["second"])
        if code.bits == 64:  # two halves make a word; here they are the word and its upper half
            half = code.constant(32, "word")
            given = tuple(w for v in given for w in (code.binary("lshr", v, half), v))
            given = tuple(code.recast(v, WIDE) for v in given)
        a, b = code.expand("box_muller", *given)
        state["sum"] = code.binary("fadd", state["sum"], code.binary("fadd", a, b))
    code.store(state["sum"], code.at("%out", "0"))
