"""What part of the right samplers of all banks ``check`` identifies, with their parameters, untold.

``python -m benchmarks.identified [--only NAMES] [--keep] [--out FILE]``. Each right sampler of the
bank and of the blind banks is looked at without ``--like``. It is identified where one of the answers
has the very updates of the declaration that its author held it against, in the letters of the step:
nothing is judged by hand. What FILE has is not run again unless the checker has changed (``--keep``:
whatever the checker). Samplers that were not run, as where their library is absent, are listed.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import resource
import shlex
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sympy as sp

from benchmarks.blind_banks import BANKS
from benchmarks.blind_banks import rows as first_rows
from benchmarks.check_bank import checker
from sgtheory.declare import FullGradient, Gradient, MatrixName
from sgtheory.errors import UnusableInput
from tests.verification.checking.bank.entry import entries
from verification.checking.asked import Asked, asked
from verification.checking.child import Limits, opened
from verification.checking.identifying import Identity, identify
from verification.checking.identifying.beside import Beside
from verification.checking.identifying.explaining import Explanation, in_words
from verification.checking.parameters import Handed
from verification.checking.signatures import Asks

SCHEMA = "sgtheory.identified/1"
Row = dict[str, Any]


@dataclass(frozen=True)
class Right:
    """A right sampler: where it is, and what its author held it against, with which options."""

    bank: str
    name: str
    address: str
    framework: str
    like: str
    own: tuple[tuple[str, str], ...] = ()
    fixed: tuple[tuple[str, str], ...] = ()
    kind: str | None = None
    loss: str = ""
    limit: float = 120.0
    sampled: bool = False  # it takes a minibatch's gradient where the declaration has the whole one

    @property
    def absent(self) -> bool:
        """Whether its library is not here."""
        return self.framework != "numpy" and importlib.util.find_spec(self.framework) is None

    def asked(self) -> Asked:
        """What its author held it against."""
        return asked(self.address, self.like, dict(self.own), dict(self.fixed))


def right_ones() -> Iterator[Right]:
    """Those of the bank, then those of the blind ones."""
    for e in entries():
        if e.right:
            yield Right(e.origin, e.where, e.address, e.framework, e.like, kind=e.kind, limit=e.limit)
    for bank, folder in BANKS.items():
        sampled = {r["file"] for r in first_rows(bank) if r.get("corrected")}
        for case in json.loads((folder / "key.json").read_text(encoding="utf-8")):
            if case["right"]:
                yield typed(bank, case, case["file"] in sampled)


def typed(bank: str, case: Mapping[str, Any], sampled: bool = False) -> Right:
    """What the key of a blind bank says to type.

    >>> case = {"file": "a.py", "framework": "jax", "command": "sgtheory check a.py:step --like sgd --with lr=eps"}
    >>> typed("third", case).like, typed("third", case).own
    ('sgd', (('lr', 'eps'),))
    """  # noqa: E501
    _, _, where, *words = shlex.split(case["command"])
    pairs = list(zip(words[::2], words[1::2], strict=True))
    like = next(x for option, x in pairs if option == "--like")
    if like.endswith(".py"):
        like = str(BANKS[bank] / like)
    own, fixed = (
        tuple((n, f) for o, x in pairs if o == option for n, _, f in [x.partition("=")])
        for option in ("--with", "--fix")
    )
    address, loss, told = str(BANKS[bank] / where), dict(pairs).get("--loss", ""), case["framework"]
    return Right(bank, case["file"], address, told, like, own, fixed, loss=loss, sampled=sampled)


def is_it(
    answer: Explanation,
    wanted: Handed,
    asks: Asks,
    sampled: bool = False,
    beside: Sequence[Beside] = (),
) -> bool:
    """Whether an answer has the updates of what was wanted, in the letters of the step.

    With what the step keeps beside its positions, which is made last.
    """
    values = in_own_letters(wanted, asks)
    if values is None:
        return False
    want = _updates(wanted.sampler, values)
    if sampled:
        want = [(t, e.replace(FullGradient, lambda point: Gradient(point, 0))) for t, e in want]
    if answer.candidate is None:
        got = _updates(answer.sampler, dict(answer.given))
    else:
        got = _updates(answer.candidate.variant, dict(answer.candidate.given))
    got += [(b.state, _bare(b.update)) for b in beside if not b.is_late]
    return [str(t) for t, _ in got] == [str(t) for t, _ in want] and all(
        _same(a, b) for (_, a), (_, b) in zip(got, want, strict=True)
    )


def in_own_letters(wanted: Handed, asks: Asks) -> dict[str, Any] | None:
    """Each parameter of a declaration in the letters of a step; None without one way to say it."""
    letters = {p.name: sp.Symbol(f"of_{p.name}", positive=True) for p in wanted.sampler.parameters}
    matrices = {p.name for p in wanted.sampler.parameters if isinstance(p, MatrixName)}
    found: dict[str, Any] = {n: MatrixName(n, positive=True) for n in matrices}
    equations = []
    called = wanted.called or tuple((n, n) for n in letters)
    for name, text in called if asks.anything else [c for c in called if c[0] in asks.names]:
        if text in matrices:
            found[text] = MatrixName(name, positive=True)
        elif text in letters:  # also a letter that no formula can have, such as lambda
            equations.append(letters[text] - sp.Symbol(name, positive=True))
        elif text not in ("N", "S", "identity"):
            known = {**letters, **{n: sp.Symbol(n, positive=True) for n in ("N", "S", "D")}}
            equations.append(sp.sympify(text, known) - sp.Symbol(name, positive=True))
    unknown = [s for n, s in letters.items() if n not in matrices]
    if not unknown:
        return found
    solved = sp.solve(equations, unknown, dict=True)
    if len(solved) != 1 or set(solved[0]) != set(unknown):
        return None
    return found | {n: solved[0][s] for n, s in letters.items() if n not in matrices}


def _updates(of: Any, values: Mapping[str, Any]) -> list[tuple[Any, Any]]:
    """Updates without abbreviations, with values for the letters, and letters as plain symbols."""
    found = []
    for target, given in of.updates:
        expr = sp.sympify(given)
        for short, meaning in reversed(of.where):
            expr = expr.subs(short, meaning)
        letters = expr.atoms(sp.Symbol) | expr.atoms(MatrixName)
        known = {s: sp.sympify(values[s.name]) for s in letters if s.name in values}
        found.append((target, _bare(expr.subs(known, simultaneous=True))))
    return found


def _bare(expr: Any) -> Any:
    """Letters of one name are one letter; one that is reserved here has a line below it."""
    plain = [
        s for s in expr.free_symbols if not isinstance(s, MatrixName) and type(s).__name__ != "State"
    ]
    return expr.xreplace({s: sp.Symbol(s.name.rstrip("_"), positive=True) for s in plain})


def _same(one: Any, other: Any) -> bool:
    apart = sp.expand(one - other)
    return bool(apart == 0 or sp.simplify(apart) == 0)


def row(right: Right, find: Callable[..., Identity] = identify) -> Row:
    """What was said of a sampler, and whether it is that."""
    began = _cpu()
    told: Row = {"bank": right.bank, "name": right.name, "framework": right.framework}
    try:
        found = find(right.address, kind=right.kind, loss=right.loss, limit=right.limit)
        with opened(
            right.address, right.kind, Limits(right.limit, right.limit), lambda *_: None
        ) as there:
            asks = there.asks or Asks()
        wanted = right.asked().handed(asks)
    except UnusableInput as refusal:
        return {**told, "verdict": "refused", "is": str(refusal), "right": False, "cpu": _since(began)}
    same = [e for e in found.same if is_it(e, wanted, asks, right.sampled, found.beside)]
    first = next(iter(same or found.same), None)
    said = in_words(first) if first else "; ".join(found.near) or found.fault[1]
    like = Path(right.like).name
    told |= {"like": like, "verdict": found.verdict, "is": said, "right": bool(same)}
    return {**told, "cpu": _since(began)}


def _cpu() -> float:
    own, children = (resource.getrusage(w) for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def _since(began: float) -> float:
    return round(_cpu() - began, 1)


def document(rows: Sequence[Row], planned: Sequence[Right], by: str) -> Row:
    """What was found, and what of it is right, by bank and of all."""
    done = {(r["bank"], r["name"]) for r in rows}
    banks = dict.fromkeys(r.bank for r in planned)
    return {
        "schema": SCHEMA, "made": time.strftime("%Y-%m-%d"), "checker": by, "planned": len(planned),
        "summary": {"all": share(rows)} | {b: share([r for r in rows if r["bank"] == b]) for b in banks},
        "not_run": [f"{r.bank}: {r.name}" for r in planned if (r.bank, r.name) not in done],
        "samplers": list(rows),
    }  # fmt: skip


def share(rows: Sequence[Row]) -> dict[str, int]:
    """How many are identified.

    >>> share([{"right": True}, {"right": False}])
    {'identified': 1, 'of': 2}
    """
    return {"identified": sum(r["right"] for r in rows), "of": len(rows)}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.identified", description=__doc__)
    parser.add_argument(
        "--only", default="", help="names, frameworks or banks, with commas between them"
    )
    parser.add_argument("--keep", action="store_true", help="rows that another checker made")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args(arguments)
    only, by = {n for n in given.only.split(",") if n}, checker()
    planned = list(right_ones())
    before = json.loads(given.out.read_text("utf-8")) if given.out and given.out.exists() else {}
    rows = [r for r in before.get("samplers", ()) if given.keep or r["checker"] == by]
    done = {(r["bank"], r["name"]) for r in rows}
    for right in planned:
        if (right.bank, right.name) in done or right.absent:
            continue
        if only and not only & {right.name, right.framework, right.bank}:
            continue
        rows.append({**row(right), "checker": by})
        print(
            rows[-1]["name"], "right" if rows[-1]["right"] else "WRONG", rows[-1]["is"], file=sys.stderr
        )
        if given.out:
            text = json.dumps(document(rows, planned, by), indent=1)
            given.out.write_text(text + "\n", encoding="utf-8")
    print(json.dumps(document(rows, planned, by)["summary"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
