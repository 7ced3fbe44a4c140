"""Appendix B: leaving out Gamma. Lemma 4 and the proof of Corollary 2 (Eqs. 19 to 26)."""

import sympy as sp

from verification.claims.base import Assumption, Printed
from verification.claims.calculus import Calculus
from verification.claims.sums import Sums
from verification.claims.vanishing_step import ConsistentBound
from verification.claims.vanishing_step import alpha as memory
from verification.papers.li2016psgld.appendix_letters import ONE, RATE, S_T, STEPS, eps
from verification.papers.li2016psgld.hypotheses import A1
from verification.papers.li2016psgld.hypotheses import BOUNDED as BOUNDS
from verification.papers.li2016psgld.hypotheses import SMOOTH as ASSUMED
from verification.papers.li2016psgld.section_5 import BOUND as BOUND_1
from verification.sequences.relations import UpTo
from verification.sequences.words import T, i, k, numbers, over, t

alpha, V_0 = (sp.Symbol(n, positive=True) for n in ("alpha", "V_0"))
lam = sp.Symbol("lambda", real=True)
V = numbers("V", positive=True)  # of one coordinate, at theta_t
g, slope = numbers("g_bar"), numbers("slope")  # the minibatch's gradient and its derivative
Gamma, psi_slope = numbers("Gamma"), numbers("psi_slope")
RULE = alpha * V[t - 1] + (1 - alpha) * g[t] ** 2
FROM_ZERO = ((V, RULE, sp.Integer(0)),)
FROM_V_0 = ((V, RULE, V_0),)
BOUNDED = ((alpha, "fraction"), (g, "at most one"), (slope, "at most one"))
BOUND = T * (1 - alpha) / alpha**RATE
TERM = (1 - alpha) * g[t] * slope[t] / V[t] ** RATE
SMOOTH = Assumption("gradients of first and second order are bounded")
theta, w, y, z = (sp.Symbol(n, real=True) for n in ("theta", "w", "y", "z"))
root = sp.Function("r", positive=True)(theta)  # the root of V, as a function of theta_t
gradient = sp.Function("g_bar")(theta)
five = sp.symbols("a b c d e", real=True)
pair = (sp.Function("G_1", positive=True)(y, z), sp.Function("G_2", positive=True)(y, z))
G, prior, full, drawn, own = sp.symbols("G prior full drawn Gamma", real=True)

lemma_4 = Sums(
    "appB.lemma4",
    at="Lemma 4 and Eq. 19, with Gamma as Eq. 22 has it",
    title="The sum of Gamma over all steps",
    says="With bounded gradients the sum is at most a constant times T (1 - alpha)/alpha^(3/2).",
    given=(SMOOTH,),
    printed=(UpTo(sp.Abs(over(TERM)), BOUND),),
    kinds=BOUNDED,
    defined=FROM_ZERO,
)

lemma_4_lambda = Sums(
    "appB.lemma4_with_lambda",
    at="Lemma 4, with Gamma of the preconditioner of Eq. 4, lambda = 1",
    title="The same for the preconditioner that is used",
    says="With G = 1/(1 + sqrt(V)) the sum is at most a constant times T (1 - alpha)/alpha^(3/2).",
    given=(SMOOTH,),
    printed=(
        UpTo(
            sp.Abs(over((1 - alpha) * g[t] * slope[t] / (sp.sqrt(V[t]) * (1 + sp.sqrt(V[t])) ** 2))),
            BOUND,
        ),
    ),
    kinds=BOUNDED,
    defined=FROM_ZERO,
)

componentwise = Calculus(
    "appB.componentwise",
    at="proof of Lemma 4, first sentence",
    stands="read",
    title="For a diagonal G each entry of Gamma stands alone",
    says="The sum over j of the derivatives of G_ij is the derivative of G_ii in its own coordinate.",
    equalities=(
        Printed(sp.Derivative(pair[0], y) + sp.Derivative(sp.Integer(0), z), pair[0].diff(y)),
        Printed(sp.Derivative(sp.Integer(0), y) + sp.Derivative(pair[1], z), pair[1].diff(z)),
    ),
    states=(y, z),
)

