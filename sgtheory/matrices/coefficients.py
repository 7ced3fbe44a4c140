"""Scalars in front of words: rational functions, in a form in which zero is seen.

Generators are symbols, square roots of symbols, logarithms, traces and log determinants. They are
treated as independent: a scalar is 0 here exactly if it is 0 as a rational function of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property, lru_cache
from typing import Any

import sympy as sp
from sympy.polys.fields import FracField
from sympy.polys.orderings import lex

from sgtheory.errors import UnusableInput
from sgtheory.matrices.letters import Word, coefficients_of, letters_of

_MATRIX = sp.Dummy("matrix")


class MatrixScalar(sp.AtomicExpr):
    """A number made of one word: a trace or a log determinant.

    It differentiates and substitutes through the word, also where SymPy is asked to.
    """

    is_commutative = True
    is_real = True
    word: Word

    def __new__(cls, word: Word) -> MatrixScalar:
        """The scalar; SymPy finds equal ones by their text and declarations."""
        made: MatrixScalar = sp.AtomicExpr.__new__(cls)
        made.word = word
        return made

    def __getnewargs__(self) -> tuple[Word]:
        return (self.word,)

    @cached_property
    def declared(self) -> str:
        """What is assumed of the letters and symbols in it: one name may stand for different ones."""
        letters = sorted(f"{x.name}:{sorted(x.traits)}" for x in letters_of(self.word))
        inside = coefficients_of(self.word)
        symbols = sorted({sp.srepr(s) for c in inside for s in c.atoms(sp.Symbol)})
        return " ".join([*letters, *symbols])

    def _hashable_content(self) -> tuple[Any, ...]:
        return str(self), self.declared

    def sort_key(self, order: Any = None) -> Any:
        """Where it stands in a printed sum."""
        return self.class_key(), (1, (str(self),)), sp.S.One.sort_key(), sp.S.One

    @property
    def free_symbols(self) -> set[Any]:
        """The scalars inside the word's inverted sums, and a sign that there is more to it.

        Without the sign, SymPy would take eps + tr(B) for a polynomial in eps and judge it as one.
        """
        return {_MATRIX}.union(*(c.free_symbols for c in coefficients_of(self.word)))

    def _eval_derivative(self, s: Any) -> Any:
        from sgtheory.matrices.calculus import derivative

        return derivative(self, s)

    def _eval_derivative_n_times(self, s: Any, n: Any) -> Any:
        out: Any = self
        for _ in range(int(n)):  # SymPy would take an atom for a constant
            out = sp.diff(out, s) if out is not self else self._eval_derivative(s)
        return out

    def _eval_subs(self, old: Any, new: Any) -> Any:
        from sgtheory.matrices.substitution import substitute

        return substitute(self, {old: new}) if old in self.free_symbols else None


def scalar(value: Any) -> Any:
    """A commutative SymPy expression from a number or an expression; anything else is refused.

    >>> x = sp.Symbol("x")
    >>> scalar(x * (x + 1) - x**2) + scalar(2)
    x + 2
    >>> scalar(x * 0.5)
    Traceback (most recent call last):
    ...
    sgtheory.errors.UnusableInput: expected a rational function of scalars; got 0.5; write exact \
