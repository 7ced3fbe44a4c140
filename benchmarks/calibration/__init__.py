"""Are the tests what they say? Ten thousand ensembles of real samplers for each, with fresh seeds.

``python -m benchmarks.calibration [--runs 10000] [--out FILE] [--power]``. Each run is an ensemble of
its own seed, held against its exact law at a budget of 5 %. The share of runs in which a test rejects
has an exact interval, all intervals hold together with 99 %, and each must hold 5 %; p-values of exact
tests must be uniform. With ``--power`` the sampler's declaration is corrupted, its noise a per cent or a
per mille too loud, and the number of chains that was planned must find it as often as was promised.
The same machinery must call wrong tests wrong.
"""
