"""What both sides are called, where numbers show that a statement is false."""

import pickle

from sgtheory.notation.sentence import Formula, say, sentence
from verification.verdicts.both import Both, also, are, of

NAMED = Both("its value", "its value")
DRAWN = Both(before="over all minibatches, ", after=" at the start")


def test_names_and_places_stay_where_more_is_said():
    moved = also(NAMED, say("when ${} = {}$, ${} = 1$ instead", "eps", "1/2", "S"))
    told = are(moved, 1, 2)
    assert told == "its value is 1, and its value when eps = 1/2, S = 1 instead is 2"
    assert sum(isinstance(piece, Formula) for piece in told.pieces) == 2
    assert are(of(DRAWN, "x = y"), 1, 2) == (
        "over all minibatches, the left side is 1 and the right side 2 at the start, of x = y"
    )


def test_what_has_no_names_is_told_in_a_row():
    assert (
        are(sentence("both sides at $N = 4$, and beyond"), 1, 2)
        == "both sides at N = 4, and beyond: 1; 2"
    )
    assert are(of(NAMED, "x = y"), 1, 2) == "its value, and its value, of x = y: 1; 2"


def test_they_go_to_another_process_as_they_are():
    for one in (Both(), NAMED, DRAWN):
        again = pickle.loads(pickle.dumps(one))
        assert (again, again.pieces, are(again, 1, 2)) == (one, one.pieces, are(one, 1, 2))
    assert [one.alone for one in (Both(), NAMED, DRAWN)] == [True, False, False]
