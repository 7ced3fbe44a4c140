"""A place at which a statement fails, as it is shown: its numbers, both sides, and a script."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from sgtheory.notation.sentence import joined
from verification.refuter.places import Place
from verification.refuter.script import run
from verification.refuter.search import Sides
from verification.statements import telling
from verification.statements.scripts import script_of
from verification.terms.comparing import OTHER
from verification.terms.walking import able
from verification.verdicts.both import also, of
from verification.verdicts.verdict import Counterexample, unseen_by_script


def _on_the_way(statement: Any, values: Mapping[str, Any]) -> dict[str, str]:
    """A letter that goes to a limit, where no other letter has a number; sequences that are formulas."""
    ways = [(r.way, getattr(values, "points", r.points)[0]) for r in statement.relations if r.limiting]
    formulas = (pair for r in statement.relations for pair in getattr(r, "family", ()))
    return {way.letter.name: str(way.point(k)) for way, k in ways} | dict(formulas)


def counterexample(
    claim: Any, statement: Any, values: Mapping[str, Any], seen: Sides, place: Place
) -> Counterexample:
    """The numbers, both sides there, and a script, which has to see it too."""
    first = statement.relations[0]
    script = script_of(statement, values, claim.heading)
    if first.chosen:
        values, told_at = first.placed(values), first.told(values)
        place = getattr(values, "place", Place({}, dict(values)))
    else:
        told_at = getattr(values, "told_at", _false_one(statement.relations, values).told_at)
        told_at = seen.told_at or told_at
    try:
        if run(script):
            raise unseen_by_script(claim.id)
    except ArithmeticError:  # beyond all decimals, or roots of matrices: balls alone can tell
        script = ""
    alone = _problem(values, place)
    problem = (alone or _on_the_way(statement, values)) | {
        letter.name: text for letter, text in claim.numbers
    }
    which = _which(claim.statement, statement.relations, values)
    told_at = told_at if which is None else of(told_at, which)
    words = also(told_at, joined(telling.second_values(place) or "", claim.subject().remark))
    return Counterexample(problem, seen.left, seen.right, words, script, told_at, seen.in_words)


def _false_one(relations: tuple[Any, ...], values: Mapping[str, Any]) -> Any:
    """Of relations that a form is written out as, the first that fails there, whose sides are shown."""
    named = [r for r in relations if getattr(r, "between", "")]
    seen = ((r, r.at(values)) for r in named if len(named) == len(relations))
    return next((r for r, s in seen if s is not None and not s.holds), relations[0])


def _which(stated: Any, relations: tuple[Any, ...], values: Mapping[str, Any]) -> Any:
    """Of several relations that are stated at once the first that fails there, as it is stated."""
    own = () if getattr(stated, "form", None) is not None else stated.relations
    if len(own) < 2 or len(own) != len(relations) or any(one.chosen for one in relations):
        return None
    seen = ((one, able(partial(r.at, values), None)) for one, r in zip(own, relations, strict=True))
    return next((one for one, s in seen if s is not None and not s.holds), None)


def numbers_at(question: Any, place: Place) -> Mapping[str, Any]:
    """The numbers of a place at which a statement is looked at, as they are shown."""
    return _problem(question.values(place), place)


def _problem(values: Any, place: Place) -> dict[str, Any]:
    law = getattr(values, "law", None)
    found: dict[str, Any] = place.to_json() if law is None else law.problem(place)
    return {name: x for name, x in found.items() if not name.endswith(OTHER)}
