"""What section 7.1 says about Table 1, decided on our numbers, and the table against the formulas."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from verification.experiments.mandt2017.readings import (
    FORWARD,
    NEAREST,
    REVERSE,
    SCALINGS,
    SETS,
    Local,
    Reading,
    Tried,
    by_formulas,
    ornstein_uhlenbeck,
    stable,
)
from verification.experiments.mandt2017.rows import INJECTED, exact
from verification.experiments.record import Amount, Contradiction, Shape, called, printed_amount, shape
from verification.papers.mandt2017.section_7_1 import ROWS, TABLE

_NEAR = 0.1  # of gradients with finite draws and steps, which have no exact error
Numbers = dict[str, dict[str, float]]  # by data set and row


def printed(name: str, row: str) -> str:
    """A number of Table 1 as it stands there."""
    return TABLE[name][ROWS.index(row)]


def ours(cells: Any, way: str) -> Numbers:
    """The limits, in the direction of the reading; infinite where there is none."""
    found: Numbers = {name: {} for name in SETS}
    for cell in cells:
        found[cell.data][cell.row] = math.inf if cell.limit is None else cell.limit[way]
    return found


def _reversed(found: Numbers) -> Numbers:
    """Every ranking upside down."""
    return {name: {row: 1 / v for row, v in rows.items()} for name, rows in found.items()}


def _each(found: Numbers, one: str, other: str) -> str:
    return "; ".join(f"{n} {rows[one]:.3g} and {rows[other]:.3g}" for n, rows in found.items())


def _always(one: str, other: str) -> Callable[[Numbers], bool]:
    return lambda found: all(rows[one] <= rows[other] for rows in found.values())


def _gain_matters(found: Numbers) -> bool:
    """The gain changes the divergence of SGD by more than injected noise does that of SGD-f."""
    return all(
        rows["SGD"] / rows["SGD_f"] > max(rows["SGD_f"] / rows["SGFS_f"], rows["SGFS_f"] / rows["SGD_f"])
        for rows in found.values()
    )


def shapes(cells: Any, way: str) -> tuple[Shape, ...]:
    """The paper's sentences."""
    found = ours(cells, way)
    spoilt, twin = _reversed(found), "every divergence inverted"
    says: tuple[tuple[str, str, Callable[[Numbers], bool]], ...] = (
        ("constant SGD is not worse than BBVI", _each(found, "SGD", "BBVI"), _always("SGD", "BBVI")),
        ("preconditioned constant SGD can compete with SGLD", _each(found, "SGD_f", "SGLD"),
         _always("SGD_f", "SGLD")),
        ("the approximation of the preconditioner matters more than artificial noise",
         f"SGD and SGD-f: {_each(found, 'SGD', 'SGD_f')}; SGD-f and SGFS-f:"
         f" {_each(found, 'SGD_f', 'SGFS_f')}", _gain_matters),
    )  # fmt: skip
    decided = tuple(shape(w, seen, holds, found, spoilt, twin) for w, seen, holds in says)
    return (*decided, _optimum(cells, way))


def _optimum(cells: Any, way: str) -> Shape:
    """BBVI on the two linear regressions, whose posterior is normal: its optimum is known."""
    pairs = [
        (c.measured[way].value, c.limit[way]) for c in cells if c.row == "BBVI" and c.data != "skin"
    ]
    seen = "; ".join(f"{a:.4g} and {b:.4g}" for a, b in pairs)
    return shape(
        "fits of independent normals end where theory says, at variances $1/(N*A_ii)$",
        f"divergence fitted and exact: {seen}",
        lambda found: all(abs(a / b - 1) < _NEAR for a, b in found),
        pairs, [(a, 2 * b) for a, b in pairs], "twice the exact divergence",
    )  # fmt: skip


