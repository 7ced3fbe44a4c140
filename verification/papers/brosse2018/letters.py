"""Letters of statements on distances, and how the step and the minibatches change with N."""

from typing import Any

from sympy import Symbol

from verification.notation import N
from verification.statements import growing, letter, letters, number, term

ROOT_N = term(N) ** number("-1/2")
n, x = letter("n", "count"), letter("x", "real")  # a number of steps; a start that is not theta*
eta, gamma, p = letters("eta gamma p")


_ON_PAPER = {
    "D2U": r"\nabla^2 U(\theta^{\star})",
    "sum_g_g": r"\sum_{i=1}^N \left\{\nabla U_i(\theta^{\star}) - \tfrac{1}{N} \textstyle\sum_j"
    r" \nabla U_j(\theta^{\star})\right\}^{\otimes 2}",
    "sum_R_Q_R": r"\sum_{i=1}^N R_i Q R_i",
    "A_1_A_2_Q": r"(A_1 \otimes A_2)(Q)",
    "A_1_A_1_Q": r"A_1^{\otimes 2}(Q)",
}


class OnPaper(Symbol):
    """A letter with its longer name on paper."""

    def _latex(self, printer: Any) -> str:
        return _ON_PAPER[self.name]


def on_paper(name: str) -> OnPaper:
    """A matrix that the paper writes at length."""
    return OnPaper(name, commutative=False)


D2U = on_paper("D2U")


def steps(alpha: str, beta: str) -> Any:
    """The step is eta N^(-beta), minibatches have N^alpha examples."""
    size = term(N)
    batches = () if alpha == "0" else ((p, size ** number(alpha)),)
    return growing(N, (gamma, eta / size ** number(beta)), *batches)


STEPS = growing(N, (gamma, eta / term(N)))
