/*
 * few.inl - keys of few different values: a hash table counts the keys of each value.
 *
 * Keys that are equal have the same bits, so a count replaces them. Only the values are
 * sorted. Once found, up to FEW_TINY values are counted by comparing registers instead.
 */
enum {
    FEW_TINY = 16,
    FEW_DETOURS = 32, /* more than half a slot for each value are too many */
    FEW_AHEAD = 256   /* distance of prefetches, in keys: L1's own prefetcher is too late */
};

struct few_table {
    unsigned bits; /* 2^bits slots are used */
    unsigned values;
    unsigned detours;        /* slots from each value's own to where it is, added up */
    unsigned tiny[FEW_TINY]; /* the slots of the first of them */
    key value[FEW_SLOTS];
    /* Several counters for each: equal neighbouring keys do not wait for each other. */
    uint32_t occurs[FEW_SLOTS][FEW_LANES];
};

_Static_assert(sizeof(struct few_table) <= FEW_BYTES, "a table fits its memory");

/* The number of values among `samples` keys, at most FEW_SAMPLES, of the whole array. */
static unsigned few_sampled(const void *from, uint64_t count, unsigned samples)
{
    const key *const keys = (const key *)from;
    const uint64_t step = count / samples;
    struct quick q = {CODING_NONE, 0, count};
    rank found[FEW_SAMPLES];
    unsigned values = 1;

    for (unsigned i = 0; i < samples; i++) {
        q.chance = q.chance * UINT64_C(6364136223846793005) + 1442695040888963407;
        found[i] = (rank)keys[i * step + ((q.chance >> 32) * step >> 32)];
    }
    quick_piece(&q, (struct piece){found, samples, RANK_FIRST, RANK_LAST, FEW_SAMPLES});
    for (unsigned i = 1; i < samples; i++)
        values += found[i - 1] != found[i];
    return values;
}

static void few_clear(void *memory, unsigned bits)
{
    struct few_table *const table = (struct few_table *)memory;

    table->bits = bits;
    table->values = 0;
    table->detours = 0;
    memset(table->tiny, 0, sizeof table->tiny);
    memset(table->value, 0, sizeof *table->value << bits);
    memset(table->occurs, 0, sizeof *table->occurs << bits);
    /* Key 0 hashes to slot 0, key 1 does not: no key equals the value of its empty slot. */
    table->value[0] = 1;
}

/* The upper bits of a product depend on all bits of the key. */
static inline unsigned few_hash(key value, unsigned bits)
{
    return (unsigned)((key)(value * (key)UINT64_C(0x9e3779b97f4a7c15)) >>
                      (KEY_BITS - bits));
}

static inline uint64_t few_occurs(const struct few_table *table, unsigned slot)
{
    uint64_t sum = 0;

    for (int i = 0; i < FEW_LANES; i++)
        sum += table->occurs[slot][i];
    return sum;
}

/* The slot of a value, or the empty slot where it belongs. */
static unsigned few_find(const struct few_table *table, key value)
{
    unsigned slot = few_hash(value, table->bits);

    while (table->value[slot] != value && few_occurs(table, slot))
        slot = (slot + 1) & ((1u << table->bits) - 1);
    return slot;
}

/* Values that crowd the same slots take long to find: they count as too many. */
static void few_add(struct few_table *table, key value, int lane)
{
    const unsigned slot = few_find(table, value);
    const unsigned own = few_hash(value, table->bits);

    if (!few_occurs(table, slot)) {
        if (table->values < FEW_TINY)
            table->tiny[table->values] = slot;
        table->values++;
        table->value[slot] = value;
        table->detours += (slot - own) & ((1u << table->bits) - 1);
        if (table->detours > FEW_DETOURS + table->values / 2)
            table->values = FEW_MOST + 1;
    }
    table->occurs[slot][lane]++;
}

/*
 * Count keys by the values in the table, at most `most`, a constant. Returns 0, and counts
 * nothing, if there are other values.
 */
INLINED int few_compare(struct few_table *table, const rank *keys, uint64_t count, int most)
{
    wide sums[FEW_TINY] = {{0}};
    wide values[FEW_TINY];
    uint64_t occurs[FEW_TINY] = {0};
    uint64_t found = 0;

    for (int i = 0; i < most; i++)
        values[i] = wide_of((rank)table->value[table->tiny[i]]);
    for (uint64_t at = 0; at < count; at += WIDE) {
        const wide some = wide_load(keys + at);

        UNROLL
        for (int i = 0; i < most; i++)
            sums[i] = wide_count(sums[i], some, values[i]);
    }
    for (unsigned i = 0; i < table->values; i++) {
        for (int lane = 0; lane < WIDE; lane++)
            occurs[i] += (uint64_t)sums[i][lane];
        found += occurs[i];
    }
    for (unsigned i = 0; i < table->values && found == count; i++)
        table->occurs[table->tiny[i]][0] += (uint32_t)occurs[i];
    return found == count;
}

