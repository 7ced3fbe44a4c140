"""Functions that every compiled reader computes with the same operations in the same order.

They are data: typed assignments whose right-hand sides are trees, which each reader carries out. Only
additions, products, fused multiply-adds, roots, divisions and integer operations occur; all of these
round correctly everywhere, so the results are the same to the bit on every target that neither reorders
nor contracts.

``real`` is the type of the run, ``int`` and ``word`` the signed and unsigned integers of its size.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from simulators import philox
from simulators.tree import (
    Node,
    bits,
    equals,
    fma,
    horner,
    int_,
    join,
    number,
    pick,
    real_i,
    real_w,
    root,
    unbits,
    variable,
    variables,
    word_,
)  # fmt: skip


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


Line = tuple[str, str, Node]  # type, name, right-hand side


@dataclass(frozen=True)
class Function:
    """A function of typed parameters that returns one or several reals."""

    name: str
    parameters: tuple[tuple[str, str], ...]
    lines: tuple[Line, ...]
    results: tuple[str, ...]


def functions(form: Format) -> tuple[Function, ...]:
    """The functions of a format: numbers from random words, logarithm, exponential."""
    return (
        _box_muller(form), _rademacher(form), _uniform(form), _student(form), _logarithm(form),
        _exponential(form), _logistic(form),
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


def _log_lines(form: Format, f: Node) -> tuple[Line, ...]:
    """The logarithm ``lg`` of a positive, normal ``f``: exponent times log 2, plus a polynomial."""
    b, scaled, m, p, m2, s, s2, h, small = variables("b scaled m p m2 s s2 h small")
    mask = 2**form.bits - 2**form.mantissa
    # the exponent stays where it is in the bit pattern: one shift less, and exact all the same
    head: tuple[Line, ...] = (
        ("int", "b", bits(f)),
        ("int", "scaled", int_((b - int_(form.root_half)) & int_(mask))),
        ("real", "m", unbits(int_(b - scaled)) - 1.0),
    )
    last = ("real", "lg", fma(real_i(scaled), math.log(2.0) * 2.0**-form.mantissa, small))
    if form is FLOAT32:
        return (
            *head,
            ("real", "p", horner(_LOG32, m)),
            ("real", "m2", m * m),
            ("real", "small", fma(p * m2, m, fma(m2, -0.5, m))),
            last,
        )
    return (
        *head,
        ("real", "s", m / (m + 2.0)),
        ("real", "s2", s * s),
        ("real", "p", horner(_LOG64, s2) * s2),
        ("real", "h", number(0.5) * m * m),
        ("real", "small", m - (h - s * (h + p))),
        last,
    )


def _unit_lines(form: Format, word: Node) -> tuple[Line, ...]:
    """A number ``f`` in (0, 1] from a random word: 0 is impossible."""
    width = 32 if form is FLOAT32 else 53
    scaled = real_w(word) if form is FLOAT32 else real_i(int_(word >> word_(11)))
    end = fma(variable("scaled_word"), 2.0**-width, 2.0 ** -(width + 1))
    return (("real", "scaled_word", scaled), ("real", "f", end))


def _words(form: Format, *words: str) -> tuple[tuple[tuple[str, str], ...], tuple[Line, ...]]:
    """Parameters for random words of a format's size, and what joins two of them where it is 64."""
    if form is FLOAT32:
        return tuple(("word", word) for word in words), ()
    halves = [(f"high{k}", f"low{k}") for k in range(len(words))]
    joined = tuple(
        ("word", word, join(*map(variable, pair))) for word, pair in zip(words, halves, strict=True)
    )
    return tuple(("word", half) for pair in halves for half in pair), joined


def _turn_lines(form: Format) -> tuple[Line, ...]:
    """Sine and cosine of a random angle as bit patterns, ``first`` and ``second`` by its quadrant."""
    angle, rest, x, y, sine, cosine, turned = variables("angle rest x y sine cosine turned")
    if form is FLOAT32:
        of_x, of_y = fma(horner(_SIN32, y), y * x, x), (horner(_COS32, y), y * y)
    else:
        of_x, of_y = fma(horner(_SIN64, y) * y, x, x), (horner(_COS64, y) * y, y)
    return (
        ("int", "rest", int_(angle << word_(2))),
        ("real", "x", real_i(rest) * (math.pi / 2 / 2.0**form.bits)),
        ("real", "y", x * x),
        ("int", "sine", bits(of_x)),
        ("int", "cosine", bits(fma(*of_y, fma(y, -0.5, 1.0)))),
        ("int", "whole", int_(angle)),
        ("int", "turned", int_(angle << word_(1))),
        ("int", "sign", int_(2 ** (form.bits - 1))),
        ("int", "first", pick(turned < int_(0), cosine, sine)),
        ("int", "second", pick(turned < int_(0), sine, cosine)),
    )


