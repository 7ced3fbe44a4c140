"""Appendix A: Poisson's equation, one step, and from it to the mean squared error (Eqs. 10 to 18)."""

from typing import Any

import sympy as sp

from sgtheory.dynamics.diffusion import Diffusion
from sgtheory.dynamics.steps import Step
from verification.papers.li2016psgld import appendix_sequences as own
from verification.papers.li2016psgld.appendix_sequences import ONE, SMOOTH, SQUARED, TIME, steps, total
from verification.papers.li2016psgld.hypotheses import averaged
from verification.relations import All, Bounded, Equal, Order, Preserves, WeakOrder, growing, vanishing
from verification.statements import Section, at, averages_within, letter, letters, mean, sequences, sqrt
from verification.statements import over as every
from verification.terms.term import total as added
from verification.theories.operators.arguments import Smooth

theta, y, z = (sp.Symbol(n, real=True) for n in ("theta", "y", "z"))
p, G_of = sp.Function("ell"), sp.Function("G", positive=True)
density, metric = p(theta), G_of(theta)
p_2 = p(y, z)
metrics = (sp.Function("G_1", positive=True)(y, z), sp.Function("G_2", positive=True)(y, z))
HALF = sp.Rational(1, 2)

# one coordinate of Eq. 11: slopes of the log prior, of all likelihoods, N times the minibatch's mean
prior, full, batch, Gamma = letters("prior full drawn Gamma", "real")
G, (seeing, G_full) = letter("G"), letters("G G_full", "real")
deviation = letter("off", "centred")
h, V, lam, N = letters("epsilon V lambda N")
alpha = letter("alpha", "fraction")
u, one, two = letter("u"), letter("theta", "real"), letter("y", "real")  # s is 1/(1 + u)
xi = letter("xi", "sign")
KICK = sqrt(h) * sqrt(G) * xi
STEP = h / 2 * (G * (prior + batch) + Gamma) + KICK

follows = at("appA.follows_chen_ding_carin", "Appendix A, first sentence").attribution(
    "Assumptions and techniques of an earlier paper",
    "Assumptions and techniques of proof are those of Chen, Ding and Carin (2015).",
)

in_one = Section(given=(ONE,))
ON_A_LINE = Diffusion(
    (theta,), (HALF * (metric * density.diff(theta) + metric.diff(theta)),), ((sp.sqrt(metric),),)
)
IN_A_PLANE = Diffusion(
    (y, z),
    tuple(HALF * (m * p_2.diff(s) + m.diff(s)) for m, s in zip(metrics, (y, z), strict=True)),
    ((sp.sqrt(metrics[0]), 0), (0, sp.sqrt(metrics[1]))),
)

invariant_measure = at("appA.invariant_measure", "Appendix A, details on the assumption").claim(
    "The process behind pSGLD keeps the posterior",
    "The stochastic differential equation of a diagonal metric leaves the posterior $e^ell$ as it is.",
    read=Preserves(((ON_A_LINE, density), (IN_A_PLANE, p_2))),
    scope="one and two coordinates",
)

F_0, away = letter("F_0", "real"), letter("delta")
smooth = at("appA.psi_as_smooth", "Appendix A, after Eq. 10, for the $G$ of Eq. 4").claim(
    "$psi$ is as smooth as $phi$",
    "Where coefficients are smooth that is known. In one coordinate $psi$ has slope $2 F/G = 2 F$"
    " $(lambda + |g|)$; where $g$ changes sign, as $theta$ at 0, that slope's second"
    " difference is to be $o(delta)$.",
    read=Order(2 * F_0 * ((lam + away) - 2 * lam + (lam + away)), "o", away, vanishing(away)),
)

assumption_2 = at("appA.assumption2", "Assumption 2, the last inequality").claim(
    "The last inequality of Assumption 2 can be met",
    "$V = 1 + theta^2$ between two points is at most a constant times what it is at both.",
    derived=Bounded(1 + ((one + u * two) / (1 + u)) ** 2, (1 + one**2) + (1 + two**2)),
    scope="one coordinate, p = 1",
)

