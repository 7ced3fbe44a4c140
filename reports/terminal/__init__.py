"""The ``sgtheory`` command. One file per subcommand in ``commands/``, found by scanning."""

from __future__ import annotations

import errno
import importlib
import os
import pkgutil
import sys
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from reports.terminal import commands, common
from reports.terminal.ending import not_mistaken, told_to_end
from sgtheory import __version__
from sgtheory.errors import LINE, NotAffine, Unstable, UnusableInput, plain
from sgtheory.rooms import half_compiled

CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


def _named(module: str) -> str:
    """What a subcommand's file is called on the command line."""
    return module.rstrip("_").replace("_", "-")


class _Commands(click.Group):
    """Loads a subcommand's file when it is needed; each imports little until it runs."""

    def list_commands(self, context: click.Context) -> list[str]:
        return sorted(_named(m.name) for m in pkgutil.iter_modules(commands.__path__))

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        known = {_named(m.name): m.name for m in pkgutil.iter_modules(commands.__path__)}
        if name not in known:
            return None
        found: click.Command = importlib.import_module(f"{commands.__name__}.{known[name]}").command
        return found

    def resolve_command(
        self, context: click.Context, arguments: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The subcommand that is named; of one that there is not, the nearest."""
        name = arguments[0]
        known = self.list_commands(context)
        if name in known or name.startswith("-") or context.resilient_parsing:
            return super().resolve_command(context, arguments)
        raise click.UsageError(f"No such command {name!r}.{common.meant(name, known)}", context)

    def make_context(self, *arguments: Any, **more: Any) -> click.Context:
        """The arguments, read; with --help they are also answered here."""
        with _a_reader_may_leave():
            return super().make_context(*arguments, **more)
        raise click.exceptions.Exit(0)

    def invoke(self, context: click.Context) -> Any:
        """What a subcommand does."""
        with _a_reader_may_leave():
            return super().invoke(context)
        return 0


@contextmanager
def _a_reader_may_leave() -> Iterator[None]:
    """A reader that goes away (``| head``) is no fault: what is left to say goes nowhere.

    Half a compiled file is a line.
    """
    try:
        yield
    except BrokenPipeError:
        _goes_nowhere(sys.stdout)
    except EOFError as error:  # which click takes for an end of what is typed
        raise half_compiled(error) or error from None


def _goes_nowhere(stream: Any) -> None:
    """What a stream still holds, and all that is written to it from here on, is thrown away."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _all_said(status: Any) -> Any:
    """The status, once all that was said has been written; what cannot be is a line, and status 2."""
    with _a_reader_may_leave():
        try:
            if sys.stdout is not None:  # closed before we began
                sys.stdout.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            _goes_nowhere(sys.stdout)
            status = 2 if status == 2 else _say(_of_the_system(error), 2)
    try:
        sys.stderr.flush()
    except OSError:  # nobody can be told
        _goes_nowhere(sys.stderr)
    return status


@click.command(cls=_Commands, context_settings=CONTEXT)
@click.version_option(__version__, message="%(prog)s %(version)s")
def cli() -> None:
    """The exact law of stochastic-gradient samplers: derive it, simulate it, verify claims about it."""


def main(arguments: list[str] | None = None) -> Any:
    """Run the command; every error is one line on standard error and an exit status."""
    if sys.stderr is None:  # closed before we began; else a file of ours would take its place
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    with warnings.catch_warnings():
        warnings.showwarning = _warned
        status = _all_said(_status(arguments))
    sys.exit(status if isinstance(status, int) else 0)


def _status(arguments: list[str] | None) -> Any:
    try:
        with (
            told_to_end(_say),
            not_mistaken(),
            warnings.catch_warnings(),
        ):  # what overflows becomes a finding, not lines from NumPy
            warnings.simplefilter("ignore", RuntimeWarning)
            status = cli.main(args=arguments, prog_name="sgtheory", standalone_mode=False)
    except click.ClickException as error:
        status = _say(_one_line(error), 2)
    except UnusableInput as error:
        status = _say(str(error), 2)
    except Unstable as error:
        remedy = error.remedy or "change its parameters"
        status = _say(f"expected a stable step; got an unstable one: {error}; {remedy}", 2)
    except NotAffine as error:
        status = _say(
            "expected a sampler that is affine on the quadratic model; got another:"
            f" {error}; its law has no closed form, simulate it",
            2,
        )
    except (click.Abort, KeyboardInterrupt):
        status = _say("stopped", 130)
    except AssertionError as error:
        status = _say(_contradiction(error), 1)
    except (ArithmeticError, MemoryError) as error:
        status = _out_of_range(error)
    except OSError as error:
        status = _say(_of_the_system(error), 2)
    except RuntimeError as error:
        if "can't start new thread" not in str(error):
            raise
        status = _say(_of_the_system(OSError(errno.EAGAIN, str(error))), 2)
    except ValueError as error:
        if type(error).__name__ != "LinAlgError":  # by its name: no NumPy for a mistyped option
            raise
        status = _out_of_range(error)
    return status


def _out_of_range(error: Exception) -> int:
    """Numbers that are each in range, but too far apart."""
    got = str(error) or type(error).__name__
    remedy = "measure in other units, or take less extreme numbers"
    return _say(f"expected numbers that floating point can hold; got {got}; {remedy}", 2)


def _of_the_system(error: OSError) -> str:
    """What the system refused where nobody foresaw it, such as one file more than may be open."""
    got = f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}"
    remedy = "see that there is room on the disk, memory, and leave to read and to write"
    if error.errno == errno.EAGAIN:
        remedy = "end other processes, raise the limit on their number (ulimit -u), or take --jobs 1"
    return f"expected files and processes that the system gives; got {got}; {remedy}"


def _contradiction(error: AssertionError) -> str:
    """Two answers that differ; or a bare assertion, with its place, which says nothing of routes."""
    from verification.verdicts.verdict import RoutesDisagree

    if isinstance(error, RoutesDisagree):
        return f"two routes disagree: {error}"
    place = traceback.extract_tb(error.__traceback__)[-1]
    return (
        "expected the toolkit to be consistent; got an assertion that fails in"
        f" {Path(place.filename).name}, line {place.lineno} ({error}); please report it"
    )


def _one_line(error: click.ClickException) -> str:
    hint = "; see --help" if isinstance(error, click.UsageError) else ""
    return plain(error.format_message(), LINE - len(hint)) + hint


def _warned(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
    """A warning as one line, without the place in our sources."""
    _say(
        f"{message}"
        if category.__module__.startswith("sgtheory")
        else f"{category.__name__}: {message}",
        0,
    )


def _say(message: str, status: int) -> int:
    common.warn(message)
    return status
