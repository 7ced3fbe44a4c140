"""The page of a check: what it draws is what was measured, and it is the same to the byte every time."""

import csv
import io
import json
import shutil
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from reports.document import Code, Equation, Figure, Table, Verdict, walk
from reports.emit import render
from reports.pages.check import check_page, problem_files
from reports.pages.checkfiles import format_of
from reports.pages.checkfiles import write_page as write_any
from reports.pages.updates import marked, updates_beside
from sgtheory import law, registry
from sgtheory.errors import UnusableInput
from sgtheory.problem import read_problem
from tests.reports.emit import browsing
from tests.verification.checking.bank import first
from verification.checking import check
from verification.checking.judging import Conformance, Outcome, verdict_of
from verification.checking.running import Measured

AGAIN = "sgtheory check mine.py:step --like sgld --seed 1"


def write_page(found, path, again):
    return write_any(check_page(found, again, path.stem), path, problem_files(found, path.stem))


@pytest.fixture(scope="module")
def found():
    return check(first.sgld_noise_eps, "sgld", dimensions=(2,))


@pytest.fixture(scope="module")
def page(found):
    return check_page(found, AGAIN)


def figures(page):
    return {b.name: b for b in walk(page.blocks) if isinstance(b, Figure)}


def rows(page, name):
    return list(csv.DictReader(io.StringIO(figures(page)[name].csv)))


def test_the_page_has_what_it_should(page):
    (verdict,) = (b for b in page.blocks if isinstance(b, Verdict))
    assert verdict.word == "deviates"
    assert set(figures(page)) == {"scores", "means", "deviations", "ellipses", "autocorrelations"}
    latex = [b.latex for b in page.blocks if isinstance(b, Equation)]
    assert any(r"\underline{+ \sqrt{\epsilon} H^{1/2} \xi}" in x for x in latex)
    assert any(r"\underline{+ \epsilon H^{1/2} \xi}" in x for x in latex)
    assert AGAIN in [b.text for b in walk(page.blocks) if isinstance(b, Code)]
    assert [len(b.rows) for b in page.blocks if isinstance(b, Table)] == [1, 1]


