"""Statements about a law in time, spelt out in one step and in the covariance of the position.

Two times are put in order, averages become twofold integrals or sums, derivatives are taken.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from verification.laws.lagsums import LAGS, SIGMA_LAGS
from verification.terms.term import Applied, Letter, Number, Term, number, total
from verification.theories.time.words import expm

FACTS = ("F", "Q", "Sigma")
# endings: of all states, of the process, without the gain
OF_STATES, OF_PROCESS, WITHOUT_GAIN = "_states", "_continuous", "_without_gain"
_ENDINGS = product(("", OF_STATES), ("", OF_PROCESS), ("", WITHOUT_GAIN))
# which fact each of our letters is; Sigma_0 and Q_1 are letters of a statement, and none
OF_LAW = {name + "".join(ending): name for ending in _ENDINGS for name in FACTS}
POSITION = Letter(f"Position{OF_STATES}", "matrix")  # what all states are multiplied by for the position
Pairs = tuple[tuple[Term, Term], ...]


class Unordered(Exception):
    """Nothing says which of two times is the earlier."""

    def __init__(self, first: Term, second: Term) -> None:
        super().__init__(f"nothing says whether {first} is before {second}")
        self.times = (first, second)

    def other(self, x: Term) -> Term | None:
        """The time that the one is not ordered against, where the one is among the two."""
        first, second = self.times
        return second if first == x else first if second == x else None


@dataclass(frozen=True)
class Spelling:
    """How a term is spelt out: in which time, with which times before which others.

    ``gained``: whether the letter H is somewhere, so that a law is with it unless it is said to be
    without it; ``several``: whether the sampler has states beside its position; ``by_noise``: whether
    sums over all lags are spelt out by the noise of a step, and not by the covariance.
    """

    time: str
    gained: bool = False
    ordered: Pairs = ()
    ending: str = ""
    several: bool = False
    by_noise: bool = False

    def of(self, side: Term) -> Term:
        """A term in basic words."""
        if isinstance(side, Letter) and side.name in FACTS:
            if self.several and side.name != "Sigma":
                raise TypeError("one step of a position that is not alone")
            return self._of_position(self._fact(side.name))
        if isinstance(side, Letter) and side.name == SIGMA_LAGS.name:
            return self._long_run()
        if not isinstance(side, Applied):
            return side
        if side.head == "of_process":
            return replace(self, time="continuous", ending=OF_PROCESS).of(side.of[0])
        of_law: dict[str, Any] = {
            "lagged": self._two_times,
            "averaged": self._average,
            "long_run": self._long_run,
            "remembered": self._remembered,
        }
        if side.head in of_law:
            return of_law[side.head](*map(self.of, side.of))
        if side.head == "integral":
            return self._integral(*side.of)
        if side.head == "derivative":
            return slope(self.of(side.of[0]), side.of[1]) or number(0)
        return side.with_parts(tuple(map(self.of, side.of)))

    def _fact(self, name: str, plain: bool = False) -> Term:
        states = OF_STATES if self.several else ""
        return Letter(f"{name}{states}{self.ending}{WITHOUT_GAIN if plain else ''}", "matrix")

    def _of_position(self, x: Term) -> Term:
        return _transposed(POSITION) * x * POSITION if self.several else x

    def _two_times(self, t: Term, s: Term) -> Term:
        """The noise so far, carried on from the earlier time to the later."""
        step, law = self._fact("F"), self._fact("Sigma")
        if t == s:
            return self._of_position(law)
        later = is_before(s, t, self.ordered)
        if not later and not is_before(t, s, self.ordered):
            raise Unordered(t, s)
        lag = t - s if later else s - t
        carried = (expm(lag * step) if self.time == "continuous" else step**lag) * law
        return self._of_position(carried if later else _transposed(carried))

    def _average(self, window: Term, *gain: Term) -> Term:
        plain = self.gained and not gain
        step, law = self._fact("F", plain), self._fact("Sigma", plain)
        word = "double_integral" if self.time == "continuous" else "double_sum"
        half = Applied(word, (step, window)) * law
        both = half + _transposed(half)
        whole = both if self.time == "continuous" else both - window * law
        return self._of_position(whole / window**2)

    def _long_run(self) -> Term:
        """The resolvent of one step, or of its rate, at zero."""
        step, law = self._fact("F"), self._fact("Sigma")
        away = -step if self.time == "continuous" else number(1) - step
        if self.by_noise:
            response = _transposed(POSITION) * away**-1 if self.several else away**-1
            return response * self._fact("Q") * _transposed(response)
        both = away**-1 * law + _transposed(away**-1 * law)
        return self._of_position(both if self.time == "continuous" else both - law)

    def _remembered(self, window: Term) -> Term:
        """Powers of one step, or its exponentials, added up over the window and divided by it."""
        step, one = self._fact("F"), number(1)
        if self.time == "continuous":
            return self._of_position(step**-1 * (expm(window * step) - one) / window)
        return self._of_position((one - step) ** -1 * step * (one - step**window) / window)

    def _integral(self, f: Term, x: Term, low: Term, high: Term) -> Term:
        within = replace(self, ordered=(*self.ordered, (low, x), (x, high), (low, high)))
        try:
            return Applied("integral", (within.of(f), x, low, high))
        except Unordered as missing:
            cut = missing.other(x)
            if cut is None or cut in (low, high):
                raise
            return self._integral(f, x, low, cut) + self._integral(f, x, cut, high)


def is_before(a: Term, b: Term, ordered: Pairs) -> bool:
    """Whether pairs, the earlier first, say so of two times.

    >>> from verification.terms.term import letters
    >>> r, s, t = letters("r s t")
    >>> is_before(r, t, ((s, t), (r, s))), is_before(t, r, ((s, t), (r, s)))
    (True, False)
    """
    if a == number(0) and isinstance(b, Letter) and b.kind == "count":
        return True
    if isinstance(a, Number) and isinstance(b, Number):
        return a.value < b.value
    reached, waiting = {a}, [a]
    while waiting:
        x = waiting.pop()
        new = [q for p, q in ordered if p == x and q not in reached]
        reached |= set(new)
        waiting += new
    return b in reached


def _transposed(x: Term) -> Term:
    return Applied("transpose", (x,))


def slope(side: Term, x: Term) -> Term | None:
    """The derivative with respect to a letter; None where it is zero.

    >>> from verification.terms.term import letters
    >>> from verification.theories.scalars.words import exp
    >>> x, a = letters("x a")
    >>> print(slope(a * exp(a * x) / x, x))
    a*(a*exp(a*x))/x + (-a*exp(a*x)/x**2)
    """
    if side == x:
        return number(1)
    if not isinstance(side, Applied) or x not in side.letters:
        return None
    a, b, da, db = *_two(side.of), *_two(tuple(slope(part, x) for part in side.of))
    terms: dict[str, Any] = {
        "+": lambda: (da, db),
        "-": lambda: (da, db and -db),
        "negative": lambda: (da and -da, None),
        "*": lambda: (da and _by(da, b), db and _by(a, db)),
        "/": lambda: (da and da / b, db and -(_by(a, db) / b**2)),
        "transpose": lambda: (da and _transposed(da), None),
        "exp": lambda: (da and da * side, None),
        "expm": lambda: (da and da * side, None),
        "**": lambda: (da and b * a ** number(b.value - 1) * da, None),
    }
    if side.head not in terms or (side.head == "**" and not isinstance(b, Number)):
        raise TypeError(f"the derivative of {side}")
    found = [term for term in terms[side.head]() if term is not None]
    return total(found) if found else None


def _two(parts: tuple[Any, ...]) -> tuple[Any, Any]:
    return (*parts, None)[:2]


def _by(x: Term, y: Term) -> Term:
    """A product without factors of one."""
    return y if x == number(1) else x if y == number(1) else x * y


def has(side: Any, *heads: str) -> bool:
    """Whether some word is in a term."""
    return any(isinstance(t, Applied) and t.head in heads for t in side.subterms())


def has_law(side: Any) -> bool:
    """Whether a quantity of the sampler's law is in a term."""
    return has(side, "lagged", "averaged", "long_run", "remembered") or any(
        a.name in (*FACTS, *LAGS) for a in side.letters
    )
