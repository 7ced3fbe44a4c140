"""Supplement B: the general equation, Lemma 4, and the proof of Lemma 1, line by line."""

from itertools import product

import sympy as sp

from verification.papers.chen2016santa.section_4 import letters as kinds_of_eq1
from verification.papers.chen2016santa.section_4 import one, pull, push, words
from verification.papers.chen2016santa.supplement_letters import (
    DRIFT,
    FRICTIONS,
    G1,
    G2,
    H_2,
    H_11,
    METRIC,
    MOMENTA,
    PLACES,
    PLANE,
    PUSH,
    RHO,
    SDE_1,
    SPREAD,
    STATE,
    U_PLANE,
    D,
    U,
    Xi,
    beta,
    energy_plane,
    force_plane,
    k12,
    m11,
    m22,
    p,
    theta,
)
from verification.relations import All, Compare, Equal, Preserves
from verification.statements import Assumption, Printed, Section, at, density, log_integral, sqrt
from verification.terms.kinds import LOSS, PARAMETER, TIME, Kind, column, number, square
from verification.terms.term import letter, letters

ONE_COORDINATE = Assumption("One coordinate, so that $G_1$ and $G_2$ are positive functions of $theta$.")
DIAGONAL = Assumption("Two coordinates, with diagonal $G_1$, $G_2$ and $Xi$, as in Santa's algorithms.")

dx, F, dt, root, dw, D_7, D_8 = sp.symbols("dx F dt D^{1/2} dw D D_8", commutative=False)

general = at("eq7", "supplement B, Eq. 7").definition(
    "The general stochastic differential equation",
    "A drift $F$ for the time dt, and $sqrt(2)$ times a matrix of $N$ rows and $P$ columns on dw.",
    Printed(dx, F * sp.Symbol("tau", positive=True) + sp.sqrt(2) * root * dw),
    kinds={
        dx: Kind(("N", "1")),
        F: Kind(("N", "1"), 1 / TIME),
        sp.Symbol("tau", positive=True): number(TIME),
        root: Kind(("N", "K"), 1 / sp.sqrt(TIME)),
        dw: Kind(("K", "1"), sp.sqrt(TIME)),
    },
)

domain = at("eq7.domain", "supplement B, after Eq. 7, and Eq. 8").definition(
    "The shape of $D$",
    "$D$ is the square matrix of Eq. 8. It is said to have $N$ rows and $P$ columns: $P = N$, without"
    " which its root has no meaning, is left to the reader, as is $M = N$ for its domain.",
    Printed(D_7, D_8),
    kinds={D_7: Kind(("N", "N"), 1 / TIME), D_8: Kind(("N", "N"), 1 / TIME)},
    stands="read",
)

F_theta, F_p, F_Xi = sp.symbols("F_theta F_p F_Xi", commutative=False)
special_drift = at("eq8.F", "supplement B, Eq. 8").definition(
    "The drift of SDE (1) in the general form",
    "$F$ lists the drifts of position, momentum and thermostat, letter by letter those of Eq. 1.",
    Printed(F_theta, words["G_1"] * words["p"]),
    Printed(F_p, push + pull),
    Printed(F_Xi, words["Q"] - one / beta),
    kinds={
        **{words[n]: kind for n, kind in kinds_of_eq1.items() if not n.startswith("d") or "div" in n},
        beta: number(1 / LOSS),
        F_theta: column(PARAMETER * sp.sqrt(LOSS)),
        F_p: column(LOSS),
        F_Xi: square(LOSS),
    },
)

metric, inverse = letters("G_2 beta")
one_coordinate = Section(given=(ONE_COORDINATE,), scope="one coordinate")

special_noise = one_coordinate("eq8.D", "supplement $B$, Eq. 8").claim(
    "The noise of SDE (1) in the form of Eq. 8, in one coordinate",
    "$sqrt(2)$ times the root of $G_2/beta$ is the root of $2 G_2/beta$.",
    read=Equal(sqrt(2) * sqrt(metric / inverse), sqrt(2 / inverse * metric)),
)

H, U_, E = sp.symbols("H U E", positive=True)
hamiltonian = at("supB.density", "supplement B, after Eq. 8").definition(
    "The joint density",
    "The exponent $H$ of the joint density is $U$ plus a rest $E$.",
    Printed(H, U_ + E),
    kinds={H: number(), U_: number(), E: number()},
)