def test_a_page_of_thousands_of_tests_is_not_heavy(found):
    many = replace(
        found, outcomes=found.outcomes * (2000 // len(found.outcomes[0].comparison.tests) + 1)
    )
    assert sum(len(outcome.comparison.tests) for outcome in many.outcomes) >= 2000
    assert len(render((check_page(many, AGAIN),), "html").encode()) < 400_000


def test_exact_curves_are_those_of_the_law_command(found, page):
    """Another route: the law at a step, not the joint law of several."""
    for outcome in found.outcomes:
        case = outcome.case
        mine = [r for r in rows(page, "means") if r["problem"] == case.name]
        spread = [r for r in rows(page, "deviations") if r["problem"] == case.name]
        k = int(mine[0]["coordinate"]) - 1
        for at in (1, 3, 20):
            exact = law("sgld", case.problem, at=at)
            assert float(mine[at - 1]["exact"]) == pytest.approx(exact.mean["theta"][k] + case.mode[k])
            variance = exact.covariance["theta", "theta"][k, k]
            assert float(spread[at - 1]["exact"]) ** 2 == pytest.approx(variance)
        seen = [r for r in mine if r["measured"]]
        assert [int(r["step"]) for r in seen] == list(case.times)
        assert [float(r["measured"]) for r in seen] == pytest.approx(outcome.measured.mean[k :: case.D])


def test_scores_beyond_the_line_are_the_tests_that_a_single_one_rejects(found, page):
    far = [r for r in rows(page, "scores") if abs(float(r["score"])) > float(r["rejects_beyond"])]
    single = [
        t for o in found.outcomes for t in o.comparison.tests if t.p_value < o.comparison.threshold
    ]
    assert [r["test"] for r in far] == [t.name for t in single]
    assert 0 < len(far) < sum(len(o.comparison.tests) for o in found.outcomes)


@pytest.mark.strong
def test_it_is_the_same_to_the_byte(found, tmp_path):
    once, twice = (
        {p.name: p.read_bytes() for p in write_page(found, tmp_path / n / "check.html", AGAIN)}
        for n in "ab"
    )
    assert once == twice
    names = {f"check.{n}.csv" for n in ("scores", "means", "deviations", "ellipses", "autocorrelations")}
    assert names | {"check.html", "check.problem-1.json"} == set(once)
    for k, outcome in enumerate(found.outcomes, 1):
        assert read_problem(tmp_path / "a" / f"check.problem-{k}.json") == outcome.case.problem


@pytest.mark.parametrize(
    "name",
    ["check.md", *(pytest.param(f"check.{e}", marks=pytest.mark.long) for e in ("tex", "txt", "json"))],
)
def test_other_formats(found, tmp_path, name):
    write_page(found, tmp_path / name, AGAIN)
    text = (tmp_path / name).read_text()
    assert "deviates" in text
    if name.endswith("json"):
        assert json.loads(text)


@pytest.mark.parametrize("name", ["check", "check.pdf", "a check.html", ".html"])
def test_names_that_are_no_page_are_refused(name, tmp_path):
    with pytest.raises(UnusableInput, match=r"such as|rename"):
        format_of(tmp_path / name)


def one_with(found, **changed):
    """The check of one problem, with something else measured."""
    o = found.outcomes[0]
    outcome = Outcome(o.case, Measured(o.case.name, o.measured.chains, **changed), o.expected, None)
    return Conformance("m:f", "sgld", verdict_of([outcome]), (outcome,), (), 1e-6, 0.05)


@pytest.mark.parametrize("fault", ["crashed", "slow", "not finite"])
def test_a_page_without_measurements(found, fault):
    page = check_page(one_with(found, fault=fault, words="out of cheese"), AGAIN)
    assert figures(page) == {}
    assert any(fault in str(b.rows) for b in page.blocks if isinstance(b, Table))


@pytest.mark.long
def test_what_is_far_away_can_be_drawn(found, tmp_path):
    outcomes = []
    for o in found.outcomes:
        far = Measured(o.case.name, 9, o.measured.mean * 1e90, o.measured.covariance * 1e180)
        outcomes.append(Outcome(o.case, far, o.expected, o.comparison))
    wide = Conformance("m:f", "sgld", "deviates", tuple(outcomes), (), 1e-6, 0.05)
    assert "nan" not in "".join(f.svg for f in figures(check_page(wide, AGAIN)).values())


def test_differences_are_underlined_on_both_sides():
    true, wrong = registry.sampler("sghmc"), registry.sampler("sghmc_velocity_first")
    told = [b.latex for b in updates_beside(true, wrong) if isinstance(b, Equation)]
    assert r"\underline{- \eta N g}" in told[2]
    assert r"\underline{- \eta N \hat{g}(\theta)}" in told[3]
    assert [t for t in told if "underline" not in t] == [told[1], told[4]]  # what both have
    (_, same), *_ = wrong.updates
    assert "underline" not in marked(same, same)


def widths(folder, path):
    """What the page wants in width, in windows of a phone and of a desk."""
    with browsing.chromium(folder / "browser") as browser:
        for width in (390, 1280):
            with browser.page(path.as_uri(), width) as shown:
                yield shown.value(browsing.WIDTH)


@pytest.mark.long
@pytest.mark.browser
@pytest.mark.skipif(shutil.which("chromium") is None, reason="no Chromium is installed")
def test_it_never_scrolls_sideways(tmp_path):
    found = check(first.sghmc_other_order, "sghmc")
    write_page(found, tmp_path / "check.html", AGAIN)
    assert list(widths(tmp_path, tmp_path / "check.html")) == [390, 1280]


def test_a_drawing_for_what_has_no_law(found):
    from reports.checkplots import shown

    o = found.outcomes[0]
    assert shown(SimpleNamespace(**{**vars(o), "expected": None}), "sgld") is None
    short = Measured(o.case.name, 9, np.zeros(3), np.eye(3))
    assert shown(SimpleNamespace(**{**vars(o), "measured": short}), "sgld") is None
