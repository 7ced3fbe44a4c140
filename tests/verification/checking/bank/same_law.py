"""Names that were not foreseen but are right: what the checker says has the very law of the fault.

Written after the checker was run, and counted apart: each with what must be found in the diagnosis, and
why that is the same law.
"""

SAME = {
    "numpy_faulty.py:scoring_without_gain": (
        r"H (is )?left out before .*E, xi",
        "H E xi without its H is E xi, which is what the sampler adds",
    ),
}