PAIRS = tuple(product(range(2), repeat=2))  # of indices

# Lemma 4, written out for two states and a symmetric D
x, y = sp.symbols("x y", real=True)
F_1, F_2, a, b, c, rho, f = (sp.Function(n)(x, y) for n in ("F_x", "F_y", "a", "b", "c", "q", "f"))
PAIR, DRIFTS, D_PAIR = (x, y), (F_1, F_2), ((a, b), (b, c))
FORWARD = sum(D(rho * D_PAIR[i][j], PAIR[i], PAIR[j]) for i, j in PAIRS) - sum(
    D(rho * DRIFTS[i], PAIR[i]) for i in range(2)
)
BACKWARD = sum(DRIFTS[i] * D(f, PAIR[i]) for i in range(2)) + sum(
    D_PAIR[i][j] * D(f, PAIR[i], PAIR[j]) for i, j in PAIRS
)

lemma_4 = at("lemma4", "supplement B, Lemma 4 with Eq. 10").claim(
    "The condition for a stationary density",
    "What the two sides of Eq. 10 differ by, times any test function, is $rho$ times its generator up"
    " to a divergence: so $rho$ is stationary where both are equal (two states, any $F$ and symmetric"
    " $D$).",
    states=PAIR,
    read=Equal(
        f * FORWARD - rho * BACKWARD,
        sum(
            D(
                f * (sum(D(rho * D_PAIR[i][j], PAIR[j]) for j in range(2)) - rho * DRIFTS[i])
                - rho * sum(D_PAIR[i][j] * D(f, PAIR[j]) for j in range(2)),
                PAIR[i],
            )
            for i in range(2)
        ),
    ),
    scope="two states",
)

drift, slope, bend = letters("F slope bend", "real")
spread = letter("D")
generator = at("lemma4.generator", "supplement B, Eq. 7 and Lemma 4").claim(
    "The generator of Lemma 4's equation, in one coordinate",
    "With the noise $sqrt(2)$ $D^(1/2)$ the equation has the generator $F f' + D f''$ (in one state;"
    " slope and bend are $f'$ and $f''$).",
    derived=Equal(
        drift * slope + (sqrt(2) * sqrt(spread)) ** 2 / 2 * bend, drift * slope + spread * bend
    ),
    scope="one coordinate",
)

marginalization = one_coordinate("eq9", "supplement $B$, Eq. 9 with the density of Eq. 11").claim(
    "The marginal of the position",
    "With momentum and thermostat integrated out, the density of Eq. 11 is $exp(-U)$.",
    printed=Equal(log_integral(-H_11, p, Xi), -U, constant_in=(theta,)),
)

stated_density = one_coordinate("eq11", "supplement $B$, Eq. 11").claim(
    "The density that Lemma 1 is said to state",
    "The exponent of Eq. 11, which has no $beta$, is that of Eq. 2.",
    states=STATE,
    read=Equal(-H_11, -H_2),
)

PLANE_DRIFT = (
    *(m * q for m, q in zip((m11, m22), MOMENTA, strict=True)),
    *(force_plane(i, ((m11, 0), (0, m22))) - FRICTIONS[i] * MOMENTA[i] for i in range(2)),
    *(q**2 - 1 / beta for q in MOMENTA),
)

condition = one_coordinate("eq10", "supplement $B$, Eq. 10 for the density of Eq. 2").claim(
    "Lemma 1's condition",
    "For SDE (1) and the density of Eq. 2 both sides of Eq. 10 are equal, at every temperature.",
    states=STATE,
    printed=Equal(
        sum(D(RHO * b, s) for b, s in zip(DRIFT, STATE, strict=True)), D(RHO * G2 / beta, p, p)
    ),
    given=(Equal(RHO, density(H_2)),),
)

condition_plane = at("eq10.two_coordinates", "supplement B, Eq. 10 for the density of Eq. 2").claim(
    "Lemma 1's condition in two coordinates",
    "The same where each entry of the diagonal metrics may depend on both coordinates.",
    given=(DIAGONAL, Equal(RHO, density(energy_plane()))),
    states=PLANE,
    printed=Equal(
        sum(D(RHO * b, s) for b, s in zip(PLANE_DRIFT, PLANE, strict=True)),
        sum(D(RHO * k / beta, q, q) for k, q in zip(SPREAD, MOMENTA, strict=True)),
    ),
    scope="two coordinates",
)

