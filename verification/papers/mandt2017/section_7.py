"""Section 7: settings of the experiments, what they are to satisfy, and where steps are large."""

import sympy as sp

from verification.laws.quantities import SIGMA_CONTINUOUS, SIGMA_DISCRETE
from verification.notation import eps
from verification.papers.mandt2017.hypotheses import A4, CONVEX, FULL_RANK
from verification.statements import Compare, Equal, Order, at, letters, sqrt, vanishing
from verification.terms.batchwords import Degree, Inner, columns, covariance, numbers, theta

reasonable = at("sec7.reasonable", "section 7, first paragraph; end of section 1").opinion(
    "The assumptions are reasonable in some settings",
    "What is to be tested is announced, and that the experiments support it.",
)

preprocessing = at("sec7_1.preprocessing", "section 7.1, settings").setting(
    "How the data were prepared",
    "Regression on two data sets and classification on one, features scaled, a regulariser of one;"
    " whether a row or a column has unit length is not said.",
)

discretisation = at("sec7_1.discretisation", "section 7.1, on Figure 1").claim(
    "Discretisation matters more at larger rates",
    "The covariance of SGD differs from the predicted one by the square of the rate, itself being"
    " proportional to it.",
    of="sgd",
    given=(A4, CONVEX, FULL_RANK),
    read=Order(SIGMA_DISCRETE - SIGMA_CONTINUOUS, "Theta", eps**2, vanishing(eps)),
)

fitted = at("table1.fitted", "Table 1, caption").setting(
    "How the divergences were estimated",
    "Normal laws were fitted to the iterates; how many iterates is not said.",
)

x, y = columns("x"), numbers("y")

strictly_satisfied = at("sec7_2.strictly_satisfied", "section 7.2, Synthetic data").claim(
    "Data from the model satisfy the assumptions strictly",
    "Least squares on data from the model is to satisfy them all: Assumption 2 says that the noise"
    " covariance has degree zero in $theta$.",
    read=Compare(Degree(covariance(x * (Inner(x, theta) - y))), "<=", sp.Integer(0)),
)

eps_0, t, n, s = letters("epsilon_0 t N S")

sgld_excess = at(
    "sec7_2.sgld_near_the_posterior",
    "section 7.2, rates of SGLD; Figure 5, top row, by the conventions of section 5.1",
).degree(
    "The law of SGLD at the end of its run is near the posterior",
    "Of the last iterate; a run's own estimate has the mean of such shares. With curvature and noise of"
    " one a rate $eps$ adds the share $eps N^2/(4 S)$ to the variance, by the update of section 5.1.",
    {"the share that is added after $10^7$ steps": eps_0 / sqrt(1000 + t) * n**2 / (4 * s)},
    {eps_0: "0.001", t: "10000000", n: "10000", s: "10"},
)

announced, listed = letters("announced listed")
algorithms = at("sec7_2.three_algorithms", "section 7.2, second experiment").claim(
    "As many algorithms are listed as are announced",
    "Three modern scalable algorithms are announced, and two are listed, SGLD and NUTS.",
    read=Equal(listed, announced),
    numbers={announced: "3", listed: "2"},
)

softmax_data = at("sec7_3.data", "section 7.3, real-world data").setting(
    "Two public data sets and their sizes", "MNIST and the cover types are named with their sizes."
)
