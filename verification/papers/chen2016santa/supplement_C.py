"""Supplement C: the proof of Theorem 2, the bias."""

import sympy as sp

from sgtheory.dynamics.diffusion import Diffusion
from sgtheory.dynamics.moments import normal_moment
from sgtheory.dynamics.steps import Step
from verification.papers.chen2016santa.supplement_letters import (
    RHO,
    SDE_1,
    STATE,
    D,
    U,
    Xi,
    beta,
    g,
    h,
    p,
    theta,
    zeta,
)
from verification.relations import Bounded, Compare, Equal, Order, WeakOrder, growing, vanishing
from verification.statements import Assumption, Section, density, index, over, pi, sequences, sqrt
from verification.terms.notation import I
from verification.terms.term import Letter, Term, letter, letters, term
from verification.theories.time.words import expm

proof = Section(at="supplement C, proof of the bias")
n, B = sp.symbols("L B", positive=True)  # steps, and the bound of Eq. 3
RANGE = (Compare(n, ">=", 1), Compare(h, "<=", 1))  # at least one step, and h at most one


def split(push: sp.Expr, metric: sp.Expr, amplitude: sp.Expr) -> Step:
    """A-B-O-B-A with the formulas of Eq. 6; ``amplitude`` is that of O's noise."""
    first = ((Xi, Xi + (p**2 - 1 / beta) * h / 2), (theta, theta + metric * p * h / 2))
    damp = (p, p * sp.exp(-Xi * h / 2))
    return Step(STATE, (*first, damp, (p, p + h * push + amplitude * zeta), damp, *first), (zeta,))


FLAT = Diffusion(
    STATE, (g * p, -g * U.diff(theta) - Xi * p, p**2 - 1 / beta), ((0,), (sp.sqrt(2 * g / beta),), (0,))
)
CONSTANT = Assumption("One coordinate, both metrics a constant $g$.")
G = sp.Function("G")(theta)
CURVED = Diffusion(
    STATE, (G * p, -G * U.diff(theta) + G.diff(theta) / beta - Xi * p, p**2 - 1 / beta), FLAT.noise
)

integrator_printed = proof("supC.integrator.printed", "Eq. 12, with the formulas of Eq. 6").claim(
    "The integrator of Eq. 6 is of second order",
    "$A-B-O-B-A$ with the printed solutions is a second-order integrator of SDE (1).",
    given=(CONSTANT,),
    printed=WeakOrder(FLAT, split(-g * U.diff(theta), g, sp.sqrt(2 * g / beta)), h, 2),
)

integrator = proof("supC.integrator", "Eq. 12, with the root of $h$ on the noise").claim(
    "The splitting is of second order",
    "$A-B-O-B-A$ is a second-order integrator of SDE (1), with the root of $h$ that Eq. 6 lacks.",
    given=(CONSTANT,),
    read=WeakOrder(FLAT, split(-g * U.diff(theta), g, sp.sqrt(2 * g / beta) * sp.sqrt(h)), h, 2),
    scope="one coordinate",
)

integrator_curved = proof("supC.integrator.metric", "Eq. 12, where $G_1$ depends on $theta$").claim(
    "The splitting is of second order for any $G_1$",
    "The same where the metric of the position is a function of it.",
    given=(Assumption("One coordinate, $G_2$ a constant $g$, $G_1 = G(theta)$."),),
    read=WeakOrder(
        CURVED,
        split(-G * U.diff(theta) + G.diff(theta) / beta, G, sp.sqrt(2 * g / beta) * sp.sqrt(h)),
        h,
        2,
    ),
)

step, generator = term(h), Letter("Lgen", "matrix")
series = I + step * generator + step**2 / 2 * generator**2
exponential = proof("eq12", "Eq. 12, second line").claim(
    "The semigroup of one step, expanded",
    "The exponential of $h$ times a generator is its series up to the square, and $O(h^3)$ (on functions"
    " with bounded $L^3 psi$; Assumption 1 bounds three derivatives, not six).",
    printed=Order(expm(step * generator) - series, "O", step**3, vanishing(step)),
    kinds=(("Lgen", "operator"),),
)

noise_size = proof("eq13.size", "Eq. 13").claim(
    "The error of the slope of $G_1$ in one step",
    "By Eq. 3 the drift of $p$ is off by $B h/beta$, which in a step is at most $h$ times $B/beta$.",
    given=(Compare(h, "<=", 1),),
    derived=Bounded(h * (B * h / beta), h * (B / beta)),
)

