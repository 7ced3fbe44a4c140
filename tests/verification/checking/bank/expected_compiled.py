"""Of the samplers in JAX and PyTorch; see ``expected.py`` for what this is and when it was written."""

from tests.verification.checking.bank.entry import Entry

RIGHT = (
    Entry("jax_right.py:sgd", "sgd", "right"),
    Entry("jax_right.py:sgld", "sgld", "right"),
    Entry("jax_right.py:momentum", "momentum", "right"),
    Entry("jax_right.py:sghmc_velocity_first", "sghmc_velocity_first", "right"),
    Entry("jax_right.py:obabo", "underdamped:OBABO", "right"),
    Entry("jax_right.py:fisher_scoring", "sgfs", "right"),
    Entry("torch_right.py:sgd", "sgd", "right"),
    Entry("torch_right.py:sgld", "sgld", "right"),
    Entry("torch_right.py:momentum", "momentum", "right"),
    Entry("torch_right.py:sghmc", "sghmc", "right"),
    Entry("torch_right.py:baoab", "underdamped:BAOAB", "right"),
    Entry("torch_right.py:shrinking_steps", "sgld_decreasing", "right"),
    Entry("torch_right.py:sgd_with_buffer", "sgd_m", "right"),
    Entry("torch_right.py:langevin_optimizer", "sgld", "right"),
)

POWERS = (
    Entry(
        "jax_faulty.py:langevin_half",
        "sgld",
        "power of the step",
        (
            r"factor -?eps\*N, should be -eps\*N/2",
            r"(drift|gradient).*(twice|two times|factor 2|2 times)",
            r"half.*(missing|forgotten)",
            r"(effective )?temperature.*(1/2|0\.5|half)",
        ),
        "the drift lacks its half: temperature 1/2",
    ),
    Entry(
        "jax_faulty.py:full_step",
        "sgld",
        "convention",
        (
            r"(twice|double[sd]?|two times|2 times) (the|its) step",
            r"step.*(twice|doubled|2\*eps|2 eps)",
            r"eps.*(=|is|for|as|->).*2\*?\s?eps",
            r"2\*eps (for|instead of|in place)",
            r"blackjax|convention.*(step|eps)",
        ),
        "another convention: its step is two of ours",
    ),
    Entry(
        "jax_faulty.py:diffusion_for_deviation",
        "sghmc",
        "power of the step",
        (
            r"noise.*standard deviation.*(?<!sqrt\()\beta\b.*should be.*sqrt\(eta\)",
            r"noise.*(power|scales).*(step|eta)",
            r"(square root|root) of eta (is|was) (missing|forgotten)",
        ),
        "the noise is proportional to eta, not to its root",
    ),
    Entry(
        "jax_faulty.py:unit_length_noise",
        "sgld",
        "power of the dimension",
        (r"sqrt\(D\)|/D\b|1/D", r"noise.*dimension", r"dimension.*noise"),
        "the noise is divided by the root of the dimension",
    ),
    Entry(
        "torch_faulty.py:variance_for_deviation",
        "sghmc",
        "power of the step",
        (
            r"variance (for|as|instead of|taken for|used as).*(standard )?deviation",
            r"noise.*standard deviation .*(2\*eta|eta\*tau|\(alpha - beta\)).*should be.*sqrt",
            r"noise.*(power|squared)",
            r"(square root|root) (is|was) (missing|forgotten)",
        ),
        "the variance of the noise in the place of its standard deviation",
    ),
    Entry(
        "torch_faulty.py:noisy_gradient",
        "sgld",
        "preconditioner",
        (
            r"noise.*before.*(scal|step|multipl)",
            r"noise.*(multiplied|scaled) by (the step|eps)",
            r"noise.*standard deviation .*eps\*\*\(3/2\)|eps\^\(3/2\)",
            r"noise.*power.*(step|eps).*3/2",
        ),
        "noise added to the gradient, before it is multiplied by the step",
    ),
)

