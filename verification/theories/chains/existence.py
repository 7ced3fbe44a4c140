"""How many laws a step on a line leaves as they are: what it does far out decides.

With normal noise that is added there is at most one law, as from everywhere every place can be reached.
Where a step leads far places nearer, or pushes them back by more than nothing, there is one (Foster and
Lyapunov). Where it leads far places further out by a factor, a chain runs away with positive
probability, and as these places are reached from everywhere, there is none.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp
from scipy.special import erfc

from sgtheory.dynamics.firstorder import LineStep
from sgtheory.errors import UnusableInput
from verification.theories.chains.moments import affine
from verification.theories.chains.reading import ROUGH, linear

_BOUNDED = (sp.sin, sp.cos)
INNER, OUTER, OPEN = "inner", "outer", "open"
_LATTICE = 4_000
MANY = 1e9  # where there are endlessly many


@dataclass(frozen=True)
class Side:
    """Where a step leads from far out on one side: about ``factor`` x^power, in the end."""

    power: Any
    factor: Any
    rest: Any = None  # of a factor of one: what is added, where that is known


def far_out(move: Any, x: Any, sign: int) -> Side | None:
    """What a move is like as x goes to one end; None where that is not known."""
    y = sp.Symbol("y", positive=True)  # x = sign y
    expr = _settle(move.subs(x, sign * y), y)
    if expr is None:
        return None
    wavy = [t for t in sp.Add.make_args(sp.expand(expr)) if t.has(*_BOUNDED)]
    bounded = all(
        not sp.Mul(*(f for f in sp.Mul.make_args(t) if not f.has(*_BOUNDED))).has(y) for t in wavy
    )
    rest = _whole(sp.expand(expr - sp.Add(*wavy)), y)
    if not bounded or not rest.is_polynomial(y):
        return None
    poly = sp.Poly(rest, y)
    power = poly.degree() if rest != 0 else 0
    if power < 1:
        return Side(sp.Integer(0), sp.Integer(0))
    added = poly.coeff_monomial(1) if not wavy else None
    lower = any(m[0] not in (0, power) for m, _ in poly.terms())
    return Side(power, sign * poly.LC(), None if lower else added)


def _whole(expr: Any, y: Any) -> Any:
    """A quotient of polynomials without what vanishes far out; else as it is."""
    if expr.is_polynomial(y):
        return expr
    over, under = sp.fraction(sp.together(expr))
    if not (over.is_polynomial(y) and under.is_polynomial(y)):
        return expr
    return sp.expand(sp.div(sp.Poly(over, y), sp.Poly(under, y))[0].as_expr())


def _settle(expr: Any, y: Any) -> Any:
    """Signs, clips and tanh of what goes to an end, as they are far out."""
    for one in sorted(expr.atoms(*ROUGH, sp.tanh), key=sp.count_ops):
        parts = []
        for inside in one.args:
            if not inside.has(y):
                parts.append((0, inside))
                continue
            inner = _settle(inside, y)
            if inner is None or not sp.expand(inner).is_polynomial(y):
                return None
            poly = sp.Poly(sp.expand(inner), y)
            if poly.degree() < 1:
                parts.append((0, inner))
                continue
            direction = sp.sign(poly.LC())
            if not direction.is_number:
                return None
            parts.append((int(direction), inner))
        value = _far_value(one, parts)
        if value is None:
            return None
        expr = expr.xreplace({one: value})
        if one in expr.atoms(type(one)):
            return None
        return _settle(expr, y)
    return expr


def _far_value(one: Any, parts: list[tuple[int, Any]]) -> Any:
    if isinstance(one, sp.sign | sp.tanh):
        end, inner = parts[0]
        return sp.Integer(end) if end else type(one)(inner)
    if isinstance(one, sp.Abs):
        end, inner = parts[0]
        return end * inner if end else sp.Abs(inner)
    up = isinstance(one, sp.Max)
    beyond = [e for d, e in parts if d == (1 if up else -1)]
    if len(beyond) == 1:
        return beyond[0]
    left = [e for d, e in parts if d == 0]
    others = [e for d, e in parts if d]
    if beyond:
        return None
    return type(one)(*left) if left else others[0] if len(others) == 1 else None


Known = tuple[tuple[Any, bool], ...]  # what is positive, or perhaps zero


def which(step: LineStep, small: Any = None, known: Known = ()) -> str:
    """``one``, ``none``, ``many``, or ``open``, for positive letters, one perhaps ``small``.

    ``known`` are expressions that are positive by what is given.
    """
    found = linear(step)
    if found is None and is_on_points(step) and _comes_back(step):
        return "many"
    if found is None and affine(step) is None:
        return _drifts(step)
    if found is None or not step.is_normal:
        return _contracts(step, small, known)
    move, square, push = found
    x = step.place
    if square.is_zero is not False or square.has(x) or square.has(*ROUGH):
        return OPEN
    ends = {s: _end(move, push, x, step.new, s, small, known) for s in (1, -1)}
    if set(ends.values()) == {INNER}:
        return "one"
    return "none" if _runs_away(ends, move, x) else OPEN


def _contracts(step: LineStep, small: Any, known: Known) -> str:
    """With noise of any law: steps x' = a x + noise lead from two places to one another, or do not."""
    found = affine(step)
    if found is None or found[0].has(*step.noises):
        return OPEN
    signs = [_sign(1 + k * found[0], small, known) for k in (-1, 1)]
    if all(s == ">" for s in signs):
        return "one"
    moves = sp.simplify(step.mean(sp.expand(found[1] ** 2)) - step.mean(found[1]) ** 2)
    apart = any(s in ("<", "<=", "=") for s in signs)
    return "none" if apart and moves.is_zero is False else OPEN


