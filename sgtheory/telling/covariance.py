"""The stationary covariance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sympy as sp

from sgtheory.declare import State
from sgtheory.independent.recheck import check_stationary
from sgtheory.modepairs.matrixform import law_equation
from sgtheory.modepairs.spread import example_curvature
from sgtheory.notation.derivation import Equation, Formula, Result, Step
from sgtheory.notation.printing import latex, plain, tidy
from sgtheory.notation.sentence import say

if TYPE_CHECKING:
    from sgtheory.symbolic import SymbolicLaw


def _pair_equation(law: SymbolicLaw) -> Equation:
    if law.time == "discrete":
        return Equation(
            Formula("P_{ij}", "P_ij"),
            Formula(
                r"M(\lambda_i) P_{ij} M(\lambda_j)^{\top} + Q_{ij}",
                "M(lambda_i) P_ij M(lambda_j)^T + Q_ij",
            ),
        )
    return Equation(
        Formula("0", "0"),
        Formula(
            r"F(\lambda_i) P_{ij} + P_{ij} F(\lambda_j)^{\top} + Q_{ij}",
            "F(lambda_i) P_ij + P_ij F(lambda_j)^T + Q_ij",
        ),
    )


def block_name(a: str, b: str) -> Formula:
    """How a block of the covariance is called in formulas."""
    if a == b == "theta":
        return Formula(r"\Sigma_{ij}", "Sigma_ij")
    pair = f"{latex(State(a))} {latex(State(b))}"
    return Formula(rf"P^{{{pair}}}_{{ij}}", f"P^({a} {b})_ij")


def covariance(law: SymbolicLaw) -> tuple[list[Step], list[Result]]:
    """The covariance of all pairs of states, its equation in matrices, and a check."""
    blocks = law.covariance.blocks
    solved = tuple(Equation(block_name(a, b), formula) for (a, b), formula in blocks.items())
    matrices = law_equation(law.pairs)
    check = check_stationary(law.pairs)
    if not check.passed:
        raise ArithmeticError(check.words())
    spread = [minibatches(law)] if law.has_spread else []
    unknowns = len(law.form.states) ** 2
    steps = [
        *spread,
        Step(
            "A pair of modes",
            "Noise couples modes $i$ and $j$ only through one entry, so the stationary covariance"
            " obeys, block by block:",
            (_pair_equation(law),),
        ),
        Step(
            "Solve",
            f"A linear system of {unknowns} unknown{'s' * (unknowns > 1)}; no eigenvalue is taken.",
            solved,
        ),
        Step(
            "In matrices",
            "An eigenvalue $lambda_i$ stands for $A$ on the left, $lambda_j$ for $A$ on the right. In"
            " every dimension, whether or not $A$ and $C$ commute:",
            (Equation(_written(matrices.left), _written(matrices.right)),),
        ),
        Step("Check", say("Independently of the solution, {}.", check.words()), ()),
    ]
    results = [Result(f"{a},{b}", Equation(block_name(a, b), f)) for (a, b), f in blocks.items()]
    return steps, results


def minibatches(law: SymbolicLaw) -> Step:
    """What the noise of a real minibatch is, at a point that varies as the law says."""
    curvature, moved = example_curvature(law.setting.model), Formula(r"\mathcal{V}(X)", "V(X)")
    equations = (
        Equation(Formula("a_n", "a_n"), Formula(latex(curvature), plain(curvature))),
        Equation(
            moved,
            Formula(
                r"\frac{1}{N} \sum_n (a_n - \bar{a}) X (a_n - \bar{a})^{\top}",
                "(1/N) sum_n (a_n - mean a) X (a_n - mean a)^T",
            ),
        ),
        Equation(Formula("W", "W"), Formula(r"C + \mathcal{V}(\Sigma)", "C + V(Sigma)")),
    )
    words = (
        "Examples differ in their curvature, so a minibatch is noisier further from the mode. Its"
        " noise has mean zero given the point, and so, exactly, $W$ takes the place of $C$; the"
        " covariance is the solution of the linear equation that this makes of the last one. $f$ is"
        " $(N - S)/(N - 1)$ for minibatches drawn without replacement, and 1 with."
    )
    return Step("Real minibatches", words, equations)


def _written(expr: Any) -> Any:
    """A matrix expression; a bare number stands for that multiple of the identity."""
    constants = [t for t in sp.Add.make_args(expr) if t.is_commutative]
    if not constants or expr == 0:
        return Formula(latex(tidy_matrix(expr)), plain(tidy_matrix(expr)))
    identity = sp.Symbol("I", commutative=False)
    total = sp.Add(*(t * identity if t.is_commutative else t for t in sp.Add.make_args(expr)))
    return Formula(latex(tidy_matrix(total)), plain(tidy_matrix(total)))


def tidy_matrix(expr: Any) -> Any:
    """A sum of matrix words, those with the same scalar together."""
    by_scalar: dict[Any, Any] = {}
    for term in sp.Add.make_args(expr):
        scalars, words = term.args_cnc()
        scalar = tidy(sp.Mul(*scalars))
        by_scalar[scalar] = by_scalar.get(scalar, sp.Integer(0)) + sp.Mul(*words)
    return sp.Add(*(s * w for s, w in by_scalar.items()))
