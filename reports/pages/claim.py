"""A claim's page: what is printed, whether it is so, why, what shows it, and what is true instead."""

from __future__ import annotations

from typing import Any

from reports.document import (
    Block,
    Bullets,
    Code,
    Details,
    Equation,
    Heading,
    Link,
    Math,
    Page,
    Paragraph,
    Strong,
    Table,
    Verdict,
    VerdictWord,
    place_of,
)
from reports.experiments import showing
from reports.math.writing import formula
from reports.pages.consequences import how_far
from reports.pages.difference import difference
from reports.pages.glossary import SLUG as WORDS
from reports.pages.measured import measured, minibatches
from reports.pages.numbers import counterexample, numbers_of
from reports.pages.paper import short
from reports.pages.row import Row, named_of, sampler_slug, section_of, section_slug
from reports.pages.words import begins, installed, paragraphs, steps_of, title_of, typeset
from sgtheory.notation.sentence import joined, unstopped
from verification.auditing.reasons import reasons
from verification.library import Paper
from verification.library.reading import how_read
from verification.statements.entry import given_words
from verification.verdicts.wording import scope_of


def claim_page(verdict: Any, paper: Paper) -> Page:
    """The page of one verdict; of what no computation decides, the part of its section's page."""
    claim, finding = verdict.claim, verdict.finding
    own = not Row.of_claim(claim).place
    blocks = [
        *_printed(claim, paper),
        *_how_read(claim),
        Verdict(finding.verdict, typeset(finding.reason), verdict.scope),
        *how_far(verdict),
        *_made_again(claim),
    ]
    if own:
        blocks += [
            *_correction(claim, finding),
            *difference(verdict),
            *counterexample(finding),
            *_discrete(verdict),
            *measured(verdict.measured, claim),
            *minibatches(verdict.minibatches),
            *_why(finding),
            *_tried(verdict),
            *_again(verdict, paper),
        ]
    return Page(
        slug=place_of(claim.id),
        title=title_of(claim.title),
        blocks=paragraphs(blocks),
        kind="claim",
        summary=(f"{claim.at[0].upper()}{claim.at[1:]}",),
        trail=trail_of(claim, paper),
    )


def trail_of(claim: Any, paper: Paper) -> tuple[Link, ...]:
    """The way to a claim: its paper, and its section."""
    of = Link(short(paper), f"paper-{paper.key}")
    part = section_of(claim)
    section = (Link(part.short, section_slug(paper.key, part)),) if part else ()
    return (Link("All papers", "index"), of, *section)


def _printed(claim: Any, paper: Paper) -> list[Block]:
    equations = [
        Equation(latex, label=f"printed-{k}", text=printed.text())
        for k, (latex, printed) in enumerate(
            zip(claim.printed_latex(), claim.printed, strict=True), start=1
        )
    ]
    said = Strong(f"{begins(claim.stands)}: ")
    blocks: list[Block] = [Paragraph((said, *typeset(claim.says))), *equations]
    words = given_words(claim)
    if words:
        blocks.append(Paragraph(("Given: ", *typeset(joined(*map(unstopped, words), by="; ")), ".")))
    if named_of(claim.of) and claim.setting.sampler.name:
        link = Link(str(claim.of), sampler_slug(str(claim.of)), typed=True)
        blocks.append(Paragraph(("It is about the sampler ", link, ".")))
    return blocks


def _made_again(claim: Any) -> list[Block]:
    """The figures and tables that it is on, made again."""
    results = [] if claim.source else showing(claim.id)
    return [
        Paragraph(
            (
                "Made again from its printed settings: ",
                Link(r.experiment.locator, f"experiment-{r.experiment.name}"),
                ", ",
                VerdictWord(r.word),
                ".",
            )
        )
        for r in results
    ]


def _how_read(claim: Any) -> list[Block]:
    """Of a claim of a text: its words, its letters, and the Python that says the same."""
    found = how_read(claim)
    if found is None:
        return []
    letters = [Table(("letter", "taken to be"), found.letters)] if found.letters else []
    inside: list[Block] = [
        Code(found.source, "text"),
        *letters,
        Paragraph("The same in Python:"),
        Code(found.python, "python"),
    ]
    return [Details(f"How line {found.line} of the text was read", tuple(inside))]


def _correction(claim: Any, finding: Any) -> list[Block]:
    if finding.corrected is None:
        return [Heading(2, "How far it is off"), *gap(finding)] if finding.gap else []
    corrected = finding.corrected
    found: list[Block] = [Heading(2, "What is true instead")]
    found += [Equation(line.latex) for line in corrected.lines]
    found.append(Paragraph((VerdictWord(corrected.verdict), ", ", *typeset(corrected.words), ".")))
    return [*found, *_why_no_claim(claim, corrected), *gap(finding)]


