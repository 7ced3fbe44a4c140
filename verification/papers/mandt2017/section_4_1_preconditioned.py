"""Section 4.1 from Theorem 2 on: gains, full and diagonal."""

from sympy import Add, Mul

from verification.claims.definition import NotMathematical
from verification.notation import A, C, Diagonal, H, N, S, Sigma, eps, identity, trace
from verification.papers.mandt2017.hypotheses import CONVEX, FULL_RANK, USUAL
from verification.papers.mandt2017.letters import GAIN, KL, SAMPLES_POSTERIOR, WITH_Q, Q, logdet
from verification.refuter.conditions import IsDiagonal
from verification.statements import Best, Equal, FreeOf, claim
from verification.terms.kinds import Transpose

GIVEN = (*USUAL, CONVEX, FULL_RANK)
DIAGONAL = IsDiagonal(("H",))
BEST_GAIN = 2 * S / N * C**-1
BEST_DIAGONAL = 2 * S / N * Diagonal(C) ** -1
EQ_20 = N / (2 * S) * trace(C * H) + logdet(H) + logdet(Q)

thm2 = claim(
    "thm2",
    at="Theorem 2, Eq. 17",
    title="The best preconditioner",
    says="Among positive-definite preconditioners this one brings the law closest to the posterior.",
    of="sgd",
    given=GIVEN,
    printed=Best(H, BEST_GAIN, of=KL),
    sets=((eps, 1),),
    kinds=(("B", "positive definite"),),
)

substitution = claim(
    "thm2.substitution",
    at="Theorem 2, proof, before Eq. 18",
    title="Eq. 13 with H A for eps A and H B for eps B",
    says="Results carry over by writing H A for eps A and H B for eps B, as in Eq. 13.",
    of="sgd",
    given=GIVEN,
    read=Equal(Sigma * H * A + H * A * Sigma, H * C * H / S),
    where=GAIN,
)

eq18 = claim(
    "eq18",
    at="Eq. 18",
    title="Stationary covariance of preconditioned SGD",
    says="Eq. 13 for a gain, multiplied by its inverse from the left.",
    of="sgd",
    given=GIVEN,
    printed=Equal(A * Sigma + H**-1 * Sigma * A * H, C * H / S),
    where=GAIN,
)

cyclic = claim(
    "eq19.cyclic",
    at="Eq. 19, first equality",
    title="A trace and its cyclic companion",
    says="The trace of A Sigma is half the sum of it and of the trace of H^(-1) A Sigma H.",
    of="sgd",
    given=GIVEN,
    printed=Equal(trace(A * Sigma), (trace(A * Sigma) + trace(H**-1 * A * Sigma * H)) / 2),
    where=GAIN,
)

eq19 = claim(
    "eq19",
    at="Eq. 19",
    title="The trace of A Sigma with a gain",
    says="It is the trace of the noise covariance times the gain over 2 S.",
    of="sgd",
    given=GIVEN,
    printed=Equal(trace(A * Sigma), trace(C * H) / (2 * S)),
    where=GAIN,
)

q_transposed = claim(
    "thm2.q_transposed",
    at="Theorem 2, proof, after Eq. 19",
    title="The transpose of Q",
    says="With Q = Sigma H^(-1), the transpose of Q is H^(-1) Sigma, all factors being symmetric.",
    of="sgd",
    given=GIVEN,
    printed=Equal(Transpose(Q), H**-1 * Sigma),
    where=WITH_Q,
)

eq18_again = claim(
    "thm2.eq18_by_inverse_of_h",
    at="Theorem 2, proof, after Eq. 19",
    title="Eq. 18 multiplied by H^(-1) from the right",
    says="Eq. 18 is an equation between symmetric matrices once the gain is moved to the left side.",
    of="sgd",
    given=GIVEN,
    printed=Equal(A * Sigma * H**-1 + H**-1 * Sigma * A, C / S),
    where=GAIN,
)

equation_of_q = claim(
    "thm2.equation_of_q",
    at="Theorem 2, proof, after Eq. 19",
    title="The equation of Q",
    says="In terms of Q = Sigma H^(-1) that equation is Q A + A Q^T = B B^T/S.",
    of="sgd",
    given=GIVEN,
    printed=Equal(Q * A + A * Transpose(Q), C / S),
    where=WITH_Q,
)

q_and_gain = claim(
    "thm2.q_independent_of_h",
    at="Theorem 2, proof, after Eq. 19",
    title="Sigma H^(-1) does not depend on the gain",
    says="Because its equation has no gain in it, Q = Sigma H^(-1) is the same for every gain.",
    of="sgd",
    given=GIVEN,
    read=FreeOf(Sigma * H**-1, H),
)

