"""Appendix B: leaving out Gamma. Lemma 4 and the proof of Corollary 2 (Eqs. 19 to 26)."""

import sympy as sp

from verification.papers.li2016psgld import appendix_sequences as own
from verification.papers.li2016psgld.appendix_sequences import ONE, total
from verification.papers.li2016psgld.hypotheses import BOUNDED, averaged
from verification.relations import All, Bounded, Compare, Equal
from verification.statements import at, averages_within, index, sequences, size, sqrt
from verification.statements import number as digits
from verification.statements import over as every
from verification.terms.term import letter, letters
from verification.terms.term import total as added

alpha, V_0 = (sp.Symbol(n, positive=True) for n in ("alpha", "V_0"))
lam = sp.Symbol("lambda", real=True)
theta, w, y, z = (sp.Symbol(n, real=True) for n in ("theta", "w", "y", "z"))
root = sp.Function("r", positive=True)(theta)  # the root of V, as a function of theta_t
gradient = sp.Function("g_bar")(theta)
five = letters("a b c d e", "real")
pair = (sp.Function("G_1", positive=True)(y, z), sp.Function("G_2", positive=True)(y, z))
G, (prior, full, drawn, missing, true_drift) = letter("G"), letters("prior full drawn Gamma L", "real")

n, N_T, step = own.t, own.T, own.eps
memory_of = letter("alpha", "fraction")
weight, i = 1 - memory_of, index("i")
(average,) = sequences("V", "positive sequence")
gradient_of, slope_of, Gamma_of = sequences("g_bar slope Gamma")
k, count = index("k"), letter("d", "count")
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


lemma_4 = at("appB.lemma4", "Lemma 4 and Eq. 19, with Gamma as Eq. 22 has it").claim(
    "The sum of $Gamma$ over all steps",
    "With bounded gradients the sum is at most a constant times $T$ $(1 - alpha)/alpha^(3/2)$.",
    given=(BOUNDED, *FROM_ZERO),
    printed=Bounded(size(total(TERM)), BOUND),
)

lemma_4_lambda = at(
    "appB.lemma4_with_lambda", "Lemma 4, with Gamma of the preconditioner of Eq. 4, lambda = 1"
).claim(
    "The same for the preconditioner that is used",
    "With $G = 1/(1 + sqrt(V))$ the sum is at most a constant times $T$ $(1 - alpha)/alpha^(3/2)$, for"
    " every $T$. (It fails in the first steps, where $V$ starts at zero; in the limit of many steps it"
    " holds, by Cauchy and Schwarz and $1 - V_(t-1) alpha/V_t <= log(V_t/(alpha V_(t-1)))$.)",
    given=(BOUNDED, *FROM_ZERO),
    read=Bounded(size(total(weight * within[n] * slope_within[n] / USED)), BOUND),
)

componentwise = at("appB.componentwise", "proof of Lemma 4, first sentence").claim(
    "For a diagonal $G$ each entry of $Gamma$ stands alone",
    "The sum over $j$ of the derivatives of $G_ij$ is the derivative of $G_ii$ in its own coordinate.",
    states=(y, z),
    read=All(
        Equal(sp.Derivative(pair[0], y) + sp.Derivative(sp.Integer(0), z), pair[0].diff(y)),
        Equal(sp.Derivative(sp.Integer(0), y) + sp.Derivative(pair[1], z), pair[1].diff(z)),
    ),
    scope="two coordinates",
)

eq21 = at("appB.eq21", "Eqs. 20 and 21, V starting at zero as in Algorithm 1").claim(
    "The moving average, written out",
    "$V$ is a sum of squared gradients with weights $(1 - alpha) alpha^(t - i)$.",
    given=(FROM[0], Equal(average[0], 0)),
    printed=Equal(average[N_T], weight * every(memory_of ** (N_T - i) * gradient_of[i] ** 2, i, 1, N_T)),
)

eq22 = at("appB.eq22", "Eq. 22, with the preconditioner of Eq. 4").claim(
    "$Gamma$ as a formula",
    "Up to its sign, the derivative of $G$ is $V^(-3/2)$ times half the derivative of $V$.",
    given=(ONE, Compare(lam, ">=", sp.Integer(0))),
    states=(theta,),
    read=Equal(sp.Derivative(1 / (lam + root), theta), -sp.Derivative(root**2, theta) / 2 / root**3),
)

eq22_square = at("appB.eq22_derivative_of_v", "Eq. 22, the derivative of V").claim(
    "$V$ moves with $theta$ through the last gradient",
    "With the old $V$ fixed the derivative of $V$ is 2 $(1 - alpha)$ times gradient and its derivative.",
    given=(ONE,),
    states=(theta, w),
    read=Equal(
        sp.Derivative(alpha * w + (1 - alpha) * gradient**2, theta) / 2,
        (1 - alpha) * gradient * gradient.diff(theta),
    ),
)

eq23 = at("appB.eq23", "Eq. 23").claim(
    "The rule for $V$ put into Eq. 22",
    "$V(theta_t)$ is $alpha*V(theta_(t-1)) + (1 - alpha)*g_bar(theta_t)^2$.",
    given=FROM,
    printed=Equal(total(ONE_GAMMA), total(weight * gradient_of[n] * slope_of[n] / AVERAGE**POWER)),
)

