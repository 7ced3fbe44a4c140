"""Figures 1 and 2 and Table 1 of Mandt et al.: the pieces, each by a second route."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from sgtheory import law
from verification.experiments import perform
from verification.experiments.job import Job
from verification.experiments.mandt2017 import bbvi, figure2, readings, remarks, table1
from verification.experiments.mandt2017.readings import FORWARD, NEAREST, REVERSE, Reading, Tried
from verification.experiments.mandt2017.rows import Fits, exact, params
from verification.experiments.record import FAILED

TINY = {"chains": 128, "steps": 40, "fits": 4, "BBVI steps": 200, "BBVI minibatch": 100}


@pytest.fixture(scope="module")
def wine():
    return readings.local(readings.loaded("wine"), NEAREST)


@pytest.mark.parametrize("row", ["SGD", "SGD_d", "SGLD"])
def test_formulas_are_the_continuous_law(wine, row):
    problem = wine.quadratic().with_params(**params(row, wine))
    name = {"SGD": "sgd", "SGD_d": "sgd_diagonal", "SGLD": "sgld"}[row]
    other = law(name, problem, time="continuous").covariance["theta", "theta"]
    ours = readings.by_formulas(wine)[row]
    assert np.abs(ours - other).max() < 1e-9 * np.abs(other).max()
    assert np.abs(2 * ours - other).max() > 1e-9 * np.abs(other).max()


def test_the_full_gain_is_exact_in_continuous_time_and_not_at_its_step(wine):
    problem = wine.quadratic().with_params(**params("SGD_f", wine))
    assert law("sgd", problem, time="continuous").kl_to_posterior < 1e-9
    assert law("sgd", problem).kl_to_posterior > 1e-3


def test_rows_of_zeros_stay():
    scaled = readings.unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]]))
    assert scaled.tolist() == [[0.6, 0.8], [0.0, 0.0]]


def test_a_reading_whose_chain_diverges_is_infinitely_far():
    about = readings.local(readings.loaded("wine"), Reading("columns of variance 1"))
    assert readings.stable(about) == {"SGD": True, "SGD_d": True, "SGLD": False}
    assert readings.distance(about, REVERSE) == float("inf")
    assert not law("sgld", about.quadratic().with_params(eps=about.rate)).stable


def test_leaving_a_feature_out_is_for_the_protein_data():
    with_all, without = Reading("columns of variance 1"), Reading("columns of variance 1", left_out=0)
    found = readings.loaded("protein")
    assert (readings.read(found, with_all)[0].shape[1], readings.read(found, without)[0].shape[1]) == (
        9,
        8,
    )
    wine = readings.loaded("wine")
    assert readings.read(wine, without)[0].shape[1] == 11


def test_fits_are_the_moments_of_all_iterates():
    x = np.random.default_rng(1).standard_normal((128, 3, 2)) + 1.0
    fits, flat = Fits.of(x), x.reshape(-1, 2)
    assert np.allclose(fits.mean, flat.mean(0))
    assert np.allclose(fits.covariance, np.cov(flat.T, ddof=0))


def test_the_jackknife_takes_the_bias_of_a_divergence_away(wine):
    posterior = np.linalg.inv(wine.precision)
    rng = np.random.default_rng(2)
    raw, better = [], []
    for _ in range(8):
        states = rng.multivariate_normal(np.zeros(wine.D), posterior, (512, 1))
        fits = Fits.of(states)
        raw.append(wine.divergence(FORWARD, fits.covariance, fits.mean))
        found = fits.amount(lambda m, c: wine.divergence(FORWARD, c, m), 20)
        better.append(found.value)
        assert abs(found.value) <= found.error  # the divergence is 0
    bias = wine.D * (wine.D + 3) / 4 / 512
    assert abs(np.mean(raw) / bias - 1) < 0.2
    assert abs(np.mean(better)) < 0.1 * bias + 5 * np.std(better) / 8**0.5


P = np.array([[2.0, 0.8], [0.8, 1.0]])
MODE = np.array([0.3, -1.0])


def bound(mean, log_s):
    """The evidence bound of independent normals against a normal law, in closed form."""
    away = mean - MODE
    return -(away @ P @ away + np.diag(P) @ np.exp(2 * log_s)) / 2 + log_s.sum()


def test_reparametrised_gradients_are_those_of_the_bound():
    mean, log_s = np.array([0.1, 0.2]), np.array([-0.5, 0.4])
    z = np.array(list(product((-1.0, 1.0), repeat=2)))  # mean 0, covariance I: exact for a parabola
    q = bbvi.MeanField(mean, np.exp(log_s))
    by_mean, by_log = bbvi.bound_gradient(bbvi.of_normal(P, MODE), q, z, None)
    h = 1e-6
    for i, e in enumerate(np.eye(2) * h):
        assert abs((bound(mean + e, log_s) - bound(mean - e, log_s)) / (2 * h) - by_mean[i]) < 1e-8
        assert abs((bound(mean, log_s + e) - bound(mean, log_s - e)) / (2 * h) - by_log[i]) < 1e-8


class All:
    """Draws every example once."""

    def integers(self, low, high, size):
        return np.arange(low, high)


def test_logistic_gradients_are_those_of_the_log_posterior():
    rng = np.random.default_rng(3)
    X, y, point = rng.standard_normal((20, 2)), np.where(rng.random(20) > 0.4, 1.0, -1.0), np.ones(2)

    def log_posterior(x):
        return -np.log1p(np.exp(-y * (X @ x))).sum() - 0.5 * x @ x

    found = bbvi.of_logistic(X, y, 1.0, 20)(point[None], All())[0]
    for i, e in enumerate(np.eye(2) * 1e-6):
        assert abs((log_posterior(point + e) - log_posterior(point - e)) / 2e-6 - found[i]) < 1e-7


def test_independent_normals_end_at_the_inverse_of_the_diagonal():
    start = bbvi.MeanField(np.zeros(2), np.ones(2))
    found = bbvi.fit(bbvi.of_normal(P, MODE), start, np.random.default_rng(4), steps=2000, draws=32)
    assert np.abs(found.deviation**2 * np.diag(P) - 1).max() < 0.05
    assert np.abs(found.mean - MODE).max() < 0.05
    assert np.abs(found.deviation**2 / np.diag(np.linalg.inv(P)) - 1).max() > 0.2  # not the marginals


def test_the_printed_equation_of_sgld_is_solved_as_printed(wine):
    X, eps = remarks.printed_sgld(wine), float(wine.rate)
    left = wine.N / 2 * (wine.A @ X + X @ wine.A)
    right = np.eye(wine.D) + eps * wine.N / (2 * wine.S) * wine.C
    assert np.abs(left - right).max() < 1e-9
    by_update = readings.by_formulas(wine)["SGLD"]
    assert np.abs(wine.N / 2 * (wine.A @ by_update + by_update @ wine.A) - right).max() > 1e-3


def test_the_table_contradicts_the_formulas():
    about = readings.local(readings.loaded("protein"), NEAREST)
    tried = Tried(NEAREST, about, {FORWARD: 0.0, REVERSE: 0.0})
    skin = readings.local(readings.loaded("skin"), NEAREST)
    every = {"protein": [tried], "skin": [Tried(NEAREST, skin, {FORWARD: 0.0, REVERSE: 0.0})]}
    found = remarks.contradictions(every)
    assert [c.contradicts for c in found] == [True] * 5
    # the two rows by one formula are alike, whichever way the divergence is taken
    laws, ratio = readings.by_formulas(skin), found[0].by_formula
    for way in (FORWARD, REVERSE):
        one, other = (skin.divergence(way, laws[row]) for row in ("SGD_d", "SGD"))
        assert abs(one / other - ratio.value) <= ratio.error + 1e-12
    assert not replace(found[0], printed=ratio).contradicts
    best = readings.by_formulas(about)["BBVI"]
    bound = found[2].by_formula
    assert (
        about.divergence(FORWARD, best) < bound.value + bound.error
    )  # the bound holds where it is tried


def test_a_column_of_the_table_agrees_with_its_exact_laws(wine):
    job = Job("mandt2017.table1", "tiny", {**TINY, "chains": 512}, keep=False)
    cells = table1.cells_of(job, "wine")
    for cell in cells[:-1]:
        found = [cell.agreement(way, 40) for way in (FORWARD, REVERSE)]
        assert all(a.agrees for a in found)
    sgd, sgld = cells[0], cells[3]
    assert not sgd.measured[FORWARD].within(sgld.agreement(FORWARD, 40).exact)
    problem = readings.problem(readings.loaded("wine"), NEAREST, wine)
    assert sgd.limit == table1.divergences(exact("SGD", problem, wine))


def test_figure_2_at_a_tiny_scale():
    sizes = {"chains": 256, "steps": 1000}
    found = figure2.run(Job("mandt2017.figure2", "tiny", sizes, keep=False))
    assert all(a.agrees for a in found.agreements)
    assert not any(s.twin_holds for s in found.shapes)


@pytest.mark.long
def test_the_reading_that_is_used_is_the_nearest():
    every = {name: readings.tried(readings.loaded(name)) for name in readings.SETS}
    assert readings.ranked(every)[0][1] == NEAREST


@pytest.mark.long
@pytest.mark.parametrize("name", ["mandt2017.figure1", "mandt2017.figure2", "mandt2017.table1"])
def test_laptop_runs(name):
    result = perform(name, keep=False)
    assert result.word != FAILED
    assert not any(s.twin_holds for s in result.findings.shapes)
    assert not any(c.twin().agrees for c in result.findings.comparisons)
