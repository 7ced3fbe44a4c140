"""Appendices E to G: further experiments."""

from verification.statements import Term, at, letters, sqrt, term

eps, s, a, kept, psgld, trained = letters("eps s a n pSGLD SGD")


def effective(variance: Term) -> Term:
    """Effective samples of SGLD along a direction: its correlations are powers of 1 - eps/(2 a)."""
    forgotten = eps / (2 * variance)
    return kept * forgotten / (2 - forgotten)


stable = at("appE.stable", "appendix E, the step of SGLD").claim(
    "The step 0.1 is stable at both scales",
    "It is below four times the smallest variance, 0.16.",
    derived=eps < 4 * s,
    numbers={eps: "0.1", s: "0.16"},
)

not_explored = at("appE.sgld", "appendix E, the step of SGLD").degree(
    "The step 0.1 is appropriate at $a = 0.5$, and not at $a = 2$",
    "At $a = 2$ the space is said not to be fully explored by 600 samples.",
    {f"how many are effective along a variance of {v}": effective(term(v)) for v in ("0.5", "2")},
    {eps: "0.1", kept: "600"},
)

rescaled = at("appE.rescaled", "appendix E, the step of pSGLD").degree(
    "pSGLD needs no new step when a target is mildly rescaled",
    "From a variance of 0.5 to one of 2. The share of the distance to the mean that a step takes is"
    " $eps G/2$ over the variance, $G$ its root with $V$ at its stationary mean, or 1 of SGLD.",
    {
        "what a step of pSGLD takes at 0.5 over what it takes at 2": (sqrt(s) / s) / (sqrt(a) / a),
        "the same of SGLD": (1 / s) / (1 / a),
    },
    {s: "0.5", a: "2"},
)

figure_6 = at("fig6", "appendix E, Fig. 6 (called Fig. 1 there)").picture(
    "The first 600 samples", "Samples of both methods for several targets and steps."
)

figure_7 = at("fig7", "appendix F, Fig. 7").picture(
    "Learning curves at other sizes",
    "Samplers are shown to take fewer iterations, and to be more stable, than optimizers.",
)

table_4 = at("table4", "appendix G, text on Table 4 (called Table 1 there)").claim(
    "pSGLD improves another convolutional network",
    "Its error of 0.56 % is below the 0.81 % of SGD.",
    read=psgld < trained,
    numbers={psgld: "0.56", trained: "0.81"},
)

figure_8 = at("fig8", "appendix G, Fig. 8 (called Fig. 3 there)").picture(
    "Learning curves of that network", "Learning curves for the errors of Table 4."
)

figure_9 = at("fig9", "appendix G, Fig. 9").picture(
    "Learning curves on Cifar-10", "pSGLD is shown to converge faster and to a lower error than SGLD."
)
