"""What an experiment of a paper is, what came out of it, and the verdict that follows from that.

Nobody writes a verdict: it is read off comparisons with printed numbers, statements on shapes, and
printed formulas that contradict printed numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from sgtheory.errors import UnusableInput
from sgtheory.notation.display import Shown
from sgtheory.notation.sentence import Sentence, sentence

if TYPE_CHECKING:
    from verification.experiments.job import Job

REPRODUCED = "reproduced"
SHAPE = "shape only"
MISSING = "not reproducible"
CONTRADICTS = "contradicts its formulas"
NEW = "new"  # a figure that no paper has
FAILED = "failed"  # ours: simulation and exact theory do not agree, or a check could not fail
MEANINGS = {
    REPRODUCED: "every printed number lies within our interval",
    SHAPE: "what the paper says about it holds; numbers do not come out, or none are printed",
    MISSING: "the printed settings do not give the printed figure; what is missing is listed",
    CONTRADICTS: "the paper's own formulas give other numbers than the paper prints",
    NEW: "no paper has this figure",
    FAILED: "our simulation and our exact theory do not agree, or a check here could not fail: a fault"
    " of this toolkit",
}
LAPTOP, PAPER = "laptop", "paper"


@dataclass(frozen=True)
class Amount(Shown):
    """A number with how sure it is: exact, certified or estimated; ``error`` to each side.

    >>> Amount(2.0, 0.1).within(Amount(2.15, 0.1)), Amount(2.0).within(Amount(2.1))
    (True, False)
    """

    value: float
    error: float = 0.0
    kind: str = "estimated"

    def within(self, other: Amount) -> bool:
        """Whether the two intervals meet."""
        return abs(self.value - other.value) <= self.error + other.error

    def to_json(self) -> dict[str, Any]:
        """As it stands in the document."""
        return {"value": self.value, "error": self.error, "kind": self.kind}


def called(name: str) -> str:
    """A name that is typed, as it stands among words.

    >>> called("sghmc_refreshed")
    'sghmc-refreshed'
    """
    return name.replace("_", "-")


def printed_amount(text: str) -> Amount:
    """A number as a paper prints it, with half a unit of its last digit.

    >>> printed_amount("8.0"), printed_amount("1.3e-2")
    (Amount(value=8.0, error=0.05, kind='printed'), Amount(value=0.013, error=0.0005, kind='printed'))
    """
    number = Decimal(text)
    exponent = number.as_tuple().exponent
    assert isinstance(exponent, int)
    return Amount(float(number), float(Decimal(5).scaleb(exponent - 1)), "printed")


@dataclass(frozen=True)
class Setting:
    """One setting: what the paper prints ("" where it does not say), where, and what is used here."""

    name: str
    printed: str
    where: str
    ours: str = ""  # empty: as printed

    def __post_init__(self) -> None:
        """Formulas stand between dollar signs in words."""
        for name in ("name", "printed", "where", "ours"):
            object.__setattr__(self, name, sentence(getattr(self, name)))

    @property
    def is_missing(self) -> bool:
        """The paper does not say."""
        return not self.printed


@dataclass(frozen=True)
class Comparison:
    """A number that the paper prints against ours and, where it exists, the exact theory's."""

    what: str
    printed: str
    ours: Amount
    theory: Amount | None = None

    @property
    def agrees(self) -> bool:
        """The printed number, with its last digit rounded, meets our interval."""
        return printed_amount(self.printed).within(self.ours)

    def twin(self) -> Comparison:
        """A printed number that is twice its own and our uncertainty away: it has to be seen."""
        number = printed_amount(self.printed)
        off = 2 * (number.error + self.ours.error) + abs(self.ours.value - number.value)
        digits = Decimal(self.printed).as_tuple().exponent
        assert isinstance(digits, int)
        moved = Decimal(number.value + 1.01 * off).quantize(Decimal(1).scaleb(digits - 2))
        return Comparison(self.what, str(moved), self.ours, self.theory)


