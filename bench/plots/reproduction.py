"""Write docs/reproduction.md: docs/reproduction.md.in with numbers, tables and verdicts.

    reproduction.py RESULTS FILE

A line of the template that begins with `? name:` is kept only if that value is there and
true; CN_holds and CN_fails tell whether claim N holds. So new results cannot leave a
false sentence behind. Needs Python only; figures.py draws the figures.
"""

import pathlib
import sys

import facts
from tables import Results, right, times

TEMPLATE = pathlib.Path(__file__).resolve().parents[2] / "docs/reproduction.md.in"
LIBRARIES = ["cub-merge", "thrust", "moderngpu"]
NAMES = {"tile": "engine `tile`", "heap": "engine `heap`", "pair": "engine `pair`",
         "cub-merge": "CUB merge", "cub-radix": "CUB radix", "thrust": "Thrust",
         "moderngpu": "modernGPU"}
SHAPES = {"permutation": "random order", "sorted": "sorted keys"}
WAYS = (2, 4, 8, 16, 32)


def power(count):
    """2^20, or digits in groups."""
    if count >= 1024 and count & (count - 1) == 0:
        return f"2^{count.bit_length() - 1}"
    return f"{count:,}"


def percent(part):
    return f"{100 * part:.0f} %" if abs(part) >= 0.2 else f"{100 * part:.1f} %"


def signed(part):
    return f"{100 * part:+.1f} %".replace("-", "−")


def listing(items):
    """a, b and c"""
    items = [str(item) for item in items] or ["none"]
    return " and ".join([", ".join(items[:-1]), items[-1]]) if len(items) > 1 else items[0]


def names(some):
    return [NAMES.get(name, f"`{name}`") for name in some]


def shape(name):
    return SHAPES.get(name, f"`{name}`")


def table(head, rows):
    return "\n".join("| " + " | ".join(map(str, line)) + " |"
                     for line in [head, ["---"] * len(head)] + rows)


def verdict(row, holds, partly=False):
    said = "holds" if holds else "holds in part" if partly else "does not hold here"
    return {row: said, f"{row}_holds": holds, f"{row}_fails": not holds}


def kept(rows):
    """Do all claims that `multiway count` checked hold?"""
    return all(row["claims"] == row["held"] for row in rows)


def fastest(rows):
    """The key of the row with the least mean time."""
    return min(rows, key=lambda key: rows[key]["mean_ms"])


def counted(results):
    """C1 to C4, all counted in the simulator."""
    rows = results["sim-claims"].rows
    every = rows + results["sim-sortedness"].rows
    heap, tile = ([row for row in every if row["engine"] == engine]
                  for engine in ("heap", "tile"))
    of_claims = [row for row in rows if row["engine"] == "heap"]
    conflicts = sum(row["conflicts"] for row in heap)
    large = [row for row in of_claims if row["count"] == 1 << 20]
    first, last = large[0], large[-1]
    excess = {id(row): row["bulk_sectors"] / row["bulk_sectors_formula"] for row in of_claims}
    worst = max(of_claims, key=lambda row: excess[id(row)])
    of_sorted = max(excess[id(row)] for row in of_claims
                    if row["shape"] == "sorted" and row["type"] == "i32")
    exact = all(row["warp_bytes"] == row["warp_bytes_formula"] for row in of_claims)
    warp_bytes = {row["ways"]: row["warp_bytes"] for row in of_claims if row["type"] == "i32"}
    return {
        "heap_conflicts": f"{conflicts:,}", "heap_sorts": len(heap),
        "heap_types": listing(dict.fromkeys(row["type"] for row in heap)),
        "heap_shapes": len({row["shape"] for row in heap}),
        "tile_rest": f"{sum(r['conflicts'] - r['search_conflicts'] - r['merging_conflicts'] for r in tile):,}",
        "tile_worst": percent(max(row["conflicts"] / row["wavefronts"] for row in tile)),
        **verdict("C1", conflicts == 0 and kept(heap + tile)),
        "fewer_requests": f"{first['requests'] / last['requests']:.1f}",
        "most_ways": last["ways"], "least_rounds": last["rounds"],
        "most_rounds": first["rounds"],
        "requests_table": table(
            ["K", "merge rounds", "requests counted", "2 (rounds + 1) N / 32", "/ K = 2"],
            [[row["ways"], row["rounds"], f"{row['requests']:,}",
              f"{row['requests_formula']:,}", f"{row['requests'] / first['requests']:.2f}"]
             for row in large]),
        **verdict("C2", kept(large)),
        "least_sectors": f"{of_sorted:.2f}", "sorted_sectors": f"{of_sorted:.3f}",
        "most_sectors": f"{excess[id(worst)]:.2f}",
        "most_sectors_at": f"`{worst['type']}`, K = {worst['ways']}, {shape(worst['shape'])}",
        **verdict("C3", kept(of_claims)),
        "warp_shared": "exactly that" if exact else "something else",
        "warp_bytes": listing(f"{warp_bytes[k]:,} bytes for K = {k}" for k in WAYS),
        **verdict("C4", exact)}


