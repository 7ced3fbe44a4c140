"""Section 4.1 from Theorem 2: gains, Corollaries 3 and 4, the online estimate of Eq. 21 and its cost."""

from sympy import Add, Mul, Rational, symbols

from verification.notation import A, C, Diagonal, H, N, S, Sigma, eps, identity, trace
from verification.papers.mandt2017.hypotheses import full_rank, sgd
from verification.papers.mandt2017.letters import GAIN, KL, SAMPLES_POSTERIOR, WITH_Q, Q, logdet
from verification.refuter.conditions import IsDiagonal
from verification.statements import Assumption, Best, Compare, Equal, FreeOf, Order, Section, at, growing
from verification.terms.batchwords import (
    Average,
    BatchAverage,
    Expectation,
    First,
    Inner,
    Online,
    columns,
    covariance,
    outer,
)
from verification.terms.kinds import Transpose

DIAGONAL = IsDiagonal(("H",))
BEST_GAIN = 2 * S / N * C**-1
BEST_DIAGONAL = 2 * S / N * Diagonal(C) ** -1
EQ_20 = N / (2 * S) * trace(C * H) + logdet(H) + logdet(Q)

thm2 = full_rank("thm2", "Theorem 2, Eq. 17").claim(
    "The best preconditioner",
    "Among positive-definite preconditioners this one brings the law closest to the posterior.",
    printed=Best(H, BEST_GAIN, of=KL),
    sets=((eps, 1),),
    kinds=(("B", "positive definite"),),
)

substitution = full_rank("thm2.substitution", "Theorem 2, proof, before Eq. 18").claim(
    "Eq. 13 with $H A$ for $eps A$ and $H B$ for $eps B$",
    "Results carry over by writing $H A$ for $eps A$ and $H B$ for $eps B$, in Eq. 13 letter by letter;"
    " Eq. 18, the next line, has $Sigma A H$, as it should be.",
    derived=Equal(Sigma * H * A + H * A * Sigma, H * C * H / S),
    where=GAIN,
)

eq18 = full_rank("eq18", "Eq. 18").claim(
    "Stationary covariance of preconditioned SGD",
    "Eq. 13 for a gain, multiplied by its inverse from the left.",
    printed=Equal(A * Sigma + H**-1 * Sigma * A * H, C * H / S),
    where=GAIN,
)

cyclic = full_rank("eq19.cyclic", "Eq. 19, first equality").claim(
    "A trace and its cyclic companion",
    "The trace of $A Sigma$ is half the sum of it and of the trace of $H^(-1) A Sigma H$.",
    printed=Equal(trace(A * Sigma), (trace(A * Sigma) + trace(H**-1 * A * Sigma * H)) / 2),
    where=GAIN,
)

eq19 = full_rank("eq19", "Eq. 19").claim(
    "The trace of $A Sigma$ with a gain",
    "It is the trace of the noise covariance times the gain over $2 S$.",
    printed=Equal(trace(A * Sigma), trace(C * H) / (2 * S)),
    where=GAIN,
)

q_transposed = full_rank("thm2.q_transposed", "Theorem 2, proof, after Eq. 19").claim(
    "The transpose of $Q$",
    "With $Q = Sigma H^(-1)$, the transpose of $Q$ is $H^(-1) Sigma$, all factors being symmetric.",
    printed=Equal(Transpose(Q), H**-1 * Sigma),
    where=WITH_Q,
)

eq18_again = full_rank("thm2.eq18_by_inverse_of_h", "Theorem 2, proof, after Eq. 19").claim(
    "Eq. 18 multiplied by $H^(-1)$ from the right",
    "Eq. 18 is an equation between symmetric matrices once the gain is moved to the left side.",
    printed=Equal(A * Sigma * H**-1 + H**-1 * Sigma * A, C / S),
    where=GAIN,
)

equation_of_q = full_rank("thm2.equation_of_q", "Theorem 2, proof, after Eq. 19").claim(
    "The equation of $Q$",
    "In terms of $Q = Sigma H^(-1)$ that equation is $Q A + A Q^T = B B^T/S$.",
    printed=Equal(Q * A + A * Transpose(Q), C / S),
    where=WITH_Q,
)

q_and_gain = full_rank("thm2.q_independent_of_h", "Theorem 2, proof, after Eq. 19").claim(
    "$Sigma H^(-1)$ does not depend on the gain",
    "Because its equation has no gain in it, $Q = Sigma H^(-1)$ is the same for every gain.",
    read=FreeOf(Sigma * H**-1, H),
)

