"""From a setting to linear algebra: the affine map of one step, then its action on one mode.

On a quadratic every update is linear in the states and the noises, with words of matrices in
front: eps H A theta, H B w, ... A positive-definite gain H goes away by congruence, phi =
H^(-1/2) theta, which turns A into H^(1/2) A H^(1/2) and C into H^(1/2) C H^(1/2); what is left
acts on each eigen-direction of A by a small matrix M(lambda).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import sympy as sp

from sgtheory.declare import (
    Apply,
    DataVector,
    Dot,
    FullGradient,
    Gradient,
    Local,
    MatrixName,
    Noise,
    Root,
    Spread,
    State,
    Vector,
    kind,
    mode,
)
from sgtheory.errors import NotAffine, UnusableInput
from sgtheory.language import Outer
from sgtheory.notation.sentence import say
from sgtheory.polynomials import is_zero
from sgtheory.setting import EPOCH, Setting

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
    if expr == 0 or (expr == mode and mode not in known):
        return {}  # states are measured from the mode
    if isinstance(expr, Vector):
        return dict(known[expr]) if expr in known else {((), expr): sp.Integer(1)}
    if isinstance(expr, sp.Add):
        total: dict[tuple[Word, Any], Any] = {}
        for term in expr.args:
            for key, value in linear_form(term, known).items():
                total[key] = total.get(key, sp.Integer(0)) + value
        return {k: sp.expand(c) for k, c in sorted(total.items(), key=_order) if sp.expand(c) != 0}
    if isinstance(expr, sp.Mul):
        return _product(expr, known)
    if isinstance(expr, Apply):
        matrix, inner = expr.args
        return {((matrix, *w), x): c for (w, x), c in linear_form(inner, known).items()}
    if isinstance(expr, sp.Piecewise) and not any(c.atoms(Vector) for _, c in expr.args):
        return linear_form(_indicators(expr), known)
    raise NotAffine(say("{} is not linear in the state", expr))


def _product(expr: Any, known: Mapping[Any, LinearForm]) -> LinearForm:
    vectors = [a for a in expr.args if kind(a) == "vector"]
    if len(vectors) != 1:
        raise NotAffine(say("{} multiplies vectors, so one step is not linear in the state", expr))
    (vector,) = vectors
    scalar = expr / vector
    sums = [a for a in sp.Mul.make_args(scalar) if a.is_Add and a.atoms(Dot)]
    if sums:
        return linear_form(sp.expand(scalar * vector, deep=False), known)
    dots = [a for a in sp.Mul.make_args(scalar) if isinstance(a, Dot)]
    if len(dots) == 1 and isinstance(vector, DataVector) and not (scalar / dots[0]).atoms(Vector):
        datum, inner = sorted(dots[0].args, key=lambda a: not isinstance(a, DataVector))
        if isinstance(datum, DataVector):
            return linear_form(scalar / dots[0] * Apply(Outer(vector, datum), inner), known)
    if scalar.atoms(Vector, Dot):
        raise NotAffine(f"{expr} scales a vector by one that depends on the state")
    return {k: scalar * c for k, c in linear_form(vector, known).items()}


def _indicators(expr: Any) -> Any:
    """Cases on the clock as a sum: each value times the number that is 1 in its case and else 0."""
    total, before = sp.Integer(0), sp.false
    for value, condition in expr.args:
        now = sp.And(condition, sp.Not(before))
        total += sp.Piecewise((sp.Integer(1), now), (sp.Integer(0), True)) * value
        before = sp.Or(before, condition)
    return total


def _order(item: Any) -> Any:
    (word, vector), _ = item
    return (len(word), isinstance(vector, Noise), str(word), str(vector))


@cache
def one_step(setting: Setting) -> Mapping[Any, LinearForm]:
    """The new value of every state, in the old states and the noises of the step."""
    return _one_step(setting, {})


def _one_step(setting: Setting, begin: Mapping[Any, LinearForm]) -> Mapping[Any, LinearForm]:
    known = dict(begin)
    for target, expr in setting.updates:
        known[target] = linear_form(expr, known)
    return {s: known.get(s, {((), s): sp.Integer(1)}) for s in setting.state}


def at_mode(vectors: Iterable[Any]) -> dict[Any, LinearForm]:
    """Vectors as the mode and their distance from it, and the mode as a vector of its own."""
    one = {((), mode): sp.Integer(1)}
    return {mode: one, **{s: {((), s): sp.Integer(1), **one} for s in vectors}}


def that_move(updates: Iterable[tuple[Any, Any]], first: Any) -> frozenset[Any]:
    """The vectors of a step that move along when the mode does, as the position does.

    They are what gradients are taken at, and what is made of such vectors: copies, old values, means.

    >>> from sgtheory import registry
    >>> sampler = registry.sampler("averaged_sgd")
    >>> sorted(v.name for v in that_move(sampler.updates, sampler.sample))
    ['m', 'theta']
    """
    seen = {g: Vector(f"seen_{k}") for k, g in enumerate(_gradients(updates))}
    still = [(target, sp.sympify(expr).xreplace(seen)) for target, expr in updates]
    found = {first, *(g.args[0] for g in seen if isinstance(g.args[0], State | Local))}
    while True:
        more = {t for t, e in still if t not in found and _moves(e, found)}
        if not more:
            return frozenset(found)
        found |= more


def _gradients(updates: Iterable[tuple[Any, Any]]) -> list[Any]:
    return sorted({g for _, e in updates for g in sp.sympify(e).atoms(Gradient, FullGradient)}, key=str)


def _moves(expr: Any, moving: Iterable[Any]) -> bool:
    try:
        return ((), mode) in linear_form(expr, at_mode(moving))
    except NotAffine:
        return False


@cache
def drive(setting: Setting, time: str) -> Mapping[Any, LinearForm]:
    """What a step (or a unit of time) does to a chain that rests at the mode, in words on the mode.

    Nothing for most samplers: their gradients vanish there. Weight decay pulls away from it.

    >>> from sgtheory import registry
    >>> drive(Setting(registry.sampler("sgd"), registry.model("linear_regression")), "discrete")
    {theta: {}}
    """
    moving = setting.sampler.positions
    begin = at_mode(moving)
    forms = _one_step(setting, begin) if time == "discrete" else _increments(setting, begin)
    if time == "discrete":
        forms = {s: less_mode(form) if s in moving else form for s, form in forms.items()}
    found = {s: {key: c for key, c in form.items() if key[1] == mode} for s, form in forms.items()}
    return {s: {key: c for key, c in f.items() if not is_zero(c)} for s, f in found.items()}


def less_mode(form: LinearForm) -> LinearForm:
    """A new value as its distance from the mode."""
    rest = {**form, ((), mode): sp.expand(form.get(((), mode), 0) - 1)}
    return {key: c for key, c in rest.items() if c != 0}


@cache
def is_affine(setting: Setting) -> bool:
    """Whether a step is linear in states and noises, so that its law is solved for.

    >>> from sgtheory import registry
    >>> quadratic = registry.model("quadratic")
    >>> [is_affine(Setting(registry.sampler(n), quadratic)) for n in ("sgd", "rmsprop")]
    [True, False]
    """
    try:
        return bool(one_step(setting))
    except NotAffine:
        return False


@cache
def has_spread(setting: Setting) -> bool:
    """Whether a minibatch's curvature enters: then noise grows with the distance from the mode."""
    words = [word for form in one_step(setting).values() for word, _ in form]
    return any(isinstance(letter, Spread) for word in words for letter in word)