def cuts(results):
    """C5, and the share of node merges, C9."""
    launches = results["fig4-launches-i32"]
    cut = {count: facts.share(launches, "heap", count, "heap_cut")
           for count in launches.names("count") if facts.launched(launches, "heap", count)}
    large = {count: share for count, share in cut.items() if count >= 1 << 22}
    last, tuned = max(cut), min(large)
    rows = facts.launched(launches, "heap", last)
    whole = sum(row["median_ms"] for row in rows)
    merging = facts.share(launches, "heap", last, "heap_merge")
    copy = results["fig4-random-i32"].where(contestant="copy", count=last)[0]["mean_ms"]
    least = merging - max(row["pass"] for row in rows) * copy / whole
    return {
        "cut_tuned": percent(cut[tuned]), "cut_tuned_at": power(tuned),
        "cut_last": percent(cut[last]), "cut_last_at": power(last),
        "cut_tile": percent(facts.share(launches, "tile", last, "tile_cut")),
        "cut_warps": f"{min(facts.best_warps(results, ways) for ways in (4, 8, 16)):,}",
        **verdict("C5", max(large.values()) < 0.02, cut[last] < 0.02),
        "merging_least": percent(least), "merging_most": percent(merging),
        **verdict("C9", least > 0.6, merging > 0.6)}


def spreads(results):
    """C6: the slowest and the fastest shape of each contestant."""
    measured = results["shapes-i32"]
    found = {}
    for name in measured.names("contestant"):
        rows = {row["shape"]: row for row in right(measured.where(contestant=name))}
        if name != "copy":
            slow = max(rows, key=lambda key: rows[key]["mean_ms"])
            fast = fastest(rows)
            found[name] = rows[slow]["mean_ms"] / rows[fast]["mean_ms"], slow, fast
    heap = found["heap"][0]
    return {
        "spread_heap": f"{heap:.2f}", "spread_tile": f"{found['tile'][0]:.2f}",
        "spread_shapes": len(measured.names("shape")) - 1,
        "spread_count": power(measured.rows[0]["count"]),
        "spread_table": table(
            ["", "slowest / fastest", "slowest on", "fastest on"],
            [[*names([name]), f"{ratio:.2f}", shape(slow), shape(fast)]
             for name, (ratio, slow, fast) in found.items()]),
        **verdict("C6", heap < 1.05, heap < 1.25)}


def slowdowns(measured, hard):
    """Time on `hard` / time on random keys, as {contestant: {count: ratio}}."""
    plain, slow = times(measured, shape="permutation"), times(measured, shape=hard)
    return {name: {count: slow[name][count]["mean_ms"] / plain[name][count]["mean_ms"]
                   for count in slow[name] if count in plain[name]}
            for name in plain if name in slow}


