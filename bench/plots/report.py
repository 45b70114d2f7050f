"""Write docs/reproduction.md from the tables of results.

    report.py RESULTS FILE

It needs no more than Python; figures.py draws what the page shows.
"""

import pathlib
import sys

import claims
import claims_speed
import facts
from tables import Results, times
from words import (FAILS, HOLDS, PARTLY, gkeys, listing, name_of, percent, power, shape_text,
                   table)

HEAD = """# The paper, measured again

*An Efficient Multiway Mergesort for GPU Architectures* (Casanova, Iacono, Karsin, Sitchinava, Weichert) makes ten claims that can be checked and shows seven figures. This page repeats them on an {machine}, and says of each claim whether it holds there. {summary}

Everything here is made by two commands. The page and its figures come from the tables in [bench/results/reproduction](../bench/results/reproduction), and none of its measurements is typed by hand:

```sh
make reproduction     # on a machine with a GPU: measure, a few minutes
make figures          # anywhere: count in the simulator, draw, write this page
```

## How it was measured

{machine}, driver {driver}; {clocks}. {rivals}. Measured on {date}, {commit}.

As in the paper: keys in device memory, transfers not counted, CUDA events around each sort, ten trials, means, bars from the least to the greatest. Beyond it: two warm-ups, everybody on the same input in one process, the input copied anew before each trial, and every result verified ([benchmarks.md](benchmarks.md)). Conflicts and transactions are counted in runs of their own, as in the paper, but by the [simulator](simulator.md) instead of a profiler. "Random" is a permutation without repeats, "conflict-heavy" an input constructed against the pairwise merge of CUB and Thrust (`conflict:17,256`, see [pair.md](pair.md)).

The paper's MMS is engine `heap` here. Its rivals were Thrust and modernGPU, which are pairwise mergesorts, CUB's radix sort, and a GPU samplesort. {absent}No maintained code of that samplesort exists, so it is absent; the paper found it far behind everyone else.

## The claims
"""

CAPTIONS = [
    ("1-sortedness", "Run time and conflicts against sortedness", "sortedness"),
    ("2-ways", "Throughput over N for K = 2 to 32", "ways"),
    ("3-warps", "Run time over P", "warps"),
    ("4-random-i32", "Throughput over N, random, 4-byte keys", "random_i32"),
    ("5-random-i64", "Throughput over N, random, 8-byte keys", "random_i64"),
    ("6-conflict", "Throughput over N, conflict-heavy", "conflict"),
    ("7-speedup", "Speed-up over each rival", "speedup"),
    ("8-limits", "What memory would allow", "limits"),
]


def rates(table_, shape):
    """The throughputs at the greatest count, in words."""
    found = times(table_, shape=shape)
    count = max(table_.names("count"))
    order = sorted((name for name in found if count in found[name] and name != "copy"),
                   key=lambda name: found[name][count]["mean_ms"])
    said = listing(f"{name_of(name)} {gkeys(count, found[name][count]['mean_ms'])}"
                   for name in order)
    return f"At {power(count)} keys, in billions of keys a second: {said}."


def sortedness(results):
    measured = results["fig1-sortedness"]
    growth = []
    for name in measured.names("contestant"):
        rows = {row["shape"]: row["mean_ms"]
                for row in measured.where(contestant=name, verified="yes")}
        if "sorted" in rows and "permutation" in rows:
            growth.append(f"{name_of(name)} {rows['permutation'] / rows['sorted']:.2f}")
    heap = {row["shape"]: row["mean_ms"]
            for row in measured.where(contestant="heap", verified="yes")}
    worst = max(heap, key=heap.get)
    hump = heap[worst] / heap["permutation"]
    counted = results["sim-sortedness"].where(engine="pair")
    sectors = [row["sectors"] for row in counted]
    return ("The paper's first figure, and its later one with the conflict-heavy input at the "
            "right end. Time on random keys over time on sorted keys: "
            f"{listing(growth)}. "
            + (f"Engine `heap` takes longest on {shape_text(worst)}, {hump:.2f} times as long "
               "as on random keys, without a conflict (C6). " if hump > 1.05 else "")
            + "Transactions with global memory, which the paper shows to "
            "hardly change, differ by "
            f"{percent(max(sectors) / min(sectors) - 1)} over all these inputs for engine "
            "`pair`; its conflicts differ by a factor of "
            f"{max(r['conflicts'] for r in counted) / min(r['conflicts'] for r in counted):.0f}.")


def ways(results):
    found = times(results["fig2-ways"])
    count = max(results["fig2-ways"].names("count"))
    best = {}
    for engine in "heap", "tile":
        rows = {int(name.split(":")[1]): row[count] for name, row in found.items()
                if name.startswith(engine) and count in row}
        best[engine] = min(rows, key=lambda k: rows[k]["mean_ms"])
    return (f"Each K of engine `heap` with the P that figure 3 found best for it; beside it "
            f"engine `tile`, merging at most K ways. At {power(count)} keys K = {best['heap']} "
            f"is best for `heap` and K = {best['tile']} for `tile`.")


