"""From a setting to linear algebra: the affine map of one step, then its action on one mode.

On a quadratic every update is linear in the states and the noises, with words of matrices in
front: eps H A theta, H B w, ... A positive-definite gain H goes away by congruence, phi =
H^(-1/2) theta, which turns A into H^(1/2) A H^(1/2) and C into H^(1/2) C H^(1/2); what is left
acts on each eigen-direction of A by a small matrix M(lambda).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import sympy as sp

from sgtheory.declare import Apply, Dot, Local, MatrixName, Noise, Root, State, Vector, kind
from sgtheory.errors import NotAffine
from sgtheory.setting import Setting

Word = tuple[Any, ...]  # matrices, left to right
LinearForm = Mapping[tuple[Word, Any], Any]  # (word, state or noise) -> scalar coefficient

CURVATURE = MatrixName("A", positive=True)
LAMBDA = sp.Symbol("lambda", positive=True)  # a generic eigenvalue of A


def linear_form(expr: Any, known: Mapping[Any, LinearForm]) -> LinearForm:
    """The expression as a sum of coefficient * word * vector.

    >>> from sgtheory.declare import positive_definite, positive, state
    >>> theta, eps, A = state("theta"), positive("eps"), positive_definite("A")
    >>> linear_form(theta - eps * A @ theta, {})
    {((), theta): 1, ((A,), theta): -eps}
    """
    if isinstance(expr, Vector):
        return dict(known[expr]) if expr in known else {((), expr): sp.Integer(1)}
    if isinstance(expr, sp.Add):
        total: dict[tuple[Word, Any], Any] = {}
        for term in expr.args:
            for key, value in linear_form(term, known).items():
                total[key] = total.get(key, sp.Integer(0)) + value
        return {k: sp.expand(c) for k, c in sorted(total.items(), key=_order) if sp.expand(c) != 0}
    if isinstance(expr, sp.Mul):
        vectors = [a for a in expr.args if kind(a) == "vector"]
        if len(vectors) != 1:
            raise NotAffine(f"{expr} multiplies vectors, so one step is not linear in the state")
        scalar = expr / vectors[0]
        if scalar.atoms(Vector, Dot):
            raise NotAffine(f"{expr} scales a vector by one that depends on the state")
        return {k: scalar * c for k, c in linear_form(vectors[0], known).items()}
    if isinstance(expr, Apply):
        matrix, inner = expr.args
        return {((matrix, *w), x): c for (w, x), c in linear_form(inner, known).items()}
    raise NotAffine(f"{expr} is not linear in the state")


def _order(item: Any) -> Any:
    (word, vector), _ = item
    return (len(word), isinstance(vector, Noise), str(word), str(vector))


def one_step(setting: Setting) -> dict[Any, LinearForm]:
    """The new value of every state, in the old states and the noises of the step."""
    known: dict[Any, LinearForm] = {}
    for target, expr in setting.updates:
        known[target] = linear_form(expr, known)
    return {s: known[s] for s in setting.sampler.state}


def increments(setting: Setting) -> dict[Any, LinearForm]:
    """What one step adds to every state when all right-hand sides see the old values.

    Read per unit of time (one step is one unit) this is the drift and the noise of the
    continuous-time limit, as papers take it: the order of the updates is of higher order.
    """
    known: dict[Any, LinearForm] = {}
    added: dict[Any, Any] = {s: sp.Integer(0) for s in setting.sampler.state}
    for target, expr in setting.updates:
        if isinstance(target, Local):
            known[target] = linear_form(expr, known)
        else:
            added[target] += expr - target
    return {s: linear_form(sp.expand(total), known) for s, total in added.items()}


@dataclass(frozen=True)
class NoiseTerm:
    """One independent noise of the mode form: what drives mode i, and how modes i and j share it."""

    name: str  # of the noise
    coupling: Word  # the word W in front of it: modes share it through (W W^T)_ij
    coefficients: tuple[Any, ...]  # one to a state, functions of lambda


@dataclass(frozen=True)
class ModeForm:
    """A setting on one eigen-direction: x' = M(lambda) x + noise, in discrete or continuous time.

    In continuous time ``M`` is the drift matrix F of dx = F x dt + noise.
    """

    setting: Setting
    time: str
    states: tuple[State, ...]
    M: sp.ImmutableMatrix
    noises: tuple[NoiseTerm, ...]
    gain: Any  # the positive-definite matrix removed by congruence, or None

    @property
    def couplings(self) -> tuple[Word, ...]:
        """The distinct words through which modes share noise, in a fixed order."""
        return tuple(sorted({n.coupling for n in self.noises}, key=lambda w: (len(w), str(w))))

    def noise_block(self, coupling: Word, li: Any, lj: Any) -> sp.ImmutableMatrix:
        """The factor of one coupling in the noise covariance Q_ij."""
        m = len(self.states)
        total = sp.zeros(m, m)
        for noise in self.noises:
            if noise.coupling == coupling:
                column = sp.Matrix(noise.coefficients)
                total += column.subs(LAMBDA, li) * column.subs(LAMBDA, lj).T
        return sp.ImmutableMatrix(total)


@cache
def mode_form(setting: Setting, time: str = "discrete") -> ModeForm:
    """The action of a setting on one eigen-direction of A (or of H^(1/2) A H^(1/2))."""
    step = one_step(setting) if time == "discrete" else increments(setting)
    states = setting.sampler.state
    gain = _gain(step)
    rows = [[sp.Integer(0)] * len(states) for _ in states]
    noises: dict[tuple[Any, Word], list[Any]] = {}
    for a, target in enumerate(states):
        for (word, source), coefficient in step[target].items():
            power, rest = _strip(word, gain)
            value = coefficient * LAMBDA**power
            if isinstance(source, Noise):
                key = (source, rest)
                noises.setdefault(key, [sp.Integer(0)] * len(states))[a] += value
            elif rest:
                raise NotAffine(f"the matrix word {_show(rest)} on {source} is no power of A")
            else:
                rows[a][states.index(source)] += value
    matrix = sp.Matrix(rows)
    terms = tuple(NoiseTerm(k[0].name, k[1], tuple(c)) for k, c in noises.items())
    return ModeForm(setting, time, states, sp.ImmutableMatrix(matrix.applyfunc(sp.expand)), terms, gain)


def _gain(step: Mapping[Any, LinearForm]) -> Any:
    """The positive-definite matrix that stands before A in every word, or None where there is none."""
    words = [word for form in step.values() for word, _ in form]
    before = {w[k - 1] if k else None for w in words for k, f in enumerate(w) if f == CURVATURE}
    if before <= {None}:
        return None
    gain = before.pop()
    if before or not isinstance(gain, MatrixName) or not gain.is_positive:
        raise NotAffine("the curvature A is not preceded by one positive-definite gain throughout")
    return gain


def _strip(word: Word, gain: Any) -> tuple[int, Word]:
    """How many times (gain A) stands at the left of a word, and what follows."""
    unit = (CURVATURE,) if gain is None else (gain, CURVATURE)
    power = 0
    while word[: len(unit)] == unit:
        word, power = word[len(unit) :], power + 1
    return power, word


def _show(word: Word) -> str:
    return " ".join(f"{f.args[0]}^(1/2)" if isinstance(f, Root) else str(f) for f in word) or "I"
