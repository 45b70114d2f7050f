"""A program for mpirun: sort_across on all ranks, against NumPy. Prints its cases."""
import numpy as np
from mpi4py import MPI

import multiway
from cases import array_of

comm = MPI.COMM_WORLD
cases = 0
for dtype in ("u1", "i4", "u8", "f4", "f8", "S3"):
    for lengths in ((1000, 1000, 1000), (0, 2000, 1), (0, 0, 0), (5, 0, 70_000)):
        all_ = array_of(dtype, sum(lengths), 300, 1)
        parts = np.split(all_, np.cumsum(lengths)[:-1])
        ours = multiway.sort_across(parts[comm.rank], comm)
        expected = np.split(np.sort(all_, kind="stable"), np.cumsum(lengths)[:-1])
        np.testing.assert_array_equal(ours, expected[comm.rank])
        cases += 1
records = array_of("i4", 3 * 500 * 2, 9, 2).view([("key", "i4"), ("more", "i4")])
ours = multiway.sort_across(records[500 * comm.rank:][:500], comm,
                            order=multiway.Order("-key"), device="cpu:1")
by = np.argsort(-records["key"].astype("i8"), kind="stable")
assert (ours == records[by][500 * comm.rank:][:500]).all()
try:
    multiway.sort_across(np.zeros(3, "i4" if comm.rank else "i8"), comm)
except multiway.MultiwayError as error:
    cases += "rank" in str(error)
ours = multiway.sort_across(np.arange(3), comm, device=None if comm.rank else "cpu:1")
cases += (ours == np.repeat(np.arange(3), 3)[3 * comm.rank:][:3]).all()
for wrong, device in ((np.zeros((2, 2)), None), (np.zeros(3), "gpu")):  # on one rank only
    try:
        if comm.rank == 1:
            multiway.sort_across(wrong, comm, device=device)
        else:
            multiway.sort_across(np.zeros(3), comm)
    except ValueError as error:  # what it is there, and which rank it was elsewhere
        cases += ("expected" if comm.rank == 1 else "rank 1") in str(error)
assert comm.allreduce(int(cases)) == comm.size * cases
if comm.rank == 0:
    print(cases + 1)
