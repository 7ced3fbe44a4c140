"""Section 5.2: the gains of stochastic gradient Fisher scoring that are called optimal."""

from verification.notation import EE, C, D, Diagonal, H, N, eps, identity, trace
from verification.papers.mandt2017.hypotheses import CONVEX, USUAL
from verification.papers.mandt2017.letters import KL
from verification.refuter.parameters import is_one
from verification.statements import Best, claim

ONE_EXAMPLE = is_one("S")  # the proof of Theorem 5 sets the minibatch size to 1

thm5 = claim(
    "thm5",
    at="Theorem 5, Eq. 27",
    title="The best preconditioner of Fisher scoring",
    says="With the injected noise given, this gain brings the law of SGFS closest to the posterior.",
    of="sgfs",
    given=(*USUAL, CONVEX, ONE_EXAMPLE),
    printed=Best(H, 2 / N * (eps * C + EE) ** -1, of=KL),
)

cor6_diagonal = claim(
    "cor6.diagonal",
    at="Corollary 6, first formula",
    title="The best diagonal preconditioner of Fisher scoring",
    says="Among diagonal gains the inverse of the diagonal of the whole noise is best.",
    of="sgfs",
    given=(*USUAL, CONVEX, ONE_EXAMPLE),
    printed=Best(H, 2 / N * (eps * Diagonal(C) + Diagonal(EE)) ** -1, of=KL, among="diagonal"),
)

cor6_scalar = claim(
    "cor6.scalar",
    at="Corollary 6, second formula",
    title="The best scalar preconditioner of Fisher scoring",
    says="Among multiples of the identity the inverse of the mean noise per coordinate is best.",
    of="sgfs",
    given=(*USUAL, CONVEX, ONE_EXAMPLE),
    printed=Best(
        H, 2 * D / N / (eps * trace(C) + trace(EE)) * identity, of=KL, among="multiples of the identity"
    ),
)
