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

from simulators import philox


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
# the same to 4e-9, for where one more unit in the last place does not matter (least largest error)
_GROWTH32 = (
    1.3814532431e-03, 8.3687454462e-03, 4.1668392718e-02, 1.6666521132e-01, 4.9999994040e-01,
)  # fmt: skip
_EXP64 = tuple(1 / math.factorial(k) for k in range(13, 1, -1))


# log 2 in two parts, the first with so few digits that k times it is exact
_HALVES = {
    "float32": (0.693359375, math.log(2.0) - 0.693359375),
    "float64": (6.93147180369123816490e-01, 1.90821492927058770002e-10),
}


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
    """The functions of a format: numbers from random words, logarithm, exponential."""
    return (
        _box_muller(form, literal), _rademacher(form, literal), _uniform(form, literal),
        _student(form, literal), _logarithm(form, literal), _exponential(form, literal),
        _logistic(form, literal),
    )  # fmt: skip


def law(purpose: int) -> tuple[str, tuple[float, ...]]:
    """The function that makes a stream's numbers, and the constants it takes after the words.

    >>> law(2), law(philox.stream(2, "student:4"))
    (('box_muller', ()), ('student', (-0.5, 2.0)))
    """
    name, _, degrees = philox.law_of(purpose).partition(":")
    if name == "student":
        return name, (-2.0 / int(degrees), float(int(degrees) - 2))
    return ("box_muller" if name == "normal" else name), ()


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


def _unit_lines(form: Format, word: str, literal: Literal) -> tuple[Line, ...]:
    """A number ``f`` in (0, 1] from a random word: 0 is impossible."""
    width = 32 if form is FLOAT32 else 53
    scaled = f"real_w({word})" if form is FLOAT32 else f"real_i(int_({word} >> word_(11)))"
    unit, half = literal(2.0**-width), literal(2.0 ** -(width + 1))
    return (("real", "scaled_word", scaled), ("real", "f", f"fma(scaled_word, {unit}, {half})"))


def _words(form: Format, *names: str) -> tuple[tuple[tuple[str, str], ...], tuple[Line, ...]]:
    """Parameters for random words of a format's size, and what joins two of them where it is 64."""
    if form is FLOAT32:
        return tuple(("word", n) for n in names), ()
    halves = [(f"high{k}", f"low{k}") for k in range(len(names))]
    joined = tuple(
        ("word", n, f"join({high}, {low})") for n, (high, low) in zip(names, halves, strict=True)
    )
    return tuple(("word", n) for pair in halves for n in pair), joined


def _turn_lines(form: Format, literal: Literal) -> tuple[Line, ...]:
    """Sine and cosine of a random angle as bit patterns, ``first`` and ``second`` by its quadrant."""
    top = form.bits - 1
    if form is FLOAT32:
        sine = f"fma({horner(_SIN32, 'y', literal)}, y * x, x)"
        cosine = f"{horner(_COS32, 'y', literal)}, y * y"
    else:
        sine = f"fma({horner(_SIN64, 'y', literal)} * y, x, x)"
        cosine = f"{horner(_COS64, 'y', literal)} * y, y"
    return (
        ("int", "rest", "int_(angle << word_(2))"),
        ("real", "x", f"real_i(rest) * {literal(math.pi / 2 / 2.0**form.bits)}"),
        ("real", "y", "x * x"),
        ("int", "sine", f"bits({sine})"),
        ("int", "cosine", f"bits(fma({cosine}, fma(y, {literal(-0.5)}, {literal(1.0)})))"),
        ("int", "whole", "int_(angle)"),
        ("int", "turned", "int_(angle << word_(1))"),
        ("int", "sign", f"int_({hex(2**top)})"),
        ("int", "first", "pick(turned < int_(0), cosine, sine)"),
        ("int", "second", "pick(turned < int_(0), sine, cosine)"),
    )


def _box_muller(form: Format, literal: Literal) -> Function:
    parameters, joined = _words(form, "radius", "angle")
    lines = (
        *joined,
        *_unit_lines(form, "radius", literal),
        *_log_lines(form, "f", literal),
        ("real", "r", f"root(lg * {literal(-2.0)})"),
        *_turn_lines(form, literal),
        # a quadrant on: the cosine's sign
        ("int", "next", f"int_(angle + word_({2 ** (form.bits - 2)}))"),
        ("real", "z0", "r * unbits(int_(first ^ (whole & sign)))"),
        ("real", "z1", "r * unbits(int_(second ^ (next & sign)))"),
    )
    return Function("box_muller", parameters, lines, ("z0", "z1"))


def _rademacher(form: Format, literal: Literal) -> Function:
    """One with the sign of a random word."""
    parameters, joined = _words(form, "random")
    sign = f"int_(int_(random) & int_({hex(2 ** (form.bits - 1))}))"
    lines = (*joined, ("real", "z", f"unbits(int_(bits({literal(1.0)}) | {sign}))"))
    return Function("rademacher", parameters, lines, ("z",))


