"""Table 1: divergences between the posterior and what seven algorithms sample, on three data sets."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from verification.experiments.job import Job
from verification.experiments.mandt2017 import bbvi, remarks, settings
from verification.experiments.mandt2017.readings import (
    FORWARD,
    NEAREST,
    REVERSE,
    RIDGE,
    SETS,
    Local,
    by_formulas,
    loaded,
    local,
    problem,
    ranked,
    read,
    tried,
)
from verification.experiments.mandt2017.rows import SAMPLERS, Fits, exact, iterates
from verification.experiments.record import (
    LAPTOP,
    PAPER,
    Agreement,
    Amount,
    Comparison,
    Experiment,
    Findings,
    Line,
    Plot,
)
from verification.papers.mandt2017.section_7_1 import ROWS, TABLE

Array = Any
NAMES = {
    "SGD": "constant SGD", "SGD_d": "constant SGD-d", "SGD_f": "constant SGD-f", "SGLD": "SGLD",
    "SGFS_d": "SGFS-d", "SGFS_f": "SGFS-f", "BBVI": "BBVI",
}  # fmt: skip
INTERVALS = 2 * len(SETS) * len(ROWS)


@dataclass(frozen=True)
class Cell:
    """One number of the table, by every way that there is.

    ``limit`` and ``then`` are the exact law's at infinity and after the steps of the simulation;
    of logistic regression the law is that of a quadratic loss with the noise at its mode. A limit
    that does not exist is None.
    """

    data: str
    row: str
    measured: dict[str, Amount]  # by direction
    limit: dict[str, float] | None
    then: dict[str, float] | None
    radius: float = 0.0

    @property
    def is_exact(self) -> bool:
        """Whether the law is exact on these data, and not only for the loss made quadratic."""
        return self.data != "skin"

    def comparison(self, direction: str) -> Comparison:
        """With the printed number: the exact limit where it is known, else what was measured."""
        # of skin it is certified for the quadratic loss, as the notes say
        theory = None if self.limit is None else Amount(self.limit[direction], 0.0, "certified")
        ours = theory if theory and self.is_exact else self.measured[direction]
        what = f"{self.data}, {NAMES[self.row]}"
        return Comparison(what, TABLE[self.data][ROWS.index(self.row)], ours, theory)

    def agreement(self, direction: str, steps: int) -> Agreement | None:
        """The fit to the iterates against the exact law after as many steps."""
        if not self.is_exact or self.then is None or self.row == "BBVI":
            return None
        known = self.then[direction]
        what = f"{self.data}, {NAMES[self.row]} after {steps} steps, {direction}"
        return Agreement(what, self.measured[direction], Amount(known, 1e-9 * known, "certified"))


def run(job: Job) -> Findings:
    """Every reading by the paper's formulas; at the nearest one laws and fits."""
    sets = {name: loaded(name, job.files) for name in SETS}
    every = {
        name: job.part(f"readings of {name}", partial(tried, found)) for name, found in sets.items()
    }
    order = ranked(every)
    abouts = {name: local(found, NEAREST) for name, found in sets.items()}
    cells = [cell for name in SETS for cell in job.part(name, partial(cells_of, job, name))]
    way = NEAREST.direction
    agreements = [
        a for c in cells for d in (FORWARD, REVERSE) if (a := c.agreement(d, job.size("steps")))
    ]
    return Findings(
        tuple(_plot(name, [c for c in cells if c.data == name], way) for name in SETS),
        comparisons=tuple(c.comparison(way) for c in cells),
        agreements=tuple(agreements),
        shapes=remarks.shapes(cells, way),
        contradictions=remarks.contradictions(every),
        data=tuple(sets[name].words for name in SETS),
        notes=remarks.notes(order, every, abouts, cells),
    )


