"""Names that were not foreseen but are right: what the checker says has the very law of the fault.

Written after the checker was run, and counted apart: each with what must be found in the diagnosis, and
why that is the same law.
"""

SAME = {
    "torch_faulty.py:heavy_ball_with_alias": (
        r"follows averaged_sgd",
        "the iterate of averaged_sgd is that of sgd, which a heavy ball without memory is",
    ),
}