entropy = claim(
    "thm2.entropy",
    at="Theorem 2, proof, before Eq. 20",
    title="Log determinant with the gain taken out",
    says="The log determinant of Sigma is that of the gain plus that of Q.",
    of="sgd",
    given=GIVEN,
    printed=Equal(logdet(Sigma), logdet(H) + logdet(Q)),
    where=WITH_Q,
)

eq20 = claim(
    "eq20",
    at="Eq. 20",
    title="Divergence as a function of the gain",
    says="Up to a constant the divergence is a trace plus the log determinants of the gain and of Q.",
    of="sgd",
    given=GIVEN,
    printed=Equal(KL, EQ_20, constant_in=(H,)),
    where=WITH_Q,
)

minimiser_of_eq20 = claim(
    "thm2.minimiser_of_eq20",
    at="Theorem 2, end of the proof",
    title="Derivatives of Eq. 20 give Eq. 17",
    says="The right side of Eq. 20, with Q kept as it is, is smallest at the gain of Eq. 17.",
    given=GIVEN,
    read=Best(H, BEST_GAIN, of=EQ_20),
)

large = NotMathematical(
    "sec4_1.large_matrices",
    at="section 4.1, before Corollary 3",
    title="Dense gains are impractical in high dimension",
    says="Working with large dense matrices is impractical.",
    because="opinion",
)

cor3 = claim(
    "cor3",
    at="Corollary 3",
    title="The best diagonal preconditioner",
    says="Among diagonal preconditioners the inverse of the diagonal of the noise covariance is best.",
    of="sgd",
    given=GIVEN,
    printed=Best(H, BEST_DIAGONAL, of=KL, among="diagonal"),
    sets=((eps, 1),),
    kinds=(("B", "positive definite"),),
)

cor3_from_eq20 = claim(
    "cor3.minimiser_of_eq20",
    at="Corollary 3, proof",
    title="Eq. 20 restricted to diagonal gains gives Corollary 3",
    says="Among diagonal gains the right side of Eq. 20, with Q kept, is smallest at this one.",
    given=GIVEN,
    read=Best(H, BEST_DIAGONAL, of=EQ_20, among="diagonal"),
)

cor3_q = claim(
    "cor3.q_is_constant",
    at="Corollary 3, proof",
    title="Among diagonal gains the determinant of Q is constant",
    says="The proof restricts Eq. 20 to diagonal gains and treats the determinant of Q as a constant.",
    of="sgd",
    given=(*GIVEN, DIAGONAL),
    derived=Equal(logdet(Sigma), logdet(H), constant_in=(H,)),
    where=GAIN,
    kinds=(("H", "diagonal"),),
)

cor4 = claim(
    "cor4",
    at="Corollary 4",
    title="The full preconditioner samples the posterior",
    says="With the preconditioner of Theorem 2 the stationary law is the posterior itself.",
    of="sgd",
    given=GIVEN,
    read=SAMPLES_POSTERIOR,
    sets=((eps, 1), (H, BEST_GAIN)),
)

cor4_inserted = claim(
    "cor4.inserted",
    at="Corollary 4, proof",
    title="Eq. 18 at the best gain",
    says="With the gain of Theorem 2 the right side of Eq. 18 is 2/N times the identity.",
    of="sgd",
    given=GIVEN,
    printed=Equal(A * Sigma + H**-1 * Sigma * A * H, 2 / N * identity),
    sets=((eps, 1), (H, BEST_GAIN)),
)

cor4_solved = claim(
    "cor4.solved_by_the_posterior",
    at="Corollary 4, proof",
    title="The posterior covariance solves it",
    says="That equation is solved by the posterior covariance, whatever the gain.",
    given=GIVEN,
    read=Equal(
        Add(
            Mul(A, A**-1 / N, evaluate=False),
            Mul(H**-1, A**-1 / N, A, H, evaluate=False),
            evaluate=False,
        ),
        2 / N * identity,
    ),
)

diagonal_inverse = claim(
    "sec4_1.diagonal_inverse",
    at="section 4.1, after Corollary 4",
    title="The best diagonal gain is the inverse of the noise's diagonal",
    says="The best diagonal gain is said to be the inverse of the diagonal of the noise matrix.",
    of="sgd",
    given=GIVEN,
    read=Best(H, Diagonal(C) ** -1, of=KL, among="diagonal"),
    sets=((eps, 1),),
    kinds=(("B", "positive definite"),),
)

earlier = NotMathematical(
    "sec4_1.widrow_stearns",
    at="section 4.1, after Corollary 4",
    title="Similar preconditioners in optimal control",
    says="Similar matrices were suggested in optimal control theory, on other grounds.",
    because="attribution",
)

adagrad = NotMathematical(
    "sec4_1.adagrad",
    at="section 4.1, after Corollary 4",
    title="AdaGrad uses square roots of the diagonal",
    says="AdaGrad and its relatives adjust a preconditioner by square roots of the noise's diagonal.",
    because="attribution",
)
