"""The claims about speed: C8, C9 and C10. See claims.py."""

import facts
from claims import LIBRARIES, Claim
from tables import times
from words import FAILS, HOLDS, PARTLY, listing, name_of, percent, power, signed, table


def best_ways(heap):
    """The fastest number of ways by count, of {ways: {count: row}}."""
    counts = sorted({count for rows in heap.values() for count in rows})
    return {count: min((ways for ways in heap if count in heap[ways]),
                       key=lambda ways: heap[ways][count]["mean_ms"]) for count in counts}


def c8(results):
    best = {ways: min(facts.over_warps(results, ways).values(),
                      key=lambda row: row["mean_ms"]) for ways in (2, 4, 8, 16, 32)}
    count = best[2]["count"]
    over = times(results["fig2-ways"])
    large = max(results["fig2-ways"].names("count"))
    heap = {int(name.split(":")[1]): rows for name, rows in over.items()
            if name.startswith("heap")}
    at_large = {ways: rows[large]["mean_ms"] for ways, rows in heap.items() if large in rows}
    slower = {ways: best[2]["mean_ms"] / best[ways]["mean_ms"] for ways in (4, 8)}
    slower_large = {ways: at_large[2] / at_large[ways] for ways in (4, 8)}
    fastest = best_ways(heap)
    tuned = [fastest[size] for size in fastest if size >= count]
    two = min(slower_large.values()) > 1.1
    grows = 2 * sum(ways > 8 for ways in tuned) > len(tuned)
    verdict = HOLDS if two and grows else PARTLY if two or grows else FAILS
    grid = table(["engine `heap`"] + [f"K = {ways}" for ways in best],
                 [[f"{power(count)} keys, ms at the best P"]
                  + [f"{row['mean_ms']:.3f}" for row in best.values()],
                  ["the best P"] + [row["contestant"].split(":")[2] for row in best.values()],
                  [f"{power(large)} keys, ms"]
                  + [f"{at_large[ways]:.2f}" if ways in at_large else "–" for ways in best]])
    text = (grid + f"\n\nK = 2 takes {slower[4]:.2f} times as long as K = 4 and "
            f"{slower[8]:.2f} times as long as K = 8 at {power(count)} keys, "
            f"{slower_large[4]:.2f} and {slower_large[8]:.2f} times at {power(large)}. "
            "The best K is "
            + listing(f"{fastest[size]} at {power(size)}" for size in fastest)
            + " keys; the paper found 4 with 48 KiB of shared memory a multiprocessor and 8 "
            "with 96 KiB")
    text += (", and an H200 has 228 KiB." if "H200" in facts.machine(results) else ".")
    if not grows:
        text += (" So the first half of the claim holds, and the second is not to be seen: "
                 "the best K goes up and down with the count. A larger K pays where it saves "
                 "a round; otherwise it costs a longer way down the heap for each 32 keys, "
                 "and leaves room for fewer warps.")
    text += (" P, which the paper searched up to 1,000, has its best values at "
             f"{listing(row['contestant'].split(':')[2] for row in best.values())} for "
             "K = 2, 4, 8, 16 and 32.")
    return Claim("C8", "K = 2 is clearly slower than K = 4 and 8; the best K grows with "
                 "shared memory",
                 f"K = 2 × {slower_large[4]:.2f} and × {slower_large[8]:.2f} at {power(large)} "
                 f"keys; the best K from {min(tuned)} to {max(tuned)}, with the count",
                 verdict, text)


def c9(results):
    launches = results["fig4-launches-i32"]
    last = max(launches.names("count"))
    rows = facts.launched(launches, "heap", last)
    whole = sum(row["median_ms"] for row in rows)
    merging = sum(row["median_ms"] for row in rows if row["kernel"] == "heap_merge")
    rounds = max(row["pass"] for row in rows)
    copies = results["fig4-random-i32"].where(contestant="copy", count=last)
    most = merging / whole
    least = (merging - rounds * copies[0]["mean_ms"]) / whole if copies else None
    verdict = (HOLDS if least is not None and least > 0.6
               else PARTLY if most > 0.6 else FAILS)
    text = (f"At {power(last)} `i32` keys `heap_merge` takes {percent(most)} of engine "
            "`heap`'s time. A profiler that tells node merges from the reads and writes "
            "around them was not used")
    if least is not None:
        text += (f"; but if all its memory traffic were plain copies that nothing overlaps, "
                 f"{percent(least)} of the time would be left for the merges of nodes, and "
                 "they take between the one and the other share")
    text += ". "
    text += {HOLDS: "Merging 32 keys with 32 by a network across a warp still is what it "
                    "costs: it is why engine `tile` has no heap.",
             PARTLY: "Whether node merges alone are beyond 60 % is not decided by this.",
             FAILS: "Other parts weigh more on this GPU than they did on the paper's."}[verdict]
    return Claim("C9", "the node merges of fillEmptyNode dominate: over 60 %",
                 (f"between {percent(least)} and {percent(most)}" if least is not None
                  else f"at most {percent(most)}"), verdict, text)


