"""A whole text: its letters, its samplers, its claims, and what of it is not understood."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from sgtheory import registry
from sgtheory.errors import UnusableInput, told
from sgtheory.finding import suggest
from sgtheory.reader import files
from verification import notation
from verification.statements import Compare
from verification.statements.claim import Stated, claim
from verification.terms.term import NUMBERS, term
from verification.texts.blocks import block_of
from verification.texts.chains import chain_of, is_bent, is_on_a_line
from verification.texts.letters import MATRICES, STATE, Letters, Meaning, row
from verification.texts.marks import Mark, marks
from verification.texts.phrases import HIDDEN
from verification.texts.sentences import Sentence, beside
from verification.texts.unclear import Shifted, Unclear
from verification.texts.updates import sampler as declared

MOST = 1_000_000  # characters
PIECES = 2_000  # statements, hypotheses and lines of letters: each statement is held against the others


@dataclass(frozen=True)
class Read:
    """A statement that was read: the claim, how it stands in the text, and what its letters are."""

    claim: Stated
    source: str
    line: int
    letters: Mapping[str, Meaning]
    given: tuple[Any, ...] = ()  # as they were read
    python: str = ""  # of a statement that has a form of its own


class Unread(UnusableInput):
    """A statement that is not understood, or another line of a text: the rest goes on.

    ``keys`` are those of the statements that are lost by it.
    """

    keys: tuple[str, ...] = ()


@dataclass(frozen=True)
class Broken:
    """A line of letters, or a sampler, that is not understood: what has its names waits for it."""

    error: int  # its place among what is refused
    names: tuple[str, ...]
    waiting: list[str] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)  # of statements among those that wait

    def is_in(self, written: str) -> bool:
        """Whether one of the names stands there."""
        return bool(self.names) and self._named.search(written) is not None

    @cached_property
    def _named(self) -> re.Pattern[str]:
        return re.compile(rf"(?<![A-Za-z])(?:{'|'.join(map(re.escape, self.names))})(?![A-Za-z])")


@dataclass
class Text:
    """What a text says."""

    path: Path
    letters: Letters = field(default_factory=Letters)
    given: list[str] = field(default_factory=list)  # relations between letters, as they are written
    implied: list[tuple[Any, Any]] = field(default_factory=list)  # what is given of a sampler's matrices
    sampler: Any = ""  # a Broken one where its block is not understood
    broken: list[Broken] = field(default_factory=list)
    time: str = "continuous"
    read: list[Read] = field(default_factory=list)
    refused: list[Unread] = field(default_factory=list)

    @property
    def claims(self) -> list[Stated]:
        """Those that are understood."""
        return [one.claim for one in self.read]


def read(path: Path) -> Text:
    """A text, read once for its content."""
    content = files.content(path, "a text with statements", most=MOST)
    return _read(path, content)


@cache
def _read(path: Path, content: bytes) -> Text:
    text = _printable(content.decode("utf-8", "replace").replace("\r\n", "\n"))
    found, tex = Text(path), path.suffix.lower() == ".tex"
    pieces = list(marks(text, tex))
    if len(pieces) > PIECES:
        got, remedy = f"{len(pieces):,} in {path.name}", "give it in parts"
        raise UnusableInput(f"at most {PIECES:,} statements and lines of letters", got, remedy)
    for mark in sorted(pieces, key=_turn):
        _told(found, text, mark, lambda mark=mark: _RULES[mark.what](found, mark, tex, text))  # type: ignore[misc]
    if not pieces or not (found.read or found.refused):
        raise UnusableInput(
            f"statements in {path.name}", "none", "begin a paragraph with **Claim 1** (section 2). ..."
        )
    for one in found.broken:
        if one.waiting:
            error, names = found.refused[one.error], ", ".join(one.waiting)
            told = f"{error.remedy}; what has it waits for that: {names}"
            found.refused[one.error] = Unread(error.expected, error.got, told)
            found.refused[one.error].keys = tuple(one.keys)
    return found


def _printable(text: str) -> str:
    """A space in place of each sign that controls a terminal, or the direction of what is read."""
    return "".join(sign if sign.isprintable() or sign in "\n\t" else " " for sign in text)


def _turn(mark: Mark) -> int:
    """Letters of every table first, then what is given of them: a sampler may stand above both."""
    if mark.what == "letters" and not _is_relation(mark):
        return 0
    return 1 if mark.what in ("letters", "given") else 2


def _is_relation(mark: Mark) -> bool:
    return re.search(r"[<>=≤≥]|\\l[et]|\\g[et]", mark.body.partition("|")[0]) is not None


def _told(found: Text, text: str, mark: Mark, work: Callable[[], None]) -> None:
    """Do it; what goes wrong is kept with its line, once: what needs it waits for it."""
    called = f"{mark.name.capitalize()} {mark.number}".strip() if mark.what == "claim" else mark.what
    if mark.what in ("claim", "updates"):
        under = found.sampler if mark.what == "claim" and isinstance(found.sampler, Broken) else None
        waits = under or next((one for one in found.broken if one.is_in(mark.body)), None)
        if waits is not None:
            waits.waiting.append(called if mark.what == "claim" else f"the sampler {mark.name}")
            waits.keys.extend([_key(called)] if mark.what == "claim" else [])
            found.sampler = waits if mark.what == "updates" else found.sampler
            return
    before = len(found.refused)
    try:
        work()
    except UnusableInput as error:
        if mark.what != "claim":
            words = re.findall(r"[A-Za-z_]+", mark.body.partition("|")[0])
            known = {n for r in found.letters.rows for n in r.names}
            names = [w for w in words if mark.what == "letters" or (mark.what == "given" and w in known)]
            found.broken.append(Broken(len(found.refused), tuple(names)))
            named = mark.what in ("updates", "sampler")  # never the sampler before it
            found.sampler = found.broken[-1] if named else found.sampler
        where = place(text, mark.start + max(getattr(error, "at", 0), 0))
        got = f"{error.got}, in {found.path.name}, line {where[0]}, column {where[1]} ({called})"
        found.refused.append(Unread(error.expected, got, error.remedy))
    except RecursionError:
        where = place(text, mark.start)
        found.refused.append(
            Unread("a formula that is not so deep", f"{found.path.name}, line {where[0]}", "name a part")
        )
    except Exception as error:  # words that fit no value, such as the root of a matrix added to a vector
        where = place(text, mark.start)
        got = f"{told(error)}, in {found.path.name}, line {where[0]} ({mark.what})"
        found.refused.append(Unread("what its words can be made of", got, "say it otherwise"))
    for one in found.refused[before:] if mark.what == "claim" else ():
        one.keys = (_key(called),)


def _key(label: str) -> str:
    """The name of a statement as it is asked for: ``claim3``."""
    return re.sub(r"[^A-Za-z0-9.]", "", label.lower()).strip(".")


def place(text: str, at: int) -> tuple[int, int]:
    """The line and the column of a position, from 1."""
    before = text[: max(at, 0)]
    return before.count("\n") + 1, len(before) - before.rfind("\n")


def _letters(found: Text, mark: Mark, tex: bool, text: str) -> None:
    names, *cells = (cell.strip() for cell in mark.body.split("|"))
    plain = names.strip(" $`")
    if _is_relation(mark):
        _given(found, replace(mark, body=plain), tex, text)
        return
    made = row(names, cells[0] if cells else "", cells[1] if len(cells) > 1 else "")
    if made is None:
        raise Unclear("letters in the first column", names, "such as: h | positive | step size", 0)
    known = {n for r in found.letters.rows for n in r.names}
    twice = next((n for n in made.names if n in known), None)
    if twice is not None:
        raise Unclear("a letter declared once", f"{twice} twice", "leave one line out", 0)
    found.letters = replace(found.letters, rows=(*found.letters.rows, made))
    found.given += made.bounds


def _given(found: Text, mark: Mark, tex: bool, text: str) -> None:
    """A relation between letters that holds for every statement; one that is not read is an error."""
    Sentence(mark.body, found.letters, found.sampler, found.time, tex).stated()
    found.given.append(mark.body)


def _sampler(found: Text, mark: Mark, tex: bool, text: str) -> None:
    """``sgd, in discrete time``."""
    said = mark.body.strip(" .`*}\n")
    name, _, rest = said.partition(",")
    name, rest = name.strip(" `*$."), rest.strip().lower()
    for words, time in (
        ("in discrete time", "discrete"),
        ("in continuous time", "continuous"),
        ("in the limit", "continuous"),
    ):
        if name.lower().endswith(words):
            name, rest = name[: -len(words)].strip(" ,`"), words
        if rest.startswith(words):
            found.time, rest = time, ""
    if rest:
        raise Unclear("in discrete time, or in the limit", rest, "say one of them after the name", 0)
    if name.lower() in ("none", "no", ""):
        found.sampler = ""
        return
    own = dict(found.letters.named)
    if name in own:
        found.sampler = own[name]
        return
    known = registry.known_as(name, registry.names("samplers"))
    if known.partition(":")[0] not in registry.names("samplers"):
        near = suggest.remedy(name, registry.names("samplers"), "see sgtheory list samplers")
        raise Unclear(
            "a sampler of ours by its name", name, f"{near}, or write its updates in a block", 0
        )
    found.sampler = known


def _updates(found: Text, mark: Mark, tex: bool, text: str) -> None:
    found.sampler = ""
    block = block_of(mark.body, found.letters, tex)
    if is_bent(block, found.letters):
        found.sampler = chain_of(block, mark.name, found.letters)
    else:
        name, given = f"{found.path.name}:{mark.name}", list[Any]()
        try:
            found.sampler, given = declared(block, name, found.letters)
        except Shifted:
            if not is_on_a_line(block):
                raise
            found.sampler = chain_of(block, mark.name, found.letters)
        found.implied += [(found.sampler, one) for one in given]
    found.letters = replace(found.letters, named=(*found.letters.named, (mark.name, found.sampler)))


def _claim(found: Text, mark: Mark, tex: bool, text: str) -> None:
    label = f"{mark.name.capitalize()} {mark.number}".strip()
    key = _key(label)
    if any(one.claim.key == key for one in found.read):
        raise Unclear("a name of its own", f"{label} twice", "number it otherwise", 0)
    if not mark.body.strip():
        raise Unclear("a statement after its name", "nothing", f"such as: **{label}.** a <= b", 0)
    title, start = _title(mark.body)
    try:
        sentence = Sentence(mark.body[start:].rstrip(), found.letters, found.sampler, found.time, tex)
        letters, whole = sentence.stated()
        of_all = tuple(_given_of_all(found, letters, whole))
        of_larger = (one for a, more in whole["moved"] for one in beside(a, more, of_all))
        given = (*whole["given"], *of_all, *of_larger)
        made = _made(letters, whole | {"given": given}, key, mark.place or label, title or label)
    except Unclear as error:
        error.at += start if error.at >= 0 else 0
        raise
    here = place(text, mark.start)[0]
    found.read.append(
        Read(made, mark.body.strip(), here, dict(letters.used), given, whole.get("python", ""))
    )


def _made(letters: Letters, whole: dict[str, Any], key: str, at: str, title: str) -> Stated:
    printed, common = re.search(r"\b(Eqs?\.|\()", at), re.search(r"\bcommonly\b", at)
    stands = "common" if common else "printed" if printed else "read"
    kinds = {m.term: m.kind for m in letters.used.values() if m.kind and m.kind != "positive definite"}
    parts = {name: whole[name] for name in ("of", "time", "states", "numbers", "given")}
    met = {
        a for r in (*whole["statement"].relations, *whole["given"]) for a in getattr(r, "letters", ())
    }
    if not whole["of"]:  # an unknown matrix, of which numbers alone are said
        kinds = {a: k for a, k in kinds.items() if k not in MATRICES or a in met}
    own, used = {p.name for p in letters.parameters}, {a.name for a in kinds}
    whole_numbers = [n for r in letters.rows if r.kind == "count" for n in r.names if n in own - used]
    told = (*((a.name, kind) for a, kind in kinds.items()), *((n, "count") for n in whole_numbers))
    parts |= {"kinds": told, stands: whole["statement"]}
    made: Stated = claim(key, at=at, title=title, **parts)
    return made


def _given_of_all(found: Text, letters: Letters, of_one: Mapping[str, Any]) -> Iterator[Any]:
    """The relations of the table about letters of a statement, of its sampler or its problem.

    What is so of letters in these is among them: such letters are met with the statement's. A noise
    covariance that is declared to be positive definite has full rank; a sampler's need not.
    """
    own, of = letters.own | set(letters.used), of_one["of"]
    told = [Sentence(written, found.letters, of).stated() for written in found.given]
    for _ in told:
        for about, _ in told:
            own |= {*about.used} if not own.isdisjoint(about.used) else set()
    for about, whole in told:
        if not own.isdisjoint(about.used):
            letters.used.update(about.used)
            yield whole["statement"]
    for one in (one for sampler, one in found.implied if sampler is of):
        yield one.put({a: letters.find(a.name) for a in one.letters if a.kind in NUMBERS})
    definite = (line.kind == "positive definite" for line in letters.rows if line.role == "C")
    met = [*(m.term for m in letters.used.values()), *of_one["statement"].letters]
    of_law = of and any(getattr(one, "kind", "matrix") in ("matrix", STATE) for one in met)
    if any(definite) and (of_law or any(getattr(one, "name", "") == "C" for one in met)):
        yield Compare(term(notation.C), ">", 0)


_SET_OFF = re.compile(  # *A title*: or \emph{A title}:
    r"\s*(?:\\(?:emph|textit)\{(?P<tex>[^{}$`]{3,160})\}|(?P<sign>[*_\"])(?P<plain>[^$`*_\"]{3,160})(?P=sign))"
    r"\s*:(?!=)"
)


def _title(body: str) -> tuple[str, int]:
    """The words before a colon, which name the statement; they may hold no formula and no hypothesis.

    A title that is set off, in italics or between quotation marks, is a name: any words may be in it.
    """
    if name := _SET_OFF.match(body):
        return " ".join((name["tex"] or name["plain"]).split()), name.end()
    found = re.match(r"\s*([^$`\\:=<>]{3,160}?)\s*:(?!=)", body)
    if found is None:
        return "", 0
    words = f" {' '.join(found[1].lower().split())} "
    hidden = next((w for w in HIDDEN if f" {w} " in words), None)
    if hidden is not None:
        told = (
            "put a hypothesis after the colon, or a title that is none in italics: *Not so fast*: a <= b"
        )
        raise Unclear("a title without a hypothesis", f"{hidden!r} in it", told, found.start(1))
    return " ".join(found[1].split()).strip("* "), found.end()


_RULES: dict[str, Callable[[Text, Mark, bool, str], None]] = {
    "letters": _letters,
    "given": _given,
    "sampler": _sampler,
    "updates": _updates,
    "claim": _claim,
}
