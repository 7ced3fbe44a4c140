"""``sgtheory list``: what there is."""

from __future__ import annotations

from typing import Any

import click

from reports.terminal.common import Choice, as_json, show_json

KINDS = {
    "samplers": "update rules, each with its convention card",
    "models": "losses, with the keys that a problem file has for them",
    "claims": "numbered claims of papers, as they are printed",
    "papers": "papers whose claims have verdicts",
    "experiments": "figures and tables of papers that can be made again",
    "conventions": "samplers of other libraries, and what each is here",
}


@click.command("list")
@click.argument("kind", type=Choice(list(KINDS)), required=False)
@as_json
def command(kind: str | None, as_json: bool) -> None:
    """List samplers (with their cards), models, claims, papers, experiments or conventions elsewhere.

    Without a KIND, say what can be listed.
    """
    if kind is None:
        rows = [{"name": name, "title": title} for name, title in KINDS.items()]
    else:
        from verification.library.index import rows as indexed

        rows = indexed(kind)
    if as_json:
        show_json({"schema": f"sgtheory.{kind or 'kinds'}/1", kind or "kinds": rows})
        return
    for row in rows:
        _show(row, width=12 if kind is None else 0)


def _show(row: dict[str, Any], width: int) -> None:
    title, name = row["title"], row["name"].ljust(width)
    click.echo(f"{click.style(name, bold=True)}  {title}")
    for key, value in row.items():
        if key in ("name", "title"):
            continue
        for line in value if isinstance(value, list) else [value]:
            if line:
                click.echo(f"    {key:13}{line}")
