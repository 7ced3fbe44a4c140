"""Claims about products of two states: the product rule, with Ito's correction or without it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Self

import sympy as sp

from sgtheory.affine import LAMBDA, mode_form
from sgtheory.derivation import Equation, Formula
from sgtheory.fields import Mod, Rows, add, multiply, transpose
from sgtheory.matrixform import block_symbol
from sgtheory.pairs import LI, LJ, coupling_symbol
from sgtheory.printing import latex, plain
from sgtheory.setting import Setting
from verification.claims.base import Printed
from verification.claims.increments import Increment, increment_of, less, scaled
from verification.pairform import pair_symbol, to_pair
from verification.rational import Numbers, matrix_value
from verification.refuter.places import Place
from verification.refuter.script import _Script, array
from verification.twins import corruptions
from verification.verdict import Finding


@dataclass(frozen=True)
class Products(Printed):
    """``d E[a b^T]`` as so many E[da b^T], E[a db^T] and E[da db^T]."""

    left: Any = "theta"
    right: Any = "theta"
    times: tuple[int, int, int] = (1, 1, 0)

    @property
    def is_one_expression(self) -> bool:
        """Left and right are names of what is multiplied, not sides."""
        return False

    def _line(self, d: str, e: str, power: str, name: Any, dot: str) -> str:
        a, b = (name(sp.Symbol(x)) for x in (self.left, self.right))
        words = (f"{e}[{d}{a} {b}{power}]", f"{e}[{a} {d}{b}{power}]", f"{e}[{d}{a} {d}{b}{power}]")
        parts = [w if c == 1 else f"{c}{dot}{w}" for c, w in zip(self.times, words, strict=True) if c]
        return f"{d}{e}[{a} {b}{power}] = {' + '.join(parts) or '0'}"

    def latex(self) -> str:
        """As typeset."""
        return self._line(r"\mathrm{d}", r"\mathbb{E}", r"^{\top}", latex, r"\,")

    def text(self) -> str:
        """On one line."""
        return self._line("d", "E", "^T", plain, "*")


@dataclass(frozen=True)
class ProductRule(Increment):
    """``printed`` is one ``Products``."""

    @property
    def products(self) -> Products:
        """What is printed."""
        (one,) = self.printed
        assert isinstance(one, Products)
        return one

    def label(self, time: str) -> Formula:
        """The rate of a second moment, or its change in a step."""
        symbol = block_symbol(self.products.left, self.products.right)
        if time == "continuous":
            return Formula(rf"\frac{{d}}{{dt}} {latex(symbol)}", f"d{plain(symbol)}/dt")
        return Formula(rf"\Delta {latex(symbol)}", f"change of {plain(symbol)} in a step")

    def _terms(self, time: str) -> tuple[Any, Any, Any]:
        """E[da b^T], E[a db^T] and E[da db^T] at a pair of modes."""
        form = mode_form(self.setting, time)
        left, right = (increment_of(form.M, time).subs(LAMBDA, x) for x in (LI, LJ))
        m = len(self.states)
        P = sp.Matrix(m, m, lambda i, j: pair_symbol(block_symbol(self.states[i], self.states[j])))
        noise = _noise_at_pair(self.setting, time)
        both = noise + left * P * right.T if time == "discrete" else noise
        i, j = (self.states.index(x) for x in (self.products.left, self.products.right))
        return (left * P)[i, j], (P * right.T)[i, j], both[i, j]

    def derived(self, time: str) -> Any:
        """All three."""
        return sp.Add(*self._terms(time))

    def stated(self, time: str) -> Any:
        """As many of each as printed."""
        return sp.Add(*(c * t for c, t in zip(self.products.times, self._terms(time), strict=True)))

    def why(self, difference: Any, time: str) -> str:
        """Most often the product of both increments is left out."""
        if self.products.times != (1, 1, 0):
            return super().why(difference, time)
        d = "d" if time == "continuous" else "Delta "
        a, b = self.products.left, self.products.right
        return f"E[{d}{a} {d}{b}^T] has to be added"

    def residual(self, step: Rows, noise: Rows, numbers: Numbers, time: str) -> Rows:
        """The moment after a step (or its rate) against the products, for free moments."""
        P = numbers.matrices["P"]
        a, b = self.products.left, self.products.right
        if time == "discrete":
            true = less(add(multiply(multiply(step, P), transpose(step)), noise), P)
            moved = less(step, _unit(len(step)))
            both = add(multiply(multiply(moved, P), transpose(moved)), noise)
        else:
            moved, both = step, noise
            true = add(add(multiply(step, P), multiply(P, transpose(step))), noise)
        parts = (multiply(moved, P), multiply(P, transpose(moved)), both)
        found = scaled(true, -1)
        for times, part in zip(self.products.times, parts, strict=True):
            found = add(found, scaled(part, times))
        return self.block(found, a, b)

    def lines(self, place: Place, time: str) -> list[str]:
        """Moments of unit matrices."""
        d = place.D
        m = len(self.states) * d
        i, j = (self.states.index(x) * d for x in (self.products.left, self.products.right))
        one = [[int(r == c) for c in range(m)] for r in range(m)]
        moments = one if d == 1 else [[x + 1 for x in row] for row in one]
        x, y, z = self.products.times
        found = [f"P = {array(moments)}  # all second moments", f"one = {array(one)}"]
        if time == "discrete":
            found += ["D = M - one  # what a step adds", "true = M @ P @ M.T + Q - P"]
            found += ["both = D @ P @ D.T + Q"]
        else:
            found += ["D, both = M, Q", "true = M @ P + P @ M.T + Q"]
        found.append(f"printed = {x} * D @ P + {y} * P @ D.T + {z} * both")
        part = f"[{i}:{i + d}, {j}:{j + d}]"
        return [*found, f"left, right = true{part}, printed{part}"]

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """One of the products dropped, doubled, or with its sign flipped."""
        one, words = self.products, ("E[da b^T]", "E[a db^T]", "E[da db^T]")
        for k, word in enumerate(words):
            for name, factor in (
                ("dropped", 0),
                ("doubled", 2),
                ("with its sign flipped", -1),
                ("added", None),
            ):
                old = one.times[k]
                new = old + 1 if factor is None else old * factor
                if new != old and not (factor is None and old):
                    x, y, z = (new if n == k else t for n, t in enumerate(one.times))
                    yield f"{word} {name}", replace(self, printed=(replace(one, times=(x, y, z)),))


@dataclass(frozen=True)
class NoiseProduct(Increment):
    """``printed`` are ``Printed(second(a, b), right)``: the noise in E[da db^T], per unit of time."""

    def printed_latex(self) -> list[str]:
        """With differentials on the left."""
        found = []
        for p in self.printed:
            a, b = (latex(sp.Symbol(n)) for n in _names(p.left))
            right = Printed(sp.Integer(0), p.right).latex().removeprefix("0 = ")
            found.append(rf"\mathbb{{E}}[d{a}\, d{b}^{{\top}}] = {right}\, dt")
        return found

    def label(self, time: str) -> Formula:
        """All of them."""
        names = [_label(p.left, time) for p in self.printed]
        return Formula(", ".join(n.latex for n in names), ", ".join(n.text for n in names))

    def true_equations(self, derived: Any, time: str) -> tuple[Equation, ...]:
        """One by one."""
        block = _noise_at_pair(self.setting, time)
        found = []
        for p in self.printed:
            a, b = _names(p.left)
            entry = block[self.states.index(a), self.states.index(b)]
            found.append(Equation(_label(p.left, time), sp.factor(entry)))
        return tuple(found)

    def why(self, difference: Any, time: str) -> str:
        """Which of them."""
        wrong = [
            p.left
            for p in self.printed
            if replace(self, printed=(p,)).stated(time) != replace(self, printed=(p,)).derived(time)
        ]
        return "it is otherwise for " + ", ".join(_label(x, time).text for x in wrong)

    def derived(self, time: str) -> Any:
        """Entries of the noise block; several of them told apart by a letter each."""
        block = _noise_at_pair(self.setting, time)
        return self._together(
            [block[self.states.index(a), self.states.index(b)] for a, b in map(_names, self._left)]
        )

    def stated(self, time: str) -> Any:
        """As printed."""
        return self._together(
            [to_pair(p.right) if p.right != 0 else sp.Integer(0) for p in self.printed]
        )

    @property
    def _left(self) -> list[Any]:
        return [p.left for p in self.printed]

    def _together(self, entries: list[Any]) -> Any:
        if len(entries) == 1:
            return entries[0]
        symbols = [sp.Symbol(f"d{a}d{b}") for a, b in map(_names, self._left)]
        return sp.Add(*(s * e for s, e in zip(symbols, entries, strict=True)))

    def residual(self, step: Rows, noise: Rows, numbers: Numbers, time: str) -> Rows:
        """All of them below each other."""
        found: Rows = []
        for p in self.printed:
            found += less(matrix_value(sp.sympify(p.right), numbers), self.block(noise, *_names(p.left)))
        return found

    def lines(self, place: Place, time: str) -> list[str]:
        """Entries of Q."""
        d = place.D
        pairs = [[self.states.index(n) * d for n in _names(p.left)] for p in self.printed]
        left = ", ".join(f"Q[{i}:{i + d}, {j}:{j + d}]" for i, j in pairs)
        texts = [
            _Script().matrix(sp.sympify(p.right)) if p.right != 0 else "F(0) * I" for p in self.printed
        ]
        return [f"left = np.array([{left}])", f"right = np.array([{', '.join(texts)}])"]

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """A right side corrupted; a noise where there is none."""
        for k, p in enumerate(self.printed):
            changes = (
                list(corruptions(p.right))
                if p.right != 0
                else [("noise added", sp.Symbol("C", commutative=False))]
            )
            for name, wrong in changes:
                relations = (*self.printed[:k], replace(p, right=wrong), *self.printed[k + 1 :])
                yield name, replace(self, printed=relations)


def _names(symbol: Any) -> tuple[str, str]:
    """The states of a second moment."""
    if str(symbol) == "Sigma":
        return "theta", "theta"
    _, a, b = symbol.name.split("_")
    return a, b


def _label(symbol: Any, time: str) -> Formula:
    a, b = _names(symbol)
    shown = rf"\mathbb{{E}}[d{latex(sp.Symbol(a))}\, d{latex(sp.Symbol(b))}^{{\top}}]"
    if time == "continuous":
        return Formula(rf"{shown} / dt", f"E[d{a} d{b}^T]/dt")
    return Formula(rf"\text{{noise in a step's }} {shown}", f"noise in a step's E[d{a} d{b}^T]")


def _noise_at_pair(setting: Setting, time: str) -> sp.Matrix:
    form = mode_form(setting, time)
    total = sp.zeros(len(form.states), len(form.states))
    for coupling in form.couplings:
        total += coupling_symbol(coupling) * form.noise_block(coupling, LI, LJ)
    return total


def _unit(n: int) -> Rows:
    return [[Mod(int(i == j)) for j in range(n)] for i in range(n)]
