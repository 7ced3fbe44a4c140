"""The part of the bank by a hand that has not read the checker.

Its author had the declarations of the algorithms and the form of a step, and nothing of how the checker
looks for faults or of what it says. The names were written before any of these samplers was checked.
"""

from tests.verification.checking.bank.entry import Entry

# the noise of a step comes again in the next one
REPEATED = (
    r"(noise|normals?|draws?|xi)\b.{0,60}\b(once|repeat\w*|reus\w*|frozen|constant|persist\w*)\b",
    r"(same|constant|fixed|identical).{0,30}(noise|draws?|normals?|xi)\b.{0,60}\b(steps?|times?)\b",
    r"(noise|normals?|xi)\b.{0,60}\b(same|fixed|identical).{0,30}\b(steps?|times?|always)\b",
    r"(noise|normals?|xi)\b.{0,60}(not (fresh|new|redrawn|renewed"
    r"|drawn anew)|autocorrelat|in time|over time)",
    r"(successive|consecutive|different|neighbou?ring) steps.{0,60}(correlat|same|depend)",
    r"(noise|normals)\w* (of|in) (successive|consecutive|different|neighbou?ring) steps",
    r"\bseed",
)
# what should be a chain's own is common to all
CHAINS = (
    r"\bchains\b.{0,80}(same|shar|common|depend|correlat|average|mean of|interact|coupl|identical)",
    r"(same|shar|common|depend|correlat|average|mean|interact"
    r"|coupl|identical)\w*.{0,60}\b(chains|batch)",
    r"across (the |all )?(batch|chains)",
    r"\b(one|single)\b.{0,60}\b(all|every|each)\b.{0,10}chains?\b",
)
NESTEROV = (
    r"nesterov|look.?ahead|extrapolat|anticipat|accelerat",
    r"gradient.{0,80}(ahead|theta ?\+|leads|where the .{0,20}velocity|moved|shifted|at another point)",
)
NOT_NORMAL = (
    r"\b(not|non).{0,12}(normal|gaussian)",
    r"kurtosis|fourth (moment|cumulant)|\btails?\b|(shape|law|distribution) of (the|its) noise",
)

NUMPY = "numpy_blind_faulty.py:"
JAX = "jax_blind_faulty.py:"
TORCH = "torch_blind_faulty.py:"

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

