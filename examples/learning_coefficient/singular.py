"""Local learning coefficients of five singular losses with known answers: foretold, and measured.

    python singular.py

The coefficients are those of algebraic geometry: 1/(2k) of w^(2k); 1/2 of (w1 w2)^2, whose two valleys
cross (multiplicity 2, so that an estimate comes near it like 1 over a logarithm); 1/2 + 1/4 of a sum in
separate letters; 1/2 of a linear network of two layers with two hidden units whose target is zero, of
which four weights are used where one would do. Measured are plain NumPy chains that know no toolkit.
"""

import numpy as np

from sgtheory.operator import local_coefficient

LOSSES = (
    ("w1**4", 1 / 4, {"nbeta": 100, "gamma": 0}, lambda w: w[0] ** 4, lambda w: [4 * w[0] ** 3]),
    ("w1**6", 1 / 6, {"nbeta": 100, "gamma": 0}, lambda w: w[0] ** 6, lambda w: [6 * w[0] ** 5]),
    ("w1**2 + w2**4", 3 / 4, {"nbeta": 50, "gamma": 1}, lambda w: w[0] ** 2 + w[1] ** 4,
     lambda w: [2 * w[0], 4 * w[1] ** 3]),
    ("(w1*w2)**2", 1 / 2, {"nbeta": 50, "gamma": 5}, lambda w: (w[0] * w[1]) ** 2,
     lambda w: [2 * w[0] * w[1] ** 2, 2 * w[0] ** 2 * w[1]]),
    ("(w1*w3 + w2*w4)**2", 1 / 2, {"nbeta": 50, "gamma": 5}, lambda w: (w[0] * w[2] + w[1] * w[3]) ** 2,
     lambda w: [2 * (w[0] * w[2] + w[1] * w[3]) * w[k] for k in (2, 3, 0, 1)]),
)  # fmt: skip


def measured(loss, slope, letters, eps, nbeta, gamma, chains=4000, warm=3000, draws=600, seed=1):
    """N beta times the mean loss of plain chains, its standard error, and how many chains ran away."""
    rng, w, total = np.random.default_rng(seed), np.zeros((letters, chains)), np.zeros(chains)
    for k in range(warm + draws):
        w = np.where(np.abs(w).max(axis=0) < 1e3, w, np.nan)  # such chains never come back
        w = w - eps / 2 * (nbeta * np.array(slope(w)) + gamma * w)
        w += np.sqrt(eps) * rng.standard_normal(w.shape)
        total += loss(w) * (k >= warm)
    each = nbeta * total[np.isfinite(total)] / draws
    return each.mean(), each.std(ddof=1) / np.sqrt(len(each)), chains - len(each)


def rows(steps=(2e-3, 1e-2)):
    """Of every loss at every step: the truth, what is foretold, and what is measured."""
    for text, truth, numbers, loss, slope in LOSSES:
        for eps in steps:
            told = local_coefficient(text, eps=eps, **numbers)
            letters = 1 + max(k for k in range(4) if f"w{k + 1}" in text)
            seen = measured(loss, slope, letters, eps, **numbers)
            yield text, truth, eps, told.localised, told.settled, told.error, *seen


def main():
    """A table."""
    print("loss                 truth   step  no step  foretold          measured")
    for text, truth, eps, localised, settled, error, mean, spread, away in rows():
        free = "   –   " if localised is None else f"{localised:.4f} "
        print(f"{text:19s} {truth:6.4f}  {eps:.3f}  {free}  {settled:.4f} ± {error:.0e}"
              f"  {mean:.4f} ± {spread:.0e}" + (f", {away} ran away" if away else ""))  # fmt: skip


if __name__ == "__main__":
    main()
