"""What follows from an erratum: its kind from the structure of its verdict, its size by two routes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from verification.consequence import size as sizes
from verification.consequence.changes import changes, is_slight, told
from verification.consequence.kinds import KINDS, Consequence, consequence
from verification.consequence.ranking import Item, ranked
from verification.consequence.undone import undone
from verification.consequence.usual import usual_places
from verification.library import claims
from verification.refuter.places import Space
from verification.refuter.script import values_of
from verification.relations import Bounded, FreeOf
from verification.relations.joined import All
from verification.statements import Best, Equal, claim, letter, letters, sequences
from verification.terms.ways import growing
from verification.verdicts.verdict import RoutesDisagree

x, y, z, n, m = letters("x y z n m")
(a,), (b,) = sequences("a"), sequences("b")


def _of(statement, at="section 1"):
    stated = claim("one", at=at, title="A statement", printed=statement)
    return consequence(stated, stated.find())


@pytest.mark.parametrize(
    ("printed", "true", "words"),
    [
        (Equal(z, x + y / 2), Equal(z, x + y / 4), "y/2 should be multiplied by 1/2."),
        (Equal(z, x - y), Equal(z, x + y), "The sign of -y is wrong."),
        (Equal(z, x), Equal(z, x + y), "The term y is missing."),
        (Equal(z, 1 + x * y), Equal(z, 1 + x * y + n * m + x * n), "The terms m*n + n*x are missing."),
        (Equal(z, x + y), Equal(z, x), "The term y is too much."),
        (Equal(z, x * y / 2), Equal(z, x * y**2 / 4), "x*y/2 should be multiplied by y/2."),
        (x >= y, x <= y, "The opposite direction is true."),
        (Equal(z, x - y), Equal(z, -(x - y)), "The sign of the whole right side is wrong."),
        (Equal(z, x + y), Equal(z, 2 * (x + y)), "The whole right side should be multiplied by 2."),
        (Equal(z, x + y), Equal(z, 2 * x + y), "x should be multiplied by 2."),
    ],
)
def test_a_slip_says_what_has_to_be_changed(printed, true, words):
    found = changes(printed, true)
    assert is_slight(found)
    assert told(found) == words


@pytest.mark.parametrize(
    ("printed", "true"),
    [
        (Equal(z, x), Equal(z, 1 + y + n)),  # another formula
        (Equal(z, x), z <= x),  # another relation
        (x <= 0, x >= 0),  # what is above zero was not turned round
        (z <= x, z <= x * y),  # a bound that grows with a letter is no slip
        (Equal(z, 0), Equal(z, -x)),  # what does not vanish has no factor that was missed
        (Equal(z, a[n] + b[n]), Equal(z, a[n] + b[m] + x)),  # another index, and a term
        (Best(x, y, of=x / y + y / x), Equal(x, y)),
    ],
)
def test_another_statement_is_no_slip(printed, true):
    assert not is_slight(changes(printed, true))


def test_a_factor_in_a_formula_is_a_slip_and_in_a_theorem_substance():
    wrong = Equal((x + y) ** 2, x**2 + x * y + y**2)
    assert _of(wrong, "Eq. 3").kind == "slip"
    assert _of(wrong, "Theorem 3").kind == "substance"
    assert _of(wrong, "Theorem 3, proof").kind == "slip"


def test_what_we_conclude_is_no_slip_of_a_pen_and_makes_no_fault_graver():
    wrong = Equal((x + y) ** 2, x**2 + x * y + y**2)
    ours = claim("one", at="Eq. 3", title="A statement", derived=wrong)
    assert (consequence(ours, ours.find()).kind, _of(wrong, "Eq. 3").kind) == ("substance", "slip")
    items = [
        Item(stands, 2, stands, Consequence(kind, faults=("the same",)))
        for stands, kind in (("derived", "substance"), ("printed", "slip"))
    ]
    (fault,) = ranked(items)
    assert (fault.kind, fault.first.id) == ("slip", "printed")


def test_indices_and_signs_of_a_sum_are_slips():
    """Eq. 16 of Li et al. 2016 has two indices and two signs wrong."""
    (entry,) = (c for c in claims("li2016psgld") if c.key == "appA.eq16")
    found = consequence(entry, entry.find())
    assert found.kind == "slip"
    assert str(found.change).count("should be") == 2
    assert str(found.change).startswith("The sign of Sum(epsilon[t]*d[t]")


def test_a_sum_that_breaks_off_is_mended_on_its_own_side():
    """Without brackets, Eq. 35 of Mandt et al. 2017 has its last term of one example alone."""
    entry = _entry("eq35.as_parenthesised")
    found = entry.find()
    (printed,), (true,) = entry.statement.relations, found.corrected.printed[0].relations
    assert (printed.left, printed.right) != true.sides
    assert printed.right == true.right
    change = "The terms -theta_00*x_00 - theta_10*x_01 are missing."
    assert (consequence(entry, found).kind, str(consequence(entry, found).change)) == ("slip", change)
    turned = replace(entry, statement=Equal(printed.right, printed.left))
    assert str(consequence(turned, turned.find()).change) == change


@pytest.mark.parametrize(
    "wrong",
    [
        Equal((x + y) * (x - y), x**2 - z**2),  # y**2 is no term that goes on: it takes z**2 away
        Equal((x + y + z) ** 2, x**2 + y**2 + z**2),  # products are of another form than squares
        Equal(1 + x + x**2 + x**3, 1 + x),
    ],
)
def test_what_is_missing_of_another_form_is_no_sum_that_breaks_off(wrong):
    stated = claim("one", at="section 1", title="A statement", printed=wrong)
    corrected = stated.find().corrected
    assert corrected is None or "The terms" not in told(changes(stated.statement, corrected.printed[0]))


def test_of_the_mean_of_a_step_and_what_is_printed_the_second_is_mended():
    (entry,) = (c for c in claims("li2016psgld") if c.key == "appA.eq11_noise")
    assert consequence(entry, entry.find()).change == "G*G should be G."


def test_what_is_commonly_said_is_no_slip_of_a_pen():
    """Nothing is printed: that noise leaves a thermostat's law as it is, is wrong in substance."""
    wrong = Equal((x + y) ** 2, x**2 + x * y + y**2)
    said = claim("one", at="Eq. 3", title="A statement", common=wrong)
    assert (consequence(said, said.find()).kind, _of(wrong, "Eq. 3").kind) == ("substance", "slip")
    (ding,) = (c for c in claims("ding2014") if c.key == "claim3")
    assert consequence(ding, ding.find()).kind == "substance"


