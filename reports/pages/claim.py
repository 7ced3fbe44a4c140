"""A claim's page: what is printed, whether it is so, why, what shows it, and how to run it again."""

from __future__ import annotations

from collections.abc import Mapping
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
    Mono,
    Number,
    Page,
    Paragraph,
    Strong,
    Table,
    Verdict,
    VerdictWord,
)
from reports.figures import label_latex, measured_against_predicted
from reports.pages.words import matrix_latex, paragraphs, problem_latex, steps_of, typeset
from verification.library import Paper


def claim_page(verdict: Any, paper: Paper) -> Page:
    """The page of one verdict."""
    claim, finding = verdict.claim, verdict.finding
    blocks: list[Block | None] = [
        Paragraph((Strong(claim.at), f" of {paper.authors} ({paper.year}) says: {claim.says}")),
        *(
            Equation(latex, label=f"printed-{k}", text=printed.text())
            for k, (latex, printed) in enumerate(
                zip(claim.printed_latex(), claim.printed, strict=True), start=1
            )
        ),
        Verdict(finding.verdict, typeset(finding.reason)),
        *_correction(finding),
        *_counterexample(finding),
        *_why(finding),
        *_discrete(verdict.discrete),
        *_measured(verdict.measured, claim),
        *_minibatches(verdict.minibatches),
        *_tried(verdict),
        Heading(2, "Run it again"),
        Code(verdict.again or f"sgtheory verify {claim.id}", "sh"),
        Details("BibTeX", (Code(paper.bibtex, "bibtex"),)),
    ]
    return Page(
        slug=claim.id,
        title=f"{claim.title} ({claim.at})",
        blocks=paragraphs(blocks),
        kind="claim",
        summary=(claim.says,),
        trail=(Link("All claims", "index"), Link(paper.title, f"index#{paper.key}")),
    )


def _correction(finding: Any) -> list[Block]:
    if finding.corrected is None:
        return []
    corrected = finding.corrected
    found: list[Block] = [Heading(2, "What is true instead")]
    found += [Equation(part) for part in corrected.latex.split(r" \qquad ")]
    found.append(Paragraph((VerdictWord(corrected.verdict), f", {corrected.words}.")))
    return [*found, *_gap(finding)]


def _gap(finding: Any) -> list[Block]:
    if finding.gap is None:
        return []
    small = Math(_SMALL.get(finding.gap.parameter, finding.gap.parameter), finding.gap.parameter)
    return [
        Paragraph(
            ("As ", small, " vanishes the printed form becomes right; its relative error is first")
        ),
        Equation(finding.gap.term.latex, text=finding.gap.term.text),
    ]


_SMALL = {"eps": r"\epsilon", "S/N": "S/N"}


def _counterexample(finding: Any) -> list[Block]:
    shown = finding.counterexample
    if shown is None:
        return []
    return [
        Heading(2, "The smallest numbers that show it"),
        *([Equation(problem_latex(shown.problem))] if shown.problem else []),
        Paragraph((f"{shown.words[0].upper()}{shown.words[1:]}:",)),
        Equation(_sides(shown)),
        *_as_file(shown.problem),
        *(
            [Details("As a script that decides it", (Code(shown.script, "python"),))]
            if shown.script
            else []
        ),
    ]


def _as_file(problem: Mapping[str, Any]) -> list[Block]:
    if "model" not in problem:
        return []
    words = ("All of them exact. As a problem file, for ", Mono("sgtheory law"), ":")
    return [Paragraph(words), Code(_problem_file(problem), "json")]


def _sides(shown: Any) -> str:
    if isinstance(shown.left, list):
        return rf"{matrix_latex(shown.left)} \ne {matrix_latex(shown.right)}"
    if isinstance(shown.left, Mapping):
        parts = [
            rf"\partial_{{{_index(name)}}} \mathrm{{KL}} = {matrix_latex([[value]])[16:-14]}"
            for name, value in shown.left.items()
        ]
        return r", \quad ".join(parts) + r" \quad \text{instead of } 0"
    return rf"{shown.left} \ne {shown.right}"


def _index(name: str) -> str:
    if "[" not in name:
        return {"eps": r"\epsilon"}.get(name, name)
    letter, _, rest = name.partition("[")
    i, j = rest.rstrip("]").split("][")
    return f"{letter}_{{{int(i) + 1}{int(j) + 1}}}"


def _problem_file(problem: Mapping[str, Any]) -> str:
    import json

    return json.dumps(dict(problem))


