"""Where a quantity of matrices, or of a law, is smallest: in a number, or in a gain."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from verification.prover.balance import convex_in_gain, scaled_by
from verification.terms.term import Term
from verification.theories import minima
from verification.theories.answers import Answer, Chosen, Disproved, Proved, Silence, Silent
from verification.theories.matrices.recipes import recipe_of
from verification.theories.matrices.relaxation import RELAXATION
from verification.theories.matrices.relaxation import is_best as relaxes_fastest

if TYPE_CHECKING:
    from verification.theories.matrices.laws import Law

__all__ = ["instead", "is_best", "recipe_of"]


def is_best(law: Law, chosen: Chosen) -> Answer:
    """Of a divergence by its closed form; else by a gradient that vanishes, and convexity."""
    recipe = recipe_of(law, chosen)
    if recipe is not None:
        return recipe.answer()
    x, value = law.symbols(chosen.letter), law.symbols(chosen.value)
    own = law.symbols(chosen.of)
    if law.setting is not None and own == (1 / RELAXATION if chosen.largest else RELAXATION):
        return relaxes_fastest(law.setting, law.time, x, value)
    formula = law.expanded(-chosen.of if chosen.largest else chosen.of)
    about = law.equations_of
    if chosen.letter.kind != "matrix":
        found = scaled_by(formula, value, x, about)
        if found is None or (law.setting and any("Sigma_0" in s.name for s in found[1].free_symbols)):
            return Silent(Silence.NO_FORMULA)
        return minima.is_smallest(*found, x)
    shown = convex_in_gain(formula, x, value, chosen.among == "diagonal", about)
    if shown is None or (shown.holds is None and not chosen.among):
        return Silent(Silence.NO_FORMULA)
    facts, derivation = dict(shown.evidence.data), shown.evidence.derivation
    if shown.holds:
        lemma = "The gradient vanishes there, and the second differential is positive definite."
        return Proved(lemma, derivation, facts)
    if shown.holds is False:
        return Disproved("The gradient does not vanish there.", derivation, facts)
    return Silent(Silence.NO_CERTIFICATE, derivation=derivation)


def instead(law: Law, chosen: Chosen) -> Iterator[tuple[Term, Term]]:
    """The best value by a closed form; or the quantity with signs turned and terms halved."""
    recipe = recipe_of(law, chosen)
    if recipe is None:
        yield from ((of, chosen.value) for of in minima.other_formulas(chosen))
        return
    best = recipe.instead()
    if best is not None:
        yield chosen.of, best
