"""``tune``: for every parameter what papers say, what the limit says, and the true optimum."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import numpy as np
import sympy as sp

from sgtheory import registry
from sgtheory.declare import Derived, MatrixName, Rule, Sampler
from sgtheory.errors import UnusableInput
from sgtheory.modepairs.unbiased import exact_gain, exact_noise
from sgtheory.notation import matrixwords as words
from sgtheory.onestep.affine import one_step
from sgtheory.onestep.full import Array
from sgtheory.problem import Problem, ProblemLike, as_problem
from sgtheory.reader.exact import identity
from sgtheory.setting import Setting
from sgtheory.tuning.bench import Bench
from sgtheory.tuning.minimum import WIDEST, Minimum, along, below_saddles, newton
from sgtheory.tuning.records import Certificate, Choice, Tuned, Tuning
from sgtheory.tuning.window import tune_window

Progress = Callable[[int, int], None]
_LARGEST = 24  # diagonal entries that are tuned together
_SQUARE = {"E": "E E^T"}  # what a rule says of it is said of its square
_ZERO = 1e-10  # a divergence that is zero but for rounding


def tune(
    sampler: Any, problem: ProblemLike, only: tuple[str, ...] = (), progress: Progress | None = None
) -> Tuning:
    """The best choice of every parameter of a sampler, beside those that papers print.

    Each is tuned with the others as the problem has them. Best is the choice with the smallest
    KL divergence from the law of the algorithm at its finite step to the posterior.

    >>> problem = Problem.of({"hessian": [[2]], "noise": [[1]], "N": 40, "S": 4,
    ...                       "params": {"eps": "1/5"}})
    >>> found = tune("sgd", problem)["eps"].exact
    >>> round(found.values["eps"], 9), found.kl_to_posterior < 1e-12
    (0.166666667, True)
    """
    problem = as_problem(problem)
    declared = registry.sampler(sampler, problem.params)
    _check(declared, problem)
    known = knobs(declared)
    for name in only:
        if name not in known:
            raise UnusableInput(f"a parameter among {', '.join(known)}", name, "choose one of these")
    bench = Bench(declared, _completed(declared, problem))
    wanted = only or known
    tuned = []
    for done, name in enumerate(wanted):
        if progress is not None:
            progress(done, len(wanted))
        tuned.append(_tune_one(bench, name))
    return Tuning(declared.name, problem.to_json(), tuple(tuned))


def knobs(sampler: Sampler) -> tuple[str, ...]:
    """What can be tuned: scalars, gains, noise, windows; together what a printed rule combines.

    >>> knobs(registry.sampler("momentum"))
    ('H', 'eps', 'mu', 'eps and mu')
    """
    names = tuple(p.name for p in sampler.parameters if p.name == "T" or _is_free(sampler, p))
    return (*names, *(" and ".join(pair) for pair in _combined(sampler)))


def _is_free(sampler: Sampler, parameter: Any) -> bool:
    """Whether a parameter is the user's to choose, and no count of steps."""
    if isinstance(parameter, MatrixName) and not hasattr(parameter, "diagonal_only"):
        # a closed form is for the iterate itself, and for steps that are all alike
        setting = Setting(sampler, registry.model("quadratic"))
        if sampler.sample.name != "theta" or setting.period != 1:
            return False
    derived = isinstance(sampler.default(parameter), Derived)
    return not derived and not getattr(parameter, "is_integer", False)


def _combined(sampler: Sampler) -> list[tuple[str, str]]:
    """Scalars that a printed rule speaks of together."""
    scalars = {p.name for p in sampler.parameters if not isinstance(p, MatrixName)}
    found = []
    for rule in sampler.rules:
        if rule.parameter in scalars:
            factor = rule.value.replace(words.Trace, lambda _: sp.Integer(1))
            others = {s.name for s in factor.free_symbols} & scalars
            found += [(rule.parameter, other) for other in sorted(others)]
    return found


def _check(sampler: Sampler, problem: Problem) -> None:
    if "N" not in problem.sizes and problem.examples is None:
        raise UnusableInput("N, which the posterior depends on", "none", 'add "N": 100 to the problem')
    if sampler.name == "averaged_sgd":
        raise UnusableInput(
            "a sampler with a stationary law", "a mean of ever more iterates", "tune iasg instead"
        )
    setting = Setting(sampler, problem.model)
    if setting.period is None:
        problem.values(sampler)  # what is missing is said first
        got = f"{sampler.name}, which never settles"
        raise UnusableInput("a sampler with a stationary law", got, "ask for its law with --at 1000")
    one_step(setting)  # raises where no law is known, whatever the parameters


