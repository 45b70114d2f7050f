"""Tests of the Python package: devices, numbers of cases, and TAP at the end.

Each Hypothesis test runs 150 cases; `--hypothesis-profile=full` runs more. Without
Hypothesis only the others run.
"""
import pytest

try:
    from hypothesis import HealthCheck, settings
except ImportError:
    collect_ignore = ["test_sort.py", "test_package.py"]
else:
    for name, examples in (("quick", 150), ("full", 600)):
        settings.register_profile(name, max_examples=examples, deadline=None,
                                  derandomize=True, suppress_health_check=list(HealthCheck))
    settings.load_profile("quick")


@pytest.fixture(params=["cpu:2", "sim"], scope="session")
def device(request):
    return request.param


def pytest_terminal_summary(terminalreporter):
    """One line of TAP for each test."""
    number = 0
    for verdict, key in (("ok", "passed"), ("not ok", "failed"), ("not ok", "error"),
                         ("ok", "skipped")):
        for report in terminalreporter.stats.get(key, []):
            number += 1
            skip = " # SKIP" if key == "skipped" else ""
            terminalreporter.write_line(f"{verdict} {number} - {report.nodeid}{skip}")
    terminalreporter.write_line(f"1..{number}")
