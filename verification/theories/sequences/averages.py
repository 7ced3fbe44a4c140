"""What averages along a chain are off: sums over its steps that bound their mean squares.

With L psi = phi - E phi one step adds h L psi, a martingale difference and a remainder to psi; powers of
h in these say which sums bound the weighted sum of phi - E phi, for every schedule of steps under which
moments stay bounded.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from itertools import pairwise
from typing import Any

import sympy as sp

from sgtheory.dynamics.chain import Moments
from sgtheory.dynamics.limit import limit
from sgtheory.dynamics.poisson import poisson
from sgtheory.dynamics.steps import Step
from sgtheory.errors import DeclarationError, UnusableInput
from verification.terms.arithmetics.symbols import in_symbols
from verification.terms.from_sympy import from_sympy
from verification.terms.term import Applied, Letter, Term, number
from verification.terms.ways import Way
from verification.theories import sizes
from verification.theories.answers import Answer, Proved, Silence, Silent
from verification.theories.sequences.chains import Chain, H, Run, X, chain_of, sums_in
from verification.theories.sequences.decay import at_rest
from verification.theories.sequences.growth import Family
from verification.theories.sequences.normal import Undecided
from verification.theories.sequences.steps import Steps
from verification.theories.sequences.words import (
    ENDLESS,
    ROBBINS_MONRO,
    VANISHING,
    mean_square,
    variance,
)

LEMMA = "By Poisson's equation the error is bounded by sums over the steps, which the right side covers."
_MOST = 6  # powers of steps that are added up
S = sp.Symbol("S_T", positive=True)


@dataclass(frozen=True)
class Solved:
    """The mean of phi, and how powers of the step stand in the martingale and in the remainder."""

    mean: Any
    spread: int | None
    rest: int | None


@cache
def solved(step: Step, phi: Any, most: Any) -> Solved:
    """Of Poisson's equation for phi, where moments stay bounded for steps up to ``most``."""
    try:
        process, moments = limit(step, H), Moments(step)
        found = poisson(process, phi)
        after = moments.image(found.psi)
        rest = sp.expand(after - found.psi - H * process.generator(found.psi))
        spread = sp.expand(moments.image(sp.expand(found.psi**2)) - after**2)
    except UnusableInput as error:
        raise Undecided(str(error)) from error
    for k in range(1, int(sp.Poly(found.psi, X).degree()) + 1):
        row = {e: sp.sympify(c) for (e,), c in moments.row((2 * k,)).items()}
        less = sp.Poly(sp.cancel((1 - row[2 * k]) / H), H)
        falls = less.eval(0) > 0 and less.count_roots(0, most) == 0
        if not falls or any(c.subs(H, 0) != 0 for e, c in row.items() if e != 2 * k):
            raise Undecided("moments that need not stay bounded")
    lowest = [min(m[0] for m in sp.Poly(e, H).monoms()) if e != 0 else None for e in (spread, rest)]
    return Solved(found.mean, *lowest)


def power_sum(k: int) -> Any:
    """The letter for the sum of k-th powers of steps."""
    return S if k == 1 else sp.Symbol(f"S_T^({k})", positive=True)


