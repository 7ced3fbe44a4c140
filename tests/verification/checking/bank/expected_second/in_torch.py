"""Faults of samplers in PyTorch."""

from tests.verification.checking.bank.entry import Entry

TORCH = (
    Entry(
        "torch_second_faulty.py:rand_for_randn",
        "sgld",
        "noise's law",
        (
            r"uniform|rand_like|\brandn?\b",
            (
                r"(noise|\bxi|normal)\w*.{0,80}(not (cent(re|er)ed|of mean)|nonzero|not zero|0\.5\b|1/2|"
                r"positive|bias|shift|offset)"
            ),
            (
                r"(noise|\bxi|normal)\w*.{0,80}(not (a )?(standard )?(normal|gaussian)|(another|wrong|"
                r"different) (law|distribution))"
            ),
            r"not (normal|gaussian)|non-?(gaussian|normal)",
            (
                r"(noise|\bxi)\b.{0,40}has (a )?mean|mean (of|in) the noise|(constant|bias|shift|"
                r"offset)\b.{0,40}(added|drift|noise)"
            ),
        ),
        (
            "rand_like for randn_like: the noise is uniform on [0, 1), so that its mean is 1/2 and "
            "its variance 1/12."
        ),
    ),
    Entry(
        "torch_second_faulty.py:nesterov_left_on",
        "sgd_m",
        "order",
        (
            r"nesterov|look.?ahead|extrapolat|accelerat",
            r"gradient.{0,60}(twice|directly|position too|ahead|as well)",
            r"(position|theta)\b.{0,60}(also (moves|takes|by)|gradient as well|and the gradient)",
            r"\b2 ?- ?alpha",
        ),
        "nesterov=True: the position moves with the gradient too, not with the buffer alone.",
    ),
    Entry(
        "torch_second_faulty.py:decay_left_on",
        "sgd",
        "weight decay",
        (
            r"weight.?decay|decoupled|\bL2\b|ridge|regulari[sz]",
            r"1 ?- ?0\.01|0\.99\b|\b0\.010?\b|1/100\b|99/100",
            r"(pull|shr[iu]nk|contract|decay)\w*.{0,40}(zero|\b0\b|origin)",
            (
                r"(extra|additional|added|further)\b.{0,40}(drift|decay|linear|restoring|force|"
                r"curvature|prior|hessian|contraction|shrink)"
            ),
            r"(theta|position)\b.{0,40}(decays|shrinks|is shrunk|contracts|is multiplied)",
        ),
        "Every step multiplies theta by 0.99, beside the gradient's step.",
    ),
    Entry(
        "torch_second_faulty.py:moving_average",
        "averaged_sgd",
        "average",
        (
            (
                r"exponential|\bEMA\b|moving (average|mean)|\blerp|(constant|fixed) weight|forgets|"
                r"geometric"
            ),
            (
                r"(weights?|average|mean|\bm\b).{0,80}(0\.01\b|0\.99\b|1/100|99/100|is constant|fixed|"
                r"finite memory)"
            ),
            (
                r"(weights?|average|mean|\bm\b).{0,80}(not 1/\(?t|does not (decrease|shrink)|"
                r"not the (running )?mean)"
            ),
        ),
        (
            "An exponential moving average with weight 0.01, from zero, in place of the mean of "
            "all iterates."
        ),
    ),
    Entry(
        "torch_second_faulty.py:refreshes_to_zero",
        "sghmc_velocity_first_refreshed",
        "refreshed momentum",
        (
            (
                r"(refresh|velocity|momentum|\bv\b|redrawn|drawn|reset)\w*.{0,80}(\bzero|\b0\b(?!\.)|"
                r"no noise|without noise|not drawn)"
            ),
            (
                r"(\bzeta|refresh\w*)\b.{0,60}(missing|left out|absent|lacking|zero|cold|never|"
                r"not (there|present|added|injected))"
            ),
            (
                r"(missing|without|lacks?|lacking|left out|no)\b.{0,20}(zeta|noise (of|in|"
                r"at) the refresh|fresh noise)"
            ),
            r"\breset to|set to zero|zeroed",
        ),
        "Every L steps the velocity is set to zero instead of drawn from its law.",
    ),
    Entry(
        "torch_second_faulty.py:one_noise_for_all_coordinates",
        "sghmc_velocity_first",
        "randomness",
        (
            (
                r"\b(same|one|shared|common|single|identical)\b.{0,40}(noise|normal|\bxi|number|"
                r"draw).{0,60}(coordinate|component|dimension|entr|axes)"
            ),
            (
                r"(coordinate|component|dimension|entries)\w*.{0,60}(same|share|common|correlat|"
                r"identical|one (noise|normal|number))"
            ),
            (
                r"(noise|\bxi|normal\w*)\b.{0,80}(rank.(one|1|deficient)|broadcast|correlat\w* (between|"
                r"across|among) (coord|comp|dim))"
            ),
            r"broadcast|all.ones|ones ones",
        ),
        "One normal number for all coordinates of a chain.",
    ),
)