def gains(results, ours):
    """Speed-up over each library: on random keys at the greatest count; at best on hard."""
    plain = results["fig4-random-i32"]
    hard = results["fig6-conflict-i32"]
    found = {}
    for name in LIBRARIES:
        random = facts.speedups(plain, "permutation", ours, name)
        heavy = facts.speedups(hard, "conflict:17,256", ours, name)
        if name == "moderngpu":  # which has an input of its own
            heavy.update(facts.speedups(results["fig6-conflict-moderngpu"],
                                        facts.MODERNGPU_INPUT, ours, name))
        heavy = {count: gain for count, gain in heavy.items() if count >= 1 << 20}
        if random and heavy:
            found[name] = (random[max(random)] - 1, max(heavy.values()) - 1)
    return found


def measured_against_moderngpu(results):
    return facts.MODERNGPU_INPUT in results["fig6-conflict-moderngpu"].names("shape")


def why_behind(results, count):
    """Where the time of engine heap goes, beside CUB's merge sort: passes or work."""
    table_, launches = results["fig4-random-i32"], results["fig4-launches-i32"]
    found = {}
    for name in "heap", "cub-merge":
        limits = facts.limits(table_, launches, name)
        rows = times(table_, shape="permutation").get(name, {})
        if count in limits and count in rows:
            found[name] = (facts.passes(launches, name, "i32", count),
                           1e-6 * count / rows[count]["mean_ms"] / limits[count])
    if len(found) < 2 or found["heap"][1] >= found["cub-merge"][1]:
        return ""
    return (f"Why: at {power(count)} keys engine `heap` passes over memory "
            f"{found['heap'][0]} times and CUB's merge sort {found['cub-merge'][0]} times, but "
            f"plain copies would take {percent(found['heap'][1])} of the one's time and "
            f"{percent(found['cub-merge'][1])} of the other's. The paper buys fewer passes "
            "with log W times the internal work, and that pays only as long as memory is what "
            "a sort waits for; today's libraries, with larger tiles and better merge passes "
            "than those of 2016, are closer to that point than the heap is. ")


def c10(results):
    heap, tile = gains(results, "heap"), gains(results, "tile")
    if not heap:
        return Claim("C10", "faster than Thrust and modernGPU", "no rival was measured",
                     FAILS, "No rival was measured.")
    last = max(results["fig4-random-i32"].names("count"))
    grid = table(["faster (+) or slower (−) than"] + [name_of(name) for name in heap],
                 [[f"{ours}, {words}"] + [signed(found[name][which]) for name in heap]
                  for ours, found in (("engine `heap`", heap), ("engine `tile`", tile))
                  for which, words in ((0, f"random, {power(last)} keys"),
                                       (1, "conflict-heavy, at best"))])
    wins = [name for name in heap if heap[name][1] > 0 and heap[name][0] > 0]
    some = [name for name in heap if heap[name][1] > 0]
    verdict = HOLDS if len(wins) == len(heap) else PARTLY if some else FAILS
    text = grid + "\n\n"
    if verdict == HOLDS:
        text += ("The paper's method is ahead of every pairwise mergesort here, on random and "
                 "on conflict-heavy keys.")
    else:
        if some:
            text += ("On conflict-heavy keys the paper's method is ahead of "
                     f"{listing(name_of(name) for name in some)}, but not of all, or not on "
                     "random keys. ")
        else:
            text += ("The paper's method is behind every pairwise mergesort measured, even on "
                     "the input made against CUB and Thrust. ")
        text += why_behind(results, last)
    if "moderngpu" in heap and not measured_against_moderngpu(results):
        text += ("None of these inputs is made against modernGPU's tiles (C7), so its column "
                 "shows it unhurt. ")
    if tile and min(min(pair) for pair in tile.values()) > 0:
        text += ("The idea itself, many ways at once and no conflicts, does pay once the heap "
                 "is gone: engine `tile`, the variant that the paper's last section asks for, "
                 "is ahead of every one of them on both kinds of input.")
    measured = listing(f"{signed(heap[name][1])} {name_of(name)}" for name in heap)
    return Claim("C10", "up to 44.3 % over Thrust and 37.6 % over modernGPU on "
                 "conflict-heavy input; ahead on large random input",
                 f"engine `heap` on conflict-heavy keys at best {measured}", verdict, text)
