"""``sgtheory diff``: what changed between two verdict files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from reports.terminal import common


@click.command("diff")
@click.argument("old", metavar="OLD.json", type=common.Named())
@click.argument("new", metavar="NEW.json", type=common.Named())
@common.page
@common.as_json
@click.pass_context
def command(context: click.Context, old: str, new: str, page: Path | None, as_json: bool) -> None:
    """Show what NEW says otherwise than OLD, two files written by verify --json.

    Exit status: 0 nothing changed, 1 something did.
    """
    from reports.pages.changed import changes_page
    from verification.verdicts.differences import differences

    common.try_page(page)
    changes = differences(_read(old), _read(new))
    if as_json:
        document = {"schema": "sgtheory.diff/1", "changes": [c.to_json() for c in changes]}
        common.show_json(document)
    else:
        for change in changes:
            click.echo(change.words)
        click.echo(f"{len(changes)} changes" if changes else "no change")
    if page is not None:
        common.write_page(changes_page(changes, old, new, page.stem), page, err=as_json)
    context.exit(int(bool(changes)))


def _read(path: str) -> Any:
    from sgtheory.reader import files, syntax

    text = files.text(path, "a verdict file that can be read")
    return syntax.parse(text, path, "JSON, as verify --json writes it", exact=False)
