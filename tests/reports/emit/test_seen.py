"""What is read on pages of each kind is words: nothing in it is written as programs or LaTeX write."""

import pytest

from reports.build import SITE
from reports.document import Heading, Link, Math, Mono, Page, Paragraph
from reports.emit import html
from reports.experiments import kept_results
from reports.pages.experiment import experiment_page
from reports.pages.glossary import words_page
from sgtheory import registry
from tests.reports import demo
from tests.reports.emit.seen import raw
from tests.reports.sixpages import all_pages

KINDS = (
    "index",
    "paper",
    "claim",
    "section",
    "sampler",
    "guide",
    "experiments",
    "reference",
    "gallery",
    "words",
    "errata",
    "experiment",
)


@pytest.mark.strong
@pytest.mark.parametrize("kind", KINDS)
def test_pages_of_each_kind_are_words(kind):
    assert {p.slug: found for p in all_pages()[kind] if (found := raw(html.render(p, SITE)))} == {}


@pytest.mark.strong
@pytest.mark.parametrize("result", kept_results(None), ids=lambda r: r.experiment.name)
def test_pages_of_all_experiments_are_words(result):
    assert raw(html.render(experiment_page(result), SITE)) == []


def test_samplers_are_called_by_words():
    called = {name: s.title for name, s in registry.samplers().items()}
    for family in ("adam", "psgld", "sgrld", "santa_euler", "santa_refinement", "santa_sss"):
        words = registry.family(family).examples
        called |= {f"{family}:{w}": registry.sampler(f"{family}:{w}").title for w in words}
    assert len(called) > 50
    assert {name: t for name, t in called.items() if raw(html.render(Page("p", t, ())))} == {}


@pytest.mark.parametrize("page", [words_page(), *demo.pages()], ids=lambda p: p.slug)
def test_pages_that_take_no_time_are_words(page):
    assert raw(html.render(page)) == []


def test_names_are_code_and_formulas_are_formulas():
    spans = (Mono("a_b"), Link("c_d", "https://x.org", typed=True), Math(r"x_1 \qquad y"))
    assert raw(html.render(Page("p", "P", (Heading(2, "e_f", typed=True), Paragraph(spans))))) == []


@pytest.mark.parametrize(
    "words",
    [
        "A_ii",
        "2 * D",
        "**so**",
        "sqrt(a)",
        r"a \qquad b",
        "lim infinity m",
        "a  b",
        "1 +- 2",
        "5e-05 of it",
    ],
)
def test_what_is_raw_is_seen(words):
    assert raw(html.render(Page("p", "P", (Paragraph(words),)))) == [words]
