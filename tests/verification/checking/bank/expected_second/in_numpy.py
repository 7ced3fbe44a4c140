"""Faults of samplers in NumPy."""

from tests.verification.checking.bank.entry import Entry

GRADIENT_NOISE = r"((gradient|batch)\w*('s)? .{0,10}noise|noise .{0,15}(gradient|batch))"

NUMPY = (
    Entry(
        "numpy_second_faulty.py:transposed_factor",
        "sgld",
        "noise's covariance",
        (
            r"transpos",
            r"\bL\^?T ?[*@]? ?L\b|L'L|L\.T ?@ ?L",
            r"other (matrix )?(root|factor)|wrong (root|factor|side)|upper.{0,10}triang",
            r"same (trace|eigenvalues|spectrum)",
            (
                r"noise.{0,80}(wrong|another|different|other) .{0,20}(shape|correlation|direction|"
                r"eigenvector)"
            ),
        ),
        "The noise is xi L, not xi L^T, with H = L L^T: its covariance is eps L^T L.",
    ),
    Entry(
        "numpy_second_faulty.py:lmc_single_noise",
        "lmc",
        "noise's scale",
        (
            r"sqrt\(gamma\)|gamma(\*\*|\^)\(1/2\)|root of gamma",
            r"(missing|lack\w*|without|forg\w+|drop\w*|left out)\b.{0,30}(\b2\b|two|sqrt\(2\))",
            r"(half|halved|0\.5\b|1/2).{0,40}(variance|temperature|noise)",
            (
                r"(variance|temperature|noise|deviation).{0,60}(half|halved|0\.5\b|1/2|1/sqrt\(2\)|"
                r"/ ?sqrt\(2\))"
            ),
            (
                r"(variance|temperature|noise|deviation).{0,60}(sqrt\(2\)|2|two)( times)? too (small|"
                r"little|low)"
            ),
        ),
        "The noise has variance gamma instead of 2 gamma: temperature 1/2.",
    ),
    Entry(
        "numpy_second_faulty.py:annealed_drift_only",
        "sgld_decreasing",
        "schedule",
        (
            r"(noise|xi|deviation)\b.{0,80}(constant|first step|initial|schedule|anneal)",
            r"(noise|xi|deviation)\b.{0,80}(not|never) (shrink|decreas|anneal|decay|depend|follow)",
            r"(noise|xi|deviation)\b.{0,80}sqrt\(eps\)(?!\s*[*(])",
            r"(constant|fixed).{0,30}noise",
            r"(schedule|anneal\w*|decreas\w*|shrink\w*).{0,60}noise",
            r"noise.{0,80}(without|lacks|misses).{0,20}\(b \+ t\)",
        ),
        "The step of the drift decreases, but the noise keeps the deviation sqrt(eps).",
    ),
    Entry(
        "numpy_second_faulty.py:fisher_without_gain",
        "sgfs",
        "preconditioner",
        (
            (
                r"(without|missing|lacks?|lacking|forg\w+|left out|ignores?)\b.{0,40}(\bH\b|gain|"
                r"precondition)"
            ),
            r"(\bH\b|gain|precondition\w*).{0,40}(missing|lacking|forgotten|left out|ignored|absent)",
            r"\bnot (by |multiplied by |scaled by |through )?(H\b|the gain|the precond|precond)",
            r"sqrt\(eps\) ?\*? ?E\b|\bE ?\*? ?sqrt\(eps\)",
            r"noise.{0,60}(identity|H = I\b|unprecondition)",
            r"noise.{0,60}(H\^\(?-1|H\*\*\(?-1|inv\(H\)|inverse of H)",
        ),
        "The injected noise is sqrt(eps) E xi: H is missing in it.",
    ),
    Entry(
        "numpy_second_faulty.py:accumulates_two_batches",
        "sgd",
        "minibatch",
        (
            r"\b(two|2|several|more than one) (independent |fresh )?(mini)?-?(batch|gradient)",
            r"batch.{0,40}(twice|doubl|larger|too large)|(twice|doubl\w*).{0,20}batch",
            r"\b2 ?\*? ?S\b",
            GRADIENT_NOISE + r".{0,60}(half|halved|1/2|0\.5\b|sqrt\(2\)|too small|too little|smaller)",
            r"(half|halved|0\.5\b|1/2|too little).{0,30}" + GRADIENT_NOISE,
            r"averag\w*.{0,30}(gradient|batch)|(gradient|batch)\w*.{0,30}averag|accumul",
            r"C ?/ ?\(?2",
        ),
        "A step averages the gradients of two minibatches: half of the gradient noise.",
    ),
    Entry(
        "numpy_second_faulty.py:dampened_momentum",
        "momentum",
        "convention",
        (
            r"dampen",
            r"exponential|\bEMA\b|moving average|running (mean|average)",
            r"\beps\W{0,3}(H\W{0,3})?mu\b|\bmu\W{0,3}(eps|H)\b",
            r"(gradient|step|drift|gain|eps)\b.{0,60}(multipl\w+|times|factor|scaled)( by| of)? \(?mu\b",
            r"\bmu times (too|the (step|gradient|drift))",
        ),
        "The buffer takes mu g instead of g: the gradient's step is mu eps.",
    ),
    Entry(
        "numpy_second_faulty.py:looks_too_far_ahead",
        "nesterov",
        "gradient's place",
        (
            r"theta \+ v\b|v \+ theta\b",
            r"(look|ahead|gradient).{0,80}(undamped|not damped|(whole|full) velocity|too far|by v\b)",
            r"(missing|lack\w*|without|forg\w+|left out)\b.{0,30}(1 ?- ?mu|damping)",
            r"1 ?- ?mu\)?.{0,40}(missing|left out|forgotten|ignored)",
            r"gradient.{0,40}(wrong|another|different|other) (point|place|position)",
        ),
        "The gradient is taken at theta + v instead of theta + (1 - mu) v.",
    ),
    Entry(
        "numpy_second_faulty.py:average_counts_start",
        "averaged_sgd",
        "average",
        (
            (
                r"(start\b|starting|initial|first (point|position)|theta_?0).{0,80}(average|mean|count|"
                r"includ|weigh)"
            ),
            r"(average|mean|\bm\b).{0,80}(start\b|starting|initial|first (point|position)|theta_?0)",
            r"t \+ 2\)?|off.by.one|one (step|iterate) (too|more|late)",
            (
                r"(counter|clock|count|index|\bt\b|average|mean|weight).{0,40}(from 1\b|at 1\b|"
                r"begins (late|early)|shifted|ahead|late by)"
            ),
        ),
        "The running mean counts the starting point as an iterate: weights 1/(t + 2).",
    ),
    Entry(
        "numpy_second_faulty.py:window_one_too_long",
        "iasg",
        "average",
        (
            r"T ?\+ ?1|1 ?\+ ?T\b",
            r"off.by.one",
            r"window.{0,60}(long|one more|wrong|length|larger|late)",
            r"\b(one|1) (step|iterate)s? (too|more|late|longer)",
            r"(period|reset|restart|begins again).{0,60}(late|wrong|long|another|different)",
        ),
        "A window has T + 1 iterates, not T.",
    ),
    Entry(
        "numpy_second_faulty.py:ignores_beta",
        "sghmc",
        "noise's scale",
        (
            (
                r"\bbeta\b.{0,60}(ignored|missing|not subtracted|not used|forgotten|left out|= 0|is 0|"
                r"zero|unused|dropped|absent)"
            ),
            r"(ignor\w*|missing|misses|forg\w+|without|drop\w*|lack\w*|not subtract\w*)\b.{0,30}\bbeta",
            r"\balpha\b.{0,3} (instead of|should be|rather than|for) \(?alpha ?- ?beta",
            r"2\W{0,3}alpha\W{0,3}(eta|tau)|\balpha\W{1,3}eta\b|\beta\W{1,3}alpha\b",
        ),
        "The noise has alpha instead of alpha - beta.",
    ),
    Entry(
        "numpy_second_faulty.py:gradient_after_the_move",
        "sghmc",
        "order",
        (
            (
                r"gradient.{0,100}(new (position|theta)|after|moved position|has moved|next position|"
                r"theta \+ v|v \+ theta|too late)"
            ),
            r"gradient.{0,60}(wrong|another|different|other) (point|place|position|time)",
            r"(position|theta).{0,40}(before|first|ahead of|precedes)",
            r"(wrong|another|other|different) order|order.{0,30}(update|lines|swap|revers|exchang)",
            r"semi-?implicit|symplectic|leap-?frog",
            r"velocity.{0,20}first|new velocity",  # the same alternation, cut elsewhere
        ),
        "The gradient is taken at the position that has moved already, not at the old one.",
    ),
    Entry(
        "numpy_second_faulty.py:damps_the_kick",
        "sghmc_velocity_first",
        "friction",
        (
            r"(friction|damp\w*).{0,60}(after|last|also|kick|force|gradient|noise|whole|everything)",
            (
                r"(gradient|force|kick|noise|drift)\w*.{0,60}(damped|times \(?1 ?- ?alpha|(multiplied|"
                r"scaled) by \(?1 ?- ?alpha)"
            ),
            r"\(1 ?- ?alpha\)\W{0,3}(eta|N|sqrt|\(v|gradient|g\b)",
            r"\beta\W{0,3}(N\W{0,3})?\((1 ?- ?alpha|alpha ?- ?1)\)|\(alpha ?- ?1\)\W{0,3}(eta|N\b)",
            r"(wrong|another|other|different) order",
        ),
        "Friction multiplies the velocity after the kick: force and noise are damped too.",
    ),
    Entry(
        "numpy_second_faulty.py:thermostat_of_the_sum",
        "sgnht",
        "thermostat",
        (
            r"\bsum\b|\bsummed",
            (
                r"(missing|without|forg\w+|lack\w*|not divid\w*)\b.{0,40}\bD\b|\bD times|times D\b|"
                r"factor (of )?D\b"
            ),
            (
                r"(thermostat|friction|kinetic|energy).{0,80}(number of coordinates|dimension|not (a|"
                r"the) mean)"
            ),
            r"tau ?/ ?D\b|(target|temperature).{0,30}/ ?D\b",
        ),
        (
            "The friction is driven by the sum of the squared velocities instead of their mean: "
            "1/D is missing."
        ),
    ),
    Entry(
        "numpy_second_faulty.py:euler_noise_in_exact_decay",
        "underdamped:BAOAB",
        "noise's scale",
        (
            r"sqrt\((2|eps|gamma|tau)(\W{1,3}(2|eps|gamma|tau)){1,3}\)",
            r"\b2\W{1,3}(gamma\W{1,3}eps|eps\W{1,3}gamma)\W{1,3}tau|\b2\W{1,3}tau\W{1,3}(eps|gamma)",
            r"euler|first.order|lineari[sz]|not exact",
            r"fluctuation.{0,5}dissipation|(noise|variance).{0,60}does not (fit|match|balance)",
            (
                r"(temperature|tau)\b.{0,60}(too (high|large|hot)|larger|higher)"
            ),  # another tau has this law
        ),
        (
            "O decays exactly but has the noise of Euler's step: 2 gamma eps tau for tau (1 - "
            "exp(-2 gamma eps))."
        ),
    ),
    Entry(
        "numpy_second_faulty.py:reuses_gradient",
        "underdamped:BAOAB",
        "minibatch",
        (
            r"\bre-?us|\bcache|stale",
            (
                r"(gradient|batch|kick)\w*.{0,60}(shared?\b|stored|kept|carried over|correlat|same|"
                r"again|not independent)"
            ),
            r"(same|shared?|one|single|common) (mini)?-?(batch|gradient)",
            r"gradient.{0,60}(of|from) the (last|previous|preceding)",
            GRADIENT_NOISE + r".{0,60}(twice|doubl|larger|too (large|much)|\b2\b)",  # of two half kicks
        ),
        "The last kick and the next step's first one have one gradient, with one minibatch.",
    ),
    Entry(
        "numpy_second_faulty.py:preconditioner_without_root",
        "psgld:no_gamma",
        "preconditioner",
        (
            r"sqrt\(eps\)\W{0,3}G\b|\bG\W{0,3}sqrt\(eps\)",
            r"sqrt\(eps\)\W{0,3}/\W{0,3}(lambda|sqrt\(V)",
            r"\bG\b.{0,20}(instead of|should be|rather than|where).{0,40}(root|sqrt|G\^\(?1/2)",
            r"(without|missing|misses|forg\w+|lack\w*)\b.{0,20}(root|sqrt)",
            r"(root|sqrt)\b.{0,40}(missing|forgotten|left out|absent)",
            r"(precondition\w*|metric|\bG)\b.{0,40}(squared|twice|first power|square of)",
            r"G\*\*2|G\^2|(twice|squared?)\b.{0,20}(precondition|metric|\bG\b)",
        ),
        "The noise is sqrt(eps) G xi instead of sqrt(eps G) xi.",
        limit=300.0,
    ),
    Entry(
        "numpy_second_faulty.py:two_batches",
        "svrg_ld",
        "minibatch",
        (
            (
                r"(another|different|fresh|independent|new|separate|two|second|not the same|other|"
                r"its own) (mini)?-?batch"
            ),
            (
                r"(mini)?-?batch\w*.{0,80}(differ|independent|not (the )?(same|shared)|of (its|"
                r"their) own|anew|fresh)"
            ),
            r"(not|without|no)\b.{0,20}(same|common|shared).{0,20}batch",
            (
                r"varianc\w*.reduc\w*.{0,60}(fail|lost|missing|\bnot\b|\bno\b)|(control variate|"
                r"correction).{0,60}(not cancel|lost|independent)"
            ),
            GRADIENT_NOISE + r".{0,80}(not cancel|doubl|twice|uncorrelated|independent|remains)",
        ),
        "The gradients at the position and at the snapshot have minibatches of their own.",
    ),
    Entry(
        "numpy_second_faulty.py:unconditioned_kick",
        "santa_sss:algorithm4",
        "preconditioner",
        (
            (
                r"(missing|without|forg\w+|lacks?|lacking|left out|ignores?|not (multiplied|"
                r"scaled) by)\b.{0,40}(\bg\b|gain|precondition)"
            ),
            r"(\bg\b|gain|precondition\w*).{0,60}(missing|forgotten|left out|ignored|absent|lacking)",
            r"\beta\W{0,3}f0?\b(?!\W{0,3}g\b)",
            r"unprecondition|not precondition",
        ),
        "The kick is eta f: the preconditioner g is missing in it.",
        limit=300.0,
    ),
)
