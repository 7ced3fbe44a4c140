"""The page of an advice: the choice, its error, the others, cost against error, the edges."""

from __future__ import annotations

from typing import Any

from reports.document import (
    Block,
    Bullets,
    Code,
    Figure,
    Heading,
    Page,
    Paragraph,
    Strong,
    Table,
    Text,
    Verdict,
    prose,
)
from reports.figures import curve

_GAINS = {
    "": "",
    "diagonal gain": ", with the inverse of the curvature's diagonal for H",
    "full gain": ", with the inverse of the curvature for H",
}
_OF = {
    "both": "means and variances",
    "mean": "means",
    "variance": "variances",
    "worst": "the mean in its worst direction",
    "coefficient": "the local learning coefficient",
    "predictive": "predictive means",
    "quadratic": "a quadratic functional",
    "kl": "the law of the last state",
}


def advice_page(
    found: Any, again: str, slug: str = "advice", checked: Any = None, drawings: bool = True
) -> Page:
    """The page of an ``Advice``, and of its check where there is one; ``again`` makes it once more."""
    blocks: list[Block] = [
        *_choice(found),
        *([] if checked is None else [_check(found, checked)]),
        *_options(found),
        *_references(found),
        *_costs(found, drawings),
        *_edges(found),
        *_beyond(found),
        *_notes(found),
        Heading(2, "Once more"),
        Code(again, "sh"),
    ]
    summary = f"For {found.budget}, starting {found.start}. The error is {found.care.unit}."
    title = f"Which sampler, for {_OF[found.care.what]}"
    return Page(slug=slug, title=title, blocks=tuple(blocks), kind="advice", summary=summary)


def _choice(found: Any) -> list[Block]:
    best = found.best
    return [
        Paragraph((Strong(f"{best.sampler}: {numbers(best)}"), _GAINS[best.gain], ".")),
        *([_two_runs(found)] if best.extrapolated else [_one_run(found)]),
    ]


def _two_runs(found: Any) -> Block:
    best = found.best
    (step,) = best.finer.values()
    coarse, fine = best.schedule, best.schedule.finer
    return Paragraph(
        f"Run it twice, with random numbers of their own: for {coarse.steps:,} steps{_kept(coarse)}; and"
        f" for {fine.steps:,} steps of half the length, {float(step):.6g}{_kept(fine)}. The answer is"
        " twice that of the second run less that of the first: what is proportional to the step in their"
        f" bias goes. Both cost {best.passes:.4g} passes over the data. The expected error is"
        f" {_parts(best.error)}."
    )


def _one_run(found: Any) -> Block:
    best = found.best
    how = ", and take the last state" if found.care.of_last_state else _kept(best.schedule)
    return Paragraph(
        f"Run it for {best.schedule.steps:,} steps, which cost {best.passes:.4g} passes over the"
        f" data{how}. The expected error is {_parts(best.error)}."
    )


def _kept(schedule: Any) -> str:
    left = f", leave out the first {schedule.burn_in:,}" if schedule.burn_in else ""
    which = "the others" if schedule.burn_in else "all of them"
    if schedule.every > 1:
        which = f"every {schedule.every:,}th of {which}, {schedule.kept:,} in all"
    return f"{left}, and average over {which}"


def _parts(error: Any) -> str:
    if error.bias is None:
        return f"{error.value:.3g}"
    return f"{error.value:.3g}, the root of {error.bias:.3g}² (bias) + {error.scatter:.3g}² (scatter)"


def numbers(option: Any) -> str:
    """The numbers of an option, such as ``eps = 3.2e-06, S = 16``."""
    return ", ".join(
        f"{name} = {x:,}" if isinstance(x, int) else f"{name} = {x:.6g}"
        for name, x in option.params.items()
    )


def _check(found: Any, checked: Any) -> Block:
    told = "agrees" if checked.agrees else "does not agree"
    off = "off" if found.beyond is None else "above that"
    sentence = (
        f"{checked.chains:,} runs of {checked.steps:,} steps (seed {checked.seed},"
        f" {checked.device}) have the error {checked.measured:.4g} ± {checked.standard_error:.2g};"
        f" {_foretold(checked)} was foretold. That {told}: the mean squares differ by"
        f" {abs(checked.deviation):.2g} standard errors, and up to 5 are allowed. An error that is"
        f" {100 * checked.visible:.2g} % {off} would have been seen. Of single quantities,"
        f" {100 * checked.within:.3g} % lie in their 95 % intervals."
    )
    return Verdict("confirmed" if checked.agrees else "refuted", sentence)