@dataclass
class Sizes:
    """Terms about a chain in letters for sums of powers of its steps; ``long`` where S_T >= 1.

    The largest step is the unit of steps.
    """

    chain: Chain
    long: bool
    errors: dict[Any, Any] = field(default_factory=dict)  # letters of means, with their bounds
    signed: set[Any] = field(default_factory=set)  # those that stand for the size of what has a sign
    unknown: set[Any] = field(default_factory=set)  # those of which no bound is known

    @property
    def most(self) -> Any:
        """The largest step."""
        known = self.chain.most
        if self.chain.formula is not None:
            known = self.chain.formula.put({self.chain.running: number(1)})
        if known is None or known.letters:
            raise Undecided("steps of any length")
        return in_symbols(known)

    def of(self, side: Term) -> Any:
        """A side, with letters for mean squares."""
        return in_symbols(self._spelt(side))

    def bound(self, side: Term, two_sided: bool = False) -> Any:
        """What a side, or its size, is at most, up to a constant; what is taken away is left out."""
        found, kept = sp.expand(self.of(side)), []
        for e in sp.Add.make_args(found):
            signed = any(e.as_coeff_exponent(a)[1] % 2 for a in self.signed)
            negative = e.could_extract_minus_sign()
            if negative and not (two_sided or signed):
                continue
            kept.append(-e if negative else e)
        bounded = sp.Add(*kept)
        polynomial = not self.errors or bounded.is_polynomial(*self.errors)
        if not polynomial or bounded.free_symbols & self.unknown:
            raise Undecided(f"the size of {side}")
        return sp.expand(bounded.subs(self.errors))

    def _spelt(self, side: Term) -> Term:
        if not isinstance(side, Applied):
            return side
        if side.head == "mean" and not self.chain.has(side):
            return self._spelt(side.of[0])
        averaged = _averaged(side) if self.chain.has(side) else None
        if averaged is not None:
            letter = sp.Symbol(f"error_{len(self.errors)}", positive=True)
            self.signed |= {letter} if averaged[1] == "mean" else set()
            try:
                self.errors[letter] = self._size(*averaged)
            except Undecided:
                self.errors[letter] = letter
                self.unknown |= {letter}
            return from_sympy(letter)
        if side.head == "sum":
            terms = [e.as_coeff_exponent(H) for e in sp.Add.make_args(self.chain.summand_of(side))]
            if not all(c.is_number and k.is_Integer and abs(k) <= _MOST for c, k in terms):
                raise Undecided(f"the sum {side}")
            count = in_symbols(self.chain.count)
            sums = (c * self.most**k * (power_sum(k) if k else count) for c, k in terms)
            return from_sympy(sp.Add(*sums))
        return side.with_parts(tuple(map(self._spelt, side.of)))

    def _size(self, body: Term, of: str) -> Any:
        """Of an affine function of a weighted sum: a mean square, a variance, the size of a mean."""
        over_chain = [one for one in dict.fromkeys(sums_in(body)) if self.chain.has(one)]
        if len(over_chain) != 1:
            raise Undecided("no sum over the chain, or several")
        letter, phi = Letter("sum"), sp.expand(self.chain.summand_of(over_chain[0]) / H)
        if phi.has(H) or phi.free_symbols - {X}:
            raise Undecided("weights that are not the steps")
        spelt = self._spelt(body.named({over_chain[0]: letter}))
        affine = sp.Poly(in_symbols(spelt), in_symbols(letter))
        if affine.degree() != 1:
            raise Undecided("a power of a sum")
        factor, rest = affine.all_coeffs()
        known = solved(self.chain.step, phi, self.most)
        bias, noise = (0 if k is None else power_sum(k) for k in (known.rest, known.spread))
        off = 1 + bias if self.long else S
        if of == "variance" and not self.long:  # from one start: phi moves by no more than S
            return factor**2 * S**3
        shift = 0 if of == "variance" else sp.simplify(factor * known.mean * self.most * S + rest)
        if of == "mean":
            return abs(factor) * off + abs(shift)
        spread = noise if self.long else 0
        return sp.expand(factor**2 * (off**2 + spread) + shift**2)


def _averaged(side: Applied) -> tuple[Term, str] | None:
    """What a mean square, a variance E(a^2) - E(a)^2, or a mean is about."""
    if side.head == "mean":
        body = mean_square(side)
        return (side.of[0], "mean") if body is None else (body, "mean square")
    body = variance(side)
    return None if body is None else (body, "variance")


def is_bounded(chain: Chain, left: Term, right: Term) -> Answer:
    """Whether left is at most a constant times right for all schedules, where S_T >= 1 or not."""
    answer: Answer = Silent(Silence.NO_FORMULA)
    for long in (True, False):
        try:
            small, large = Sizes(chain, long).bound(left), Sizes(chain, long).of(right)
        except (Undecided, sp.PolynomialError):
            return Silent(Silence.NO_FORMULA)
        if chain.has(right):
            return Silent(Silence.NO_CERTIFICATE)
        pairs = [(from_sympy(a), from_sympy(b)) for a, b in _known(chain, small, large, long)]
        answer = sizes.is_bounded(from_sympy(small), from_sympy(large), pairs)
        if not isinstance(answer, Proved):
            return Silent(Silence.NO_CERTIFICATE, derivation=answer.derivation)
    return Proved(LEMMA, answer.derivation, {"steps": "every"})


def _known(chain: Chain, small: Any, large: Any, long: bool) -> list[tuple[Any, Any]]:
    """What is known of sums of powers of bounded steps: they fall with the power, logarithms convex."""
    T, met = in_symbols(chain.count), (small + large).free_symbols
    powers = [0, 1, *(k for k in range(-_MOST, _MOST + 1) if power_sum(k) in met)]
    sums = [T if k == 0 else power_sum(k) for k in range(min(powers), max(powers) + 1)]
    found = [(sp.Integer(1), S) if long else (S, sp.Integer(1)), (sp.Integer(1), T)]
    found += [(b, a) for a, b in pairwise(sums)]
    return found + [(b**2, a * c) for a, b, c in zip(sums, sums[1:], sums[2:], strict=False)]