def conflict(results):
    """C7: what conflict-heavy inputs cost each contestant."""
    own = next(name for name in results["fig6-conflict-moderngpu"].names("shape")
               if name.startswith("conflict:"))
    cases = {"4-byte keys, E = 17": ("i32", "conflict:17,256"),
             "the same, worst pattern": ("worst", "conflict:17,256,worst"),
             f"4-byte keys, E = {own[9:].split(',')[0]}": ("moderngpu", own),
             "8-byte keys, E = 8": ("i64", "conflict:8,256")}
    over = slowdowns(results["fig6-conflict-i32"], "conflict:17,256")
    found = {words: {name: ratios[max(ratios)] for name, ratios in
                     slowdowns(results[f"fig6-conflict-{file}"], hard).items() if ratios}
             for words, (file, hard) in cases.items()}
    simple, *_ = found.values()
    hurt = {name: simple[name] for name in LIBRARIES if name in simple}
    theirs = [ratios for words, ratios in found.items() if cases[words][0] == "moderngpu"][0]
    if own == facts.MODERNGPU_INPUT and "moderngpu" in theirs:
        hurt["moderngpu"] = theirs["moderngpu"]
    else:
        hurt.pop("moderngpu", None)
    hits = [name for name in hurt if hurt[name] > 1.1]
    most = max(hurt, key=hurt.get) if hurt else None
    pair = {row["shape"]: row for row in results["sim-sortedness"].where(engine="pair")}
    merges = {f"merge_{word}": f"{pair[name]['merge_wavefronts']:.0f}" for word, name in (
        ("sorted", "sorted"), ("random", "permutation"), ("conflict", "conflict:17,256"),
        ("worst", "conflict:17,256,worst"))}
    ranges = {f"range_{name}": f"{min(some):.2f} to {max(some):.2f}" for name, some in (
        (name, [over[name][count] for count in over[name] if count >= 1 << 20])
        for name in ("heap", "tile"))}
    return {
        "hurt": listing(f"{name} × {hurt[key]:.2f}" for key, name in zip(hurt, names(hurt))),
        "hurt_heap": f"{simple['heap']:.2f}", "hurt_tile": f"{simple['tile']:.2f}",
        "hurt_count": f"{max(over['heap']):,}",
        "hurt_most": f"{names([most])[0]} a factor of {hurt[most]:.2f}" if hurt else "nothing",
        "hurt_table": table([""] + names(simple), [
            [words] + [f"{ratios[name]:.2f}" if name in ratios else "–" for name in simple]
            for words, ratios in found.items()]),
        "pair_conflicts": f"{pair['conflict:17,256']['conflicts'] / pair['permutation']['conflicts']:.1f}",
        "unknown_moderngpu": "moderngpu" in simple and "moderngpu" not in hurt,
        **merges, **ranges,
        **verdict("C7", hurt and len(hits) == len(hurt) and simple["heap"] < 1.05,
                  hits and simple["heap"] < 1.1)}


