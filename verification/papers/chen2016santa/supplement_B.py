"""Supplement B: the general equation, Lemma 4, and the density that Lemma 1 is proved for."""

import sympy as sp

from verification.claims.base import Assumption, Printed
from verification.claims.definition import Definition
from verification.papers.chen2016santa.section_4 import letters as kinds_of_eq1
from verification.papers.chen2016santa.section_4 import one, pull, push, words
from verification.papers.chen2016santa.supplement_letters import (
    DRIFT,
    FRICTIONS,
    G2,
    H_2,
    H_11,
    MOMENTA,
    PLANE,
    RHO,
    SDE_1,
    SPREAD,
    STATE,
    D,
    U,
    Xi,
    beta,
    energy_plane,
    force_plane,
    m11,
    m22,
    p,
    theta,
)
from verification.statements import Equal, Preserves, claim, density, letter, letters, log_integral, sqrt
from verification.terms.kinds import LOSS, PARAMETER, TIME, Kind, column, number, square

ONE_COORDINATE = Assumption("One coordinate, so that G_1 and G_2 are positive functions of theta.")
DIAGONAL = Assumption("Two coordinates, with diagonal G_1, G_2 and Xi, as in Santa's algorithms.")

dx, F, dt, root, dw, D_7, D_8 = sp.symbols("dx F dt D^{1/2} dw D D_8", commutative=False)

general = Definition(
    "eq7",
    at="supplement B, Eq. 7",
    title="The general stochastic differential equation",
    says="A drift F for the time dt, and sqrt(2) times a matrix of N rows and P columns on dw.",
    printed=(Printed(dx, F * sp.Symbol("tau", positive=True) + sp.sqrt(2) * root * dw),),
    declared=(
        (dx, Kind(("N", "1"))),
        (F, Kind(("N", "1"), 1 / TIME)),
        (sp.Symbol("tau", positive=True), number(TIME)),
        (root, Kind(("N", "K"), 1 / sp.sqrt(TIME))),
        (dw, Kind(("K", "1"), sp.sqrt(TIME))),
    ),
)

domain = Definition(
    "eq7.domain",
    at="supplement B, after Eq. 7, and Eq. 8",
    stands="read",
    title="The shape of D",
    says="D is said to have N rows and P columns, and is then the square matrix of Eq. 8.",
    printed=(Printed(D_7, D_8),),
    declared=((D_7, Kind(("N", "K"), 1 / TIME)), (D_8, Kind(("N", "N"), 1 / TIME))),
)

F_theta, F_p, F_Xi = sp.symbols("F_theta F_p F_Xi", commutative=False)
special_drift = Definition(
    "eq8.F",
    at="supplement B, Eq. 8",
    title="The drift of SDE (1) in the general form",
    says="F lists the drifts of position, momentum and thermostat, letter by letter those of Eq. 1.",
    printed=(
        Printed(F_theta, words["G_1"] * words["p"]),
        Printed(F_p, push + pull),
        Printed(F_Xi, words["Q"] - one / beta),
    ),
    declared=(
        *((words[n], kind) for n, kind in kinds_of_eq1.items() if not n.startswith("d") or "div" in n),
        (beta, number(1 / LOSS)),
        (F_theta, column(PARAMETER * sp.sqrt(LOSS))),
        (F_p, column(LOSS)),
        (F_Xi, square(LOSS)),
    ),
)

metric, inverse = letters("G_2 beta")
special_noise = claim(
    "eq8.D",
    at="supplement B, Eq. 8",
    title="The noise of SDE (1) in the general form",
    says="sqrt(2) times the root of G_2/beta is the root of 2 G_2/beta.",
    given=(ONE_COORDINATE,),
    read=Equal(sqrt(2) * sqrt(metric / inverse), sqrt(2 / inverse * metric)),
)

H, U_, E = sp.symbols("H U E", positive=True)
hamiltonian = Definition(
    "supB.density",
    at="supplement B, after Eq. 8",
    title="The joint density",
    says="The exponent H of the joint density is U plus a rest E.",
    printed=(Printed(H, U_ + E),),
    declared=((H, number()), (U_, number()), (E, number())),
)

