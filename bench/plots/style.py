"""How the figures look: colours, axes, labels at the ends of lines."""

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402 (the backend is chosen first)
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator  # noqa: E402

matplotlib.rcParams.update({
    "svg.hashsalt": "multiway",  # the same file from the same numbers
    "svg.fonttype": "path",
    "font.family": "DejaVu Sans",  # which comes with matplotlib
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.7,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",  # on dark pages, too
    "lines.linewidth": 1.8,
    "lines.markersize": 4.5,
    "errorbar.capsize": 2,
})

# Ours in strong colours; pairwise mergesorts in greens and browns; radix in grey.
CONTESTANTS = {
    "tile": ("engine tile", "#0a58ca", "o"),
    "heap": ("engine heap (the paper's)", "#d6336c", "s"),
    "pair": ("engine pair", "#e8890c", "^"),
    "cub-merge": ("CUB merge", "#2b8a3e", "D"),
    "thrust": ("Thrust", "#66a80f", "v"),
    "moderngpu": ("modernGPU", "#8d6e4a", "P"),
    "cub-radix": ("CUB radix", "#6c757d", "x"),
}
WAYS = {2: "#9bb8e8", 4: "#6f97dd", 8: "#3f73cd", 16: "#1f4fa3", 32: "#0b2f6b"}


def known(names):
    """Those of the list above that are among `names`, in its order."""
    return [name for name in CONTESTANTS if name in names]


def look(name):
    """How the line of a contestant looks."""
    return {"color": CONTESTANTS[name][1], "marker": CONTESTANTS[name][2]}


def label(name, x, y):
    """The label at the end of a contestant's line, for label_ends."""
    return x, y, CONTESTANTS[name][0], CONTESTANTS[name][1]


def panels(rows, columns, width=9.0, height=4.2, **more):
    return plt.subplots(rows, columns, figsize=(width, height), squeeze=False,
                        layout="constrained", **more)


def power_text(count, _=None):
    """2^20 as one writes it; other counts by their digits."""
    count = round(count)
    if count > 0 and count & (count - 1) == 0:
        return f"$2^{{{count.bit_length() - 1}}}$"
    return f"{count:,}"


def marks_axis(axes, marks):
    """A logarithmic y axis with these marks."""
    axes.set_yscale("log")
    axes.set_yticks(marks, [f"{mark:g}" for mark in marks])
    axes.minorticks_off()


def counts_axis(axes, counts):
    """Powers of two, every second one, over the range of the counts."""
    low = min(counts).bit_length() - 1
    high = max(counts).bit_length()
    ticks = [1 << bits for bits in range(low + low % 2, high + 1, 2)]
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(power_text))
    axes.set_xlabel("keys")


def line_of(axes, rows, number, **how):
    """A line with min-max bars; `number` makes of a time in ms what is shown."""
    xs = [row["count"] for row in rows]
    ys = [number(row, "mean_ms") for row in rows]
    ends = [sorted((number(row, "min_ms"), number(row, "max_ms"))) for row in rows]
    bars = [[max(0, y - low) for y, (low, _) in zip(ys, ends)],
            [max(0, high - y) for y, (_, high) in zip(ys, ends)]]
    axes.errorbar(xs, ys, yerr=bars, elinewidth=0.8, **how)
    return xs[-1], ys[-1]


def spread(wanted, gap):
    """Heights in order, as near as can be to those wanted, and `gap` apart."""
    groups = []  # of neighbours that touch: (how many, middle)
    for height in wanted:
        groups.append((1, height))
        while len(groups) > 1:
            (under, low), (over, high) = groups[-2:]
            if high - low >= gap * (under + over) / 2:
                break
            middle = (under * low + over * high) / (under + over)
            groups[-2:] = [(under + over, middle)]
    return [middle + gap * (i - (many - 1) / 2) for many, middle in groups
            for i in range(many)]


def label_ends(axes, labels, gap=0.062):
    """
    A name at the end of each line instead of a legend. `labels` are (x, y, text,
    colour); those that would overlap are pushed apart.
    """
    to_axes = axes.transData + axes.transAxes.inverted()
    placed = sorted((to_axes.transform((x, y))[1], text, colour)
                    for x, y, text, colour in labels)
    for height, (_, text, colour) in zip(spread([label[0] for label in placed], gap), placed):
        axes.annotate(text, (1.015, height), xycoords="axes fraction", color=colour,
                      va="center", fontsize=9, annotation_clip=False)


def save(figure, path):
    """No date and no version in the file: it changes when the numbers do."""
    figure.savefig(path, metadata={"Date": None, "Creator": "Multiway"})
    plt.close(figure)
