"""``sgtheory completion``: tab completion for a shell."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from reports.terminal.common import Choice


@click.command("completion")
@click.argument("shell", type=Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print a script for SHELL that completes commands, samplers and claims.

    For bash:  eval "$(sgtheory completion bash)"
    """
    from reports.terminal import cli

    found = get_completion_class(shell)
    assert found is not None
    click.echo(found(cli, {}, "sgtheory", "_SGTHEORY_COMPLETE").source())
