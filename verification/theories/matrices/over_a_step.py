"""What a linear process does in the time of a step, against a step of the algorithm whose limit it is.

The mean of the process moves by the exponential of its drift matrix, that of the algorithm by a matrix
of its own. What is left over is seen at one mode, and shrinks with the step, or does not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import sympy as sp

from sgtheory.dynamics.leading import leading
from sgtheory.language import STEP, step_in
from sgtheory.notation.matrixwords import A, H
from sgtheory.notation.printing import latex, plain
from sgtheory.notation.sentence import Formula, formula_of, listed, say
from sgtheory.onestep.affine import LAMBDA, mode_form
from verification.refuter.conditions import Condition
from verification.refuter.parameters import Is, written_under
from verification.terms.term import Term
from verification.theories.answers import Proved
from verification.verdicts.verdict import Evidence, Gap

if TYPE_CHECKING:
    from verification.theories.matrices.laws import Law

_OF_BOTH = (
    "relative gap of the drift on a quadratic loss (that of the noise at two modes is the sum of theirs)"
)


def gap(law: Law, left: Term, rate: Term, states: tuple[str, ...]) -> Gap | None:
    """What a step leaves over, relative to the drift; None where it stays, or is there at first.

    With X the drift of a step, exp(-X) is 1 - X + X^2/2, and noise gathers by Q - (X Q + Q X^T)/2.
    """
    found = _modes(law, left, rate, states)
    if found is None or found[0].shape != (1, 1):
        return None if found is None else _slow(law, *found)
    f, m = found[0][0, 0], found[1][0, 0]
    step = step_in(m)
    if sp.limit(f, step, 0) != 0:
        return None
    relative = sp.series(sp.exp(f), step, 0, 3).removeO() - m
    term = sp.factor(sp.expand(relative / f).as_leading_term(step))
    order = sp.expand(term).as_coeff_exponent(step)[1]
    if not order > 0:
        return None
    size = written_under(-term if term.could_extract_minus_sign() else term, law.given)
    size = size.subs(LAMBDA, H * A if law.gain else A)  # whose eigenvalues these are
    parameter = "H" if any(map(_sets_the_step, law.given)) else "eps"
    return Gap(parameter, str(order), formula_of(size), _OF_BOTH)


def _slow(law: Law, F: Any, M: Any) -> Gap | None:
    """What is left over at a fixed damping, where it vanishes with one that is taken to zero."""
    damped, order = _balanced(law, F, M) or ([], 0)
    if not damped or not {p.name for p in damped} <= {*law.small}:
        return None
    step = step_in(sp.Add(*M))
    words = "relative gap, where {} and what it damps are of the order of {},"
    shown = step**order
    size = Formula(rf"O({latex(shown)})", f"O({plain(shown)})")
    return Gap(step.name, str(order), size, say(words, listed(damped), sp.sqrt(step)))


def slowly(law: Law, left: Term, rate: Term, states: tuple[str, ...]) -> Iterator[Evidence]:
    """That what is wrong at a fixed damping is right where that is of the order of the step's root."""
    found = _modes(law, left, rate, states)
    balanced = None if found is None or _slow(law, *found) is not None else _balanced(law, *found)
    if found is not None and balanced is not None:
        root, them = sp.sqrt(step_in(sp.Add(*found[1]))), listed(balanced[0], by=" and ")
        words = "Where {} and what it damps are of the order of {}, it is right but for that order."
        yield Evidence("symbolic", say(words, them, root), {"scaling": plain(root)})


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


def _balanced(law: Law, F: Any, M: Any) -> tuple[list[Any], Any] | None:
    """Dampings of the order of the step's root with which the rest vanishes, and in which power."""
    assert law.runs is not None
    step = step_in(sp.Add(*M))
    damped = [p for p in F.free_symbols if p not in (step, LAMBDA) and not p.is_integer]
    if not damped:
        return None
    root, positions = sp.Symbol("_r", positive=True), law.runs.sampler.positions
    kept = {p: sp.Symbol(f"_{p}", positive=True) * root for p in damped}
    scale = sp.diag(*(1 if s in positions else root for s in law.runs.state))
    near, far = (
        (scale.inv() * X.subs({step: root**2, **kept}) * scale).applyfunc(sp.expand) for X in (F, M)
    )
    rest = (sp.eye(near.rows) + near + near * near / 2 - far).applyfunc(sp.expand)
    first, left_over = (min(found[0] for x in X if (found := leading(x, root))) for X in (near, rest))
    order = (left_over - first) / 2
    return (damped, order) if first > 0 and order > 0 else None


def _sets_the_step(condition: Condition) -> bool:
    """Whether the step size is one: then a gain stands for it."""
    return isinstance(condition, Is) and (condition.letter.name, condition.value) == (STEP.name, 1)
