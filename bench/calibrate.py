"""Compare the simulator's counts with Nsight Compute's.

    calibrate.py measure [BUILD [OUT [CASES]]]   on a GPU: writes OUT/calibration.tsv
    calibrate.py traffic [BUILD [OUT [CASES]]]   on a GPU: writes OUT/traffic.tsv

Both need ncu and `cmake --build BUILD --target calibrate`. BUILD is
`build`, OUT is BUILD/calibration. `measure` runs every kernel of every engine, and
micro-kernels that make one kind of access, under the profiler and in the simulator, with
the same input and the same plan. `traffic` sorts random keys with engine tile and reports
for each launch its L1 and L2 sectors, its DRAM bytes, and how busy its pipes were. CASES
is a file with other cases, in lines like those below. Results are rewritten after each
case; no case starts later than SECONDS_MOST (210) seconds. COMMIT names the commit if git
cannot. recount.py needs no GPU.
"""

import collections
import concurrent.futures
import csv
import datetime
import os
import pathlib
import re
import subprocess
import sys
import time

TREE = pathlib.Path(__file__).resolve().parent.parent

# A figure and its counter. l1tex counters belong to the memory pipe, which sometimes takes
# an extra cycle because of other warps. The sass counters (_by_instruction) are computed
# from addresses and know no other warps. DRAM bytes stand beside distinct sectors: caches
# are empty when a launch begins, but what it writes may stay in L2.
COUNTERS = {
    "shared_load_requests": "smsp__sass_inst_executed_op_shared_ld.sum",
    "shared_store_requests": "smsp__sass_inst_executed_op_shared_st.sum",
    "shared_load_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "shared_load_wavefronts_by_instruction":
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "shared_store_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "shared_store_wavefronts_by_instruction":
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "global_load_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "global_store_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "global_load_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "global_load_sectors_at_l2": "lts__t_sectors_srcunit_tex_op_read.sum",
    "global_store_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "global_store_sectors_at_l2": "lts__t_sectors_srcunit_tex_op_write.sum",
    "shared_load_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "shared_store_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
    "memory_load_bytes": "dram__bytes_read.sum",
    "memory_store_bytes": "dram__bytes_write.sum",
}

# What `measure` gives to the program calibrate, the most informative cases first.
CASES = """
sort i32 2^20 random heap,tile,pair
sort i64 2^20 random heap,tile,pair
sort i32 2^23 random tile
sort i64 2^22 random tile
micro 0 209
sort u16 300007 random heap,tile,pair
sort u8 300007 random heap,tile,pair
sort i32 278528 conflict:17,256 heap,tile,pair
sort i64 262144 conflict:8,256,worst heap,tile,pair
micro 210 419
micro 420 629
sort u64 200003 organ heap,tile,pair
"""

# Columns of `traffic`. The percents are what is moved beyond reading and writing each key
# once. Up to 60 MiB of what a launch writes are still in L2 when it ends, so dram_percent
# takes what went to L2 as written.
TRAFFIC = {
    "l1_read": COUNTERS["global_load_sectors"],
    "l1_written": COUNTERS["global_store_sectors"],
    "l2_read": COUNTERS["global_load_sectors_at_l2"],
    "l2_written": COUNTERS["global_store_sectors_at_l2"],
    "dram_read_bytes": COUNTERS["memory_load_bytes"],
    "dram_written_bytes": COUNTERS["memory_store_bytes"],
    "issue_busy": "smsp__issue_active.avg.pct_of_peak_sustained_active",
    "alu_busy": "sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_active",
    "fma_busy": "sm__pipe_fmaheavy_cycles_active.avg.pct_of_peak_sustained_active",
    "fp64_busy": "sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active",
    "shared_busy": "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_active",
    "dram_busy": "dram__throughput.avg.pct_of_peak_sustained_elapsed",
}
PERCENTS = ["l1_percent", "l2_percent", "dram_percent"]
TRAFFIC_CASES = ("i32 2^20\ni32 2^23\ni32 2^26\ni32 2^28\ni32 2^29\n"
                 "i64 2^19\ni64 2^22\ni64 2^25\ni64 2^27\ni64 2^28\n"
                 "u16 2^28\nu16 2^29\nu8 2^28\nu8 2^29")

COLUMNS = ["kernel", "type", "input", "count", "launch", "figure", "simulator", "ncu",
           "difference_percent"]
GRID = ["number", "kernel", "type", "input", "count", "blocks", "threads", "shared"]


def is_micro(kernel):
    return re.fullmatch("(shared|global)_(load|store)", kernel) is not None


def percent(sim, gpu):
    if sim == gpu:
        return "0.00"
    return f"{100 * (sim - gpu) / gpu:.2f}" if gpu else "-"


