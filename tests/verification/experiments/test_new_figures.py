"""Figures that no paper has: their exact numbers by a second route, and small runs."""

import math
from dataclasses import replace

import numpy as np
import pytest

from reports.drawn import drawn
from sgtheory import registry
from sgtheory.tuning.bench import Bench
from verification.experiments import Job, experiment, perform
from verification.experiments.divergences import bias, estimate, generating, measured_divergence, reach
from verification.experiments.new import diagonal_loss, phase_diagram

A = np.array([[2, 1], [1, 1.5]])
C = np.array([[1, 0.25], [0.25, 2]])


def stein(M, Q):
    """The P with P = M P M^T + Q, as one linear system of its entries."""
    n = len(M)
    return np.linalg.solve(np.eye(n * n) - np.kron(M, M), Q.ravel()).reshape(n, n)


def divergence(P, J):
    """KL between centred normal laws, by the eigenvalues of both matrices together."""
    ratios = np.linalg.eigvals(J @ P).real
    return float((ratios - 1 - np.log(ratios)).sum() / 2)


def small(name, **sizes):
    """An experiment at small sizes."""
    about = experiment(f"new.{name}")
    return about.run(Job(about.name, "laptop", {**about.scales["laptop"], **sizes}, keep=False))


def check(found):
    """All agree, and not all do with numbers that are off by half."""
    assert found.agreements
    assert all(a.agrees for a in found.agreements)
    wrong = [replace(a, exact=replace(a.exact, value=1.5 * a.exact.value)) for a in found.agreements]
    assert not all(a.agrees for a in wrong)


# -- divergences of ensembles -------------------------------------------------------------------------

P, J = np.array([[2, 0.5], [0.5, 1]]), np.array([[1, -0.2], [-0.2, 0.7]])


def drawn_estimates(n, draws):
    x = np.random.default_rng(3).standard_normal((draws, n, 2)) @ np.linalg.cholesky(P).T
    return np.array([estimate(S, J, n) for S in np.einsum("kni,knj->kij", x, x) / n])


def test_estimates_have_no_bias_and_the_generating_function_of_draws():
    n = 20
    found = drawn_estimates(n, 20_000)
    away = found - divergence(P, J)
    error = 6 * away.std() / len(away) ** 0.5
    assert abs(away.mean()) < error < bias(2, n)  # so that the bias would be seen
    log = generating(np.linalg.eigvals(J @ P), n)
    for s in (-4.0, 2.0):
        each = np.exp(s * away)
        assert abs(each.mean() - math.exp(log(s))) < 6 * each.std() / len(each) ** 0.5


def test_estimates_stay_within_reach():
    away = abs(drawn_estimates(20, 20_000) - divergence(P, J))
    for level in (0.1, 0.01):
        assert (away > reach(P, J, 20, level)).mean() < level
        assert (away > reach(P, J, 20, level) / 3).mean() > level


def test_an_ensemble_of_another_step_is_out_of_reach():
    right, other = phase_diagram.problem(0.1, 10), phase_diagram.problem(0.11, 10)
    size = {"chains": 65_536, "steps": 60, "seed": 1, "device": "cpu", "intervals": 1}
    (found, exact), (wrong, _) = (measured_divergence("sgd", p, **size) for p in (right, other))
    assert found.within(exact)
    assert not wrong.within(exact)


# -- phase diagram ------------------------------------------------------------------------------------


def test_the_grid_is_the_law_of_every_size_by_itself():
    steps, sizes = np.array([0.05, 0.3, 0.8]), np.array([4.0, 50.0])
    found = phase_diagram.grid(steps, sizes)
    for i, S in enumerate(sizes):
        for j, e in enumerate(steps[:2]):
            cov = stein(np.eye(2) - e * A, e**2 * C / S)
            to, back = divergence(cov, 100 * A), divergence(np.linalg.inv(100 * A), np.linalg.inv(cov))
            for name, value in ((phase_diagram.TO, to), (phase_diagram.FROM, back)):
                assert found[name][i][j] == pytest.approx(math.log10(value), abs=1e-9)
        assert math.isnan(found[phase_diagram.TO][i][2])  # beyond the border
    assert phase_diagram.border() == pytest.approx(2 / np.linalg.eigvalsh(A)[-1])


