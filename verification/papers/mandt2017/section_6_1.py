"""Section 6.1: iterate averaging for optimization (for the process behind Eq. 31 see the file on it)."""

from verification.claims.base import Assumption
from verification.claims.definition import NotMathematical
from verification.papers.mandt2017.hypotheses import A3, A4, CONVEX, USUAL
from verification.statements import (
    Compare,
    Equal,
    Order,
    claim,
    exp,
    growing,
    index,
    letter,
    letters,
    over,
    product,
    sequences,
)
from verification.terms.notation import A, C, H, N, S, Sigma, eps
from verification.theories.time.words import averaged, of_process, remembered

(T,), lam = letters("T", "count"), letter("lambda_k")
(mu, theta), t, begun = sequences("mu theta"), index("t"), letter("begun", "real")
RECURSION = Equal(mu[t], (t - 1) / t * mu[t - 1] + theta[t] / t)
GIVEN = (*USUAL, CONVEX)
STATIONARY = Assumption("averaging begins in the stationary law")
LONG = (Sigma * A**-1 + A**-1 * Sigma) / (eps * T)
LONG_RUN = A**-1 * C * A**-1 / (T * S)

polyak_optimal = NotMathematical(
    "sec6_1.polyak_optimal",
    at="section 6.1, first paragraph",
    title="Averaged SGD has the best convergence rate",
    says="It reports a theorem of Polyak and Juditsky on all stochastic-gradient algorithms.",
)

not_improved = claim(
    "sec6_1.not_improved",
    at="section 6.1, first paragraph",
    title="No preconditioner improves the long-run covariance",
    says="Whatever the gain, the average's covariance is to leading order the same over long windows.",
    of="sgd",
    given=(*GIVEN, STATIONARY),
    read=Order(averaged(T, H), "~", LONG_RUN, growing(T)),
)

not_improved_at_finite_windows = claim(
    "sec6_1.not_improved_at_finite_windows",
    at="section 6.1, first paragraph, read for windows of any length",
    title="No preconditioner improves an average over a finite window",
    says="With a gain the average's covariance would never be smaller than without one.",
    of="sgd",
    given=(*GIVEN, STATIONARY),
    read=Compare(averaged(T, H), ">=", averaged(T)),
)

same_for_any_preconditioner = claim(
    "sec6_1.same_for_any_preconditioner",
    at="section 6.1, first paragraph",
    title="The average's law is the same for any preconditioner",
    says="The covariance of the average would not depend on the gain.",
    of="sgd",
    given=(*GIVEN, STATIONARY),
    read=Equal(averaged(T, H), averaged(T)),
)

eq28 = claim(
    "eq28",
    at="section 6.1, Eq. 28",
    title="The running average is the mean of the iterates since the first step",
    says="From t = 0 on the recursion gives the mean of theta_1, ..., theta_T, whatever it began with.",
    given=(RECURSION, Equal(mu[0], begun)),
    read=Equal(mu[T], over(theta[t], t, 1, T) / T),
)

eq28_with_start = claim(
    "eq28_with_start",
    at="section 6.1, Eq. 28, with the start as the first iterate",
    title="The running average counts the iterate at which it starts",
    says="Begun with theta_0, the recursion would give the mean of theta_0, ..., theta_T.",
    given=(RECURSION, Equal(mu[0], theta[0])),
    read=Equal(mu[T], over(theta[t], t, 0, T) / (T + 1)),
)

eq29 = claim(
    "eq29",
    at="section 6.1, Eq. 29",
    title="The average in continuous time",
    says="The mean of the iterates has the covariance of the time average of the process.",
    of="sgd",
    time="discrete",
    given=(*GIVEN, STATIONARY),
    read=Equal(averaged(T), of_process(averaged(T))),
)

unbiased = claim(
    "sec6_1.unbiased",
    at="section 6.1, after Eq. 29",
    title="The average is centred at the minimum",
    says="What a start away from the minimum adds to the mean of the average is the inverse curvature"
    " over eps T, and vanishes so; from the stationary law, as is assumed, it is nothing at all.",
    of="sgd",
    given=GIVEN,
    read=Order(remembered(T), "~", A**-1 / (eps * T), growing(T)),
)

eq30 = claim(
    "eq30",
    at="section 6.1, Eq. 30",
    title="Covariance of the average over a long window",
    says="To leading order it is the stationary covariance times the inverse curvature, over eps T.",
    of="sgd",
    given=(*GIVEN, STATIONARY),
    printed=Order(averaged(T), "~", LONG, growing(T)),
)

ignored_order = claim(
    "sec6_1.ignored_order",
    at="section 6.1, after Eq. 30",
    title="The order of what Eq. 30 ignores",
    says="What is left out is of second order in one over T eps.",
    of="sgd",
    given=(*GIVEN, STATIONARY),
    read=Order(averaged(T) - LONG, "Theta", 1 / (T * eps) ** 2, growing(T)),
)

