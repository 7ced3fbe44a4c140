"""Two normals from random words on a GPU: exactly as on the processor, or by its special functions.

``exact`` is the transform of ``simulators.transforms``, to the same bits. A radius, and a quotient in
double, lie in a range where the compiler's own root and division are a short chain of roundings behind
an approximate instruction, so the chain is written out without the tests for other ranges.

``fast`` takes logarithm, root, sine and cosine from the special-function unit: float32 only, about half
the instructions. It reads the same words and turns by the same angle, so each of its normals stands
beside an exact one; ``error_bound`` says how near, from the errors that NVIDIA documents.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from sgtheory.errors import UnusableInput
from simulators.transforms import Function
from simulators.tree import renamed

NORMALS = ("exact", "fast")

# Largest errors in the tables of intrinsic functions of the CUDA programming guide and the PTX manual.
LOG_ABSOLUTE = 2.0**-21.41  # __logf on [0.5, 2]
LOG_ULPS = 3  # __logf elsewhere
SINE_ABSOLUTE = 2.0**-21.41  # __sinf on [-pi, pi]
COSINE_ABSOLUTE = 2.0**-21.19
ROOT_RELATIVE = 2.0**-23  # sqrt.approx.ftz.f32

_UNIT = 2.0**-24  # half an ulp, relative

# A radius is -0 where the uniform rounds to 1, otherwise above 1e-8: its bits as an integer are
# raised to those of a number whose inverse root is finite, which leaves 0 at 0.
_NEAR = {
    "float32": """
#ifdef __CUDACC__
INLINE real inverse_root(real a) {
  real y;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(a));
  return y;
}
#endif
INLINE real near_root(real a) {
  real y = inverse_root(unbits(pick(bits(a) < 0x1e000000, 0x1e000000, bits(a))));
  real g = __fmul_rn(a, y), h = __fmul_rn(y, 0.5f);
  return fused(fused(-g, g, a), h, g);
}
""",
    "float64": """
#ifdef __CUDACC__
INLINE real inverse_root(real a) {
  real y;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(a));
  return y;
}
INLINE real inverse(real a) {
  real y;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(a));
  return y;
}
#endif
INLINE real near_root(real a) {
  int high = __double2hiint(a);
  real y = inverse_root(__hiloint2double(pick(high < 0x38000000, 0x38000000, high), __double2loint(a)));
  real e = fused(a, -__dmul_rn(y, y), 1.0);
  y = fused(fused(e, 0.375, 0.5), __dmul_rn(y, e), y);
  real g = __dmul_rn(a, y), h = __dmul_rn(y, 0.5);
  return fused(fused(-g, g, a), h, g);
}
INLINE real near_quotient(real a, real b) {
  real y = inverse(b), e = fused(-b, y, 1.0);
  y = fused(y, fused(e, e, e), y);
  y = fused(y, fused(-b, y, 1.0), y);
  real q = __dmul_rn(a, y);
  return fused(fused(-b, q, a), y, q);
}
""",
}

_FAST = """
#ifdef __CUDACC__
INLINE real quick_log2(real a) {
  real y;
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(a));
  return y;
}
INLINE real quick_root(real a) {
  real y;
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(a));
  return y;
}
INLINE real quick_sine(real a) { return __sinf(a); }
INLINE real quick_cosine(real a) { return __cosf(a); }
#endif
INLINE void box_muller(word_ radius, word_ angle, real &out0, real &out1) {
  real f = fused(real_w(radius), 0x1p-32f, 0x1p-33f);
  // a logarithm that is off near 1 may have the wrong sign
  real r = quick_root(fabsf(quick_log2(f) * $SCALE));
  // the exact transform's angle: its quadrant, and within it from minus to plus an eighth of a turn
  int_ turn = int_(angle + (angle & 0x20000000u) * 0xfffffffeu);
  real x = real_i(turn) * $TURN;
  out0 = r * quick_sine(x);
  out1 = r * quick_cosine(x);
}
"""


def check(normals: str, device: str, dtype: str) -> None:
    """Refuse a transform that there is not, or not here."""
    if normals not in NORMALS:
        raise UnusableInput("normals exact or fast", repr(normals), "choose one of them")
    if normals == "fast" and (device, dtype) != ("cuda", "float32"):
        raise UnusableInput(
            "fast normals on a CUDA device in float32",
            f"fast normals on {device} in {dtype}",
            "ask for exact normals, or for device cuda and dtype float32",
        )


def helpers(dtype: str) -> str:
    """What the exact transform needs beside the operations of the other readers."""
    return _NEAR[dtype]


def exact(function: Function) -> Function:
    """The processor's transform, with the root and the quotient that suffice in it."""
    near = {"root": "near_root", "/": "near_quotient"}
    lines = ((kind, name, renamed(tree, near)) for kind, name, tree in function.lines)
    return replace(function, lines=tuple(lines))


def fast() -> str:
    """The transform by special functions."""
    scales = {"$SCALE": -2.0 * math.log(2.0), "$TURN": 2.0 * math.pi * 2.0**-32}
    source = _FAST
    for name, value in scales.items():
        source = source.replace(name, f"{float(np.float32(value)).hex()}f")
    return source


def error_bound(radius: Any) -> Any:
    """How far a fast normal may lie from the number that it stands for, at a given radius.

    The squared radius t = -2 log f comes with twice the logarithm's error, a rounding of the
    constant and one of the product. The root of t + d differs from that of t by at most
    |d| / sqrt(t), and by at most sqrt(|d|) however small t is. The angle has three roundings
    (integer, constant, product) and is at most pi, and its sine or cosine has an error of its own.

    >>> [float(f"{error_bound(r):.1e}") for r in (0.0, 0.1, 1.0, 6.0)]
    [0.00085, 7.3e-06, 2e-06, 9.8e-06]
    """
    r = np.asarray(radius, np.float64)
    t = r * r
    near = 2 * LOG_ABSOLUTE
    far = LOG_ULPS * 2 * _UNIT * t
    d = np.where(t <= 2 * math.log(2.0), near, far) + 2 * _UNIT * t
    with np.errstate(divide="ignore"):
        of_radius = np.minimum(np.sqrt(d), np.where(r > 0, d / r, np.inf)) + ROOT_RELATIVE * r
    of_angle = 3 * _UNIT * math.pi + max(SINE_ABSOLUTE, COSINE_ABSOLUTE)
    return of_radius + (r + of_radius) * (of_angle + _UNIT)