def _completed(sampler: Sampler, problem: Problem) -> Problem:
    """The problem with 1 for what is still to be chosen, and other papers' letters translated.

    A letter such as gamma = eps/N would contradict every other eps that is tried.
    """
    params = dict(problem.params)
    letters = {letter: meaning for letter, meaning in sampler.aliases if letter in params}
    for parameter in sampler.parameters:
        if parameter.name in params or sampler.default(parameter) is not None or letters:
            continue
        if hasattr(parameter, "diagonal_only"):
            params[parameter.name] = identity(problem.D)
        elif parameter.is_positive and not isinstance(parameter, MatrixName):
            params[parameter.name] = Fraction(1)
    needed = [n.name.name if hasattr(n, "factors") else n.name for n in sampler.needs]
    if needed and not letters and not any(n in params for n in needed):
        params[needed[0]] = Fraction(1)
    values = replace(problem, params=MappingProxyType(params)).values(sampler)
    for letter, meaning in letters.items():
        del params[letter]
        letters_in = set(re.findall("[A-Za-z_]+", meaning))
        (name,) = letters_in & {p.name for p in sampler.parameters}
        params[name] = values.scalars[name]
    return replace(problem, params=MappingProxyType(params))


def _tune_one(bench: Bench, name: str) -> Tuned:
    found = _tuned(bench, name)
    rules = [r for r in bench.sampler.rules if r.parameter in (name, _SQUARE.get(name))]
    silent = [r.cites for r in rules if bench.printed(r) is None]
    if not silent:
        return found
    said = f"what is printed has no value here ({'; '.join(silent)}): it divides by zero"
    return replace(found, note=f"{found.note}; {said}" if found.note else said)


def _tuned(bench: Bench, name: str) -> Tuned:
    if name == "T":
        return tune_window(bench)
    if bench.is_diagonal(name) or not bench.is_matrix(name):
        return _by_descent(bench, tuple(name.split(" and ")))
    return _noise(bench) if name == "E" else _gain(bench, name)


def printed(bench: Bench, name: str, parameter: str) -> list[Choice]:
    """What papers say of a parameter, tried out."""
    found = []
    for rule in bench.sampler.rules:
        if rule.parameter == parameter and bench.printed(rule) is not None:
            value = rule_value(bench, rule, name)
            if value is not None:
                more = {"formula": rule.value, "cites": rule.cites}
                found.append(bench.choice("printed", {name: value}, **more))
    return found


def rule_value(bench: Bench, rule: Rule, name: str) -> Any:
    """The number, diagonal or matrix that a rule gives; None where it gives no noise."""
    value = bench.printed(rule)
    if bench.is_diagonal(name):
        return np.diag(value)
    if name == "E":
        return _factor(value)
    return (value + value.T) / 2 if bench.is_matrix(name) else value


def _by_descent(bench: Bench, names: tuple[str, ...]) -> Tuned:
    title = " and ".join(names)
    size = sum(bench.problem.D if bench.is_diagonal(n) else 1 for n in names)
    if size > _LARGEST:
        raise UnusableInput(f"at most {_LARGEST} numbers to tune together", str(size), "tune others")
    choices = [c for n in names for c in printed(bench, n, n)] if len(names) == 1 else []
    times = [t for t in ("continuous", "discrete") if t in bench.setting.times and bench.has_gradient]
    found: dict[str, Minimum] = {t: descend(bench, names, t, choices) for t in times or ["discrete"]}
    if "continuous" in found and not found["continuous"].edge:
        choices.append(bench.choice("continuous", bench.changes(names, found["continuous"].x)))
    best = found["discrete"]
    if best.edge:
        return Tuned(title, tuple(choices), None, _edge(title, best))
    choices.append(bench.choice("exact", bench.changes(names, best.x)))
    return Tuned(title, tuple(choices), certificate(bench, best))


_EDGES = {
    "small": "no best {0}: towards zero the divergence falls all the way, to {1:.6g} where it was left;"
    " with a budget there is one: give --passes 200, or ask advise",
    "large": "no best {0}: the divergence falls, to {1:.6g}, up to the largest that is admitted",
    "nowhere": "none of {2} values of {0}{3} gives a stable law with a divergence from the posterior",
}


def _edge(title: str, found: Minimum) -> str:
    ends = np.exp(found.x[0] + np.array([-WIDEST, WIDEST]))
    over = f" from {ends[0]:.3g} to {ends[1]:.3g}" if len(found.x) == 1 else ""
    over = " scaled together" if " and " in title else over
    return _EDGES[found.edge].format(title, found.value, found.scanned, over)


def descend(bench: Bench, names: tuple[str, ...], time: str, printed_: list[Choice]) -> Minimum:
    """The minimum of the divergence: from the best point of a scan, or of what is printed."""
    value, slope = bench.value_of(names, time), bench.slope_of(names, time)
    begin = _beginning(bench, names, printed_)
    if len(begin) > 1:
        shift = along(lambda s: value(begin + s), 0.0)  # all together first
        if shift.edge:
            return shift
        found = newton(value, slope, begin + shift.x, shift.scanned)
        return _within(below_saddles(value, slope, found), begin)
    scan = along(value, float(begin[0]))
    if scan.edge:
        return scan
    return newton(value, slope, scan.x, scan.scanned)