DESCENT = (
    Entry(
        NUMPY + "pulled_in",
        "sgd",
        "gradient",
        (
            r"weight decay",
            r"ridge",
            r"\bL2\b",
            r"regulari[sz]",
            r"0\.98",
            r"0\.02",
            r"\bprior\b",
            r"towards? (0|zero|the origin)",
            r"(position|theta|iterate|parameter|weight)s?\b.{0,30}(shr[iu]nk"
            r"|damped|contract|decay|pulled)",
            r"(extra|additional|another).{0,20}(drift|term|force|pull).{0,60}(theta|position|linear)",
            r"(multipl|factor|coefficient).{0,40}theta.{0,60}should be 1\b",
        ),
        "The position is multiplied by 0.98 in every step: decoupled weight decay.",
    ),
    Entry(
        NUMPY + "asynchronous",
        "sgd",
        "gradient",
        (
            r"\bstale|delay|\blag(s|ged|ging)?\b|asynchron|out of date",
            r"gradient.{0,60}(\bold|previous|\blast\b|earlier|step before|behind|past)",
            r"(\bold|previous|\blast\b|earlier|past).{0,30}(gradient|position|iterate|point|theta)",
        ),
        "The gradient is that at the position of one step before.",
    ),
    Entry(
        NUMPY + "geared",
        "momentum",
        "precondition",
        (
            r"(\bH\b|gain|precondition\w*).{0,40}(twice|squared|two times|again|both|second time)",
            r"H\^2",
            r"\bH H\b",
            r"\bH v\b",
            r"(twice|two|both).{0,40}(\bH\b|gain|precondition)",
            r"(position|theta).{0,60}(times H|multiplied by H|by the gain|precondition)",
        ),
        "H is applied twice: to the gradient in the velocity, and to the velocity in the position.",
    ),
    Entry(
        NUMPY + "window_of_iterates",
        "iasg",
        "average",
        (
            r"exponential|moving (average|mean)|geometric|forget|(?-i:1/T\b)",
            r"window.{0,60}(never|not|no |without|longer|reset|empt|restart|whole past)",
            r"(never|not|no|without).{0,40}(reset|restart|emptied|window)",
            r"weights?.{0,60}(equal|uneven|constant|wrong|1/T)",
        ),
        "An exponential average with weight 1/T in place of the mean of a window.",
    ),
    Entry(
        NUMPY + "from_the_beginning",
        "averaged_sgd",
        "average",
        (
            r"(start|initial|beginning|first (position|iterate|point"
            r"|value)).{0,60}(average|mean|counted|includ)",
            r"(average|mean|counts?|counted|includ\w*).{0,60}(start"
            r"|initial|beginning|first (position|iterate|point))",
            r"one (too many|more)|off by one|one (step )?(too )?(late|early|ahead|behind)",
            r"(count\w*|clock|\bt\b).{0,40}(begins|starts|from|at) (at )?1\b",
            r"t ?\+ ?2",
            r"\(t ?\+ ?1\)/\(t ?\+ ?2\)",
        ),
        "The position at which the chain starts is averaged too.",
    ),
    Entry(
        JAX + "accelerated",
        "momentum",
        "gradient",
        NESTEROV,
        "Nesterov's momentum: the gradient is taken at theta + (1 - mu) v.",
    ),
    Entry(
        TORCH + "accelerated",
        "sgd_m",
        "gradient",
        (*NESTEROV, r"(gradient|drift).{0,60}(position|theta) (directly|too|as well)"),
        "PyTorch's nesterov=True is left on.",
    ),
    Entry(
        TORCH + "dampened",
        "sgd_m",
        "gradient",
        (
            r"dampen|exponential|moving (average|mean)",
            r"(gradient|drift|step|\beta\b|learning rate|\blr\b).{0,60}(times"
            r"|multiplied|scaled|factor|by).{0,30}alpha",
            r"alpha ?\*? ?(N|eta|g)\b|(eta|N) ?\*? ?alpha",
        ),
        "PyTorch's dampening is 1 - alpha: each gradient enters the buffer multiplied by alpha.",
    ),
    Entry(
        TORCH + "inert",
        "sgd_m",
        "friction",
        (
            r"alpha.{0,20}(instead of|in place of|for|should be).{0,20}1 ?- ?alpha",
            r"1 ?- ?alpha.{0,20}(instead of|in place of|for|should be).{0,20}alpha",
            r"should be 1 ?- ?alpha",
            r"complement|swap|exchang|(damping|friction|momentum).{0,60}(alpha|wrong)",
        ),
        "alpha is handed on as the momentum, which is 1 - alpha.",
    ),
)