equilibrium = one_coordinate(
    "eq11.equilibrium", "supplement $B$, the end of the proof of Lemma 1"
).claim(
    "The equilibrium of SDE (1)",
    "The density of Eq. 11, without $beta$, is stationary under SDE (1).",
    read=Preserves(((SDE_1, -H_11),)),
)

proof = Section(at="supplement B, proof of Lemma 1")
of_pair, of_plane = proof.within("two states"), proof.within("two coordinates")
x, y = sp.symbols("x y", real=True)
PAIR = (x, y)
F_x, F_y, H = (sp.Function(n)(x, y) for n in ("F_x", "F_y", "H"))
FLOWS = tuple(zip(PAIR, (F_x, F_y), strict=True))
PRODUCT = sum(D(RHO, s) * F + D(F, s) * RHO for s, F in FLOWS)

product_rule = of_pair("lemma1.product", "left side, second line").claim(
    "The product rule",
    "The divergence of $rho F$ is that of $rho$ along $F$ and that of $F$.",
    given=(Equal(RHO, density(H)),),
    states=PAIR,
    printed=Equal(sum(D(RHO * F, s) for s, F in FLOWS), PRODUCT),
)

density_rule = of_pair("lemma1.exponent", "left side, third line").claim(
    "Slopes of the density by those of its exponent",
    "The slope of $rho$ is minus that of $H$ times $rho$.",
    given=(Equal(RHO, density(H)),),
    states=PAIR,
    printed=Equal(PRODUCT, sum(D(F, s) - D(H, s) * F for s, F in FLOWS) * RHO),
)


def expanded() -> sp.Expr:
    """The fourth line in one coordinate."""
    slope = U.diff(theta) - (Xi - G2) * G2.diff(theta)
    return (
        G1.diff(theta) * p
        - Xi
        - beta * slope * G1 * p
        - beta * p * (PUSH - Xi * p)
        - beta * (Xi - G2) * (p**2 - 1 / beta)
    )


SLOPES_11 = sum(D(b, s) - D(H_11, s) * b for b, s in zip(DRIFT, STATE, strict=True))

substituted = one_coordinate("lemma1.substituted", f"{proof.at}, left side, fourth line").claim(
    "The left side written out",
    "With the density of Eq. 11 put in, the left side has the five printed terms.",
    states=STATE,
    printed=Equal(SLOPES_11 * RHO, expanded() * RHO),
    given=(Equal(RHO, density(H_11)),),
)

DRIFT_PLANE = (
    *(sum(METRIC[i][j] * MOMENTA[j] for j in range(2)) for i in range(2)),
    *(force_plane(i) - FRICTIONS[i] * MOMENTA[i] for i in range(2)),
    *(q**2 - 1 / beta for q in MOMENTA),
)
H_PLANE = energy_plane()

plane = of_plane(
    "lemma1.substituted.two_coordinates", "left side, fourth line, the sum over $i$ and $j$"
).claim(
    "The slope of the exponent along the position",
    "The slope of Eq. 2's exponent by $theta_i$ is $beta$ times that of $U$ less the products of row $i$"
    " of $Xi - G_2$ with the slopes by $theta_i$ of row $i$ of $G_2$.",
    given=(DIAGONAL,),
    states=PLANE,
    read=All(
        *(
            Equal(D(H_PLANE, s), beta * (D(U_PLANE, s) - (FRICTIONS[i] - SPREAD[i]) * D(SPREAD[i], s)))
            for i, s in enumerate(PLACES)
        )
    ),
)

transport = of_plane("lemma1.transport", "left side, fourth line, first two sums").claim(
    "Divergences of the drifts of position and momentum",
    "The drift of the position has the divergence of G_1's rows times $p$, that of the momentum minus"
    " the trace of $Xi$ (two coordinates, any symmetric $G_1$).",
    given=(Assumption("Two coordinates, with diagonal $G_2$ and $Xi$."),),
    states=PLANE,
    read=Equal(
        sum(D(b, s) for b, s in zip(DRIFT_PLANE[:4], PLANE[:4], strict=True)),
        sum(D(METRIC[i][j], PLACES[i]) * MOMENTA[j] for i, j in PAIRS) - sum(FRICTIONS),
    ),
)

