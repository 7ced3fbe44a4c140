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
    """Print what to cite for claims, samplers or papers; with none, for all papers and for sgtheory.

    BibTeX for every work that is known here; what a sampler's card says of each, as a comment.
    """
    from sgtheory import __version__
    from verification.library import paper, paper_keys
    from verification.library.references import REFERENCES

    if not targets:
        for key in paper_keys():
            click.echo(paper(key).bibtex + "\n")
        click.echo(_OWN % __version__)
        return
    cited = {target: _references(target) for target in targets}
    seen = set()
    for target, references in cited.items():
        if not references:
            click.echo(f"% {target}: its card has no reference\n")
        for reference in references:
            key = reference.partition(" ")[0].rstrip(",;:")
            if key not in seen and (key in paper_keys() or key in REFERENCES):
                work = paper(key).bibtex if key in paper_keys() else REFERENCES[key]
                click.echo(work + "\n")
                seen.add(key)
            if reference != target:
                click.echo(f"% {target}: {reference}\n")


def _references(target: str) -> list[str]:
    """What a sampler's card cites, in its words; of a claim or a paper the paper."""
    from sgtheory.errors import UnusableInput
    from sgtheory.finding import suggest
    from sgtheory.registry import is_elsewhere, known_as, names, sampler
    from verification.library import index, is_file, paper_keys, select
    from verification.library.references import REFERENCES

    if target in paper_keys() or target in REFERENCES:
        return [target]
    target = known_as(target, names("samplers"))
    if target.partition(":")[0] in names("samplers") or is_elsewhere(target):
        return list(sampler(target).cites)
    if is_file(target):
        return [claim.paper for claim in select((target,)) if claim.paper in paper_keys()]
    known = index.names("claims")
    if target in known:
        return [key for key in paper_keys() if target.startswith(f"{key}.")]
    remedy = suggest.remedy(
        target, [*paper_keys(), *REFERENCES, *names("samplers"), *known], "see sgtheory list claims"
    )
    raise UnusableInput("a claim, a sampler or a paper", repr(target[:60]), remedy)
