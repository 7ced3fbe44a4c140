"""Faults of thermostats."""

from tests.verification.checking.bank.entry import Entry
from tests.verification.checking.bank.expected_blind.words import CHAINS, JAX, NUMPY

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