def _drifts(step: LineStep) -> str:
    """With noise inside of what is bounded: means of far steps go inwards by more than nothing, or out.

    Then there is a law, as a step moves continuously with its place (Foster, Feller); only one where a
    step has a density about every place.
    """
    x, moved = step.place, sp.expand(step.after - step.place)
    jumps = moved.atoms(sp.sign)
    outside = moved.replace(lambda e: isinstance(e, (*ROUGH, sp.tanh)), lambda e: sp.Dummy())
    if any(law.moment(2) == sp.oo and outside.has(w) for w, law in step.drawn):
        return OPEN
    if not is_bounded(moved, step) or not all(_is_crossed(one.args[0], step) for one in jumps):
        return OPEN
    drifts = []
    for sign in (1, -1):
        y = sp.Symbol("y", positive=True)
        far = _settle(moved.subs(x, sign * y), y)
        far = None if far is None else _whole(sp.expand(far), y)
        if far is None or far.has(y, *_BOUNDED):
            return OPEN
        drifts.append(step.mean(sp.expand(far)) * sign)
    if all(d.is_negative for d in drifts):
        return "one" if _is_dense(moved, step) else "some"
    return "none" if any(d.is_positive for d in drifts) and _is_dense(moved, step) else OPEN


def is_bounded(expr: Any, step: LineStep) -> bool:
    """Whether it is at most as large as a polynomial of the noises, wherever the place is."""
    if not expr.has(step.place) or isinstance(expr, (sp.sign, sp.tanh, *_BOUNDED)):
        return True
    if isinstance(expr, sp.Add | sp.Mul):
        return all(is_bounded(part, step) for part in expr.args)
    return clipped(expr, step) is not None


def clipped(expr: Any, step: LineStep) -> Any:
    """What is kept between two numbers; None of what is no clip."""
    for outer, inner in ((sp.Max, sp.Min), (sp.Min, sp.Max)):
        if not isinstance(expr, outer):
            continue
        within = [one for one in expr.args if isinstance(one, inner)]
        moving = [one for one in expr.args if one.has(step.place, *step.noises)]
        if len(within) == 1 and moving == within and len(expr.args) == 2:
            inside = [one for one in within[0].args if one.has(step.place, *step.noises)]
            if len(inside) == 1 and len(within[0].args) == 2:
                return inside[0]
    return None


def _is_crossed(inside: Any, step: LineStep) -> bool:
    """Whether it is zero with probability zero, wherever the place is."""
    noisy = [w for w in step.noises if inside.has(w)]
    return any(step.law(w).is_continuous and inside.diff(w).is_nonzero for w in noisy)


def _is_dense(moved: Any, step: LineStep) -> bool:
    """Whether it is a number, and one times a clip or a tanh of what has noise with a density."""
    _, rest = moved.as_independent(step.place, *step.noises, as_Add=True)
    factor, rest = rest.as_independent(step.place, *step.noises, as_Add=False)
    inside = rest.args[0] if isinstance(rest, sp.tanh) else clipped(rest, step)
    if inside is None or factor == 0:
        return False
    return any(law.is_spread and sp.diff(inside, w).is_nonzero for w, law in step.drawn)


def _end(move: Any, push: Any, x: Any, new: Any, sign: int, small: Any, known: Known) -> str:
    """Whether a step leads inwards from far out on one side, or outwards."""
    side = far_out(move, x, sign)
    if side is None:
        return OPEN
    if push != 0:  # y + push(y) = move: push grows, so that y is nearer
        own = far_out(push, new, sign)
        grows = (
            own is not None
            and own.power >= 1
            and bool(sp.simplify(own.factor * sign ** (own.power - 1)).is_positive)
        )
        increases = sp.diff(push, new).is_nonnegative
        linear_at_most = side.power <= 1 and (side.power < 1 or side.factor in (1, -1))
        return INNER if grows and increases and linear_at_most else OPEN
    if side.power > 1:
        return OUTER
    if side.power < 1:
        return INNER
    return _by_factor(side, sign, small, known)