def _why_no_claim(claim: Any, corrected: Any) -> list[Block]:
    """Why what is true instead is not judged as a claim of its own, where it is not."""
    if corrected.printed or corrected.sets:
        return []
    why = reasons().get((claim.id, "unstated corrections"), "")
    held = "It is held to what its own search computes, and not judged as a claim of its own. "
    return [Paragraph((held, *typeset(why)))]


def gap(finding: Any) -> list[Block]:
    """How far a statement is off where a parameter is small."""
    found = finding.gap
    if found is None:
        return []
    small, *faster = (Math(formula(n) or n, n) for n in (found.parameter, found.faster) if n)
    beside: list[Any] = [", and ", *faster, " faster,"] if faster else []
    becomes = " the printed form becomes right; to leading order its relative error is"
    return [
        Paragraph(("As ", small, " vanishes", *beside, becomes)),
        Equation(found.term.latex, text=found.term.text),
    ]


_ROUTES = {
    "symbolic": "By symbols",
    "exact": "By exact numbers",
    "search": "By search",
    "operator": "By its transition operator",
    "ensemble": "By many chains",
}


def _why(finding: Any) -> list[Block]:
    blocks: list[Block] = [Heading(2, "Why")] if finding.evidence else []
    told: list[Any] = []  # a proof under a condition may be the proof that is there already
    for evidence in finding.evidence:
        route = _ROUTES.get(evidence.route, evidence.route)
        blocks.append(Paragraph((Strong(f"{route}. "), *typeset(evidence.words))))
        derivation = evidence.derivation  # a proof of one line may have no steps
        if derivation is not None and derivation.steps and derivation not in told:
            steps = steps_of(derivation)
            many = _count(len(steps.steps), "step")
            blocks.append(Details(f"The derivation, in {many}", (steps,)))
            told.append(derivation)
    return blocks


def _discrete(verdict: Any) -> list[Block]:
    finding = verdict.discrete
    if finding is None:
        return []
    blocks: list[Block] = [
        Heading(2, "Read for the discrete algorithm"),
        Paragraph(
            "The paper states this for the continuous-time limit. The algorithm that runs takes steps;"
            " held against its exact law, the same statement fares like this."
        ),
        Verdict(finding.verdict, typeset(finding.reason), scope_of(verdict.claim, finding)),
    ]
    blocks += [*gap(finding), *numbers_of(finding)]
    if finding.loss is not None:
        blocks.append(Paragraph(typeset(finding.loss.words)))
    if finding.corrected is not None:
        blocks.append(Paragraph("Exactly true of the algorithm:"))
        blocks += [Equation(line.latex) for line in finding.corrected.lines]
        blocks += _why_no_claim(verdict.claim, finding.corrected)
    return blocks


def _tried(verdict: Any) -> list[Block]:
    twins = verdict.twins
    items: list[Any] = []
    if twins.tried:
        items.append(
            (
                "The statement was corrupted in ",
                Link(_count(twins.tried, "way"), f"{WORDS}#word-wrong-twin"),
                ", such as a factor 2 or a sign;"
                f" {'all' if twins.rejected == twins.tried else twins.rejected} were rejected.",
            )
        )
    if twins.equivalent:
        same = len(twins.equivalent)
        items.append(
            f"{_count(same, 'more change')} left what is said as it was, such as a factor that cancels;"
            " none of these is counted."
        )
    items += [("Not rejected: ", *typeset(name), ".") for name in twins.survivors]
    if verdict.measured is not None:
        rejected = "rejected" if verdict.measured.data["twin"]["rejected"] else "NOT rejected"
        items.append(
            f"The measurement's own wrong twin, a law off by twice the resolution, was {rejected}."
        )
    return [Details("What was tried to break it", (Bullets(tuple(items)),))] if items else []


def _count(many: int, what: str) -> str:
    return f"{many} {what}{'s' * (many != 1)}"


def _again(verdict: Any, paper: Paper) -> list[Block]:
    commands = [verdict.again or f"sgtheory verify {verdict.claim.id}"]
    commands += [f"sgtheory cite {paper.key}"] if paper.bibtex else []
    shown = (Code(command, "sh") for command in commands)
    title = "Run it again, and cite it" if paper.bibtex else "Run it again"
    return [Details(title, (installed(), *shown))]
