"""Settings of the whole suite."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "here",
    deadline=None,
    max_examples=25,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
settings.register_profile("thorough", settings.get_profile("here"), max_examples=500)
settings.load_profile("here")  # --hypothesis-profile=thorough looks longer