eq11_drift = in_one("appA.eq11_drift", "Eq. 11, first term").claim(
    "Drift of the local generator",
    "Per unit of step a step of Algorithm 1 moves by $G$ times the stochastic gradient, plus $Gamma$.",
    read=Equal(mean(STEP) / h, G * (prior + batch) + Gamma),
)

eq11_noise = in_one("appA.eq11_noise", "Eq. 11, second term").claim(
    "Noise of the local generator",
    "The noise of a step of Algorithm 1 has variance $G G^T$ per unit of step.",
    read=Equal(mean(KICK**2) / h, G * G),
)

AS_PRINTED = Diffusion((theta,), (metric * density.diff(theta) + metric.diff(theta),), ((metric,),))

appA = in_one("appA.eq11_invariant", "Eq. 11, the true gradient in place of the stochastic one").claim(
    "The printed generator keeps the posterior",
    "With the full gradient the process of Eq. 11 as printed has the posterior $e^ell$ for its law."
    " (That of pSGLD, with half of this drift and $G$ for $G G^T$, has: appA.invariant_measure.)",
    read=Preserves(((AS_PRINTED, density),)),
)

eq12 = in_one(
    "appA.eq12", "Eq. 12, with the generator of Eq. 11 and $g$ the gradient of the likelihood"
).claim(
    "Local and true generator differ by $Delta V$",
    "The drifts with stochastic and with true gradient differ by $G$ $(N g_bar - g)$.",
    printed=Equal(G * (prior + batch) + Gamma, G * (prior + full) + Gamma + G * (batch - full)),
)

whole = in_one("appA.eq12_full_gradient", "Eq. 12, $g$ being the full gradient, of the prior too").claim(
    "The same, $g$ the gradient of the log posterior",
    "With the full gradient of the log posterior for $g$ the drifts differ by $G$ $(N g_bar - g)$.",
    printed=Equal(
        G * (prior + batch) + Gamma, G * (prior + full) + Gamma + G * (batch - (prior + full))
    ),
)

eq12_algorithm = in_one("appA.eq12_algorithm", "Eq. 12, with the generator of Algorithm 1").claim(
    "The same for the step that Algorithm 1 makes",
    "Half of the drift of Eq. 11 is what a step moves by; $Delta V$ is still $G$ $(N g_bar - g)$.",
    read=Equal((G * (prior + batch) + Gamma) / 2, (G * (prior + full) + Gamma) / 2 + G * (batch - full)),
)

eq12_G = in_one("appA.eq12_own_preconditioner", "Eq. 12, with the preconditioner of Algorithm 1").claim(
    "The same where $G$ sees the minibatch as well",
    "The true generator has the preconditioner of the full gradient; only $g$ is replaced in Eq. 12"
    " ($Gamma$ is left as it is).",
    read=Equal(
        seeing * (prior + batch) + Gamma, G_full * (prior + full) + Gamma + seeing * (batch - full)
    ),
    given=(seeing > 0, G_full > 0),
)

eq12_mean_zero = in_one("appA.eq12_mean_zero", "Eq. 12 and the definition of $Delta V_t$").claim(
    "$Delta V$ has mean zero over minibatches",
    "With the preconditioner of Algorithm 1, made of the same minibatch, $Delta V_t$ is centred.",
    derived=Equal(
        mean(deviation / (lam + sqrt(alpha * V + (1 - alpha) * ((full + deviation) / N) ** 2))), 0
    ),
    given=(N >= 2,),
)

k, step, N_T = own.t, own.eps, own.T
DELTA = letter("phi_hat - phi_bar", "real")
(bounded,), (noise,) = sequences("r", "bounded sequence"), sequences("x", "differences")
(random_psi,) = sequences("psi", "random sequence")
LEFT_OVER = step[k] ** 2 * own.r[k]
MOVED = total(step[k] * own.L_psi[k - 1]) + total(step[k] * own.d[k]) + total(LEFT_OVER)
four = letters("a b c d", "real")
psi_T, time = letter("psi_T", "random"), letter("S_T")
(off,), (within,), (drawn,) = (
    sequences("x"),
    sequences("d", "bounded sequence"),
    sequences("d", "random sequence"),
)
A_1 = letter("a", "real")  # psi(theta_0) - E psi(theta_T)


