"""The words of formulas between numbers."""

from __future__ import annotations

from functools import reduce
from typing import Any

from verification.terms.printing import Written
from verification.terms.term import Applied
from verification.terms.words import POWER, PRODUCT, SIGN, SUM, WHOLE, Word, function


def _plus(a: Written, b: Written) -> tuple[str, int]:
    return f"{a.form} + {b.within(PRODUCT)}", SUM


def _minus(a: Written, b: Written) -> tuple[str, int]:
    return f"{a.form} - {b.within(PRODUCT)}", SUM


def _times(a: Written, b: Written) -> tuple[str, int]:
    return f"{a.within(SIGN)}*{b.within(POWER)}", max(SIGN, min(a.tight, PRODUCT))


def _times_latex(a: Written, b: Written) -> tuple[str, int]:
    left, right = a.within(SIGN), b.within(POWER)
    between = r" \cdot " if right[:1].isdigit() or right.startswith((r"\frac", "-")) else " "
    return f"{left}{between}{right}", max(SIGN, min(a.tight, PRODUCT))


def _over(a: Written, b: Written) -> tuple[str, int]:
    return f"{a.within(SIGN)}/{b.within(POWER)}", max(SIGN, min(a.tight, PRODUCT))


def _over_latex(a: Written, b: Written) -> tuple[str, int]:
    return rf"\frac{{{a.form}}}{{{b.form}}}", POWER


def _negative(a: Written) -> tuple[str, int]:
    return f"-{a.within(POWER)}", SIGN


def _power(a: Written, b: Written) -> tuple[str, int]:
    return f"{a.within(WHOLE)}**{b.within(WHOLE)}", POWER


def _power_latex(a: Written, b: Written) -> tuple[str, int]:
    base = a.within(WHOLE)
    return (
        f"{{{base}}}^{{{b.form}}}" if "^" in base and a.tight == WHOLE else f"{base}^{{{b.form}}}",
        POWER,
    )


def _hyperbolic(name: str, of_exponentials: Any) -> Word:
    """What is made of exp(x) and exp(-x), where an arithmetic has no operation of that name."""

    def value(o: Any, a: Any) -> Any:
        own = o.operations.get(name)
        return own(a) if own else of_exponentials(o, o.exp(a), o.exp(o.negative(a)))

    return function(name, value, name + " {0}", of_matrices="write it with expm()")


def _extreme(name: str, of_two: Any, spoken: str, of_matrix: str) -> Word:
    """The largest or smallest of some numbers."""

    def value(o: Any, *parts: Any) -> Any:
        return reduce(of_two(o), parts)

    told = f"{of_matrix}() is that of a matrix"
    return function(name, value, f"the {spoken} of {{0}}, ...", of_matrices=told)


def _operation(name: str, value: Any, latex: Any, text: Any, spoken: str) -> Word:
    """What numbers and matrices have alike."""
    return Word(name, value, latex, text, spoken, keeps_matrices=True)


exp = function(
    "exp",
    lambda o, a: o.exp(a),
    "e to the {0}",
    lambda a: (f"e^{{{a.form}}}", POWER),
    of_matrices="expm() is that of a matrix",
)
log = function(
    "log", lambda o, a: o.log(a), "the logarithm of {0}", of_matrices="log(det(...)) is a number"
)
sqrt = function(
    "sqrt",
    lambda o, a: o.root(a),
    "the root of {0}",
    lambda a: (rf"\sqrt{{{a.form}}}", WHOLE),
    of_matrices="name the root by a letter, and give its square as an equation",
)
erf = function(
    "erf",
    lambda o, a: o.erf(a),
    "the error function of {0}",
    r"\operatorname{erf}",
    of_matrices="it is of a number",
)
sinh = _hyperbolic("sinh", lambda o, up, down: o.over(o.subtract(up, down), o.number(2)))
cosh = _hyperbolic("cosh", lambda o, up, down: o.over(o.add(up, down), o.number(2)))
tanh = _hyperbolic("tanh", lambda o, up, down: o.over(o.subtract(up, down), o.add(up, down)))
sign = function(
    "sign",
    lambda o, a: o.sign_of(a),
    "the sign of {0}",
    r"\operatorname{sign}",
    of_matrices="a matrix has none",
)
size = Word(
    "abs",
    lambda o, a: o.largest(a, o.negative(a)),
    lambda a: (rf"\left|{a.form}\right|", WHOLE),
    lambda a: (f"|{a.form}|", WHOLE),
    "the size of {0}",
)
sin = function("sin", lambda o, a: o.sine(a), "the sine of {0}", of_matrices="it is of a number")
cos = function("cos", lambda o, a: o.cosine(a), "the cosine of {0}", of_matrices="it is of a number")
largest = _extreme("max", lambda o: o.largest, "largest", "LargestEigenvalue")
smallest = _extreme("min", lambda o: o.smallest, "smallest", "SmallestEigenvalue")

WORDS = (
    _operation("+", lambda o, a, b: o.add(a, b), _plus, _plus, "{0} plus {1}"),
    _operation("-", lambda o, a, b: o.subtract(a, b), _minus, _minus, "{0} minus {1}"),
    _operation("*", lambda o, a, b: o.multiply(a, b), _times_latex, _times, "{0} times {1}"),
    _operation("/", lambda o, a, b: o.over(a, b), _over_latex, _over, "{0} over {1}"),
    _operation("negative", lambda o, a: o.negative(a), _negative, _negative, "minus {0}"),
    _operation("**", lambda o, a, b: o.power(a, b), _power_latex, _power, "{0} to the power {1}"),
    exp,
    log,
    sqrt,
    erf,
    sinh,
    cosh,
    tanh,
    sign,
    size,
    sin,
    cos,
    largest,
    smallest,
    Word("pi", lambda o: o.pi(), lambda: (r"\pi", WHOLE), lambda: ("pi", WHOLE), "pi"),
    Word("e", lambda o: o.exp(o.number(1)), lambda: ("e", WHOLE), lambda: ("e", WHOLE), "e"),
)

pi, E = Applied("pi", ()), Applied("e", ())
