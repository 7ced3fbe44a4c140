"""A thousand million chain-steps of every sampler against its exact law, in every entry, in many places.

``python -m benchmarks.truth [--steps-total 1e9] [--only NAMES] [--places NAMES] [--device cpu]``. The
places: a usual problem, noise of one direction, noise like the curvature, a step near instability,
condition number 10^6, fifty dimensions, and real minibatches with and without replacement; each in
float32 and float64. One false-alarm probability for the whole table, 1e-6, split over its rows and
then over the entries of means and covariances. Each row says the smallest relative error of a variance
that would have been seen, and that a law which is off by twice that is rejected. What is refused (real
minibatches without a law, steps that are lost in rounding) is a row with its words.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

from sgtheory.errors import NotAffine, Unstable, UnusableInput

RESULT = Path(__file__).parent / "results" / "truth.json"
FALSE_ALARM = 1e-6
SEED = 2026
DTYPES = ("float32", "float64")
_EDGE = Fraction(49, 50)  # of the largest multiple of a step that is stable

USUAL: dict[str, Any] = {
    "hessian": [[2, 1], [1, "3/2"]], "noise": [[1, "1/4"], ["1/4", 2]], "N": 43, "S": 4,
    "params": {"eps": "1/50", "mu": "3/10", "H": [[1, "1/3"], ["1/3", "1/2"]], "E": [[1, 0], [1, 2]]},
    "start": {"theta": [1, -1]},
}  # fmt: skip
DATA: dict[str, Any] = {
    "model": "linear_regression", "S": 2, "ridge": 1, "start": {"theta": [1, -1]},
    "X": [[1, 0], [0, 1], [1, 2], [2, 1], [1, -1], [-1, 1], [2, 0], [1, 1]],
    "y": [1, 2, 0, 1, -1, 1, 3, 0],
}  # fmt: skip


def usual(sampler: Any) -> Any:
    """The usual problem."""
    return _scaled(USUAL, sampler)


def one_direction(sampler: Any) -> Any:
    """Noise in one direction only."""
    return _scaled({**USUAL, "noise": [[1, 2], [2, 4]]}, sampler)


def alike(sampler: Any) -> Any:
    """Noise like the curvature."""
    return _scaled({**USUAL, "noise": USUAL["hessian"]}, sampler)


def near_instability(sampler: Any) -> Any:
    """The usual problem with a step that is nearly too large."""
    from sgtheory.numbers.numeric import law

    problem = _scaled(USUAL, sampler)
    own = {p.name for p in sampler.parameters} | {letter for letter, _ in sampler.aliases}
    letter = next(k for k in ("eps", "eta") if k in own and k in problem.params)
    first, low, high = Fraction(str(problem.params[letter])), Fraction(1), Fraction(2)

    def stable(times: Fraction) -> bool:
        try:
            return law(sampler.name, problem.with_params(**{letter: first * times})).stable
        except (Unstable, UnusableInput):
            return False

    while stable(high) and high < 4096:
        low, high = high, 2 * high
    for _ in range(12):
        middle = (low + high) / 2
        low, high = (middle, high) if stable(middle) else (low, middle)
    return problem.with_params(**{letter: first * low * _EDGE})


def steep(sampler: Any) -> Any:
    """A condition number of 10^6, in no direction of the axes."""
    turn, small = (
        ((Fraction(4, 5), Fraction(3, 5)), (Fraction(-3, 5), Fraction(4, 5))),
        Fraction(1, 10**6),
    )
    hessian = [
        [str(turn[0][i] * turn[0][j] + small * turn[1][i] * turn[1][j]) for j in (0, 1)] for i in (0, 1)
    ]
    return _scaled({**USUAL, "hessian": hessian}, sampler)


def wide(sampler: Any) -> Any:
    """Fifty dimensions, curvature and noise that do not commute."""
    D = 50
    hessian = [[2 if i == j else Fraction(1, 2) * (abs(i - j) == 1) for j in range(D)] for i in range(D)]
    noise = [
        [1 + Fraction(i, D) if i == j else Fraction(1, 4) * (abs(i - j) == 2) for j in range(D)]
        for i in range(D)
    ]
    eye = [[int(i == j) for j in range(D)] for i in range(D)]
    content = {**USUAL, "hessian": hessian, "noise": noise, "start": {"theta": [1, -1] * (D // 2)}}
    return _scaled({**content, "params": {"eps": "1/50", "mu": "3/10", "H": eye, "E": eye}}, sampler)


def with_replacement(sampler: Any) -> Any:
    """Real minibatches of a regression."""
    return _on_data(sampler, True)


def without_replacement(sampler: Any) -> Any:
    """Minibatches in which no example is twice."""
    return _on_data(sampler, False)


PLACES: dict[str, Callable[[Any], Any]] = {
    f.__name__: f
    for f in (usual, one_direction, alike, near_instability, steep, wide, with_replacement,
              without_replacement)
}  # fmt: skip


def _scaled(content: dict[str, Any], sampler: Any) -> Any:
    from sgtheory.problem import Problem
    from tests.sgtheory.strategies import scaled_for

    return scaled_for(Problem.of(content), sampler)


def _on_data(sampler: Any, replacement: bool) -> Any:
    from sgtheory.problem import Problem

    content = {**DATA, "replacement": replacement}
    examples = Problem.of(content).examples
    assert examples is not None
    like = {**USUAL, "hessian": examples.A, "noise": examples.C, "N": len(DATA["X"]), "S": DATA["S"]}
    return Problem.of({**content, "params": _scaled(like, sampler).to_json()["params"]})


def row(
    name: str, place: str, dtype: str, total: float, device: str, false_alarm: float
) -> dict[str, Any]:
    """One sampler in one place, after so many steps; or why not."""
    from sgtheory import registry
    from sgtheory.numbers.numeric import law
    from sgtheory.setting import Setting
    from simulators.ensemble import simulate
    from verification.measuring.ensembles import against

    found: dict[str, Any] = {"sampler": name, "place": place, "dtype": dtype}
    sampler = registry.sampler(name)
    try:
        problem = PLACES[place](sampler)
        total = total * 4 / max(4, problem.D**2)  # as much work, about
        chains = 2 ** max(12, min(20, int(total / 1000).bit_length()))
        steps = max(1, -(-int(total) // chains))
        exact = law(name, problem, at=steps)
        run = simulate(
            Setting(sampler, problem.model), problem.values(sampler),
            chains=chains, steps=steps, seed=SEED, dtype=dtype, device=device,
        )  # fmt: skip
    except (UnusableInput, Unstable, NotAffine) as error:
        return {**found, "refused": str(error)}
    seen = against(run, exact, false_alarm)
    twin = against(run, exact, false_alarm, error=2 * seen.resolution)
    return {
        **found,
        "chains": chains,
        "steps": steps,
        "tests": len(seen.tests),
        "smallest_p_value": seen.worst.p_value,
        "threshold": seen.threshold,
        "agrees": seen.agrees,
        "would_have_seen": seen.resolution,
        "twin_rejected": not twin.agrees,
        "digest": run.digest,
    }


def table(total: float, device: str, only: list[str], places: list[str]) -> dict[str, Any]:
    """All samplers that have a law, in all places."""
    from sgtheory import registry
    from sgtheory.onestep.affine import is_affine
    from sgtheory.setting import Setting

    model = registry.model("quadratic")
    names = [
        n
        for n, s in registry.samplers().items()
        if is_affine(Setting(s, model)) and (not only or n in only)
    ]
    asked = [(n, p, d) for p in PLACES if not places or p in places for n in names for d in DTYPES]
    rows = []
    for name, place, dtype in asked:
        began = time.perf_counter()
        rows.append(row(name, place, dtype, total, device, FALSE_ALARM / len(asked)))
        one = rows[-1]
        said = one.get("refused") or f"agrees: {one['agrees']}, twin rejected: {one['twin_rejected']}"
        print(
            f"{place:20s} {name:28s} {dtype} {said}, {time.perf_counter() - began:.1f} s",
            file=sys.stderr,
        )
    measured = [r for r in rows if "refused" not in r]
    return {
        "schema": "sgtheory.truth/1",
        "chain_steps": total,
        "false_alarm": FALSE_ALARM,
        "made": time.strftime("%Y-%m-%d"),
        "passed": all(r["agrees"] and r["twin_rejected"] for r in measured),
        "measured": len(measured),
        "refused": len(rows) - len(measured),
        "rows": rows,
    }


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.truth", description=__doc__)
    parser.add_argument("--steps-total", type=float, default=1e9, help="chain-steps of a row, for D = 2")
    parser.add_argument("--device", default="auto", choices=("auto", "cpu", "cuda"))
    parser.add_argument("--only", default="", help="samplers, with commas between them")
    parser.add_argument("--places", default="", help=f"with commas between them: {', '.join(PLACES)}")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args(arguments)
    only, places = ([n for n in words.split(",") if n] for words in (given.only, given.places))
    found = table(given.steps_total, given.device, only, places)
    text = json.dumps(found, indent=1)
    if given.out:
        from sgtheory.files.writing import write

        write(given.out, text + "\n")
    else:
        print(text)
    return 0 if found["passed"] else 1


if __name__ == "__main__":
    sys.exit(main())
