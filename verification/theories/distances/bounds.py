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
from sgtheory.notation.sentence import Sentence, formula_of, joined, listed, say, sentence
from sgtheory.perturbation.symbols import GAMMA
from sgtheory.polynomials import cancelled, factored, is_zero
from sgtheory.wasserstein import DIFFUSION, Between
from verification.laws.direction import FOREVER, Chain, Examples, after
from verification.refuter.distancescript import data_lines, number
from verification.refuter.places import Place, Space
from verification.terms.arithmetics.balls import balls
from verification.terms.arithmetics.symbols import in_symbols, symbol
from verification.terms.comparing import Compared
from verification.terms.from_sympy import from_sympy
from verification.terms.term import Letter, Name, Term
from verification.terms.walking import Unable, Undefined, walk
from verification.theories.answers import Answer, Proved, Silence, Silent
from verification.theories.distances import couplings
from verification.theories.distances.couplings import W0, R, d, envelope, gamma
from verification.theories.distances.laws import OURS, Chains
from verification.theories.named import Numbers
from verification.theories.positivity import nowhere_negative
from verification.theories.subject import About

_LETTERS = {
    "prior": "up to one", "slope1": "unit", "slope2": "unit", "pull1": "real", "pull2": "real",
    "copies": "count", "p": "count", "share": "up to one", "d": "count",
}  # fmt: skip
_FROM = {"x": "real", "y": "real"}  # where chains begin, unless at the mode
# of linear regression on numbers: the precision, variances of a minibatch's gradient and curvature at
# the mode, the sum of squared deviations of the examples' gradients, that of squares of the inputs
OF_DATA = ("Sigma", "V11", "V22", "spread", "x_squared", "N")
_SIGMA, _V11, _V22, _SPREAD = (symbol(Letter(name)) for name in OF_DATA[:4])
_SIZE, _BATCH, _COUNT = (symbol(Letter(name, "count")) for name in "Npn")
_STEP = symbol(Letter("gamma"))
_WORTH = ("gamma", "m", "L", "W0", "R", *OF_DATA)  # what follows from a place
_BALLS, _ROUNDING = balls(60), arb(10) ** -30
_REGRESSION = (
    "gradients = [prior[0] * mode - prior[1] + N * (s * mode - b) for s, b, _ in groups]",
    "curvatures = [prior[0] + N * s for s, _, _ in groups]",
    "V11, V22 = together(gradients, gradients), together(curvatures, curvatures) - c**2",
    "Sigma, spread = c, sum(k * (g / N) ** 2 for g, (_, _, k) in zip(gradients, groups))",
)


