"""The reference: all public names with what they are, and those of packages with their examples, run.

Nothing is written by hand: names come from the sources, words from docstrings, outputs from running.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import groupby

from reports.document import Block, Bullets, Code, Heading, Link, Mono, Page, Paragraph, Table
from reports.making import Task, announced
from reports.reference.examples import documented
from reports.reference.installed import missing_packages
from reports.reference.names import Name, names_of, offering, words_of
from reports.results import is_kept, kept

_NAMES = 1000  # on a page
_TRAIL = (Link("All papers", "index"), Link("Reference", "index#reference"))
ROOMS = {
    "sgtheory": "Declarations and derivations",
    "simulators": "From a declaration to many chains",
    "verification": "Claims, verdicts and checks",
    "reports": "Pages, and the command",
}


def reference_tasks() -> list[Task]:
    """A page to each room, those of names that are too many for it, and one to the commands."""
    found = [_task(room, f"Reference: {room}", partial(room_page, room)) for room in ROOMS]
    for room in ROOMS:
        parts = parts_of(room)
        own = parts if len(parts) > 1 else ()
        found += [_task(p.slug, p.title, partial(names_page, room, k)) for k, p in enumerate(own)]
    return [*found, _task("commands", "Reference: commands", commands_page)]


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
    found, parts = names_of(room), parts_of(room)
    blocks.append(Heading(2, "All public names"))
    if len(parts) == 1:
        blocks.append(_table(found))
    else:
        linked = ((Link(p.title, f"reference-{p.slug}"), f": {len(p.names)} names") for p in parts)
        blocks.append(Bullets(tuple(linked)))
    return _page(room, f"Reference: {room}", blocks, f"{ROOMS[room]}: {len(found)} public names.")


@dataclass(frozen=True)
class Part:
    """Names of some packages of a room, one after the other."""

    room: str
    packages: tuple[str, ...]
    names: tuple[Name, ...]

    @property
    def slug(self) -> str:
        """Such as ``verification-texts-theories``."""
        return "-".join((self.room, *dict.fromkeys((self.packages[0], self.packages[-1]))))

    @property
    def title(self) -> str:
        """Such as ``verification: texts to theories``."""
        return f"{self.room}: " + " to ".join(dict.fromkeys((self.packages[0], self.packages[-1])))


def parts_of(room: str) -> tuple[Part, ...]:
    """The names of a room as they go on pages: a package stays together.

    >>> [part.room for part in parts_of("reports")]
    ['reports']
    """
    parts: list[Part] = []
    for package, names in groupby(names_of(room), lambda n: (n.module.split(".")[1:] or ["itself"])[0]):
        own, last = tuple(names), parts[-1] if parts else None
        if last is not None and len(last.names) + len(own) <= _NAMES:
            parts[-1] = Part(room, (*last.packages, package), (*last.names, *own))
        else:
            parts.append(Part(room, (package,), own))
    return tuple(parts)


def names_page(room: str, k: int) -> Page:
    """Public names of some packages of a room."""
    part = parts_of(room)[k]
    return _page(part.slug, part.title, [_table(part.names)], f"{len(part.names)} public names.")


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
