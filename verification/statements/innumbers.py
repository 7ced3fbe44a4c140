"""A statement of a law whose matrices are numbers times the identity, as one about these numbers.

So it is in one dimension, where A and C are given as such numbers, and of the second moments of a step
whose coefficients are random. Each relation between matrices is then one between their eigenvalues.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import sympy as sp

from sgtheory.dynamics.leading import leading
from sgtheory.notation.printing import tidy
from sgtheory.notation.sentence import formula_of
from sgtheory.polynomials import factored
from sgtheory.setting import Setting
from verification import notation
from verification.laws.quantities import setting_of
from verification.laws.second_moments import second_moments
from verification.relations.compare import Compare
from verification.relations.equal import Equal
from verification.relations.iff import Iff
from verification.relations.joined import All, at_once
from verification.terms.arithmetics.symbols import in_symbols, symbol
from verification.terms.asymptotics import Undecided, first_terms
from verification.terms.from_sympy import from_sympy
from verification.terms.term import Applied, Letter, Name, Term, term
from verification.terms.walking import Unable
from verification.terms.words import word
from verification.theories import one_product
from verification.theories.answers import Proved
from verification.verdicts.verdict import Gap

_I = term(notation.identity)
IN_TIME = ("lagged", "averaged")


class NotInNumbers(Unable):
    """What is no relation between such numbers."""


@dataclass(frozen=True)
class InNumbers:
    """A law in numbers: ``values`` has those of matrices, ``letters`` those of the statement."""

    of: Any  # the sampler, as it is named
    setting: Setting
    values: tuple[tuple[Letter, Term], ...]
    letters: tuple[Letter, ...]
    single: bool  # whether the dimension is one

    @cached_property
    def known(self) -> dict[Letter, Term]:
        """What matrices are: the identity is one."""
        return {_I: term(1), **dict(self.values)}  # type: ignore[dict-item]

    @cached_property
    def definitions(self) -> tuple[Equal, ...]:
        """What second moments are."""
        found = self.moments(self.setting)
        return tuple(Equal(a, f) for a, f in found.items())

    def moments(self, setting: Setting) -> dict[Letter, Term]:
        """Of a sampler on the same problem."""
        found = second_moments(setting)
        if found is None:
            raise NotInNumbers(setting.sampler.name)
        return {Letter(n, "matrix"): self._spelt(f) for n, f in found.moments.items()}

    def _spelt(self, expr: Any) -> Term:
        """A formula of a law in the letters of the statement."""
        own = {a.name: symbol(a) for a in self.letters}
        own |= {a.name: in_symbols(value) for a, value in self.values}
        found = expr.xreplace({x: own[x.name] for x in expr.free_symbols if x.name in own})
        rational = found.is_rational_function()  # powers that are letters would be multiplied out
        return self.in_letters(tidy(sp.factor(found)) if rational else found)

    def in_letters(self, expr: Any) -> Term:
        """With the letters of the statement, which are of their kinds."""
        found, own = from_sympy(expr), {a.name: a for a in self.letters}
        return found.put({a: own.get(a.name, a) for a in found.letters})

    @cached_property
    def settles(self) -> tuple[Compare, ...]:
        """What has to be so for the law to exist."""
        return self._settling(self.setting)

    def _settling(self, setting: Setting) -> tuple[Compare, ...]:
        law = second_moments(setting)
        if law is None:
            raise NotInNumbers(setting.sampler.name)
        found = tuple(dict.fromkeys(self.halves(c) for c in law.settles))
        return tuple(c for c in found if not _is_plain(c)) or found[:1]

    def settle_elsewhere(self, statement: Any) -> Iterator[Compare]:
        """The same of the other laws that a statement looks at."""
        for side in (side for one in statement.relations for side in one.sides):
            for part in side.subterms():
                if isinstance(part, Applied) and part.head == "elsewhere":
                    setting, changed = self._whose(*part.of[1:])
                    yield from (c.put(changed) for c in self._settling(setting))

    def halves(self, expr: Any) -> Compare:
        """``expr > 0``, with what is subtracted on the left and without what is positive anyway."""
        spelt = in_symbols(self._spelt(expr))
        top, below = sp.fraction(factored(spelt))
        factors = [f for f in sp.Mul.make_args(factored(top * below)) if not f.is_positive]
        rest = sp.expand(sp.Mul(*factors))
        less = sp.Add(*(t for t in sp.Add.make_args(rest) if t.could_extract_minus_sign()))
        share = rest.as_content_primitive()[0] if rest.free_symbols else abs(rest)
        left, right = (self.in_letters(tidy(sp.factor(e / share))) for e in (-less, rest - less))
        return Compare(left, "<", right)

    def meant(self, statement: Any) -> Any:
        """A statement in numbers."""
        if isinstance(statement, Iff) and statement.settling:
            return self._iff(statement)
        if not isinstance(statement, All):
            return at_once(self.relations((statement,)))
        if statement.form is not None:
            raise NotInNumbers(statement.text())
        return All(*self.relations(statement.relations))

    def _iff(self, statement: Iff) -> Iff:
        law, when = (statement.statement, statement.when)
        settles = [*self.relations((law,))]
        others = [*self.relations(when.relations)]
        if len(settles) == 1:
            return Iff(settles[0], at_once(others))
        if len(others) == 1:
            return Iff(others[0], All(*settles))
        raise NotInNumbers(statement.text())

    def relations(self, relations: Iterable[Any]) -> Iterator[Any]:
        """The same of some relations; that it settles is as many as it takes."""
        for one in relations:
            if not _settles(one):
                yield one.with_terms(self.number)
                continue
            put = {a: self.number(value) for a, value in one.where}
            there = [replace(c.put(put), needed=True) for c in self.settles]
            if one.settles:
                yield from there
            elif len(there) == 1:
                yield there[0].negated
            else:
                raise NotInNumbers(one.text())

    def gap(self, false: Iterable[Any]) -> Gap | None:
        """How far the sides of equations are apart, relative to the left ones, as the step vanishes."""
        worst: tuple[Any, Any] | None = None
        for one in false:
            left, right = map(in_symbols, (one.left, one.right))
            steps = [x for x in left.free_symbols | right.free_symbols if x.name == self._step]
            known = one.relation == "=" and steps and left != 0 and left != right
            found = _share(left - right, left, steps[0]) if known else None
            if found is None or found[0] <= 0:
                return None
            worst = found if worst is None or found[0] < worst[0] else worst
        if worst is None:
            return None
        term = tidy(sp.factor(worst[1])) * sp.Symbol(self._step, positive=True) ** worst[0]
        return Gap(self._step, str(worst[0]), formula_of(term))

    @property
    def _step(self) -> str:
        return str(self.setting.sampler.step)

    def number(self, side: Term) -> Term:
        """A term in which matrices are numbers."""
        if isinstance(side, Letter):
            found = self.known.get(side, side)
            if found == side and side.kind in ("matrix", "dimension"):
                if side.kind == "dimension" and self.single:
                    return term(1)
                if side not in {d.left for d in self.definitions}:
                    raise NotInNumbers(str(side))
            return found
        if not isinstance(side, Applied):
            return side
        if side.head == "elsewhere":
            return self._elsewhere(*side.of)
        if side.head in IN_TIME:
            return self._in_time(side)
        if side.head == "normal_W2" and self.single:
            law: dict[Letter, Term] = {one.left: one.right for one in self.definitions}
            return self._apart(*(in_symbols(self.number(side.of[k]).put(law)) for k in (0, 2)))
        parts = tuple(map(self.number, side.of))
        on = word(side.head).of_multiples
        diagonal = side.head == "entry" and side.of[1] == side.of[2]
        if on == "every" or diagonal or (on == "one" and self.single):
            return parts[0]
        if on:
            raise NotInNumbers(side.text())
        return side.with_parts(parts)

    def _apart(self, first: Any, second: Any) -> Term:
        """How far two normal laws on a line are apart, where it is known which one is the wider."""
        known = [one.upward for one in self.settles if hasattr(one, "upward")]
        bounds = [(in_symbols(a), in_symbols(b), equal) for a, b, equal in known]
        for wide, narrow in ((first, second), (second, first)):
            if one_product.nowhere_negative(wide - narrow, bounds):
                return self.in_letters(sp.sqrt(wide) - sp.sqrt(narrow))
        raise NotInNumbers("which law is the wider")

    def _in_time(self, side: Applied) -> Term:
        """A covariance at a lag, or of an average over a window, as a formula."""
        law, times = second_moments(self.setting), [_as_time(t) for t in side.of]
        found = None
        if law is not None and side.head == "lagged" and None not in times:
            lag = times[0] - times[1]
            found = law.at_lag(abs(lag) if isinstance(lag, int) else lag)
        if law is not None and side.head == "averaged" and len(times) == 1 and times[0] is not None:
            found = law.averaged(times[0])
        if found is None:
            raise NotInNumbers(side.text())
        return self._spelt(found)

    def _elsewhere(self, of: Term, *whose: Term) -> Term:
        """A quantity of another law, or with parameters changed."""
        if any(isinstance(t, Applied) and t.head in IN_TIME for t in of.subterms()):
            raise NotInNumbers(of.text())
        setting, changed = self._whose(*whose)
        return self.number(of).put(self.moments(setting)).put(changed)

    def _whose(self, name: Term, *changes: Term) -> tuple[Setting, dict[Letter, Term]]:
        """A sampler, and what is changed of its parameters."""
        whose = getattr(name, "meant", None) or (name.name if isinstance(name, Name) else "")
        setting = setting_of(whose) if whose else self.setting
        pairs = zip(changes[::2], changes[1::2], strict=True)
        changed = {self.known.get(a, a): self.number(x) for a, x in pairs}  # type: ignore[call-overload]
        if not all(isinstance(a, Letter) for a in changed):
            raise NotInNumbers(", ".join(map(str, changed)))
        return setting, changed


def _share(difference: Any, of: Any, step: Any) -> tuple[Any, Any] | None:
    """The first power of a step in the share that a difference is; None where that is not known."""
    if (difference / of).is_rational_function(step):
        share = sp.cancel(difference / of)
        return leading(share, step) if share != 0 else None
    try:  # powers may be letters
        (small,), (whole,) = (first_terms(e, step, count=1) for e in (difference, of))
    except Undecided:
        return None
    if abs(small.power) == math.inf or abs(whole.power) == math.inf:
        return None
    power = Fraction(small.power) - Fraction(whole.power)
    return sp.Rational(power.numerator, power.denominator), small.coefficient / whole.coefficient


def _as_time(side: Term) -> Any:
    """A number of steps, or a letter for one; None of others."""
    if isinstance(side, Letter):
        return symbol(side) if side.kind == "count" else None
    value = getattr(side, "value", None)
    return int(value) if value is not None and value == int(value) else None


def _settles(one: Any) -> bool:
    return bool(getattr(one, "settling", False)) and not isinstance(one, Iff)


def _is_plain(one: Compare) -> bool:
    """Whether it is so whatever its letters are."""
    return hasattr(one, "upward") and bool(in_symbols(one.upward[1] - one.upward[0]).is_positive)


def gap(claim: Any, question: Any) -> Any:
    """Of equations of a law in numbers."""
    pairs = zip(question.statement.relations, question.answers, strict=True)
    law = next((one for one in getattr(claim, "laws", ()) if hasattr(one, "gap")), None)
    return None if law is None else law.gap(r for r, said in pairs if not isinstance(said, Proved))
