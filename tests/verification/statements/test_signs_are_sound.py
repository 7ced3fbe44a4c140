"""What is proved of signs holds at every place of a grid: random inequalities, most of them false."""

import random
from contextlib import suppress
from fractions import Fraction
from itertools import product

import pytest
import sympy as sp

from verification.terms.arithmetics.symbols import in_symbols
from verification.terms.term import Letter, number
from verification.theories.answers import Proved
from verification.theories.scalars.signs import has_sign
from verification.theories.scalars.words import largest

GRID = {
    "positive": "1/100 1/2 1 2 3 100",
    "nonnegative": "0 1/2 1 2 50",
    "real": "-30 -2 -1 -1/2 0 1/2 1 2 30",
    "unit": "0 1/3 9/10 1",
    "up to one": "1/50 1/2 1",
    "fraction": "1/50 1/2 49/50",
    "within one": "-1 -1/2 0 1/2 1",
    "count": "1 2 3 10",
}


def side(draw, letters, most):
    """A sum of a few products of letters and numbers; a quotient, a power, a largest at times."""
    parts = []
    for _ in range(draw.randint(1, most)):
        a, b, n = draw.choice(letters), draw.choice(letters), number(draw.randint(1, 3))
        parts.append(draw.choice((a, a * b, n * a, a * a, n)))
    found = parts[0]
    for part in parts[1:]:
        found = found + part if draw.random() < 0.6 else found - part
    kind = draw.random()
    if kind < 0.1:
        return found / (number(1) + draw.choice(letters) * draw.choice(letters))
    if kind < 0.2:
        return largest(found, draw.choice(letters))
    return found * found if kind < 0.3 else found


def question(draw):
    """Letters, two sides, whether they may be equal, and what is given."""
    letters = [Letter(n, draw.choice(list(GRID))) for n in "xyz"[: draw.randint(1, 3)]]
    given = []
    for _ in range(draw.randint(0, 3)):
        a, b, c = draw.choice(letters), draw.choice(letters), number(draw.randint(0, 2))
        small, large = draw.choice(((c, a), (a, c), (a * b, c), (a, b)))
        if small != large:
            given.append((small, large, draw.random() < 0.6))
    return letters, side(draw, letters, 2), side(draw, letters, 3), draw.random() < 0.5, given


def false_at(letters, left, right, may_be_equal, given):
    """A place of the grid at which what is given holds, and the left side is not the smaller one."""

    def room(small, large):
        return sp.lambdify(
            [in_symbols(a) for a in letters], in_symbols(large) - in_symbols(small), "math"
        )

    own, rooms = room(left, right), [(room(a, b), equal) for a, b, equal in given]
    for place in product(*(map(Fraction, GRID[a.kind].split()) for a in letters)):
        with suppress(ZeroDivisionError):
            held = all(f(*place) > 0 or (equal and f(*place) == 0) for f, equal in rooms)
            if held and not (own(*place) > 0 or (may_be_equal and own(*place) == 0)):
                return place
    return None


@pytest.mark.parametrize(
    ("first", "count"), [(0, 200), pytest.param(1_000, 3_000, marks=pytest.mark.strong)]
)
def test_nothing_false_is_proved_of_signs(first, count):
    proved = 0
    for seed in range(first, first + count):
        letters, left, right, may_be_equal, given = question(random.Random(seed))
        answer = has_sign(left, right, (-1, 0) if may_be_equal else (-1,), given)
        if isinstance(answer, Proved):
            proved += 1
            place = false_at(letters, left, right, may_be_equal, given)
            assert place is None, (seed, letters, left, right, may_be_equal, given, place)
    assert proved > count / 20  # else nothing was looked at


def test_the_grid_finds_what_is_false():
    """A letter of either sign, taken for a positive one, as was done once."""
    y = Letter("y", "within one")
    assert false_at([y], number(0), y + y * y + number(1), True, []) is None
    assert false_at([y], number(0), y, True, []) == (Fraction(-1),)
    assert false_at([y], number(0), y * y, False, []) == (Fraction(0),)
