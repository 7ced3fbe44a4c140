"""What can be asked of a law. Kept apart so that the terminal knows it without loading SymPy."""

TIMES = ("discrete", "continuous")
WHATS = (
    "covariance",
    "mean",
    "autocovariance",
    "ess",
    "average",
    "transient",
    "fourth",
    "extrapolation",
    "temperature",
    "stability",
    "tuning",
    "all",
)
