"""Cases of every kind, each by its number: what comes from outside, and is wrong in some way."""

from __future__ import annotations

import json
from collections.abc import Collection
from functools import cache
from random import Random
from typing import Any

from tests.hostile import advised, archives, checkpoints, declarations, places, problems, texts, traces
from tests.hostile.arguments import arguments
from tests.hostile.trial import Case

KINDS = (
    "problem", "parameters", "formula", "archive", "arguments", "verdicts", "gradients", "commands",
    "checkpoint", "declared", "places", "text", "finished", "advised",
)  # fmt: skip
_SHARES = (22, 11, 10, 9, 12, 4, 4, 6, 4, 4, 4, 4, 3, 3)
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


def case(seed: int, only: Collection[str] = KINDS) -> Case:
    """The case of a number, of all kinds or of some."""
    draw = Random(seed)
    shares = [share if kind in only else 0 for kind, share in zip(KINDS, _SHARES, strict=True)]
    return _MAKERS[draw.choices(KINDS, shares)[0]](draw)


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


def _commands(draw: Random) -> Case:
    """What is wrong in a problem, told by other commands than law."""
    name, content = problems.text(draw)
    files = {name: content, **_beside(draw, content)}
    command = draw.choice(("simulate", "simulate", "verify", "tune", "convert", "check", "experiment"))
    if command == "convert":
        pairs = [
            f"{draw.choice(('eps', 'gamma', 'step_size', 'N', 'x'))}={_written(draw)}" for _ in range(2)
        ]
        return Case("commands", ("convert", "--from", "sgld", "--to", "blackjax.sgld", *pairs))
    if command == "check":
        option = draw.choice(("--with", "--fix"))
        words = ("check", "no_such.py:step", "--like", "sgld", option, f"eps={_written(draw)}")
        return Case("commands", words)
    if command == "experiment":
        words = (
            "experiment",
            "mandt2017.figure1",
            "--data",
            f"{draw.choice(('skin', 'wine', 'no'))}=d.npz",
        )
        return Case("commands", words, {"d.npz": archives.archive(draw)})
    more = {
        "simulate": ("--chains", "64", "--steps", "7", "--device", "cpu"),
        "verify": ("--at", "3", "--device", "cpu"),
    }.get(command, ())
    words = (command, draw.choice(("sgd", "sgld", "momentum")), "--problem", name, *more)
    return Case("commands", words, files)


def _written(draw: Random) -> str:
    """A value where a formula or a number is asked for on a command line."""
    from tests.hostile.formulas import formula

    found = problems.value(draw) if draw.random() < 0.6 else formula(draw)
    return str(found)[:5000].replace("\x00", "").encode("utf-8", "replace").decode()


_MAKERS = {
    "problem": _problem,
    "parameters": _parameters,
    "formula": _formula,
    "archive": _archive,
    "arguments": _arguments,
    "verdicts": _verdicts,
    "gradients": _gradients,
    "commands": _commands,
    "checkpoint": checkpoints.checkpoint,
    "declared": declarations.declared,
    "places": places.place,
    "text": texts.text,
    "finished": traces.finished,
    "advised": advised.advised,
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
