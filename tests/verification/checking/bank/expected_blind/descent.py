"""Faults of descent, with momentum and without."""

from tests.verification.checking.bank.entry import Entry
from tests.verification.checking.bank.expected_blind.words import JAX, NESTEROV, NUMPY, TORCH

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
