"""First terms of means as the step vanishes: the invariant density to first order, and by parts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import sympy as sp

from sgtheory.dynamics.firstorder import MEAN, Parts, whole
from sgtheory.errors import UnusableInput
from sgtheory.notation.derivation import Derivation, Equation, Formula, Step
from sgtheory.notation.sentence import say
from sgtheory.polynomials import is_zero
from verification.terms.from_sympy import from_sympy
from verification.terms.term import Applied, Letter, Term, number
from verification.terms.walking import Unable, Undefined
from verification.terms.ways import Way
from verification.theories.answers import Answer, Disproved, Proved, Silence, Silent
from verification.theories.chains import local, moments
from verification.theories.chains.identities import solved_for
from verification.theories.chains.reading import ROUGH, Laws, Reading, Settled, Under, means_in
from verification.verdicts.verdict import Gap

if TYPE_CHECKING:
    from verification.theories.chains.laws import Line

CANNOT = (UnusableInput, Unable, Undefined, sp.PolynomialError, NotImplementedError, TypeError)
_AT_REST = "steps that hold the chain, and are smooth on average"
_SMOOTH = "smooth potentials that hold the chain, with bounded derivatives of order two and more"


def density(law: Line, way: Way, name: str) -> tuple[Any, Any]:
    """The slope of the logarithm of the limit's density, and the first term g."""
    return _density(law.reading.steps[name], law.letter(way))


@lru_cache(maxsize=200)
def _density(step: Any, h: Any) -> tuple[Any, Any]:
    if step.after.has(*ROUGH):
        raise UnusableInput("a step that is smooth", str(step.after), "its first term needs another way")
    return step.score(h), whole(step.slope(h), step.place)


def coefficients(law: Line, side: Term, way: Way) -> tuple[Any, ...] | None:
    """The first coefficients of a side, in means under the limit's density, by parts.

    Of chains that come to rest in the limit, so many as are known there.
    """
    for reading in law.readings:
        try:
            found = _coefficients(law, reading, side, law.letter(way))
        except CANNOT:
            continue
        if not any(found):
            return found
    try:
        return found
    except UnboundLocalError:
        return None


def _at_rest(reading: Reading, expr: Any, h: Any) -> tuple[Any, ...]:
    """Of chains that come to rest as the step vanishes."""
    put = {}
    for atom in expr.atoms(Settled):
        known = local.series(reading.steps[str(atom.args[0])], h, atom.args[1])
        put[atom] = sp.Add(*(c * h**k for k, c in enumerate(known)))
    if not put or expr.atoms(Under):
        raise UnusableInput("means of a chain that comes to rest", str(expr), "another way is tried")
    whole_expr = sp.series(expr.xreplace(put), h, 0, local.ORDERS).removeO()
    poly = sp.expand(whole_expr)
    return tuple(sp.expand(sp.simplify(poly.coeff(h, k))) for k in range(local.ORDERS))


def _coefficients(law: Line, reading: Reading, side: Term, h: Any) -> tuple[Any, ...]:
    expr = reading.of(side)
    if expr.atoms(Laws):
        raise UnusableInput("means", "a count of laws", "state it by itself")
    with suppress(*CANNOT):
        return _at_rest(reading, expr, h)
    slopes = set()
    for atom in expr.atoms(Settled, Under):
        if isinstance(atom, Under):
            slopes.add(sp.expand(sp.diff(atom.args[0], atom.args[1])))
        else:
            slopes.add(sp.expand(_density(reading.steps[str(atom.args[0])], h)[0]))
    if len(slopes) != 1:
        raise UnusableInput("one density in the limit", f"{len(slopes)}", "see what the limit keeps")
    slope, place = slopes.pop(), _place(expr, reading)
    potential = -_integrated(slope, place)
    parts = Parts(potential, place)

    def written(atom: Any) -> Any:
        if isinstance(atom, Under):
            return parts.normal(atom.args[2])
        step, body = reading.steps[str(atom.args[0])], atom.args[1]
        g = _density(step, h)[1]
        if g is None or body.has(h, *step.noises):
            raise UnusableInput("a first term that is a formula", str(step.after), "none is known")
        zero = parts.normal(body)
        return zero + h * (parts.normal(sp.expand(body * g)) - zero * parts.normal(g))

    whole_expr = expr.xreplace({a: written(a) for a in expr.atoms(Settled, Under)})
    series = (
        sp.series(sp.expand(whole_expr), h, 0, 2).removeO()
        if not whole_expr.is_polynomial(h)
        else whole_expr
    )
    poly = sp.expand(series)
    return tuple(sp.expand(sp.simplify(poly.coeff(h, k))) for k in (0, 1))