def ways(results):
    """C8, and figures 2 and 3: engine heap over K and P."""
    best = {k: facts.over_warps(results, k)[facts.best_warps(results, k)] for k in WAYS}
    count = best[2]["count"]
    by_engine = {engine: {int(name.split(":")[1]): rows for name, rows in
                          times(results["fig2-ways"]).items() if name.startswith(engine)}
                 for engine in ("heap", "tile")}
    heap = by_engine["heap"]
    counts = sorted({size for rows in heap.values() for size in rows})
    best_at = {size: fastest({k: heap[k][size] for k in heap if size in heap[k]})
               for size in counts}
    large = counts[-1]
    at_large = {k: heap[k][large]["mean_ms"] for k in heap if large in heap[k]}
    slower = {k: at_large[2] / at_large[k] for k in (4, 8)}
    tuned = [best_at[size] for size in counts if size >= count]
    two = min(slower.values()) > 1.1
    grows = 2 * sum(k > 8 for k in tuned) > len(tuned)
    return {
        "slower_4": f"{slower[4]:.2f}", "slower_8": f"{slower[8]:.2f}",
        "ways_large": power(large), "best_least": min(tuned), "best_most": max(tuned),
        "best_ways": listing(f"{best_at[size]} at {power(size)}" for size in counts),
        "best_warps": listing(f"{facts.best_warps(results, k):,} for K = {k}" for k in WAYS),
        **{f"best_{engine}": fastest({k: rows[k][large] for k in rows if large in rows[k]})
           for engine, rows in by_engine.items()},
        "ways_table": table(
            ["engine `heap`"] + [f"K = {k}" for k in WAYS],
            [[f"{power(count)} keys, ms at the best P"]
             + [f"{best[k]['mean_ms']:.3f}" for k in WAYS],
             ["the best P"] + [f"{facts.best_warps(results, k):,}" for k in WAYS],
             [f"{power(large)} keys, ms"]
             + [f"{at_large[k]:.2f}" if k in at_large else "–" for k in WAYS]]),
        **verdict("C8", two and grows, two or grows)}


def gains(results, ours):
    """Speed-up over each library: on random keys at the greatest count; at best on hard."""
    found = {}
    for name in LIBRARIES:
        random = facts.speedups(results["fig4-random-i32"], "permutation", ours, name)
        heavy = facts.speedups(results["fig6-conflict-i32"], "conflict:17,256", ours, name)
        if name == "moderngpu":  # which has an input of its own
            heavy.update(facts.speedups(results["fig6-conflict-moderngpu"],
                                        facts.MODERNGPU_INPUT, ours, name))
        heavy = {count: gain for count, gain in heavy.items() if count >= 1 << 20}
        if random and heavy:
            found[name] = (random[max(random)] - 1, max(heavy.values()) - 1)
    return found


def speed(results):
    """C10, and why."""
    heap, tile = gains(results, "heap"), gains(results, "tile")
    measured, launches = results["fig4-random-i32"], results["fig4-launches-i32"]
    last = max(measured.names("count"))
    why = {}
    for name, key in ("heap", "heap"), ("cub-merge", "cub"):
        limit = facts.limits(measured, launches, name).get(last)
        row = times(measured, shape="permutation").get(name, {}).get(last)
        why[f"passes_{key}"] = facts.passes(launches, name, "i32", last)
        why[f"busy_{key}"] = (percent(1e-6 * last / row["mean_ms"] / limit)
                              if row and limit else "an unknown part")
    wins = [name for name in heap if min(heap[name]) > 0]
    return {
        "gains": listing(f"{signed(heap[key][1])} {name}" for key, name
                         in zip(heap, names(heap))),
        "gains_table": table(
            ["faster (+) or slower (−) than"] + names(heap),
            [[f"{ours}, {words}"] + [signed(found[name][which]) for name in heap]
             for ours, found in (("engine `heap`", heap), ("engine `tile`", tile))
             for which, words in ((0, f"random, {power(last)} keys"),
                                  (1, "conflict-heavy, at best"))]),
        "tile_ahead": tile and min(min(pair) for pair in tile.values()) > 0, **why,
        **verdict("C10", heap and len(wins) == len(heap),
                  any(heap[name][1] > 0 for name in heap))}


def rates(measured, wanted):
    """The throughputs at the greatest count."""
    count = max(measured.names("count"))
    found = {name: 1e-6 * count / rows[count]["mean_ms"] for name, rows
             in times(measured, shape=wanted).items() if count in rows and name != "copy"}
    order = sorted(found, key=found.get, reverse=True)
    return (f"At {power(count)} keys, in billions of keys a second: "
            + listing(f"{name} {found[key]:.1f}" for key, name in zip(order, names(order)))
            + ".")


