/*
 * merge.inl - merging two sorted runs at a time, four chains side by side.
 *
 * Lists are merged by quanta: QUANTUM ranks of output are cut into four
 * equal parts by exact binary searches, and each part is a chain of its own.
 *
 * A list with less than QUANTUM left is copied and padded with RANK_LAST. Keys may
 * have that rank, too: exactly as many ranks are written as there are keys, so a
 * filler can only be written in place of a rank that equals it.
 */
enum { QUANTUM = 512, PARTS = 4, PART = QUANTUM / PARTS };

/* The rest of a sorted list. */
struct list {
    const rank *head;
    uint64_t count;
};

/*
 * How many of the first PART, 2 * PART ... ranks of a and b merged come from
 * a, ties first. Four binary searches in step, so that each waits for memory
 * while the others go on; unrolled, their widths are constants. Both lists
 * have QUANTUM ranks.
 */
static inline void cut_quantum(const rank *a, const rank *b, size_t cuts[PARTS])
{
    size_t widths[PARTS]; /* cuts[i] is at most this much too small */

    for (size_t i = 0; i < PARTS; i++) {
        cuts[i] = 0;
        widths[i] = (i + 1) * PART;
    }
    UNROLL
    while (widths[PARTS - 1] > 0) {
        UNROLL
        for (size_t i = 0; i < PARTS; i++) {
            const size_t half = widths[i] - widths[i] / 2;
            const size_t next = cuts[i] + half;

            if (half > 0)
                cuts[i] += half & -choice(a[next - 1] <= b[(i + 1) * PART - next]);
            widths[i] -= half;
        }
    }
}

#if LANES > 1 && defined(__AVX512VL__)
#include "chain_512.inl"
#else
/* Write the first QUANTUM ranks of a and b, which `cuts` cut into PARTS. */
static inline void merge_chains(const rank *a, const rank *b, const size_t cuts[PARTS],
                                rank *to)
{
    struct chain chains[PARTS];

    forward_start(&chains[0], a, b, to);
    forward_start(&chains[1], a + cuts[0], b + (PART - cuts[0]), to + PART);
    forward_start(&chains[2], a + cuts[1], b + (2 * PART - cuts[1]), to + 2 * PART);
    forward_start(&chains[3], a + cuts[2], b + (3 * PART - cuts[2]), to + 3 * PART);
    for (size_t left = PART / LANES - 1; left > 0; left--) {
        forward_step(&chains[0]);
        forward_step(&chains[1]);
        forward_step(&chains[2]);
        forward_step(&chains[3]);
    }
}
#endif

/* Write the first QUANTUM ranks of a and b merged; return how many came from a. */
static size_t merge_full(const rank *a, const rank *b, rank *to)
{
    size_t cuts[PARTS];

    cut_quantum(a, b, cuts);
    merge_chains(a, b, cuts, to);
    return cuts[PARTS - 1];
}

static void list_drop(struct list *list, uint64_t count)
{
    list->head += count;
    list->count -= count;
}

static void list_take(struct list *list, rank *to, uint64_t count)
{
    memcpy(to, list->head, count * sizeof *to);
    list_drop(list, count);
}

/* Memory for quanta that are not whole. */
struct spare {
    _Alignas(STREAM_LINE) rank a[QUANTUM];
    rank b[QUANTUM];
    rank merged[QUANTUM];
};

/* The list's own memory if it has a quantum, else a filled-up copy of it. */
static const rank *list_fill(const struct list *list, rank copy[QUANTUM])
{
    if (list->count >= QUANTUM)
        return list->head;
    memcpy(copy, list->head, list->count * sizeof *copy);
    for (size_t i = list->count; i < QUANTUM; i++)
        copy[i] = RANK_LAST;
    return copy;
}

/* How many of the first `diag` ranks, at most QUANTUM, come from a: one cut alone. */
static size_t cut_at(const rank *a, const rank *b, size_t diag)
{
    size_t cut = 0;

    for (size_t reach = QUANTUM; reach > 0; reach /= 2)
        if (cut + reach <= diag && a[cut + reach - 1] <= b[diag - cut - reach])
            cut += reach;
    return cut;
}

/*
 * Merge the next `want` ranks, at most QUANTUM and at most all that are left,
 * into `to`, and drop them from the lists.
 */
static void merge_some(struct list *a, struct list *b, rank *to, size_t want,
                       struct spare *spare)
{
    /* Lists that do not overlap here: nothing to compare. */
    if (b->count == 0 || (a->count >= want && a->head[want - 1] <= b->head[0])) {
        list_take(a, to, want);
        return;
    }
    if (a->count == 0 || (b->count >= want && b->head[want - 1] <= a->head[0])) {
        list_take(b, to, want);
        return;
    }

    const rank *const from_a = list_fill(a, spare->a);
    const rank *const from_b = list_fill(b, spare->b);
    size_t taken;
    if (want == QUANTUM) {
        taken = merge_full(from_a, from_b, to);
    } else {
        merge_full(from_a, from_b, spare->merged);
        memcpy(to, spare->merged, want * sizeof *to);
        taken = cut_at(from_a, from_b, want);
    }
    if (taken > a->count) /* fillers of a that tied with ranks of b */
        taken = a->count;
    if (want - taken > b->count) /* only in disorder: stay within b */
        taken = want - (size_t)b->count;
    list_drop(a, taken);
    list_drop(b, want - taken);
}