gathered = one_coordinate("lemma1.left", f"{proof.at}, left side, last line").claim(
    "What the left side comes to",
    "The five printed terms add up to the trace of $G_2$ $(p p^T - I)$ over $beta$.",
    states=STATE,
    printed=Equal(expanded() * RHO, G2 * (p**2 - 1) * RHO / beta),
    given=(Equal(RHO, density(H_11)),),
)

ENTRIES = ((SPREAD[0], k12), (k12, SPREAD[1]))  # of a G_2 that need not be diagonal
METRIC_2 = Compare(k12**2, "<", SPREAD[0] * SPREAD[1])  # which is positive definite
H_FULL = U_PLANE + sum(q**2 for q in MOMENTA) / 2  # thermostats are no functions of the momentum
WITHOUT_XI = Assumption("the part of the exponent with $Xi$ is left out: only slopes by $p$ count")
full = Section(at=proof.at, given=(Equal(RHO, density(H_FULL)), WITHOUT_XI), scope="two coordinates")
SECOND = sum(ENTRIES[i][j] * D(RHO, MOMENTA[i], MOMENTA[j]) / beta for i, j in PAIRS)

right_second = full("lemma1.right.second", "right side, first line").claim(
    "The second derivatives of the density",
    "$G_2$ is no function of the momentum, so that it stands before the derivatives"
    " (two coordinates, any symmetric $G_2$).",
    states=PLANE[:4],
    printed=Equal(sum(D(RHO * ENTRIES[i][j] / beta, MOMENTA[i], MOMENTA[j]) for i, j in PAIRS), SECOND),
)

right_first = full("lemma1.right.first", "right side, second line").claim(
    "The first derivative taken",
    "One of the two derivatives of $rho$ is minus that of $H$ times $rho$"
    " (two coordinates, any symmetric $G_2$).",
    states=PLANE[:4],
    printed=Equal(
        SECOND, sum(ENTRIES[i][j] * D(-D(H_FULL, MOMENTA[i]) * RHO, MOMENTA[j]) for i, j in PAIRS) / beta
    ),
)

right_last = full("lemma1.right.last", "right side, third line").claim(
    "What the right side comes to",
    "The right side is $1/beta$ times the sum of $G_2$,ii $(p_i^2 - 1)$, for any symmetric $G_2$.",
    given=(METRIC_2,),
    states=PLANE[:4],
    printed=Equal(SECOND, sum(ENTRIES[i][i] * (MOMENTA[i] ** 2 - 1) for i in range(2)) * RHO / beta),
)

trace = of_plane("lemma1.traces", "right side, third line against the left side's last").claim(
    "The two last lines are one",
    "The trace of $G_2$ $(p p^T - I)$ is the sum of $G_2$,ii $(p_i^2 - 1)$, for any symmetric $G_2$.",
    given=(METRIC_2,),
    states=PLANE,
    printed=Equal(
        sum(ENTRIES[i][j] * (MOMENTA[j] * MOMENTA[i] - int(i == j)) for i, j in PAIRS),
        sum(ENTRIES[i][i] * (MOMENTA[i] ** 2 - 1) for i in range(2)),
    ),
)

with_beta = one_coordinate("lemma1.substituted.eq2", f"{proof.at}, left side, fourth line").claim(
    "The left side written out, with the density of Eq. 2",
    "With $beta$ in the exponent the left side has the five printed terms too.",
    states=STATE,
    derived=Equal(sum(D(b, s) - D(H_2, s) * b for b, s in zip(DRIFT, STATE, strict=True)), expanded()),
)

both = one_coordinate("lemma1.sides", f"{proof.at}, right side, last line").claim(
    "The right side is the left side",
    "With the density of Eq. 11 both sides of Eq. 10 are equal (with that of Eq. 2 they are: eq10).",
    states=STATE,
    printed=Equal(D(RHO * G2 / beta, p, p), SLOPES_11 * RHO),
    given=(Equal(RHO, density(H_11)),),
)