@dataclass(frozen=True)
class Agreement:
    """A simulated number against the exact theory's: both are ours, and they have to agree."""

    what: str
    measured: Amount
    exact: Amount

    @property
    def agrees(self) -> bool:
        """Whether the intervals meet; that of the simulation is to hold for all of them together."""
        return self.measured.within(self.exact)


@dataclass(frozen=True)
class Shape:
    """What the paper says or shows about a figure, decided on our numbers.

    ``holds`` is the value of a predicate, ``twin_holds`` that of the same predicate on numbers spoilt on
    purpose, which must be false; ``twin`` says how they were spoilt.
    """

    words: str
    seen: str
    holds: bool
    twin: str
    twin_holds: bool


def shape(
    words: str, seen: str, predicate: Callable[..., Any], given: Any, spoilt: Any, twin: str
) -> Shape:
    """Decide a statement on given numbers and on spoilt ones.

    >>> shape("it grows", "1, 2", lambda x: x[1] > x[0], (1, 2), (2, 1), "reversed").holds
    True
    """
    return Shape(words, seen, bool(predicate(given)), twin, bool(predicate(spoilt)))


@dataclass(frozen=True)
class Contradiction:
    """What the paper's formula gives at the paper's settings against what it prints: a calculation."""

    formula: str  # where it is printed, or a claim's id
    words: str
    by_formula: Amount
    printed: Amount

    @property
    def contradicts(self) -> bool:
        """Whether no number fits both."""
        return not self.by_formula.within(self.printed)


@dataclass(frozen=True)
class Line:
    """One series of a plot; ``kind`` is exact, measured, printed, or level, a line to compare with."""

    label: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    error: tuple[float, ...] = ()
    kind: str = "measured"

    def __post_init__(self) -> None:
        if len(self.x) != len(self.y) or len(self.error) not in (0, len(self.x)):
            sizes = f"{len(self.x)}, {len(self.y)}, {len(self.error)}"
            raise UnusableInput("as many places as values and errors", sizes, f"check {self.label!r}")


@dataclass(frozen=True)
class Plot:
    """Series over one axis."""

    name: str
    title: str
    x_label: str
    y_label: str
    lines: tuple[Line, ...]
    log_x: bool = False
    log_y: bool = False


@dataclass(frozen=True)
class Clouds:
    """Points in a plane and covariances drawn round a centre, by label and kind."""

    name: str
    title: str
    x_label: str
    y_label: str
    points: Mapping[str, tuple[tuple[float, float], ...]] = field(hash=False)
    ellipses: tuple[tuple[str, str, tuple[float, float], tuple[tuple[float, float], ...]], ...] = ()


@dataclass(frozen=True)
class Heat:
    """Matrices, or functions on a grid, side by side in one scale of colours, with lines over each.

    What is not a number has no colour.
    """

    name: str
    title: str
    panels: Mapping[str, tuple[tuple[float, ...], ...]] = field(hash=False)
    x: tuple[float, ...] = ()
    y: tuple[float, ...] = ()
    x_label: str = ""
    y_label: str = ""
    of: str = ""  # what the colours are
    lines: tuple[Line, ...] = ()
    log_x: bool = False
    log_y: bool = False


