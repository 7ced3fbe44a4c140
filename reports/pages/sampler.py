"""A sampler's page: its update, its conventions, and every law that is known of it."""

from __future__ import annotations

import json
from typing import Any

from sympy import count_ops

from reports.document import (
    Block,
    Bullets,
    Code,
    Equation,
    Heading,
    Link,
    Math,
    Mono,
    Page,
    Paragraph,
    Strong,
    Table,
)
from reports.pages.curves import over_step
from reports.pages.row import sampler_slug
from reports.pages.simulated import simulated_law
from reports.pages.words import installed, paragraphs, steps_of, typeset
from reports.terminal.first import problem
from sgtheory import registry
from sgtheory.language import Table as ExampleTable
from sgtheory.modepairs.pairs import settles
from sgtheory.notation.derivation import Equation as Formula
from sgtheory.notation.printing import latex, plain
from sgtheory.notation.sentence import say
from sgtheory.onestep.affine import is_affine, mode_form
from sgtheory.setting import Setting
from sgtheory.symbolic import derive
from sgtheory.telling.nonlinear import nonlinear_terms
from verification.conventions.cards import elsewhere

# Values at which every sampler is stable on the problem below.
_VALUES = {
    "eps": "1/100", "mu": "3/10", "gamma": "1/100", "eta": "1/1000", "alpha": "1/5", "h": "1/2",
    "h_max": "1/2", "L": 5, "E": [["1/10", 0], [0, "1/5"]], "H": ["1/10", "1/20"],
    "lambda": "1/10", "a": "1/100", "beta": "1/4",
}  # fmt: skip


def example(sampler: Any) -> str:
    """A problem file for a sampler, with a value for every parameter that has no default."""
    if sampler.name.partition(":")[0] not in registry.own("samplers"):  # letters of somebody's own
        on_data = any(isinstance(s, ExampleTable) for s in sampler.state)
        model = registry.model("linear_regression" if on_data else "quadratic")
        found = problem(model, sampler)
        return "{" + ",\n ".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in found.items()) + "}"
    needed = {n.name.name if hasattr(n, "factors") else n.name for n in sampler.needs[:1]}
    needed |= {p.name for p in sampler.parameters if sampler.default(p) is None}
    params = {name: value for name, value in _VALUES.items() if name in needed}
    if any(isinstance(s, ExampleTable) for s in sampler.state):
        return (
            '{"model": "linear_regression", "X": [[1, 0], [1, 1], [1, 2], [1, 3], [1, 4]],\n'
            f' "y": [0, 2, 1, 3, 3], "ridge": 1, "S": 2, "params": {json.dumps(params)}}}'
        )
    return (
        '{"hessian": [[2, 1], [1, "3/2"]], "noise": [[1, "1/4"], ["1/4", 2]],\n'
        f' "N": 40, "S": 4, "params": {json.dumps(params)}}}'
    )


def sampler_page(sampler: Any) -> Page:
    """Everything that can be derived for a sampler on the quadratic model."""
    blocks: list[Block | None] = [
        Paragraph("One step writes, in this order:"),
        *(
            Equation(Formula(t, e, "->").latex, text=Formula(t, e, "->").text)
            for t, e in sampler.updates
        ),
        *_where(sampler),
        *_card(sampler),
    ]
    blocks += _closed_forms(sampler)
    if has_law(sampler):
        blocks += over_step(sampler, example(sampler))
    blocks += [
        Heading(2, "In numbers"),
        Paragraph("A problem file, and the law it gives:"),
        Code(example(sampler), "json"),
        installed(),
        *(Code(command, "sh") for command in _commands(sampler)),
    ]
    return Page(
        slug=sampler_slug(sampler.name),
        title=sampler.title,
        blocks=paragraphs(blocks),
        kind="sampler",
        summary=("Update, conventions and what is known of the law of ", Mono(sampler.name), "."),
        trail=(Link("All papers", "index"), Link("Samplers", "index#samplers")),
    )


def has_law(sampler: Any) -> bool:
    """Whether it has a stationary law in closed form, alike at every step."""
    setting = Setting(sampler, registry.model("quadratic"))
    return is_affine(setting) and setting.period == 1 and _settles(setting)


def _settles(setting: Setting) -> bool:
    """Whether a linear step has a stationary law at some numbers; of a period that is not looked at."""
    return setting.period != 1 or settles(mode_form(setting))


_READABLE = 300  # operations of a covariance beyond which its series and sums fill pages
_TITLES = {"discrete": "The exact law of the algorithm", "continuous": "Its continuous-time limit"}


def _closed_forms(sampler: Any) -> list[Block]:
    setting = Setting(sampler, registry.model("quadratic"))
    if not is_affine(setting):
        told = derive(sampler).derivation()
        return [
            Heading(2, "What can be derived", "derived"),
            Paragraph(typeset(f"No closed form: {_obstacle(setting)}")),
            *(Equation(r.equation.latex, text=r.equation.text) for r in told.results),
            steps_of(told),
            *simulated_law(sampler, example(sampler)),
        ]
    blocks: list[Block] = []
    if setting.period is None:
        words = (
            "Its steps are never alike, so there is no stationary law; `law --at` has every finite step."
        )
        told = derive(sampler).derivation()
        return [Paragraph(typeset(words)), Heading(2, "From step to step", "steps"), steps_of(told)]
    if not _settles(setting):
        words = "Its chain never settles, whatever the step; `law --at` has every finite step."
        return [Paragraph(typeset(words))]
    if setting.period != 1:
        period = Math(latex(setting.period), plain(setting.period))
        blocks.append(
            Paragraph(("Its steps repeat with a period of ", period, " steps. Formulas are for two."))
        )
    for time in setting.times:
        blocks += _laws(sampler, time, _TITLES[time])
    return blocks


