"""A step function of one's own, held against the law that it should have."""

from __future__ import annotations

from reports.document import Block, Code, Heading, Paragraph, prose
from reports.guide._running import command

TITLE = "Check your sampler"
SUMMARY = "Does an implementation sample the law that its algorithm has? If not, which fault is it?"

RIGHT = """\
import numpy as np

def step(theta, gradient, rng, eps, N, H):
    noise = rng.normal(size=theta.shape) @ np.linalg.cholesky(H).T
    return theta - eps / 2 * N * gradient(theta) @ H + eps**0.5 * noise
"""
WRONG = RIGHT.replace("eps**0.5 * noise", "eps * noise")


def blocks() -> tuple[Block, ...]:
    """The right step, and one with a common fault."""
    return (
        Paragraph(
            prose("A step of SGLD with a gain $H$ in `mine.py`; the gradient is that of the mean loss:")
        ),
        Code(RIGHT, "python"),
        *command("sgtheory check mine.py:step --like sgld", {"mine.py": RIGHT}),
        Heading(2, "A fault that no picture shows"),
        Paragraph("The same with the step in place of its root before the noise:"),
        *command("sgtheory check mine.py:step --like sgld", {"mine.py": WRONG}),
        Paragraph("A test that looks at means, shapes and plots passes both."),
    )
