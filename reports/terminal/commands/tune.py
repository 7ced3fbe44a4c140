"""``sgtheory tune``: the best parameters, beside those that papers print."""

from __future__ import annotations

from typing import Any

import click

from reports.terminal import common


@click.command("tune")
@common.sampler
@common.problem
@click.option("--only", multiple=True, metavar="PARAMETER", help="Tune this one; may be repeated.")
@click.option("--passes", type=float, metavar="N", help="With so many passes over the data.")
@click.option("--over", metavar="NAMES", help="With a budget: choose these, such as eps,S (all).")
@common.as_json
@click.pass_context
def command(
    context: click.Context,
    sampler: str,
    problem: str,
    only: tuple[str, ...],
    passes: float | None,
    over: str | None,
    as_json: bool,
) -> None:
    """Choose every parameter of SAMPLER on a problem, each with the others as they are.

    For each: what papers print, what the continuous-time limit says, and the optimum of the
    algorithm as it runs, with the divergence from the posterior that each really has. With a
    budget, the numbers that make the error of a run smallest: `sgtheory advise` for one sampler.
    """
    from sgtheory.errors import UnusableInput
    from sgtheory.problem import read_problem
    from sgtheory.tuning import tune

    if passes is not None and not only:
        _with_budget(sampler, read_problem(problem), passes, over, common.repeated(context), as_json)
        return
    if passes is not None or over is not None:
        got = "--only with a budget" if passes is not None else "--over without one"
        raise UnusableInput("--passes with --over, or --only", got, "give --passes 200 --over eps,S")
    read = read_problem(problem)
    with common.progress_bar(f"tuning {sampler}") as progress:
        found = tune(sampler, read, only, progress)
    common.tell_unread(read, sampler)
    if as_json:
        common.show_json(found.to_json())
        return
    for number, tuned in enumerate(found.tuned):
        if number:
            click.echo()
        _show(tuned)


def _with_budget(
    sampler: str, problem: Any, passes: float, over: str | None, again: str, as_json: bool
) -> None:
    """The best numbers for a budget; those that are not searched are as the problem has them."""
    from reports.emit import render
    from reports.pages.advice import advice_page
    from sgtheory import registry
    from sgtheory.advice import advise
    from sgtheory.reader.reading import letters

    searched = None if over is None else [name.strip() for name in over.split(",")]
    own = {"S"} | letters(registry.sampler(sampler, problem.params))
    given = {k: x for k, x in {**problem.params, **problem.sizes}.items() if k in own}
    fixed = {} if searched is None else {k: x for k, x in given.items() if k not in searched}
    with common.progress_bar(f"tuning {sampler}") as progress:
        found = advise(problem, passes=passes, samplers=[sampler], fixed=fixed, progress=progress)
    if as_json:
        common.show_json(found.to_json())
    else:
        click.echo(render((advice_page(found, again, drawings=False),), "text").rstrip())


def _show(tuned: Any) -> None:
    click.echo(click.style(tuned.parameter, bold=True))
    for choice in tuned.choices:
        click.echo(f"  {choice.how}{_formula(tuned.parameter, choice)}")
        for name, value in choice.values.items():
            _show_value(name, value)
        if choice.stable and choice.kl_to_posterior is not None:
            promised = ""
            if choice.promised is not None:
                promised = f" (its continuous-time limit promises {_tidy(choice.promised)})"
            click.echo(f"    KL to the posterior {_tidy(choice.kl_to_posterior)}{promised}")
            if choice.kl_from_posterior is not None:
                click.echo(f"    KL from the posterior {_tidy(choice.kl_from_posterior)}")
        else:
            click.echo("    unstable, or without a divergence")
    if tuned.note:
        click.echo(f"  {tuned.note}")
    if tuned.certificate is not None:
        word = "certified" if tuned.certificate.holds else "NOT certified"
        click.echo(f"  {word}: {tuned.certificate.words}")


def _formula(parameter: str, choice: Any) -> str:
    from sgtheory.notation.printing import plain

    cites = f", {choice.cites}" if choice.cites else ""
    if choice.formula is None:
        return cites
    left = f"{parameter}^(-1)" if choice.inverse else "E E^T" if parameter == "E" else parameter
    return f"{cites}: {left} = {plain(choice.formula)}"


def _show_value(name: str, value: Any) -> None:
    if not isinstance(value, list):
        click.echo(f"    {name} = {value:.9g}")
        return
    rows = value if isinstance(value[0], list) else [value]
    click.echo(f"    {name}" + (" (diagonal)" if rows is not value else ""))
    click.echo("\n".join("  " + line for line in common.matrix_lines(rows)))


def _tidy(kl: float) -> str:
    """A divergence; what is zero but for rounding is written as zero."""
    return "0" if abs(kl) < 1e-13 else f"{kl:.9g}"