HAMILTON = (
    Entry(
        NUMPY + "at_a_temperature",
        "sghmc",
        "temperature",
        (
            r"(temperature|\btau\b).{0,60}(invert|inverse|reciprocal|divid|upside|denominator|power)",
            r"1 ?/ ?tau|/ ?\(?tau\b|/ ?sqrt\(tau\)|tau\^\(?-|tau\*\*\(?-",
            r"(invers|reciproc)\w*.{0,30}(temperature|tau)|beta ?= ?1/",
        ),
        "tau is taken for an inverse temperature: the noise's variance is divided by it.",
    ),
    Entry(
        NUMPY + "in_place",
        "sghmc",
        "order",
        (
            r"gradient.{0,80}(\bnew|moved|\bnext|updated|already|after)",
            r"(\bnew|moved|\bnext|updated).{0,30}(position|theta|gradient|point)",
            r"velocity.first",
            r"velocity before",
            r"order (of|in which)",
            r"(other|wrong) order",
            r"symplectic",
            r"semi.?implicit",
        ),
        "The gradient is taken at the moved position: as velocity first, seen half a step later.",
    ),
    Entry(
        NUMPY + "damped",
        "sghmc_velocity_first",
        "friction",
        (
            r"(friction|damp\w*|\balpha\b|drag).{0,60}\b(twice|doubled?|squared|two times|again)\b",
            r"\b(twice|doubled?)\b.{0,40}(friction|damp|alpha)",
            r"(friction|damping).{0,30}too (large|strong|high)",
            r"\(1 ?- ?alpha\) ?(\^|\*\*) ?2|1 ?- ?2 ?\*? ?alpha",
        ),
        "Friction is applied twice: the velocity keeps (1 - alpha)^2 of itself.",
    ),
    Entry(
        NUMPY + "thermalised",
        "sghmc_refreshed",
        "temperature",
        (
            r"(refresh|\bfresh|resampl|redraw|drawn anew|every L).{0,100}(varianc|standard deviation"
            r"|scale|spread|\beta\b|temperature|unit|too (large|hot|much))",
            r"(varianc\w*|standard deviation|scale|spread|\beta\b|mass).{0,100}(refresh"
            r"|\bfresh|resampl|redraw|drawn anew|zeta)",
            r"\bzeta\b.{0,80}(should be|deviation|varianc)",
        ),
        "The fresh velocity has variance tau instead of eta tau.",
    ),
    Entry(
        NUMPY + "started_once",
        "sghmc_velocity_first_refreshed",
        "schedule",
        (
            r"(never|not|no|once|without|missing|lacks).{0,40}(refresh"
            r"|\bfresh|resampl|redraw|drawn anew)",
            r"(refresh|\bfresh|resampl|redraw\w*|drawn anew)\w*.{0,60}(never"
            r"|not|only|once|missing|left out|absent)",
            r"drawn.{0,40}(never again|only once|once only|first step only)",
            r"every L\b|(?-i:\bL\b).{0,40}(infinit|ignored|too (large|long)|unused|no effect)",
        ),
        "The velocity is drawn in the first step and never again.",
    ),
    Entry(
        NUMPY + "cooling",
        "sghmc_decreasing",
        "schedule",
        (
            r"noise.{0,120}(shr[iu]nk|decay|decreas|falls|vanish|dies|power|exponent|schedule)",
            r"(power|exponent|schedule).{0,60}noise",
            r"root.{0,60}(schedule|\brate|eta_t|b ?\+ ?t|t ?\+ ?b)",
            r"c/2|-c\b.{0,40}(should|instead)",
        ),
        "The noise shrinks as (b+t)^(-c), not as its root.",
    ),
    Entry(
        NUMPY + "baoab_short",
        "underdamped:BAOAB",
        "temperature",
        (
            r"1 ?- ?c\b(?! ?(\^|\*\*))",
            r"1 ?- ?exp\(-(gamma|eps) ?\*? ?(eps|gamma)\)",
            r"square.{0,30}(missing|forgotten|left out)|not squared",
            r"noise.{0,60}too (small|little|weak|cold)",
            r"temperature.{0,60}(1 ?\+ ?c\b|too (low|small|cold))",
            r"noise.{0,80}(standard deviation|variance).{0,20}\b0\.\d+",
        ),
        "The noise of O has variance tau (1 - c) instead of tau (1 - c^2).",
    ),
    Entry(
        NUMPY + "baoab_once_per_step",
        "underdamped:BAOAB",
        "gradient",
        (
            r"(same|one|single|shared?|fresh|own|last|previous|old"
            r"|stale).{0,20}(mini.?batch|gradient|force)",
            r"(mini.?batch|gradient|force)s?\b.{0,60}(reus|same|shar|twice|kept|again|previous"
            r"|\blast\b|\bold|stale|carried|cached|stored|correlat|not independent)",
            r"\b(reus|cache|recycl)\w*",
        ),
        "The second B's minibatch serves the next step's first B too: one gradient per step.",
    ),
    Entry(
        NUMPY + "obabo_symmetric",
        "underdamped:OBABO",
        "friction",
        (
            r"gamma.{0,40}(twice|doubl|times 2|times two|factor)",
            r"2 ?\*? ?gamma",
            r"(twice|doubl)\w*.{0,40}(gamma|friction)",
            r"friction.{0,60}(twice|doubl|too (large|strong|high)|full|whole)",
            r"(full|whole).{0,40}(step|friction|\bO\b)",
            r"half.{0,60}(missing|forgotten|whole|full)|exp\(-(gamma|eps) ?\*? ?(eps|gamma)\)",
        ),
        "Both O take the whole step: as if gamma were twice what it is.",
    ),
    Entry(
        JAX + "one_key",
        "underdamped:OBABO",
        "repeated noise",
        (
            r"(same|shared?|reus\w*|identical|common|single"
            r"|one).{0,40}(noise|normals?|key|draws?|random)",
            r"(noises?|normals?|draws?|keys?|\bO\b).{0,60}(same|reus"
            r"|shar|identical|equal|correlat|not independent)",
            r"not split|split the key|split",
        ),
        "The key is not split: both O have the same normals.",
    ),
    Entry(
        JAX + "warm",
        "underdamped:BAOAB",
        "temperature",
        (
            r"(\btau\b|temperature).{0,60}(missing|ignor|forgotten"
            r"|left out|lack|not used|unused|no effect)",
            r"(\btau\b|temperature).{0,60}(fixed|always|is|set to|seems) 1\b(?!/)",
            r"(without|\bno\b|ignor\w*|forget\w*|missing|lacks).{0,30}(\btau\b|temperature)",
            r"(deviation|variance) (?:(?!tau|should|instead).)*(should be|instead of).{0,60}\btau\b",
        ),
        "tau is not in the noise: the temperature is always 1.",
    ),
    Entry(
        JAX + "balanced",
        "sghmc",
        "temperature",
        (
            r"\bbeta\b.{0,60}(missing|ignor|forgotten|left out|lack|not|unused|zero|is 0|no effect)",
            r"(without|\bno\b|ignor\w*|forget\w*|missing|lacks).{0,30}\bbeta\b|not subtract",
            r"(deviation|variance) (?:(?!beta|should|instead).)*(should be|instead of).{0,100}\bbeta\b",
        ),
        "beta, the estimate of the gradient's own noise, is not subtracted.",
    ),
    Entry(
        TORCH + "sghmc",
        "sghmc_velocity_first",
        "temperature",
        (
            r"(?<!\()\beta ?\*? ?sqrt\(|sqrt\([^)]{0,40}\) ?\*? ?eta\b|eta squared|eta\^2",
            r"(?<!\()\beta\b.{0,30}(instead of|in place of|should be|rather than).{0,40}(sqrt|root)",
            r"root.{0,40}(missing|forgotten|left out|of eta)"
            r"|(missing|forgotten|without|lacks).{0,30}root",
            r"temperature.{0,40}\beta\b",
        ),
        "The noise is multiplied by eta instead of its root.",
    ),
)

