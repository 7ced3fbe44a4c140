"""Section 7: settings of the experiments, what they are to satisfy, and where steps are large."""

import sympy as sp

from verification.claims.definition import NotMathematical
from verification.laws.quantities import SIGMA_CONTINUOUS, SIGMA_DISCRETE
from verification.notation import A, eps
from verification.papers.mandt2017.hypotheses import A4, CONVEX
from verification.statements import Compare, Order, claim, letters, sqrt, vanishing
from verification.terms.batchwords import Degree, Inner, columns, covariance, numbers, theta

reasonable = NotMathematical(
    "sec7.reasonable",
    at="section 7, first paragraph; end of section 1",
    title="The assumptions are reasonable in some settings",
    says="What is to be tested is announced, and that the experiments support it.",
    because="opinion",
)

preprocessing = NotMathematical(
    "sec7_1.preprocessing",
    at="section 7.1, settings",
    title="How the data were prepared",
    says="Regression on two data sets and classification on one, features scaled, a regulariser of one;"
    " whether a row or a column has unit length is not said.",
    because="picture",
)

discretisation = claim(
    "sec7_1.discretisation",
    at="section 7.1, on Figure 1",
    title="Discretisation matters more at larger rates",
    says="The covariance of SGD differs from the predicted one by the square of the rate, itself being"
    " proportional to it.",
    of="sgd",
    given=(A4, CONVEX),
    read=Order(A * (SIGMA_DISCRETE - SIGMA_CONTINUOUS), "Theta", eps**2, vanishing(eps)),
)

fitted = NotMathematical(
    "table1.fitted",
    at="Table 1, caption",
    title="How the divergences were estimated",
    says="Normal laws were fitted to the iterates; how many iterates is not said.",
    because="picture",
)

x, y = columns("x"), numbers("y")

strictly_satisfied = claim(
    "sec7_2.strictly_satisfied",
    at="section 7.2, Synthetic data",
    title="Data from the model satisfy the assumptions strictly",
    says="Least squares on data from the model is to satisfy them all: Assumption 2 says that the noise"
    " covariance has degree zero in theta.",
    read=Compare(Degree(covariance(x * (Inner(x, theta) - y))), "<=", sp.Integer(0)),
)

eps_0, t, n, s = letters("epsilon_0 t N S")

sgld_excess = claim(
    "sec7_2.sgld_near_the_posterior",
    at="section 7.2, rates of SGLD; Figure 5, top row, by the conventions of section 5.1",
    title="At the end of its run SGLD has the posterior's covariance",
    says=(
        "With curvature and noise of one a rate eps adds the share eps N^2/(4 S) to the variance; after"
        " 10^7 steps it is read as at most 10 %, the update being that of section 5.1."
    ),
    read=eps_0 / sqrt(1000 + t) * n**2 / (4 * s) <= "0.1",
    numbers={eps_0: "0.001", t: "10000000", n: "10000", s: "10"},
)

algorithms = NotMathematical(
    "sec7_2.three_algorithms",
    at="section 7.2, second experiment",
    title="Which algorithms are compared",
    says="Two are listed where three are announced, and one of them uses all data in every gradient.",
    because="picture",
)

softmax_data = NotMathematical(
    "sec7_3.data",
    at="section 7.3, real-world data",
    title="Two public data sets and their sizes",
    says="MNIST and the cover types are named with their sizes.",
    because="attribution",
)
