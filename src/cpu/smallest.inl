/*
 * smallest.inl - the smallest keys of an array, in one pass.
 *
 * Ranks up to a limit are collected. Whenever they fill their room, all but those wanted
 * are dropped, and the limit falls. A sample gives the first limit, so in whatever order
 * keys come, few of them are collected.
 */
enum { SMALLEST_SAMPLES = 1024, SMALLEST_STEP = 4 * WIDE };

struct smallest {
    rank *ranks;
    size_t count;
    size_t room;
    size_t wanted;
    rank limit;
    int is_over; /* no rank is smaller than those found */
};

static void smallest_sort(struct smallest *s)
{
    struct quick q = {CODING_NONE, 0, s->count};

    if (s->count > 0)
        quick_piece(&q, (struct piece){s->ranks, s->count, RANK_FIRST, RANK_LAST,
                                       quick_depth(s->count)});
    if (s->count < s->wanted)
        return;
    s->count = s->wanted;
    s->is_over = s->ranks[s->wanted - 1] == RANK_FIRST;
    s->limit = s->is_over ? RANK_FIRST : s->ranks[s->wanted - 1] - 1;
}

/* Collect those lanes of a register that are up to the limit. */
static inline void smallest_take(struct smallest *s, wide values, wide limit)
{
    const unsigned greater = greater_lanes(values, limit);

#if WIDE == 16
    wide_store(s->ranks + s->count, compressed(values, ~greater));
#else
    wide_store(s->ranks + s->count, parted(values, greater));
#endif
    s->count += WIDE - (size_t)__builtin_popcount(greater);
}

static inline unsigned smallest_mask(wide values, wide limit)
{
    return ~greater_lanes(values, limit) & ((1u << WIDE) - 1);
}

INLINED void smallest_scan(struct smallest *s, const rank *keys, size_t count,
                           enum coding coding, key flip)
{
    size_t i = 0;

    for (; i + SMALLEST_STEP <= count && !s->is_over; i += SMALLEST_STEP) {
        const wide limit = wide_of(s->limit);
        wide some[4];
        unsigned found = 0;

        UNROLL
        for (int j = 0; j < 4; j++) {
            some[j] = wide_enter(wide_load(keys + i + j * WIDE), coding, flip);
            found |= smallest_mask(some[j], limit);
        }
        if (!found)
            continue;
        for (int j = 0; j < 4; j++)
            smallest_take(s, some[j], limit);
        if (s->count + 2 * SMALLEST_STEP > s->room)
            smallest_sort(s);
    }
    for (; i < count && !s->is_over; i++) { /* less than a step: there is room */
        const rank value = wide_enter(wide_of(keys[i]), coding, flip)[0];

        if (value <= s->limit)
            s->ranks[s->count++] = value;
    }
}

/* A rank in the samples below which there should be about twice the wanted keys. */
static rank smallest_limit(const struct smallest_task *task)
{
    const struct quick_task all = {.keys = (void *)(uintptr_t)task->keys,
                                   .count = task->count,
                                   .code = task->code,
                                   .least = (uint64_t)RANK_FIRST,
                                   .most = (uint64_t)RANK_LAST};
    const uint64_t part = SMALLEST_SAMPLES * task->wanted / task->count * 2 + 4;

    if (task->count < 16 * SMALLEST_SAMPLES || part >= SMALLEST_SAMPLES)
        return RANK_LAST;
    return (rank)pivot(&all, (unsigned)part, SMALLEST_SAMPLES);
}

static void smallest(struct smallest_task *task)
{
    const size_t room = SMALLEST_ROOM / sizeof(rank);
    struct smallest s = {.ranks = (rank *)task->ranks,
                         .room = 4 * task->wanted + 16384,
                         .wanted = (size_t)task->wanted,
                         .limit = smallest_limit(task)};
    const rank *const keys = (const rank *)task->keys;
    const enum coding coding = coding_of(task->code);
    const key flip = flip_of(task->code);
    const size_t count = (size_t)task->count;

    s.room = s.room < room ? s.room : room;
    for (;;) {
        const int is_sampled = s.limit != RANK_LAST;

        if (coding == CODING_FLOAT)
            smallest_scan(&s, keys, count, CODING_FLOAT, flip);
        else if (coding == CODING_FLIP)
            smallest_scan(&s, keys, count, CODING_FLIP, flip);
        else
            smallest_scan(&s, keys, count, CODING_NONE, flip);
        smallest_sort(&s);
        if (!is_sampled || s.count >= s.wanted || s.count >= count)
            break;
        s.limit = RANK_LAST; /* the sample misled */
        s.count = 0;
    }
    task->found = s.count;
}
