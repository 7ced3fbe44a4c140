"""Letters that the paper introduces on its way, and the divergences that it prints."""

from typing import Any

import sympy as sp

from sgtheory.notation.matrixwords import Determinant
from verification.notation import A, C, H, N, S, Sigma, eps, identity, mu
from verification.relations import Compare, Equal, Order, growing
from verification.statements import Section, index, letter, mean, number, sequences
from verification.terms.gaussians import Divergence, MeanForm, MeanLogDensity
from verification.terms.kinds import LOSS, PARAMETER, column, square
from verification.terms.kinds import number as number_of

q, f = sp.symbols("q f")  # the sampler's law and the posterior
POSTERIOR = A**-1 / N  # the posterior's covariance
Q, T, G = sp.symbols("Q T G", commutative=False)
SIGMA_0 = sp.Symbol("Sigma_0", commutative=False)

KL = Divergence(Sigma, q, POSTERIOR, f)
REVERSE_KL = Divergence(POSTERIOR, f, Sigma, q)
SAMPLES_POSTERIOR = Equal(N * A * Sigma, identity)

# One step of an algorithm, and what its letters are measured in.
THETA, THETA_NEXT, V, V_NEXT, GRADIENT = sp.symbols(
    "theta theta_next v v_next ghat_S", commutative=False
)
a_step = Section(
    kinds={
        **dict.fromkeys((THETA, THETA_NEXT, V, V_NEXT), column(PARAMETER)),
        GRADIENT: column(LOSS / PARAMETER),
        eps: number_of(PARAMETER**2 / LOSS),
        mu: number_of(),
        H: square(PARAMETER**2 / LOSS),
    }
)

# The paper's gain contains the step, eps of the declared sampler being 1: H is read as eps H, so that
# "as the step vanishes" keeps its meaning.
GAIN = ((H, eps * H),)
WITH_Q = ((Q, Sigma * H**-1), *GAIN)
# "For simplicity, we have set the minibatch size S to 1": B B^T stands for B B^T/S.
SINGLE = ((C, C / S),)

# A falling rate, and gradients with noise of variance one near an optimum of curvature one.
(rate,) = sequences("rho", "decreasing sequence")
(drawn,) = sequences("xi", "noises")
STEPS, step = letter("T", "count"), index("t")


def falling(x: Any) -> tuple[Any, ...]:
    """How a sequence goes down from 1, so far from its optimum, along such a rate."""
    after = x[step - 1] - rate[step] * (x[step - 1] + drawn[step])
    return Equal(x[step], after), Equal(x[0], 1), Compare(rate[1], "<=", number("1/2"))


def reaches(x: Any) -> Order:
    """It tends to the optimum in mean square."""
    return Order(mean(x[STEPS] ** 2), "o", 1, growing(STEPS))


def logdet(matrix: Any) -> Any:
    """log of the determinant."""
    return sp.log(Determinant(matrix))


def log_mean(of: Any, name: Any, under: Any, law: Any) -> Any:
    """The mean of a log density."""
    return MeanLogDensity(of, name, under, law)


def mean_form(matrix: Any, under: Any, law: Any) -> Any:
    """The mean of theta^T M theta."""
    return MeanForm(matrix, under, law)
