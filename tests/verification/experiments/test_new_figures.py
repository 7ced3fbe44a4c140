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
from verification.experiments.new import (
    diagonal_loss,
    effective_samples,
    phase_diagram,
    temperatures,
    thermostat,
)

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
    assert "\nensembles,0.01333,1,\n" in figure.csv
    assert "#b3261e" in figure.svg


# -- diagonal gains -----------------------------------------------------------------------------------


def test_losses_by_another_route():
    found = diagonal_loss.losses("C", 0.9)
    curved, noise = (np.array([[2, r], [r, 0.5]]) for r in (0, 0.9))

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
    params = diagonal_loss.PARAMS["sgd_diagonal"]
    benches = {
        rho: Bench(registry.sampler("sgd_diagonal"), diagonal_loss.problem("C", rho, params))
        for rho in (0.4, 0.9)
    }
    best = {rho: diagonal_loss.best_diagonal(b, np.array([0.1, 0.4])) for rho, b in benches.items()}
    gains = {rho: tuple(np.exp(found.x)) for rho, found in best.items()}
    lopsided = {rho: diagonal_loss.is_lopsided(diagonal_loss.Losses(rho, {}, {}, gains[rho]))
                for rho in gains}  # fmt: skip
    assert lopsided == {0.4: False, 0.9: True}
    first, second = gains[0.9]
    exchanged = benches[0.9].divergence({"H": [second / 4, 4 * first]})
    assert exchanged == pytest.approx(best[0.9].value, rel=1e-9)
    alike = min(benches[0.9].divergence({"H": [h, 4 * h]}) for h in np.linspace(0.02, 0.2, 30))
    assert alike > 1.01 * best[0.9].value


@pytest.mark.long
def test_diagonal_loss(monkeypatch):
    monkeypatch.setattr(diagonal_loss, "FAMILIES", {"C": "C correlated"})
    check(small("diagonal_loss", curve=3, measured=2, chains=8192, steps=50))


# -- temperatures -------------------------------------------------------------------------------------


def matrices(name, h):
    """One step of (theta, v) as a matrix, and its noise, written down by hand; gamma = 10, S = 50."""
    one, none = np.eye(2), np.zeros((2, 2))
    if name == "sghmc":  # v is h times the velocity
        M = np.block([[one, one], [-(h**2) * 100 * A, (1 - 10 * h) * one]])
        Q = np.block([[none, none], [none, h**4 * 1e4 * C / 50 + 2 * 10 * h * h**2 * one]])
        return M, Q
    c = math.exp(-10 * h)
    kick, kicked = np.block([[one, none], [-h / 2 * 100 * A, one]]), h**2 / 4 * 1e4 * C / 50
    drift = np.block([[one, h / 2 * one], [none, one]])
    rub = np.block([[one, none], [none, c * one]])
    below = [np.block([[none, none], [none, noise]]) for noise in (kicked, (1 - c**2) * one)]
    M, Q = np.eye(4), np.zeros((4, 4))
    word = [(kick, below[0]), (drift, 0), (rub, below[1]), (drift, 0), (kick, below[0])]
    for step, noise in word:
        M, Q = step @ M, step @ Q @ step.T + noise
    return M, Q


@pytest.mark.parametrize(("name", "h"), [("sghmc", 0.02), ("underdamped:BAOAB", 0.08)])
def test_temperatures_by_another_route(name, h):
    M, Q = matrices(name, h)
    unit = h**2 if name == "sghmc" else 1

    def seen(P):
        return np.trace(P[2:, 2:]) / 2 / unit, 100 * np.sum(A * P[:2, :2]) / 2

    assert temperatures.stationary(name, h) == pytest.approx(seen(stein(M, Q)), rel=1e-8)
    later = np.zeros((4, 4))
    for _ in range(7):
        later = M @ later @ M.T + Q
    assert temperatures.after(name, h, 7) == pytest.approx(seen(later), rel=1e-8)


def nose_hoover(h, steps, chains, pulled=1.0):
    """The thermostat's balance in plain NumPy, averaged over all steps."""
    rng = np.random.default_rng(7)
    root = np.linalg.cholesky(C / 50)
    theta, v, xi = np.zeros((chains, 2)), rng.standard_normal((chains, 2)), np.full(chains, 10.0)
    start = [(theta * v).sum(1) / 2 / h - xi / h]
    total = np.zeros(chains)
    for _ in range(steps):
        total += 50 * np.einsum("ni,ij,nj->n", theta, A, theta) + pulled * xi * (theta * v).sum(1) / 2
        noise = rng.standard_normal((chains, 2)) @ root.T
        kick = -h * 100 * (theta @ A + noise) + math.sqrt(20 * h) * rng.standard_normal((chains, 2))
        v = (1 - h * xi)[:, None] * v + kick
        theta = theta + h * v
        xi = xi + h * ((v**2).sum(1) / 2 - 1)
    start.append((theta * v).sum(1) / 2 / h - xi / h)
    return (total + start[1] - start[0]) / steps


