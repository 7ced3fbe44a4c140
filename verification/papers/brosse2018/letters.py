"""Letters of statements on distances, and how the step and the minibatches change with N."""

from typing import Any

from sympy import Symbol

from verification.notation import N
from verification.statements import growing, letter, letters, number, term

ROOT_N = term(N) ** number("-1/2")
n, x = letter("n", "count"), letter("x", "real")  # a number of steps; a start that is not theta*
eta, gamma, p = letters("eta gamma p")


class AtMode(Symbol):
    """The Hessian of U at the mode, with its longer name on paper."""

    def _latex(self, printer: Any) -> str:
        return r"\nabla^2 U(\theta^{\star})"


D2U = AtMode("D2U", commutative=False)


def steps(alpha: str, beta: str) -> Any:
    """The step is eta N^(-beta), minibatches have N^alpha examples."""
    size = term(N)
    batches = () if alpha == "0" else ((p, size ** number(alpha)),)
    return growing(N, (gamma, eta / size ** number(beta)), *batches)


STEPS = growing(N, (gamma, eta / term(N)))
