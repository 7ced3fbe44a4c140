"""Appendices E to G: further experiments."""

from verification.claims.definition import NotMathematical
from verification.statements import All, Equal, Term, claim, letters, sqrt, term

eps, s, a, kept, psgld, trained = letters("eps s a n pSGLD SGD")


def effective(variance: Term) -> Term:
    """Effective samples of SGLD along a direction: its correlations are powers of 1 - eps/(2 a)."""
    forgotten = eps / (2 * variance)
    return kept * forgotten / (2 - forgotten)


stable = claim(
    "appE.stable",
    at="appendix E, the step of SGLD",
    title="The step 0.1 is stable at both scales",
    says="It is below four times the smallest variance, 0.16.",
    derived=eps < 4 * s,
    numbers={eps: "0.1", s: "0.16"},
)

not_explored = claim(
    "appE.sgld",
    at="appendix E, the step of SGLD",
    title="The step 0.1 explores less at a = 2",
    says="600 samples are less than ten effective ones along a variance of 2, above thirty along 0.5.",
    read=All(effective(term(2)) < 10, effective(term("0.5")) > 30),
    numbers={eps: "0.1", kept: "600"},
)

rescaled = claim(
    "appE.rescaled",
    at="appendix E, the step of pSGLD",
    title="pSGLD needs no new step when a target is rescaled",
    says="From a to 4 a, as from 0.5 to 2: what a step forgets, eps G/a, stays, with V at its"
    " stationary mean 1/a and lambda taken to zero.",
    read=Equal(eps * sqrt(a) / a, eps * sqrt(4 * a) / (4 * a)),
)

figure_6 = NotMathematical(
    "fig6",
    at="appendix E, Fig. 6 (called Fig. 1 there)",
    title="The first 600 samples",
    says="Samples of both methods for several targets and steps.",
    because="picture",
)

figure_7 = NotMathematical(
    "fig7",
    at="appendix F, Fig. 7",
    title="Learning curves at other sizes",
    says="Samplers are shown to take fewer iterations, and to be more stable, than optimizers.",
    because="picture",
)

table_4 = claim(
    "table4",
    at="appendix G, text on Table 4 (called Table 1 there)",
    title="pSGLD improves another convolutional network",
    says="Its error of 0.56 % is below the 0.81 % of SGD.",
    read=psgld < trained,
    numbers={psgld: "0.56", trained: "0.81"},
)

figure_8 = NotMathematical(
    "fig8",
    at="appendix G, Fig. 8 (called Fig. 3 there)",
    title="Learning curves of that network",
    says="Learning curves for the errors of Table 4.",
    because="picture",
)

figure_9 = NotMathematical(
    "fig9",
    at="appendix G, Fig. 9",
    title="Learning curves on Cifar-10",
    says="pSGLD is shown to converge faster and to a lower error than SGLD.",
    because="picture",
)
