"""What can be told of a step that is not linear: what stands in the way, what closes, what balances."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import sympy as sp

from sgtheory import registry
from sgtheory.declare import Apply, BatchMean, DataMean, Noise, State, Update, Vector, ones
from sgtheory.errors import NotAffine
from sgtheory.language import CONSTANT_VECTORS, Table
from sgtheory.notation.derivation import Derivation, Equation, Formula, Result, Step
from sgtheory.notation.printing import latex, plain
from sgtheory.notation.sentence import Sentence, say
from sgtheory.onestep.affine import linear_form
from sgtheory.onestep.closure import closure
from sgtheory.onestep.printings import lines, multiplied_out
from sgtheory.setting import Setting

if TYPE_CHECKING:
    from sgtheory.symbolic import SymbolicLaw


def nonlinear_terms(setting: Setting) -> tuple[Update, ...]:
    """Each term of a step that is not linear in states and noises, with what it is written to.

    >>> from sgtheory import registry
    >>> nonlinear_terms(Setting(registry.sampler("msgnht"), registry.model("quadratic")))
    ((u, u*(-eta*alpha + ones)), (alpha, eta*(u**2 - ones/beta)))
    """
    found = [
        (target, term)
        for target, expr in setting.updates
        for term in _offending(sp.expand(sp.sympify(expr), deep=False))
    ]
    return tuple(dict.fromkeys(found))


def _offending(expr: Any) -> Iterator[Any]:
    if not expr.atoms(Vector) - set(CONSTANT_VECTORS) and not expr.atoms(BatchMean, DataMean):
        return
    if expr.is_Add:
        for term in expr.args:
            yield from _offending(term)
    elif isinstance(expr, sp.Piecewise):
        for case, _ in expr.args:
            yield from _offending(sp.expand(case, deep=False))
    else:
        try:
            linear_form(expr, {})
        except NotAffine:
            yield expr


def nonlinear(law: SymbolicLaw) -> Derivation:
    """The derivation of a sampler whose law is not solved for: what is so, and what is not and why."""
    setting = law.setting
    sampler, model = setting.sampler, setting.model
    growing = _growing(setting)
    results = _growth(growing) if growing else _balances(setting)
    small = _small_steps(sampler)
    steps = (
        Step("The update", "One step writes, in this order:", _equations(sampler.updates)),
        *(
            [Step("Where", "Abbreviations stand for:", _equations(sampler.where, "="))]
            if sampler.where
            else []
        ),
        Step("The gradient", f"{model.title}.", (Equation(_gradient(setting), model.gradient),)),
        Step("Conventions", _card(sampler.convention)),
        Step(
            "What is not linear",
            "There is no closed form for a covariance, a spectral radius or a limit of stability: these"
            " would need a step that is linear in states and noises, and these terms are not:",
            _equations(nonlinear_terms(setting), "<-"),
        ),
        *_linear_means(setting),
        Step("Which moments close", _closing(setting)),
        _never_settles(growing, results) if growing else _what_balances(setting, results),
        *small.steps,
        *_other_printings(sampler),
        Step("What to do instead", _instead(setting)),
    )
    title = f"{sampler.title}: what can be derived, {law.time} time"
    return Derivation(title, steps, (*results, *small.results))


@cache
def _small_steps(sampler: Any) -> Derivation:
    """What is so for any loss in one coordinate as the step vanishes, and to the next order."""
    from sgtheory.dynamics.telling import dynamics

    found = dynamics(sampler)
    steps = (replace(s, title=f"Small steps: {s.title[0].lower()}{s.title[1:]}") for s in found.steps)
    return replace(found, steps=tuple(steps))


def _equations(pairs: Any, relation: str = "->") -> tuple[Equation, ...]:
    return tuple(Equation(a, b, relation) for a, b in pairs)


def _gradient(setting: Setting) -> Any:
    from sgtheory.declare import Gradient

    return Gradient(setting.model.x, 0)


def _card(card: Any) -> Sentence:
    return say(
        "The gradient is that of the {} loss's minibatch. Drift: {}. Injected noise: {}. Data size: {}."
        " Temperature: {}. Order of updates: {}.",
        *(card.loss, card.drift, card.noise, card.N, card.temperature, card.order),
    )


def _held(setting: Setting) -> str:
    held = any(sp.sympify(e).has(sp.Piecewise) for _, e in setting.updates)
    cases = ", in the first of the cases that it decides" if held else ""
    return "" if setting.period == 1 else f", the clock $t$ standing still{cases}"


def _linear_means(setting: Setting) -> list[Step]:
    """States whose updates are linear: their means follow those of what they read."""
    bad = {target for target, _ in nonlinear_terms(setting)}
    rows = [
        (target, sp.sympify(e).xreplace({w: sp.Integer(0) for w in sp.sympify(e).atoms(Noise)}))
        for target, e in setting.sampler.updates
        if isinstance(target, State) and target not in bad and e != target
    ]
    if not rows:
        return []
    words = "These updates are linear, so that means obey them as they stand, noises left out:"
    return [Step("Means that follow", words, _equations(rows))]


def _closing(setting: Setting) -> str:
    """In words, for the mean and the second moment of every state."""
    if setting.model.nonlinear:
        return "None: the gradient of an example is no polynomial in the position."
    moments = [m for state in setting.state for m in (state, state**2)]
    alike: dict[str, list[str]] = {}
    for m in moments:
        alike.setdefault(_closing_of(setting, m), []).append(f"$E[{plain(m)}]$")
    words = [f"{_listed(names)}: {why}." for why, names in alike.items()]
    return "In one dimension. " + " ".join(words)


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _closing_of(setting: Setting, moment: Any) -> str:
    found = closure(setting, moment)
    if found.closes:
        others = [f"${plain(m)}$" for m in found.needs if m != moment]
        return "closed" + (f", with the moments of {', '.join(others)}" if others else "")
    if found.obstacle is not None:
        last = "" if len(found.path) == 1 else f" (reached by way of ${plain(found.path[-1])}$)"
        return f"not closed, since {_short(found.obstacle)} is no polynomial{last}"
    needs = ", that of ".join(f"${plain(m)}$" for m in found.path[1:])
    return f"not closed, since it needs the mean of {needs}, and so on"


def _short(expr: Any) -> str:
    text = plain(expr)
    if isinstance(expr, sp.Piecewise):
        return "a choice by the clock"
    if len(text) < 60 and not any(isinstance(s, Noise) for s in expr.free_symbols):
        return f"${text}$"
    letters = sorted(f"${s.name}$" for s in expr.free_symbols if isinstance(s, State))
    return f"{_kind(expr)} of {_listed(letters)}"


def _kind(expr: Any) -> str:
    if isinstance(expr, sp.exp):
        return "an exponential"
    return "a root" if isinstance(expr, sp.Pow) and not expr.exp.is_Integer else "a quotient"


def _increments(setting: Setting) -> Iterator[Update]:
    """What a step adds to each state that it writes once, its locals kept, the first case of each."""
    updates = setting.sampler.updates
    for state in setting.state:
        written = [sp.sympify(e) for target, e in updates if target == state]
        if len(written) == 1:
            expr = written[0].replace(sp.Piecewise, lambda *cases: cases[0][0])
            yield state, multiplied_out(expr - state)


def _balances(setting: Setting) -> tuple[Result, ...]:
    found = []
    for state, added in _increments(setting):
        quiet = sp.Add(*(a for a in sp.Add.make_args(added) if not _mean_zero(a)))
        if quiet != 0 and not quiet.is_nonnegative:
            quiet = _without_scale(quiet)
            left = Formula(rf"\mathbb{{E}}\left[{latex(quiet)}\right]", f"E[{plain(quiet)}]")
            found.append(Result(f"balance {state}", Equation(left, Formula("0", "0"))))
    return tuple(found)


def _without_scale(expr: Any) -> Any:
    """The expression in one coordinate, without factors that are numbers."""
    plain_ = expr.xreplace({ones: sp.Integer(1)})
    vectors = [s for s in plain_.free_symbols if isinstance(s, Vector)]
    grouped = sp.factor(plain_) if plain_.is_polynomial(*vectors) else sp.factor_terms(plain_)
    factors = sp.Mul.make_args(grouped)
    kept = sp.Mul(*(a for a in factors if a.atoms(Vector)))
    turned = kept.could_extract_minus_sign()
    return -kept if turned else kept


def _mean_zero(term: Any) -> bool:
    """A noise times what is known before it is drawn."""
    noises = term.atoms(Noise)
    if len(noises) != 1:
        return False
    if term.atoms(Apply):
        return not list(_offending(term))
    return bool(sp.diff(term, next(iter(noises)), 2) == 0)


def _what_balances(setting: Setting, results: tuple[Result, ...]) -> Step:
    words = (
        f"Where there is a stationary state with these means{_held(setting)}, what a step adds to a"
        " state has mean zero, each letter as it is when that update reads it. Exactly:"
    )
    return Step("What balances", words, tuple(r.equation for r in results))


def _growing(setting: Setting) -> tuple[Update, ...]:
    """States to which a step adds what is never negative, with that."""
    return tuple((s, added) for s, added in _increments(setting) if added != 0 and added.is_nonnegative)


def _growth(growing: tuple[Update, ...]) -> tuple[Result, ...]:
    return tuple(
        Result(
            f"growth {s}",
            Equation(
                Formula(
                    rf"\mathbb{{E}}\left[{latex(s)}_{{t+1}} - {latex(s)}_t\right]",
                    f"E[{s}_(t+1) - {s}_t]",
                ),
                Formula(rf"\mathbb{{E}}\left[{latex(added)}\right]", f"E[{plain(added)}]"),
            ),
        )
        for s, added in growing
    )


def _never_settles(growing: tuple[Update, ...], results: tuple[Result, ...]) -> Step:
    names = _listed([f"${s}$" for s, _ in growing])
    words = (
        f"A step adds a square to {names}, which never decreases: there is no stationary state, and"
        " no balance. Exactly:"
    )
    return Step("What never settles", words, tuple(r.equation for r in results))


def _other_printings(sampler: Any) -> list[Step]:
    """Of an algorithm that is printed more than once: what this has beyond each of the others."""
    name, word = sampler.name.partition(":")[0], sampler.word
    if word is None or word[0] != "printing":
        return []
    this = word[1]
    others = [other for other in registry.family(name).examples if other != this]
    return [_beside(this, other, lines(f"{name}:{this}", f"{name}:{other}")) for other in others]


def _beside(word: str, other: str, gaps: tuple[Update, ...]) -> Step:
    """What is written more, and what is written as well but at another place."""
    moved = [g for k, g in enumerate(gaps) if (g[0], -g[1]) in gaps[k + 1 :]]
    kept = [g for g in gaps if g not in moved and (g[0], -g[1]) not in moved]
    words = (
        f"What the updates of `{word}` write beyond those of `{other}`, letters as they stand there:"
        if kept
        else f"Line by line, the updates of `{word}` are those of `{other}`."
    )
    if moved:
        names = _listed([f"${target}$" for target, _ in moved])
        words = f"The update of {names} is the same and stands elsewhere in the order. {words}"
    return Step(f"Beside {other.replace('_', ' ')}", words, _equations(kept, "<-"))


def _instead(setting: Setting) -> str:
    from sgtheory.operator.step import MOST_STATES

    name = setting.sampler.name
    words = f"`sgtheory simulate {name} --problem problem.json` measures its law in any dimension"
    if any(isinstance(s, Table) for s in setting.state):
        return f"{words}; a table of all examples is more than `sgtheory.operator` carries."
    if _growing(setting):
        return f"{words}, after any number of steps."
    if len(setting.state) > MOST_STATES:
        many = len(setting.state)
        return (
            f"{words}; with {many} states it is beyond `sgtheory.operator`, which takes {MOST_STATES}."
        )
    words += (
        "; in one dimension `sgtheory.operator.stationary` computes its stationary law, with a stated"
    )
    return words + (" error, where steps become alike." if setting.period is None else " error.")
