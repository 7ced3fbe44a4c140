"""A program in any language, ``cmd:./sampler --flag``, that speaks in lines of JSON. Protocol 1.

Every line in either direction is one JSON object. ``[x]`` is an array of all chains, (chains, D).

1. The program says first that it is there: ``{"sgtheory": 1}``. With ``"params": ["eps", "N"]`` beside
   it, it says which parameters it takes: the others have their declared defaults (a matrix is the
   identity). Without it every parameter that the sampler has is drawn at random and handed over.
2. ``{"do": "start", "seed": 7, "chains": 3, "D": 2, "params": {"eps": 0.1, ...}, "states": {"theta":
   [x], ...}}`` begins a run, as often as one likes: all before it is forgotten, random numbers begin at
   the seed. Matrices among the parameters are lists of rows. ``states`` are those of the declared
   sampler; a program that keeps others takes ``theta`` and makes the rest itself.
3. ``{"do": "step"}`` asks for one step of all chains. A program with ``t`` among its ``params`` hears
   the number of steps before it: ``{"do": "step", "t": 0}``, then 1, 2, ...
4. Both are answered by ``{"theta": [x]}``, where the chains are then. Before it the program may ask for
   gradients, as often as it likes: ``{"gradient": [x]}`` is answered by ``{"gradient": [x]}``, of the
   mean loss on a fresh minibatch for each chain (of the summed loss after ``{"sgtheory": 1, "loss":
   "sum"}``).
5. ``{"error": "words"}`` instead of any answer says that it cannot go on.
6. Its input ends when no more is asked: then it ends too. What it writes to standard error is shown when
   it fails.

With ``{"sgtheory": 1, "arrays": "base64"}`` every [x] is a string instead: base64 of its numbers as
little-endian doubles, row after row. A program that keeps numbers in memory so is much quicker.
Lines must be flushed. A whole program in Python::

    import json, random, sys

    def say(**message):
        print(json.dumps(message), flush=True)

    def gradient(theta):
        say(gradient=theta)
        return json.loads(sys.stdin.readline())["gradient"]

    say(sgtheory=1)
    for line in sys.stdin:
        message = json.loads(line)
        if message["do"] == "start":
            eps, theta = message["params"]["eps"], message["states"]["theta"]
            random.seed(message["seed"])
        else:
            theta = [
                [x - eps * g + eps**0.5 * random.gauss(0, 1) for x, g in zip(xs, gs)]
                for xs, gs in zip(theta, gradient(theta))
            ]
        say(theta=theta)
"""

from __future__ import annotations

import base64
import json
import subprocess
import weakref
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sgtheory.errors import UnusableInput
from verification.checking.cases import Count
from verification.checking.gradients import MEAN, SUM, Refused
from verification.checking.guarded import Guarded, Said, close
from verification.checking.signatures import LIBRARY, Asks
from verification.checking.targets import Command

KIND, ORDER = "subprocess", 10
VERSION = 1
_SHOWN = 60  # characters of a line that is told
_LISTS, _BASE64 = "lists", "base64"
_NUMBER, _ROOM = 64, 10_000  # characters that a number may take, and all the rest of a line


def matches(target: Any) -> bool:
    """A command, as ``cmd:`` makes it."""
    return isinstance(target, Command)


def runner(target: Command) -> LinesRunner:
    """The program, started, when it has said that it is there."""
    program = Program.started(target)
    return LinesRunner(program, program.loss)