def error(x: Any, d: Any) -> Any:
    """What the average is off by, times the sum of steps."""
    return A_1 + total(x[k]) + total(steps[k] * d[k]) + SQUARED


def after(psi: Any) -> Any:
    """The mean of psi after a step, by Eqs. 12 and 13."""
    return psi + step[k] * (own.L_psi[k - 1] + own.d[k]) + LEFT_OVER


smoothly = Section(given=(SMOOTH,))

eq15 = smoothly("appA.eq15", "Eq. 15, means given the step before").claim(
    "The expansion of one step, summed",
    "Summed over all steps Eq. 13 with Eq. 12 gives Eq. 15, with what each step leaves over.",
    read=Equal(total(own.P[k]), total(own.psi[k - 1]) + MOVED),
    given=(Equal(own.P[k], after(own.psi[k - 1])),),
)

eq15_constant = smoothly("appA.eq15_constant", "Eq. 15, last term").claim(
    "One constant for the remainders of all steps",
    "Remainders of at most $eps_t^2$ on every path (Assumption 2 bounds them in mean only) add up to at"
    " most the sum of squared steps.",
    read=total(step[k] ** 2 * bounded[k]) ** 2 <= own.SQUARES**2,
)

one_side = smoothly("appA.eq15_one_side", "Eq. 15, as printed: the mean on the left side only").claim(
    "The mean stands on one side of Eq. 15",
    "A mean over all that is random stands on the left, none on the right.",
    printed=Equal(total(mean(random_psi[k])), total(random_psi[k - 1]) + MOVED),
    given=(
        Equal(random_psi[k], after(random_psi[k - 1]) + noise[k]),
        Equal(random_psi[0], one),
    ),
)

eq16 = smoothly("appA.eq16", "Eq. 16, from Eq. 15").claim(
    "The error of the average",
    "Divided by $S_T$, Eq. 15 gives the error by $psi$ at both ends, and sums that are added; what"
    " single steps leave over is left out on both sides, as its constant is free.",
    read=Equal(
        DELTA,
        (own.P[N_T] - own.psi[0]) / own.S_T
        + every(own.P[k - 1] + own.psi[k - 1], k, 1, N_T - 1) / own.S_T
        + total(step[k] * own.d[k]) / own.S_T,
    ),
    given=(Equal(DELTA, total(own.P[k] - own.psi[k - 1] - step[k] * own.d[k]) / own.S_T),),
)

eq16_average = at("appA.eq16_average", "Eq. 16, left side, with phi_hat of the main text").claim(
    "The average that Eq. 15 is about",
    "Eq. 15 takes the averages of $phi(theta_(t-1))$ and of $phi(theta_t)$, with weight $eps_t$, for"
    " one. With Algorithm 1's indices, where $eps_t$ leads on from $theta_t$, they would be; as they"
    " stand they differ by at most $2 eps_1/S_T$ times the largest $|phi|$.",
    derived=Equal(total(step[k] * own.phi[k - 1]) / own.S_T, total(step[k] * own.phi[k]) / own.S_T),
)

eq17_four = at("appA.eq17_four_terms", "Eq. 17, from Eq. 16: the square of four terms").claim(
    "The square of a sum of four",
    "The square of a sum of four numbers is at most a constant times the sum of their squares.",
    derived=Bounded(added(four) ** 2, added(c**2 for c in four)),
)

eq17 = smoothly("appA.eq17", "Eq. 17, for the numbers themselves").claim(
    "The squared error by squares of single steps",
    "Without a mean, the squared error is at most a constant times the squares of single steps: $x_t$ is"
    " $psi$ less its mean given the step before, $d_t$ is $Delta V_t psi$, $a$ is $psi(theta_0)$ less"
    " the mean of $psi(theta_T)$.",
    printed=Bounded(
        (error(off, own.d) / TIME) ** 2,
        A_1**2 / TIME**2
        + total(off[k] ** 2) / TIME**2
        + total(steps[k] ** 2 * own.d[k] ** 2) / TIME**2
        + (SQUARED / TIME) ** 2,
    ),
)

