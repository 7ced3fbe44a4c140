"""Drawings of the benchmark's page, in the style of the reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reports.document import Figure
from reports.plotting import LINES, MARKS, canvas, finish, ink, quiet, table

Case = Mapping[str, Any]


def rates(cases: Sequence[Case], titles: Mapping[str, str], dtype: str) -> Figure | None:
    """Bars of chain-steps a CPU second on a logarithmic axis, a panel for each workload."""
    shown = [c for c in cases if c["dtype"] == dtype and _ran(c)]
    if not shown:
        return None
    names = [n for n in titles if any(n in _ran(c) for c in shown)]
    rows = (len(shown) + 1) // 2
    with canvas(6.4, 0.45 + rows * (0.42 + 0.2 * len(names))) as figure:
        panels = figure.subplots(rows, 2, squeeze=False, sharey=True).ravel()
        for axes, case in zip(panels, shown, strict=False):
            _bars(axes, case, names, titles)
        for axes in panels[len(shown) :]:
            axes.set_axis_off()
        for axes in panels[max(len(shown) - 2, 0) : len(shown)]:
            axes.set_xlabel("million chain-steps a CPU second")
        svg = finish(figure)
    data = [
        (c["workload"], n, *(_ran(c)[n]["per_cpu_second"][k] for k in ("median", "least", "greatest")))
        for c in shown
        for n in names
        if n in _ran(c)
    ]
    return Figure(
        svg,
        f"Chain-steps a CPU second of {len(names)} programs on {len(shown)} workloads in {dtype}.",
        f"Rates in {dtype}, medians over the rounds, with the least and the greatest as a line. The"
        " axes are"
        " logarithmic. A missing bar: the program cannot express the workload.",
        table(("workload", "contender", "median", "least", "greatest"), data),
        f"rates-{dtype}",
    )


def _ran(case: Case) -> dict[str, Any]:
    return {n: row for n, row in case["contenders"].items() if row["status"] == "ran"}


def _bars(axes: Any, case: Case, names: Sequence[str], titles: Mapping[str, str]) -> None:
    from matplotlib.ticker import LogLocator, NullLocator

    ran = _ran(case)
    axes.set_title(f"{case['workload']}: {case['title']}", fontsize=10, loc="left")
    lows = [row["per_cpu_second"]["least"] / 1e6 for row in ran.values()]
    base = min(lows) / 2
    for place, name in enumerate(names):
        if name not in ran:
            continue
        found = {k: v / 1e6 for k, v in ran[name]["per_cpu_second"].items()}
        color = LINES[0]["color"] if name == "ours" else LINES[1]["color"]
        own = {"color": color, "alpha": 1.0 if name == "ours" else 0.75}
        axes.barh(place, found["median"] - base, left=base, height=0.62, linewidth=0, **own)
        axes.plot([found["least"], found["greatest"]], [place, place], color=ink(), linewidth=0.9)
        right = max(found["median"], found["greatest"])
        axes.text(right * 1.12, place, short(found["median"]), va="center", fontsize=8.5)
    axes.set_xscale("log")
    top = max(row["per_cpu_second"]["greatest"] for row in ran.values()) / 1e6
    axes.set_xlim(base, top * (top / base) ** 0.22)
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if top / base < 60 else (1,)))
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_yticks(range(len(names)), [titles[n] for n in names])
    axes.set_ylim(len(names) - 0.45, -0.55)
    axes.tick_params(axis="y", length=0)


def short(value: float) -> str:
    """Two digits, or all before the point.

    >>> [short(v) for v in (0.0312, 4.0, 14.6, 1152.0)]
    ['0.031', '4.0', '15', '1152']
    """
    return f"{value:#.2g}".rstrip(".") if value < 99.5 else f"{value:.0f}"


def limit(cases: Sequence[Case]) -> Figure | None:
    """Which share of the machine's limit we reach, a bar for each workload and precision."""
    shown = [c for c in cases if c["floor"] and c["floor"]["ours"]]
    if not shown:
        return None
    codes = list(dict.fromkeys(c["workload"] for c in shown))
    dtypes = list(dict.fromkeys(c["dtype"] for c in shown))
    with canvas(5.9, 0.75 + 0.42 * len(codes)) as figure:
        axes = figure.subplots()
        for case in shown:
            share = {k: 100 * v for k, v in case["floor"]["ours"].items()}
            place = codes.index(case["workload"]) + 0.36 * (dtypes.index(case["dtype"]) - 0.5)
            which = LINES[2 * dtypes.index(case["dtype"])]["color"]
            told = case["dtype"] if case["workload"] == codes[0] else None
            axes.barh(place, share["median"], height=0.32, color=which, linewidth=0, label=told)
            axes.plot([share["least"], share["greatest"]], [place, place], color=ink(), linewidth=0.9)
        axes.axvline(100, color=quiet(), linewidth=0.9, linestyle=(0, (4, 3)))
        axes.set_xlim(0, max(104, *(104 * c["floor"]["ours"]["greatest"] for c in shown)))
        axes.set_yticks(range(len(codes)), codes)
        axes.set_ylim(len(codes) - 0.45, -0.55)
        axes.set_xlabel("our rate, % of the machine's limit")
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2)
        svg = finish(figure)
    data = [(c["workload"], c["dtype"], *c["floor"]["ours"].values()) for c in shown]
    return Figure(
        svg,
        "Our rate as a share of the machine's limit for each workload and precision.",
        "Our rate as a share of the limit measured in the same rounds: medians, least and greatest.",
        table(("workload", "dtype", "median", "least", "greatest"), data),
        "limit",
    )


def growth(rows: Sequence[Mapping[str, Any]]) -> Figure | None:
    """Chain-steps and multiply-adds a CPU second against the dimension."""
    from matplotlib.ticker import LogLocator

    ran = [r for r in rows if r["along"] == "D" and "per_cpu_second" in r]
    if len(ran) < 2:
        return None
    D = [r["D"] for r in ran]
    found = [r["per_cpu_second"]["median"] / 1e6 for r in ran]
    bound = [f / r["of_limit"] if r["of_limit"] else None for f, r in zip(found, ran, strict=True)]
    operations = [r["fma_per_cpu_second"] / 1e9 for r in ran]
    limited = all(b is not None for b in bound)
    with canvas(6.2, 2.7) as figure:
        left, right = figure.subplots(1, 2)
        mark = {k: MARKS[0][k] for k in ("color", "markersize")} | {"marker": "o", "linewidth": 1.6}
        left.plot(D, found, **mark, label="measured")
        right.plot(D, operations, **mark)
        if limited:
            left.plot(D, bound, **LINES[1], label="the machine's limit")
            capped = [o / r["of_limit"] for o, r in zip(operations, ran, strict=True)]
            right.plot(D, capped, **LINES[1])
            left.legend(loc="lower left")
        left.set_ylabel("million chain-steps a CPU second")
        right.set_ylabel("billion multiply-adds a CPU second")
        for axes in (left, right):
            axes.set_xscale("log", base=2)
            axes.set_yscale("log")
            axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
            axes.set_xticks(D, [str(d) for d in D])
            axes.minorticks_off()
            axes.set_xlabel("dimension D")
        svg = finish(figure)
    data = [(r["D"], r["per_cpu_second"]["median"], r["fma_per_cpu_second"], r["of_limit"]) for r in ran]
    return Figure(
        svg,
        "Our rate against the dimension, in chain-steps and in multiply-adds a CPU second.",
        "SGD in float32 with dense A and B: 2 D² multiply-adds and D normals a step.",
        table(("D", "chain-steps", "multiply-adds", "share of the limit"), data),
        "growth",
    )
