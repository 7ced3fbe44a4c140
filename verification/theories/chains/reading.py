"""Sides of a statement about chains in symbols: means as functions, and steps beside them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from sgtheory.dynamics.firstorder import LineStep
from sgtheory.dynamics.noises import NORMAL, NoiseLaw
from verification.terms.arithmetics.symbols import SYMBOLS, symbol
from verification.terms.term import Applied, Letter, Term
from verification.terms.walking import Unable, walk

ROUGH = (sp.sign, sp.Abs, sp.Max, sp.Min)


class Settled(sp.Function):
    """The mean of its second argument under the law of the chain that the first names."""


class Laws(sp.Function):
    """How many laws a step leaves as they are."""


class Differs(sp.Function):
    """By how much the law of a chain, its first, differs from those of a kind, its second."""


class Under(sp.Function):
    """The mean of its third argument under exp of its first, over the second."""


@dataclass(frozen=True)
class Reading:
    """Symbols of terms; ``functions`` are those that are known, by name."""

    functions: Mapping[str, Any] = field(default_factory=dict)
    known: Mapping[Any, Any] = field(default_factory=dict)  # letters that are formulas in others
    steps: dict[str, LineStep] = field(default_factory=dict)

    def of(self, side: Term) -> Any:
        """A side as an expression, in which means are functions."""
        own = {
            "settled": self._settled,
            "settled_laws": lambda name, *step: Laws(self._step(name, *step)),
            "unlike": lambda name, law, *step: Differs(self._step(name, *step), sp.Symbol(law)),
            "drawn": lambda noise, law, *numbers: (noise, NoiseLaw(law, numbers)),
            "mean_under": lambda a, f, x: Under(a, x, f),
            "tanh": sp.tanh,
            "partial": _slope,
        }
        arithmetic = replace(SYMBOLS, operations={**SYMBOLS.operations, **own})
        return sp.sympify(walk(side, arithmetic, {a.name: self._letter(a) for a in side.letters}))

    def _letter(self, letter: Letter) -> Any:
        if letter.name in self.functions and "function" in letter.kind:
            return self.functions[letter.name]
        if letter.kind == "variable":
            return sp.Symbol(letter.name, real=True)
        return self.known.get(symbol(letter), symbol(letter))

    def _settled(self, name: str, body: Any, *step: Any) -> Any:
        return Settled(self._step(name, *step), body)

    def _step(self, name: str, after: Any, new: Any, place: Any, *noises: Any) -> Any:
        pairs = [one if isinstance(one, tuple) else (one, NORMAL) for one in noises]
        laws = () if all(law == NORMAL for _, law in pairs) else tuple(law for _, law in pairs)
        found = LineStep(after, place, tuple(w for w, _ in pairs), new if after.has(new) else None, laws)
        while self.steps.setdefault(name, found) != found:  # another step of that name, as twins have it
            name += "'"
        return sp.Symbol(name)


def means_in(side: Term) -> tuple[Applied, ...]:
    """The means and counts of laws in a term, each once."""
    heads = ("settled", "settled laws", "mean_under", "unlike")
    found = (t for t in side.subterms() if isinstance(t, Applied) and t.head in heads)
    return tuple(dict.fromkeys(found))


def open_functions(expr: Any) -> set[Any]:
    """The functions that an expression leaves open."""
    return {f for f in expr.atoms(AppliedUndef) if not isinstance(f, Settled | Laws | Under | Differs)}


def linear(step: LineStep) -> tuple[Any, Any, Any] | None:
    """What the place after it less ``push`` is: a move and the square of what multiplies a normal noise.

    None where noises enter otherwise.
    """
    after, known = sp.expand(step.after), {w: sp.Integer(0) for w in step.noises}
    square = sp.Integer(0)
    for noise in step.noises:
        factor = after.coeff(noise, 1) if after.has(noise) else sp.Integer(0)
        square += factor**2
    rest = after.xreplace(known)
    parts = [after.coeff(w, 1) * w for w in step.noises]
    if sp.expand(after - rest - sp.Add(*parts)) != 0 or square.has(*step.noises):
        return None
    new = sp.Integer(0)
    if step.new is not None:
        new = sp.Add(*(t for t in sp.Add.make_args(rest) if t.has(step.new)))
        if new.has(step.place) or square.has(step.new):
            return None
    return sp.expand(rest - new), sp.expand(square), -new


def _beside(body: Any, one: Any) -> Any:
    """What stands beside a part of an expression."""
    name = sp.Dummy()
    return sp.expand(sp.diff(body.xreplace({one: name}), name))


def over_noise(body: Any, step: LineStep) -> Any:
    """A mean over the noise of a step: by its powers, or by a sign's chance."""
    for one in body.atoms(sp.sign):
        noisy = [w for w in step.noises if one.has(w)]
        if any(step.law(w) != NORMAL for w in noisy):
            continue
        level, slopes = one.args[0].subs(dict.fromkeys(noisy, 0)), [one.args[0].diff(w) for w in noisy]
        if not noisy or any(s.has(*step.noises) for s in slopes) or _beside(body, one).has(*noisy):
            continue
        spread = sp.sqrt(sp.Add(*(s**2 for s in slopes)))
        body = body.subs(one, sp.erf(level / spread / sp.sqrt(2)))
    return step.mean(sp.expand(body))


def _slope(body: Any, by: Any) -> Any:
    """A derivative, by a letter."""
    if not sp.sympify(by).is_Symbol:
        raise Unable(f"a derivative at {by} alone: write U'(y) for every y")
    return sp.diff(body, by)
