"""How every derivation begins: the update, the gradient, the congruence, one mode."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import sympy as sp

from sgtheory.declare import Gradient
from sgtheory.modepairs.pairs import LI, LJ
from sgtheory.notation.derivation import Equation, Formula, Step
from sgtheory.notation.printing import latex, plain, tidy
from sgtheory.onestep.affine import LAMBDA

if TYPE_CHECKING:
    from sgtheory.symbolic import SymbolicLaw


def beginning(law: SymbolicLaw) -> list[Step]:
    """The update, the gradient, the congruence that removes a gain, one mode."""
    sampler, model = law.setting.sampler, law.setting.model
    updates = tuple(Equation(t, e, "->") for t, e in sampler.updates)
    where = tuple(Equation(short, meaning) for short, meaning in sampler.where)
    gradient = Equation(Gradient(model.x, 0), model.gradient)
    steps = [
        Step("The update", "One step writes, in this order:", updates),
        *([Step("Where", "Abbreviations stand for:", where)] if where else []),
        Step("The gradient", f"{model.title}.", (gradient,)),
    ]
    if law.setting.unrolled is not None:
        steps.append(_one_period(law))
    if law.form.gain is not None:
        steps.append(_congruence(law))
    return [*steps, _one_mode(law)]


def _one_period(law: SymbolicLaw) -> Step:
    """How many steps are taken as one, and where in a period the law is seen."""
    many, setting = law.setting.unrolled, replace(law.setting, unrolled=None)
    repeats = plain(sp.sympify(setting.period))
    which = "" if repeats == str(many) else f" ${repeats} = {many}$ (another: --period) and for"
    words = (
        f"The updates see the clock $t$ and repeat after ${repeats}$ steps. Everything below is for"
        f"{which} the ends of periods: {many} steps are taken as one."
    )
    if setting.reshuffled:
        words += (
            " The minibatches of an epoch share no example: each gradient noise is drawn given the sum"
            " of those before it, which is the state epoch, and the sum over the epoch is zero."
        )
    return Step("One period", words)


def _congruence(law: SymbolicLaw) -> Step:
    gain = plain(law.form.gain)
    turned = [
        Equation(
            Formula(rf"\tilde{{{m}}}", f"{m}~"),
            Formula(rf"{gain}^{{1/2}} {m} {gain}^{{1/2}}", f"{gain}^(1/2) {m} {gain}^(1/2)"),
        )
        for m in "AC"
    ]
    words = (
        f"Every state is written as ${gain}^(1/2)$ times a new one; the gain then disappears and $A$,"
        f" $C$ become the matrices below (${gain} = I$ changes nothing). From here on modes are those of"
        " the new $A$, and the tilde is left out."
    )
    return Step("Congruence", words, tuple(turned))


def _one_mode(law: SymbolicLaw) -> Step:
    form = law.form
    name = "M" if law.time == "discrete" else "F"
    equations = [Equation(_named(name, LAMBDA), sp.ImmutableMatrix(form.M))]
    for symbol, coupling in zip(law.pairs.symbols, form.couplings, strict=True):
        block = form.noise_block(coupling, LI, LJ).applyfunc(tidy)
        source = sp.Symbol(symbol.name.removesuffix("_ij"))
        label = Formula(rf"Q^{{({latex(source)})}}_{{ij}}", f"Q^({plain(source)})_ij")
        equations.append(Equation(label, symbol * block))
    states = ", ".join(s.name for s in form.states)
    if law.time == "discrete":
        many = law.setting.unrolled
        made = "one step is" if many is None else f"these {many} steps are"
        words = f"On an eigenvector of $A$ with eigenvalue $lambda$ {made} a matrix on $({states})$."
    else:
        words = (
            "Per step, read as one unit of time, the increments at the old values are a drift"
            f" matrix on $({states})$ and noise of the covariance below."
        )
    return Step("One mode", words, tuple(equations))


def _named(name: str, argument: Any) -> Formula:
    return Formula(f"{name}({latex(argument)})", f"{name}({plain(argument)})")
