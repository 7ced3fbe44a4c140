"""Command lines: options and arguments of every command, with values that do not fit."""

from __future__ import annotations

from functools import cache
from random import Random

import click

_VALUES = (
    "", " ", "-", "--", "-1", "0", "1.5", "1e999", "nan", "inf", "1" * 40, "9" * 5000, "x" * 10_000,
    "a=b", "=",
    "a=", "=b", "/", "/dev/null", "/dev/zero", ".", "..", "a/b/c", "\x1b[31m", "a\nb", "é", "None",
    "true", "١",
    "0x10", "1_000", "1,2,x", ",", "1,,2", "99999999999999", "a:b", "a:b:c", ":", "[]", "{}", "*", "~",
    "$HOME",
    "$(touch touched)", "`touch touched`", "'; touch touched;'", "sgd", "sgld", "mandt2017",
    "quadratic", "all",
    "underdamped:" + "OBABO" * 500, "underdamped:", "underdamped:XYZ", "psgld:x", "mandt2017.eq99",
    "no.such",
    "no_such.py", "no_such:thing", "no_such.py:thing", "cmd:", "file.json", "\udcff", "--json", "-h=1",
    "pdf",
    "10m", "1h99", "0s", "9" * 400 + "d", "tcp://nowhere", "nowhere:1", "text,", "H=identity",
    "eps=1/0", "eps=eps",
)  # fmt: skip
# What a refusal comes first of, so that no case does an hour's work by being right.
_WRONG = {
    "advise": ["--problem", "no_such_file.json"],
    "audit": ["--budget", "none"],
    "audit-run": ["--problem", "no_such_file.json"],
    "bench": ["--device", "tpu"],
    "check": ["--budget", "none"],
    "errata": ["--budget", "none"],
    "experiment": ["no_such_experiment"],
    "report": ["--budget", "none"],
    "verify": ["--budget", "none"],
    "simulate": ["--problem", "no_such_file.json"],
    "tune": ["--problem", "no_such_file.json"],
    "law": ["--problem", "no_such_file.json"],
    "derive": ["--model", "no_such_model"],
    "convert": ["--from", "no_such", "--to", "sgld"],
}
_TARGETS = {"errata": "no_such_paper", "report": "no_such_paper", "verify": "no_such_paper"}


@cache
def commands() -> dict[str, click.Command]:
    """The commands by name."""
    from reports.terminal import cli

    context = click.Context(cli)
    return {name: cli.get_command(context, name) for name in cli.list_commands(context)}


def arguments(draw: Random) -> list[str]:
    """A command line: a command, some of its options, some arguments, with a few of them wrong."""
    if draw.random() < 0.05:
        return [draw.choice(_VALUES) for _ in range(draw.randrange(1, 4))]
    name = draw.choice(list(commands()))
    command = commands()[name]
    words: list[str] = []
    if name in _TARGETS and draw.random() < 0.5:
        words += [_TARGETS[name]]
    else:
        words += _WRONG.get(name, [])
    for option in command.params:
        chance = 0.15 if isinstance(option, click.Option) else 0.7
        if draw.random() > chance:
            continue
        spoken = draw.choice(option.opts) if isinstance(option, click.Option) else ""
        if spoken.startswith("--out") or spoken in ("--page", "--checkpoint"):
            continue
        value = draw.choice(_VALUES)
        if isinstance(option, click.Option) and option.is_flag:
            words += [spoken if draw.random() < 0.8 else f"{spoken}={value}"]
        elif spoken:
            words += [f"{spoken}={value}"] if draw.random() < 0.5 else [spoken, value]
        elif name not in _TARGETS:
            words += [value]
    if draw.random() < 0.1:
        words += [draw.choice(("--no-such", "-z", "--", "--time-limit", "extra"))]
    return [name, *words]
