"""``sgtheory new``: first files to start from."""

from __future__ import annotations

from pathlib import Path

import click

from reports.terminal import common

_CLAIM = '''"""Claims of a paper, as printed: no line here says whether one is true.

Run: sgtheory verify {name}
"""

from verification.claims.base import Assumption, Printed
from verification.claims.bound import Bound
from verification.claims.identity import Identity
from verification.claims.stationary import StationaryLaw
from verification.notation import A, C, S, Sigma, SmallestEigenvalue, eps, mu, trace

SMALL_STEPS = Assumption("the step is small enough for the continuous-time limit")

# An equation that the stationary covariance of a sampler is printed to satisfy. C is the covariance
# of one example's gradient; see sgtheory list samplers for the names of samplers.
eq1 = StationaryLaw(
    "eq1",
    at="Eq. 1",
    title="Stationary covariance of SGD with momentum",
    says="Momentum only rescales the covariance of constant SGD.",
    of="momentum",
    given=(SMALL_STEPS,),
    printed=(Printed(A * Sigma + Sigma * A, eps / (mu * S) * C),),
)

# An identity between matrices or numbers; with a sampler named, moments of its law may stand in it.
eq2 = Identity(
    "eq2",
    at="Eq. 2",
    title="Energy of constant SGD",
    says="The mean energy does not depend on the curvature.",
    of="sgd",
    printed=(Printed(trace(A * Sigma), eps / (2 * S) * trace(C)),),
)

# A bound; the report says whether it is tight.
eq3 = Bound(
    "eq3",
    at="Eq. 3",
    title="Size of the stationary covariance",
    says="The covariance is bounded by the noise over the smallest curvature.",
    of="sgd",
    kinds=(("A", "diagonal"),),
    printed=(Printed(trace(Sigma), eps * trace(C) / (2 * S * SmallestEigenvalue(A)), "<="),),
)
'''


@click.group("new")
def command() -> None:
    """Write a first file to start from."""


@command.command("claim")
@click.argument("file", default="my_paper.py", metavar="[FILE.py]", type=click.Path())
def claim(file: str) -> None:
    """Write a first file of claims, one of each common kind, for verify FILE.py."""
    from sgtheory.errors import UnusableInput

    path = Path(file)
    if path.suffix != ".py":
        raise UnusableInput("a name that ends in .py", file, "write sgtheory new claim my_paper.py")
    if path.exists():
        raise UnusableInput("a new file", f"{file}, which is there", "choose another name")
    common.write_file(path, _CLAIM.format(name=path.name))
    click.echo(f"{path} holds three claims; run: sgtheory verify {path}")
