"""Means and mean squares of a linear chain with steps of any lengths, as sequences without chance.

Where x[t] = a x[t-1] + b and noises of its own step, or of the step before, the mean m, the mean square
s and the variance v obey rules of their own: m[t] = a m[t-1] + b, v[t] = a^2 v[t-1] + what noise adds.
So equalities hold by induction, and are looked at for a few steps like those of any other sequence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from typing import Any

import sympy as sp

from verification.refuter.places import NUMBERS
from verification.terms.arithmetics.symbols import in_symbols
from verification.terms.from_sympy import from_sympy
from verification.terms.term import Applied, Letter, Term, number
from verification.terms.walking import able
from verification.theories.sequences.growth import Family
from verification.theories.sequences.paths import is_random
from verification.theories.sequences.steps import Steps
from verification.theories.sequences.words import variance
from verification.theories.subject import About

DRIVEN, NOISES = "random sequence", ("noises", "signs")
STEP, _BEFORE = Letter("_step", "count"), Letter("_before", "real")
n = in_symbols(STEP)


@dataclass(frozen=True)
class Rule:
    """``y[t] = share y[t-1] + beside``, in the symbol of a step, from what is known at ``begins``."""

    share: Any
    beside: Any
    begins: tuple[tuple[int, Any], ...]

    @property
    def last(self) -> int:
        """The step after which the rule holds."""
        return self.begins[-1][0]


@dataclass(frozen=True)
class Linear:
    """A chain x[t] = a x[t-1] + b and noises, from a start with a mean and a mean square."""

    sequence: Letter
    slope: Any
    shift: Any
    own: tuple[Any, ...]  # what each noise of a step is multiplied by
    past: tuple[Any, ...]  # what each noise of the step before is
    mean: Any
    square: Any

    def rule(self, of: str) -> Rule | None:
        """Of the mean, the variance, the mean square; None where a mean square needs the mean."""
        if of == "mean":
            return Rule(self.slope, self.shift, ((0, self.mean),))
        if of == "square" and sp.simplify(self.shift) != 0:
            return None
        begin = self.square if of == "square" else sp.expand(self.square - self.mean**2)
        pairs = tuple(zip(self.own, self.past, strict=True))
        alone = sp.Add(*(c**2 + d**2 for c, d in pairs))
        both = alone + 2 * self.slope * sp.Add(*(d * c.subs(n, n - 1) for c, d in pairs))
        if not any(self.past):
            return Rule(self.slope**2, alone, ((0, begin),))
        first = (self.slope**2).subs(n, 1) * begin + alone.subs(n, 1)  # x[0] is apart from all noise
        return Rule(self.slope**2, both, ((0, begin), (1, first)))


def linear_of(steps: Steps) -> Linear | None:
    """The chain that the rules define, where one is linear; None of others."""
    for sequence, index, rule in steps.rules:
        if sequence.kind != DRIVEN or sequence not in rule.letters:
            continue
        found: Linear | None = able(partial(_read, steps, sequence, index, rule))
        if found is not None:
            return found
    return None


def _read(steps: Steps, sequence: Letter, index: Letter, rule: Term) -> Linear | None:
    others = tuple(r for r in steps.rules if r[0] != sequence and r[0] not in r[2].letters)
    rule = Family((), others, STEP).along(rule)  # with the formulas of step sizes
    names: dict[Term, Letter] = {}
    noises = sorted({a for a in rule.letters if a.kind in NOISES}, key=str)
    for one in (t for t in rule.subterms() if isinstance(t, Applied) and t.head == "at"):
        back = _distance(one, index)
        if one.of[0] == sequence and back == 1:
            names[one] = _BEFORE
        elif one.of[0] in noises and back in (0, 1):
            names[one] = Letter(f"_{one.of[0]}_{back}", "real")
        else:
            return None
    if _BEFORE not in names.values():
        return None
    spelt = in_symbols(rule.named(names).put({index: STEP}))
    drawn = [[in_symbols(Letter(f"_{a}_{k}", "real")) for a in noises] for k in (0, 1)]
    over = (in_symbols(_BEFORE), *drawn[0], *drawn[1])
    if not spelt.is_polynomial(*over) or sp.Poly(spelt, *over).total_degree() > 1:
        return None
    poly = sp.Poly(spelt, *over)
    own, past = (tuple(sp.factor(poly.coeff_monomial(w)) for w in row) for row in drawn)
    slope, shift = poly.coeff_monomial(over[0]), poly.coeff_monomial(1)
    return Linear(sequence, slope, shift, own, past, *_start(steps, sequence))


def _distance(entry: Applied, index: Letter) -> int | None:
    """How many steps before the running one an entry is."""
    back = sp.expand(n - in_symbols(entry.of[1].put({index: STEP})))
    return int(back) if back.is_Integer else None


def _start(steps: Steps, sequence: Letter) -> tuple[Any, Any]:
    """The mean and the mean square at first: as they are given, or of a fixed place of any value."""
    first = Applied("at", (sequence, number(0)))
    known = dict(steps.starts)
    place = known.get(first, Letter(f"{sequence}_0", "real"))
    square = known.get(Applied("mean", (first ** number(2),)))
    mean = known.get(Applied("mean", (first,)), number(0) if square is not None else place)
    return in_symbols(mean), in_symbols(square) if square is not None else in_symbols(place) ** 2


@dataclass(frozen=True)
class Moments(Steps):
    """What is known of the moments of a linear chain: sequences by their rules."""

    chain: Linear | None = None

    def takes_all(self, about: About) -> bool:
        """Whether nothing random is left in a statement once its moments are put in."""
        return not any(is_random(t) or _has_means(t) for t in map(self._meant, about.terms))

    @property
    def moments(self) -> dict[str, Letter]:
        """A letter for each of the sequences."""
        assert self.chain is not None
        name = self.chain.sequence
        return {of: Letter(f"{of} of {name}", "sequence") for of in ("mean", "square", "variance")}

    @cached_property
    def ruled(self) -> Mapping[Letter, Rule]:
        """The rule of each, where it has one."""
        assert self.chain is not None
        found = ((letter, self.chain.rule(of)) for of, letter in self.moments.items())
        return {letter: rule for letter, rule in found if rule is not None}

    def _meant(self, side: Term) -> Term:
        return self.in_moments(super()._meant(side))

    def in_moments(self, side: Term) -> Term:
        """A side with entries of the new sequences in the place of means."""
        if not isinstance(side, Applied):
            return side
        spread = variance(side)
        if isinstance(spread, Applied) and self.chain and spread.of[0] == self.chain.sequence:
            return Applied("at", (self.moments["variance"], spread.of[1]))
        if side.head == "mean":
            return self._expanded(side.of[0])
        return side.with_parts(tuple(map(self.in_moments, side.parts)))

    def _expanded(self, body: Term) -> Term:
        """The mean of a square, or of what is less, in one entry of the chain."""
        assert self.chain is not None
        entries = {t for t in body.subterms() if getattr(t, "head", "") == "at"}
        entries = {t for t in entries if t.of[0] == self.chain.sequence}  # type: ignore[attr-defined]
        if len(entries) != 1:
            return Applied("mean", (body,))
        (entry,) = entries
        named, x = body.named({entry: _BEFORE}), in_symbols(_BEFORE)
        if any(a.kind not in NUMBERS for a in named.letters):
            return Applied("mean", (body,))
        spelt = in_symbols(named)
        if not spelt.is_polynomial(x) or sp.degree(spelt, x) > 2:
            return Applied("mean", (body,))
        at = entry.of[1]  # type: ignore[attr-defined]
        mean = Applied("at", (self.moments["mean"], at))
        square: Term = Applied("at", (self.moments["square"], at))
        if self.moments["square"] not in self.ruled:
            square = Applied("at", (self.moments["variance"], at)) + mean ** number(2)
        total: Term | None = None
        for (power,), c in sp.Poly(spelt, x).terms():
            of = {0: None, 1: mean, 2: square}[power]
            one = from_sympy(c) if of is None else of if c == 1 else from_sympy(c) * of
            total = one if total is None else total + one
        return number(0) if total is None else total


def _has_means(side: Term) -> bool:
    return any(getattr(t, "head", "") in ("mean", "mean_before") for t in side.subterms())


def moments_of(steps: Steps) -> Moments | None:
    """What is known of a linear chain's moments; None where there is none, or more is asked."""
    chain = linear_of(steps) if steps.count is not None else None
    if chain is None:
        return None
    own = {f.name: getattr(steps, f.name) for f in fields(steps)}
    found = Moments(**own, chain=chain)
    rules, starts = list[Any](), list[Any]()
    step = Letter("t", "index")
    for letter, rule in found.ruled.items():
        before = Applied("at", (letter, step - 1))
        share, beside = (from_sympy(e).put({STEP: step}) for e in (rule.share, rule.beside))
        rules.append((letter, step, share * before + beside))
        starts += [(Applied("at", (letter, number(k))), from_sympy(v)) for k, v in rule.begins]
    gone = {a for a in steps.letters if a.kind in (DRIVEN, *NOISES)}
    kept = tuple(r for r in steps.rules if r[0] != chain.sequence)
    met = dict.fromkeys((*(a for a in steps.letters if a not in gone), *found.ruled))
    return replace(
        found, rules=(*kept, *rules), starts=(*steps.starts, *starts), letters=tuple(met), means=()
    )
