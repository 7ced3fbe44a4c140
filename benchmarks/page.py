"""The benchmark's page: ``python -m benchmarks.page results/cpu.json [results/cpu.html]``.

One self-contained file, light and dark, beside the numbers that it shows. Also of
``results/check_bank.json``.
"""

from __future__ import annotations

import json
import math
import statistics
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks import bank_page, plots
from reports.document import Block, Bullets, Code, Details, Heading, Mono, Page, Paragraph, Table, Text

Document = Mapping[str, Any]
Row = tuple[Text, ...]


def page(document: Document) -> Page:
    """The page of what ``benchmarks.cpu`` wrote."""
    blocks: list[Block] = [*_rates(document), *_limit(document), *_growth(document)]
    blocks += [*_answers(document), *_method(document)]
    machine = document["machine"]
    told = (
        f"Measured on {machine['cores']} cores of {machine['processor']}, {document['rounds']}"
        f" rounds, {document['seconds'] / 60:.0f} minutes."
    )
    if document["quick"]:
        told += " A quick run at tiny sizes: the numbers only show that everything works."
    return Page("cpu", "Simulating chains on a processor", tuple(blocks), summary=told)


def html(document: Document) -> str:
    """The page as one file."""
    from reports.emit import Site, render

    of_bank = str(document["schema"]).startswith("sgtheory.check_bank/")
    one = bank_page.page(document) if of_bank else page(document)
    return render((one,), "html", Site(home=one.slug))


def _dtypes(document: Document) -> list[str]:
    return list(dict.fromkeys(c["dtype"] for c in document["cases"]))


def _rates(document: Document) -> Iterator[Block]:
    titles = _by_speed(document)
    yield Heading(2, "How fast, and against whom")
    yield Paragraph(
        "Each program runs the same chains to the end and gives their mean and covariance. A CPU"
        " second is a second of one core, so that it matters less what else runs on the machine."
    )
    for dtype in _dtypes(document):
        drawn = plots.rates(document["cases"], titles, dtype)
        if drawn:
            yield drawn
        cases = [c for c in document["cases"] if c["dtype"] == dtype]
        rows = tuple(_ratio_rows(cases, titles))
        if rows:
            yield Table(
                ("program", *(c["workload"] for c in cases)),
                rows,
                align="l" + "r" * len(cases),
                caption=f"{dtype}: how many times as many chain-steps a CPU second we make. Medians"
                " of ratios within a round; in brackets the least and the greatest.",
            )
    reasons = tuple(_absences(document))
    if reasons:
        yield Details("What did not run, and why", (Bullets(reasons),))


def _by_speed(document: Document) -> dict[str, str]:
    """Names and titles of the programs, ours first, then the fastest by their mean ratio."""

    def slowness(name: str) -> float:
        found = [c["ratios"][name]["median"] for c in document["cases"] if name in c["ratios"]]
        return statistics.geometric_mean(found) if found else math.inf

    titles: dict[str, str] = dict(document["contenders"])
    return dict(sorted(titles.items(), key=lambda item: -1 if item[0] == "ours" else slowness(item[0])))


def _ratio_rows(cases: Sequence[Document], titles: Mapping[str, str]) -> Iterator[Row]:
    for name, title in titles.items():
        found = [c["ratios"].get(name) for c in cases]
        if any(found):
            cells = [f"{_times(r['median'])} ({_span(r)})" if r else "–" for r in found]
            yield (title, *cells)


def _times(value: float) -> str:
    """
    >>> _times(0.91), _times(4.03), _times(28.3)
    ('0.91', '4.0', '28')
    """
    return plots.short(value)


def _span(spread: Mapping[str, float]) -> str:
    return f"{_times(spread['least'])}–{_times(spread['greatest'])}"


def _absences(document: Document) -> Iterator[str]:
    titles = document["contenders"]
    seen: dict[str, list[str]] = {}
    for case in document["cases"]:
        for name, row in case["contenders"].items():
            if row["status"] != "ran":
                word = row["status"].replace("_", " ")
                told = f"{titles[name]}, {word}: {row['reason']}"
                seen.setdefault(told, []).append(f"{case['workload']} {case['dtype']}")
    for told, where in seen.items():
        yield f"{told} ({', '.join(where)})"


def _limit(document: Document) -> Iterator[Block]:
    yield Heading(2, "How near to the machine's limit")
    if document["no_limits"]:
        yield Paragraph(f"The limits were not measured: {document['no_limits']}.")
        return
    drawn = plots.limit(document["cases"])
    if drawn:
        yield drawn
    parts = tuple(dict.fromkeys(p for case in document["cases"] for p in case["floor"]["parts"]))
    rows = []
    for case in document["cases"]:
        floor = case["floor"]
        cells = [f"{floor['parts'][p] * 1e9:.2f}" if p in floor["parts"] else "–" for p in parts]
        ours = f"{100 * floor['ours']['median']:.0f} %" if floor["ours"] else "–"
        total = f"{floor['seconds_a_chain_step'] * 1e9:.2f}"
        rows.append((f"{case['workload']} {case['dtype']}", *cells, total, ours))
    yield Table(
        ("workload", *parts, "together", "we reach"),
        tuple(rows),
        align="l" + "r" * (len(parts) + 2),
        caption="The least time of one chain-step, in nanoseconds of a core: what its parts take at"
        " the best rates that a C++ program reaches on this machine. Words: Philox4x32-10. Rows"
        " and sigmoids: the examples of a minibatch.",
    )
    limits = document["limits"]
    words = (
        ("clock", f"{limits['clock_hz'] / 1e9:.2f} GHz"),
        ("multiply-adds, float32", f"{limits['fma_f32'] / 1e9:.1f} G/s"),
        ("multiply-adds, float64", f"{limits['fma_f64'] / 1e9:.1f} G/s"),
        ("Philox4x32-10 words", f"{limits['words'] / 1e9:.2f} G/s"),
        ("normals from free words, float32", f"{limits['box_muller_f32'] / 1e9:.2f} G/s"),
        ("normals from free words, float64", f"{limits['box_muller_f64'] / 1e9:.2f} G/s"),
        ("memory, triad", f"{limits['triad_bytes'] / 1e9:.1f} GB/s"),
    )
    yield Details("The machine's limits, one core", (Table(("what", "rate"), words, align="lr"),))


