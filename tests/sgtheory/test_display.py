"""In a notebook results are tables and formulas; elsewhere one line."""

import re
from html.parser import HTMLParser

import pytest

import sgtheory as sg
from sgtheory.notation.display import cell, table

CONTENT = {
    "hessian": [[2, 1], [1, "3/2"]], "noise": [[1, "1/4"], ["1/4", 2]],
    "N": 40, "S": 4, "params": {"eps": "1/100"},
}  # fmt: skip


@pytest.fixture(scope="module")
def results():
    problem = sg.Problem.of(CONTENT)
    derived = sg.derive("sgd")
    return sg.law("sgd", problem), derived, derived.covariance, sg.tune("sgd", problem)


def test_every_result_is_one_short_line(results):
    for result in results:
        assert len(repr(result)) < 90, repr(result)
        assert "\n" not in repr(result)


def test_a_law_is_a_table(results):
    law = results[0]
    text = law._repr_html_()
    assert f"{law.covariance['theta', 'theta'][0, 0]:.6g}" in text
    assert re.search(r"KL divergence to the posterior</th><td>[\d.e-]+<", text)


def test_what_was_tuned_is_a_table(results):
    tuned = results[-1]
    text = tuned._repr_html_()
    assert "as printed" in text
    assert f"{tuned.tuned[0].choices[0].kl_to_posterior:.6g}" in text


def test_formulas_are_latex(results):
    assert results[1]._repr_latex_().startswith("$\\displaystyle")
    step = sg.derive("sgd").derivation().steps[0].equations[0]
    assert step._repr_latex_() == f"$\\displaystyle {step.latex}$"


def test_words_cannot_become_markup():
    tags = set()

    class Reader(HTMLParser):
        def handle_starttag(self, tag, attributes):
            tags.add(tag)

    evil = "<script>alert(1)</script>"
    Reader().feed(table(evil, {evil: evil, "list": [evil]}))
    assert tags == {"table", "caption", "tr", "th", "td"}


def test_large_matrices_are_cut():
    assert cell([[0.0] * 30] * 30).count("<td>") == 8 * 9 + 1
