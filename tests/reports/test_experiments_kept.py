"""Results of experiments that are kept with the sources: decided by their numbers, linked both ways."""

import json

import pytest

from reports.document import Link, VerdictWord, spans_in
from reports.emit import write
from reports.experiments import FILE, document, kept_results
from reports.pages.experiment import experiment_page, experiments_page
from reports.pages.index import index_page
from reports.pages.paper import about, paper_page
from reports.pages.row import Row
from verification.experiments import experiments, perform
from verification.experiments.record import verdict
from verification.library import paper_keys


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


def links(page):
    return {span.href for span in spans_in(page.blocks) if isinstance(span, Link)}


def test_links_lead_both_ways(results, tmp_path):
    of = about("mandt2017")
    own = [r for r in results if r.experiment.paper == of.key]
    row = Row("mandt2017.eq13", of.key, "Eq. 13", "A law", "", "proved", "limit-only", 3, 3)
    paper = paper_page(of, [row], own)
    known = {paper.slug, row.id}
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
    pages = (experiments_page(results), *(experiment_page(r) for r in results))
    assert write(pages, tmp_path)


@pytest.mark.long
def test_all_are_kept_and_one_of_them_is_so_again(results):
    kept = {r.experiment.name: r for r in results}
    assert set(kept) == {e.name for e in experiments()}
    again = perform("chen2016santa.figure1", keep=False)
    assert (again.word, again.sentence) == (kept["chen2016santa.figure1"].word, again.sentence)
