"""What is known of matrices in letters, and of the second moments of a sampler's law."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import sympy as sp

from sgtheory.errors import Absent
from sgtheory.notation.sentence import listed, say
from verification import notation
from verification.laws.dependence import ERROR, stands_still
from verification.laws.gains import equation_of_gain
from verification.laws.pair_form import NotInPairForm, inverted_once
from verification.laws.per_mode import General
from verification.laws.quantities import (
    DIVERGENCE,
    antisymmetric_letters,
    free_letters,
)
from verification.refuter.conditions import Condition
from verification.refuter.lattice import conditions
from verification.refuter.parameters import written_under
from verification.refuter.places import Space
from verification.terms.from_sympy import from_sympy
from verification.terms.gaussians import expanded
from verification.terms.printed import Printed
from verification.terms.stochastic import Forms
from verification.terms.term import Applied, Letter, Term
from verification.terms.ways import Way
from verification.terms.words import is_matrix
from verification.theories import ranks
from verification.theories.answers import Answer, AtModes, Disproved, Proved, Silence, Silent, differ
from verification.theories.matrices import (
    by_modes,
    elsewhere,
    increments,
    monotone,
    over_a_step,
    predicted,
    recipes,
    solving,
    spectral,
    traces,
    two_laws,
    wordsigns,
)
from verification.theories.matrices.balance import Balance, constant_difference, equal
from verification.theories.matrices.converse import (
    bounds_of_rank,
    condition_of,
    conditions_on_ranks,
    follows,
)
from verification.theories.matrices.free import equation, gap_of_slope, is_free_of, slope
from verification.theories.matrices.mending import Equation, mended
from verification.theories.matrices.necessary import holds_only_where
from verification.theories.matrices.noise import conditions_on_noise
from verification.theories.matrices.one_dimension import gap_of
from verification.theories.matrices.pairs import at_pairs
from verification.theories.matrices.relaxation import RELAXATION
from verification.theories.matrices.relaxation import formula as relaxed
from verification.theories.matrices.sampled import Sampled
from verification.theories.matrices.wordletters import Words
from verification.theories.subject import ITS_LETTERS, ITS_MATRICES, matrices_of
from verification.verdicts.verdict import Correction, Gap, lines_of


@dataclass(frozen=True)
class Law(Sampled):
    """A sampler on the quadratic model in one reading of time; without one, letters alone."""

    where: tuple[tuple[Letter, Term], ...] = ()  # what letters of a source stand for

    @property
    def rank(self) -> int:
        """Letters for what is added to moments are nobody else's."""
        return ITS_MATRICES if self.runs is None else ITS_LETTERS

    @property
    def measurable(self) -> bool:
        """Whether it is the law of a sampler."""
        return self.setting is not None

    def lattice(self, statement: Any, space: Space) -> tuple[Condition, ...]:
        """Conditions on its matrices; of ranks, that something is singular."""
        letters = matrices_of(space)
        counts = statement.relations[0].counts
        if counts:
            return conditions_on_ranks(letters, self.given)
        turned = {n for n, kind in self.kinds if kind == "antisymmetric"}  # alone they would be zero
        kept = (
            c
            for c in conditions(letters)
            if not (turned and any(turned.issuperset(p.letters) for p in c.parts))
        )
        return (*conditions_on_noise(self), *kept)

    def monomials(self, letters: tuple[Letter, ...]) -> Iterator[Term]:
        """Of a law: the step times the largest curvature."""
        if any(a.name == "Sigma" for a in letters):
            curvature = Applied("lambda_max", (Letter("A", "matrix"),))
            own = None if self.setting is None else self.setting.sampler.step
            names = ("eps", "gamma") if own is None else ("eps", "gamma", own.name)
            yield from (a * curvature for a in letters if a.name in names)

    def put_in(self, side: Term) -> Term:
        """A term with what is set in the place of letters of the problem, and what a sampler adds."""
        if self.runs is not None:
            known = increments.formulas(self.runs, self.time, self.gain)
            side = side.put({a: from_sympy(known[a.name]) for a in side.letters if a.name in known})
        for letter, value in self.sets:
            side = side.put({letter: value})
        return side

    def formula(
        self, side: Term, given: tuple[Condition, ...] = (), way: Way | None = None
    ) -> General | None:
        """At a generic mode, or a pair of them."""
        expr = self.symbols(side)
        if self.setting is not None and way is not None and expr.has(RELAXATION):
            return relaxed(expr, self.setting, self.time, way)
        try:
            found = spectral.formula(self, side, given, way)
        except NotInPairForm:
            return None
        if found is None and way is not None and self.setting is None:
            return traces.formula(self, side)
        return found

    def divergence(self, side: Term) -> tuple[Any, Term | None]:
        """How many times the divergence a term is, and what vanishes with it: N A Sigma - I."""
        factor = sp.cancel(sp.expand(self.symbols(side)) / sp.expand(DIVERGENCE))
        if not factor.is_number:
            return None, None
        return factor, from_sympy(notation.N * notation.A * notation.Sigma - notation.identity)

    chosen_to_fit = solving.chosen_to_fit  # with a gain made of the law
    is_possible = solving.is_possible  # whether letters for moments can be those of a law
    calm = solving.calm  # with a step at which the discrete algorithm is stable

    @property
    def equations_of(self) -> Balance:
        """What is known of the letters, as equations."""
        kinds = dict(self.space(()).matrices) | dict(self.kinds)
        kinds = {n: k for n, k in kinds.items() if k != "antisymmetric"} | free_letters(self.kinds)
        sets = tuple((self.symbols(a), self.symbols(value)) for a, value in self.sets)
        return Balance(self.setting, self.time, sets, self.given, kinds)

    def expanded(self, side: Term) -> Any:
        """In traces and log determinants, an antisymmetric letter as X - X^T."""
        expr = self.symbols(self.put_in(side)).subs(antisymmetric_letters(self.kinds))
        expr = written_under(expr, self.equations_of.equal_scalars)
        return expanded(inverted_once(expr))

    def vanishes(self, left: Term, right: Term) -> Answer:
        """At every pair of modes, or by the normal form of traces and log determinants."""
        pairs = at_pairs(self, left, right)
        answer = spectral.vanishes(self, left, right) if pairs is None else pairs.answer()
        if answer is not None:
            return answer
        known = None if self.setting is None or self.sets else self.formula(left - right, self.given)
        if known is not None and all(sp.simplify(p) == 0 for p in known.parts):
            return Proved(say("Both sides are the same formula, {}.", known.scope))
        if elsewhere.moments((left, right)):
            return Silent(Silence.NO_FORMULA)
        shown = equal(self.expanded(left), self.expanded(right), self.equations_of)
        free = not any({"A", "B", "C"} & {*c.letters} for c in self.given)  # else forms may agree
        free = free and not (spectral.single(self) or self._follow({*left.letters, *right.letters}))
        if shown is not None and (shown.holds or (shown.holds is False and free)):
            law = " by the equation of the law" if shown.by_the_law else ""
            where = "in one dimension" if spectral.single(self) else "in every dimension"
            lemma = f"Both sides have the same normal form{law}, {where}."
            return shown.answer(lemma, differ(left, right))
        found = self.formula(left - right)
        if found is not None and all(sp.simplify(p) == 0 for p in found.parts):
            return Proved(say("Both sides are the same formula, {}.", found.scope))
        if traces.determinants_agree(self.expanded(left), self.expanded(right)):
            return Proved("The determinant of a product is the product of the determinants.")
        return Silent(Silence.NO_FORMULA)

    def _follow(self, letters: set[Letter]) -> bool:
        """Whether some letters stand for formulas of others, so that forms in them may agree."""
        followers = () if self.setting is None else self.setting.sampler.where
        return bool({s.name for s, _ in followers} & {a.name for a in letters})

    def supposing(self, one: Any) -> Law | None:
        """The same where an equation between its matrices holds; None where that is no condition."""
        condition = condition_of(one.left, one.right) if one.relation == "=" else None
        return None if condition is None else replace(self, given=(*self.given, condition))

    follows = follows  # a condition as a consequence of an equation
    holds_only_where = holds_only_where

    def is_constant(self, left: Term, right: Term, moving: tuple[Letter, ...]) -> Answer:
        """By values at random places, and by a difference that is written without some letters."""
        sides = self.expanded(left), self.expanded(right)
        letters, names = tuple(map(self.symbols, moving)), listed(moving, by=" and ")
        still: list[bool | None] = []
        if not self.sets:
            rest, seed = sp.expand(sides[0] - sides[1]), f"{left} {right}"
            still = [
                stands_still(rest, self.setting, self.time, a.name, self.given, seed) for a in moving
            ]
        differs = say("Their difference changes with {}.", names)
        if False in still:
            return Disproved(differs)
        lemma = say("The difference of the two sides does not change with {}.", names)
        shown = constant_difference(*sides, letters, self.equations_of)
        if shown is None and still and None not in still:
            return Proved(lemma, facts={"by": "values at random places", "error": ERROR})
        return Silent(Silence.NO_FORMULA) if shown is None else shown.answer(lemma, differs)

    def gap(self, left: Term, right: Term, moving: tuple[Letter, ...] = ()) -> Gap | None:
        """How far apart both sides are to leading order in the step.

        Where no pair of modes tells: for the discrete algorithm, where the process has them equal.
        """
        if self.runs is not None:
            return None if moving else increments.gap(self, left, right)
        pairs = None if moving else at_pairs(self, left, right)
        if pairs is not None:
            return pairs.gap()
        if not moving and spectral.is_in(left, right):
            by_mode = spectral.gap(self, left, right)
            if by_mode is not None or not spectral.is_spelt(left, right):
                return by_mode
        if elsewhere.moments((left, right)):
            return None if moving else two_laws.gap(self, left, right)
        if self.time != "discrete" or self.setting is None:
            return None
        process = replace(self, time="continuous")
        try:
            ask = process.is_constant(left, right, moving) if moving else process.vanishes(left, right)
        except Absent:  # a process that never settles has no law
            return None
        own = self.setting.sampler.step
        here = {a.name for a, _ in self.sets}
        step = 1 / notation.N if "H" in here else notation.S if own and own.name in here else own
        summed = None if moving or here else spectral.gap(self, left, right)
        if not isinstance(ask, Proved) or step is None:
            return None
        if summed is not None:
            return summed
        sides = self.expanded(left), self.expanded(right)
        turned = [(self.symbols(a), self.symbols(x)) for a, x in self.where if a in x.letters]
        return gap_of(sides, step, bool(moving), self.equations_of, turned)

    def mended(
        self, left: Term, right: Term, moving: tuple[Letter, ...] = ()
    ) -> Iterator[tuple[Term, Term]]:
        """Equations of the same terms that may be true instead: nothing says that they are."""
        if self.runs is not None:
            told = increments.in_a_step(left) if self.time == "discrete" else left
            yield told, self.put_in(left)
            return
        pairs = None if moving else at_pairs(self, left, right)
        simple = pairs is not None and pairs.unit_curvature is not None
        yield from pairs.true() if pairs is not None and simple else ()
        yield from () if moving else spectral.mended(self, left, right)
        if not elsewhere.back((left, right)) and (pairs is None or not pairs.general):
            sides = self.symbols(left), self.symbols(right)
            for one in mended(Equation(self, moving, *sides)):
                yield left if one.left == sides[0] else from_sympy(one.left), from_sympy(one.right)
        if pairs is not None and not simple:
            yield from pairs.true()

    @property
    def added(self) -> Forms:
        """What a step, or an instant, adds to each state of a sampler."""
        assert self.runs is not None
        found = increments.added(self.runs, self.time, self.gain)
        drift = {key: written_under(x, self.given) for key, x in found.drift.items()}
        noise = {key: (written_under(Y, self.given), M) for key, (Y, M) in found.noise.items()}
        return replace(found, drift={key: x for key, x in drift.items() if x != 0}, noise=noise)

    edges = by_modes.edges  # up to which step an order holds at every mode
    parameters = predicted.parameters  # as they are set or called best
    covariance = predicted.covariance  # of an equation that fixes Sigma, or of a best gain

    def has_sign(self, left: Term, right: Term, wanted: Any, given: Any = ()) -> Answer:
        """Whether a difference has a wanted sign; of matrices: whether it is definite."""
        if ranks.are_in(left, right):
            return ranks.has_sign(left, right, wanted, given, partial(bounds_of_rank, self))
        words = Words(self, dict(self.space((left, right)).matrices))
        if is_matrix(left) or is_matrix(right):
            answer = wordsigns.order(words, left, right, wanted)
        else:
            answer = traces.has_sign(self, left, right, wanted, given)
            proved = isinstance(answer, Proved)
            answer = answer if proved else wordsigns.order_of_ends(words, left, right, wanted)
        for way in () if isinstance(answer, Proved) or self.setting is None else (by_modes, monotone):
            found = way.has_sign(self, left, right, wanted, given)
            if isinstance(found, Proved):
                return found
        return answer

    beside_a_step = over_a_step.gap  # what a process has beside a step
    slowly = over_a_step.slowly  # under which damping that vanishes after all
    least_at = recipes.least_at  # the gain at which a divergence is zero
    is_free_of = is_free_of  # whether a quantity moves with a letter
    slope = slope  # the derivative with respect to a letter
    equation = equation  # in which a quantity and a letter stand
    gap_of_slope = gap_of_slope  # how fast a dependence vanishes with the step
    is_best = recipes.is_best  # by a closed form of a divergence; by derivatives of another quantity
    best_instead = recipes.best_instead  # another value, or another quantity that may be best there
    equations_of_best = recipes.equations_of_best
    gap_of_best = recipes.gap_of_best
    about_best = recipes.about_best

    def difference(self, left: Term, right: Term) -> Correction | AtModes | None:
        """What both sides differ by, pair by pair."""
        pairs = at_pairs(self, left, right)
        return pairs.difference() if pairs is not None and pairs.rest else self._at_a_gain(left, right)

    def _at_a_gain(self, left: Term, right: Term) -> Correction | None:
        """The gain that makes the law the posterior, where one is set and both sides are equal then."""
        found = equation_of_gain(self.setting, self.time, self.given, self.equations_of.put)
        if found is None:
            return None
        gain = from_sympy(found.solution)
        sets = tuple((a, gain if a.name == "H" else x) for a, x in self.sets)
        if not isinstance(replace(self, sets=sets).vanishes(left, right), Proved):
            return None
        true = Printed(notation.H, found.solution)
        return Correction(lines_of(true), "proved", "in every dimension, at this gain", sets=sets)
