"""What was once found to break a tree, asked of it again by its command alone, and of another beside it.

``python -m benchmarks.found --tree OLD`` runs every case in a process of its own, of this tree and of
the other, and tells in which each of the promises holds. One that holds in both shows nothing of the
other, and is told too.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import re
import signal
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.found_played import Played, played
from benchmarks.trees import SECONDS, Ran, Stage
from sgtheory.files.writing import write

ROOT = Path(__file__).resolve().parent.parent
COMMIT = "2b48cbc"  # where all of it was found
BYTES, LINE = 2**30, 400
_GOOD: dict[str, Any] = {"hessian": [[2]], "noise": [[1]], "N": 40, "S": 4, "params": {"eps": "1/5"}}
_ONE: dict[str, Any] = {"noise": [[1]], "N": 100, "S": 10}
_LAW = ("law", "sgd", "--problem", "p.json")


Rule = Callable[[Ran], str]


@dataclass(frozen=True)
class Found:
    """A case under the words in which it was found; ``rule`` says what is wrong, or nothing."""

    name: str
    words: tuple[str, ...]
    files: Mapping[str, bytes]
    rule: Rule
    prepare: Callable[[Path], Any] | None = None
    first: tuple[str, ...] = ()  # a command before it, whose files ``prepare`` may change
    look: Callable[[Path], str] | None = None  # what is wrong with what is there afterwards
    unread: bool = False  # whether nobody reads what it prints

    def tried(self, stage: Stage) -> str:
        """What is wrong on that stage, or nothing."""
        for name, content in self.files.items():
            (stage.folder / name).write_bytes(content)
        if self.first:
            stage.run(*self.first)
        if self.prepare is not None:
            self.prepare(stage.folder)
        ran = stage.run(*self.words, unread=self.unread)
        return self.rule(ran) or (self.look(stage.folder) if self.look else "")


def refused(ran: Ran) -> str:
    """One line, status 2, soon, in little memory."""
    lines = [line for line in ran.err.splitlines() if line.strip()]
    if ran.late:
        return f"no answer in {SECONDS} s"
    if "Traceback" in ran.err:
        return f"a traceback: {lines[-1][:120]}"
    if ran.status != 2:
        return f"status {ran.status}"
    if len(lines) != 1:
        return f"{len(lines)} lines of error"
    if len(lines[0]) > LINE:
        return f"a line of {len(lines[0])} letters"
    return "more than a gigabyte" if ran.bytes > BYTES else ""


def finite(ran: Ran) -> str:
    """An answer whose numbers are numbers; or a refusal, or a finding with a status of its own."""
    if ran.late or "Traceback" in ran.err:
        return refused(ran)
    if ran.status == 0 and re.search(r"(?<![\w.])[-+]?(nan|inf|infinity)(?![\w])", ran.out, re.I):
        return "nan or inf with status 0"
    if ran.status == 0 and not re.search(r"\d", ran.out):
        return "an answer without a number"
    return "" if ran.status in (0, 1, 2) else f"status {ran.status}"


def true_variance(ran: Ran) -> str:
    """Of constant SGD with A = C = 1, N = 40, S = 4, eps = 1e-7 from 1, after 200 steps: 5e-13."""
    if ran.status == 2:
        return refused(ran)
    variances = [float(x) for x in re.findall(r"\d(?:\.\d+)?e-13", ran.out)]
    if not variances:
        return finite(ran) or "no variance where 5.0e-13 is true"
    wrong = [v for v in variances if abs(v / 5e-13 - 1) > 0.02]
    return finite(ran) or (f"a variance of {wrong[0]} where 5.0e-13 is true" if wrong else "")


def quiet(ran: Ran) -> str:
    """An answer or a refusal, without a warning of a library."""
    warned = [line for line in ran.err.splitlines() if "Warning" in line]
    return finite(ran) or (f"a warning: {warned[0][:120]}" if warned else "")


def as_ever(ran: Ran) -> str:
    """Status 0 and no word of an error."""
    if ran.late or "Traceback" in ran.err:
        return refused(ran)
    return f"status {ran.status}" if ran.status else ran.err.strip()[:120]


def crashed(ran: Ran) -> str:
    """A target that is told to have crashed, soon."""
    if ran.late or "Traceback" in ran.err:
        return refused(ran)
    if ran.status == 2 and ran.err.count("\n") == 1:
        return ""  # refused, because it could not be loaded
    told = "crashed" in ran.out or "crash" in ran.err
    return "" if ran.status == 1 and told else f"status {ran.status}, {ran.err.strip()[:80]}"


def _json(content: Any) -> dict[str, bytes]:
    return {"p.json": json.dumps(content).encode()}


def _archive(**arrays: Any) -> bytes:
    made = io.BytesIO()
    np.savez(made, **arrays)
    return made.getvalue()


def _array(array: Any) -> bytes:
    made = io.BytesIO()
    np.save(made, array)
    return made.getvalue()


def _bomb(folder: Path) -> None:
    """An archive of two megabytes that unpacks to two gigabytes of zeros."""
    head = b"\x93NUMPY\x01\x00v\x00" + (
        b"{'descr': '<f8', 'fortran_order': False, 'shape': (16777216, 16), }".ljust(117) + b"\n"
    )
    with zipfile.ZipFile(folder / "a.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("X.npy", "y.npy"):
            with archive.open(name, "w", force_zip64=True) as member:
                member.write(head)
                for _ in range(128):
                    member.write(bytes(2**24))


def cases() -> Iterator[Found | Played]:
    """All that can be asked by the command, and harms no tree's machine."""
    yield from _numbers()
    yield from _kinds()
    yield from _data()
    yield from _arguments()
    yield from _answers()
    yield from _outputs()
    yield from _checkpoints()
    yield from _place()
    yield from _targets()
    yield from _verdict_files()
    yield from played()


