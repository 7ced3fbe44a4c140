"""A sampler's page: its update, its conventions, and every law that is known of it."""

from __future__ import annotations

from typing import Any

from reports.document import (
    Block,
    Bullets,
    Code,
    Equation,
    Heading,
    Link,
    Math,
    Page,
    Paragraph,
    Strong,
    Table,
)
from reports.pages.words import paragraphs, steps_of
from sgtheory import registry
from sgtheory.derivation import Equation as Formula
from sgtheory.errors import NotAffine
from sgtheory.printing import latex, plain
from sgtheory.setting import Setting
from sgtheory.symbolic import derive

_EXAMPLE = (
    '{"hessian": [[2, 1], [1, "3/2"]], "noise": [[1, "1/4"], ["1/4", 2]],\n'
    ' "N": 40, "S": 4, "params": {"eps": "1/50", "mu": "3/10"}}'
)


def sampler_page(sampler: Any) -> Page:
    """Everything that can be derived for a sampler on the quadratic model."""
    blocks: list[Block | None] = [
        Paragraph("One step writes, in this order:"),
        *(
            Equation(Formula(t, e, "->").latex, text=Formula(t, e, "->").text)
            for t, e in sampler.updates
        ),
        *_card(sampler),
    ]
    blocks += _closed_forms(sampler)
    blocks += [
        Heading(2, "In numbers"),
        Paragraph("A problem file, and the law it gives:"),
        Code(_EXAMPLE, "json"),
        Code(f"sgtheory law {sampler.name} --problem problem.json", "sh"),
        Code(f"sgtheory derive {sampler.name} --what all --series 2", "sh"),
    ]
    return Page(
        slug=f"sampler-{sampler.name}",
        title=sampler.title,
        blocks=paragraphs(blocks),
        kind="sampler",
        summary=(f"Update, conventions and exact law of {sampler.name}.",),
        trail=(Link("All claims", "index"), Link("Samplers", "index#samplers")),
    )


_TITLES = {"discrete": "The exact law of the algorithm", "continuous": "Its continuous-time limit"}


def _closed_forms(sampler: Any) -> list[Block]:
    setting = Setting(sampler, registry.model("quadratic"))
    if setting.period is None:
        words = (
            "Its steps are never alike, so there is no stationary law; law --at has every finite step."
        )
        return [Paragraph(words)]
    blocks: list[Block] = []
    if setting.period != 1:
        period = Math(latex(setting.period), plain(setting.period))
        blocks.append(
            Paragraph(("Its steps repeat with a period of ", period, " steps. Formulas are for two."))
        )
    try:
        for time in setting.times:
            blocks += _laws(sampler, time, _TITLES[time])
    except NotAffine as reason:
        blocks.append(Paragraph(f"No closed form: {reason}."))
    return blocks


def _card(sampler: Any) -> list[Block]:
    card = sampler.convention
    rows = (
        ("loss", card.loss),
        ("drift", card.drift),
        ("injected noise", card.noise),
        ("data size", card.N),
        ("temperature", card.temperature),
        ("order", card.order),
        ("parameters", ", ".join(p.name for p in sampler.parameters)),
    )
    items = tuple(
        (Strong(t.library), f": {t.words}" + ("" if t.verified else " (not run here)"))
        for t in card.translations
    )
    blocks: list[Block] = [Heading(2, "Conventions"), Table(("what", "here"), rows, align="ll")]
    if items:
        blocks += [Paragraph("The same in other libraries:"), Bullets(items)]
    return blocks


# What each result of a derivation is, in words; covariances come first and share theirs.
_RESULTS = {
    "mean": "The mean after n steps:",
    "autocovariance": "The autocovariance k steps apart:",
    "average": "The covariance of the mean over a window of length T:",
    "transient": "The covariance after n steps:",
    "stability0": "It is stable exactly where, for every eigenvalue:",
    "limit": "That bounds the step by the largest eigenvalue:",
    "series": "For a small step:",
}


def _results(results: Any) -> list[Block]:
    blocks: list[Block] = [Paragraph("The stationary covariance at modes i and j:")]
    for result in results:
        if result.name in _RESULTS:
            blocks.append(Paragraph(_RESULTS[result.name]))
        blocks.append(Equation(result.equation.latex, text=result.equation.text))
    return blocks


def _laws(sampler: Any, time: str, title: str) -> list[Block]:
    law = derive(sampler, time=time)
    told = law.derivation("all", 2)
    blocks: list[Block] = [
        Heading(2, title, f"law-{time}"),
        *_results(told.results),
    ]
    return [*blocks, Heading(3, f"How, in {time} time", f"how-{time}"), steps_of(told)]