def cells_of(job: Job, name: str) -> list[Cell]:
    """A column of the table."""
    found = loaded(name, job.files)
    about = local(found, NEAREST)
    on_data, near = problem(found, NEAREST, about), about.quadratic()
    logistic = name == "skin"
    chains, steps = (job.size(f"skin {k}" if logistic else k) for k in ("chains", "steps"))
    made = []
    for k, row in enumerate(SAMPLERS):
        job.tell(f"{name}, {row}", k / len(SAMPLERS))
        where = near if logistic else on_data
        seed = (job.seed + 1000 * SETS.index(name) + k) % 2**32
        states = iterates(row, on_data, about, chains, steps, 2 if logistic else steps, seed)
        # of chains on logistic regression the second half, as one fits a normal law to a run
        fits = Fits.of(states[:, states.shape[1] // 2 :])
        limit, then = exact(row, where, about), exact(row, where, about, at=steps)
        made.append(Cell(
            name, row, {d: fits.amount(partial(_kl, about, d), INTERVALS) for d in (FORWARD, REVERSE)},
            divergences(limit) if limit.stable else None, divergences(then), limit.spectral_radius,
        ))  # fmt: skip
    return [*made, _variational(job, about, *(read(found, NEAREST) if logistic else ()))]


def _kl(about: Local, direction: str, mean: Array, covariance: Array) -> float:
    return about.divergence(direction, covariance, mean)


def divergences(found: Any) -> dict[str, float]:
    """Of an exact law, by direction."""
    return {FORWARD: found.kl_to_posterior, REVERSE: found.kl_from_posterior}


def variational(about: Local, rng: Any, sizes: tuple[int, int], *data: Array) -> bbvi.MeanField:
    """One fit of independent normals, from the mode and deviations that are all alike."""
    steps, batch = sizes
    if data:
        slope = bbvi.of_logistic(data[0], data[1], RIDGE, batch)
    else:
        slope = bbvi.of_normal(about.precision, about.mode)
    wide = np.full(about.D, np.mean(np.diag(about.precision)) ** -0.5)
    # minibatches throw the mean about: a smaller rate there
    rate = 0.03 if data else 0.1
    return bbvi.fit(slope, bbvi.MeanField(about.mode, wide), rng, steps=steps, draws=16, rate=rate)


def _variational(job: Job, about: Local, *data: Array) -> Cell:
    """BBVI, from fits that do not know each other; its limit is the optimum."""
    from verification.experiments.ensembles import interval

    rng = job.rng(f"BBVI {about.name}")
    sizes = job.size("BBVI steps"), job.size("BBVI minibatch")
    fits = [variational(about, rng, sizes, *data) for _ in range(job.size("fits"))]
    found = {
        d: interval([about.divergence(d, q.covariance, q.mean - about.mode) for q in fits], INTERVALS)
        for d in (FORWARD, REVERSE)
    }
    best = by_formulas(about)["BBVI"]
    return Cell(about.name, "BBVI", found, {d: about.divergence(d, best) for d in found}, None)


def _plot(name: str, cells: list[Cell], way: str) -> Plot:
    places = {c.row: float(k + 1) for k, c in enumerate(cells)}

    def line(label: str, values: dict[str, float], kind: str, errors: Any = ()) -> Line:
        positive = [r for r, v in values.items() if v > 0]  # the axis is logarithmic
        kept = tuple(errors[r] for r in positive) if errors else ()
        return Line(label, tuple(places[r] for r in positive), tuple(values[r] for r in positive),
                    kept, kind)  # fmt: skip

    shown = [
        line("exact law", {c.row: c.limit[way] for c in cells if c.limit}, "exact"),
        line("exact law after the steps simulated", {c.row: c.then[way] for c in cells if c.then},
             "exact"),
        line("fit to iterates", {c.row: c.measured[way].value for c in cells}, "measured",
             {c.row: min(c.measured[way].error, 0.9 * abs(c.measured[way].value)) for c in cells}),
        line("printed", {r: float(t) for r, t in zip(ROWS, TABLE[name], strict=True)}, "printed"),
    ]  # fmt: skip
    rows = ", ".join(f"{k:.0f} {NAMES[r]}" for r, k in places.items())
    return Plot(f"table1-{name}", f"{name}: {way}", rows, "divergence", tuple(shown), log_y=True)


EXPERIMENT = Experiment(
    name="mandt2017.table1",
    sets=SETS,
    paper="mandt2017",
    locator="Table 1",
    claims=(
        "sec2.similar_to_bbvi", "table1.fitted", "table1", "table1.preconditioner",
        "table1.bbvi", "table1.injected_noise",
    ),
    title="Divergences between the posterior and stationary laws",
    settings=(*settings.WINE, *settings.SKIN, *settings.TABLE, *settings.BBVI),
    scales={
        LAPTOP: {"chains": 2048, "steps": 2000, "skin chains": 64, "skin steps": 500, "fits": 16,
                 "BBVI steps": 1000, "BBVI minibatch": 1000},
        PAPER: {"chains": 16_384, "steps": 20_000, "skin chains": 512, "skin steps": 2000, "fits": 32,
                "BBVI steps": 10_000, "BBVI minibatch": 10_000},
    },
    changed="fewer chains and steps, and smaller minibatches of BBVI on the skin data; data and"
    " minibatches of the samplers are the printed ones.",
    run=run,
)  # fmt: skip
