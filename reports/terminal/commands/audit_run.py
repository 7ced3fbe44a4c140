"""``sgtheory audit-run``: a finished run, held against the law that its sampler should have."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from reports.terminal import common
from sgtheory.reader import limits

_STATUS = {"as foretold": 0, "differs": 1, "inconclusive": 3}
_ENDS = "Exit status: 0 as foretold, 1 differs, 3 inconclusive."


@click.command("audit-run", epilog=_ENDS)
@click.argument("trace", metavar="TRACE", type=common.Named())
@common.problem
@click.option("--like", metavar="SAMPLER", help="Of which sampler it is a run; our own traces say it.")
@click.option(
    "--state",
    metavar="NAMES",
    help="The variable, array or columns with the positions, several with commas between them.",
)
@click.option(
    "--every",
    type=click.IntRange(1, limits.COUNT),
    metavar="M",
    help="Two draws are M steps apart; 1 where the file does not say it.",
)
@click.option(
    "--burn-in", type=click.IntRange(0, limits.COUNT), default=0, metavar="K", help="Leave out K draws."
)
@click.option(
    "--mode",
    metavar="NUMBERS",
    help="Where the loss is smallest, with commas, if the problem does not say; run: where the run is.",
)
@click.option(
    "--false-alarm",
    type=common.Between(0, 1, min_open=True, max_open=True),
    default=1e-3,
    show_default=True,
    help="The probability that a right run is said to differ.",
)
@common.page
@common.as_json
@click.pass_context
def command(
    context: click.Context,
    trace: str,
    problem: str,
    like: str | None,
    state: str | None,
    every: int | None,
    burn_in: int,
    mode: str | None,
    false_alarm: float,
    page: Path | None,
    as_json: bool,
) -> Any:
    """Hold a finished run, TRACE, against the exact law that its sampler has on a problem.

    TRACE is .npz or .npy with an array (chains, draws, D) or (draws, D), an InferenceData of ArviZ
    (.nc), or Parquet. Every draw is held against the one before, so that a run need not have settled
    to be judged; what does not fit is told by name: still moving, another temperature, step, batch,
    thinning or mode, a loss that is not quadratic, or a fault that `check` knows.
    """
    from reports.emit import render
    from reports.pages.finished import run_page
    from sgtheory.problem import read_problem
    from verification.finished import audit_run

    common.try_page(page)
    read = read_problem(problem)
    found = audit_run(
        trace,
        read,
        like=like,
        state=state,
        every=every,
        burn_in=burn_in,
        mode=mode if mode in (None, "run") else str(mode).split(","),
        false_alarm=false_alarm,
    )
    common.tell_unread(read, like or found.like)
    again = common.repeated(context)
    if as_json:
        common.show_json(found.to_json())
    else:
        click.echo(render((run_page(found, again, drawings=False),), "text").rstrip())
    if page is not None:
        common.write_page(run_page(found, again, page.stem), page, err=as_json)
    return _STATUS[found.verdict]
