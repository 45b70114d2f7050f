"""torch_rows.py: the times of torch.sort and torch.topk in ms, as TSV.

Rows of a matrix of 2^24: torch.sort(dim=1, stable=True) of int32 and torch.topk(dim=1,
k=64) of float32, as `multiway bench --operation segments --jobs 256+positions` and
`--operation select --jobs 64/256`; and torch.topk of one array. Random keys on the GPU, median of 10 trials after 2
warm-ups.
"""
import torch

from torch_argsort import milliseconds

COUNT = 1 << 24


def show(operation, case, count, call):
    print(f"{operation}\t{case}\t{count}\t{milliseconds(call):.5f}", flush=True)


def main():
    limits = torch.iinfo(torch.int32)
    keys = torch.randint(limits.min, limits.max, (COUNT,), dtype=torch.int32, device="cuda")
    floats = torch.randn(COUNT, device="cuda")
    print("operation\tcase\tcount\ttorch_ms")
    for columns in (16, 256, 4096, 65536, 1 << 20):
        matrix = keys.view(-1, columns)
        show("rows", f"sort-{columns}", COUNT,
             lambda: torch.sort(matrix, dim=1, stable=True))
        rows = floats.view(-1, columns)
        show("rows", f"top-{columns}", COUNT,
             lambda: torch.topk(rows, min(64, columns), dim=1))
    for power in (17, 20, 24, 27):
        array = torch.randn(1 << power, device="cuda")
        for k in (16, 64, 4096):
            show("select", f"f32-random-{k}", 1 << power, lambda: torch.topk(array, k))


main()
