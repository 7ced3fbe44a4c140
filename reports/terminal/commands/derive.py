"""``sgtheory derive``: closed forms with their derivation."""

from __future__ import annotations

import click

from reports.terminal import common
from sgtheory.modepairs.quantities import WHATS


@click.command("derive")
@common.sampler
@common.time
@click.option("--model", default="quadratic", show_default=True, help="The model that is sampled.")
@click.option("--what", type=common.Choice(WHATS), default="covariance", show_default=True)
@click.option("--period", type=click.IntRange(1, 12), metavar="K", help="Steps of a window or an epoch.")
@click.option("--series", type=click.IntRange(0, 12), metavar="K", help="Expand in the step to order K.")
@click.option(
    "--format",
    "style",
    type=common.Choice(["text", "latex", "markdown", "json"]),
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
    from sgtheory.finding.elsewhere import is_address
    from sgtheory.registry import load
    from sgtheory.symbolic import derive

    what_is_sampled = load(model) if is_address(model) else model
    law = derive(sampler, what_is_sampled, time=time, period=period)
    derivation = law.derivation(what, series)
    if style == "json":
        names = {"sampler": law.setting.sampler.name, "model": law.setting.model.name}
        common.show_json({**derivation.to_json(), **names, "time": time, "what": what})
        return
    if style == "latex":
        from reports.emit.latex import fragment
        from reports.pages.words import page_of

        click.echo(fragment(page_of(derivation, law.setting.sampler.name)))
        return
    click.echo(derivation.to_text() if style == "text" else derivation.to_markdown())