numbers, as in Rational(1, 2)
    """
    try:
        expr = sp.sympify(value, strict=True)
    except sp.SympifyError:
        raise _refused(value, "give a SymPy expression") from None
    generators(expr)
    return canonical(expr)


def _refused(expr: Any, remedy: str) -> UnusableInput:
    got = repr(float(expr)) if isinstance(expr, sp.Float) else str(expr)
    return UnusableInput("a rational function of scalars", got, remedy)


@lru_cache(maxsize=50_000)
def generators(expr: Any) -> frozenset[Any]:
    """The independent scalars of an expression; refuses what is not a rational function of them."""
    if isinstance(expr, sp.Rational):
        return frozenset()
    if isinstance(expr, sp.Add | sp.Mul) and expr.is_commutative:
        return frozenset().union(*(generators(a) for a in expr.args))
    if isinstance(expr, sp.Symbol | MatrixScalar) and expr.is_commutative:
        return frozenset([expr])
    if isinstance(expr, sp.Pow):
        base, power = expr.args
        if power.is_Integer:
            return generators(base)
        if isinstance(base, sp.Symbol) and (2 * power).is_Integer:
            return frozenset([sp.sqrt(base)])
    if isinstance(expr, sp.log) and _positive(expr.args[0]):
        generators(expr.args[0])
        return frozenset([expr])
    remedy = "name it by a symbol of its own"
    if isinstance(expr, sp.Basic) and expr.has(sp.Float):
        remedy = "write exact numbers, as in Rational(1, 2)"
    elif isinstance(expr, sp.Basic) and not expr.is_commutative:
        remedy = "bring it in with from_sympy"
    raise _refused(expr, remedy)


class Coefficients:
    """The field of rational functions in the generators of some expressions."""

    def __init__(self, gens: Iterable[Any]) -> None:
        roots = {g.args[0] for g in gens if isinstance(g, sp.Pow)}
        # Where a square root occurs, its symbol is the square of it and no generator of its own.
        kept = [sp.sqrt(g) if g in roots else g for g in gens]
        self.gens = tuple(sorted(set(kept), key=str))
        names = [sp.Dummy(f"g{k}") for k in range(len(self.gens))]
        self._field = FracField(names, sp.QQ, lex) if names else None
        self._memory: dict[Any, Any] = {}

    @cached_property
    def _values(self) -> dict[Any, Any]:
        values = dict(zip(self.gens, self._field.gens if self._field else (), strict=True))
        squares = {g.args[0]: v**2 for g, v in values.items() if isinstance(g, sp.Pow)}
        return values | squares

    def enter(self, expr: Any) -> Any:
        """The element of the field."""
        if expr not in self._memory:
            self._memory[expr] = self._walk(expr)
        return self._memory[expr]

    def _walk(self, expr: Any) -> Any:
        if isinstance(expr, sp.Rational):
            number = sp.QQ(int(expr.p), int(expr.q))
            return self._field(number) if self._field else number
        if expr in self._values:
            return self._values[expr]
        if isinstance(expr, sp.Pow):
            base, power = expr.args
            if not power.is_Integer:
                return self._values[sp.sqrt(base)] ** int(2 * power)
            value = self.enter(base)
            if power < 0 and not value:
                raise UnusableInput("a denominator other than 0", str(base), "check the expression")
            return value ** int(power)
        parts = [self.enter(a) for a in expr.args]
        total = parts[0]
        for part in parts[1:]:
            total = total + part if isinstance(expr, sp.Add) else total * part
        return total

    def leave(self, element: Any) -> Any:
        """The expression of an element."""
        if self._field:  # arithmetic leaves the sign of a denominator as it comes; new settles it
            return self._field.new(element.numer, element.denom).as_expr(*self.gens)
        return sp.Rational(int(element.numerator), int(element.denominator))


@lru_cache(maxsize=2_000)
def coefficients(gens: frozenset[Any]) -> Coefficients:
    """The field in the given generators, made once."""
    return Coefficients(gens)


@lru_cache(maxsize=100_000)
def canonical(expr: Any) -> Any:
    """One writing for equal rational functions.

    >>> x, y = sp.symbols("x y")
    >>> canonical((x**2 - y**2) / (x - y) - x), canonical((x - 1) / (sp.sqrt(x) - 1) - sp.sqrt(x))
    (y, 1)
    >>> canonical(1 / (x - y)) == canonical(-1 / (y - x))
    True
    """
    if isinstance(expr, sp.Rational | sp.Symbol):
        return expr
    expr = expr.xreplace({x: logarithm(x.args[0]) for x in expr.atoms(sp.log)})
    field = coefficients(generators(expr))
    return field.leave(field.enter(expr))


@lru_cache(maxsize=20_000)
def _positive(expr: Any) -> bool:
    return bool(expr.is_positive) or bool(sp.factor(expr).is_positive)


def positive(expr: Any) -> bool:
    """Whether a scalar is positive for all values that its symbols are declared to take.

    >>> eps, mu = sp.Symbol("eps", positive=True), sp.Symbol("mu")
    >>> positive(eps / 2), positive(eps * mu)
    (True, False)
    """
    return _positive(expr)


def possibly_zero(values: Iterable[Any]) -> tuple[Any, ...]:
    """The factors of some scalars that are not certain to be other than 0, each once.

    >>> eps, mu = sp.Symbol("eps", positive=True), sp.Symbol("mu", positive=True)
    >>> possibly_zero([2 * eps, eps * mu - eps, 1 / (1 - mu)])
    (mu - 1,)
    """
    factors = (canonical(f.as_base_exp()[0]) for v in values for f in sp.Mul.make_args(sp.factor(v)))
    found = dict.fromkeys(-f if f.could_extract_minus_sign() else f for f in factors)
    return tuple(f for f in found if not f.is_number and not positive(f) and not positive(-f))


def logarithm(expr: Any) -> Any:
    """The logarithm of a positive scalar, split into those of its factors where all are positive.

    >>> eps = sp.Symbol("eps", positive=True)
    >>> logarithm(6 * eps**2)
    2*log(eps) + log(2) + log(3)
    """
    if not positive(expr):
        raise UnusableInput(
            "a positive scalar under a logarithm", str(expr), "declare its symbols positive"
        )
    factored = sp.factor(expr)
    total = sp.S.Zero
    for factor in sp.Mul.make_args(factored):
        base, power = factor.as_base_exp()
        if isinstance(base, sp.Rational) and base > 0 and power.is_Integer:
            primes = sp.factorrat(base).items()
            total += sum((power * k * sp.log(p) for p, k in primes), sp.S.Zero)
        elif positive(base) and power.is_Rational:
            total += power * sp.log(base)
        else:
            return sp.log(canonical(expr))
    return total


def primitive(values: Iterable[Any]) -> Any:
    """What to divide scalars by so that they become polynomials without a common factor.

    >>> eps, N = sp.symbols("eps N", positive=True)
    >>> primitive([eps / N, 2 * eps / (3 * N)])
    eps/(3*N)
    """
    pairs = [sp.fraction(sp.together(v)) for v in values]
    over = sp.lcm_list([d for _, d in pairs])
    common = sp.gcd_list([sp.cancel(n * over / d) for n, d in pairs])
    return canonical(common / over)
