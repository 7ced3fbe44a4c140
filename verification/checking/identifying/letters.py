"""The letters of a step of which nothing is known: what each is, and problems on which it stays.

A step says by its names what it wants, and no more. A name that some declared sampler has for a matrix,
or for a whole number, is given one; the sizes N and S go by all their names; any other is a number.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from sgtheory import registry
from sgtheory.declare import Card, MatrixName, Parameter, Sampler, State, gradient
from sgtheory.declaring.wellformed import RESERVED
from sgtheory.errors import UnusableInput
from sgtheory.language import Apply
from sgtheory.problem import Problem
from verification.checking.cases import CLOCK, Case, begin, having
from verification.checking.gains import definite, gain
from verification.checking.gradients import QUIET
from verification.checking.readings import GAINS, SIZES
from verification.checking.signatures import Asks

DIMENSIONS = (1, 2, 1, 2, 3, 1)
TIMES = tuple(range(1, 21))
_NUMERATORS = tuple(k for k in range(24, 96) if k != 48)
_LARGEST = 9  # of a number: it is 2 to the power of minus this, at least
_NEAR_ONE = 0.3
_WHOLE = (3, 2, 4)
_SIZES = {"N": (10, 20, 30), "S": (2, 3, 5)}
_FAINT = Fraction(1, 2**16)  # of C, in most problems: injected noise is seen alone there
_QUIET = (1, 2, 4, 5)


@dataclass(frozen=True)
class Letters:
    """What a step asks for: numbers, whole numbers, matrices, and sizes by the names it has for them.

    ``kept`` are the options whose own values are left as they are, ``clocks`` count the steps before.
    """

    numbers: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()
    matrices: tuple[str, ...] = ()
    sizes: tuple[tuple[str, str], ...] = ()
    kept: tuple[tuple[str, str], ...] = ()
    clocks: tuple[str, ...] = ()
    states: tuple[str, ...] = ("theta",)

    @classmethod
    def of(cls, asks: Asks, options: bool = True) -> Letters:
        """By the names of a step; its optional numbers are chosen too, unless ``options`` is false.

        >>> found = Letters.of(Asks(("lr", "H"), ("num_data", "nesterov"), own=(("nesterov", "False"),)))
        >>> found.numbers, found.matrices, found.sizes, found.kept
        (('lr',), ('H',), (('num_data', 'N'),), (('nesterov', 'False'),))
        """
        sizes = {n: letter for letter in ("N", "S") for n in (letter, *SIZES[letter])}
        own, found = dict(asks.own), cls(clocks=asks.clocks)
        matrices, whole = _declared_names()
        for name in (*asks.required, *asks.optional):
            value = own.get(name, "")
            if name in asks.clocks:
                continue
            if name in sizes:
                found = replace(found, sizes=(*found.sizes, (name, sizes[name])))
            elif name in matrices and value in ("", "None"):
                found = replace(found, matrices=(*found.matrices, name))
            elif name in whole and not (value and not _is_number(value)):
                found = replace(found, whole=(*found.whole, name))
            elif name not in own or (options and _is_free(value)):
                found = replace(found, numbers=(*found.numbers, name))
            elif name != "mode":
                found = replace(found, kept=(*found.kept, (name, value)))
        return replace(found, numbers=tuple(n for n in found.numbers if n != "mode"))

    @property
    def letter(self) -> dict[str, str]:
        """The letter of each name in a declaration, where some names mean something else."""
        every = (*self.numbers, *self.whole, *self.matrices)
        taken = RESERVED | set(self.states)
        return {n: f"{n}_" if n in taken else n for n in every}

    @property
    def called(self) -> tuple[tuple[str, str], ...]:
        """What the step is called with, in the letters of ``sampler``."""
        return (*self.letter.items(), *self.sizes, *((n, CLOCK) for n in self.clocks))

    @property
    def sampler(self) -> Sampler:
        """A declaration with these letters and states, which says nothing of what the step does."""
        of = self.letter
        move = sum((Parameter(of[n], positive=True) for n in (*self.numbers, *self.whole)), start=0)
        states = tuple(State(n, real=True) for n in self.states)
        pull = gradient(states[0])
        for n in self.matrices:
            pull += Apply(MatrixName(of[n], positive=True), pull)
        first = (states[0], states[0] - (1 + move) * pull)
        others = tuple((s, s - pull) for s in states[1:])
        return Sampler(states, (first, *others), Card("mean", "unknown"), name="the step")


def _is_number(text: str) -> bool:
    try:
        Fraction(text)
    except ValueError:
        return False
    return True


def _is_free(text: str) -> bool:
    """Whether the value of an option is a number that may be chosen: no switch, no count, not off."""
    return text in ("as in your code",) or (
        _is_number(text) and "." in text + "." * ("e" in text) and Fraction(text) > 0
    )


def _declared_names() -> tuple[frozenset[str], frozenset[str]]:
    """The names of matrices, and of whole numbers, in all declarations."""
    matrices, whole = set(GAINS), set()
    for name in registry.samplers():
        try:
            parameters = registry.sampler(name).parameters
        except UnusableInput:
            continue
        matrices |= {p.name for p in parameters if isinstance(p, MatrixName)}
        whole |= {p.name for p in parameters if not isinstance(p, MatrixName) and p.is_integer}
    return frozenset(matrices), frozenset(whole)


def drawn(letters: Letters, D: int, k: int, source: random.Random, name: str, loss: str = "") -> Case:
    """A problem with random numbers for every letter, seen at every step, without gradient noise."""
    of = letters.letter
    C = definite(D, source)
    if k in _QUIET:
        C = [[str(Fraction(x) * _FAINT) for x in row] for row in C]
    sizes = {n: str(values[(k + len(n)) % 3]) for n, values in _SIZES.items()}
    problem = Problem.of({"model": "quadratic", "hessian": definite(D, source), "noise": C, **sizes})
    params: dict[str, Any] = {of[n]: _number(source) for n in letters.numbers}
    params |= {of[n]: Fraction(_WHOLE[(k + len(n)) % 3]) for n in letters.whole}
    given = MatrixName("H", positive=True)
    params |= {of[n]: _fractions(gain(given, D, source)) for n in letters.matrices}
    size = 2.0 ** -source.uniform(0, 4)
    problem = replace(having(problem, params), start={"theta": begin(source, D, size)})
    mode = tuple(round(source.uniform(-2, 2), 3) for _ in range(D))
    return Case(
        name, problem, mode, source.randrange(2**32), TIMES, QUIET, loss, 4, False, called=letters.called
    )


def _number(source: random.Random) -> Fraction:
    """Between 2^-11 and 1 on a scale of powers, or as near to 1: a step, or what a momentum keeps."""
    small = Fraction(source.choice(_NUMERATORS), 97 * 2 ** source.randrange(_LARGEST + 1))
    return 1 - small if source.random() < _NEAR_ONE else small


def _fractions(rows: Sequence[Sequence[str]]) -> tuple[tuple[Fraction, ...], ...]:
    return tuple(tuple(Fraction(x) for x in row) for row in rows)


def tries(letters: Letters, k: int, seed: int, loss: str, many: int) -> Iterator[Case]:
    """Problems of one dimension, one of which may suit."""
    source = random.Random(f"{seed} {k} {loss}")
    for j in range(many):
        yield drawn(letters, DIMENSIONS[k], k, source, f"problem {k + 1}.{j}", loss)


def moved(case: Case, by: int) -> Case:
    """The same with a start that is ``by`` times as far from where it was, and the same random numbers.

    The difference of two runs has no noise in it, where a step is affine.
    """
    start = case.problem.start["theta"]
    far = tuple(x * (1 + by) for x in start)
    return replace(
        case, name=f"{case.name}, moved {by}", problem=replace(case.problem, start={"theta": far})
    )
