"""What is told of a sampler whose fault has no name: what was measured, and what that leaves out."""

from __future__ import annotations

import numpy as np

from verification.checking.faults import scales
from verification.checking.faults.search import Evidence, fits_of
from verification.checking.faults.variant import Variant


def unknown(evidence: Evidence) -> tuple[str, str]:
    """Words and a formula: one factor in each case where that would do, else where the laws part."""
    for candidate in scales.factors(Variant.of(evidence.sampler)):
        fits = fits_of(evidence, candidate)
        if fits is not None:
            values = ", ".join(
                f"{f.values[0]:.4g} ({o.case.name})"
                for f, o in zip(fits, evidence.outcomes, strict=True)
            )
            what = candidate.name.removeprefix("factor on ")
            words = (
                f"No known fault has the law that was measured in all cases. A factor on {what}"
                f" that differs from case to case would explain it: {values}."
            )
            return words, f"{what}: {values}"
    return f"No known fault has the law that was measured. {where(evidence)}", ""


def where(evidence: Evidence) -> str:
    """Whether means or spreads deviate, from which step on, and the temperature that it looks like."""
    told = []
    means, spreads = (_deviating(evidence, kind) for kind in ("mean", "var"))
    if means and not spreads:
        told.append("Means deviate while variances agree: the drift moves, the noise does not.")
    if spreads and not means:
        told.append("Means agree and variances deviate: the noise is wrong, the drift is right.")
    first = [t for t in (_first_step(o) for o in evidence.outcomes) if t]
    if first:
        told.append(f"The first deviation is seen after step {min(first)}.")
    ratios = [temperature(o) for o in evidence.outcomes]
    shown = [f"{r:.3g} ({o.case.name})" for r, o in zip(ratios, evidence.outcomes, strict=True) if r]
    if shown:
        told.append("Variances over what they should be after the last step: " + ", ".join(shown) + ".")
    return " ".join(told)


def temperature(outcome: object) -> float:
    """The spread at the last step over what it should be: an effective temperature."""
    case, one, law = outcome.case, outcome.measured, outcome.expected  # type: ignore[attr-defined]
    last = slice(-case.D, None)
    should = float(np.trace(law.covariance[last, last]))
    return float(np.trace(one.covariance[last, last])) / should if should > 0 else 0.0


def _deviating(evidence: Evidence, kind: str) -> bool:
    return any(
        name.startswith(kind)
        for o in evidence.outcomes
        if o.comparison is not None
        for name in o.comparison.rejected
    )


def _first_step(outcome: object) -> int:
    """The first step at which a mean or a variance deviates; 0 where none does by itself."""
    case, comparison = outcome.case, outcome.comparison  # type: ignore[attr-defined]
    found = [
        t
        for t in case.times
        for name in comparison.rejected
        if name.startswith(("mean", "var")) and name.endswith(f"after {t} step" + "s" * (t > 1))
    ]
    return min(found, default=0)