def contradictions(every: Mapping[str, list[Tried]]) -> tuple[Contradiction, ...]:
    """The table against the paper's formulas, first where neither reading nor direction matters.

    Table 1 does not say the direction of its divergences; section 4.1 minimises KL(q||f). That
    Corollary 3 calls its gain the best diagonal one is not used: it need not be (claim cor3).
    """
    D, N = 8, 45_730
    most = D / 2 * math.log(N + 1)
    return (
        _ratio_on_skin(every["skin"]),
        Contradiction(
            "Corollary 4",
            "By Corollary 4 SGD-f samples the posterior: its divergence on protein is 0 in both"
            " directions. (A fit to few iterates is not 0; a note says how few.)",
            Amount(0.0, 0.0, "exact"), printed_amount(printed("protein", "SGD_f")),
        ),
        Contradiction(
            "section 4.1, KL(q||f)",
            f"{_IF_FORWARD} independent normals at their optimum have (sum log $P_ii$ - log det P)/2, P"
            " the posterior's precision. With a regulariser of 1 det P >= 1; with scaled features $P_ii$"
            " is at most N + 1 on average; so BBVI on protein, D = 8, has at most"
            f" (D/2) log(N + 1) = {most:.3g}.",
            Amount(most / 2, most / 2, "certified"), printed_amount(printed("protein", "BBVI")),
        ),
        _over_readings(
            "Eqs. 13, 15, section 4.1", "constant SGD", every["protein"], "SGD",
            lambda about: by_formulas(about)["SGD"], FORWARD,
        ),
        _over_readings(
            "section 5.1, third display", "SGLD by the printed equation", every["protein"], "SGLD",
            printed_sgld, FORWARD, REVERSE,
        ),
    )  # fmt: skip


_IF_FORWARD = "If Table 1 has KL(q||f), as section 4.1 has it:"


def _ratio_on_skin(tries: list[Tried]) -> Contradiction:
    """Two rows by one formula, in both directions: how far apart they can be."""
    ratios = []
    for one in tries:
        laws = by_formulas(one.about)
        for way in (FORWARD, REVERSE):
            of_scalar, of_diagonal = (one.about.divergence(way, laws[r]) for r in ("SGD", "SGD_d"))
            ratios.append(of_diagonal / of_scalar)
    texts = printed("skin", "SGD_d"), printed("skin", "SGD")
    top, bottom = map(printed_amount, texts)
    least = (top.value - top.error) / (bottom.value + bottom.error)
    most = (top.value + top.error) / (bottom.value - bottom.error)
    low, high = min(ratios), max(ratios)
    return Contradiction(
        "Eqs. 13, 15, 18 and Corollary 3",
        "On skin the laws of Eqs. 13 and 18, in continuous time and about the mode, put SGD-d with the"
        f" gain of Corollary 3 at {low:.2f} to {high:.2f} times the divergence of constant SGD with the"
        f" rate of Eq. 15, in both directions and all {len(tries)} scalings of the features that were"
        f" tried; printed are {texts[0]} and {texts[1]}, {top.value / bottom.value:.2f} times.",
        Amount((low + high) / 2, (high - low) / 2, "certified"),
        Amount((least + most) / 2, (most - least) / 2, "printed"),
    )  # fmt: skip


def printed_sgld(about: Local) -> Any:
    """N (A X + X A)/2 = I + eps N C/(2 S): as printed, not as the update gives (N^2 eps C/(4 S))."""
    eps = float(about.rate)
    one = np.eye(about.D)
    gain = about.N / 2 * one
    extra = one + eps * about.N / (2 * about.S) * about.C - gain @ about.C @ gain / about.S
    return ornstein_uhlenbeck(about, gain, extra)


def _over_readings(
    where: str, what: str, one: list[Tried], row: str, covariance: Callable[[Local], Any], *ways: str
) -> Contradiction:
    """The least and the largest of all readings and of the directions, as one interval."""
    values = [t.about.divergence(way, covariance(t.about)) for t in one for way in ways]
    name, low, high = one[0].about.name, max(min(values), 0.0), max(values)
    both = len(ways) > 1
    start = f"{what[0].upper()}{what[1:]}" if both else f"{_IF_FORWARD} {what}"
    words = (
        f"{start} has on {name}, over all {len(one)} readings{' and both directions' if both else ''},"
        f" {low:.2g} to {high:.3g}."
    )
    middle = Amount((low + high) / 2, (high - low) / 2, "certified")
    return Contradiction(where, words, middle, printed_amount(printed(name, row)))


def notes(
    order: list[tuple[float, Reading]], every: Mapping[str, list[Tried]], abouts: Mapping[str, Local],
    cells: Any,
) -> tuple[str, ...]:  # fmt: skip
    """What was tried for what is not printed, and where laws do not exist."""
    return (
        *_of_readings(order),
        *_of_stability(every),
        *_of_relaxation(cells, abouts),
        *_of_injected(abouts),
        *_of_counts(abouts),
        *_of_diagonal(cells),
        "Ours: of wine and protein the exact limit on real minibatches, to which the fits to the"
        " iterates are tied below; of skin the fit, and as theory the law of a quadratic loss with the"
        " noise at the mode.",
        "Eq. 20 prints + log|H|; it is -log|H| that belongs there (claim eq20).",
    )


