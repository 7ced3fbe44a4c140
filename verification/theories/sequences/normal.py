"""Expressions in sums over steps, for every number of steps: their normal forms.

A sum of a polynomial in entries is a combination of sums from 1 to T of monomials whose first entry has
the running index itself, and of single entries at both ends: that is how sums telescope. Two
expressions that have one normal form are equal for every T and all sequences.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import sympy as sp
from sympy.utilities.iterables import multiset_partitions

from verification.theories.sequences.symbols import E, T, t

HERE = "here"  # the running index of a normal sum


class Undecided(Exception):
    """No rule takes such an expression."""


@dataclass(frozen=True)
class Of:
    """What an entry is of: a sequence, its size, or the mean of a product of these at one step."""

    name: str = ""
    size: bool = False
    factors: tuple[Of, ...] = ()  # of a mean

    def __str__(self) -> str:
        if self.factors:
            return f"E({'*'.join(map(str, self.factors))})"
        return f"|{self.name}|" if self.size else self.name

    @property
    def bare(self) -> str:
        """The name of what it may be the size of."""
        return self.name or str(self)


@dataclass
class Forms:
    """Letters for entries and for normal sums, and the means of products of random ones."""

    kinds: dict[str, str]
    entries: dict[Any, tuple[Of, Any, Any]] = field(default_factory=dict)  # of what, index, shift
    sums: dict[Any, Any] = field(default_factory=dict)  # letter of a sum -> body
    _letters: dict[Any, Any] = field(default_factory=dict)

    def entry(self, of: Of, index: Any, shift: Any) -> Any:
        """The letter of an entry: at the running index plus a shift, or at a fixed step."""
        key = (of, index, shift)
        if key not in self._letters:
            positive = self.kinds.get(of.bare, "real") in ("positive", "decreasing", "steps")
            shown = f"{of}[{shift if index is None else f'{index}+{shift}'}]"
            self._letters[key] = sp.Symbol(shown, real=True, positive=positive or None)
            self.entries[self._letters[key]] = key
        return self._letters[key]

    def sum_of(self, body: Any) -> Any:
        """The letter of a normal sum."""
        if body == 1:
            return T
        if body not in self._letters:
            self._letters[body] = sp.Symbol(f"Sum({body})", real=True)
            self.sums[self._letters[body]] = body
        return self._letters[body]

    # -- normal forms ---------------------------------------------------------------------------

    def normal(self, expr: Any) -> Any:
        """The normal form; entries of a running index that is not summed over keep it."""
        e = sp.sympify(expr)
        if e.is_Number or (e.is_Symbol):
            return e
        if isinstance(e, sp.Indexed):
            return self._entry(Of(str(e.base)), e.indices[0])
        if e.is_Add or e.is_Mul:
            return sp.expand(e.func(*map(self.normal, e.args)))
        if e.is_Pow and e.exp.is_Integer:
            base = self.normal(e.base)
            return sp.expand(base**e.exp) if e.exp > 0 else base**e.exp
        if isinstance(e, sp.Abs):
            return self._absolute(e.args[0])
        if isinstance(e, sp.Sum):
            inner = e.function
            for index, first, last in e.limits:
                inner = self._sum(sp.expand(self.normal(inner)), index, first, last)
            return inner
        if isinstance(e, E):
            return self.mean(sp.expand(self.normal(e.args[0])))
        raise Undecided(f"no normal form of {e}")

    def _entry(self, of: Of, at: Any) -> Any:
        free = at.free_symbols - {T}
        from_end = sp.expand(at - T)
        if not free:
            return self.entry(of, None, _from_end(int(from_end)) if from_end.is_Integer else str(at))
        index = min(free, key=str)
        shift = sp.expand(at - index)
        if not shift.is_Integer:
            raise Undecided(f"the index {at}")
        return self.entry(of, index, int(shift))

    def _absolute(self, inner: Any) -> Any:
        found = sp.Integer(1)
        for factor in sp.Mul.make_args(inner):
            if not (isinstance(factor, sp.Indexed) or factor.is_Symbol or factor.is_number):
                raise Undecided(f"the absolute value of {inner}")
            indexed = isinstance(factor, sp.Indexed)
            size = Of(str(factor.base), size=True) if indexed else None
            found *= self._entry(size, factor.indices[0]) if size else sp.Abs(factor)
        return found

    def _sum(self, body: Any, index: Any, first: Any, last: Any) -> Any:
        low, high = sp.sympify(first), sp.expand(last - T)
        if not (low.is_Integer and high.is_Integer):
            raise Undecided(f"a sum from {first} to {last}")
        found = sp.Integer(0)
        for term in sp.Add.make_args(body):
            inside = outside = sp.Integer(1)
            for base, power in term.as_powers_dict().items():
                if self._runs(base, index):
                    inside *= base**power
                elif any(x == index or self._runs(x, index) for x in (base**power).free_symbols):
                    raise Undecided(f"a sum over {index} of {term}")
                else:
                    outside *= base**power
            found += outside * self._normal_sum(inside, int(low), int(high))
        return sp.expand(found)

    def _runs(self, letter: Any, index: Any) -> bool:
        """Whether it is an entry at a running index."""
        return letter in self.entries and self.entries[letter][1] == index

    def _normal_sum(self, inside: Any, low: int, high: int) -> Any:
        """Shifted so that the earliest entry is at the running index; what sticks out at the ends."""
        if inside == 1:
            return T + high - low + 1
        own = {x: self.entries[x] for x in inside.free_symbols}
        first = min(shift for _, _, shift in own.values())
        moved = {x: self.entry(of, HERE, shift - first) for x, (of, _, shift) in own.items()}
        body = inside.subs(moved, simultaneous=True)
        found = self.sum_of(body)
        for start, end, written in ((low + first, 1, str), (1, high + first + 1, _from_end)):
            sign = 1 if start < end else -1
            for step in range(*sorted((start, end))):
                found += sign * self._at(body, written, step)
        return found

    def _at(self, body: Any, written: Any, step: int) -> Any:
        own = {x: self.entries[x] for x in body.free_symbols}
        placed = {x: self.entry(of, None, written(step + shift)) for x, (of, _, shift) in own.items()}
        return body.subs(placed, simultaneous=True)

    # -- products of sums, over different steps ---------------------------------------------------

    def patterns(self, expr: Any, only: Any = None) -> list[tuple[Any, tuple[Any, ...]]]:
        """Products of sums as sums over different steps: factors with one body to each step.

        ``only`` says of which sums the products are taken apart; all others stay in the factor.
        """
        found = []
        for term in sp.Add.make_args(sp.expand(expr)):
            outside, bodies = sp.Integer(1), []
            for base, power in term.as_powers_dict().items():
                body = sp.Integer(1) if base == T else self.sums.get(base)
                if body is None or not (power.is_Integer and power > 0) or (only and not only(body)):
                    outside *= base**power
                else:
                    bodies += [body] * int(power)
            found += [
                (outside, tuple(sp.Mul(*(bodies[b] for b in block)) for block in blocks))
                for blocks in (multiset_partitions(list(range(len(bodies)))) if bodies else ((),))
            ]
        return found

    # -- means ------------------------------------------------------------------------------------

    def is_random(self, expr: Any) -> bool:
        """Whether a random letter is in it."""
        return any(self.kind_of(s) in ("random", "differences", "signs") for s in expr.free_symbols)

    def kind_of(self, symbol: Any) -> str:
        """The kind of the letter or the sequence that a symbol belongs to; of a sum, a random one."""
        if symbol in self.sums:
            inside = sorted(self.sums[symbol].free_symbols, key=str)
            return next((self.kind_of(s) for s in inside if self.is_random(s)), "real")
        name = self.entries[symbol][0].bare if symbol in self.entries else symbol.name
        return self.kinds.get(name, "real")

    def mean(self, expr: Any) -> Any:
        """E of a polynomial; what no rule takes keeps its E."""
        found = sp.Integer(0)
        for term in sp.Add.make_args(sp.expand(expr)):
            try:
                found += self._mean_of_term(term)
            except Undecided:
                shown = sp.Mul(*(b**p for b, p in term.as_powers_dict().items() if self.is_random(b)))
                found += term / shown * sp.Symbol(f"E({shown})", real=True)
        return sp.expand(found)

    def _mean_of_term(self, term: Any) -> Any:
        found = sp.Integer(0)
        for outside, bodies in self.patterns(term, only=self.is_random):
            alone = self._mean_of_single(outside)
            if bodies and alone != outside:
                raise Undecided("a mean of single random letters times sums")
            averaged = [self._mean_of_step(b) for b in bodies]
            if bodies and self._vanishes(bodies, averaged):
                continue
            if len(bodies) > 1:
                raise Undecided("means of products over different steps")
            found += alone * sp.Mul(*map(self._normal_sum_of_mean, averaged))
        return found

    def _random_factors(self, term: Any) -> tuple[Any, list[Any]]:
        """What is not random, and the random letters, one for each time that they occur."""
        rest, inside = sp.Integer(1), list[Any]()
        for base, power in term.as_powers_dict().items():
            if not self.is_random(base):
                rest *= base**power
            elif power.is_Integer and power > 0:
                inside += [base] * int(power)
            else:
                raise Undecided("a mean of a reciprocal")
        return rest, inside

    def _vanishes(self, bodies: tuple[Any, ...], averaged: list[Any]) -> bool:
        """The latest step has mean zero given all before, where every step is linear."""
        kinds = {self.kind_of(s) for b in bodies for s in b.free_symbols if self.is_random(s)}
        if kinds == {"signs"}:
            return 0 in averaged
        linear = all(len(self._random_factors(b)[1]) == 1 for b in bodies)
        return linear and kinds <= {"signs", "differences"}

    def _mean_of_step(self, body: Any) -> Any:
        """Of a monomial in entries at one step, or at steps next to each other."""
        outside, random = self._random_factors(body)
        signs = [b for b in random if self.kind_of(b) == "signs"]
        if any(signs.count(b) % 2 for b in signs):
            return sp.Integer(0)
        inside = [b for b in random if b not in signs]
        if not inside:
            return outside
        steps = {self.entries[b][1:] for b in inside}
        if len(steps) > 1:
            raise Undecided("a mean of entries at different steps")
        if len(inside) == 1 and self.kind_of(inside[0]) == "differences":
            return sp.Integer(0)
        mean = Of(factors=tuple(sorted((self.entries[b][0] for b in inside), key=str)))
        ((index, shift),) = steps
        if len(set(inside)) == 1 and len(inside) % 2 == 0:
            self.kinds[mean.bare] = "nonnegative"
        return outside * self.entry(mean, index, shift)

    def _normal_sum_of_mean(self, body: Any) -> Any:
        if body == 0:
            return sp.Integer(0)
        outside, inside = body.as_independent(*(x for x in body.free_symbols if x in self.entries))
        return outside * self.sum_of(inside)

    def _mean_of_single(self, outside: Any) -> Any:
        """Single random letters: a mean, and a mean square that is its square and a variance."""
        rest, inside = self._random_factors(outside)
        kinds = [self.kind_of(b) for b in inside]
        if not inside:
            return rest
        entries = [b in self.entries for b in inside]
        if all(entries):
            return self._mean_of_step(outside)
        if any(entries):
            raise Undecided("a mean of single random letters times entries")
        if len(inside) == 1:
            return sp.Integer(0) if kinds[0] != "random" else rest * self._moment("mean", inside[0])
        if len(inside) == 2 and inside[0] == inside[1]:
            first = self._moment("mean", inside[0]) if kinds[0] == "random" else 0
            spread = sp.Integer(1) if kinds[0] == "signs" else self._moment("variance", inside[0])
            return sp.expand(rest * (first**2 + spread))
        raise Undecided("a mean of a product of random letters")

    def _moment(self, what: str, letter: Any) -> Any:
        name = f"{what}({letter})"
        self.kinds[name] = "nonnegative" if what == "variance" else "real"
        return sp.Symbol(name, real=True)

    # -- in print ---------------------------------------------------------------------------------

    def written(self, expr: Any) -> Any:
        """A normal form in the entries, sums and means that are printed."""

        def printed(e: Any) -> Any:
            return e.xreplace(
                {x: self._printed(*self.entries[x]) for x in e.free_symbols & set(self.entries)}
            )

        sums = {x: sp.Sum(printed(body), (t, 1, T)) for x, body in self.sums.items()}
        return printed(sp.sympify(expr)).xreplace(sums)

    def _printed(self, of: Of, index: Any, shift: Any) -> Any:
        at = t + shift if index == HERE else index + shift if index else sp.sympify(shift, {"T": T})
        if of.factors:
            return E(sp.Mul(*(self._printed(one, index, shift) for one in of.factors)))
        entry = sp.IndexedBase(of.name, real=True)[at]
        return sp.Abs(entry) if of.size else entry


def _from_end(step: int) -> str:
    return f"T{step:+d}" if step else "T"


def without_denominators(left: Any, right: Any) -> tuple[Any, Any, tuple[Any, ...]]:
    """Both sides multiplied by what they are divided by, and that.

    >>> from verification.theories.sequences.symbols import numbers, over, t
    >>> S = over(numbers("x", positive=True)[t])
    >>> without_denominators(1 / S, T / S**2)[:2]
    (Sum(x[t], (t, 1, T)), T)
    >>> without_denominators(1 / T**2, 1)[2]  # with its power
    (T**2,)
    """
    sides = [sp.sympify(left), sp.sympify(right)]
    powers: dict[Any, int] = {}
    for p in {p for side in sides for p in _outer_powers(side)}:
        if p.exp.is_Integer and p.exp < 0:
            powers[p.base] = max(powers.get(p.base, 0), -int(p.exp))
    if not powers:
        return sides[0], sides[1], ()
    for base in sorted(powers, key=str):
        whole = sp.Dummy(positive=True)
        sides = [sp.expand(s.subs(base, whole) * whole ** powers[base]).subs(whole, base) for s in sides]
    return sides[0], sides[1], tuple(base**k for base, k in powers.items())


def _outer_powers(expr: Any) -> list[Any]:
    """Powers that stand in no sum and in no mean."""
    if isinstance(expr, sp.Sum | E) or not expr.args:
        return []
    inner = [p for a in expr.args for p in _outer_powers(a)]
    return [expr, *inner] if expr.is_Pow else inner


def difference(left: Any, right: Any, kinds: dict[str, str]) -> tuple[Any, Forms]:
    """Left minus right in normal form, without denominators.

    >>> from verification.theories.sequences.symbols import numbers, over, t
    >>> x = numbers("x")
    >>> difference(over(x[t] - x[t - 1]), x[T] - x[0], {})[0]
    0
    """
    forms = Forms(dict(kinds))
    left, right, _ = without_denominators(left, right)
    rest = sp.expand(forms.normal(left) - forms.normal(right))
    if not rest.is_polynomial():
        rest = sp.expand(sp.fraction(sp.together(rest))[0])
    return rest, forms
