"""The page on statements: every relation and every word stands on it, in an example that is judged."""

import inspect

import pytest

from reports.document import Table
from reports.guide import ca_state_anything as page
from sgtheory import registry
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


def test_the_whole_call_is_the_whole_call_and_every_field_is_told():
    _, *fields, _ = inspect.signature(statements.claim).parameters  # the key is the first
    assert {name for name, _ in page.FIELDS} == {"the first", *fields}
    assert [n for n in fields if f"    {n}=" not in page.CALL] == ["printed", "derived", "common"]


def test_the_page_begins_with_a_whole_call_and_a_whole_file_and_lists_our_samplers(monkeypatch):
    monkeypatch.setattr(page, "_judged", lambda *row: ((), (), ()))  # nothing is judged here
    monkeypatch.setattr(page, "command", lambda line, files: [page.Code(line)])
    blocks = page.blocks()
    kinds = [type(b).__name__ for b in blocks]
    text = [getattr(b, "text", "") for b in blocks]
    first = kinds.index("Table")
    assert page.CALL in text[:first]
    assert any("sgtheory verify notes.py" in str(t) for t in text)
    cells = [row[0] for b in blocks if isinstance(b, Table) for row in b.rows]
    told = {part.text for cell in cells for part in cell if hasattr(part, "text")}
    assert set(registry.names("samplers")) <= told


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
