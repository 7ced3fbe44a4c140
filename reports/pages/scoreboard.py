"""The page of the scoreboard: what released libraries' samplers were found to do, row by row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reports.document import (
    Block,
    Bullets,
    Code,
    Heading,
    Mono,
    Page,
    Paragraph,
    Table,
    Text,
)


def scoreboard_page(board: Mapping[str, Any]) -> Page:
    """All rows of a document ``sgtheory.scoreboard/1``, then each sampler's convention."""
    rows: Sequence[Mapping[str, Any]] = board["rows"]
    blocks: list[Block] = [
        Paragraph(
            "Each sampler was run as released, with the gradient that it asks for, and held against the"
            " law of the update that its source code shows. How that update translates to the samplers"
            " here is proved in letters. Every row and every finding can be run again with the command"
            " beside it."
        ),
        Table(
            ("sampler", "library", "version", "verdict", "here it is", "what was found"),
            tuple(_row(r) for r in rows),
            caption=_settings(board),
            align="llllll",
        ),
    ]
    blocks += _findings(board["findings"])
    blocks += [Heading(2, "Conventions")]
    for row in rows:
        blocks += _convention(row)
    if board.get("not_run"):
        blocks += [Heading(2, "Not run"), Bullets(tuple(board["not_run"]))]
    blocks += [Heading(2, "Make it again"), Code(board["command"], "sh")]
    return Page(
        slug="scoreboard",
        title="Samplers of released libraries",
        blocks=tuple(blocks),
        kind="scoreboard",
        summary="Released samplers against the exact law of their own update.",
    )


def _row(row: Mapping[str, Any]) -> tuple[Text, ...]:
    return (
        Mono(row["name"]),
        row["library"],
        row["version"],
        f"{row['verdict']}{_resolved(row)}",
        row["counterpart"],
        row["found"],
    )


def _resolved(row: Mapping[str, Any]) -> str:
    """The relative error of a variance that its check finds."""
    power = row.get("power")
    return f" ({100 * power['relative_error_of_a_variance']:g} %)" if power else ""


def _settings(board: Mapping[str, Any]) -> str:
    return (
        f"A right sampler is rejected with probability at most {board['false_alarm']:g} in its row."
        f" An error of a variance as large as stands beside the verdict is found with probability"
        f" {board['power']:g}."
    )


def _findings(findings: Sequence[Mapping[str, Any]]) -> list[Block]:
    """Each with the script that finds it again, and what that printed."""
    blocks: list[Block] = [Heading(2, "Findings, each found again by a script of its own")]
    for one in findings:
        blocks += [
            Heading(3, f"{one['library']} {one['version']}: {one['sampler']}"),
            Paragraph(one["fact"]),
            Table(
                ("quantity", "would be", "is"),
                tuple((q, f"{a:.6g}", f"{b:.6g}") for q, a, b in one["numbers"]),
                align="lrr",
            ),
            Code(one["command"], "sh"),
        ]
    return blocks


def _convention(row: Mapping[str, Any]) -> list[Block]:
    card = row["card"]
    blocks: list[Block] = [
        Heading(3, row["name"]),
        Code("\n".join([card["call"], "", *card["update"]]), "text"),
        Bullets((f"It wants {card['gradient']}.", *card["here"], *card["notes"])),
        Code(row["command"], "sh"),
    ]
    return blocks
