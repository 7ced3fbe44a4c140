# SGLD with the parameters in another order, another name, and rng.normal with a scale
# check: sgld_other_order.py:sgld_update --like sgld
def sgld_update(x, grad, generator, N, eps):
    return x - eps / 2 * (N * grad(x)) + rng_noise(generator, eps, x)


def rng_noise(generator, eps, x):
    return generator.normal(0.0, eps**0.5, size=x.shape)
