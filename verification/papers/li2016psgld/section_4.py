"""Preconditioned SGLD: Riemannian Langevin dynamics (Eq. 3) and what is said about it."""

import sympy as sp

from sgtheory.dynamics.diffusion import Diffusion
from verification.claims.definition import NotMathematical
from verification.notation import H, eps
from verification.papers.li2016psgld.hypotheses import A1
from verification.statements import Equal, InLaw, Order, Preserves, claim, letters, vanishing
from verification.terms.stochastic import MatrixRoot, NoiseLetter, Row

x, y = sp.symbols("x y", real=True)
lam, c = sp.symbols("lambda c", positive=True)
U, G = sp.Function("U")(x), sp.Function("G", positive=True)(x)
U2 = sp.Function("U")(x, y)
G1, G2, M = (sp.Function(n, positive=True)(x, y) for n in ("G1", "G2", "M"))
V = NoiseLetter("V", commutative=False)
half = sp.Rational(1, 2)

same_step = claim(
    "sec4.same_step",
    at="preconditioned SGLD, first paragraph",
    title="One step for all directions mixes slowly in flat ones",
    says="Along a direction of curvature lambda the autocorrelation time of SGLD grows like 1/lambda.",
    read=Order((2 - eps * lam / 2) / (eps * lam), "Theta", 1 / lam, vanishing(lam)),
)

metric = NotMathematical(
    "sec4.fisher_metric",
    at="preconditioned SGLD, first paragraph",
    title="The Fisher information as the natural metric",
    says="The expected Fisher information as a natural metric is ascribed to Girolami and Calderhead.",
    because="attribution",
)

eq3 = claim(
    "eq3",
    at="Eq. 3, its brackets as printed",
    title="Gamma stands inside of what G multiplies",
    says="As printed, G multiplies the gradient and Gamma; the posterior is to be invariant as the step"
    " vanishes.",
    given=(A1,),
    read=Preserves(((Diffusion((x,), (half * G * (-U.diff(x) + G.diff(x)),), ((sp.sqrt(G),),)), -U),)),
)

eq3_outside = claim(
    "eq3.outside",
    at="Eq. 3, with Gamma outside of what G multiplies",
    title="The posterior is invariant with Gamma outside of G",
    says="The other reading of the brackets, in one dimension, and in two with any diagonal G.",
    given=(A1,),
    read=Preserves(
        (
            (Diffusion((x,), (half * (-G * U.diff(x) + G.diff(x)),), ((sp.sqrt(G),),)), -U),
            (
                Diffusion(
                    (x, y),
                    (half * (-G1 * U2.diff(x) + G1.diff(x)), half * (-G2 * U2.diff(y) + G2.diff(y))),
                    ((sp.sqrt(G1), 0), (0, sp.sqrt(G2))),
                ),
                -U2,
            ),
        )
    ),
)

noise = claim(
    "eq3.noise",
    at="Eq. 3 and Algorithm 1, their noises",
    title="A root of G on noise of variance eps",
    says="G^(1/2) times a normal vector of covariance eps I has covariance eps G, as in Algorithm 1.",
    read=InLaw(Row(MatrixRoot(H) * sp.sqrt(eps) * V, MatrixRoot(eps * H) * V, "~")),
    kinds=(("H", "positive definite"),),
)

vanishing_gamma = claim(
    "eq3.gamma_vanishes",
    at="after Eq. 3",
    title="A constant preconditioner needs no Gamma",
    says="Where G is constant, as in SGLD, the posterior is kept without a derivative term.",
    read=Preserves(((Diffusion((x,), (-half * c * U.diff(x),), ((sp.sqrt(c),),)), -U),)),
)

p, q = letters("p q")
g1, g2, d1, d2 = letters("g_1 g_2 d_1 d_2", "real")

steepest = claim(
    "eq3.steepest",
    at="after Eq. 3, on the natural gradient",
    title="The natural gradient is the steepest direction of the metric",
    says="In two coordinates that diagonalise G: (g G g)(d G^-1 d) exceeds (g d)^2 by a square, which is"
    " zero where d is proportional to G g.",
    read=Equal(
        (p * g1**2 + q * g2**2) * (d1**2 / p + d2**2 / q) - (g1 * d1 + g2 * d2) ** 2,
        (p * g1 * d2 - q * g2 * d1) ** 2 / (p * q),
    ),
)

# Patterson and Teh write the metric, here diag(M, 1), as G, and Gamma as
# -2 (G^-1 dG/dx_k G^-1)_jk + (G^-1)_jk tr(G^-1 dG/dx_k), summed over k
other_form = claim(
    "fn3",
    at="footnote 3",
    title="Patterson and Teh's form of the step",
    says="Their form of Gamma is called equivalent; here for the metric diag(M, 1), M a function of both"
    " coordinates.",
    read=Preserves(
        (
            (
                Diffusion(
                    (x, y),
                    (
                        half * (-U2.diff(x) / M - 2 * M.diff(x) / M**2 + M.diff(x) / M**2),
                        half * (-U2.diff(y) + M.diff(y) / M),
                    ),
                    ((1 / sp.sqrt(M), 0), (0, 1)),
                ),
                -U2,
            ),
        )
    ),
)

M1 = sp.Function("M", positive=True)(x)

other_form_in_one = claim(
    "fn3.one_dimension",
    at="footnote 3, in one dimension",
    title="Patterson and Teh's form in one dimension",
    says="In one dimension both parts of their Gamma add up to the derivative of the preconditioner.",
    read=Preserves(
        (
            (
                Diffusion(
                    (x,),
                    (half * (-U.diff(x) / M1 - 2 * M1.diff(x) / M1**2 + M1.diff(x) / M1**2),),
                    ((1 / sp.sqrt(M1),),),
                ),
                -U,
            ),
        )
    ),
)

guaranteed = NotMathematical(
    "eq3.guaranteed",
    at="after Eq. 3",
    title="Convergence is guaranteed",
    says="Convergence under Assumption 1 is ascribed to Teh et al. and Chen et al.",
    because="attribution",
)

any_metric = claim(
    "sec4.any_metric",
    at="preconditioned SGLD, before Eq. 4",
    title="Any positive definite matrix will do",
    says="No Fisher information is needed: with Gamma, any positive diagonal G keeps the posterior.",
    read=Preserves(
        (
            (
                Diffusion(
                    (x, y),
                    (half * (-G1 * U2.diff(x) + G1.diff(x)), half * (-G2 * U2.diff(y) + G2.diff(y))),
                    ((sp.sqrt(G1), 0), (0, sp.sqrt(G2))),
                ),
                -U2,
            ),
        )
    ),
)
