"""Claims about sums of sequences that obey a relation at every step: sums that telescope.

A sequence is an unspecified function of a whole number, ``step`` one relation that holds at each t and
is solved for ``solved``. The proof goes from L to L + 1; the other route adds up numbers.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property
from typing import Any, Self

import sympy as sp
from sympy.core.function import AppliedUndef

from sgtheory.derivation import Derivation, Equation, Formula, Step
from sgtheory.printing import plain
from verification.claims.base import Claim, Printed, Proof
from verification.miner.conditions import Condition
from verification.refuter.jetscript import Python, name_of
from verification.refuter.places import Place, Space
from verification.refuter.search import Failure, Look, Sides, seen
from verification.twins import corruptions, spread
from verification.verdict import Correction, Counterexample, Evidence, Finding

t = sp.Symbol("t", integer=True)
L = sp.Symbol("L", integer=True, positive=True)
_LONGEST, _MOST = 3, 200  # steps that are added up, and small places
_TWINS = 16
_DRAWN = 5  # random places at which a corruption is looked at
_BY_INDUCTION = {
    False: "With Delta_L for left minus right:",
    True: "With Delta_L for left minus right, times L:",
}


@dataclass(frozen=True)
class Telescoped(Claim):
    """``printed`` is one relation between sums over t = 1, ..., L, for every L."""

    step: Printed | None = None
    solved: Any = None
    start: tuple[tuple[Any, Any], ...] = ()  # values at 0 that are those of others

    def has_discrete_reading(self) -> bool:
        """It is about sums."""
        return False

    @cached_property
    def rule(self) -> Any:
        """What the sequence that is solved for is at t."""
        if self.step is None:
            return sp.Integer(0)
        return _rule(self.step, self.solved)

    def settled(self, expr: Any) -> Any:
        """With the relation put in wherever the sequence occurs, and starts that are given."""
        if self.step is None:
            return sp.sympify(expr).subs(dict(self.start))
        head = self.solved.func
        done = sp.sympify(expr).replace(
            lambda e: isinstance(e, AppliedUndef) and e.func == head,
            lambda e: self.rule.subs(t, e.args[0]),
        )
        return done.subs(dict(self.start))

    @cached_property
    def lengths(self) -> dict[int, tuple[Any, Any]]:
        """Both sides for a few numbers of steps."""
        return {n: self.at_length(n) for n in range(1, _LONGEST + 1)}

    def at_length(self, n: int) -> tuple[Any, Any]:
        """Both sides for a number of steps, written out."""
        printed = self.printed[0]
        left, right = (
            self.settled(sp.sympify(side).subs(L, n).doit()) for side in (printed.left, printed.right)
        )
        return sp.expand(left), sp.expand(right)

    def space(self) -> Space:
        """Values of all sequences, and the letters."""
        printed, letters = self.printed[0], {"L": "count"}
        sides = [sp.sympify(s) for s in (printed.left, printed.right, self.rule)]
        for s in sorted({s for e in sides for s in e.free_symbols} - {L, t}, key=str):
            letters[s.name] = "positive"
        for pair in self.lengths.values():
            for e in pair:
                letters |= {_letter(f): "real" for f in sorted(e.atoms(AppliedUndef), key=str)}
        return Space({}, letters, most=_MOST)

    def lattice(self, time: str) -> tuple[Condition, ...]:
        """There is nothing to be mined."""
        return ()

    def look(self, time: str) -> Look:
        """Both sides, added up."""
        written = {n: tuple(map(_terms, pair)) for n, pair in self.lengths.items()}

        def at(place: Place) -> Sides | None:
            n = _length(place)
            left, right = (_value(terms, place) for terms in written[n])
            return Sides(left, right, left == right)

        return at

    def prove(self, time: str) -> Proof:
        """L = 1, and from L to L + 1."""
        first, after = self.induction
        words = (
            f"For L = 1 the sides differ by {plain(first)}, and {plain(after)} is added with each step."
        )
        steps = (Step("By induction", _BY_INDUCTION[self._is_multiplied], _told(first, after)),)
        told = Evidence("symbolic", words, {"first": plain(first)}, Derivation("Induction", steps, ()))
        if first == 0 and after == 0:
            return Proof(True, "It holds for L = 1, and from L to L + 1 both sides grow alike.", (told,))
        return Proof(False, words, (told,))

    @property
    def _whole(self) -> Any:
        """Left minus right."""
        return sp.sympify(self.printed[0].left) - sp.sympify(self.printed[0].right)

    @property
    def _is_multiplied(self) -> bool:
        """Whether the sides are divided by L, so that L times them is what grows by sums."""
        return bool(self._whole.has(1 / L))

    @cached_property
    def induction(self) -> tuple[Any, Any]:
        """Left minus right, times L: at L = 1, and what one more step adds."""
        a, b = self.lengths[1]
        added = sp.Integer(0)
        whole = sp.expand(self._whole * L if self._is_multiplied else self._whole)
        for term in sp.Add.make_args(whole):
            sums = term.atoms(sp.Sum)
            if not sums:
                added += term.subs(L, L + 1) - term
                continue
            (total,) = sums
            factor = term / total
            if factor.has(L):
                added += sp.Dummy("not linear")  # such a sum is not taken
            ((index, _, last),) = total.limits
            added += factor * total.function.subs(index, last.subs(L, L + 1))
        return sp.expand(a - b), sp.expand(self.settled(added))

    def correct(self, time: str) -> Correction | None:
        """With the sign of one term turned, where that is all."""
        printed = self.printed[0]
        terms = sp.Add.make_args(sp.sympify(printed.right))
        for term in terms:
            true = replace(printed, right=sp.Add(*terms) - 2 * term)
            fixed = replace(self, printed=(true,))
            if fixed.prove(time).holds and fixed.tested(time).data["holds"]:
                return Correction(true.latex(), true.text(), "proved", "with one sign turned", (true,))
        return None

    def script(self, failure: Failure, time: str) -> str:
        """The numbers of the sequences, and both sides added up."""
        n, printed = _length(failure.place), self.printed[0]
        printer, scalars = _Sums(), failure.place.scalars
        lines = [f"# {self.heading}", "from fractions import Fraction as F", f"L = {n}"]
        known: dict[str, dict[str, str]] = {}
        for e in self.lengths[n]:
            for f in sorted(e.atoms(AppliedUndef), key=str):
                known.setdefault(f.func.__name__, {})[str(f.args[0])] = f"F('{scalars[_letter(f)]}')"
        for f, value in self.start:
            known.setdefault(f.func.__name__, {})[str(f.args[0])] = printer.doprint(value)
        sides = (printed.left, printed.right, self.rule)
        letters = {s for side in sides for s in sp.sympify(side).free_symbols}
        lines += [f"{name_of(s)} = F('{scalars[s.name]}')" for s in sorted(letters - {L, t}, key=str)]
        started = {f.func.__name__ for f, _ in self.start}
        for name in sorted(known, key=lambda n: n in started):  # values that are others' come last
            entries = ", ".join(f"{k}: {v}" for k, v in known[name].items())
            lines.append(f"of_{name} = {{{entries}}}.__getitem__")
        if self.step is not None:
            head = f"of_{self.solved.func.__name__}"
            lines.append(f"{head} = lambda t: {printer.doprint(self.rule)}")
        lines.append(f"left, right = {printer.doprint(printed.left)}, {printer.doprint(printed.right)}")
        return "\n".join([*lines, "print(left, right)", "print(left == right)"]) + "\n"

    def counterexample_of(self, failure: Failure, time: str) -> Counterexample:
        """The values that occur."""
        n = _length(failure.place)
        used = {_letter(f) for e in self.lengths[n] for f in e.atoms(AppliedUndef)} | {"L"}
        used |= {s.name for e in self.lengths[n] for s in e.free_symbols}
        shown = {name: str(x) for name, x in failure.place.scalars.items() if name in used}
        left, right = str(failure.sides.left), str(failure.sides.right)
        return Counterexample(shown, left, right, "left and right side")

    def is_caught(self, time: str) -> bool:
        """At random places: nothing need be small here."""
        source, look, space = random.Random(1), self.look(time), self.space()
        drawn = (seen(look, space.random(source)) for _ in range(_DRAWN))
        return any(s is not None and not s.holds for s in drawn)

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """One side corrupted."""
        yield from spread(self._corrupted(), _TWINS)

    def _corrupted(self) -> Iterator[tuple[str, Self]]:
        printed = self.printed[0]
        for side in ("left", "right"):
            for name, wrong in corruptions(sp.expand(sp.sympify(getattr(printed, side)))):
                yield f"{side}: {name}", replace(self, printed=(replace(printed, **{side: wrong}),))


class _Sums(Python):
    """Sums and sequences as Python text."""

    def _print_Sum(self, expr: Any) -> str:
        ((index, first, last),) = expr.limits
        body = self._print(expr.function)
        return f"sum(({body}) for {index} in range({self._print(first)}, {self._print(last)} + 1))"

    def _print_Function(self, expr: Any) -> str:
        return f"of_{expr.func.__name__}({self._print(expr.args[0])})"

    def _print_Symbol(self, expr: Any) -> str:
        return expr.name if expr in (t, L) else name_of(expr)

    def _print_Integer(self, expr: Any) -> str:
        return str(expr.p)


@cache
def _rule(step: Printed, solved: Any) -> Any:
    rest = sp.expand(step.left - step.right)
    factor = rest.coeff(solved)
    return sp.expand((factor * solved - rest) / factor)


def _length(place: Place) -> int:
    return (int(place.scalars["L"]) - 1) % _LONGEST + 1


def _letter(f: Any) -> str:
    return f"{f.func.__name__}_{f.args[0]}"


def _terms(expr: Any) -> tuple[tuple[Fraction, tuple[tuple[str, int], ...]], ...]:
    """A sum of products of letters: coefficients, names and powers."""
    found = []
    for term in sp.Add.make_args(expr):
        number, rest = term.as_coeff_Mul()
        powers = [f.as_base_exp() for f in sp.Mul.make_args(rest) if f != 1]
        named = tuple((b.name if b.is_Symbol else _letter(b), int(k)) for b, k in powers)
        found.append((Fraction(int(number.p), int(number.q)), named))
    return tuple(found)


def _value(terms: Any, place: Place) -> Fraction:
    total = Fraction(0)
    for value, powers in terms:
        for name, k in powers:
            value *= place.scalars[name] ** k
        total += value
    return total


def _told(first: Any, after: Any) -> tuple[Equation, Equation]:
    r"""By how much the sides differ at L = 1, and by how much more after one step more.

    >>> [e.latex for e in _told(sp.Integer(0), t)]
    ['\\Delta_{1} = 0', '\\Delta_{L+1} - \\Delta_{L} = t']
    """
    return (
        Equation(Formula(r"\Delta_{1}", "Delta_1"), first),
        Equation(Formula(r"\Delta_{L+1} - \Delta_{L}", "Delta_(L+1) - Delta_L"), after),
    )
