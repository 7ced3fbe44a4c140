"""Recipes: a step or a gain that is to bring a sampler's law closest to the posterior, in divergence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import sympy as sp

from sgtheory.independent.fields import Rows, inverse, multiply
from sgtheory.notation.matrixwords import SIGMA
from sgtheory.setting import Setting
from verification.laws.rational import stationary_moments
from verification.notation import A, C, D, Diagonal, N
from verification.refuter.conditions import (
    AreProportional,
    Condition,
    IsDiagonal,
    OneDimensional,
    implies,
)
from verification.refuter.parameters import written_under
from verification.refuter.places import Place, Space
from verification.terms.from_sympy import from_sympy
from verification.terms.gaussians import Divergence, expanded
from verification.terms.term import Term
from verification.theories.answers import Answer, Chosen, Disproved, Proved, Silence, Silent
from verification.theories.matrices import best_diagonal, best_instead, losses
from verification.theories.matrices.best_values import (
    MULTIPLE,
    Balance,
    Best,
    balance,
    best_value,
    share_of_gain,
    told,
    told_proportional,
)
from verification.theories.matrices.freedom import (
    DIAGONAL_OVER,
    GAIN_OVER,
    MULTIPLE_OVER,
    STEP_OVER,
    Along,
    Freedom,
)
from verification.verdicts.verdict import Correction, Evidence, Gap

if TYPE_CHECKING:
    from verification.theories.matrices.laws import Law

_PROPORTIONAL = AreProportional(("A", "C"))
_AMONG = {"all": GAIN_OVER, "diagonal": DIAGONAL_OVER, "multiples of the identity": MULTIPLE_OVER}
_LAWS = (SIGMA, sp.Symbol("q")), (A**-1 / N, sp.Symbol("f"))


@dataclass(frozen=True)
class Recipe:
    """A value of the step, perhaps beside a gain, or of a gain; and what it is to make small."""

    setting: Setting
    time: str
    freedom: Freedom
    value: Any
    conditions: tuple[Condition, ...]
    space: Space
    up_to_factor: bool = False

    @property
    def over(self) -> str:
        """What is chosen."""
        return self.freedom.over

    @property
    def gain(self) -> Any:
        """What is printed beside a step."""
        return self.freedom.gain

    @property
    def reverse(self) -> bool:
        """Whether the divergence is that of the posterior from the law."""
        return self.freedom.reverse

    @property
    def of(self) -> str:
        """The sampler."""
        return str(self.setting.sampler.name)

    @property
    def text(self) -> str:
        """What a disagreement is about."""
        return f"{self.over} {self.value} of {self.of}"

    @property
    def letters(self) -> tuple[str, ...]:
        """The matrices on which a condition can lie."""
        return tuple("C" if n == "B" else n for n in self.space.matrices)

    @cached_property
    def best(self) -> Best:
        """The best value, in closed form where there is one."""
        return best_value(self.setting, self.time, self.freedom, self.conditions)

    @cached_property
    def balance(self) -> Balance:
        """The covariance as a function of a step, or of the h of a gain h I."""
        return balance(self.setting, self.time, self.freedom, self.conditions)

    def placed(self, problem: Place) -> Place | None:
        """The problem with the value in it."""
        return self.freedom.put(self.setting, problem, self.value)

    def slopes(self, problem: Place) -> dict[str, Fraction] | None:
        """The exact derivatives of the divergence along every free direction; None without a law."""
        slopes = {}
        for name, along in self.freedom.directions(problem.D).items():
            slope = _slope(self.setting, problem, self.time, along, self.reverse)
            if slope is None:
                return None
            slopes[name] = slope
        return slopes

    # -- what is known of it -------------------------------------------------------------------

    def answer(self) -> Answer:
        """By a closed form of the divergence, or by the one gain at which it is zero."""
        if self.up_to_factor:
            known, own = _parted(self.best.value), _parted(self.value.replace(Diagonal, lambda m: m))
            if known[1] != own[1]:
                return Silent(Silence.NO_FORMULA)
            return replace(self, value=known[0] / own[0] * self.value, up_to_factor=False).answer()
        alone = any(isinstance(p, OneDimensional) for c in self.conditions for p in c.parts)
        if self.over == DIAGONAL_OVER and not alone:
            return self._of_diagonal()
        evidence, best = told(self.best), self.best
        every = {"dimensions": "every"}
        if best.value is None:
            holds = None if alone else False
        elif alone:  # a value with D in it is another one there
            there = replace(best, value=sp.sympify(best.value).subs(D, 1))
            printed = sp.sympify(self.value).replace(Diagonal, lambda m: m).subs(D, 1)
            holds = there.is_solved_by(printed)
        else:
            holds = best.is_solved_by(self.value)
        if holds:
            return Proved(best.reason, evidence.derivation, every)
        if holds is None:
            return Silent(Silence.NO_FORMULA, derivation=evidence.derivation)
        elsewhere = f"The divergence is smallest elsewhere. {best.otherwise}"
        return Disproved(best.reason if best.value is None else elsewhere, evidence.derivation, every)

    def _of_diagonal(self) -> Answer:
        """Zero divergence where the noise is diagonal; a sum over entries where A is such a multiple."""
        if any(implies(c, _PROPORTIONAL, self.letters) for c in self.conditions):
            return self._of_proportional()
        if self.best.is_solved_by(self.value.replace(Diagonal, self._kept)):
            return Proved(self.best.reason, told(self.best).derivation, {"dimensions": "every"})
        found = best_diagonal.stationarity(self.setting, self.time, self.conditions)
        return Silent(Silence.NO_FORMULA, derivation=best_diagonal.told(found).derivation)

    def _kept(self, inner: Any) -> Any:
        """A matrix that is diagonal by hypothesis is its own diagonal."""
        own = {"EE^T": "E"}.get(inner.name, inner.name) if inner.is_Symbol else ""
        known = own in self.letters and any(
            implies(c, IsDiagonal((own,)), self.letters) for c in self.conditions
        )
        return inner if known else Diagonal(inner)

    def _of_proportional(self) -> Answer:
        """Where A is a multiple of B B^T the covariance is one of H, and the divergence a sum."""
        share = share_of_gain(self.setting, self.time)
        if share is None:
            return Silent(Silence.NO_FORMULA)
        value = written_under(sp.cancel(MULTIPLE / (N * share)), self.conditions) * Diagonal(C) ** -1
        derivation = told_proportional(share, value).derivation
        if sp.expand(self.value - value) != 0:
            return Disproved("The divergence is smallest elsewhere.", derivation)
        reason = "The covariance is a multiple of the gain, and the divergence a sum over its entries."
        return Proved(reason, derivation, {"dimensions": "every"})

    def instead(self) -> Term | None:
        """The best value where it has a closed form."""
        if self.over == DIAGONAL_OVER or self.best.value is None:
            return None
        return from_sympy(self.best.value)

    def equations(self) -> Correction | None:
        """What the best value solves, where it has none."""
        return best_instead.equations(self) if self.instead() is None else None

    def gap(self) -> Gap | None:
        """How far the printed value is from the best one, to leading order."""
        return best_instead.gap(self)

    def about(self) -> Iterator[Evidence]:
        """What is lost by it at worst, and whether any formula in roots is best."""
        if self.up_to_factor:
            return  # what is lost depends on the factor
        more = (losses.loss_of(self), best_instead.no_formula(self))
        yield from (e for e in more if e is not None)


def recipe_of(law: Law, chosen: Chosen) -> Recipe | None:
    """The recipe that a question is about; None where it is about another quantity."""
    if law.setting is None or chosen.largest:
        return None
    name, asked = chosen.letter.name, written_under(law.expanded(chosen.of), law.given)
    if name not in ("eps", "H"):
        return None
    for pair in (_LAWS, _LAWS[::-1]):
        divergence = expanded(Divergence(*pair[0], *pair[1]))
        if sp.expand(asked - written_under(divergence, law.given)) == 0:
            break
    else:
        return None
    over = _AMONG[chosen.among] if name == "H" else STEP_OVER
    gain = next((law.symbols(value) for a, value in law.sets if a.name == "H"), None)
    freedom = Freedom(over, gain if over == STEP_OVER else None, pair != _LAWS)
    value, own = law.symbols(chosen.value), freedom.space(law.setting)
    if {SIGMA, law.symbols(chosen.letter)} & value.free_symbols:
        return None
    kinds = {n: k for n, k in law.kinds if n in own.matrices}
    known = {*own.scalars, "D"}
    foreign = {s.name for s in value.free_symbols if s.is_commutative} - known
    space = replace(
        own,
        matrices={**own.matrices, **kinds},
        scalars={**own.scalars, **dict.fromkeys(sorted(foreign), "count")},
    )
    return Recipe(law.setting, law.time, freedom, value, law.given, space, chosen.up_to_factor)


def _slope(
    setting: Any, problem: Place, time: str, along: Along, reverse: bool = False
) -> Fraction | None:
    """d/dx of a divergence, exactly: (N Tr(A S') - Tr(S^-1 S'))/2 of KL(law || posterior)."""
    moments = stationary_moments(setting, problem, time, along)
    if moments is None:
        return None
    value = [[x.value for x in row] for row in moments["theta,theta"]]
    slope = [[x.slope for x in row] for row in moments["theta,theta"]]
    A, size = [list(row) for row in problem.A], problem.scalars["N"]
    try:
        relative = multiply(inverse(value), slope)
        if reverse:  # (Tr(S^-1 S') - Tr(A^-1 S^-1 S' S^-1)/N)/2
            inner = multiply(relative, inverse(multiply(value, A)))
            return (_trace(relative) - _trace(inner) / size) / 2
    except ZeroDivisionError:  # singular: the divergence is infinite
        return None
    return (size * _trace(multiply(A, slope)) - _trace(relative)) / 2


def _parted(gain: Any) -> tuple[Any, Any]:
    """The scalar and the word of a product."""
    scalars, words = sp.expand(gain).args_cnc()
    return sp.Mul(*scalars), sp.Mul(*words)


def _trace(rows: Rows) -> Fraction:
    return sum((rows[k][k] for k in range(len(rows))), Fraction(0))
