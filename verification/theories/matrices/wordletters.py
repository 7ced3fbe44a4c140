"""What is known of the letters of a law in words: its equation, what is given, what fixes a matrix."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import sympy as sp

from sgtheory import matrices as mx
from sgtheory.declare import Size
from sgtheory.errors import UnusableInput
from sgtheory.modepairs.matrixform import blocks
from sgtheory.notation.matrixwords import H, LargestEigenvalue, SmallestEigenvalue
from verification.laws.fixed import Equation
from verification.laws.pair_form import by_word, inverted_once
from verification.refuter.conditions import Commute, FullRank, OneDimensional
from verification.refuter.lattice import implies
from verification.refuter.parameters import Is, written_under
from verification.refuter.places import FACTORS
from verification.terms.from_sympy import from_sympy
from verification.terms.kinds import Transpose
from verification.terms.term import Term, term
from verification.theories.matrices import elsewhere, increments
from verification.theories.matrices.traces import Traces

if TYPE_CHECKING:
    from verification.theories.matrices.sampled import Sampled

REFUSED = (UnusableInput, ValueError, TypeError, NotImplementedError)
IDENTITY = sp.Symbol("I", commutative=False)
DEFINITE = ("positive definite", "squared", "diagonal")
TRAITS = {
    "positive definite": ("positive_definite",),
    "squared": ("positive_definite",),
    "symmetric": ("symmetric",),
    "positive semidefinite": ("symmetric",),
    "diagonal": ("diagonal", "positive_definite"),
}


@dataclass(frozen=True)
class Of:
    """The moments of one law: their symbols, and what is zero for them."""

    symbols: tuple[Any, ...]
    residuals: tuple[Any, ...]


@dataclass(frozen=True)
class Words:
    """What is known of the letters of a law's statement, as equations between sums of words."""

    law: Sampled
    kinds: Mapping[str, str]

    @cached_property
    def names(self) -> dict[str, tuple[str, str]]:
        """The names of second moments, each with its two states."""
        setting = self.law.setting
        return {} if setting is None else blocks(s.name for s in setting.state)

    @cached_property
    def own(self) -> Of:
        """The moments of the law itself."""
        return self._of(self.law.setting)

    def _of(self, setting: Any) -> Of:
        """Those of a sampler's law: what a step, or an instant, takes from them is zero."""
        if setting is None:
            return Of((), ())
        symmetric = frozenset(n for n, k in self.kinds.items() if k in TRAITS)
        found = increments.balance(setting, self.law.time, symmetric)
        return Of(tuple(found), tuple(found.values()))

    def balanced(self, told: Any) -> Iterator[Any]:
        """Where Sigma is given as a formula: the equation of the law, which is one of other letters."""
        given = (one for one in told if str(one.left) == "Sigma" and one.relation == "=")
        for one in given:
            if len(self.own.symbols) == 1 and not self._has_moments(one.right):
                ((sigma,), (rest,)) = self.own.symbols, self.own.residuals
                yield Equation(from_sympy(rest.subs(sigma, self.law.symbols(one.right))), term(0))

    def _has_moments(self, side: Term) -> bool:
        return any(a.name in self.names for a in side.letters)

    @cached_property
    def put(self) -> dict[Any, Any]:
        """Letters for which a formula is given."""
        found: dict[Any, Any] = {} if "H" in self.kinds else {H: sp.Integer(1)}
        for one in self.law.told:
            if str(one.left) == "Sigma" and not self._has_moments(one.right):
                found[self.law.symbols(one.left)] = self.law.symbols(one.right)
        for one in self.law.fixed:
            if one.value is not None and one.equation in self.law.told:
                value = self.law.symbols(one.value)
                found = {k: sp.sympify(v).subs(_symbol(one.name), value) for k, v in found.items()}
                found[_symbol(one.name)] = value
        return found

    def meant(self, expr: Any) -> Any:
        """An expression with what is given as a formula put in, under what is given of numbers."""
        for letter, value in self.put.items():
            expr = sp.sympify(expr).subs(letter, value)
        return sp.expand(self.under_numbers(inverted_once(expr)))

    def under_numbers(self, expr: Any) -> Any:
        """An expression under what is given of numbers, such as S = 1."""
        return written_under(expr, tuple(c for c in self.law.given if isinstance(c, Is)))

    def laws(self, sides: tuple[Term, ...]) -> list[Of]:
        """The law, and the others of which the sides have moments."""
        found = [Of(self.own.symbols, tuple(map(self.meant, self.own.residuals)))]
        for letter, (moment, other) in elsewhere.moments(sides).items():
            law = self._of(other.setting(self.law))
            if len(law.symbols) == 1 and moment.name == "Sigma":
                (residual,) = law.residuals
                symbol = _symbol(letter.name)
                put = {self.law.symbols(a): self.law.symbols(x) for a, x in other.changes}
                named = {s.name: s for s in residual.free_symbols}
                put = {named.get(a.name, a): x for a, x in put.items()}
                rest = residual.subs(put, simultaneous=True).subs(law.symbols[0], symbol)
                found.append(Of((symbol,), (self.meant(rest),)))
        return found

    def equations(self) -> list[Any]:
        """What is given of matrices and is not put in."""
        put = {f.equation for f in self.law.fixed if f.value is not None}
        rest = (one for one in self.law.told if one not in put)
        found = [self.meant(self.law.symbols(one.left) - self.law.symbols(one.right)) for one in rest]
        return [e for e in found if e != 0]

    @cached_property
    def orders(self) -> list[tuple[Any, bool]]:
        """Matrices that are given to be positive: 2 - h A of h lambda_max(A) < 2; whether definite."""
        found = []
        for small, large, equal in (one.upward for one in self.law.bounds):
            a, b = self.law.symbols(small), self.law.symbols(large)
            for top in a.atoms(LargestEigenvalue):
                times = sp.cancel(a / top)  # else nothing is said of the smaller ones
                if times.is_positive and top.args[0].is_Symbol and b.is_commutative:
                    a, b = times * top.args[0], b * IDENTITY
            if not (a.is_commutative and b.is_commutative):
                found.append((self.meant(b - a), not equal))
        return found

    def factored(self, expr: Any) -> Any:
        """With B B^T for C, and so for E, where these are letters: then it is nowhere negative."""
        known = ((n, f) for n, f in FACTORS.items() if f in self.kinds and n not in self.kinds)
        return sp.expand(expr.subs({_symbol(n): _symbol(f) * Transpose(_symbol(f)) for n, f in known}))

    def bounded(self, expr: Any) -> Any:
        """A number in letters that obey the bounds that are given of products: h = 2/(1 + t).

        Numbers of examples are at least one.
        """
        sizes = [s for s in sp.sympify(expr).free_symbols if isinstance(s, Size)]
        expr = sp.sympify(expr).subs({s: (1 + sp.Symbol(f"_{s}", positive=True)) ** 2 for s in sizes})
        for k, (small, large, _) in enumerate(one.upward for one in self.law.bounds):
            a, b = self.law.symbols(small), self.law.symbols(large)
            letters = [x for x in a.free_symbols if sp.cancel(a / x).has(x) is False and not b.has(x)]
            if a.is_positive and b.is_positive and letters and a.is_commutative:
                x = min(letters, key=str)
                expr = expr.subs(x, b / sp.cancel(a / x) / (1 + sp.Symbol(f"t_{k}", positive=True)))
        traces = Traces(self.kinds)
        ends = expr.atoms(LargestEigenvalue, SmallestEigenvalue)
        return expr.xreplace({e: traces.end(self.factored(e)) for e in ends})

    @property
    def single(self) -> bool:
        """Whether there is one dimension."""
        return any(isinstance(p, OneDimensional) for c in self.law.given for p in c.parts)

    def commuting(self, names: set[str]) -> bool:
        """Whether all these letters, which are symmetric, commute by what is given."""
        if self.single:
            return True
        symmetric = all(n in ("A", "C") or self.kind(n) in TRAITS for n in names)
        pairs = [Commute((a, b)) for a in sorted(names) for b in sorted(names) if a < b]
        return symmetric and all(
            any(implies(c, p, tuple(sorted(names))) for c in self.law.given) for p in pairs
        )

    def pairs(self, names: set[str]) -> list[tuple[str, str]]:
        """Which of some letters commute by what is given."""
        told = {
            tuple(sorted(p.letters)) for c in self.law.given for p in c.parts if isinstance(p, Commute)
        }
        return [p for p in sorted(told) if set(p) <= names]  # type: ignore[misc]

    def kind(self, name: str) -> str:
        """A letter without a kind is positive definite, as it is at places; a factor of noise is any."""
        return self.kinds.get(name, "any" if name in FACTORS.values() else "positive definite")

    def traits(self, name: str, inverted: bool) -> tuple[str, ...]:
        """What the engine of matrices is told of a letter."""
        regular = inverted or name in self.regular
        if name == "C":
            definite = regular or self.kinds.get(name) in DEFINITE
            return ("positive_definite",) if definite else ("symmetric",)
        if name in self.names or "@" in name:
            a, b = self.names.get(name, ("", ""))
            return ("positive_definite" if self._noise_is_regular else "symmetric",) if a == b else ()
        if name in self._roots.values():
            return ()
        found = TRAITS.get(self.kind(name), ())
        if regular and name in self._roots:
            return ("positive_definite",)
        return (*found, "invertible") if regular and "positive_definite" not in found else found

    def sign(self, expr: Any) -> mx.Sign:
        """The sign that an expression certainly has as a matrix."""
        inverted = {b for p in expr.atoms(sp.Pow) if p.exp.is_negative for b in p.base.free_symbols}
        roots = {_symbol(n): _symbol(x) * Transpose(_symbol(x)) for n, x in self._roots.items()}
        expr = self.factored(expr).subs({n: square for n, square in roots.items() if n not in inverted})
        parts = {w: sp.factor(self.bounded(c)) for w, c in by_word(sp.expand(expr)).items()}
        zero = {
            s for c in parts.values() for s in c.free_symbols if s.is_nonnegative and not s.is_positive
        }
        positive = {s: sp.Symbol(s.name, positive=True) for s in zero}  # which may be zero
        try:
            (read,) = self.read([sp.Add(*(c.xreplace(positive) * w for w, c in parts.items()))])
            found = mx.sign(read if isinstance(read, mx.Matrix) else read * mx.I)
            return min(found, mx.Sign.SEMIDEFINITE) if zero else found
        except REFUSED:
            return mx.Sign.UNKNOWN

    @cached_property
    def _noise_is_regular(self) -> bool:
        """Whether second moments are positive definite: of one state, if what each step adds is."""
        if len(self.own.symbols) != 1:
            return "B" not in self.kinds and all(k in DEFINITE for k in self.kinds.values())
        ((sigma,), (rest,)) = self.own.symbols, self.own.residuals
        added = sp.Add(*(-t for t in sp.Add.make_args(sp.expand(rest)) if not t.has(sigma)))
        return self.sign(added) >= mx.Sign.DEFINITE

    @cached_property
    def _roots(self) -> dict[str, str]:
        """A letter X for each that is nowhere negative, of which it is X X^T."""
        return {n: f"X_{n}" for n, k in self.kinds.items() if k == "positive semidefinite"}

    @cached_property
    def regular(self) -> set[str]:
        """Letters that are given to have full rank, and the factors of those that are covariances."""
        parts = (p for c in self.law.given for p in c.parts if isinstance(p, FullRank))
        names = {n for p in parts for n in p.letters}
        return names | {FACTORS[n] for n in names if n in FACTORS}

    def read(self, exprs: list[Any]) -> list[Any]:
        """Expressions as the engine has them, with one letter for each name."""
        symbols = {s for e in exprs for s in e.free_symbols if not s.is_commutative and s != IDENTITY}
        below = {s.name for e in exprs for p in e.atoms(sp.Pow) if p.exp.is_negative
                 for s in p.base.free_symbols if p.base.is_Symbol}  # fmt: skip
        letters = [mx.matrix(s.name, *self.traits(s.name, s.name in below)) for s in symbols]
        return [mx.from_sympy(e, letters, declared=True) for e in exprs]


def _symbol(name: str) -> Any:
    return sp.Symbol(name, commutative=False)
