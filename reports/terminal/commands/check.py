"""``sgtheory check``: does a foreign implementation sample the law that it should?"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from reports.terminal import common
from sgtheory.reader import limits

_LARGEST = 20  # dimension
_LARGEST_GB, _MOST_PROCESSES = 1e6, 100_000
_STATUS = {"conforms": 0, "identified": 0, "deviates": 1, "crashed": 1, "inconclusive": 3}


def _dimensions(context: click.Context, parameter: click.Parameter, value: str) -> tuple[int, ...]:
    try:
        found = tuple(int(part) for part in value.split(","))
    except ValueError:
        found = ()
    if not found or not all(1 <= D <= _LARGEST for D in found):
        raise click.BadParameter(f"expected numbers from 1 to {_LARGEST}, such as 1,2,5; got {value!r}")
    return found


_ENDS = "Exit status: 0 conforms or identified, 1 deviates or crashed, 3 inconclusive."


@click.command("check", epilog=_ENDS)
@click.argument("target")
@click.option(
    "--like",
    metavar="SAMPLER",
    help="The sampler whose law it should have; without it, which sampler it is is found out.",
)
@click.option(
    "--with",
    "own",
    multiple=True,
    metavar="NAME=EXPR",
    help="A parameter of the step, as a formula in SAMPLER's: step_size=eps/2; the rest go by name.",
)
@click.option(
    "--fix",
    multiple=True,
    metavar="NAME=VALUE",
    help="A parameter of SAMPLER that has one value throughout: H=identity, tau=1.",
)
@click.option(
    "--as",
    "convention",
    default="",
    metavar="LIBRARY.SAMPLER",
    help="Its step takes that one's letters.",
)
@click.option("--kind", help="Which adapter takes TARGET; found from TARGET itself by default.")
@click.option(
    "--budget",
    type=common.Choice(["quick", "standard", "deep"]),
    default="quick",
    show_default=True,
    help="What is resolved: 5 %, 2 % or 1 % of a variance, with probability 0.99.",
)
@click.option(
    "--minutes",
    type=common.Between(0, limits.SECONDS / 60, min_open=True),
    help="Resolve what this time is enough for, in place of --budget; not less than 1 %.",
)
@click.option(
    "--loss",
    type=common.Choice(["mean", "sum"]),
    help="Of which loss TARGET expects the gradient; as it says itself by default, else the mean.",
)
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=1, show_default=True)
@click.option(
    "--false-alarm",
    type=common.Between(0, 1, min_open=True, max_open=True),
    default=1e-6,
    show_default=True,
    help="The probability that a right sampler is rejected anywhere.",
)
@click.option(
    "--limit",
    type=common.Between(0, limits.SECONDS, min_open=True),
    default=120.0,
    show_default=True,
    help="Seconds that one problem may take, and the loading of TARGET.",
)
@click.option(
    "--memory",
    type=common.Between(0, _LARGEST_GB, min_open=True),
    metavar="GB",
    help="What TARGET and all that it starts may hold, where the system tells (Linux); by default three"
    " quarters of what is free.",
)
@click.option(
    "--processes",
    type=click.IntRange(1, _MOST_PROCESSES),
    default=256,
    show_default=True,
    help="How many TARGET may be, with those that it starts, where the system tells (Linux).",
)
@click.option(
    "--output",
    type=common.Between(0, _LARGEST_GB, min_open=True),
    default=1.0,
    show_default=True,
    metavar="GB",
    help="What TARGET may print.",
)
@click.option(
    "--dimensions",
    default="1,2,3,5,10,2,1,2",
    show_default=True,
    callback=_dimensions,
    metavar="LIST",
    help="Of the problems, one each.",
)
@common.page
@click.option(
    "--junit",
    type=common.Named(path_type=Path),
    metavar="FILE.xml",
    help="Write the problems as JUnit's XML.",
)
@click.option(
    "--sarif",
    type=common.Named(path_type=Path),
    metavar="FILE.sarif",
    help="Write the finding as SARIF.",
)
@click.option(
    "--badge",
    type=common.Named(path_type=Path),
    metavar="FILE.svg",
    help="Draw the verdict as a small picture, for a README.",
)
@click.option(
    "--against",
    type=common.Named(path_type=Path),
    metavar="OLD.json",
    help="Say what came out otherwise than in an earlier check, written by --json.",
)
@common.as_json
@click.pass_context
def command(
    context: click.Context,
    target: str,
    like: str | None,
    own: tuple[str, ...],
    fix: tuple[str, ...],
    convention: str,
    kind: str | None,
    budget: str,
    minutes: float | None,
    loss: str | None,
    seed: int,
    false_alarm: float,
    limit: float,
    memory: float | None,
    processes: int,
    output: float,
    dimensions: tuple[int, ...],
    page: Path | None,
    junit: Path | None,
    sarif: Path | None,
    badge: Path | None,
    against: Path | None,
    as_json: bool,
) -> Any:
    """Hold TARGET (module:attribute or file.py:name) against the exact law of a sampler.

    TARGET is ``step(state, gradient, rng, **params) -> state`` on arrays (chains, D), or what another
    adapter takes. Parameters go by name; what TARGET has no name for has its declared default, such as
    H the identity. It runs in a process of its own. A sampler of a library that is described here is
    a TARGET by its name, such as blackjax.sgld (see `sgtheory list conventions`). Without --like,
    what TARGET is is found out: which declared sampler has its law, with which parameters.
    """
    from reports.pages.check import check_page, problem_files
    from reports.terminal import continuous
    from reports.terminal.checked import lines, tell_github
    from sgtheory.errors import UnusableInput
    from sgtheory.files.writing import try_file, write
    from verification.checking import check
    from verification.checking.asked import entry_of

    if minutes is not None and common.said(context, "budget"):
        raise UnusableInput("--minutes or --budget", "both", "leave one of them out")
    common.try_page(page)
    for file in (junit, sarif, badge):
        if file is not None:
            try_file(file)
    named = [p.resolve() for p in map(Path, filter(None, (page, junit, sarif, badge)))]
    ours = [p for p in named if p.is_file() or not p.exists()]
    if len(set(ours)) < len(ours):
        raise UnusableInput(
            "a file for each of --page, --junit, --sarif, --badge", "one twice", "name two"
        )
    allowed: dict[str, float] = {"processes": processes, "output": 1e9 * output}
    allowed |= {} if memory is None else {"memory": 1e9 * memory}
    old = None if against is None else continuous.earlier(against)
    if like is None and entry_of(target) is None:
        return _identified(
            context, target, kind, budget, loss, seed, false_alarm, limit, allowed, page, as_json
        )
    with common.progress_bar(f"checking {target}") as progress:

        def tell(_: str, share: float) -> None:
            if progress is not None:
                progress(round(1000 * share), 1000)

        found = check(
            target,
            like,
            parameters=common.pairs(own, "step_size=eps/2"),
            fixed=common.pairs(fix, "H=identity"),
            convention=convention,
            kind=kind,
            budget=budget,
            minutes=minutes,
            loss=loss or "",
            seed=seed,
            false_alarm=false_alarm,
            limit=limit,
            dimensions=dimensions,
            allowed=allowed,
            tell=tell,
        )
    again = common.repeated(context)
    told = [] if old is None else list(continuous.changes(old, found.to_json()))
    if as_json:
        common.show_json(found.to_json() | ({} if old is None else {"changes": told}))
    else:
        for line in lines(found):
            click.echo(line)
        if old is not None:
            click.echo(f"{len(told)} changes since {against}" if told else f"As in {against}.")
            for line in told:
                click.echo(f"  {line}")
    written = ((junit, continuous.junit), (sarif, continuous.sarif), (badge, continuous.badge))
    for file, text in written:
        if file is not None:
            write(file, text(found))
    tell_github(found, again, err=as_json)
    if page is not None:
        beside = problem_files(found, page.stem)
        common.write_page(check_page(found, again, page.stem), page, as_json, beside)
    return _STATUS[found.verdict]


def _identified(
    context: click.Context, target: str, kind: str | None, budget: str, loss: str | None, seed: int,
    false_alarm: float, limit: float, allowed: Mapping[str, float], page: Path | None, as_json: bool,
) -> int:  # fmt: skip
    """What a target is, where nobody says what it should be."""
    from reports.pages.identity import identity_page
    from reports.terminal.identified import lines
    from verification.checking.identifying import identify

    options = ("own", "fix", "convention", "dimensions", "minutes", "junit", "sarif", "badge", "against")
    common.refuse(context, options, "--like SAMPLER beside {}", "none")
    with common.progress_bar(f"finding out what {target} is") as progress:

        def tell(_: str, share: float) -> None:
            if progress is not None:
                progress(round(1000 * share), 1000)

        found = identify(
            target, kind=kind, budget=budget, loss=loss or "", seed=seed, false_alarm=false_alarm,
            limit=limit, allowed=allowed, tell=tell,
        )  # fmt: skip
    if as_json:
        common.show_json(found.to_json())
    else:
        for line in lines(found):
            click.echo(line)
    if page is not None:
        common.write_page(identity_page(found, common.repeated(context), page.stem), page, as_json)
    return _STATUS[found.verdict]
