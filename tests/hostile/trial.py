"""One hostile input: what it is made of, how it is run in this process, and the one rule.

The rule: status 2, one line below 400 characters, within seconds and a gigabyte, nothing written and
nothing executed; or an answer, with a status that is documented and finite numbers.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import resource
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from sgtheory.errors import NotAffine, Unstable, UnusableInput
from tests.hostile import archives, problems
from tests.hostile.arguments import arguments

SECONDS, GIGABYTE = 5.0, 2**30
KINDS = ("problem", "parameters", "formula", "archive", "arguments", "verdicts", "gradients")
_SHARES = (32, 16, 14, 12, 16, 5, 5)
_NO_NUMBER = re.compile(r"(?<![\w.])[-+]?(nan|inf|infinity)(?![\w])", re.IGNORECASE)
# Samplers that are cheap to ask for a law, with one that has none and one that has many states.
_SAMPLERS = (
    "sgd",
    "sgld",
    "momentum",
    "psgld",
    "underdamped",
    "sghmc",
    "sgldfp",
    "svrg_ld",
    "iasg",
    "lmc",
)


@dataclass(frozen=True)
class Case:
    """A command line with the files that it is given; or a call, where there is no command."""

    kind: str
    words: tuple[str, ...]
    files: Mapping[str, bytes] = field(default_factory=dict)
    call: Callable[[Path], Any] | None = None


@dataclass(frozen=True)
class Outcome:
    """What came of a case; ``fault`` is empty where the rule holds."""

    word: str  # refused, answered
    fault: str = ""
    line: str = ""
    seconds: float = 0.0


def case(seed: int) -> Case:
    """The case of a number."""
    draw = Random(seed)
    kind = draw.choices(KINDS, _SHARES)[0]
    return _MAKERS[kind](draw)


def _problem(draw: Random) -> Case:
    name, content = problems.text(draw)
    return Case("problem", _law(draw, name), {name: content, **_beside(draw, content)})


def _parameters(draw: Random) -> Case:
    """Valid but for the numbers: what is extreme, singular, unstable or too large."""
    sampler = draw.choice(_SAMPLERS)
    made: Any = json.loads(json.dumps(draw.choice((*problems.VALID[:3], *problems.VALID[6:8]))))
    made["params"] = {name: draw.choice(values) for name, values in _needed(sampler)}
    for _ in range(draw.randrange(1, 3)):
        home = draw.choice([made["params"], made["params"], made])
        keys = [k for k in home if k not in ("model", "params", "U", "data", "replacement", "start")]
        if not keys:
            continue
        key = draw.choice(keys)
        one, whole = draw.choice(problems._NUMBERS), home[key]
        home[key] = one if not isinstance(whole, list) else [[one] * len(whole)] * len(whole)
        if isinstance(whole, list) and isinstance(whole[0], list) and draw.random() < 0.6:
            home[key] = [[one if i == j else 0 for j in range(len(whole))] for i in range(len(whole))]
    words = _law(draw, "problem.json", sampler)
    return Case("parameters", words, {"problem.json": json.dumps(made).encode()})


@cache
def _needed(sampler: str) -> tuple[tuple[str, tuple[Any, ...]], ...]:
    """The parameters that have to be given, with values that often do."""
    from sgtheory import registry
    from sgtheory.declare import MatrixName

    declared = registry.sampler(sampler)
    needs = [n.name.name if hasattr(n, "factors") else n.name for n in declared.needs][:1]
    found = []
    for p in declared.parameters:
        if p.name not in needs and (declared.default(p) is not None or p.name in ("N", "S", "f")):
            continue
        if not isinstance(p, MatrixName):
            found.append((p.name, (2, 3) if p.is_integer else ("1/10", "1/100", 0.5, 1)))
    return tuple(found)


def _formula(draw: Random) -> Case:
    from tests.hostile.formulas import formula

    made = {**problems.VALID[4], "U": formula(draw)}
    words = ("law", draw.choice(("sgd", "sgld", "psgld")), "--problem", "problem.json")
    if draw.random() < 0.02:  # compiled, and carried out: that takes a while
        words = ("simulate", "sgd", *words[2:], "--chains", "64", "--steps", "3", "--device", "cpu")
    return Case("formula", words, {"problem.json": json.dumps(made).encode()})


def _archive(draw: Random) -> Case:
    made = {**problems.VALID[-1], "model": draw.choice(("linear_regression", "logistic_regression"))}
    files = {"problem.json": json.dumps(made).encode(), "data.npz": archives.archive(draw)}
    return Case("archive", ("law", "sgd", "--problem", "problem.json"), files)


def _arguments(draw: Random) -> Case:
    return Case("arguments", tuple(arguments(draw)))


def _verdicts(draw: Random) -> Case:
    """Two verdict files, of which something is wrong."""
    claim: dict[str, Any] = {"id": "p.eq1", "verdict": "proved", "twins": {"tried": 4, "rejected": 4}}
    made: list[Any] = [{"schema": "sgtheory.verdicts/1", "claims": [dict(claim)]} for _ in range(2)]
    home = draw.choice([made[1], made[1]["claims"][0], made[1]["claims"]])
    keys = list(home) if isinstance(home, dict) else [0]
    for _ in range(draw.randrange(3)):
        home[draw.choice(keys)] = problems.value(draw)
    texts = [json.dumps(m) for m in made]
    if draw.random() < 0.4:
        texts[1] = problems._scratched(draw, texts[1])
    files = {name: t.encode("utf-8", "surrogatepass") for name, t in zip("ab", texts, strict=True)}
    return Case("verdicts", ("diff", "a", "b", *(["--json"] * draw.randrange(2))), files)


def _gradients(draw: Random) -> Case:
    from sgtheory import estimate
    from simulators.export import read_ensemble
    from simulators.trace import read_trace

    readers: Any = (estimate.read, estimate.read, estimate.read, read_trace, read_ensemble)
    read = draw.choice(readers)
    content = archives.archive(draw, draw.choice((("gradients",), ("gradients", "points"))))
    return Case("gradients", (read.__name__,), {"g.npz": content}, lambda folder: read(folder / "g.npz"))


_MAKERS = {
    "problem": _problem,
    "parameters": _parameters,
    "formula": _formula,
    "archive": _archive,
    "arguments": _arguments,
    "verdicts": _verdicts,
    "gradients": _gradients,
}


def _beside(draw: Random, content: bytes) -> dict[str, bytes]:
    return {"data.npz": archives.archive(draw)} if b"data.npz" in content else {}


def _law(draw: Random, name: str, sampler: str = "") -> tuple[str, ...]:
    words = ["law", sampler or draw.choice((*("sgd", "sgld") * 8, *_SAMPLERS)), "--problem", name]
    if draw.random() < 0.3:
        words += draw.choice(
            (["--at", "7"], ["--at", "1000000000000"], ["--average", "9"], ["--time", "continuous"],
             ["--json"], ["--json", "--average", "1000000000"], ["--fourth"], ["--gradient", "eps"])
        )  # fmt: skip
    return tuple(words)


class _TooLong(BaseException):
    """Raised by the clock, so that no handler of errors takes it."""


@contextlib.contextmanager
def _within(seconds: float) -> Iterator[None]:
    def stop(*_: Any) -> None:
        raise _TooLong

    before = signal.signal(signal.SIGPROF, stop)
    waiting = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)  # of this process alone: the machine may be busy
    signal.setitimer(signal.ITIMER_REAL, 20 * seconds)  # and of all the time, for what only waits
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGPROF, before)
        signal.signal(signal.SIGALRM, waiting)


def run(one: Case, folder: Path, most: float | None = None) -> Outcome:
    """Carry out a case in an empty folder, which is left empty."""
    for name, content in one.files.items():
        (folder / name).write_bytes(content)
    out, err = io.StringIO(), io.StringIO()
    memory, begun = _memory(), time.process_time()
    status: Any = 0
    fault = ""
    try:
        with (
            contextlib.chdir(folder),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
            warnings.catch_warnings(record=True) as told,
            _within(most or SECONDS),
        ):
            warnings.simplefilter("always")
            status = _carried_out(one, folder)
    except _TooLong:
        fault = "takes too long"
    except Exception:
        fault = traceback.format_exc().strip().splitlines()[-1][:200]
    seconds = time.process_time() - begun
    if not fault:
        shown = [w for w in told if issubclass(w.category, RuntimeWarning) and one.call is None]
        fault = _fault(one, status, out.getvalue(), err.getvalue(), shown)
    if not fault and _memory() - memory > GIGABYTE:
        fault = "takes more than a gigabyte"
    left = {p.name for p in folder.iterdir()} - set(one.files)
    if left and not fault and status == 2:
        fault = f"leaves {sorted(left)[0]}"
    if problems.TARGET in left:
        fault = "executes"
    for path in folder.iterdir():
        _remove(path)
    return Outcome("refused" if status == 2 else "answered", fault, err.getvalue(), seconds)


def _carried_out(one: Case, folder: Path) -> Any:
    if one.call is None:
        from reports.terminal import main

        try:
            main(list(one.words))
        except SystemExit as end:
            return end.code
        return 0
    try:
        one.call(folder)
    except (UnusableInput, Unstable, NotAffine) as error:
        print(f"sgtheory: {error}", file=sys.stderr)
        return 2
    return 0


def _fault(one: Case, status: Any, out: str, err: str, shown: list[Any]) -> str:
    if status not in (0, 1, 2, 3):
        return f"status {status}"
    if shown:
        return f"warns: {shown[0].message}"
    lines = err.splitlines()
    if "two routes disagree" in err or "please report" in err:
        return lines[0]
    if status == 2:
        if out:
            return "a refusal on standard output"
        if len(lines) != 1 or not err.endswith("\n"):
            return f"{len(lines)} lines"
        if len(lines[0]) >= 400 or not lines[0].isprintable():
            return f"a line of {len(lines[0])} characters"
        return ""
    if len(lines) > 1:
        return f"{len(lines)} lines beside an answer"
    if one.words[0] in ("law", "simulate") and _NO_NUMBER.search(out):
        return "an answer with numbers that are none"
    return ""


def _memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1024 if sys.platform != "darwin" else 1)


def _remove(path: Path) -> None:
    import shutil

    shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