def _why(finding: Any) -> list[Block]:
    blocks: list[Block] = [Heading(2, "Why")]
    told: list[Any] = []  # a proof under a condition may be the proof that is there already
    for evidence in finding.evidence:
        blocks.append(Paragraph((Strong(evidence.route), ": ", *typeset(evidence.words))))
        if evidence.derivation is not None and evidence.derivation not in told:
            blocks.append(steps_of(evidence.derivation))
            told.append(evidence.derivation)
    return blocks


def _discrete(finding: Any) -> list[Block]:
    if finding is None:
        return []
    blocks: list[Block] = [
        Heading(2, "Read for the discrete algorithm"),
        Paragraph(
            "The paper states this for the continuous-time limit. The algorithm that runs takes steps;"
            " held against its exact law, the same statement fares like this."
        ),
        Verdict(finding.verdict, typeset(finding.reason)),
    ]
    blocks += _gap(finding)
    if finding.loss is not None:
        blocks.append(Paragraph(typeset(finding.loss.words)))
    if finding.corrected is not None:
        blocks.append(Paragraph("Exactly true of the algorithm:"))
        blocks += [Equation(part) for part in finding.corrected.latex.split(r" \qquad ")]
    return blocks


def _measured(evidence: Any, claim: Any) -> list[Block]:
    if evidence is None:
        return []
    data = evidence.data
    points = data["points"]
    headers = ["entry", "measured", "exact law of the algorithm", "exact continuous-time law"]
    if not points:
        return [Heading(2, "Measured"), Paragraph(typeset(evidence.words))]
    with_printed = any(p["printed"] is not None for p in points)
    rows = []
    for p in points:
        row: list[Any] = [
            Math(label_latex(p["label"]) or p["label"], p["label"]),
            Number(f"{p['measured']:.5f}", "estimated", f"{p['standard_error']:.5f}"),
            # far more digits are right than are printed: the bound is that of rounding
            Number(f"{p['exact']:.5f}", "certified", "0.000005"),
            Number(f"{p['limit']:.5f}", "certified", "0.000005"),
        ]
        rows.append((*row, f"{p['printed']:.5f}") if with_printed else tuple(row))
    return [
        Heading(2, "Measured"),
        Paragraph(typeset(evidence.words)),
        Equation(problem_latex(data["problem"])),
        measured_against_predicted(points, name=f"measured-{claim.key}".replace(".", "-")),
        Table(
            (*headers, "as printed") if with_printed else tuple(headers),
            tuple(rows),
            caption=f"{data['chains']:,} chains, {data['steps']} steps, seed {data['seed']}",
        ),
    ]


def _minibatches(found: tuple[Any, ...]) -> list[Block]:
    if not found:
        return []
    blocks: list[Block] = [Heading(2, "At real minibatches")]
    headers = (
        "entry",
        "measured",
        "exact law on these data",
        "with constant normal noise",
        "as printed",
    )
    for evidence in found:
        data = evidence.data
        rows = [
            (
                Math(label_latex(p["label"]) or p["label"], p["label"]),
                Number(f"{p['measured']:.5f}", "estimated", f"{p['standard_error']:.5f}"),
                Number(f"{p['exact']:.5f}", "certified", "0.000005")
                if p["exact"] is not None
                else "not known in closed form",
                Number(f"{p['normal_noise']:.5f}", "certified", "0.000005"),
                f"{p['printed']:.5f}",
            )
            for p in data["points"]
        ]
        caption = f"{data['model'].replace('_', ' ')}: {data['chains']:,} chains, {data['steps']} steps"
        blocks += [Paragraph(typeset(evidence.words)), Table(headers, tuple(rows), caption=caption)]
    return blocks


def _tried(verdict: Any) -> list[Block]:
    twins = verdict.twins
    items: list[Any] = [
        f"{twins.rejected} of {twins.tried} wrong twins (corrupted statements) were rejected."
    ]
    if twins.equivalent:
        items.append(f"{len(twins.equivalent)} corruptions say the same thing and are not counted.")
    items += [f"Survivor: {name}" for name in twins.survivors]
    if verdict.measured is not None:
        rejected = "rejected" if verdict.measured.data["twin"]["rejected"] else "NOT rejected"
        items.append(
            f"The measurement's own wrong twin, a law off by twice the resolution, was {rejected}."
        )
    return [Heading(2, "What was tried to break it"), Bullets(tuple(items))]
