"""sgtheory itself: kernels generated from the sampler's declaration."""

from __future__ import annotations

from benchmarks.contenders import Answer, Contender, NotApplicable, Run
from benchmarks.workloads import Workload, problem


def make(work: Workload, dtype: str) -> Run:
    """The public ``simulate``. Its own seconds leave out preparation, as those of others do."""
    from sgtheory import registry
    from sgtheory.errors import UnusableInput
    from sgtheory.setting import Setting
    from simulators import simulate

    # real minibatches of a model that is not affine: where they cannot be run yet, that is no crash
    refusals = (UnusableInput, NotImplementedError) if work.rows else ()
    try:
        posed = problem(work)
        sampler = registry.sampler(work.sampler)
        setting, values = Setting(sampler, posed.model), posed.values(sampler)
    except refusals as error:
        raise NotApplicable(f"not available: {error}") from error

    def run(chains: int, steps: int, seed: int) -> Answer:
        try:
            found = simulate(
                setting, values, chains=chains, steps=steps, seed=seed, device="cpu", dtype=dtype
            )
        except refusals as error:
            raise NotApplicable(f"not available: {error}") from error
        mean, covariance = found.mean["theta"], found.covariance["theta,theta"]
        return Answer(mean, covariance, found.seconds, found.cpu_seconds, found.compile_seconds)

    return run


CONTENDER = Contender("ours", "sgtheory", ("numpy", "sympy", "llvmlite"), make)
