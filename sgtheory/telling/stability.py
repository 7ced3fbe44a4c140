"""Where the law exists, and what it is for a small step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sympy as sp

from sgtheory.independent.recheck import check_series, check_stability
from sgtheory.modepairs.series import series as expand
from sgtheory.notation.derivation import Equation, Formula, Result, Step
from sgtheory.notation.printing import latex, plain
from sgtheory.notation.sentence import say

if TYPE_CHECKING:
    from sgtheory.symbolic import SymbolicLaw


def stability(law: SymbolicLaw) -> tuple[list[Step], list[Result]]:
    """The conditions for stability, and the largest step where they bound it."""
    region, form = law.stability, law.form
    check = check_stability(region.conditions, law.setting, form.gain, law.time)
    if not check.passed:
        raise ArithmeticError(check.words())
    zero = sp.Integer(0)
    conditions = tuple(Equation(c, zero, ">") for c in region.conditions)
    words = (
        "The eigenvalues of $M$ lie inside the unit circle exactly where, for every eigenvalue"
        " $lambda$ of $A${}:"
        if law.time == "discrete"
        else "The eigenvalues of $F$ have negative real part exactly where, for every eigenvalue"
        " $lambda$ of $A${}:"
    )
    if not conditions:
        words += " no further condition; it is stable for all positive parameters."
    words = say(words, region.range)
    steps = [
        Step("Stability", words, conditions),
        Step("Check", say("By another route, {}.", check.words())),
    ]
    results = [Result(f"stability{k}", c) for k, c in enumerate(conditions)]
    if region.limit is not None:
        limit = Equation(law.setting.sampler.step, region.limit, "<")
        results.append(Result("limit", limit))
    return steps, results


def series(law: SymbolicLaw, order: int) -> tuple[list[Step], list[Result]]:
    """The covariance for a small step, and the first term that is left out."""
    step = law.setting.sampler.step
    exact_formula = law.covariance.written_out(step.name, order)
    if not exact_formula.has(step):
        exact = Equation(Formula(r"\Sigma_{ij}", "Sigma_ij"), law.covariance.pair)
        words = "The covariance does not depend on the step: it is its own series."
        return [Step("Small step", words, (exact,))], [Result("series", exact)]
    longer = expand(exact_formula, step.name, order + 1)
    expanded = expand(exact_formula, step.name, order)
    check = check_series(exact_formula, longer, step, order + 1)
    if not check.passed:
        raise ArithmeticError(check.words())
    power = order + 2 if longer != expanded else order + 1
    remainder = Formula(
        rf"{latex(longer)} + O\left({latex(step)}^{{{power}}}\right)",
        f"{plain(longer)} + O({step}^{power})",
    )
    left = Formula(r"\Sigma_{ij}", "Sigma_ij")
    short = Formula(
        rf"{latex(expanded)} + O\left({latex(step)}^{{{order + 1}}}\right)",
        f"{plain(expanded)} + O({step}^{order + 1})",
    )
    equation = Equation(left, short)
    neglected = Equation(Formula(r"\Delta \Sigma_{ij}", "neglected_ij"), longer - expanded)
    words = "The first term that this leaves out:"
    if longer == expanded:
        words = f"There is no term of order {order + 1}: what it leaves out is smaller still."
        neglected = Equation(left, remainder)
    steps = [
        Step("Small step", f"Expanded in the step to order {order}:", (equation,)),
        Step("What is neglected", words, (neglected,)),
        Step("Check", say("In power series arithmetic, {}.", check.words())),
    ]
    return steps, [Result("series", equation), Result("neglected", neglected)]