psi = sp.Function("psi")(*STATE)
G1, error = sp.Function("G1", positive=True)(theta), sp.Function("e")(theta)
bound = sp.Symbol("B", real=True)
relation = proof("eq13.relation", "after Eq. 13").claim(
    "Generators with a minibatch's gradient and with the full one",
    "The generator with a minibatch's slope $U' + e$ and the error $B/beta$ is $L_beta$ plus $Delta V$,"
    " which has $G_1 e$ with a plus sign (as in section 4.3; $B_t$ is read as $B_t/beta_t d/dp$).",
    states=(*STATE, psi.func, error.func),
    read=Equal(
        D(psi, theta) * G1 * p
        + (SDE_1.drift[1] - G1 * error + bound / beta) * D(psi, p)
        + SDE_1.drift[2] * D(psi, Xi),
        D(psi, theta) * G1 * p
        + SDE_1.drift[1] * D(psi, p)
        + SDE_1.drift[2] * D(psi, Xi)
        + G1 * error * D(psi, p)
        + bound / beta * D(psi, p),
    ),
    scope="one coordinate",
)

# E psi(X_t), E L psi(X_(t-1)), E Delta V psi(X_(t-1)), E L~^2 psi(X_(t-1)), what is left of a step
m, lpsi, vpsi, qpsi, rest, phi, mean = sequences("m l v q r phi a")
L, step, t = letter("L", "count"), letter("h"), index("t")
ONE_PSI = Assumption(
    "one $psi$ for all $t$, though Eq. 4 has one for each temperature: a gap of the proof"
)
EXPANDED = Equal(lpsi[t], (m[t] - m[t - 1] - step * vpsi[t] - step**2 / 2 * qpsi[t] - rest[t]) / step)


def total(term: Term, last: Term = L) -> Term:
    """The sum over all steps."""
    return over(term, t, 1, last)


summed = proof("supC.sum", "the display after Eq. 13").claim(
    "Eq. 13 summed over all steps",
    "What $psi$ is after $L$ steps comes from its start and four sums.",
    given=(EXPANDED, ONE_PSI),
    printed=Equal(
        total(m[t]),
        m[0]
        + total(m[t], L - 1)
        + step * total(lpsi[t])
        + step * total(vpsi[t])
        + step**2 / 2 * total(qpsi[t])
        + total(rest[t]),
    ),
)

divided = proof("eq14", "Eq. 14, second line").claim(
    "The mean of $L psi$ by a sum that telescopes",
    "Divided by $L h$, the sum leaves the ends over $L h$ and means of $Delta V psi$ and of"
    " $h/2 L^2 psi$ (printed with $X_t$ for $X_L$, and what steps leave over as $O(h^2)$).",
    given=(EXPANDED, ONE_PSI),
    read=Equal(
        total(lpsi[t]) / L,
        (m[L] - m[0]) / (L * step)
        - total(vpsi[t]) / L
        - step / (2 * L) * total(qpsi[t])
        - total(rest[t]) / (L * step),
    ),
)

poisson = proof("eq14.poisson", "Eq. 14, first line").claim(
    "Poisson's equation along the chain",
    "With $L psi$ equal to $phi$ less its mean at $X_(t-1)$, its mean over steps is that of $phi(X_t)$"
    " less that mean. What differs, $(phi_L - phi_0)/L$, is within the bound's $1/(L h)$.",
    given=(Equal(lpsi[t], phi[t - 1] - mean[t]), ONE_PSI),
    printed=Equal(total(phi[t] - mean[t]) / L, total(lpsi[t]) / L),
)

spread = sp.Function("sigma", positive=True)(theta)


def forward(density: sp.Expr) -> sp.Expr:
    """The Fokker-Planck operator of SDE (1) at a constant metric."""
    moved = sum(D(density * b, s) for b, s in zip(FLAT.drift, STATE, strict=True))
    return D(density * g / beta, p, p) - moved


