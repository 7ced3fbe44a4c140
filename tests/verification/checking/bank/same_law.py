"""Names that were not foreseen but are right: what the checker says has the very law of the fault.

Written after the checker was run, and counted apart: each with what must be found in the diagnosis, and
why that is the same law.
"""

SAME = {
    "torch_faulty.py:heavy_ball_with_alias": (
        r"follows averaged_sgd",
        "the iterate of averaged_sgd is that of sgd, which a heavy ball without memory is",
    ),
    "jax_faulty.py:forgets_its_velocity": (
        r"follows averaged_sgd",
        "the iterate of averaged_sgd is that of sgd, which momentum without its velocity is",
    ),
    "torch_faulty.py:without_last_kick": (
        r"g\^1\(theta\) is missing in v",
        "g^1 is the second gradient of BAOAB, that of the last half kick",
    ),
    "numpy_faulty.py:warming_up": (
        r"kept outside of the state, so that one run changes another",
        "the counter of calls is what is kept outside of the state",
    ),
    "torch_faulty.py:detached_from_inputs": (
        r"^shape: .*shape",
        "in one dimension the buffer of the wrong size raises nothing and the state grows to its shape",
    ),
}
