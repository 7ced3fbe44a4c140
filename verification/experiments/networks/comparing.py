"""Which of two methods is better, decided on runs that share their starts and minibatches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from verification.experiments.record import Amount, Line, Plot, Shape, shape

LEVEL = 0.01  # of wrongly seeing a difference anywhere in one table


def paired(first: Any, second: Any, many: int) -> Amount:
    """The mean difference of two methods over the runs, by Student's quantile at a share of LEVEL.

    >>> found = paired([1.0, 2.0, 3.0], [2.0, 3.1, 4.2], 1)
    >>> round(found.value, 3), found.value + found.error < 0
    (-1.1, True)
    """
    from scipy.stats import t

    differences = np.asarray(first, float) - np.asarray(second, float)
    runs = len(differences)
    quantile = float(t.isf(LEVEL / (2 * many), runs - 1))
    return Amount(float(differences.mean()), quantile * float(differences.std(ddof=1)) / runs**0.5)


def less(words: str, first: Any, second: Any, many: int, digits: int = 2, unit: str = "") -> Shape:
    """Whether the first of two methods has smaller numbers, by more than runs differ.

    >>> less("a is better", [1.0, 2.0, 3.0], [2.0, 3.1, 4.2], 1).holds
    True
    >>> less("a is better", [1.0, 2.0, 3.0], [2.0, 1.1, 4.2], 1).holds
    False
    """
    gap = paired(first, second, many)
    seen = (
        f"{np.mean(first):.{digits}f}{unit} and {np.mean(second):.{digits}f}{unit}; difference"
        f" {gap.value:+.{digits}f} ± {gap.error:.{digits}f}"
    )
    if abs(gap.value) <= gap.error:
        seen += ", which decides nothing"

    def smaller(pair: tuple[Any, Any]) -> bool:
        found = paired(*pair, many)
        return found.value + found.error < 0

    worse = np.asarray(first, float) + 2 * (abs(gap.value) + gap.error) + 1e-9
    words = f"{words}, by more than runs differ"
    twin = "the first made worse by twice the difference and its error"
    return shape(words, seen, smaller, (first, second), (worse, second), twin)


def one_more(values: Any, many: int) -> Amount:
    """The mean of some runs, and where one more run would be: papers print one run, or do not say.

    ``many`` is how many such intervals are to hold together, at LEVEL.

    >>> one_more([1.0, 2.0, 3.0], 1).error > paired([1.0, 2.0, 3.0], [0.0, 0.0, 0.0], 1).error
    True
    """
    found = np.asarray(values, float)
    mean = paired(found, 0 * found, many)
    return Amount(mean.value, mean.error * (len(found) + 1) ** 0.5)


def told(
    amounts: Mapping[str, Sequence[Amount]], columns: Sequence[str], printed: Mapping[str, Any],
    unit: str = "",
) -> tuple[str, ...]:  # fmt: skip
    """A sentence for each method: ours by column, and what is printed.

    >>> told({"a": [Amount(1.0, 0.25)]}, ["400"], {"a": ("1.1", "1.2")})
    ('a: 1.00 ± 0.25 (400); printed: 1.1, 1.2.',)
    """
    found = []
    for name, row in amounts.items():
        ours = (f"{a.value:.2f} ± {a.error:.2f}{unit} ({c})" for a, c in zip(row, columns, strict=True))
        end = f"; printed: {', '.join(printed[name])}." if name in printed else "."
        found.append(f"{name}: {', '.join(ours)}{end}")
    return tuple(found)


def bars(
    name: str, title: str, y_label: str, columns: Sequence[str], ours: Mapping[str, Sequence[Amount]],
    printed: Mapping[str, Sequence[str]],
) -> tuple[Plot, ...]:  # fmt: skip
    """A plot for each column of a table: its methods along the axis, ours and what is printed."""
    plots = []
    for k, column in enumerate(columns):
        labels = [m for m in ours if len(ours[m]) > k]
        x = tuple(float(j + 1) for j in range(len(labels)))
        y = tuple(ours[m][k].value for m in labels)
        error = tuple(ours[m][k].error for m in labels)
        shown = [(j, float(printed[m][k])) for j, m in zip(x, labels, strict=True) if m in printed]
        lines = [Line("here", x, y, error)]
        if shown:
            lines.append(
                Line("printed", tuple(j for j, _ in shown), tuple(v for _, v in shown), kind="printed")
            )
        order = ", ".join(f"{j} {m.replace(',', ' with')}" for j, m in enumerate(labels, 1))
        plots.append(
            Plot(f"{name}-{k + 1}", f"{title}, {column}: {order}", "method", y_label, tuple(lines))
        )
    return tuple(plots)
