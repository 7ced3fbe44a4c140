"""Random exact problems: commuting or not, degenerate noise, gains, tiny and nearly unstable steps."""

from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st

from sgtheory.problem import Problem

small = st.integers(-3, 3)


def square(d: Any) -> Any:
    return st.lists(st.lists(small, min_size=d, max_size=d), min_size=d, max_size=d)


def gram(rows: Any) -> Any:
    d = len(rows)
    return [
        [sum(rows[i][k] * rows[j][k] for k in range(len(rows[i]))) for j in range(d)] for i in range(d)
    ]


@st.composite
def definite(draw: Any, d: Any) -> Any:
    m = gram(draw(square(d)))
    shift = draw(st.integers(1, 4))
    return [[x + (shift if i == j else 0) for j, x in enumerate(row)] for i, row in enumerate(m)]


@st.composite
def problems(draw: Any, sizes: Any = (1, 6), gains: bool = True) -> Any:
    d = draw(st.integers(*sizes))
    A = draw(definite(d))
    kind = draw(st.sampled_from(["any", "commuting", "low rank"]))
    if kind == "commuting":  # a polynomial in A commutes with A
        C = [[A[i][j] * 2 + (1 if i == j else 0) for j in range(d)] for i in range(d)]
    elif kind == "low rank":
        column = draw(st.lists(small, min_size=d, max_size=d).filter(any))
        C = [[a * b for b in column] for a in column]
    else:
        C = gram(draw(square(d)))
    H = draw(definite(d)) if gains and draw(st.booleans()) else None
    N, S = draw(st.integers(1, 50)), draw(st.integers(1, 8))
    HA = np.array(A, float) if H is None else np.array(H, float) @ np.array(A, float)
    largest = max(abs(np.linalg.eigvals(HA)))
    share = draw(st.sampled_from([Fraction(1, 100), Fraction(1, 3), Fraction(9, 10), Fraction(97, 100)]))
    eps = share * 2 / Fraction(float(largest)).limit_denominator(1000)
    params = {
        "eps": str(eps),
        "mu": str(draw(st.sampled_from([Fraction(1, 10), Fraction(1, 2), Fraction(1)]))),
    }
    params["E"] = draw(square(d))
    if H is not None:
        params["H"] = H
    start = {"theta": draw(st.lists(small, min_size=d, max_size=d))}
    return Problem.of({"hessian": A, "noise": C, "N": N, "S": S, "params": params, "start": start})


def largest(m: Any) -> Any:
    return float(max(abs(np.linalg.eigvals(np.array(m, float)))))


def scaled_for(problem: Any, sampler: Any) -> Any:
    """The same problem with parameters that suit a sampler: its gain, its N, its letters."""
    A = np.array(problem.matrices["A"], float)
    H = problem.params.get("H")
    eps, mu = problem.params["eps"], problem.params["mu"]
    gain = np.eye(problem.D) if H is None else np.array(H, float)
    drawn = {p.name: p for p in sampler.parameters}
    params: dict[str, Any] = {}
    kept = gain
    if "H" not in drawn:
        kept = np.eye(problem.D)
    elif hasattr(drawn["H"], "diagonal_only"):
        entries = [Fraction(float(x)) for x in np.diag(gain)]
        params["H"] = [str(x) for x in entries]
        kept = np.diag([float(x) for x in entries])
    eps = eps * Fraction(largest(gain @ A) / largest(kept @ A)).limit_denominator(1000)
    if "N" in {s.name for _, e in sampler.updates for s in e.free_symbols}:
        eps = eps / problem.sizes["N"]
    params["eps"] = str(eps)
    if sampler.name.startswith("underdamped"):  # the square of its step meets the curvature
        step = Fraction(float(eps) ** 0.5).limit_denominator(10**6) or Fraction(1, 10**6)
        params |= {"eps": str(step), "gamma": "3/2", "tau": "4/3"}
    elif "eta" in drawn:
        params |= {"eta": str(eps), "alpha": str(mu), "beta": str(mu / 4), "tau": "4/3", "L": 3}
    elif "beta" in drawn:
        params |= {"beta": "2/3", "gamma": "1/5", "delta": "1/7"}
    params |= {"h": "1", "h_max": "1"}
    content = {**problem.to_json(), "params": {**problem.to_json()["params"], **params}}
    if sampler.name in ("reshuffled_sgd", "iasg", "svrg_ld"):
        content["N"] = int(problem.sizes["S"]) * (1 + int(problem.sizes["N"]) % 4)
    return Problem.of(content)
