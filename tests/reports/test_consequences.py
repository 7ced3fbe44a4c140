"""What matters most heads a sheet, in the order of the measure; the front page draws it."""

from __future__ import annotations

import pytest

from reports.document import Figure, Heading, Paragraph, Table, place_of, walk
from reports.emit import html
from reports.pages.claim import claim_page
from reports.pages.consequences import WORDS, heaviest
from reports.pages.errata import entry, errata_page
from reports.pages.findings import findings
from reports.pages.paper import about, paper_page
from reports.pages.row import Row
from verification.judging.judge import judge, plans
from verification.statements import Equal, claim, letters

x, y, z = letters("x y z")


def _judged(key, statement, at, **more):
    stands = more.pop("stands", "printed")
    said = {"title": f"Statement {key}", "says": "It is so.", stands: statement}
    stated = claim(key, at=at, **said, **more)
    (pair,) = plans([stated])
    return judge(*pair)


@pytest.fixture(scope="module")
def verdicts():
    return [
        _judged("slip", Equal((x + z) ** 2, x**2 + x * z + z**2), "Eq. 3"),
        _judged("fails", Equal((x + y) ** 2, x**2 + x * y + y**2), "Theorem 3"),
        _judged("needs", x * y <= 2 * x, "section 2"),
        _judged("holds", Equal(x + y, y + x), "Eq. 1"),
    ]


def test_a_sheet_begins_with_what_weighs_most(verdicts):
    page = errata_page(about("", "notes.py"), [entry(v) for v in verdicts])
    first = next(b for b in page.blocks if isinstance(b, Table))
    assert [row[2] for row in first.rows] == [WORDS[k] for k in ("substance", "condition", "slip")]
    text = html.render(page)
    assert "should be multiplied by" in text
    assert "1 fails, 1 needs a condition that is not stated, 1 is a slip of the pen" in text


@pytest.mark.parametrize(
    ("stands", "words"), [("read", "A result fails:"), ("derived", "It does not hold:")]
)
def test_of_what_only_we_conclude_no_result_fails(stands, words):
    verdict = _judged("other", Equal(x + y, x * y * z), "section 2", stands=stands)
    assert verdict.consequence.kind == "substance"
    assert words in html.render(claim_page(verdict, about("", "notes.py")))


def test_a_papers_page_begins_with_it_too(verdicts):
    rows = [Row.of_verdict(v) for v in verdicts]
    page = paper_page(about("", "notes.py"), rows)
    titles = [str(b.text) for b in page.blocks if isinstance(b, Heading)]
    assert titles[0] == "What matters most"
    assert len(heaviest(rows)) == 3


def test_findings_are_drawn_and_chosen_by_weight(verdicts):
    of = about("", "notes.py")
    pages = {place_of(v.claim.id): claim_page(v, of) for v in verdicts}
    rows = [Row.of_verdict(v) for v in verdicts]
    blocks = findings([(of, rows)], pages.get)
    assert [b.text for b in blocks if isinstance(b, Heading)] == ["What weighs most", "Statement fails"]
    assert sum(isinstance(b, Figure) for b in walk(blocks)) == 1
    assert not findings([(of, rows)], {}.get)
    assert any(isinstance(b, Paragraph) for b in blocks)
