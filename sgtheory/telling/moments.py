"""How the chain moves: the mean, the autocovariance, the covariance after n steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sympy as sp

from sgtheory.errors import Absent
from sgtheory.modepairs.pairs import LI, LJ
from sgtheory.notation.derivation import Equation, Formula, Result, Step
from sgtheory.notation.printing import latex, plain
from sgtheory.onestep.affine import LAMBDA

if TYPE_CHECKING:
    from sgtheory.symbolic import SymbolicLaw


def mean(law: SymbolicLaw) -> tuple[list[Step], list[Result]]:
    """The mean after n steps."""
    if law.time == "discrete":
        right = Formula(r"M(\lambda_i)^n m_i(0)", "M(lambda_i)^n m_i(0)")
    else:
        right = Formula(r"e^{F(\lambda_i) n} m_i(0)", "exp(F(lambda_i) n) m_i(0)")
    equation = Equation(Formula("m_i(n)", "m_i(n)"), right)
    words = "Noise has mean zero, so the mean of mode $i$ moves alone, and to zero where it is stable."
    return [Step("Mean", words, (equation,))], [Result("mean", equation)]


def autocovariance(law: SymbolicLaw) -> tuple[list[Step], list[Result]]:
    """The covariance of the state with what it was k steps ago."""
    form = law.form
    if law.time == "discrete":
        power = Formula(r"M(\lambda_i)^k P_{ij}", "M(lambda_i)^k P_ij")
        words = "The state $k$ steps later is $M^k$ times this one, plus noise that it does not know."
    else:
        power = Formula(r"e^{F(\lambda_i) k} P_{ij}", "exp(F(lambda_i) k) P_ij")
        words = (
            "A time $k$ later the state is $exp(F k)$ times this one, plus noise that it does not know."
        )
    left = Formula(
        r"R_{ij}(k) = \operatorname{Cov}(x_i(n + k), x_j(n))", "R_ij(k) = Cov(x_i(n + k), x_j(n))"
    )
    equations = [Equation(left, power)]
    short = Formula("R_{ij}(k)", "R_ij(k)")
    k = sp.Symbol("k", integer=True, nonnegative=True)
    if len(form.states) == 1:
        rate = form.M[0, 0].subs(LAMBDA, LI)
        factor = rate**k if law.time == "discrete" else sp.exp(sp.expand(rate * k))
        equations.append(Equation(short, sp.Mul(factor, law.covariance.pair, evaluate=False)))
    elif len(form.states) == 2 and law.time == "discrete":
        moved = form.M.subs(LAMBDA, LI)
        trace, det = latex(sp.factor(moved.trace())), latex(sp.factor(moved.det()))
        trace_text, det_text = plain(sp.factor(moved.trace())), plain(sp.factor(moved.det()))
        equations.append(
            Equation(
                short,
                Formula(
                    rf"\left({trace}\right) R_{{ij}}(k-1) - \left({det}\right) R_{{ij}}(k-2)",
                    f"({trace_text}) R_ij(k-1) - ({det_text}) R_ij(k-2)",
                ),
            )
        )
    return [Step("Autocovariance", words, tuple(equations))], [Result("autocovariance", equations[-1])]


def transient(law: SymbolicLaw) -> tuple[list[Step], list[Result]]:
    """The covariance after n steps."""
    if law.time == "discrete":
        push, pull = r"M(\lambda_i)^n", r"{M(\lambda_j)^n}^{\top}"
        text = "P_ij + M(lambda_i)^n (P_ij(0) - P_ij) (M(lambda_j)^n)^T"
    else:
        push, pull = r"e^{F(\lambda_i) n}", r"{e^{F(\lambda_j) n}}^{\top}"
        text = "P_ij + exp(F(lambda_i) n) (P_ij(0) - P_ij) exp(F(lambda_j) n)^T"
    general = Equation(
        Formula("P_{ij}(n)", "P_ij(n)"),
        Formula(rf"P_{{ij}} + {push} \left(P_{{ij}}(0) - P_{{ij}}\right) {pull}", text),
    )
    equations = [general]
    form = law.form
    n = sp.Symbol("n", integer=True, nonnegative=True)
    if len(form.states) == 1 and law.time == "discrete":
        decay = (form.M[0, 0].subs(LAMBDA, LI) * form.M[0, 0].subs(LAMBDA, LJ)) ** n
        equations.append(
            Equation(
                Formula(r"\Sigma_{ij}(n)", "Sigma_ij(n)"),
                sp.Mul(1 - decay, law.covariance.pair, evaluate=False),
            )
        )
    words = "The distance from the stationary covariance shrinks by one step at a time" + (
        "; from a point, $P_ij(0) = 0$:" if len(equations) > 1 else ":"
    )
    return [Step("After $n$ steps", words, tuple(equations))], [Result("transient", equations[-1])]


def fourth(law: SymbolicLaw) -> tuple[list[Step], list[Result]]:
    """Fourth moments: an affine chain with Gaussian noise has a Gaussian law."""
    if law.has_spread:
        reason = "its minibatches are not Gaussian; sgtheory law --fourth has numbers"
        raise Absent("fourth", law.setting.sampler.name, reason)
    left = Formula(
        r"\mathbb{E}[\theta_i \theta_j \theta_k \theta_l]", "E[theta_i theta_j theta_k theta_l]"
    )
    right = Formula(
        r"\Sigma_{ij} \Sigma_{kl} + \Sigma_{ik} \Sigma_{jl} + \Sigma_{il} \Sigma_{jk}",
        "Sigma_ij Sigma_kl + Sigma_ik Sigma_jl + Sigma_il Sigma_jk",
    )
    equation = Equation(left, right)
    words = "Noise is normal and every step is affine, so the law is normal, and its moments pair off:"
    return [Step("Fourth moments", words, (equation,))], [Result("fourth", equation)]
