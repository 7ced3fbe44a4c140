"""Supplement B: the steps in the proof of Lemma 1, line by line."""

import sympy as sp

from verification.papers.chen2016santa.supplement_B import DIAGONAL, ONE_COORDINATE
from verification.papers.chen2016santa.supplement_letters import (
    DRIFT,
    FRICTIONS,
    G1,
    G2,
    H_11,
    METRIC,
    MOMENTA,
    PLACES,
    PLANE,
    PUSH,
    RHO,
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
    p,
    theta,
)
from verification.statements import All, Equal, claim, density

PROOF = "supplement B, proof of Lemma 1"
x, y = sp.symbols("x y", real=True)
PAIR = (x, y)
F_x, F_y, H = (sp.Function(n)(x, y) for n in ("F_x", "F_y", "H"))
FLOWS = tuple(zip(PAIR, (F_x, F_y), strict=True))
PRODUCT = sum(D(RHO, s) * F + D(F, s) * RHO for s, F in FLOWS)

product_rule = claim(
    "lemma1.product",
    at=f"{PROOF}, left side, second line",
    title="The product rule",
    says="The divergence of rho F is that of rho along F and that of F (two states).",
    given=(Equal(RHO, density(H)),),
    states=PAIR,
    printed=Equal(sum(D(RHO * F, s) for s, F in FLOWS), PRODUCT),
)

density_rule = claim(
    "lemma1.exponent",
    at=f"{PROOF}, left side, third line",
    title="Slopes of the density by those of its exponent",
    says="The slope of rho is minus that of H times rho (two states).",
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

substituted = claim(
    "lemma1.substituted",
    at=f"{PROOF}, left side, fourth line",
    title="The left side written out",
    says="With the density of Eq. 11 put in, the left side has the five printed terms.",
    given=(
        ONE_COORDINATE,
        Equal(RHO, density(H_11)),
    ),
    states=STATE,
    printed=Equal(SLOPES_11 * RHO, expanded() * RHO),
)

DRIFT_PLANE = (
    *(sum(METRIC[i][j] * MOMENTA[j] for j in range(2)) for i in range(2)),
    *(force_plane(i) - FRICTIONS[i] * MOMENTA[i] for i in range(2)),
    *(q**2 - 1 / beta for q in MOMENTA),
)
H_PLANE = energy_plane()

substituted_plane = claim(
    "lemma1.substituted.two_coordinates",
    at=f"{PROOF}, left side, fourth line, the sum over i and j",
    title="The slope of the exponent along the position",
    says="The slope of H by theta_i is beta times that of U less the products of row i of Xi - G_2"
    " with the slopes by theta_i of row i of G_2.",
    given=(DIAGONAL,),
    states=PLANE,
    read=All(
        *(
            Equal(D(H_PLANE, s), beta * (D(U_PLANE, s) - (FRICTIONS[i] - SPREAD[i]) * D(SPREAD[i], s)))
            for i, s in enumerate(PLACES)
        )
    ),
)

transport = claim(
    "lemma1.transport",
    at=f"{PROOF}, left side, fourth line, first two sums",
    title="Divergences of the drifts of position and momentum",
    says="The drift of the position has the divergence of G_1's rows times p, that of the momentum minus"
    " the trace of Xi (two coordinates, any symmetric G_1).",
    given=(DIAGONAL,),
    states=PLANE,
    read=Equal(
        sum(D(b, s) for b, s in zip(DRIFT_PLANE[:4], PLANE[:4], strict=True)),
        sum(D(METRIC[i][j], PLACES[i]) * MOMENTA[j] for i in range(2) for j in range(2))
        - sum(FRICTIONS),
    ),
)

gathered = claim(
    "lemma1.left",
    at=f"{PROOF}, left side, last line",
    title="What the left side comes to",
    says="The five printed terms add up to the trace of G_2 (p p^T - I) over beta.",
    given=(
        ONE_COORDINATE,
        Equal(RHO, density(H_11)),
    ),
    states=STATE,
    printed=Equal(expanded() * RHO, G2 * (p**2 - 1) * RHO / beta),
)

ENTRIES = ((SPREAD[0], k12), (k12, SPREAD[1]))  # of a G_2 that need not be diagonal
H_FULL = U_PLANE + sum(q**2 for q in MOMENTA) / 2  # thermostats are no functions of the momentum
SECOND = sum(ENTRIES[i][j] * D(RHO, MOMENTA[i], MOMENTA[j]) / beta for i in range(2) for j in range(2))

right_second = claim(
    "lemma1.right.second",
    at=f"{PROOF}, right side, first line",
    title="The second derivatives of the density",
    says="G_2 is no function of the momentum, so that it stands before the derivatives"
    " (two coordinates, any symmetric G_2).",
    given=(Equal(RHO, density(H_FULL)),),
    states=PLANE[:4],
    printed=Equal(
        sum(D(RHO * ENTRIES[i][j] / beta, MOMENTA[i], MOMENTA[j]) for i in range(2) for j in range(2)),
        SECOND,
    ),
)

right_first = claim(
    "lemma1.right.first",
    at=f"{PROOF}, right side, second line",
    title="The first derivative taken",
    says="One of the two derivatives of rho is minus that of H times rho"
    " (two coordinates, any symmetric G_2).",
    given=(Equal(RHO, density(H_FULL)),),
    states=PLANE[:4],
    printed=Equal(
        SECOND,
        sum(
            ENTRIES[i][j] * D(-D(H_FULL, MOMENTA[i]) * RHO, MOMENTA[j])
            for i in range(2)
            for j in range(2)
        )
        / beta,
    ),
)

right_last = claim(
    "lemma1.right.last",
    at=f"{PROOF}, right side, third line",
    title="What the right side comes to",
    says="The right side is 1/beta times the sum of G_2,ii (p_i^2 - 1), for any symmetric G_2.",
    given=(Equal(RHO, density(H_FULL)),),
    states=PLANE[:4],
    printed=Equal(SECOND, sum(ENTRIES[i][i] * (MOMENTA[i] ** 2 - 1) for i in range(2)) * RHO / beta),
)

trace = claim(
    "lemma1.traces",
    at=f"{PROOF}, right side, third line against the left side's last",
    title="The two last lines are one",
    says="The trace of G_2 (p p^T - I) is the sum of G_2,ii (p_i^2 - 1), for any symmetric G_2.",
    states=PLANE,
    printed=Equal(
        sum(ENTRIES[i][j] * (MOMENTA[j] * MOMENTA[i] - int(i == j)) for i in range(2) for j in range(2)),
        sum(ENTRIES[i][i] * (MOMENTA[i] ** 2 - 1) for i in range(2)),
    ),
)

both = claim(
    "lemma1.sides",
    at=f"{PROOF}, right side, last line",
    title="The right side is the left side",
    says="With the density of Eq. 11 both sides of Eq. 10 are equal.",
    given=(
        ONE_COORDINATE,
        Equal(RHO, density(H_11)),
    ),
    states=STATE,
    printed=Equal(D(RHO * G2 / beta, p, p), SLOPES_11 * RHO),
)
