"""What is wrong with each sampler of the bank, and how an expert would call it.

Written before the checker was run on any of them, and not changed to fit what it says.
"""

from tests.verification.checking.bank.entry import Entry

SAME_DRAWS = (r"hidden state", r"global (counter|state)", r"state of its own")

RIGHT = (
    Entry("numpy_right.py:plain_sgd", "sgd", "right"),
    Entry("numpy_right.py:heavy_ball", "momentum", "right"),
    Entry("numpy_right.py:momentum_with_buffer", "momentum", "right"),
    Entry("numpy_right.py:nesterov_of_sutskever", "nesterov", "right"),
    Entry("numpy_right.py:langevin", "sgld", "right"),
    Entry("numpy_right.py:unadjusted_langevin", "lmc", "right"),
    Entry("numpy_right.py:fisher_scoring", "sgfs", "right"),
    Entry("numpy_right.py:hamiltonian_in_physical_units", "sghmc", "right"),
    Entry("numpy_right.py:hamiltonian_refreshed", "sghmc_refreshed", "right"),
    Entry("numpy_right.py:baoab_by_letters", "underdamped:BAOAB", "right"),
    Entry("numpy_right.py:obabo", "underdamped:OBABO", "right"),
    Entry("numpy_right.py:annealed_langevin", "sgld_decreasing", "right"),
    Entry("numpy_right.py:polyak_averaging", "averaged_sgd", "right"),
    Entry("numpy_right.py:nose_hoover", "sgnht", "right"),
    Entry("numpy_right.py:variance_reduced", "svrg_ld", "right"),
)

POWERS = (
    Entry(
        "numpy_faulty.py:langevin_scale",
        "lmc",
        "power of the step",
        (
            r"noise.*(standard deviation|factor) 2\*gamma\b.*(should be|instead of).*sqrt",
            r"noise.*(power|scales).*(step|gamma|eps)",
            r"noise.*(square root|root) (is|was) (missing|forgotten)",
        ),
        "the noise has standard deviation 2 gamma, its variance",
    ),
    Entry(
        "numpy_faulty.py:batch_langevin",
        "sgld",
        "power of N or S",
        (
            r"factor -?eps\*N/\(2\*S\)",
            r"(drift|gradient).*(1/S|/S\b|divided by (S|the batch))",
            r"batch size.*drift",
            r"N/S (for|instead of) N",
        ),
        "the drift has N/S for N: a mean taken for a sum over the minibatch",
    ),
    Entry(
        "numpy_faulty.py:langevin_of_sums",
        "sgld",
        "power of N or S",
        (
            r"factor -?eps\*N\*\*2/2",
            r"(drift|gradient).*(N\*\*2|N\^2|N squared|N twice)",
            r"N (enters|is|counted|multiplied).*(squared|twice)",
        ),
        "N is multiplied in twice",
    ),
    Entry(
        "numpy_faulty.py:sgd_of_sums",
        "sgd",
        "power of N or S",
        (
            r"factor -?N\*eps",
            r"factor -?eps\*N\b",
            r"(drift|gradient).*(times N|extra N|N too many|sum)",
            r"(summed loss|sum instead of|N too often)",
            r"N (enters|multiplies).*(drift|gradient)",
        ),
        "the summed loss where the mean one is asked for",
    ),
    Entry(
        "numpy_faulty.py:ascent",
        "sgld",
        "sign",
        (r"sign", r"factor eps\*N/2, should be -eps\*N/2", r"uphill|ascent|ascends|climb"),
        "a step up the potential",
    ),
)

GAINS = (
    Entry(
        "numpy_faulty.py:noise_then_scale",
        "sgld",
        "preconditioner",
        (
            r"noise.*before.*(scal|precondition|gain|H\b)",
            r"noise.*\bH\b.*(should be|instead of).*(H\^\(1/2\)|root|sqrt)",
            r"noise.*scaled by (the gain|the preconditioner|H)\b.*(root|twice)",
        ),
        "noise added before scaling by the gain: H xi for H^(1/2) xi",
    ),
    Entry(
        "numpy_faulty.py:turned_factor",
        "sgld",
        "preconditioner",
        (r"transpos",),
        "L^T xi for L xi: the covariance is L^T L",
    ),
    Entry(
        "numpy_faulty.py:scoring_without_gain",
        "sgfs",
        "preconditioner",
        (
            r"noise.*(without|lacks|misses|missing|no).*(H\b|gain|precondition)",
            r"(H\b|gain|preconditioner).*(missing|lack|left out|forgotten|only).*(noise|drift|one side)",
            r"noise.*(should be|instead of).*\bH E\b",
            r"only (the gradient|one side|the drift)",
        ),
        "the noise is E xi for H E xi: the gain on the gradient only",
    ),
)