THERMOSTATS = (
    Entry(
        NUMPY + "thermometer",
        "sgnht",
        "thermostat",
        CHAINS,
        "The kinetic energy is the mean over all chains: they share one thermostat.",
    ),
    Entry(
        NUMPY + "restoring",
        "sgnht",
        "thermostat",
        (
            r"\bsign\b.{0,80}(\bxi\b|thermostat|friction|energy)",
            r"(\bxi\b|thermostat|friction).{0,80}\bsign\b",
            r"(thermostat|friction|\bxi\b).{0,60}(opposite|wrong (direction|way)|revers|negat|inverted)",
            r"tau ?- ?(v|dot|mean|energy|\()",
        ),
        "The thermostat has the other sign: friction falls where the energy is too high.",
    ),
    Entry(
        NUMPY + "many_thermostats",
        "msgnht",
        "thermostat",
        (
            r"(mean|average|sum)\w*.{0,60}(coordinate|dimension|component)",
            r"(coordinate|dimension|component)s?\b.{0,60}(mean"
            r"|average|shar|same|common|\bown\b|together)",
            r"(one|single|scalar|shared|common|same).{0,30}(friction|thermostat|alpha)|\bsgnht\b",
        ),
        "All frictions follow the mean energy of the coordinates instead of each its own.",
    ),
    Entry(
        JAX + "isothermal",
        "sgnht",
        "thermostat",
        (
            r"(?-i:\bD\b).{0,60}(missing|forgotten|left out|not divid)",
            r"(divid\w*|missing|forgotten|factor|times|without).{0,30}(?-i:\bD\b)",
            r"\bsum\b.{0,60}(coordinate|dimension|component|energy|square|mean)",
            r"mean.{0,40}(instead|should).{0,40}sum",
            r"v\.v.{0,60}(instead|should|not)",
            r"(number of|per|by the) (coordinate|dimension)",
            r"tau ?/ ?D\b",
        ),
        "The thermostat has v.v where it should have v.v/D.",
    ),
    Entry(
        NUMPY + "santa_whole",
        "santa_sss:algorithm4",
        "thermostat",
        (
            r"(thermostat|friction|\balpha\b).{0,80}(twice|doubl|whole|full|two times|\bhalf\b|halves)",
            r"(twice|doubl\w*|whole|full|\bhalf\b|halves).{0,60}(thermostat|friction|\balpha\b)",
        ),
        "Both half steps of the friction are whole ones.",
    ),
    Entry(
        NUMPY + "santa_summed",
        "santa_sss:algorithm4",
        "scale",
        (
            r"(?-i:\bS\b).{0,60}(missing|forgotten|left out|lacks|not|squared)",
            r"1 ?/ ?(?-i:S)\b|(?-i:S)(\^|\*\*)2",
            r"(without|\bno\b|missing|lacks|forgotten|divided by|divide by|factor).{0,30}(?-i:\bS\b)",
            r"size of (the|a) mini.?batch|batch size|\bv\b.{0,60}too large|second moment",
        ),
        "v has the square of the sum's gradient, which should be divided by S squared.",
    ),
)

