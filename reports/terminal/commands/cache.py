"""``sgtheory cache``: what is kept between runs, and emptying it."""

from __future__ import annotations

import click

from reports.terminal import common

_WORDS = {
    "kernels": "machine code of simulators",
    "verdicts": "verdicts of runs that broke off",
    "judged": "whole verdicts, for pages",
    "pages": "pages of reports",
    "experiments": "parts of experiments",
    "index": "lists of what there is",
    "last": "words of the last verdicts, for what changed since",
    "older versions": "left by older versions",
}


@click.command("cache")
@click.option("--empty", is_flag=True, help="Remove all that is kept; everything can be made again.")
@common.as_json
def command(empty: bool, as_json: bool) -> None:
    """Show what is kept between runs: what, how many, how large and where; or empty it.

    Nothing there is needed: what is not kept is made again, to the same bits. The oldest go by
    themselves when it grows beyond its limit. The folder is chosen with SGTHEORY_CACHE.
    """
    from sgtheory.files import keeper

    gone = keeper.empty() if empty else keeper.sweep()
    found = keeper.amounts()
    total = sum(amount.bytes for amount in found)
    if as_json:
        common.show_json(
            {
                "schema": "sgtheory.cache/1",
                "folder": str(keeper.used()),
                "key": str(keeper.state() / "key") if keeper.key() else None,
                "bytes": total,
                "limit": keeper.LIMIT,
                "removed": gone,
                "kinds": {
                    amount.kind: {"files": amount.files, "bytes": amount.bytes} for amount in found
                },
            }
        )
        return
    click.echo(f"{keeper.used()}: {_size(total)} of at most {_size(keeper.LIMIT)}")
    for amount in found:
        if amount.files:
            click.echo(
                f"  {amount.files:6,} {_WORDS.get(amount.kind, amount.kind)}, {_size(amount.bytes)}"
            )
    if gone:
        click.echo(f"{gone:,} files removed")
    if keeper.key() is None:
        click.echo(f"nothing is kept: {keeper.state() / 'key'} cannot be a file of yours alone")


def _size(count: int) -> str:
    """Bytes as one reads them."""
    return f"{count / 1e9:.3g} GB" if count >= 1e9 else f"{count / 1e6:.3g} MB"
