"""Where the time of a verdict goes, against an older commit: ``python -m benchmarks.verify [COMMIT]``.

Every claim is judged in one process of each tree, one after the other, the two trees in turn; CPU
seconds of all threads are counted, so that a busy machine matters less. A stage (``STAGES``) is some
functions; what one calls of another stage counts there: a proof that a twin asks for is ``proof``.
Without COMMIT this tree alone is timed.

    python -m benchmarks.verify HEAD~20 --every 8 --only brosse2018 --out timings.json

``results/verify.json`` has every 25th claim, from the eighth, at the commit of it beside ac1b2787:
whole verdicts without stages, both trees at once, 29.2 against 32.6 CPU seconds, and all words the same.
Before that, at 1fdda653, conditions had become 3.4 times faster. What is left is flat: SymPy has three
tenths of it, ensembles a thirteenth, scripts of twins a tenth; no function of ours has a thirtieth.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
# A stage is what these functions take; of a tree that has not one of them, that one is left out.
STAGES = {
    "proof": ("verification.statements.asking:asked_of",),
    "search": ("verification.refuter.search:refute", "verification.refuter.climb:climb"),
    "mending": ("verification.statements.conditions:correction",),
    "conditions": (
        "verification.statements.conditions:found",
        "verification.statements.converse:converse",
    ),
    "twins": ("verification.statements.surviving:twins",),
    "ensemble": (
        "verification.measuring.ensembles:measure",
        "verification.measuring.minibatches:on_minibatches",
    ),
    "script": ("verification.refuter.script:run",),
}

# What a tree's own process runs: all that it knows of a tree is what claims are asked.
SERVER = """
import json, sys, time
from importlib import import_module
from verification import library
from verification.judging import judge
stages, budget = json.loads(sys.argv[2]), sys.argv[1]
claims = {c.id: c for c in library.all_claims()}
started, spent, running = time.process_time(), {}, []
def turn(stage, begins):
    now = time.process_time()
    if running:
        spent[running[-1]] = spent.get(running[-1], 0.0) + now - turn.last
    turn.last = now
    running.append(stage) if begins else running.pop()
def timed(stage, work):
    def asked(*given, **named):
        turn(stage, True)
        try:
            return work(*given, **named)
        finally:
            turn(stage, False)
    return asked
def watch(stage, module, name):
    try:
        work = getattr(import_module(module), name)
    except (ImportError, AttributeError):
        return
    instead = timed(stage, work)
    for known in list(sys.modules.values()):  # wherever it was imported to
        for own in [n for n, x in vars(known).items() if x is work]:
            setattr(known, own, instead)
for stage, names in stages.items():
    for one in names:
        watch(stage, *one.split(":"))
told = {"import": started, "claims": {i: type(c).__name__ for i, c in claims.items()}}
print(json.dumps(told), flush=True)
for line in sys.stdin:
    (claim, plan), = judge.plans([claims[json.loads(line)]], budget=budget)
    spent.clear()
    began = time.process_time()
    turn("rest", True)
    verdict = judge.judge(claim, plan)
    turn("rest", False)
    told = {"verdict": verdict.finding.verdict, "all": time.process_time() - began}
    print(json.dumps({**spent, **told}), flush=True)
"""


class Tree:
    """A tree of sources, and the process that judges its claims one by one."""

    def __init__(self, folder: Path, budget: str, cache: str) -> None:
        own = {"PYTHONPATH": str(folder), "SGTHEORY_CACHE": cache, "OPENBLAS_NUM_THREADS": "1"}
        self.process = subprocess.Popen(
            [sys.executable, "-c", SERVER, budget, json.dumps(STAGES)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            cwd=folder, env={**os.environ, **own},
        )  # fmt: skip
        told = self._answer()
        self.claims: dict[str, str] = told["claims"]
        self.imported: float = told["import"]  # seconds until all claims are there

    def judged(self, claim: str) -> dict[str, Any] | None:
        """What one verdict took, in CPU seconds; nothing where the tree has no such claim."""
        if claim not in self.claims:
            return None
        assert self.process.stdin is not None
        print(json.dumps(claim), file=self.process.stdin, flush=True)
        return {"class": self.claims[claim], **self._answer()}

    def _answer(self) -> Any:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"expected an answer; the process of {self.process.args!r} ended")
        return json.loads(line)

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()


@contextmanager
def sources(commit: str | None) -> Iterator[Path]:
    """The folder of a commit's files, or of this tree."""
    if commit is None:
        yield ROOT
        return
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(["git", "archive", commit], cwd=ROOT, capture_output=True, check=True)
        subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True)
        yield Path(folder)


