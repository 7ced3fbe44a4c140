"""``sgtheory audit``: what is wrong with entries themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import click

from reports.terminal import common
from reports.terminal.commands.verify import budget_option, jobs_option, seed_option


@click.command(
    "audit",
    epilog="What `verify`, `errata` or `report` said with the same settings is not judged again.",
)
@click.argument(
    "targets", nargs=-1, metavar="[PAPER|CLAIM|FILE]...", shell_complete=common.complete_target
)
@click.option("--only", metavar="CHECK", multiple=True, help="Of what is found, what this check finds.")
@budget_option
@common.device
@seed_option
@jobs_option
@click.option(
    "--json", "out", metavar="FILE", help="Write the JSON document to FILE (- is standard output)."
)
@click.option("--markdown", metavar="FILE", help="Write the table to FILE (- is standard output).")
@click.pass_context
def command(
    context: click.Context,
    targets: tuple[str, ...],
    only: tuple[str, ...],
    budget: str,
    device: str,
    seed: int,
    jobs: int | None,
    out: str | None,
    markdown: str | None,
) -> None:
    """Look for what is wrong with entries themselves, beside whether their statements are true.

    Does a proof carry its scope? Does a statement hold wherever its condition does, and is one that is
    called necessary needed? Does a correction differ, and is it proved? Is a counterexample inside what
    is given? Each check is a line of `sgtheory guide`'s page on this command.

    Exit status: 0 where nothing is found but what a reason is given for, 1 where something is, 2 where a
    file cannot be read.
    """
    from sgtheory.errors import UnusableInput
    from sgtheory.files.writing import try_file
    from simulators.engines import processors
    from verification.auditing import all_checks, audit
    from verification.auditing.reasons import with_reasons
    from verification.library import gather

    names = [check.name for check in all_checks()]
    for name in only:
        if name not in names:
            raise UnusableInput(
                f"a check among {', '.join(names)}", repr(name), common.meant(name, names)
            )
    for file in (out, markdown):
        if file not in (None, "-"):
            try_file(str(file))
    gathered = gather(targets)
    for error in gathered.errors:
        common.warn(str(error))
    if gathered.errors and not gathered.claims:
        context.exit(2)
    with common.progress_bar("entries") as progress:
        settings: dict[str, Any] = {"budget": budget, "device": device, "seed": seed}
        found = audit(gathered.claims, jobs=jobs or processors(), progress=progress, **settings)
    chosen = with_reasons([one for one in found if not only or one.kind in only])
    _write(chosen, len(gathered.claims), out, markdown)
    if "-" not in (out, markdown):
        click.echo("\n".join(_told(chosen, len(gathered.claims))))
    open_ = [one for one, reason in chosen if not reason]
    context.exit(2 if gathered.errors else int(bool(open_)))


def _write(chosen: Sequence[Any], entries: int, out: str | None, markdown: str | None) -> None:
    from sgtheory.files.writing import write

    if out == "-":
        common.show_json(_document(chosen, entries))
    elif out is not None:
        import json

        write(out, json.dumps(_document(chosen, entries), indent=1, ensure_ascii=False) + "\n")
    if markdown == "-":
        click.echo(_table(chosen, entries), nl=False)
    elif markdown is not None:
        write(markdown, _table(chosen, entries))


def _document(chosen: Sequence[Any], entries: int) -> dict[str, Any]:
    found = [{**one.to_json(), **({"reason": reason} if reason else {})} for one, reason in chosen]
    return {"schema": "sgtheory.audit/1", "entries": entries, "findings": found}


def _told(chosen: Sequence[Any], entries: int) -> Iterator[str]:
    for one, reason in chosen:
        yield f"{click.style(one.id, bold=True)}  {click.style(one.kind, fg='yellow')}: {one.words}"
        yield f"    {f'It stays: {reason}' if reason else f'What to do: {one.remedy}.'}"
    counts = Counter(one.kind for one, reason in chosen if not reason)
    kept = sum(bool(reason) for _, reason in chosen)
    told = ", ".join(f"{n} of {kind}" for kind, n in sorted(counts.items())) or "nothing"
    beside = f"; {kept} with a reason why they stay" if kept else ""
    yield f"{entries} entr{'y' if entries == 1 else 'ies'} looked at: {told}{beside}"


def _table(chosen: Sequence[Any], entries: int) -> str:
    """What is found as a table in Markdown."""
    lines = [
        "# What the audit finds",
        "",
        f"Made by `sgtheory audit --markdown FILE`, of {entries} entries. What has a reason stays.",
        "",
        "| entry | check | what is found | what to do, or why it stays |",
        "| :--- | :--- | :--- | :--- |",
    ]
    for one, reason in chosen:
        cells = (one.id, one.kind, one.words, f"It stays: {reason}" if reason else one.remedy)
        lines.append(f"| {' | '.join(c.replace('|', chr(92) + '|') for c in map(str, cells))} |")
    return "\n".join(lines) + "\n"