def largest_terms(chain: Chain, left: Term) -> Term | None:
    """The sums that bound a side where S_T >= 1, those that others cover left out."""
    try:
        bound = Sizes(chain, True).bound(left)
    except (Undecided, sp.PolynomialError):
        return None
    pairs = [(from_sympy(a), from_sympy(b)) for a, b in _known(chain, bound, sp.Integer(1), True)]
    found = sizes.largest_terms(from_sympy(bound), pairs)
    steps = Applied("at", (chain.sizes, chain.running))

    def summed(k: int) -> Term:
        power = steps if k == 1 else steps ** number(k)
        return Applied("sum", (power, chain.running, number(1), chain.count))

    back = {Letter(str(power_sum(k))): summed(k) for k in range(1, _MOST + 1)}
    return None if found is None else found.put(back)


def why_it_vanishes(chain: Chain, side: Term) -> str | None:
    """As there are more steps, of lengths that fall like a power of their number."""
    if chain.formula is None:
        return None
    t, T = in_symbols(Letter("t")), in_symbols(chain.count)
    formula = in_symbols(chain.formula.put({chain.running: Letter("t")}))
    power = sp.simplify(-t * sp.diff(formula, t) / formula)
    if not power.is_Rational or not 0 <= power < 1:
        return None
    try:
        bound = Sizes(chain, True).bound(side, two_sided=True)
    except (Undecided, sp.PolynomialError):
        return None

    def grown(k: int) -> Any:
        return sp.log(T) if k * power == 1 else T ** max(sp.Integer(0), 1 - k * power)

    along = bound.subs({power_sum(k): grown(k) for k in range(1, _MOST + 1)})
    if sp.limit(along, T, sp.oo) != 0:
        return None
    return "The sums that bound the error vanish along the schedule, by Poisson's equation."


@dataclass(frozen=True)
class Averages(Steps):
    """What is known of sequences, of which one is a chain."""

    @cached_property
    def chain(self) -> Chain:
        """The chain with normal noises that a rule defines."""
        found = chain_of(self)
        if found is not None:
            return found
        raise DeclarationError(
            "x[0] as a number, and x[t] by x[t - 1], noises and one sequence of steps",
            "; ".join(f"{a}[{i}] = {rule}" for a, i, rule in self.rules) or "noises without a rule",
            "give equations for both",
        )

    def written_out(self, relation: Any) -> tuple[tuple[int, Any], ...]:
        """Nothing: noises have too many values."""
        return ()

    def lengthened(self, relation: Any) -> Iterator[Any]:
        """What a relation says of more and more steps along each schedule."""
        schedules = self.chain.schedules(self._known if relation.limiting else None)
        along = (relation.lengthened(partial(self._run, one)) for one in schedules)
        return (found for found in along if found is not None)

    def _run(self, family: Family, left: Term, right: Term, endless: bool) -> Any:
        known: dict[Letter, Any] = {}
        try:
            sides = [family.along(self.chain.spelt(self._meant(side), known)) for side in (left, right)]
            run = Run(self.chain, family.formulas[0][1], tuple(known.items()))
            run.script(str)
        except (Undecided, sp.PolynomialError):
            return None
        return *sides, self.count, family.told(), run

    @property
    def _known(self) -> tuple[str, ...]:
        """What is known of the steps far out."""
        own = self.chain.sizes
        always = (ENDLESS, VANISHING) if own.kind == ROBBINS_MONRO else ()
        return (*always, *(word for a, word in self.limits if a == own))

    def has_order(
        self, _: Any, left: Term, word: str, right: Term, way: Way, given: tuple[Any, ...] = ()
    ) -> Answer:
        """Whether the chain comes to rest, along all steps of which that is known; or a sum vanishes."""
        asked = word == "o" and way.letter == self.count
        known = at_rest(self.chain, left, right, self._known) if asked else None
        return super().has_order(_, left, word, right, way, given) if known is None else known

    def is_bounded(self, left: Term, right: Term, given: Any = ()) -> Answer:
        """Whether left is at most a constant times right for all schedules."""
        return is_bounded(self.chain, left, right)

    def why_it_vanishes(self, side: Term) -> str | None:
        """As there are more steps, along the schedule."""
        return why_it_vanishes(self.chain, side)

    def larger(self, side: Term, factors: tuple[int, ...] = ()) -> Iterator[Term]:
        """Nothing: what is left out of a bound is known."""
        return iter(())

    def enlarged(self, left: Term, right: Term, given: Any = ()) -> Term | None:
        """The sums that bound the left side."""
        return largest_terms(self.chain, left)
