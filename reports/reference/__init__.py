"""The reference: all public names with what they are, and those of packages with their examples, run.

Nothing is written by hand: names come from the sources, words from docstrings, outputs from running.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from reports.document import Block, Code, Heading, Link, Mono, Page, Paragraph, Table
from reports.making import Task, announced
from reports.reference.examples import documented
from reports.reference.installed import missing_packages
from reports.reference.names import Name, names_of, offering, words_of
from reports.results import is_kept, kept

_TRAIL = (Link("All papers", "index"), Link("Reference", "index#reference"))
ROOMS = {
    "sgtheory": "Declarations and derivations",
    "simulators": "From a declaration to many chains",
    "verification": "Claims, verdicts and checks",
    "reports": "Pages, and the command",
}


def reference_tasks() -> list[Task]:
    """A page to each room, and one to the commands."""
    rooms = [_task(room, f"Reference: {room}", partial(room_page, room)) for room in ROOMS]
    return [*rooms, _task("commands", "Reference: commands", commands_page)]


def _task(slug: str, title: str, make: Callable[[], Page]) -> Task:
    name = f"reference {slug} without {missing_packages()}"  # what is told depends on what is there
    page = announced(f"reference-{slug}", title, "reference", trail=_TRAIL)
    return Task(page, partial(kept, name, make), "sgtheory report", is_kept(name))


def room_page(room: str) -> Page:
    """What a room offers, with examples, and all its public names."""
    blocks: list[Block] = [
        Paragraph(
            "Words and signatures are those of the sources; every example was run when this page was"
            " built, and what stands under it is what it printed."
        )
    ]
    for module, offered in offering(room):
        blocks.append(Heading(2, module, typed=True))
        blocks += documented(module, offered)
    found = names_of(room)
    blocks += [Heading(2, "All public names"), _table(found)]
    return _page(room, f"Reference: {room}", blocks, f"{ROOMS[room]}: {len(found)} public names.")


def _table(found: tuple[Name, ...]) -> Table:
    rows = tuple((Mono(n.name), Mono(n.module), words_of(n.summary)) for n in found)
    return Table(("name", "module", "what it is"), rows, align="lll", search=f"{len(rows)} names")


def commands_page() -> Page:
    """Every command with its help, as the command prints it."""
    import click

    from reports.terminal import cli

    blocks: list[Block] = []
    with click.Context(cli, info_name="sgtheory") as top:
        for name in cli.list_commands(top):
            command = cli.get_command(top, name)
            assert command is not None
            inside = click.Context(
                command, parent=top, info_name=name, terminal_width=84, max_content_width=84
            )
            blocks += [Heading(2, name, typed=True), Code(command.get_help(inside))]
    return _page(
        "commands", "Reference: commands", blocks, "What each command takes, as its --help says."
    )


def _page(slug: str, title: str, blocks: list[Block], summary: str) -> Page:
    return Page(f"reference-{slug}", title, tuple(blocks), "reference", summary, _TRAIL)