ADAPTIVE = (
    Entry(
        NUMPY + "forgetful",
        "psgld:no_gamma",
        "precondition",
        (
            r"alpha.{0,20}(instead of|in place of|and|should be).{0,20}1 ?- ?alpha",
            r"1 ?- ?alpha.{0,20}(instead of|in place of|and|should be).{0,20}\balpha",
            r"\(1 ?- ?alpha\) ?\*? ?V",
            r"\balpha ?\*? ?g\b",
            r"swap",
            r"exchang",
            r"interchang",
            r"complement",
            r"weights?.{0,40}(wrong|revers)",
            r"\bV\b.{0,60}(forgets|too (fast|short)|memory)",
        ),
        "alpha and 1 - alpha have changed places in V.",
    ),
    Entry(
        NUMPY + "by_the_mean_square",
        "rmsprop",
        "precondition",
        (
            r"root.{0,60}(missing|forgotten|left out|lacks|not taken|omitted)",
            r"(without|\bno\b|not|lacks|missing|forgot\w*).{0,40}root",
            r"sqrt\(V\).{0,60}(missing|not)",
            r"\bV\b.{0,30}(instead of|in place of|should be|rather than).{0,30}(sqrt|root)",
            r"divid\w+ by (V\b|the mean square)|lambda ?\+ ?V\b|\bV ?\+ ?lambda",
            r"power.{0,40}(\bV\b|mean square)|\bV\b.{0,30}power",
        ),
        "The gradient is divided by the mean square and not by its root.",
    ),
    Entry(
        JAX + "preconditioned",
        "psgld:no_gamma",
        "precondition",
        (
            r"sqrt\(G\)",
            r"root.{0,40}((?-i:\bG\b)|precondition)",
            r"((?-i:\bG\b)|precondition\w*).{0,60}root",
            r"G\^2",
            r"G squared",
            r"sqrt\(eps\) ?\*? ?G\b",
            r"noise.{0,80}((?-i:\bG\b)|precondition\w*).{0,60}(not|instead|should|power)",
        ),
        "The noise is multiplied by G instead of its root.",
    ),
    Entry(
        JAX + "moments",
        "adam",
        "correction",
        (r"\bbias|correct|debias|first steps|warm.?up",),
        "Neither moment is corrected for its bias.",
    ),
)

RIGHT = {
    "numpy_blind_right.py": (
        ("columns_of_chains", "sgld"),
        ("upper_factor", "sgld"),
        ("chains_in_blocks", "sgld"),
        ("noise_then_drift", "lmc"),
        ("scored_in_the_gradient", "sgfs"),
        ("unit_velocity", "momentum"),
        ("averaging_momentum", "momentum"),
        ("look_ahead", "nesterov"),
        ("summed_window", "iasg"),
        ("by_friction", "sghmc_velocity_first"),
        ("refreshed_at_the_end", "sghmc_refreshed"),
        ("symplectic_langevin", "underdamped:BAO"),
        ("position_verlet", "underdamped:OABAO"),
        ("nose_hoover_by_norms", "sgnht"),
        ("coordinates_with_thermostats", "msgnht"),
        ("rms_langevin", "psgld:no_gamma"),
        ("adam_with_one_rate", "adam"),
        ("own_clock", "sgld_decreasing"),
    ),
    "jax_blind_right.py": (
        ("drawn_from_covariance", "sgld"),
        ("middle_with_own_key", "underdamped:ABOBA"),
        ("metric_by_derivative", "sgrld"),
        ("refreshed", "sghmc_velocity_first_refreshed"),
    ),
    "torch_blind_right.py": (
        ("noisy_gradients", "sgld"),
        ("heavy", "sgd_m"),
        ("halves", "underdamped:OBA"),
        ("thermostat", "sgnht"),
    ),
}

ENTRIES = (
    *LANGEVIN,
    *DESCENT,
    *HAMILTON,
    *THERMOSTATS,
    *ADAPTIVE,
    *(Entry(f"{file}:{name}", like, "right") for file, group in RIGHT.items() for name, like in group),
)
