"""What was measured of a claim: ensembles of the sampler against exact laws."""

from __future__ import annotations

from typing import Any

from reports.document import Block, Equation, Heading, Math, Number, Paragraph, Table
from reports.figures import label_latex, measured_against_predicted
from reports.pages.words import problem_latex, typeset


def measured(evidence: Any, claim: Any) -> list[Block]:
    """An ensemble held against the exact law, entry by entry."""
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
            "none" if p["limit"] is None else Number(f"{p['limit']:.5f}", "certified", "0.000005"),
        ]
        rows.append((*row, f"{p['printed']:.5f}") if with_printed else tuple(row))
    return [
        Heading(2, "Measured"),
        Paragraph(typeset(evidence.words)),
        Equation(problem_latex(data["problem"])),
        measured_against_predicted(points, name=f"measured-{claim.key}".replace(".", "-")),
        Table(
            (*headers, "as stated") if with_printed else tuple(headers),
            tuple(rows),
            caption=f"{data['chains']:,} chains, {data['steps']} steps, seed {data['seed']}",
        ),
    ]


def minibatches(found: tuple[Any, ...]) -> list[Block]:
    """Ensembles with the noise of real data."""
    if not found:
        return []
    blocks: list[Block] = [Heading(2, "At real minibatches")]
    headers = (
        "entry",
        "measured",
        "exact law on these data",
        "with constant normal noise",
        "as stated",
    )
    for evidence in found:
        data = evidence.data
        if "points" not in data:  # it was not measured, and the words say why
            blocks.append(Paragraph(typeset(evidence.words)))
            continue
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