def number(text):
    """12 or 12.5 from "12.5" or "1,234"; None if it is no number."""
    text = text.replace(",", "")
    if not re.fullmatch(r"\d+(\.\d+)?", text):
        return None
    return float(text) if "." in text else int(text)


def launches(calibrate, device, arguments):
    """Run the program calibrate; a dict for each launch that it prints."""
    said = subprocess.run([calibrate, device, *arguments], capture_output=True, text=True)
    if said.returncode:
        raise RuntimeError(said.stderr.strip())
    return rows_of(said.stdout)


def rows_of(text):
    head, *lines = [line.split("\t") for line in text.splitlines()]
    return [dict(zip(head, line)) for line in lines]


def profile(calibrate, arguments, counters, log):
    """Run calibrate on the GPU under ncu: its launches, and ncu's lines by launch."""
    said = subprocess.run(
        ["ncu", "--csv", "--print-units", "base", "--print-kernel-base", "function",
         "--replay-mode", "kernel", "--clock-control", "none", "--metrics",
         ",".join(counters), "--log-file", log, calibrate, "cuda", *arguments],
        capture_output=True, text=True)
    text = log.read_text() if log.exists() else ""
    if said.returncode:
        unknown = re.search(r"ailed to find metric[^a-z]*(?:regex:)?\^?(\w+)",
                            (text + said.stdout + said.stderr).replace("\\", ""))
        raise RuntimeError(f"no counter {unknown[1]}" if unknown else
                           f"ncu failed; its messages are in {log}")
    lines = text.splitlines()
    begin = next((i for i, line in enumerate(lines)
                  if line.replace('"', "").startswith("ID,")), len(lines))
    measured = collections.defaultdict(dict)
    for row in csv.DictReader(lines[begin:]):
        value = number(row["Metric Value"])
        grid = [re.findall(r"\d+", row[name])[0] for name in ("Grid Size", "Block Size")]
        measured[int(row["ID"])].update({"launch": [row["Kernel Name"].split("(")[0]] + grid,
                                         row["Metric Name"]: value})
    if not measured:
        raise RuntimeError(f"ncu measured nothing; its messages are in {log}")
    return rows_of(said.stdout), measured


def known_counters(calibrate, folder):
    """COUNTERS without those that this ncu does not know."""
    known = dict(COUNTERS)
    while known:
        try:
            profile(calibrate, ["micro", "0", "0"], known.values(), folder / "probe.csv")
            return known
        except RuntimeError as error:
            fewer = {figure: counter for figure, counter in known.items()
                     if str(error) != f"no counter {counter.split('.')[0]}"}
            if len(fewer) == len(known):
                raise
            print(error)
            known = fewer
    raise RuntimeError("ncu knows none of the counters")


def wanted(kernel, case, figure):
    """Of a micro-kernel only its own figures; many warps also by instruction."""
    if not is_micro(kernel):
        return True
    return (figure.startswith(kernel) and not figure.endswith("_at_l2")
            and (not figure.endswith("_by_instruction") or "warps" in case))


def compare(sim, gpu, measured, counters):
    """Lines of the result for one case; an error if the launches differ."""
    if [[row[name] for name in GRID] for row in sim] != \
            [[row[name] for name in GRID] for row in gpu]:
        raise RuntimeError("the GPU and the simulator launched something else")
    lines = []
    for row in sim:
        launch = measured[int(row["number"])]
        if launch.get("launch") != [row["kernel"], row["blocks"], row["threads"]]:
            raise RuntimeError(f"ncu saw {launch.get('launch')} as launch {row['number']}")
        for figure, counter in counters.items():
            base = re.sub("_(by_instruction|at_l2)$", "", figure)
            here, there = int(row[base]), launch.get(counter)
            if there is None or here == there == 0 or \
                    not wanted(row["kernel"], row["input"], figure):
                continue
            lines.append([row["kernel"], row["type"], row["input"], row["count"],
                          row["number"], figure, here, there, percent(here, there)])
    return lines


def header(what, calibrate, command):
    info = dict(line.split("\t", 1) for line in subprocess.run(
        [calibrate, "cuda", "info"], capture_output=True, text=True,
        check=True).stdout.splitlines())
    version = subprocess.run(["ncu", "--version"], capture_output=True, text=True).stdout
    commit = os.environ.get("COMMIT") or subprocess.run(
        ["git", "-C", TREE, "rev-parse", "--short", "HEAD"], capture_output=True,
        text=True).stdout.strip() or "unknown"
    return info["processors"], [
        f"# {what}",
        f"# machine: {info['name']}, driver {info['driver']}, "
        f"{info['processors']} multiprocessors",
        "# profiler: " + (re.findall("^Version (.*)", version, re.M) or ["unknown"])[0],
        f"# date: {datetime.datetime.now(datetime.timezone.utc).date()}",
        f"# commit: {commit}", f"# command: python3 bench/calibrate.py {command}"]


