/*
 * quick.inl - a quicksort in place, by partitions of whole registers.
 *
 * Pieces of at most LEAF_MOST ranks are sorted in registers (leaf.inl). The first partition
 * makes ranks of keys, and writing sorted pieces makes keys of ranks: no pass is needed for
 * conversions.
 *
 * Every piece knows the least and the greatest rank that it may hold. If the two are equal,
 * the piece is done. So equal ranks make a sort faster.
 */

/* A piece of the array: all its ranks belong there, in some order. */
struct piece {
    rank *ranks;
    size_t count;
    rank least;
    rank most;
    int depth; /* partitions that are left before it is sorted another way */
};

/* ---- Pivots ------------------------------------------------------------------------ */

static inline wide wide_median(wide a, wide b, wide c)
{
    wide_exchange(&a, &b);
    wide_exchange(&b, &c);
    wide_exchange(&a, &b);
    return b;
}

/* Sorted ranks, each the median of nine, from all over the piece. */
INLINED wide sample(struct quick *q, const rank *from, size_t count, enum coding coding)
{
    enum { SAMPLES = 9 };
    const size_t step = (count - WIDE) / SAMPLES;
    wide found[SAMPLES];

    q->chance = q->chance * UINT64_C(6364136223846793005) + 1442695040888963407;
    for (int i = 0; i < SAMPLES; i++) {
        const uint64_t chance = (uint32_t)(q->chance >> (3 * i + 5));

        found[i] = wide_load(from + (size_t)i * step + (size_t)(chance * step >> 32));
        found[i] = wide_enter(found[i], coding, q->flip);
    }
    for (int i = 0; i < 3; i++)
        found[i] = wide_median(found[i], found[i + 3], found[i + 6]);
    return sort_lanes(wide_median(found[0], found[1], found[2]), 0);
}

/*
 * The rank up to which ranks go to the left. Where several samples are the median, all
 * ranks equal to it go to the side that leaves the parts more even.
 */
static inline rank middle_of(wide sorted)
{
    const rank median = sorted[WIDE / 2 - 1];

    if (sorted[WIDE / 2] != median)
        return median;

    const int below = __builtin_popcount(greater_lanes(wide_of(median), sorted));
    const int above = __builtin_popcount(greater_lanes(sorted, wide_of(median)));

    return below > above ? median - 1 : median;
}

/* Are all ranks the same? */
static int is_same(const rank *from, size_t count, rank value)
{
    size_t i = 0;
    rank others = 0;

    while (!others && i < count) {
        const size_t end = count - i < 128 ? count : i + 128;

        for (; i < end; i++)
            others |= from[i] ^ value;
    }
    return !others;
}

/* ---- The sort ----------------------------------------------------------------------- */

static void heap_sink(rank *heap, size_t at, size_t count)
{
    const rank value = heap[at];

    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        child += child + 1 < count && heap[child] < heap[child + 1];
        if (heap[child] <= value)
            break;
        heap[at] = heap[child];
    }
    heap[at] = value;
}

/* By a heap: for inputs that were made to defeat the choice of pivots. */
static void heap_piece(const struct quick *q, const struct piece *piece)
{
    rank *const heap = piece->ranks;
    rank sorted[BLOCK_MOST];

    for (size_t i = piece->count / 2; i-- > 0;)
        heap_sink(heap, i, piece->count);
    for (size_t i = piece->count; i-- > 1;) {
        const rank greatest = heap[0];

        heap[0] = heap[i];
        heap[i] = greatest;
        heap_sink(heap, 0, i);
    }
    for (size_t at = 0; at < piece->count; at += BLOCK_MOST) {
        const size_t left = piece->count - at;
        const size_t some = left < BLOCK_MOST ? left : BLOCK_MOST;

        memcpy(sorted, heap + at, some * sizeof *heap);
        write_out(q, heap + at, sorted, some, 0);
    }
}

static void quick_piece(struct quick *q, struct piece piece)
{
    while (piece.count > LEAF_MOST && piece.least != piece.most) {
        if (piece.depth-- == 0) {
            heap_piece(q, &piece);
            return;
        }

        const wide chosen = sample(q, piece.ranks, piece.count, CODING_NONE);
        rank pivot = middle_of(chosen);

        if (chosen[0] == chosen[WIDE - 1] && is_same(piece.ranks, piece.count, pivot)) {
            piece.least = piece.most = pivot;
            break;
        }
        if (pivot == piece.most) /* keys equal to it become the right side */
            pivot--;

        const size_t left = part_piece(piece.ranks, piece.count, pivot, CODING_NONE, 0);
        struct piece right = {piece.ranks + left, piece.count - left, pivot + 1, piece.most,
                              piece.depth};

        piece.count = left;
        piece.most = pivot;
        quick_piece(q, piece);
        piece = right;
    }
    if (piece.least == piece.most)
        write_same(q, piece.ranks, piece.count, piece.least);
    else if (piece.count > 0)
        sort_leaf(q, leaf_of(piece.least, piece.most), piece.ranks, piece.ranks,
                  piece.count);
}

