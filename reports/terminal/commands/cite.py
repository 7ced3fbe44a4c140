"""``sgtheory cite``: BibTeX."""

from __future__ import annotations

import click

from reports.terminal import common

_OWN = """@software{sgtheory,
  title   = {sgtheory: the exact law of stochastic-gradient samplers},
  author  = {{The sgtheory founders}},
  version = {%s},
  year    = {2026}
}"""


@click.command("cite")
@click.argument("targets", nargs=-1, metavar="[CLAIM|SAMPLER]...", shell_complete=common.complete_target)
def command(targets: tuple[str, ...]) -> None:
    """Print BibTeX for claims, samplers or papers; with none, for all papers and for sgtheory."""
    from sgtheory import __version__
    from verification.library import paper, paper_keys

    keys = list(dict.fromkeys(k for t in targets for k in _papers_of(t))) if targets else paper_keys()
    for key in keys:
        click.echo(paper(key).bibtex + "\n")
    if not targets:
        click.echo(_OWN % __version__)


def _papers_of(target: str) -> list[str]:
    from sgtheory.errors import UnusableInput
    from sgtheory.registry import names, sampler
    from verification.library import paper_keys, select

    if target in names("samplers"):
        cited = [c.split()[0] for c in sampler(target).cites]
        return [key for key in dict.fromkeys(cited) if key in paper_keys()]
    try:
        return [claim.paper for claim in select((target,))]
    except UnusableInput:
        raise UnusableInput(
            "a claim, a sampler or a paper", repr(target), "see sgtheory list claims"
        ) from None
