"""What is said of a fault: which factor a term has, and which it should have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import sympy as sp

from sgtheory.declare import FullGradient, Gradient, Noise, Size
from sgtheory.errors import UnusableInput
from sgtheory.independent.running import split_product
from sgtheory.language import Parameter
from sgtheory.notation.printing import plain


def nature(term: Any) -> str:
    """What a term is made of: noise, a gradient, or neither.

    >>> from sgtheory.declare import gradient, state
    >>> theta = state("theta")
    >>> nature(2 * gradient(theta)), nature(theta)
    ('gradient', '')
    """
    if term.atoms(Noise):
        return "noise"
    return "gradient" if term.atoms(Gradient, FullGradient) else ""


def changed(true: Any, wrong: Any) -> list[tuple[Any, Any, Any]]:
    """The updates that differ: target, as declared, as it seems to be."""
    if [t for t, _ in true.updates] != [t for t, _ in wrong.updates]:
        return []
    return [(t, a, b) for (t, a), (_, b) in zip(true.updates, wrong.updates, strict=True) if a != b]


def in_words(true: Any, wrong: Any) -> str:
    """What changed, term by term: the factor of a noise, of a gradient, of a state.

    >>> from dataclasses import replace
    >>> from sgtheory import registry
    >>> sgld = registry.sampler("sgld")
    >>> ((target, expr),) = sgld.updates
    >>> eps = next(p for p in sgld.parameters if p.name == "eps")
    >>> wrong = replace(sgld, updates=((target, expr.xreplace({sp.sqrt(eps): eps})),))
    >>> in_words(sgld, wrong)
    'The noise H^(1/2) xi of theta has standard deviation eps, should be sqrt(eps): eps stands where \
sqrt(eps) should.'
    """
    told: list[str] = []
    for target, was, now in _branches(changed(true, wrong)):
        try:
            before, after = fronts(was), fronts(now)
        except ValueError:
            return ""
        for vector in sorted({**before, **after}, key=str):
            one, other = (sp.sympify(x.get(vector, 0)) for x in (before, after))
            if sp.simplify(one - other) != 0:
                told.append(_of_a_term(target, vector, one, other))
    return " ".join(told)


def _branches(found: Iterable[tuple[Any, Any, Any]]) -> Iterator[tuple[Any, Any, Any]]:
    """Cases on the clock one by one, where the cases are the same."""
    for target, was, now in found:
        pieces = isinstance(was, sp.Piecewise) and isinstance(now, sp.Piecewise)
        if pieces and [c for _, c in was.args] == [c for _, c in now.args]:
            both = zip(was.args, now.args, strict=True)
            yield from ((target, a, b) for (a, _), (b, _) in both if a != b)
        else:
            yield target, was, now


def fronts(expr: Any) -> dict[Any, Any]:
    """The factor of each vector of an update."""
    found: dict[Any, Any] = {}
    for term in sp.Add.make_args(sp.expand(expr)):
        front, vector = split_product(term) if isinstance(term, sp.Mul) else (sp.Integer(1), term)
        found[vector] = found.get(vector, 0) + front
    return found


def _of_a_term(target: Any, vector: Any, was: Any, now: Any) -> str:
    shown, noise = plain(vector), bool(isinstance(vector, Noise) or vector.atoms(Noise))
    what = f"The noise {shown}" if noise else shown
    if now == 0:
        return f"{what} is missing in {target}: its factor should be {_short(was)}."
    if was == 0:
        return f"{what} is added to {target} with the factor {_short(now)}, should not be there."
    why = _why(was, now)
    if noise:
        return f"{what} of {target} has standard deviation {_short(now)}, should be {_short(was)}{why}."
    return f"{what} enters {target} with the factor {_short(now)}, should be {_short(was)}{why}."


def _short(factor: Any) -> str:
    """A factor as a sum or as a product, whichever is shorter.

    >>> alpha = sp.Symbol("alpha", positive=True)
    >>> _short(1 - 2 * alpha + alpha**2), _short(1 - alpha)
    ('(alpha - 1)**2', '1 - alpha')
    """
    return min(plain(factor), plain(sp.factor(factor)), key=len)


def _why(was: Any, now: Any) -> str:
    """In a word: a sign, a missing letter, one that is there twice, a number."""
    ratio = sp.powsimp(sp.simplify(now / was), force=True)
    if ratio == -1:
        return ": the sign is wrong"
    if ratio.is_Number or ratio.is_NumberSymbol or not ratio.free_symbols:
        return f": {plain(ratio)} times too {'large' if abs(float(ratio)) > 1 else 'small'}".replace(
            f": {plain(ratio)} times too small", f": {plain(1 / ratio)} times too small"
        )
    powers = ratio.as_powers_dict()
    if not all(isinstance(b, Parameter | Size) or b.is_Number for b in powers):
        return ""
    said = [_of_a_letter(b, p, was) for b, p in powers.items() if isinstance(b, Parameter | Size)]
    return ": " + ", ".join(x for x in said if x) if all(said) and said else ""


def _of_a_letter(letter: Any, power: Any, was: Any) -> str:
    had = was.as_powers_dict().get(letter, 0)
    if had + power == 0:
        return f"{letter} is missing"
    if had == 0 and power > 0:
        return f"{letter} is too much"
    if power == had:
        return (
            f"{letter} enters squared"
            if had == 1
            else f"{letter} stands where {plain(letter**had)} should"
        )
    return ""


def updates(variant: Any, true: Any = None) -> str:
    """The updates, or those that differ."""
    same = () if true is None else (*true.updates, *true.where, *true.start)
    everything = (*variant.updates, *variant.where, *(variant.start if same else ()))
    return "; ".join(f"{t} = {plain(e)}" for t, e in everything if (t, e) not in same)


def stability_of(sampler: Any) -> str:
    """Where a sampler's step is unstable, from its symbolic stability region.

    >>> from sgtheory import registry
    >>> stability_of(registry.sampler("momentum_position_first"))
    'unstable where eps*lambda >= mu, for an eigenvalue lambda of A'
    """
    from sgtheory import registry
    from sgtheory.modepairs.stability import stability
    from sgtheory.onestep.affine import mode_form
    from sgtheory.setting import Setting

    try:
        found = stability(mode_form(Setting(sampler, registry.model("quadratic"))))
    except (UnusableInput, ArithmeticError, ValueError, TypeError, NotImplementedError):
        return ""
    told = [said for c in found.conditions if (said := _fails(c))]
    return f"unstable where {' or '.join(told)}, for an eigenvalue lambda of A" if told else ""


def _fails(condition: Any) -> str:
    """A condition ``a - b > 0``, as ``b >= a``."""
    parts = sp.Add.make_args(sp.expand(condition).as_content_primitive()[1])
    down = [-p for p in parts if p.could_extract_minus_sign()]
    up = [p for p in parts if not p.could_extract_minus_sign()]
    if not down or not up:
        return ""
    return f"{plain(sp.factor(sp.Add(*down)))} >= {plain(sp.factor(sp.Add(*up)))}"
