"""``sgtheory derive``: closed forms with their derivation."""

from __future__ import annotations

import click

from reports.terminal import common
from sgtheory.quantities import WHATS


@click.command("derive")
@common.sampler
@common.time
@click.option("--model", default="quadratic", show_default=True, help="The model that is sampled.")
@click.option("--what", type=click.Choice(WHATS), default="covariance", show_default=True)
@click.option("--period", type=click.IntRange(1, 12), metavar="K", help="Steps of a window or an epoch.")
@click.option("--series", type=click.IntRange(0, 12), metavar="K", help="Expand in the step to order K.")
@click.option(
    "--format",
    "style",
    type=click.Choice(["text", "latex", "markdown", "json"]),
    default="text",
    show_default=True,
)
def command(
    sampler: str,
    model: str,
    time: str,
    what: str,
    period: int | None,
    series: int | None,
    style: str,
) -> None:
    """Print closed forms for SAMPLER, valid in every dimension, with the steps that lead to them."""
    from sgtheory.symbolic import derive

    derivation = derive(sampler, model, time=time, period=period).derivation(what, series)
    if style == "json":
        document = derivation.to_json()
        common.show_json({**document, "sampler": sampler, "model": model, "time": time, "what": what})
        return
    printers = {
        "text": derivation.to_text,
        "latex": derivation.to_latex,
        "markdown": derivation.to_markdown,
    }
    click.echo(printers[style]())
