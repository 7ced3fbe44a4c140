"""The words of time: exponentials of matrices, two times, averages over a window, integrals.

``U`` and ``Lambda`` are the eigenvectors and the eigenvalues of A = U Lambda U^T; ``F`` and ``Q`` are
what a sampler's position is multiplied by, in a step or per unit of time, and its noise's covariance.
"""

from __future__ import annotations

from typing import Any

from verification.terms.term import Applied, Letter, Term, letter, term
from verification.terms.walking import Unspelt
from verification.terms.words import POWER, PRODUCT, SUM, WHOLE, Word

U, Lambda, F, Q = (letter(name, "matrix") for name in ("U", "Lambda", "F", "Q"))


def _unspelt(*_: Any) -> Any:
    raise Unspelt("a law is spelt out before anything is worked out of it")


def _plainly(name: str) -> Any:
    return lambda *parts: (f"{name}({', '.join(part.form for part in parts)})", WHOLE)


def _of_law(name: str, latex: Any, text: Any, spoken: str, tight: int = WHOLE) -> Word:
    """What a law has in time, by the forms of its parts."""
    in_latex, in_text = (
        lambda *parts, form=form: (form(*(part.form for part in parts)), tight) for form in (latex, text)
    )
    return Word(name, _unspelt, in_latex, in_text, spoken, makes_matrices=True)


expm = Word(
    "expm",
    lambda o, a: o.expm(a),
    lambda a: (f"e^{{{a.form}}}", POWER),
    lambda a: (f"exp({a.form})", WHOLE),
    "the exponential of {0}, a multiple of one matrix",
    keeps_matrices=True,
)
lagged = _of_law(
    "lagged",
    lambda t, s: rf"\mathbb{{E}}[\theta({t}) \theta({s})^{{\top}}]",
    lambda t, s: f"E[theta({t}) theta({s})^T]",
    "the stationary mean of theta({0}) theta({1})^T",
)
averaged = _of_law(
    "averaged",
    lambda T, *H: rf"\operatorname{{Cov}}\hat{{\mu}}_{{{T}}}{f'[{H[0]}]' if H else ''}",
    lambda T, *H: f"Cov[average over {T}{f' with gain {H[0]}' if H else ''}]",
    "the stationary covariance of the average over {0} steps, of the sampler with a gain {1}",
)
remembered = _of_law(
    "remembered",
    lambda T: rf"\partial \mathbb{{E}}[\hat{{\mu}}_{{{T}}} \mid \theta_0] / \partial \theta_0",
    lambda T: f"d E[average over {T} | theta_0]/d theta_0",
    "what the mean of the average over {0} steps has of where the chain begins",
    PRODUCT,
)
long_run = _of_law(
    "long_run",
    lambda: r"\sum_{k=-\infty}^{\infty} \mathbb{E}[\theta_0 \theta_k^{\top}]",
    lambda: "sum over all k of E[theta_0 theta_k^T]",
    "the stationary means of theta(0) theta(k)^T, added up over all k, or of the process over all lags",
    SUM,
)
of_process = Word(
    "of_process",
    _unspelt,
    lambda a: (rf"\left[{a.form}\right]_{{\text{{continuous}}}}", WHOLE),
    lambda a: (f"[{a.form} in continuous time]", WHOLE),
    "{0}, of the process in continuous time whichever time it is about",
    keeps_matrices=True,
)
derivative = Word(
    "derivative",
    _unspelt,
    lambda f, x: (rf"\frac{{d}}{{d {x.form}}} {f.within(WHOLE)}", PRODUCT),
    _plainly("derivative"),
    "the derivative of {0} with respect to {1}",
    keeps_matrices=True,
)

WORDS = (
    expm,
    lagged,
    averaged,
    remembered,
    long_run,
    of_process,
    Word(
        "integral",
        lambda o, body, x, low, high: o.integral(body, x, low, high),
        lambda f, x, low, high: (
            rf"\int_{{{low.form}}}^{{{high.form}}} {f.within(PRODUCT)} \, d{x.form}",
            PRODUCT,
        ),
        _plainly("integral"),
        "the integral of {0} over {1} from {2} to {3}",
        keeps_matrices=True,
        binds=True,
    ),
    derivative,
    *(
        Word(
            f"double_{kind}",
            lambda o, F, length, kind=kind: getattr(o, f"double_{kind}")(F, length),
            _plainly(f"double {kind}"),
            _plainly(f"double_{kind}"),
            spoken,
            keeps_matrices=True,
        )
        for kind, spoken in (
            ("integral", "the integral of exp({0} (t - s)) over s < t and t < {1}"),
            ("sum", "the sum of {0}^(t - s) over s <= t and t < {1}"),
        )
    ),
)


def variable(name: str) -> Letter:
    """A letter that is integrated over."""
    return letter(name, "variable")


def integral(f: Any, *over: tuple[Any, Any, Any]) -> Term:
    """The integral over a letter between two ends, the innermost first.

    >>> from verification.terms.term import letters
    >>> s, (T,) = variable("s"), letters("T")
    >>> print(integral(s * T, (s, 0, T)))
    integral(s*T, s, 0, T)
    """
    found = term(f)
    for x, low, high in over:
        found = Applied("integral", (found, term(x), term(low), term(high)))
    return found