eq17_mean = smoothly("appA.eq17_mean", "Eqs. 17 and 18, in the mean").claim(
    "The mean squared error by those of single steps",
    "The mean of the squared error is at most a constant times mean squares of single steps. (Not only"
    " where $d_t$ is centred: $d_t = eps_t$ adds what the last term has.)",
    read=Bounded(
        mean((error(noise, drawn) / TIME) ** 2),
        A_1**2 / TIME**2
        + total(mean(noise[k] ** 2)) / TIME**2
        + total(steps[k] ** 2 * mean(drawn[k] ** 2)) / TIME**2
        + (SQUARED / TIME) ** 2,
    ),
)

a1 = smoothly("appA.a1_bounded", "after Eq. 17, $A_1$").claim(
    "$A_1$ is bounded where second moments of $psi$ are",
    "The square of $psi(theta_0)$ less the mean of $psi(theta_T)$ is at most a constant times second"
    " moments.",
    read=Bounded((four[0] - mean(psi_T)) ** 2, four[0] ** 2 + mean(psi_T**2)),
)

a2_sum = smoothly("appA.a2_sum", "after Eq. 17 and Eq. 18, $A_2$").claim(
    "$A_2$ is of the order of $1/S_T$",
    "Squares of single steps of at most $eps_t$, added up and over $S_T^2$, are at most $1/S_T$.",
    read=Bounded(total(steps[k] * bounded[k] ** 2) / TIME**2, 1 / TIME),
)

a2_ignored = at("appA.a2_ignored", "after Eq. 17, the terms that can be ignored").claim(
    "$A_2$ is smaller than the other terms",
    "What $A_2$ adds, $1/S_T$, is at most a constant times $1/S_T^2$ and the last term of Eq. 17.",
    read=Bounded(1 / TIME, 1 / TIME**2 + (SQUARED / TIME) ** 2),
)

eq18_second = at("appA.eq18_second_line", "Eq. 18, second line").claim(
    "The term $1/S_T^2$ is left out",
    "A constant that no schedule changes makes $1/S_T^2$ part of $1/S_T$. ($eps_1$ bounds $S_T$ from"
    " below, for each schedule.)",
    read=Bounded(1 / time + 1 / time**2, 1 / time),
)

eq18 = averaged("appA.eq18", "Eq. 18, last line, for Algorithm 1").claim(
    "The bound on the mean squared error, Algorithm 1",
    "Gradient noise, time and squared steps bound the mean squared error up to a constant. (With"
    " $phi_bar$ and $L$ of Algorithm 1's own process, as defined here, nothing is refuted.)",
    printed=averages_within(own.ERROR, own.BOUND, N_T, "psgld:algorithm1"),
)

vanish_noise = at("appA.vanish_noise", "after Eq. 18, first term").claim(
    "The term of stochastic gradients vanishes",
    "Where the means of $||Delta V_t||^2$, here $d_t^2$, are bounded, their sum with weights $eps_t^2$,"
    " over $S_T^2$, tends to zero.",
    read=Order(total(steps[k] ** 2 * within[k] ** 2) / TIME**2, "o", 1, growing(N_T)),
    scope="noise of bounded size",
)

vanish_time = at("appA.vanish_time", "after Eq. 18, second term").claim(
    "The term $1/S_T$ vanishes", "$1/S_T$ tends to zero.", read=Order(1 / TIME, "o", 1, growing(N_T))
)

vanish_steps = at("appA.vanish_steps", "after Eq. 18, third term").claim(
    "The term of discretisation vanishes",
    "The square of the sum of $eps_t^2$, over $S_T^2$, tends to zero.",
    read=Order(SQUARED**2 / TIME**2, "o", 1, growing(N_T)),
)