def test_of_several_letters_one_is_the_step():
    """A strength gamma beside a step h is no step: at 1/10000 it would hide what it does."""
    space = Space({}, {"N": "count", "h": "positive", "gamma": "positive"})
    assert next(usual_places(space)).to_json()["gamma"] == "1"
    alone = Space({}, {"gamma": "positive"})
    assert next(usual_places(alone)).to_json()["gamma"] == "1/50"


def test_a_letter_that_is_set_to_something_made_of_itself_is_told():
    slip = _of(Equal(x, x + y * z), "supplement E, last line")
    assert (slip.kind, str(slip.change)) == (
        "slip",
        "x stands on both sides, and has to be another value on one of them.",
    )
    assert _of(Equal(x, 2 * x + y), "supplement E, last line").change == ""


def test_what_moves_is_told_with_the_value_that_it_moves_to():
    told = _of(FreeOf(x + y, x)).size
    assert told.words == "At x = 1, y = 1, its value is 2, and its value when x = 2 instead is 3."
    assert told.at == {"x": "1", "y": "1"}
    assert (
        "N**2/S changes by 100 % when N = 1 instead"
        in _of(FreeOf(letter("N") ** 2 / letter("S"), letter("N"))).size.words
    )


def test_the_size_of_a_bound_is_told_of_the_bound_as_it_is_stated():
    told = _of(letter("N") * x <= letter("S") * x).size
    assert told.words == "At N = 1000, x = 1, S = 10, N*x is 100 times as large as S*x."


def test_a_condition_that_no_random_place_meets_is_the_fall_of_a_result():
    rare, common = Equal(x * (x - y), 0), x * y <= 2 * x
    assert _of(rare, "Theorem 1").kind == "substance"
    assert _of(rare, "section 1").kind in ("condition", "substance")
    assert _of(common, "Theorem 1").kind == "condition"


@pytest.mark.parametrize(
    ("key", "kind", "change"),
    [
        ("appE.eq46.line_1", "slip", "-log(N*det(A))/2 should be -log(det(N*A))/2."),
        ("appC.trace_of_inverse", "condition", ""),  # one dimension hides it, and no slip is known
        ("appD.term_antisymmetric", "condition", ""),
        ("appB.eq38", "slip", ""),  # in another unit of time
    ],
)
def test_what_one_dimension_or_a_unit_hides_is_a_slip_and_what_matrices_need_a_condition(
    key, kind, change
):
    entry = _entry(key)
    found = consequence(entry, entry.find())
    assert (found.kind, str(found.change)) == (kind, change)


def test_what_holds_has_no_consequence():
    assert _of(Equal((x + y) ** 2, x**2 + 2 * x * y + y**2)) is None


def test_the_contract_names_the_kinds():
    assert KINDS == ("substance", "condition", "limit", "slip")
    assert Consequence("limit").to_json() == {"consequence": "limit"}


def _entry(key):
    return next(c for c in claims("mandt2017") if c.key == key)


