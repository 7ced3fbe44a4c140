"""Section 5.2: the divergence in the proof of Theorem 5."""

from typing import Any

from sympy import Symbol

from sgtheory.notation.matrixwords import E
from verification.notation import A, C, D, H, N, Sigma, eps, trace
from verification.papers.mandt2017.hypotheses import CONVEX, USUAL
from verification.papers.mandt2017.letters import EE, KL, SINGLE, T, logdet
from verification.statements import Best, Equal, FreeOf, claim

GIVEN = (*USUAL, CONVEX)
WITH_T = ((T, Sigma * H**-1), *SINGLE)
V = Symbol("V", commutative=False)  # the covariance of both noises, eps B B^T + E E^T


def main_text(noise: Any) -> Any:
    """The right side of the display."""
    logs = logdet(T) / 2 + logdet(H) / 2 + logdet(N * A) / 2
    return -N / 4 * trace(H * noise) + logs + D / 2


MAIN_TEXT = main_text(eps * C + EE)

divergence = claim(
    "thm5.kl",
    at="Theorem 5, proof, display of KL(q || p)",
    title="Divergence of Fisher scoring",
    says="Minus a trace, plus the log determinants of T, H and N A and the dimension.",
    of="sgfs",
    given=GIVEN,
    printed=Equal(KL, MAIN_TEXT),
    where=WITH_T,
)

t_and_gain = claim(
    "thm5.t_constant_in_h",
    at="Theorem 5, proof",
    title="T does not depend on the gain",
    says="Sigma H^(-1) is constant with respect to the gain.",
    of="sgfs",
    given=GIVEN,
    read=FreeOf(Sigma * H**-1, H),
)

t_and_step = claim(
    "thm5.t_constant_in_eps",
    at="Theorem 5, proof",
    title="T does not depend on the step",
    says="Sigma H^(-1) is constant with respect to the learning rate.",
    of="sgfs",
    given=GIVEN,
    read=FreeOf(Sigma * H**-1, eps),
)

t_and_noise = claim(
    "thm5.t_constant_in_e",
    at="Theorem 5, proof",
    title="T does not depend on the injected noise",
    says="Sigma H^(-1) is constant with respect to the injected noise E.",
    of="sgfs",
    given=GIVEN,
    read=FreeOf(Sigma * H**-1, E),
)

minimiser = claim(
    "thm5.minimiser_of_the_display",
    at="Theorem 5, end of the proof",
    title="Minimising the display gives Eq. 27",
    says="The right side of the display, with T kept as it is, is smallest at the gain of Eq. 27;"
    " V is the covariance of both noises.",
    given=GIVEN,
    read=Best(H, 2 / N * V**-1, of=main_text(V)),
    kinds=(("V", "positive definite"),),
)
