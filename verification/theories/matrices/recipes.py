"""Where a quantity of matrices, or of a law, is smallest: in a number, or in a gain.

A *recipe* is a step or a gain that is to bring a sampler's law closest to the posterior, in divergence.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import sympy as sp

from sgtheory.notation.matrixwords import SIGMA
from sgtheory.setting import Setting
from verification.laws.gains import posterior_equation
from verification.laws.pair_form import by_word
from verification.laws.rational import law_numbers, slope_of_sigma, value_at
from verification.notation import A, C, D, Diagonal, N, trace
from verification.refuter.conditions import AreProportional, Condition, IsDiagonal, OneDimensional
from verification.refuter.lattice import implies
from verification.refuter.parameters import written_under
from verification.refuter.places import Place, Space
from verification.terms.from_sympy import from_sympy
from verification.terms.gaussians import Divergence, expanded
from verification.terms.term import Letter, Term
from verification.theories import minima
from verification.theories.answers import Answer, Chosen, Disproved, Proved, Silence, Silent
from verification.theories.matrices import best_equations, best_of_modes, losses, spectral
from verification.theories.matrices.balance import convex_in_gain, scaled_by
from verification.theories.matrices.best import (
    Balance,
    Best,
    balance,
    best_value,
    share_of_gain,
    told_proportional,
)
from verification.theories.matrices.best_diagonal import stationarity
from verification.theories.matrices.freedom import (
    DIAGONAL_OVER,
    GAIN_OVER,
    MULTIPLE_OVER,
    STEP_OVER,
    Freedom,
    space_of_recipe,
)
from verification.theories.matrices.noise import NoiseIsMultiple
from verification.theories.matrices.relaxation import RELAXATION
from verification.theories.matrices.relaxation import is_best as relaxes_fastest
from verification.theories.signs import Bound, under
from verification.verdicts.verdict import Correction, Evidence, Gap

if TYPE_CHECKING:
    from verification.theories.matrices.laws import Law

_PROPORTIONAL = AreProportional(("A", "C"))
_AMONG = {"all": GAIN_OVER, "diagonal": DIAGONAL_OVER, "multiples of the identity": MULTIPLE_OVER}
_LAWS = (SIGMA, sp.Symbol("q")), (A**-1 / N, sp.Symbol("f"))
_DX = sp.Symbol("dSigma", commutative=False)
_SLOPE = (N * trace(A * _DX) - trace(SIGMA**-1 * _DX)) / 2  # of KL(law || posterior)
_REVERSE_SLOPE = (trace(SIGMA**-1 * _DX) - trace(SIGMA**-1 * _DX * SIGMA**-1 * A**-1) / N) / 2


@dataclass(frozen=True, kw_only=True)
class Recipe(Freedom):
    """A value of the step, perhaps beside a gain, or of a gain; and what it is to make small."""

    setting: Setting
    time: str
    value: Any
    conditions: tuple[Condition, ...]
    space: Space
    up_to_factor: bool = False

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
        return best_value(self.setting, self.time, self, self.conditions)

    @cached_property
    def balance(self) -> Balance:
        """The covariance as a function of a step, or of the h of a gain h I."""
        return balance(self.setting, self.time, self, self.conditions)

    def placed(self, problem: Place) -> Place | None:
        """The problem with the value in it."""
        return self.put(self.setting, problem, self.value)

    def law(self, problem: Place) -> Any:
        """The covariance there; None where there is no law."""
        found = law_numbers(self.setting, problem, self.time)
        return None if found is None else found.sigma

    def slopes(self, problem: Place) -> dict[str, Fraction] | None:
        """The exact derivatives of the divergence along every free direction; None without a law."""
        law = law_numbers(self.setting, problem, self.time)
        if law is None:
            return None
        slopes, formula = {}, _REVERSE_SLOPE if self.reverse else _SLOPE
        for name, along in self.directions(problem.D).items():
            line, h = self.line(problem, along)
            slope = slope_of_sigma(law, self.setting, line, h)
            try:
                slopes[name] = value_at(formula, problem, Sigma=law.sigma, dSigma=slope)
            except ArithmeticError:  # singular: the divergence is infinite
                return None
        return slopes

    # -- what is known of it -------------------------------------------------------------------

    def answer(self) -> Answer:
        """By a closed form of the divergence, or by the one gain at which it is zero."""
        printed = self.value.replace(Diagonal, lambda m: m)
        if self.up_to_factor:
            words, own = by_word(self.best.value), by_word(printed)
            if len(words) != 1 or words.keys() != own.keys():
                return Silent(Silence.NO_FORMULA)
            (factor,) = (words[word] / own[word] for word in words)
            return replace(self, value=factor * self.value, up_to_factor=False).answer()
        alone = any(isinstance(p, OneDimensional) for c in self.conditions for p in c.parts)
        if self.over == DIAGONAL_OVER and not alone:
            return self._of_diagonal()
        best, told, every = self.best, self.best.told(), {"dimensions": "every"}
        if best.value is None:
            holds = None if alone else False
        elif alone:  # a value with D in it is another one there
            there = replace(best, value=sp.sympify(best.value).subs(D, 1))
            holds = there.is_solved_by(printed.subs(D, 1))
        else:
            holds = best.is_solved_by(self.value)
        if holds:
            return Proved(best.reason, told, every)
        if holds is None:
            return Silent(Silence.NO_FORMULA, derivation=told)
        elsewhere = f"The divergence is smallest elsewhere. {best.otherwise}"
        return Disproved(best.reason if best.value is None else elsewhere, told, every)

    def _of_diagonal(self) -> Answer:
        """Zero divergence where the noise is diagonal; a sum over entries where A is such a multiple."""
        alone = any(implies(c, _PROPORTIONAL, self.letters) for c in self.conditions)
        if alone or any(isinstance(c, NoiseIsMultiple) for c in self.conditions):
            return self._of_whole_noise(alone)
        if self.best.is_solved_by(self.value.replace(Diagonal, self._kept)):
            return Proved(self.best.reason, self.best.told(), {"dimensions": "every"})
        found = stationarity(self.setting, self.time, self.conditions)
        return Silent(Silence.NO_FORMULA, derivation=found.told())

    def _kept(self, inner: Any) -> Any:
        """A matrix that is diagonal by hypothesis is its own diagonal."""
        own = {"EE^T": "E"}.get(inner.name, inner.name) if inner.is_Symbol else ""
        known = own in self.letters and any(
            implies(c, IsDiagonal((own,)), self.letters) for c in self.conditions
        )
        return inner if known else Diagonal(inner)

    def _of_whole_noise(self, of_data: bool) -> Answer:
        """Where all noises together are k A (or the data's, if they are alone): a sum over entries."""
        found = share_of_gain(self.setting, self.time)
        if found is None:
            return Silent(Silence.NO_FORMULA)
        noise, share, size = (written_under(x, self.conditions) for x in (*found, N))
        words = by_word(sp.expand(noise))
        if of_data and set(words) != {C}:
            return Silent(Silence.NO_FORMULA)
        value = 1 / (size * share) * sp.Add(*(c * Diagonal(word) for word, c in words.items())) ** -1
        derivation = told_proportional(share, value, noise)
        if sp.expand(self.value - value) != 0:
            return Disproved("The divergence is smallest elsewhere.", derivation)
        reason = "The covariance is a multiple of the gain, and the divergence a sum over its entries."
        return Proved(reason, derivation, {"dimensions": "every"})

    def instead(self) -> Term | None:
        """The best value where it has a closed form."""
        if self.over == DIAGONAL_OVER or self.best.value is None:
            return None
        return from_sympy(self.best.value)


def _divergence(law: Law, of: Term) -> Any:
    """Of which law from which other one a quantity is the divergence; None where it is none."""
    asked = written_under(law.expanded(of), law.given)
    for pair in (_LAWS, _LAWS[::-1]):
        divergence = expanded(Divergence(*pair[0], *pair[1]))
        if sp.expand(asked - written_under(divergence, law.given)) == 0:
            return pair
    return None


def least_at(law: Law, of: Term, letter: Letter) -> Term | None:
    """The gain at which a divergence is zero, which is the least that it can be."""
    if law.setting is None or letter.name != "H" or _divergence(law, of) is None:
        return None
    return from_sympy(posterior_equation(law.setting, law.time, law.given).solution)


def recipe_of(law: Law, chosen: Chosen) -> Recipe | None:
    """The recipe that a question is about; None where it is about another quantity."""
    if law.setting is None or chosen.largest:
        return None
    name, pair = chosen.letter.name, _divergence(law, chosen.of)
    if name not in ("eps", "H") or pair is None:
        return None
    over = _AMONG[chosen.among] if name == "H" else STEP_OVER
    gain = next((law.symbols(value) for a, value in law.sets if a.name == "H"), None)
    value, reverse = law.symbols(chosen.value), pair != _LAWS
    gain = gain if over == STEP_OVER else None
    own = space_of_recipe(law.setting, gain, reverse)
    if {SIGMA, law.symbols(chosen.letter)} & value.free_symbols:
        return None
    foreign = {s.name for s in value.free_symbols if s.is_commutative} - {*own.scalars, "D"}
    space = replace(
        own,
        matrices={**own.matrices, **{n: k for n, k in law.kinds if n in own.matrices}},
        scalars={**own.scalars, **dict.fromkeys(sorted(foreign), "count")},
    )
    return Recipe(
        over=over,
        gain=gain,
        reverse=reverse,
        setting=law.setting,
        time=law.time,
        value=value,
        conditions=law.given,
        space=space,
        up_to_factor=chosen.up_to_factor,
    )


# -- what a law answers of a best value ------------------------------------------------------------


def is_best(law: Law, chosen: Chosen) -> Answer:
    """Of a divergence by its closed form; else by a gradient that vanishes, and convexity."""
    recipe = recipe_of(law, chosen)
    if recipe is not None:
        return recipe.answer()
    if (over_modes := best_of_modes.is_best(law, chosen)) is not None:
        return over_modes
    if (in_ends := _in_ends(law, chosen)) is not None:
        of, value, x, bounds = in_ends
        return minima.where_pieces_meet(of, value, x, partial(_is_less, bounds))
    x, value = law.symbols(chosen.letter), law.symbols(chosen.value)
    own = law.symbols(chosen.of)
    if law.setting is not None and own == (1 / RELAXATION if chosen.largest else RELAXATION):
        return relaxes_fastest(law.setting, law.time, x, value)
    formula, about = law.expanded(-chosen.of if chosen.largest else chosen.of), law.equations_of
    if chosen.letter.kind == "matrix":
        return convex_in_gain(formula, x, value, chosen.among, about)
    found = scaled_by(formula, value, x, about)
    if found is None or (law.setting and _has_law(found[1])):
        return Silent(Silence.NO_FORMULA)
    answer = minima.is_smallest(*found, x)
    open_ = isinstance(answer, Disproved) and law.setting and _has_law(sp.diff(found[0], x))
    return Silent(Silence.NO_FORMULA) if open_ else answer  # its equation may make the slope vanish


_END_LETTERS = {end: Letter(f"{symbol.name}_of_A") for end, symbol in spectral.ENDS.items()}


def _in_ends(law: Law, chosen: Chosen) -> tuple[Any, Any, Any, list[Bound]] | None:
    """The largest of numbers in the extreme eigenvalues of A, as one in two letters; None of others."""
    of, value = (law.symbols(side.named(_END_LETTERS)) for side in (chosen.of, chosen.value))
    of, x = minima.in_pieces(of), law.symbols(chosen.letter)
    known = [(a.named(_END_LETTERS), b.named(_END_LETTERS), e) for a, b, e in chosen.given]
    if chosen.largest or not isinstance(of, sp.Max):
        return None
    largest, smallest = (law.symbols(a) for a in _END_LETTERS.values())
    bounds = [(law.symbols(a), law.symbols(b), e) for a, b, e in known]
    bounds = [one for one in bounds if all(s.is_commutative for e in one[:2] for s in e.free_symbols)]
    if len(bounds) < len(known) or any((b - a).has(x) for a, b, _ in bounds):
        return None  # then not every number above zero is to be compared
    return of, value, x, [*bounds, (smallest, largest, True)]


def _is_less(bounds: list[Bound], small: Any, large: Any, may_be_equal: bool, here: bool) -> bool:
    """Whether a number is less than another wherever some bounds hold."""
    return isinstance(under(sp.factor(large - small), bounds, not may_be_equal), Proved)


def _has_law(formula: Any) -> bool:
    """Whether a covariance is left in it of which only the equation is known."""
    return any("Sigma_0" in s.name for s in formula.free_symbols)


def best_instead(law: Law, chosen: Chosen) -> Iterator[tuple[Term, Term]]:
    """The best value by a closed form; or the quantity with signs turned and terms halved."""
    recipe = recipe_of(law, chosen)
    if (in_ends := _in_ends(law, chosen)) is not None:
        back = {letter: end for end, letter in _END_LETTERS.items()}
        for value in minima.meetings(in_ends[0], in_ends[2]):
            yield chosen.of, from_sympy(value).put(back)
        return
    if recipe is None:
        yield from ((chosen.of, value) for value in best_of_modes.instead(law, chosen))
        yield from ((of, chosen.value) for of in minima.other_formulas(chosen))
        return
    best = recipe.instead()
    if best is not None:
        yield chosen.of, best


def equations_of_best(law: Law, chosen: Chosen) -> Correction | None:
    """What the best value of a divergence solves, where it has no formula."""
    recipe = recipe_of(law, chosen)
    return None if recipe is None or recipe.instead() else best_equations.equations(recipe)


def gap_of_best(law: Law, chosen: Chosen) -> Gap | None:
    """How far a value is from the best one, to leading order."""
    recipe = recipe_of(law, chosen)
    return None if recipe is None else best_equations.gap(recipe)


def about_best(law: Law, chosen: Chosen) -> Iterator[Evidence]:
    """What is lost at worst by a value of which a divergence is not smallest, and what is no formula."""
    recipe = recipe_of(law, chosen)
    if recipe is None or recipe.up_to_factor:  # what is lost depends on the factor
        return
    more = (losses.loss_of(recipe), best_equations.no_formula(recipe))
    yield from (e for e in more if e is not None)
