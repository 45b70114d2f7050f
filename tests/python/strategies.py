"""Arrays that Hypothesis draws."""
from hypothesis import strategies as st

from cases import DTYPES, array_of


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
