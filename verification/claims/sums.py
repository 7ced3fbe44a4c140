"""Statements about sums over steps: for every number of steps, and all sequences of stated kinds.

``left = right`` and ``left <= right`` hold for all of them; ``UpTo`` says that some constant that
depends on none of the letters makes ``left <= C right`` true. Random sequences have means over all
paths. Normal forms prove, paths of few steps in exact numbers look again, and families of sequences
along which a ratio grows refute a constant.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Any, Self

import sympy as sp

from sgtheory.derivation import Derivation, Equation, Formula, Step
from sgtheory.errors import UnusableInput
from sgtheory.printing import plain
from verification.claims.base import Claim, Printed, Proof
from verification.refuter.script import run
from verification.sequences.growth import Family, grows_with_a_letter, lasting, unbounded
from verification.sequences.mending import factors, larger, put, stand, suppositions, twins, written
from verification.sequences.normal import Undecided, difference, without_denominators
from verification.sequences.relations import UpTo, Vanishes
from verification.sequences.script import script_of
from verification.sequences.signs import never_larger, vanishes
from verification.sequences.stepwise import follows
from verification.sequences.values import CLOSE, Reading, Sample, drawn
from verification.sequences.words import KINDS, RANDOM, E, letters_in
from verification.verdict import Correction, Counterexample, Evidence, Finding, differ, unseen_by_script
from verification.word import of_false, under

_LOOKED_AT, _SEARCHED = 40, 240  # samples
_CONSTANTS = (1, 2, 4, 5, 16)
_LARGE = 1000  # a constant that a script shows to be too small
_GLANCES = 12  # samples
_MENDED_SAMPLES, _TWINS, _POWERS, _MANY = 30, 8, 2, 3


@dataclass(frozen=True)
class Sums(Claim):
    """``printed`` is one relation; ``kinds`` say which sequences and letters are meant.

    ``defined`` are sequences that follow from others step by step: the sequence, its rule, its start.
    ``where`` says what printed letters stand for: single ones, or sequences by their entry at t.
    """

    kinds: tuple[tuple[Any, str], ...] = ()
    defined: tuple[tuple[Any, Any, Any], ...] = ()
    where: tuple[tuple[Any, Any], ...] = ()
    time: str = "discrete"

    def __post_init__(self) -> None:
        wrong = [kind for _, kind in self.kinds if kind not in KINDS]
        if wrong:
            raise UnusableInput(f"kinds among {', '.join(KINDS)}", repr(wrong[0]), "choose one")

    def has_discrete_reading(self) -> bool:
        """Steps are discrete already."""
        return False

    @cached_property
    def one(self) -> Printed:
        """The relation, with what letters stand for."""
        (printed,) = self.printed
        return replace(printed, left=self.stood(printed.left), right=self.stood(printed.right))

    @cached_property
    def roots(self) -> dict[Any, Any]:
        """Positive letters under roots are squares, where nothing else is defined by them."""
        if self.defined:
            return {}
        (printed,) = self.printed
        powers = [q for side in (printed.left, printed.right) for q in sp.sympify(side).atoms(sp.Pow)]
        rooted = {q.base for q in powers if q.exp.is_Rational and not q.exp.is_Integer}
        kinds = dict(self.kinds)
        letters = (x for x in sorted(rooted, key=str) if x.is_Symbol and kinds.get(x) == "positive")
        return {x: sp.Symbol(f"sqrt_{x}", positive=True) ** 2 for x in letters}

    def stood(self, expr: Any) -> Any:
        """What is printed, with what its letters stand for."""
        return stand(expr, self.where).subs(self.roots)

    @cached_property
    def letters(self) -> dict[Any, str]:  # type: ignore[override]
        """The kinds of the letters that occur; what is not named is real."""
        rules = [e for _, rule, start in self.defined for e in (rule, start)]
        made = {s for s, _, _ in self.defined}
        kinds, found = dict(self.kinds), letters_in([self.one.left, self.one.right, *rules])
        kinds |= {square.base: "positive" for square in self.roots.values()}
        return {x: kinds.get(x, "real") for x in found if x not in made}

    @cached_property
    def reading(self) -> Reading:
        """In fractions, or in decimals where there are roots."""
        every = [self.one.left, self.one.right, *(rule for _, rule, _ in self.defined)]
        powers = [p.exp for e in every for p in sp.sympify(e).atoms(sp.Pow)]
        return Reading(self.defined, any(p.is_Rational and not p.is_Integer for p in powers))

    @property
    def named(self) -> dict[str, str]:
        """Kinds by name."""
        return {str(x): kind for x, kind in self.letters.items()}

    # -- the symbolic route -----------------------------------------------------------------------

    def prove(self, time: str) -> Proof:
        """Normal forms, or an induction over the steps of what is defined."""
        try:
            words = self._why()
        except Undecided as refused:
            return Proof(None, f"No normal form: {refused}.")
        if words is None:
            return Proof(None, self._left_over())
        shown = Equation(Formula(r"\text{left}", "left"), sp.sympify(self.one.right))
        told = Derivation("Normal forms", (Step("For every number of steps", words, (shown,)),), ())
        return Proof(True, words, (Evidence("symbolic", words, {"steps": "every"}, told),))

    def _why(self) -> str | None:
        left, right = self.one.left, self.one.right
        if isinstance(self.one, Vanishes):
            return vanishes(left, self.named)
        if self.defined:
            return follows(left, right, self.defined) if self.one.relation == "=" else None
        if self.one.relation == "=":
            rest = difference(left, right, self.named)[0]
            return "Both sides have one normal form." if rest == 0 else None
        if self.one.relation == "<=":
            return never_larger(left, right, self.named)
        least = self._largest_ratio()
        for c in [c for c in _CONSTANTS if c >= least][:2]:
            words = never_larger(left, c * right, self.named)
            if words is not None:
                return f"With C = {c}: {words[0].lower()}{words[1:]}"
        return None

    def _largest_ratio(self) -> Any:
        found = [0]
        for sample in self.samples(_LOOKED_AT):
            sides = self.holds_at(sample)
            if sides is not None and sides[1] > 0:
                found.append(sides[0] / sides[1])
        return max(found)

    def _left_over(self) -> str:
        if self.one.relation != "=" or self.defined:
            return "No proof was found."
        divided = without_denominators(self.one.left, self.one.right)[2]
        times = (
            f", times {' and '.join(plain(q.subs(self._unrooted)) for q in divided)}," if divided else ""
        )
        return f"Left minus right{times} is {plain(self._rest())}."

    def _rest(self) -> Any:
        """Left minus right in the printed words, without denominators."""
        rest, forms = difference(self.one.left, self.one.right, self.named)
        return written(rest, forms, {str(x): x for x in self.letters}).subs(self._unrooted)

    @property
    def _unrooted(self) -> dict[Any, Any]:
        return {square.base: sp.sqrt(x) for x, square in self.roots.items()}

    # -- the exact route --------------------------------------------------------------------------

    def holds_at(self, sample: Sample) -> tuple[Any, Any, bool] | None:
        """Both sides on the first path on which it fails, or on the first path of all."""
        found = None
        for path in range(sample.count if self.differs_by_path else 1):
            try:
                sides = [self.reading.value(s, sample, path) for s in (self.one.left, self.one.right)]
            except (ZeroDivisionError, TypeError):
                return None
            holds = self._compared(*sides)
            if found is None or not holds:
                found = (*sides, holds)
            if not holds:
                break
        return found

    @cached_property
    def differs_by_path(self) -> bool:
        """Whether a random letter stands outside of all means."""
        outside = [
            sp.sympify(s).replace(lambda e: isinstance(e, E), lambda _: sp.Integer(0))
            for s in (self.one.left, self.one.right)
        ]
        return any(self.letters.get(x) in RANDOM for x in letters_in(outside))

    def _compared(self, left: Any, right: Any) -> bool:
        slack = CLOSE * (abs(left) + abs(right)) if self.reading.decimal else 0
        if self.one.relation == "=":
            return bool(abs(left - right) <= slack)
        if self.one.relation == "<=":
            return bool(left - right <= slack)
        if isinstance(self.one, Vanishes):
            return True  # no few steps decide
        return bool(right > slack or left <= slack)  # no constant helps where the right side is 0

    def samples(self, count: int) -> Iterator[Sample]:
        """Simple numbers first."""
        source = random.Random(self.key)
        for place in range(count):
            yield drawn(self.letters, source, simple=place < count // 2)

    def broken(self, count: int = _SEARCHED, any_: bool = False) -> tuple[Sample, Any, Any] | None:
        """The cheapest sample at which it fails, or any."""
        best = None
        for sample in self.samples(count):
            if best is not None and any_:
                break
            if best is not None and sample.cost >= best[0].cost:
                continue
            sides = self.holds_at(sample)
            if sides is not None and not sides[2]:
                best = (sample, sides[0], sides[1])
        return best

    def growing(self) -> tuple[Family, list[float], Any] | None:
        """A family along which no constant is enough."""
        if isinstance(self.one, Vanishes):
            return lasting(self.one.left, self.letters, self.reading)
        if not isinstance(self.one, UpTo):
            return None
        return unbounded(self.one.left, self.one.right, self.letters, self.reading)

    # -- the verdict ------------------------------------------------------------------------------

    def find(self, time: str | None = None) -> Finding:
        """Prove, or refute and say under which condition, and what is true instead."""
        proof = self.prove(self.time)
        broken = self.broken(_LOOKED_AT if proof.holds else _SEARCHED)
        seen = sum(self.holds_at(s) is not None for s in self.samples(_LOOKED_AT // 4))
        grown = None if proof.holds or broken else self.growing()
        words = "violate it" if broken else "satisfy it"
        exact = Evidence(
            "exact", f"Exact paths of few steps {words}.", {"places": seen, "holds": not broken}
        )
        if proof.holds:
            if broken:
                raise differ(self.id, "symbols", "it holds", "exact paths", f"no: {broken}")
            if not seen:
                return Finding("inconclusive", "No path could be looked at.", (*proof.evidence, exact))
            return Finding("proved", proof.reason, (*proof.evidence, exact))
        if broken is None and grown is None:
            return Finding("inconclusive", proof.reason, (exact,))
        reason, shown = self._shown_growth(grown) if broken is None else self._shown(broken, proof)
        finding = Finding(
            of_false(None, None),
            reason,
            (exact,),
            corrected=self.correct(self.time),
            counterexample=shown,
        )
        for condition, claim in self._supposed(finding.corrected is None):
            if claim.broken(_LOOKED_AT, any_=True) is not None:
                continue
            supposed = claim.prove(self.time)
            if supposed.holds:
                told = f"It fails in general and holds when {condition}. The paper does not state this."
                return under(replace(finding, corrected=None), supposed, condition, claim, told)
        return finding

    def _supposed(self, all_: bool) -> Iterator[tuple[str, Self]]:
        if self.defined:
            return
        left, right = sp.sympify(self.one.left), sp.sympify(self.one.right)
        for words, changed, kinds in suppositions((left, right), self.letters, all_):
            new = replace(self.one, left=put(left, changed), right=put(right, changed))
            kept = {x: kind for x, kind in self.letters.items() if x not in changed}
            yield words, replace(self, printed=(new,), where=(), kinds=(*kept.items(), *kinds.items()))

    def _shown(self, broken: tuple[Sample, Any, Any], proof: Proof) -> tuple[str, Counterexample]:
        sample, left, right = broken
        script = self._script(sample, _LARGE if isinstance(self.one, UpTo) else 1)
        words = "left and right side"
        reason = proof.reason if self.one.relation == "=" else "A few steps violate it."
        if isinstance(self.one, UpTo):
            reason = "The right side is zero where the left side is not, so that no constant helps."
        return reason, Counterexample(sample.to_json(), _text(left), _text(right), words, script)

    def _shown_growth(self, grown: Any) -> tuple[str, Counterexample]:
        family, found, ratio = grown
        if isinstance(self.one, Vanishes):
            return self._shown_rest(family, found, ratio)
        place = next((k for k in range(3) if found[k] > _LARGE), 2)
        sample = family.sample(place)
        times = _LARGE if found[place] > _LARGE else max(1, int(found[place]) - 1)
        reason = (
            f"No constant is enough: with {family.text()} the ratio of both sides is {plain(ratio)},"
            f" which grows without bound as {family.along}."
        )
        shown = {"family": family.text(), "ratios": ", ".join(f"{r:.4g}" for r in found)}
        words = f"the ratio of both sides at one member of the family, and a constant C = {times}"
        script = self._script(sample, times)
        return reason, Counterexample(shown, f"{found[place]:.6g}", str(times), words, script)

    def _shown_rest(self, family: Family, found: list[float], value: Any) -> tuple[str, Counterexample]:
        last = family.sample(2)
        bound = f"{found[-1] / 2:.2g}"
        below = replace(self.one, right=sp.Rational(bound), relation="<=")
        script = script_of(self.heading, below, self.reading, last)
        if run(script):
            raise unseen_by_script(self.id)
        reason = f"With {family.text()} it is {plain(value)}, which does not vanish as T grows."
        shown = {"family": family.text(), "values": ", ".join(f"{r:.4g}" for r in found)}
        words = "its value after the last number of steps, and a bound that it does not go below"
        return reason, Counterexample(shown, f"{found[-1]:.6g}", bound, words, script)

    def _script(self, sample: Sample, times: int = 1) -> str:
        script = script_of(self.heading, self.one, self.reading, sample, times)
        if run(script):
            raise unseen_by_script(self.id)
        return script

    def correct(self, time: str) -> Correction | None:
        """Other factors, or what is left over added; a larger bound."""
        if isinstance(self.one, Vanishes):
            return None
        for words, right in self._candidates():
            fixed = replace(self, printed=(replace(self.printed[0], right=right),))
            if fixed.broken(_MENDED_SAMPLES, any_=True) is None and fixed.prove(time).holds:
                line = fixed.printed[0]
                return Correction(line.latex(), line.text(), "proved", words, (line,))
        return None

    def _candidates(self) -> Iterator[tuple[str, Any]]:
        left, right = self.one.left, sp.sympify(self.printed[0].right)
        if self.one.relation != "=":
            yield from larger(right)
            return
        mended = factors(left, right, self.letters, self.reading, self.stood)
        if mended is not None:
            yield "the same terms with other factors", mended
        if not self.defined:
            try:
                rest = self._rest()
                if not without_denominators(left, self.one.right)[2] and len(rest.args) < _MANY:
                    yield "with what is left over", right + rest
            except (Undecided, KeyError):
                return

    def measured(self, finding: Finding, plan: Any) -> tuple[Finding, None]:
        """Nothing is simulated."""
        return finding, None

    # -- wrong twins ------------------------------------------------------------------------------

    def true_statement(self, finding: Finding) -> Self | None:
        """With the condition put in, or corrected."""
        if finding.needs is not None:
            found: Self = finding.needs
            return found
        return super().true_statement(finding)

    def fails_at_once(self, time: str) -> bool:
        """At a few samples."""
        return self.broken(_GLANCES, any_=True) is not None

    def is_caught(self, time: str) -> bool:
        """By exact numbers, or by a family."""
        silent = all(self.holds_at(s) is None for s in self.samples(8))
        if silent or self.broken(any_=True) is not None:
            return True
        if isinstance(self.one, UpTo):
            samples = islice(self.samples(_LOOKED_AT), 0, None, 4)
            bounded = tuple(n for n, kind in self.named.items() if kind in ("at most one", "fraction"))
            sides = (self.one.left, self.one.right)
            if any(grows_with_a_letter(*sides, s, self.reading, bounded) for s in samples):
                return True
        return self.growing() is not None

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """Of an equation both sides; a bound turned round, or with less on its larger side."""
        one = self.printed[0]
        right = sp.sympify(one.right)
        if isinstance(one, Vanishes):
            for name, wrong in islice(twins(sp.sympify(one.left)), _TWINS):
                yield f"left: {name}", replace(self, printed=(replace(one, left=wrong),))
            yield "its inverse", replace(self, printed=(replace(one, left=1 / sp.sympify(one.left)),))
            return
        if one.relation == "=":
            for name, wrong in islice(twins(right), _TWINS):
                yield f"right: {name}", replace(self, printed=(replace(one, right=wrong),))
            return
        terms = sp.Add.make_args(sp.expand(right))
        yield "with its sign flipped", replace(self, printed=(replace(one, right=-right),))
        for term in terms if len(terms) > 1 else ():
            yield f"{term} dropped", replace(self, printed=(replace(one, right=right - term),))
        for e in sorted(right.atoms(sp.Pow), key=str)[:_POWERS]:
            if e.exp.is_Integer and e.exp > 1:
                wrong = right.subs(e, e.base ** (e.exp - 1))
                yield f"power one less in {e}", replace(self, printed=(replace(one, right=wrong),))


def _text(x: Any) -> str:
    return f"{x:.8g}" if not hasattr(x, "numerator") else str(x)
