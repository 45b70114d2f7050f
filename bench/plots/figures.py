"""Draw the figures of docs/reproduction.md from the tables of results.

    figures.py RESULTS FOLDER
"""

import pathlib
import sys

import facts
import style
from style import CONTESTANTS, WAYS, label, look
from tables import Results, times

RATE = "billions of keys a second"


def rate(row, which):
    return 1e-6 * row["count"] / row[which]


def rates(axes, found, **how):
    """A line of rates over counts; returns its end."""
    return style.line_of(axes, [found[count] for count in sorted(found)], rate, **how)


def finish(axes, labels, title, unit, **more):
    axes.set_ylabel(unit)
    axes.set_ylim(bottom=0)
    axes.set_title(title)
    style.label_ends(axes, labels, **more)


def shape_name(shape):
    if shape.startswith("conflict:"):
        return f"conflict\nE = {shape[9:].split(',')[0]}"
    if shape.startswith("swaps:"):
        return f"$10^{{{len(shape) - len('swaps:1')}}}$\nswaps"
    return "random" if shape == "permutation" else shape


def is_made(shape):
    """Constructed inputs stand apart from the line."""
    return shape.startswith("conflict")


def figure_1(results):
    """Run time over sortedness, and the conflicts of our engines, counted."""
    figure, [[above], [below]] = style.panels(2, 1, height=6.6, sharex=True,
                                              gridspec_kw={"height_ratios": [3, 2]})
    table, counted = results["fig1-sortedness"], results["sim-sortedness"]
    shapes = list(facts.by_figure_1(counted, "pair", table.names("shape")))
    labels = []
    for name in style.known(table.names("contestant")):
        rows = [dict(row, count=shapes.index(row["shape"]))
                for row in table.where(contestant=name, verified="yes")
                if row["shape"] in shapes]
        for made, line in (False, "-"), (True, "none"):
            end = style.line_of(above, [row for row in rows if is_made(row["shape"]) == made],
                                lambda row, which: row[which], linestyle=line, **look(name))
        labels.append(label(name, *end))
    finish(above, labels, f"Time to sort {table.rows[0]['count']:,} keys of 4 bytes", "ms",
           gap=0.07)
    labels = []
    for name in "pair", "heap", "tile":
        rows = facts.by_figure_1(counted, name, shapes)
        for made, line in (False, "-"), (True, "none"):
            some = [shape for shape in rows if is_made(shape) == made]
            ys = [rows[shape]["conflicts"] / rows[shape]["count"] for shape in some]
            below.plot([shapes.index(shape) for shape in some], ys, linestyle=line,
                       **look(name))
        labels.append(label(name, 0, ys[-1]))
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
            if name.startswith(engine):
                ways = int(name.split(":")[1])
                end = rates(panel, rows, color=WAYS[ways], marker="o")
                labels.append((*end, f"K = {ways}", WAYS[ways]))
        style.counts_axis(panel, table.names("count"))
        finish(panel, labels, CONTESTANTS[engine][0], RATE)
    return figure


def figure_3(results):
    """Engine heap over warps."""
    figure, [[panel]] = style.panels(1, 1, width=7.5)
    labels = []
    for ways, colour in WAYS.items():
        rows = facts.over_warps(results, ways)
        xs, ys = list(rows), [row["mean_ms"] for row in rows.values()]
        best = facts.best_warps(results, ways)
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
    style.marks_axis(panel, [mark for mark in (0.1, 0.2, 0.3, 0.5, 1, 2, 3, 5, 10, 20, 30,
                                               50, 100) if low <= mark <= high])
    panel.set_xlabel("warps (P)")
    panel.set_ylabel("ms")
    count = results["fig3-ways-2"].rows[-1]["count"]
    panel.set_title(f"Engine heap, {style.power_text(count)} keys of 4 bytes; "
                    "rings: the best P")
    style.label_ends(panel, labels)
    return figure


def throughput(stem, shape, title):
    """What draws all contestants of a table over counts."""
    def draw(results):
        figure, [[panel]] = style.panels(1, 1)
        found = times(results[stem], shape=shape)
        labels = [label(name, *rates(panel, found[name], **look(name)))
                  for name in style.known(found)]
        style.counts_axis(panel, results[stem].names("count"))
        finish(panel, labels, title, RATE)
        return figure
    return draw


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
                    labels[panel].append(label(name, last, speedups[last]))
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
    for panel, number, kind in zip(axes[0], (4, 5), ("i32", "i64")):
        table = results[f"fig{number}-random-{kind}"]
        found = times(table, shape="permutation")
        labels = []
        for name in "tile", "heap", "cub-merge", "cub-radix":
            if name not in found:
                continue
            limits = facts.limits(table, results[f"fig{number}-launches-{kind}"], name)
            panel.plot(list(limits), list(limits.values()), linestyle="--", linewidth=1.2,
                       color=CONTESTANTS[name][1])
            x, y, text, colour = label(name, *rates(panel, found[name], **look(name)))
            labels.append((x, y, text.split(" (")[0], colour))
        style.counts_axis(panel, table.names("count"))
        style.marks_axis(panel, [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200])
        panel.set_ylabel(RATE)
        panel.set_title(f"{4 * (number - 3)}-byte keys; dashed: its passes as plain copies")
        style.label_ends(panel, labels)
    return figure


FIGURES = {
    "1-sortedness": figure_1, "2-ways": figure_2, "3-warps": figure_3,
    "4-random-i32": throughput("fig4-random-i32", "permutation", "Random keys of 4 bytes"),
    "5-random-i64": throughput("fig5-random-i64", "permutation", "Random keys of 8 bytes"),
    "6-conflict": throughput("fig6-conflict-i32", "conflict:17,256",
                             "Keys of 4 bytes, constructed against CUB's merge sort"),
    "7-speedup": figure_7, "8-limits": figure_8}


def main(results, folder):
    results, folder = Results(results), pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, draw in FIGURES.items():
        style.save(draw(results), folder / f"figure-{name}.svg")
        print(folder / f"figure-{name}.svg")


if __name__ == "__main__":
    main(*sys.argv[1:])
