"""sort_across with mpi4py, where that and mpirun are."""
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest


def test_ranks():
    mpirun = shutil.which("mpirun")
    if not mpirun or not find_spec("mpi4py"):  # importing it here would start MPI
        pytest.skip("no mpi4py or no mpirun")
    here = Path(__file__).parent
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1",
                   "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                   "OMPI_MCA_rmaps_base_oversubscribe": "1",
                   "OMPI_MCA_mpi_yield_when_idle": "1"}
    told = subprocess.run([mpirun, "-n", "3", sys.executable, "-m", "mpi4py",
                           here / "across_ranks.py"], env=environment,
                          capture_output=True, text=True, timeout=100)
    assert told.stdout.strip() == "29", told.stderr