# Lemma 4, written out for two states and a symmetric D
x, y = sp.symbols("x y", real=True)
F_1, F_2, a, b, c, rho, f = (sp.Function(n)(x, y) for n in ("F_x", "F_y", "a", "b", "c", "q", "f"))
PAIR, DRIFTS, D_PAIR = (x, y), (F_1, F_2), ((a, b), (b, c))
FORWARD = sum(D(rho * D_PAIR[i][j], PAIR[i], PAIR[j]) for i in range(2) for j in range(2)) - sum(
    D(rho * DRIFTS[i], PAIR[i]) for i in range(2)
)
BACKWARD = sum(DRIFTS[i] * D(f, PAIR[i]) for i in range(2)) + sum(
    D_PAIR[i][j] * D(f, PAIR[i], PAIR[j]) for i in range(2) for j in range(2)
)

lemma_4 = claim(
    "lemma4",
    at="supplement B, Lemma 4 with Eq. 10",
    title="The condition for a stationary density",
    says="What the two sides of Eq. 10 differ by, times any test function, is rho times its generator up"
    " to a divergence: so rho is stationary where both are equal (two states, any F and symmetric D).",
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
)

drift, slope, bend = letters("F slope bend", "real")
spread = letter("D")
generator = claim(
    "lemma4.generator",
    at="supplement B, Eq. 7 and Lemma 4",
    title="The generator of the general equation",
    says="With the noise sqrt(2) D^{1/2} the equation has the generator F f' + D f'' (in one state;"
    " slope and bend are f' and f'').",
    derived=Equal(
        drift * slope + (sqrt(2) * sqrt(spread)) ** 2 / 2 * bend, drift * slope + spread * bend
    ),
)

marginalization = claim(
    "eq9",
    at="supplement B, Eq. 9 with the density of Eq. 11",
    title="The marginal of the position",
    says="With momentum and thermostat integrated out, the density of Eq. 11 is exp(-U).",
    given=(ONE_COORDINATE,),
    printed=Equal(log_integral(-H_11, p, Xi), -U, constant_in=(theta,)),
)

stated_density = claim(
    "eq11",
    at="supplement B, Eq. 11",
    title="The density that Lemma 1 is said to state",
    says="The exponent of Eq. 11, which has no beta, is that of Eq. 2.",
    given=(ONE_COORDINATE,),
    states=STATE,
    read=Equal(-H_11, -H_2),
)

PLANE_DRIFT = (
    *(m * q for m, q in zip((m11, m22), MOMENTA, strict=True)),
    *(force_plane(i, ((m11, 0), (0, m22))) - FRICTIONS[i] * MOMENTA[i] for i in range(2)),
    *(q**2 - 1 / beta for q in MOMENTA),
)

condition = claim(
    "eq10",
    at="supplement B, Eq. 10 for the density of Eq. 2",
    title="Lemma 1's condition",
    says="For SDE (1) and the density of Eq. 2 both sides of Eq. 10 are equal, at every temperature.",
    given=(
        ONE_COORDINATE,
        Equal(RHO, density(H_2)),
    ),
    states=STATE,
    printed=Equal(
        sum(D(RHO * b, s) for b, s in zip(DRIFT, STATE, strict=True)), D(RHO * G2 / beta, p, p)
    ),
)

condition_plane = claim(
    "eq10.two_coordinates",
    at="supplement B, Eq. 10 for the density of Eq. 2",
    title="Lemma 1's condition in two coordinates",
    says="The same where each entry of the diagonal metrics may depend on both coordinates.",
    given=(
        DIAGONAL,
        Equal(RHO, density(energy_plane())),
    ),
    states=PLANE,
    printed=Equal(
        sum(D(RHO * b, s) for b, s in zip(PLANE_DRIFT, PLANE, strict=True)),
        sum(D(RHO * k / beta, q, q) for k, q in zip(SPREAD, MOMENTA, strict=True)),
    ),
)

equilibrium = claim(
    "eq11.equilibrium",
    at="supplement B, the end of the proof of Lemma 1",
    title="The equilibrium of SDE (1)",
    says="The density of Eq. 11, without beta, is stationary under SDE (1).",
    given=(ONE_COORDINATE,),
    read=Preserves(((SDE_1, -H_11),)),
)
