"""Section 8: what the conclusions say once more, in words of their own."""

from dataclasses import replace

from verification.papers.mandt2017 import section_3_2
from verification.statements import at

ornstein_uhlenbeck = replace(
    section_3_2.eq11,
    key="sec8.ornstein_uhlenbeck",
    at="section 8, first paragraph",
    stands="read",
    title="SGD is approximated by an Ornstein-Uhlenbeck process",
)

shape_by_rate = at("sec8.shape_by_the_rate", "section 8, second paragraph").again(
    section_3_2.proportional_to_eps,
    "The learning rate does not change the shape of the law",
    "Against the paper, by which parameters such as the rate control the shape: in the continuous-time"
    " limit the rate changes the scale alone, in the algorithm as it runs the shape too.",
    stands="derived",
)