@dataclass(frozen=True)
class Findings:
    """All that came out of a run."""

    plots: tuple[Plot | Clouds | Heat, ...]
    comparisons: tuple[Comparison, ...] = ()
    agreements: tuple[Agreement, ...] = ()
    shapes: tuple[Shape, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    data: tuple[str, ...] = ()  # what each data set is, in words
    notes: tuple[str, ...] = ()
    standin: bool = False  # a synthetic set stands in for the paper's: its numbers cannot be reproduced
    uncompared: str = ""  # why printed numbers are not held against ours, such as a smaller network
    absent: str = ""  # the data that nobody gave, and how to give them: nothing was run


@dataclass(frozen=True)
class Experiment:
    """A figure or table: its settings as printed, and how to make it at each scale."""

    name: str  # paper.figure1
    paper: str  # "" for a figure that none has
    locator: str
    title: str
    settings: tuple[Setting, ...]
    scales: Mapping[str, Mapping[str, Any]] = field(hash=False)  # numbers by name, for laptop and paper
    changed: str  # what the laptop's scale changes
    run: Callable[[Job], Findings]
    sets: tuple[str, ...] = ()  # of data: a user may give a copy of each
    claims: tuple[str, ...] = ()  # the paper's statements on it, by their keys: ``fig1``

    def __post_init__(self) -> None:
        if set(self.scales) != {LAPTOP, PAPER}:
            raise UnusableInput(
                f"the scales {LAPTOP} and {PAPER}", f"{sorted(self.scales)}", f"see {self.name}"
            )

    @property
    def ids(self) -> tuple[str, ...]:
        """The statements on it by their ids."""
        return tuple(f"{self.paper}.{key}" for key in self.claims)

    @property
    def missing(self) -> tuple[Setting, ...]:
        """The settings that the paper does not print."""
        return tuple(s for s in self.settings if s.is_missing)


def verdict(experiment: Experiment, found: Findings) -> tuple[str, Sentence]:
    """The word, and the sentence for it; in words of findings formulas stand between dollar signs.

    Our own faults come first. Then printed formulas: where they contradict printed numbers nobody can
    reproduce both.
    """
    word, words = _verdict(experiment, found)
    return word, sentence(words)


def _verdict(experiment: Experiment, found: Findings) -> tuple[str, str]:
    fault = _fault(experiment, found)
    if fault:
        return FAILED, fault
    if found.absent:
        return MISSING, f"Nothing was run: {found.absent}."
    against = [c for c in found.contradictions if c.contradicts]
    if against:
        return CONTRADICTS, against[0].words
    if not experiment.paper:
        return NEW, f"{len(found.agreements)} simulated numbers agree with the exact ones."
    right = [c for c in found.comparisons if c.agrees]
    hold = all(s.holds for s in found.shapes)
    if right and len(right) == len(found.comparisons) and hold and not found.uncompared:
        every = {1: "The one printed number lies", 2: "Both printed numbers lie"}
        many = every.get(len(right), f"All {len(right)} printed numbers lie")
        words = f"{many} within our intervals"
        if found.standin:
            return SHAPE, f"{words}, but of a synthetic stand-in for the paper's data."
        return REPRODUCED, f"{words}."
    lacking = [s.name for s in experiment.missing]
    without = f" Not printed: {', '.join(lacking)}." if lacking else " All settings are printed."
    numbers = f"{len(right)} of {len(found.comparisons)} printed numbers lie within our intervals."
    counted = numbers if found.comparisons else ""
    if found.uncompared:
        counted = f"Its numbers are not compared: {found.uncompared}."
    if found.shapes and hold:
        counted = counted or "It prints no numbers to compare with."
        return SHAPE, f"What the paper says about it holds. {counted}{without}"
    wrong = [s for s in found.shapes if not s.holds]
    it = "Here it" if found.uncompared else "It"
    about = [f"{it} does not hold that {wrong[0].words}."] if wrong else []
    told = [counted or numbers] if counted or not wrong else []
    return MISSING, f"{' '.join([*told, *about])}{without}"


def _fault(experiment: Experiment, found: Findings) -> str:
    """What is wrong with our own work, or nothing."""
    failed = [a for a in found.agreements if not a.agrees]
    if failed:
        return f"{len(failed)} of {len(found.agreements)} simulated numbers are not the exact ones."
    blind = [s for s in found.shapes if s.holds and s.twin_holds]
    if blind:
        return f"It shows nothing that {blind[0].words}: it also holds of {blind[0].twin}."
    if not experiment.paper and not found.agreements:
        return "No simulated number was held against an exact one."
    return ""
