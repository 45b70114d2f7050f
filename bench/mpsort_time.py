"""mpsort_time.py COUNT TRIALS - the median time of mpsort for COUNT random u64 keys in all,
equally many on each rank: mpirun -n 16 python3 mpsort_time.py 2^28 3"""
import sys
import time

import mpsort
import numpy
from mpi4py import MPI

comm = MPI.COMM_WORLD
base, _, power = sys.argv[1].partition('^')
count = int(base) ** int(power or 1) // comm.size
seconds = []
for trial in range(int(sys.argv[2]) + 1):  # the first is a warm-up
    numbers = numpy.random.default_rng(1000 * trial + comm.rank)
    keys = numbers.integers(0, 2**64, count, dtype=numpy.uint64)
    comm.Barrier()
    start = time.perf_counter()
    out = mpsort.sort(keys, comm=comm)
    comm.Barrier()
    seconds.append(time.perf_counter() - start)
    assert (numpy.diff(out.astype(numpy.float64)) >= 0).all()
if comm.rank == 0:
    print(sorted(seconds[1:])[(len(seconds) - 1) // 2])
