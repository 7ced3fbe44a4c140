"""Statements with unspecified functions and their derivatives, for all states.

Proofs take the derivatives and compare coefficients: at one point the derivatives of a function are
independent numbers. At places polynomials stand for functions, and series about the point know no rule
of calculus. Conditions are relations between parameters, or say of a function that it is zero or does
not depend on an argument.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import Any, ClassVar

import sympy as sp
from sympy.core.function import AppliedUndef

from sgtheory.dynamics.coefficients import coefficients, relations, vanishes
from sgtheory.dynamics.diffusion import Diffusion
from sgtheory.dynamics.leading import leading
from sgtheory.errors import UnusableInput
from sgtheory.notation.derivation import Derivation, Equation, Formula, Step
from sgtheory.notation.printing import plain
from sgtheory.notation.sentence import formula_of, joined, say
from sgtheory.polynomials import factored
from verification.refuter.conditions import Both, Condition
from verification.refuter.parameters import Is, together
from verification.refuter.places import Place, Space
from verification.terms.arithmetics.series import FACTOR
from verification.terms.arithmetics.symbols import Density, in_symbols, symbol
from verification.terms.from_sympy import from_sympy
from verification.terms.term import Applied, Letter, Term, added, term, total
from verification.terms.ways import Way
from verification.terms.words import Local, local, word
from verification.theories.answers import Answer, Proved, Silence, Silent
from verification.theories.operators import orders
from verification.theories.operators.arguments import (
    FreeOfArgument,
    IsZero,
    Smooth,
    candidates,
    with_conditions,
)
from verification.theories.operators.necessary import holds_only_where
from verification.theories.operators.open import asks_for_more
from verification.theories.operators.polynomials import functions_in, letters_of, lifted, written
from verification.theories.operators.processes import corrected_processes, stationary_density, steps_near
from verification.theories.subject import ITS_STATES, About, Subject
from verification.verdicts.verdict import Gap

LEMMA = "Both sides agree term by term, whatever the functions left open."
_RHO = sp.Symbol("rho", positive=True)
_INTEGRATED = 2  # functions left open in an integral that is looked for
_NO_NUMBERS = ("function", "positive function", "variable")
_SIGNS = 6  # terms of a side of which one may have the other sign
_AT_ONCE = 2  # conditions on functions that are tried together


class Values(dict[str, Any]):
    """What letters are worth at a place, and what is known of them."""

    def __init__(self, worth: Mapping[str, Any], law: Calculus) -> None:
        super().__init__(worth)
        self.law = law


class Rough(Values):
    """The same, where functions have only so many bounded derivatives."""

    def further(self, way: Way, k: int) -> Values:
        """At a point on the way to a limit, where they are rougher the smaller a step is."""
        point = way.point(k)
        small = min(point, 1 / point)
        root = Fraction(math.isqrt(small.numerator), math.isqrt(small.denominator))
        known = {**self, way.letter.name: point}
        for one in self.law.smooth:
            f = self.law.functions.get(one.name)
            if f is not None and len(f.args) == 1:
                at = self.get(str(f.args[0]), Fraction(0))
                known[one.name] = one.roughened(self[one.name], at, root)
        return Values(known, self.law)


@dataclass(frozen=True)
class Calculus(Subject):
    """What is known of the functions and the states of a statement, under what is given.

    ``states`` are what it holds for all values of, functions among them; conditions lie on others.
    """

    terms: tuple[Term, ...]
    states: tuple[Letter, ...]
    given: tuple[Condition, ...] = ()

    rank = ITS_STATES
    orders: ClassVar[Any] = orders
    mined = slow = True
    letters_taken = frozenset({"function", "positive function", "variable"})

    # -- places -------------------------------------------------------------------------------------

    @cached_property
    def functions(self) -> dict[str, Any]:
        """Unspecified functions by name, each as it is first applied."""
        found: list[Any] = []
        for side in self.terms:
            found += sorted((t for t in side.subterms() if _function(t)), key=str)
        found.sort(key=lambda t: not all(map(_is_symbol, _arguments(t))))
        return functions_in([_function(t) for t in found])

    @cached_property
    def _applied(self) -> tuple[Applied, ...]:
        return tuple(t for side in self.terms for t in side.subterms() if isinstance(t, Applied))

    @cached_property
    def potentials(self) -> dict[str, Any]:
        """Functions in the exponents of densities, which have to have finite integrals."""
        exponents = {t.of[0] for t in self._applied if t.head == "density"}
        found = functions_in(sorted(map(in_symbols, exponents), key=str))
        return {name: f for name, f in found.items() if not f.is_positive}

    def kinds(self) -> dict[str, str]:
        """The numbers of a place: coefficients of polynomials, and letters outside of integrals."""
        asked = [found for found in map(local, self.terms) if found is not None]
        bound = {a for one in asked for a in one.bound}
        letters = dict.fromkeys(a for side in self.terms for a in side.letters if a not in bound)
        scalars = {a.name: a.kind for a in letters if a.kind not in _NO_NUMBERS}
        return {**letters_of(self.functions), **scalars}

    def places(self, about: About) -> Space:
        """Its numbers, and those of relations that are given."""
        related = (p for c in about.given for p in c.parts if isinstance(p, Is))
        own = {name: "positive" for p in related for name in p.letters}
        own |= self.kinds() | dict(about.kinds)
        outside = {a.name for a in about.set_here}
        return Space({}, {name: kind for name, kind in own.items() if name not in outside})

    def opened(self, sides: tuple[Term, ...], place: Place) -> Values:
        """What letters are worth at a place; functions are polynomials."""
        known = {**place.scalars, **lifted(self.functions, place, self.potentials)}
        return (Rough if self.smooth else Values)(known, self)

    @property
    def smooth(self) -> tuple[Smooth, ...]:
        """What is given of how many derivatives are bounded."""
        return tuple(p for c in self.given for p in c.parts if isinstance(p, Smooth))

    def stronger(self) -> Iterator[tuple[Condition, tuple[Condition, ...]]]:
        """What is given with one derivative more of a function."""
        for one in self.smooth:
            more = replace(one, derivatives=one.derivatives + 1)
            yield more, tuple(more if c == one else c for c in self.given)

    def problem(self, place: Place) -> dict[str, str]:
        """A place for people."""
        chosen, coefficients_ = (
            lifted(self.functions, place, self.potentials),
            letters_of(self.functions),
        )
        found = {str(f): plain(written(chosen[n], f.args)) for n, f in self.functions.items()}
        for f, n in (
            (self.functions[p.name], p.derivatives) for p in self.smooth if p.name in self.functions
        ):
            base = "" if found[str(f)] == "0" else f"{found[str(f)]} + "
            more, x = f"s^{n} (z^{n + 1} + z^{n + 2})", str(f.args[0])
            here = f"({x} - {place.scalars.get(x, 0)})/s"
            found[str(f)] = f"{base}{more}, z = {here}, s the root of the step; cut off at large z"
        if any(t.head == "density" for t in self._applied):
            found["rho"] = str(FACTOR)
        return found | {n: str(x) for n, x in place.scalars.items() if n not in coefficients_}

    @property
    def remark(self) -> str:
        """Of functions only derivatives at the point count, where all are taken there."""
        at_it = all(_is_symbol(a) for t in self._applied if _function(t) for a in _arguments(t))
        elsewhere = any(t.head == "put" or word(t.head).integrates for t in self._applied)
        local_ = bool(self.functions) and at_it and not elsewhere
        return "(near this point functions are so, and elsewhere any)" if local_ else ""

    # -- proofs -------------------------------------------------------------------------------------

    @property
    def over(self) -> tuple[Any, ...]:
        """The states, and the density."""
        return (*(symbol(a) for a in self.states if "function" not in a.kind), _RHO)

    def _difference(self, left: Term, right: Term) -> Any:
        """Left minus right with all derivatives taken, under what is given."""
        rest = in_symbols(left) - in_symbols(right)
        parts = [p for c in self.given for p in c.parts]
        for one in reversed([p for p in parts if isinstance(p, Is)]):
            rest = rest.subs({one.letter: one.value})
        rest = with_conditions(rest.doit(), [p for p in parts if isinstance(p, FreeOfArgument)])
        rest = rest.replace(Density, lambda _: _RHO)
        above, _ = sp.fraction(sp.together(rest))  # short as long as nothing is multiplied out
        return sp.expand(rest) if sp.expand(above) != 0 else sp.Integer(0)

    def vanishes(self, left: Term, right: Term) -> Answer:
        """Whether left minus right is zero for all states, parameters and functions."""
        return self._answer(left, right, ())

    def is_constant(self, left: Term, right: Term, moving: tuple[Letter, ...]) -> Answer:
        """Whether left minus right does not change with some letters."""
        return self._answer(left, right, moving)

    def _answer(self, left: Term, right: Term, moving: tuple[Letter, ...]) -> Answer:
        try:
            rest = self._rest(left, right, moving)
        except UnusableInput:  # an integral that does not exist, or is not Gaussian
            return Silent(Silence.NO_FORMULA)
        shown = tuple(Equation(Formula(r"\text{left} - \text{right}", "left - right"), e) for e in rest)
        density = ", $rho$ being the density" if any(e.has(_RHO) for e in rest) else ""
        step = Step("Left minus right", f"With all derivatives taken{density}:", shown)
        told = Derivation("Difference", (step,), ())
        try:
            remain = [e for e in rest if any(map(_is_left, coefficients(e, self.over)))]
        except sp.PolynomialError:  # a derivative at a place where arguments meet
            return Silent(Silence.NO_FORMULA, derivation=told)
        if not remain:
            return Proved(LEMMA, told)
        return Silent(Silence.LEFT_OVER, remain[0], told)

    # -- what is true instead -----------------------------------------------------------------------

    def mended(
        self, left: Term, right: Term, constant_in: tuple[Letter, ...] = ()
    ) -> Iterator[tuple[Term, Term]]:
        """With the other sign of one term; what the left side comes to; or a state times it."""
        terms = added(right)
        for k in range(len(terms) if 1 < len(terms) <= _SIGNS else 0):
            signed = [-t if (sign < 0) is not (j == k) else t for j, (sign, t) in enumerate(terms)]
            yield left, total(signed)
        asked = local(left)
        if asked is not None and asked.letters:
            try:
                found = in_symbols(left)
                value = from_sympy(sp.expand(found) if found.has(sp.log) else factored(found))
            except UnusableInput:  # no integral is known
                return
            if asks_for_more(left) or {*value.letters} < {*left.letters}:  # else only written otherwise
                yield left, value
        for state in self.states:
            if "function" not in state.kind:
                yield state * left, right

    def density_of(self, process: Diffusion) -> Any:
        """The logarithm of the density that a process has, where that is known."""
        known = functions_in((*process.drift, *(e for row in process.noise for e in row)))
        return stationary_density(process) if len(known) <= _INTEGRATED else None

    def processes_with(self, process: Diffusion, log_density: Any) -> Iterator[tuple[str, Diffusion]]:
        """Processes near one that may have a density, with how they differ."""
        for words, other in corrected_processes(process, log_density):
            if vanishes(other.residual(log_density), other.state):
                own = self.density_of(process)
                kept = (
                    say("; what is printed leaves {} as it is", sp.exp(own, evaluate=False))
                    if own
                    else ""
                )
                yield joined(words, kept, by=""), other

    def steps_near(self, process: Diffusion, steps: Any, h: Any) -> Iterator[Any]:
        """Steps near one for their equation, with how they differ; the equation of a step."""
        return steps_near(process, steps, h)

    def rate(self, left: Term, right: Term, way: Way, scale: Term | None = None) -> Gap | None:
        """How fast both sides become equal on a way, compared with what each of them is."""
        small = symbol(way.letter)
        rest, *sizes = (
            leading(sp.simplify(self._difference(*pair) / _RHO), small)
            for pair in ((left, right), (left, term(0)), (right, term(0)))
        )
        known = [size[0] for size in sizes if size is not None]
        if rest is None or not known or rest[0] <= min(known):
            return None
        shown = rest[1] * small ** rest[0]
        return Gap(small.name, str(rest[0] - min(known)), formula_of(shown))

    def lattice(self, statement: Any, space: Space) -> tuple[Condition, ...]:
        """Relations between parameters, conditions on functions, and both together."""
        relations_ = statement.relations
        rest = [e for r in relations_ for e in self.left_of(r)]
        found: list[Condition] = [together(w) for w in relations(self._equations(rest)) if w]
        if found:
            return (*found, *(c for c in self._on_functions() if self._vanish(rest, (c,))))
        if any(r.limiting for r in relations_):
            return ()
        for e in rest:  # where a function is applied twice: where its arguments are one
            for f, g in combinations(sorted(e.atoms(AppliedUndef), key=sp.default_sort_key), 2):
                if f.func == g.func:
                    same = [a - b for a, b in zip(f.args, g.args, strict=True)]
                    put = [x.xreplace({g: f}) for x in rest]
                    found += [together(w) for w in relations(self._equations([*same, *put])) if w]
        if found:
            return tuple({c.words: c for c in found}.values())
        single = [c for c in self._on_functions() if _touches(c, rest)]
        done: list[tuple[FreeOfArgument, ...]] = []
        for chosen in (c for n in range(1, _AT_ONCE + 1) for c in combinations(single, n)):
            if _repeats(chosen) or any(all(_implied(c, chosen) for c in d) for d in done):
                continue
            equations = self._equations([sp.expand(with_conditions(e, chosen)) for e in rest])
            ways: Any = ((),) if not any(map(_is_left, equations)) else ()
            if not ways and len(chosen) == 1:
                ways = [w for w in relations(equations) if w][:1]
            if ways:
                done.append(chosen)
                found.append(_all_of((*chosen, *([together(ways[0])] if ways[0] else []))))
        return tuple(found)

    def _on_functions(self) -> list[FreeOfArgument]:
        """Conditions on functions that are given."""
        fixed = {a.name for a in self.states}
        return candidates([f for name, f in self.functions.items() if name not in fixed])

    def _vanish(self, rest: Sequence[Any], chosen: tuple[FreeOfArgument, ...]) -> bool:
        equations = self._equations([sp.expand(with_conditions(e, chosen)) for e in rest])
        return not any(map(_is_left, equations))

    holds_only_where = holds_only_where
    density = _RHO

    def left_of(self, r: Any) -> list[Any]:
        """What has to vanish, of an equation or on the way to a limit."""
        if r.limiting:
            return [*(orders.left_over(self, r.left, r.right, r.way) or {}).values()]
        return self._rest(r.left, r.right, r.constant_in)

    def _rest(self, left: Term, right: Term, moving: tuple[Letter, ...]) -> list[Any]:
        """What has to vanish: the difference, or its slopes along letters that move."""
        rest = self._difference(left, right)
        return [sp.diff(rest, symbol(a)) for a in moving] if moving else [rest]

    def _equations(self, rest: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(dict.fromkeys(c for e in rest for c in coefficients(e, self.over)))


def subject(about: About) -> Calculus | None:
    """What has functions or states in it."""
    asked: list[Local] = [found for found in map(local, about.terms) if found is not None]
    if not (asked or about.states):
        return None
    moved = (a for one in asked for a in one.letters)
    return Calculus(about.terms, tuple(dict.fromkeys((*about.states, *moved))), about.given)


def _function(t: Term) -> Any:
    """A function as it is applied, or differentiated, in symbols; None where a term is neither."""
    if not isinstance(t, Applied) or t.head not in ("of", "derived"):
        return None
    f = t.of[0]
    assert isinstance(f, Letter)
    return symbol(f)(*(in_symbols(a) if _is_symbol(a) else sp.Symbol(str(a)) for a in _arguments(t)))


def _arguments(t: Term) -> tuple[Term, ...]:
    return t.parts[1:] if getattr(t, "head", "") == "of" else t.parts[2:]


def _is_symbol(a: Term) -> bool:
    return isinstance(a, Letter) and a.kind not in _NO_NUMBERS


def _is_left(c: Any) -> bool:
    """Whether a coefficient, which is expanded, is not zero."""
    return bool(c if c.is_polynomial() else sp.simplify(c))


def _touches(c: FreeOfArgument, rest: Sequence[Any]) -> bool:
    """Whether a condition changes anything that is left over."""
    return any(with_conditions(e, (c,)) != e for e in rest)


def _implied(c: FreeOfArgument, by: tuple[FreeOfArgument, ...]) -> bool:
    """What is zero depends on nothing."""
    return any(c == other or (isinstance(other, IsZero) and other.name == c.name) for other in by)


def _repeats(chosen: tuple[FreeOfArgument, ...]) -> bool:
    """Whether a condition says nothing beside the others."""
    return any(_implied(c, tuple(o for o in chosen if o is not c)) for c in chosen)


def _all_of(conditions: tuple[Condition, ...]) -> Condition:
    found = conditions[0]
    for c in conditions[1:]:
        found = Both((), found, c)
    return found