@dataclass
class Program:
    """A running program, and how it writes arrays."""

    child: Guarded
    arrays: str = _LISTS
    loss: str = ""
    takes: tuple[str, ...] | None = None  # the parameters that it has names for, if it says so
    shape: tuple[int, int] = (0, 0)
    lines: int = field(default=0)

    @classmethod
    def started(cls, command: Command) -> Program:
        """In our own group of processes, which whoever watches over us ends together with us."""
        pipe = subprocess.PIPE
        try:
            process = subprocess.Popen(command.words, stdin=pipe, stdout=pipe, stderr=pipe)
        except OSError as error:
            raise UnusableInput("a command that runs", f"{error}", "check its path") from error
        assert process.stderr is not None
        program = cls(Guarded(process, Said(process.stderr)))
        weakref.finalize(program, close, process)
        program._greeted()
        return program

    def _greeted(self) -> None:
        hello = self.heard()
        if hello.get("sgtheory") != VERSION:
            raise self._amiss(f'{{"sgtheory": {VERSION}}} first', hello)
        self.arrays, self.loss = hello.get("arrays", _LISTS), hello.get("loss", "")
        takes = hello.get("params")
        if takes is not None:
            if not (isinstance(takes, list) and all(isinstance(n, str) for n in takes)):
                raise self._amiss("params as a list of names", hello)
            self.takes = tuple(takes)
        if self.arrays not in (_LISTS, _BASE64) or self.loss not in ("", MEAN, SUM):
            raise self._amiss(f"arrays {_LISTS} or {_BASE64}, loss {MEAN} or {SUM}", hello)

    def say(self, **message: Any) -> None:
        """One line to the program."""
        stream = self.child.process.stdin
        assert stream is not None
        try:
            stream.write(json.dumps(message).encode() + b"\n")
            stream.flush()
        except OSError as error:  # it has closed its input
            raise self._gone() from error

    def heard(self) -> dict[str, Any]:
        """One line from the program."""
        stream, most = self.child.process.stdout, _ROOM + _NUMBER * self.shape[0] * self.shape[1]
        assert stream is not None
        line = stream.readline(most)
        if not line:
            raise self._gone()
        self.lines += 1
        if len(line) == most:
            raise self._amiss("a line that ends", line)
        try:
            found = json.loads(line)
        except ValueError as error:
            raise self._amiss("a JSON object", line) from error
        if not isinstance(found, dict):
            raise self._amiss("a JSON object", line)
        if "error" in found:
            raise RuntimeError(f"the program says: {str(found['error'])[:200]}")
        return found

    def answer(self, gradient: Any) -> Any:
        """Positions at the end of a step; until then the program is given gradients."""
        while True:
            found = self.heard()
            if "theta" in found:
                return self.read(found["theta"], "theta")
            if "gradient" not in found or gradient is None:
                asked = (
                    "theta or gradient" if gradient is not None else "theta, since start has no gradient"
                )
                raise self._amiss(asked, found)
            self.say(gradient=self.written(gradient(self.read(found["gradient"], "gradient"))))

    def written(self, x: Any) -> Any:
        """An array for the program."""
        x = np.asarray(x, "<f8")
        return x.tolist() if self.arrays == _LISTS else base64.b64encode(x.tobytes()).decode()

    def read(self, told: Any, name: str) -> Any:
        """An array of the program."""
        try:
            found = np.array(told, float) if self.arrays == _LISTS else _doubles(told)
        except (ValueError, TypeError) as error:
            raise Refused("shape", f"{name} is no array of numbers: {error}") from error
        if self.arrays == _BASE64 and found.size == self.shape[0] * self.shape[1]:
            found = found.reshape(self.shape)
        if found.shape != self.shape:
            raise Refused("shape", f"{name} has shape {found.shape}, expected {self.shape}")
        if not np.isfinite(found).all():  # no number of JSON, so that no gradient could be told
            raise Refused("not finite", f"{name} has entries that are not finite")
        return found

    def _amiss(self, expected: str, got: Any) -> Refused:
        shown = got.decode(errors="replace") if isinstance(got, bytes) else json.dumps(got)
        shown = shown.strip()
        cut = shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}..."
        return Refused("protocol", f"line {self.lines} of the program: expected {expected}; got {cut}")

    def _gone(self) -> Exception:
        try:
            self.child.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            return Refused("protocol", "the program closed its output or input, but runs on")
        return RuntimeError(self.child.how())


def _doubles(told: Any) -> Any:
    return np.frombuffer(base64.b64decode(told, validate=True), "<f8").astype(float)


@dataclass(frozen=True)
class LinesRunner:
    """The states are the program's own; what we hold is where its chains are."""

    program: Program
    loss: str = ""

    def start(self, states: Mapping[str, Any], rng: Any, params: Mapping[str, Any]) -> Any:
        """A run begins in the program."""
        program = self.program
        program.shape = chains, D = states["theta"].shape
        program.say(
            do="start",
            seed=int(rng.integers(2**31)),
            chains=chains,
            D=D,
            params={n: np.asarray(x).tolist() for n, x in params.items()},
            states={n: program.written(x) for n, x in states.items()},
        )
        return program.answer(None)

    @property
    def asks(self) -> Asks | None:
        """What it said that it takes."""
        takes = self.program.takes
        return None if takes is None else Asks(takes, (), True, "the program", LIBRARY, is_step=True)

    @property
    def resumable(self) -> bool:
        """A program runs one thing at a time: a start ends what was before."""
        return False

    def step(self, state: Any, gradient: Any, rng: Any, params: Mapping[str, Any]) -> Any:
        """One step of the program, with the number of those before it where it asks for that."""
        clocks = {n: int(x) for n, x in params.items() if isinstance(x, Count)}
        self.program.say(do="step", **clocks)
        return self.program.answer(gradient)

    def position(self, state: Any) -> Any:
        """What it said last."""
        return state
