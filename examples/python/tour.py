"""A tour of multiway in Python, in cells: run it as a script, or cell by cell in an editor.

The last cell draws a figure, tour.svg, if matplotlib is there, or prints its numbers.
"""
# %% Arrays in, arrays out
import sys
import time

import numpy as np

import multiway

rng = np.random.default_rng(1)
x = rng.standard_normal(1_000_000).astype("f4")
assert (multiway.sort(x) == np.sort(x)).all()
print(multiway.info("cpu")["name"], "- the ten largest:", multiway.top_k(x, 10)[0])

# %% Records by their fields: cities, the largest first, then by name
cities = np.array([(b"Uppsala", 177_000, 59.86), (b"Leuven", 102_000, 50.88),
                   (b"Matera", 60_000, 40.67), (b"Delft", 102_000, 52.01)],
                  dtype=[("name", "S8"), ("people", "u4"), ("latitude", "f8")])
print(multiway.sort(cities, order=["-people", "name"])["name"])

# %% Sorted lists: merge them, or find where to cut them in halves
lists = np.split(np.sort(x.reshape(8, -1), axis=1), 8)
lists = [part[0] for part in lists]
middle = multiway.split(lists, [x.size // 2])[0]
assert middle.sum() == x.size // 2
assert (multiway.merge(lists) == np.sort(x)).all()

# %% The simulator: shared-memory wavefronts per key, by engine
keys = {"random": rng.permutation(20_000).astype("i4"),
        "sorted": np.arange(20_000, dtype="i4")}
table = {}
for engine in ("tile", "heap", "pair"):
    for name, values in keys.items():
        totals = multiway.count(values, engine=engine).totals
        table[engine, name] = (totals["shared_ideal"] / values.size,
                               totals["shared_wavefronts"] / values.size)
        print(f"{engine:5} {name:7} {table[engine, name][1]:6.2f} wavefronts a key, "
              f"{table[engine, name][0]:6.2f} without conflicts")

# %% Beside NumPy, over the number of keys
counts = [1 << power for power in range(8, 21, 2)]
speed = {"numpy.sort": [], "multiway.sort": []}
for count in counts:
    part = x[:count].copy()
    for name, call in (("numpy.sort", np.sort), ("multiway.sort", multiway.sort)):
        times = []
        for _ in range(9):
            begin = time.perf_counter()
            call(part)
            times.append(time.perf_counter() - begin)
        speed[name].append(count / sorted(times)[4] / 1e6)

# %% The figure
try:
    import matplotlib
except ImportError:
    print(speed)
    sys.exit()
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.5))
for name, values in speed.items():
    left.plot(counts, values, marker="o", label=name)
left.set(xscale="log", xlabel="float32 keys", ylabel="million keys a second")
left.legend()
labels = [f"{engine}\n{name}" for engine, name in table]
right.bar(labels, [wavefronts for _, wavefronts in table.values()], label="counted")
right.bar(labels, [ideal for ideal, _ in table.values()], width=0.5, label="no conflicts")
right.set(ylabel="shared-memory wavefronts a key")
right.tick_params(axis="x", labelsize=7)
right.legend()
figure.tight_layout()
figure.savefig("tour.svg")