ignored_is_small = claim(
    "sec6_1.ignored_is_small",
    at="section 6.1, after Eq. 30: T is much larger than 1/eps",
    title="What Eq. 30 ignores is small where T is large against 1/eps",
    says="Relative to the leading term, along a mode of curvature lambda, it is at most 1/(eps T).",
    given=(A3, A4),
    read=Compare((1 - exp(-eps * T * lam)) / (eps * T * lam), "<=", 1 / (eps * T)),
)

shrinks = claim(
    "sec6_1.shrinks",
    at="section 6.1, after Eq. 30",
    title="The covariance shrinks like one over the number of iterations",
    says="As the window grows the covariance of the average is of the order of one over its length.",
    of="sgd",
    given=(*GIVEN, STATIONARY),
    read=Order(averaged(T), "Theta", 1 / T, growing(T)),
)

shrinks_linearly = claim(
    "sec6_1.shrinks_linearly",
    at="section 6.1, after Eq. 30, by the word",
    title="The covariance shrinks linearly over iterations",
    says="Its decrease from T to 2T steps would be that from 2T to 3T.",
    of="sgd",
    given=(*GIVEN, STATIONARY),
    read=Equal(averaged(T) - averaged(2 * T), averaged(2 * T) - averaged(3 * T)),
)

by_eq13 = claim(
    "sec6_1.by_eq13",
    at="section 6.1, display after Eq. 30",
    title="The leading term by Eq. 13",
    says="Eq. 13 turns the leading term into one with the noise covariance and no step.",
    of="sgd",
    given=GIVEN,
    read=Equal(LONG, LONG_RUN),
)

long_run = claim(
    "sec6_1.long_run",
    at="section 6.1, display after Eq. 30",
    title="The covariance of the average in terms of the noise",
    says="Over long windows it is the noise covariance between two inverse curvatures, over T S.",
    of="sgd",
    given=(*GIVEN, STATIONARY),
    printed=Order(averaged(T), "~", LONG_RUN, growing(T)),
)

no_step = claim(
    "sec6_1.no_step",
    at="section 6.1, after the display: not on the step size",
    title="The step size does not matter over long windows",
    says="T S times the average's covariance tends to a limit in which there is no step.",
    of="sgd",
    given=(*GIVEN, STATIONARY),
    read=Order(T * S * averaged(T), "~", A**-1 * C * A**-1, growing(T)),
)

efficiency = claim(
    "sec6_1.efficiency",
    at="section 6.1, after the display: neither on minibatch size nor step size",
    title="Efficiency depends on neither minibatch size nor step",
    says="T S times the average's covariance would be free of both at every window.",
    of="sgd",
    given=(*GIVEN, STATIONARY),
    read=Equal(T * S * averaged(T), A**-1 * C * A**-1),
)

without_replacement = claim(
    "sec6_1.without_replacement",
    at="section 6.1, the same, for minibatches that are sets",
    title="Efficiency does not depend on the size of minibatches drawn without replacement",
    says="The factor (N - S)/(N - 1) that sets of examples bring to the noise would be at least one.",
    given=(Compare(S, "<=", N),),
    read=Compare((N - S) / (N - 1), ">=", 1),
)

EQ31_LINE2 = product((1 / (T * S), A**-1, H**-1, H, C, H, H**-1, A**-1))
eq31_line1 = claim(
    "eq31.line1",
    at="section 6.1, Eq. 31, first and second line",
    title="The preconditioned covariance: factors written out",
    says="The inverse of HA on both sides of the noise covariance of HB is written out.",
    printed=Equal((H * A) ** -1 * H * C * H * (A * H) ** -1 / (T * S), EQ31_LINE2),
)

eq31_line2 = claim(
    "eq31.line2",
    at="section 6.1, Eq. 31, second and third line",
    title="The preconditioned covariance: the gain cancels",
    says="The gain cancels, and what is left is the covariance without it.",
    printed=Equal(EQ31_LINE2, A**-1 * C * A**-1 / (T * S)),
)

eq31 = claim(
    "eq31",
    at="section 6.1, Eq. 31, as a whole",
    title="Covariance of the preconditioned average",
    says="Over long windows it is the same as without the gain, whether or not the matrices commute.",
    of="sgd",
    given=(*GIVEN, STATIONARY),
    printed=Order(averaged(T, H), "~", LONG_RUN, growing(T)),
)

changes_cancel = claim(
    "sec6_1.changes_cancel",
    at="section 6.1, after Eq. 31",
    title="Changes of law and of autocorrelation cancel",
    says="With a gain the stationary covariance Sigma and the rates of decay change, but the leading"
    " term in one over the window does not.",
    of="sgd",
    given=GIVEN,
    read=Equal(((H * A) ** -1 * Sigma + Sigma * (A * H) ** -1) / (eps * T), LONG_RUN),
)

first_derived = NotMathematical(
    "sec6_1.first_derived",
    at="section 6.1, last paragraph",
    title="Who derived the optimality of averaging first",
    says="It attributes the result, and calls this derivation shorter, under stronger assumptions.",
)
