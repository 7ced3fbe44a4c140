"""Scripts about the law of a sampler at one exact problem: its moments are asserted, then used."""

from __future__ import annotations

from itertools import product
from typing import Any

from sgtheory.setting import Setting
from verification.laws.lagsums import OverLags
from verification.laws.quantities import letters, matrices_at, times_of
from verification.laws.rational import law_numbers, step_of
from verification.refuter.places import Place
from verification.refuter.script import array, identifier

_BALANCE = {
    "continuous": "{M} @ {P} + {P} @ {M}.T + {Q} == 0 * {P}",
    "discrete": "{M} @ {P} @ {M}.T + {Q} == {P}",
}


def balance(time: str, M: str, Q: str, P: str) -> str:
    """The assertion that one step, its noise and second moments belong together."""
    return f"assert ({_BALANCE[time].format(M=M, Q=Q, P=P)}).all()"


def law_lines(exprs: tuple[Any, ...], setting: Setting | None, place: Place, time: str) -> list[str]:
    """The letters of some quantities at one place: moments are asserted to be those of the step."""
    names, lines, d = letters(*exprs), [], place.D
    matrices = matrices_at(exprs, setting, place, time)
    assert matrices is not None
    for name, written in (("A", "A"), ("C", "C"), ("H", "H"), ("E", "E"), ("EE^T", "E")):
        if name in names and written in matrices:  # a number may be called E
            lines.append(f"{written} = {array(matrices[written])}")
    scalars = [f"{identifier(n)} = F('{x}')" for n, x in place.scalars.items() if n in names]
    lines += ["; ".join(scalars)] if scalars else []
    lines.append(f"D, I = {d}, {array([[int(i == j) for j in range(d)] for i in range(d)])}")
    for ending, when in times_of(exprs, time).items():
        assert setting is not None
        law = law_numbers(setting, place, when)
        assert law is not None
        lines += [
            f"M = {array(law.step)}  # one step of {', '.join(law.states)}",
            f"Q = {array(law.noise)}  # its noise",
            f"P = {array(law.moments)}  # all stationary second moments",
            balance(when, "M", "Q", "P"),
        ]
        for (i, a), (j, b) in product(enumerate(law.states), repeat=2):
            block = ("Sigma" if a == b == "theta" else f"P_{a}_{b}") + ending
            if block in names:
                lines.append(f"{block} = P[{i * d}:{(i + 1) * d}, {j * d}:{(j + 1) * d}]")
        lines += [] if ending else OverLags(law).lines(names)
    return lines


def settling_lines(setting: Setting, place: Place, time: str) -> list[str]:
    """The eigenvalues of one step by NumPy: m of them that are one are known to the m-th root."""
    size, edge = ("np.abs(values).max()", 1) if time == "discrete" else ("values.real.max()", 0)
    states = ", ".join(s.name for s in setting.state)
    return [
        f"M = {array(step_of(setting, place, time))}  # one step of {states}",
        "values = np.linalg.eigvals(M.astype(float))",
        f"_radius = _d(float({size}))",
        f"_settles = float(_radius) < {edge} - 10 * np.finfo(float).eps ** (1 / len(M))",
    ]
