"""Appendix B: leaving out Gamma. Lemma 4 and the proof of Corollary 2 (Eqs. 19 to 26)."""

import sympy as sp

from verification.claims.base import Assumption
from verification.papers.li2016psgld import appendix_sequences as own
from verification.papers.li2016psgld.appendix_sequences import ONE, total
from verification.papers.li2016psgld.hypotheses import A1, FORGETS
from verification.papers.li2016psgld.hypotheses import BOUNDED as BOUNDS
from verification.papers.li2016psgld.hypotheses import SMOOTH as ASSUMED
from verification.statements import (
    All,
    Bounded,
    Equal,
    averages_within,
    claim,
    index,
    letter,
    letters,
    sequences,
    size,
    sqrt,
)
from verification.statements import number as digits
from verification.statements import over as every
from verification.terms.term import total as added

alpha, V_0 = (sp.Symbol(n, positive=True) for n in ("alpha", "V_0"))
lam = sp.Symbol("lambda", real=True)
SMOOTH = Assumption("gradients of first and second order are bounded")
theta, w, y, z = (sp.Symbol(n, real=True) for n in ("theta", "w", "y", "z"))
root = sp.Function("r", positive=True)(theta)  # the root of V, as a function of theta_t
gradient = sp.Function("g_bar")(theta)
five = letters("a b c d e", "real")
pair = (sp.Function("G_1", positive=True)(y, z), sp.Function("G_2", positive=True)(y, z))
G, prior, full, drawn, missing = letters("G prior full drawn Gamma", "real")

n, N_T, step = own.t, own.T, own.eps
memory_of = letter("alpha", "fraction")
weight, i = 1 - memory_of, index("i")
(average,) = sequences("V", "positive sequence")
gradient_of, slope_of, Gamma_of = sequences("g_bar slope Gamma")
AVERAGE = memory_of * average[n - 1] + weight * gradient_of[n] ** 2
FROM = (Equal(average[n], AVERAGE), Equal(average[0], letter("V_0")))
POWER = digits("3/2")
within, slope_within = sequences("g_bar slope", "bounded sequence")
Gamma_within, psi_slope = sequences("Gamma psi_slope", "bounded sequence")
AFTER = Equal(average[n], memory_of * average[n - 1] + weight * within[n] ** 2)
FROM_ZERO, FROM_V_0 = (AFTER, Equal(average[0], 0)), (AFTER, FROM[1])
TERM = weight * within[n] * slope_within[n] / average[n] ** POWER
BOUND = N_T * weight / memory_of**POWER
USED = sqrt(average[n]) * (1 + sqrt(average[n])) ** 2  # for the preconditioner of Eq. 4, lambda = 1
ONE_GAMMA = weight * gradient_of[n] * slope_of[n] / average[n] ** POWER
WITHOUT = weight * slope_of[n] / (memory_of**POWER * average[n - 1] ** POWER)

lemma_4 = claim(
    "appB.lemma4",
    at="Lemma 4 and Eq. 19, with Gamma as Eq. 22 has it",
    title="The sum of Gamma over all steps",
    says="With bounded gradients the sum is at most a constant times T (1 - alpha)/alpha^(3/2).",
    given=(SMOOTH, *FROM_ZERO),
    printed=Bounded(size(total(TERM)), BOUND),
)

lemma_4_lambda = claim(
    "appB.lemma4_with_lambda",
    at="Lemma 4, with Gamma of the preconditioner of Eq. 4, lambda = 1",
    title="The same for the preconditioner that is used",
    says="With G = 1/(1 + sqrt(V)) the sum is at most a constant times T (1 - alpha)/alpha^(3/2).",
    given=(SMOOTH, *FROM_ZERO),
    printed=Bounded(size(total(weight * within[n] * slope_within[n] / USED)), BOUND),
)

componentwise = claim(
    "appB.componentwise",
    at="proof of Lemma 4, first sentence",
    title="For a diagonal G each entry of Gamma stands alone",
    says="The sum over j of the derivatives of G_ij is the derivative of G_ii in its own coordinate.",
    states=(y, z),
    read=All(
        Equal(sp.Derivative(pair[0], y) + sp.Derivative(sp.Integer(0), z), pair[0].diff(y)),
        Equal(sp.Derivative(sp.Integer(0), y) + sp.Derivative(pair[1], z), pair[1].diff(z)),
    ),
)

eq21 = claim(
    "appB.eq21",
    at="Eqs. 20 and 21, V starting at zero as in Algorithm 1",
    title="The moving average, written out",
    says="V is a sum of squared gradients with weights (1 - alpha) alpha^(t - i).",
    given=(FROM[0], Equal(average[0], 0)),
    printed=Equal(average[N_T], weight * every(memory_of ** (N_T - i) * gradient_of[i] ** 2, i, 1, N_T)),
)

eq22 = claim(
    "appB.eq22",
    at="Eq. 22, with the preconditioner of Eq. 4",
    title="Gamma as a formula",
    says="Up to its sign, the derivative of G is V^(-3/2) times half the derivative of V.",
    given=(ONE,),
    states=(theta,),
    read=Equal(sp.Derivative(1 / (lam + root), theta), -sp.Derivative(root**2, theta) / 2 / root**3),
)

eq22_square = claim(
    "appB.eq22_derivative_of_v",
    at="Eq. 22, the derivative of V",
    title="V moves with theta through the last gradient",
    says="With the old V fixed the derivative of V is 2 (1 - alpha) times gradient and its derivative.",
    given=(ONE,),
    states=(theta, w),
    read=Equal(
        sp.Derivative(alpha * w + (1 - alpha) * gradient**2, theta) / 2,
        (1 - alpha) * gradient * gradient.diff(theta),
    ),
)

