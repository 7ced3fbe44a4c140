"""The words of chains on a line: means under a law that stays, and how many such laws there are.

A chain is its step, written out in its parts: the place before it, the place after it, its noises,
which are standard normal numbers unless a law is named.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from verification.terms.printing import Written
from verification.terms.term import Applied, Letter, Name, Term, term
from verification.terms.words import WHOLE, Word


def _mean(name: Written, body: Written, *step: Written) -> tuple[str, int]:
    return f"E_{name.form}[{body.form}]", WHOLE


def _mean_latex(name: Written, body: Written, *step: Written) -> tuple[str, int]:
    return rf"\mathbb{{E}}_{{\text{{{name.form}}}}}\left[{body.form}\right]", WHOLE


settled = Word(
    "settled",
    lambda o, name, body, after, new, place, *noises: o.settled(name, body, after, new, place, *noises),
    _mean_latex,
    _mean,
    "the mean of {1} under the law at which {0} settles",
)
laws = Word(
    "settled laws",
    lambda o, name, after, new, place, *noises: o.settled_laws(name, after, new, place, *noises),
    lambda name, *step: (rf"\#\,\text{{stationary laws of {name.form}}}", WHOLE),
    lambda name, *step: (f"laws({name.form})", WHOLE),
    "how many laws a step of {0} leaves as they are",
)

drawn = Word(
    "drawn",
    lambda o, noise, law, *numbers: o.drawn(noise, law, *numbers),
    lambda noise, *law: (noise.form, WHOLE),
    lambda noise, *law: (noise.form, WHOLE),
    "{0}, whose law is {1}",
)

unlike = Word(
    "unlike",
    lambda o, name, law, after, new, place, *noises: o.unlike(name, law, after, new, place, *noises),
    lambda name, law, *step: (rf"\text{{distance of {name.form} from a {law.form} law}}", WHOLE),
    lambda name, law, *step: (f"unlike({name.form}, {law.form})", WHOLE),
    "by how much the law at which {0} settles differs from a {1} one",
)

WORDS = (settled, laws, drawn, unlike)


_NEW = Letter("next", "variable")


@dataclass(frozen=True)
class Chain:
    """A chain by its step: ``after`` in ``place``, perhaps ``new`` (itself), and independent noises.

    >>> from verification.statements import letters, sqrt
    >>> h, T = letters("h T")
    >>> x, xi = letters("x xi", "variable")
    >>> lmc = chain("lmc", x - h * x**3 + sqrt(2 * h * T) * xi, x, xi)
    >>> print(lmc.mean(x**2), lmc.laws)
    E_lmc[x**2] laws(lmc)
    """

    name: str
    after: Term
    place: Letter
    noises: tuple[Term, ...] = ()  # letters of normal numbers, or ``drawn`` of letters
    new: Letter = _NEW

    def mean(self, body: Any) -> Term:
        """The mean of a function of the place (and of noises of a step) under its law."""
        parts = (Name(self.name), term(body), self.after, self.new, self.place, *self.noises)
        return Applied("settled", parts)

    def covariance(self, a: Any, b: Any) -> Term:
        """Of two functions of the place."""
        return self.mean(term(a) * term(b)) - self.mean(a) * self.mean(b)

    def unlike(self, law: str) -> Term:
        """By how much its law differs from one of a kind: ``normal``, ``uniform``, ``laplace``."""
        parts = (Name(self.name), Name(law), self.after, self.new, self.place, *self.noises)
        return Applied("unlike", parts)

    @property
    def laws(self) -> Term:
        """How many laws it leaves as they are."""
        parts = (Name(self.name), self.after, self.new, self.place, *self.noises)
        return Applied("settled laws", parts)


def chain(name: str, after: Any, place: Any, *noises: Any, new: Any = None) -> Chain:
    """A chain by its step; where it is implicit ``new`` is the place after the step."""
    other = _NEW if new is None else new
    return Chain(name, term(after), term(place), tuple(map(term, noises)), other)  # type: ignore[arg-type]


def of_law(noise: Letter, law: str, *numbers: Any) -> Term:
    """A noise of a law that has a name.

    >>> from verification.statements import letters
    >>> (xi,) = letters("xi", "variable")
    >>> print(of_law(xi, "uniform", -1, 1))
    xi
    """
    return Applied("drawn", (noise, Name(law), *map(term, numbers)))


@dataclass(frozen=True)
class Found(Letter):
    """A letter for a mean that a place works out, and what it is the mean of."""

    of: Term = field(kw_only=True)


def found(of: Applied) -> Found:
    """The letter of a mean."""
    return Found(of.text(), "real", of=of)