def _numbers() -> Iterator[Found]:
    for name in ("1e999999", "1e9999999", "1.7e308"):
        yield Found(f"a step of {name}", _LAW, _json({**_GOOD, "params": {"eps": name}}), refused)
    small: tuple[Any, ...] = ("1e-999999", 5e-324)
    for number in small:
        yield Found(f"a noise of {number}", _LAW, _json({**_GOOD, "noise": [[number]]}), refused)
    for told, number in (("1e-999999", "1e-999999"), ("400 digits", "7" * 400)):
        yield Found(f"a curvature of {told}", _LAW, _json({**_GOOD, "hessian": [[number]]}), refused)


def _kinds() -> Iterator[Found]:
    kinds: tuple[Any, ...] = (None, True, [], {})
    for wrong in kinds:
        told = json.dumps(wrong)
        yield Found(f"a model that is {told}", _LAW, _json({**_GOOD, "model": wrong}), refused)
    toml = ("law", "sgd", "--problem", "p.toml")
    yield Found("100,000 keys with dots", toml, {"p.toml": b"a." * 100_000 + b"b = 1"}, refused)
    start = {**_GOOD, "start": {"Theta": [1]}}
    yield Found("a start for a letter that is none", _LAW, _json(start), refused)
    twice = (
        b'{"hessian": [[2]], "noise": [[1]], "N": 40, "S": 4, "params": {"eps": "1/5", "eps": "1/7"}}'
    )
    yield Found("a key that is there twice", _LAW, {"p.json": twice}, refused)
    simulate = ("simulate", "sgld", "--problem", "p.json", "--chains", "100", "--steps", "10")
    towers = {
        "a tower of powers": "2**" * 50 + "x",
        "50 exp in one another": "exp(" * 50 + "x" + ")" * 50,
    }
    texts = {t: t for t in ("x/0", "log(0)*x", "sqrt(-1)*x", "(-8)**(1/3)*x", "0**-1*x")}
    for name, text in {**texts, **towers}.items():
        content = {"model": "potential", "U": text, **_ONE, "params": {"eps": "1/10"}}
        yield Found(f"the potential {name}", simulate, _json(content), refused)