def _of_readings(order: list[tuple[float, Reading]]) -> tuple[str, ...]:
    exists = [(d, r) for d, r in order if math.isfinite(d)]
    listed = "; ".join(f"{r.words}: a factor {math.exp(d):.2g}" for d, r in exists[:4])
    return (
        f"Readings of what is not printed: {len(order)} were tried. The nearest, by how far the"
        f" formulas' SGD, SGD-d, SGLD and BBVI are from the printed numbers on average: {listed}."
        f" Under {len(order) - len(exists)} a printed chain diverges.",
        f"Used here: {NEAREST.words}.",
    )


def _of_stability(every: Mapping[str, list[Tried]]) -> tuple[str, ...]:
    found = []
    for scaling in SCALINGS:
        unstable = []
        for name in SETS:
            about = next(t.about for t in every[name] if t.reading.scaling == scaling)
            unstable += [f"{called(row)} on {name}" for row, fine in stable(about).items() if not fine]
        found.append(f"{scaling}: {', '.join(unstable) or 'none'}")
    words = "; ".join(found)
    return (f"Chains at the printed steps that have no law, by scaling (outcome as it is): {words}.",
            *_of_largest(every))  # fmt: skip


def _of_largest(every: Mapping[str, list[Tried]]) -> tuple[str, ...]:
    """SGLD's rates were chosen as the largest stable ones: eps N lambda / 2 < 2."""
    found = []
    for name in SETS:
        about = next(t.about for t in every[name] if t.reading.scaling == NEAREST.scaling)
        most = 4 / (about.N * float(np.linalg.eigvalsh(about.A)[-1]))
        found.append(f"{name} {most:.2g} (printed {about.rate})")
    return (f"Largest stable rate of SGLD under the reading used: {', '.join(found)}.",)


def _of_relaxation(cells: Any, abouts: Mapping[str, Local]) -> tuple[str, ...]:
    found = []
    for name in SETS:
        slow = max((c for c in cells if c.data == name and c.radius < 1), key=lambda c: c.radius)
        steps = -1 / math.log(slow.radius)
        passes = steps * abouts[name].S / abouts[name].N
        found.append(f"{name} {steps:,.0f} steps or {passes:,.0f} passes ({called(slow.row)})")
    return (
        "Steps in which the slowest chain forgets its start by a factor e: " + ", ".join(found) + "."
        " Numbers measured after fewer are of a law on its way, and are held against the exact law"
        " then.",
    )


def _of_injected(abouts: Mapping[str, Local]) -> tuple[str, ...]:
    found = []
    for name in ("wine", "protein"):
        about = abouts[name]
        near = about.quadratic()
        for words in INJECTED:
            laws = [exact(row, near, about, words) for row in ("SGFS_d", "SGFS_f")]
            numbers = " and ".join(
                f"{abs(x.kl_from_posterior):.2g}" if x.stable else "no law" for x in laws
            )
            found.append(f"{name}, {words}: {numbers}")
    return (f"SGFS-d and SGFS-f by what is injected, {NEAREST.direction}: {'; '.join(found)}.",)


def _of_diagonal(cells: Any) -> tuple[str, ...]:
    """Where the diagonal gain is worse than the scalar rate, and why that is no fault."""
    rows = ours(cells, NEAREST.direction)
    worse = [
        f"{name} {found['SGD_d']:.3g} above {found['SGD']:.3g}"
        for name, found in rows.items()
        if found["SGD_d"] > found["SGD"]
    ]
    above = f" In the exact laws it does so here: {', '.join(worse)}." if worse else ""
    return (
        "Corollary 3 is about KL(sampling || posterior) in continuous time, and even there its gain need"
        f" not be the best (claim cor3); so SGD-d may lie above SGD.{above} What contradicts the"
        " formulas on skin is by how much it does so in print. The fits on skin cannot tell: their"
        " intervals are so wide that both printed numbers meet them.",
    )


def _of_counts(abouts: Mapping[str, Local]) -> tuple[str, ...]:
    """A normal law fitted to n independent draws of the posterior is off by D (D + 3)/(4 n)."""
    found = []
    for name in SETS:
        D = abouts[name].D
        count = D * (D + 3) / 4 / float(printed(name, "SGD_f"))
        found.append(f"{name} {count:.0f}")
    return (
        "The exact law of SGD-f is far closer to the posterior than printed. The printed numbers are"
        f" what a fit to so many independent draws of the posterior itself gives: {', '.join(found)}.",
    )
