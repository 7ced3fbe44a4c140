"""Distances of normal laws: their numbers, what one mode adds, and what texts say of them."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import sympy as sp
from scipy import integrate, linalg, stats

from sgtheory.modepairs.pairs import LI
from verification.judging.judge import Plan, found
from verification.refuter.conditions import OneDimensional
from verification.terms.comparing import nearly
from verification.terms.gaussians import TotalVariation
from verification.terms.term import Applied, Name, term
from verification.texts import read
from verification.theories.matrices import reader

h = sp.Symbol("h", positive=True)
HEAD = """# Notes

| letter | kind | what it is |
| --- | --- | --- |
| h | positive | step size |
| T | positive | temperature |

```sampler lmc_of_the_text
xi ~ N(0, I)
theta' = theta - h grad(theta) + sqrt(2 h T) xi
```

```sampler averaged_noise
xi ~ N(0, I)
theta' = theta - h grad(theta) + sqrt(h T/2) (z + xi)
z' = xi
```

Sampler: lmc_of_the_text, in discrete time.

"""
TARGET = "N(0, T A^{-1})"
SAID = (
    (f"W_2(q, {TARGET}) = h/4 sqrt(T tr(A))", "limit-only"),
    (f"W_2(q, {TARGET}) >= h/4 sqrt(T tr(A))", "proved"),
    (f"W_2(q, {TARGET}) <= h/4 sqrt(T tr(A))", "refuted"),
    (f"W_2(q, {TARGET}) = h/4 sqrt(T tr(A)) + O(h^2)", "proved"),
    (f"W_2(q, {TARGET}) = h/3 sqrt(T tr(A)) + O(h^2)", "refuted"),
    (f"KL(q || {TARGET}) = h^2/16 tr(A^2)", "limit-only"),
    (f"If D = 1, then TV(q, {TARGET}) = h A/(2 sqrt(2 pi e))", "limit-only"),
    (f"If D = 1, then TV(q, {TARGET}) = h A/(2 sqrt(2 pi e)) + O(h^2)", "proved"),
    (f"If D = 1, then TV(q, {TARGET}) = h A/(2 sqrt(pi e)) + O(h^2)", "refuted"),
)


def _laws(V, W):
    rows = [tuple(tuple(Fraction(x) for x in row) for row in X) for X in (V, W)]
    V, W = (term(x) for x in _letters())
    return (V, Name("V"), W, Name("W")), dict(zip("VW", rows, strict=True))


def _letters():
    from verification.terms.term import letter

    return letter("V", "matrix"), letter("W", "matrix")


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_wasserstein_distance_is_that_of_its_formula_in_roots(seed):
    source = np.random.default_rng(seed)
    V, W = (x @ x.T + np.eye(2, dtype=int) for x in source.integers(-3, 4, (2, 2, 2)))
    parts, place = _laws(V.tolist(), W.tolist())
    root = np.real(linalg.sqrtm(V))
    wanted = np.trace(V + W - 2 * np.real(linalg.sqrtm(root @ W @ root)))
    assert float(nearly(Applied("normal_W2", parts), place)) ** 2 == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize(("v", "w"), [(2, 1), (1, 5)])
def test_the_total_variation_distance_is_half_an_integral(v, w):
    parts, place = _laws([[v]], [[w]])
    laws = [stats.norm(scale=x**0.5).pdf for x in (v, w)]
    wanted = integrate.quad(lambda x: abs(laws[0](x) - laws[1](x)) / 2, -40, 40, limit=400)[0]
    assert float(nearly(Applied("normal_TV", parts), place)) == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize(("w", "known"), [(1 + h * LI / 2, True), (1 + (h * LI) ** 2, False)])
def test_which_law_is_wider_near_zero_is_not_told_of_every_step(w, known):
    known_of = None, "discrete", (OneDimensional(()),), {}
    distance = reader._MADE[TotalVariation]
    near = distance(1 + h * LI, w, reader.Reader(*known_of, h))
    assert near.subs({h: 0.1, LI: 1}) > 0
    if known:
        everywhere = distance(1 + h * LI, w, reader.Reader(*known_of))
        assert everywhere.subs({h: 3.0, LI: 1}) > 0
    else:  # the second is the wider one from h l = 1 on
        with pytest.raises(reader.NoFormula):
            distance(1 + h * LI, w, reader.Reader(*known_of))


def _judged(tmp_path, body):
    path = Path(tmp_path, "notes.md")
    path.write_text(HEAD + body)
    (one,) = read(path).read
    return one.claim


@pytest.mark.strong
@pytest.mark.parametrize(("said", "word"), SAID, ids=[s for s, _ in SAID])
def test_distances_from_the_target_are_judged_in_a_text(tmp_path, said, word):
    finding = found(_judged(tmp_path, f"**Claim 1**. {said}."), Plan("quick", "cpu", 1, 1e-6)).finding
    assert finding.verdict == word


@pytest.mark.strong
def test_a_wrong_number_is_mended_by_the_formula(tmp_path):
    claim = _judged(tmp_path, f"**Claim 1**. W_2(q, {TARGET}) = h/2 sqrt(T tr(A)).")
    finding = found(claim, Plan("quick", "cpu", 1, 1e-6)).finding
    assert finding.verdict == "refuted"
    assert finding.corrected is not None
    assert finding.corrected.verdict == "proved"


@pytest.mark.strong
def test_a_sampler_that_is_exact_is_no_distance_away(tmp_path):
    body = f"Sampler: averaged_noise, in discrete time.\n\n**Claim 1**. W_2(q, {TARGET}) = 0."
    finding = found(_judged(tmp_path, body), Plan("quick", "cpu", 1, 1e-6)).finding
    assert finding.verdict == "proved"
