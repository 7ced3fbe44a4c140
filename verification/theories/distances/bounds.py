"""Bounds of the distance of two chains for every convex U, in every dimension.

The proof couples the chains and holds for every potential that is meant. Places are quadratic potentials
with real minibatches, where moments are exact: a bound below the distance of normal laws with these
moments is violated, one above the distance of coupled chains is met.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from itertools import islice
from typing import Any

import sympy as sp
from flint import arb

from sgtheory.dynamics.leading import leading
from sgtheory.notation.derivation import Derivation, Equation, Formula, Step
from sgtheory.notation.printing import plain
from sgtheory.notation.sentence import formula_of
from sgtheory.perturbation.symbols import GAMMA
from sgtheory.wasserstein import DIFFUSION, Between
from verification.laws.direction import FOREVER, Chain, Examples, after
from verification.prover import couplings
from verification.prover.couplings import W0, R, d, envelope, gamma
from verification.refuter.distancescript import data_lines, number
from verification.refuter.places import Place, Space
from verification.terms.arithmetics.balls import balls
from verification.terms.arithmetics.symbols import in_symbols
from verification.terms.comparing import Compared
from verification.terms.from_sympy import from_sympy
from verification.terms.term import Letter, Term
from verification.terms.walking import Unable, Undefined, walk
from verification.theories.answers import Answer, Proved, Silence, Silent
from verification.theories.distances.laws import OURS, Chains
from verification.theories.named import Numbers
from verification.theories.subject import About

_LETTERS = {
    "prior": "up to one", "slope1": "unit", "slope2": "unit", "pull1": "real", "pull2": "real",
    "copies": "count", "p": "count", "share": "up to one", "d": "count",
}  # fmt: skip
_MOVING = {"n": "count", "x": "real", "y": "real"}
_BALLS = balls(60)


@dataclass(frozen=True)
class Bounds(Chains):
    """Two laws from any starts, or those at which chains settle; the step is at most 1/L."""

    climbs = False  # powers of a number of steps have no end

    @property
    def fits(self) -> bool:
        """One distance, of chains that take alike many steps."""
        return self.distance is not None

    def places(self, about: About) -> Space:
        """Two examples and their copies, a prior, a step as a share of 1/L, and where chains start."""
        more = ({} if self.settled else _MOVING) | ({"h": "real"} if self.centre else {})
        return Space({}, _LETTERS | more, most=600)

    def opened(self, sides: tuple[Term, ...], place: Place) -> Any:
        """The numbers of a place."""
        return Placed(place.scalars, place, self)

    def lattice(self, statement: Any, space: Space) -> tuple[Any, ...]:
        """No condition is looked for."""
        return ()

    # -- proofs --------------------------------------------------------------------------------

    def _bound(self, left: Term, right: Term) -> Any:
        """What bounds the square of the distance; None where the left side is no multiple of it."""
        if self.distance is None or self.centre or self.distance in right.subterms():
            return None
        D = sp.Symbol(OURS.name, positive=True)
        side, other = in_symbols(left.named({self.distance: OURS})), in_symbols(right)
        own = (gamma, couplings.m, couplings.L, d, W0, R, couplings.p, couplings.n)
        known = {s.name: s for s in own}
        other = other.subs({s: known[s.name] for s in other.free_symbols if s.name in known})
        for power in (1, 2):
            factor = sp.cancel(side / D**power)
            if D not in factor.free_symbols and factor.is_positive:
                return sp.sympify((other / factor) ** (2 // power))
        return None

    def has_sign(self, left: Term, right: Term, wanted: tuple[int, ...], pairs: Any) -> Answer:
        """Each part of the printed bound is at least that of the bound which coupling gives."""
        bound = self._bound(left, right) if wanted == (-1, 0) else None
        known = None if bound is None else envelope(*self.names)
        if bound is None or known is None:
            return Silent(Silence.BETWEEN_BOUNDS)
        if self.settled and bound.free_symbols & {W0, R, couplings.n}:
            return Silent(Silence.BETWEEN_BOUNDS)
        parts = couplings.compared(bound, known)
        parts = tuple(c for c in parts if not self.settled or c.part == "what stays")
        if any(c.words is None for c in parts):
            return Silent(Silence.BETWEEN_BOUNDS, derivation=known.derivation())
        slack = ", ".join(f"{c.part} {_by(c.ratio)}" for c in parts if c.ratio != 1)
        words = "It is what the recursion of coupled chains gives."
        if slack:
            words = f"Coupled chains do better: the printed bound is larger in {slack}."
        stays = sp.factor(bound.subs({W0: 0, R: 0}))
        more = (*known.steps, *(self._how_good(stays) if stays != 0 else ()))
        told = Derivation(known.derivation().title, more, ())
        facts = {"dimensions": "every", **(_reached(*self.names, stays) if stays != 0 else {})}
        return Proved(f"Proved by coupling, in every dimension. {words}", told, facts)

    def least(self, left: Term) -> Term | None:
        """What coupling gives instead."""
        known = None if self._bound(left, from_sympy(d)) is None else envelope(*self.names)
        if known is None:
            return None
        return from_sympy(known.constant if self.settled else known.square())

    def _how_good(self, stays: Any) -> Iterator[Step]:
        """The power of the step in the distance; where independent chains are no further apart."""
        found = Between(*self.names, minibatches=True).leading(GAMMA, sp.oo)
        printed = leading(stays, gamma)
        if printed is None:
            return
        words = (
            f"As the step vanishes invariant laws of quadratic U are gamma^({found[0]}) apart (squared,"
            f" by their moments), the bound is of order gamma^({printed[0]})."
        )
        yield Step("How good it is", words, ())
        if any(Chain(x).traits[1] for x in self.names) or printed[0] != 1:
            return
        free = sp.Add(*(d / couplings.m * (1 if x == DIFFUSION else 2) for x in self.names))
        limit = sp.factor(sp.cancel(free * gamma / stays))
        shown = Equation(Formula(r"\gamma", "gamma"), formula_of(limit), "<")
        words = f"Independent chains in their invariant laws are at most {plain(free)} apart (squared):"
        yield Step("Where it says something", f"{words} the bound says something only where", (shown,))


def _by(ratio: Any) -> str:
    """How much larger."""
    if ratio.is_number:
        return f"by {ratio}"
    return f"(as the step vanishes by {plain(sp.factor(ratio.subs(gamma, 0)))})"


class Placed(Numbers):
    """The letters of a bound at a place, and two squares between which that of the distance lies."""

    told_at = "the distance of normal laws with these moments, and the printed bound"

    def __init__(self, values: Mapping[str, Any], place: Place, law: Bounds) -> None:
        super().__init__(values, place, law)
        _, examples, step, (x, y) = self.sized
        self |= {"gamma": step, "m": examples.curvature, "L": examples.lipschitz}
        self |= {"W0": self["d"] * (x - y) ** 2, "R": self["d"] * y**2}

    @cached_property
    def sized(self) -> tuple[tuple[Chain, Chain], Examples, Fraction, tuple[Fraction, Fraction]]:
        """Both chains, the examples, the step, and where chains begin, about the mode."""
        s = self.place.scalars
        examples, step = _examples(s)
        start = s.get("x", Fraction(0)), s.get("y", Fraction(0))
        return self.law.chains(s.get("h", Fraction(0))), examples, step, start

    @property
    def steps(self) -> int | None:
        """How many."""
        return int(self["n"]) if "n" in self else FOREVER

    @cached_property
    def squares(self) -> tuple[Fraction, Fraction] | None:
        """From below and from above."""
        found = after(*self.sized, self.steps)
        return None if found is None else (self["d"] * found.least[0], self["d"] * found.coupled)

    def compared(self, left: Term, right: Term) -> Compared | None:
        """Both sides, where either end of the distance says the same."""
        distance, found = self.law.distance, []
        if self.squares is None or distance is None:
            return None
        values = {n: _BALLS.number(x) for n, x in self.items()}
        for square in self.squares:
            values[OURS.name] = _BALLS.root(_BALLS.number(square))
            try:
                a, b = (walk(side.named({distance: OURS}), _BALLS, values) for side in (left, right))
            except (Undefined, Unable):
                return None
            found.append((_middle(a), _middle(b), _BALLS.sign(a - b) or 0))
        low, high = found
        if low[2] * high[2] < 0:
            return None
        # one end may be what the other side is
        return Compared(*(low if low[2] == high[2] or low[2] > 0 else high))

    def ends(self, larger: Term) -> list[str]:
        """The end of the distance that speaks against an order, where it stands on the larger side."""
        return [f"_end = {int(any(t == self.law.distance for t in larger.subterms()))}"]

    def called(self, letters: Iterable[Letter]) -> dict[str, str]:
        """What a script calls letters."""
        known = {"p": "_d(p)", "n": str(self.steps), "d": "dimension"}
        return {a.name: known.get(a.name, f"{a.name}_" if a.name in "LR" else a.name) for a in letters}

    def lines(self) -> list[str]:
        """The same in a script."""
        return [
            *data_lines(*self.sized),
            "largest = max(prior[0], *(s for s, _, _ in groups))",
            f"dimension, m, L_ = {number(self['d'])}, c, (N + 1) * largest",
            "W0, R_ = dimension * (x - y) ** 2, dimension * y**2",
        ]


def _middle(x: arb) -> Fraction:
    found = x.mid().fmpq()
    return Fraction(int(found.p), int(found.q)).limit_denominator(10**30)


@cache
def _reached(first: str, second: str, stays: Any) -> Mapping[str, Any]:
    """The largest part of what stays of a bound that invariant laws of quadratic U reach."""
    source, space = random.Random(2), Space({}, _LETTERS, most=400)
    tried = [*islice(space.small(), 40), *(space.random(source) for _ in range(20))]
    best: tuple[Fraction, Place] | None = None
    for place in (p.but(copies=k, d=1) for p in tried for k in (1, 1000)):
        examples, step = _examples(place.scalars)
        found = after((Chain(first), Chain(second)), examples, step, (Fraction(0), Fraction(0)), FOREVER)
        letters = (gamma, couplings.m, couplings.L, couplings.p, d)
        sizes = (step, examples.curvature, examples.lipschitz, examples.batch, 1)
        bound = stays.subs({a: sp.Rational(str(x)) for a, x in zip(letters, sizes, strict=True)})
        if found is not None and bound > 0:
            ratio = found.least[0] / Fraction(int(bound.p), int(bound.q))
            best = max(best or (ratio, place), (ratio, place), key=lambda pair: pair[0])
    return {} if best is None else {"supremum": float(best[0]), "at": best[1].to_json()}


def _examples(s: Mapping[str, Fraction]) -> tuple[Examples, Fraction]:
    """Two kinds of examples, and the step, a share of 1/L."""
    groups = tuple((s[f"slope{k}"], s[f"pull{k}"], int(s["copies"])) for k in (1, 2))
    examples = Examples((s["prior"], Fraction(0)), groups, int(s["p"]))
    return examples, s["share"] / examples.lipschitz


def subject(about: About) -> Chains | None:
    """Two laws: on a way to a limit their orders, else bounds."""
    taken = "distances" in about.theories
    return (Chains if about.ways else Bounds)(about.terms, about.ways, about.given) if taken else None