def _uniform(form: Format, literal: Literal) -> Function:
    """Uniform with variance 1."""
    parameters, joined = _words(form, "random")
    ends = f"{literal(2.0 * math.sqrt(3.0))}, {literal(-math.sqrt(3.0))}"
    lines = (*joined, *_unit_lines(form, "random", literal), ("real", "z", f"fma(f, {ends})"))
    return Function("uniform", parameters, lines, ("z",))


def _student(form: Format, literal: Literal) -> Function:
    """Student's t by the polar method (Bailey 1994), with variance 1; the second would depend on it.

    ``exp(a) - 1`` for a from 0 on: the exponential's polynomial without its 1, so that nothing
    cancels near 0.
    """
    parameters, joined = _words(form, "radius", "angle")
    lines = (
        *joined,
        *_unit_lines(form, "radius", literal),
        *_log_lines(form, "f", literal),
        ("real", "a", "lg * exponent"),
        *_reduced_lines(form, "a", literal, "e"),
        ("real", "ep", horner(_EXP32 if form is FLOAT32 else _EXP64, "ex", literal)),
        (
            "real",
            "power",
            f"unbits(int_(word_(int_(ewhole + int_({form.bias}))) << word_({form.mantissa})))",
        ),
        ("real", "growth", f"fma(power, fma(ep, ex * ex, ex), power - {literal(1.0)})"),
        ("real", "r", "root(growth * factor)"),
        *_turn_lines(form, literal),
        ("real", "z", "r * unbits(int_(first ^ (whole & sign)))"),
    )
    numbers = (("real", "exponent"), ("real", "factor"))
    return Function("student", (*parameters, *numbers), lines, ("z",))


def _reduced_lines(form: Format, a: str, literal: Literal, prefix: str) -> tuple[Line, ...]:
    """``a = whole log 2 + x`` with a small ``x``; the names begin with a prefix."""
    first, second = _HALVES[form.name]
    magic = 1.5 * 2.0**form.mantissa
    p = prefix
    return (
        ("real", f"{p}shifted", f"fma({a}, {literal(1 / math.log(2.0))}, {literal(magic)})"),
        ("real", f"{p}k", f"{p}shifted - {literal(magic)}"),
        ("int", f"{p}whole", f"int_(bits({p}shifted) - bits({literal(magic)}))"),
        ("real", f"{p}x0", f"fma({p}k, {literal(-first)}, {a})"),
        ("real", f"{p}x", f"fma({p}k, {literal(-second)}, {p}x0)"),
    )


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
    poly = _EXP32 if form is FLOAT32 else _EXP64
    lines = (
        ("real", "bounded", f"pick(a < {literal(low)}, {literal(low)}, a)"),
        ("real", "safe", f"pick(bounded > {literal(high)}, {literal(high)}, bounded)"),
        *_reduced_lines(form, "safe", literal, ""),
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


def _logistic(form: Format, literal: Literal) -> Function:
    """c / (1 + exp(a)), where |a| is cut off so that exp(a) = 2^k exp(x) needs no care: c e-38 is left
    of c in single precision, c e-308 in double.

    The exponent's offset is in the number that makes k whole, so that k's bits are those of 2^k. In
    single precision one product suffices for x, and a polynomial of degree 6 in a form with few steps.
    """
    high = 87.0 if form is FLOAT32 else 708.0
    magic = literal(1.5 * 2.0**form.mantissa + form.bias)
    lines: tuple[Line, ...] = (
        ("real", "bounded", f"pick(a < {literal(-high)}, {literal(-high)}, a)"),
        ("real", "safe", f"pick(bounded > {literal(high)}, {literal(high)}, bounded)"),
        ("real", "shifted", f"fma(safe, {literal(1 / math.log(2.0))}, {magic})"),
        ("real", "k", f"shifted - {magic}"),
    )
    if form is FLOAT32:
        c6, c5, c4, c3, c2 = map(literal, _GROWTH32)
        lines += (
            ("real", "x", f"fma(k, {literal(-math.log(2.0))}, safe)"),
            ("real", "x2", "x * x"),
            ("real", "top", f"fma({c6}, x2, fma({c5}, x, {c4}))"),
            ("real", "p", f"fma(top, x2, fma({c3}, x, {c2}))"),
            ("real", "mantissa", f"fma(p, x2, x + {literal(1.0)})"),
        )
    else:
        first, second = _HALVES[form.name]
        lines += (
            ("real", "x", f"fma(k, {literal(-second)}, fma(k, {literal(-first)}, safe))"),
            ("real", "mantissa", f"fma({horner(_EXP64, 'x', literal)}, x * x, x) + {literal(1.0)}"),
        )
    lines += (
        ("real", "power", f"unbits(int_(word_(bits(shifted)) << word_({form.mantissa})))"),
        ("real", "result", f"c / fma(mantissa, power, {literal(1.0)})"),
    )
    return Function("logistic", (("real", "c"), ("real", "a")), lines, ("result",))


def _largest(form: Format) -> float:
    return (2.0 - 2.0**-form.mantissa) * 2.0**form.bias


def _minus_infinity(form: Format) -> int:
    return ((1 << form.bits - form.mantissa) - 1) << form.mantissa  # sign and exponent bits


def _nan(form: Format) -> int:
    return ((1 << form.bits - form.mantissa) - 1) << form.mantissa - 1  # exponent and quiet bits