# what a minibatch's slope, of variance sigma^2, adds to the mean of L^2 psi, by parts
ADDED = -(g**2) * beta**2 * forward(spread**2 * (Xi - g) * RHO)
squared = proof("eq15", "Eq. 15").claim(
    "Means of the squared generator: zero where $L psi$ is a function of $theta$",
    "The mean of $E L~_t^2 psi$ over the law of Eq. 2, to which the mean over steps tends, is minus $g^2"
    " beta^2$ times that of $sigma^2 (Xi - g) L psi$ for every $psi$, $sigma^2$ the variance of a"
    " minibatch's slope; so it is zero where Poisson's equation makes $L psi$ a function of $theta$."
    " (Of one $psi$ it can be zero for other reasons: $U$ and $sigma sigma'$ even, $phi = U$.)",
    given=(CONSTANT, Equal(RHO, density(beta * (U + p**2 / 2 + (Xi - g) ** 2 / 2)))),
    states=STATE,
    derived=Equal(forward(forward(RHO)) + D(g**2 * spread**2 * RHO, p, p), ADDED),
    scope="one coordinate",
)

squared_size = proof("eq15.size", "Eq. 15").claim(
    "The size of the sum",
    "Ends of order one and $L$ terms of order $h^2$, over $h$, are of order $1/h + L h$.",
    given=RANGE,
    read=Bounded((1 + n * h**2) / h, 1 / h + n * h),
)

substituted = proof("supC.substituted", "the display after Eq. 15").claim(
    "Eq. 15 put into Eq. 14",
    "$h/(2 L)$ times $1/h + L h$ is of order $h/(L h) + h^2$.",
    given=RANGE,
    read=Bounded(h / (2 * n) * (1 / h + n * h), h / (n * h) + h**2),
)

limit = letter("phi_bar")
two_parts = proof("supC.bias.parts", "last display, first line").claim(
    "The bias in two parts",
    "The average of $phi$ less its limit is the error of sampling plus that of the temperatures.",
    printed=Equal(total(phi[t]) / L - limit, total(phi[t] - mean[t]) / L + total(mean[t]) / L - limit),
)


def quadratic(size: int) -> tuple[sp.Expr, sp.Expr]:
    """For U = |theta|^2/2: the mean of U less its minimum, and the integral of exp(-beta U)."""
    return size * normal_moment((2,), [[1 / beta]]) / 2, (2 * sp.pi / beta) ** sp.Rational(size, 2)


level, constant, inverse = letters("u C beta")
BELOW = "The mean of $phi$ less $phi(theta*)$ is at most $C phi(theta*)$ times the integral of"
annealing = proof("supC.bias.annealing", "last display, third line").claim(
    "The bias of a temperature by $phi$ at the minimum",
    f"{BELOW} $exp(-beta Delta U)$; for $U = theta^2/2$, where $phi(theta*)$ is zero.",
    derived=1 / (2 * inverse) <= constant * term(0) * sqrt(2 * pi / inverse),
)

annealing_above = proof("supC.bias.annealing.above_zero", "last display, third line").claim(
    "The same where $phi$ is positive at the minimum",
    f"{BELOW} $exp(-beta Delta U)$; for $U = u + theta^2/2$ with one $u > 0$, on which $C$ may depend.",
    derived=Order(1 / (2 * inverse), "O", level * sqrt(2 * pi / inverse), growing(inverse)),
    scope="one dimension, a quadratic potential",
)

annealing_plane = proof("supC.bias.integral", "last display, third line, and Theorem 2").claim(
    "The bias of a temperature by an integral, in one dimension",
    "For $U = theta^2/2$ the mean of $U$ is at most a constant times the integral of $exp(-beta U)$.",
    given=(Compare(beta, ">=", 1),),
    derived=Bounded(*quadratic(1)),
    scope="a quadratic potential",
)

integral = proof("supC.bias.integral.space", "last display, third line, and Theorem 2").claim(
    "The bias of a temperature by an integral, in three dimensions",
    "For $U = |theta|^2/2$ in three dimensions the same is so.",
    given=(Compare(beta, ">=", 1),),
    derived=Bounded(*quadratic(3)),
)

last = proof("supC.bias", "last display, last line").claim(
    "The bound on the bias of sampling",
    "The ends over $L h$ and $h^2$, each with a constant of its own (3 and 5), are at most a constant"
    " times the sum of $1/(L h)$ and $h^2$.",
    given=RANGE,
    derived=Bounded(3 / (n * h) + 5 * h**2, 1 / (n * h) + h**2),
)
