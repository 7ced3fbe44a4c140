"""Figure 6: the first samples of SGLD and pSGLD on targets of several widths, with several steps."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

from verification.experiments.job import Job
from verification.experiments.li2016psgld.figure1 import first_samples
from verification.experiments.li2016psgld.gaussian import (
    NAMES,
    PSGLD,
    SGLD,
    autocorrelation_time,
    exact,
    exact_time,
    samples,
)
from verification.experiments.record import (
    LAPTOP,
    PAPER,
    Experiment,
    Findings,
    Line,
    Plot,
    Setting,
    Shape,
    shape,
)

WIDTHS = ("1/2", "1", "2")
STEPS = ("1/10", "3/10")
FIRST = "4/25"
SHOWN = 600


def run(job: Job) -> Findings:
    """Clouds of 600 samples, and how many effective samples of the rescaled coordinate they are."""
    clouds = []
    for a in WIDTHS:
        for eps in STEPS:
            laws = {
                (s, eps): job.part(f"law {s} {eps} {a}", partial(exact, s, eps, (FIRST, a)))
                for s in NAMES
            }
            clouds.append(first_samples(job, eps, (FIRST, a), laws))
    times = {
        (s, eps, a): job.part(f"time {s} {eps} {a}", partial(time_of, job, s, eps, a))
        for s in NAMES for eps in STEPS for a in WIDTHS
    }  # fmt: skip
    return Findings(
        (*clouds, _effective(times)),
        shapes=_shapes(times),
        notes=(
            "Where V is at its mean a coordinate of variance a forgets $eps/(2*sqrt(a))$ in a step of"
            " pSGLD, and $eps/(2*a)$ in one of SGLD: rescaling the target changes both.",
        ),
    )


def time_of(job: Job, sampler: str, eps: str, a: str) -> float:
    """The second coordinate's autocorrelation time: exact for SGLD, measured for pSGLD."""
    if sampler == SGLD:
        return exact_time(eps, (FIRST, a))[1]
    x = samples(job, sampler, eps, (FIRST, a), job.size("runs"), job.size("samples"))
    return autocorrelation_time(x[:, :, 1])


def _effective(times: Any) -> Plot:
    x = tuple(float(Fraction(a)) for a in WIDTHS)
    lines = tuple(
        Line(
            f"{name} at step {float(Fraction(eps)):g}{', exact' if s == SGLD else ''}",
            x,
            tuple(SHOWN / (2 * times[s, eps, a]) for a in WIDTHS),
            kind="exact" if s == SGLD else "measured",
        )
        for s, name in NAMES.items()
        for eps in STEPS
    )
    title = f"Effective samples of the second coordinate among {SHOWN}"
    return Plot("effective", title, "a", "effective samples", lines)


def _shapes(times: Any) -> tuple[Shape, ...]:
    eps = STEPS[0]
    change = {s: times[s, eps, "2"] / times[s, eps, "1/2"] for s in NAMES}
    fewer = {a: SHOWN / (2 * times[SGLD, eps, a]) for a in ("1/2", "2")}
    return (
        shape(
            "SGLD at step 0.1 explores less of the target where a = 2",
            f"{fewer['1/2']:.1f} effective samples in {SHOWN} for a = 1/2, {fewer['2']:.1f} for a = 2",
            lambda n: n["2"] < n["1/2"] / 2,
            fewer,
            {"1/2": fewer["2"], "2": fewer["1/2"]},
            "the two exchanged",
        ),
        shape(
            "pSGLD's autocorrelation time changes less than SGLD's when a goes from 1/2 to 2",
            f"by a factor of {change[PSGLD]:.2f}, SGLD's by {change[SGLD]:.2f}",
            lambda c: c[PSGLD] < c[SGLD],
            change,
            {PSGLD: change[SGLD] + 1, SGLD: change[PSGLD]},
            "the two exchanged, and one more",
        ),
        shape(
            "pSGLD needs no new step: its autocorrelation time stays within a fifth",
            f"a factor of {change[PSGLD]:.2f}",
            lambda c: c < 1.2,
            change[PSGLD],
            change[SGLD],
            "SGLD's",
        ),
    )


EXPERIMENT = Experiment(
    name="li2016psgld.figure6",
    paper="li2016psgld",
    locator="Figure 6 (Appendix E)",
    claims=("fig6",),
    title="SGLD and pSGLD on Gaussians of several widths",
    settings=(
        Setting("target", "variances 0.16 and a", "appendix E"),
        Setting("samples", "the first 600", "appendix E"),
        Setting("a", "from 0.5 to 2", "appendix E", "1/2, 1 and 2"),
        Setting("step", "0.1", "appendix E", "0.1 and 0.3"),
        Setting("Gamma", "left out", "practical techniques"),
        Setting("alpha, lambda", "0.99, 1e-5", "defaults, before Algorithm 1"),
        Setting("all values of a and the step", "", "Fig. 6"),
        Setting("start", "", "appendix E", "(0.4, 1)"),
    ),
    scales={
        LAPTOP: {"runs": 64, "samples": 20_000},
        PAPER: {"runs": 64, "samples": 200_000},
    },
    changed="autocorrelation times from shorter runs; the figure itself is as printed.",
    run=run,
)