def limits(results):
    said = []
    for figure, kind in ((4, "i32"), (5, "i64")):
        measured = results[f"fig{figure}-random-{kind}"]
        found, count = times(measured, shape="permutation"), max(measured.names("count"))
        parts = []
        for name in "tile", "heap", "cub-merge", "cub-radix":
            bound = facts.limits(measured, results[f"fig{figure}-launches-{kind}"], name)
            if count in found.get(name, {}) and count in bound:
                reached = 1e-6 * count / found[name][count]["mean_ms"] / bound[count]
                parts.append(f"{NAMES[name]} {percent(reached)}")
        said.append(f"`{kind}` at {power(count)} keys: {listing(parts)}")
    return "They reach, " + "; ".join(said) + "."


def figures(results):
    measured = results["fig1-sortedness"]
    by_name = {name: {row["shape"]: row["mean_ms"]
                      for row in measured.where(contestant=name, verified="yes")}
               for name in measured.names("contestant")}
    ratios = {name: rows["permutation"] / rows["sorted"] for name, rows in by_name.items()
              if "sorted" in rows and "permutation" in rows}
    heap = by_name["heap"]
    worst = max(heap, key=heap.get)
    hump = heap[worst] / heap["permutation"]
    pair = results["sim-sortedness"].where(engine="pair")
    sectors, conflicts = ([row[name] for row in pair] for name in ("sectors", "conflicts"))
    return {
        "growth": listing(f"{name} {ratios[key]:.2f}" for key, name
                          in zip(ratios, names(ratios))),
        "sectors_differ": percent(max(sectors) / min(sectors) - 1),
        "conflicts_differ": f"{max(conflicts) / min(conflicts):.0f}",
        "hump": hump > 1.05 and f"{hump:.2f}", "hump_shape": shape(worst),
        "rates_4": rates(results["fig4-random-i32"], "permutation"),
        "rates_5": rates(results["fig5-random-i64"], "permutation"),
        "rates_6": rates(results["fig6-conflict-i32"], "conflict:17,256"),
        "limits": limits(results)}


def header(results):
    """What was measured, and in which figures if not all are of one commit."""
    measured, files = results["fig4-random-i32"], {}
    for name, some in sorted(results.tables.items()):
        commit = some.header.get("commit")
        if commit and name.startswith("fig"):
            files.setdefault(commit, set()).add(name[3])
    commits = [commit + (f" (figures {listing(sorted(of))})" if len(files) > 1 else "")
               for commit, of in sorted(files.items())]
    absent = [name for name in ("thrust", "moderngpu", "cub-radix", "cub-merge")
              if name not in measured.names("contestant")]
    values = {name: measured.header.get(name, "?")
              for name in ("machine", "driver", "clocks", "rivals", "date")}
    return {**values, "date": values["date"][:10], "is_h200": "H200" in values["machine"],
            "absent": absent and listing(names(absent)),
            "commit": ("commit " if len(files) == 1 else "commits ") + listing(commits)}


def summary(values):
    said = []
    for word, one, many in (("holds", "holds", "hold"),
                            ("holds in part", "holds in part", "hold in part"),
                            ("does not hold here", "does not hold", "do not hold")):
        rows = [f"C{i}" for i in range(1, 11) if values[f"C{i}"] == word]
        if rows:
            said.append(f"{listing(rows)} {one if len(rows) == 1 else many}")
    return "Of the claims, " + "; ".join(said) + "."


def page(results):
    values = {}
    for part in header, figures, counted, cuts, spreads, conflict, ways, speed:
        values.update(part(results))
    values["summary"] = summary(values)
    lines = []
    for line in TEMPLATE.read_text().splitlines():
        if line.startswith("? "):
            name, _, line = line[2:].partition(": ")
            if not values.get(name):
                continue
        if line.startswith("**{C"):
            row, _, rest = line[3:].partition("}.**")
            line = f"**{values[row].capitalize()}.**{rest}"
        lines.append(line.format(**values))
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    pathlib.Path(sys.argv[2]).write_text(page(Results(sys.argv[1])))
    print(sys.argv[2])