def _signed(radius: str, turned: str, quadrant: str) -> Node:
    """A radius times a sine or cosine, with the sign of its quadrant."""
    return variable(radius) * unbits(int_(variable(turned) ^ (variable(quadrant) & variable("sign"))))


def _box_muller(form: Format) -> Function:
    radius, angle, f, lg = variables("radius angle f lg")
    parameters, joined = _words(form, "radius", "angle")
    lines = (
        *joined,
        *_unit_lines(form, radius),
        *_log_lines(form, f),
        ("real", "r", root(lg * -2.0)),
        *_turn_lines(form),
        # a quadrant on: the cosine's sign
        ("int", "next", int_(angle + word_(2 ** (form.bits - 2)))),
        ("real", "z0", _signed("r", "first", "whole")),
        ("real", "z1", _signed("r", "second", "next")),
    )
    return Function("box_muller", parameters, lines, ("z0", "z1"))


def _rademacher(form: Format) -> Function:
    """One with the sign of a random word."""
    parameters, joined = _words(form, "random")
    sign = int_(int_(variable("random")) & int_(2 ** (form.bits - 1)))
    lines = (*joined, ("real", "z", unbits(int_(bits(1.0) | sign))))
    return Function("rademacher", parameters, lines, ("z",))


def _uniform(form: Format) -> Function:
    """Uniform with variance 1."""
    parameters, joined = _words(form, "random")
    spread = fma(variable("f"), 2.0 * math.sqrt(3.0), -math.sqrt(3.0))
    lines = (*joined, *_unit_lines(form, variable("random")), ("real", "z", spread))
    return Function("uniform", parameters, lines, ("z",))


def _two_to(whole: Node, form: Format) -> Node:
    """2 to a whole number to which the exponent's offset has been added."""
    return unbits(int_(word_(int_(whole)) << word_(form.mantissa)))


def _student(form: Format) -> Function:
    """Student's t by the polar method (Bailey 1994), with variance 1; the second would depend on it.

    ``exp(a) - 1`` for a from 0 on: the exponential's polynomial without its 1, so that nothing
    cancels near 0.
    """
    radius, f, lg, a, ex, ewhole, ep = variables("radius f lg a ex ewhole ep")
    exponent, factor, power, growth = variables("exponent factor power growth")
    parameters, joined = _words(form, "radius", "angle")
    lines = (
        *joined,
        *_unit_lines(form, radius),
        *_log_lines(form, f),
        ("real", "a", lg * exponent),
        *_reduced_lines(form, a, "e"),
        ("real", "ep", horner(_EXP32 if form is FLOAT32 else _EXP64, ex)),
        ("real", "power", _two_to(ewhole + int_(form.bias), form)),
        ("real", "growth", fma(power, fma(ep, ex * ex, ex), power - 1.0)),
        ("real", "r", root(growth * factor)),
        *_turn_lines(form),
        ("real", "z", _signed("r", "first", "whole")),
    )
    constants = (("real", "exponent"), ("real", "factor"))
    return Function("student", (*parameters, *constants), lines, ("z",))


def _reduced_lines(form: Format, a: Node, prefix: str) -> tuple[Line, ...]:
    """``a = whole log 2 + x`` with a small ``x``; the names begin with a prefix."""
    first, second = _HALVES[form.name]
    magic = 1.5 * 2.0**form.mantissa
    shifted, k, x0 = (variable(prefix + each) for each in ("shifted", "k", "x0"))
    return (
        ("real", f"{prefix}shifted", fma(a, 1 / math.log(2.0), magic)),
        ("real", f"{prefix}k", shifted - magic),
        ("int", f"{prefix}whole", int_(bits(shifted) - bits(magic))),
        ("real", f"{prefix}x0", fma(k, -first, a)),
        ("real", f"{prefix}x", fma(k, -second, x0)),
    )


