"""What a diagonal gain costs where curvature and noise are not diagonal: printed rules, and the best."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from sgtheory import registry
from sgtheory.onestep.full import Array
from sgtheory.problem import Problem
from sgtheory.tuning import tune
from sgtheory.tuning.bench import Bench
from sgtheory.tuning.choose import printed
from sgtheory.tuning.minimum import Minimum, below_saddles, newton
from verification.experiments.divergences import measured_divergence
from verification.experiments.job import Job
from verification.experiments.record import (
    LAPTOP,
    PAPER,
    Agreement,
    Amount,
    Experiment,
    Findings,
    Line,
    Plot,
    Setting,
)

FAMILIES = {
    "A": "A correlated, C diagonal",
    "C": "C correlated, A diagonal",
    "both": "C = A, correlated",
}
INJECTED = "2/5"  # E of SGFS, times the identity: about as much as minibatches of 10 inject
_ZERO = 1e-10
SGD, SGFS = "sgd_diagonal", "sgfs_diagonal"
RULES = {SGD: "diagonal gain as printed", SGFS: "SGFS-d as printed"}
ONE = [[1, 0], [0, 1]]
PARAMS: Mapping[str, Mapping[str, Any]] = {
    "sgd": {"eps": 1, "H": ONE},
    SGD: {"eps": 1, "H": [1, 1]},
    SGFS: {"eps": 1, "H": [1, 1], "E": [[INJECTED, 0], [0, INJECTED]]},
}


@dataclass(frozen=True)
class Losses:
    """At one correlation: divergences by rule, the printed diagonal gains, and the best for SGD."""

    rho: float
    of: Mapping[str, float]
    gains: Mapping[str, tuple[float, ...]]
    best: tuple[float, ...]


def run(job: Job) -> Findings:
    """A plot to each family; ensembles at the printed gains."""
    rhos = [float(f"{r:.3g}") for r in correlations(job.size("curve"))]
    quick = [rho for rho in rhos if rho < 0.9]  # beyond, chains take long to settle
    chosen = [quick[k] for k in np.linspace(0, len(quick) - 1, job.size("measured")).round().astype(int)]
    count = len(FAMILIES) * 2 * len(chosen)
    plots, agreements, widest = [], [], 0.0
    two: float | None = None
    for k, (family, words) in enumerate(FAMILIES.items()):
        found = job.part(family, partial(_curve, family, rhos))
        at = [point for point in found if point.rho in chosen]
        seed = job.seed + 1000 * k
        seen = job.part(f"{family} measured", partial(simulated, job, family, at, seed, count))
        plots.append(_plot(family, words, found, at, seen))
        agreements += [
            Agreement(f"{words}: {RULES[rule]}, rho = {point.rho:g}", *pair)
            for rule in (SGD, SGFS)
            for point, pair in zip(at, seen[rule], strict=True)
        ]
        two = two or next((p.rho for p in found if family == "C" and is_lopsided(p)), None)
        widest = max([widest, *(abs(point.of["full"]) for point in found)])
    return Findings(tuple(plots), agreements=tuple(agreements), notes=_notes(widest, two))


def correlations(count: int) -> Any:
    """From 0 to 0.99, denser towards the end.

    >>> correlations(3).round(3).tolist()
    [0.0, 0.7, 0.99]
    """
    return 0.99 * np.sin(np.linspace(0, np.pi / 2, count))


def _curve(family: str, rhos: list[float]) -> list[Losses]:
    return [losses(family, rho) for rho in rhos]


def problem(family: str, rho: float, params: Mapping[str, Any]) -> Problem:
    """Curvature and noise with fixed diagonals; one of them or both are correlated."""
    A, C = ([[2, r], [r, "1/2"]] for r in (rho * (family != "C"), rho * (family != "A")))
    return Problem.of(
        {"model": "quadratic", "hessian": A, "noise": C, "N": 100, "S": 10, "params": dict(params)}
    )


def losses(family: str, rho: float) -> Losses:
    """The divergences of printed rules, of the best diagonal gains, and of the full gain."""
    found: dict[str, float] = {}
    gains, bests = {}, {}
    for name in (SGD, SGFS):
        bench = Bench(registry.sampler(name), problem(family, rho, PARAMS[name]))
        (rule,) = printed(bench, "H", "H")
        best = best_diagonal(bench, np.array(rule.values["H"]))
        bests[name] = tuple(map(float, np.exp(best.x)))
        gains[name] = tuple(float(f"{h:.6g}") for h in rule.values["H"])
        found |= {f"{name} printed": _known(rule.kl_to_posterior), f"{name} best": best.value}
    full = tune("sgd", problem(family, rho, PARAMS["sgd"]), ("H",))["H"]
    by = {choice.how: choice.kl_to_posterior for choice in full.choices}
    found |= {"full printed": _known(by["printed"]), "full": _known(by["exact"])}
    return Losses(rho, found, gains, bests[SGD])


def best_diagonal(bench: Bench, begin: Array) -> Minimum:
    """The gain that ``tune`` finds from there, without its scan."""
    names = ("H",)
    value, slope = bench.value_of(names, "discrete"), bench.slope_of(names, "discrete")
    best = below_saddles(value, slope, newton(value, slope, np.log(begin)))
    if not best.certified and best.value > _ZERO:
        raise ArithmeticError(f"no minimum that is certified: {bench.problem.to_json()}, {best}")
    return best


def is_lopsided(point: Losses) -> bool:
    """Whether the best gain relaxes one coordinate faster than the other; A's diagonal is (2, 1/2)."""
    first, second = 2 * point.best[0], point.best[1] / 2
    return abs(math.log(first / second)) > 1e-3


