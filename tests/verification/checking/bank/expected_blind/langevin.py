"""Faults of Langevin samplers."""

from tests.verification.checking.bank.entry import Entry
from tests.verification.checking.bank.expected_blind.words import (
    CHAINS,
    JAX,
    NOT_NORMAL,
    NUMPY,
    REPEATED,
    TORCH,
)

LANGEVIN = (
    Entry(
        NUMPY + "tempered",
        "sgld",
        "temperature",
        (
            r"eps ?/ ?N\b|sqrt\(eps\) ?/ ?sqrt\(N\)",
            r"noise.{0,120}(sqrt\(N\)|/ ?N\b|N\^\(?-1|divided by.{0,20}N\b|factor.{0,20}N\b)",
            r"temperature.{0,40}1/N\b",
        ),
        "The noise has standard deviation sqrt(eps/N): the temperature is 1/N.",
    ),
    Entry(
        NUMPY + "two_books",
        "sgld",
        "temperature",
        (
            r"sqrt\(2\)|2 ?\*? ?eps",
            r"factor (of )?(2|two|sqrt|1\.41)|\b(1\.41\d*|two|2) times",
            r"(variance|temperature).{0,60}\b(2|two|twice|doubled?)\b",
            r"\b(twice|doubled?)\b.{0,40}(variance|temperature|noise)",
        ),
        "Welling's half step of drift with the noise of Langevin Monte Carlo: temperature 2.",
    ),
    Entry(
        NUMPY + "factored",
        "sgld",
        "matrix",
        (
            r"transpos",
            r"[LR]\^T ?[LR]\b|[LR]' ?[LR]\b",
            r"(upper|lower).{0,40}(triang|factor|cholesky)",
            r"(factor|cholesky|root).{0,60}(wrong|other) (side|way)",
        ),
        "The factor of Cholesky is not transposed: the noise has covariance L^T L instead of L L^T.",
    ),
    Entry(
        NUMPY + "column_of_noise",
        "sgld",
        "shared noise",
        (
            r"(same|shar|common|one|single|identical)\w*.{0,60}(coordinate"
            r"|dimension|component|entr(y|ies))",
            r"(coordinate|dimension|component)s?\b.{0,60}(same|shar"
            r"|common|identical|correlat|not independent)",
            r"broadcast|rank.?(1|one)\b",
        ),
        "One normal number per chain serves all coordinates.",
    ),
    Entry(
        NUMPY + "thrifty",
        "sgld",
        "schedule",
        (
            r"every (other|second|2nd|two|2)\b|(alternate|half of the|even|odd|second) steps?",
            r"alternat|\bperiod|only (some|half|part)",
            r"without (any )?noise.{0,40}steps?",
            r"steps?.{0,60}without (any )?noise",
            r"noise.{0,40}(skipped|left out)",
        ),
        "Noise is added in every second step only.",
    ),
    Entry(
        NUMPY + "drawn_at_first",
        "sgld",
        "repeated noise",
        REPEATED,
        "The normals are drawn once, at the start, and used in every step.",
    ),
    Entry(
        NUMPY + "boxy",
        "sgld",
        "law of the noise",
        (r"uniform|\bbounded\b", *NOT_NORMAL),
        "The noise is uniform, with the right mean and variance.",
    ),
    Entry(
        NUMPY + "well_behaved",
        "sgld",
        "law of the noise",
        (
            r"(noise|normals?|xi|draws?)\b.{0,60}(truncat|clip|cut off|bounded|limited)",
            r"(truncat|clip|bounded|limited)\w*.{0,40}(noise|normal|xi|draw|gaussian)",
            *NOT_NORMAL,
        ),
        "The normals are clipped at 1.5 either way.",
    ),
    Entry(
        NUMPY + "tamed",
        "sgld",
        "gradient",
        (
            r"(gradient|drift|force|steps?)\b.{0,60}(clip|truncat"
            r"|bounded|satur|capped|limited|tamed|cut off)",
            r"(clip|truncat|satur|bounded|capped|limited|tamed)\w*.{0,40}(gradient|drift|force)",
            r"(gradient|drift|force|update|mean).{0,60}(not|non).{0,8}(linear|affine)",
            r"(not|non).{0,8}(linear|affine)",
            r"normali[sz]ed gradient|gradient.{0,40}normali[sz]",
        ),
        "The gradient of the sum is clipped at 5 in each coordinate.",
    ),
    Entry(
        NUMPY + "economical",
        "lmc",
        "gradient",
        (
            r"mini.?batch",
            r"stochastic gradient",
            r"sub.?sampl",
            r"gradient noise",
            r"noise of the gradient",
            r"noisy gradient",
            r"(not|instead of|rather than|in place of).{0,40}(full|whole|exact) gradient",
            r"all the data",
            r"(full|whole|exact) gradient.{0,40}(expected|missing|should)",
        ),
        "A minibatch's gradient where the algorithm has that of all data.",
    ),
    Entry(
        NUMPY + "control_variate",
        "svrg_ld",
        "gradient",
        (
            r"(different|independent|another|separate|fresh|own|second|two|other).{0,20}mini.?batch",
            r"(not|without|never|lack).{0,40}same mini.?batch",
            r"same mini.?batch.{0,40}(not|should|missing)",
            r"mini.?batch.{0,60}(different|independent|another"
            r"|separate|fresh|own|not the same|anew|other)",
            r"mini.?batch.{0,60}not that|control variate|variance reduction"
            r"|not cancel|noise.{0,40}(cancel|not reduced)",
        ),
        "The snapshot has a minibatch of its own: its noise does not cancel that at the position.",
    ),
    Entry(
        NUMPY + "scored",
        "sgfs",
        "precondition",
        (
            r"(\bH\b|gain|precondition\w*).{0,60}(missing|lacks"
            r"|forgotten|left out|not applied|absent|omitted)",
            r"(without|lacks?|misses|missing|not multiplied by"
            r"|not times|no)\b.{0,20}(\bH\b|gain|precondition)",
            r"(before|prior to|not|un).{0,20}precondition|covariance.{0,40}\bE E\^T",
            r"\bE xi.{0,60}should be.{0,40}H E|identity (instead|in place|for|where)",
        ),
        "The noise is E xi instead of H E xi: it is not preconditioned.",
    ),
    Entry(
        JAX + "reproducible",
        "sgld",
        "repeated noise",
        (*REPEATED, *CHAINS, r"\bkey\b"),
        "The key is ignored: the same normals in every step of every chain.",
    ),
    Entry(
        JAX + "elementwise",
        "sgld",
        "matrix",
        (
            r"diagonal",
            r"off.?diagonal",
            r"element.?wise",
            r"coordinate.?wise",
            r"diag\(H\)",
            r"not.{0,20}(full|whole) (matrix|gain)",
        ),
        "Only the diagonal of the gain is used, in drift and noise.",
    ),
    Entry(
        JAX + "curved",
        "sgrld",
        "correction",
        (
            r"Gamma|derivative.{0,30}(metric|(?-i:\bG\b))|(metric|(?-i:\bG\b)).{0,30}derivative|G'",
            r"divergence of|correction|\bIt(o|ô)\b",
        ),
        "Gamma, the derivative of the metric, is left out of the drift.",
    ),
    Entry(
        TORCH + "noisy_gradients",
        "sgld",
        "temperature",
        (
            r"sqrt\(eps\) ?/ ?2\b|sqrt\(eps ?/ ?4\)|1/2 ?\*? ?sqrt\(eps\)|eps ?/ ?4\b",
            r"noise.{0,120}\b(half|halved|0\.50*)\b",
            r"\b(half|halved)\b.{0,40}(noise|standard deviation)",
            r"temperature.{0,40}(1/4|0\.25|quarter)",
            r"variance.{0,60}(quarter|1/4|0\.25|four|4 times)",
            r"factor.{0,12}(2|two|4|four)\b",
        ),
        "The factor 1/2 of the drift is on the noise too: the temperature is 1/4.",
    ),
    Entry(
        TORCH + "one_draw",
        "sgld",
        "shared noise",
        CHAINS,
        "One vector of normals per step serves all chains.",
    ),
    Entry(
        TORCH + "seeded",
        "sgld",
        "repeated noise",
        REPEATED,
        "The generator is seeded anew in every step: its noise is always the same.",
    ),
    Entry(
        TORCH + "scheduled",
        "sgld",
        "schedule",
        (
            r"\b(steps?|eps|rate|size|drift)\b.{0,40}(decreas|decay"
            r"|shr[iu]nk|anneal|dimin|smaller|falls)",
            r"(decreas|decay|shrink|anneal|dimin)\w*.{0,20}\b(steps?|eps|rate)\b",
            r"(not|should be) constant|schedul|sgld_decreasing|time.?(dependent|varying|inhomogen)",
            r"power of (t|time|the (number|step))",
        ),
        "The step shrinks as (1+t)^(-0.55) where it should be constant.",
    ),
    Entry(
        TORCH + "steady_noise",
        "sgld_decreasing",
        "schedule",
        (
            r"noise.{0,120}(constant|steady|stays|keeps|fixed"
            r"|initial|not (shrink|decay|decreas|anneal))",
            r"noise.{0,60}does not (shrink|decay|decreas|fall|anneal|follow)",
            r"(constant|fixed|steady|initial).{0,40}noise",
            r"noise.{0,100}(should be|lacks|without|misses).{0,60}(b ?\+ ?t"
            r"|t ?\+ ?b|eps_t|schedule|decay)",
        ),
        "The drift's step shrinks, the noise keeps standard deviation sqrt(eps).",
    ),
)
