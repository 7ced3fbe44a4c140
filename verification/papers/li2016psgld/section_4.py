"""Preconditioned SGLD: Riemannian Langevin dynamics (Eq. 3), RMSprop, and Algorithm 1."""

import sympy as sp

from sgtheory.dynamics.diffusion import Diffusion
from sgtheory.dynamics.steps import Step
from verification.notation import H, eps
from verification.papers.li2016psgld.hypotheses import A1, small
from verification.relations import Compare, Equal, InLaw, Order, Preserves, growing, vanishing
from verification.statements import Printed, at, letters, same, samples_posterior, sqrt
from verification.terms.kinds import LOSS, PARAMETER, number
from verification.terms.stochastic import MatrixRoot, NoiseLetter, Row

x, y = sp.symbols("x y", real=True)
lam, c = sp.symbols("lambda c", positive=True)
U, G = sp.Function("U")(x), sp.Function("G", positive=True)(x)
U2 = sp.Function("U")(x, y)
G1, G2, M = (sp.Function(n, positive=True)(x, y) for n in ("G1", "G2", "M"))
V = NoiseLetter("V", commutative=False)
half = sp.Rational(1, 2)
LINE = Diffusion((x,), (half * (-G * U.diff(x) + G.diff(x)),), ((sp.sqrt(G),),))
PLANE = Diffusion(
    (x, y),
    (half * (-G1 * U2.diff(x) + G1.diff(x)), half * (-G2 * U2.diff(y) + G2.diff(y))),
    ((sp.sqrt(G1), 0), (0, sp.sqrt(G2))),
)

normal = at.within("a normal posterior")
same_step = normal("sec4.same_step", "preconditioned SGLD, first paragraph").claim(
    "A single step size mixes slowly in flat directions",
    "Along a direction of curvature $lambda$ the autocorrelation time of SGLD grows like $1/lambda$.",
    read=Order((2 - eps * lam / 2) / (eps * lam), "Theta", 1 / lam, vanishing(lam)),
)

metric = at("sec4.fisher_metric", "preconditioned SGLD, first paragraph").attribution(
    "The Fisher information as the natural metric",
    "The expected Fisher information as a natural metric is ascribed to Girolami and Calderhead.",
)

eq3 = at("eq3", "Eq. 3, the bracket before the gradient closed after $Gamma$").claim(
    "$Gamma$ stands inside of what $G$ multiplies",
    "That bracket is closed nowhere in print. Closed last, $G$ multiplies the gradient and $Gamma$; the"
    " posterior is to be invariant as the step vanishes.",
    read=Preserves(((Diffusion((x,), (half * G * (-U.diff(x) + G.diff(x)),), ((sp.sqrt(G),),)), -U),)),
)

eq3_outside = at("eq3.outside", "Eq. 3, the bracket before the gradient closed before $Gamma$").claim(
    "The posterior is invariant with $Gamma$ outside of $G$",
    "Closed so, as in Algorithm 1 and Eq. 11; in one dimension, and in two with any diagonal $G$.",
    read=Preserves(((LINE, -U), (PLANE, -U2))),
    scope="one and two coordinates",
)

noise = at("eq3.noise", "Eq. 3 and Algorithm 1, their noises").claim(
    "A root of $G$ on noise of variance $eps$",
    "$G^(1/2)$ times a normal vector of covariance $eps I$ has covariance $eps G$, as in Algorithm 1.",
    read=InLaw(Row(MatrixRoot(H) * sp.sqrt(eps) * V, MatrixRoot(eps * H) * V, "~")),
    kinds=(("H", "positive definite"),),
)

on_a_line = at.within("one coordinate")
vanishing_gamma = on_a_line("eq3.gamma_vanishes", "after Eq. 3").claim(
    "A constant preconditioner needs no $Gamma$",
    "Where $G$ is constant, as in SGLD, the posterior is kept without a derivative term.",
    read=Preserves(((Diffusion((x,), (-half * c * U.diff(x),), ((sp.sqrt(c),),)), -U),)),
)

p, q = letters("p q")
g1, g2, d1, d2 = letters("g_1 g_2 d_1 d_2", "real")

in_a_plane = at.within("two coordinates")
steepest = in_a_plane("eq3.steepest", "after Eq. 3, on the natural gradient").claim(
    "The natural gradient is the steepest direction of the metric",
    "In two coordinates that diagonalise $G$: $(g G g)(d G^-1 d)$ exceeds $(g d)^2$ by a square, which"
    " is zero where $d$ is proportional to $G g$.",
    read=Equal(
        (p * g1**2 + q * g2**2) * (d1**2 / p + d2**2 / q) - (g1 * d1 + g2 * d2) ** 2,
        (p * g1 * d2 - q * g2 * d1) ** 2 / (p * q),
    ),
)

