"""Functions of letters that are integrated over: sums of products of matrices and exponentials.

All is exact: exponentials stay what they are, and primitives solve linear equations, so that no
eigenvalue is ever looked for. What is left without such letters is a number, which balls enclose.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import factorial
from typing import Any

from flint import arb, arb_mat, ctx, fmpq, fmpq_mat

from sgtheory.independent.fields import kronecker
from sgtheory.independent.roots import characteristic, hurwitz_stable
from verification.terms.arithmetics.rational import RATIONAL
from verification.terms.walking import Arithmetic, Unable, Undefined

_ONE = fmpq(1)
INFINITE = {"oo": 1, "-oo": -1}


@dataclass(frozen=True)
class Exponential:
    """exp(x M), x linear in letters: its factor of each, and of the number one under ``""``."""

    form: tuple[tuple[str, Any], ...]
    M: Any

    def rate(self, x: str) -> Any:
        """The factor of a letter."""
        return dict(self.form).get(x, fmpq(0))


@dataclass(frozen=True)
class Product:
    """A number, times whole powers of letters, times matrices and exponentials in their order."""

    scale: Any
    powers: tuple[tuple[str, int], ...] = ()
    factors: tuple[Any, ...] = ()

    def power(self, x: str) -> int:
        """Of a letter."""
        return dict(self.powers).get(x, 0)

    def times(self, other: Product) -> Product:
        """What stands side by side becomes one where it can."""
        powers = dict(self.powers)
        for x, n in other.powers:
            powers[x] = powers.get(x, 0) + n
        factors = list(self.factors)
        for one in other.factors:
            last = factors[-1] if factors else None
            if isinstance(last, fmpq_mat) and isinstance(one, fmpq_mat):
                factors[-1] = last * one
            elif isinstance(last, Exponential) and isinstance(one, Exponential) and last.M == one.M:
                factors[-1] = Exponential(_sum(last.form, one.form), one.M)
            else:
                factors.append(one)
        kept = tuple(sorted((x, n) for x, n in powers.items() if n))
        return Product(self.scale * other.scale, kept, tuple(factors))

    def at(self, x: str, value: Flow) -> Flow:
        """With something linear in the place of a letter."""
        linear = value.linear

        def put(one: Any) -> Any:
            if not isinstance(one, Exponential) or not one.rate(x):
                return one
            rest = tuple((n, q) for n, q in one.form if n != x)
            return Exponential(_sum(rest, tuple((n, q * one.rate(x)) for n, q in linear)), one.M)

        rest = tuple((n, k) for n, k in self.powers if n != x)
        whole = Flow((Product(self.scale, rest, tuple(map(put, self.factors))),))
        for _ in range(self.power(x)):
            whole = _multiply(value, whole)
        return whole

    def primitive(self, x: str) -> Iterator[Product]:
        """With respect to a letter."""
        moving = [k for k, f in enumerate(self.factors) if isinstance(f, Exponential) and f.rate(x)]
        n, rest = self.power(x), tuple(p for p in self.powers if p[0] != x)
        if not moving:
            yield replace(self, scale=self.scale / (n + 1), powers=_with(rest, x, n + 1))
            return
        first = moving[0]
        one = self.factors[first]
        if len(moving) == 1:
            inverse = _inverse(one.M * one.rate(x))
            for j in range(n + 1):
                scale = self.scale * (-1) ** j * fmpq(factorial(n), factorial(n - j))
                yield self.with_matrix(first, inverse ** (j + 1), scale, _with(rest, x, n - j))
            return
        last = moving[-1]
        between = self.factors[first + 1 : last]
        if len(moving) > 2 or n or any(isinstance(f, Exponential) for f in between):
            raise Unable("a product of which no primitive is known")
        other, size = self.factors[last], one.M.nrows()
        middle = _identity(size)
        for f in between:
            middle = middle * f
        found = _sylvester(one.M * one.rate(x), other.M * other.rate(x), middle)
        yield replace(self, factors=(*self.factors[: first + 1], found, *self.factors[last:]))

    def with_matrix(self, k: int, matrix: Any, scale: Any, powers: Any) -> Product:
        """With a matrix before one of the factors."""
        before = Product(scale, powers, self.factors[:k]).times(Product(_ONE, (), (matrix,)))
        return before.times(Product(_ONE, (), self.factors[k:]))

    def vanishes(self, x: str, side: int) -> bool:
        """Whether it is zero where a letter is infinite: every exponential with it decays."""
        rates = [
            f.M * (side * f.rate(x)) for f in self.factors if isinstance(f, Exponential) and f.rate(x)
        ]
        return bool(rates) and all(hurwitz_stable(characteristic(m.table())) for m in rates)

    def ball(self) -> Any:
        """Its value."""
        if self.powers:
            raise Unable("a letter without a value")
        total: Any = None
        for one in self.factors:
            if isinstance(one, Exponential):
                if any(x for x, q in one.form if q):
                    raise Unable("a letter without a value")
                one = arb_mat(one.M * one.rate("")).exp()
            total = arb_mat(one) if total is None else total * arb_mat(one)
        return total


@dataclass(frozen=True)
class Flow:
    """A sum of products."""

    products: tuple[Product, ...]

    @property
    def linear(self) -> tuple[tuple[str, Any], ...]:
        """Its factors of letters, where it is a linear number."""
        found = []
        for p in self.products:
            if p.factors or sum(n for _, n in p.powers) > 1:
                raise Unable("no linear number")
            found.append((p.powers[0][0] if p.powers else "", p.scale))
        return _sum(tuple(found), ())

    @property
    def number(self) -> Any:
        """A rational number, where it is one."""
        linear = dict(self.linear)
        if set(linear) - {""}:
            raise Unable("no number")
        return linear.get("", fmpq(0))

    def ball(self, digits: int) -> Any:
        """Its value to so many digits: a matrix, or a number."""
        with ctx.workdps(digits):
            parts = [(p.scale, p.ball()) for p in self.products]
            size = next((m.nrows() for _, m in parts if m is not None), 0)
            if not size:
                return sum((arb(q) for q, _ in parts), arb(0))
            total, one = arb_mat(size, size), arb_mat(_identity(size))
            for q, m in parts:
                total = total + (one if m is None else m) * arb(q)
            return total


def _sum(a: tuple[tuple[str, Any], ...], b: tuple[tuple[str, Any], ...]) -> tuple[tuple[str, Any], ...]:
    found: dict[str, Any] = {}
    for x, q in (*a, *b):
        found[x] = found.get(x, fmpq(0)) + q
    return tuple(sorted((x, q) for x, q in found.items() if q))


def _with(powers: tuple[tuple[str, int], ...], x: str, n: int) -> tuple[tuple[str, int], ...]:
    return tuple(sorted((*powers, (x, n)))) if n else powers


def _identity(size: int) -> Any:
    return fmpq_mat(size, size, [int(i == j) for i in range(size) for j in range(size)])


def _inverse(m: Any) -> Any:
    try:
        return m.inv()
    except ZeroDivisionError as error:
        raise Unable("a rate that is singular") from error


def _sylvester(a: Any, b: Any, c: Any) -> Any:
    """Y with a Y + Y b = c: then exp(x a) Y exp(x b) is a primitive of exp(x a) c exp(x b)."""
    n = c.nrows()
    system = kronecker(a, _identity(n)) + kronecker(_identity(n), b.transpose())
    return fmpq_mat(n, n, (_inverse(system) * fmpq_mat(n * n, 1, c.entries())).entries())


# -- the operations ------------------------------------------------------------------------------------


def _number(x: Any) -> Flow:
    value = RATIONAL.number(x)
    return Flow((Product(_ONE, (), (value,)) if isinstance(value, fmpq_mat) else Product(value),))


def letter(x: str) -> Flow:
    """A letter that is integrated over."""
    return Flow((Product(_ONE, ((x, 1),)),))


def _add(a: Flow, b: Flow) -> Flow:
    size = next((_size(p) for p in (*a.products, *b.products) if p.factors), 0)
    matrices: dict[Any, Any] = {}
    products = []
    for p in (*a.products, *b.products):
        factors = p.factors or ((_identity(size),) if size else ())
        if len(factors) == 1 and isinstance(factors[0], fmpq_mat):
            value = factors[0] * p.scale
            matrices[p.powers] = matrices[p.powers] + value if p.powers in matrices else value
        elif p.scale:
            products.append(replace(p, factors=factors))
    return Flow((*(Product(_ONE, powers, (m,)) for powers, m in matrices.items()), *products))


def _size(p: Product) -> int:
    one = p.factors[0]
    return int((one.M if isinstance(one, Exponential) else one).nrows())


def _multiply(a: Flow, b: Flow) -> Flow:
    total = Flow(())
    for p in a.products:
        total = _add(total, Flow(tuple(p.times(q) for q in b.products)))
    return total


def _negative(a: Flow) -> Flow:
    return Flow(tuple(replace(p, scale=-p.scale) for p in a.products))


def _over(a: Flow, b: Flow) -> Flow:
    if not b.products:
        raise Undefined("division by zero")
    (p, *more) = b.products
    if more or p.powers or any(isinstance(f, Exponential) for f in p.factors):
        raise Unable("one over a sum")
    inverse = Product(1 / p.scale, (), tuple(_inverse(f) for f in p.factors))
    return _multiply(a, Flow((inverse,)))


def _power(a: Flow, b: Flow) -> Flow:
    n = b.number
    if n.q != 1:
        raise Unable("a root")
    base = _over(_number(1), a) if n < 0 else a
    total = _number(1)
    for _ in range(abs(int(n.p))):
        total = _multiply(total, base)
    return total


def _exponential(a: Flow) -> Flow:
    form: dict[str, Any] = {}
    M: Any = None
    for p in a.products:
        if (
            len(p.factors) != 1
            or not isinstance(p.factors[0], fmpq_mat)
            or sum(n for _, n in p.powers) > 1
        ):
            raise Unable("an exponential of what is no multiple of one matrix")
        q, same = (_ONE, p.factors[0]) if M is None else (_ratio(p.factors[0], M), M)
        M = same
        x = p.powers[0][0] if p.powers else ""
        form[x] = form.get(x, fmpq(0)) + p.scale * q
    if M is None:
        return _number(1)
    return Flow((Product(_ONE, (), (Exponential(_sum(tuple(form.items()), ()), M),)),))


def _of_number(a: Flow) -> Flow:
    """The exponential of a number: a matrix of one row. No other matrix stands beside it."""
    one = _identity(1)
    return _exponential(Flow(tuple(replace(p, factors=p.factors or (one,)) for p in a.products)))


def _ratio(a: Any, b: Any) -> Any:
    n = range(b.nrows())
    q = next((a[i, j] / b[i, j] for i in n for j in n if b[i, j]), fmpq(0))
    if a != b * q:
        raise Unable("an exponential of two matrices")
    return q


def _transpose(a: Flow) -> Flow:
    def turned(f: Any) -> Any:
        return Exponential(f.form, f.M.transpose()) if isinstance(f, Exponential) else f.transpose()

    return Flow(tuple(replace(p, factors=tuple(map(turned, p.factors[::-1]))) for p in a.products))


def _integral(body: Callable[[Any], Flow], x: str, low: Any, high: Any) -> Flow:
    primitive = Flow(tuple(one for p in body(letter(x)).products for one in p.primitive(x)))
    total = Flow(())
    for end, sign in ((high, 1), (low, -1)):
        if isinstance(end, str):
            if not all(p.vanishes(x, INFINITE[end]) for p in primitive.products):
                raise Undefined("an integral that diverges")
            continue
        for p in primitive.products:
            there = p.at(x, end)
            total = _add(total, there if sign == 1 else _negative(there))
    return total


def _root(a: Flow) -> Flow:
    return Flow((Product(RATIONAL.root(a.number)),))


FLOWS = Arithmetic(
    "products of exponentials",
    _number,
    {
        "add": _add,
        "subtract": lambda a, b: _add(a, _negative(b)),
        "multiply": _multiply,
        "over": _over,
        "negative": _negative,
        "power": _power,
        "root": _root,
        "expm": _exponential,
        "exp": _of_number,
        "transpose": _transpose,
        "integral": _integral,
        "double_integral": lambda F, length: _integral(
            lambda x: _multiply(_add(length, _negative(x)), _exponential(_multiply(x, F))),
            "_lag", _number(0), length,
        ),
    },
    exact=True,
)  # fmt: skip
