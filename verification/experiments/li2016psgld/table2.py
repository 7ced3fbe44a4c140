"""Table 2 and Figure 4: feed-forward networks on MNIST, by declared samplers on a network's gradient."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

from verification.experiments import datasets
from verification.experiments.job import Job
from verification.experiments.networks.classifier import (
    BINS,
    NO_THEORY,
    Plan,
    Trained,
    array_module,
    curves,
    run,
    trained,
    uncompared,
)
from verification.experiments.networks.comparing import bars, less, one_more, told
from verification.experiments.networks.declared import Method
from verification.experiments.record import (
    LAPTOP,
    PAPER,
    Comparison,
    Experiment,
    Findings,
    Line,
    Plot,
    Setting,
    Shape,
)

WIDE, UNIT, SGLD, RMSPROP, SGD = "pSGLD, variance 100", "pSGLD, variance 1", "SGLD", "RMSprop", "SGD"
SIZES = (400, 800, 1200)
PRINTED = {
    WIDE: ("1.40", "1.26", "1.14"),
    UNIT: ("1.45", "1.32", "1.24"),
    SGLD: ("1.64", "1.41", "1.40"),
    RMSPROP: ("1.59", "1.43", "1.39"),
    SGD: ("1.72", "1.47", "1.47"),
}
SMALL, LARGE = 5e-4, 5e-1  # the printed steps, of pSGLD and RMSprop, of SGLD and SGD
VARIANCES = {WIDE: 100.0}  # of the prior; 1 for the others


def methods(N: int, as_printed: bool = False) -> dict[str, Method]:
    """What is run; Eq. 2 multiplies by N, and its step is divided by N unless it is read as printed."""
    share = 1 if as_printed else N
    kept = {"lambda": 1e-5, "alpha": 0.99}
    psgld = Method("pSGLD", "psgld:no_gamma", "eps", {**kept, "eps": SMALL / share}, averages=True)
    return {
        WIDE: psgld,
        UNIT: psgld,
        SGLD: Method("SGLD", "sgld", "eps", {"eps": LARGE / share}, averages=True),
        RMSPROP: Method("RMSprop", "rmsprop", "eps", {**kept, "eps": SMALL}),
        SGD: Method("SGD", "sgd", "eps", {"eps": LARGE}),
    }


def plan(job: Job, name: str, hidden: int) -> Plan:
    """How a row of one column is trained."""
    sizes = (job.size(k) for k in ("batch", "epochs", "halve", "thin", "burnin"))
    return Plan(hidden, VARIANCES.get(name, 1.0), *sizes)


def run_all(job: Job) -> Findings:
    """Every row that the paper defines, at every size of this scale."""
    data = datasets.mnist(job.files)
    rows, widths = methods(len(data.X)), job.size("widths")
    asked = {f"{n}, {w}": (m, plan(job, n, w)) for w in widths for n, m in rows.items()}
    found = trained(job, data, asked, job.size("runs"))
    last = {n: [100 * found[f"{n}, {w}"].errors[:, -1] for w in widths] for n in rows}
    many = len(rows) * len(widths)
    amounts = {n: [one_more(e, many) for e in errors] for n, errors in last.items()}
    why = uncompared(job, data)
    columns = [f"{w}-{w}" for w in widths]
    literal = job.part("steps as Eq. 2 has them", lambda: _literal(job, data))
    return Findings(
        (
            *bars("errors", "Test errors", "per cent", columns, amounts, {} if why else PRINTED),
            curves(found, f"Test errors along the way, {columns[-1]} (Figure 4 b)", f", {widths[-1]}"),
            _weights(found, widths[-1]),
        ),
        comparisons=() if why else _comparisons(amounts, widths),
        shapes=_shapes(last, found, widths),
        data=(data.words,),
        notes=(*told(amounts, columns, PRINTED, " %"), *_notes(literal), NO_THEORY),
        uncompared=why,
    )


def _literal(job: Job, data: Any) -> dict[str, float]:
    """Errors after one epoch with the printed steps as Eq. 2 has them, of one run."""
    rows, width = methods(len(data.X), as_printed=True), job.size("widths")[0]
    xp, each = array_module(job.device), len(data.X) // job.size("batch")
    found = {}
    for name in (UNIT, SGLD):
        short = replace(plan(job, name, width), burnin=0)
        found[name] = 100 * float(run(job, data, rows[name], short, (0,), xp, steps=each).errors[0, -1])
    return found


def _comparisons(amounts: Any, widths: Any) -> tuple[Comparison, ...]:
    return tuple(
        Comparison(f"test error of {n}, {w}-{w} (%)", PRINTED[n][SIZES.index(w)], amounts[n][k])
        for n in PRINTED
        for k, w in enumerate(widths)
    )


def _shapes(last: Any, found: dict[str, Trained], widths: Any) -> tuple[Shape, ...]:
    """What the text says about the table and the figure, each at the largest size or at every one."""
    gains = [(n, k) for n in (WIDE, UNIT) for k in range(len(widths) - 1)]
    top, many = widths[-1], 5 * len(widths) + 3 + len(gains)
    speed = {n: 100 * found[f"{n}, {top}"].errors.mean(axis=1) for n in last}
    pairs = ((UNIT, RMSPROP), (SGLD, SGD), (WIDE, RMSPROP), (UNIT, SGLD), (WIDE, UNIT))
    tables = [
        less(f"{a} has a smaller error than {b} ({w}-{w})", last[a][k], last[b][k], many, unit=" %")
        for k, w in enumerate(widths)
        for a, b in pairs
    ]
    faster = [
        less(f"{a} converges faster than {b}: its error is smaller on average over the whole curve",
             speed[a], speed[b], many, unit=" %")
        for a, b in ((UNIT, SGLD), (UNIT, RMSPROP))
    ]  # fmt: skip
    wider = less(
        "a prior of variance 1 makes weights narrower than one of 100 (standard deviations)",
        found[f"{UNIT}, {top}"].spread, found[f"{WIDE}, {top}"].spread, many, 4,
    )  # fmt: skip
    larger = [
        less(f"{n} has a smaller error with {widths[k + 1]} units than with {widths[k]}",
             last[n][k + 1], last[n][k], many, unit=" %")
        for n, k in gains
    ]  # fmt: skip
    return (*tables, *faster, wider, *larger)


def _weights(found: dict[str, Trained], width: int) -> Plot:
    middles = tuple((a + b) / 2 for a, b in pairwise(BINS))
    lines = tuple(
        Line(name.replace(",", " with"), middles,
             tuple(float(s) for s in found[f"{name}, {width}"].weights.mean(axis=0)))
        for name in (WIDE, UNIT, SGD)
    )  # fmt: skip
    title = f"Weights after the last iteration, {width}-{width} (Figure 4 a)"
    return Plot("weights", title, "weight", "share in a bin of 0.05", lines)


def _notes(literal: dict[str, float]) -> tuple[str, ...]:
    return (
        *(f"{n} with the printed step as Eq. 2 has it, N times larger: error {e:.1f} % after one epoch."
          for n, e in literal.items()),
        "Samplers predict by the plain average of probabilities over the samples after the burn-in (the"
        " formula below Eq. 2); before it, and for the others, by the network at hand.",
        "Runs of different methods share their starts and minibatches. Differences are decided at a"
        " level"
        " of 1 % for the whole table; intervals are for one more run.",
        "RMSspectral (of another paper, with larger minibatches), distilled pSGLD (no settings"
        " printed) and"
        " the rows that the paper takes from Blundell et al. are not run.",
    )  # fmt: skip


EXPERIMENT = Experiment(
    name="li2016psgld.table2",
    sets=("mnist",),
    paper="li2016psgld",
    locator="Table 2, Figure 4",
    claims=(
        "sec6.prior_variance", "table2.psgld", "table2.sgld", "table2.psgld_and_sgld",
        "table2.prior", "table2.best", "table2.size", "table2.size_of_others", "fig4",
    ),
    title="Test errors of feed-forward networks on MNIST",
    settings=(
        Setting("data", "MNIST: 60,000 for training, 10,000 for testing", "section 6",
                "a tenth of it, unless --data mnist=FILE gives all"),
        Setting("network", "784-X-X-10, rectified linear units, X = 400, 800, 1200", "section 6",
                "at laptop scale X = 50"),
        Setting("minibatch", "100", "section 6"),
        Setting("prior variance", "1; for pSGLD also 100", "section 6, Table 2"),
        Setting("epochs", "100", "section 6", "at laptop scale 15"),
        Setting("block decay", "a half after every L = 20 epochs", "section 6", "at laptop scale L = 3"),
        Setting("thinning, burn-in", "100, 300", "section 6", "at laptop scale 20, 60"),
        Setting("step of pSGLD and RMSprop", "5e-4", "section 6",
                "of the mean gradient: in Eq. 2 divided by N; as Eq. 2 has it in the notes"),
        Setting("step of SGLD and SGD", "5e-1", "section 6",
                "of the mean gradient: in Eqs. 1 and 2 divided by N; as Eq. 2 has it in the notes"),
        Setting("alpha, lambda", "0.99, 1e-5", "defaults, before Algorithm 1"),
        Setting("Gamma", "left out", "practical techniques"),
        Setting("start", "", "section 6", "normal weights of variance 2/inputs, offsets 0"),
        Setting("scaling of pixels", "", "section 6", "between 0 and 1"),
        Setting("weights of the average", "", "section 6",
                "none; the analysis before weighs samples by their steps"),
        Setting("runs", "", "section 6", "several"),
    ),
    scales={
        LAPTOP: {"widths": (50,), "runs": 6, "batch": 100, "epochs": 15, "halve": 3, "thin": 20,
                 "burnin": 60},
        PAPER: {"widths": SIZES, "runs": 16, "batch": 100, "epochs": 100, "halve": 20, "thin": 100,
                "burnin": 300},
    },
    changed="50 units instead of 400 to 1200, 15 epochs instead of 100, and a tenth of MNIST.",
    run=run_all,
)  # fmt: skip
