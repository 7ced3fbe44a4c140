"""The law of a step that has matrices of its own, as equations in words: nothing has to commute.

Second moments obey P = M P M^T + Q, block by block, in discrete time and F P + P F^T + Q = 0 in
continuous time; M, F and Q are sums of words in the matrices of the step. No mode is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, reduce
from itertools import product
from typing import Any

import sympy as sp

from sgtheory import registry
from sgtheory.declare import MatrixName, Noise, Root, Sampler, mode
from sgtheory.errors import NotAffine
from sgtheory.modepairs.matrixform import block_symbol
from sgtheory.notation.matrixwords import C
from sgtheory.onestep.affine import Word, increments, one_step
from sgtheory.setting import Setting
from verification.laws.pair_form import by_word
from verification.terms.kinds import Transpose

_NOISE = "B"  # the factor of the noise covariance, C = B B^T


@cache
def own_matrices(sampler: Sampler) -> tuple[Any, ...]:
    """The matrices of a sampler of the user's own beside A: pairs of modes do not know them.

    >>> own_matrices(registry.sampler("sgd"))
    ()
    """
    if sampler.name in registry.names("samplers") or registry.family(sampler.name):
        return ()
    found = (p for p in sampler.parameters if isinstance(p, MatrixName) and p.name != "A")
    return tuple(sorted(found, key=str))


@dataclass(frozen=True)
class StepWords:
    """What one step makes of states and of noises, in words; of matrices these are symmetric."""

    setting: Setting
    time: str = "discrete"
    symmetric: frozenset[str] = frozenset()

    @property
    def states(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(s.name for s in self.setting.state)

    @property
    def blocks(self) -> tuple[Any, ...]:
        """The symbols of all second moments."""
        return tuple(block_symbol(a, b) for a, b in product(self.states, repeat=2))

    def residuals(self) -> tuple[Any, ...]:
        """What is zero for the moments of the law: one expression for each block."""
        return _residuals(self)

    def equation(self, rest: Any) -> tuple[Any, Any]:
        """What is zero for Sigma as an equation: moments on the left, noise on the right."""
        parts = by_word(rest)
        scale = reduce(sp.gcd, parts.values())
        moments = [w for w in parts if w.has(*self.blocks)]
        first = min(moments, key=lambda w: (len(str(w)), str(w)))
        scale = -scale if sp.cancel(parts[first] / scale).could_extract_minus_sign() else scale
        left, right = sp.Integer(0), sp.Integer(0)
        for word, c in parts.items():
            term = sp.factor(sp.cancel(c / scale)) * word
            left, right = (left + term, right) if word in moments else (left, right - term)
        return left, right


def at_numbers(expr: Any, values: Mapping[Any, Any]) -> Any:
    """A sum of words with numbers for its matrices: a transpose is the number itself."""
    return sp.sympify(expr).replace(Transpose, lambda x: x).subs(values, simultaneous=True)


@cache
def _residuals(words: StepWords) -> tuple[Any, ...]:
    form = (one_step if words.time == "discrete" else increments)(words.setting)
    states, moved, noises = words.setting.state, dict[Any, Any](), dict[Any, dict[Any, Any]]()
    for target in states:
        for (word, source), c in form[target].items():
            if source == mode:
                raise NotAffine(f"{source} is added at every step")
            if isinstance(source, Noise):
                noises.setdefault(source, {}).setdefault(target, []).append((c, word))
            else:
                moved.setdefault((target, source), []).append((c, word))
    found = []
    for a, b in product(states, repeat=2):
        noise = sp.Add(*(_both(words, w.get(a, ()), w.get(b, ())) for w in noises.values()))
        core = block_symbol(a.name, b.name)
        if words.time == "discrete":
            sums = (
                _left(words, moved.get((a, c), ())) * block_symbol(c.name, d.name)
                * _right(words, moved.get((b, d), ()))
                for c, d in product(states, repeat=2)
            )  # fmt: skip
            found.append(sp.expand(core - sp.Add(*sums) - noise))
        else:
            drift = (
                _left(words, moved.get((a, c), ())) * block_symbol(c.name, b.name)
                + block_symbol(a.name, c.name) * _right(words, moved.get((b, c), ()))
                for c in states
            )
            found.append(sp.expand(-sp.Add(*drift) - noise))
    return tuple(found)


def _left(words: StepWords, terms: Any) -> Any:
    return sp.Add(*(c * sp.Mul(*(_symbol(f) for f in word)) for c, word in terms))


def _right(words: StepWords, terms: Any) -> Any:
    return sp.Add(*(c * _transposed(words, word) for c, word in terms))


def _both(words: StepWords, left: Any, right: Any) -> Any:
    """The covariance of one noise in two states: what ends in a factor of a covariance has that."""
    total = sp.Integer(0)
    for (c, one), (d, other) in product(left, right):
        middle, one, other = _middle(one, other)
        ends = sp.Mul(*(_symbol(f) for f in one)), _transposed(words, other)
        total += c * d * ends[0] * middle * ends[1]
    return total


def _middle(one: Word, other: Word) -> tuple[Any, Word, Word]:
    """What a noise's covariance is between two words, without the factors that both end in."""
    ends = one[-1:] + other[-1:]
    if ends and all(str(f) == _NOISE for f in ends):
        return C, one[:-1], other[:-1]
    if len(ends) == 2 and ends[0] == ends[1] and isinstance(ends[0], Root):
        return _symbol(ends[0].args[0]), one[:-1], other[:-1]
    if any(str(f) == _NOISE for f in ends):
        raise NotAffine("a minibatch's gradient and a noise have one source")
    return sp.Integer(1), one, other


def _symbol(factor: Any) -> Any:
    if isinstance(factor, Root):
        return sp.Symbol(str(factor.args[0]), commutative=False) ** sp.Rational(1, 2)
    if str(factor) == _NOISE:
        raise NotAffine("the factor of the noise covariance alone")
    return sp.Symbol(str(factor), commutative=False)


def _transposed(words: StepWords, word: Word) -> Any:
    def one(factor: Any) -> Any:
        whole = isinstance(factor, Root) or factor.is_positive or str(factor) in words.symmetric
        return _symbol(factor) if whole else Transpose(_symbol(factor))

    return sp.Mul(*(one(f) for f in reversed(word)))
