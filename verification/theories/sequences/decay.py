"""Whether a chain comes to rest at zero along falling steps, whatever these are."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from verification.terms.arithmetics.symbols import in_symbols
from verification.terms.term import Applied, Letter, Term, number
from verification.theories.answers import Answer, Disproved, Proved, Silence, Silent
from verification.theories.sequences.chains import Chain, H, X
from verification.theories.sequences.words import ENDLESS, FINITE, VANISHING

LEMMA = (
    "One step makes of the mean square $E$ at most $(1 - c h) E + C h^2$, so that it vanishes where the"
    " steps do and add up without end."
)
ALONE = (
    "One step takes a share of the distance, no less than $c h$, so that it vanishes where steps add up."
)
STAYS = "Where the steps have a finite sum a share of what there was at first stays for ever."
_SYMBOLS = sp.symbols("mean square", real=True)


def at_rest(chain: Chain, left: Term, right: Term, known: Sequence[str]) -> Answer | None:
    """Whether a mean after all steps vanishes beside a power of their number; None of another quantity.

    One step takes x to a(h) x and adds noise of variance v(h). Where 1 - a^2 is at least c h and v at
    most C h^2, steps that vanish and add up without end are enough. They are needed too: the product of
    all a^2 stays, as 1 - a^2 is at most a multiple of h, and so does v at the limit of the steps.
    """
    last = Applied("at", (chain.sequence, chain.count))
    means = [Applied("mean", (last,)), Applied("mean", (last ** number(2),))]
    letters = [Letter(s.name, "real") for s in _SYMBOLS]
    spelt = left.named(dict(zip(means, letters, strict=True)))
    if not {*spelt.letters} <= {*letters} or not {*right.letters} <= {chain.count}:
        return None
    inside = in_symbols(spelt)
    beside = sp.sympify(in_symbols(right))
    power = beside.as_coeff_exponent(in_symbols(chain.count))[1]
    update = sp.Poly(chain.step.updates[0][1], X, *chain.step.noises)
    wanted = sp.Poly(inside, *_SYMBOLS) if inside.is_polynomial(*_SYMBOLS) else None
    grows = beside.is_positive and power.is_nonnegative
    if wanted is None or wanted.coeff_monomial(1) != 0 or not grows:
        return None
    if chain.most is None or update.total_degree() > 1 or update.coeff_monomial(1) != 0:
        return None
    slope, most = update.coeff_monomial(X), in_symbols(chain.most)
    spread = sp.Poly(sp.expand(sum(update.coeff_monomial(w) ** 2 for w in chain.step.noises)), H)
    share = sp.Poly(sp.cancel((1 - slope**2) / H), H)
    sure = [share, sp.Poly(slope, H), *([] if spread.is_zero else [spread.quo(sp.Poly(H**2, H))])]
    inside_disc = share.eval(0) > 0 and all(p.count_roots(0, most) == 0 for p in sure)
    if not inside_disc or not spread.rem(sp.Poly(H**2, H)).is_zero:
        return Silent(Silence.NO_CERTIFICATE)
    if FINITE in known:
        return Disproved(STAYS)
    noisy = not spread.is_zero and _SYMBOLS[1] in wanted.free_symbols
    missing = [word for word in (ENDLESS, *([VANISHING] if noisy else [])) if word not in known]
    if not missing:
        return Proved(LEMMA if noisy else ALONE, facts={"steps": "every"})
    if len(wanted.monoms()) > 1:
        return Silent(Silence.NO_CERTIFICATE)
    steps = Applied("at", (chain.sizes, chain.running))
    return Silent(
        Silence.NO_CERTIFICATE, only_if=tuple((word, steps, chain.running) for word in missing)
    )
