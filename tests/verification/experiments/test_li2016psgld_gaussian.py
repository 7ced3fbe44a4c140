"""The Gaussian of pSGLD: exact laws by second routes."""

import numpy as np
import pytest

from verification.experiments import perform
from verification.experiments.job import Job
from verification.experiments.li2016psgld import figure1, gaussian


def test_sglds_law_is_that_of_two_autoregressions():
    """phi = 1 - eps/(2 s^2), variance eps/(1 - phi^2)."""
    for eps, step in (("1/10", 0.1), ("3/10", 0.3)):
        phi = 1 - step / 2 / np.array([0.16, 1.0])
        found = gaussian.exact(gaussian.SGLD, eps, figure1.TARGET)
        assert [a.value for a in found] == pytest.approx(step / (1 - phi**2), rel=1e-9)
        assert gaussian.exact_time(eps, figure1.TARGET) == pytest.approx(0.5 + phi / (1 - phi))
    assert gaussian.exact(gaussian.SGLD, "7/10", figure1.TARGET) is None


def test_the_limit_of_psgld_has_the_density_x_times_the_target():
    """Without lambda: E|x|^3/E|x| = 2 s^2; the target itself is rejected."""
    assert gaussian.limit(1.0) == pytest.approx(2, abs=1e-3)
    assert gaussian.limit(0.16) == pytest.approx(0.32, abs=1e-4)


def test_autocorrelation_times_of_autoregressions():
    """Within a tenth of one half plus phi/(1 - phi), and not of twice that."""
    source, phi = np.random.default_rng(1), 0.8
    x = np.empty((64, 4000))
    x[:, 0] = source.standard_normal(64)
    for k in range(1, 4000):
        x[:, k] = phi * x[:, k - 1] + 0.6 * source.standard_normal(64)
    assert gaussian.autocorrelation_time(x) == pytest.approx(4.5, rel=0.1)


def test_psgld_by_a_loop():
    """The kernels' variances after 40 steps are those of the printed update, in a plain loop."""
    job = Job("li2016psgld.figure1", "laptop", {}, keep=False)
    x = gaussian.samples(job, gaussian.PSGLD, "3/10", figure1.TARGET, 2048, 40)[:, -1]
    source, curvature = np.random.default_rng(2), np.array([6.25, 1.0])
    y, V = np.tile([0.4, 1.0], (2048, 1)), np.zeros((2048, 2))
    for _ in range(40):
        g = curvature * y
        V = 0.99 * V + 0.01 * g * g
        G = 1 / (1e-5 + np.sqrt(V))
        y = y - 0.15 * G * g + np.sqrt(0.3 * G) * source.standard_normal(y.shape)
    error = np.sqrt(x.var(0) ** 2 * 4 / 2048)
    assert np.all(abs(x.var(0) - y.var(0)) < 8 * error)
    assert not np.all(abs(2 * x.var(0) - y.var(0)) < 8 * error)


@pytest.mark.long
@pytest.mark.parametrize("name", ["li2016psgld.figure1", "li2016psgld.figure6"])
def test_the_laptop_run_agrees_with_the_exact_laws(name):
    """Every ensemble with its law, and every statement rejects its spoilt twin."""
    found = perform(name, keep=False).findings
    assert all(a.agrees for a in found.agreements)
    assert not any(s.twin_holds for s in found.shapes)