def warps(results):
    best = {k: facts.best_warps(results, k) for k in (2, 4, 8, 16, 32)}
    return ("The best P is " + listing(f"{best[k]:,} for K = {k}" for k in best)
            + "; the paper looked for it between 60 and 1,000.")


def random_i32(results):
    return rates(results["fig4-random-i32"], "permutation")


def random_i64(results):
    return rates(results["fig5-random-i64"], "permutation")


def conflict(results):
    return rates(results["fig6-conflict-i32"], "conflict:17,256")


def speedup(_):
    return ("Above the line ours is faster. The upper row is the paper's figure; the lower "
            "row shows engine `tile` on the same axes. CUB's radix sort is here for "
            "completeness, as in the paper: it does not compare keys, and meets no such "
            "conflicts.")


def limits(results):
    said = []
    for bits, kind in ((4, "i32"), (8, "i64")):
        measured = results[f"fig{bits // 4 + 3}-random-{kind}"]
        launches = results[f"fig{bits // 4 + 3}-launches-{kind}"]
        found = times(measured, shape="permutation")
        count = max(measured.names("count"))
        parts = []
        for name in "tile", "heap", "cub-merge", "cub-radix":
            bound = facts.limits(measured, launches, name)
            if name in found and count in bound:
                reached = 1e-6 * count / found[name][count]["mean_ms"] / bound[count]
                parts.append(f"{name_of(name)} {percent(reached)}")
        if parts:
            said.append(f"with {bits}-byte keys {listing(parts)}")
    reached = (f" At {power(count)} keys they reach of that, " + "; ".join(said) + "."
               if said else "")
    return ("Not in the paper. A dashed line is how fast a sort would be if each of its passes "
            "over memory cost what a plain copy of as many keys costs, measured in the same "
            "run. CUB's merge sort makes a pass for its tiles and one for each doubling; CUB's "
            "radix sort one for each 8 bits and a reading beforehand." + reached
            + " A sort far below its line waits for something else than memory: for engine "
            "`heap` the networks of its node merges, for engine `tile` shared memory and "
            "integer instructions ([tile.md](tile.md)).")


def summary(found):
    count = {verdict: [claim.row for claim in found if claim.verdict == verdict]
             for verdict in (HOLDS, PARTLY, FAILS)}
    parts = []
    if count[HOLDS]:
        parts.append(f"{listing(count[HOLDS])} hold" + ("s" if len(count[HOLDS]) == 1 else ""))
    if count[PARTLY]:
        parts.append(f"{listing(count[PARTLY])} in part")
    if count[FAILS]:
        parts.append(f"{listing(count[FAILS])} "
                     + ("does" if len(count[FAILS]) == 1 else "do") + " not")
    return "Of the claims " + "; ".join(parts) + "."


def commits(results):
    """What was measured, and in which figures if not all are of one commit."""
    files = {}
    for name, table in sorted(results.tables.items()):
        commit = table.header.get("commit")
        if commit and name.startswith("fig"):
            files.setdefault(commit, set()).add(name[3])
    if len(files) == 1:
        return f"commit {next(iter(files))}"
    return "commits " + listing(f"{commit} (figures {listing(sorted(figures))})"
                                for commit, figures in sorted(files.items()))


def header(results, found):
    measured = results["fig4-random-i32"]
    head = measured.header
    absent = [name for name in ("thrust", "moderngpu", "cub-radix", "cub-merge")
              if name not in measured.names("contestant")]
    return HEAD.format(
        machine=head.get("machine", "?"), driver=head.get("driver", "?"),
        clocks=head.get("clocks", "?"), rivals=f"Rivals: {head.get('rivals', '?')}",
        date=head.get("date", "?")[:10], commit=commits(results),
        summary=summary(found),
        absent=(f"Not measured in this run: {listing(map(name_of, absent))}. "
                if absent else "")
        + "CUB's merge sort, the pairwise mergesort of today, is added. ")


def page(results):
    found = [claims.c1(results), claims.c2(results), claims.c3(results), claims.c4(results),
             claims.c5(results), claims.c6(results), claims.c7(results),
             claims_speed.c8(results), claims_speed.c9(results), claims_speed.c10(results)]
    parts = [header(results, found),
             table(["", "the paper", "here", "verdict"],
                   [[claim.row, claim.says, claim.found, claim.verdict] for claim in found])]
    parts += ["\n## Figures\n"]
    for number, (stem, title, function) in enumerate(CAPTIONS, 1):
        parts.append(f"### {number}. {title}\n\n![{title}](figures/figure-{stem}.svg)\n\n"
                     + globals()[function](results) + "\n")
    parts.append("## Claim by claim\n")
    for claim in found:
        says = claim.says[0].upper() + claim.says[1:]
        parts.append(f"### {claim.row}. {says}\n\n**{claim.verdict.capitalize()}.** "
                     if not claim.text.startswith("|")
                     else f"### {claim.row}. {says}\n\n**{claim.verdict.capitalize()}.**\n\n")
        parts[-1] += claim.text + "\n"
    return "\n".join(parts)


def main(results, file):
    pathlib.Path(file).write_text(page(Results(results)))
    print(file)


if __name__ == "__main__":
    main(*sys.argv[1:])
