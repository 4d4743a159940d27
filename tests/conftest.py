"""What holds for all tests."""

from hypothesis import HealthCheck, settings

# How long examples take says more of the machine's load than of the code.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")
