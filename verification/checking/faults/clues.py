"""What is told of a sampler whose fault has no name: what was measured, and what that leaves out."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from verification.checking.faults import scales
from verification.checking.faults.candidate import Candidate
from verification.checking.faults.edits import edits
from verification.checking.faults.fitting import FAR
from verification.checking.faults.search import Evidence, fits_of, worded
from verification.checking.faults.variant import Variant

_NEAREST, _LOOKED = 3, 24  # faults that are told of those that come near; those that are looked at
_SHORT = 1.15  # cost: of those that change one thing in every step


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
    told = [f"No known fault has the law that was measured. {where(evidence)}"]
    told += [*nearest(evidence), *(measured(o) for o in evidence.outcomes[:1])]
    return " ".join(told), ""


def nearest(evidence: Evidence, most: int = _NEAREST) -> Iterator[str]:
    """The single faults that come nearer than what is declared, each with what speaks against it."""
    cases = range(len(evidence.outcomes))
    declared = Candidate("declared", "", Variant.of(evidence.sampler))
    as_it_is = float(np.median([evidence.far(declared, k) for k in cases]))
    found = [c for c in edits(evidence.sampler) if c.kurtosis == 3 and c.cost <= _SHORT]
    looked = sorted(range(len(found)), key=lambda k: evidence.far(found[k], 0))[:_LOOKED]
    fars = {j: [evidence.far(found[j], k) for k in cases] for j in looked}
    near = [j for j in looked if float(np.median(fars[j])) < as_it_is]
    if not near:
        yield "No single fault that is known comes nearer to it than what is declared."
    for j in sorted(near, key=lambda j: float(np.median(fars[j])))[:most]:
        worst = max(cases, key=lambda k: fars[j][k])
        count = sum(far > FAR for far in fars[j])
        words = worded(evidence.sampler, found[j]).words.rstrip(".")
        yield (
            f"Near it comes: {words}. Against that speak {count} of {len(cases)} problems, most of"
            f" all {evidence.outcomes[worst].case.name}: an entry is off by {fars[j][worst]:.3g}"
            " standard errors."
        )


def measured(outcome: object) -> str:
    """The law of the first coordinate in a problem, after the first step and the last."""
    case, one, law = outcome.case, outcome.measured, outcome.expected  # type: ignore[attr-defined]
    told = []
    for k, time in ((0, case.times[0]), ((len(case.times) - 1) * case.D, case.times[-1])):
        told.append(
            f"after step {time} mean {one.mean[k]:.4g} (should be {law.mean[k]:.4g}) and variance"
            f" {one.covariance[k, k]:.4g} (should be {law.covariance[k, k]:.4g})"
        )
    return f"Measured in {case.name}: {', '.join(told)}."


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
        told.append(f"The first deviation is seen after step {min(first)}{_first_entry(evidence)}.")
    ratios = [temperature(o) for o in evidence.outcomes]
    shown = [f"{r:.3g} ({o.case.name})" for r, o in zip(ratios, evidence.outcomes, strict=True) if r]
    if shown:
        told.append("Variances over what they should be after the last step: " + ", ".join(shown) + ".")
    return " ".join(told)


def _first_entry(evidence: Evidence) -> str:
    """The moment and coordinate that deviate first, in the smallest problem: measured, and expected."""
    found = []
    for j, o in enumerate(evidence.outcomes):
        rejected = o.comparison.rejected if o.comparison is not None else ()
        for k, name in enumerate(o.expected.names):
            time = o.case.times[k // o.case.D]
            for kind, word, one, law in (
                ("mean", "mean", o.measured.mean, o.expected.mean),
                ("var", "variance", np.diag(o.measured.covariance), np.diag(o.expected.covariance)),
            ):
                if f"{kind} {name}" in rejected:
                    told = f", in the {word} of coordinate {k % o.case.D + 1} ({o.case.name}):"
                    found.append((time, j, k, f"{told} {one[k]:.4g}, should be {law[k]:.4g}"))
    return min(found)[-1] if found else ""


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