/*
 * Count keys, FEW_LANES at once, as long as the values of all are in their own slots.
 * Returns how many were counted. A loop of its own: gcc keeps all it needs in registers.
 */
static uint64_t few_count_known(struct few_table *table, const key *keys, uint64_t count)
{
    const unsigned bits = table->bits;
    uint64_t at = 0;

    for (; at + FEW_LANES <= count; at += FEW_LANES) {
        unsigned slots[FEW_LANES];
        key others = 0;

        __builtin_prefetch(keys + at + FEW_AHEAD);
        UNROLL
        for (int i = 0; i < FEW_LANES; i++) {
            slots[i] = few_hash(keys[at + i], bits);
            others |= table->value[slots[i]] ^ keys[at + i];
        }
        if (others)
            break;
        UNROLL
        for (int i = 0; i < FEW_LANES; i++)
            table->occurs[slots[i]][i]++;
    }
    return at;
}

/* Count keys. Returns 0 if there are too many values; some keys are not counted then. */
static int few_count(void *memory, const void *from, uint64_t count)
{
    struct few_table *const table = (struct few_table *)memory;
    const unsigned most = FEW_MOST >> (FEW_BITS - table->bits);
    const key *const keys = (const key *)from;
    const uint64_t whole = count / WIDE * WIDE;
    uint64_t at = 0;

    if (table->values > 0 && table->values <= FEW_TINY &&
        (table->values <= FEW_TINY / 4
             ? few_compare(table, (const rank *)keys, whole, FEW_TINY / 4)
             : few_compare(table, (const rank *)keys, whole, FEW_TINY)))
        at = whole;
    while (at < count && table->values <= most) {
        at += few_count_known(table, keys + at, count - at);
        for (int i = 0; i < FEW_LANES && at < count; i++)
            few_add(table, keys[at++], i);
    }
    return table->values <= most;
}

/* Append the values of a table to `ranks`. */
static size_t few_values(const struct few_table *table, struct code code, rank *ranks,
                         size_t count)
{
    for (unsigned slot = 0; slot >> table->bits == 0; slot++)
        if (few_occurs(table, slot))
            enter_all(ranks + count++, &table->value[slot], 1, code);
    return count;
}

/* The different ranks among `count` sorted ones, moved to the front. */
static size_t few_different(rank *ranks, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++)
        if (kept == 0 || ranks[kept - 1] != ranks[i])
            ranks[kept++] = ranks[i];
    return kept;
}

static int few_list(const struct few_tables *tables, struct code code, void *room,
                    struct few_list *list)
{
    rank *const ranks = (rank *)room;
    struct quick q = {CODING_NONE, 0, 0};
    size_t count = 0;

    for (unsigned i = 0; i < tables->count; i++)
        count = few_values((const struct few_table *)few_table_at(tables, i), code, ranks,
                           count);
    quick_piece(&q,
                (struct piece){ranks, count, RANK_FIRST, RANK_LAST, quick_depth(count)});
    count = few_different(ranks, count);
    if (count > FEW_MOST)
        return 0;
    list->count = (unsigned)count;
    list->start[0] = 0;
    for (size_t i = 0; i < count; i++) {
        key value;

        leave_all(&value, &ranks[i], 1, code);
        list->value[i] = value;
        list->start[i + 1] = list->start[i];
        for (unsigned j = 0; j < tables->count; j++) {
            const struct few_table *const table =
                (const struct few_table *)few_table_at(tables, j);

            list->start[i + 1] += few_occurs(table, few_find(table, value));
        }
    }
    return 1;
}

static void few_write(void *to, uint64_t first, uint64_t last, const struct few_list *list)
{
    rank *const keys = (rank *)to;

    for (unsigned i = 0; i < list->count && list->start[i] < last; i++) {
        const uint64_t begin = list->start[i] > first ? list->start[i] : first;
        const uint64_t end = list->start[i + 1] < last ? list->start[i + 1] : last;

        if (begin < end)
            write_value(keys + begin, (size_t)(end - begin), wide_of((rank)list->value[i]));
    }
}
