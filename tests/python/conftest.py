"""Tests of the Python package: devices, cases of arrays, and TAP at the end.

Each Hypothesis test runs a few hundred cases; `--hypothesis-profile=full` runs more.
"""
import numpy as np
import pytest
from hypothesis import HealthCheck, settings, strategies as st

for name, examples in (("quick", 150), ("full", 600)):
    settings.register_profile(name, max_examples=examples, deadline=None, derandomize=True,
                              suppress_health_check=list(HealthCheck))
settings.load_profile("quick")

NUMBERS = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8"]
REAL = NUMBERS + ["M8[s]", "m8[ns]", "S3", "S11", "U2"]
DTYPES = REAL + ["c8", "c16"]


@pytest.fixture(params=["cpu:2", "sim"], scope="session")
def device(request):
    return request.param


def array_of(dtype, shape, values, seed):
    """Random elements of few values: ties, and of floats both zeros and several NaNs."""
    rng = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    bits = rng.integers(0, 256, (values, dtype.itemsize or 1), dtype="u1")
    if dtype.kind in "fc":
        part = np.dtype(f"f{dtype.itemsize // (2 if dtype.kind == 'c' else 1)}")
        special = np.array([0.0, -0.0, np.nan, -np.nan, np.inf, -np.inf, 1, -1], part)
        pool = rng.choice(special, (values, dtype.itemsize // part.itemsize))
        keep = rng.random(pool.shape) < 0.5
        palette = np.where(keep, pool, bits.view(part)).astype(part).view(dtype)[:, 0]
    elif dtype.kind in "mM":
        palette = rng.integers(-3, 3, values).astype(dtype)
        palette[rng.random(values) < 0.3] = "NaT"
    elif dtype.kind in "SU":
        letters = rng.integers(0, 3, (values, dtype.itemsize), dtype="u1")
        palette = letters.view("S%d" % letters.shape[1])[:, 0].astype(dtype)
    elif dtype.kind == "b":
        palette = rng.integers(0, 2, values).astype(bool)
    else:
        palette = bits.view(dtype)[:, 0]
    return palette[rng.integers(0, values, shape)]


@st.composite
def arrays(draw, dtypes=DTYPES, most=40, dimensions=3):
    """Arrays with strides of any kind; 1-D ones may be longer than a tile."""
    ndim = draw(st.integers(1, dimensions))
    long = draw(st.integers(0, 9)) == 0
    shape = ((draw(st.integers(0, 5000)),) if ndim == 1 and long else
             tuple(draw(st.integers(0, most if ndim < 3 else 7)) for _ in range(ndim)))
    x = array_of(draw(st.sampled_from(dtypes)), tuple(2 * n for n in shape),
                 draw(st.sampled_from([1, 2, 5, 300])), draw(st.integers(0, 1 << 30)))
    x = x[tuple(draw(st.sampled_from([
        slice(0, n), slice(0, 2 * n, 2), slice(2 * n, n or None, -1)])) for n in shape)]
    return x.transpose(draw(st.permutations(range(ndim))))


def same(ours, expected):
    """Identical: dtype, shape and every byte."""
    assert ours.dtype == expected.dtype and ours.shape == expected.shape
    assert ours.tobytes() == expected.tobytes()


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