def _place(expr: Any, reading: Reading) -> Any:
    for atom in expr.atoms(Settled, Under):
        return atom.args[1] if isinstance(atom, Under) else reading.steps[str(atom.args[0])].place
    raise UnusableInput("a mean", str(expr), "state something of a law")


def _integrated(slope: Any, place: Any) -> Any:
    found = whole(slope, place)
    if found is None:
        raise UnusableInput("a density that is a formula", str(slope), "write the drift as a slope")
    return found


def gap(law: Line, left: Term, right: Term) -> Gap | None:
    """How far apart two sides are as a step vanishes, where they have the same first term.

    A letter is a step where a chain stays where it is without it.
    """
    reading = law.readings[-1]
    steps = reading.steps.values()
    named = {s for one in steps for s in one.after.free_symbols - {one.place, *one.noises}}
    for h in sorted(named, key=str):
        if any(sp.expand(one.after.subs(h, 0) - one.place) != 0 for one in steps):
            continue
        try:
            sides = [_first_of(law, reading, side, h) for side in (left, right)]
        except CANNOT:
            continue
        first = [next((k for k, c in enumerate(one) if c != 0), None) for one in sides]
        rest = [sp.simplify(a - b) for a, b in zip(*sides, strict=False)]
        power = next((k for k, c in enumerate(rest) if c != 0), None)
        begins = first[1]
        if None not in (power, begins) and first[0] == begins and power > begins:  # type: ignore[operator]
            order = power - begins  # type: ignore[operator]
            return Gap.of(h, order, rest[power] / sides[1][begins] * h**order)  # type: ignore[index]
    return None


def _first_of(law: Line, reading: Reading, side: Term, h: Any) -> tuple[Any, ...]:
    """The first coefficients of a side, which may have no mean in it."""
    expr = reading.of(side)
    if expr.atoms(Settled, Under):
        found = _coefficients(law, reading, side, h)
        if any(c.atoms(MEAN) for c in found):
            raise UnusableInput("coefficients that are numbers", str(found), "none are known")
        return found
    series = sp.expand(sp.series(expr, h, 0, local.ORDERS).removeO())
    return tuple(series.coeff(h, k) for k in range(local.ORDERS))


def has_order(law: Line, left: Term, relation: str, right: Term, way: Way, given: Any) -> Answer:
    """Whether the first coefficients vanish."""
    if _of_laws(left) and way.to == "0":
        return _tends(law, left, relation, right)
    if law.is_lawless:
        return Silent(Silence.NO_LAW)
    power = _power(law, right, way)
    found = coefficients(law, left, way) if power is not None and way.to == "0" else None
    if found is None:
        return Silent(Silence.NO_FORMULA)
    shown = _told(law, left, way, found)
    scope = _AT_REST if len(found) == local.ORDERS else _SMOOTH
    strict = relation == "o"
    if relation in ("O", "o") and power in range(len(found) + (not strict)):
        left_over = [c for c in found[: int(power) + strict] if c != 0]
        if left_over:
            return Silent(Silence.LEFT_OVER, left_over=left_over[0], derivation=shown)
        how = "up to" if strict else "below"
        return Proved(f"Nothing is left {how} that power.", shown, scope=scope)
    first = next(((k, c) for k, c in enumerate(found) if c != 0), None)
    if relation == "Theta" and first is not None and not first[1].atoms(MEAN):
        lemma = say("The first term is of order ${}^{}$.", way.letter, first[0])
        if first[0] != power:
            return Disproved(lemma, shown)
        return Proved(lemma, shown, scope=scope)
    return Silent(Silence.NO_FORMULA, derivation=shown)


def first_term(law: Line, left: Term, way: Way, given: Any) -> tuple[list[Term], Term | None]:
    """The power that is left over."""
    found = coefficients(law, left, way) if way.to == "0" else None
    if found is None:
        return [], None
    power = next((k for k, c in enumerate(found) if c != 0), len(found))
    return [], way.letter ** number(power) if power > 1 else way.letter if power else None