def _odd_header() -> bytes:
    """An archive with an array whose header does not end: Python's reader of words finds no end too."""
    made, array = io.BytesIO(), _array(np.ones((30, 3))).replace(b"), }", b"(, }")
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("X.npy", array)
        archive.writestr("y.npy", _array(np.ones(30)))
    return made.getvalue()


def _data() -> Iterator[Found]:
    good = _archive(X=np.ones((30, 3)), y=np.ones(30))
    wrong = {
        "an .npy": _array(np.ones(3)), "half an archive": good[: len(good) // 2],
        "no rows": _archive(X=np.ones((0, 3)), y=np.ones(0)),
        "arrays of words": _archive(X=np.full((30, 3), "a"), y=np.full(30, "b")),
        "other lengths": _archive(X=np.ones((30, 3)), y=np.ones(7)),
        "an odd header": _odd_header(),
    }  # fmt: skip
    command = ("experiment", "mandt2017.figure1", "--data", "wine=a.npz", "--out", "made")
    for name, content in wrong.items():
        yield Found(f"data that are {name}", command, {"a.npz": content}, refused)
    yield Found("data that are an archive that unpacks to gigabytes", command, {}, refused, _bomb)
    for name, words in (
        ("data of a file that does not exist", "covtype=none.npz"),
        ("data under a name that nothing uses", "covtype=a.npz"),
    ):
        yield Found(name, (*command[:3], words, *command[4:]), {"a.npz": good}, refused)
    pipe = ("law", "sgd", "--problem", "pipe.json")
    yield Found(
        "a pipe that nobody writes into", pipe, {}, refused, lambda f: os.mkfifo(f / "pipe.json")
    )
    yield Found("a problem that is /dev/zero", ("law", "sgd", "--problem", "/dev/zero"), {}, refused)


def _arguments() -> Iterator[Found]:
    good = _json(_GOOD)
    at = ("verify", "sgd", "--problem", "p.json", "--at", "1000000000000")
    yield Found("a time of 10^12 steps", at, good, refused)
    yield Found("a name of 10,000 letters", ("law", "x" * 10_000, *_LAW[2:]), good, refused)
    yield Found(
        "verdicts into a file without a name", ("verify", "mandt2017", "--json", ""), {}, refused
    )


def _answers() -> Iterator[Found]:
    run = ("--chains", "1000", "--steps", "2000")
    diverges = _json({**_GOOD, "params": {"eps": 3}})
    averaged = ("simulate", "averaged_sgd", *_LAW[2:], *run)
    yield Found("a run that diverges", averaged, diverges, finite)
    quartic = _json({"model": "potential", "U": "x**4", **_ONE, "params": {"eps": "1/2"}})
    yield Found("a run on x^4 that diverges", ("simulate", *_LAW[1:], *run), quartic, finite)
    still = _json({**_GOOD, "noise": [[0]]})
    yield Found("a law without noise", _LAW, still, finite)
    svrg = {**_GOOD, "params": {"h": 3, "eps": 3, "m": 1}}
    yield Found(
        "svrg_ld where it is unstable", ("law", "svrg_ld", "--problem", "p.json"), _json(svrg), finite
    )
    yield Found("the best of a sampler without noise", ("tune", *_LAW[1:]), still, finite)
    lone = _json({**_GOOD, "noise": [[0]], "N": 1, "S": 1, "params": {"eps": "1/5", "mu": "1/2"}})
    yield Found("the best of one example", ("tune", "momentum", *_LAW[2:]), lone, finite)
    iasg = ("tune", "iasg", "--problem", "p.json", "--json")
    yield Found("the best window of averages", iasg, lone, finite)
    small = {
        "hessian": [[1]],
        "noise": [[1]],
        "N": 40,
        "S": 4,
        "params": {"eps": "1e-7"},
        "start": {"theta": [1]},
    }
    words = ("simulate", *_LAW[1:], "--dtype", "float32", "--steps", "200", "--chains", "1000000")
    yield Found("a step that float32 loses", words, _json(small), true_variance)


def _outputs() -> Iterator[Found]:
    run = ("simulate", *_LAW[1:], "--chains", "100", "--steps", "20")
    good = _json(_GOOD)

    def linked(folder: Path) -> str:
        whole = (folder / "e.npz").is_symlink() and (folder / "real.npz").is_file()
        return "" if whole else "the link is replaced"

    def beside(folder: Path) -> None:
        (folder / "mine").write_text("mine")
        os.symlink("mine", folder / "e.npz.part")

    yield Found(
        "an output that is a link", (*run, "--out", "e.npz"), good, as_ever,
        lambda folder: os.symlink(folder / "real.npz", folder / "e.npz"), look=linked,
    )  # fmt: skip
    yield Found(
        "a disk that is full", (*run, "--out", "e.npz"), good, refused,
        lambda folder: os.symlink("/dev/full", folder / "e.npz"),
        look=lambda folder: "" if Path("/dev/full").is_char_device() else "the device is replaced",
    )  # fmt: skip
    yield Found(
        "a predictable name beside the output", (*run, "--out", "e.npz"), good, as_ever,
        beside,
        look=lambda folder: "" if (folder / "mine").read_bytes() == b"mine" else "what it names is lost",
    )  # fmt: skip
    yield Found("a reader that has left", ("list", "samplers"), {}, as_ever, unread=True)
    overflows = {"model": "potential", "U": "exp(x**2)", **_ONE, "params": {"eps": "1/2"}}
    simulate = ("simulate", "sgld", "--problem", "p.json", "--chains", "100", "--steps", "50")
    yield Found("a run that overflows", simulate, _json(overflows), quiet)


def _checkpoints() -> Iterator[Found]:
    run = ("simulate", *_LAW[1:], "--chains", "100", "--steps", "20", "--checkpoint", "kept")

    def written(value: int) -> Callable[[Path], Any]:
        def change(folder: Path) -> None:
            path = folder / "kept" / "manifest.json"
            path.write_text(json.dumps({**json.loads(path.read_text()), "chunk": value}))

        return change

    for value in (-5, 0):
        told = f"a checkpoint with chunk {value}"
        yield Found(told, run, _json(_GOOD), refused, written(value), first=run)

    def deep(folder: Path) -> None:
        (folder / "kept" / "manifest.json").write_text("[" * 100_000)

    yield Found("a checkpoint that is deep", run, _json(_GOOD), refused, deep, first=run)


_PLACE = """
from verification.notation import A, C, S, Sigma, eps
where = dict(at="Eq. 1\\nopen('touched', 'w')\\n#", title="T", says="S.", of="sgd")
left, right = Sigma * A + A * Sigma, 2 * eps / S * C
try:
    from verification.statements import Equal, claim
    wrong = claim("eq1", printed=Equal(left, right), **where)
except ImportError:  # as claims were written then
    from verification.claims.base import Printed
    from verification.claims.stationary import StationaryLaw
    wrong = StationaryLaw("eq1", printed=(Printed(left, right),), **where)
"""


def _place() -> Iterator[Found]:
    """A claim whose place has a line break, and stands on the first line of a script."""

    def code(folder: Path) -> str:
        document = (folder / "v.json").read_text()
        scripts = [
            json.loads(f'"{one}"') for one in re.findall(r'"script": "((?:[^"\\]|\\.)*)"', document)
        ]
        lines = [line for script in scripts for line in script.splitlines()]
        return "" if scripts and "open('touched', 'w')" not in lines else "a place is code"

    words = ("verify", "mine.py", "--json", "v.json", "--jobs", "1")
    yield Found(
        "a place with a line break", words, {"mine.py": _PLACE.encode()},
        lambda ran: "Traceback" * ("Traceback" in ran.err), look=code,
    )  # fmt: skip


def _targets() -> Iterator[Found]:
    step = "def step(state, gradient, rng, eps):\n    "
    check = ("check", "t.py:step", "--like", "sgd", "--dimensions", "1", "--limit", "3")
    hangs = "import time\ntime.sleep(10**6)\n" + step + "return state\n"
    leaves = (
        "import subprocess\nsubprocess.Popen(['sleep', '60'], start_new_session=True)\n"
        + step + "return state - eps * gradient(state)\n"
    )  # fmt: skip
    red = step + "raise ValueError('\\x1b[31m\\0 red')\n"
    yield Found("a target that hangs while it is loaded", check, {"t.py": hangs.encode()}, crashed)
    yield Found(
        "a target that leaves a process behind", check, {"t.py": leaves.encode()}, finite, look=_alone
    )
    yield Found(
        "a page of a target that says words for a terminal", (*check, "--page", "c.html"),
        {"t.py": red.encode()}, crashed,
        look=lambda folder: "" if (folder / "c.html").is_file() else "there is no page",
    )  # fmt: skip


def _verdict_files() -> Iterator[Found]:
    head = '{"schema": "sgtheory.verdicts/1"'
    for told, text in (("no claims", head + "}"), ("a number of claims", head + ', "claims": 3}')):
        yield Found(
            f"a verdict file with {told}",
            ("diff", "v.json", "v.json"),
            {"v.json": text.encode()},
            refused,
        )


def _alone(folder: Path) -> str:
    """Whether a process is still in a folder; it is ended."""
    left = []
    for entry in Path("/proc").iterdir():
        with suppress(OSError):
            if entry.name.isdigit() and (entry / "cwd").resolve() == folder.resolve():
                left.append(int(entry.name))
    for one in left:
        os.kill(one, signal.SIGKILL)
    return f"{len(left)} processes stay" if left else ""


def tried(one: Found | Played, tree: Path, python: str) -> str:
    """A case in an empty folder, by the command of a tree: what is wrong, or nothing."""
    with tempfile.TemporaryDirectory() as made:
        return one.tried(Stage(Path(made), tree, python))


def main() -> None:
    """The table of all cases, of this tree and of another."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.found", description=__doc__)
    parser.add_argument("--tree", type=Path, help="another tree, as checked out")
    parser.add_argument("--only", default="", help="cases whose name has these letters")
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    trees = {"here": ROOT} | ({"there": asked.tree.resolve()} if asked.tree else {})
    rows: list[dict[str, str]] = []
    if asked.only and asked.out and asked.out.is_file():  # what is not asked again stays
        rows = [r for r in json.loads(asked.out.read_text())["rows"] if asked.only not in r["case"]]
    for one in cases():
        if asked.only not in one.name:
            continue
        wrong = {name: tried(one, tree, sys.executable) for name, tree in trees.items()}
        rows.append({"case": one.name, **wrong})
        print(one.name, *(f"| {name}: {said or 'holds'}" for name, said in wrong.items()), flush=True)
    told = {
        "schema": "sgtheory.found/1",
        "command": f"python -m benchmarks.found --tree {COMMIT}"
        if asked.tree
        else "python -m benchmarks.found",
        "cases": len(rows),
        "broken here": sum(bool(row["here"]) for row in rows),
        "broken there": sum(bool(row.get("there")) for row in rows),
        "rows": rows,
    }
    print({k: v for k, v in told.items() if "broken" in k})
    if asked.out:
        write(asked.out, json.dumps(told, indent=1) + "\n")


if __name__ == "__main__":
    main()
