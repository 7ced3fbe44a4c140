"""The example of the guide and of README: how it is read, and what is found."""

from pathlib import Path

import pytest

from reports.guide import cb_write_it_in_a_text as page
from verification.library import gather
from verification.library.reading import how_read

NOTES = Path(__file__).parents[3] / "examples" / "notes.md"
READ = {
    "claim1": "A*Sigma + Sigma*A = eps/S*C",
    "claim2": "A*Sigma + Sigma*A = eps/S*C + O(eps**2) as eps -> 0",
    "claim3": "it settles if and only if eps < 2/lambda_max(A)",
    "claim4": "A*Sigma = Sigma*A if and only if A*C = C*A",
    "claim5": "eps = 2*D*S/(N*tr(C)) minimises KL(Sigma, q, (N*A)**(-1), p)",
    "claim6": "E[theta v^T] + E[v theta^T] = 0",
    "claim7": "mu*tr(A*Sigma) does not depend on mu",
    "claim8": "Sum((1 - h*m)**k, (k, 0, n - 1)) = (1 - (1 - h*m)**n)/(h*m)",
    "claim9": "exp(-h*m) = 1 - h*m + O(h**2) as h -> 0 and 1 - h*m <= exp(-h*m)",
}
FOUND = {"claim1": "limit-only", **dict.fromkeys((f"claim{k}" for k in range(2, 10)), "proved")}


@pytest.fixture(scope="module")
def claims():
    found = gather((str(NOTES),))
    assert not found.errors
    return {claim.key: claim for claim in found.claims}


def test_the_guide_shows_the_example():
    assert NOTES.read_text("utf-8") == page.NOTES


def test_each_statement_is_read_as_it_is_meant(claims):
    assert {key: claim.statement.text() for key, claim in claims.items()} == READ
    assert [c.time for c in claims.values()] == [
        *["discrete"] * 4,
        *["continuous"] * 3,
        *["discrete"] * 2,
    ]


@pytest.mark.parametrize("key", FOUND)
def test_it_has_its_verdict(claims, key):
    assert claims[key].find().verdict == FOUND[key]


def test_letters_are_told_with_what_they_are(claims):
    found = how_read(claims["claim1"])
    assert dict(found.letters)["h"] == "the step size of sgd, which is eps there (eps)"
    assert dict(found.letters)["C"] == "the covariance of the gradient noise"
    assert found.line == 15
    assert "Equal(A * Sigma + Sigma * A, eps / S * C)" in found.python


@pytest.mark.parametrize(("sentence", "of"), page.SENTENCES + page.SPELLINGS, ids=lambda x: x[:40])
def test_every_line_of_the_guide_is_read(sentence, of):
    assert all(page._meant(sentence, of)[:2])


def test_lines_that_are_wrong_are_refused():
    told = [page._refused(*one)[2] for one in page.WRONG]
    assert all(line.startswith("expected ") and "line 6, column" in line for line in told)