def _obstacle(setting: Setting) -> str:
    """Where the linear theory ends."""
    where = ", ".join(dict.fromkeys(f"`{target}`" for target, _ in nonlinear_terms(setting)))
    return f"what a step writes to {where} is not linear. In a stationary state these means vanish:"


def _commands(sampler: Any) -> list[str]:
    """What to type next."""
    setting = Setting(sampler, registry.model("quadratic"))
    name, clock = sampler.name, setting.period
    if not is_affine(setting):
        return [f"sgtheory simulate {name} --problem problem.json", f"sgtheory derive {name}"]
    if clock is None or not _settles(setting):
        return [f"sgtheory law {name} --problem problem.json --at 100"]
    return [
        f"sgtheory law {name} --problem problem.json",
        f"sgtheory tune {name} --problem problem.json",
        f"sgtheory derive {name} --what all --series 2",
    ]


def _where(sampler: Any) -> list[Block]:
    """What abbreviations in the update stand for."""
    if not sampler.where:
        return []
    equations = [Formula(short, meaning) for short, meaning in sampler.where]
    return [Paragraph("where"), *(Equation(e.latex, text=e.text) for e in equations)]


def _card(sampler: Any) -> list[Block]:
    card = sampler.convention
    rows = (
        ("loss", card.loss),
        ("drift", typeset(card.drift)),
        ("injected noise", typeset(card.noise)),
        ("data size", typeset(card.N)),
        ("temperature", typeset(card.temperature)),
        ("order", typeset(card.order)),
        ("parameters", tuple(s for p in sampler.parameters for s in (", ", Mono(p.name)))[1:] or "–"),
    )
    typed: tuple[Any, ...] = tuple(
        (Strong(t.library), f": {t.words} (neither proved nor run here)") for t in card.translations
    )
    known = elsewhere(sampler.name.partition(":")[0])
    proved = ((Mono(theirs), ": ", Mono(match), f"; {seen}") for theirs, match, seen in known)
    items = (*proved, *typed)
    blocks: list[Block] = [Heading(2, "Conventions"), Table(("what", "here"), rows, align="ll")]
    if items:
        blocks += [
            Paragraph(
                (
                    "The same in other libraries: a library's name for it, then our name. In each"
                    " equation the parameter on the left is ours, and what stands on the right is"
                    " written in the library's own; a name may stand on both sides and mean two things."
                    " A number after a name, such as :3, is how many inner steps one call of the library"
                    " makes. ",
                    Mono("sgtheory convert"),
                    " translates numbers; ",
                    Link("the guide", "index#guide"),
                    " shows how to check a library's sampler.",
                )
            ),
            Bullets(items),
        ]
    return blocks


# What each result of a derivation is, in words; covariances come first and share theirs.
_RESULTS = {
    "mean": "The mean after $n$ steps:",
    "autocovariance": "The autocovariance $k$ steps apart:",
    "long_run": "The sum of its autocovariances over all lags:",
    "tau": "The integrated autocorrelation time along mode $i$:",
    "ess": "Effective samples that one pass over the data gives, along mode $i$:",
    "weighted powers": "Means over windows need the sums of powers",
    "plain powers": "and",
    "average": "The covariance of the mean over a window of length $T$:",
    "neighbour": "The covariance of the means over two neighbouring windows, the later one first:",
    "transient": "The covariance after $n$ steps:",
    "fourth": "Fourth moments:",
    "extrapolated": "Extrapolated from two independent runs, the second at half the step:",
    "extrapolated series": "For a small step that is:",
    "temperature configurational": "Its configurational temperature, the mean over the modes $i$ of:",
    "stability0": "It is stable exactly where, for every eigenvalue{range}:",
    "limit": "That bounds the step by the largest eigenvalue:",
    "exact gain": "With this gain the law of the algorithm is the posterior itself:",
    "exact noise": "With this noise the law of the algorithm is the posterior itself:",
    "series": "For a small step:",
    "neglected": "What that leaves out first:",
}


def _results(results: Any, range_of: str) -> list[Block]:
    blocks: list[Block] = [Paragraph(typeset("The stationary covariance at modes $i$ and $j$:"))]
    for result in results:
        if result.words:
            blocks.append(Paragraph(typeset(result.words)))
        elif result.name in _RESULTS:
            blocks.append(Paragraph(typeset(say(_RESULTS[result.name], range=range_of))))
        blocks.append(Equation(result.equation.latex, text=result.equation.text))
    return blocks


def _laws(sampler: Any, time: str, title: str) -> list[Block]:
    law = derive(sampler, time=time)
    short = count_ops(law.covariance.pair) <= _READABLE
    told = law.derivation("all", 2) if short else law.derivation()
    blocks: list[Block] = [
        Heading(2, title, f"law-{time}"),
        *_results(told.results, law.stability.range),
    ]
    return [*blocks, Heading(3, f"How, in {time} time", f"how-{time}"), steps_of(told)]