entropy = full_rank("thm2.entropy", "Theorem 2, proof, before Eq. 20").claim(
    "Log determinant with the gain taken out",
    "The log determinant of $Sigma$ is that of the gain plus that of $Q$.",
    printed=Equal(logdet(Sigma), logdet(H) + logdet(Q)),
    where=WITH_Q,
)

eq20 = full_rank("eq20", "Eq. 20").claim(
    "Divergence as a function of the gain",
    "Up to a constant the divergence is a trace plus the log determinants of the gain and of $Q$.",
    printed=Equal(KL, EQ_20, constant_in=(H,)),
    where=WITH_Q,
)

minimiser_of_eq20 = at("thm2.minimiser_of_eq20", "Theorem 2, end of the proof").claim(
    "Derivatives of Eq. 20 give Eq. 17",
    "The right side of Eq. 20, with $Q$ kept as it is, is smallest at the gain of Eq. 17.",
    given=full_rank.given,
    read=Best(H, BEST_GAIN, of=EQ_20),
)

large = at("sec4_1.large_matrices", "section 4.1, before Corollary 3").opinion(
    "Dense gains are impractical in high dimension", "Working with large dense matrices is impractical."
)

cor3 = full_rank("cor3", "Corollary 3").claim(
    "The best diagonal preconditioner",
    "Among diagonal preconditioners the inverse of the diagonal of the noise covariance is best.",
    printed=Best(H, BEST_DIAGONAL, of=KL, among="diagonal"),
    sets=((eps, 1),),
    kinds=(("B", "positive definite"),),
)

cor3_from_eq20 = at("cor3.minimiser_of_eq20", "Corollary 3, proof").claim(
    "Eq. 20 restricted to diagonal gains gives Corollary 3",
    "Among diagonal gains the right side of Eq. 20, with $Q$ kept, is smallest at this one.",
    given=full_rank.given,
    read=Best(H, BEST_DIAGONAL, of=EQ_20, among="diagonal"),
)

cor3_q = full_rank("cor3.q_is_constant", "Corollary 3, proof").claim(
    "Among diagonal gains the determinant of $Q$ is constant",
    "The proof restricts Eq. 20 to diagonal gains and treats the determinant of $Q$ as a constant.",
    derived=Equal(logdet(Sigma), logdet(H), constant_in=(H,)),
    where=GAIN,
    kinds=(("H", "diagonal"),),
    given=(DIAGONAL,),
)

cor4 = full_rank("cor4", "Corollary 4").claim(
    "The full preconditioner samples the posterior",
    "With the preconditioner of Theorem 2 the stationary law is the posterior itself.",
    read=SAMPLES_POSTERIOR,
    sets=((eps, 1), (H, BEST_GAIN)),
)

cor4_inserted = full_rank("cor4.inserted", "Corollary 4, proof").claim(
    "Eq. 18 at the best gain",
    "With the gain of Theorem 2 the right side of Eq. 18 is $2/N$ times the identity.",
    printed=Equal(A * Sigma + H**-1 * Sigma * A * H, 2 / N * identity),
    sets=((eps, 1), (H, BEST_GAIN)),
)

cor4_solved = at("cor4.solved_by_the_posterior", "Corollary 4, proof").claim(
    "The posterior covariance solves it",
    "That equation is solved by the posterior covariance, whatever the gain.",
    given=sgd.given,
    read=Equal(
        Add(
            Mul(A, A**-1 / N, evaluate=False),
            Mul(H**-1, A**-1 / N, A, H, evaluate=False),
            evaluate=False,
        ),
        2 / N * identity,
    ),
)

diagonal_inverse = at("sec4_1.diagonal_inverse", "section 4.1, after Corollary 4").again(
    cor3,
    "The best diagonal gain is the inverse of the noise's diagonal",
    "Corollary 3 is said once more, in words that leave out its factor $2 S/N$.",
)

earlier = at("sec4_1.widrow_stearns", "section 4.1, after Corollary 4").attribution(
    "Similar preconditioners in optimal control",
    "Similar matrices were suggested in optimal control theory, on other grounds.",
)

adagrad = at("sec4_1.adagrad", "section 4.1, after Corollary 4").attribution(
    "AdaGrad uses square roots of the diagonal",
    "AdaGrad (2011) and its relatives adjust a preconditioner by roots of the noise's diagonal.",
)

g = columns("g")  # the gradient of one example's loss
DEVIATION = First(g) - BatchAverage(g)
STILL = Assumption("the iterate stays where it is, so that $C$ does not change")