/* Nested partitions that suffice for `count` ranks if every other one halves its piece. */
static int quick_depth(size_t count)
{
    int depth = 8;

    for (; count > 1; count /= 2)
        depth += 2;
    return depth;
}

/* Sort at least one key, or rank, with the first partition. */
INLINED void quick_coded(struct quick *q, rank *keys, size_t count, enum coding coding,
                         int depth)
{
    if (count <= LEAF_MOST) {
        _Alignas(wide) rank entered[LEAF_MOST];

        for (size_t i = 0; i < count; i += WIDE) {
            wide some = {0};

            if (i + WIDE <= count)
                some = wide_load(keys + i);
            else
                memcpy(&some, keys + i, (count - i) * sizeof *keys);
            wide_store(entered + i, wide_enter(some, coding, q->flip));
        }
        sort_leaf(q, leaf_of(RANK_FIRST, RANK_LAST), entered, keys, count);
        return;
    }

    const wide chosen = sample(q, keys, count, coding);
    const rank middle = chosen[WIDE / 2 - 1];
    const rank pivot = middle == RANK_LAST ? middle - 1 : middle;
    const size_t left = part_piece(keys, count, pivot, coding, q->flip);

    quick_piece(q, (struct piece){keys, left, RANK_FIRST, pivot, depth});
    quick_piece(q, (struct piece){keys + left, count - left, pivot + 1, RANK_LAST, depth});
}

/* Sort keys in place. */
static void quick_sort(key *keys, size_t count, struct code code, int depth)
{
    struct quick q = {coding_of(code), flip_of(code), count};

    if (q.coding == CODING_FLOAT)
        quick_coded(&q, (rank *)keys, count, CODING_FLOAT, depth);
    else if (q.coding == CODING_FLIP)
        quick_coded(&q, (rank *)keys, count, CODING_FLIP, depth);
    else
        quick_coded(&q, (rank *)keys, count, CODING_NONE, depth);
}

/* ---- The suite's functions ------------------------------------------------------------
 */

static void quick(const struct quick_task *task)
{
    const size_t count = (size_t)task->count;
    const int depth = task->depth ? task->depth : quick_depth(count);
    struct quick q = {coding_of(task->code), flip_of(task->code), task->count};

    if (count == 0)
        return;
    if (task->is_entered)
        quick_piece(&q, (struct piece){(rank *)task->keys, count, (rank)task->least,
                                       (rank)task->most, depth});
    else
        quick_sort((key *)task->keys, count, task->code, depth);
}

static uint64_t part(const struct quick_task *task, uint64_t pivot)
{
    const enum coding coding = task->is_entered ? CODING_NONE : coding_of(task->code);
    const key flip = flip_of(task->code);
    const size_t count = (size_t)task->count;

    if (coding == CODING_FLOAT)
        return part_piece((rank *)task->keys, count, (rank)pivot, CODING_FLOAT, flip);
    if (coding == CODING_FLIP)
        return part_piece((rank *)task->keys, count, (rank)pivot, CODING_FLIP, flip);
    return part_piece((rank *)task->keys, count, (rank)pivot, CODING_NONE, flip);
}

static uint64_t pivot(const struct quick_task *task, unsigned part_number, unsigned parts)
{
    enum { SAMPLES = 512, FAR = 1 << 20 }; /* fewer samples for short pieces in two parts */
    const size_t count = task->count < FAR && parts == 2 ? SAMPLES / 8 : SAMPLES;
    const key *const keys = (const key *)task->keys;
    const uint64_t step = task->count / count;
    const size_t middle = count * part_number / parts;
    struct quick q = {CODING_NONE, 0, task->count};
    rank samples[SAMPLES];
    size_t below = middle;
    size_t above = middle;

    for (uint64_t i = 0; i < count; i++) {
        q.chance = q.chance * UINT64_C(6364136223846793005) + 1442695040888963407;
        samples[i] = (rank)keys[i * step + ((q.chance >> 32) * step >> 32)];
    }
    if (!task->is_entered)
        enter_all(samples, (const key *)samples, count, task->code);
    quick_piece(&q, (struct piece){samples, count, RANK_FIRST, RANK_LAST, SAMPLES});
    while (below > 0 && samples[below - 1] == samples[middle])
        below--;
    while (above < count && samples[above] == samples[middle])
        above++;

    /* Keys equal to the pivot go left or right, whichever is nearer to the parts wanted. */
    const rank chosen = samples[middle];
    const int are_after = middle - below < above - middle && chosen > RANK_FIRST &&
                          (!task->is_entered || chosen > (rank)task->least);

    const int is_last =
        chosen == RANK_LAST || (task->is_entered && chosen == (rank)task->most);

    return (uint64_t)(are_after || is_last ? chosen - 1 : chosen);
}
