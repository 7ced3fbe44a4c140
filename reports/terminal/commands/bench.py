"""``sgtheory bench``: throughput, and the share of what the machine could do."""

from __future__ import annotations

from typing import Any

import click

from reports.terminal import common


@click.command("bench")
@common.device
@click.option("--quick", is_flag=True, help="Small ensembles: seconds, and less exact.")
@common.as_json
def command(device: str, quick: bool, as_json: bool) -> None:
    """Measure how fast this machine simulates, and what share of its limits that is.

    The floor of a step is what its random words, normals and multiply-adds take, each at the best
    rate of one core. About half a minute.
    """
    import sys

    from simulators.throughput import throughput

    def tell(what: str) -> None:
        if sys.stderr.isatty():
            click.echo(f"\r\x1b[Kmeasuring {what}", err=True, nl=False)

    document = throughput(device, quick, tell)
    if sys.stderr.isatty():
        click.echo("\r\x1b[K", err=True, nl=False)
    if as_json:
        common.show_json(document)
        return
    _show(document)


def _show(document: dict[str, Any]) -> None:
    for dtype, limits in document["limits"].items():
        rates = (
            f"{limits['multiply_adds'] / 1e9:.0f} G multiply-adds",
            f"{limits['words'] / 1e9:.1f} G random words",
            f"{limits['normals'] / 1e9:.1f} G normals from words",
        )
        click.echo(f"one core, {dtype}: {', '.join(rates)} a second")
    click.echo()
    click.echo(f"{'':18}{'':10}{'million chain-steps':>22}{'share of':>12}")
    click.echo(f"{'':18}{'':10}{'a second, a CPU second':>22}{'the floor':>12}")
    for row in document["workloads"]:
        name = f"{row['name']} {row['title']}, D={row['D']}"
        rate = f"{row['chain_steps_per_second'] / 1e6:,.1f}"
        cpu = row["chain_steps_per_cpu_second"]
        both = rate if cpu is None else f"{rate} {cpu / 1e6:10,.1f}"
        share = row["fraction_of_floor"]
        shown = "" if share is None else f"{100 * share:.0f} %"
        click.echo(f"{name:18}{row['dtype']:10}{both:>22}{shown:>12}")