eq24 = at("appB.eq24", "Eq. 24, read as an inequality").claim(
    "The gradient is dropped from the numerator",
    "Without the squared gradient below, and without the gradient above, the sum is larger. Steps are"
    " counted from one where $V$, called $V_0$, is positive: at the first the right side is infinite.",
    given=(BOUNDED, *FROM),
    read=size(total(ONE_GAMMA)) <= size(total(WITHOUT)),
)

eq24_constant = at("appB.eq24_constant", "Eq. 24, up to a constant, gradients being bounded").claim(
    "The same up to a constant",
    "Gradients are at most 1, so that the sum without them is larger; $V_0$ is positive here too.",
    given=(BOUNDED, *FROM_V_0),
    read=Bounded(
        size(total(TERM)),
        size(total(weight * slope_within[n] / (memory_of**POWER * average[n - 1] ** POWER))),
    ),
)

bounded = at("appB.bounded_term", "after Eq. 24").claim(
    "Bounded gradients bound $V^(-3/2)$ times a derivative",
    "Where gradients of first and second order are bounded so is |$V^(-3/2)$ dg/dtheta|.",
    given=(BOUNDED, *FROM_ZERO),
    printed=Bounded(size(slope_within[2]) / average[1] ** POWER, 1),
)

with_steps = at("appB.with_steps", "proof of Lemma 4, last sentence").claim(
    "The conclusion has steps in it, the lemma has none",
    "Terms of at most one, weighted with the steps, add up to at most $T$ times a constant that, as $M$"
    " is, is the same for all schedules. (Of one schedule $eps_1$ will do.)",
    read=Bounded(size(total(own.steps[n] * Gamma_within[n])), N_T),
)

modified = at("appB.modified_generator", "proof of Corollary 2, first display").claim(
    "The generator without $Gamma$",
    "Leaving out $Gamma$ the local generator is the true one, here $L$, plus $Delta V$ plus $Gamma$.",
    given=(ONE, Equal(true_drift, G * (prior + full) + missing)),
    printed=Equal(G * (prior + drawn), true_drift + (G * (drawn - full) + missing)),
)

eq25_five = at("appB.eq25_five_terms", "Eq. 25, the square of five terms").claim(
    "The square of a sum of five",
    "The square of a sum of five numbers is at most a constant times the sum of their squares.",
    derived=Bounded(added(five) ** 2, added(c**2 for c in five)),
)

eq25 = at("appB.eq25_extra_term", "Eq. 25, the term A_3").claim(
    "What the missing $Gamma$ adds",
    "The sum of steps times $Gamma$ times slopes of $psi$ is bounded by the sum without the slopes.",
    given=(BOUNDED,),
    read=Bounded(
        total(own.steps[n] * Gamma_of[n] * psi_slope[n]) ** 2, total(own.steps[n] * Gamma_of[n]) ** 2
    ),
)

eq26_norms = at("appB.eq26_norms", "Eq. 26, first line").claim(
    "A Euclidean norm by a sum of sizes",
    "The square of a vector's length is at most that of the sum of its entries' sizes.",
    printed=every(Gamma_of[k] ** 2, k, 1, count) <= every(size(Gamma_of[k]), k, 1, count) ** 2,
)

eq26_steps = at("appB.eq26_steps", "Eq. 26, second line").claim(
    "Steps are taken out of the sum",
    "The weighted sum is at most $eps_1/(T eps_T)$ times the sum without weights.",
    printed=size(total(step[n] * Gamma_of[n])) / own.S_T
    <= step[1] / (N_T * step[N_T]) * size(total(Gamma_of[n])),
)

eq26_total = at("appB.eq26_total", "Eq. 26, second line: the sum of steps").claim(
    "$T eps_T$ is at most $S_T$",
    "$T$ times the last step is at most the sum of all of them.",
    derived=N_T * step[N_T] <= own.S_T,
)

eq26_order = at("appB.eq26_order", "Eq. 26, third line").claim(
    "With Lemma 4 the bound does not depend on $T$",
    "$eps_1/(T eps_T)$ times $T$ is at most a constant under Assumption 1.",
    derived=Bounded((own.steps[1] / (N_T * own.steps[N_T]) * N_T) ** 2, 1),
)

missing_part = (1 - memory_of) ** 2

eq27_first = averaged("appB.eq27_first_line", "Eq. 27, first line, with the Gamma of Eq. 4").claim(
    "The mean squared error with the missing $Gamma$",
    "The further term is the mean square of the averaged $Gamma$, of order $(1 - alpha)^2$. As the step"
    " vanishes $V$ averages over steps in which $theta$ hardly moves, so that $G$ is a function of"
    " $theta$ alone, whatever $alpha$.",
    given=(BOUNDED,),
    read=averages_within(own.ERROR, own.BOUND, N_T, "psgld:no_gamma", missing_part, memory_of),
)

eq27 = averaged("appB.eq27", "Eq. 27, second line").claim(
    "The mean squared error without $Gamma$",
    "Without $Gamma$ the bound of Theorem 1 has a further term of order $(1 - alpha)^2/alpha^3$. (Of"
    " Algorithm 1's own $phi_bar$ that is right to its order: see cor2.)",
    given=(BOUNDED,),
    printed=averages_within(
        own.ERROR, own.BOUND, N_T, "psgld:no_gamma", missing_part / memory_of**3, memory_of
    ),
)