def test_the_balance_of_the_thermostat_holds_of_another_program():
    found = nose_hoover(0.025, 400, 2_000)
    assert abs(found.mean() - 1) < 6 * found.std() / len(found) ** 0.5
    wrong = nose_hoover(0.025, 400, 2_000, pulled=0.0)
    assert abs(wrong.mean() - 1) > 6 * wrong.std() / len(wrong) ** 0.5


@pytest.mark.long
def test_another_temperature_is_out_of_balance():
    hot = temperatures.problem("sgnht", 0.02).with_params(tau="11/10")
    size = {"chains": 1024, "steps": 500, "seed": 3, "device": "cpu", "intervals": 10}
    wrong = thermostat.temperatures(hot, **size)
    assert not any(a.agrees for a in temperatures.balances(0.02, wrong))


@pytest.mark.long
def test_temperatures(monkeypatch):
    monkeypatch.setattr(temperatures, "LINEAR", {"sghmc": "SGHMC"})
    sizes = {"chains": 4096, "steps": 50, "thermostats": 1024, "time": 10}
    check(small("temperatures", curve=4, measured=2, thermostat=1, **sizes))


# -- effective samples --------------------------------------------------------------------------------


def covariances(rate, injected, momentum=None, count=400):
    """Of the first coordinate: at lags 0 to count - 1, by powers of a matrix of all states."""
    noise = rate**2 * A / 10 + injected * np.eye(2)
    M, Q = np.eye(2) - rate * A, noise
    if momentum is not None:  # the velocity first, which then moves the position
        b, kick, kicked = momentum * np.eye(2), rate * (1 - momentum) * A, (1 - momentum) ** 2 * noise
        M = np.block([[np.eye(2) - kick, b], [-kick, b]])
        Q = np.block([[kicked, kicked], [kicked, kicked]])
    P = stein(M, Q)
    return np.array([(np.linalg.matrix_power(M, k) @ P)[0, 0] for k in range(count)])


@pytest.mark.parametrize(
    ("name", "others"), [("sgd", (0,)), ("sgld", (2 * 0.3 / 200,)), ("momentum", (0, 0.9))]
)
def test_effective_samples_by_another_route(name, others):
    each = covariances(0.3, *others)
    found = effective_samples.exact(name, 0.3)
    total = 2 * each.sum() - each[0]
    assert found.own == pytest.approx(20 * each[0] / total, rel=1e-8)
    assert found.worth == pytest.approx(np.linalg.inv(A)[0, 0] / 200 / (total / 20), rel=1e-8)
    lag = effective_samples.lags(name, 0.3)
    assert np.allclose(lag.exact, each[: len(lag.exact)], rtol=1e-8, atol=1e-15)
    assert abs(lag.partial / total - 1) < 1e-3


def test_means_over_a_pass_by_another_route():
    each = covariances(0.1, 0)
    found, lag = effective_samples.exact("iasg", 0.1), effective_samples.lags("iasg", 0.1)
    for k, value in enumerate(lag.exact):
        pairs = [each[abs(20 * k + i - j)] for i in range(20) for j in range(20)]
        assert value == pytest.approx(np.mean(pairs), rel=1e-8)
    assert found.variance == pytest.approx(lag.exact[0], rel=1e-9)
    assert lag.partial == pytest.approx(found.long_run, rel=1e-3)


def test_no_sampler_is_worth_more_than_one_sample_per_pass():
    for name in effective_samples.SAMPLERS:
        worth = [effective_samples.exact(name, rate).worth for rate in (0.05, 0.6)]
        assert all(w < 1 if name == "sgld" else w == pytest.approx(1, rel=1e-9) for w in worth)


@pytest.mark.long
def test_effective_samples(monkeypatch):
    monkeypatch.setattr(effective_samples, "SAMPLERS", {"sgd": "SGD", "iasg": "IASG"})
    found = small("effective_samples", curve=3, measured=1, least=0.5, chains=4096, samples=200)
    check(found)


def test_correlations_of_another_step_do_not_agree():
    about = experiment("new.effective_samples")
    sizes = {**about.scales["laptop"], "chains": 4096, "samples": 200}
    job, lag = Job(about.name, "laptop", sizes, keep=False), effective_samples.lags("sgd", 0.5)
    for rate, agrees in ((0.5, True), (0.4, False)):
        what = effective_samples.problem("sgd", rate)
        pair = effective_samples.measured(job, what, "sgd", lag, 1, 10)
        time = effective_samples.agreed("sgd", 0.5, pair)[0]
        assert time.agrees == agrees


@pytest.mark.long
@pytest.mark.parametrize("name", ["phase_diagram", "diagonal_loss", "temperatures", "effective_samples"])
def test_laptop_runs_agree_with_exact_theory(name):
    result = perform(f"new.{name}", keep=False)
    assert result.word == "new", [a for a in result.findings.agreements if not a.agrees]
