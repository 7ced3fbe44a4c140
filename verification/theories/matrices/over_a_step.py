"""What a linear process does in the time of a step, against a step of the algorithm whose limit it is.

The mean of the process moves by the exponential of its drift matrix, that of the algorithm by a matrix
of its own. What is left over is seen at one mode, and shrinks with the step, or does not.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import sympy as sp

from sgtheory.language import STEP, step_in
from sgtheory.notation.derivation import Formula
from sgtheory.notation.printing import latex, plain
from sgtheory.notation.sentence import formula_of, say
from sgtheory.onestep.affine import LAMBDA, mode_form
from verification.refuter.conditions import Condition
from verification.refuter.parameters import Is, written_under
from verification.terms.term import Term
from verification.theories.answers import Proved
from verification.verdicts.verdict import Correction, Gap

if TYPE_CHECKING:
    from verification.theories.matrices.laws import Law


def gap(law: Law, left: Term, rate: Term, states: tuple[str, ...]) -> Gap | None:
    """What a step leaves over, relative to the drift; None where it stays, or is there at first."""
    found = _modes(law, left, rate, states)
    if found is None:
        return None
    F, M = found
    step = step_in(sp.Add(*M))
    if any(sp.limit(x, step, 0) != 0 for x in F):
        return _balanced(law, F, M, step)
    if F.shape != (1, 1):
        return None
    f, m = F[0, 0], M[0, 0]
    relative = sp.series(sp.exp(f), step, 0, 3).removeO() - m
    term = sp.factor(sp.expand(relative / f).as_leading_term(step))
    order = sp.expand(term).as_coeff_exponent(step)[1]
    if not order > 0:
        return None
    size = written_under(-term if term.could_extract_minus_sign() else term, law.given)
    parameter = "H" if any(map(_sets_the_step, law.given)) else "eps"
    return Gap(parameter, str(order), formula_of(size))


def sampled(law: Law, left: Term, rate: Term, states: tuple[str, ...]) -> Correction | None:
    """The process that a step is a sample of, for one state: log M is its drift."""
    found = _modes(law, left, rate, states)
    if found is None or found[1].shape != (1, 1):
        return None
    i, j = sp.symbols("lambda_i lambda_j", positive=True)
    m = written_under(found[1][0, 0], law.given)
    logs, factors = [sp.log(m.subs(LAMBDA, x)) for x in (i, j)], [m.subs(LAMBDA, x) for x in (i, j)]
    share = sum(logs) / (sp.Mul(*factors) - 1)
    # over a step the covariance is the noise times (exp(f_i + f_j) - 1)/(f_i + f_j)
    grown = share * (sp.exp(sp.expand_log(sum(logs))) - 1) / sum(logs)
    if sp.simplify(grown - 1) != 0:
        return None
    words = say(
        "at a pair of modes, with $Q$ the covariance of a step's noise and $K$ that of the process,"
        " while {} is positive",
        m,
    )
    drift = rf"d\,\mathbb{{E}}\theta_i/dt = {latex(logs[0])} \, \theta_i"
    lines = (
        Formula(drift, f"dE theta_i/dt = {plain(logs[0])} theta_i"),
        Formula(rf"K_{{ij}} = Q_{{ij}} {latex(share)}", f"K_ij = Q_ij*{plain(share)}"),
    )
    return Correction(lines, "proved", words)


def _modes(law: Law, left: Term, rate: Term, states: tuple[str, ...]) -> tuple[Any, Any] | None:
    """The drift and a step at one mode, where an equation is right to first order; else None.

    Rows that leave a state out stand by themselves only where a step does.
    """
    assert law.runs is not None
    form, every = mode_form(law.runs, "discrete"), [s.name for s in law.runs.state]
    if {*states} == {*every} and _is_right(law, "continuous", left, rate):
        F, M = mode_form(law.runs, "continuous").M, form.M
    elif _is_right(law, "discrete", left, rate):
        kept = [k for k, s in enumerate(every) if s in states]
        M = form.M.extract(kept, kept)
        F = M - sp.eye(len(kept))
    else:
        return None
    given = tuple(c for c in law.given if not _sets_the_step(c))  # the step stays a letter
    F, M = (X.applyfunc(lambda x: sp.expand(written_under(x, given))) for X in (F, M))
    return F, M


def _is_right(law: Law, time: str, left: Term, rate: Term) -> bool:
    return isinstance(replace(law, time=time).vanishes(left, rate), Proved)


def _balanced(law: Law, F: Any, M: Any, step: Any) -> Gap | None:
    """With velocities and dampings of the order of the root of the step, the rest may be small."""
    assert law.runs is not None
    root = sp.Symbol("_r", positive=True)
    damped = [p for p in F.free_symbols if p not in (step, LAMBDA) and not p.is_integer]
    kept = {p: sp.Symbol(f"_{p}", positive=True) * root for p in damped}
    positions = law.runs.sampler.positions
    scale = sp.diag(*(1 if s in positions else root for s in law.runs.state))
    near, far = (
        (scale.inv() * X.subs({step: root**2, **kept}) * scale).applyfunc(sp.expand) for X in (F, M)
    )
    if any(sp.limit(x / root, root, 0).is_infinite for x in near):
        return None
    rest = (sp.eye(len(near.row(0))) + near + near * near / 2 - far).applyfunc(sp.expand)
    if any(sp.limit(x / root, root, 0) != 0 for x in rest):
        return None
    return Gap("eps", "1/2", Formula(rf"O({latex(sp.sqrt(step))})", f"O({plain(sp.sqrt(step))})"))


def _sets_the_step(condition: Condition) -> bool:
    """Whether the step size is one: then a gain stands for it."""
    return isinstance(condition, Is) and (condition.letter.name, condition.value) == (STEP.name, 1)
