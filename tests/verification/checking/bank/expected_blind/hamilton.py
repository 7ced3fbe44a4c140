"""Faults of Hamiltonian samplers and their splittings."""

from tests.verification.checking.bank.entry import Entry
from tests.verification.checking.bank.expected_blind.words import JAX, NUMPY, TORCH

HAMILTON = (
    Entry(
        NUMPY + "at_a_temperature",
        "sghmc",
        "temperature",
        (
            r"(temperature|\btau\b).{0,60}(invert|inverse|reciprocal|divid|upside|denominator|power)",
            r"1 ?/ ?tau|/ ?\(?tau\b|/ ?sqrt\(tau\)|tau\^\(?-|tau\*\*\(?-",
            r"(invers|reciproc)\w*.{0,30}(temperature|tau)|beta ?= ?1/",
        ),
        "tau is taken for an inverse temperature: the noise's variance is divided by it.",
    ),
    Entry(
        NUMPY + "in_place",
        "sghmc",
        "order",
        (
            r"gradient.{0,80}(\bnew|moved|\bnext|updated|already|after)",
            r"(\bnew|moved|\bnext|updated).{0,30}(position|theta|gradient|point)",
            r"velocity.first",
            r"velocity before",
            r"order (of|in which)",
            r"(other|wrong) order",
            r"symplectic",
            r"semi.?implicit",
        ),
        "The gradient is taken at the moved position: as velocity first, seen half a step later.",
    ),
    Entry(
        NUMPY + "damped",
        "sghmc_velocity_first",
        "friction",
        (
            r"(friction|damp\w*|\balpha\b|drag).{0,60}\b(twice|doubled?|squared|two times|again)\b",
            r"\b(twice|doubled?)\b.{0,40}(friction|damp|alpha)",
            r"(friction|damping).{0,30}too (large|strong|high)",
            r"\(1 ?- ?alpha\) ?(\^|\*\*) ?2|1 ?- ?2 ?\*? ?alpha",
        ),
        "Friction is applied twice: the velocity keeps (1 - alpha)^2 of itself.",
    ),
    Entry(
        NUMPY + "thermalised",
        "sghmc_refreshed",
        "temperature",
        (
            r"(refresh|\bfresh|resampl|redraw|drawn anew|every L).{0,100}(varianc|standard deviation"
            r"|scale|spread|\beta\b|temperature|unit|too (large|hot|much))",
            r"(varianc\w*|standard deviation|scale|spread|\beta\b|mass).{0,100}(refresh"
            r"|\bfresh|resampl|redraw|drawn anew|zeta)",
            r"\bzeta\b.{0,80}(should be|deviation|varianc)",
        ),
        "The fresh velocity has variance tau instead of eta tau.",
    ),
    Entry(
        NUMPY + "started_once",
        "sghmc_velocity_first_refreshed",
        "schedule",
        (
            r"(never|not|no|once|without|missing|lacks).{0,40}(refresh"
            r"|\bfresh|resampl|redraw|drawn anew)",
            r"(refresh|\bfresh|resampl|redraw\w*|drawn anew)\w*.{0,60}(never"
            r"|not|only|once|missing|left out|absent)",
            r"drawn.{0,40}(never again|only once|once only|first step only)",
            r"every L\b|(?-i:\bL\b).{0,40}(infinit|ignored|too (large|long)|unused|no effect)",
        ),
        "The velocity is drawn in the first step and never again.",
    ),
    Entry(
        NUMPY + "cooling",
        "sghmc_decreasing",
        "schedule",
        (
            r"noise.{0,120}(shr[iu]nk|decay|decreas|falls|vanish|dies|power|exponent|schedule)",
            r"(power|exponent|schedule).{0,60}noise",
            r"root.{0,60}(schedule|\brate|eta_t|b ?\+ ?t|t ?\+ ?b)",
            r"c/2|-c\b.{0,40}(should|instead)",
        ),
        "The noise shrinks as (b+t)^(-c), not as its root.",
    ),
    Entry(
        NUMPY + "baoab_short",
        "underdamped:BAOAB",
        "temperature",
        (
            r"1 ?- ?c\b(?! ?(\^|\*\*))",
            r"1 ?- ?exp\(-(gamma|eps) ?\*? ?(eps|gamma)\)",
            r"square.{0,30}(missing|forgotten|left out)|not squared",
            r"noise.{0,60}too (small|little|weak|cold)",
            r"temperature.{0,60}(1 ?\+ ?c\b|too (low|small|cold))",
            r"noise.{0,80}(standard deviation|variance).{0,20}\b0\.\d+",
        ),
        "The noise of O has variance tau (1 - c) instead of tau (1 - c^2).",
    ),
    Entry(
        NUMPY + "baoab_once_per_step",
        "underdamped:BAOAB",
        "gradient",
        (
            r"(same|one|single|shared?|fresh|own|last|previous|old"
            r"|stale).{0,20}(mini.?batch|gradient|force)",
            r"(mini.?batch|gradient|force)s?\b.{0,60}(reus|same|shar|twice|kept|again|previous"
            r"|\blast\b|\bold|stale|carried|cached|stored|correlat|not independent)",
            r"\b(reus|cache|recycl)\w*",
        ),
        "The second B's minibatch serves the next step's first B too: one gradient per step.",
    ),
    Entry(
        NUMPY + "obabo_symmetric",
        "underdamped:OBABO",
        "friction",
        (
            r"gamma.{0,40}(twice|doubl|times 2|times two|factor)",
            r"2 ?\*? ?gamma",
            r"(twice|doubl)\w*.{0,40}(gamma|friction)",
            r"friction.{0,60}(twice|doubl|too (large|strong|high)|full|whole)",
            r"(full|whole).{0,40}(step|friction|\bO\b)",
            r"half.{0,60}(missing|forgotten|whole|full)|exp\(-(gamma|eps) ?\*? ?(eps|gamma)\)",
        ),
        "Both O take the whole step: as if gamma were twice what it is.",
    ),
    Entry(
        JAX + "one_key",
        "underdamped:OBABO",
        "repeated noise",
        (
            r"(same|shared?|reus\w*|identical|common|single"
            r"|one).{0,40}(noise|normals?|key|draws?|random)",
            r"(noises?|normals?|draws?|keys?|\bO\b).{0,60}(same|reus"
            r"|shar|identical|equal|correlat|not independent)",
            r"not split|split the key|split",
        ),
        "The key is not split: both O have the same normals.",
    ),
    Entry(
        JAX + "warm",
        "underdamped:BAOAB",
        "temperature",
        (
            r"(\btau\b|temperature).{0,60}(missing|ignor|forgotten"
            r"|left out|lack|not used|unused|no effect)",
            r"(\btau\b|temperature).{0,60}(fixed|always|is|set to|seems) 1\b(?!/)",
            r"(without|\bno\b|ignor\w*|forget\w*|missing|lacks).{0,30}(\btau\b|temperature)",
            r"(deviation|variance) (?:(?!tau|should|instead).)*(should be|instead of).{0,60}\btau\b",
        ),
        "tau is not in the noise: the temperature is always 1.",
    ),
    Entry(
        JAX + "balanced",
        "sghmc",
        "temperature",
        (
            r"\bbeta\b.{0,60}(missing|ignor|forgotten|left out|lack|not|unused|zero|is 0|no effect)",
            r"(without|\bno\b|ignor\w*|forget\w*|missing|lacks).{0,30}\bbeta\b|not subtract",
            r"(deviation|variance) (?:(?!beta|should|instead).)*(should be|instead of).{0,100}\bbeta\b",
        ),
        "beta, the estimate of the gradient's own noise, is not subtracted.",
    ),
    Entry(
        TORCH + "sghmc",
        "sghmc_velocity_first",
        "temperature",
        (
            r"(?<!\()\beta ?\*? ?sqrt\(|sqrt\([^)]{0,40}\) ?\*? ?eta\b|eta squared|eta\^2",
            r"(?<!\()\beta\b.{0,30}(instead of|in place of|should be|rather than).{0,40}(sqrt|root)",
            r"root.{0,40}(missing|forgotten|left out|of eta)"
            r"|(missing|forgotten|without|lacks).{0,30}root",
            r"temperature.{0,40}\beta\b",
        ),
        "The noise is multiplied by eta instead of its root.",
    ),
)
