"""torch_argsort.py [COUNT]: the time of torch.argsort, stable, in ms, as TSV.

Rows a32 (uint32, or int32 where torch cannot sort that) and a64 (int64), as the kinds of
multiway-anything: random keys on the GPU, median of 10 trials after 2 warm-ups.
"""
import statistics
import sys

import torch


def sortable(dtype):
    try:
        torch.argsort(torch.zeros(8, dtype=torch.int32, device="cuda").view(dtype), stable=True)
        return True
    except (RuntimeError, TypeError, NotImplementedError):
        return False


def milliseconds(call):
    first = torch.cuda.Event(enable_timing=True)
    last = torch.cuda.Event(enable_timing=True)
    times = []
    for _ in range(12):
        first.record()
        result = call()
        last.record()
        last.synchronize()
        times.append(first.elapsed_time(last))
        del result
    return statistics.median(times[2:])


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1 << 27
    narrow = getattr(torch, "uint32", None)
    narrow = narrow if narrow is not None and sortable(narrow) else torch.int32
    print("kind\tcount\tdtype\ttorch_ms")
    for kind, whole, dtype in (("a32", torch.int32, narrow), ("a64", torch.int64, torch.int64)):
        limits = torch.iinfo(whole)
        keys = torch.randint(limits.min, limits.max, (count,), dtype=whole, device="cuda")
        name = str(dtype).replace("torch.", "")
        ms = milliseconds(lambda: torch.argsort(keys.view(dtype), stable=True))
        print(f"{kind}\t{count}\t{name}\t{ms:.5f}")


if __name__ == "__main__":
    main()