OPTIMIZERS = (
    Entry(
        "torch_faulty.py:buffer_of_means",
        "sgd_m",
        "power of N or S",
        (
            r"\bN\b.*(missing|forgotten|left out|lacking)|(without|lacks|misses) N\b",
            r"factor -1, should be -N\b",
            r"(mean|summed) loss|loss.*(mean|sum)",
        ),
        "the mean loss where the summed one is asked for",
    ),
    Entry(
        "torch_faulty.py:burn_in_optimizer",
        "sgld",
        "schedule",
        (
            r"burn|warm",
            r"noise.*(first|early|later|begin|after).*step|(first|early) steps.*noise",
            r"noise.*(missing|none|no).*(first|begin|at first)",
        ),
        "no noise in the first four steps",
    ),
)

TEMPERATURES = (
    Entry(
        "jax_faulty.py:inverse_temperature",
        "sghmc",
        "temperature",
        (
            r"(temperature|tau).*(invers|inverted|1/tau|reciprocal|power -1)",
            r"1/(sqrt\()?tau",
            r"noise.*sqrt\(1/tau\)|/sqrt\(tau\)|tau\*\*\(-1",
        ),
        "divided by the temperature",
    ),
    Entry(
        "jax_faulty.py:unit_refresh",
        "sghmc_refreshed",
        "temperature",
        (
            r"refresh.*unit (variance|standard)",
            r"zeta.*standard deviation 1, should be",
            r"refresh.*(variance|deviation) (is )?1\b",
        ),
        "the momentum is refreshed with unit variance",
    ),
    Entry(
        "torch_faulty.py:temperature_ignored",
        "sghmc",
        "temperature",
        (
            r"(temperature|tau).*(ignored|missing|forgotten|left out|does not enter|no effect|power 0)",
            r"(ignores|without|lacks|misses).*(the temperature|tau)",
            r"standard deviation (?!.*tau.*should)[^,]*, should be.*tau",
        ),
        "the noise ignores the temperature",
    ),
    Entry(
        "torch_faulty.py:temperature_for_its_root",
        "underdamped:BAOAB",
        "temperature",
        (
            r"(temperature|tau).*squared",
            r"tau\*\*2|tau\^2",
            r"standard deviation .*(?<!sqrt\()tau\b.*should be.*sqrt\(tau\)",
            r"(temperature|tau).*(power 2|power of 2)",
        ),
        "the temperature enters squared",
    ),
)

STREAMS = (
    Entry(
        "jax_faulty.py:twice_the_same_key",
        "underdamped:OBABO",
        "shared stream",
        (
            r"(noise|normal|draw|random|key).*(same|reused|shared|twice|equal|identical|not indep)",
            r"(same|one|shared|reused).*(noise|normal|draw|random|key|number)",
            r"xi1.*xi0|xi0.*xi1",
        ),
        "one key for both draws of a step",
    ),
    Entry(
        "jax_faulty.py:key_for_every_coordinate",
        "sgld",
        "shared stream",
        (
            r"(coordinate|component|dimension|entr).*(share|same|common|correlat|one number|identical)",
            r"(share|same|common|identical|one|single).*(coordinate|component|dimension|entr)",
            r"rank[- ]one|rank 1",
        ),
        "one key for all coordinates",
    ),
    Entry(
        "jax_faulty.py:fixed_key",
        "sgld",
        "shared stream",
        (
            r"draws nothing|no random number|every seed|same noise",
            r"(noise|draw|number).*(same|constant|every step)",
            r"(chains|stream).*(share|same|common|not independent)",
            r"(share|same|common).*(chains|stream)",
            r"(key|seed|generator).*(ignor|fixed|not used|unused)|ignores its (seed|key)",
        ),
        "a key of its own, the same in every step and chain",
    ),
    Entry(
        "torch_faulty.py:seeded_inside",
        "sgld",
        "shared stream",
        (
            r"draws nothing|no random number|every seed|same noise",
            r"(noise|draw|number).*(same|constant|every step)",
            r"(seed|generator).*(ignor|fixed|not used|unused|not come)|ignores its seed",
        ),
        "the global generator is seeded in every step",
    ),
    Entry(
        "torch_faulty.py:random_device",
        "sgld",
        "shared stream",
        (r"ignores its seed|not come from the generator|same seed gave other|not reproducible",),
        "it does not use the generator that it was given",
    ),
)

