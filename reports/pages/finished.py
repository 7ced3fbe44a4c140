"""The page of a finished run that was audited: the verdict, why, the moments, effective sizes, tests."""

from __future__ import annotations

from typing import Any

import numpy as np

from reports.document import Block, Bullets, Code, Figure, Heading, Page, Paragraph, Table, Text, Verdict
from reports.figures import curve
from reports.pages.words import typeset

_WORDS = {
    "as foretold": ("confirmed", "The run is as foretold"),
    "differs": ("refuted", "The run differs from what was foretold"),
    "inconclusive": ("inconclusive", "The run is too short to say"),
}
_MOST = 5  # coordinates that are shown
_PLACES = 40  # of a drawing


def run_page(found: Any, again: str, slug: str = "audit-run", drawings: bool = True) -> Page:
    """The page of a ``RunAudit``; ``again`` makes it once more."""
    run = found.run
    size = f"{_many(run.chains, 'chain')} of {run.draws:,} draws"
    size += f" in {_many(run.positions.shape[2], 'dimension')}"
    apart = f", {found.every:,} steps apart" if found.every > 1 else ""
    blocks: list[Block] = [
        *_verdict(found),
        *([_correlations(found)] if drawings else []),
        *_moments(found),
        *_sizes(found),
        *_tests(found),
        *_notes(found),
        Heading(2, "Once more"),
        Code(again, "sh"),
    ]
    summary = f"{found.name}: {size}{apart}, held against {found.like}."
    return Page(
        slug=slug, title=f"A run of {found.like}", blocks=tuple(blocks), kind="run", summary=summary
    )


def _many(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def _verdict(found: Any) -> list[Block]:
    kind, words = _WORDS[found.verdict]
    if found.verdict == "differs":
        words += f": {found.because[0].name}."
    elif found.verdict == "as foretold":
        words += (
            ". Every draw is held against the one before; noise whose variance is"
            f" {100 * found.resolution:.2g} % off would have been seen with probability 0.99, and a"
            f" right run is said to differ with probability {found.false_alarm:g}."
        )
    else:
        words += (
            f": noise with {1 + found.resolution:.2g} times the variance would hardly be seen. Give more"
            " draws, or more chains."
        )
    blocks: list[Block] = [Verdict(kind, words)]
    causes = [r for r in found.because if r.name != "still moving"]
    if len(causes) > 1:
        blocks.append(Paragraph("One of these explains it, the most likely first:"))
    reasons: list[Text] = [_reason(reason) for reason in found.because]
    return [*blocks, Bullets(tuple(reasons))] if reasons else blocks


def _reason(reason: Any) -> str:
    words: str = reason.words
    if reason.error:
        words += f" (The factor is {reason.value:.4g} ± {reason.error:.1g}.)"
    return words


def _moments(found: Any) -> list[Block]:
    rows, left = [], 0
    for fact in found.facts:
        order = np.argsort(-np.abs(fact.off))
        shown = sorted(order[:_MOST]) if len(order) > _MOST else range(len(order))
        left = max(left, len(order) - _MOST)
        for i in shown:
            where = "all" if fact.name == "temperature" else f"{i + 1}"
            numbers = f"{fact.measured[i]:.4g}", f"{fact.foretold[i]:.4g}", f"{fact.error[i]:.2g}"
            rows.append((fact.name, where, *map(typeset, numbers), f"{fact.off[i]:+.1f}"))  # fmt: skip
    more = f" Of coordinates the {_MOST} that are farthest off are shown." if left > 0 else ""
    return [
        Heading(2, "What the run shows, and what it should", "moments"),
        Paragraph(
            "The law is the settled one. Standard errors count how draws hang together; beyond three of"
            f" them chance is no good reason.{more}"
        ),
        Table(
            ("quantity", "coordinate", "measured", "foretold", "standard error", "off by"), tuple(rows),
            align="lrrrrr", row_headers=False,
        ),
    ]  # fmt: skip


def _sizes(found: Any) -> list[Block]:
    total = found.run.chains * found.run.draws
    order = np.argsort(found.effective)[:_MOST]
    rows = tuple(
        (
            f"{i + 1}",
            _size(found.effective[i]),
            _size(found.estimated[i]),
            f"{total / found.effective[i]:.4g}",
        )
        for i in sorted(order)
    )
    return [
        Heading(2, "Effective sizes of means", "sizes"),
        Paragraph(
            "Exact ones come from the law; estimated ones from the draws, as ArviZ does, which do not"
            " know of what the run has not seen yet."
        ),
        Table(
            ("coordinate", "exact", "estimated", "draws for each"), rows, align="rrrr", row_headers=False
        ),
    ]  # fmt: skip


def _size(x: float) -> str:
    return "–" if not np.isfinite(x) else f"{x:,.4g}" if x < 100 else f"{x:,.0f}"


def _tests(found: Any) -> list[Block]:
    comparison = found.held.comparison
    (pull, error), (size, spread) = found.held.pull, found.held.size
    words = (
        f"{len(comparison.tests):,} tests share a false-alarm probability of {found.false_alarm:g}. A"
        f" draw is pulled towards the mode {pull:.4g} ± {error:.2g} times as far as it should be by the"
        f" one before; the noise between draws has {size:.4g} ± {spread:.2g} times its variance."
    )
    blocks: list[Block] = [Heading(2, "From one draw to the next", "steps"), Paragraph(words)]
    if comparison.rejected:
        tests = sorted((t.p_value, t.name, t.effect) for t in comparison.tests
                       if t.name in comparison.rejected)[:_MOST]  # fmt: skip
        rows = tuple((name, f"{effect:.3g}", typeset(f"{p:.1e}")) for p, name, effect in tests)
        blocks.append(Table(("rejects", "by", "p"), rows, align="lrr"))
    return blocks


def _notes(found: Any) -> list[Block]:
    if not found.notes:
        return []
    return [Heading(2, "What it leaves out", "notes"), Bullets(tuple(found.notes))]


def _correlations(found: Any) -> Figure:
    """Autocorrelations of the slowest coordinate, measured and foretold."""
    i = int(np.argmin(found.effective))
    x, step = found.run.positions[:, :, i], found.step
    n = x.shape[1]
    gammas = step.correlations(n)[i]
    far = max(min(n // 2, 4 * len(found.run.positions[0]) // max(int(found.effective[i]), 1)), 2)
    lags = np.unique(np.linspace(0, far, _PLACES).astype(int))
    away = x - step.rest[step.seen][i]
    told = [float(gammas[k] / gammas[0]) if k < len(gammas) else 0.0 for k in lags]
    seen = [float((away[:, k:] * away[:, : n - k]).mean() / gammas[0]) for k in lags]
    return curve(
        [int(k) for k in lags],
        {"measured": seen, "foretold": told},
        name="correlations",
        alt=f"The autocovariance of coordinate {i + 1} over its foretold variance, measured and"
        f" foretold, up to {far:,} draws apart.",
        x_label="draws apart",
        y_label="over the foretold variance",
        caption=f"How coordinate {i + 1}, the slowest, hangs together: measured and foretold.",
    )
