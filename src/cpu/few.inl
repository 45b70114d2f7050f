/*
 * few.inl - arrays of few different keys: these are counted.
 */
enum { FEW_MOST = 16, FEW_SAMPLES = 256, FEW_LEAST = 4096 };

/* Are most neighbours in a sorted register equal? */
static int has_equals(wide sorted)
{
    int equals = 0;

    for (int i = 1; i < WIDE; i++)
        equals += sorted[i - 1] == sorted[i];
    return 2 * equals >= WIDE;
}

/* Ranks from all over the array, sorted. */
static void sorted_samples(struct quick *q, const rank *from, size_t count,
                           enum coding coding, rank samples[FEW_SAMPLES])
{
    const size_t step = (count - WIDE) / FEW_SAMPLES;
    struct quick as_ranks = {CODING_NONE, 0, 0};

    for (size_t i = 0; i < FEW_SAMPLES; i++) {
        q->chance = q->chance * UINT64_C(6364136223846793005) + 1442695040888963407;

        const size_t at = i * step + (size_t)((q->chance >> 32) * step >> 32);

        samples[i] = wide_enter(wide_of(from[at]), coding, q->flip)[0];
    }
    quick_piece(&as_ranks, (struct piece){samples, FEW_SAMPLES, RANK_FIRST, RANK_LAST, 64});
}

/* Values, and how often each occurs. */
struct few {
    int count;
    rank value[FEW_MOST];
    size_t occurs[FEW_MOST];
};

/* Count at most `most` values, a constant; does no other occur? */
INLINED int count_few(const rank *from, size_t count, struct few *few, int most,
                      enum coding coding, key flip)
{
    enum { STEP = 256 * WIDE }; /* ranks looked at before others are noticed */
    size_t i = 0;
    size_t found = 0;

    while (i + WIDE <= count && found == i) {
        const size_t end = count - i < STEP ? count / WIDE * WIDE : i + STEP;
        wide sums[FEW_MOST] = {{0}};

        for (; i < end; i += WIDE) {
            const wide some = wide_enter(wide_load(from + i), coding, flip);

            UNROLL
            for (int j = 0; j < most; j++)
                sums[j] = wide_count(sums[j], some, wide_of(few->value[j]));
        }
        for (int j = 0; j < few->count; j++)
            for (int lane = 0; lane < WIDE; lane++) {
                few->occurs[j] += (size_t)sums[j][lane];
                found += (size_t)sums[j][lane];
            }
    }
    for (; i < count && found == i; i++) {
        const rank value = wide_enter(wide_of(from[i]), coding, flip)[0];

        for (int j = 0; j < few->count; j++) {
            few->occurs[j] += value == few->value[j];
            found += value == few->value[j];
        }
    }
    return found == count;
}

/* Sort keys that have FEW_MOST values at most; done? */
INLINED int sort_few(struct quick *q, rank *keys, size_t count, enum coding coding)
{
    rank samples[FEW_SAMPLES];
    struct few few = {0};
    int is_all;

    sorted_samples(q, keys, count, coding, samples);
    for (int i = 0; i < FEW_SAMPLES; i++) {
        if (few.count > 0 && few.value[few.count - 1] == samples[i])
            continue;
        if (few.count == FEW_MOST)
            return 0;
        few.value[few.count++] = samples[i];
    }
    if (few.count <= FEW_MOST / 4)
        is_all = count_few(keys, count, &few, FEW_MOST / 4, coding, q->flip);
    else
        is_all = count_few(keys, count, &few, FEW_MOST, coding, q->flip);
    for (int i = 0; is_all && i < few.count; keys += few.occurs[i++])
        write_value(keys, few.occurs[i],
                    wide_leave(wide_of(few.value[i]), coding, q->flip));
    return is_all;
}
