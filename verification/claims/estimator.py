"""Claims about minibatches and printed losses: gradients, Hessians, noise, estimators.

Both sides are written in the words of ``verification.batchwords``. The proof is a normal form, for every
N, S and dimension and all data; the other route goes through all minibatches of small data. A statement
that does not say how a minibatch is drawn is about both ways, and the miner finds the way it needs.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice
from typing import Any, Self

import sympy as sp

from sgtheory.derivation import Derivation, Equation, Formula, Step
from sgtheory.printing import latex, plain
from verification.batchwords import (
    BatchAverage,
    Degree,
    First,
    Gradient,
    Hessian,
    has_bare_batch,
    theta,
)
from verification.claims.base import Claim, Printed, Proof
from verification.claims.drawn_mending import IRREDUCIBLE, NoSimpler, corrected, degrees, exchanged
from verification.miner.conditions import Condition, restrict
from verification.miner.drawing import DRAWINGS, WITH, WITHOUT, AllDrawn, Drawing, Drawn, OneDrawn
from verification.notation import N, S
from verification.prover.closed import written
from verification.prover.draws import Form, Reader
from verification.prover.growth import Growth, growth
from verification.prover.vectors import BATCH, FIRST, Misfit
from verification.refuter.batchscript import batch_script
from verification.refuter.comparing import compared, grown, instances, relative, shown
from verification.refuter.enumeration import Data, Unlike, compiled
from verification.refuter.places import Place
from verification.refuter.samples import TIMES, Samples, samples
from verification.refuter.search import Failure, Look, Sides, seen
from verification.twins import corruptions
from verification.verdict import Correction, Counterexample, Evidence, Finding, Gap

_ONE_FORM = "Both sides have one normal form"
_LOOKED_AT, _SLOW = 30, 10


@dataclass(frozen=True)
class Estimator(Claim):
    """``printed`` relates expressions in averages: ``=``; ``<=`` for a degree; ``~`` as ``grows`` does.

    An equation that a paper calls approximate names the size that ``grows``; ``scale_squared`` is the
    square of what its error is measured by, where the right side is zero.
    """

    grows: Any = None
    scale_squared: Any = None

    def symbols(self) -> set[Any]:
        """All letters."""
        sides = [sp.sympify(s) for p in self.printed for s in (p.left, p.right)]
        scale = set() if self.scale_squared is None else self.scale_squared.free_symbols
        hessian = {sp.Symbol("I", commutative=False)}
        return set().union(scale, *(s.free_symbols for s in sides)) - hessian

    @cached_property
    def _samples(self) -> Samples:
        found = samples(self.symbols(), any(p.relation == "~" for p in self.printed))
        if self._has(Degree, Gradient, Hessian) and theta.name not in found.fixed:
            return replace(found, fixed=(*found.fixed, theta.name))
        return found

    def _has(self, *words: Any) -> bool:
        return any(sp.sympify(s).has(*words) for p in self.printed for s in (p.left, p.right))

    def space(self) -> Samples:
        """Small data."""
        return self._samples

    def letters(self) -> tuple[str, ...]:
        """No condition lies on a matrix."""
        return ()

    def lattice(self, time: str) -> tuple[Condition, ...]:
        """How one draws, and how many; what is right in the limit that is stated needs no condition."""
        if self.gap(time) is not None:
            return ()
        return tuple(c for c in DRAWINGS if c not in self.given)

    @property
    def necessity_looks(self) -> int:
        """Each goes through all minibatches."""
        return 60

    def has_discrete_reading(self) -> bool:
        """It is about one minibatch, not about time."""
        return False

    # -- exact places ------------------------------------------------------------------------------

    def look(self, time: str) -> Look:
        """Both sides of the first relation that fails, or of the last."""
        sides = [(p, compiled(p.left), compiled(p.right)) for p in self.printed]
        closed = {
            (p, w == WITH): compiled(self.closed(p, w))
            for p in self.printed
            for w in self.schemes
            if p.relation == IRREDUCIBLE and self.closed(p, w) is not None
        }
        space = self.space()

        def at(place: Place) -> Sides | None:
            if not all(c.holds(place) for c in self.conditions):
                return None
            shown = None
            for p, left, right in sides:
                for data in instances(space.data(place), p):
                    try:
                        if p.relation == IRREDUCIBLE and not closed:
                            return None
                        if p.relation == IRREDUCIBLE:
                            shown = compared(left(data), closed[p, data.repeats](data), "!=")
                        elif p.relation == "~":
                            shown = self._in_the_limit(left, right, data)
                        else:
                            shown = compared(left(data), right(data), p.relation)
                    except Unlike:
                        return Sides("one shape", "another", False)
                    if shown is None or not shown.holds:
                        return shown
            return shown

        return at

    def _in_the_limit(self, left: Any, right: Any, data: Data) -> Sides | None:
        """The relative error at one size, and at three times that size: it has to become smaller."""
        further = grown(data, self.grows, TIMES)
        near, far = (relative(left(d), right(d)) for d in (data, further))
        if near is None or far is None:
            return None
        if has_bare_batch(self.printed[0].right) or has_bare_batch(self.printed[0].left):
            return Sides("one minibatch", "every size", False)
        return Sides(near, far, 3 * far**2 <= near**2)

    @property
    def _looks(self) -> int:
        """Derivatives and limits take many evaluations each."""
        slow = self._has(Degree, Hessian) or any(p.relation == "~" for p in self.printed)
        return _SLOW if slow else _LOOKED_AT

    def failure(self, time: str, evaluations: int = 10 * _LOOKED_AT) -> Failure | None:
        """Among fewer places; a closed form is shown at data that are not too special."""
        if any(p.relation == IRREDUCIBLE for p in self.printed):
            place = self.space().random(random.Random(2))
            sides = seen(self.look(time), place)
            return None if sides is None or sides.holds else Failure(place, sides)
        return super().failure(time, min(evaluations, 4 * self._looks))

    def is_caught(self, time: str, looks: int = _LOOKED_AT) -> bool:
        """Whether exact numbers show that it is false: one place of each size, then small ones."""
        look, space = self.look(time), self.space()
        places = islice(chain(space.spread(), space.small()), min(looks, self._looks))
        for place in places:
            for condition in self.conditions:
                place = restrict(place, condition)
            sides = seen(look, place) if space.has(place) else None
            if sides is not None and not sides.holds:
                return True
        return False

    # -- the normal form ---------------------------------------------------------------------------

    @property
    def schemes(self) -> tuple[str, ...]:
        """The ways of drawing that what is given leaves."""
        drawings = [c for c in self.conditions if isinstance(c, Drawing)]
        return tuple(w for w in (WITH, WITHOUT) if all(w in c.schemes for c in drawings))

    def reader(self, scheme: str) -> Reader:
        """With sizes put in where they are given."""
        sizes: dict[Any, Any] = {}
        if any(isinstance(c, OneDrawn) for c in self.conditions):
            sizes[S] = sp.Integer(1)
        if any(isinstance(c, AllDrawn) for c in self.conditions):
            sizes[S] = N
        return Reader(scheme, self.symbols(), sizes)

    def forms(self, printed: Printed, scheme: str) -> tuple[Form, Form]:
        """Both sides in normal form."""
        reader = self.reader(scheme)
        return reader.read(printed.left), reader.read(printed.right)

    def prove(self, time: str) -> Proof:
        """Both sides have one normal form, for each way of drawing that is left."""
        told: list[Step] = []
        failed: list[str] = []
        for scheme in self.schemes:
            for printed in self.printed:
                try:
                    holds, step = self._decided(printed, scheme)
                except Misfit as why:
                    return Proof(False, f"It is {why}.")
                except NotImplementedError as why:
                    return Proof(None, f"No normal form: {why}.")
                told.append(step)
                failed += [] if holds else [scheme]
        words = "For every N, S and dimension, and all data."
        derivation = Derivation("Averages in normal form", tuple(told), ())
        evidence = (Evidence("symbolic", words, {"dimensions": "every"}, derivation),)
        return Proof(not failed, self._reason(failed), evidence)

    def _reason(self, failed: list[str]) -> str:
        if any(p.relation == IRREDUCIBLE for p in self.printed):
            return "It is a sum over the examples, without any minibatch."
        if any(p.relation == "<=" for p in self.printed):
            return f"The degree in theta is {'' if failed else 'not '}larger than printed."
        limit = any(p.relation == "~" for p in self.printed)
        if not failed:
            start = f"The ratio of the sides tends to 1 as {self.grows} grows" if limit else _ONE_FORM
            drawn = f", drawn {self.schemes[0]}" if len(self.schemes) == 1 else ""
            how = f"for every N, S and dimension, and all data{drawn}" if self.is_random else (
                "for all data, in every dimension")  # fmt: skip
            return f"{start}, {how}."
        if limit:
            return f"The ratio of the sides does not tend to 1 as {self.grows} grows."
        if self.is_random and len(set(failed)) < 2 and len(self.schemes) > 1:
            return f"The two sides differ when minibatches are drawn {failed[0]}."
        return "The two sides differ."

    def reason(self, verdict: str, time: str, mined: Any, proof: Proof) -> str:
        """What is approximate is said to be."""
        if verdict == "limit-only":
            return f"It is right to leading order as {self.grows} grows, and no further."
        return super().reason(verdict, time, mined, proof)

    @property
    def is_random(self) -> bool:
        """Whether a minibatch occurs."""
        return self._has(BatchAverage, First)

    def _decided(self, printed: Printed, scheme: str) -> tuple[bool, Step]:
        reader = self.reader(scheme)
        if printed.relation == "<=":
            degree = degrees(printed.left, reader)
            step = _told("The degree in theta", Formula(r"\deg", "degree"), degree)
            return bool(degree <= printed.right), step
        left = reader.read(printed.left)
        if printed.relation == IRREDUCIBLE:
            shown = written(left, reader)
            if shown is None:
                raise NotImplementedError("it has products of different examples in it")
            return False, _told(scheme, Formula(latex(printed.left), plain(printed.left)), shown)
        rest = left - reader.read(printed.right)
        if printed.relation == "~":
            if any(m.labels(k) for m in rest.terms for k in (BATCH, FIRST)):
                raise Misfit("about one minibatch, at every size")
            found = self._growth(printed, scheme)
            holds = found is not None and found.order > 0
            error = sp.Integer(0) if found is None else found.term
            return holds, _told(scheme, Formula(r"\text{relative error}", "relative error"), error)
        shown = written(rest, reader)
        value = Formula(r"\text{not zero}", "not zero") if shown is None else shown
        return not rest.terms, _told(
            scheme, Formula(r"\text{left} - \text{right}", "left - right"), value
        )

    def closed(self, printed: Printed, scheme: str) -> Any:
        """What is said not to have a simpler form, in one."""
        reader = self.reader(scheme)
        return written(reader.read(printed.left), reader)

    def _growth(self, printed: Printed, scheme: str) -> Growth | None:
        reader = self.reader(scheme)
        scale = None if self.scale_squared is None else reader.read(self.scale_squared)
        left, right = (reader.read(s) for s in (printed.left, printed.right))
        return growth(left - right, right, scale, reader, self.grows)

    def gap(self, time: str) -> Gap | None:
        """The relative error as a size grows, where the paper says that it does."""
        if self.grows is None or any(p.relation == "~" for p in self.printed):
            return None
        found = [self._growth(p, w) for w in self.schemes for p in self.printed]
        known = [g for g in found if g is not None]
        if len(known) < len(found) or any(g.order <= 0 for g in known):
            return None
        worst = min(known, key=lambda g: g.order)
        return Gap(f"1/{self.grows}", str(worst.order), Formula(latex(worst.term), plain(worst.term)))

    # -- what is true instead ------------------------------------------------------------------------

    def correct(self, time: str) -> Correction | None:
        """The right side times what is missing, else the left side as averages over the data."""
        return corrected(self)

    def true_statement(self, finding: Finding) -> Self | None:
        """A correction that depends on how one draws is taken with replacement, where that is left."""
        true = super().true_statement(finding)
        if true is None or finding.verdict == "proved" or finding.needs is not None:
            return true
        if len(true.schemes) > 1 and not true.prove(true.time).holds:
            true = true.under(Drawn((), WITH if WITH in true.schemes else WITHOUT))
        return replace(true, grows=None, scale_squared=None)

    def corrupted(self, finding: Any) -> Iterator[tuple[str, Self]]:
        """Each side corrupted; averages over the data and over minibatches taken for each other."""
        for k, printed in enumerate(self.printed):
            sides = ("left",) if printed.relation == IRREDUCIBLE else ("left", "right")
            for side in sides:
                expr = sp.sympify(getattr(printed, side))
                for name, wrong in (*corruptions(expr), *exchanged(expr)):
                    changed = replace(printed, **{side: wrong})
                    relations = (*self.printed[:k], changed, *self.printed[k + 1 :])
                    yield f"{side}: {name}", replace(self, printed=relations)

    def says_the_same(self, other: Any) -> bool:
        """Whether the normal forms are the same: then it is no corruption."""
        try:
            return bool(self.prove(self.time).holds)
        except (TypeError, ValueError, ZeroDivisionError, NotImplementedError):
            return False

    # -- how it is shown -------------------------------------------------------------------------------

    def script(self, failure: Failure, time: str) -> str:
        """All minibatches of the data, in NumPy."""
        for printed in self.printed:
            data = self._failing(printed, failure, time)
            if data is None:
                continue
            right = printed.right
            if printed.relation == IRREDUCIBLE:
                right = self.closed(printed, WITH if data.repeats else WITHOUT)
            relation = "!=" if printed.relation == IRREDUCIBLE else printed.relation
            further = grown(data, self.grows, TIMES) if relation == "~" else None
            return batch_script(self.heading, data, printed.left, right, relation, further)
        return ""

    def _failing(self, printed: Printed, failure: Failure, time: str) -> Data | None:
        """The data at which a relation fails, with the minibatch or example for which it does."""
        one = replace(self, printed=(printed,))
        sides = one.look(time)(failure.place)
        if sides is None or sides.holds:
            return None
        left, right = (compiled(s) for s in (printed.left, printed.right))
        whole = self.space().data(failure.place)
        for data in instances(whole, printed) if printed.relation == "=" else ():
            if not compared(left(data), right(data), "=").holds:
                return data
        return whole

    def counterexample_of(self, failure: Failure, time: str) -> Counterexample:
        """The data, and both sides."""
        limit = any(p.relation == "~" for p in self.printed)
        words = (
            f"the relative error there, and with {TIMES} times the {self.grows}"
            if limit
            else "left and right side"
        )
        if any(p.relation == IRREDUCIBLE for p in self.printed):
            words = "what is printed, and a sum over the examples: they are equal"
        drawn = WITHOUT if failure.place.scalars["without"] else WITH
        if self.is_random:
            words = f"over all minibatches, drawn {drawn}, {words}"
        left, right = (shown(s) for s in (failure.sides.left, failure.sides.right))
        return Counterexample(self.space().to_json(failure.place), left, right, words)


def _told(scheme: str, name: Formula, value: Any) -> Step:
    return Step(scheme[0].upper() + scheme[1:], "In normal form:", (Equation(name, value),))


__all__ = ["Estimator", "NoSimpler"]
