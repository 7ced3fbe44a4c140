"""``audit_run``: a finished run against the law of its sampler, by the checker's tests and faults."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import sympy as sp

from sgtheory import registry
from sgtheory.errors import Unstable, UnusableInput, shown
from sgtheory.notation.display import Shown
from sgtheory.numbers.numeric import law
from sgtheory.onestep.affine import has_spread, is_affine
from sgtheory.onestep.full import precision, scalar
from sgtheory.problem import Problem, ProblemLike, as_problem
from sgtheory.reader import exact, native
from sgtheory.setting import Setting
from simulators.finished import read_run
from simulators.trace import Trace
from verification.checking.cases import Case
from verification.checking.faults.variant import Numbers
from verification.checking.judging import strict
from verification.finished.facts import Fact, estimated_sizes, facts, times
from verification.finished.holding import Held, Run, first_draws, held
from verification.finished.reasons import Reason, reasons
from verification.finished.starting import Left, left_by_the_start
from verification.finished.steps import Step, without_noise
from verification.finished.suspects import Declared
from verification.statistics.kinds import Mean
from verification.statistics.planning import detectable
from verification.statistics.quadratic import chi_square

Array = Any

FALSE_ALARM = 1e-3
AS_FORETOLD, DIFFERS, INCONCLUSIVE = "as foretold", "differs", "inconclusive"
MOVING = "still moving"
_FEWEST = 3  # draws of a chain
_MATTERS = 0.5  # of a standard error: what a start leaves below that is a note
_SEEN = 0.5  # relative error of the noise's variance that has to be seen to say anything
_BIASED = 0.1  # of a variance: what a law may be off its target without a word
_FEW = 10.0  # effective draws, below which moments say little


@dataclass(repr=False, frozen=True)
class RunAudit(Shown):
    """The verdict on a run, with everything that it rests on."""

    name: str
    like: str
    verdict: str
    because: tuple[Reason, ...]
    held: Held
    facts: tuple[Fact, ...]
    effective: Array  # exact effective sizes of every coordinate's mean
    estimated: Array  # as ArviZ estimates them from the draws
    resolution: float  # relative error of the noise's variance that would have been seen
    run: Run  # from where the loss is smallest
    step: Step = field(repr=False)  # from one draw to the next
    left: Left
    every: int
    burn_in: int
    notes: tuple[str, ...] = ()
    false_alarm: float = FALSE_ALARM
    seconds: float = field(default=0.0, compare=False)

    def to_json(self) -> dict[str, Any]:
        """Schema sgtheory.run/1."""
        named = {fact.name: fact.to_json() for fact in self.facts}
        document = {
            "schema": "sgtheory.run/1",
            "run": self.name,
            "like": self.like,
            "verdict": self.verdict,
            "because": [reason.to_json() for reason in self.because],
            "chains": self.run.chains,
            "draws": self.run.draws,
            "every": self.every,
            "burn_in": self.burn_in,
            "measured": {name: told["measured"] for name, told in named.items()},
            "foretold": {name: told["foretold"] for name, told in named.items()},
            "standard_errors": {name: told["error"] for name, told in named.items()},
            "ess": {"exact": self.effective.tolist(), "arviz": self.estimated.tolist()},
            "pull": {"factor": self.held.pull[0], "error": self.held.pull[1]},
            "noise": {"variance_factor": self.held.size[0], "error": self.held.size[1]},
            "left_by_the_start": {
                "standard_errors": self.left.share, "in": self.left.where,
                "leave_out": self.left.burn_in,
            },
            "tests": self.held.comparison.to_json(),
            "normal": self.run.normal,
            "false_alarm": self.false_alarm,
            "resolution": self.resolution,
            "notes": list(self.notes),
            "seconds": round(self.seconds, 3),
        }  # fmt: skip
        return dict(strict(document))


def audit_run(
    run: str | Path | Trace | Array,
    problem: ProblemLike,
    *,
    like: Any = None,
    state: str | None = None,
    every: int | None = None,
    burn_in: int = 0,
    mode: Sequence[Any] | str | None = None,
    false_alarm: float = FALSE_ALARM,
) -> RunAudit:
    """Hold a finished run against the law that its sampler has on a problem.

    ``run`` is a file (.npz, .npy, ArviZ's NetCDF, Parquet), a trace, or an array (chains, draws, D).
    ``like`` is the sampler, which our own traces name themselves; ``every`` how many steps lie between
    two draws, ``burn_in`` how many draws are left out, ``mode`` where the loss is smallest if the
    problem does not say: numbers, or "run" for where this run is on average.

    >>> rng, x = np.random.default_rng(1), np.zeros((4, 2001, 1))
    >>> for k in range(2000):
    ...     x[:, k + 1] = 0.9 * x[:, k] + np.sqrt(0.02) * rng.standard_normal((4, 1))
    >>> problem = {"hessian": [[1]], "noise": [[0]], "N": 10, "S": 1, "params": {"eps": "1/50"}}
    >>> audit_run(x, problem, like="sgld", burn_in=50).verdict
    'as foretold'
    >>> audit_run(x, problem, like="sgld", burn_in=50, every=2).because[0].name
    'thinning'
    """
    begun = time.perf_counter()
    read = as_problem(problem)
    trace, name = _trace(run, state, read.D)
    declared, shift = _declared(trace, read, like, every, mode)
    kept = _kept(trace, burn_in)
    if mode == "run":
        shift = kept.mean(axis=(0, 1))
    positions = kept.astype(float) - shift
    exact = declared.numbers.case
    looked = Run(positions, np.linalg.eigh(exact.A)[1].T, read.examples is None, str(kept.dtype))
    step = _settling(declared)
    share = false_alarm if looked.normal else false_alarm / 2  # the other half is for settled moments
    test = held(looked, step, share)
    because = () if test.agrees else reasons(declared, looked, test)
    real = next((r.step for r in because if r.step is not None), step)
    found = held(looked, real, share) if real is not step else test
    told = facts(step, positions, exact.A, _sharpness(declared))
    effective = looked.chains * looked.draws / times(step.correlations(looked.draws), looked.draws)
    left = left_by_the_start(real, positions, (told[0].error, told[1].error))
    begins = first_draws(found.found)
    notes = list(_notes(read, trace, looked, step, effective))
    notes += list(_off_target(declared, step))
    began_elsewhere = begins.p_value < false_alarm
    if began_elsewhere and left.share > _MATTERS:
        because = (*because, _moving(begins.effect, left, burn_in))
    elif began_elsewhere and left.burn_in:
        notes.append(
            f"The start leaves {left.share:.2g} of a standard error in {left.where}; without the first"
            f" {left.burn_in:,} draws it would be less than 0.1."
        )
    if not looked.normal and not because:
        because = tuple(_unlike(read, told, share))
    told_apart = detectable(test.numbers * looked.positions.shape[2], test.comparison.threshold)
    silent = told_apart > _SEEN or not np.isfinite(test.comparison.worst.p_value)
    verdict = DIFFERS if because else INCONCLUSIVE if silent else AS_FORETOLD
    shown = tuple(replace(f, measured=f.measured + shift, foretold=f.foretold + shift)
                  if f.name == "mean" else f for f in told)  # fmt: skip
    return RunAudit(
        name, declared.sampler.name, verdict, because, test, shown, effective,
        estimated_sizes(positions), told_apart, looked, step, left, declared.every, burn_in,
        tuple(notes), false_alarm, time.perf_counter() - begun,
    )  # fmt: skip


def _trace(run: Any, state: str | None, D: int) -> tuple[Trace, str]:
    if isinstance(run, str | Path):
        return read_run(run, state, D), Path(run).name
    if isinstance(run, Trace):
        return run, "a trace"
    found = np.asarray(run)
    if found.ndim != 3 or found.shape[2] != D:
        wanted = f"an array (chains, draws, {D})"
        raise UnusableInput(wanted, f"shape {found.shape}", "reshape it")
    return Trace({"theta": found}, np.arange(found.shape[1]), np.arange(len(found)), {}), "an array"


def _kept(trace: Trace, burn_in: int) -> Array:
    """The draws that are looked at; a start is no draw."""
    begins = int("sampler" in trace.provenance and trace.steps[0] == 0)
    found = trace.states["theta"][:, begins + burn_in :]
    if found.shape[1] < _FEWEST:
        got = f"{max(trace.states['theta'].shape[1] - begins, 0)} and a burn-in of {burn_in}"
        raise UnusableInput(f"at least {_FEWEST} draws that are kept", got, "give a longer run")
    return found


def _declared(
    trace: Trace, problem: Problem, like: Any, every: int | None, mode: Any
) -> tuple[Declared, Array]:
    """The sampler and its numbers on the quadratic that the problem is at its mode; and the mode."""
    named = like or trace.provenance.get("sampler")
    if named is None:
        remedy = "say which, such as --like sgld (see sgtheory list samplers)"
        raise UnusableInput("the sampler that this is a run of", "a file that does not say it", remedy)
    sampler = registry.sampler(named, problem.params)
    setting = Setting(sampler, problem.model)
    flat = Setting(sampler, registry.model("quadratic"))
    if not is_affine(flat) or flat.period != 1 or setting.reshuffled:
        raise UnusableInput(
            "a sampler whose steps are linear and all alike", f"{sampler.name}, whose draws have no law"
            " in closed form", "simulate it, and compare ensembles",
        )  # fmt: skip
    apart = np.unique(np.diff(trace.steps))
    if every is None and len(apart) > 1:
        raise UnusableInput("draws equally many steps apart", "others", "give --every, or cut the run")
    steps = every or (int(apart[0]) if len(apart) else 1)
    quadratic, centre = _quadratic(problem), np.zeros(problem.D)
    if problem.examples is not None:
        centre = np.asarray(problem.examples.center, float)
    if mode is not None and mode != "run":
        centre = _numbers(mode, problem.D)
    case = Case("run", quadratic, (0.0,) * problem.D, seed=1)
    numbers = Numbers.of(sampler, case)
    declared = Declared(sampler, numbers, steps)
    if not problem.model.nonlinear and has_spread(setting):
        one = replace(declared, every=1).step()
        exact = law(sampler, problem).require_stable()
        names = [s.name for s in sampler.state]
        P = np.block([[exact.covariance[a, b] for b in names] for a in names])
        declared = replace(declared, extra=P - one.M @ P @ one.M.T - one.Q)
    return declared, centre


def _numbers(mode: Any, D: int) -> Array:
    listed = native.plain(mode)
    if not isinstance(listed, list | tuple) or len(listed) != D:
        raise UnusableInput(
            f"{D} numbers for the mode, or the word run", shown(mode), "give one to each coordinate"
        )
    return np.asarray([float(x) for x in exact.vector(listed, "the mode", D)])


def _quadratic(problem: Problem) -> Problem:
    """The problem itself, or with the curvature of its data and the covariance of one gradient."""
    examples = problem.examples
    if examples is None:
        if problem.model.name != "quadratic":
            got = problem.model.name
            raise UnusableInput("a quadratic model, or one of data", got, "give its A and C at the mode")
        return problem
    size, N = Fraction(problem.sizes["S"]), examples.N
    left = Fraction(1) if problem.replacement else (N - size) / max(N - 1, 1)
    content = {
        "model": "quadratic", "hessian": examples.A, "N": N, "S": size,
        "noise": [[left * c for c in row] for row in examples.C],
    }  # fmt: skip
    return replace(Problem.of(content), params=problem.params)


def _settling(declared: Declared) -> Step:
    step = declared.step()
    try:
        step.settled  # noqa: B018
    except Unstable:
        raise Unstable(f"{declared.sampler.name} at these parameters, so that no run settles") from None
    if not np.diag(step.settled)[step.seen].min() > 0:
        raise without_noise()
    return step


def _sharpness(declared: Declared) -> float | None:
    """N over the temperature of what the sampler is after; None where the problem has no N."""
    values = declared.numbers.case.problem.values(declared.sampler)
    if "N" not in values.scalars:
        return None
    return float(values.scalars["N"]) * float(scalar(sp.sympify(declared.sampler.target[0]), values))


def _unlike(problem: Problem, told: Sequence[Fact], false_alarm: float) -> Iterator[Reason]:
    """Settled moments that chance does not explain: seen where steps, tested less sharply, agree."""
    mean, variance = told[:2]
    tests = [(Mean().p_value(z, 1), mean, i) for i, z in enumerate(mean.off)]
    for i, (seen, should, error) in enumerate(
        zip(variance.measured, variance.foretold, variance.error, strict=True)
    ):
        free = 2 * (should / error) ** 2  # of the chi-square with this mean and this error
        p = 2 * min(chi_square(free).tails(free * seen / should))
        tests.append((float(p), variance, i))
    p, fact, i = min(tests, key=lambda t: t[0])
    if p * len(tests) >= false_alarm:
        return
    off = (
        f"the {fact.name} of coordinate {i + 1} is {fact.measured[i]:.4g} in place of"
        f" {fact.foretold[i]:.4g}, {abs(fact.off[i]):.2g} standard errors off."
    )
    if problem.model.nonlinear:
        words = f"The loss is not quadratic, and it shows: beside the quadratic at the mode {off}"
        yield Reason("not quadratic", words)
    else:
        yield Reason("moments", f"Single steps agree with what they should be, but {off}")


def _off_target(declared: Declared, step: Step) -> Iterator[str]:
    """Whether the law that is foretold is far from the target, of which a run then is no sample."""
    case = declared.numbers.case
    values = case.problem.values(declared.sampler)
    if "N" not in values.scalars:
        return
    target = np.linalg.inv(precision(Setting(declared.sampler, case.problem.model), values))
    ratios = np.diag(step.settled)[step.seen] / np.diag(target)
    k = int(np.abs(np.log(ratios)).argmax())
    if abs(np.log(ratios[k])) > np.log1p(_BIASED):
        yield (
            "What is foretold is not the target: at this step and batch the variance of coordinate"
            f" {k + 1} settles to {ratios[k]:.3g} times the posterior's. A run that fits has that error."
        )


def _moving(away: float, left: Left, burn_in: int) -> Reason:
    words = (
        f"It is still moving: its first draws are {away:.3g} standard deviations from where the chain"
        f" settles, and that leaves {left.share:.3g} standard errors in {left.where}. Leave out"
        f" {left.burn_in:,} draws{' more' if burn_in else ''}, or run it longer."
    )
    return Reason(MOVING, words)


def _notes(problem: Problem, trace: Trace, run: Run, step: Step, effective: Array) -> Sequence[str]:
    notes = []
    if "sampler" in trace.provenance and trace.steps[0] == 0:
        notes.append("The start itself, after 0 steps, is no draw and is left out.")
    if problem.model.nonlinear:
        notes.append(
            f"The model {problem.model.name} is not quadratic: this is the law of its quadratic at the"
            " mode, and what that leaves out is a difference too."
        )
    if not run.normal:
        notes.append(
            "The noise of real minibatches is not normal: its tests are Student's, of averages over"
            " stretches of the run, and their false-alarm probability is approximate."
        )
    if run.dtype == "float32":
        ulp = float(np.abs(run.positions).max()) * float(np.finfo(np.float32).eps)
        if ulp > 0.01 * np.sqrt(np.diag(step.Q)[step.seen]).min():
            notes.append("Draws in single precision are rounded so far that it shows beside the noise.")
    low = float(effective.min())
    if low < _FEW:
        notes.append(
            f"The run is worth {low:.2g} independent draws where it is slowest: its mean and variance"
            " say little there, its steps much."
        )
    return notes