def _known(value: float | None) -> float:
    return float("nan") if value is None else value


def simulated(
    job: Job, family: str, at: list[Losses], seed: int, count: int
) -> dict[str, list[tuple[Amount, Amount]]]:
    """Ensembles at the printed diagonal gains."""
    return {
        name: [
            measured_divergence(
                name, problem(family, point.rho, {**PARAMS[name], "H": list(point.gains[name])}),
                chains=job.size("chains"), steps=job.size("steps"), seed=seed + 100 * k + j,
                device=job.device, intervals=count,
            )
            for j, point in enumerate(at)
        ]
        for k, name in enumerate((SGD, SGFS))
    }  # fmt: skip


def _plot(family: str, words: str, found: list[Losses], at: list[Losses], seen: Any) -> Plot:
    x = tuple(point.rho for point in found)

    def exact(label: str, key: str, kind: str = "exact") -> Line:
        y = (point.of[key] for point in found)
        # where all is diagonal the best is zero but for rounding, for which a logarithm has no place
        return Line(f"{label}, exact", x, tuple(v if v > _ZERO else math.nan for v in y), kind=kind)

    def measured(label: str, name: str) -> Line:
        amounts = [a for a, _ in seen[name]]
        return Line(f"{label}, measured", tuple(point.rho for point in at),
                    tuple(a.value for a in amounts), tuple(a.error for a in amounts))  # fmt: skip

    lines = (
        exact(RULES[SGD], f"{SGD} printed"),
        measured(RULES[SGD], SGD),
        exact("best diagonal gain", f"{SGD} best"),
        exact(RULES[SGFS], f"{SGFS} printed"),
        measured(RULES[SGFS], SGFS),
        exact("best SGFS-d gain", f"{SGFS} best"),
        exact("full gain as printed", "full printed", "level"),
    )
    return Plot(f"diagonal-loss-{family}", f"KL(law || posterior) by correlation: {words}",
                "correlation rho", "KL(law || posterior)", lines, log_y=True)  # fmt: skip


def _notes(widest: float, two: float | None) -> tuple[str, ...]:
    lopsided = (
        "Where C alone is correlated, coordinates in units of their curvature may be exchanged. From"
        f" rho = {two:g} on, of those drawn, the best diagonal gain is not alike in them: there are two"
        " best gains, and the symmetric one between them is a saddle.",
    )
    return (
        *(lopsided if two is not None else ()),
        "A and C are [[2, rho], [rho, 1/2]], or have 0 for rho; the gain takes in the step (eps = 1)."
        " SGFS-d injects E = 2/5 times the identity.",
        "Printed: Corollary 3 and Theorem 2 for constant SGD, Corollary 6 with eps C/S for SGFS-d."
        " A line ends where a gain has no stationary law.",
        "The best full gain for the algorithm samples the posterior itself at every correlation: its"
        f" divergence is at most {widest:.1g} here, which is rounding, and is not drawn.",
        "The best diagonal gains are certified by exact slopes; a gap to them is what the printed rule"
        " loses, a gap from them to zero what being diagonal costs.",
        "Ensembles begin at the mode and are held against the exact law after as many steps. Their"
        " divergence is that of second moments, less its exact bias; the interval is Chernoff's bound on"
        " Wishart's law, at the level of this experiment's intervals together.",
    )


EXPERIMENT = Experiment(
    name="new.diagonal_loss",
    paper="",
    locator="",
    title="What diagonal gains lose as curvature and noise correlate",
    settings=(
        Setting("problem", "", "", "two dimensions, N = 100, S = 10"),
        Setting(
            "diagonal gain", "$2 S/(eps N)$ over the diagonal of $C$", "Mandt et al. 2017, Corollary 3"
        ),
        Setting("full gain", "$2 S/(eps N) C^(-1)$", "Mandt et al. 2017, Theorem 2"),
        Setting(
            "SGFS-d",
            "$2/N$ over the diagonal of $eps C + E E^T$",
            "Mandt et al. 2017, Corollary 6",
            "eps C/S for eps C",
        ),
    ),
    scales={
        LAPTOP: {"curve": 8, "measured": 3, "chains": 65_536, "steps": 300},
        PAPER: {"curve": 31, "measured": 7, "chains": 1_048_576, "steps": 4_000},
    },
    changed="fewer correlations, chains and steps.",
    run=run,
)