def places(build="build", out=None, cases=None):
    """The program calibrate, the folder for results, that for logs, the cases' text."""
    build = pathlib.Path(build)
    calibrate = build / "tests/calibrate/calibrate"
    if not calibrate.exists():
        raise RuntimeError(f"no {calibrate}: cmake --build {build} --target calibrate")
    out, raw = pathlib.Path(out or build / "calibration"), build / "calibration-raw"
    out.mkdir(parents=True, exist_ok=True)
    raw.mkdir(parents=True, exist_ok=True)
    return calibrate, out, raw, cases and pathlib.Path(cases).read_text()


def measure(*arguments):
    calibrate, out, raw, text = places(*arguments)
    cases = [line.split() for line in (text or CASES).splitlines() if line]
    begin, most = time.monotonic(), float(os.environ.get("SECONDS_MOST", 210))
    processors, head = header("the simulator's counts and Nsight Compute's", calibrate,
                              "measure")
    pool = concurrent.futures.ThreadPoolExecutor(os.cpu_count())
    simulated = [pool.submit(launches, calibrate, "sim", case + [processors]
                             if case[0] == "sort" else case) for case in cases]
    counters = known_counters(calibrate, raw)
    head += [f"# {figure}: {counter}" for figure, counter in counters.items()]
    lines, failed = [], 0
    for i, case in enumerate(cases):
        name, past = " ".join(case), time.monotonic() - begin
        try:
            if past > most:
                raise RuntimeError("no time left")
            gpu, measured = profile(calibrate, case, counters.values(), raw / f"{i}.csv")
            lines += compare(simulated[i].result(), gpu, measured, counters)
            write(out / "calibration.tsv", head + ["# what both count as 0 is left out"],
                  COLUMNS, lines)
            print(f"{past:.0f} s: {name}: {len(gpu)} launches")
        except RuntimeError as error:
            print(f"{past:.0f} s: {name} FAILED: {error}")
            failed = 1
    worst = collections.defaultdict(list)
    for line in lines:
        worst[line[0], line[1], line[5]].append(line)
    for key, some in sorted(worst.items()):
        most_off = max(some, key=lambda line: abs(line[6] - line[7]) / (line[7] or 1))
        equal = sum(line[6] == line[7] for line in some)
        print(*key, f"{equal} of {len(some)} equal; worst {most_off[8]} % at {most_off[2]}")
    return failed


def write(path, head, columns, lines):
    path.write_text("\n".join(head + ["\t".join(map(str, line))
                                      for line in [columns] + lines]) + "\n")
    return path


def traffic(*arguments):
    calibrate, out, raw, text = places(*arguments)
    _, head = header("launches of one sort of random keys by engine tile: sectors of L1 "
                     "and L2, bytes of DRAM, percent of peak", calibrate, "traffic")
    head += [f"# {name}: {counter}" for name, counter in TRAFFIC.items()]
    lines = []
    for case in (text or TRAFFIC_CASES).splitlines():
        if not re.fullmatch(r"[iuf](8|16|32|64) \d+(\^\d+)?", case):
            raise RuntimeError(f"not a type and a count: {case}")
        kind, count = case.split()
        base, _, power = count.partition("^")
        keys = 2 * int(kind[1:]) // 8 * int(base) ** int(power or 1)
        gpu, measured = profile(calibrate, ["sort", kind, count, "random", "tile"],
                                TRAFFIC.values(), raw / "traffic.csv")
        for row in gpu:
            values = {name: measured[int(row["number"])].get(counter)
                      for name, counter in TRAFFIC.items()}
            if None in values.values():
                raise RuntimeError(f"ncu has not measured launch {row['number']} of {case}")
            moved = [32 * (values["l1_read"] + values["l1_written"]),
                     32 * (values["l2_read"] + values["l2_written"]),
                     values["dram_read_bytes"] + 32 * values["l2_written"]]
            lines.append([kind, count, row["number"], row["kernel"], *values.values()]
                         + [f"{100 * bytes_ / keys - 100:.2f}" for bytes_ in moved])
        write(out / "traffic.tsv", head,
              ["type", "count", "launch", "kernel", *TRAFFIC, *PERCENTS], lines)
    return 0


if __name__ == "__main__":
    try:
        command = {"measure": measure, "traffic": traffic}[sys.argv[1]]
    except (IndexError, KeyError):
        sys.exit(__doc__)
    try:
        sys.exit(command(*sys.argv[2:]))
    except RuntimeError as error:
        sys.exit(f"calibrate.py: {error}")
