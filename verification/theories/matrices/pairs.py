"""Equations of a law's second moments at a generic pair of modes: what is left over, in every dimension.

Left minus right is a sum of words A^a X A^b. With A in its own axes the derived law turns it into a
multiple of each noise's entry, and it is zero for all problems where these multiples are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from itertools import product
from typing import TYPE_CHECKING, Any

import sympy as sp

from sgtheory.dynamics.leading import vanishing
from sgtheory.errors import UnusableInput
from sgtheory.modepairs.matrixform import block_symbol, blocks, from_pair, law_equation
from sgtheory.modepairs.pairs import LI, LJ, PairCovariance, stationary
from sgtheory.notation.derivation import Derivation, Equation, Formula, Step
from sgtheory.notation.matrixwords import H, identity
from sgtheory.notation.printing import latex, plain, tidy
from sgtheory.notation.sentence import formula_of, listed, say
from sgtheory.polynomials import is_zero
from sgtheory.telling.covariance import tidy_matrix
from verification.laws.pair_form import (
    DELTA,
    LETTERS,
    NOISE,
    NotInPairForm,
    by_word,
    responses,
    substitute_law,
    to_pair,
)
from verification.laws.per_mode import COMMUTE
from verification.laws.quantities import FUNCTIONALS
from verification.refuter.conditions import IsIdentity
from verification.refuter.lattice import implies
from verification.refuter.parameters import Is, written_under
from verification.terms.from_sympy import from_sympy
from verification.terms.gaussians import OfLaws
from verification.terms.term import Applied, Term
from verification.terms.words import is_matrix
from verification.theories import zeros
from verification.theories.answers import Answer, AtModes, Proved, Silence, Silent
from verification.theories.matrices import elsewhere
from verification.theories.zeros import in_range
from verification.verdicts.verdict import Gap

if TYPE_CHECKING:
    from verification.theories.matrices.laws import Law

_WHOSE = {"continuous": "the continuous-time process", "discrete": "the discrete algorithm"}
_DIFFERENCE = Formula(r"\text{left} - \text{right}", "left - right")


@dataclass(frozen=True)
class AtPairs:
    """Two sides with the law put in at a pair of modes, as multiples of each noise's entry."""

    law: Law
    pair: PairCovariance
    left: Any
    right: Any
    others: Mapping[Any, Any] = field(default_factory=dict)  # moments of other laws
    terms: tuple[Term, ...] = ()  # the sides, as they are written
    shapes: bool = False  # whether each side stands for itself over its trace

    @cached_property
    def rest(self) -> dict[Any, Any]:
        """What is left of left minus right by noise, under what is given; empty where they are equal."""
        found = self._responses(self.left - self.right)
        equations = tuple(c for c in self.law.given if isinstance(c, Is))
        if equations:
            found = {s: sp.cancel(written_under(r, equations)) for s, r in found.items()}
        if self.commuting:
            found = {s: sp.factor(r.subs(LJ, LI)) for s, r in found.items()}
        return {s: r for s, r in found.items() if not _is_zero(r)}

    @property
    def commuting(self) -> bool:
        """Whether A and the noise are given to commute."""
        return any(implies(c, COMMUTE, ("A", "C")) for c in self.law.given)

    @property
    def general(self) -> bool:
        """Whether nothing is given of the matrices, so that what is left over cannot vanish by it."""
        return not any({"A", "B", "C"} & {*c.letters} and not _is_generic(c) for c in self.law.given)

    def answer(self) -> Answer | None:
        """A proof, or what is left over; None where that may vanish by what is given of matrices."""
        rest = self.rest
        if not rest:
            where = say("{} {}", "where" if self.commuting else "whether or not", COMMUTE.words)
            where = where if self.unit_noise is None else say("where {}", self.unit_noise.words)
            lemma = "The law of {} satisfies it, in every dimension, {}."
            lemma = say(lemma, _WHOSE[self.law.time], where)
            return Proved(lemma, self._told(rest), {"dimensions": "every"})
        special = (c for c in self.law.given if not isinstance(c, Is) and not _is_generic(c))
        if any(set(c.letters) & {"A", "C", "B"} for c in special):
            return None
        shown = listed((tidy(r) * s for s, r in rest.items()), by=" + ")
        return Silent(
            Silence.LEFT_OVER,
            say("{} at modes $i$ and $j$ of $A$", shown),
            self._told(rest),
            {"dimensions": "every"},
            only_if=COMMUTE if _only_where_modes_agree(rest, self.law) else None,
        )

    def gap(self) -> Gap | None:
        """What is left over relative to the left side as the step vanishes: order and first term."""
        sides = self._responses(self.left)
        if not self.rest or not self.rest.keys() <= sides.keys():
            return None
        ratios = (sp.cancel(rest / sides[s]) for s, rest in self.rest.items())
        found = [vanishing(ratio, self.step, self.law.small) for ratio in ratios]
        each = [one for one in found if one is not None]
        if len(each) < len(found):
            return None
        letter, order, size = min(each, key=lambda one: (one[0] == self.step, one[1]))
        faster = "" if letter == self.step else self.step.name
        size = sp.factor(size)
        term, alike = formula_of(tidy(size) * letter**order), sp.cancel(size).subs(LJ, LI)
        if alike.has(sp.zoo, sp.nan):  # the left side vanishes where modes are alike
            return None
        if self.shapes and alike != 0:  # what is a multiple of the other has the same shape
            told = Formula(
                r"g_{ij} - \sum_k g_{kk} \Sigma_{kk}/\operatorname{Tr}(\Sigma), \quad"
                rf" g_{{ij}} = {term.latex}",
                f"g_ij - sum over k of g_kk*Sigma_kk/Tr(Sigma) with g_ij = {term.text}",
            )
            term = told
        return Gap(letter.name, str(order), term, faster=faster)

    @property
    def step(self) -> Any:
        """The sampler's step, whatever its letter."""
        assert self.law.setting is not None
        return self.law.setting.sampler.step

    def true(self) -> Iterator[tuple[Term, Term]]:
        """The equation of the law for its one block, scaled alike, or the right side times a factor."""
        names = self._states
        found = (self.left - self.right).free_symbols
        blocks = [(a, b) for a in names for b in names if block_symbol(a, b) in found]
        each, other = self._responses(self.left), self._responses(self.right)
        ratios = [sp.cancel(self._curved(x / other[s])) for s, x in each.items() if s in other]
        alike = each.keys() == other.keys() and len({*ratios}) == 1 and not ratios[0].has(LI, LJ)
        terms = (_times(x * word, ratios[0]) for word, x in by_word(self.right).items())
        factored = [(self.terms[0], self._term(sp.Add(*terms)))] if alike else []
        if self.unit_curvature:
            yield from factored
        if len(blocks) == 1 and not self.others:
            law = law_equation(self.pair, *blocks[0])
            left, right = (sp.Add.make_args(side.subs(H, 1)) for side in (law.left, law.right))
            scale = _scale(self.left, sp.Add(*left))
            left, right = [_times(t, scale) for t in left], [_times(t, scale, True) for t in right]
            yield from_sympy(tidy_matrix(sp.Add(*left))), from_sympy(tidy_matrix(sp.Add(*right)))
        yield from factored
        rest = self.rest
        for moment in (block_symbol(a, a) for a in names):  # what is left over is so many times a moment
            own = self._responses(moment)
            shares = {sp.cancel(value / own[s]) for s, value in rest.items() if s in own}
            if rest.keys() == own.keys() and len(shares) == 1 and not any(x.has(LI, LJ) for x in shares):
                yield self.terms[0], self._term(self.right + shares.pop() * moment)

    @property
    def ratio(self) -> Any:
        """Left over right, where one noise drives both; else None."""
        each, other = self._responses(self.left), self._responses(self.right)
        if each.keys() != other.keys() or len(each) != 1:
            return None
        return sp.factor(sp.cancel(next(iter(each.values())) / next(iter(other.values()))))

    def with_equal_shapes(self) -> AtPairs:
        """With the right side times a number, with which it is the left one where that is a multiple."""
        ratio = self.ratio
        if ratio is None:
            return self
        alike = sp.cancel(ratio.subs(LJ, LI))
        factor = sp.cancel(ratio.subs(self.step, 0)) if alike.has(LI) else alike
        return self if factor.has(LI, LJ) else replace(self, right=factor * self.right)

    def difference(self) -> AtModes:
        """What the two sides really differ by, pair by pair; of two laws, the factor between them."""
        equation = self._multiplied_out()
        if self._beside_another_law is not None:
            other, ratio = self._beside_another_law
            left, right = self.terms[0], self._term(other)
            where = r"\text{ entry by entry in the eigenbasis of } A"
            told = Formula(
                rf"{left.latex()} = r_{{ij}}\, {right.latex()}{where},\quad r_{{ij}} = {latex(ratio)}",
                f"entry by entry in the eigenbasis of A: {left} = r_ij * {right}, r_ij = {plain(ratio)}",
            )
            return AtModes(told, *equation)
        sign = -1 if self.left == 0 else 1  # what is printed to be zero
        residual = from_sympy(sign * (self.left - self.right)).put(elsewhere.back(self.terms))
        value = sp.Add(*(tidy(sign * r) * s for s, r in self.rest.items()))
        told = Formula(
            rf"\left({residual.latex()}\right)_{{ij}} = {latex(value)}",
            f"({residual})_ij = {plain(value)}",
        )
        return AtModes(told, *equation)

    @cached_property
    def _beside_another_law(self) -> tuple[Any, Any] | None:
        """What the left side is a multiple of, and how many times it is that at a pair of modes.

        That is the moment of another law on the right side; the whole of it, where there is none.
        """
        back = [self.law.symbols(a) for a in elsewhere.back(self.terms)]
        if len(back) != 1 and {*back} != {self.left, self.right}:
            return None
        other = self.right if len(back) > 1 or self.left.has(back[0]) else back[0]
        ratio = replace(self, right=other).ratio
        return None if ratio is None else (other, tidy(ratio))

    def _multiplied_out(self) -> tuple[Term, Term]:
        """An equation between matrices: a polynomial in A beside what is printed, noises beside it.

        Of two laws it is the moment of the other one that stands beside.
        """
        if self._beside_another_law is not None:
            other, ratio = self._beside_another_law
            left, beside = self.left, {other: ratio}
        else:
            names = {s: identity if s == DELTA else LETTERS[s.name] for s in self.rest}
            left, beside = self.left - self.right, {names[s]: r for s, r in self.rest.items()}
        parts = {x: sp.fraction(sp.together(r)) for x, r in beside.items()}
        low = reduce(sp.lcm, (below for _, below in parts.values()))
        scalar = sp.Mul(*(f**k for f, k in sp.factor_list(low)[1] if not f.has(LI, LJ)))
        right = sp.Add(
            *(from_pair(sp.cancel(low / (scalar * below)) * top, x) for x, (top, below) in parts.items())
        )
        left = sp.expand(from_pair(sp.cancel(low / scalar), left))
        if self._beside_another_law is None:  # noises stand on the right alone
            of_law = {block_symbol(a, b) for a, b in product(self._states, repeat=2)}
            of_law |= {*self.others, *map(self.law.symbols, elsewhere.back(self.terms))}
            fresh = sp.Add(*(t for t in sp.Add.make_args(left) if not t.free_symbols & of_law))
            left, right = left - fresh, sp.expand(right - fresh)
        return self._term(left), self._term(right)

    def _term(self, side: Any) -> Term:
        """A sum of words as it is said."""
        gathered = sp.Add(*(sp.factor(c) * word for word, c in by_word(sp.expand(side)).items()))
        return from_sympy(tidy_matrix(gathered)).put(elsewhere.back(self.terms))

    def _responses(self, expr: Any) -> dict[Any, Any]:
        known = dict(self.others) | ({} if self.unit_noise is None else {NOISE: DELTA})
        return responses(substitute_law(to_pair(expr), self.pair).subs(known))

    @property
    def unit_noise(self) -> IsIdentity | None:
        """The condition that the noise covariance is the identity, where that is given."""
        return self._unit("C")

    @property
    def unit_curvature(self) -> IsIdentity | None:
        """The condition that A is the identity, where that is given."""
        return self._unit("A")

    @property
    def _states(self) -> list[str]:
        """The states of which there are moments, by name."""
        return [s.name for s in self.pair.form.states]

    def _unit(self, name: str) -> IsIdentity | None:
        parts = (p for c in self.law.given for p in c.parts)
        return next((p for p in parts if isinstance(p, IsIdentity) and p.letters == (name,)), None)

    def _curved(self, value: Any) -> Any:
        return value if self.unit_curvature is None else value.subs({LI: 1, LJ: 1})

    def _told(self, rest: dict[Any, Any]) -> Derivation:
        names = self._states
        blocks = tuple(Equation(_block(a, b), tidy(self.pair.entry(a, b))) for a in names for b in names)
        found = sp.Add(*(tidy(r) * s for s, r in rest.items()))
        put_in = tuple(Equation(_DIFFERENCE, e) for e in (to_pair(self.left - self.right), found))
        about = "Left minus right at the pair, first as printed, then with the law put in:"
        steps = (
            Step("The law", "The derived second moments at a pair of modes:", blocks),
            Step("Substitute", about, put_in),
        )
        return Derivation("Substitution of the law", steps, ())