# Patterson and Teh write the metric, here diag(M, 1), as G, and Gamma as
# -2 (G^-1 dG/dx_k G^-1)_jk + (G^-1)_jk tr(G^-1 dG/dx_k), summed over k
along = half * (-U2.diff(x) / M - 2 * M.diff(x) / M**2 + M.diff(x) / M**2)
OTHER_FORM = Diffusion(
    (x, y), (along, half * (-U2.diff(y) + M.diff(y) / M)), ((1 / sp.sqrt(M), 0), (0, 1))
)

other_form = at("fn3", "footnote 3").claim(
    "Patterson and Teh's form of the step",
    "Their form of $Gamma$ is called equivalent: with the metric M it is -2 M^-1 dM M^-1 + M^-1 tr(M^-1"
    " dM), over all coordinates. Here for $diag(M, 1)$, $M$ a function of both.",
    derived=Preserves(((OTHER_FORM, -U2),)),
)

M1 = sp.Function("M", positive=True)(x)
drift = half * (-U.diff(x) / M1 - 2 * M1.diff(x) / M1**2 + M1.diff(x) / M1**2)

other_form_in_one = on_a_line("fn3.one_dimension", "footnote 3, in one dimension").claim(
    "Patterson and Teh's form in one dimension",
    "In one dimension both parts of their $Gamma$ add up to the derivative of the preconditioner.",
    derived=Preserves(((Diffusion((x,), (drift,), ((1 / sp.sqrt(M1),),)), -U),)),
)

guaranteed = at("eq3.guaranteed", "after Eq. 3").again(
    eq3_outside,
    "The limit of Eq. 3 keeps the posterior (not: it converges)",
    "Convergence is said to be guaranteed under Assumption 1. That is more, and false as it stands: for"
    " $U = x^4/4$ and $G = 1$ a chain that is far out is thrown further with every step. What is shown"
    " is the limit.",
    scope="that the posterior is kept, one and two coordinates",
)

any_metric = in_a_plane("sec4.any_metric", "preconditioned SGLD, before Eq. 4").claim(
    "A positive definite matrix will do",
    "No Fisher information is needed: with $Gamma$, any positive diagonal $G$ keeps the posterior.",
    read=Preserves(((PLANE, -U2),)),
    scope="diagonal matrices, two coordinates",
)

lam, alpha, g, v, g_1, g_2 = sp.symbols("lambda alpha g v g_1 g_2", positive=True)
G, V, V_new, gbar = sp.symbols("G V V_new gbar", positive=True)
s_1, s_2 = letters("sigma_1 sigma_2")
a, b = sp.symbols("a b", positive=True)
SLOPE = LOSS / PARAMETER

x, W, xi, old = sp.symbols("x W xi old", real=True)
h, root = sp.Symbol("eps", positive=True), sp.Function("r", positive=True)(W)
g_x, G_x = sp.Function("g")(x), sp.Function("G", positive=True)(x)
Gamma_x, P_W = G_x.diff(x), 1 / (lam + root)
KICK = sp.sqrt(h) * sp.sqrt(G_x) * xi

eq4 = at("eq4", "Eq. 4").definition(
    "The preconditioner of RMSprop",
    "An entry of $G$ is one over $lambda$ plus the root of $V$: $lambda$ is measured as gradients are.",
    Printed(G, 1 / (lam + V ** sp.Rational(1, 2))),
    kinds={G: number(1 / SLOPE), lam: number(SLOPE), V: number(SLOPE**2)},
)

eq5 = at("eq5", "Eq. 5").definition(
    "The running average of squared gradients",
    "$V$ is averaged with the square of the minibatch's mean gradient, coordinate by coordinate.",
    Printed(V_new, alpha * V + (1 - alpha) * gbar**2),
    kinds={V_new: number(SLOPE**2), V: number(SLOPE**2), alpha: number(), gbar: number(SLOPE)},
)

positive = at("eq4.positive", "before Eq. 4").claim(
    "The preconditioner is positive",
    "$G$ is a positive definite matrix, as a metric has to be.",
    read=Compare(1 / (lam + v), ">", sp.Integer(0)),
)

extremes = at("eq4.extremes", "preconditioned SGLD, on tuning parameters").claim(
    "The parameter $lambda$ bounds the preconditioner",
    "No entry of $G$ is larger than $1/lambda$.",
    read=Compare(1 / (lam + v), "<=", 1 / lam),
)

convex = at("eq5.weights", "Eq. 5, for alpha = 1/(1 + b), which is above zero").claim(
    "$V$ stays nonnegative",
    "With $alpha$ between 0 and 1 the average is never negative, so that its root exists.",
    derived=Compare(v / (1 + b) + b / (1 + b) * g**2, ">=", sp.Integer(0)),
)

