"""Section 5.1: the double well, its schedule, and what is seen there."""

import sympy as sp

from verification.claims.definition import NotMathematical
from verification.statements import (
    Adds,
    All,
    Compare,
    Equal,
    Moves,
    Term,
    claim,
    growing,
    letters,
    product,
    total,
)

theta = sp.Symbol("theta", real=True)
s, mode = sp.symbols("s t", positive=True)
low, high, lower, higher = letters("theta_1 theta_2 theta_3 theta_4", "real")
WELL = (theta + 4) * (theta + 1) * (theta - 1) * (theta - 3) / 14 + sp.Rational(1, 2)


def slope(at: Term) -> Term:
    """The slope of the double well: the product rule on its four factors."""
    factors = (at + 4, at + 1, at - 1, at - 3)
    return total(product(f for f in factors if f is not one) for one in factors) / 14


modes = claim(
    "sec5_1.modes",
    at="section 5.1, the double-well potential",
    title="The double well has its modes at -3 and 2",
    says="Its slope is zero at either.",
    read=All(Equal(slope(low), 0), Equal(slope(high), 0)),
    numbers={low: "-3", high: "2"},
)

rounded_modes = claim(
    "sec5_1.modes_rounded",
    at="section 5.1, the double-well potential",
    title="To the nearest whole number they are -3 and 2",
    says="The slope changes its sign within a half of either, from below to above.",
    read=All(slope(low) < 0, slope(high) > 0, slope(lower) < 0, slope(higher) > 0),
    numbers={low: "-3.5", high: "-2.5", lower: "1.5", higher: "2.5"},
)

optimum = claim(
    "sec5_1.optimum",
    at="section 5.1, the double-well potential",
    title="The global optimum is the left mode",
    says="Everywhere right of zero, at s, the potential is above its value at -3.",
    read=Compare(WELL.subs(theta, -3), "<=", sp.expand(WELL.subs(theta, s))),
)

step_decreases = claim(
    "sec5_1.step",
    at="section 5.1, settings",
    title="The learning rate decreases",
    says="It is t^(-0.3) over ten.",
    read=Moves(mode ** sp.Rational(-3, 10) / 10, "shrinks", growing(mode)),
)

schedule_increases = claim(
    "sec5_1.schedule",
    at="section 5.1, settings",
    title="The inverse temperature increases",
    says="It is the square of t.",
    read=Moves(mode**2, "grows", growing(mode)),
)

finite_sum = claim(
    "sec5_1.finite_sum",
    at="section 5.1, settings, against section 4.3 and its sixth footnote",
    title="The annealing sequence has a finite sum",
    says="That is the condition after Theorem 2, of which the footnote says that it may be neglected.",
    derived=Adds(mode**2, "to a finite sum", growing(mode)),
)

starts_near = claim(
    "sec5_1.start",
    at="section 5.1, settings",
    title="The start is nearer to the local mode",
    says="From 4 the mode read as 2 is nearer than that read as -3.",
    read=higher - high < higher - low,
    numbers={higher: "4", high: "2", low: "-3"},
)

figure_1 = NotMathematical(
    "fig1",
    at="Figure 1 and section 5.1",
    title="Santa leaves the local mode, RMSprop does not",
    says="What is read off one run; neither its length nor the settings of RMSprop are given.",
    because="picture",
)
