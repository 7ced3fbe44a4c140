"""How far apart the sides of a false statement are at numbers of usual size, by two routes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any

from sgtheory.errors import UnusableInput
from sgtheory.notation.display import Shown
from sgtheory.notation.sentence import Sentence, say, sentence
from verification.consequence.usual import usual_places
from verification.refuter.patience import in_time
from verification.refuter.places import Place
from verification.refuter.script import values_of
from verification.relations.best import Best
from verification.relations.compare import Compare
from verification.relations.equal import Equal
from verification.relations.free import FreeOf
from verification.relations.limits import Limiting
from verification.statements import telling
from verification.statements.deciding import asked
from verification.statements.scripts import script_of
from verification.statements.showing import numbers_at
from verification.terms.term import Number
from verification.terms.walking import CANNOT, able
from verification.verdicts.verdict import Counterexample, Finding, differ

_CLOSE = Decimal(10) ** -9
_PATIENCE = 3.0  # seconds of computing
_LINE = 90  # letters
_POINTS = 2  # on the way to a limit, and what is called best beside what is
_SHORT = 32  # letters of a formula that is named in a sentence
_TIMES = 2  # from which on a side is so many times the other, rather than so many percent larger


@dataclass(frozen=True, repr=False)
class Size(Shown):
    """The difference of both sides, as a share of the larger one, at exact numbers.

    ``words`` say it in a sentence; ``share`` is at most 1 where both have one sign.
    """

    share: float
    words: Sentence
    at: Mapping[str, Any]

    def to_json(self) -> dict[str, Any]:
        """As data."""
        return {"share": self.share, "words": self.words, "at": dict(self.at)}


def size(claim: Any, finding: Finding) -> Size | None:
    """At numbers of usual size where both sides are numbers, else at the smallest that show it."""
    shown = finding.counterexample
    if finding.verdict not in ("refuted", "proved-if", "limit-only") or shown is None:
        return None
    if getattr(claim, "statement", None) is None:
        return None
    look = partial(_at_usual_numbers, claim, finding)
    found: Size | None = in_time(lambda: able(look, None), _PATIENCE, None)
    if found is None and finding.loss is not None:
        return Size(1.0, sentence(finding.loss.words), shown.problem)
    return found or _on_the_way(claim, shown) or _as_shown(claim, shown)


def _at_usual_numbers(claim: Any, finding: Finding) -> Size | None:
    question = asked(claim)
    values = _best_values(claim, finding)
    if values is not None:  # what is called best, beside what is best
        question = question.saying(question.meant(values))
    statement, subject = question.statement, question.subject
    plain = not (question.limiting or subject.stepwise or question.enumerated or subject.slow)
    sided = all(isinstance(r, Equal | Compare | FreeOf) for r in statement.relations)
    if not (plain and sided) or getattr(claim.statement, "form", None) is not None:
        return None
    shown = finding.counterexample
    if question.constant:
        return next((s for r in statement.relations if (s := _at(claim, question, r, {}))), None)
    settles = claim.has_discrete_reading() and not question.subject.mined
    running = asked(claim, "discrete") if settles else question
    for place in usual_places(question.space, shown.problem if shown else None):
        there = _failing(question, place) if question.admits(place) else None
        if there is not None and _runs(running, place):
            return _at(claim, question, *there)
    return None


def _best_values(claim: Any, finding: Finding) -> Equal | None:
    """The printed value of what is best, and the right one, where both are formulas."""
    true = finding.corrected.printed if finding.corrected is not None else ()
    both = [one for part in (claim.statement, *true) for one in part.relations]
    if (
        len(both) != 2
        or not all(isinstance(one, Best) for one in both)
        or both[0].right == both[1].right
    ):
        return None
    return Equal(both[0].right, both[1].right)


def _runs(question: Any, place: Place) -> bool:
    """Whether the algorithm settles there too: a step of usual size is one that can be taken."""
    try:
        return question.values(place) is not None
    except (ZeroDivisionError, TypeError, UnusableInput, *CANNOT):
        return False


def _on_the_way(claim: Any, shown: Counterexample) -> Size | None:
    """Of what is said of a limit: the ratio of both sides at two points."""
    relation = next((r for r in claim.statement.relations if isinstance(r, Limiting)), None)
    sides = [_printed(side) for side in (shown.left, shown.right)]
    if relation is None or any(len(side) != _POINTS for side in (relation.points, *sides)):
        return None
    (a, c), (b, d) = sides
    if not b * d:
        return None
    letter, sign = relation.way.letter, relation.way.sign
    points = [say("${} = 16^{}$", letter, -k * sign) for k in relation.points]
    first, last = _short(a / b), _short(c / d)
    if not (a or c):
        return Size(1.0, say("The left side is 0 there, and the right one is not."), shown.problem)
    if str(relation.told_at) not in str(shown.words):  # other points than those of the relation
        words = "The left side is ${}$ times the right one, and further on ${}$ times."
        return Size(1.0, say(words, first, last), shown.problem)
    if first == last == "1":
        told = say("The left side is as large as the right one at {} and beyond.", points[0])
        return Size(1.0, told, shown.problem)
    if first == last:
        told = say("The left side is ${}$ times the right one at {} and beyond.", first, points[0])
        share = min(abs(1 - a / b), Decimal(1)) if relation.relation == "~" else Decimal(1)
        return Size(float(share), told, shown.problem)
    words = "The left side is ${}$ times the right one at {}, and ${}$ times at {}."
    return Size(1.0, say(words, first, points[0], last, points[1]), shown.problem)


def _as_shown(claim: Any, shown: Counterexample) -> Size:
    """What both sides are at the smallest numbers; how much of it is wrong, where that is a number."""
    at = _plain(shown.problem)
    where = telling.exact_numbers(at)
    sides = [_printed(side) for side in (shown.left, shown.right)]
    share = _share(*sides) if all(sides) else None
    nearby = any(isinstance(one, Best) for one in claim.statement.relations)  # beside the printed value
    known = min(float(share), 1.0) if share and not nearby else 1.0
    short = 0 < len(where) <= _LINE
    first = say("At {},", where) if short else say("At the smallest numbers that show it")
    if all(len(side) > 1 for side in sides) and share:
        words = "{} the two sides differ by {} of the larger one."
        return Size(known, say(words, first, _percent(share)), at)
    left, right = map(_side, (shown.left, shown.right))
    if str(shown.words).startswith("left and right side") and all(sides):
        return Size(known, say("{} the left side is {} and the right side {}.", first, left, right), at)
    one = claim.statement.relations[0]
    told = (words for words in (shown.words, one.told_at) if len(words) <= _LINE)
    named = next(told, "the two sides")
    return Size(known, say("{} {}: {}; {}.", first, named, left, right), at)


def _side(side: Any) -> Any:
    """A side as it is shown, as a formula where it is a number."""
    found = _printed(side)
    alone = isinstance(side, list | tuple) and len(found) == 1
    text = _short(found[0]) if alone else telling.matrix(side)
    return say("${}$", text) if found else text


def _printed(side: Any) -> list[Decimal]:
    """Numbers that a side is shown as; none where it is something else."""
    if isinstance(side, list | tuple):
        return [x for part in side for x in _printed(part)]
    try:
        return _numbers([Fraction(part) for part in str(side).split(", ")])
    except ValueError:
        return []


def _failing(question: Any, place: Place) -> tuple[Any, Any] | None:
    """The first of the relations that is false at a place, and what letters are worth there."""
    try:
        values = question.values(place)
        for one in question.spelt.relations if values is not None else ():
            seen = one.at(values)
            if seen is not None and not seen.holds:
                return one, values
    except (ZeroDivisionError, TypeError, UnusableInput, *CANNOT):
        return None
    return None


def _at(claim: Any, question: Any, relation: Any, values: Any) -> Size | None:
    """The size of one relation there, by exact arithmetic and by the exported script."""
    found = relation.found(values)
    if found is None or found.sign == 0:
        return None
    sides = _numbers(found.left), _numbers(found.right)
    again = (_numbers(side) for side in values_of(script_of(relation, values, claim.heading)))
    share, other = _share(*sides), _share(*again)
    if share is None or other is None:
        return None
    if abs(share - other) > _CLOSE:
        told = (f"off by {float(share)!r}", "the exported script", f"off by {float(other)!r}")
        raise differ(claim.id, "exact numbers", *told)
    place = getattr(values, "place", Place({}, dict(values)))
    at = _plain(numbers_at(question, place)) if values else {}
    return Size(float(share), _words(relation, sides, share, at), at)


def _plain(problem: Mapping[str, Any]) -> dict[str, Any]:
    """Numbers of a place, matrices of one entry as that entry."""
    found: dict[str, Any] = {}
    for name, x in problem.items():
        if isinstance(x, Mapping) and name != "params":
            continue  # coefficients of a function, which is there by its formula
        alone = isinstance(x, list | tuple) and len(x) == 1 and len(x[0]) == 1
        found[name] = _plain(x) if isinstance(x, Mapping) else x[0][0] if alone else x
    return found


def _numbers(side: Any) -> list[Decimal]:
    """The entries of a side as decimals, of a matrix by rows; none of what is no number."""
    if hasattr(side, "tolist"):
        side = side.tolist()
    if isinstance(side, list | tuple):
        return [x for part in side for x in _numbers(part)]
    if isinstance(side, Decimal):
        return [side]
    return [Decimal(side.numerator) / side.denominator] if hasattr(side, "numerator") else []


def _share(left: list[Decimal], right: list[Decimal]) -> Decimal | None:
    """The size of the difference over that of the larger side."""
    if len(left) != len(right) or not left:
        return None
    largest = max(_norm(left), _norm(right))
    return _norm([a - b for a, b in zip(left, right, strict=True)]) / largest if largest else None


def _norm(entries: list[Decimal]) -> Decimal:
    return sum((x * x for x in entries), Decimal(0)).sqrt()


def _words(
    relation: Any, sides: tuple[list[Decimal], list[Decimal]], share: Decimal, at: Mapping[str, Any]
) -> Sentence:
    """Such as: at N = 1000 the right side is 31 % smaller than the left one."""
    where = say("At {},", telling.exact_numbers(at)) if at else say("With the printed numbers,")
    (a, *more), (b, *_) = sides
    if isinstance(relation, FreeOf):
        told = "{} {} changes by {} when {} does."
        return say(told, where, relation.left, _percent(share), relation.right)
    if more:
        return say("{} the two sides differ by {} of the larger one.", where, _percent(share))
    left, right = _called(relation)
    verb = "changes" if relation.constant_in else "is"
    if isinstance(relation.right, Number) and not a * b:
        if isinstance(relation, Compare):
            return say("{} {} is ${}$, where {} is stated.", where, left, _short(a), relation)
        return say("{} {} is ${}$ instead of ${}$.", where, left, _short(a), _short(b))
    if a * b <= 0:
        by = "by " if relation.constant_in else ""
        words = "{} {} {} {}${}$ and {} {}${}$."
        return say(words, where, left, verb, by, _short(a), right, by, _short(b))
    times = max(abs(a), abs(b)) / min(abs(a), abs(b))
    first, second = (left, right) if abs(b) < abs(a) else (right, left)
    if relation.constant_in:
        return say("{} {} changes ${}$ times as much as {}.", where, first, _short(times), second)
    if times >= _TIMES:
        return say("{} {} is ${}$ times as large as {}.", where, first, _short(times), second)
    less, word = (share, "smaller") if abs(b) < abs(a) else (times - 1, "larger")
    return say("{} {} is {} {} than {}.", where, right, _percent(less), word, left)


def _called(relation: Any) -> tuple[Any, Any]:
    """The sides as a sentence calls them: by their formulas where they are short."""
    if all(len(str(side)) <= _SHORT for side in relation.sides):
        return relation.sides[0], relation.sides[1]
    return "the left side", "the right side"


def _percent(share: Decimal) -> str:
    """Two digits of it.

    >>> _percent(Decimal("0.3071")), _percent(Decimal("0.00512"))
    ('31 %', '0.51 %')
    """
    return f"{_short(100 * share, 2)} %"


def _short(x: Decimal, digits: int = 3) -> str:
    """A few digits of a number, without powers of ten where it is of usual size."""
    rounded = float(f"{float(x):.{digits}g}")
    return f"{rounded:.{digits}g}" if not 1e-4 < abs(rounded) < 10**7 else f"{rounded:,.10g}"
