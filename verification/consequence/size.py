"""How far apart the sides of a false statement are at numbers of usual size, by two routes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from itertools import islice
from typing import Any

from sgtheory.errors import UnusableInput
from sgtheory.notation.display import Shown
from sgtheory.notation.sentence import Sentence, listed, say, sentence
from verification.consequence.usual import usual_places
from verification.refuter.places import Place
from verification.refuter.script import values_of
from verification.relations.best import Best
from verification.relations.compare import Compare
from verification.relations.equal import Equal
from verification.relations.free import FreeOf
from verification.relations.limits import Limiting
from verification.relations.trends import OfOne
from verification.statements import telling
from verification.statements.apart import (
    numbers,
    percent,
    plain,
    printed,
    share,
    short,
    side_in_words,
)
from verification.statements.deciding import asked
from verification.statements.obeying import as_given
from verification.statements.scripts import script_of
from verification.statements.showing import counterexample, numbers_at
from verification.terms.term import Number
from verification.terms.walking import CANNOT, able
from verification.verdicts.both import Both, are, of
from verification.verdicts.verdict import Counterexample, Finding, differ

_CLOSE = Decimal(10) ** -9
_LINE = 90  # letters of a place
_NAMED = 100  # letters of what both sides are
_USUAL = 26  # places of usual size: a number of them, as seconds depend on the machine
_SLOWER = 6  # of what takes longer to look at
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
        return {"share": float(f"{self.share:.5g}"), "words": self.words, "at": dict(self.at)}


def size(claim: Any, finding: Finding) -> Size | None:
    """At numbers of usual size where both sides are numbers, else at the smallest that show it."""
    shown = finding.counterexample
    if finding.verdict not in ("refuted", "proved-if", "limit-only") or shown is None:
        return None
    if getattr(claim, "statement", None) is None:
        return None
    look = partial(_at_usual_numbers, claim, finding)
    found: Size | None = able(look, None)
    if found is None and finding.loss is not None:
        at = finding.loss.data.get("loss", {}).get("problem") or shown.problem  # whose loss is told
        return Size(1.0, sentence(finding.loss.words), at)
    if found is None and (found := _on_the_way(claim, shown)) is None:
        larger = partial(_larger, claim, shown)
        found = _as_shown(claim, able(larger, None) or shown)
    return found


def _at_usual_numbers(claim: Any, finding: Finding) -> Size | None:
    question = asked(claim)
    best = _best_values(claim, finding)
    if best is not None:  # what is called best, beside what is best
        question = question.saying(question.meant(best))
    statement, subject = question.statement, question.subject
    plain = not (question.limiting or subject.stepwise or question.enumerated or subject.slow)
    sided = all(isinstance(r, Equal | Compare | FreeOf) for r in statement.relations)
    if not (plain and sided) or getattr(claim.statement, "form", None) is not None:
        return None
    shown = finding.counterexample
    if question.constant:
        false = (r for r in statement.relations if (seen := r.at({})) is not None and not seen.holds)
        return next((s for r in false if (s := _at(claim, question, r, {}))), None)
    settles = claim.has_discrete_reading() and not question.subject.mined
    running = asked(claim, "discrete") if settles else question
    usual = usual_places(question.space, shown.problem if shown else None)
    for place in _as_given(question, islice(usual, _USUAL)):
        there = _failing(question, place)
        if there is not None and _runs(running, place):
            k, relation, values = there
            alike = len(claim.statement.relations) == len(statement.relations) and best is None
            return _at(
                claim, question, relation, values, claim.statement.relations[k] if alike else None
            )
    return None


def _as_given(question: Any, places: Iterable[Place]) -> Iterator[Place]:
    """Places at which what is given holds, changed to that where they have to be and can."""
    for place in places:
        there = place if question.admits(place) else as_given(question, question.conditions, place)
        if there is not None and question.admits(there):
            yield there


def _larger(claim: Any, shown: Counterexample) -> Counterexample | None:
    """A counterexample at numbers of usual size, of what has no two sides to be worked out alone."""
    question = asked(claim)
    if question.limiting or question.subject.stepwise or question.enumerated or question.subject.slow:
        return None
    running = asked(claim, "discrete") if claim.has_discrete_reading() else question
    usual = usual_places(question.space, shown.problem)
    for place in _as_given(question, islice(usual, _SLOWER)):
        seen = question.seen(place)
        if seen is not None and not seen.holds and _runs(running, place):
            return counterexample(claim, question.spelt, question.values(place) or {}, seen, place)
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
    sides = [printed(side) for side in (shown.left, shown.right)]
    if relation is None or any(len(side) != _POINTS for side in (relation.points, *sides)):
        return None
    (a, c), (b, d) = sides
    if not b * d:
        return None
    points = _points(claim, relation, shown)
    first, last = short(a / b), short(c / d)
    if not (a or c):
        several = len(claim.statement.relations) > 1
        which = "One left side is 0 there, and its right side" if several else "The left side is 0"
        told = f"{which} is not." if several else f"{which} there, and the right one is not."
        return Size(1.0, say(told), shown.problem)
    if points is None and first == last:
        told = say("The left side is ${}$ times the right one, and so further on.", first)
        return Size(1.0, told, shown.problem)
    if points is None:
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


def _points(claim: Any, relation: Any, shown: Counterexample) -> list[Sentence] | None:
    """Where a relation is looked at on its way, by its theory or by itself; None where by neither."""
    letter, sign = relation.way.letter, relation.way.sign
    points = getattr(claim.subject(), "points", None)
    own = relation.told_at, *(of(relation.told_at, one) for one in claim.statement.relations)
    if points is None and shown.told_at not in own:
        return None
    return [say("${} = 16^{}$", letter, -k * sign) for k in points or relation.points]


def _as_shown(claim: Any, shown: Counterexample) -> Size:
    """What both sides are at the smallest numbers; how much of it is wrong, where that is a number."""
    at = plain(shown.problem)
    where, one = telling.exact_numbers(at), claim.statement.relations[0]
    sides = [printed(side) for side in (shown.left, shown.right)]
    wrong = share(*sides) if all(sides) else None
    # beside the printed value, or at points of a way: no share of what is stated
    other = any(isinstance(one, Best) or one.limiting for one in claim.statement.relations)
    known = min(float(wrong), 1.0) if wrong and not other else 1.0
    fits = 0 < len(where) <= _LINE
    first = say("At {},", where) if fits else say("At the numbers that show it")
    if shown.in_words:
        return Size(known, say("{} {}.", first, shown.in_words), at)
    if all(len(side) > 1 for side in sides) and wrong and not isinstance(one, FreeOf):
        words = "{} the two sides differ by {} of the larger one."
        return Size(known, say(words, first, percent(wrong)), at)
    left, right = map(side_in_words, (shown.left, shown.right))
    if isinstance(shown.words, Both) and shown.words.alone and all(sides):
        return Size(known, say("{} {}.", first, are(Both(), left, right)), at)
    points = _points(claim, one, shown) if isinstance(one, Limiting) else None
    alone = shown.told_at or one.told_at
    named = next((words for words in (shown.words, alone) if len(words) <= _NAMED), "")
    if points is not None and not isinstance(one, OfOne) and len(shown.words) > _LINE:
        words = "for {} in turn the left side is {} and the right side {}"
        told = say(words, listed(points), left, right)
    elif named:
        told = are(named, left, right)
    else:
        told = say("the left side is {} and the right side {}", left, right)
    return Size(known, say("{} {}.", first, told), at)


def _failing(question: Any, place: Place) -> tuple[int, Any, Any] | None:
    """The first of the relations that is false at a place, and what letters are worth there."""
    try:
        values = question.values(place)
        for k, one in enumerate(question.spelt.relations if values is not None else ()):
            seen = one.at(values)
            if seen is not None and not seen.holds:
                return k, one, values
    except (ZeroDivisionError, TypeError, UnusableInput, *CANNOT):
        return None
    return None


def _at(claim: Any, question: Any, relation: Any, values: Any, stated: Any = None) -> Size | None:
    """The size of one relation there, by exact arithmetic and by the exported script."""
    found = relation.found(values)
    if found is None or found.sign == 0:
        return None
    sides = numbers(found.left), numbers(found.right)
    again = (numbers(side) for side in values_of(script_of(relation, values, claim.heading)))
    wrong, other = share(*sides), share(*again)
    if wrong is None or other is None:
        return None
    if abs(wrong - other) > _CLOSE:
        told = (f"off by {float(wrong)!r}", "the exported script", f"off by {float(other)!r}")
        raise differ(claim.id, "exact numbers", *told)
    place = getattr(values, "place", Place({}, dict(values)))
    at = plain(numbers_at(question, place)) if values else {}
    named = relation if stated is None else stated
    words = _words(named, sides, wrong, at, telling.second_values(place))
    return Size(float(wrong), words, at)


def _words(
    relation: Any,
    sides: tuple[list[Decimal], list[Decimal]],
    wrong: Decimal,
    at: Mapping[str, Any],
    moved: Sentence | None,
) -> Sentence:
    """Such as: at N = 1000 the right side is 31 % smaller than the left one."""
    where = say("At {},", telling.exact_numbers(at)) if at else say("With the printed numbers,")
    (a, *more), (b, *_) = sides
    then = say(" {}", moved) if relation.constant_in and moved else ""
    if isinstance(relation, FreeOf):
        when = moved or say("when {} does", relation.right)
        return say("{} {} changes by {} {}.", where, relation.left, percent(wrong), when)
    if more:
        return say("{} the two sides differ by {} of the larger one.", where, percent(wrong))
    left, right = _called(relation)
    verb = "changes" if relation.constant_in else "is"
    if isinstance(relation.right, Number) and not a * b:
        if isinstance(relation, Compare):
            return say("{} {} is ${}$, where {} is stated.", where, left, short(a), relation)
        return say("{} {} is ${}$ instead of ${}$.", where, left, short(a), short(b))
    if a * b <= 0:
        by = "by " if relation.constant_in else ""
        words = "{} {} {} {}${}$ and {} {}${}${}."
        return say(words, where, left, verb, by, short(a), right, by, short(b), then)
    times = max(abs(a), abs(b)) / min(abs(a), abs(b))
    first, second = (left, right) if abs(b) < abs(a) else (right, left)
    if relation.constant_in:
        words = "{} {} changes ${}$ times as much as {}{}."
        return say(words, where, first, short(times), second, then)
    if times >= _TIMES:
        return say("{} {} is ${}$ times as large as {}.", where, first, short(times), second)
    less, word = (wrong, "smaller") if abs(b) < abs(a) else (times - 1, "larger")
    word += " in size" * (a < 0)
    return say("{} {} is {} {} than {}.", where, right, percent(less), word, left)


def _called(relation: Any) -> tuple[Any, Any]:
    """The sides as a sentence calls them: by their formulas where they are short."""
    if all(len(str(side)) <= _SHORT for side in relation.sides):
        return relation.sides[0], relation.sides[1]
    return "the left side", "the right side"
