"""What several faults are called, and the files of the samplers."""

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
