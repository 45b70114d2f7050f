"""The paper's claims C1 to C10: what it says, what we found, and whether it holds.

Each function reads the tables and returns a Claim. Verdicts and the sentences that
depend on them are chosen by the numbers, so that new results cannot leave a false
sentence behind; what explains a verdict is shown only with that verdict.
"""

import dataclasses

import facts
from tables import right, times
from words import (FAILS, HOLDS, PARTLY, listing, name_of, percent, power, shape_text,
                   table)

LIBRARIES = ["cub-merge", "thrust", "moderngpu"]

UNEVEN = ("No bank conflict depends on the keys in engine `heap`, but its time does. In random "
          "order the lists of a warp's piece end together, close to its end, and every level of "
          "its heap is a merge until then. Where there is some order, a piece takes much from "
          "few lists and little or nothing from the rest: a level where one child has run empty "
          "is a move and no merge, so that ordered keys take less time. And cuts take longer to "
          "find where lists are not alike ([kernels.md](kernels.md)).")


@dataclasses.dataclass
class Claim:
    row: str
    says: str  # the paper
    found: str  # our number, in a few words
    verdict: str
    text: str  # the same in full


def c1(results):
    rows = results["sim-claims"].rows + results["sim-sortedness"].rows
    heap = [row for row in rows if row["engine"] == "heap"]
    tile = [row for row in rows if row["engine"] == "tile"]
    conflicts = sum(row["conflicts"] for row in heap)
    rest = sum(row["conflicts"] - row["search_conflicts"] - row["merging_conflicts"]
               for row in tile)
    worst = max(row["conflicts"] / row["wavefronts"] for row in tile)
    kept = all(row["claims"] == row["held"] for row in heap + tile)
    text = (f"Counted in the simulator over {len(heap)} sorts by engine `heap` (types "
            f"{listing(dict.fromkeys(row['type'] for row in heap))}; K = 2 to 32; "
            f"{len({row['shape'] for row in heap})} shapes, constructed ones among them): "
            f"{conflicts:,} conflicts. Engine `tile` has {rest:,} outside its searches and "
            "the places where a group of threads ends inside a warp, which are counted "
            f"apart and cost at most {percent(worst)} of its wavefronts"
            + (", never more than two-way in the merging itself." if kept else "."))
    return Claim("C1", "no shared-memory bank conflict, for any input",
                 f"{conflicts:,} conflicts in {len(heap)} sorts",
                 HOLDS if conflicts == 0 and kept else FAILS, text)


def c2(results):
    rows = [row for row in results["sim-claims"].where(engine="heap", type="i32")
            if row["count"] == 1 << 20]
    first, last = rows[0], rows[-1]
    kept = all(row["claims"] == row["held"] for row in rows)
    grid = table(["K", "merge rounds", "requests counted", "2 (rounds + 1) N / 32",
                  "beside K = 2"],
                 [[row["ways"], row["rounds"], f"{row['requests']:,}",
                   f"{row['requests_formula']:,}",
                   f"{row['requests'] / first['requests']:.2f}"] for row in rows])
    fewer = first["requests"] / last["requests"]
    text = (f"Engine `heap`, {power(first['count'])} keys in runs of {first['base']:,}, bulk "
            "requests of 32 keys each, counted in the simulator:\n\n" + grid + "\n\n"
            + ("What is beyond the formula are short blocks at the ends of lists, within "
               "the bound that `multiway count` prints; the requests of the base case, "
               "which K cannot save, are in both columns."
               if kept else "The counts are NOT explained by the formula."))
    return Claim("C2", "a factor log K fewer I/Os than pairwise",
                 f"{fewer:.1f} times fewer requests with K = {last['ways']} than with K = 2; "
                 f"{last['rounds']} merge rounds instead of {first['rounds']}",
                 HOLDS if kept else FAILS, text)


def c3(results):
    heap = [row for row in results["sim-claims"].rows if row["engine"] == "heap"]
    whole = [row["bulk_sectors"] / row["bulk_sectors_formula"] for row in heap
             if row["shape"] == "sorted" and row["type"] == "i32"]
    worst = max(heap, key=lambda row: row["bulk_sectors"] / row["bulk_sectors_formula"])
    most = worst["bulk_sectors"] / worst["bulk_sectors_formula"]
    kept = all(row["claims"] == row["held"] for row in heap)
    text = ("Sectors of 32 bytes that the bulk requests of engine `heap` touch, beside what "
            f"their bytes fill: {max(whole):.3f} times as many on sorted `i32` keys, "
            f"where lists are cut at whole blocks, and at most {most:.2f} times as many "
            f"anywhere (`{worst['type']}`, K = {worst['ways']}, "
            f"{shape_text(worst['shape'])}). "
            + ("The difference is one sector for a list that begins between two of them, "
               "which the paper does not count; writes are aligned always."
               if kept else "The difference is NOT explained by unaligned lists."))
    return Claim("C3", "every bulk global access is coalesced",
                 f"{max(whole):.2f} to {most:.2f} sectors for each that the bytes fill",
                 HOLDS if kept else FAILS, text)