first_is_noisier = at("sec4_1.first_is_noisier", "section 4.1, remark before Eq. 21").claim(
    "One example's gradient has a larger variance, at least $S$ times that of all",
    "The gradient of a minibatch's first example has a much larger variance than that of all for"
    " large $S$: here at least $S$ times as large, drawn with or without replacement.",
    read=Compare(
        Expectation(Inner(First(g) - Average(g), First(g) - Average(g))),
        ">=",
        S * Expectation(Inner(BatchAverage(g) - Average(g), BatchAverage(g) - Average(g))),
    ),
)

large_S_estimate = at("sec4_1.estimator_for_large_S", "section 4.1, remark before Eq. 21").claim(
    "An estimator of $C$ from the first example, large $S$",
    "For large $S$ the squared deviation of the first gradient from the minibatch's is $C$ on average.",
    read=Order(Expectation(outer(DEVIATION)), "~", covariance(g), growing(S)),
)

eq21 = at("eq21", "Eq. 21").claim(
    "The online estimate approaches $C$",
    "Averaging the squared deviation over steps, with weights $1/t$, approaches $C$.",
    given=(STILL,),
    read=Equal(Online(outer(DEVIATION)), covariance(g), approached=growing(S)),
    scope="an iterate that stays",
)

large_N = at("eq21.large_N", "section 4.1, after Eq. 21").claim(
    "The online estimate converges to $C$ for large $N$",
    "With weights $1/t$ the online average converges to $C$, provided that $N$ is sufficiently large: at"
    " a fixed $S$, where the paper has a large one (see eq21).",
    given=(STILL, Compare(2, "<=", S)),
    derived=Order(Online(outer(DEVIATION)), "~", covariance(g), growing(N)),
)

ahn = at("sec4_1.ahn_2012", "section 4.1, after Eq. 21").attribution(
    "Ahn et al. (2012) proved the convergence",
    "That the online average converges is ascribed to Ahn, Korattikara and Welling (2012).",
)

works_well = at("sec4_1.estimator_works_well", "section 4.1, after Eq. 21").opinion(
    "The online estimator works well in practice",
    "The online estimate was found to do well in the authors' experiments.",
)

COUNTED = Assumption(
    "operations of a step, as we count: $s d$ for gradients, $d$ for the first one's deviation; $3 d$"
    " for Eq. 21 and $2 d$ for the gain, or with full matrices $4 d^2$ for both, by updates of rank one"
)
counted = Section(given=(COUNTED,))
d, s = symbols("d s", positive=True)  # dimensions, and examples of a minibatch
OF_THE_ESTIMATE = 6 * d  # deviation, recursion and gain

in_dimensions = counted("sec4_1.cost_in_dimensions", "section 4.1, end").claim(
    "A diagonal estimate costs in proportion to the dimension",
    "By our count, what a diagonal estimate takes in a step is proportional to the dimension.",
    read=Order(OF_THE_ESTIMATE, "Theta", d, growing(d)),
)

not_spoiled = counted("sec4_1.estimate_beside_gradients", "section 4.1, end").claim(
    "The online estimate does not spoil the efficiency of SGD",
    "What the estimate takes is at most a constant multiple of what the gradients take.",
    given=(Compare(1, "<=", s),),
    read=Compare(OF_THE_ESTIMATE, "<=", 6 * s * d),
)

in_minibatch = counted("sec4_1.cost_in_minibatch", "section 4.1, end").claim(
    "A step with a diagonal estimate costs in proportion to the minibatch",
    "With a diagonal estimate the operations of a step are proportional to the minibatch size.",
    read=Order(s * d + OF_THE_ESTIMATE, "Theta", s, growing(s)),
)

full_gain = counted("sec4_1.cost_of_the_full_gain", "section 4.1, end").claim(
    "Full preconditioning costs the square of the dimension",
    "With a full matrix, its inverse kept by updates of rank one, the cost is quadratic.",
    read=Order(s * d + d + 4 * d**2, "Theta", d**2, growing(d)),
)

inverting = counted(
    "sec4_1.cost_of_inverting", "section 4.1, end, the estimate being inverted at every step"
).claim(
    "Inverting the full estimate anew costs the cube of the dimension",
    "Were Eq. 21's matrix factored anew at every step, as Theorem 2 needs its inverse, the cost would"
    " be cubic.",
    derived=Order(s * d + d + d**3 * Rational(1, 3) + 4 * d**2, "Theta", d**3, growing(d)),
)
