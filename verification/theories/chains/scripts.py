"""Means of chains as a script that needs NumPy only."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import reduce
from typing import Any

import numpy as np
import sympy as sp
from scipy.special import erf
from sympy.printing.numpy import NumPyPrinter

from sgtheory.dynamics.firstorder import LineStep
from sgtheory.dynamics.noises import nodes
from sgtheory.errors import UnusableInput
from verification.theories.chains import existence, moments
from verification.theories.chains.existence import OPEN
from verification.theories.chains.reading import Differs, Laws, Settled, linear, means_in, over_noise

_SETTLED = """def settled(move, spread, push=lambda y: y, slope=lambda y: 1 + 0 * y):
    some = lambda half: np.linspace(-half, half, 101)
    least = lambda half: min(spread(some(half)) / slope(some(half)))
    half = min(4.0, 200 * least(4.0))  # nodes of the law that stays: a wider box until all is in it
    while True:
        narrow = least(half)
        if not narrow > 0: raise ArithmeticError("no noise somewhere")
        n = 2 * int(np.ceil(1.3 * half / narrow))
        if n > 900: raise ArithmeticError("too many nodes")
        x = (np.arange(n) - (n - 1) / 2) * 2 * half / n
        away = (push(x)[:, None] - move(x)) / spread(x)
        K = np.exp(-away**2 / 2) * slope(x)[:, None] / spread(x) * 2 * half / n / np.sqrt(2 * np.pi)
        rows = K - np.eye(n)
        rows[n // 2] = 1
        w = np.linalg.solve(rows, np.eye(n)[n // 2])
        if abs(w[abs(x) > 0.8 * half].sum()) < 1e-10: return x, w
        half *= 1.5"""
_POINTS = """def on_points(size, up):  # up(x): with which probability a step goes up from x
    x = size * np.arange(-4000, 4001)
    p = np.array([up(float(y)) for y in x])
    logs = np.concatenate([[0], np.cumsum(np.log(p[:-1] + 1e-300) - np.log(1 - p[1:] + 1e-300))])
    w = np.exp(logs - max(logs))
    return x, w / w.sum()"""
_DENSITY = """def dense(log):  # nodes and weights under exp(log(x))
    half = 4.0
    while max(log(np.array([-half, half]))) > max(log(np.linspace(-half, half, 999))) - 60: half *= 1.5
    x = np.linspace(-half, half, 40001)
    w = np.exp(log(x) - max(log(x)))
    return x, w / w.sum()"""
_MOMENTS = """@np.errstate(all="ignore")  # a chain may grow beyond all numbers
def moments(rows):  # how often E[x^j] counts in the next E[x^n]: after 2^60 steps
    rows = np.array(rows)
    for _ in range(60): rows = rows @ rows
    if not np.all(np.isfinite(rows)): raise ArithmeticError("moments that settle")
    return rows[:, 0]"""
_UNLIKE = """def unlike(m, other):  # cumulants from moments, of a number of mean 0 and variance 1
    mean, size = m[1], (m[2] - m[1] ** 2) ** 0.5
    about = lambda n: sum(math.comb(n, k) * m[k] * (-mean) ** (n - k) for k in range(n + 1)) / size**n
    c = [about(n) for n in range(len(m))]
    kappa = [0.0]
    for n in range(1, len(m)):
        kappa.append(c[n] - sum(math.comb(n - 1, k - 1) * kappa[k] * c[n - k] for k in range(1, n)))
    return max(abs(a - b) for a, b in zip(kappa[3:], other))"""
_FOLLOWED = """def followed(after, z, share, count):  # each step divided between the two nearest nodes
    half = 4.0
    while True:
        x = np.linspace(-half, half, count)
        to = (np.clip(after(x[:, None], z), -half, half) + half) / (x[1] - x[0])
        low, at = np.minimum(to.astype(int), count - 2), np.arange(count)[:, None]
        part = lambda k, w: np.bincount((k * count + at).ravel(), (w * share).ravel(), count**2)
        K = (part(low, 1 + low - to) + part(low + 1, to - low)).reshape(count, count)
        rows = K - np.eye(count)
        rows[-1] = 1
        w = np.linalg.solve(rows, np.eye(count)[-1])
        if w[abs(x) > 0.8 * half].sum() < 1e-9: return x, w
        half *= 1.5
def both(after, z, share):  # extrapolated, as a division adds a variance
    (x, w), (y, v) = (followed(after, z, share, count) for count in (161, 321))
    return np.concatenate([y, x]), np.concatenate([4 * v / 3, -w / 3])"""
_LAWS = """def how_many(move):  # far out a step leads nearer, or it does not
    moved = lambda x: float(move(np.float64(x)))
    return int(all(abs(moved(s * y)) < y for s in (1, -1) for y in (1e4, 1e6, 1e8)))"""
_MANY = """def many(after, size):  # places stay whole steps from where they began: each start has a law
    start, draw = size * np.array([0, 0.3, 0.5]), np.random.default_rng(0).standard_normal
    x = start
    for _ in range(300): x = after(x, draw(3))
    gone = (x - start) / size
    return 10**9 if np.allclose(gone, np.round(gone)) else 1"""


_NODES = {  # of a noise, and how likely each is
    "normal": "_z = np.linspace(-9, 9, 322)\n_share = np.exp(-_z**2 / 2)",
    "signs": "_z = np.array([-1.0, 1.0])\n_share = np.array([0.5, 0.5])",
    "bernoulli": "_z = np.array([0.0, 1.0])\n_share = np.array([1 - {0!r}, {0!r}])",
    "uniform": "_z = {0!r} + ({1!r} - {0!r}) * (np.arange(322) + 0.5) / 322\n_share = np.ones(322)",
    "laplace": "_z = {0!r} * np.linspace(-36, 36, 643)\n_share = np.exp(-abs(_z) / {0!r})",
    "exponential": "_z = (np.arange(322) + 0.5) * 36 / 322\n_share = np.exp(-_z)",
}


class _Text(NumPyPrinter):
    """NumPy's functions under their usual name, the largest of numbers of unlike shapes too."""

    def _print_Max(self, expr: Any) -> str:
        return reduce(lambda a, b: f"numpy.maximum({a}, {b})", map(self._print, expr.args))

    def _print_erf(self, expr: Any) -> str:
        return f"erf({self._print(expr.args[0])})"

    def _print_Min(self, expr: Any) -> str:
        return reduce(lambda a, b: f"numpy.minimum({a}, {b})", map(self._print, expr.args))


def function(expr: Any, *symbols: Any) -> Any:
    """An expression as a function on arrays."""
    made: Any = sp.lambdify(symbols, expr, [{"erf": erf}, "numpy"], printer=_Text())

    def at(*parts: Any) -> Any:
        with np.errstate(all="ignore"):
            return np.zeros(np.broadcast_shapes(*map(np.shape, parts))) + made(*parts)

    return at


def over_nodes(step: LineStep, body: Any) -> Any:
    """A function of the place and of the noise as one of the place, by the nodes of the noise."""
    if not body.has(*step.noises):
        return function(body, step.place)
    z, share = nodes(step.law(step.noises[0]))
    made = function(body, step.place, step.noises[0])
    return lambda x: made(x[:, None], z[None, :]) @ share


def _written(expr: Any, *symbols: Any) -> str:
    names = sp.symbols("x z", real=True)[: len(symbols)]
    plain = expr.xreplace(dict(zip(symbols, names, strict=True)))
    zeros = " + ".join(f"0 * {name}" for name in names)
    text = _Text().doprint(plain).replace("numpy.", "np.")
    return f"lambda {', '.join(map(str, names))}: {zeros} + {text}"


def lines(means: Any) -> list[str]:
    """The numbers of a place, and the means there."""
    small = "1e-9" if means.way is not None else "1e-7"
    found = [f'_size = lambda x: abs(x) if abs(x) > d("{small}") else d(0)']
    used = _Used()
    worth = [*_letters(means)]
    for side in means.law.sides:
        own = means_in(side)
        worth += [f"    {one.text()!r}: d(float({used.text(means, one)}))," for one in own]
    return [*found, *used.needed, *used.laws, "_of = {", *dict.fromkeys(worth), "}"]


def _letters(means: Any) -> Iterator[str]:
    hidden = set(means.law.hidden)
    for name, x in means.items():
        if name not in hidden:
            yield f"    {name!r}: d({x.numerator}) / d({x.denominator}),"


class _Used:
    """The laws that a script works out, each once, and what it needs for them."""

    def __init__(self) -> None:
        self.needed: list[str] = []
        self.laws: list[str] = []
        self.names: dict[str, str] = {}

    def text(self, means: Any, one: Any) -> str:
        atom = means.reading.of(one)
        if isinstance(atom, Laws):
            return self._count(means.numbered(atom.args[0]))
        if isinstance(atom, Differs):
            one = moments.unlike(step := means.numbered(atom.args[0]), str(atom.args[1]))
            self._need("import math")
            self._need(_UNLIKE)
            most = moments.known_to(step)
            other = [float(one.target.cumulant(n)) for n in range(3, most + 1)]
            return f"unlike({self._moments(step, most)}, {other})"
        if isinstance(atom, Settled):
            step = means.numbered(atom.args[0])
            body = means.put(atom.args[1])
            if moments.affine(step) is not None and body.is_polynomial(step.place, *step.noises):
                poly = sp.Poly(step.mean(sp.expand(body)), step.place)
                shares = [float(poly.coeff_monomial(step.place**k)) for k in range(poly.degree() + 1)]
                return f"np.array({shares}) @ {self._moments(step, poly.degree())}"
            if not step.is_normal or (linear(step) is None and existence.by_sign(step) is None):
                name, both = self._named(self._both(step)), _written(body, step.place, step.noises[0])
                return f"np.array([({both})(x, _z) @ _share for x in {name}[0]]) @ {name}[1]"
            body = over_noise(body, step)
            if body.has(sp.erf):
                self._need("import math")
                self._need("erf = np.vectorize(math.erf)")
            return self._mean(self._law(step), _written(body, step.place))
        density, x, body = (means.put(a) for a in atom.args)
        self._need(_DENSITY)
        return self._mean(f"dense({_written(density, x)})", _written(body, x))

    def _mean(self, law: str, body: str) -> str:
        name = self._named(law)
        return f"{name}[1] @ ({body})({name}[0])"

    def _named(self, law: str) -> str:
        if law not in self.names:
            self.names[law] = f"_law{len(self.names)}"
            self.laws.append(f"{self.names[law]} = {law}")
        return self.names[law]

    def _both(self, step: LineStep) -> str:
        self._need(_FOLLOWED)
        law = step.law(step.noises[0])
        if law.name not in _NODES:
            raise UnusableInput("a noise with nodes", law.name, "take powers of the place")
        numbers = [float(x) for x in law.of]
        self._need(_NODES[law.name].format(*numbers) + "\n_share = _share / _share.sum()")
        return f"both({_written(step.after, step.place, step.noises[0])}, _z, _share)"

    def _moments(self, step: LineStep, most: int) -> str:
        self._need(_MOMENTS)
        rows = [[*map(float, moments.weights(step, n))] + [0.0] * (most - n) for n in range(most + 1)]
        return self._named(f"moments({rows})")

    def _need(self, text: str) -> None:
        if text not in self.needed:
            self.needed.append(text)

    def _law(self, step: LineStep) -> str:
        found = linear(step)
        if not step.is_normal or (found is None and existence.by_sign(step) is None):
            return self._both(step)
        if found is None:
            factor, inside = existence.by_sign(step)  # type: ignore[misc]
            spread = math.sqrt(sum(float(inside.diff(w)) ** 2 for w in step.noises))
            level = inside.subs(dict.fromkeys(step.noises, 0)) / spread * sp.sign(factor)
            if "import math" not in self.needed:
                self.needed.insert(0, "import math")
            self._need(_POINTS)
            up = _written(level, step.place).removeprefix("lambda x: ")
            return f"on_points({abs(float(factor))!r}, lambda x: math.erfc(-({up}) / math.sqrt(2)) / 2)"
        move, square, push = found
        self._need(_SETTLED)
        parts = [_written(move, step.place), _written(sp.sqrt(square), step.place)]
        if push != 0:
            pushed = step.new + push
            parts += [_written(pushed, step.new), _written(sp.diff(pushed, step.new), step.new)]
        return f"settled({', '.join(f'({p})' for p in parts)})"

    def _count(self, step: LineStep) -> str:
        found = linear(step)
        still = None if found is None else found[0]
        if found is None or found[2] != 0:
            if existence.which(step) == "many" and len(step.noises) == 1:
                self._need(_MANY)
                size = abs(float((existence.by_sign(step) or (0,))[0]))
                return f"many({_written(step.after, step.place, step.noises[0])}, {size!r})"
            if found is not None or existence.which(step) == OPEN:
                raise UnusableInput("a step that a script follows far out", str(step.after), "none")
            still = step.after.xreplace(dict.fromkeys(step.noises, sp.Integer(0)))
        self._need(_LAWS)
        return f"how_many({_written(still, step.place)})"
