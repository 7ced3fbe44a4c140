"""What entries and verdicts say: formulas are marked, marks can be typeset, none is seen in a text."""

import re
from dataclasses import fields, is_dataclass

import pytest

from reports.pages.words import typeset
from reports.spans import Math
from sgtheory.notation.sentence import Formula, Sentence, sentence
from verification.library import all_claims

CLAIMS = {c.id: c for c in all_claims()}
LOOKS_LIKE_A_FORMULA = re.compile(
    r"\w_\w|\*\*|\bsqrt\(|\w ?[*^] ?[\w(]|[<>]=|->|(?<![\w\"-])=(?!\")|\w/\w"
)
MAY_STAND = ("sgtheory tune", "`")  # commands
QUICK = (
    "brosse2018.sec4.m_over_N", "brosse2018.thm2.i",
    "chen2016santa.eq16.A2", "chen2016santa.eq7.domain", "chen2016santa.sec5_1.optimum",
    "chen2016santa.supF.regret", "li2016psgld.alg1.eq3", "li2016psgld.appA.a1_bounded",
    "mandt2017.sec5.asymptotically_exact",
)  # fmt: skip
EVERY_KIND = (
    "brosse2018.prop5.second", "brosse2018.sec3_2.bias_sgld_sgd_eta", "brosse2018.thm2.ii",
    "brosse2018.thm7.any_eta", "chen2016santa.eq13.relation", "chen2016santa.supC.bias.annealing",
    "brosse2018.abstract.sgld_departs", "brosse2018.thm4.i.mu", "li2016psgld.appD.eq37",
    "li2016psgld.eq8", "li2016psgld.thm1", "mandt2016poster.benefits.by_step",
    "mandt2017.appC.eq41.in_general", "mandt2017.sec1.scale_not_shape",
    "mandt2017.cor3", "mandt2017.cor4", "mandt2017.cor6.diagonal", "mandt2017.sec3_2.independent_draws",
    "mandt2017.sec4_1.argmin_over_h_and_s", "mandt2017.sec4_3.rule", "mandt2017.sec5_1.stationarity",
    "mandt2017.sec6_2.step_large_enough", "mandt2017.thm2.q_independent_of_h",
    "mandt2017.thm5.t_constant_in_h",
)  # fmt: skip


def words(claim):
    given = (h.words for h in claim.given if isinstance(getattr(h, "words", None), Sentence))
    return (claim.at, claim.title, claim.says, *given)


def sentences(record):
    """Every sentence in a record and in those that it holds."""
    if isinstance(record, Sentence):
        yield record
    elif isinstance(record, tuple | list):
        for one in record:
            yield from sentences(one)
    elif is_dataclass(record) and not hasattr(record, "relations"):
        for field in fields(record):
            yield from sentences(getattr(record, field.name))


def unmarked(told):
    """What looks like a formula outside of the marks."""
    parts = (p for p in told.pieces if isinstance(p, str) and not any(m in p for m in MAY_STAND))
    return [found[0] for part in parts for found in LOOKS_LIKE_A_FORMULA.finditer(part)]


def cannot_be_typeset(told):
    formulas = sum(isinstance(p, Formula) for p in told.pieces)
    return formulas > 0 and sum(isinstance(span, Math) for span in typeset(told)) < formulas


def check(claim):
    times = (None, "discrete") if claim.has_discrete_reading() else (None,)
    told = list(sentences([claim.find(time) for time in times]))
    assert told
    assert [(one, unmarked(one)) for one in told if unmarked(one)] == []
    assert [one for one in told if cannot_be_typeset(one)] == []
    assert [one for one in told if "$" in one] == []


@pytest.mark.parametrize("name", QUICK)
def test_what_the_engine_says_has_its_formulas_marked(name):
    check(CLAIMS[name])


@pytest.mark.strong
@pytest.mark.parametrize("name", EVERY_KIND)
def test_so_has_every_other_kind_of_sentence(name):
    check(CLAIMS[name])


@pytest.mark.parametrize(
    "wrong",
    [
        "It is x**2.",
        "It is x_i.",
        "It is sqrt(x).",
        "It is a * b.",
        "Where a <= b.",
        "As h -> 0.",
        "At mu = 1/2.",
    ],
)
def test_a_formula_without_its_marks_is_seen(wrong):
    assert unmarked(sentence(wrong))
    marked = re.sub(r"(?<= )[^ ]+( [*<=>-]+ [^ ]+)?(?=\.)", lambda m: f"${m[0]}$", wrong)
    assert not unmarked(sentence(marked))


def test_every_marked_formula_of_an_entry_can_be_typeset_and_no_mark_is_left():
    told = [w for c in CLAIMS.values() for w in words(c)]
    assert sum(isinstance(p, Formula) for w in told for p in w.pieces) > 1_000
    assert [w for w in told if cannot_be_typeset(w)] == []
    assert [w for w in told if "$" in w] == []
