"""What entries say: formulas are marked, every mark can be read, and none is seen in a text."""

from reports.math.reading import formula
from sgtheory.notation.sentence import Formula, Sentence
from verification.library import all_claims

CLAIMS = all_claims()


def words(claim):
    given = (h.words for h in claim.given if isinstance(getattr(h, "words", None), Sentence))
    return (claim.at, claim.title, claim.says, *given)


def test_every_marked_formula_can_be_read_and_no_mark_is_left():
    marked = [p for c in CLAIMS for w in words(c) for p in w.pieces if isinstance(p, Formula)]
    assert len(marked) > 1_000
    assert [p.text for p in marked if formula(p.text) is None] == []
    assert [c.id for c in CLAIMS if any("$" in w for w in words(c))] == []