def _growth(document: Document) -> Iterator[Block]:
    rows = document["growth"]
    if not rows:
        return
    yield Heading(2, "How it grows")
    drawn = plots.growth(rows)
    if drawn:
        yield drawn
    if document["growth_exponent"]:
        power = document["growth_exponent"]
        yield Paragraph(
            f"Between the two largest dimensions the time of a step grows as D to the {power}."
        )
    cells = []
    for row in rows:
        size = (row["along"], str(row["D"]), f"{row['chains']:,}", f"{row['steps']:,}")
        if "failed" in row:
            cells.append((*size, f"did not run: {row['failed']}", "–", "–", "–"))
            continue
        share = f"{100 * row['of_limit']:.0f} %" if row["of_limit"] else "–"
        rate, operations = row["per_cpu_second"]["median"] / 1e6, row["fma_per_cpu_second"] / 1e9
        compiled = f"{row['compile']:.1f} s" if row["along"] == "D" else "–"  # others find it compiled
        cells.append((*size, plots.short(rate), _times(operations), share, compiled))
    headers = ("along", "D", "chains", "steps", "M steps/s", "G FMA/s", "of the limit", "to compile")
    yield Details("All sizes", (Table(headers, tuple(cells), align="lrrrrrrr"),))


def _answers(document: Document) -> Iterator[Block]:
    """Whether everybody simulates the same, and what else one pays."""
    titles, cases = _by_speed(document), document["cases"]
    flagged = [f"{titles[n]} on {c['workload']} in {c['dtype']}" for c in cases for n in c["flagged"]]
    checks = [row["check"] for c in cases for row in c["contenders"].values() if "check" in row]
    yield Heading(2, "Do they all simulate the same?")
    if not checks:
        yield Paragraph("Nothing ran.")
        return
    if flagged:
        yield Paragraph(f"No: {'; '.join(flagged)}.")
    else:
        yield Paragraph(
            "Yes. Every mean, variance and covariance of every answer, and their common scale, was"
            " held against the exact law at that step (W4: against another implementation). The"
            f" largest deviation is {max(c['worst'] for c in checks):.1f} standard errors; at least"
            f" {min(c['bound'] for c in checks):.1f} would have been flagged, so that anything at all"
            " is flagged without cause once in a million runs of the benchmark. A noise that is too"
            f" large by {100 * min(c['sees'] for c in checks):.2f} % to"
            f" {100 * max(c['sees'] for c in checks):.1f} %, by workload, would have been seen with"
            " probability 0.99."
        )
    rows = []
    for name, title in titles.items():
        ran = [
            c["contenders"][name] for c in cases if c["contenders"].get(name, {}).get("status") == "ran"
        ]
        if ran:
            used = ", ".join(f"{k} {v}" for k, v in ran[0]["versions"].items())
            worst = max(r["check"]["worst"] for r in ran)
            slowest = f"{min(r['compile'] for r in ran):.1f}–{max(r['compile'] for r in ran):.1f} s"
            overhead = f"{1000 * max(r['overhead'] for r in ran):.0f} ms"
            rows.append((title, f"{worst:.1f}", slowest, overhead, used))
    yield Table(
        ("program", "worst deviation", "to compile", "beside the run", "with"),
        tuple(rows),
        align="lrrrl",
        caption="The worst deviation in standard errors; what the first call takes beyond a later"
        " one; what a later call takes beside the run that is counted; versions.",
    )


def _method(document: Document) -> Iterator[Block]:
    yield Heading(2, "How it was measured")
    yield Paragraph(
        "Every program is a process of its own. In every round each is asked in turn for one run,"
        " beginning with another one each time; times are user and system seconds of all threads."
        " Slow programs run fewer steps, which does not change their rate. The first call, at which"
        " libraries compile, is not counted."
    )
    stolen = document["machine"].get("stolen")
    if stolen is not None:
        yield Paragraph(
            f"The machine's host gave {100 * stolen:.1f} % of the processors' time to others while"
            " this ran."
        )
    rows = []
    for case in document["cases"]:
        if case["dtype"] == _dtypes(document)[0]:
            size = case["size"]
            numbers = (f"{size['chains']:,}", f"{size['steps']:,}", str(size["normals"]))
            made = f"{size['rows']} examples" if size["rows"] else f"{size['fma']} multiply-adds"
            rows.append((case["workload"], case["title"], *numbers, made))
    headers = ("", "workload", "chains", "steps", "normals a step", "and")
    if rows:
        yield Table(headers, tuple(rows), align="llrrrl")
    yield Code(
        "python -m benchmarks.cpu --out benchmarks/results/cpu.json\n"
        "python -m benchmarks.page benchmarks/results/cpu.json",
        "sh",
        ("To run it again (", Mono("pip install '.[bench]'"), " for the other programs):"),
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Read numbers, write the page beside them, or where the second argument says."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    if len(given) not in (1, 2):
        print("usage: python -m benchmarks.page FILE.json [FILE.html]", file=sys.stderr)
        return 2
    source = Path(given[0])
    target = Path(given[1]) if len(given) == 2 else source.with_suffix(".html")
    document = json.loads(source.read_text(encoding="utf-8"))
    target.write_text(html(document), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
