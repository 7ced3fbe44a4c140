"""The page on statements: every relation and every word stands on it, in an example that is judged."""

import pytest

from reports.guide import ca_state_anything as page
from verification import statements
from verification.relations.base import Relation
from verification.terms.term import Applied
from verification.terms.words import lexicon
from verification.verdicts.verdict import WORDS

EXAMPLES = [
    *((how, more) for _, how, more in page.SENTENCES),
    *((how, more) for _, _, how, more in page.RELATIONS),
    *(row for _, rows in page.WORDS for row in rows),
    *((how, more) for _, how, more in page.HYPOTHESES),
]
# words that the language writes itself, from others
WRITTEN = {
    "derived", "put", "over_noise", "generated", "exp_block", "spread_block", "double_integral",
    "double_sum", "of_process", "form_at", "identity", "entry", "degree", "online_average",
    "mean_before",
}  # fmt: skip


@pytest.fixture(scope="module")
def stated():
    return [page.stated(how, more) for how, more in EXAMPLES]


def test_every_relation_has_an_example():
    told = {how.partition("(")[0] for how, _ in EXAMPLES}
    kinds = [n for n in statements.__all__ if isinstance(getattr(statements, n), type)]
    relations = {n for n in kinds if issubclass(getattr(statements, n), Relation)}
    assert relations - told == set()


def heads(claim):
    relations = claim.statement.relations
    sides = [side for r in relations for side in r.sides]
    return {t.head for side in sides for t in side.subterms() if isinstance(t, Applied)}


def test_every_word_that_is_written_by_hand_has_an_example(stated):
    told = set().union(*map(heads, stated))
    missing = set(lexicon()) - told - WRITTEN
    assert sorted(missing) == []


@pytest.mark.strong
@pytest.mark.parametrize(("how", "more"), EXAMPLES)
def test_every_example_is_decided(how, more):
    found = page.stated(how, more).find()
    assert found.verdict in WORDS
    assert found.verdict != "inconclusive"
