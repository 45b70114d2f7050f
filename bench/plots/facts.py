"""What is read off the tables, for the figures and for the report alike."""

import counts
from tables import right, times

# CUB's merge sort: keys of a tile by the bytes of a key; then two-way merges.
CUB_TILE = {"i32": 256 * 17, "i64": 256 * 8}
# CUB's radix sort: 8 bits a pass, and one reading beforehand, which is half a pass.
RADIX_PASSES = {"i32": 4.5, "i64": 8.5}

# modernGPU's mergesort: 128 threads of 11 keys on what came after Maxwell.
MODERNGPU_INPUT = "conflict:11,128"


def by_figure_1(counted, engine, shapes):
    """The counts of an engine by the shapes of figure 1, whose swaps are in proportion."""
    rows = {row["shape"]: row for row in counted.where(engine=engine)}
    return {shape: rows[counts.scaled(shape)] for shape in shapes
            if counts.scaled(shape) in rows}


def over_warps(results, ways):
    """Engine heap's rows by its warps."""
    return {int(row["contestant"].split(":")[2]): row
            for row in right(results[f"fig3-ways-{ways}"].rows)
            if row["contestant"].count(":") == 2}


def best_warps(results, ways):
    """The number of warps with which engine heap was fastest at that many ways."""
    rows = over_warps(results, ways)
    return min(rows, key=lambda warps: rows[warps]["mean_ms"])


def speedups(table, shape, ours, theirs):
    """How many times as fast ours is, by count."""
    found = times(table, shape=shape)
    rows, others = found.get(ours, {}), found.get(theirs, {})
    return {count: others[count]["mean_ms"] / rows[count]["mean_ms"]
            for count in sorted(rows) if count in others}


def launched(launches, name, count):
    """The launches of one of ours at one count."""
    return launches.where(contestant=name, count=count, shape="permutation")


def passes(launches, name, kind, count):
    """How often a sort reads and writes all its keys; None if that is not known."""
    if name == "cub-merge":
        return 1 + max(0, -(-count // CUB_TILE[kind]) - 1).bit_length()
    if name == "cub-radix":
        return RADIX_PASSES[kind]
    rows = launched(launches, name, count)
    return 1 + max(row["pass"] for row in rows) if rows else None


def limits(table, launches, name):
    """Billions of keys a second if each pass were a plain copy, by count."""
    copies = {row["count"]: row for row in table.where(contestant="copy")}
    found = {count: passes(launches, name, copies[count]["type"], count)
             for count in sorted(copies)}
    return {count: 1e-6 * count / (number * copies[count]["mean_ms"])
            for count, number in found.items() if number}


def share(launches, name, count, kernel):
    """The part of its launches' time that a kernel takes."""
    rows = launched(launches, name, count)
    whole = sum(row["median_ms"] for row in rows)
    return sum(row["median_ms"] for row in rows if row["kernel"] == kernel) / whole
