"""Scripts about the law of a sampler at one exact problem: its moments are asserted, then used."""

from __future__ import annotations

from typing import Any

from sgtheory.setting import Setting
from verification.laws.lagsums import lag_lines
from verification.laws.quantities import letters, matrices_at, times_of
from verification.laws.rational import LawNumbers, law_numbers, point_of, stationary_moments
from verification.refuter.places import Place
from verification.refuter.script import array, identifier

_BALANCE = {
    "continuous": "M @ P + P @ M.T + Q == 0 * P",
    "discrete": "M @ P @ M.T + Q == P",
}


def stationary_facts(
    law: LawNumbers, setting: Setting, time: str, names: tuple[str, str, str] = ("M", "Q", "P")
) -> tuple[str, ...]:
    """One step, its noise and the moments as text, and the assertion that they belong together."""
    M, Q, P = names
    balance = _BALANCE[time].replace("M", M).replace("Q", Q).replace("P", P)
    states = ", ".join(s.name for s in setting.state)
    return (
        f"{M} = {array(law.step)}  # one step of {states}",
        f"{Q} = {array(law.noise)}  # its noise",
        f"{P} = {array(law.moments)}  # all stationary second moments",
        f"assert ({balance}).all()",
    )


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
        lines += stationary_facts(law_numbers(setting, place, when), setting, when)
        for i, a in enumerate(s.name for s in setting.state):
            for j, b in enumerate(s.name for s in setting.state):
                block = ("Sigma" if a == b == "theta" else f"P_{a}_{b}") + ending
                if block in names:
                    part = f"P[{i * d}:{(i + 1) * d}, {j * d}:{(j + 1) * d}]"
                    lines.append(f"{block} = {part}")
        if not ending:
            solved = stationary_moments(setting, place, when)
            assert solved is not None
            lines += lag_lines(setting, point_of(setting, place), when, solved, names)
    return lines