MOMENTA = (
    Entry(
        "numpy_faulty.py:dampened",
        "momentum",
        "momentum",
        (
            r"dampen",
            r"factor -?(mu\*eps|eps\*mu)",
            r"(gradient|drift).*(times|multiplied by|extra) mu",
            r"running (mean|average)|exponential (moving )?average",
        ),
        "dampening: the gradient enters with mu",
    ),
    Entry(
        "numpy_faulty.py:position_first",
        "momentum",
        "order of updates",
        (r"position[- _]first", r"old velocity"),
        "the position moves with the old velocity",
    ),
    Entry(
        "numpy_faulty.py:friction_for_memory",
        "momentum",
        "momentum",
        (
            r"\bv\b.*factor mu, should be (1 - mu|-mu \+ 1|-\(mu - 1\))",
            r"mu (for|instead of) 1 - mu",
            r"1 - mu.*(replaced|is mu|complement)",
            r"mu.*(friction|memory).*(swapped|confused|meaning)",
        ),
        "mu taken for what is kept of the velocity, not lost",
    ),
    Entry(
        "numpy_faulty.py:late_gradient",
        "sgd",
        "stale gradient",
        (
            r"stale",
            r"(delay|previous|old|earlier|last|late).*(gradient|position|step)",
            r"gradient.*(delay|previous|old|earlier|last step|late)",
        ),
        "the gradient is that of the step before",
    ),
    Entry(
        "numpy_faulty.py:one_minibatch",
        "sgld",
        "stale gradient",
        (
            r"minibatch.*(kept|once|same|never|reuse|frozen|fixed)",
            r"(same|one|fixed|frozen|constant|reused).*(minibatch|gradient noise|noise of the gradient)",
            r"gradient.*noise.*(same|kept|constant|once|frozen|correlat)",
        ),
        "the minibatch is drawn once and kept",
    ),
)

HAMILTONIAN = (
    Entry(
        "numpy_faulty.py:noise_estimate_forgotten",
        "sghmc",
        "estimate of the gradient's noise",
        (
            r"beta.*(missing|forgotten|left out|ignored|0|zero|not subtracted)",
            r"standard deviation.*alpha(?!.*beta.*should).*should be.*(alpha - |-beta|- 2\*beta)",
        ),
        "beta is not subtracted from alpha in the noise",
    ),
    Entry(
        "numpy_faulty.py:refresh_cold",
        "sghmc_refreshed",
        "temperature",
        (
            r"refresh.*(temperature|tau)",
            r"(temperature|tau).*refresh",
            r"zeta.*standard deviation sqrt\(eta\), should be.*tau",
        ),
        "the refreshed momentum ignores the temperature",
    ),
    Entry(
        "numpy_faulty.py:refresh_rarely",
        "sghmc_refreshed",
        "off by one",
        (r"L \+ 1", r"off by one", r"refresh.*(late|rare|one step|too seldom|period)"),
        "the momentum is refreshed every L + 1 steps",
    ),
    Entry(
        "numpy_faulty.py:euler_friction",
        "underdamped:BAOAB",
        "Ornstein-Uhlenbeck step",
        (r"euler", r"\bc\b.*(1 - gamma|1 - eps\*gamma|first[- ]order|lineari)", r"1 - (eps\*)?gamma"),
        "the friction's exact flow replaced by its first order",
    ),
    Entry(
        "numpy_faulty.py:cached_force",
        "underdamped:BAOAB",
        "stale gradient",
        (
            r"(same|reused|shared|one|kept|cached).*(minibatch|gradient|force)",
            r"(minibatch|gradient|force).*(same|reused|reuse|shared|kept|cached|once)",
            r"one (gradient|minibatch)",
        ),
        "one minibatch for the last B of a step and the first of the next",
    ),
    Entry(
        "numpy_faulty.py:thermostat_of_the_sum",
        "sgnht",
        "thermostat",
        (
            r"/D\b",
            r"(divided|division|divide) by (the dimension|D)",
            r"\bD\b.*(missing|forgotten)",
            r"dimension.*(missing|forgotten|thermostat)",
            r"1/D",
        ),
        "the thermostat lacks a division by the dimension",
    ),
)

