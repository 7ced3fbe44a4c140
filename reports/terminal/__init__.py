"""The ``sgtheory`` command. One file per subcommand in ``commands/``, found by scanning."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from typing import Any

import click

from reports.terminal import commands
from sgtheory.errors import NotAffine, Unstable, UnusableInput

CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class _Commands(click.Group):
    """Loads a subcommand's file when it is needed; each imports little until it runs."""

    def list_commands(self, context: click.Context) -> list[str]:
        return sorted(m.name.rstrip("_") for m in pkgutil.iter_modules(commands.__path__))

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        known = {m.name.rstrip("_"): m.name for m in pkgutil.iter_modules(commands.__path__)}
        if name not in known:
            return None
        found: click.Command = importlib.import_module(f"{commands.__name__}.{known[name]}").command
        return found


@click.command(cls=_Commands, context_settings=CONTEXT)
@click.version_option(package_name="sgtheory", message="%(prog)s %(version)s")
def cli() -> None:
    """The exact law of stochastic-gradient samplers: derive it, simulate it, verify claims about it."""


def main(arguments: list[str] | None = None) -> Any:
    """Run the command; every error is one line on standard error and an exit status."""
    try:
        status = cli.main(args=arguments, prog_name="sgtheory", standalone_mode=False)
    except click.ClickException as error:
        status = _say(_one_line(error), 2)
    except UnusableInput as error:
        status = _say(str(error), 2)
    except Unstable as error:
        status = _say(f"expected a stable step; got an unstable one: {error}; take a smaller step", 2)
    except NotAffine as error:
        status = _say(
            "expected a sampler that is affine on the quadratic model; got another:"
            f" {error}; its law has no closed form, simulate it",
            2,
        )
    except (click.Abort, KeyboardInterrupt):
        status = _say("stopped", 130)
    except BrokenPipeError:
        sys.stderr.close()  # the reader went away: nothing is left to say
        status = 0
    except AssertionError as error:
        status = _say(f"two routes disagree: {error}", 1)
    sys.exit(status if isinstance(status, int) else 0)


def _one_line(error: click.ClickException) -> str:
    hint = " see --help" if isinstance(error, click.UsageError) else ""
    return " ".join(error.format_message().split()) + (f";{hint}" if hint else "")


def _say(message: str, status: int) -> int:
    click.echo(click.style("sgtheory: ", fg="red") + " ".join(message.split()), err=True)
    return status