def c4(results):
    rows = [row for row in results["sim-claims"].rows if row["engine"] == "heap"]
    equal = all(row["warp_bytes"] == row["warp_bytes_formula"] for row in rows)
    i32 = {row["ways"]: row["warp_bytes"] for row in rows if row["type"] == "i32"}
    shown = listing(f"{i32[ways]:,} bytes for K = {ways}" for ways in sorted(i32))
    return Claim("C4", "B(2K − 1) elements of shared memory per warp",
                 "exactly that" if equal else "something else",
                 HOLDS if equal else FAILS,
                 f"The shared memory of a merging warp of engine `heap`, from the kernel's own "
                 f"struct: {shown} and `i32` keys"
                 + (", which is 32 (2K − 1) keys and nothing else." if equal else "."))


def c5(results):
    launches = results["fig4-launches-i32"]
    cut = {count: facts.share(launches, "heap", count, "heap_cut")
           for count in launches.names("count") if facts.launched(launches, "heap", count)}
    large = {count: share for count, share in cut.items() if count >= 1 << 22}
    last, tuned = max(cut), min(large)
    tile = facts.share(launches, "tile", last, "tile_cut")
    verdict = (HOLDS if max(large.values()) < 0.02
               else PARTLY if cut[last] < 0.02 else FAILS)
    text = (f"`heap_cut` takes {percent(cut[tuned])} of engine `heap`'s time at "
            f"{power(tuned)} keys, where the paper chose its P, and {percent(cut[last])} at "
            f"{power(last)}; `tile_cut`, launched apart, {percent(tile)} of engine `tile`'s at {power(last)}.")
    if verdict != HOLDS:
        warps = min(facts.best_warps(results, ways) for ways in (4, 8, 16))
        text += (" A cut is a chain of dependent probes, so its time is latency, which has "
                 "improved far less than bandwidth since 2016; and the best P at "
                 f"{power(tuned)} keys is {warps:,} or more here, so there are more cuts to "
                 "find than with the paper's P of at most 1,000.")
        if cut[last] < cut[tuned]:
            text += " The share shrinks as inputs grow."
    return Claim("C5", "partitioning takes under 2 % of the time",
                 f"{percent(cut[tuned])} at {power(tuned)}, {percent(cut[last])} at "
                 f"{power(last)} keys", verdict, text)


def spread(measured, name):
    """(max / min, slowest shape, fastest shape) of a contestant over shapes."""
    rows = right(measured.where(contestant=name))
    slow = max(rows, key=lambda row: row["mean_ms"])
    fast = min(rows, key=lambda row: row["mean_ms"])
    return slow["mean_ms"] / fast["mean_ms"], slow, fast


def c6(results):
    measured = results["shapes-i32"]
    names = [name for name in measured.names("contestant") if name != "copy"]
    spreads = {name: spread(measured, name) for name in names}
    heap = spreads["heap"][0]
    verdict = HOLDS if heap < 1.05 else PARTLY if heap < 1.25 else FAILS
    grid = table(["", "slowest / fastest", "slowest on", "fastest on"],
                 [[name_of(name), f"{number:.2f}", shape_text(high["shape"]),
                   shape_text(low["shape"])]
                  for name, (number, high, low) in spreads.items()])
    count = measured.rows[0]["count"]
    text = (f"Over {len(measured.names('shape')) - 1} shapes of {power(count)} `i32` keys:\n\n"
            + grid + "\n\n")
    if verdict == HOLDS:
        text += "Engine `heap` does what it does whatever the keys are."
    else:
        text += UNEVEN
        text += " So the claim is right as to conflicts, and too strong as to time."
    return Claim("C6", "time does not depend on the permutation",
                 f"slowest / fastest shape {heap:.2f} for engine `heap`, "
                 f"{spreads['tile'][0]:.2f} for `tile`"
                 + (f", {spreads['cub-merge'][0]:.2f} for CUB's merge sort"
                    if "cub-merge" in spreads else ""), verdict, text)


def slowdowns(measured, shape):
    """Time on `shape` over time on a random permutation at the greatest count."""
    count = max(measured.names("count"))
    plain = times(measured, shape="permutation")
    hard = times(measured, shape=shape)
    return {name: (plain[name][count]["mean_ms"], hard[name][count]["mean_ms"])
            for name in plain if name in hard and count in hard[name]
            and count in plain[name]}


