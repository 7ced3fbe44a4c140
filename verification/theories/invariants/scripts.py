"""Invariant laws of two kinds of examples as a script: exact decimals, or NumPy to rounding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from verification.refuter.distancescript import number
from verification.theories.invariants.chains import Bent
from verification.theories.invariants.letters import form
from verification.theories.invariants.words import POSTERIOR

_EXACT = """def moment(law, what):  # linear gradients: what one step leaves as it is
    if law == "pi": return {"mean": d(0), "second": 1 / U2}[what]
    kinds, share, heat = map(d, forms[law])
    kept = (1 - gamma * U2) ** 2 + kinds * gamma**2 * V22
    if kept >= 1: raise ArithmeticError("no such law")
    second = (2 * gamma * heat + gamma**2 * share**2 * V11) / (1 - kept)
    noise = kinds * V22 * second + share**2 * V11
    spread = (2 * heat + gamma * noise) / U2**2
    return {"mean": d(0), "second": second, "noise": noise, "spread": spread}[what]"""
_IN_FLOATS = """known = {}
def moment(law, what):  # of the law that a step leaves as it is, to rounding
    x, w, P, grad = known[law] = known.get(law) or settled(law)
    m = w @ x
    if what == "spread":  # all autocovariances
        answer = np.linalg.solve(np.eye(len(x)) - P + w, x - m)
        return d(float((2 * w @ ((x - m) * answer) - w @ (x - m) ** 2) * float(gamma)))
    return d(float({"mean": m, "second": w @ x**2}[what] if what != "noise" else w @ grad.var(axis=0)))
def settled(law):
    n, g, u, b = (float(x) for x in (N, gamma, U2, c))
    s, t = (float(h[0] + k * h[1]) / 2 for k in (1, -1))
    away = np.array([[1.0], [0.0], [0.0], [-1.0]])  # of the pairs that are drawn
    if law == "pi":
        x = np.linspace(-8, 8, 2001) / u**0.5
        w = np.exp(-u * x**2 / 2 - n * b * (x - np.sin(x)))
        return x, w / w.sum(), None, None
    kinds, share, heat = forms[law]
    drawn = lambda x: away * (kinds * t * x + share * float(pull))
    grad = lambda x: x + n * (s * x + b * (1 - np.cos(x)) + drawn(x))
    if not heat and not pull: return np.zeros(1), np.ones(1), np.ones((1, 1)), np.zeros((4, 1))
    z, q = np.polynomial.hermite_e.hermegauss(6)  # noise with the first moments of a normal one
    wide = 8 * ((2 * heat + g * share**2 * float(V11)) / u) ** 0.5
    u = np.cos(np.pi * (np.arange(40) + 0.5) / 40)
    f = lambda z: np.polynomial.chebyshev.chebvander(z, 39)
    x = wide * u
    each = f(((x - g * grad(x))[:, None, :] + (2 * g * heat) ** 0.5 * z[:, None]) / wide)
    P = np.einsum("kdnj,d->nj", each, q / q.sum()) / 4 @ np.linalg.inv(f(u))
    rows = P.T - np.eye(len(x))
    rows[0] = 1
    return x, np.linalg.solve(rows, np.eye(len(x))[0]), P, grad(x)"""


def lines_of(data: Bent, place: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    """The numbers of a place, and the moments there."""
    letters = [n for n in ("eta", "tau") if n in place]
    known = ((n, form(n)) for n in names if n != POSTERIOR)
    forms = {n: (int(of.multiplicative), float(of.additive), int(of.temperature)) for n, of in known}
    return [
        f"N, gamma, p = {number(data.N)}, {number(data.gamma)}, d(2)",
        *(f"{n} = {number(Fraction(place[n]))}" for n in letters),
        f"h = [{', '.join(map(number, data.slopes))}]",
        f"pull, c = {number(data.pull)}, {number(data.bend)}",
        "U2, U3 = 1 + N * sum(h) / 2, N * c",
        "V11, V22 = (N * pull) ** 2 / p, (N * (h[0] - h[1]) / 2) ** 2 / p",
        "at_mode = {'D2U': U2, 'M': N * pull**2, 'I': d(1), 'U3': U3}",
        "undo = {'L': 2 * U2, 'H': 2 * U2 - gamma * U2**2, 'G': 2 * U2 - gamma * (U2**2 + V22)}",
        "# minibatches of two at theta or not, their noise at the mode, and the temperature",
        f"forms = {forms}",
        "_size = lambda x: abs(x) if abs(x) > d(10) ** -30 else d(0)",
        *(_IN_FLOATS if data.bend else _EXACT).splitlines(),
    ]