def timings(
    commits: Sequence[str | None], budget: str, every: int, only: Sequence[str], lanes: int
) -> list[dict[str, Any]]:
    """One row a claim of this tree: its id, and what it took in each tree."""
    with ExitStack() as open_until_the_end:
        folders = [open_until_the_end.enter_context(sources(c)) for c in commits]
        cache = open_until_the_end.enter_context(tempfile.TemporaryDirectory())

        def lane(share: int) -> list[dict[str, Any]]:
            trees = [Tree(folder, budget, f"{cache}/{n}-{share}") for n, folder in enumerate(folders)]
            rows = []
            chosen = [c for c in trees[0].claims if not only or any(word in c for word in only)][::every]
            for number, claim in enumerate(chosen[share::lanes]):
                order = trees if number % 2 == 0 else trees[::-1]
                took = {id(tree): tree.judged(claim) for tree in order}
                rows.append({"claim": claim, "took": [took[id(tree)] for tree in trees]})
                if number % 20 == 19:
                    print(f"{number + 1} of {len(chosen[share::lanes])}", file=sys.stderr)
            for tree in trees:
                print(f"import and scan: {tree.imported:.1f} s", file=sys.stderr)
                tree.close()
            return rows

        with ThreadPoolExecutor(lanes) as pool:
            return [row for rows in pool.map(lane, range(lanes)) for row in rows]


def told(rows: Sequence[dict[str, Any]], most: int) -> Iterator[str]:
    """Sums by class, stage by stage, then the claims that differ most (or take longest)."""
    trees = range(len(rows[0]["took"]))
    by_class: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        by_class.setdefault(row["took"][0]["class"], []).append(row)
    columns = (*STAGES, "rest", "all")
    yield f"{'class':24}{'claims':>7}" + "".join(f"{c:>{9 * len(trees)}}" for c in columns)

    def spent(chosen: Sequence[dict[str, Any]], column: str) -> str:
        sums = (sum((r["took"][t] or {}).get(column, 0.0) for r in chosen) for t in trees)
        return "".join(f"{s:9.1f}" for s in sums)

    for name, chosen in sorted(
        by_class.items(), key=lambda item: -sum(r["took"][0]["all"] for r in item[1])
    ):
        yield f"{name:24}{len(chosen):7}" + "".join(spent(chosen, c) for c in columns)
    yield f"{'all':24}{len(rows):7}" + "".join(spent(rows, c) for c in columns)

    def slower(row: dict[str, Any]) -> float:
        then = row["took"][-1] if len(trees) > 1 else None
        return float(row["took"][0]["all"] - (then["all"] if then else 0.0))

    for row in sorted(rows, key=slower, reverse=True)[:most]:
        yield f"{row['claim']:52}" + "".join(f"{(t or {}).get('all', 0.0):9.2f}" for t in row["took"])
    for row in rows:
        if len({t["verdict"] for t in row["took"] if t}) > 1:
            yield f"verdict changed: {row['claim']}: {[t and t['verdict'] for t in row['took']]}"


def main(given: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("commit", nargs="?", help="the commit to compare with")
    parser.add_argument("--budget", default="quick", choices=("quick", "standard"))
    parser.add_argument("--every", type=int, default=1, metavar="N", help="one claim in N")
    parser.add_argument(
        "--only", action="append", default=[], metavar="TEXT", help="claims with TEXT in their id"
    )
    parser.add_argument("--lanes", type=int, default=1, help="pairs of processes at once")
    parser.add_argument("--most", type=int, default=25, metavar="N", help="claims to list one by one")
    parser.add_argument("--out", type=Path, metavar="FILE")
    asked = parser.parse_args(given)
    commits = [None] if asked.commit is None else [None, asked.commit]
    rows = timings(commits, asked.budget, asked.every, asked.only, asked.lanes)
    if not rows:
        raise SystemExit(f"expected claims with one of {asked.only}; there is none")
    print("\n".join(told(rows, asked.most)))
    if asked.out:
        asked.out.write_text(
            json.dumps({"schema": "sgtheory.verify-times/1", "rows": rows}, indent=1) + "\n"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
