"""What was once found that takes more than one command to see: each is a function of a tree's stage.

It says what is wrong, or nothing. A function is asked of either tree: what it looks at is what people
see, never how a tree does it.
"""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import re
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmarks.trees import MAIN, Ran, Stage, session, until, worked

PATIENCE, SOON = 60.0, 6.0  # seconds of a busy machine
CLAIM = "mandt2017.alg1.window_of_one_pass"
_PROBLEM = {"hessian": [[2]], "noise": [[1]], "N": 40, "S": 4, "params": {"eps": "1/5"}}
_RUN = ("simulate", "sgd", "--problem", "p.json", "--chains", "1000", "--steps", "100")
_CHECK = ("check", "t.py:step", "--like", "sgd", "--dimensions", "1", "--limit", "100")
_STEP = "def step(state, gradient, rng, eps):\n    "


@dataclass(frozen=True)
class Played:
    """A case under the words in which it was found."""

    name: str
    play: Callable[[Stage], str]

    def tried(self, stage: Stage) -> str:
        """What is wrong on that stage, or nothing."""
        return self.play(stage)


def _plain(ran: Ran) -> str:
    """An answer, or one line."""
    if "Traceback" in ran.err:
        return f"a traceback: {ran.err.strip().splitlines()[-1][:120]}"
    return "no answer" if ran.late else ""


def _problem(stage: Stage) -> None:
    (stage.folder / "p.json").write_text(json.dumps(_PROBLEM))


_PART = """
import sys
from verification.experiments.job import Job
with open("a.npz", "w") as file:
    file.write(sys.argv[1])
job = Job("mandt2017.figure2", "laptop", {}, files={"wine": "a.npz"})
print(job.part("any", lambda: sys.argv[1]))
"""


def other_data(stage: Stage) -> str:
    """A part of an experiment, and the same with other data under the same name."""
    ran = [stage.script(_PART, content) for content in ("one", "two")]
    if wrong := _plain(ran[0]) or _plain(ran[1]):
        return wrong
    return "" if ran[1].out.strip() == "two" else "the answer of the other data"


def one_checkpoint(stage: Stage) -> str:
    """Several runs that share a checkpoint."""
    _problem(stage)
    words = (*_RUN[:4], "--chains", "100000", "--steps", "200", "--checkpoint", "kept")
    ended = [stage.end(process) for process in [stage.start(*words) for _ in range(8)]]
    told = (_plain(ran) or ("" if ran.status in (0, 2) else f"status {ran.status}") for ran in ended)
    return next(filter(None, told), "")


def signalled(
    *words: str, how: signal.Signals, ready: Callable[[Stage, int], bool]
) -> Callable[[Stage], str]:
    """A command that gets a signal when it is ready: what of it stays, or how late it ends."""

    def play(stage: Stage) -> str:
        _problem(stage)
        (stage.folder / "t.py").write_text(f"import time\n{_STEP}time.sleep(1000)\n")
        (stage.folder / "tmp").mkdir()
        process = stage.start(*words, seconds=200, TMPDIR=str(stage.folder / "tmp"))
        if not until(lambda: ready(stage, process.pid) or process.poll() is not None, PATIENCE):
            stage.end(process)
            return "it never got there"
        if process.returncode is not None:
            return f"it ended with status {process.returncode}"
        os.kill(process.pid, how)
        ended = until(lambda: process.poll() is not None, SOON)
        alone = until(lambda: not set(session(process.pid)) - {process.pid}, SOON)
        count = len(set(session(process.pid)) - {process.pid})
        if count or not ended:
            os.killpg(process.pid, signal.SIGKILL)
        if not ended:
            process.wait()
            return f"it goes on for more than {SOON:.0f} s"
        left = [p.name for p in (stage.folder / "tmp").iterdir()]
        if not alone:
            return f"{count} processes stay"
        if left and how != signal.SIGKILL:
            return "its temporary folder stays"
        return ""

    return play


def workers(stage: Stage, leader: int) -> bool:
    """Whether a command has workers."""
    if len(session(leader)) < 4:
        return False
    time.sleep(2.0)
    return len(session(leader)) > 3


def loaded(stage: Stage, leader: int) -> bool:
    """Whether a command has its temporary folder, and a child that has begun."""
    return any((stage.folder / "tmp").iterdir()) and len(session(leader)) > 1


