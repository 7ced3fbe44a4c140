"""Variational optimal learning parameters: the divergence, the best step, the best preconditioner."""

import sympy as sp

from sgtheory.notation.matrixwords import Determinant
from verification.claims.definition import NotMathematical
from verification.notation import A, B, C, Diagonal, H, S, Sigma, eps, trace
from verification.papers.mandt2016poster.hypotheses import CONVEX, FULL_RANK, SUMMED, USUAL
from verification.statements import Best, Equal, InLaw, claim
from verification.terms.gaussians import Divergence, MeanForm, MeanLogDensity
from verification.terms.stochastic import Change, Row, dt, dW, theta

q, f = sp.symbols("q f")
KL = Divergence(Sigma, q, A**-1, f)
V = sp.Symbol("Sigma_q", commutative=False)  # the covariance of any normal q

posterior = claim(
    "optimal.posterior",
    at="Main result, the posterior; variational optimal parameters, first line",
    title="The posterior of a quadratic loss",
    says="Where the loss is a form in A, the exponential of minus it is a density of covariance A^(-1):"
    " means of both under any normal law differ by one constant.",
    read=Equal(MeanLogDensity(A**-1, f, V, q), -MeanForm(A, V, q) / 2, constant_in=(V,)),
)

kl = claim(
    "optimal.kl",
    at="Variational optimal parameters, the divergence of normal laws",
    title="The divergence of two normal laws",
    says="The divergence is half of a trace less two log determinants and one half (log A read as that"
    " of the determinant).",
    printed=Equal(
        Divergence(V, q, A**-1, f),
        (trace(A * V) - sp.log(Determinant(A)) - sp.log(Determinant(V)) - sp.Rational(1, 2)) / 2,
    ),
)

kl_step = claim(
    "optimal.kl_step",
    at="Variational optimal parameters, the divergence of SGD",
    title="The divergence as a function of the step",
    says="Up to a constant the divergence of SGD is a trace that grows with the step, less a logarithm.",
    of="sgd",
    given=USUAL,
    printed=Equal(KL, eps / (2 * S) * trace(C) - sp.log(eps / S), constant_in=(eps, S)),
)

best_step = claim(
    "optimal.step",
    at="Variational optimal parameters, after the divergence",
    title="The best learning rate",
    says="Among learning rates this one brings the law of SGD closest to the posterior.",
    of="sgd",
    given=(*USUAL, CONVEX, FULL_RANK, SUMMED),
    printed=Best(eps, 2 * S / trace(C), of=KL),
    kinds=(("B", "positive definite"),),
)

preconditioned = claim(
    "optimal.preconditioned",
    at="Variational optimal parameters, the preconditioned process",
    title="The preconditioned Ornstein-Uhlenbeck process",
    says="A preconditioner stands before the drift and before the noise.",
    of="sgd",
    given=USUAL,
    printed=InLaw(Row(Change(theta), -H * A * theta * dt + H * (sp.sqrt(eps / S) * B) * dW), lasts=eps),
)

kl_gain = claim(
    "optimal.kl_gain",
    at="Variational optimal parameters, the divergence with a preconditioner",
    title="The divergence with a preconditioner",
    says="The divergence is a sum of a trace, a log determinant of the preconditioner and more.",
    of="sgd",
    given=USUAL,
    printed=Equal(
        KL,
        eps / (2 * S) * trace(C * H)
        + sp.log(Determinant(H))
        + sp.log(eps / S) / 2
        - sp.log(Determinant(Sigma)),
        constant_in=(eps, S, H),
    ),
)

best_diagonal = claim(
    "optimal.diagonal",
    at="Variational optimal parameters, the diagonal preconditioner",
    title="The best diagonal preconditioner",
    says="Up to a factor the best diagonal preconditioner is the inverse of the noise's diagonal.",
    of="sgd",
    given=(*USUAL, CONVEX, FULL_RANK, SUMMED),
    printed=Best(H, Diagonal(C) ** -1 / 2, of=KL, among="diagonal", up_to_factor=True),
    sets=((eps, 1),),
    kinds=(("B", "positive definite"),),
)

adagrad = NotMathematical(
    "optimal.adagrad",
    at="Variational optimal parameters, last line",
    title="Relation to AdaGrad",
    says="The diagonal preconditioner is likened to AdaGrad's, which has square roots in it.",
    because="attribution",
)