@cache
def increments(setting: Setting) -> Mapping[Any, LinearForm]:
    """What one step adds to every state in the continuous-time limit, per step.

    Usually all right-hand sides see the old values: this is the drift and the noise as papers take
    them, the order of the updates being of higher order. A sampler made of exact sub-flows
    declares ``limit="step"``: drift and each noise are then taken to leading order in the step.
    """
    return _increments(setting, {})


def _increments(setting: Setting, begin: Mapping[Any, LinearForm]) -> Mapping[Any, LinearForm]:
    if setting.period != 1:
        raise NotAffine(f"{setting.sampler.name} depends on the step counter: its limit is not one flow")
    if setting.sampler.limit == "step":
        return _leading(setting, begin)
    known = dict(begin)
    added: dict[Any, Any] = {s: sp.Integer(0) for s in setting.state}
    for target, expr in setting.updates:
        if isinstance(target, Local):
            known[target] = linear_form(expr, known)
        else:
            added[target] += expr - target
    return {s: linear_form(sp.expand(total), known) for s, total in added.items()}


def _leading(setting: Setting, begin: Mapping[Any, LinearForm]) -> Mapping[Any, LinearForm]:
    """One step minus the identity: the drift to first order in the step, each noise to its lowest."""
    full = dict(setting.sampler.where)
    drift: dict[Any, dict[Any, Any]] = {s: {} for s in setting.state}
    noise: dict[Any, list[Any]] = {}
    for target, form in _one_step(setting, begin).items():
        for (word, source), coefficient in form.items():
            own = sp.Integer(int(not word and source in (target, mode if target in begin else target)))
            grown = sp.expand((coefficient - own).subs(full))
            step = setting.sampler.step
            leading = grown.as_leading_term(step)
            order = leading.as_coeff_exponent(step)[1]
            if isinstance(source, Noise):
                noise.setdefault(source, []).append((order, target, word, leading))
            elif order == 1:
                drift[target][word, source] = leading
            elif order < 1 and leading != 0:
                moved = f"what {target} takes of {source} is {leading} for a small {step}"
                remedy = "its law in discrete time is there"
                raise UnusableInput(f"a step in proportion to {step}, for a limit", moved, remedy)
    for source, terms in noise.items():
        lowest = min(order for order, *_ in terms)
        for order, target, word, leading in terms:
            if order == lowest:
                drift[target][word, source] = leading
    return {s: {k: c for k, c in form.items() if c != 0} for s, form in drift.items()}


