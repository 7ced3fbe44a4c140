"""Linear steps that are never alike: each of them, and how laws follow each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sympy as sp

from sgtheory.declare import Gradient
from sgtheory.modepairs.pairs import LI, LJ, coupling_symbol
from sgtheory.notation.derivation import Derivation, Equation, Formula, Result, Step
from sgtheory.notation.printing import latex, plain
from sgtheory.onestep.affine import LAMBDA, mode_form

if TYPE_CHECKING:
    from sgtheory.symbolic import SymbolicLaw


def unsettled(law: SymbolicLaw) -> Derivation:
    """The matrices of step t at a mode, its noise at a pair of modes, and the recursion."""
    setting, form = law.setting, mode_form(law.setting)
    sampler, model = setting.sampler, setting.model
    M = Equation(Formula(r"M_t(\lambda)", "M_t(lambda)"), sp.ImmutableMatrix(form.M.subs(form.short)))
    noises = []
    for coupling in form.couplings:
        symbol = coupling_symbol(coupling)
        name = symbol.name.removesuffix("_ij")
        label = Formula(
            rf"Q^{{({latex(sp.Symbol(name))})}}_{{t,ij}}", f"Q^({plain(sp.Symbol(name))})_t,ij"
        )
        noises.append(
            Equation(
                label, symbol * form.noise_block(coupling, LI, LJ).subs(form.short).applyfunc(sp.factor)
            )
        )
    mean = Equation(
        Formula(r"m_{t+1,i}", "m_(t+1),i"), Formula(r"M_t(\lambda_i) m_{t,i}", "M_t(lambda_i) m_t,i")
    )
    covariance = Equation(
        Formula("P_{t+1,ij}", "P_(t+1),ij"),
        Formula(
            r"M_t(\lambda_i) P_{t,ij} M_t(\lambda_j)^{\top} + Q_{t,ij}",
            "M_t(lambda_i) P_t,ij M_t(lambda_j)^T + Q_t,ij",
        ),
    )
    states = ", ".join(s.name for s in form.states)
    steps = (
        Step(
            "The update",
            "One step writes, in this order:",
            tuple(Equation(target, e, "->") for target, e in sampler.updates),
        ),
        Step("The gradient", f"{model.title}.", (Equation(Gradient(model.x, 0), model.gradient),)),
        Step(
            "No stationary law",
            "Its updates see the clock $t$ and never repeat, so no law stays as it is; the law after"
            " every number of steps is exact all the same.",
        ),
        Step(
            "One mode",
            f"On an eigenvector of $A$ with eigenvalue ${plain(LAMBDA)}$ step $t$ is a matrix on"
            f" $({states})$, and noise couples modes $i$ and $j$ only through one entry.",
            (M, *noises),
        ),
        Step("From step to step", "From the start's mean and no covariance:", (mean, covariance)),
        Step(
            "In numbers",
            f"`sgtheory law {sampler.name} --problem problem.json --at 100` carries it out.",
        ),
    )
    results = (
        Result("step", M),
        *(Result(f"noise {k}", e) for k, e in enumerate(noises)),
        Result("mean", mean),
        Result("covariance", covariance),
    )
    return Derivation(f"{sampler.title}: its law after every step", steps, results)