MOMENTA = (
    Entry(
        "jax_faulty.py:forgets_its_velocity",
        "momentum",
        "momentum",
        (
            r"(momentum|velocity).*(dropped|forgotten|lost|reset|zero|not kept|never)",
            r"follows sgd\b",
            r"\bv\b.*factor 0, should be",
            r"without momentum|no momentum",
        ),
        "the velocity is zero at the beginning of each step",
    ),
    Entry(
        "torch_faulty.py:heavy_ball_with_alias",
        "momentum",
        "momentum",
        (
            r"(momentum|velocity).*(dropped|forgotten|lost|reset|zero|not kept|never)",
            r"follows sgd\b",
            r"\bv\b.*factor 0, should be",
            r"without momentum|no momentum",
        ),
        "the previous position is the position itself, so that there is no momentum",
    ),
    Entry(
        "torch_faulty.py:dampening",
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
        "torch_faulty.py:never_zeroed",
        "sgd",
        "momentum",
        (
            r"accumulat",
            r"zero_grad|not zeroed|never zeroed",
            r"sum of (all )?(the )?(earlier|past|previous|all)",
            r"(earlier|past|previous|all).*gradients.*(add|sum|kept)",
            r"momentum.*(mu = 0|without friction|never decays)",
            r"undamped|no friction",
        ),
        "gradients accumulate",
    ),
)

ORDERS = (
    Entry(
        "jax_faulty.py:noise_before_gradient",
        "sgld",
        "order of updates",
        (
            r"noise.*before.*gradient",
            r"gradient.*(after|behind|with|at|of).*nois",
            r"another order",
            r"noise.*first",
        ),
        "the gradient is taken where the noise has already been added",
    ),
    Entry(
        "torch_faulty.py:without_last_kick",
        "underdamped:BAOAB",
        "order of updates",
        (
            r"BAOA\b",
            r"(last|second|final|one).*(kick|B\b|half|update).*(missing|left out|dropped|omitted)",
            r"(missing|left out|dropped|omitted|lacks|without).*(last|second|final|one|an?).*(kick|B\b)",
        ),
        "the last half kick is left out",
    ),
    Entry(
        "jax_faulty.py:late_schedule",
        "sgld_decreasing",
        "off by one",
        (
            r"off by one",
            r"t \+ 1",
            r"clock|one step (late|early|ahead)|(late|early|ahead) by one",
            r"schedule.*(off|shift|late|ahead|one)|b \+ 1",
        ),
        "the schedule is one step ahead",
    ),
    Entry(
        "jax_faulty.py:gain_on_noise_only",
        "sgld",
        "preconditioner",
        (
            r"(gain|preconditioner|\bH\b).*(missing|lacking|left out|forgotten|only|not applied).*",
            r"(without|lacks|misses).*(gain|precondition|\bH\b)",
            r"factor.*should be.*\bH\b",
            r"noise only|only the noise",
        ),
        "the gain on the noise only",
    ),
    Entry(
        "jax_faulty.py:linear_variance",
        "underdamped:BAOAB",
        "Ornstein-Uhlenbeck step",
        (
            r"1 - c\b(?!\*)",
            r"\bc\b.*(not squared|for c\^2|instead of c)",
            r"sqrt\(1 - c\)",
            r"standard deviation.*\bc\b.*should be.*c\*\*2",
        ),
        "the variance of the noise has 1 - c for 1 - c^2",
    ),
    Entry(
        "jax_faulty.py:half_the_friction",
        "underdamped:BAOAB",
        "Ornstein-Uhlenbeck step",
        (
            r"half (of )?the friction|friction.*(half|halved|gamma/2)",
            r"gamma/2|gamma\*eps/2|eps\*gamma/2",
            r"\bc\b.*(exp\(-.*?/2\)|sqrt\(c\)|wrong|root)",
            r"sqrt\(c\)",
        ),
        "the friction is halved",
    ),
)

