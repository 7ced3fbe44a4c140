"""Section 3.1, Bayesian linear regression: Eq. 6, the noise of minibatches, Theorem 4."""

import sympy as sp

from verification.notation import N, S
from verification.papers.brosse2018.letters import STEPS
from verification.papers.brosse2018.section_3_1 import H1
from verification.relations import Compare, Equal, Order
from verification.statements import Assumption, Section, Term, letter, letters, sqrt
from verification.terms.batchwords import (
    Average,
    Expectation,
    FixedColumn,
    Gradient,
    Inner,
    batch_total,
    columns,
    numbers,
    outer,
    total,
)
from verification.terms.batchwords import theta as point
from verification.theories.distances import QUADRATIC, SMOOTH, STABLE, TARGET, law
from verification.theories.distances import W2 as distance
from verification.theories.minibatches.drawing import WITH, Drawn

x, y = columns("x"), numbers("y")
center = FixedColumn("theta_star", commutative=False)
v_y, v_theta = sp.symbols("sigma_y2 sigma_theta2", positive=True)
unit = sp.Symbol("I", commutative=False)
PRECISION = unit / v_theta + total(outer(x)) / v_y
PULL = total(y * x) / v_y  # X^T y / sigma_y^2
RHO = unit / v_theta + N / (S * v_y) * batch_total(outer(x)) - PRECISION
XI = center / v_theta + N / (S * v_y) * batch_total((Inner(x, center) - y) * x)
REPLACED = Drawn((), WITH)
LINEAR = Assumption(
    "Bayesian linear regression, $X^T X$ at least $m I$, the lower limit of $m/N$ above zero"
)

LETTERS = Assumption(
    "one dimension; $V_11$, $V_22$: variances of a minibatch's gradient at $theta*$, of its curvature"
)
LIMIT = Assumption("one dimension, $eta$ within the printed limit")
linear = Section(given=(LINEAR,))
SETTLED = (STABLE, QUADRATIC)
SCALED = (LINEAR, H1, *SETTLED)  # of minibatches and steps that change with N otherwise

posterior = linear("sec3_1.posterior", "section 3.1, before Eq. 6").claim(
    "Precision and mode of the posterior",
    "The gradient of $U$ is $Sigma theta - X^T y/sigma_y^2$, with $Sigma$ as printed; so it is"
    " $Sigma$ $(theta - theta*)$, and $U$ a quadratic form about $theta*$.",
    read=Equal(
        Gradient(Inner(point, point) / (2 * v_theta) + total((y - Inner(x, point)) ** 2) / (2 * v_y)),
        PRECISION * point - PULL,
    ),
)

separated = linear("sec3_1.sgldfp_and_sgld", "section 3.1, before Theorem 4").claim(
    "SGLD stays away from SGLDFP",
    "In linear regression the distance of their invariant laws does not vanish as $N$ grows (where there"
    " are such laws, with variances).",
    printed=Order(distance(law("sgldfp"), law("sgld")), "Omega", 1, STEPS),
    given=SETTLED,
)

eq6 = linear("eq6", "Eq. 6 and the display before it").claim(
    "Multiplicative and additive noise",
    "The gradient of a minibatch is $Sigma$ $(theta - theta*)$ plus $rho(S)$ $(theta - theta*)$ plus"
    " $xi(S)$, where $X^T y/sigma_y^2$ is $Sigma theta*$.",
    printed=Equal(
        point / v_theta + N / (S * v_y) * batch_total((Inner(x, point) - y) * x),
        PRECISION * (point - center) + RHO * (point - center) + XI,
    ),
)

rho_mean = linear("eq6.rho_has_mean_zero", "Eq. 6").claim(
    "The multiplicative noise has mean zero",
    "Over all minibatches $rho(S)$ averages to zero.",
    derived=Equal(Expectation(RHO), 0 * PRECISION),
)

xi_mean = linear("eq6.xi_has_mean_zero", "Eq. 6").claim(
    "The additive noise has mean zero",
    "Over all minibatches $xi(S)$ averages to $Sigma theta* - X^T y/sigma_y^2$, which is zero at"
    " $theta*$.",
    derived=Equal(Expectation(XI), PRECISION * center - PULL),
)

additive_noise = linear("sec3_1.sgldfp_has_no_additive_noise", "section 3.1, display after Eq. 6").claim(
    "SGLDFP has multiplicative noise only",
    "With control variates the gradient is $Sigma$ $(theta - theta*)$ plus $rho(S)$ $(theta - theta*)$.",
    printed=Equal(
        (point - center) / v_theta
        + N / (S * v_y) * batch_total((Inner(x, point) - y) * x - (Inner(x, center) - y) * x),
        PRECISION * (point - center) + RHO * (point - center),
    ),
)

