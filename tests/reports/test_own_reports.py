"""Reports of files of the user's own: their claims, the samplers of these, and nothing else."""

import json
import re

import pytest

from reports.build import Order, build
from reports.pages.sampler import example, sampler_page
from sgtheory import law, load
from sgtheory.errors import UnusableInput
from sgtheory.problem import Problem
from verification.library import select

SAMPLER = '''"""Momentum in letters of its own: as we have it."""

from sympy import exp, sqrt

from sgtheory.declare import Card, Sampler, gradient, normal, positive, state

theta, v = state("theta v")
xi = normal("xi")
T, lam, E, q = positive("T lambda E in")

MINE = Sampler(
    state=(theta, v),
    noises=(xi,),
    updates=(
        (v, exp(-lam * T) * v - T * gradient(theta) + sqrt(T * E) * xi),
        (theta, theta + T * q * v),
    ),
    given=(lam < 1, q <= 1),
    convention=Card(loss="mean", drift="T"),
)
'''
PLAIN = '''"""Descent."""

from sgtheory.declare import Card, Sampler, gradient, positive, state
from verification.statements import Printed
from verification.statements.stationary import StationaryLaw
from verification.notation import A, C, S, Sigma

theta, rate = state("theta"), positive("rate")
PLAIN = Sampler((theta,), ((theta, theta - rate * gradient(theta)),), Card(loss="mean", drift="rate"))

eq1 = StationaryLaw(
    "eq1", at="Eq. 1", title="Law", says="An equation.", of=PLAIN, time="discrete",
    printed=(Printed(Sigma * A + A * Sigma - rate * A * Sigma * A, rate * C / S),),
)
'''


def read(folder, slug):
    return (folder / f"{slug}.html").read_text("utf-8")


def reported(folder, file, name="out"):
    return build(Order(select((str(file),)), alone=True), folder / name, seed=1, budget="quick")


@pytest.mark.strong
def test_a_report_of_ones_own_has_its_claims_and_the_sampler_that_they_speak_of(tmp_path):
    file, out = tmp_path / "mine.py", tmp_path / "out"
    file.write_text(PLAIN)
    done = reported(tmp_path, file)
    assert not done.faults
    pages = {p.stem for p in out.glob("*.html")}
    own = {"mine.eq1", "paper-mine", "errata-mine", "sampler-mine.py-PLAIN"}
    assert pages == {"index", "gallery", "words", *own}
    for slug in pages:  # what is not here is words
        for to in re.findall(r'href="([^"#:]+\.html)', read(out, slug)):
            assert (out / to).exists(), (slug, to)
    assert 'href="sampler-mine.py-PLAIN.html"' in read(out, "mine.eq1")
    before = read(out, "sampler-mine.py-PLAIN")
    # a sampler that was changed has a new page, and its claim another verdict
    assert "proved" in read(out, "mine.eq1")
    file.write_text(PLAIN.replace("theta - rate * gradient", "theta - rate / 2 * gradient"))
    again = reported(tmp_path, file)
    assert not again.faults
    assert [made.row.word for made in again.found] == ["refuted"]
    assert read(out, "sampler-mine.py-PLAIN") != before


@pytest.mark.strong
def test_a_page_of_a_sampler_in_odd_letters_has_plots_where_it_is_stable(tmp_path):
    (tmp_path / "odd.py").write_text(SAMPLER)
    sampler = load(str(tmp_path / "odd.py"))
    problem = Problem.of(json.loads(example(sampler)))
    exact = law(sampler, problem)
    assert exact.stable
    page = sampler_page(sampler)
    names = {b.name for b in page.blocks if hasattr(b, "svg")}
    assert {"stability", "bias"} <= names
    stability = next(b for b in page.blocks if getattr(b, "name", "") == "stability")
    assert _radii_are_those_of_the_law(stability, sampler, problem)


def _radii_are_those_of_the_law(figure, sampler, problem):
    """The table beside the plot, at a curvature of one and the parameters of the example."""
    rows = [line.split(",") for line in figure.csv.strip().splitlines()]
    header, *values = rows
    assert header[0] == "T"
    other = header[1]
    content = {
        "hessian": [[1]], "noise": [[1]], "N": 40, "S": 4,
        "params": {n: str(x) for n, x in problem.params.items()},
    }  # fmt: skip
    seen = 0
    for step, share, radius in values[::40]:
        params = {**content["params"], "T": step, other: share}
        try:
            exact = law(sampler, Problem.of({**content, "params": params}))
        except UnusableInput:  # what is given does not hold there
            continue
        seen += 1
        assert exact.spectral_radius == pytest.approx(float(radius), rel=1e-6)
    return seen
