"""Scripts about the law of a sampler at one exact problem: its moments are asserted, then used."""

from __future__ import annotations

from typing import Any

from sgtheory.setting import Setting
from verification.rational import LawNumbers, law_numbers
from verification.refuter.places import Place
from verification.refuter.script import array, relation_script

_BALANCE = {
    "continuous": "M @ P + P @ M.T + Q == 0 * P",
    "discrete": "M @ P @ M.T + Q == P",
}


def law_script(
    comment: str, setting: Setting, place: Place, time: str, relation: tuple[Any, Any, str]
) -> str:
    """The stationary moments are asserted to be those of the declared step; the relation is decided."""
    law = law_numbers(setting, place, time)
    used = {str(s) for side in relation[:2] for s in getattr(side, "free_symbols", ())}
    matrices = {n: m for n, m in law.numbers.matrices.items() if n in used}
    names, d = [s.name for s in setting.state], place.D
    facts = list(stationary_facts(law, setting, time))
    for i, a in enumerate(names):
        for j, b in enumerate(names):
            name = "Sigma" if a == b == "theta" else f"P_{a}_{b}"
            if matrices.pop(name, None) is not None:
                facts.append(f"{name} = P[{i * d}:{(i + 1) * d}, {j * d}:{(j + 1) * d}]")
    matrices = matrices or {"A": law.numbers.matrices["A"]}
    scalars = {n: x for n, x in place.scalars.items() if n in used}
    return relation_script(comment, matrices, scalars, relation, tuple(facts))


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


def divergence_script(
    comment: str, setting: Setting, places: tuple[Place, Place], time: str, reverse: bool = False
) -> str:
    """Two laws, and the divergences of their positions from the posterior: the second is smaller."""
    laws = [law_numbers(setting, place, time) for place in places]
    printed = places[0]
    d = printed.D
    lines = [
        f"# {comment}",
        "import numpy as np",
        "from fractions import Fraction as F",
        "rows = lambda text: np.array([[F(x) for x in row.split()] for row in text.split(';')])",
        f"A, N = {array(printed.A)}, {printed.scalars['N']}",
    ]
    for k, (law, place) in enumerate(zip(laws, places, strict=True), start=1):
        value = f"F('{place.scalars['eps']}')"
        if "H" in place.matrices:
            value += f", {array(place.matrices['H'])}"
        lines.append(f"parameter_{k} = {value}  # {'as printed' if k == 1 else 'better'}")
        lines += stationary_facts(law, setting, time, (f"M{k}", f"Q{k}", f"P{k}"))
    if reverse:
        kl = "np.trace(np.linalg.inv(x)) + np.linalg.slogdet(x)[1] - len(x)"
    else:
        kl = "np.trace(x) - np.linalg.slogdet(x)[1] - len(x)"
    lines += [
        f"X = [N * (A @ P[:{d}, :{d}]).astype(float) for P in (P1, P2)]",
        f"kl = [({kl}) / 2 for x in X]",
        "print(*kl)",
        "print(bool(kl[0] <= kl[1]))",
    ]
    return "\n".join(lines) + "\n"
