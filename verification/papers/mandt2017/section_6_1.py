"""Section 6.1: iterate averaging for optimization, and the process behind Eq. 31."""

from sympy import sqrt

from verification import notation
from verification.notation import B
from verification.papers.mandt2017 import section_1
from verification.papers.mandt2017.hypotheses import A3, A4, FULL_RANK, GAIN_FOR_STEP, USUAL, sgd
from verification.relations import Compare, Equal, InLaw, Order, growing
from verification.statements import Assumption, Section, at, exp, index, over, sequences
from verification.terms.notation import A, C, H, N, S, Sigma, eps
from verification.terms.stochastic import Change, Row, dt, dW
from verification.terms.stochastic import theta as place
from verification.terms.term import letter, letters, product
from verification.theories.time.words import averaged, of_process, remembered

(T,), x = letters("T", "count"), letter("x")
(mu, theta), t, begun = sequences("mu theta"), index("t"), letter("begun", "real")
RECURSION = Equal(mu[t], (t - 1) / t * mu[t - 1] + theta[t] / t)
STATIONARY = Assumption("averaging begins in the stationary law")
GAIN = Assumption("$H$ is positive definite")
LONG = (Sigma * A**-1 + A**-1 * Sigma) / (eps * T)
LONG_RUN = A**-1 * C * A**-1 / (T * S)

polyak_optimal = at("sec6_1.polyak_optimal", "section 6.1, first paragraph").theorem(
    "Averaged SGD has the best convergence rate",
    "It reports a theorem of Polyak and Juditsky on all stochastic-gradient algorithms.",
)

stationary = Section(of="sgd", given=(*sgd.given, STATIONARY))

not_improved = stationary("sec6_1.not_improved", "section 6.1, first paragraph").claim(
    "No preconditioner improves the long-run covariance",
    "Whatever the gain, the average's covariance is to leading order the same over long windows.",
    given=(GAIN,),
    read=Order(averaged(T, H), "~", LONG_RUN, growing(T)),
)

not_improved_at_finite_windows = stationary(
    "sec6_1.not_improved_at_finite_windows",
    "section 6.1, first paragraph, read for windows of any length",
).claim(
    "No preconditioner improves an average over a finite window",
    "With a gain the average's covariance would never be smaller than without one; the paper says so to"
    " leading order, see sec6_1.not_improved.",
    derived=Compare(averaged(T, H), ">=", averaged(T)),
)

preconditioner = stationary("sec6_1.same_for_any_preconditioner", "section 6.1, first paragraph").claim(
    "The average's law is the same for any preconditioner",
    "The covariance of the average would not depend on the gain.",
    read=Equal(averaged(T, H), averaged(T)),
)

eq28 = at("eq28", "section 6.1, Eq. 28").claim(
    "The running average is the mean of the iterates since the first step",
    "From $t = 0$ on the recursion gives the mean of $theta_1$, ..., $theta_T$, whatever it began with.",
    given=(RECURSION, Equal(mu[0], begun)),
    read=Equal(mu[T], over(theta[t], t, 1, T) / T),
)

with_start = at("eq28_with_start", "section 6.1, Eq. 28, with the start as the first iterate").claim(
    "The running average counts the iterate at which it starts",
    "Begun with $theta_0$, the recursion would give the mean of $theta_0$, ..., $theta_T$.",
    given=(RECURSION, Equal(mu[0], theta[0])),
    derived=Equal(mu[T], over(theta[t], t, 0, T) / (T + 1)),
)

eq29 = stationary("eq29", "section 6.1, Eq. 29").claim(
    "The average in continuous time",
    "The mean of the iterates has the covariance of the time average of the process.",
    time="discrete",
    read=Equal(averaged(T), of_process(averaged(T))),
)

unbiased = at("sec6_1.unbiased", "section 6.1, after Eq. 29").again(
    section_1.centred,
    "The average is centred at the minimum",
    "In the stationary law, in which the average is taken, every iterate is centred at the minimum: what"
    " a step adds to a mean vanishes there alone.",
)

start_is_forgotten = sgd("sec6_1.start_is_forgotten", "section 6.1, after Eq. 29").claim(
    "A start elsewhere adds a bias that vanishes",
    "What a start away from the minimum adds to the mean of the average is of the order of the inverse"
    " curvature over $eps T$.",
    derived=Order(remembered(T), "~", A**-1 / (eps * T), growing(T)),
)

eq30 = stationary("eq30", "section 6.1, Eq. 30").claim(
    "Covariance of the average over a long window",
    "To leading order it is the stationary covariance times the inverse curvature, over $eps T$.",
    printed=Order(averaged(T), "~", LONG, growing(T)),
)

ignored_order = stationary("sec6_1.ignored_order", "section 6.1, after Eq. 30").claim(
    "The order of what Eq. 30 ignores",
    "What is left out is of second order in one over $T eps$: relative to $Sigma$, which has the step in"
    " it, and as the window grows.",
    read=Order(averaged(T) - LONG, "Theta", 1 / (T * eps) ** 2, growing(T)),
)

is_small = at("sec6_1.ignored_is_small", "section 6.1, after Eq. 30: T is much larger than 1/eps").claim(
    "What Eq. 30 ignores is small where $eps T lambda$ is large",
    "Relative to the leading term, along a mode of curvature $lambda$, it is at most 1 over $x$,"
    " which is $eps T lambda$. The paper asks for a large $eps T$ alone, which is not enough of itself.",
    given=(A3, A4),
    derived=Compare((1 - exp(-x)) / x, "<=", 1 / x),
)

