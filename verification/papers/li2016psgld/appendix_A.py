"""Appendix A: Poisson's equation, the assumptions, and the local generator (Eqs. 10 to 12)."""

import sympy as sp

from sgtheory.dynamics.diffusion import Diffusion
from verification.claims.definition import NotMathematical
from verification.papers.li2016psgld.appendix_sequences import ONE
from verification.statements import Bounded, Equal, Preserves, claim, letter, letters, mean, sqrt

theta, y, z = (sp.Symbol(n, real=True) for n in ("theta", "y", "z"))
p, G_of = sp.Function("log_p"), sp.Function("G", positive=True)
density, metric = p(theta), G_of(theta)
p_2 = p(y, z)
metrics = (sp.Function("G_1", positive=True)(y, z), sp.Function("G_2", positive=True)(y, z))
HALF = sp.Rational(1, 2)

# one coordinate of Eq. 11: slopes of the log prior, of all likelihoods, N times the minibatch's mean
prior, full, drawn = letters("prior full drawn", "real")
G, G_full, Gamma = letters("G G_full Gamma", "real")
off = letter("off", "centred")
h, V, lam, N = letters("epsilon V lambda N")
alpha = letter("alpha", "fraction")
g = letter("G")  # the preconditioner, where its root is needed
u, one, two = letter("u"), letter("theta", "real"), letter("y", "real")  # s is 1/(1 + u)
xi = letter("xi", "sign")
STEP = h / 2 * (g * (prior + drawn) + Gamma) + sqrt(h) * sqrt(g) * xi

follows = NotMathematical(
    "appA.follows_chen_ding_carin",
    at="Appendix A, first sentence",
    title="Assumptions and techniques of an earlier paper",
    says="Assumptions and techniques of proof are those of Chen, Ding and Carin (2015).",
    because="attribution",
)

invariant_measure = claim(
    "appA.invariant_measure",
    at="Appendix A, details on the assumption",
    title="The process behind pSGLD keeps the posterior",
    says="The stochastic differential equation of a diagonal metric leaves the posterior as it is.",
    given=(ONE,),
    read=Preserves(
        (
            (
                Diffusion(
                    (theta,),
                    (HALF * (metric * density.diff(theta) + metric.diff(theta)),),
                    ((sp.sqrt(metric),),),
                ),
                density,
            ),
            (
                Diffusion(
                    (y, z),
                    tuple(
                        HALF * (m * p_2.diff(s) + m.diff(s))
                        for m, s in zip(metrics, (y, z), strict=True)
                    ),
                    ((sp.sqrt(metrics[0]), 0), (0, sp.sqrt(metrics[1]))),
                ),
                p_2,
            ),
        )
    ),
)

smooth = NotMathematical(
    "appA.psi_as_smooth",
    at="Appendix A, after Eq. 10",
    title="psi is as smooth as phi",
    says="For elliptic or hypoelliptic generators the solution is at least as smooth as phi.",
    because="attribution",
)

assumption_2 = claim(
    "appA.assumption2",
    at="Assumption 2, the last inequality",
    title="There is a function V as Assumption 2 asks for",
    says="V = 1 + theta^2 between two points is at most a constant times what it is at both.",
    derived=Bounded(1 + ((one + u * two) / (1 + u)) ** 2, (1 + one**2) + (1 + two**2)),
)

eq11_drift = claim(
    "appA.eq11_drift",
    at="Eq. 11, first term",
    title="Drift of the local generator",
    says="Per unit of step a step of Algorithm 1 moves by G times the stochastic gradient, plus Gamma.",
    given=(ONE,),
    read=Equal(mean(STEP) / h, g * (prior + drawn) + Gamma),
)

eq11_noise = claim(
    "appA.eq11_noise",
    at="Eq. 11, second term",
    title="Noise of the local generator",
    says="The noise of a step of Algorithm 1 has variance G G^T per unit of step.",
    given=(ONE,),
    read=Equal(mean((STEP - mean(STEP)) ** 2) / h, g * g),
)

eq11_invariant = claim(
    "appA.eq11_invariant",
    at="Eq. 11, the true gradient in place of the stochastic one",
    title="The printed generator keeps the posterior",
    says="With the full gradient the process of Eq. 11 as printed has the posterior for invariant law.",
    given=(ONE,),
    read=Preserves(
        (
            (
                Diffusion((theta,), (metric * density.diff(theta) + metric.diff(theta),), ((metric,),)),
                density,
            ),
        )
    ),
)

eq12 = claim(
    "appA.eq12",
    at="Eq. 12, with the generator of Eq. 11 and g the gradient of the likelihood",
    title="Local and true generator differ by Delta V",
    says="The drifts with stochastic and with true gradient differ by G (N g_bar - g).",
    given=(ONE,),
    printed=Equal(G * (prior + drawn) + Gamma, G * (prior + full) + Gamma + G * (drawn - full)),
)

eq12_full_gradient = claim(
    "appA.eq12_full_gradient",
    at="Eq. 12, g being the full gradient, of the prior too",
    title="The same, g the gradient of the log posterior",
    says="With the full gradient of the log posterior for g the drifts differ by G (N g_bar - g).",
    given=(ONE,),
    printed=Equal(
        G * (prior + drawn) + Gamma, G * (prior + full) + Gamma + G * (drawn - (prior + full))
    ),
)

eq12_algorithm = claim(
    "appA.eq12_algorithm",
    at="Eq. 12, with the generator of Algorithm 1",
    title="The same for the step that Algorithm 1 makes",
    says="Half of the drift of Eq. 11 is what a step moves by; Delta V is still G (N g_bar - g).",
    given=(ONE,),
    read=Equal((G * (prior + drawn) + Gamma) / 2, (G * (prior + full) + Gamma) / 2 + G * (drawn - full)),
)

eq12_own_preconditioner = claim(
    "appA.eq12_own_preconditioner",
    at="Eq. 12, with the preconditioner of Algorithm 1",
    title="The same where G sees the minibatch as well",
    says="The true generator has the preconditioner of the full gradient; only g is replaced in Eq. 12.",
    given=(ONE,),
    read=Equal(G * (prior + drawn) + Gamma, G_full * (prior + full) + Gamma + G * (drawn - full)),
)

eq12_mean_zero = claim(
    "appA.eq12_mean_zero",
    at="Eq. 12 and the definition of Delta V_t",
    title="Delta V has mean zero over minibatches",
    says="With the preconditioner of Algorithm 1, made of the same minibatch, Delta V_t is centred.",
    given=(ONE,),
    derived=Equal(mean(off / (lam + sqrt(alpha * V + (1 - alpha) * ((full + off) / N) ** 2))), 0),
)