def _foretold(checked: Any) -> str:
    low, high = checked.foretold
    return f"{low:.4g}" if low == high else f"between {low:.4g} and {high:.4g}"


def _error_cells(error: Any) -> tuple[str, str, str]:
    return tuple(  # type: ignore[return-value]
        "–" if x is None else f"{x:.3g}" for x in (error.value, error.bias, error.scatter)
    )


def _options(found: Any) -> list[Block]:
    rows = tuple(
        (o.name, *_error_cells(o.error), numbers(o), f"{o.schedule.burn_in:,}") for o in found.options
    )
    headers = ("sampler", "error", "bias", "scatter", "numbers", "burn-in")
    return [
        Heading(2, "The best of every sampler", "samplers"),
        Table(headers, rows, align="lrrrlr"),
    ]


def _references(found: Any) -> list[Block]:
    if not found.references:
        return []
    rows = tuple((r.name, *_error_cells(r.error), r.rule) for r in found.references)
    headers = ("method", "error", "bias", "scatter", "how")
    return [
        Heading(2, "With the whole data at every step", "whole-data"),
        Table(headers, rows, align="lrrrl"),
    ]


def _costs(found: Any, drawings: bool) -> list[Block]:
    rows = tuple(
        (f"{o.passes:.4g}", *_error_cells(o.error), o.name, numbers(o), f"{o.schedule.burn_in:,}")
        for o in found.pareto
    )
    headers = ("passes", "error", "bias", "scatter", "sampler", "numbers", "burn-in")
    drawn = [_drawing(found)] if drawings and len(rows) > 1 else []
    return [
        Heading(2, "The best for less and for more", "costs"),
        *drawn,
        Table(headers, rows, align="rrrrllr", row_headers=False),
    ]


def _drawing(found: Any) -> Figure:
    costs = [o.passes for o in found.pareto]
    lines = {"error": [o.error.value for o in found.pareto]}
    if found.best.error.bias is not None:
        lines["bias"] = [o.error.bias for o in found.pareto]
        lines["scatter"] = [o.error.scatter for o in found.pareto]
    least, most = found.pareto[0], found.pareto[-1]
    return curve(
        costs,
        lines,
        name="costs",
        alt=f"The error falls from {least.error.value:.3g} at {least.passes:.4g} passes over the data to"
        f" {most.error.value:.3g} at {most.passes:.4g}, each with its own best numbers.",
        x_label="passes over the data",
        y_label="expected error",
        caption="The best expected error for each cost, and its parts; every point has its own numbers.",
        log_x=True,
        log_y=True,
    )


def _edges(found: Any) -> list[Block]:
    items: list[Text] = [f"Steps up to {found.headroom:.3g} times as long are stable."]
    for one in found.misjudged:
        size = "twice as large" if one.factor > 1 else "half as large"
        what = "the curvature" if one.what == "curvature" else "the covariance of gradients"
        told = "the chain is unstable" if one.error is None else f"the error is {_parts(one.error)}"
        items.append(f"Where {what} is really {size}, {told}.")
    return [Heading(2, "How much it depends on", "edges"), Bullets(tuple(items))]


def _beyond(found: Any) -> list[Block]:
    if found.beyond is None:
        return []
    low, high = found.beyond.within
    return [
        Heading(2, "What is not quadratic", "beyond"),
        Paragraph(
            "The errors above are those of the quadratic at the mode. A run does not stay there: the"
            " curvature and the noise, averaged over where this one goes, are others, and its mean is"
            f" beside the mode. With these the error of the choice is {found.beyond.error:.3g}. What"
            " they leave out is taken to be as large as what they change, for every mean and variance:"
            f" the error of the model itself is foretold to be between {low:.3g} and {high:.3g}."
        ),
    ]


def _notes(found: Any) -> list[Block]:
    if not found.notes:
        return []
    return [Heading(2, "What it leaves out", "notes"), Bullets(tuple(map(prose, found.notes)))]
