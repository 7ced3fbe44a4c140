"""The page of one check: verdict, what is likely wrong, measured against exact, how to run it again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from sympy import Symbol

from reports import checkplots
from reports.document import (
    Block,
    Bullets,
    Code,
    Details,
    Equation,
    Figure,
    Heading,
    Math,
    Mono,
    Number,
    Page,
    Paragraph,
    Span,
    Strong,
    Table,
    Text,
    Verdict,
)
from reports.pages.updates import updates_beside
from sgtheory import registry
from sgtheory.notation.derivation import Equation as Formula
from sgtheory.notation.printing import latex
from verification.checking.telling import farthest, held_against, off_by, subject

_GREEK = {"eps": r"\epsilon"}


def check_page(found: Any, again: str, slug: str = "check", drawings: bool = True) -> Page:
    """The page of a ``Conformance``; ``again`` is the command that makes it once more."""
    blocks: list[Block] = [
        Verdict(found.verdict, sentence(found)),
        *(Paragraph(line) for line in found.taken),
        Paragraph(power_of(found)),
        *_likely(found),
        *(_drawings(found) if drawings else []),
        *_problems(found),
        *_notes(found),
        *_again(found, again, slug),
    ]
    return Page(
        slug=slug,
        title=f"{_short(found.target)} against the law of {found.like}",
        blocks=tuple(blocks),
        kind="check",
        summary=(
            "A sampler is biased by design, so it is held against the exact law of its own algorithm"
            " and not against its target."
        ),
    )


def sentence(found: Any) -> tuple[Span, ...]:
    """What the verdict says, in one sentence."""
    compared = [o for o in found.outcomes if o.comparison is not None]
    tests = sum(len(o.comparison.tests) for o in compared)
    rejecting = sum(not o.agrees for o in found.outcomes)
    whose: tuple[Span, ...] = (f" {held_against(found)} ", Mono(found.like))
    where = f"{len(found.outcomes)} problems" if len(found.outcomes) != 1 else "the one problem"
    match found.verdict:
        case "conforms":
            return (f"{tests:,} exact tests in {where} find no difference from", *whose, ".")
        case "deviates":
            share = f"{rejecting} of {where}" if len(found.outcomes) != 1 else where
            return (f"In {share} it departs from", *whose, ".")
        case "crashed":
            return ("It did not come to an end that could be held against", *whose, ".")
        case _:
            return ("Too little could be measured or computed to hold it against", *whose, ".")


def power_of(found: Any) -> tuple[Span, ...]:
    """What the check promises, whatever it found."""
    return (
        "A right sampler is rejected anywhere with probability at most ",
        Math(_ten(found.false_alarm), f"{found.false_alarm:g}"),
        f"; an error of {100 * found.effect:.3g} % of a variance, in one problem alone, is noticed with"
        f" probability {found.power:g}.",
    )


def _ten(x: float) -> str:
    digits, _, power = f"{x:.3g}".partition("e")
    if not power:
        return digits
    front = "" if digits == "1" else rf"{digits} \times "
    return rf"{front}10^{{{int(power)}}}"


def _short(target: str) -> str:
    """A target without the folders that it lies in."""
    return target.replace("\\", "/").rpartition("/")[2]


def _likely(found: Any) -> list[Block]:
    if not found.diagnosis:
        return []
    first, *others = found.diagnosis
    title = "What is likely wrong" if first.score == 1 else "What was seen"
    blocks: list[Block] = [
        Heading(2, title, "diagnosis"),
        *_diagnosed(found.sampler or found.like, first),
    ]
    if others:
        inside = [block for d in others for block in _diagnosed(found.sampler or found.like, d)]
        blocks.append(Details("What else has the law that was measured", tuple(inside)))
    return blocks


def _diagnosed(like: Any, diagnosis: Any) -> list[Block]:
    blocks: list[Block] = [Paragraph((Strong(diagnosis.name), f": {diagnosis.words}"))]
    if subject(diagnosis) is not None:
        blocks += updates_beside(registry.sampler(like), subject(diagnosis))
    elif diagnosis.formula:
        blocks.append(Code(diagnosis.formula))
    if diagnosis.translation:
        blocks.append(Paragraph("with these parameters, in those of what it should be:"))
    for name, value in diagnosis.translation:
        equation = Formula(Symbol(name), value)
        blocks.append(Equation(equation.latex, text=equation.text))
    return blocks


def _drawings(found: Any) -> list[Block]:
    drawn = [
        s for o in found.outcomes if (s := checkplots.shown(o, found.sampler or found.like)) is not None
    ]
    if not drawn:
        return []
    figures: list[Figure | None] = [
        checkplots.scores(found.outcomes),
        checkplots.means(drawn),
        checkplots.deviations(drawn),
        checkplots.ellipses(drawn),
        checkplots.correlations(drawn),
    ]
    return [Heading(2, "Measured against exact", "measured"), *(f for f in figures if f is not None)]


def _problems(found: Any) -> list[Block]:
    every = (*found.outcomes, *found.further)
    rows: tuple[tuple[Text, ...], ...] = tuple(_row(o) for o in every)
    if not rows:
        return []
    headers: tuple[Text, ...] = ("problem", "tests", "reject", "farthest off", "by")
    chains = max(o.measured.chains for o in found.outcomes)
    caption = f"{chains:,} chains in each problem; sd: standard deviations of one chain."
    return [
        Heading(2, "All problems", "problems"),
        Table(headers, rows, caption, align="lrrlr"),
        *_parameters(found.outcomes),
    ]


def _row(outcome: Any) -> tuple[Text, ...]:
    compared = outcome.comparison
    if compared is None:
        return (outcome.case.name, "–", "–", outcome.measured.fault or "not compared", "–")
    worst = farthest(compared)
    counts = (str(len(compared.tests)), str(len(compared.rejected)))
    return (outcome.case.name, *counts, worst.name, Number(off_by(worst), "estimated"))


def _parameters(outcomes: Sequence[Any]) -> list[Block]:
    """The numbers of each problem; its matrices are in its file."""
    every = [{**o.case.problem.sizes, **o.case.problem.params} for o in outcomes]
    names = [n for n in every[0] if all(isinstance(v.get(n), Fraction | int) for v in every)]
    if not names:
        return []
    headers: tuple[Text, ...] = ("problem", *(Math(_GREEK.get(n) or latex(Symbol(n)), n) for n in names))
    rows = tuple(
        (o.case.name, *(Number(str(v[n])) for n in names)) for o, v in zip(outcomes, every, strict=True)
    )
    return [Table(headers, rows, "What each is run with; matrices are in the files below.")]


def _notes(found: Any) -> list[Block]:
    return [Heading(2, "Notes"), Bullets(tuple(found.notes))] if found.notes else []


def _again(found: Any, again: str, slug: str) -> list[Block]:
    blocks: list[Block] = [Heading(2, "Run it again", "again"), Code(again, "sh")]
    words = (
        f"The seed is {found.seed}: the same seed draws the same problems and the same gradient noise."
        " Each problem is a file that ",
        Mono("sgtheory law"),
        " reads; its law is that of the distance from the mode.",
    )
    blocks.append(Paragraph(words))
    inside: list[Block] = []
    for k, outcome in enumerate(found.outcomes, 1):
        case = outcome.case
        name = problem_file(slug, k)
        command = f"sgtheory law {found.like} --problem {name} --at {max(case.times)}"
        mode = ", ".join(f"{x:g}" for x in case.mode)
        caption = (Mono(name), f": {case.name}, seed {case.seed}, mode at ({mode})")
        inside += [Code(json.dumps(case.problem.to_json()), "json", caption), Code(command, "sh")]
    return [*blocks, Details("The problems", tuple(inside))] if inside else blocks


def problem_file(slug: str, k: int) -> str:
    """The name of the file of the k-th problem, beside the page."""
    return f"{slug}.problem-{k}.json"


def problem_files(found: Any, slug: str) -> dict[str, str]:
    """The files of all problems, by their names."""
    texts = [json.dumps(o.case.problem.to_json(), indent=1) + "\n" for o in found.outcomes]
    return {problem_file(slug, k): text for k, text in enumerate(texts, 1)}