shrinks = stationary("sec6_1.shrinks", "section 6.1, after Eq. 30").claim(
    "The covariance shrinks like one over the number of iterations",
    "As the window grows the covariance of the average is of the order of one over its length.",
    read=Order(averaged(T), "Theta", 1 / T, growing(T)),
)

shrinks_linearly = stationary("sec6_1.shrinks_linearly", "section 6.1, after Eq. 30, by the word").claim(
    "The covariance shrinks linearly over iterations",
    "What is meant is like $1/T$, see sec6_1.shrinks; by equal steps its decrease from $T$ to $2T$ would"
    " be that from $2T$ to $3T$.",
    derived=Order(averaged(T) - averaged(2 * T), "~", averaged(2 * T) - averaged(3 * T), growing(T)),
)

by_eq13 = sgd("sec6_1.by_eq13", "section 6.1, display after Eq. 30").claim(
    "The leading term by Eq. 13",
    "Eq. 13 turns the leading term into one with the noise covariance and no step.",
    read=Equal(LONG, LONG_RUN),
)

long_run = stationary("sec6_1.long_run", "section 6.1, display after Eq. 30").claim(
    "The covariance of the average in terms of the noise",
    "Over long windows it is the noise covariance between two inverse curvatures, over $T S$.",
    printed=Order(averaged(T), "~", LONG_RUN, growing(T)),
)

no_step = stationary("sec6_1.no_step", "section 6.1, after the display: not on the step size").claim(
    "The step size does not matter over long windows",
    "$T S$ times the average's covariance tends to a limit in which there is no step.",
    read=Order(T * S * averaged(T), "~", A**-1 * C * A**-1, growing(T)),
)

efficiency = stationary(
    "sec6_1.efficiency", "section 6.1, after the display: neither on minibatch size nor step size"
).claim(
    "Efficiency depends on neither minibatch size nor step",
    "$T S$ times the average's covariance would be free of both at every window; the paper says so to"
    " leading order, see sec6_1.no_step.",
    derived=Equal(T * S * averaged(T), A**-1 * C * A**-1),
)

drawn = at("sec6_1.without_replacement", "section 6.1, the same, for minibatches that are sets").claim(
    "Efficiency does not depend on the size of minibatches drawn without replacement",
    "Sets of examples, which Assumption 1 does not have, bring a factor $(N - S)/(N - 1)$ to the noise,"
    " which is at most one: for efficiency not to depend on $S$ it would have to be at least one.",
    given=(Compare(S, "<=", N),),
    derived=Compare((N - S) / (N - 1), ">=", 1),
)

EQ31_LINE2 = product((1 / (T * S), A**-1, H**-1, H, C, H, H**-1, A**-1))
eq31_line1 = at("eq31.line1", "section 6.1, Eq. 31, first and second line").claim(
    "The preconditioned covariance: factors written out",
    "The inverse of HA on both sides of the noise covariance of HB is written out.",
    given=(GAIN,),
    printed=Equal((H * A) ** -1 * H * C * H * (A * H) ** -1 / (T * S), EQ31_LINE2),
)

eq31_line2 = at("eq31.line2", "section 6.1, Eq. 31, second and third line").claim(
    "The preconditioned covariance: the gain cancels",
    "The gain cancels, and what is left is the covariance without it.",
    given=(GAIN,),
    printed=Equal(EQ31_LINE2, A**-1 * C * A**-1 / (T * S)),
)

eq31 = stationary("eq31", "section 6.1, Eq. 31, as a whole").claim(
    "Covariance of the preconditioned average",
    "Over long windows it is the same as without the gain, whether or not the matrices commute.",
    given=(GAIN,),
    printed=Order(averaged(T, H), "~", LONG_RUN, growing(T)),
)

changes_cancel = sgd("sec6_1.changes_cancel", "section 6.1, after Eq. 31").claim(
    "Changes of law and of autocorrelation cancel",
    "With a gain the stationary covariance $Sigma$ and the rates of decay change, but the leading"
    " term in one over the window does not.",
    given=(GAIN,),
    read=Equal(((H * A) ** -1 * Sigma + Sigma * (A * H) ** -1) / (eps * T), LONG_RUN),
)

first_derived = at("sec6_1.first_derived", "section 6.1, last paragraph").attribution(
    "Who derived the optimality of averaging first",
    "It attributes the result, and calls this derivation shorter, under stronger assumptions.",
)

slowly_decreasing = at("sec6_1.slowly_decreasing", "section 6.1, second paragraph").attribution(
    "Averaging usually goes with slowly decreasing rates",
    "Others let rates decrease slowly, to be rid of a bias; a constant rate is ascribed to others too.",
)

_PRINTED = (
    Row(
        Change(place), -notation.H * notation.A * place * dt + 1 / sqrt(notation.S) * notation.H * B * dW
    ),
)

beside = at("sec6_1.process", "section 6.1, before Eq. 31").claim(
    "Preconditioned SGD as a process, the gain beside the step",
    "The stochastic gradients of Eq. 28 are multiplied by a matrix, the learning rate staying.",
    of="sgd",
    given=(*USUAL, FULL_RANK),
    read=InLaw(_PRINTED),
)

instead = at("sec6_1.process_with_gain_for_step", "section 6.1, before Eq. 31").claim(
    "Preconditioned SGD as a process, the gain for the step",
    "The same equation read as in section 4.1: the gain takes the place of the learning rate.",
    of="sgd",
    given=(*USUAL, GAIN_FOR_STEP),
    printed=InLaw(_PRINTED),
)
