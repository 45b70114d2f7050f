"""pinned.py CALIBRATE RESULT... - the simulator still counts what a GPU counted.

RESULT is what bench/calibrate.py wrote. Its simulator's side is counted again, except for
the largest sorts. Speaks TAP. The bounds:

* micro-kernels of one warp are equal; with more warps, within 2 % (the memory pipe
  sometimes takes an extra cycle);
* of sorts, loads and stores together, shared wavefronts within 1 % by either counter (3 %
  by the memory pipe's where 4 million keys keep all SMs busy), sectors within 2 %. Not
  compared: kernels that find cuts, and the sectors that tile_merge loads, because its
  blocks poll for cuts.

docs/simulator.md must have the tables of the last RESULT.
"""

import collections
import pathlib
import re
import subprocess
import sys
import tempfile

TREE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TREE / "bench"))
from calibrate import is_micro, number  # noqa: E402 (the path comes first)


def recount(*arguments):
    return subprocess.run([sys.executable, TREE / "bench/recount.py", *arguments],
                          capture_output=True, text=True)


def counted_again(calibrate, result):
    """The lines of a result, those of small sorts counted again; and what went wrong."""
    lines = pathlib.Path(result).read_text().splitlines()
    large = [line for line in lines if line[0] != "#" and line[:7] != "kernel\t"
             and int(line.split("\t")[3]) >= 1000000]
    with tempfile.NamedTemporaryFile("w", suffix=".tsv") as file:
        file.write("\n".join(line for line in lines if line not in set(large)))
        file.flush()
        said = recount("counts", file.name, calibrate)
    lines = [line for line in said.stdout.splitlines() if line[0] != "#"][1:]
    return [line.split("\t") for line in lines + large], said.stderr


def bound(kernel, case, count, figure):
    """In percent; None if this is not compared."""
    exact = figure.endswith("_by_instruction")
    if is_micro(kernel):
        return 2 if "warps" in case and not exact else 0
    if kernel.endswith("_cut") or (kernel == "tile_merge" and "load_sectors" in figure):
        return None
    if re.fullmatch("shared_.*wavefronts(_by_instruction)?", figure):
        return 3 if count >= 4000000 and not exact else 1
    return 2 if figure.endswith("sectors") else None


def compare(lines):
    """{what: [launches beyond the bound]}"""
    sums = collections.defaultdict(lambda: [0, 0, 0])
    for kernel, kind, case, count, launch, figure, sim, gpu, _ in lines:
        most = bound(kernel, case, int(count), figure)
        if most is None:
            continue
        if not is_micro(kernel):
            figure = re.sub("_(load|store)", "", figure)
        some = sums[kernel, kind, figure, f"{case}, {count}, launch {launch}"]
        some[:] = some[0] + int(sim), some[1] + number(gpu), most
    found = collections.defaultdict(list)
    for (kernel, kind, figure, launch), (sim, gpu, most) in sums.items():
        beyond = abs(sim - gpu) > gpu * most / 100
        found[f"{kernel}, {kind}, {figure}"] += [f"{launch}: {sim}, the GPU {gpu}"] * beyond
    return found


def main(calibrate, *results):
    number_of, failed = 0, 0

    def say(what, trouble):
        nonlocal number_of, failed
        number_of += 1
        failed |= bool(trouble)
        print("not ok" if trouble else "ok", number_of, "-", what)
        print("".join(f"# {line}\n" for line in trouble), end="")

    for result in results:
        lines, missing = counted_again(calibrate, result)
        for what, trouble in compare(lines).items():
            say(what, trouble)
        say("every launch is still made", missing.splitlines())
    page = (TREE / "docs/simulator.md").read_text().splitlines()
    say("docs/simulator.md has the tables",
        [line for line in recount("tables", results[-1]).stdout.splitlines()
         if line not in page][:3])
    print(f"1..{number_of}")
    return failed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
