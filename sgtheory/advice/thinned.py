"""A question in many dimensions as a search sees it: along some modes that stand for all.

Modes hardly see one another, so the error over all coordinates is a weighted mean of errors of modes.
They are taken at equal shares of these weights, as nodes of a quadrature. What is told of a place that
was found is always of all modes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from sgtheory.advice.caring import Care
from sgtheory.advice.posed import Truth
from sgtheory.numbers.modes import Modes
from sgtheory.onestep.full import Array

MOST, ALL = 60, 120  # modes that are looked at, and dimensions up to which all are


@dataclass(frozen=True, eq=False)
class Thinned:
    """Places of modes, and the question and its truth along them."""

    places: Array
    care: Care
    truth: Truth

    @classmethod
    def of(cls, modes: Modes, care: Care, truth: Truth) -> Thinned | None:
        """None where all modes are looked at."""
        d, _ = modes.size
        if d <= ALL or care.what in ("quadratic", "kl"):  # a divergence sees all pairs of modes
            return None
        at = [s.name for s in modes.form.states].index("theta")
        inverse = modes.inverses[at]
        variances = ((inverse @ truth.covariance) * inverse).sum(axis=1)
        if care.what in ("worst", "coefficient"):  # of directions or sums, whatever coordinates
            along, weights = np.eye(d), np.ones(d)
        else:
            along = care.of @ modes.bases[at]
            scales = ((care.of @ truth.covariance) * care.of).sum(axis=1)
            scales = np.ones(len(scales)) if care.what == "predictive" else scales
            weights = variances * (along**2 / scales[:, None]).sum(axis=0)
        total = np.cumsum(weights)
        middles = (np.arange(MOST) + 0.5) / MOST * total[-1]
        places = np.searchsorted(total, middles)
        if care.what == "worst":  # it is at an end more often than not
            places[0], places[-1] = 0, d - 1
        some = variances[places]
        if care.given:  # one row, its square over the posterior's variances alike at all places
            signs = np.where(along[0, places] < 0, -1, 1)
            of = (signs * np.sqrt(total[-1] / MOST / some) * np.sqrt(scales[0]))[None]
        elif care.what == "predictive":
            of = np.diag(1 / np.sqrt(some))
        else:
            of = np.eye(MOST)
        return cls(places, replace(care, of=of, centre=np.zeros(MOST)), Truth(np.diag(some)))