eq21 = Sums(
    "appB.eq21",
    at="Eqs. 20 and 21, V starting at zero as in Algorithm 1",
    title="The moving average, written out",
    says="V is a sum of squared gradients with weights (1 - alpha) alpha^(t - i).",
    printed=(Printed(V[T], (1 - alpha) * over(alpha ** (T - i) * g[i] ** 2, i)),),
    kinds=((alpha, "fraction"),),
    defined=FROM_ZERO,
)

eq22 = Calculus(
    "appB.eq22",
    at="Eq. 22, with the preconditioner of Eq. 4",
    stands="read",
    title="Gamma as a formula",
    says="Up to its sign, the derivative of G is V^(-3/2) times half the derivative of V.",
    given=(ONE,),
    equalities=(
        Printed(
            sp.Derivative(1 / (lam + root), theta),
            -sp.Derivative(root**2, theta) / 2 / root**3,
        ),
    ),
    states=(theta,),
)

eq22_square = Calculus(
    "appB.eq22_derivative_of_v",
    at="Eq. 22, the derivative of V",
    stands="read",
    title="V moves with theta through the last gradient",
    says="With the old V fixed the derivative of V is 2 (1 - alpha) times gradient and its derivative.",
    given=(ONE,),
    equalities=(
        Printed(
            sp.Derivative(alpha * w + (1 - alpha) * gradient**2, theta) / 2,
            (1 - alpha) * gradient * gradient.diff(theta),
        ),
    ),
    states=(theta, w),
)

eq23 = Sums(
    "appB.eq23",
    at="Eq. 23",
    title="The rule for V put into Eq. 22",
    says="V(theta_t) is alpha V(theta_(t-1)) + (1 - alpha) g_bar(theta_t)^2.",
    printed=(Printed(over(TERM), over(TERM.subs(V[t], RULE))),),
    kinds=((alpha, "fraction"), (V_0, "positive")),
    defined=FROM_V_0,
)

eq24 = Sums(
    "appB.eq24",
    at="Eq. 24, read as an inequality",
    stands="read",
    title="The gradient is dropped from the numerator",
    says="Without the squared gradient below, and without the gradient above, the sum is larger.",
    given=(SMOOTH,),
    printed=(
        Printed(
            sp.Abs(over(TERM)),
            sp.Abs(over((1 - alpha) * slope[t] / (alpha**RATE * V[t - 1] ** RATE))),
            "<=",
        ),
    ),
    kinds=((alpha, "fraction"), (V_0, "positive")),
    defined=FROM_V_0,
)

eq24_constant = Sums(
    "appB.eq24_constant",
    at="Eq. 24, up to a constant, gradients being bounded",
    stands="read",
    title="The same up to a constant",
    says="A constant that bounds the gradient makes the sum without it larger.",
    given=(SMOOTH,),
    printed=(
        UpTo(
            sp.Abs(over(TERM)),
            sp.Abs(over((1 - alpha) * slope[t] / (alpha**RATE * V[t - 1] ** RATE))),
        ),
    ),
    kinds=(*BOUNDED, (V_0, "positive")),
    defined=FROM_V_0,
)

bounded = Sums(
    "appB.bounded_term",
    at="after Eq. 24",
    title="Bounded gradients bound V^(-3/2) times a derivative",
    says="Where gradients of first and second order are bounded so is |V^(-3/2) dg/dtheta|.",
    given=(SMOOTH,),
    printed=(UpTo(sp.Abs(slope[1]) / V[1] ** RATE, sp.Integer(1)),),
    kinds=BOUNDED,
    defined=FROM_ZERO,
)