def after_a_kill(stage: Stage) -> str:
    """What a check that was killed left, when the next is over."""
    wrong = signalled(*_CHECK, how=signal.SIGKILL, ready=loaded)(stage)
    if wrong:
        return wrong
    (stage.folder / "t.py").write_text(f"{_STEP}return state - eps * gradient(state)\n")
    ran = stage.run(*_CHECK, TMPDIR=str(stage.folder / "tmp"))
    if wrong := _plain(ran):
        return wrong
    return "its temporary folder stays" if any((stage.folder / "tmp").iterdir()) else ""


def hash_seeds(stage: Stage) -> str:
    """The document of a claim under several seeds of Python's hashes."""
    documents = set()
    for seed in "0123":
        ran = stage.run("verify", CLAIM, "--jobs", "1", "--json", "v.json", PYTHONHASHSEED=seed)
        if wrong := _plain(ran):
            return wrong
        documents.add(re.sub(r'"seconds": [\d.]+', "", (stage.folder / "v.json").read_text()))
    return f"{len(documents)} documents" if len(documents) > 1 else ""


def unwritten(stage: Stage) -> str:
    """Verdicts are kept where a file takes the place of their folder while they are made."""
    (stage.folder / "made").mkdir()
    process = stage.start("verify", CLAIM, "--jobs", "1", "--json", "made/v.json")
    until(lambda: worked(process.pid) > 2.5, PATIENCE)
    (stage.folder / "made").rename(stage.folder / "away")
    (stage.folder / "made").touch()
    ran = stage.end(process)
    kept = [p for p in (stage.cache / "verdicts").rglob("*") if p.is_file()]
    return f"status {ran.status}" if ran.status not in (1, 2) else "" if kept else "nothing is kept"


class _Crafted:
    """What makes a folder where it is unpickled."""

    def __init__(self, where: str) -> None:
        self.where = where

    def __reduce__(self) -> Any:
        return os.mkdir, (self.where,)


def crafted(stage: Stage) -> str:
    """Kept parts that somebody replaced by others with a valid checksum."""
    if wrong := _plain(stage.script(_PART, "one")):
        return wrong
    image = pickle.dumps(_Crafted(str(stage.folder / "touched")))
    kept = [p for p in (stage.cache / "experiments").rglob("*") if p.is_file()]
    for path in kept:
        path.write_bytes(hashlib.sha256(image).digest() + image)
    stage.script(_PART, "one")
    if not kept:
        return "nothing is kept"
    return "it is code that runs" if (stage.folder / "touched").exists() else ""


def open_folder(stage: Stage) -> str:
    """A cache into which everybody may write."""
    _problem(stage)
    stage.cache.mkdir()
    stage.cache.chmod(0o777)
    stage.run(*_RUN)
    return "it is used" if any(stage.cache.iterdir()) else ""


_SERVER = """
import http.client, os, sys, threading
from pathlib import Path
from reports.serving import server_of
folder = Path("report")
folder.mkdir()
(folder / "index.html").write_text("index")
Path("secret").write_text("secret")
(folder / "leak").symlink_to("../secret")
with server_of(folder) as server:
    threading.Thread(target=server.serve_forever, daemon=True).start()
    client = http.client.HTTPConnection(*server.server_address[:2], timeout=20)
    client.putrequest("GET", sys.argv[1], skip_host=True)
    client.putheader("Host", sys.argv[2])
    client.endheaders()
    try:
        print(client.getresponse().status)
    except http.client.HTTPException:
        print("no answer")
    server.shutdown()
"""


def asked(path: str, host: str, right: str) -> Callable[[Stage], str]:
    """A question to the server of a report."""

    def play(stage: Stage) -> str:
        ran = stage.script(_SERVER, path, host)
        said = ran.out.strip()
        return _plain(ran) or ("" if said == right else f"{said} in place of {right}")

    return play