def at_pairs(law: Law, left: Term, right: Term) -> AtPairs | None:
    """Both sides at a pair of modes; None where they are no equation of second moments."""
    if law.setting is None or law.sets or not (is_matrix(left) or is_matrix(right)):
        return None
    shapes = _of_shapes(left, right)
    left, right = shapes or (left, right)
    sides = law.symbols(law.spelt(left)), law.symbols(law.spelt(right))
    names = {s.name for s in (sides[0] - sides[1]).free_symbols}
    if any(side.has(*FUNCTIONALS, OfLaws) for side in sides):  # of the law, beside it
        return None
    of_law = not names.isdisjoint(blocks(s.name for s in law.setting.state))
    if H.name in names or not (of_law or elsewhere.moments((left, right))):
        return None
    try:
        others = elsewhere.entries(law, left, right)
        known = law, stationary(law.setting, law.time), *sides
        found = AtPairs(*known, others, (left, right), shapes is not None)
        found = found.with_equal_shapes() if shapes else found
        told = all(s == DELTA or s.name in LETTERS for s in found.rest)
    except (NotInPairForm, UnusableInput):
        return None
    return found if told else None


def _of_shapes(left: Term, right: Term) -> tuple[Term, Term] | None:
    """X and Y of X/tr(X) = Y/tr(Y), which says that X is a multiple of Y."""
    divided = [t for t in (left, right) if isinstance(t, Applied) and t.head == "/"]
    found = [t.of[0] for t in divided if t.of[1] == Applied("tr", (t.of[0],))]
    return (found[0], found[1]) if len(found) == 2 else None