def _logarithm(form: Format) -> Function:
    """log(a) for every a; numbers below the normal range are first scaled up."""
    a, large, f, lg, shifted, finite, above, zero = variables("a large f lg shifted finite above zero")
    tiny = 2.0 ** (1 - form.bias)
    up = form.mantissa + 1
    lines = (
        ("real", "large", a * 2.0**up),
        ("real", "f", pick(a < tiny, large, a)),
        *_log_lines(form, f),
        ("real", "shifted", lg - up * math.log(2.0)),
        ("real", "finite", pick(a < tiny, shifted, lg)),
        ("real", "above", pick(a <= _largest(form), finite, a)),
        ("real", "zero", pick(a < 0.0, unbits(int_(_nan(form))), above)),
        ("real", "result", pick(equals(a, 0.0), unbits(int_(_minus_infinity(form))), zero)),
    )
    return Function("logarithm", (("real", "a"),), lines, ("result",))


def _exponential(form: Format) -> Function:
    """exp(a): a = k log 2 + x, a polynomial in x, and 2^k in two factors so that none overflows."""
    a, bounded, safe, x, p, mantissa = variables("a bounded safe x p mantissa")
    whole, half, other, one, up, rest = variables("whole half other one up rest")
    low, high = (-104.0, 89.0) if form is FLOAT32 else (-746.0, 710.0)
    lines = (
        ("real", "bounded", pick(a < low, low, a)),
        ("real", "safe", pick(bounded > high, high, bounded)),
        *_reduced_lines(form, safe, ""),
        ("real", "p", horner(_EXP32 if form is FLOAT32 else _EXP64, x)),
        ("real", "mantissa", fma(p, x * x, x) + 1.0),
        ("int", "half", int_(whole >> int_(1))),
        ("int", "other", int_(whole - half)),
        ("int", "one", int_(form.bias)),
        ("real", "up", _two_to(half + one, form)),
        ("real", "rest", _two_to(other + one, form)),
        ("real", "result", mantissa * up * rest),
    )
    return Function("exponential", (("real", "a"),), lines, ("result",))


def _logistic(form: Format) -> Function:
    """c / (1 + exp(a)), where |a| is cut off so that exp(a) = 2^k exp(x) needs no care: c e-38 is left
    of c in single precision, c e-308 in double.

    The exponent's offset is in the number that makes k whole, so that k's bits are those of 2^k. In
    single precision one product suffices for x, and a polynomial of degree 6 in a form with few steps.
    """
    a, c, bounded, safe, shifted, k = variables("a c bounded safe shifted k")
    x, x2, top, p, mantissa, power = variables("x x2 top p mantissa power")
    high = 87.0 if form is FLOAT32 else 708.0
    magic = 1.5 * 2.0**form.mantissa + form.bias
    lines: tuple[Line, ...] = (
        ("real", "bounded", pick(a < -high, -high, a)),
        ("real", "safe", pick(bounded > high, high, bounded)),
        ("real", "shifted", fma(safe, 1 / math.log(2.0), magic)),
        ("real", "k", shifted - magic),
    )
    if form is FLOAT32:
        c6, c5, c4, c3, c2 = _GROWTH32
        lines += (
            ("real", "x", fma(k, -math.log(2.0), safe)),
            ("real", "x2", x * x),
            ("real", "top", fma(c6, x2, fma(c5, x, c4))),
            ("real", "p", fma(top, x2, fma(c3, x, c2))),
            ("real", "mantissa", fma(p, x2, x + 1.0)),
        )
    else:
        first, second = _HALVES[form.name]
        lines += (
            ("real", "x", fma(k, -second, fma(k, -first, safe))),
            ("real", "mantissa", fma(horner(_EXP64, x), x * x, x) + 1.0),
        )
    lines += (
        ("real", "power", unbits(int_(word_(bits(shifted)) << word_(form.mantissa)))),
        ("real", "result", c / fma(mantissa, power, 1.0)),
    )
    return Function("logistic", (("real", "c"), ("real", "a")), lines, ("result",))


def _largest(form: Format) -> float:
    return (2.0 - 2.0**-form.mantissa) * 2.0**form.bias


def _minus_infinity(form: Format) -> int:
    return ((1 << form.bits - form.mantissa) - 1) << form.mantissa  # sign and exponent bits


def _nan(form: Format) -> int:
    return ((1 << form.bits - form.mantissa) - 1) << form.mantissa - 1  # exponent and quiet bits
