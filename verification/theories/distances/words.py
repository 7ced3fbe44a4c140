"""Two words: the law of a chain, invariant or after some steps, and how far two laws are apart."""

from __future__ import annotations

from typing import Any

from sgtheory.wasserstein import DIFFUSION
from verification.terms.printing import Written
from verification.terms.term import INFINITY, Applied, Name, Term, term
from verification.terms.words import POWER, WHOLE, Word

_STARTS = {"any law": r"\lambda", "another law": r"\mu"}
_SHOWN = {"lmc": "LMC", "sgld": "SGLD", "sgd": "SGD", "sgldfp": "FP"}
KNOWN = frozenset(_SHOWN)  # samplers whose laws are known on any potential, between bounds


def _latex(name: Written, steps: Written, start: Written, centre: Written) -> tuple[str, int]:
    about = f" around an estimate, {centre.form}" if centre.form else ""
    of = rf"_{{\text{{{_SHOWN.get(name.form, name.form)}{about}}}}}"
    if start.form in _STARTS:
        moved = r"P_{n \gamma}" if name.form == DIFFUSION else rf"R{of}^{{{steps.form}}}"
        return rf"{_STARTS[start.form]} {moved}", POWER
    after = "" if steps.form == r"\infty" else rf"^{{({steps.form})}}"
    off = "" if start.form == "0" else rf"\left(\theta^* + {start.form}\right)"
    return rf"\pi{'' if name.form == DIFFUSION else of}{after}{off}", POWER


def _text(name: Written, steps: Written, start: Written, centre: Written) -> tuple[str, int]:
    more = [] if steps.form == "oo" else [f"{steps.form} steps"]
    more += [] if start.form == "0" else [f"from {start.form}"]
    more += [centre.form] if centre.form else []
    return f"law({', '.join((name.form, *more))})", WHOLE


_LAW = "the law of {0} after {1} steps, started {2} off the mode"
W2 = Word(
    "W2",
    lambda o, a, b: o.distance(a, b),
    lambda a, b: (rf"W_2\left({a.form}, {b.form}\right)", WHOLE),
    lambda a, b: (f"W2({a.form}, {b.form})", WHOLE),
    "the Wasserstein distance of {0} and {1}",
)

WORDS = (
    Word("law", lambda o, *parts: o.law(*parts), _latex, _text, _LAW),
    W2,
)


def law(sampler: str, steps: Any = None, start: Any = 0, centre: str = "") -> Term:
    """The law of a sampler: the one that it settles at, or after some steps.

    Chains start at the mode, ``start`` off it, or from ``ANY`` law. ``centre`` says what is done about a
    point at h/sqrt(N) from the mode that is taken for it.

    >>> print(law("lmc"), law("sgld", term(3)))
    law(lmc) law(sgld, 3 steps)
    """
    after = INFINITY if steps is None else term(steps)
    return Applied("law", (Name(sampler), after, term(start), Name(centre)))


TARGET = law(DIFFUSION)
ANY, OTHER = Name("any law"), Name("another law")  # from which chains start