eq23 = claim(
    "appB.eq23",
    at="Eq. 23",
    title="The rule for V put into Eq. 22",
    says="V(theta_t) is alpha V(theta_(t-1)) + (1 - alpha) g_bar(theta_t)^2.",
    given=FROM,
    printed=Equal(total(ONE_GAMMA), total(weight * gradient_of[n] * slope_of[n] / AVERAGE**POWER)),
)

eq24 = claim(
    "appB.eq24",
    at="Eq. 24, read as an inequality",
    title="The gradient is dropped from the numerator",
    says="Without the squared gradient below, and without the gradient above, the sum is larger.",
    given=(SMOOTH, *FROM),
    read=size(total(ONE_GAMMA)) <= size(total(WITHOUT)),
)

eq24_constant = claim(
    "appB.eq24_constant",
    at="Eq. 24, up to a constant, gradients being bounded",
    title="The same up to a constant",
    says="A constant that bounds the gradient makes the sum without it larger.",
    given=(SMOOTH, *FROM_V_0),
    read=Bounded(
        size(total(TERM)),
        size(total(weight * slope_within[n] / (memory_of**POWER * average[n - 1] ** POWER))),
    ),
)

bounded = claim(
    "appB.bounded_term",
    at="after Eq. 24",
    title="Bounded gradients bound V^(-3/2) times a derivative",
    says="Where gradients of first and second order are bounded so is |V^(-3/2) dg/dtheta|.",
    given=(SMOOTH, *FROM_ZERO),
    printed=Bounded(size(slope_within[1]) / average[1] ** POWER, 1),
)

with_steps = claim(
    "appB.with_steps",
    at="proof of Lemma 4, last sentence",
    title="The conclusion has steps in it, the lemma has none",
    says="Terms of at most one, weighted with the steps, add up to at most a constant times T.",
    read=Bounded(total(own.steps[n] * size(Gamma_within[n])), N_T),
)

modified = claim(
    "appB.modified_generator",
    at="proof of Corollary 2, first display",
    title="The generator without Gamma",
    says="Leaving out Gamma the local generator is the true one plus Delta V plus Gamma.",
    given=(ONE,),
    printed=Equal(G * (prior + drawn), G * (prior + full) + missing + (G * (drawn - full) + missing)),
)

eq25_five = claim(
    "appB.eq25_five_terms",
    at="Eq. 25, the square of five terms",
    title="The square of a sum of five",
    says="The square of a sum of five numbers is at most a constant times the sum of their squares.",
    derived=Bounded(added(five) ** 2, added(c**2 for c in five)),
)

eq25 = claim(
    "appB.eq25_extra_term",
    at="Eq. 25, the term A_3",
    title="What the missing Gamma adds",
    says="The sum of steps times Gamma times slopes of psi is bounded by the sum without the slopes.",
    given=(SMOOTH,),
    read=Bounded(
        total(own.steps[n] * Gamma_of[n] * psi_slope[n]) ** 2, total(own.steps[n] * Gamma_of[n]) ** 2
    ),
)

eq26_norms = claim(
    "appB.eq26_norms",
    at="Eq. 26, first line",
    title="A Euclidean norm by a sum of sizes",
    says="The square of a vector's length is at most that of the sum of its entries' sizes.",
    printed=total(Gamma_of[n] ** 2) <= total(size(Gamma_of[n])) ** 2,
)

eq26_steps = claim(
    "appB.eq26_steps",
    at="Eq. 26, second line",
    title="Steps are taken out of the sum",
    says="The weighted sum is at most eps_1/(T eps_T) times the sum without weights.",
    printed=size(total(step[n] * Gamma_of[n])) / own.S_T
    <= step[1] / (N_T * step[N_T]) * size(total(Gamma_of[n])),
)

eq26_total = claim(
    "appB.eq26_total",
    at="Eq. 26, second line: the sum of steps",
    title="T eps_T is at most S_T",
    says="T times the last step is at most the sum of all of them.",
    derived=N_T * step[N_T] <= own.S_T,
)

eq26_order = claim(
    "appB.eq26_order",
    at="Eq. 26, third line",
    title="With Lemma 4 the bound does not depend on T",
    says="eps_1/(T eps_T) times T is at most a constant under Assumption 1.",
    derived=Bounded((own.steps[1] / (N_T * own.steps[N_T]) * N_T) ** 2, 1),
)

missing_part = (1 - memory_of) ** 2

eq27_first = claim(
    "appB.eq27_first_line",
    at="Eq. 27, first line, with the Gamma of Eq. 22",
    title="The mean squared error with the missing Gamma",
    says="The further term is the mean square of the averaged Gamma, of order (1 - alpha)^2.",
    given=(A1, ASSUMED, BOUNDS, FORGETS),
    read=averages_within(own.ERROR, own.BOUND, N_T, "psgld:no_gamma", missing_part, memory_of),
    kinds=(("alpha", "unit"),),
)

eq27 = claim(
    "appB.eq27",
    at="Eq. 27, second line",
    title="The mean squared error without Gamma",
    says="Without Gamma the bound of Theorem 1 has a further term of order (1 - alpha)^2/alpha^3.",
    given=(A1, ASSUMED, BOUNDS, FORGETS),
    printed=averages_within(
        own.ERROR, own.BOUND, N_T, "psgld:no_gamma", missing_part / memory_of**3, memory_of
    ),
    kinds=(("alpha", "unit"),),
)
