"""Draw the figures of docs/reproduction.md from the tables of results.

    figures.py RESULTS FOLDER
"""

import pathlib
import sys

import facts
import style
from style import CONTESTANTS, WAYS, look
from tables import Results, times


def rate(row, which):
    """Billions of keys a second."""
    return 1e-6 * row["count"] / row[which]


def in_order(rows):
    return [rows[count] for count in sorted(rows)]


def throughput(axes, table, title, **wanted):
    """All contestants of a table over counts."""
    found = times(table, **wanted)
    labels = []
    for name in style.known(found):
        x, y = style.line_of(axes, in_order(found[name]), rate, **look(name))
        labels.append((x, y, CONTESTANTS[name][0], CONTESTANTS[name][1]))
    style.counts_axis(axes, table.names("count"))
    axes.set_ylabel("billions of keys a second")
    axes.set_ylim(bottom=0)
    axes.set_title(title)
    style.label_ends(axes, labels)


SHAPE_NAMES = {"permutation": "random"}


def shape_name(shape):
    if shape.startswith("conflict:"):
        return f"conflict\nE = {shape[9:].split(',')[0]}"
    if shape.startswith("swaps:"):
        return f"$10^{{{len(shape) - len('swaps:1')}}}$\nswaps"
    return SHAPE_NAMES.get(shape, shape)


def figure_1(results):
    """Run time over sortedness, and the conflicts of our engines, counted."""
    figure, axes = style.panels(2, 1, height=6.6, sharex=True,
                                gridspec_kw={"height_ratios": [3, 2]})
    table = results["fig1-sortedness"]
    counted = results["sim-sortedness"]
    shapes = list(facts.by_figure_1(counted, "pair", table.names("shape")))
    above, below = axes[0][0], axes[1][0]
    labels = []
    for name in style.known(table.names("contestant")):
        rows = [dict(row, count=shapes.index(row["shape"]))
                for row in table.where(contestant=name, verified="yes")
                if row["shape"] in shapes]
        for made, line in (False, "-"), (True, "none"):  # constructed inputs stand apart
            some = [row for row in rows if row["shape"].startswith("conflict") == made]
            x, y = style.line_of(above, some, lambda row, which: row[which],
                                 linestyle=line, **look(name))
        labels.append((x, y, CONTESTANTS[name][0], CONTESTANTS[name][1]))
    above.set_ylabel("ms")
    above.set_ylim(bottom=0)
    above.set_title(f"Time to sort {table.rows[0]['count']:,} keys of 4 bytes")
    style.label_ends(above, labels, gap=0.07)

    labels = []
    for name in "pair", "heap", "tile":
        rows = facts.by_figure_1(counted, name, shapes)
        for made, line in (False, "-"), (True, "none"):
            some = [shape for shape in rows if shape.startswith("conflict") == made]
            ys = [rows[shape]["conflicts"] / rows[shape]["count"] for shape in some]
            below.plot([shapes.index(shape) for shape in some], ys, linestyle=line,
                       **look(name))
        labels.append((0, ys[-1], CONTESTANTS[name][0], CONTESTANTS[name][1]))
    below.set_ylabel("conflicts a key")
    below.set_title(f"Bank conflicts, counted in the simulator on "
                    f"{counted.rows[0]['count']:,} keys, swaps in proportion")
    below.set_xticks(range(len(shapes)), [shape_name(shape) for shape in shapes])
    style.label_ends(below, labels, gap=0.1)
    return figure


def figure_2(results):
    """Throughput over counts for each number of ways."""
    figure, axes = style.panels(1, 2, width=10)
    table = results["fig2-ways"]
    for panel, engine in zip(axes[0], ("heap", "tile")):
        labels = []
        for name, rows in times(table).items():
            if not name.startswith(engine):
                continue
            ways = int(name.split(":")[1])
            x, y = style.line_of(panel, in_order(rows), rate, color=WAYS[ways], marker="o")
            labels.append((x, y, f"K = {ways}", WAYS[ways]))
        style.counts_axis(panel, table.names("count"))
        panel.set_ylabel("billions of keys a second")
        panel.set_ylim(bottom=0)
        panel.set_title(CONTESTANTS[engine][0])
        style.label_ends(panel, labels)
    return figure


