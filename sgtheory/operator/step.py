"""One declared step as a function of numbers: states, and a few random numbers, for D = 1.

Vectors of one coordinate are numbers, so matrices multiply and inner products are products. Noises
that only ever enter as one sum are one noise. Real minibatches are listed, each with its probability.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement
from math import comb, factorial, prod
from random import Random
from typing import Any

import numpy as np
import sympy as sp

from sgtheory.datamodels.written import Share
from sgtheory.declaring.noises import Normal, Rademacher, UniformNoise
from sgtheory.errors import UnusableInput
from sgtheory.language import Apply, BatchMean, D, DataMean, DiagonalOf, Dot, Table, mode, ones, t
from sgtheory.problem import Values
from sgtheory.setting import Setting

Array = Any
Rule = tuple[Array, Array]  # nodes (how many, random numbers) and weights that sum to 1

_MOST_BATCHES = 20_000
_LONGEST = 4  # steps of a period: what they compose to grows with each
MOST_STATES = 3


@dataclass(frozen=True)
class OneStep:
    """``states`` by name; ``after`` maps states and random numbers to states, all arrays."""

    states: tuple[str, ...]
    noises: tuple[Any, ...]
    after: Callable[..., tuple[Array, ...]]
    batches: Rule
    period: int = 1  # how many declared steps are taken as one

    def quadrature(self, order: int) -> Rule:
        """Nodes and weights of everything random in a step: a product rule with the minibatches."""
        rules = [self.batches, *(_rule(w, order) for w in self.noises)]
        nodes, weights = np.zeros((1, 0)), np.ones(1)
        for points, shares in rules:
            nodes = np.hstack([np.repeat(nodes, len(points), axis=0), np.tile(points, (len(nodes), 1))])
            weights = np.repeat(weights, len(shares)) * np.tile(shares, len(weights))
        return nodes, weights

    def drawn(self, count: int, source: np.random.Generator) -> Array:
        """Random numbers for so many chains, (count, random numbers)."""
        points, shares = self.batches
        batch = points[source.choice(len(points), count, p=shares / shares.sum())]
        return np.hstack([batch, *(_draw(w, count, source)[:, None] for w in self.noises)])


def one_step(setting: Setting, values: Values, clock: int = 2**40) -> OneStep:
    """The step of a setting in one dimension; the step counter is at ``clock``, after any burn-in.

    States that never change are their start. Where that leaves more than three, those that no update
    reads are left out as well. Where the updates repeat after a period, that many steps are taken as
    one, from the clock at a multiple of it, and only states that are read are carried over.

    >>> from sgtheory import registry
    >>> from sgtheory.problem import Problem
    >>> content = {"hessian": [[1]], "noise": [[1]], "N": 4, "S": 1, "params": {"eps": "1/8"}}
    >>> problem = Problem.of(content)
    >>> setting = Setting(registry.sampler("sgld"), problem.model)
    >>> step = one_step(setting, problem.values("sgld"))
    >>> len(step.noises), step.after(np.array([1.0]), np.array([0.0]))
    (1, (array([0.75]),))
    """
    if values.D != 1:
        raise UnusableInput("a problem in one dimension", f"D = {values.D}", "take one coordinate")
    if setting.model.example is not None:
        from dataclasses import replace

        setting = replace(setting, sampled=True)
    if any(isinstance(s, Table) for s in setting.state):
        raise UnusableInput(
            "a step without a table of examples", setting.sampler.name, "simulate it, or take svrg_ld"
        )
    known = _numbers(setting, values)
    batches, period = _Batches(values), _period(setting, known)
    written, noises = _written(
        setting, known, batches, [clock - clock % period + k for k in range(period)]
    )
    many = MOST_STATES if period == 1 else 0
    states, composed = _moving(setting, _composed(tuple(setting.state), written), known, many)
    composed, noises = _merged(composed, tuple(w for w in noises if any(e.has(w) for e in composed)))
    # a Vector is a number here, and lambdify wants plain symbols
    plain = {s: sp.Symbol(f"s_{s.name}", real=True) for s in (*states, *noises, *batches.symbols)}
    arguments = [plain[s] for s in (*states, *batches.symbols, *noises)]
    after = sp.lambdify(arguments, [_rounded(e.subs(plain)) for e in composed], "numpy", cse=True)

    def all_of_one_shape(*numbers: Array) -> tuple[Array, ...]:
        shape = np.broadcast_shapes(*(np.shape(x) for x in numbers))
        return tuple(np.broadcast_to(np.asarray(x, float), shape) for x in after(*numbers))

    return OneStep(tuple(s.name for s in states), noises, all_of_one_shape, batches.rule(), period)


def _rounded(expr: Any) -> Any:
    """Every number of an expression in 17 digits; evalf alone leaves those inside of functions exact."""
    if not expr.args or expr.is_number:
        return expr.evalf(17) if expr.is_number else expr
    if expr.is_Pow and expr.exp.is_Rational:
        return _rounded(expr.base) ** expr.exp
    return expr.func(*(_rounded(a) for a in expr.args))


def _period(setting: Setting, known: dict[Any, Any]) -> int:
    """After how many steps the updates repeat; 1 where they never do, and the clock stands still."""
    period = int(sp.sympify(1 if setting.period is None else setting.period).subs(known))
    if period > _LONGEST:
        raise UnusableInput(f"a period of at most {_LONGEST} steps", f"{period}", "take a shorter one")
    return period


def _written(
    setting: Setting, known: dict[Any, Any], batches: _Batches, clocks: Sequence[int]
) -> tuple[list[tuple[Any, Any]], tuple[Any, ...]]:
    """The updates at these times in numbers, one after the other, each time with noises of its own."""
    once = (*setting.gradient_noises, *setting.injected_noises)
    written: list[tuple[Any, Any]] = []
    noises: tuple[Any, ...] = ()
    for k, now in enumerate(clocks):
        fresh = {w: type(w)(f"{w.name}_{k}", real=True) if len(clocks) > 1 else w for w in once}
        noises += tuple(fresh.values())
        for target, e in setting.updates:
            put = batches.write(_scalar(sp.sympify(e)), known, k).subs({t: now}).subs(known)
            written.append((target, put.xreplace(fresh)))
    return written, noises


def _numbers(setting: Setting, values: Values) -> dict[Any, Any]:
    """The numbers of all letters of the step."""
    found: dict[Any, Any] = {D: sp.Integer(1), ones: sp.Integer(1)}
    everything = (*setting.updates, *setting.sampler.start)
    letters = set().union(*(sp.sympify(e).free_symbols for _, e in everything))
    for symbol in sorted(letters, key=str):
        if symbol.name in values.scalars:
            found[symbol] = sp.Rational(str(values.scalars[symbol.name]))
        elif symbol.name in values.matrices:
            found[symbol] = sp.Rational(str(values.matrices[symbol.name][0][0]))
        elif symbol.name == "B" and "C" in values.matrices:
            found[symbol] = sp.sqrt(sp.Rational(str(values.matrices["C"][0][0])))
    if values.examples is not None:
        found[mode] = sp.Float(float(values.examples.mode[0]), 17)
    else:
        found[mode] = sp.Integer(0)
    return found


def _scalar(expr: Any) -> Any:
    """Matrices of one row are numbers."""
    expr = expr.replace(Apply, lambda matrix, x: _factor(matrix) * x).replace(Dot, lambda x, y: x * y)
    return expr.replace(DiagonalOf, _factor)


def _factor(matrix: Any) -> Any:
    return sp.sqrt(matrix.args[0]) if matrix.is_Function else matrix


def _composed(states: tuple[Any, ...], written: Sequence[tuple[Any, Any]]) -> list[Any]:
    """The states after the step in the states before it."""
    now: dict[Any, Any] = {}
    for target, e in written:
        now[target] = e.xreplace(now) if now else e
    return [sp.sympify(now.get(s, s)) for s in states]


def _moving(
    setting: Setting, composed: list[Any], known: dict[Any, Any], many: int
) -> tuple[Any, list[Any]]:
    """The states that change, and the step that they make; of more than ``many``, those read."""
    begin = {s: _scalar(sp.sympify(e)).subs(known) for s, e in setting.sampler.start}
    steps = dict(zip(setting.state, composed, strict=True))
    first = {s: begin.get(s, sp.Integer(0)) for s in steps}
    still = {s: first[s] for s, e in steps.items() if e == s or sp.expand(e, deep=False) == first[s]}
    steps = {s: e.xreplace(still) for s, e in steps.items() if s not in still}
    while len(steps) > many:
        read = set().union(*(e.free_symbols for e in steps.values()))
        if read.issuperset(steps):
            break
        steps = {s: e for s, e in steps.items() if s in read}
    return tuple(steps), list(steps.values())


def _merged(composed: list[Any], noises: tuple[Any, ...]) -> tuple[list[Any], tuple[Any, ...]]:
    """Normal noises that enter only as one sum a w + b u, a and b fixed, become one."""
    left = list(noises)
    for w, u in combinations(noises, 2):
        if w not in left or u not in left or not all(isinstance(x, Normal) for x in (w, u)):
            continue
        ratio = _ratio(composed, w, u)
        if ratio is not None:
            scale = sp.sqrt(1 + ratio**2)
            composed = [e.subs({u: 0}).subs({w: scale * w}) for e in composed]
            left.remove(u)
    return composed, tuple(left)


def _ratio(composed: list[Any], w: Any, u: Any) -> Any:
    """How much more u counts than w, where that is one number; three random places show it."""
    source, found = Random(0), []
    letters = sorted(set().union(*(e.free_symbols for e in composed)), key=str)
    for e in composed:
        slopes = sp.diff(e, w), sp.diff(e, u)
        if slopes == (0, 0):
            continue
        for _ in range(3):
            here = {s: sp.Rational(source.randrange(1, 1000), 997) for s in letters}
            below, above = (sp.N(slope.subs(here), 40) for slope in slopes)
            if below == 0 or not (above / below).is_Float:
                return None
            found.append(above / below)
    same = bool(found) and all(abs(r - found[0]) < 1e-30 * abs(found[0]) for r in found)
    return found[0] if same else None


class _Batches:
    """Minibatches of real data: which example is at which place, as numbers that a rule lists."""

    def __init__(self, values: Values) -> None:
        self._values = values
        self.symbols: list[Any] = []
        self._draws: dict[tuple[int, int], list[Any]] = {}

    def write(self, expr: Any, known: Mapping[Any, Any], step: int) -> Any:
        """Means over a minibatch of that step or the data, written out example by example."""
        expr = expr.replace(Share, Share.plain)
        expr = expr.replace(BatchMean, lambda g, k: self._mean(g, (int(k), step)))
        return expr.replace(DataMean, lambda g: self._over_data(g))

    def _examples(self) -> list[dict[str, Any]]:
        names = sorted(self._values.data)
        columns = {n: np.asarray(self._values.data[n], object).reshape(-1) for n in names}
        return [
            {n: sp.Rational(str(columns[n][k])) for n in names} for k in range(len(columns[names[0]]))
        ]

    def _letters(self, g: Any) -> list[Any]:
        return [s for s in g.free_symbols if s.name in self._values.data]

    def _over_data(self, g: Any) -> Any:
        rows = self._examples()
        each = [g.subs({s: row[s.name] for s in self._letters(g)}) for row in rows]
        return sp.Add(*each) / len(rows)

    def _mean(self, g: Any, draw: tuple[int, int]) -> Any:
        """A count for each example that differs: how often it is in the minibatch, over S."""
        counts = self._draws.get(draw)
        if counts is None:
            name = "n" + "_".join(map(str, draw))
            counts = [sp.Symbol(f"{name}_{k}", real=True) for k in range(len(self._examples()))]
            self._draws[draw] = counts
            self.symbols += counts
        each = [
            n * g.subs({s: row[s.name] for s in self._letters(g)})
            for n, row in zip(counts, self._examples(), strict=True)
        ]
        return sp.Add(*each) / sp.Integer(int(self._values.scalars["S"]))

    def rule(self) -> Rule:
        """All minibatches, with their probabilities; of several draws in a step, all combinations."""
        nodes, weights = np.zeros((1, 0)), np.ones(1)
        for _ in self._draws:
            one, shares = self._one_draw()
            nodes = np.hstack([np.repeat(nodes, len(one), axis=0), np.tile(one, (len(nodes), 1))])
            weights = np.repeat(weights, len(shares)) * np.tile(shares, len(weights))
        return nodes, weights

    def _one_draw(self) -> Rule:
        N, S = len(self._examples()), int(self._values.scalars["S"])
        with_replacement = self._values.replacement
        many = comb(N + S - 1, S) if with_replacement else comb(N, S)
        if many > _MOST_BATCHES:
            raise UnusableInput(
                f"at most {_MOST_BATCHES} different minibatches", f"{many}", "take fewer examples"
            )
        chosen = list((combinations_with_replacement if with_replacement else combinations)(range(N), S))
        counts = np.zeros((len(chosen), N))
        for row, batch in enumerate(chosen):
            for k in batch:
                counts[row, k] += 1
        if not with_replacement:
            return counts, np.full(len(chosen), 1 / len(chosen))
        ways = [factorial(S) / prod(factorial(int(n)) for n in row) for row in counts]
        return counts, np.array(ways) / float(N) ** S


def _rule(noise: Any, order: int) -> Rule:
    """A Gauss rule of a noise of variance 1."""
    if isinstance(noise, Normal):
        x, w = np.polynomial.hermite_e.hermegauss(order)
        return x[:, None], w / w.sum()
    if isinstance(noise, Rademacher):
        return np.array([[-1.0], [1.0]]), np.array([0.5, 0.5])
    if isinstance(noise, UniformNoise):
        x, w = np.polynomial.legendre.leggauss(order)
        return np.sqrt(3) * x[:, None], w / 2
    raise UnusableInput("normal, uniform or sign noise", f"the noise {noise}", "use one of these")


def _draw(noise: Any, count: int, source: np.random.Generator) -> Array:
    if isinstance(noise, Rademacher):
        return source.choice([-1.0, 1.0], count)
    if isinstance(noise, UniformNoise):
        return source.uniform(-np.sqrt(3), np.sqrt(3), count)
    return source.standard_normal(count)


def pairs(step: OneStep, points: Array, order: int) -> Iterator[tuple[tuple[Array, ...], float]]:
    """Where a step leads from some points (n, states), one node of the random numbers at a time."""
    nodes, weights = step.quadrature(order)
    columns = [points[:, k] for k in range(points.shape[1])]
    for node, weight in zip(nodes, weights, strict=True):
        yield step.after(*columns, *node), float(weight)
