"""What an instant, or one step of the algorithm, adds to first and second moments of a sampler's states.

Moments are letters of their own here, for nothing is stationary; what is added is a letter too, which
stands for a formula of the moments. In continuous time that is Ito's calculus, per unit of time, all
right sides being at the old values. At places the declared updates are run on unit vectors instead.

>>> from verification.statements import Equal, claim
>>> of_velocity = claim("v", at="", title="", of="momentum", read=Equal(rate_of_mean("v"), mean_of("v")))
>>> str(formulas(of_velocity.setting, "continuous")["dE[v]/dt"])
'-eps*A*Mean_theta - mu*Mean_v'
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any

import sympy as sp

from sgtheory.declare import Noise, mode
from sgtheory.dynamics.leading import leading, vanishing
from sgtheory.errors import NotAffine
from sgtheory.independent.fields import Rows, add, multiply, transpose
from sgtheory.language import Root
from sgtheory.modepairs.matrixform import block_symbol
from sgtheory.notation.matrixwords import EE, B, E, H
from sgtheory.onestep.affine import increments, one_step
from sgtheory.reader.exact import is_definite
from sgtheory.setting import Setting
from verification.laws.pair_form import by_word
from verification.laws.quantities import space_of
from verification.laws.rational import problem_space, step_and_noise
from verification.refuter.places import FACTORS, MATRIX_KINDS, Place, Space
from verification.refuter.script import identifier
from verification.refuter.stepscript import run_lines
from verification.terms.kinds import Transpose
from verification.terms.stochastic import (
    SYMMETRIC,
    Forms,
    NoiseLetter,
    mean_of,
    noise_of,
    rate_of_mean,
)
from verification.terms.term import Letter, Term
from verification.theories.answers import Proved
from verification.verdicts.verdict import Gap

if TYPE_CHECKING:
    from verification.theories.matrices.laws import Law

__all__ = ["mean_of", "noise_of", "products", "rate", "rate_of_mean"]


def rate(a: str, b: str) -> Letter:
    """What is added to a second moment, dE[a b^T]/dt."""
    return Letter(f"dE[{a} {b}^T]/dt", "matrix")


def products(a: str, b: str) -> tuple[Letter, Letter, Letter, Letter]:
    """What is added to E[a b^T], and the three means that it is the sum of."""
    names = (f"dE[{a} {b}^T]", f"E[d {a} {b}^T]", f"E[{a} d {b}^T]", f"E[d {a} d {b}^T]")
    first, second, third, fourth = (Letter(name, "matrix") for name in names)
    return first, second, third, fourth


def in_a_step(side: Term) -> Term:
    """What a step adds is no rate per unit of time: ``dE[v]`` for ``dE[v]/dt``."""
    if not isinstance(side, Letter) or not side.name.startswith("dE["):
        return side
    return replace(side, name=side.name.removesuffix("/dt"))


def are_about(letters: Iterable[Letter]) -> bool:
    """Whether letters are means, or what is added to them."""
    return any(a.name.startswith(("E[", "dE[", "Mean_")) for a in letters)


@cache
def added(
    setting: Setting, time: str, gain: bool = False, symmetric: frozenset[str] = frozenset()
) -> Forms:
    """By how much a step changes each state; the gain is I, unless it is asked for.

    Of letters these are ``symmetric``, and those that the sampler declares to be positive.
    """
    form = increments(setting) if time == "continuous" else one_step(setting)
    drift: dict[tuple[str, str], Any] = {}
    noise: dict[tuple[str, Any], Any] = {}
    for target, parts in form.items():
        for (word, source), coefficient in parts.items():
            matrix = coefficient * sp.Mul(*(_symbol(m, gain) for m in word))
            if isinstance(source, Noise):
                letter = target.name, NoiseLetter(source.name, commutative=False)
                noise[letter] = noise.get(letter, sp.Integer(0)) + matrix
            else:
                pair = target.name, source.name
                drift[pair] = drift.get(pair, sp.Integer(0)) + matrix
        if time != "continuous":
            own = target.name, target.name
            drift[own] = sp.expand(drift.get(own, sp.Integer(0)) - 1)
    kept = {k: x for k, x in drift.items() if x != 0}
    met = (m for parts in form.values() for word, _ in parts for m in word)
    bare = (m.args[0] if isinstance(m, Root) else m for m in met)
    names = {*symmetric, *(m.name for m in bare if m.is_positive)}
    whole = [sp.Symbol(n, commutative=False) for n in sorted(names - {*FACTORS.values()})]
    noises = {k: (x, sp.Integer(1)) for k, x in noise.items()}
    return Forms(kept, noises, tuple(dict.fromkeys((*SYMMETRIC, *whole))))


def balance(setting: Setting, time: str, symmetric: frozenset[str]) -> dict[Any, Any]:
    """What is taken from each second moment, in words: of a law it is zero; nothing has to commute."""
    forms = added(setting, time, True, symmetric)
    if any(source == mode.name for _, source in forms.drift):
        raise NotAffine(f"{mode} is added at every step")
    names, squares = [s.name for s in setting.state], {EE: E * Transpose(E)}
    of = formulas(setting, time, True, symmetric)
    found = {
        block_symbol(a, b): sp.expand(-of[rate(a, b).name].subs(squares))
        for a, b in product(names, repeat=2)
    }
    if any(x.has(B) for x in found.values()):
        raise NotAffine("a minibatch's gradient and a noise have one source")
    return found


def _symbol(letter: Any, gain: bool) -> Any:
    name = letter.args[0].name if isinstance(letter, Root) else letter.name
    if name == H.name and not gain:
        return sp.Integer(1)
    symbol = sp.Symbol(name, commutative=False)
    return sp.sqrt(symbol) if isinstance(letter, Root) else symbol


@cache
def formulas(
    setting: Setting, time: str, gain: bool = False, symmetric: frozenset[str] = frozenset()
) -> Mapping[str, Any]:
    """What is added to each moment, by the name of its letter."""
    forms, states = added(setting, time, gain, symmetric), [s.name for s in setting.state]
    drift = {(a, s): forms.drift.get((a, s), sp.Integer(0)) for a, s in product(states, repeat=2)}
    found = {n: sp.expand(forms.mean(a)) for a in states for n in _of_mean(a)}
    for a, b in product(states, repeat=2):
        left = sum(drift[a, s] * block_symbol(s, b) for s in states)
        right = sum(block_symbol(a, s) * forms.transposed(drift[b, s]) for s in states)
        noise, both = forms.covariance(a, b), sp.Integer(0)
        if time == "discrete":
            both = sum(
                drift[a, s] * block_symbol(s, t) * forms.transposed(drift[b, t])
                for s, t in product(states, repeat=2)
            )
        whole = left + right + noise + both
        values = (whole, left, right, noise + both, whole, noise)
        found |= {n: sp.expand(x) for n, x in zip(_names_of(a, b), values, strict=True)}
    return found


def kinds(setting: Setting, names: Iterable[str]) -> dict[str, str]:
    """The moments that letters are about, which are any matrices: the equations ask for no law."""
    asked, states = {*names}, [s.name for s in setting.state]
    pairs = list(product(states, repeat=2))
    means = {mean_of(a).name for a in states}
    blocks = {str(block_symbol(a, b)) for a, b in pairs}
    second = {n for a, b in pairs for n in _names_of(a, b)} - {noise_of(a, b).name for a, b in pairs}
    found = means if asked & (means | {n for a in states for n in _of_mean(a)}) else set()
    return dict.fromkeys(sorted(found | (blocks if asked & (blocks | second) else set())), "any")


def space(
    setting: Setting, exprs: Iterable[Any], own: dict[str, str], without: tuple[str, ...], gain: bool
) -> Space:
    """Small problems of the sampler with its moments, and the further letters of some expressions."""
    exprs = tuple(exprs)
    problems, found = problem_space(setting, gain), space_of(exprs, None, own, without)
    moments = kinds(setting, (s.name for s in exprs))
    stated = {n: kind for n, kind in own.items() if kind in MATRIX_KINDS}
    matrices = {**found.matrices, **problems.matrices, **moments, **stated}
    follow = problems.follows.names if problems.follows else ()
    scalars = {n: kind for n, kind in found.scalars.items() if n not in follow}
    return replace(problems, matrices=matrices, scalars={**scalars, **problems.scalars})


def as_moments(setting: Setting, place: Place) -> Place:
    """A random place whose second moments are those of some law: what is drawn, times its transpose."""
    names = _blocks(setting, place)
    if not names:
        return place
    drawn = _in_one(names, place)
    P, d = multiply(drawn, transpose(drawn)), place.D
    found = {
        n: tuple(tuple(row[j * d : (j + 1) * d]) for row in P[i * d : (i + 1) * d])
        for i, row_of in enumerate(names)
        for j, n in enumerate(row_of)
    }
    return place.but(**found)


def are_moments(setting: Setting, place: Place) -> bool:
    """Whether the second moments at a place are those of some law: symmetric and nowhere negative."""
    names = _blocks(setting, place)
    if not names:
        return True
    P = _in_one(names, place)
    return transpose(P) == P and is_definite(tuple(map(tuple, P)), strictly=False)


def _blocks(setting: Setting, place: Place) -> list[list[str]]:
    """The letters of second moments at a place, state by state; none where it has none."""
    states = [s.name for s in setting.state]
    names = [[str(block_symbol(a, b)) for b in states] for a in states]
    return names if all(n in place.matrices for row in names for n in row) else []


def _in_one(names: list[list[str]], place: Place) -> Rows:
    return [[x for n in row for x in place.matrices[n][k]] for row in names for k in range(place.D)]


def at(setting: Setting, time: str, place: Place, names: Iterable[str]) -> dict[str, Rows]:
    """The same in numbers, by running the declared updates on unit vectors."""
    step, noise = step_and_noise(setting, place, time)
    if time == "discrete":
        step = [[x - int(i == j) for j, x in enumerate(row)] for i, row in enumerate(step)]
    states, d, asked = [s.name for s in setting.state], place.D, {*names}
    has = kinds(setting, asked)
    found: dict[str, Rows] = {}
    if mean_of(states[0]).name in has:
        means = [list(row) for s in states for row in place.matrices[mean_of(s).name]]
        moved = multiply(step, means)
        blocks = [moved[i * d : (i + 1) * d] for i in range(len(states))]
        found |= {n: x for a, x in zip(states, blocks, strict=True) for n in _of_mean(a)}
    P = multiply(noise, [[x * 0 for x in row] for row in noise])
    if str(block_symbol(states[0], states[0])) in has:
        P = _in_one(_blocks(setting, place), place)
    left, right = multiply(step, P), multiply(P, transpose(step))
    both = add(noise, multiply(left, transpose(step))) if time == "discrete" else noise
    whole = add(add(left, right), both)
    for (i, a), (j, b) in product(enumerate(states), repeat=2):
        parts = (
            [row[j * d : (j + 1) * d] for row in x[i * d : (i + 1) * d]]
            for x in (whole, left, right, both, whole, noise)
        )
        found |= dict(zip(_names_of(a, b), parts, strict=True))
    return {n: x for n, x in found.items() if n in asked}


def lines(setting: Setting, time: str, place: Place, names: Iterable[str]) -> list[str]:
    """The same in a script, which runs the updates on all signs of their noises."""
    states, asked = [s.name for s in setting.state], {*names}
    has, found = kinds(setting, asked), run_lines(setting, place, time)
    if mean_of(states[0]).name in has:
        means = ", ".join(f"[{mean_of(s).name}]" for s in states)
        found.append(f"moved = drift @ np.block([{means}])")
        pairs = ((i, n) for i, a in enumerate(states) for n in _of_mean(a) if n in asked)
        found += [f"{identifier(n)} = moved[{i} * D:{i + 1} * D]" for i, n in pairs]
    if str(block_symbol(states[0], states[0])) in has:
        rows = (f"[{', '.join(str(block_symbol(a, b)) for b in states)}]" for a in states)
        found.append(f"P = np.block([{', '.join(rows)}])")
        product_of_both = "drift @ P @ drift.T + noise" if time == "discrete" else "noise"
        found.append(f"before, after, both = drift @ P, P @ drift.T, {product_of_both}")
        found.append("whole = before + after + both")
    for (i, a), (j, b) in product(enumerate(states), repeat=2):
        values = ("whole", "before", "after", "both", "whole", "noise")
        for name, value in zip(_names_of(a, b), values, strict=True):
            if name in asked:
                block = f"{value}[{i} * D:{i + 1} * D, {j} * D:{j + 1} * D]"
                found.append(f"{identifier(name)} = {block}")
    return found


def gap(law: Law, left: Term, right: Term) -> Gap | None:
    """What a step adds beside an instant, where both are about one product of matrices at first."""
    process = replace(law, time="continuous")
    if law.time != "discrete" or not isinstance(process.vanishes(left, right), Proved):
        return None
    assert law.runs is not None
    step, sides = law.runs.sampler.step, (law.expanded(left), law.expanded(right))
    told, rest = by_word(sides[1]), by_word(sides[0] - sides[1])
    first, at_first = (_lowest(x, step, law.small) for x in (rest, told))
    if len(first) != 1 or at_first != first:
        return None
    found = vanishing(sp.cancel(rest[first[0]] / told[first[0]]), step, law.small)
    if found is None:
        return None
    letter, order, size = found
    faster = "" if letter == step else step.name
    return Gap.of(letter, order, sp.factor(size) * letter**order, faster)


def _lowest(products_of: Mapping[Any, Any], step: Any, small: tuple[str, ...]) -> list[Any]:
    """The products with the lowest power of the step, and of these of letters that vanish after it."""
    kept = {word: x for word, x in products_of.items() if x != 0}
    for name in dict.fromkeys((step.name, *small)):
        known = {w: leading(x, _named(x, name) or sp.Dummy()) or (0, x) for w, x in kept.items()}
        least = min((power for power, _ in known.values()), default=0)
        kept = {w: x for w, (power, x) in known.items() if power == least}
    return [*kept]


def _named(expr: Any, name: str) -> Any:
    return next((s for s in sp.sympify(expr).free_symbols if s.name == name), None)


def _of_mean(a: str) -> tuple[str, str]:
    return rate_of_mean(a).name, f"dE[{a}]"


def _names_of(a: str, b: str) -> tuple[str, ...]:
    return (*(letter.name for letter in products(a, b)), rate(a, b).name, noise_of(a, b).name)
