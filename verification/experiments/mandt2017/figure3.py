"""Figure 3: iterates of constant SGD, and their averages over one pass, against the posterior."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from sgtheory import registry
from sgtheory.numbers import divergence
from sgtheory.numbers.numeric import law
from sgtheory.setting import Setting as Run
from verification.experiments.ensembles import BATCHES, FALSE_ALARM, interval
from verification.experiments.job import Job
from verification.experiments.mandt2017.artificial import SETTINGS, Artificial, artificial
from verification.experiments.record import (
    LAPTOP,
    PAPER,
    Agreement,
    Amount,
    Contradiction,
    Experiment,
    Findings,
    Heat,
    Line,
    Plot,
    Setting,
    Shape,
    shape,
)

RATE = "1/200"
PRINTED_STEPS = Amount(1e6, 0.0, "printed")


def run(job: Job) -> Findings:
    """One run for the figure, an ensemble against the exact law, and the window that is best."""
    made = artificial(job.rng("data"), job.size("N"), job.size("D"))
    N = len(made.X)
    found = law("sgd", made.problem(1, {"eps": RATE}), average=N).require_stable()
    assert found.average is not None
    iterates, averages = found.covariance["theta", "theta"], found.average.covariance
    seen = job.part("chains", partial(simulated, job, made))
    near = N * np.array(
        [0.85, 0.9, 0.95, 1, 1.05, 1.1, 1.15]
    )  # where the divergence has its sharp least
    far = np.geomspace(N / 100, 4 * N, job.size("lengths"))
    lengths = np.unique(np.rint((*far, *near)).astype(int))
    spread = job.part("windows", partial(divergences, made, lengths))
    panels = {
        "SGD's iterates": N * np.cov(seen["theta"][0].T),
        "posterior": N * made.posterior,
        "averages": N * np.cov(seen["m"][0].T),
        "averages, exact law": N * averages,
    }
    return Findings(
        (*_heats(panels), _windows(lengths, spread, N)),
        agreements=_agreements(seen, made, {"theta": iterates, "m": averages}),
        shapes=_shapes(seen, made, spread),
        contradictions=(_count(made),),
        data=(made.words,),
        notes=_notes(made, iterates, averages, spread),
    )


def simulated(job: Job, made: Artificial) -> dict[str, Any]:
    """Iterates and averages at the end of each window but the first, in which the start is forgotten."""
    from simulators.trace import trace

    problem, N = made.problem(1, {"eps": RATE}), len(made.X)
    setting = Run(registry.sampler("iasg", problem.params), problem.model)
    found = trace(
        setting, problem.values(setting.sampler), chains=job.size("chains"), device=job.device,
        steps=N * (job.size("windows") + 1), every=N, seed=job.seed,
    )  # fmt: skip
    return {name: found.states[name][:, 2:] for name in ("theta", "m")}


def divergences(made: Artificial, lengths: Any) -> dict[int, float]:
    """KL(law of the average || posterior) by the length of the window, by the exact law."""
    problem, found = made.problem(1, {"eps": RATE}), {}
    for length in map(int, lengths):
        average = law("sgd", problem, average=length).average
        assert average is not None
        none = np.zeros(len(made.mode))
        found[length] = divergence.kl_to(average.covariance, none, made.precision)
    return found


def resembles(ratios: Any, many: int) -> bool:
    """Whether all variances, as multiples of the posterior's, could be those of so many exact draws.

    >>> resembles([1.1, 0.9], 100), resembles([2.0], 100)
    (True, False)
    """
    from scipy.stats import chi2

    share = FALSE_ALARM / (2 * len(ratios))
    low, high = (chi2.ppf(p, many - 1) / (many - 1) for p in (share, 1 - share))
    return all(low < r < high for r in ratios)


def _multiples(samples: Any, made: Artificial) -> Any:
    return samples.var(0, ddof=1) / np.diag(made.posterior)


def _agreements(seen: Any, made: Artificial, exact: dict[str, Any]) -> tuple[Agreement, ...]:
    """Smallest and largest marginal variances, and the trace, of the ensemble and by the exact law."""

    def amounts(samples: Any) -> Any:
        about = samples - made.mode  # the law's mean, so nothing is lost in estimating it
        groups = np.array_split((about**2).mean(1), BATCHES)
        return np.array([g.mean(0) for g in groups])  # (batches, D)

    found, (least, most) = [], made.extremes
    words = {"theta": "SGD's iterates", "m": "averages"}
    for name, covariance in exact.items():
        each = amounts(seen[name])
        scale = np.diag(made.posterior)
        picks = {"smallest posterior variance": [least], "largest posterior variance": [most]}
        for label, which in {**picks, "all directions": range(len(scale))}.items():
            which = list(which)
            measured = interval((each[:, which] / scale[which]).mean(1), 6)
            value = float((np.diag(covariance)[which] / scale[which]).mean())
            what = f"{words[name]}, multiple of the posterior's variance, {label}"
            found.append(Agreement(what, measured, Amount(value, 1e-9 * value, "certified")))
    return tuple(found)


def _shapes(seen: Any, made: Artificial, spread: dict[int, float]) -> tuple[Shape, ...]:
    averages, iterates = (_multiples(seen[k][0], made) for k in ("m", "theta"))
    many, N = seen["m"].shape[1], len(made.X)
    best = min(spread, key=lambda k: spread[k])
    return (
        shape(
            "the covariance of the averages resembles the posterior's",
            f"variances {averages.min():.3g} to {averages.max():.3g} times the posterior's, from"
            f" {many} averages",
            lambda ratios: resembles(ratios, many),
            averages,
            iterates,
            f"SGD's iterates, {iterates.min():.3g} to {iterates.max():.3g} times",
        ),
        shape(
            "no window has half of the divergence that one pass has",
            f"{spread[N]:.2g} for one pass, {spread[best]:.2g} for {best:,} steps",
            lambda length: min(spread.values()) > spread[length] / 2,
            N,
            min(spread),
            f"{min(spread):,} steps in the place of one pass",
        ),
    )


def _count(made: Artificial) -> Contradiction:
    N, D = made.X.shape
    words = f"10 D N is {10 * D * N:,} steps: {10 * D} averages of {N:,} steps."
    formula = Amount(10.0 * D * N, 0.0, "exact")
    printed = PRINTED_STEPS if (N, D) == (10_000, 10) else formula
    return Contradiction("section 7.2, 10 D N iterations", words, formula, printed)


def _notes(made: Artificial, iterates: Any, averages: Any, spread: Any) -> tuple[str, ...]:
    N, D = made.X.shape
    eps, scale = 1 / 200, np.diag(made.posterior)
    rates = np.linalg.eigvalsh(made.precision / N)
    x = eps * N * rates
    eq34 = 1 + np.expm1(-x) / x
    ratio = np.diag(averages) / scale
    off = made.posterior - np.diag(scale)
    return (
        f"Eq. 29 asks for T much larger than 1/eps: here eps T = {eps * N:.3g}. Section 6.2's window"
        f" condition holds for c up to {eps * N * rates.min():.3g}.",
        f"Eq. 34 says {eq34.min():.3f} to {eq34.max():.3f} times the posterior's variance; the exact law"
        f" with real minibatches, whose noise grows with the distance from the mode, says"
        f" {ratio.min():.3f} to {ratio.max():.3f}.",
        f"Eq. 32 says {eps / 2:.3g} for the iterates' variance; the exact law says"
        f" {np.diag(iterates).min():.4g} to {np.diag(iterates).max():.4g}.",
        f"Covariates with unit covariance leave little to see: the posterior's largest correlation is"
        f" {np.abs(off).max() / scale.mean():.2g}, and a covariance from {10 * D} averages has errors of"
        f" {(10 * D) ** -0.5:.2g}.",
    )


def _heats(panels: dict[str, Any]) -> tuple[Heat, ...]:
    as_rows = {k: tuple(tuple(map(float, row)) for row in m) for k, m in panels.items()}
    first = "SGD's iterates"
    rest = {k: m for k, m in as_rows.items() if k != first}
    return (
        Heat("iterates", "N times the covariance of SGD's iterates, one run", {first: as_rows[first]}),
        Heat("averages", "N times the covariance: posterior, averages of one run, exact law", rest),
    )


def _windows(lengths: Any, spread: dict[int, float], N: int) -> Plot:
    x = tuple(float(k) for k in lengths)
    return Plot(
        "windows",
        "KL divergence of the average's law from the posterior, by the length of the window",
        "window in steps",
        "KL divergence",
        (
            Line("exact law", x, tuple(spread[int(k)] for k in lengths), kind="exact"),
            Line("one pass, N/S", (float(N),), (spread[N],)),
        ),
        log_x=True,
        log_y=True,
    )


EXPERIMENT = Experiment(
    name="mandt2017.figure3",
    paper="mandt2017",
    locator="Figure 3",
    claims=("fig3.iterations", "fig3.window", "fig3.stable", "fig3"),
    title="Averages of SGD's iterates over one pass",
    settings=(
        *SETTINGS,
        Setting("minibatch", "1", "section 7.2, first experiment", "drawn with replacement"),
        Setting("learning rate", "0.005", "section 7.2, first experiment"),
        Setting("window", "10,000 steps", "section 7.2, first experiment"),
        Setting("steps", "1,000,000", "section 7.2, first experiment", "and one window more, left out"),
        Setting("start", "", "", "the posterior's mode"),
    ),
    scales={
        LAPTOP: {"N": 10_000, "D": 10, "windows": 100, "chains": 64, "lengths": 12},
        PAPER: {"N": 10_000, "D": 10, "windows": 100, "chains": 1024, "lengths": 24},
    },
    changed="nothing but fewer runs in the ensemble; the figure is one run of the printed length.",
    run=run,
)
