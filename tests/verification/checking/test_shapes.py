"""Noise with the right mean and variance that is not normal is found; normal noise is not."""

import numpy as np
import pytest
from scipy import stats

from tests.verification.checking.bank import first as bank
from verification.checking import check
from verification.checking.cases import Law
from verification.checking.shapes import CELLS, shape_tests


@pytest.mark.parametrize("cell", CELLS, ids=lambda c: c.name)
def test_p_values_are_those_of_the_binomial_law(cell):
    chains = 2_000_000 if cell.probability < 1e-3 else 5_000
    rng = np.random.default_rng([1, len(cell.name)])
    usual = rng.standard_normal((chains, 1))
    k = int(cell.count(usual)[0])
    both = 2 * min(
        stats.binom.cdf(k, chains, cell.probability), stats.binom.sf(k - 1, chains, cell.probability)
    )
    assert cell.p_value(k, chains) == pytest.approx(min(both, 1), rel=1e-6)
    assert cell.p_value(k, chains) > 1e-4  # a right one is not rejected
    # the power at an effect is the share of rejections there: at no effect it is the level
    assert cell.power(0.0, chains, 0.01) == pytest.approx(0.01, rel=1e-6)


NOISES = {
    "laplace": lambda rng, shape: rng.laplace(scale=2**-0.5, size=shape),
    "uniform": lambda rng, shape: rng.uniform(-(3**0.5), 3**0.5, shape),
    "student": lambda rng, shape: rng.standard_t(5, shape) * 0.6**0.5,
    "signs": lambda rng, shape: rng.choice([-1.0, 1.0], shape),
    "skew": lambda rng, shape: rng.exponential(size=shape) - 1,
}


@pytest.mark.parametrize(
    "name", [n if n == "laplace" else pytest.param(n, marks=pytest.mark.long) for n in NOISES]
)
def test_noise_of_the_right_variance_is_found(name):
    def step(theta, gradient, rng, eps, N, H):
        noise = NOISES[name](rng, theta.shape) @ np.linalg.cholesky(H).T
        return theta - eps / 2 * N * gradient(theta) @ H + np.sqrt(eps) * noise

    found = check(step, "sgld", dimensions=(1, 2))
    assert found.verdict == "deviates"
    assert all(t.startswith("shape") for o in found.outcomes[:1] for t in o.comparison.rejected[:1])
    (one,) = found.diagnosis
    assert one.name == f"noise with {'lighter' if name in ('uniform', 'signs') else 'heavier'} tails"
    assert check(bank.sgld, "sgld", dimensions=(1,)).verdict == "conforms"


def test_what_does_not_vary_has_no_shape():
    law = Law(np.array([1.0, 0.0]), np.diag([0.0, 1.0]), ("still", "moving"))
    still = np.column_stack([np.ones(999), np.random.default_rng(0).standard_normal(999)])
    assert {t.name.split(":")[0] for t in shape_tests(still, law, 999)} == {"shape of moving"}