def expansions(law: Line, side: Term) -> Iterator[Term]:
    """Means of chains as means under the limit's density, to first order."""
    means = [m for m in means_in(side) if m.head == "settled"]
    (way, *_) = (*law.ways, None)
    if not means or way is None:
        return
    put: dict[Term, Any] = {}
    for one in means:
        found = _expanded(law, one, way)
        if found is None:
            return
        put[one] = found
    yield side.named(put)


def _of_laws(side: Term) -> bool:
    return isinstance(side, Applied) and side.head == "settled laws"


def _tends(law: Line, left: Term, relation: str, right: Term) -> Answer:
    """How many laws there are at all small steps."""
    found = law.count(left, small=True)
    if found is None or relation != "~" or str(right) != "1":
        return Silent(Silence.NO_FORMULA)
    return law.told(found, found == "one")


def _power(law: Line, right: Term, way: Way) -> Any:
    if means_in(right):
        return None
    powers = sp.sympify(law.reading.of(right)).as_powers_dict()
    return powers.get(law.letter(way), sp.Integer(0))


def _expanded(law: Line, mean: Applied, way: Way) -> Term | None:
    name, body, _, _, place = (str(mean.of[0]), *mean.of[1:5])
    reading, h = law.readings[-1], law.letter(way)
    with suppress(*CANNOT):
        known = local.series(reading.steps[name], h, reading.of(mean).args[1])
        return as_term(sp.Add(*(c * h**k for k, c in enumerate(known[:2]))), place)
    try:
        score, g = density(law, way, name)
        potential = _integrated(score, law.reading.steps[name].place)
    except CANNOT:
        return None
    if g is None:
        return None
    exponent = next(
        (m.of[0] for side in law.sides for m in means_in(side) if m.head == "mean_under"), None
    )
    if exponent is not None:
        slope = sp.diff(law.reading.of(exponent), law.reading.steps[name].place)
        exponent = exponent if is_zero(slope - score) else None
    over = from_sympy(potential) if exponent is None else exponent
    first = as_term(g, place)

    def under(of: Term) -> Term:
        return Applied("mean_under", (over, of, place))

    return under(body) + way.letter * (under(body * first) - under(body) * under(first))


def as_known(mean: Applied, reading: Reading) -> Iterator[Term]:
    """A mean by the moments of a linear step, or in other means by what a step leaves as it is."""
    found, place = reading.of(mean), mean.of[4]
    step, body = reading.steps[str(found.args[0])], found.args[1]
    with suppress(UnusableInput, sp.PolynomialError):
        yield as_term(moments.closed(body, step), place)
    others = solved_for(body, step)
    if others is not None:
        parts = [
            (mean.with_parts((mean.of[0], as_term(of, place), *mean.of[2:])), c)
            for of, c in others.items()
            if of != 1
        ]
        total = from_sympy(others.get(sp.Integer(1), sp.Integer(0)))
        yield sum((from_sympy(c) * one for one, c in parts), total)


def as_term(expr: Any, place: Term) -> Term:
    """An expression as a term, in which the place is the letter that it is in the statement."""
    return from_sympy(expr).put({Letter(str(place), "real"): place})


def _told(law: Line, left: Term, way: Way, found: tuple[Any, ...]) -> Derivation:
    """The first term of each density, and what is left."""
    steps = []
    for name in law.reading.steps:
        try:
            score, g = density(law, way, name)
        except CANNOT:
            continue
        if g is not None:
            words = say(
                "The law of {} is that of its limit times $1 + {} g$, up to a constant:",
                name,
                way.letter,
            )
            told = (
                Equation(Formula(r"\text{slope of the limit's log density}", "score"), score),
                Equation(Formula("g", "g"), g),
            )
            steps.append(Step("The density to first order", words, told))
    words = say("With means $m$ under the limit's density, by parts:")
    left_over = tuple(
        Equation(
            Formula(rf"\text{{coefficient of }} {way.letter}^{k}", f"coefficient of {way.letter}^{k}"), c
        )
        for k, c in enumerate(found)
    )
    return Derivation("First terms", (*steps, Step("What is left", words, left_over)), ())