def figure_3(results):
    """Engine heap over warps."""
    figure, axes = style.panels(1, 1, width=7.5)
    panel = axes[0][0]
    labels = []
    for ways, colour in WAYS.items():
        rows = facts.over_warps(results, ways)
        xs = list(rows)
        ys = [rows[warps]["mean_ms"] for warps in xs]
        best = min(xs, key=lambda warps: rows[warps]["mean_ms"])
        panel.plot(xs, ys, color=colour, marker=".")
        panel.plot([best], [rows[best]["mean_ms"]], color=colour, marker="o",
                   markersize=9, fillstyle="none")
        labels.append((xs[-1], ys[-1], f"K = {ways}", colour))
    panel.set_xscale("log")
    panel.set_yscale("log")
    ticks = [60, 100, 200, 400, 1000, 2000, 4000, 12000]
    panel.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    panel.minorticks_off()
    low, high = panel.get_ylim()
    marks = [mark for mark in (0.1, 0.2, 0.3, 0.5, 1, 2, 3, 5, 10, 20, 30, 50, 100)
             if low <= mark <= high]
    panel.set_yticks(marks, [f"{mark:g}" for mark in marks])
    panel.set_xlabel("warps (P)")
    panel.set_ylabel("ms")
    count = results["fig3-ways-2"].rows[-1]["count"]
    panel.set_title(f"Engine heap, {style.power_text(count)} keys of 4 bytes; "
                    "rings: the best P")
    style.label_ends(panel, labels)
    return figure


def figure_4(results):
    figure, axes = style.panels(1, 1)
    throughput(axes[0][0], results["fig4-random-i32"], "Random keys of 4 bytes",
               shape="permutation")
    return figure


def figure_5(results):
    figure, axes = style.panels(1, 1)
    throughput(axes[0][0], results["fig5-random-i64"], "Random keys of 8 bytes",
               shape="permutation")
    return figure


def figure_6(results):
    figure, axes = style.panels(1, 1)
    throughput(axes[0][0], results["fig6-conflict-i32"],
               "Keys of 4 bytes, constructed against CUB's merge sort",
               shape="conflict:17,256")
    return figure


def figure_7(results):
    """Speed-up of our two engines over each rival."""
    figure, axes = style.panels(2, 2, width=10, height=7, sharey="row")
    cases = [(results["fig4-random-i32"], "permutation", "random"),
             (results["fig6-conflict-i32"], "conflict:17,256", "conflict-heavy")]
    labels = {}
    for across, (table, shape, words) in enumerate(cases):
        for down, ours in enumerate(("heap", "tile")):
            panel = axes[down][across]
            labels[panel] = []
            for name in style.known(table.names("contestant")):
                if name in ("tile", "heap", "pair"):
                    continue
                speedups = facts.speedups(table, shape, ours, name)
                panel.plot(list(speedups), list(speedups.values()), **look(name))
                if speedups:
                    last = max(speedups)
                    labels[panel].append((last, speedups[last], CONTESTANTS[name][0],
                                          CONTESTANTS[name][1]))
            panel.axhline(1, color="black", linewidth=0.8)
            style.counts_axis(panel, table.names("count"))
            panel.set_title(f"{CONTESTANTS[ours][0]}, {words}")
            panel.set_ylabel("times as fast as")
    for panel, ends in labels.items():  # now that both panels of a row have their scale
        panel.set_ylim(bottom=0)
        style.label_ends(panel, ends)
    return figure


def figure_8(results):
    """What a plain copy would allow, for the passes that each sort makes."""
    figure, axes = style.panels(1, 2, width=10, height=4.6)
    for panel, (table, launches, bytes_) in zip(axes[0], (
            (results["fig4-random-i32"], results["fig4-launches-i32"], 4),
            (results["fig5-random-i64"], results["fig5-launches-i64"], 8))):
        found = times(table, shape="permutation")
        labels = []
        for name in "tile", "heap", "cub-merge", "cub-radix":
            if name not in found:
                continue
            limits = facts.limits(table, launches, name)
            panel.plot(list(limits), list(limits.values()), linestyle="--", linewidth=1.2,
                       color=CONTESTANTS[name][1])
            x, y = style.line_of(panel, in_order(found[name]), rate, **look(name))
            labels.append((x, y, CONTESTANTS[name][0].split(" (")[0],
                           CONTESTANTS[name][1]))
        style.counts_axis(panel, table.names("count"))
        panel.set_yscale("log")
        marks = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200]
        panel.set_yticks(marks, [f"{mark:g}" for mark in marks])
        panel.minorticks_off()
        panel.set_ylabel("billions of keys a second")
        panel.set_title(f"{bytes_}-byte keys; dashed: its passes as plain copies")
        style.label_ends(panel, labels)
    return figure


FIGURES = {"1-sortedness": figure_1, "2-ways": figure_2, "3-warps": figure_3,
           "4-random-i32": figure_4, "5-random-i64": figure_5, "6-conflict": figure_6,
           "7-speedup": figure_7, "8-limits": figure_8}


def main(results, folder):
    results = Results(results)
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, draw in FIGURES.items():
        path = folder / f"figure-{name}.svg"
        style.save(draw(results), path)
        print(path)


if __name__ == "__main__":
    main(*sys.argv[1:])