theta, xi = sp.symbols("theta xi", real=True)
h = sp.Symbol("epsilon", positive=True)
noise = sp.Symbol("sigma", positive=True)  # G = sigma^2, here a number
shift = sp.Symbol("c", positive=True)
H, F, slope, extra = (sp.Function(n)(theta) for n in ("H", "F", "g", "Gamma"))
psi = sp.Function("psi")(theta)
root = sp.Function("sigma", positive=True)(theta)  # of G
G = root**2
# of Algorithm 1 with the minibatch at hand: any slope, any Gamma
DRIFT = HALF * (G * slope + extra)
EULER = Step((theta,), ((theta, theta + h * DRIFT + sp.sqrt(h) * root * xi),), (xi,))
Q = 2 * F / G  # the slope of the solution
after_a_step = Section(given=(ONE, SMOOTH, own.COEFFICIENTS))


def generator(f: sp.Expr, first: sp.Expr) -> sp.Expr:
    """The generator of a drift and of noise with variance G."""
    return first * sp.Derivative(f, theta) + HALF * G * sp.Derivative(f, theta, theta)


eq10 = in_one("appA.eq10", "Eq. 10, and Eq. 14: a solution exists").claim(
    "Poisson's equation has a solution",
    "In one coordinate $psi$ with slope $2 F/G$ solves it, $F e^(-H)$ being an integral of what $phi$"
    " is off its mean, times the density $e^(-H)$.",
    states=(theta,),
    read=Equal(
        HALF * (-G * H.diff(theta) + G.diff(theta)) * Q + HALF * G * sp.Derivative(Q, theta),
        F.diff(theta) - F * H.diff(theta),
    ),
    scope="one coordinate",
)

unique = at("appA.eq10_unique", "after Eq. 10").claim(
    "The solution of Poisson's equation is unique",
    "With $psi$, $psi + c$ solves the equation too, $c$ being any other number than zero; uniqueness"
    " makes the two one. (It is unique but for such a constant.)",
    states=(theta,),
    read=All(Equal(generator(psi + shift, DRIFT), generator(psi, DRIFT)), Equal(psi + shift, psi)),
)

eq13 = after_a_step("appA.eq13", "Eq. 13, first line, with the generator of Algorithm 1").claim(
    "One step of Euler's integrator",
    "Given the minibatch, the mean of $psi$ after a step is $e^(eps L) psi$ up to $eps^2$.",
    read=WeakOrder(Diffusion((theta,), (DRIFT,), ((root,),)), EULER, h, 1),
    scope="one coordinate",
)

eq13_printed = after_a_step(
    "appA.eq13_printed_generator", "Eq. 13, first line, with the generator that Eq. 11 prints"
).claim(
    "The same with the printed generator",
    "With the generator of Eq. 11 the mean of $psi$ after a step is $e^(eps L) psi$ up to"
    " $eps^2$ (constant $G$, drift $-theta$).",
    derived=WeakOrder(
        Diffusion((theta,), (-theta,), ((noise**2,),)),
        Step((theta,), ((theta, theta - h / 2 * theta + sp.sqrt(h) * noise * xi),), (xi,)),
        h,
        1,
    ),
)

three_derivatives = after_a_step(
    "appA.eq13_three_derivatives", "Eq. 13, second line, with Assumption 2: derivatives up to the third"
).claim(
    "Three derivatives of $psi$ are enough for $1 + eps L$",
    "With $psi$ and its derivatives up to the third bounded, what one step leaves over $1 + eps L$ is"
    " $eps^2$. (For $e^(eps L)$, the first line, they are enough.)",
    read=WeakOrder(Diffusion((theta,), (DRIFT,), ((root,),)), EULER, h, 1, written_out=True),
    given=(Smooth(name="f", derivatives=3),),
)

a2_size = in_one("appA.a2_size", "after Eq. 17: $A_2$ and the noise").claim(
    "One step spreads $psi$ by the root of the step",
    "Per unit of step the variance of $psi$ after a step is $L psi^2 - 2 psi L psi = G psi'^2$.",
    states=(theta,),
    read=Equal(generator(psi**2, DRIFT) - 2 * psi * generator(psi, DRIFT), G * psi.diff(theta) ** 2),
    scope="one coordinate",
)

as_in_2015 = at("appA.decomposition", "before Eq. 13").attribution(
    "The decomposition is that of an earlier paper",
    "The expansion of one step is taken from Chen, Ding and Carin (2015).",
)
