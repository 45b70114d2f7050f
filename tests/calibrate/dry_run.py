"""dry_run.py CALIBRATE - bench/calibrate.py without a GPU. Speaks TAP.

A fake GPU and a fake ncu return the simulator's counts. One counter is unknown to that
ncu, one has no value, one is off by ten in tile_sort, and L2 sees a tenth less than L1.
"""

import csv
import os
import pathlib
import re
import subprocess
import sys
import tempfile

TREE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TREE / "bench"))
import calibrate  # noqa: E402 (the path comes first)

UNKNOWN = calibrate.COUNTERS["shared_store_conflicts"]
SILENT = calibrate.COUNTERS["global_store_requests"]
CASES = "sort i32 20001 random heap,tile,pair\nsort i64 2100007 random tile\nmicro 0 400\n"


def count(arguments, processors=()):
    """The simulator's counts, kept in a file for the next call."""
    arguments = [*arguments, *processors]
    kept = pathlib.Path(os.environ["KEPT"], "-".join(arguments))
    if not kept.exists():
        part = kept.with_name(f"part-{os.getpid()}")
        part.write_text(subprocess.run([os.environ["CALIBRATE"], "sim", *arguments],
                                       capture_output=True, text=True, check=True).stdout)
        part.rename(kept)
    return kept.read_text()


def sms(arguments, count_="132"):
    return [count_] if arguments[0] == "sort" else []


def fake_calibrate(device, *arguments):
    if arguments[0] == "info":
        print("name\tFake GPU\ndriver\t1.2\nprocessors\t132\narchitecture\t90")
    elif device == "sim":
        print(count(arguments), end="")
    else:
        planted = os.environ.get("PLANTED_SMS", "132")
        for line in count(arguments, sms(arguments, planted)).splitlines():
            print(*line.split("\t")[:8], sep="\t")


def value_of(counter, row):
    if "pct_of_peak" in counter:
        return "60.25"
    figure = next(name for name, its in calibrate.COUNTERS.items() if its == counter)
    value = int(row[re.sub("_(by_instruction|at_l2)$", "", figure)])
    if figure == "shared_load_wavefronts_by_instruction" and row["kernel"] == "tile_sort":
        value += 10
    if figure.endswith("_at_l2"):
        value -= value // 10
    return "n/a" if counter == SILENT else f"{value:,}"


def fake_ncu(*arguments):
    if arguments[0] == "--version":
        return print("Version 0.0 (fake)")
    counters = arguments[arguments.index("--metrics") + 1].split(",")
    at = arguments.index("--log-file") + 1
    log, command = pathlib.Path(arguments[at]), arguments[at + 1:]
    planted = os.environ.get("PLANTED_FAILURE")
    if UNKNOWN in counters:
        log.write_text(f"==ERROR== Failed to find metric regex:^{UNKNOWN[:-4]}(\\.(sum))$\n")
        return 1
    if planted == "ncu fails":
        return 1
    subprocess.run(command, check=True)
    with log.open("w") as file:
        file.write("==PROF== Connected to process 1\n")
        lines = csv.writer(file, quoting=csv.QUOTE_ALL)
        lines.writerow(["ID", "Kernel Name", "Block Size", "Grid Size", "Metric Name",
                        "Metric Value"])
        for row in calibrate.rows_of(count(command[2:], sms(command[2:]))):
            for counter in [] if planted == "ncu is silent" else counters:
                lines.writerow([row["number"], row["kernel"] + "(args)",
                                f"({row['threads']}, 1, 1)", f"({row['blocks']}, 1, 1)",
                                counter, value_of(counter, row)])


def read(path):
    return calibrate.rows_of(re.sub("(?m)^#.*\n", "", path.read_text()))


def tests(work):
    """Yields what must hold and whether it does."""
    out = work / "out"

    def run(command, cases, **planted):
        (work / "cases").write_text(cases)
        return subprocess.run(
            [sys.executable, TREE / "bench/calibrate.py", command, work / "build", out,
             work / "cases"], capture_output=True, text=True,
            env={**os.environ, "PATH": f"{work}:{os.environ['PATH']}", **planted})

    def refuses(words, *arguments, **planted):
        said = run(*arguments, **planted)
        return said.returncode and words in said.stdout + said.stderr

    said = run("measure", CASES)
    yield "all cases are compared", said.returncode == 0 or print(said)
    rows = read(out / "calibration.tsv")
    yield "every kernel has rows", {row["kernel"] for row in rows} >= set(
        "heap_base heap_cut heap_merge tile_sort tile_merge tile_join pair_sort pair_cut "
        "pair_merge shared_load shared_store global_load".split())
    off = {(row["kernel"], row["figure"]) for row in rows
           if row["difference_percent"] != "0.00" and not row["figure"].endswith("_at_l2")}
    yield "the planted difference shows, and no other", off == {
        ("tile_sort", "shared_load_wavefronts_by_instruction")}
    yield "counters that are unknown or silent have no rows", not {
        row["figure"] for row in rows} & {"shared_store_conflicts", "global_store_requests"}
    yield "a pass reads each key from DRAM", any(
        int(row["ncu"]) == 8 * int(row["count"]) + 8 for row in rows
        if (row["kernel"], row["type"], row["figure"]) == ("tile_sort", "i64",
                                                           "memory_load_bytes"))
    yield "another plan on the GPU is an error", refuses(
        "FAILED", "measure", CASES.splitlines()[0], PLANTED_SMS="1")

    said = run("traffic", "i64 2100007\nu16 2^15")
    yield "traffic is reported", said.returncode == 0 or print(said)
    rows = [{name: float(cell) for name, cell in row.items()
             if name not in ("type", "count", "kernel")} for row in read(out / "traffic.tsv")]
    of_i64 = rows[:4]
    yield "launch by launch", [row["launch"] for row in rows[:5]] == [0, 1, 2, 3, 0]
    yield "in percent beyond the keys", all(abs(
        row[f"{cache}_percent"] + 100 - 200 * (row[f"{cache}_read"] + row[f"{cache}_written"])
        / 2100007) < 0.01 for row in of_i64 for cache in ("l1", "l2"))
    yield "for a power of two, too", 1 < rows[4]["l1_percent"] < 2
    yield "other cases are refused", refuses("not a type and a count", "traffic", "i32 20k")
    for planted, words in ("ncu fails", "ncu failed"), ("ncu is silent", "nothing"):
        yield planted, refuses(words, "traffic", "i32 20001", PLANTED_FAILURE=planted)


def main():
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        os.environ["KEPT"] = folder
        (work / "build/tests/calibrate").mkdir(parents=True)
        for path, fake in (work / "ncu", "ncu"), \
                (work / "build/tests/calibrate/calibrate", "calibrate"):
            path.write_text(f"#!/bin/sh\nexec {sys.executable} {__file__} --{fake} \"$@\"\n")
            path.chmod(0o755)
        results = list(tests(work))
    for i, (what, passed) in enumerate(results, 1):
        print("ok" if passed else "not ok", i, "-", what)
    print(f"1..{len(results)}")
    return not all(passed for _, passed in results)


if __name__ == "__main__":
    if sys.argv[1] in ("--ncu", "--calibrate"):
        fake = fake_ncu if sys.argv[1] == "--ncu" else fake_calibrate
        sys.exit(fake(*sys.argv[2:]))
    os.environ["CALIBRATE"] = sys.argv[1]
    sys.exit(main())
