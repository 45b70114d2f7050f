"""Cases of arrays, and how results are compared."""
import numpy as np

NUMBERS = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8"]
REAL = NUMBERS + ["M8[s]", "m8[ns]", "S3", "S11", "U2"]
DTYPES = REAL + ["c8", "c16"]


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


def same(ours, expected):
    """Identical: dtype, shape and every byte."""
    assert ours.dtype == expected.dtype and ours.shape == expected.shape
    assert ours.tobytes() == expected.tobytes()
