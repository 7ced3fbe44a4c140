"""``sgtheory verify``: verdicts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import click

from reports.terminal import common
from sgtheory.reader import limits

T = TypeVar("T")


def compute(
    work: Callable[..., Iterator[T]],
    targets: tuple[str, ...],
    budget: str,
    device: str,
    seed: int,
    jobs: int | None = None,
) -> tuple[list[T], float]:
    """What is made of the claims that are named, with a progress bar; and the seconds it took."""
    from simulators.engines import processors
    from verification.judging.judge import clock
    from verification.library import select

    claims = select(targets)
    tell_unread(targets)
    began = clock()
    found = []
    with common.progress_bar("verdicts") as progress:
        settings: dict[str, Any] = {"budget": budget, "device": device, "seed": seed}
        for verdict in work(claims, jobs=jobs or processors(), **settings):
            found.append(verdict)
            if progress is not None:
                progress(len(found), len(claims))
    return found, clock() - began


def tell_unread(targets: tuple[str, ...]) -> None:
    """Say what of the texts among the targets is not understood, a line each."""
    from verification.library import unread

    for error in unread(targets):
        common.warn(str(error))


budget_option = click.option(
    "--budget",
    type=common.Choice(["quick", "standard", "deep"]),
    default="quick",
    show_default=True,
    help="What ensembles resolve: 1 %, 0.3 % or 0.1 % of a variance, with probability 0.99.",
)
jobs_option = click.option(
    "--jobs",
    type=click.IntRange(1, limits.JOBS),
    help="Processes that judge claims; one to a processor by default.",
)
seed_option = click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=1, show_default=True)


@click.command("verify", epilog="An interrupted run goes on where it stopped, with the same settings.")
@click.argument(
    "targets", nargs=-1, metavar="[PAPER|CLAIM|FILE]...", shell_complete=common.complete_target
)
@budget_option
@common.device
@seed_option
@click.option(
    "--false-alarm",
    type=common.Between(0, 1, min_open=True, max_open=True),
    default=1e-6,
    show_default=True,
    help="The probability that anything at all is rejected wrongly.",
)
@jobs_option
@click.option("--only", metavar="KEY", multiple=True, help="Of the claims named, those with this key.")
@click.option(
    "--problem",
    metavar="FILE",
    type=common.Named(),
    help="Targets are samplers: hold each to its law on this.",
)
@click.option(
    "--at",
    type=click.IntRange(1, limits.MEASURED),
    default=16,
    show_default=True,
    help="The step, with --problem.",
)
@click.option("-v", "--verbose", is_flag=True, help="Every claim with its reasons, as for a single one.")
@click.option("--show", is_flag=True, help="Show how statements are read, and judge nothing.")
@click.option("--strict", is_flag=True, help="Status 1 where anything does not stand as it is printed.")
@click.option(
    "--json", "out", metavar="FILE", help="Write the JSON document to FILE (- is standard output)."
)
@click.pass_context
def command(
    context: click.Context,
    targets: tuple[str, ...],
    budget: str,
    device: str,
    seed: int,
    false_alarm: float,
    jobs: int | None,
    only: tuple[str, ...],
    problem: str | None,
    at: int,
    verbose: bool,
    show: bool,
    strict: bool,
    out: str | None,
) -> None:
    """Compute the verdict on every claim that is named, or on all of them.

    A FILE is Python (claim(...)) or a text, FILE.md or FILE.tex, with marked statements.

    With --problem FILE the targets are samplers: does an ensemble of each have its exact law there?

    Exit status: 0 as expected, 1 where a claim of a FILE fails, wrong twins survive (more than one
    in a hundred) or two routes disagree, 2 where a file or a statement cannot be read, 3 where
    something is inconclusive.
    """
    from sgtheory.files.writing import try_file

    if out not in (None, "-"):
        try_file(str(out))
    if problem is None:
        common.refuse(context, ("at",), "--problem beside {}", "none")
    else:
        of_claims = ("false_alarm", "jobs", "only", "verbose", "show", "strict")
        common.refuse(context, of_claims, "claims, which {} is about", "samplers on a problem")
        context.exit(_on_problem(targets, problem, at, budget, device, seed, out))
    from verification.library import gather

    gathered = gather(targets)
    errors = [e for e in gathered.errors if not only or _concerns(e, only)]
    for error in errors:
        common.warn(str(error))
    lost = {key for e in errors for key in getattr(e, "keys", ())}
    if errors and not (set(only) - lost if only else gathered.claims):
        context.exit(2)
    claims = _chosen(gathered.claims, only)
    if show:
        _show(claims)
        context.exit(2 if errors else 0)
    from verification.judging.keeping import forget

    settings: dict[str, Any] = {
        "budget": budget,
        "device": device,
        "seed": seed,
        "false_alarm": false_alarm,
    }
    content = _judged(claims, settings, jobs, quiet=out == "-", verbose=verbose)
    if out is not None:  # first, for the reader of standard output may leave
        _write(content, out)
    if out != "-":
        click.echo("\n".join(_ending(claims, content, targets, out)))
    forget(claims, **settings)  # last: until all is said and written, a run that fails loses nothing
    context.exit(2 if errors else _status(content["claims"], targets, strict))


def _show(claims: tuple[Any, ...]) -> None:
    from reports.terminal.understood import understood

    click.echo("\n\n".join("\n".join(understood(claim)) for claim in claims))


def _concerns(error: Any, only: tuple[str, ...]) -> bool:
    """Whether something that was not read is one of the claims that are asked for, or a whole file."""
    keys: tuple[str, ...] | None = getattr(error, "keys", None)
    return keys is None or not set(keys).isdisjoint(only)


def _chosen(claims: tuple[Any, ...], only: tuple[str, ...]) -> tuple[Any, ...]:
    from sgtheory.errors import UnusableInput

    chosen = tuple(c for c in claims if c.key in only or c.id in only) if only else claims
    if not chosen:
        keys = ", ".join(c.key for c in claims)
        raise UnusableInput(f"a key among {keys}", ", ".join(only), "name one of them")
    return chosen


def _judged(
    claims: tuple[Any, ...], settings: dict[str, Any], jobs: int | None, quiet: bool, verbose: bool
) -> dict[str, Any]:
    """Every verdict as soon as it is there; then the twins of the samplers that were met."""
    from reports.terminal import tally
    from reports.terminal.understood import readings
    from simulators.engines import processors
    from verification.judging.judge import clock, document
    from verification.judging.keeping import documents
    from verification.refuter.sampler_twins import of_samplers

    if not quiet:
        for line in readings(claims):
            click.echo(line)
    began, found = clock(), []
    columns, at_length = tally.width(), verbose or len(claims) == 1
    silent = quiet

    def show(verdict: dict[str, Any]) -> None:
        nonlocal silent
        lines = tally.whole(verdict, columns) if at_length else [tally.line(verdict, columns)]
        try:
            if not silent:
                click.echo("\n".join(lines))
        except BrokenPipeError:  # the reader left: the rest is still to be judged and written
            silent = True

    with common.progress_bar("verdicts") as progress:
        for verdict in documents(claims, jobs=jobs or processors(), **settings):
            found.append(verdict)
            if progress is not None:
                progress(len(found), len(claims))
            else:
                show(verdict)
        samplers = of_samplers({c.of for c in claims if c.of})
    run = {k: settings[k] for k in ("budget", "seed", "false_alarm")}
    content = document(found, seconds=clock() - began, **run)
    for verdict in found if progress is not None else ():
        show(verdict)
    return {**content, "samplers": samplers}


def _ending(
    claims: tuple[Any, ...], content: dict[str, Any], targets: tuple[str, ...], out: str | None
) -> Iterator[str]:
    """The tally: papers by verdict, what changed, what took longest, where it all is."""
    from reports.terminal import tally
    from verification.judging.keeping import since_last

    found, columns = content["claims"], tally.width()
    if len(found) > 1:
        yield ""
        yield from tally.table(found, columns)
        yield from (tally.shortened(line, columns) for line in tally.by_stands(found))
    off = [v["id"] for v in found if tally.not_as_printed(v)]
    if off:
        yield tally.shortened(f"not as printed: {', '.join(off)}", columns)
    if len(found) > 1:  # a single one was told at length
        yield from tally.unjudged(found, columns)
    yield from (tally.shortened(line, columns) for line in tally.changes(since_last(claims, found)))
    if len(found) > 1:
        yield tally.shortened(tally.slowest(found), columns)
    yield _rejected(content)
    named = "".join(f" {t}" for t in targets)
    yield f"JSON: {out or f'sgtheory verify{named} --json FILE'}"
    yield f"pages: sgtheory report{named}"


def _rejected(content: dict[str, Any]) -> str:
    """The share of wrong twins that was rejected: a check that cannot fail would show here."""
    run, samplers = content["run"]["twins"], content["samplers"]
    tried = sum(s["tried"] for s in samplers.values())
    rejected = sum(s["rejected"] for s in samplers.values())
    n = len(content["claims"])
    found = [(run["rejected"], run["tried"], "claims"), (rejected, tried, "samplers")]
    told = ", ".join(f"{good} of {every} of {what}" for good, every, what in found if every)
    return f"{n} claim{'s' * (n != 1)}; wrong twins rejected: {told or 'none were made'}"


def _write(content: dict[str, Any], out: str) -> None:
    from sgtheory.files.writing import write

    if out == "-":
        common.show_json(content)
    else:
        write(out, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def _on_problem(
    samplers: tuple[str, ...], file: str, at: int, budget: str, device: str, seed: int, out: str | None
) -> int:
    from reports.terminal import tally
    from sgtheory.errors import UnusableInput
    from sgtheory.problem import read_problem
    from verification.judging.judge import FALSE_ALARM, clock, document
    from verification.properties.single import on_problem

    if not samplers:
        raise UnusableInput("samplers to hold to their laws", "none", "name one before --problem")
    problem, began = read_problem(file), clock()
    found = [on_problem(s, problem, steps=at, budget=budget, seed=seed, device=device) for s in samplers]
    common.tell_unread(problem, *samplers)
    if out is not None:
        verdicts = [single.to_json() for single in found]
        spent: dict[str, Any] = {"budget": budget, "seed": seed, "false_alarm": FALSE_ALARM}
        _write(document(verdicts, seconds=clock() - began, **spent), out)
    if out != "-":
        for single in found:
            click.echo(f"{tally.styled(single.verdict)} {single.sampler}: {single.words}")
    return int(any(single.verdict == "refuted" for single in found))


def _status(found: list[dict[str, Any]], targets: tuple[str, ...], strict: bool) -> int:
    from verification.library import is_file

    files = {Path(t).stem for t in targets if is_file(t)}
    tried = sum(v["twins"]["tried"] for v in found)
    if sum(v["twins"]["rejected"] for v in found) < 0.99 * tried:
        return 1
    if any(v["paper"] in files and v["verdict"] == "refuted" for v in found):
        return 1
    if any(v.get("broken", {}).get("kind") == "routes disagree" for v in found):
        return 1
    if strict and any(v.get("as_printed") is False for v in found):
        return 1
    return 3 if any(v["verdict"] == "inconclusive" for v in found) else 0
