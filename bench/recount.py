"""The results of calibrate.py, without a GPU.

    recount.py counts RESULT [CALIBRATE]   RESULT with the simulator's columns of today
    recount.py tables RESULT               the tables of docs/simulator.md
"""

import collections
import csv
import pathlib
import re
import sys

from calibrate import is_micro, launches, number, percent


def counts(result, calibrate="build/tests/calibrate/calibrate"):
    """A launch is known by its kernel and its number among those of this kernel. One that
    is not made any more is an error, unless it only found cuts: then its lines are left
    out."""
    text = pathlib.Path(result).read_text()
    lines = [line.split("\t") for line in text.splitlines() if not line.startswith("#")][1:]
    processors = re.search(r"^# machine: .* (\d+) multiprocessors$", text, re.M)[1]
    sorts = dict.fromkeys((line[1], line[3], line[2]) for line in lines
                          if not is_micro(line[0]))
    now, counted = {}, collections.Counter()
    for case in [["micro"]] + [["sort", *one, "heap,tile,pair", processors] for one in sorts]:
        for row in launches(calibrate, "sim", case):
            key = row["kernel"], row["type"], row["input"], row["count"]
            counted[key] += 1
            now[key, counted[key]] = row
    numbers, failed = collections.defaultdict(dict), 0
    for line in text.splitlines():
        if line.startswith("#") or line.startswith("kernel\t"):
            print(line)
            continue
        cells = line.split("\t")
        seen = numbers[tuple(cells[:4])]
        row = now.get((tuple(cells[:4]), seen.setdefault(cells[4], len(seen) + 1)))
        if row:
            sim = int(row[re.sub("_(by_instruction|at_l2)$", "", cells[5])])
            gpu = number(cells[7])
            print(*cells[:6], sim, cells[7], percent(sim, gpu), sep="\t")
        elif not cells[0].endswith("_cut"):
            print(f"no launch {cells[4]} of {cells[0]}, {cells[1]}, {cells[2]}",
                  file=sys.stderr)
            failed = 1
    return failed


def markdown(head, rows):
    for row in [head, ["---"] * len(head)] + rows:
        print("| " + " | ".join(row) + " |" if row[0] != "---" else "|" + "---|" * len(row))
    print()


def tables(result):
    """The launches of 2^20 random keys, the largest differences, the micro-kernels. Loads
    and stores are added up."""
    sums = collections.defaultdict(lambda: [0, 0])  # (launch, figure) -> simulator, GPU
    big = collections.defaultdict(lambda: [0, 0])  # (kernel, type, figure) -> the same
    micro = collections.defaultdict(list)  # (kernel, warps) -> (bytes, equal, difference)
    kernels = collections.defaultdict(dict)  # kernel -> its launches
    for line in csv.reader(pathlib.Path(result).read_text().splitlines(), delimiter="\t"):
        if line[0].startswith("#") or line[0] == "kernel":
            continue
        kernel, kind, case, count, _, figure, sim, gpu, off = line
        figure = re.sub("_(load|store)", "", figure)
        if not is_micro(kernel):
            kernels[kernel][tuple(line[:5])] = 1
            some = [sums[tuple(line[:5]), figure]]
            if case == "random" and count == "1048576":
                some.append(big[kernel, kind, figure])
            for pair in some:
                pair[:] = pair[0] + int(sim), pair[1] + number(gpu)
        elif "by_instruction" not in figure:
            micro[kernel, "eight" if "warps" in case else "one"].append(
                (kind, sim == gpu, float(off)))

    def cells(kernel, kind, figure):
        if (kernel, kind, figure) not in big and figure.startswith("shared"):
            return ["", ""] if kernel.endswith("_cut") else ["0", "0"]
        return [f"{value:,}" for value in big[kernel, kind, figure]]

    def worst(kernel, figure):
        if kernel.endswith("_cut") and figure.startswith("shared"):
            return ""
        pairs = [sums[launch, figure] for launch in kernels[kernel]]
        offs = [100 * (sim - gpu) / gpu if gpu else 0 for sim, gpu in pairs]
        off = max(offs, key=abs)
        return f"{off:.3f} %" if off else "none"

    markdown(["kernel", "keys", "wavefronts", "Nsight Compute", "conflicts",
              "Nsight Compute", "sectors", "Nsight Compute"],
             [[f"`{kernel}`", kind, *cells(kernel, kind, "shared_wavefronts"),
               *cells(kernel, kind, "shared_conflicts"),
               *cells(kernel, kind, "global_sectors")]
              for kernel, kind in dict.fromkeys(key[:2] for key in list(big))])
    markdown(["kernel", "launches", "wavefronts", "by instruction", "shared requests",
              "sectors", "global requests"],
             [[f"`{kernel}`", str(len(kernels[kernel]))]
              + [worst(kernel, figure) for figure in
                 ("shared_wavefronts", "shared_wavefronts_by_instruction",
                  "shared_requests", "global_sectors", "global_requests")]
              for kernel in kernels])
    sizes = ["1 byte", "2 bytes", "4 bytes", "8 bytes", "16 bytes"]
    rows = []
    for (kernel, warps), some in micro.items():
        equal = [[same for kind, same, _ in some if kind == size] for size in sizes]
        off = max((off for _, _, off in some), key=abs)
        rows.append([f"`{kernel}`", warps] + [f"{sum(e)} of {len(e)}" for e in equal]
                    + [f"{off:.2f} %" if off else "none"])
    markdown(["kernel", "warps", *sizes, "largest difference"], rows)
    return 0


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in ("counts", "tables"):
        sys.exit(__doc__)
    sys.exit({"counts": counts, "tables": tables}[sys.argv[1]](*sys.argv[2:]))