@cache
def has_limit(setting: Setting) -> bool:
    """Whether a step does in proportion to its size what it does where that is small."""
    if setting.sampler.limit != "step":
        return True  # increments are taken at their face value
    try:
        _leading(setting, {})
    except NotAffine:
        return True
    except UnusableInput:
        return False
    return True


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

    @property
    def short(self) -> dict[Any, Any]:
        """What the abbreviations in M stand for; a limit is taken after writing them out."""
        return dict(self.setting.sampler.where) if self.time == "discrete" else {}

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
    states = setting.state
    gain = _gain(step)
    rows = [[sp.Integer(0)] * len(states) for _ in states]
    noises: dict[tuple[Any, Word], list[Any]] = {}
    for a, target in enumerate(states):
        for (word, source), coefficient in step[target].items():
            if any(isinstance(letter, Spread) for letter in word):
                continue  # of mean zero: it drives no mean, and what it adds to noise is not a mode's
            power, rest = _strip(_about_gain(word, target, source, gain), gain)
            value = coefficient * LAMBDA**power
            if isinstance(source, Noise):
                key = (source, rest)
                noises.setdefault(key, [sp.Integer(0)] * len(states))[a] += value
            elif rest:
                raise NotAffine(f"the matrix word {_show(rest)} on {source} is no power of A")
            else:
                if source not in states:
                    raise NotAffine(f"{source} is added at every step, so that there is no mode")
                rows[a][states.index(source)] += value
    matrix = sp.Matrix(rows)
    terms = tuple(NoiseTerm(k[0].name, k[1], tuple(c)) for k, c in noises.items())
    return ModeForm(setting, time, states, sp.ImmutableMatrix(matrix.applyfunc(sp.expand)), terms, gain)


def _gain(step: Mapping[Any, LinearForm]) -> Any:
    """The positive-definite matrix that stands before A in every word, or None where there is none."""
    words = [w for form in step.values() for w, _ in form if not any(isinstance(f, Spread) for f in w)]
    before = {w[k - 1] if k else None for w in words for k, f in enumerate(w) if f == CURVATURE}
    before -= {CURVATURE} if None in before else set()  # powers of A, with nothing between
    if before <= {None}:
        return None
    gain = before.pop()
    if before or not isinstance(gain, MatrixName) or not gain.is_positive:
        raise NotAffine("the curvature A is not preceded by one positive-definite gain throughout")
    return gain


def _about_gain(word: Word, target: Any, source: Any, gain: Any) -> Word:
    """A word as the congruence sees it: gradients transform by H^(1/2), positions by H^(-1/2)."""
    if gain is not None and target == EPOCH:
        word = (gain, *word)
    if gain is not None and source == EPOCH and word[-1:] == (gain,):
        word = word[:-1]
    return word


def _strip(word: Word, gain: Any) -> tuple[int, Word]:
    """How many times (gain A) stands at the left of a word, and what follows."""
    unit = (CURVATURE,) if gain is None else (gain, CURVATURE)
    power = 0
    while word[: len(unit)] == unit:
        word, power = word[len(unit) :], power + 1
    return power, word


def _show(word: Word) -> str:
    return " ".join(f"{f.args[0]}^(1/2)" if isinstance(f, Root) else str(f) for f in word) or "I"