def test_the_best_step_is_better_than_those_beside_it():
    for S in (1, 40):
        printed, best = phase_diagram.advised(S)
        assert printed == pytest.approx(2 * 2 * S / (100 * np.trace(C)))

        def at(e, S=S):
            return divergence(stein(np.eye(2) - e * A, e**2 * C / S), 100 * A)

        assert at(best) < min(at(0.999 * best), at(1.001 * best), at(printed))


def test_phase_diagram():
    found = small("phase_diagram", across=5, up=3, tuned=2, measured=2, chains=8192)
    check(found)
    figure = drawn(found.plots[0])
    assert "best step" in figure.alt
    assert "\nensembles,0.01333,1.0,\n" in figure.csv
    assert figure.svg.count("#b3261e") > drawn(replace(found.plots[0], lines=())).svg.count("#b3261e")


# -- diagonal gains -----------------------------------------------------------------------------------


@pytest.mark.parametrize("family", diagonal_loss.FAMILIES)
def test_losses_by_another_route(family):
    rho = 0.9
    found = diagonal_loss.losses(family, rho)
    curved, noise = (
        np.array([[2, r], [r, 0.5]]) for r in (rho * (family != "C"), rho * (family != "A"))
    )

    def at(H, extra=0.0):
        Q = H @ (noise / 10 + extra * np.eye(2)) @ H
        return divergence(stein(np.eye(2) - H @ curved, Q), 100 * curved)

    sgd = np.diag(0.2 / np.diag(noise))
    fisher = np.diag(0.02 / (np.diag(noise) / 10 + 0.16))
    assert found.of["sgd_diagonal printed"] == pytest.approx(at(sgd), rel=1e-8)
    assert found.of["sgfs_diagonal printed"] == pytest.approx(at(fisher, 0.16), rel=1e-8)
    best = np.diag(found.best)
    assert found.of["sgd_diagonal best"] == pytest.approx(at(best), rel=1e-8)
    around = [np.diag(np.exp(0.01 * np.array([math.cos(t), math.sin(t)]))) for t in range(7)]
    assert at(best) < min(at(best @ m) for m in around)
    assert at(best) < at(sgd)


def test_between_two_best_gains_is_a_saddle():
    found = diagonal_loss.losses("C", 0.9)
    assert diagonal_loss.is_lopsided(found)
    assert not diagonal_loss.is_lopsided(diagonal_loss.losses("C", 0.4))
    bench = Bench(registry.sampler("sgd_diagonal"),
                  diagonal_loss.problem("C", 0.9, diagonal_loss.PARAMS["sgd_diagonal"]))  # fmt: skip
    exchanged = {"H": [found.best[1] / 4, 4 * found.best[0]]}
    assert bench.divergence(exchanged) == pytest.approx(found.of["sgd_diagonal best"], rel=1e-9)
    alike = min(bench.divergence({"H": [h, 4 * h]}) for h in np.linspace(0.02, 0.2, 60))
    assert alike > 1.01 * found.of["sgd_diagonal best"]


def test_diagonal_loss(monkeypatch):
    monkeypatch.setattr(diagonal_loss, "FAMILIES", {"C": "C correlated"})
    check(small("diagonal_loss", curve=3, measured=2, chains=8192, steps=50))


@pytest.mark.long
@pytest.mark.parametrize("name", ["phase_diagram", "diagonal_loss"])
def test_laptop_runs_agree_with_exact_theory(name):
    result = perform(f"new.{name}", keep=False)
    assert result.word == "new", [a for a in result.findings.agreements if not a.agrees]
