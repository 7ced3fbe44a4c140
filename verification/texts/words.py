"""The words of formulas: what is written before brackets, and the word of ours that it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from verification import statements as ours
from verification.terms.term import Applied, Term


@dataclass(frozen=True)
class Spoken:
    """A word: how it is made of its parts (None where it has a meaning of its own), and how many."""

    make: Callable[..., Any] | None
    least: int = 1
    most: int = 1
    parts: bool = True  # whether it is followed by any


def _plain(head: str, least: int = 1, most: int | None = None) -> Spoken:
    return Spoken(lambda *parts: Applied(head, parts), least, least if most is None else most)


def _without(make: Callable[[], Term]) -> Spoken:
    return Spoken(make, 0, 0, parts=False)


def clipped(x: Term, most: Term) -> Term:
    """What is no larger than ``most``, nor smaller than minus that."""
    return ours.largest(-most, ours.smallest(most, x))


FUNCTIONS: dict[str, Spoken] = {
    **{name: _plain("tr") for name in ("tr", "Tr", "trace")},
    "det": _plain("det"), "rank": _plain("rank"), "diag": _plain("diag"),
    "lambda_max": _plain("lambda_max"), "lambda_min": _plain("lambda_min"),
    "exp": Spoken(None), "sqrt": _plain("sqrt"), "log": _plain("log"), "ln": _plain("log"),
    "sign": _plain("sign"), "sgn": _plain("sign"), "abs": _plain("abs"), "sin": _plain("sin"),
    "cos": _plain("cos"), "clip": Spoken(clipped, 2, 2),
    "sinh": _plain("sinh"), "cosh": _plain("cosh"), "tanh": _plain("tanh"),
    "max": _plain("max", 2, 9), "min": _plain("min", 2, 9),
    "expm": _plain("expm"), "pi": _without(lambda: ours.pi), "e": _without(lambda: ours.E),
    **{name: Spoken(None) for name in ("E", "Cov", "Var", "Skew", "Kurt", "O", "o", "Theta", "Omega")},
    "KL": Spoken(None), "W_2": Spoken(None, 2, 2), "W2": Spoken(None, 2, 2),
    "TV": Spoken(None, 1, 2), "tau_int": Spoken(None, 1, 1), "erf": _plain("erf"),
    "lagged": _plain("lagged", 2), "averaged": _plain("averaged", 1, 2),
    "remembered": _plain("remembered"),
    "long_run": _without(ours.long_run), "density": _plain("density"),
    "log_integral": _plain("log_integral", 2, 4), "mean_under": _plain("mean_under", 3, 5),
    "avg_N": _plain("mean_n"), "avg_S": _plain("mean_s"), "first": _plain("first_s"),
    "inner": _plain("inner", 2), "grad": _plain("grad"), "hess": _plain("hess"),
    "at_theta": _plain("at_theta", 2),
}  # fmt: skip
EXPECTATION, ORDERS = ("E", "Cov", "Var", "Skew", "Kurt"), ("O", "o", "Theta", "Omega")