def test_sizes_are_told_at_usual_numbers():
    eq16 = _entry("eq16")
    found = consequence(eq16, eq16.find())
    assert (found.kind, found.share) == ("slip", 0.5)
    assert found.size.at["N"] == "1024"
    assert "1/50" in found.size.words
    assert "2 times as much" in found.size.words


def test_a_size_of_which_two_routes_disagree_is_refused(monkeypatch):
    eq16 = _entry("eq16")
    finding = eq16.find()

    def wrong(script):
        left, right = values_of(script)
        return left, right * 2

    monkeypatch.setattr(sizes, "values_of", wrong)
    with pytest.raises(RoutesDisagree, match="exact numbers"):
        sizes.size(eq16, finding)


def test_a_step_of_usual_size_is_one_at_which_the_algorithm_settles():
    entry = _entry("sec5_1.stationarity")
    found = consequence(entry, entry.find())
    assert found.kind == "slip"
    assert found.change == "eps*N*C/(2*S) should be multiplied by N/2."
    assert found.size.at["params"]["eps"] == "1/10000"  # SGLD steps over a sum of 1,024 losses


@pytest.mark.strong
def test_the_fall_of_corollary_3_weighs_more_than_a_missing_factor():
    items = []
    for key in ("eq16", "cor3", "sec4_1.diagonal_inverse", "sec4_3.same_as_sgd", "eq25"):
        entry = _entry(key)
        found = consequence(entry, entry.find())
        items.append(Item(entry.id, entry.prominence, entry.stands, found))
    told_first = [(f.kind, f.first.id.partition(".")[2], len(f.items)) for f in ranked(items)]
    assert told_first == [("substance", "cor3", 2), ("condition", "eq25", 2), ("slip", "eq16", 1)]


def test_what_is_only_derived_weighs_nothing():
    read = Item("a", 2, "read", Consequence("substance", faults=("x",)))
    derived = replace(read, id="b", stands="derived")
    (one,) = ranked([derived, read])
    assert (one.weight, one.first.id) == (1.0, "a")


def test_a_limit_says_how_the_ratio_moves():
    found = _of(_order())
    assert found.kind == "substance"
    assert "times the right one at n = 16^4" in found.size.words


@pytest.mark.strong
def test_points_that_are_not_those_of_a_limit_are_not_told_as_such():
    regret = next(c for c in claims("chen2016santa") if c.key == "sec1.regret")
    finding = regret.find()
    assert "after 30 and after 3000 steps" in finding.counterexample.words
    assert "16^" not in consequence(regret, finding).size.words


def _order():
    from verification.statements import Order

    return Order(n**2, "O", n, growing(n))


def test_one_symbol_with_which_it_is_proved_tells_a_slip_from_a_result_that_fails():
    told = _of(Equal((x + y) * (x - y), x**2 - z**2))
    assert told.kind == "slip"
    assert _of(Equal((x + y) * (x - y), x**2 - z**2), "Theorem 3").kind == "substance"
    assert _of(Equal((x + y) ** 2, x**3 + z)).kind == "substance"  # two symbols do not do
    assert _of(Equal(y**2 / z, (1 - y) ** 2 / z)).kind == "substance"  # no symbol, but a term too much
    zero = Equal(x * (x - y), 0)  # with x for y nothing is said
    assert undone(claim("one", at="section 1", title="A statement", printed=zero)) is None
    assert _of(Bounded(x + y, y + z)).kind == "slip"  # both sides are one then
    assert _of(Bounded(x + y**2, x)).kind == "substance"


def test_of_a_scheme_the_update_that_is_wrong_is_told():
    """Supplement C of Chen et al. 2016 takes its noise from Eq. 6, without the root of the step."""
    entry = next(c for c in claims("chen2016santa") if c.key == "supC.integrator.printed")
    found = entry.find()
    noise = "sqrt(2)*sqrt(g)*{}zeta/sqrt(beta)"
    change = f"{noise.format('')} should be {noise.format('sqrt(h)*')}."
    assert (consequence(entry, found).kind, str(consequence(entry, found).change)) == ("slip", change)
    (true,) = found.corrected.printed
    process = replace(true.form.process, drift=tuple(2 * one for one in true.form.process.drift))
    other = All(
        form=replace(true.form, process=process)
    )  # a scheme for another equation is none of ours
    assert not is_slight(changes(entry.statement, other))


@pytest.mark.parametrize("key", ["eq17", "mse.parts", "eq14.poisson"])
def test_misprints_of_a_paper_that_goes_on_with_what_is_right_are_slips(key):
    entry = next(c for c in claims("chen2016santa") if c.key == key)
    assert consequence(entry, entry.find()).kind == "slip"
    derived = replace(entry, stands="derived")
    assert consequence(derived, entry.find()).kind == "substance"  # nothing is printed