def _by_factor(side: Side, sign: int, small: Any, known: Known) -> str:
    low, high = (_sign(1 + k * side.factor, small, known) for k in (-1, 1))
    if (low, high) == (">", ">"):
        return INNER
    if "<" in (low, high):
        return OUTER
    if low == "=" and side.rest is not None:
        inwards = _sign(-side.rest * sign, None, known)
        return {">": INNER, "<": OUTER}.get(inwards, OPEN)
    return OPEN


def _sign(expr: Any, small: Any, known: Known) -> str:
    """``>``, ``<``, ``=``, ``<=`` beside zero; nothing where it is not seen."""
    expr = _first(sp.simplify(expr), small)
    if expr.is_zero:
        return "="
    if expr.is_positive or expr.is_negative:
        return ">" if expr.is_positive else "<"
    for one, may_be_zero in known:
        ratio = sp.cancel(expr / one) if one != 0 else sp.Integer(0)
        if ratio.is_positive and not may_be_zero:
            return ">"
        if ratio.is_negative:
            return "<=" if may_be_zero else "<"
    return ""


def _first(expr: Any, small: Any) -> Any:
    """What decides of its sign where a letter is small."""
    if small is None or not expr.has(small) or not expr.is_polynomial(small):
        return expr
    return sp.Poly(expr, small).terms()[-1][1]


def _runs_away(ends: dict[int, str], move: Any, x: Any) -> bool:
    """Whether far places are led to far places that lead on."""
    to = {}
    for sign in (1, -1):
        side = far_out(move, x, sign)
        if side is None or ends[sign] != OUTER:
            continue
        direction = (
            sp.sign(side.factor * sign**side.power) if side.power > 1 else sp.sign(side.factor) * sign
        )
        if direction in (1, -1):
            to[sign] = int(direction)
    return any(to.get(s) is not None and to[s] in to for s in (1, -1))


def is_on_points(step: LineStep) -> bool:
    """Whether a step goes up or down by one number, as a sign says that noise may turn."""
    return by_sign(step) is not None


def by_sign(step: LineStep) -> tuple[Any, Any] | None:
    """The number, and what has the sign."""
    if not step.is_normal:
        return None
    moved = sp.expand(step.after - step.place)
    signs = moved.atoms(sp.sign)
    if len(signs) != 1:
        return None
    (one,) = signs
    factor = moved.coeff(one)
    inside = sp.expand(one.args[0])
    noisy = [w for w in step.noises if inside.has(w)]
    plain = sp.expand(moved - factor * one) == 0 and not factor.has(step.place, *step.noises)
    enters = noisy and all(
        inside.diff(w).is_number or not inside.diff(w).has(step.place, *step.noises) for w in noisy
    )
    return (factor, inside) if plain and enters else None


def _comes_back(step: LineStep) -> bool:
    factor, inside = by_sign(step)  # type: ignore[misc]
    slope = sp.diff(inside.subs(dict.fromkeys(step.noises, 0)), step.place)
    return bool((-factor * slope).is_positive) and not slope.has(step.place)


def on_points(step: LineStep, function: Any) -> tuple[float, float]:
    """The mean on the points that a chain from 0 reaches by steps up and down, by detailed balance."""
    found = by_sign(step)
    if found is None:
        raise UnusableInput(
            "a step with added normal noise, or up and down by a sign", str(step.after), "mend it"
        )
    factor, inside = found
    size = abs(float(factor))
    spread = math.sqrt(sum(float(inside.diff(w)) ** 2 for w in step.noises))
    level = sp.lambdify(step.place, inside.subs(dict.fromkeys(step.noises, 0)), "numpy")
    x = size * np.arange(-_LATTICE, _LATTICE + 1)
    z = (np.zeros(len(x)) + level(x)) / spread * (1 if float(factor) > 0 else -1)
    up = erfc(-np.clip(z, -38, 38) / math.sqrt(2)) / 2
    with np.errstate(divide="ignore"):
        steps = np.log(up[:-1]) - np.log(1 - up[1:] + 1e-320)
    logs = np.concatenate([[0.0], np.cumsum(steps)])
    w = np.exp(logs - logs.max())
    if w[0] > 1e-14 * w.sum() or w[-1] > 1e-14 * w.sum():
        raise UnusableInput("a law near 0", str(step.after), "take larger steps")
    w /= w.sum()
    return float(w @ (np.zeros(len(x)) + function(x))), 1e-9


def counted(step: LineStep) -> float:
    """How many laws there are."""
    found = {"one": 1.0, "none": 0.0, "some": 1.0, "many": MANY}.get(which(step))
    if found is None:
        raise UnusableInput("a step of which this is known", str(step.after), "none")
    return found
