"""Drawings of what is said of a limit, and of a density: what is stated beside what is so."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, cast

import sympy as sp

from reports.document import Figure
from reports.figures import curve
from reports.math.writing import formula
from reports.pages.words import typeset
from verification.refuter.places import Place
from verification.relations.best import Best
from verification.relations.limits import Limiting
from verification.relations.preserves import Kept
from verification.statements.deciding import asked
from verification.terms.comparing import compared, magnitude
from verification.terms.term import number
from verification.terms.walking import CANNOT

_NOTHING = (ArithmeticError, ValueError, TypeError, LookupError, AttributeError, *CANNOT)
_MANY, _FEWEST = 13, 4  # points of a curve
_TWO = 2  # rows
_WIDE, _FINE = 4.0, 240  # of a density: from minus to plus so many, in so many steps


def over_the_way(verdict: Any) -> list[Figure]:
    """Both sides of a statement on a limit, as its letter goes there."""
    relation = next((r for r in _relations(verdict.claim) if isinstance(r, Limiting)), None)
    shown = verdict.finding.counterexample
    if relation is None or shown is None or verdict.word not in ("refuted", "proved-if"):
        return []
    try:
        rows = _on_the_way(verdict.claim, relation, shown.problem)
    except _NOTHING:
        return []
    letter = relation.way.letter
    if len(rows) < _FEWEST:
        return []
    x, left, right = (list(column) for column in zip(*rows, strict=True))
    name = str(letter)
    caption = (
        f"Both sides of what is stated, over ${name}$, in decades; at the numbers of the counterexample."
        " What is of one order has one slope."
    )
    return [
        curve(
            x,
            {"left side": left, "right side": right},
            name="on-the-way",
            alt=f"Both sides of the statement over {name}, on two logarithmic axes.",
            x_label=f"${formula(name) or name}$",
            y_label="value",
            caption=typeset(caption),
            log_x=True,
            log_y=True,
        )
    ]


def _relations(claim: Any) -> tuple[Any, ...]:
    statement: Any = getattr(claim, "statement", None)
    plain = statement is not None and getattr(statement, "form", None) is None
    return tuple(statement.relations) if plain else ()


def _on_the_way(
    claim: Any, relation: Limiting, problem: Mapping[str, Any]
) -> list[tuple[float, float, float]]:
    """The letter and the sizes of both sides at points of its way."""
    question: Any = asked(claim)
    names = question.space.scalars
    if set(names) <= set(problem):
        place = Place({}, {n: Fraction(str(problem[n])) for n in names})
    else:
        failure = question.failure(_MANY)
        if failure is None:
            return []
        place = failure.place
    values: Any = question.values(place)
    meant = question.statement.relations[_relations(claim).index(relation)]
    sides = [meant.way.along(side, values) for side in meant.sides]
    first, last = getattr(values, "points", (1, 7))
    found = []
    for k in dict.fromkeys(round(first * (last / first) ** (i / (_MANY - 1))) for i in range(_MANY)):
        there = meant.way.at(values, k)
        sizes = [None if there is None else magnitude(side, there) for side in sides]
        if there is not None and all(s is not None and not isinstance(s, tuple) for s in sizes):
            at = there[meant.way.letter.name]
            left, right = map(float, cast(list[Any], sizes))
            found.append((float(at), left, right))
    return [(x, a, b) for x, a, b in found if min(x, a, b) > 0 and math.isfinite(x + a + b)]


def over_the_choice(verdict: Any) -> list[Figure]:
    """What is said to be best at a value, as that value is changed: an entry more, the other less."""
    shown, relations = verdict.finding.counterexample, _relations(verdict.claim)
    relation = relations[0] if len(relations) == 1 else None
    if not isinstance(relation, Best) or shown is None or not shown.problem:
        return []
    shares = [Fraction(k, 12) for k in range(4, 21)]
    try:
        values = _qualities(verdict.claim, shown.problem, shares)
    except _NOTHING:
        return []
    if len(set(values)) == 1 or not all(map(math.isfinite, values)):
        return []
    letter = relation.by.latex()
    many = isinstance(shown.problem.get("params", shown.problem).get(str(relation.by)), list)
    turned = "its first entry times this, its second times two less this" if many else "times this"
    caption = (
        f"What ${relation.by}$ is said to make {relation.end}, with the printed value, {turned}; at the"
        " numbers of the counterexample. Each point is computed exactly."
    )
    return [
        curve(
            [float(x) for x in shares],
            {"the quantity": values},
            name="over-the-choice",
            alt=f"The quantity over multiples of the printed {relation.by}.",
            x_label=f"multiple of the printed ${letter}$",
            y_label="value",
            caption=typeset(caption),
            limit=(1.0, "as stated"),
        )
    ]


def _qualities(claim: Any, problem: Mapping[str, Any], shares: list[Fraction]) -> list[float]:
    """The quantity at multiples of the value that is printed."""
    question: Any = asked(claim)
    (relation,) = question.statement.relations
    flat = {**problem, **problem.get("params", {})}
    told = {n: x for n, x in flat.items() if isinstance(x, str | list) and n != "model"}
    given = {n: _exactly(x) for n, x in told.items()}
    given |= {"A": given.get("hessian"), "C": given.get("noise")}
    matrices = {n: given[n] for n in {*question.space.matrices, "C"} if given.get(n)}
    scalars = {n: given.get(n, Fraction(1)) for n in question.space.scalars}
    place, name, found = Place(matrices, scalars), relation.by.name, []
    for share in shares:
        there = place.but(**{name: _times(share, given[name])})
        values = question.subject.solved((*question.sides, relation.of), there)
        found.append(float(compared(relation.of, number(0), values).left))  # type: ignore[union-attr]
    return found


def _exactly(x: Any) -> Any:
    return tuple(map(_exactly, x)) if isinstance(x, list) else Fraction(x)


def _times(share: Fraction, value: Any) -> Any:
    """A number times a share; of two rows the first, and the second times what is left of two."""
    if isinstance(value, Fraction):
        return share * value
    two = len(value) == _TWO
    return tuple(
        tuple((share if i == 0 or not two else 2 - share) * x for x in row)
        for i, row in enumerate(value)
    )


def densities(verdict: Any) -> list[Figure]:
    """The density that is said to be kept, and the one that is, in one dimension."""
    corrected, shown = verdict.finding.corrected, verdict.finding.counterexample
    told = _log_density(getattr(verdict.claim, "statement", None))
    true = _log_density(corrected.printed[0]) if corrected is not None and corrected.printed else None
    if told is None or true is None or shown is None or told == true:
        return []
    try:
        both = {"as stated": told, "what is sampled": true}
        lines = {name: _density(one, shown.problem) for name, one in both.items()}
    except _NOTHING:
        return []
    if lines["as stated"] == lines["what is sampled"]:
        return []
    given = {n: v for n, v in shown.problem.items() if n not in ("rho", "x", "theta")}
    at = ", ".join(f"${n} = {v}$" for n, v in given.items())
    return [
        curve(
            _grid(),
            lines,
            name="densities",
            alt="The density that is stated and the one that is sampled, over the state.",
            x_label="$x$",
            y_label="density",
            caption=typeset(f"The stated density, and the one that is sampled, with {at}."),
        )
    ]


def _log_density(statement: Any) -> Any:
    """Of a form that keeps a density of one state; what needs one is asked for that."""
    form = getattr(statement, "form", None)
    form = getattr(getattr(form, "needed", None), "form", None) or form
    if not isinstance(form, Kept):
        return None
    (diffusion, density), *_ = form.stated
    return (density, diffusion.state[0]) if len(diffusion.state) == 1 else None


def _grid() -> list[float]:
    return [_WIDE * (2 * k / _FINE - 1) for k in range(_FINE + 1)]


def _density(told: tuple[Any, Any], problem: Mapping[str, Any]) -> list[float]:
    """Its values on the grid, so that they add up to one."""
    expr, state = told
    for name, text in problem.items():
        value = sp.sympify(str(text).replace("^", "**"), locals={str(state): state})
        if "(" in name:
            functions = expr.atoms(sp.core.function.AppliedUndef)
            expr = expr.subs({f: value for f in functions if str(f) == name})
    left = {s: sp.Rational(str(problem[str(s)])) for s in expr.free_symbols if s != state}
    value_at = sp.lambdify(state, expr.doit().subs(left), "math")
    heights = [math.exp(value_at(x)) for x in _grid()]
    total = sum(heights) * 2 * _WIDE / _FINE
    return [h / total for h in heights]
