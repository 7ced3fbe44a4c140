"""What the entries of a section share is declared once, and each entry is what it would be alone."""

import sympy as sp

from verification.judging.judge import judge, plans
from verification.notation import N, Sigma, eps, trace
from verification.statements import Assumption, Equal, Printed, Section, at, claim, letters
from verification.statements.definition import Definition, NotMathematical
from verification.terms.kinds import number

USUAL, MORE = Assumption("A1"), Assumption("A2")
x, y, z = sp.symbols("x y z", positive=True)


def test_an_entry_is_what_it_would_be_alone():
    said = Equal(trace(Sigma), eps * N)
    alone = claim("k", at="Eq. 1", title="T", says="S", read=said, of="sgd", given=(USUAL, MORE))
    sgd = Section(of="sgd", given=(USUAL,))
    assert sgd("k", "Eq. 1").claim("T", "S", read=said, given=(MORE,)) == alone
    assert at("k", "Eq. 1").claim("T", "S", read=said, of="sgd", given=(USUAL, MORE)) == alone
    assert sgd("k", "Eq. 1").claim("T", read=said, of="momentum").of == "momentum"


def test_a_definition_takes_the_kinds_of_its_own_letters():
    shared = Section(kinds={x: number(), z: number()})
    found = shared("k", "Eq. 1").definition("T", "S", Printed(x, y), kinds={y: number()})
    declared = ((x, number()), (y, number()))
    alone = Definition("k", "Eq. 1", "T", "S", printed=(Printed(x, y),), declared=declared)
    assert found == alone
    assert found.find().verdict == "definition"
    missing = shared("k", "Eq. 1").definition("T", "S", Printed(x, y))
    assert missing.find().verdict == "inconclusive"


def test_why_no_computation_decides_an_entry_is_the_word_that_makes_it():
    for why in ("attribution", "opinion", "picture", "timing"):
        alone = NotMathematical("k", "Fig. 1", "T", "S", because=why)
        assert getattr(at("k", "Fig. 1"), why)("T", "S") == alone


def test_places_begin_as_the_section_says():
    proof = Section(at="appendix B, proof of Lemma 4")
    assert proof("k", "last line").opinion("T", "S").at == "appendix B, proof of Lemma 4, last line"
    assert proof("k").opinion("T", "S").at == proof.at


def test_a_part_of_what_is_said_is_the_scope_of_its_claims():
    (a,) = letters("a")
    line = Section(scope="one dimension")
    whole = line("k").claim("T", read=Equal(2 * a, a + a))
    assert whole.scope == "one dimension"
    assert judged(whole)["scope"] == "one dimension"
    assert judged(line("k").claim("T", read=Equal(2 * a, a), scope=""))["scope"] is None
    assert judged(line("k").claim("T", read=Equal(2 * a, a)))["scope"] is None  # it refutes all of it


def judged(claim):
    ((claim, plan),) = plans([claim])
    return judge(claim, plan).to_json()


def test_what_another_entry_states_is_said_again_with_its_own_place():
    (a,) = letters("a")
    first = at("eq1", "Eq. 1").claim("A square", "S", printed=Equal(a * a, a**2))
    again = at("sec2.square", "section 2").again(first, says="It is said again.")
    assert (again.key, again.title, again.stands) == ("sec2.square", "A square", "read")
    assert again.statement == first.statement