NOISES = (
    Entry(
        "torch_faulty.py:rand_like",
        "sgld",
        "noise not normal",
        (
            r"noise.*(has a|non-?zero|not zero|wrong) mean|mean.*(of the noise|noise)",
            r"biased noise|noise.*not cent",
            r"uniform",
            r"noise.*mean",
        ),
        "uniform noise between 0 and 1",
    ),
    Entry(
        "jax_faulty.py:flat_noise",
        "sgld",
        "noise not normal",
        (
            r"uniform",
            r"(variance|temperature).*(1/3|0\.33|a third|third)",
            r"1/sqrt\(3\)|sqrt\(3\)/3|0\.577",
            r"not (normal|gaussian)|non-?(normal|gaussian)",
        ),
        "uniform noise of variance 1/3",
    ),
    Entry(
        "jax_faulty.py:wide_flat_noise",
        "sgld",
        "noise not normal",
        (r"uniform", r"not (normal|gaussian)|non-?(normal|gaussian)", r"light(er)?.*tail", r"kurtosis"),
        "uniform noise of the right variance",
    ),
    Entry(
        "torch_faulty.py:student",
        "sgld",
        "noise not normal",
        (r"student", r"not (normal|gaussian)|non-?(normal|gaussian)", r"heav(y|ier).*tail", r"kurtosis"),
        "Student noise of the right variance",
    ),
)

GRADIENTS = (
    Entry(
        "torch_faulty.py:weight_decay",
        "sgd",
        "gradient changed",
        (
            r"weight decay|prior|ridge|regulari[sz]|shrink",
            r"(pull|drawn?|drift).*(to|towards) (zero|0|the origin)",
            r"theta.*factor (?!.*should be 1$).*should be 1\b",
            r"theta (enters|itself)",
        ),
        "a weight decay that nobody asked for",
    ),
    Entry(
        "torch_faulty.py:clipped_values",
        "sgld",
        "gradient changed",
        (r"clip", r"saturat", r"gradient.*(bounded|limited|cut)", r"not (linear|affine)|nonlinear"),
        "the gradient's entries are clipped at 1",
    ),
    Entry(
        "torch_faulty.py:brain_float",
        "sgld",
        "precision",
        (
            r"float16|bfloat|half[- ]precision|16[- ]bit",
            r"precision|rounded|rounding|granul|lattice|grid",
        ),
        "the position is kept in bfloat16",
    ),
)

BROKEN = (
    Entry(
        "jax_faulty.py:root_of_a_negative",
        "sghmc",
        "broken",
        (r"not finite|not a number|nan\b",),
        "the root of a negative number",
    ),
    Entry("jax_faulty.py:column_vector", "sgld", "broken", (r"shape",), "the state gets an axis more"),
    Entry(
        "torch_faulty.py:squeezed",
        "sgd",
        "broken",
        (r"shape",),
        "in one dimension the state loses an axis",
    ),
    Entry(
        "torch_faulty.py:detached_from_inputs",
        "sgd",
        "broken",
        (r"crash.*(size|shape|expand)",),
        "it raises an error",
    ),
)

ENTRIES = (
    *RIGHT,
    *POWERS,
    *OPTIMIZERS,
    *TEMPERATURES,
    *STREAMS,
    *MOMENTA,
    *ORDERS,
    *NOISES,
    *GRADIENTS,
    *BROKEN,
)
