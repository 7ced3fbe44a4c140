"""Stochastic processes beyond affine chains: diffusions, integrators, polynomial chains.

States are single symbols, functions such as U(x) may stay unspecified, noises are standard normal or
have a law with moments.

===================  ========================================================================
diffusion, density   generator, adjoint, residual; densities examined, found, integrated
recipe, linear       drift = -(D + Q) grad H + div(D + Q): Q, or a proof that there is none
steps, weak, limit   a step, its weak expansion, the equation that it solves, scalings
modified, poisson    the bias of a step's stationary law: as a density, and for observables
chain, bounds        moments of polynomial chains; certified bounds where they do not close
change, coefficients changes of variables between algorithms; when expressions vanish
telling              all of this for a declared sampler, as a derivation
===================  ========================================================================
"""
