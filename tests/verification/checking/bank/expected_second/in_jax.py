"""Faults of samplers in JAX."""

from tests.verification.checking.bank.entry import Entry

JAX = (
    Entry(
        "jax_second_faulty.py:key_of_the_module",
        "sgld",
        "randomness",
        (
            r"\bkeys?\b|\bseed",
            (
                r"\b(same|identical|constant|fixed|repeat\w*|frozen)\b.{0,40}(noise|normals?\b|random|"
                r"draw|offset|force)"
            ),
            (
                r"(noise|\bxi|normals?|random|draw)\w*.{0,60}(same|identical|constant|fixed|repeat|"
                r"frozen|re-?used|shared|not (redrawn|independent|fresh)|"
                r"correlat.{0,40}(step|time|chain)|determin)"
            ),
            r"constant (shift|drift|offset|force)",
        ),
        "The key is a constant: every step of every chain has the same noise.",
    ),
    Entry(
        "jax_second_faulty.py:one_key_for_both",
        "underdamped:OBABO",
        "randomness",
        (
            r"\bkeys?\b|\bseed",
            (
                r"\b(same|identical|one|shared|re-?us\w*|repeat\w*|single|equal)\b.{0,30}(noise|\bxi|"
                r"normals?\b|draw|random)"
            ),
            (
                r"(noises?|\bxi\w*|normals?|draws?)\b.{0,80}(same|identical|shared|equal\b|re-?used|"
                r"repeat|not independent|correlat|both)"
            ),
        ),
        "Both O of a step draw with the same key: the same noise.",
    ),
    Entry(
        "jax_second_faulty.py:momentum_the_other_way",
        "momentum",
        "convention",
        (
            r"(<-|=) ?\(?(mu ?\*? ?v|v ?\*? ?mu)\b",
            r"(?<!- )(?<!-)\bmu ?\*? ?v\b|(?<!- )(?<!-)\bv ?\* ?mu\b",
            (
                r"\bmu\b.{0,40}(instead of|should be|swap|exchang|mistaken|interchang|"
                r"rather than).{0,20}1 ?- ?mu"
            ),
            r"velocity (is|seems|keeps)\b.{0,30}\bmu\b",
            r"1 ?- ?mu\)?.{0,60}(swap|exchang|mistaken|interchang|is mu\b|by mu\b|has become mu\b)",
            (
                r"(friction|damping|decay|momentum|coefficient|velocity).{0,60}(complement|swap|exchang|"
                r"other way|is mu\b|interchang|times mu\b)"
            ),
        ),
        "The velocity keeps mu of itself instead of 1 - mu.",
    ),
    Entry(
        "jax_second_faulty.py:rescales_always",
        "sgd",
        "clipping",
        (
            (
                r"normali[sz]|rescal|unit (norm|length)|\bclip|\bnorm\b|(only|just) the direction|"
                r"direction only"
            ),
            r"gradient.{0,60}(length|bounded|saturat|cut off|truncat|magnitude)",
            r"non-?linear|not linear",
        ),
        "Every gradient is rescaled to norm 1, short ones too.",
    ),
    Entry(
        "jax_second_faulty.py:temperature_twice",
        "sghmc_velocity_first",
        "temperature",
        (
            r"tau(\*\*|\^)2|tau squared|square of (tau|the temperature)|tau\*tau",
            (
                r"(temperature|\btau)\b.{0,40}(squared|twice)|(twice|squared?)\b.{0,20}(temperature|"
                r"\btau\b)"
            ),
            r"\btau ?\*? ?sqrt\((?!tau\))",
            r"(root|sqrt)\b.{0,30}(tau|temperature).{0,30}(missing|forgotten|left out)",
            r"(missing|forg\w+|without|lack\w*)\b.{0,20}(root|sqrt).{0,30}(tau|temperature)",
            r"deviation.{0,40}(proportional to|times|linear in) (tau|the temperature)\b",
            r"\btau\b.{0,30}(outside|instead of|should be|rather than).{0,30}(root|sqrt)",
        ),
        "The noise has tau instead of sqrt(tau): the temperature is tau^2.",
    ),
    Entry(
        "jax_second_faulty.py:whole_bath_in_each_half",
        "underdamped:OABAO",
        "friction",
        (
            (
                r"(friction|gamma|damp\w*|bath|\bO\b|decay|thermostat|ornstein\S*).{0,80}(twice|doubl|"
                r"full|whole|too (large|strong|much|big)|each half|not halved)"
            ),
            r"(twice|doubl\w*|full|whole)\b.{0,40}(friction|gamma|damp|bath|\bO\b|decay)",
            r"(friction|damping|decay|gamma (is|seems)).{0,40}\b2\W{0,3}gamma",
            r"(?<!1 - )exp\(-(eps\W{1,3}gamma|gamma\W{1,3}eps)\)",
        ),
        "Each of the two O takes the whole step: the friction is 2 gamma.",
    ),
)
