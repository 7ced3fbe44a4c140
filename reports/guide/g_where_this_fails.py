"""What the toolkit does not do, shown by asking it."""

from __future__ import annotations

from typing import Any

from reports.document import Block, Bullets, Heading, Mono, Paragraph, Table, Text, VerdictWord, prose
from reports.pages.words import typeset
from sgtheory import registry
from sgtheory.errors import NotAffine, UnusableInput
from sgtheory.onestep.affine import is_affine
from sgtheory.setting import Setting
from sgtheory.symbolic import derive

TITLE = "Where this fails"
SUMMARY = "What has no closed form, what is assumed, and what a verdict does not say."


def blocks() -> tuple[Block, ...]:
    """Limits, found by asking."""
    model = registry.model("quadratic")
    beyond = [s for s in registry.samplers().values() if not is_affine(Setting(s, model))]
    rows: tuple[tuple[Text, ...], ...] = tuple((Mono(s.name), s.title, _why(s)) for s in beyond)
    return (
        Heading(2, "Samplers without a closed form"),
        Paragraph(
            f"Of {len(registry.names('samplers'))} samplers {len(beyond)} have steps that are not linear"
            " in their state, even on a quadratic loss. Their pages show what can be derived, and what"
            " chains show."
        ),
        Table(("sampler", "what it is", "asked for its covariance"), rows, align="lll"),
        Heading(2, "What is assumed"),
        Bullets(
            (
                prose("Closed forms are for quadratic losses, and noise whose covariance is constant or"
                      " that of minibatches of a linear regression."),
                prose("Near a mode of another loss they are an approximation, and nothing says how"
                      " good; expansions for convex losses say it to leading order in the step."),
                prose("Measurements assume that the generator of random numbers is one."),
            )
        ),
        Heading(2, "What a verdict does not say"),
        Bullets(
            (
                (VerdictWord("inconclusive"), ": neither proof nor counterexample."),
                (VerdictWord("confirmed"), ": measured, within what is stated, and not proved."),
                prose("A claim is judged as it is encoded here: whether the encoding says what the paper"
                      " means is for a reader to judge, and so every page shows both."),
            )
        ),
    )  # fmt: skip


def _why(sampler: Any) -> Text:
    try:
        _ = derive(sampler).covariance
    except (NotAffine, UnusableInput) as error:
        return typeset(error.args[0]) if error.args else "–"
    return "–"
