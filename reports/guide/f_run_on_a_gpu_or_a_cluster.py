"""Many chains: on processors, a GPU, or several machines."""

from __future__ import annotations

from reports.document import Block, Bullets, Code, Heading, Paragraph, prose
from reports.guide._running import PROBLEM, command

TITLE = "Run on a GPU or a cluster"
SUMMARY = "The same seed gives the same numbers on a laptop, a GPU and a cluster; runs can be resumed."


def blocks() -> tuple[Block, ...]:
    """What to type, and what stays the same."""
    line = "sgtheory law sgd --problem problem.json --at 64"
    return (
        Paragraph("An ensemble of independent chains, on whatever device there is:"),
        Code("sgtheory simulate sgd --problem problem.json --chains 1000000 --steps 64 --seed 1", "sh"),
        Paragraph("What it should agree with is known exactly, at that very step:"),
        *command(line, {"problem.json": PROBLEM}),
        Heading(2, "Where it runs"),
        Bullets(
            (
                prose("`--device cpu` or `--device cuda`; without it, a GPU where there is one."),
                prose("`--checkpoint DIR` writes what is done, and goes on from there."),
                prose("`--cluster ADDRESS` sends pieces to the workers of a Dask scheduler."),
            )
        ),
        Paragraph(
            "A random number is a function of the seed, the chain, the step and the draw, and of nothing"
            " else, and sums run over a fixed tree: so results do not depend on how a run was cut up."
        ),
    )
