"""Count in the simulator what docs/reproduction.md says of conflicts and traffic.

    counts.py MULTIWAY FOLDER [--check MOST EVERY]

Runs `multiway count` and writes FOLDER/sim-sortedness.tsv and FOLDER/sim-claims.tsv.
With --check it writes nothing and compares: of the rows of at most MOST keys every
EVERY-th is counted again and must stand in the files. No row is like its neighbours,
so with a number prime to 5 and 7, of ways and shapes, that meets all of either.
"""

import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

SORTEDNESS = 4352 << 8  # keys, a whole number of tiles of engine pair
LARGE = 10 ** 8  # the keys of the figure that this stands beside
WAYS = [2, 4, 8, 16, 32]
SHAPES = ["sorted", "reversed", "equal", "permutation", "organ", "sawtooth:256",
          "conflict:17,256"]

COLUMNS = ["engine", "type", "shape", "count", "ways", "base", "rounds", "wavefronts",
           "conflicts", "search_conflicts", "merging_conflicts", "merge_wavefronts",
           "merge_ideal", "sectors", "requests", "requests_formula", "bulk_sectors",
           "bulk_sectors_formula", "warp_bytes", "warp_bytes_formula", "claims", "held"]


def scaled(shape):
    """A shape for SORTEDNESS keys: swaps of LARGE keys in proportion."""
    name, _, swaps = shape.partition(":")
    return f"swaps:{max(1, int(swaps) * SORTEDNESS // LARGE)}" if name == "swaps" else shape


def sortedness():
    """Engines over the shapes of figure 1, with swaps in proportion."""
    shapes = ["sorted", *(f"swaps:{10 ** digits}" for digits in range(3, 8)), "permutation",
              "conflict:17,256", "conflict:11,128", "conflict:17,256,worst"]
    for engine in "pair", "heap", "tile":
        for shape in shapes:
            yield engine, "i32", scaled(shape), SORTEDNESS, []


def claims():
    """Engine heap over types, ways and shapes; then the growth of traffic with ways."""
    for name in "u8", "i16", "i32", "f64":
        for ways in WAYS:
            for shape in SHAPES:
                yield "heap", name, shape, 20011, ["--ways", str(ways), "--base", "1024"]
    rows = {"i32": ["--threads", "128", "--items", "32"],
            "i64": ["--threads", "128", "--items", "16"]}  # as long as on large inputs
    for engine in "tile", "pair":
        for name in "i32", "i64":
            for shape in SHAPES:
                yield engine, name, shape, 40009, rows[name] if engine == "tile" else []
    for ways in WAYS:
        yield "heap", "i32", "permutation", 1 << 20, ["--ways", str(ways), "--base", "1024"]


FILES = {"sim-sortedness": sortedness, "sim-claims": claims}


def count(multiway, engine, name, shape, keys, options):
    """One row: what one sort in the simulator cost."""
    said = subprocess.run(
        [multiway, "count", "--type", name, "--shape", shape, "--count", str(keys),
         "--engine", engine, "--json"] + options, capture_output=True, text=True)
    if said.returncode != 0:
        raise SystemExit(f"{engine} {name} {shape} {keys}: {said.stderr}{said.stdout[:200]}")
    told = json.loads(said.stdout)
    rows = {claim["row"]: claim for claim in reversed(told["claims"])}
    merged = ["-", "-"]
    for kernel in told["kernels"]:
        if kernel["kernel"] == "pair_merge" and kernel["serial_merges"]:
            cost = kernel["serial"]["shared_wavefronts"]
            merged = [f"{number / kernel['serial_merges']:.2f}" for number
                      in (cost, cost - kernel["serial"]["shared_conflicts"])]
    row = [engine, name, shape, keys, told["tuning"]["ways"], told["tuning"]["base"],
           told["rounds"], told["total"]["shared_wavefronts"],
           told["total"]["shared_conflicts"], told["searches"]["shared_conflicts"],
           told["merging"]["shared_conflicts"], *merged, told["total"]["global_sectors"]]
    for claim in "C2", "C3", "C4":
        row += ([rows[claim]["counted"], rows[claim]["formula"]] if claim in rows
                else ["-", "-"])
    named = [claim for claim in told["claims"] if claim["row"]]
    row += [len(named), sum(claim["holds"] for claim in named)]
    return "\t".join(map(str, row))


def count_all(multiway, runs):
    """Their rows in order, as many at a time as there are processors."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from pool.map(lambda run: count(multiway, *run), runs)


def write(multiway, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for stem, runs in FILES.items():
        path = folder / f"{stem}.tsv"
        with path.open("w") as file:
            file.write("# machine: the simulator; counts are the same on every machine\n"
                       f"# what: {runs.__doc__}\n"
                       "# command: multiway count --json, by bench/plots/counts.py\n"
                       + "\t".join(COLUMNS) + "\n")
            file.writelines(line + "\n" for line in count_all(multiway, runs()))
        print(path)
    return 0


def check(multiway, folder, most, every):
    """1 if a row differs, each of which is named."""
    wrong = 0
    for stem, runs in FILES.items():
        path = folder / f"{stem}.tsv"
        lines = path.read_text().splitlines()
        small = [run for run in runs() if run[3] <= int(most)]
        for line in count_all(multiway, small[::int(every)]):
            if line not in lines:
                print(f"{path} is not what is counted now:\n{line}")
                wrong = 1
    return wrong


def main(multiway, folder, option=None, *numbers):
    command = check if option == "--check" else write
    return command(multiway, pathlib.Path(folder), *numbers)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