def ranges(measured, shape):
    """The least and the greatest slowdown of our engines, of a million keys and more."""
    found = {}
    for name in "heap", "tile":
        plain = times(measured, shape="permutation")[name]
        hard = times(measured, shape=shape)[name]
        ratios = {count: hard[count]["mean_ms"] / plain[count]["mean_ms"] for count in hard
                  if count >= 1 << 20 and count in plain}
        most = max(ratios, key=ratios.get)
        found[name] = (f"{min(ratios.values()):.2f} to {ratios[most]:.2f} times as long as on "
                       f"random keys (most at {most:,})")
    return found


def c7(results):
    other = next(shape for shape in results["fig6-conflict-moderngpu"].names("shape")
                 if shape.startswith("conflict:"))
    cases = [(results["fig6-conflict-i32"], "conflict:17,256", "4-byte keys, E = 17"),
             (results["fig6-conflict-worst"], "conflict:17,256,worst",
              "the same, worst pattern"),
             (results["fig6-conflict-moderngpu"], other,
              f"4-byte keys, E = {other[9:].split(',')[0]}"),
             (results["fig6-conflict-i64"], "conflict:8,256", "8-byte keys, E = 8")]
    found = {words: slowdowns(measured, shape) for measured, shape, words in cases}
    simple = found[cases[0][2]]
    names = list(simple)
    grid = table(["time on the input / time on random keys"] + [name_of(n) for n in names],
                 [[words] + [f"{pair[name][1] / pair[name][0]:.2f}" if name in pair else "–"
                             for name in names] for words, pair in found.items()])
    hurt = {name: simple[name][1] / simple[name][0] for name in LIBRARIES if name in simple}
    own = found[cases[2][2]]
    if "moderngpu" in own and other == facts.MODERNGPU_INPUT:
        hurt["moderngpu"] = own["moderngpu"][1] / own["moderngpu"][0]
    else:
        hurt.pop("moderngpu", None)
    ours = {name: simple[name][1] / simple[name][0] for name in ("heap", "tile")}
    hits = [name for name, times_ in hurt.items() if times_ > 1.1]
    verdict = (HOLDS if hurt and len(hits) == len(hurt) and ours["heap"] < 1.05
               else PARTLY if hits and ours["heap"] < 1.1 else FAILS)
    counted = results["sim-sortedness"]
    conflicts = [counted.where(engine="pair", shape=shape)[0]["conflicts"]
                 for shape in ("permutation", "conflict:17,256")]
    merges = [counted.where(engine="pair", shape=shape)[0]["merge_wavefronts"]
              for shape in ("sorted", "permutation", "conflict:17,256",
                            "conflict:17,256,worst")]
    text = (grid + "\n\nThe first line is at "
            f"{max(cases[0][0].names('count')):,} keys. In the simulator one serial merge of "
            "a warp of engine `pair`, which merges as those libraries do, takes "
            f"{merges[0]:.0f} wavefronts on sorted keys, {merges[1]:.0f} on random ones, "
            f"{merges[2]:.0f} on the constructed input and {merges[3]:.0f} on the worst one; "
            f"all in all it has {conflicts[1] / conflicts[0]:.1f} times the conflicts that "
            "random keys cause (the paper: more than twice). ")
    if hurt:
        most = max(hurt, key=hurt.get)
        text += (f"In time that costs {name_of(most)} a factor of {hurt[most]:.2f}"
                 + (", less than the counts suggest: serial merges in shared memory are one "
                    "part of its time, and searches, tile sorts and memory are the rest."
                    if hurt[most] < 2 else "."))
    if "moderngpu" in simple and "moderngpu" not in hurt:
        text += (" What modernGPU would lose is not known: its tiles are 128 threads of 11 keys "
                 "on this GPU, and none of these inputs is made against them.")
    seen = ranges(cases[0][0], cases[0][1])
    text += (f"\n\nOver all counts of figure 6 from 2^20 on, engine `heap` takes {seen['heap']}, "
             f"and engine `tile` {seen['tile']}. Where that is more than noise conflicts are not the "
             "reason: both merge in about the same time, but look longer for their cuts, which "
             "take more pivots on such keys ([tile.md](tile.md)).")
    return Claim("C7", "conflict-heavy input slows pairwise mergesort, not this one",
                 listing(f"{name_of(name)} × {number:.2f}" for name, number in hurt.items())
                 + f"; engine `heap` × {ours['heap']:.2f}, `tile` × {ours['tile']:.2f}",
                 verdict, text)
