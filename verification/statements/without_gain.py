"""A statement of a preconditioned sampler in coordinates in which its preconditioner is the identity.

With H = K K, phi = K^(-1) theta has the curvature K A K, the noise K C K and the second moments
K^(-1) Sigma K^(-1). A statement in which every K cancels is one of the sampler without H, and as K A K
and K C K are any such matrices, each is true where the other is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import sympy as sp

from sgtheory.declare import Apply, FullGradient, Gradient, MatrixName, Noise, Root, Sampler, Vector
from sgtheory.modepairs.matrixform import blocks
from verification import notation
from verification.relations.compare import Compare
from verification.relations.iff import Iff
from verification.relations.joined import All
from verification.terms.term import Applied, Letter, Number, Term, term
from verification.terms.walking import Unable
from verification.terms.words import is_matrix

_I = term(notation.identity)


class NotWithout(Unable):
    """What has a root of the preconditioner left in it."""


@dataclass(frozen=True)
class _Weighed:
    """K^left core K^right; where ``core`` is a number times the identity, only the sum counts."""

    left: Fraction
    right: Fraction
    core: Term
    loose: bool = False

    @property
    def total(self) -> Fraction:
        return self.left + self.right

    def like(self, other: _Weighed) -> _Weighed:
        """Written as another one, where it can be."""
        if self.loose and not other.loose and self.total == other.total:
            return replace(self, left=other.left, right=other.right)
        if (self.left, self.right) != (other.left, other.right) and not (
            self.loose and other.loose and self.total == other.total
        ):
            raise NotWithout(f"{self.core}, {other.core}")
        return self


@dataclass(frozen=True)
class WithoutGain:
    """What a statement of a sampler says of the one without its preconditioner."""

    of: Any
    gain: str
    moments: frozenset[str]  # the names of second moments
    tells_matrices = False  # conditions and corrections would be of K A K, and K C K

    def meant(self, statement: Any) -> Any:
        """A statement in the other coordinates."""
        if isinstance(statement, Iff):
            return Iff(self.meant(statement.statement), self.meant(statement.when))
        if isinstance(statement, All):
            if statement.form is not None:
                raise NotWithout(statement.text())
            return All(*map(self.relation, statement.relations))
        return self.relation(statement)

    def relation(self, one: Any) -> Any:
        """A relation in the other coordinates."""
        if isinstance(one, Iff):
            return self.meant(one)
        if one.settling:
            return one
        if not any(map(is_matrix, one.sides)):
            return one.with_sides(*map(self._number, one.sides))
        sides = [None if side == term(0) else self._weighed(side) for side in one.sides]
        known = [side for side in sides if side is not None]
        first = next((side for side in known if not side.loose), known[0])
        known = [side.like(first) for side in known]
        if isinstance(one, Compare) and first.left != first.right and not first.loose:
            raise NotWithout(one.text())
        cores = iter(known)
        return one.with_sides(*(term(0) if side is None else next(cores).core for side in sides))

    def relations(self, relations: Iterable[Any]) -> Iterator[Any]:
        """Several, without those that say nothing."""
        found = map(self.relation, relations)
        yield from (one for one in found if one.settling or one.left != one.right)

    def _number(self, side: Term) -> Term:
        """A number, perhaps of matrices in which all roots cancel."""
        if not isinstance(side, Applied):
            return side
        if not any(map(is_matrix, side.of)):
            return side.with_parts(tuple(map(self._number, side.of)))
        if side.head not in ("tr", "lambda_max", "lambda_min"):
            raise NotWithout(side.text())
        inside = self._weighed(side.of[0])
        if inside.total != 0:
            raise NotWithout(side.text())
        return side.with_parts((inside.core,))

    def _weighed(self, side: Term) -> _Weighed:
        if isinstance(side, Letter):
            return self._letter(side)
        if not isinstance(side, Applied):
            raise NotWithout(str(side))
        rule = {"+": self._sum, "-": self._sum, "*": self._product, "**": self._power}.get(side.head)
        if rule is not None:
            return rule(side)
        first = self._weighed(side.of[0])
        if side.head == "/" and not is_matrix(side.of[1]):
            return replace(first, core=first.core / self._number(side.of[1]))
        if side.head == "negative":
            return replace(first, core=-first.core)
        if side.head == "transpose":
            return replace(
                first, left=first.right, right=first.left, core=side.with_parts((first.core,))
            )
        raise NotWithout(side.text())

    def _letter(self, side: Letter) -> _Weighed:
        one = Fraction(1)
        if side == _I:
            return _Weighed(0 * one, 0 * one, _I, loose=True)
        if side.name == self.gain:
            return _Weighed(one, one, _I, loose=True)
        if side.name in ("A", "C"):
            return _Weighed(-one, -one, side)
        if side.name in self.moments:
            return _Weighed(one, one, side)
        raise NotWithout(str(side))

    def _sum(self, side: Applied) -> _Weighed:
        a, b = map(self._weighed, side.of)
        a, b = (a.like(b), b) if a.loose else (a, b.like(a))
        return replace(a, core=side.with_parts((a.core, b.core)), loose=a.loose and b.loose)

    def _product(self, side: Applied) -> _Weighed:
        first, second = side.of
        if not (is_matrix(first) and is_matrix(second)):
            number, matrix = (second, first) if is_matrix(first) else (first, second)
            found = self._weighed(matrix)
            return replace(found, core=self._number(number) * found.core)
        a, b = self._weighed(first), self._weighed(second)
        core = _beside(a.core, b.core) if a.loose else _beside(b.core, a.core) if b.loose else None
        core = a.core * b.core if core is None else core
        if a.loose:
            return _Weighed(a.total + b.left, b.right, core, b.loose)
        if b.loose:
            return _Weighed(a.left, a.right + b.total, core)
        if a.right + b.left != 0:
            raise NotWithout(side.text())
        return _Weighed(a.left, b.right, core)

    def _power(self, side: Applied) -> _Weighed:
        base, power = side.of
        found, value = self._weighed(base), _exponent(power)
        if found.core == _I:
            return _Weighed(value * found.total / 2, value * found.total / 2, _I, loose=True)
        if value == -1:
            return _Weighed(-found.right, -found.left, found.core ** term(-1), found.loose)
        if value.denominator == 1 and value > 0 and found.total == 0:
            return replace(found, core=side.with_parts((found.core, power)))
        raise NotWithout(side.text())


def _beside(loose: Term, core: Term) -> Term | None:
    """A matrix times a number times the identity; None where that is not written so."""
    if loose == _I:
        return core
    if isinstance(loose, Applied) and loose.head == "*" and loose.of[1] == _I:
        return loose.of[0] * core
    return None


def _exponent(power: Term) -> Fraction:
    if isinstance(power, Number):
        return power.value
    if isinstance(power, Applied) and power.head == "negative":
        return -_exponent(power.of[0])
    if isinstance(power, Applied) and power.head == "/":
        return _exponent(power.of[0]) / _exponent(power.of[1])
    raise NotWithout(str(power))


def without_gain(
    of: Any, statement: Any, given: tuple[Any, ...]
) -> tuple[WithoutGain, Sampler, tuple[Any, ...]] | None:
    """The sampler without its preconditioner, and what is given then; None where that cannot be said.

    Of our own samplers more is known: theories have their preconditioners as letters.
    """
    gains = [p for p in getattr(of, "parameters", ()) if isinstance(p, MatrixName) and p.is_positive]
    told = [r for h in given for r in getattr(h, "relations", ())]
    names = {a.name for one in (statement, *told) for a in one.letters if a.kind == "matrix"}
    if isinstance(of, str) or len(gains) != 1 or gains[0].name not in names:
        return None
    sampler = _taken_out(of, gains[0])
    if sampler is None:
        return None
    found = WithoutGain(of, gains[0].name, frozenset(blocks(s.name for s in of.state)))
    try:
        found.meant(statement)
        rest = [h for h in given if not hasattr(h, "relations")]
        return found, sampler, (*rest, *found.relations(told))
    except NotWithout:
        return None


def _taken_out(sampler: Sampler, gain: Any) -> Sampler | None:
    """Without a gain that stands before every gradient, and its root before every noise."""
    bare = [(target, _loose(sp.sympify(e), gain)) for target, e in sampler.updates]
    silent = [e.replace(_is_rooted(gain), lambda _: sp.Integer(0)) for _, e in sampler.updates]
    if any(e.has(gain) for _, e in bare) or any(e.atoms(Noise) for e in silent):
        return None
    if any(_bare_gradient(sp.sympify(e), gain) for _, e in sampler.updates):
        return None
    return replace(sampler, updates=tuple(bare))


def _is_rooted(gain: Any) -> Any:
    return lambda e: isinstance(e, Apply) and e.args[0] == Root(gain) and isinstance(e.args[1], Noise)


def _is_gradient(gain: Any) -> Any:
    """``H`` applied to gradients, and to nothing else."""

    def seen(e: Any) -> bool:
        if not (isinstance(e, Apply) and e.args[0] == gain):
            return False
        hidden = sp.sympify(e.args[1]).replace(Gradient, _nothing).replace(FullGradient, _nothing)
        return not hidden.atoms(Vector)

    return seen


def _nothing(*_: Any) -> Any:
    return sp.Integer(0)


def _loose(expr: Any, gain: Any) -> Any:
    return expr.replace(_is_gradient(gain), lambda e: e.args[1]).replace(
        _is_rooted(gain), lambda e: e.args[1]
    )


def _bare_gradient(expr: Any, gain: Any) -> bool:
    """Whether a gradient stands without the preconditioner."""
    rest = expr.replace(_is_gradient(gain), _nothing)
    return bool(rest.atoms(Gradient, FullGradient))
