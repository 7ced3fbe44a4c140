"""``Best``: the value of a letter at which a quantity is smallest, or largest."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import chain, combinations
from math import ceil, floor
from typing import Any, Self

from sgtheory.errors import DeclarationError
from sgtheory.notation.sentence import Sentence, say
from sgtheory.reader import exact
from verification.refuter.conditions import Condition
from verification.refuter.places import NUMBERS
from verification.refuter.search import Sides
from verification.relations.base import SAME, Relation
from verification.relations.best_scripts import EITHER_SIGN, FAR, NEARBY, STEPS, of_kind, of_numbers
from verification.relations.joined import All
from verification.relations.nearby import (
    AMONG,
    aside,
    in_words,
    of_one_size,
    plainly,
    shaped,
    times,
    with_entry,
)
from verification.terms.comparing import compared, nearly, shown
from verification.terms.term import Applied, Letter, Term, number, term
from verification.terms.words import is_matrix
from verification.theories.answers import Answer, Chosen, Silent
from verification.verdicts.both import Both

_PAIR = (Fraction(3, 2), Fraction(1, 2))  # by which two entries of a diagonal are made unlike
_ENDS = {"smallest": (r"\arg\min", "minimises", -1), "largest": (r"\arg\max", "maximises", 1)}
_NEAR, _FINE, _SECANTS = Fraction(1, 10**10), 10**9, 20
_LEVEL = 10**4 * _NEAR**3  # without a slope two sides differ by third derivatives alone


@dataclass(frozen=True, repr=False)
class Best(Relation):
    """``left = right`` is where ``of`` is smallest, and nowhere else.

    ``left`` is the letter that is chosen, or a multiple of the one that ``by`` names. Numbers are chosen
    among positive ones, matrices ``among`` positive definite ones, diagonal ones or multiples of the
    identity; of what counts something, the whole numbers next to the value are meant. ``up_to_factor``:
    it is best times some number. A place is looked at with the printed value, and with others near it
    and far from it: those that are ``within`` what is given of the letter, as the value has to be.

    >>> from fractions import Fraction
    >>> from verification.terms.term import letters
    >>> x, a = letters("x a")
    >>> one = Best(x, a, of=x / a + a / x)
    >>> print(one)
    x = a minimises x/a + a/x
    >>> one.at({"a": Fraction(3)}).holds, Best(x, 2 * a, of=x / a + a / x).at({"a": Fraction(3)}).holds
    (True, False)
    """

    of: Any = None
    among: str = "all"
    end: str = "smallest"
    by: Any = None
    up_to_factor: bool = False
    within: tuple[Relation, ...] = ()

    relation = "best"
    opens = True

    def __post_init__(self) -> None:
        """What is chosen is one letter."""
        super().__post_init__()
        by = self.left if self.by is None else term(self.by)
        if self.of is None or not isinstance(by, Letter) or self.end not in _ENDS:
            raise DeclarationError(
                "a letter, what it makes best, and smallest or largest", str(by), "name the letter by="
            )
        if self.among not in AMONG:
            raise DeclarationError(f"one of {', '.join(AMONG)}", repr(self.among), "choose one")
        negative = any(isinstance(side, Applied) and side.head == "negative" for side in self.sides[:2])
        if negative and by.kind not in EITHER_SIGN:
            raise DeclarationError("a positive value", str(self.right), "state the letter itself")
        object.__setattr__(self, "of", term(self.of))
        object.__setattr__(self, "by", by)
        if is_matrix(self.of):
            raise DeclarationError(
                "a number that is made best", f"the matrix {self.of}", "take its trace, or log(det())"
            )

    @property
    def sides(self) -> tuple[Term, ...]:  # type: ignore[override]
        """Also what is to be best."""
        return self.left, self.right, self.of

    @property
    def between_matrices(self) -> bool:
        """An equation between matrices is what it is not."""
        return False

    @property
    def letters(self) -> tuple[Letter, ...]:
        """All but the one that is chosen, which a place need not have."""
        found = dict.fromkeys(a for side in self.sides for a in side.letters)
        return tuple(a for a in found if a != self.by)

    @property
    def chosen(self) -> tuple[Letter, ...]:  # type: ignore[override]
        """The letter that has no value at a place."""
        return (self.by,)

    @property
    def value(self) -> Term:
        """What is printed for the letter itself."""
        if self.left == self.by:
            return self.right
        return self.right / self.left.put({self.by: number(1)})

    def put(self, values: dict[Letter, Any]) -> Self:
        """With terms in the place of letters other than the one that is chosen."""
        return self.with_terms(lambda side: side.put({a: x for a, x in values.items() if a != self.by}))

    def with_terms(self, change: Callable[[Term], Term]) -> Self:
        """With all terms changed."""
        found = super().with_terms(change)
        object.__setattr__(found, "of", change(self.of))
        object.__setattr__(found, "within", tuple(one.with_terms(change) for one in self.within))
        return found

    def among_given(self, given: tuple[Relation, ...]) -> Self:
        """Among the values that obey what is given of the letter."""
        own = (one for one in given if self.by in one.letters)
        return replace(self, within=tuple(dict.fromkeys((*own, *of_kind(self.by)))))

    def among_shaped(self, shapes: tuple[Condition, ...]) -> Self:
        """Among the matrices of the shape that is given of the letter, if any."""
        return replace(self, among=shaped(self.by.name, self.among, shapes))

    def _obeys(self, place: Mapping[str, Any]) -> bool:
        seen = (one.at(place) for one in self.within)
        return all(one is not None and one.holds for one in seen)

    def _broken(self, place: Mapping[str, Any]) -> tuple[Relation, Sides] | None:
        """What is given of the number that is chosen and is not so of the printed value."""
        value = None if self.by.kind in ("matrix", "count") else self.value_at(place)
        here: dict[str, Any] = {**place, self.by.name: value}
        for one in () if value is None or self.up_to_factor else self.within:
            seen = one.at(here) if all(a.kind in NUMBERS for a in one.letters) else None
            if seen is not None and not seen.holds:
                return one, seen
        return None

    def latex(self) -> str:
        """With the quantity."""
        end, of = _ENDS[self.end][0], self.of.latex()
        within = "" if self.among == "all" else rf"\text{{ {self.among}}}"
        left, right = self.left.latex(), self.right.latex()
        sign = r"\propto" if self.up_to_factor else "="
        return rf"{left} {sign} {right} = {end}_{{{self.by.latex()}{within}}} \left\{{ {of} \right\}}"

    def text(self) -> str:
        """On one line."""
        within = "" if self.among == "all" else f" among {self.among} ones"
        within = within.removesuffix(" ones") if self.among == AMONG[2] else within
        sign = "proportional to" if self.up_to_factor else "="
        return f"{self.left} {sign} {self.right} {_ENDS[self.end][1]} {self.of}{within}"

    # -- at a place ----------------------------------------------------------------------------

    def value_at(self, place: Mapping[str, Any]) -> Any:
        """The printed value: a number of its kind or a positive definite matrix; else None.

        Where it is made of a law, that is the law at the value one, which is to be that at any other.
        """
        there: Mapping[str, Any] | None = place
        if any(a.name not in place for a in self.value.letters):
            there = _with(place, self.by, Fraction(1))
        found = None if there is None else nearly(self.value, there)
        wants_matrix = self.by.kind == "matrix"
        if isinstance(found, list) and not wants_matrix:  # in one dimension it is its entry
            found = found[0][0] if len(found) == 1 else None
        if found is None or not isinstance(found, list):
            fits = found is not None and (found > 0 or self.by.kind in EITHER_SIGN)
            return found if fits and not wants_matrix else None
        rows = tuple(map(tuple, found))
        symmetric = all(rows[i][j] == rows[j][i] for i in range(len(rows)) for j in range(i))
        fits = self.among == "all" or all(
            x == 0 for i, row in enumerate(rows) for j, x in enumerate(row) if i != j
        )
        return rows if symmetric and fits and exact.is_definite(rows, strictly=True) else None

    def others(self, value: Any) -> Iterator[Any]:
        """Other values: some far ones first; then on both sides one near, in no special direction."""
        if self.by.kind == "count":
            wholes = (value - 1, value + 1, value - 2, value + 2, value // 2, 2 * value)
            yield from (Fraction(n) for n in wholes if n >= 1 and n != value)
            return
        if isinstance(value, Fraction) and self.by.kind in EITHER_SIGN:
            yield from (value + d for d in STEPS)
            return
        if isinstance(value, Fraction) or self.among == AMONG[2]:
            yield from (times(value, t) for t in (*FAR, *NEARBY))
            return
        if self.among == "all":
            yield from (times(value, t) for t in FAR)
        else:
            for i, j in combinations(range(len(value)), 2):
                for pair in (_PAIR, _PAIR[::-1]):
                    scaled = dict(zip((i, j), pair, strict=True))
                    yield tuple(tuple(x * scaled.get(k, 1) for x in row) for k, row in enumerate(value))
        yield from aside(value, self.among == "all")

    def _kept(self, value: Any) -> Iterator[Any]:
        """Others that keep what may be given of a matrix: its determinant, or its trace."""
        if self.within and isinstance(value, tuple):
            yield from of_one_size(value, self.among == "all", (*FAR, *NEARBY))

    def pairs(self, place: Mapping[str, Any]) -> Iterator[tuple[Any, Any, Any]]:
        """The place with the printed value, with another one, and the quantity at both."""
        value = self.value_at(place)
        if self.up_to_factor and value is not None:
            value = self._scaled(place, value)
        if self.by.kind == "count" and value is not None:
            value = self._whole(place, value)
        here = None if value is None else _with(place, self.by, value)
        if here is None or not self._obeys(here):
            return
        for other in chain(self.others(value), self._kept(value)):
            if isinstance(other, tuple) and not exact.is_definite(other, strictly=True):
                continue
            there = _with(place, self.by, other)
            if there is None or not self._obeys(there):
                continue
            found = compared(self.of, self.of, here, right_at=there)
            if found is not None:
                yield here, there, found

    def _whole(self, place: Mapping[str, Any], value: Fraction) -> Fraction:
        """The better one of the whole numbers next to a value."""
        low, high = (Fraction(max(n, 1)) for n in (floor(value), ceil(value)))
        below, above = (_with(place, self.by, n) for n in (low, high))
        known = low != high and below is not None and above is not None
        found = compared(self.of, self.of, below, right_at=above) if known else None
        return high if found is not None and found.sign == -_ENDS[self.end][2] else low

    def _scaled(self, place: Mapping[str, Any], value: Any) -> Any:
        """The value times the factor at which the quantity has no slope; None where none is found."""

        def slope(t: Fraction) -> Fraction | None:
            near = (_with(place, self.by, times(value, t * (1 + sign * _NEAR))) for sign in (1, -1))
            first, second = near
            if first is None or second is None:
                return None
            found = compared(self.of, self.of, first, right_at=second)
            return None if found is None else (found.left - found.right) / (2 * _NEAR)

        before, t = Fraction(1), Fraction(2)
        low, high = slope(before), slope(t)
        for _ in range(_SECANTS):
            if low is None or high is None or low == high:
                return None
            before, t = t, t - high * (t - before) / (high - low)
            if t <= 0:
                return None
            t = t.limit_denominator(_FINE)
            if t == before:
                return times(value, t)
            low, high = high, slope(t)
        return None

    def is_sure_at(self, place: Mapping[str, Any]) -> bool:
        """Whether the quantity has no slope there, in any direction among numbers or diagonals.

        A value that is best but for a thousandth part beats all others that are tried.
        """
        value = self.value_at(place)
        if self.up_to_factor and value is not None:
            value = self._scaled(place, value)
        if value is None or self.by.kind == "count":
            return False
        if isinstance(value, Fraction) or self.among == AMONG[2]:
            turned = [partial(times, value)]
        elif self.among == AMONG[1]:
            turned = [partial(with_entry, value, k) for k in range(len(value))]
        else:
            return False
        ends = ([_with(place, self.by, to(1 + s * _NEAR)) for s in (1, -1)] for to in turned)
        found = [
            None if None in two else compared(self.of, self.of, two[0], right_at=two[1]) for two in ends
        ]
        return all(one is not None and abs(one.left - one.right) < _LEVEL for one in found)

    def at(self, place: Mapping[str, Any]) -> Sides | None:
        """The quantity at the printed value, and at the first better one, or the last that is not."""
        broken = self._broken(place)
        seen = None if broken is None else broken[1]
        for _, _, found in self.pairs(place) if broken is None else ():
            holds = found.sign in (_ENDS[self.end][2], None)
            seen = Sides(shown(found.left), shown(found.right), holds, alike=found.sign is None)
            if not holds:
                break
        return seen

    def shown_at(self, place: Mapping[str, Any]) -> tuple[Any, Any]:
        """The place with the printed value, and with a better one."""
        tried = None
        if self._broken(place) is not None:
            here = {**place, self.by.name: self.value_at(place)}
            return here, here
        for here, there, found in self.pairs(place):
            tried = here, there
            if found.sign not in (_ENDS[self.end][2], None):
                break
        if tried is None:
            raise ArithmeticError("there is no printed value here")
        return tried

    def placed(self, place: Mapping[str, Any]) -> Mapping[str, Any]:
        """With the printed value, if it is a number that one reads; a root is worked out again."""
        found: Mapping[str, Any] = self.shown_at(place)[0]
        plain = getattr(found[self.by.name], "denominator", 1) < _FINE
        return found if plain else {k: x for k, x in found.items() if k != self.by.name}

    def told(self, place: Mapping[str, Any]) -> Sentence:
        """Where the two numbers are from."""
        broken = self._broken(place)
        if broken is not None:
            told = "the sides of ${}$, which is given, at ${} = {}$"
            return say(told, broken[0].text(), self.by, in_words(self.value_at(place)))
        values = (in_words(one[self.by.name]) for one in self.shown_at(place))
        return Both(*(say("the quantity at ${} = {}$", self.by, x) for x in values))

    def script(self, text: Callable[[Term], str], point: Any) -> tuple[list[str], str]:
        """The quantity at the printed value and at others."""
        sign = "<" if self.end == "smallest" else ">"
        of, place = text(self.of), point.place
        if hasattr(place, "lines"):
            here, there = self.shown_at(place)
            lines = [*here.lines(), f"left = {of}", *there.lines(), f"right = {of}", SAME]
            return lines, f"left {sign} right and not same"
        called = point.called[self.by.name]
        value = self.value.put({self.by: number(1)})
        return of_numbers(called, self.by.kind, text, (value, self.of), self.within, sign)

    # -- what theories make of it --------------------------------------------------------------

    @property
    def asked(self) -> Chosen:
        """The same as a question to a theory."""
        return self._asked(())

    def _asked(self, given: tuple[Any, ...]) -> Chosen:
        told = dict.fromkeys((*given, *self.within))
        pairs = tuple(one.upward for one in told if hasattr(one, "upward"))
        ends = self.end == "largest", self.up_to_factor
        return Chosen(self.of, self.by, self.value, self.among, *ends, pairs)

    def prove(self, theory: Any, given: tuple[Any, ...] = ()) -> Answer:
        """By a derivative that vanishes there, or a closed form of the best value."""
        answer: Answer = theory.is_best(self._asked(given))
        if not (isinstance(answer, Silent) and isinstance(answer.only_if, tuple)):
            return answer
        return replace(answer, only_if=All(*answer.only_if))

    def instead(self, theory: Any, given: tuple[Any, ...] = ()) -> Iterator[Relation]:
        """Another value, or another quantity that is best there."""
        for of, value in theory.best_instead(self._asked(given)):
            right = value if self.left == self.by else plainly(value * self.left / self.by)
            yield replace(self, of=of, right=self.right if value == self.value else right)

    def formula(self, theory: Any, given: tuple[Any, ...] = ()) -> Any:
        """The equations of the best value, where it has no formula."""
        return theory.equations_of_best(self._asked(given))

    def gap(self, theory: Any, given: tuple[Any, ...] = ()) -> Any:
        """How far the printed value is from the best one, to leading order."""
        return theory.gap_of_best(self._asked(given))

    def remarks(self, theory: Any, given: tuple[Any, ...] = ()) -> tuple[Any, ...]:
        """What is lost by the printed value, and whether any formula is best."""
        return tuple(theory.about_best(self._asked(given)))

    def turned(self) -> Iterator[tuple[str, Self]]:
        """The other end."""
        other = "largest" if self.end == "smallest" else "smallest"
        yield f"{other} for {self.end}", replace(self, end=other)


def _with(place: Mapping[str, Any], letter: Letter, value: Any) -> Any:
    """A place with one more value; a law is solved there. None where there is none."""
    solve = getattr(place, "but", None)
    return {**place, letter.name: value} if solve is None else solve(letter.name, value)