def _is_generic(condition: Any) -> bool:
    return all(part.almost_everywhere for part in condition.parts)


def _is_zero(x: Any) -> bool:
    """Of what is in factors: a rational function is zero where it is written so."""
    return bool(x == 0 or (not x.is_rational_function(*x.free_symbols) and is_zero(x)))


def _only_where_modes_agree(rest: dict[Any, Any], law: Law) -> bool:
    """Whether what is left over vanishes for equal eigenvalues and nowhere else."""
    if len(rest) != 1:
        return False
    ((symbol, value),) = rest.items()
    if symbol.name != "C_ij" or not is_zero(value.subs(LJ, LI)):
        return False
    value = written_under(in_range(value, dict(law.kinds)), law.given)
    return zeros.only_where([value], [[LI - LJ]])


def _times(term: Any, scale: Any, beside_matrices: bool = False) -> Any:
    scalars, words = term.args_cnc()
    if not words and beside_matrices:
        words = [sp.Symbol("I", commutative=False)]
    return tidy(sp.factor(scale * sp.Mul(*scalars))) * sp.Mul(*words)


def _scale(printed_left: Any, law_left: Any) -> Any:
    """What makes the first shared word of both left sides carry the printed coefficient."""

    printed, law = by_word(printed_left), by_word(law_left)
    shared = sorted((w for w in printed if w in law), key=str)
    return sp.cancel(printed[shared[0]] / law[shared[0]]) if shared else sp.Integer(1)


def _block(a: str, b: str) -> Formula:
    if a == b == "theta":
        return Formula(r"\Sigma_{ij}", "Sigma_ij")
    return Formula(rf"(P^{{{latex(sp.Symbol(a))} {latex(sp.Symbol(b))}}})_{{ij}}", f"P_{a}_{b}_ij")
