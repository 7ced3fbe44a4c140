"""``sgtheory convert``: one sampler's parameters in the letters of another."""

from __future__ import annotations

from typing import Any

import click

from reports.terminal import common


def _complete(context: Any, parameter: Any, incomplete: str) -> list[Any]:
    from click.shell_completion import CompletionItem

    from sgtheory.registry import names as own
    from verification.conventions import names

    return [CompletionItem(n) for n in (*names(), *own("samplers")) if n.startswith(incomplete)]


@click.command("convert")
@click.option("--from", "source", required=True, metavar="SAMPLER", shell_complete=_complete)
@click.option("--to", "target", required=True, metavar="SAMPLER", shell_complete=_complete)
@click.option(
    "--assume",
    multiple=True,
    type=common.Choice(["full-gradients", "no-prior"]),
    help="What holds for you: every gradient is over all the data; the loss has no prior part.",
)
@click.argument("values", nargs=-1, metavar="[NAME=VALUE]...")
@common.as_json
def command(
    source: str, target: str, assume: tuple[str, ...], values: tuple[str, ...], as_json: bool
) -> None:
    """Translate the parameters of one sampler into those of another.

    SAMPLER is one of a library (blackjax.sgld, see `sgtheory list conventions`), or one of ours by its
    name or its paper's (sgld, mandt2017.sgld). Values may be given in the letters of either; with none
    the formulas are printed. A translation exists only where both updates are proved to be one.
    """
    from verification.conventions.conversion import converted

    found = converted(source, target, values, assume)
    if as_json:
        common.show_json(found.to_json())
        return
    for card in found.cards:
        _show(card)
    title = f"{found.target}, in the letters of {found.source}"
    click.echo(click.style(title, bold=True))
    for line in found.lines:
        click.echo(f"    {line}")


def _show(card: dict[str, Any]) -> None:
    click.echo(f"{click.style(card['name'], bold=True)}  {card['title']}")
    for key, value in card.items():
        if key in ("name", "title") or not value:
            continue
        for line in value if isinstance(value, list) else [value]:
            click.echo(f"    {key:13}{line}")