_LARGEST = """
import sys
import numpy as np
D = 2000
def matrix(seed):
    g = np.random.default_rng(seed).standard_normal((D, D))
    A = g @ g.T / D + np.eye(D)
    return (A + A.T) / 2
if sys.argv[1] == "law":
    try:
        from sgtheory.numbers import numeric
    except ImportError:
        from sgtheory import numeric
    from sgtheory.problem import Problem
    A, C = matrix(0).tolist(), matrix(1).tolist()
    content = {"hessian": A, "noise": C, "N": 1000, "S": 10, "params": {"eps": 0.1}}
    numeric.law("sgd", Problem.of(content))
else:
    from sgtheory import estimate
    np.savez("g.npz", gradients=np.random.default_rng(0).standard_normal((2 * D, D)))
    estimate.read("g.npz")
"""


def largest(what: str, seconds: int, most: float) -> Callable[[Stage], str]:
    """Two thousand dimensions in so many seconds and bytes."""

    def play(stage: Stage) -> str:
        ran = stage.script(_LARGEST, what, seconds=seconds)
        return _plain(ran) or (f"{ran.bytes / 1e9:.1f} GB" if ran.bytes > most else "")

    return play


_THREAD = "import threading, time\nthreading.Thread(target=time.sleep, args=(10**6,)).start()\n"


def plugged(text: str) -> Callable[[Stage], str]:
    """A list of samplers where somebody's plug-in does that while it is loaded."""

    def play(stage: Stage) -> str:
        info = stage.folder / "bad-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: bad\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text("[sgtheory.samplers]\nbad = bad_one:ONE\n")
        (stage.folder / "bad_one.py").write_text(text)
        path = os.pathsep.join(map(str, (stage.tree, stage.folder)))
        ran = stage.run("list", "samplers", "--json", seconds=40, PYTHONPATH=path)
        if wrong := _plain(ran) or ("" if ran.status == 0 else f"status {ran.status}"):
            return wrong
        try:
            names = [row["name"] for row in json.loads(ran.out)["samplers"]]
        except ValueError:
            return "no JSON"
        return "" if "sgd" in names else "no list"

    return play


_NO_THREADS = f"""
import threading
def none(thread):
    raise RuntimeError("can't start new thread")
threading.Thread.start = none
{MAIN}
"""


def no_threads(stage: Stage) -> str:
    """A run where no thread can be started."""
    _problem(stage)
    ran = stage.script(_NO_THREADS, *_RUN)
    return _plain(ran) or ("" if ran.status in (0, 2) else f"status {ran.status}")


def played() -> tuple[Played, ...]:
    """All of them."""
    term, kill = signal.SIGTERM, signal.SIGKILL
    verify = ("verify", "mandt2017", "--jobs", "2", "--json", "v.json")
    report = ("report", "mandt2017", "--jobs", "2", "--out", "made")
    return (
        Played("other data under the same name", other_data),
        Played("several runs on one checkpoint", one_checkpoint),
        Played("verify that is told to end", signalled(*verify, how=term, ready=workers)),
        Played("verify that is killed", signalled(*verify, how=kill, ready=workers)),
        Played("report that is told to end", signalled(*report, how=term, ready=workers)),
        Played("report that is killed", signalled(*report, how=kill, ready=workers)),
        Played("check that is told to end", signalled(*_CHECK, how=term, ready=loaded)),
        Played("what a check that was killed left", after_a_kill),
        Played("a document under several seeds of hashes", hash_seeds),
        Played("verdicts that come into no file", unwritten),
        Played("kept results that somebody replaced", crafted),
        Played("a cache that everybody may write to", open_folder),
        Played("a server that is asked for %00", asked("/%00", "127.0.0.1", "404")),
        Played("a server that is asked for a link", asked("/leak", "127.0.0.1", "404")),
        Played("a server under another name", asked("/index.html", "evil.example", "421")),
        Played("the law in 2,000 dimensions", largest("law", 40, 1.5e9)),
        Played("gradients of 2,000 dimensions", largest("read", 40, 1.5e9)),
        Played("a plug-in that leaves", plugged("raise SystemExit(0)\n")),
        Played("a plug-in that hangs", plugged("import time\ntime.sleep(10**6)\n")),
        Played("a plug-in that prints", plugged("print('hello')\n")),
        Played("a plug-in whose thread does not end", plugged(_THREAD)),
        Played("a plug-in that is broken", plugged("oops\n")),
        Played("a machine without another thread", no_threads),
    )  # fmt: skip
