"""Averages of the iterates as states of their own: a program that also carries them along.

An average is updated with every step, so it costs two operations a coordinate and no memory, and all
that can be asked of a state can be asked of it: mean, covariance with others, moments, lags.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import sympy as sp

from sgtheory.errors import UnusableInput
from simulators.program import Block, Constant, Instruction, Program


@dataclass(frozen=True)
class Average:
    """Of the states after steps from ``since`` on, each or ``every`` so many; or of windows of steps.

    After k whole windows the average is that of the k-th window. With ``squares`` the squares of all
    coordinates have averages too.
    """

    since: int = 1
    window: int | None = None
    every: int = 1
    squares: bool = False

    def __post_init__(self) -> None:
        for name, count in (
            ("since", self.since),
            ("every", self.every),
            ("window", 1 if self.window is None else self.window),
        ):
            if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count < 2**53:
                raise UnusableInput(f"{name} as a whole number from 1", repr(count), f"change {name}")
        if self.window is not None and (self.since, self.every) != (1, 1):
            raise UnusableInput("steps or a window", "both", "leave one of them out")


def name_of(state: str) -> str:
    """What the average of a state is called.

    >>> name_of("theta")
    'average of theta'
    """
    return f"average of {state}"


def square_of(state: str) -> str:
    """What the average of the squares of a state's coordinates is called."""
    return f"average of {state} squared"


def averaged(program: Program, average: Average) -> Program:
    """The program that also carries the average of each of its states.

    >>> from sgtheory import registry
    >>> from sgtheory.setting import Setting
    >>> from simulators.lower import lower
    >>> sgd = lower(Setting(registry.sampler("sgd"), registry.model("quadratic")))
    >>> averaged(sgd, Average()).states
    ('theta', 'average of theta')
    """
    writer = _Writer(program)
    rate = writer.rate(average)
    new = dict(program.step.outputs)
    values = {name_of(s): new.get(s, s) for s in program.states}
    if average.squares:
        values |= {
            square_of(s): writer.emit("mul", "vector", new.get(s, s), new.get(s, s))
            for s in program.states
        }
    outputs = [
        (name, writer.emit("fma", "vector", rate, writer.emit("sub", "vector", value, name), name))
        for name, value in values.items()
    ]
    step = program.step
    return replace(
        program,
        states=(*program.states, *values),
        constants=(*program.constants, *writer.constants),
        step=Block(step.draws, (*step.instructions, *writer.instructions), (*step.outputs, *outputs)),
    )


class _Writer:
    """Adds constants and instructions behind those of a program."""

    def __init__(self, program: Program) -> None:
        self.constants: list[Constant] = []
        self.instructions: list[Instruction] = []
        self._first = len(program.constants)
        self._numbers = _unused(program)

    def constant(self, number: Any) -> str:
        name = f"${self._first + len(self.constants)}"
        self.constants.append(Constant(name, "scalar", sp.Integer(number)))
        return name

    def emit(self, op: str, type_: str, *args: str) -> str:
        self.instructions.append(Instruction(f"%{next(self._numbers)}", op, args, type_))
        return self.instructions[-1].result

    def rate(self, average: Average) -> str:
        """One over the number of states in the average, the newest included; 0 before the first."""
        one = self.constant(1)
        if average.window is not None:
            within = self.emit("mod", "scalar", "t", self.constant(average.window))
            return self.emit("div", "scalar", one, self.emit("add", "scalar", within, one))
        number = self.emit("sub", "scalar", "t", self.constant(average.since - 2))
        begun = self.emit("lessequal", "scalar", self.constant(average.since - 1), "t")
        # before the first the number may be 0: the quotient is then not looked at
        safe = self.emit("select", "scalar", begun, number, one)
        every = self.constant(average.every)
        if average.every > 1:
            behind = self.emit("mod", "scalar", self.emit("sub", "scalar", safe, one), every)
            safe = self.emit("add", "scalar", safe, self.constant(average.every - 1))
        zero = self.constant(0)
        rate = self.emit("select", "scalar", begun, self.emit("div", "scalar", every, safe), zero)
        if average.every > 1:
            rate = self.emit("select", "scalar", self.emit("less", "scalar", zero, behind), zero, rate)
        return rate


def _unused(program: Program) -> Iterator[int]:
    number = max((int(i.result[1:]) for i in program.step.instructions), default=-1)
    while True:
        number += 1
        yield number
