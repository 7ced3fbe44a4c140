"""What the machine says of Santa's main text, beyond verdicts: corrected forms, gaps, conditions."""

import sympy as sp

from verification.library import claims
from verification.papers.chen2016santa.processes import G, K, density, equation

CLAIMS = {c.key: c for c in claims("chen2016santa")}


def test_the_noise_that_the_algorithm_lacks_is_that_of_the_supplement():
    """sqrt(2 g eta^(3/2)/beta) of u is sqrt(2 h/beta) r of p, r^2 = g."""
    corrected = CLAIMS["alg1"].find().corrected
    assert "sqrt(2)*sqrt(h)*r*zeta/sqrt(beta)" in corrected.text
    assert corrected.verdict == "proved"


def test_the_lemma_is_mended_by_all_frictions_in_every_force():
    ((process, log_density),) = CLAIMS["lem1"].statement.form.stated
    (true,) = CLAIMS["lem1"].find().corrected.printed
    ((fixed, same_density),) = true.form.stated
    assert process.residual(log_density) != 0
    assert fixed.residual(same_density) == 0
    added = sp.expand(fixed.drift[2] - process.drift[2])
    x, y, _, _, _, Ups = process.state
    a, d = (sp.Function(n, positive=True)(x, y) for n in "ad")
    assert sp.expand(added - a * (Ups - d) * d.diff(x)) == 0


def test_in_one_dimension_it_takes_every_term():
    process, log_density = equation(G, K), density(K)
    assert process.residual(log_density) == 0
    terms = sp.Add.make_args(sp.expand(process.drift[1]))
    assert len(terms) == 5
    for term in terms:
        drift = (process.drift[0], process.drift[1] - term, process.drift[2])
        assert process.with_drift(drift).residual(log_density) != 0


def test_what_each_small_term_is_off_by():
    ((process, kept),) = CLAIMS["sec3.ignored"].statement.form.stated
    assert process.residual(kept) == 0 != process.residual(kept + sp.log(G))
    third = CLAIMS["eq3"].find()
    assert third.reason == "To first order the difference is q*H(x, y)*G_y/(p*G(x, y))."
    assert "- q*H(x, y)*partial(G(x, y), y)/(p*G(x, y)) = O(h)" in third.corrected.text
    assert CLAIMS["eq4"].find().corrected.text.endswith("= 1/(2*beta)")
    second = CLAIMS["alg2.order"].find()
    assert second.reason == "To first order the difference is h**2*(p*r**4*U''(x)*f_p/2)."
    assert second.corrected.text.endswith("= O(h**2)")