curved = normal("sec4.curved_landscapes", "preconditioned SGLD, after Eq. 5").claim(
    "Curved landscapes have larger gradients",
    "In the stationary law of a normal posterior the mean square gradient is the curvature.",
    read=Equal((1 / s_1**2) ** 2 * s_1**2, 1 / s_1**2),
)

equalises = at("sec4.equalises_gradient", "preconditioned SGLD, interpretation i)").claim(
    "The preconditioner equalises the gradient",
    "A gradient that stays the same, times $G$, tends to 1 in each dimension as $lambda$ vanishes.",
    read=Order(g / (lam + g), "~", sp.S.One, vanishing(lam)),
)

curvature = at("sec4.equal_curvature", "preconditioned SGLD, before Eq. 4 and interpretation i)").claim(
    "Curvatures are made more equal",
    "Equal ones are the aim. Of two directions of a normal posterior, $V$ at its stationary mean and"
    " $lambda$ taken to zero, $G$ in front makes the ratio of curvatures its square root.",
    derived=Equal((s_1 / s_1**2) / (s_2 / s_2**2), sqrt((1 / s_1**2) / (1 / s_2**2))),
)

adaptive = at("sec4.adaptive_steps", "preconditioned SGLD, interpretation ii)").claim(
    "Flat directions have larger steps",
    "The direction with the smaller gradients has the larger entry of $G$.",
    read=Compare(1 / (lam + g_1), ">", 1 / (lam + g_1 + v)),
)

escape = at("sec4.saddle", "preconditioned SGLD, on saddle points").claim(
    "SGLD is slow to leave a saddle point",
    "With the largest stable step $4/a$, a the positive curvature, a direction of curvature $-b$"
    " takes of the order of $a/b$ steps to leave.",
    read=Order(sp.log(1 + 2 * b / a) ** -1, "Theta", a, growing(a)),
    scope="a quadratic saddle",
)

faster = at("sec4.faster", "preconditioned SGLD, on saddle points").opinion(
    "A preconditioned sampler moves much faster", "Faster moves near saddle points are called possible."
)

algorithm1 = small.within("one coordinate")("alg1", "Algorithm 1").claim(
    "Algorithm 1 samples the posterior as its step vanishes",
    "With $Gamma$ as the derivative of the formulas for $G$ and $V$.",
    read=samples_posterior("psgld:algorithm1"),
)

with_eq3 = small("alg1.eq3", "Algorithm 1, with Eq. 3, its bracket closed after $Gamma$").claim(
    "Eqs. 3 to 5 sample the posterior as the step vanishes",
    "The same with $Gamma$ inside of what $G$ multiplies.",
    read=samples_posterior("psgld:eq3"),
)

with_minibatches = at("alg1.minibatches", "Algorithm 1, with a minibatch").claim(
    "Algorithm 1 with minibatches and no memory samples the posterior",
    "One of two examples is drawn in each step, $alpha$ is 0: $G$ and gradient see the same one, and of"
    " example $i$ the gradient's size is $1/G_i - lambda$. (Looked at where both are above zero, and"
    " where both are below.)",
    given=(A1,),
    read=samples_posterior("psgld:algorithm1", params=(("alpha", 0),), examples=2),
)

one_algorithm = at("alg1.is_eq3", "Algorithm 1 against Eq. 3").claim(
    "Algorithm 1 is the step of Eq. 3, its bracket closed after $Gamma$",
    "Both are given as the sampler; one adds $Gamma$, the slope of $G$, the other $G$ times $Gamma$."
    " (With the bracket closed before $Gamma$ they are one: eq3.outside.)",
    states=(x, xi, G_x.func, g_x.func),
    read=same(
        Step((x,), ((x, x + h / 2 * (G_x * g_x + Gamma_x) + KICK),), (xi,)),
        Step((x,), ((x, x + h / 2 * G_x * (g_x + Gamma_x) + KICK),), (xi,)),
        ((x, x),),
    ),
)

indices = on_a_line("alg1.is_eqs_4_and_5", "Algorithm 1 against Eqs. 4 and 5").claim(
    "$V$ in Algorithm 1 is $V$ of Eqs. 4 and 5",
    "Eq. 5 makes $G$ for a position from the gradient at the last one, Algorithm 1 from that at the"
    " same; here without $Gamma$ and noise, $r$ in the place of the root: any function.",
    given=(Compare(alpha, "<=", sp.Integer(1)),),
    states=(x, W, g_x.func, root.func),
    read=same(
        Step((x, W), ((W, alpha * W + (1 - alpha) * g_x**2), (x, x + h / 2 * P_W * g_x))),
        Step((x, W), ((old, P_W * g_x), (W, alpha * W + (1 - alpha) * g_x**2), (x, x + h / 2 * old))),
        ((x, x), (W, W)),
    ),
)