REDUCED = (
    Entry(
        "numpy_faulty.py:two_minibatches",
        "svrg_ld",
        "stale gradient",
        (
            r"minibatch.*(another|different|own|two|not the same|fresh)",
            r"(two|different|another|separate|independent|own).*minibatch",
        ),
        "not the same minibatch at the position and at the snapshot",
    ),
    Entry(
        "numpy_faulty.py:snapshot_never_renewed",
        "svrg_ld",
        "schedule",
        (
            r"snapshot.*(never|once|not renewed|stale|kept|old|first|only)",
            r"(never|once|stale|old).*snapshot",
            r"epoch.*(never|longer|ends)|\bs\b.*(never|not) (renewed|updated|refreshed)",
        ),
        "the snapshot is never renewed",
    ),
)

CLOCKS = (
    Entry(
        "numpy_faulty.py:schedule_in_drift_only",
        "sgld_decreasing",
        "schedule",
        (
            r"noise.*(constant|not (decrease|shrink|decay)|schedule|not scaled|should be.*\(b \+ t\))",
            r"schedule.*(drift only|not.*noise|noise)",
            r"standard deviation sqrt\(eps\), should be",
        ),
        "the noise does not shrink with the step",
    ),
    Entry(
        "numpy_faulty.py:warming_up",
        "sgld",
        "hidden state",
        (*SAME_DRAWS, r"counter", r"depends on.*(earlier|previous) (calls|runs)"),
        "the step depends on how often the module was called",
    ),
)

NOISES = (
    Entry(
        "numpy_faulty.py:laplace_noise",
        "lmc",
        "noise not normal",
        (r"laplace", r"not (normal|gaussian)|non-?(normal|gaussian)", r"heav(y|ier).*tail", r"kurtosis"),
        "Laplace noise of the right variance",
    ),
    Entry(
        "numpy_faulty.py:rare_jumps",
        "lmc",
        "noise not normal",
        (
            r"burst|jump|outlier|rare",
            r"not (normal|gaussian)|non-?(normal|gaussian)",
            r"heav(y|ier).*tail",
            r"kurtosis",
        ),
        "one step in a thousand has nine times the noise",
    ),
    Entry(
        "numpy_faulty.py:one_draw_for_all_chains",
        "lmc",
        "shared stream",
        (
            r"(chains|stream).*(share|same|common|not independent|dependent|correlat)",
            r"(share|same|common|identical).*(chains|stream)",
        ),
        "all chains get the same noise",
    ),
    Entry(
        "numpy_faulty.py:one_draw_for_all_coordinates",
        "lmc",
        "shared stream",
        (
            r"(coordinate|component|dimension|entr).*(share|same|common|correlat|one number|identical)",
            r"(share|same|common|identical|one|single).*(coordinate|component|dimension|entr)",
            r"rank[- ]one|rank 1",
        ),
        "all coordinates get the same noise",
    ),
    Entry(
        "numpy_faulty.py:clipped",
        "sgd",
        "gradient changed",
        (
            r"clip",
            r"saturat",
            r"gradient.*(bounded|limited|cut|too long)",
            r"not (linear|affine)|nonlinear",
        ),
        "the gradient's norm is clipped at 1",
    ),
    Entry(
        "numpy_faulty.py:half_precision",
        "lmc",
        "precision",
        (r"float16|half[- ]precision|16[- ]bit", r"precision|rounded|rounding|granul|lattice|grid"),
        "the position is kept in float16",
    ),
)

BROKEN = (
    Entry(
        "numpy_faulty.py:frozen",
        "sgld",
        "broken",
        (r"never moves|stay where|nothing moves|does not move",),
        "every proposal is rejected",
    ),
    Entry(
        "numpy_faulty.py:in_place",
        "lmc",
        "broken",
        (r"mutates|changes the state|wrote into|in place",),
        "the step writes into the state that it was given",
    ),
    Entry(
        "numpy_faulty.py:waits_for_convergence",
        "sgd",
        "broken",
        (r"hangs|did not come back|no answer",),
        "a loop that never ends",
        limit=10,
    ),
    Entry("numpy_faulty.py:singular", "sgld", "broken", (r"crash.*singular",), "it raises an error"),
)

ENTRIES = (*RIGHT, *POWERS, *GAINS, *MOMENTA, *HAMILTONIAN, *REDUCED, *CLOCKS, *NOISES, *BROKEN)