def _within(found: Minimum, begin: Array) -> Minimum:
    """A minimum that has run out of the range of a scan is none."""
    away = found.x - begin
    if np.abs(away).max() < WIDEST:
        return found
    return replace(found, edge="small" if away[np.argmax(np.abs(away))] < 0 else "large")


def _beginning(bench: Bench, names: tuple[str, ...], printed_: list[Choice]) -> Array:
    entries: list[float] = []
    for name in names:
        here = printed_[0].values[name] if printed_ and name in printed_[0].values else None
        if here is None:
            matrices, scalars = bench.values.arrays, bench.values.scalars
            here = np.diag(matrices[name]) if name in matrices else float(scalars[name])
        entries += [float(h) for h in np.atleast_1d(here)]
    return np.log([x if x > 0 else 1.0 for x in entries])  # a default of zero is looked for about one


def certificate(bench: Bench, best: Minimum) -> Certificate:
    """Why a minimum is one."""
    how = "exact" if bench.has_gradient else "fourth-order differences"
    zero = best.value < _ZERO
    text = (
        f"The derivatives of the divergence with respect to logarithms ({how}) vanish to"
        f" {best.slope:.1g}, the smallest second derivative is {best.curvature:.3g}; none of"
        f" {best.scanned} points of the whole range is better."
    )
    if zero:
        text += " The divergence is zero: nothing is better."
    numbers = {"slope": best.slope, "curvature": best.curvature, "scanned": float(best.scanned)}
    return Certificate(text, zero or best.certified, numbers)


def _gain(bench: Bench, name: str) -> Tuned:
    if "A" not in bench.matrices:
        what = f"a model with a curvature A, for the best {name}"
        raise UnusableInput(what, bench.setting.model.name, "give its A and C as a quadratic model")
    choices, note = printed(bench, name, name), ""
    reached = False
    for time, how in (("continuous", "continuous"), ("discrete", "exact")):
        if time not in bench.setting.times and time == "continuous":
            continue
        found = exact_gain(bench.symbolic(time).pairs)
        if found is None:
            note = f"no {name} reaches the posterior: the noise would have to be negative"
            continue
        try:
            gain = found.solve(bench.values.scalars, bench.matrices)
        except UnusableInput as reason:
            note = f"{how}: {reason}"
            continue
        more = {"formula": found.inverse, "inverse": True} if found.inverse is not None else {}
        choices.append(bench.choice(how, {name: gain}, **more))
        reached = how == "exact"
    return Tuned(name, tuple(choices), _zero(bench, choices[-1]) if reached else None, note)


def _zero(bench: Bench, choice: Choice) -> Certificate:
    """The certificate of a choice that reaches the posterior itself."""
    kl = choice.kl_to_posterior
    text = (
        "At every pair of modes the covariance is that of the posterior, as rational functions of"
        " the eigenvalues; so the divergence is zero in every dimension, and nothing is better."
    )
    if not bench.has_gradient:
        text = "That holds for noise which does not depend on the point; here some does."
    holds = kl is not None and kl < _ZERO
    return Certificate(text, holds, {} if kl is None else {"kl_to_posterior": kl})


def _noise(bench: Bench) -> Tuned:
    """Noise that tops up the minibatch's to what the posterior needs."""
    choices, note = printed(bench, "E", "E E^T"), ""
    reached = False
    for time, how in (("continuous", "continuous"), ("discrete", "exact")):
        formula = exact_noise(bench.symbolic(time).pairs)
        if formula is None:
            return Tuned("E", tuple(choices), None, "no closed form for E")
        scalars = bench.values.scalars
        needed = words.value(formula, scalars, {**bench.matrices, "I": np.eye(bench.problem.D)})
        factor = _factor(needed)
        if factor is None:
            lowest = float(np.linalg.eigvalsh(needed)[0])
            note = (
                f"{how}: E E^T would need the eigenvalue {lowest:.3g}: in some direction minibatches"
                " alone are noisier than the posterior allows; lower the gain, or take larger ones"
            )
            continue
        more = {"formula": formula}
        choices.append(bench.choice(how, {"E": factor}, **more))
        reached = how == "exact"
    return Tuned("E", tuple(choices), _zero(bench, choices[-1]) if reached else None, note)


def _factor(square: Array) -> Array | None:
    """The symmetric root of a matrix, None where it is not positive semi-definite."""
    eigenvalues, basis = np.linalg.eigh((square + square.T) / 2)
    if eigenvalues[0] < -1e-12 * abs(eigenvalues[-1]):
        return None
    return np.asarray(basis @ np.diag(np.sqrt(np.maximum(eigenvalues, 0))) @ basis.T)