with_steps = Sums(
    "appB.with_steps",
    at="proof of Lemma 4, last sentence",
    stands="read",
    title="The conclusion has steps in it, the lemma has none",
    says="Terms of at most one, weighted with the steps, add up to at most a constant times T.",
    printed=(UpTo(over(eps[t] * sp.Abs(Gamma[t])), T),),
    kinds=(*STEPS, (Gamma, "at most one")),
)

modified = Sums(
    "appB.modified_generator",
    at="proof of Corollary 2, first display",
    title="The generator without Gamma",
    says="Leaving out Gamma the local generator is the true one plus Delta V plus Gamma.",
    given=(ONE,),
    printed=(Printed(G * (prior + drawn), G * (prior + full) + own + (G * (drawn - full) + own)),),
)

eq25_five = Sums(
    "appB.eq25_five_terms",
    at="Eq. 25, the square of five terms",
    stands="derived",
    title="The square of a sum of five",
    says="The square of a sum of five numbers is at most a constant times the sum of their squares.",
    printed=(UpTo(sum(five) ** 2, sum(c**2 for c in five)),),
)

eq25 = Sums(
    "appB.eq25_extra_term",
    at="Eq. 25, the term A_3",
    stands="read",
    title="What the missing Gamma adds",
    says="The sum of steps times Gamma times slopes of psi is bounded by the sum without the slopes.",
    given=(SMOOTH,),
    printed=(UpTo(over(eps[t] * Gamma[t] * psi_slope[t]) ** 2, over(eps[t] * Gamma[t]) ** 2),),
    kinds=(*STEPS, (psi_slope, "at most one")),
)

eq26_norms = Sums(
    "appB.eq26_norms",
    at="Eq. 26, first line",
    title="A Euclidean norm by a sum of sizes",
    says="The square of a vector's length is at most that of the sum of its entries' sizes.",
    printed=(Printed(over(Gamma[k] ** 2, k), over(sp.Abs(Gamma[k]), k) ** 2, "<="),),
)

eq26_steps = Sums(
    "appB.eq26_steps",
    at="Eq. 26, second line",
    title="Steps are taken out of the sum",
    says="The weighted sum is at most eps_1/(T eps_T) times the sum without weights.",
    printed=(
        Printed(
            sp.Abs(over(eps[t] * Gamma[t])) / S_T, eps[1] / (T * eps[T]) * sp.Abs(over(Gamma[t])), "<="
        ),
    ),
    kinds=STEPS,
)

eq26_total = Sums(
    "appB.eq26_total",
    at="Eq. 26, second line: the sum of steps",
    stands="derived",
    title="T eps_T is at most S_T",
    says="T times the last step is at most the sum of all of them.",
    printed=(Printed(T * eps[T], S_T, "<="),),
    kinds=STEPS,
)

eq26_order = Sums(
    "appB.eq26_order",
    at="Eq. 26, third line",
    stands="derived",
    title="With Lemma 4 the bound does not depend on T",
    says="eps_1/(T eps_T) times T is at most a constant under Assumption 1.",
    printed=(UpTo((eps[1] / (T * eps[T]) * T) ** 2, sp.Integer(1)),),
    kinds=STEPS,
)

eq27_first = ConsistentBound(
    "appB.eq27_first_line",
    at="Eq. 27, first line, with the Gamma of Eq. 22",
    stands="read",
    title="The mean squared error with the missing Gamma",
    says="The further term is the mean square of the averaged Gamma, of order (1 - alpha)^2.",
    given=(A1, ASSUMED, BOUNDS),
    sampler="psgld:no_gamma",
    bound=BOUND_1,
    extra=(1 - memory) ** 2,
)

eq27 = ConsistentBound(
    "appB.eq27",
    at="Eq. 27, second line",
    title="The mean squared error without Gamma",
    says="Without Gamma the bound of Theorem 1 has a further term of order (1 - alpha)^2/alpha^3.",
    given=(A1, ASSUMED, BOUNDS),
    sampler="psgld:no_gamma",
    bound=BOUND_1,
    extra=(1 - memory) ** 2 / memory**3,
)
