"""Functions that every compiled reader computes with the same operations in the same order.

They are data: typed assignments whose right-hand sides are text in the common part of Python and
C, printed for either language. Only additions, products, fused multiply-adds, roots, divisions
and integer operations occur; all of these round correctly everywhere, so the results are the same
to the bit on every target that neither reorders nor contracts.

``real`` is the type of the run, ``int`` and ``word`` the signed and unsigned integers of its size.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Format:
    """A floating-point format: what bit tricks need to know of it."""

    name: str
    bits: int
    mantissa: int
    bias: int
    root_half: int  # the bit pattern of sqrt(1/2)


FLOAT32 = Format("float32", 32, 23, 127, 0x3F3504F3)
FLOAT64 = Format("float64", 64, 52, 1023, 0x3FE6A09E667F3BCD)

# log(1 + m) - m + m^2/2 over m^3 on sqrt(1/2) <= 1 + m < sqrt(2) (Cephes, single precision)
_LOG32 = (
    7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
    -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1,
)  # fmt: skip
# the same by s = m/(2 + m), in powers of s^2 (fdlibm)
_LOG64 = (
    1.479819860511658591e-01, 1.531383769920937332e-01, 1.818357216161805012e-01,
    2.222219843214978396e-01, 2.857142874366239149e-01, 3.999999999940941908e-01,
    6.666666666666735130e-01,
)  # fmt: skip
# sin(x) and cos(x) on |x| <= pi/4 in powers of x^2, after x and after 1 - x^2/2
_SIN32 = (-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)
_COS32 = (2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)
_SIN64 = (
    1.58962301576546568060e-10, -2.50507477628578072866e-8, 2.75573136213857245213e-6,
    -1.98412698295895385996e-4, 8.33333333332211858878e-3, -1.66666666666666307295e-1,
)  # fmt: skip
_COS64 = (
    -1.13585365213876817300e-11, 2.08757008419747316778e-9, -2.75573141792967388112e-7,
    2.48015872888517045348e-5, -1.38888888888730564116e-3, 4.16666666666665929218e-2,
)  # fmt: skip
# exp(x) after 1 + x on |x| <= log(2)/2: fitted in single precision, Taylor in double
_EXP32 = (
    1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1,
    5.0000001201e-1,
)  # fmt: skip
_EXP64 = tuple(1 / math.factorial(k) for k in range(13, 1, -1))


Line = tuple[str, str, str]  # type, name, right-hand side
Literal = Callable[[float], str]


@dataclass(frozen=True)
class Function:
    """A function of typed parameters that returns one or several reals."""

    name: str
    parameters: tuple[tuple[str, str], ...]
    lines: tuple[Line, ...]
    results: tuple[str, ...]


def horner(coefficients: Sequence[float], x: str, literal: Literal) -> str:
    """A polynomial as nested fused multiply-adds.

    >>> horner((3.0, 2.0, 1.0), "x", str)
    'fma(fma(3.0, x, 2.0), x, 1.0)'
    """
    text = literal(coefficients[0])
    for coefficient in coefficients[1:]:
        text = f"fma({text}, {x}, {literal(coefficient)})"
    return text


def functions(form: Format, literal: Literal) -> tuple[Function, ...]:
    """The functions of a format: two normals from random words, logarithm, exponential."""
    return (_box_muller(form, literal), _logarithm(form, literal), _exponential(form, literal))


def _log_lines(form: Format, f: str, literal: Literal) -> tuple[Line, ...]:
    """The logarithm ``lg`` of a positive, normal ``f``: exponent times log 2, plus a polynomial."""
    mask = hex(2**form.bits - 2**form.mantissa)
    # the exponent stays where it is in the bit pattern: one shift less, and exact all the same
    head: tuple[Line, ...] = (
        ("int", "b", f"bits({f})"),
        ("int", "scaled", f"int_((b - int_({form.root_half})) & int_({mask}))"),
        ("real", "m", f"unbits(int_(b - scaled)) - {literal(1.0)}"),
    )
    whole = f"real_i(scaled), {literal(math.log(2.0) * 2.0**-form.mantissa)}"
    if form is FLOAT32:
        return (
            *head,
            ("real", "p", horner(_LOG32, "m", literal)),
            ("real", "m2", "m * m"),
            ("real", "small", f"fma(p * m2, m, fma(m2, {literal(-0.5)}, m))"),
            ("real", "lg", f"fma({whole}, small)"),
        )
    return (
        *head,
        ("real", "s", f"m / (m + {literal(2.0)})"),
        ("real", "s2", "s * s"),
        ("real", "p", f"{horner(_LOG64, 's2', literal)} * s2"),
        ("real", "h", f"{literal(0.5)} * m * m"),
        ("real", "small", "m - (h - s * (h + p))"),
        ("real", "lg", f"fma({whole}, small)"),
    )


def _box_muller(form: Format, literal: Literal) -> Function:
    top = form.bits - 1
    if form is FLOAT32:
        parameters: tuple[tuple[str, str], ...] = (("word", "radius"), ("word", "angle"))
        joined: tuple[Line, ...] = (("real", "scaled_radius", "real_w(radius)"),)
        width = 32
        sine = f"fma({horner(_SIN32, 'y', literal)}, y * x, x)"
        cosine = f"{horner(_COS32, 'y', literal)}, y * y"
    else:
        parameters = tuple(("word", n) for n in ("high0", "low0", "high1", "low1"))
        joined = (
            ("word", "radius", "join(high0, low0)"),
            ("word", "angle", "join(high1, low1)"),
            ("real", "scaled_radius", "real_i(int_(radius >> word_(11)))"),
        )
        width = 53
        sine = f"fma({horner(_SIN64, 'y', literal)} * y, x, x)"
        cosine = f"{horner(_COS64, 'y', literal)} * y, y"
    unit, half = literal(2.0**-width), literal(2.0 ** -(width + 1))
    lines = (
        *joined,
        ("real", "f", f"fma(scaled_radius, {unit}, {half})"),
        *_log_lines(form, "f", literal),
        ("real", "r", f"root(lg * {literal(-2.0)})"),
        ("int", "rest", "int_(angle << word_(2))"),
        ("real", "x", f"real_i(rest) * {literal(math.pi / 2 / 2.0**form.bits)}"),
        ("real", "y", "x * x"),
        ("int", "sine", f"bits({sine})"),
        ("int", "cosine", f"bits(fma({cosine}, fma(y, {literal(-0.5)}, {literal(1.0)})))"),
        ("int", "whole", "int_(angle)"),
        ("int", "turned", "int_(angle << word_(1))"),
        ("int", "next", f"int_(angle + word_({2 ** (top - 1)}))"),  # a quadrant on: the cosine's sign
        ("int", "sign", f"int_({hex(2**top)})"),
        ("int", "first", "pick(turned < int_(0), cosine, sine)"),
        ("int", "second", "pick(turned < int_(0), sine, cosine)"),
        ("real", "z0", "r * unbits(int_(first ^ (whole & sign)))"),
        ("real", "z1", "r * unbits(int_(second ^ (next & sign)))"),
    )
    return Function("box_muller", parameters, lines, ("z0", "z1"))


def _logarithm(form: Format, literal: Literal) -> Function:
    """log(a) for every a; numbers below the normal range are first scaled up."""
    tiny = 2.0 ** (1 - form.bias)
    up = form.mantissa + 1
    lines = (
        ("real", "large", f"a * {literal(2.0**up)}"),
        ("real", "f", f"pick(a < {literal(tiny)}, large, a)"),
        *_log_lines(form, "f", literal),
        ("real", "shifted", f"lg - {literal(up * math.log(2.0))}"),
        ("real", "finite", f"pick(a < {literal(tiny)}, shifted, lg)"),
        ("real", "above", f"pick(a <= {literal(_largest(form))}, finite, a)"),
        ("real", "zero", f"pick(a < {literal(0.0)}, unbits(int_({hex(_nan(form))})), above)"),
        (
            "real",
            "result",
            f"pick(a == {literal(0.0)}, unbits(int_({hex(_minus_infinity(form))})), zero)",
        ),
    )
    return Function("logarithm", (("real", "a"),), lines, ("result",))


def _exponential(form: Format, literal: Literal) -> Function:
    """exp(a): a = k log 2 + x, a polynomial in x, and 2^k in two factors so that none overflows."""
    low, high = (-104.0, 89.0) if form is FLOAT32 else (-746.0, 710.0)
    # ln 2 in two parts, the first with so few digits that k times it is exact
    first = 0.693359375 if form is FLOAT32 else 6.93147180369123816490e-01
    second = math.log(2.0) - first if form is FLOAT32 else 1.90821492927058770002e-10
    magic = 1.5 * 2.0**form.mantissa
    poly = _EXP32 if form is FLOAT32 else _EXP64
    lines = (
        ("real", "bounded", f"pick(a < {literal(low)}, {literal(low)}, a)"),
        ("real", "safe", f"pick(bounded > {literal(high)}, {literal(high)}, bounded)"),
        ("real", "shifted", f"fma(safe, {literal(1 / math.log(2.0))}, {literal(magic)})"),
        ("real", "k", f"shifted - {literal(magic)}"),
        ("int", "whole", f"int_(bits(shifted) - bits({literal(magic)}))"),
        ("real", "x0", f"fma(k, {literal(-first)}, safe)"),
        ("real", "x", f"fma(k, {literal(-second)}, x0)"),
        ("real", "p", horner(poly, "x", literal)),
        ("real", "mantissa", f"fma(p, x * x, x) + {literal(1.0)}"),
        ("int", "half", "int_(whole >> int_(1))"),
        ("int", "other", "int_(whole - half)"),
        ("int", "one", f"int_({form.bias})"),
        ("real", "up", f"unbits(int_(word_(int_(half + one)) << word_({form.mantissa})))"),
        ("real", "rest", f"unbits(int_(word_(int_(other + one)) << word_({form.mantissa})))"),
        ("real", "result", "mantissa * up * rest"),
    )
    return Function("exponential", (("real", "a"),), lines, ("result",))


def _largest(form: Format) -> float:
    return (2.0 - 2.0**-form.mantissa) * 2.0**form.bias


def _minus_infinity(form: Format) -> int:
    return ((1 << form.bits - form.mantissa) - 1) << form.mantissa  # sign and exponent bits


def _nan(form: Format) -> int:
    return ((1 << form.bits - form.mantissa) - 1) << form.mantissa - 1  # exponent and quiet bits