@dataclass(frozen=True)
class Bounds(Chains):
    """Two laws from any starts, or those at which chains settle; the step is at most 1/L."""

    climbs = False  # powers of a number of steps have no end
    letters: tuple[Letter, ...] = ()  # those of what is given too

    @property
    def fits(self) -> bool:
        """One distance, of chains that take alike many steps."""
        return self.distance is not None

    def places(self, about: About) -> Space:
        """Two examples and their copies, a prior, a step as a share of 1/L, and where chains start."""
        more = ({} if self.settled else {"n": "count"}) | ({"h": "real"} if self.centre else {})
        more |= {"noise": "positive"} if self.speaks_of("x_squared") else {}
        if self.speaks_of(*OF_DATA):  # an example without an input has no pull
            more |= {"loud": "count", "slope2": "up to one"}
        more |= _FROM if not self.settled and self.anywhere else {}
        more |= {a.name: a.kind for a in self.own}
        kinds = {n: kind for n, kind in _LETTERS.items() if n != "d" or self.speaks_of("d", "W0", "R")}
        return Space({}, kinds | more, most=600)

    @property
    def own(self) -> tuple[Letter, ...]:
        """Letters of no meaning here."""
        return tuple(a for a in self.letters if a.name not in (*_WORTH, *_LETTERS, "n"))

    def speaks_of(self, *names: str) -> bool:
        """Whether it has one of some letters."""
        return any(a.name in names for a in self.letters)

    @property
    def anywhere(self) -> bool:
        """Whether chains begin elsewhere than at the mode."""
        return any(isinstance(parts[2], Name) for parts in self.laws)

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
            factor = cancelled(side / D**power)
            if D not in factor.free_symbols and factor.is_positive:
                return sp.sympify((other / factor) ** (2 // power))
        return None

    def has_sign(self, left: Term, right: Term, wanted: tuple[int, ...], pairs: Any) -> Answer:
        """Each part of the printed bound is at least that of the bound which coupling gives.

        A bound from below is at most the difference of standard deviations.
        """
        for distance, below, order in ((left, right, (1, 0)), (right, left, (-1, 0))):
            if distance == self.distance and wanted == order:
                return self._from_below(below)
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
        slack = listed(say("{} in {}", _by(c.ratio), c.part) for c in parts if c.ratio != 1)
        words = sentence("It is what the recursion of coupled chains gives.")
        if slack:
            words = say("Coupled chains do better: the printed bound is larger {}.", slack)
        stays = factored(bound.subs({W0: 0, R: 0}))
        more = (*known.steps, *(self._how_good(stays) if stays != 0 else ()))
        told = Derivation(known.derivation().title, more, ())
        facts = {"dimensions": "every", **(_reached(*self.names, stays) if stays != 0 else {})}
        return Proved(joined("By coupling, in every dimension.", words), told, facts)

    def least(self, left: Term) -> Term | None:
        """What coupling gives instead."""
        known = None if self._bound(left, from_sympy(d)) is None else envelope(*self.names)
        if known is None:
            return None
        return from_sympy(known.constant if self.settled else known.square())

    @property
    def _deviations(self) -> tuple[Any, Any] | None:
        """By what both variances grow in a step, and the difference of deviations after one.

        In one direction from the mode: what both add in a step is multiplied alike from then on.
        """
        if self.distance is None or self.anywhere or self.centre or DIFFUSION in self.names:
            return None
        traits = [Chain(name).traits for name in self.names]
        factors = {(1 - _STEP * _SIGMA) ** 2 + s * _STEP**2 * _V22 for s, _, _ in traits}
        if len(factors) > 1:
            return None
        added = [2 * heat * _STEP + noise * _STEP**2 * _V11 for _, noise, heat in traits]
        more = sp.sqrt(added[0]) - sp.sqrt(added[1])
        return factors.pop(), more if (added[0] - added[1]).is_nonnegative else -more

    def most(self, left: Term) -> Term | None:
        """The largest bound from below that deviations give."""
        known = self._deviations if left == self.distance else None
        if known is None:
            return None
        factor, more = known
        growth = (1 if self.settled else 1 - factor**_COUNT) / (1 - factor)
        return from_sympy(sp.sqrt(growth) * more)

    def _from_below(self, side: Term) -> Answer:
        """Laws are no nearer than their standard deviations, which grow with the factor of a step."""
        known, bound = self._deviations, in_symbols(side)
        grown = {e.base ** (e.exp / _COUNT) for e in bound.atoms(sp.Pow) if e.exp.has(_COUNT)}
        if known is None or self.settled or len(grown) != 1:
            return Silent(Silence.BETWEEN_BOUNDS)
        (own,), (factor, more) = grown, known
        rest = sp.simplify(bound / sp.sqrt((1 - own**_COUNT) / (1 - own)))
        same = is_zero(rest.subs(_SPREAD, _V11 * _BATCH / _SIZE) - more)
        why = nowhere_negative(sp.expand(factor - own)) if same else None
        if why is None:
            return Silent(Silence.BETWEEN_BOUNDS)
        lines = (
            Equation(
                Formula("W_2", "W2"), formula_of(sp.sqrt((1 - own**_COUNT) / (1 - own)) * more), ">="
            ),
            Equation(formula_of(own), formula_of(factor), "<="),
        )
        words = "Both laws have mean $theta*$; their variances grow by the same factor, the right one:"
        told = Derivation("A bound from below", (Step("Moments", words, lines),), ())
        lemma = (
            "The printed bound is at most the difference of standard deviations: what stands in it for"
            " the mean squared factor of a step is no larger than that."
        )
        return Proved(lemma, told, {"dimensions": "1"})

    def _how_good(self, stays: Any) -> Iterator[Step]:
        """The power of the step in the distance; where independent chains are no further apart."""
        found = Between(*self.names, minibatches=True).leading(GAMMA, sp.oo)
        printed = leading(stays, gamma)
        if printed is None:
            return
        words = (
            f"As the step vanishes invariant laws of quadratic $U$ are $gamma^({found[0]})$ apart"
            f" (squared, by their moments), the bound is of order $gamma^({printed[0]})$."
        )
        yield Step("How good it is", words, ())
        if any(Chain(x).traits[1] for x in self.names) or printed[0] != 1:
            return
        free = sp.Add(*(d / couplings.m * (1 if x == DIFFUSION else 2) for x in self.names))
        limit = factored(cancelled(free * gamma / stays))
        shown = Equation(Formula(r"\gamma", "gamma"), formula_of(limit), "<")
        words = (
            "Independent chains in their invariant laws are at most {} apart (squared): the bound says"
            " something only where"
        )
        yield Step("Where it says something", say(words, free), (shown,))


def _by(ratio: Any) -> Sentence:
    """How much larger."""
    if ratio.is_number:
        return say("by the factor {}", ratio)
    left = factored(ratio.subs(gamma, 0))
    if left == 1:
        return sentence("by a factor that tends to 1 as the step vanishes,")
    return say("by the factor {}, as the step vanishes,", left)


class Placed(Numbers):
    """The letters of a bound at a place, and two squares between which that of the distance lies."""

    @property
    def told_at(self) -> Sentence:
        """Both sides, and the examples: only letters that a place has are named."""
        loud = ", pulls multiplied by $loud^3$" if "loud" in self.place.scalars else ""
        squares = "; the sum of $x_i^2$ is noise times that of slopes" if "noise" in self else ""
        return say(
            "a proved bound of the distance, on the side where it tells, and the bound as printed; so"
            " many (copies) examples have the gradient $slope1 theta - pull1$ and as many"
            f" $slope2 theta - pull2${loud}; the prior adds prior theta, $gamma$ is share$/L${squares}"
        )

    def __init__(self, values: Mapping[str, Any], place: Place, law: Bounds) -> None:
        super().__init__(values, place, law)
        _, examples, step, (x, y) = self.sized
        self |= {"d": self.get("d", Fraction(1)), "gamma": step, "m": examples.curvature}
        self |= {"L": examples.lipschitz, "W0": self["d"] * (x - y) ** 2, "R": self["d"] * y**2}
        own = self.get("prior", 0) * examples.mode / examples.N  # an example's share of the prior's
        pulls = ((c * examples.mode - b + own, k) for c, b, k in examples.groups)
        slopes = sum(c * k for c, _, k in examples.groups)
        found = examples.curvature, examples.V11, examples.V22, sum(g**2 * k for g, k in pulls)
        numbers = (*found, self.get("noise", 1) * slopes, Fraction(examples.N))
        self |= dict(zip(OF_DATA, numbers, strict=True))

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
            near = abs(a - b) < _ROUNDING * (abs(a) + abs(b))  # squares are known to fifty digits
            found.append((_middle(a), _middle(b), 0 if near else _BALLS.sign(a - b) or 0))
        low, high = found
        if low[2] * high[2] < 0:
            return None
        if low[2] == high[2] != 0:  # the end that is nearer to the bound
            above = distance in left.subterms()
            return Compared(*(high if (low[2] < 0) is above else low))
        # one end may be what the other side is
        return Compared(*(low if low[2] == high[2] or low[2] > 0 else high))

    def ends(self, larger: Term) -> list[str]:
        """The end of the distance that speaks against an order, where it stands on the larger side."""
        return [f"_end = {int(any(t == self.law.distance for t in larger.subterms()))}"]

    def called(self, letters: Iterable[Letter]) -> dict[str, str]:
        """What a script calls letters."""
        known = {"p": "_d(p)", "N": "_d(N)", "n": str(self.steps), "d": "dimension"}
        return {a.name: known.get(a.name, f"{a.name}_" if a.name in "LR" else a.name) for a in letters}

    def lines(self) -> list[str]:
        """The same in a script."""
        return [
            *data_lines(*self.sized),
            "largest = max(prior[0], *(s for s, _, _ in groups))",
            f"dimension, m, L_ = {number(self['d'])}, c, (N + 1) * largest",
            "W0, R_ = dimension * (x - y) ** 2, dimension * y**2",
            *(_REGRESSION if self.law.speaks_of(*OF_DATA) else ()),
            f"x_squared = {number(self.get('noise', Fraction(1)))} * sum(s * k for s, _, k in groups)",
            *(f"{a} = {number(self[a.name])}" for a in self.law.own),
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
    return {} if best is None else {"largest_found": float(best[0]), "at": best[1].to_json()}


def _examples(s: Mapping[str, Fraction]) -> tuple[Examples, Fraction]:
    """Two kinds of examples, and the step, a share of 1/L."""
    loud = s.get("loud", Fraction(1)) ** 3  # how far responses are from what any theta gives
    groups = tuple((s[f"slope{k}"], loud * s[f"pull{k}"], int(s["copies"])) for k in (1, 2))
    examples = Examples((s["prior"], Fraction(0)), groups, int(s["p"]))
    return examples, s["share"] / examples.lipschitz


def subject(about: About) -> Chains | None:
    """Two laws and how far they are apart: on a way to a limit their orders, else bounds."""
    letters = tuple(dict.fromkeys(about.letters))
    on_a_way = Chains(about.terms, about.ways, about.given)
    found = on_a_way if about.ways else Bounds(about.terms, (), about.given, letters)
    return found if found.distance is not None and found.alike else None
