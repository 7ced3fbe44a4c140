"""The words of calculus: functions left open, derivatives, densities, integrals over all numbers."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from verification.terms.printing import Written
from verification.terms.term import Applied, Letter, term
from verification.terms.words import POWER, PRODUCT, SUM, WHOLE, Word, called


def _applied(f: Written, *arguments: Written) -> tuple[str, int]:
    return f"{f.form}({', '.join(a.form for a in arguments)})", WHOLE


def _applied_latex(f: Written, *arguments: Written) -> tuple[str, int]:
    return rf"{f.form}\left({', '.join(a.form for a in arguments)}\right)", WHOLE


def _integral(a: Written, *over: Written) -> tuple[str, int]:
    steps = "".join(rf" \, d{y.form}" for y in over)
    return rf"\log \int \exp\left({a.form}\right){steps}", SUM


def _mean(a: Written, f: Written, *over: Written) -> tuple[str, int]:
    given = ", ".join(y.form for y in over)
    density = rf"{given} \sim \exp\left({a.form}\right)"
    return rf"\mathbb{{E}}_{{{density}}} \left[{f.form}\right]", WHOLE


def _marked(f: Written, orders: Written) -> Written:
    return replace(f, form=f"{f.form}^({orders.form})")


density = Word(
    "density",
    lambda o, H: o.density(H),
    lambda H: (rf"\frac{{1}}{{Z}} \exp\left(-{H.within(PRODUCT)}\right)", PRODUCT),
    called("density"),
    "the density proportional to exp(-{0})",
    order=0,
)
log_integral = Word(
    "log_integral",
    lambda o, a, *over: o.log_integral(a, *over),
    _integral,
    called("log_integral"),
    "the logarithm of the integral of exp({0}) over {1}, ...",
    order=3,  # one more than a quadratic form has, so that another is seen
    integrates=True,
)
mean_under = Word(
    "mean_under",
    lambda o, a, f, *over: o.mean_under(a, f, *over),
    _mean,
    called("mean_under"),
    "the mean of {1} under the density proportional to exp({0}) in {2}, ...",
    order=5,  # one more than the degree of the polynomials that are averaged
    integrates=True,
)

WORDS = (
    Word(
        "of",
        lambda o, f, *arguments: o.apply(f, *arguments),
        _applied_latex,
        _applied,
        "{0} of {1}",
        order=0,
    ),
    Word(
        "partial",
        lambda o, a, x: o.partial(a, x),
        lambda a, x: (rf"\frac{{\partial}}{{\partial {x.form}}} {a.within(WHOLE)}", POWER),
        called("partial"),
        "the partial derivative of {0} by {1}",
        order=1,
    ),
    density,
    log_integral,
    mean_under,
    Word(
        "derived",
        lambda o, f, orders, *arguments: o.derived(f, orders, *arguments),
        lambda f, orders, *arguments: _applied_latex(_marked(f, orders), *arguments),
        lambda f, orders, *arguments: _applied(_marked(f, orders), *arguments),
        "the derivative of {0}, so often by each argument ({1}), at {2}, ...",
        order=0,
    ),
    Word(
        "put",
        lambda o, body, x, value: o.put(body, x, value),
        lambda body, x, value: (rf"{body.within(PRODUCT)}\big|_{{{x.form} = {value.form}}}", PRODUCT),
        called("put"),
        "{0} with {2} in the place of {1}",
        binds=True,
    ),
    Word(
        "over_noise",
        lambda o, a, *noises: o.over_noise(a, *noises),
        lambda a, *noises: (rf"\mathbb{{E}} \left[{a.form}\right]", WHOLE),
        called("over_noise"),
        "the mean of {0} over independent standard normal {1}, ...",
        order=math.inf,  # a polynomial, nothing of which is left out
        integrates=True,
    ),
    Word(
        "generated",
        lambda o, f, *parts: o.generated(f, *parts),
        lambda f, *parts: (rf"L {f.within(PRODUCT)}", PRODUCT),
        called("generated"),
        "the generator of the diffusion with states, drift and covariance {1}, ... applied to {0}",
        order=2,
    ),
)


def function(name: str, kind: str = "function") -> Any:
    """An unspecified function of its arguments, or one whose values are positive.

    >>> from verification.terms.term import letters
    >>> x, y = letters("x y", "real")
    >>> print(function("U")(x, y) * x)
    U(x, y)*x
    """
    return lambda *arguments: Applied("of", (Letter(name, kind), *map(term, arguments)))
