"""Results of experiments that are kept with the sources: decided by their numbers, linked both ways."""

import json
import math
import re

import pytest

from reports import keeping
from reports.build import SITE
from reports.document import Figure, Heading, Link, VerdictWord, spans_in
from reports.emit import html, write
from reports.experiments import (
    FILE,
    PLOTS,
    _drawing,
    document,
    kept_result,
    kept_results,
    told_plots,
)
from reports.pages.experiment import experiment_page, experiments_page
from reports.pages.index import index_page
from reports.pages.paper import about, paper_page
from reports.pages.row import Row
from reports.pages.section import section_page
from verification.experiments import experiments, perform
from verification.experiments.record import Line, Plot, verdict
from verification.judging.judge import plans
from verification.library import all_claims, paper_keys, parts, select
from verification.statements.definition import NotMathematical


@pytest.fixture(scope="module")
def results():
    return kept_results()


def test_what_is_kept_is_of_experiments_that_there_are(results):
    names = [r.experiment.name for r in results]
    assert names == sorted(set(names))
    assert set(names) <= {e.name for e in experiments()}
    assert len({r.word for r in results}) > 1
    assert {r.experiment.paper for r in results} <= {"", *paper_keys()}


def test_results_go_into_the_file_and_come_back(results):
    assert json.loads(json.dumps(document(results))) == json.loads(FILE.read_text("utf-8"))


def test_verdicts_are_those_of_the_numbers(results):
    kept = [told["verdict"] for told in json.loads(FILE.read_text("utf-8"))["experiments"]]
    assert [verdict(r.experiment, r.findings)[0] for r in results] == kept


def test_a_number_that_is_changed_changes_the_verdict(tmp_path):
    told = json.loads(FILE.read_text("utf-8"))
    one = next(e for e in told["experiments"] if e["verdict"] == "reproduced")
    one["findings"]["comparisons"][0]["ours"]["value"] *= 2
    (tmp_path / "changed.json").write_text(json.dumps(told))
    changed = {r.experiment.name: r.word for r in kept_results(file=tmp_path / "changed.json")}
    assert changed[one["name"]] != "reproduced"


def test_what_is_drawn_goes_into_its_file_and_comes_back(results):
    drawn = [r for r in results if r.findings.plots]
    assert {f"{r.experiment.name}.json" for r in drawn} == {p.name for p in PLOTS.iterdir()}
    for r in drawn:
        assert told_plots(r.findings.plots) == (PLOTS / f"{r.experiment.name}.json").read_text("utf-8")


def test_what_is_no_number_stays_none():
    plot = Plot("p", "P", "x", "y", (Line("a", (1.0, 2.0), (math.nan, 1 / 3)),), log_x=True)
    assert '"y":[null,0.333333]' in told_plots((plot,))
    back = _drawing(json.loads(told_plots((plot,)))[0])
    assert math.isnan(back.lines[0].y[0])
    assert (back.log_x, back.log_y, back.lines[0].error) == (True, False, ())


def test_every_experiment_that_draws_has_its_figures_on_its_page(results):
    one = kept_result("mandt2017.figure2")
    page = experiment_page(one)
    assert [b.name for b in page.blocks if isinstance(b, Figure)] == [p.name for p in one.findings.plots]
    assert [b.text for b in page.blocks if isinstance(b, Heading)][:2] == ["In the paper", "Made again"]


@pytest.mark.strong
def test_pages_with_their_drawings_stay_small(results):
    sizes = {r.experiment.name: len(html.render(experiment_page(r), SITE)) for r in results}
    assert {name: size for name, size in sizes.items() if size > 400_000} == {}


NUMBERED = re.compile(r"(Fig(?:ure|\.)|Table) (\d+)")


def numbered(words):
    """The figures and tables that are named, an abbreviation like the whole word."""
    own = re.sub(r"\(called [^)]*\)", "", words).replace("Figures", "Figure")  # elsewhere another's name
    return {(kind[:3], number) for kind, number in NUMBERED.findall(own)}


def test_every_claim_on_a_figure_that_is_made_again_knows_it(results):
    """The link is typed; that none is forgotten is seen in the words of where they stand."""
    known = {c.id: c for c in all_claims()}
    named = {i for r in results for i in r.experiment.ids}
    assert named <= set(known)
    made = {(e.paper, one) for e in experiments() for one in numbered(e.locator)}
    forgotten = [
        c.id
        for c in known.values()
        if {(c.paper, one) for one in numbered(c.at)} & made and c.id not in named
    ]
    assert forgotten == []


def test_a_claim_on_a_figure_links_its_experiment_and_back():
    ((claim, plan),) = plans(select(("mandt2017.fig1",)), seed=1)
    row, page = (made := keeping.made(claim, plan)).row, made.page
    (part,) = (p for p in parts("mandt2017") if claim.id in p.ids)
    section = section_page(about("mandt2017"), part, [(row, page)])
    assert row.href == f"{section.slug}#{claim.id}"
    assert claim.id in section.anchors
    assert "experiment-mandt2017.figure1" in links(section)
    back = experiment_page(kept_result("mandt2017.figure1"), {claim.id: row.href})
    assert row.href in links(back)


def test_what_is_not_mathematical_has_no_page_and_a_place():
    for claim in all_claims():
        row = Row.of_claim(claim)
        assert bool(row.place) == isinstance(claim, NotMathematical)
        assert not row.place or row.place.startswith("section-")


def links(page):
    return {span.href for span in spans_in(page.blocks) if isinstance(span, Link)}


def test_links_lead_both_ways(results, tmp_path):
    of = about("mandt2017")
    own = [r for r in results if r.experiment.paper == of.key]
    row = Row("mandt2017.eq13", of.key, "Eq. 13", "A law", "", "proved", "limit-only", 3, 3)
    paper = paper_page(of, [row], own)
    known = {name: name for name in (paper.slug, row.id)}
    tried = [experiment_page(r, known) for r in own]
    assert own
    assert {page.slug for page in tried} <= links(paper)
    assert all(paper.slug in links(page) for page in tried)
    index = index_page([(of, [row])], (), results=own)
    assert {page.slug for page in tried} <= links(index)
    words = {span.word for span in spans_in(index.blocks) if isinstance(span, VerdictWord)}
    assert {r.word for r in own} <= words
    assert {page.slug for page in tried} <= links(experiments_page(own))


def test_alone_a_page_links_to_no_paper(results, tmp_path):
    results = [r for r in results if r.experiment.paper == "chen2016santa"]
    pages = (experiments_page(results), *(experiment_page(r) for r in results))
    assert write(pages, tmp_path)


@pytest.mark.long
def test_all_are_kept_and_one_of_them_is_so_again(results):
    kept = {r.experiment.name: r for r in results}
    assert set(kept) == {e.name for e in experiments()}
    again = perform("chen2016santa.figure1", keep=False)
    assert (again.word, again.sentence) == (kept["chen2016santa.figure1"].word, again.sentence)