g = numbers("g")
additive = linear("thm4.additive_noise", "Theorem 4 i, the sum over examples").claim(
    "The variance of the additive noise",
    "With replacement $N/p$ times the sum of squared deviations of the examples' gradients is the"
    " variance of the minibatch's; at $theta*$ their mean is $-(theta*)/(N sigma_theta^2)$.",
    derived=Equal(
        Expectation((N / S * batch_total(g) - total(g)) ** 2), N / S * total((g - Average(g)) ** 2)
    ),
    given=(REPLACED,),
)

precision, squares, ratio = letters("Sigma x_squared c")
size, batch, n = letters("N p n", "count")


def largest_step(s: Term, x2: Term) -> Term:
    """The printed limit of the step, as a formula of the precision and the sum of x_i^2."""
    return 1 / (s * (1 + size / (batch * x2)))


step, spread_of_curvature, spread = letters("gamma V22 spread")
mu = letter("mu", "fraction")
MEAN_SQUARE = (1 - step * precision) ** 2 + step**2 * spread_of_curvature
# of data: minibatches vary in curvature by less than they would were it all in one example
OF_DATA = (
    LETTERS,
    step <= largest_step(precision, squares),
    spread_of_curvature < (size - 1) / batch * precision**2,
)

APART = distance(law("sgld", n), law("sgldfp", n))
UP_TO = step <= largest_step(precision, squares)


def apart(factor: Term) -> Term:
    """The difference of standard deviations after n steps, whose squares grow by a factor."""
    added = sqrt(2 * step + step**2 * size / batch * spread) - sqrt(2 * step)
    return sqrt((1 - factor**n) / (1 - factor)) * added


thm4_i = linear("thm4.i", "Theorem 4 i, for some $mu$").claim(
    "SGLD and SGLDFP are apart after $n$ steps",
    "For some $mu$ in (0, $1 - gamma Sigma$], which is left open, the distance after $n$ steps from"
    " $theta*$ is at least the difference of standard deviations that the additive noise makes (spread"
    " is the printed sum over examples).",
    read=Compare(APART, ">=", apart(mu)),
    given=(LETTERS, UP_TO),
    where=((mu, (1 - step * precision) ** 2),),  # one that is as small as (1 - gamma Sigma)^2
)

thm4_i_every = linear("thm4.i.every_mu", "Theorem 4 i, for every $mu$").claim(
    "The same for every $mu$ of the range",
    "The display holds for each $mu$ in (0, $1 - gamma Sigma$], as it stands.",
    read=Compare(APART, ">=", apart(mu)),
    given=(LETTERS, mu <= 1 - step * precision, UP_TO),
)

thm4_mu = linear("thm4.i.mu", "Theorem 4 i, the range of $mu$ and the limit of the step").claim(
    "The mean squared factor of a step is at most $1 - gamma Sigma$",
    "Up to the printed limit of the step, $(1 - gamma Sigma)^2$ plus $gamma^2$ times the variance of a"
    " minibatch's curvature, by which second moments grow, lies in the range of $mu$.",
    derived=1 - step * precision >= MEAN_SQUARE,
    given=OF_DATA,
)

thm4_stable = linear("thm4.ii.stable", "Theorem 4 ii, the limit of $eta$").claim(
    "SGLD has an invariant law with a variance",
    "Up to the printed limit of the step second moments do not grow.",
    derived=step * (precision**2 + spread_of_curvature) < 2 * precision,  # the mean square is below 1
    given=OF_DATA,
)

thm4_units = linear("thm4.units", "Theorem 4 i, the limit of the step").claim(
    "The limit of the step is one in all units",
    "With $theta$ measured in units $c$ times as small, steps are $c^2$ times as large, and $Sigma$"
    " and the sum of"
    " $x_i^2$ are $c^2$ times as small; the printed limit, to be a step, changes as steps do.",
    derived=Equal(
        largest_step(precision / ratio**2, squares / ratio**2),
        ratio**2 * largest_step(precision, squares),
    ),
)

thm4_marginals = linear("thm4.i.does_not_vanish", "section 3.1, before Theorem 4").claim(
    "After $n$ steps SGLD and SGLDFP are at a distance of order one",
    "With a step $eta/N$ the distance of their laws after $n$ steps from $theta*$ does not vanish as"
    " $N$ grows.",
    read=Order(distance(law("sgldfp", n), law("sgld", n)), "Omega", 1, STEPS),
    given=(QUADRATIC, SMOOTH),
)

thm4_ii = linear("thm4.ii", "Theorem 4 ii").claim(
    "SGLD stays away from the target",
    "With a step $eta/N$ the distance of SGLD's invariant law from the posterior does not vanish (where"
    " there is one with a variance, which the printed limit of $eta$ does not ensure: thm4.ii.stable).",
    printed=Order(distance(law("sgld"), TARGET), "Omega", 1, STEPS),
    given=(Assumption("the lower limit of the mean of $x_i^2$ is positive"), LIMIT, *SETTLED),
)
