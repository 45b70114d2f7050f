/*
 * select.c - rows of some ranks: count digits, collect, partition, sort what is left.
 */
#include "cpu/select.h"

#include "cpu/part.h"
#include "cpu/select_keys.h"
#include "cpu/sort.h"

enum {
    DIGIT_BITS = 11,
    DIGITS = 1 << DIGIT_BITS,
    BLOCK = 256, /* rows whose codes are made at once */
    FEW = 4096   /* rows, besides twice those wanted, that are collected at once */
};

/* Rows whose codes begin with `prefix`: the one of a rank is among them. */
struct bound {
    uint64_t prefix;
    uint64_t below; /* rows whose codes begin with less */
    uint64_t equal;
    uint64_t first, last; /* which of them are collected, counted by their places */
};

/* What all phases share. */
struct select {
    const struct request *request;
    const struct row_range *range;
    struct row_map map; /* rows that were collected */
    unsigned workers;
    unsigned char *work;
    unsigned bits;         /* of a code that prefixes have */
    unsigned code_bits;    /* that codes have at all */
    uint64_t first, last;  /* ranks that are wanted */
    struct bound bound[2]; /* of rank first, and of rank last - 1 */
};

/* A worker's own counters. */
struct tally {
    uint64_t of_digit[2][DIGITS];
    uint64_t between, equal[2]; /* rows to be collected */
    uint64_t to;                /* where they go */
};

_Static_assert(sizeof(struct tally) <= WORK_BYTES, "a tally is in a thread's own memory");

static struct tally *tally_of(const struct select *s, unsigned worker)
{
    return (struct tally *)(void *)(s->work + (size_t)worker * WORK_BYTES);
}

static uint64_t share(const struct select *s, unsigned worker)
{
    return pool_part(s->range->count, s->workers, worker);
}

static uint64_t prefix_of(uint64_t code, unsigned bits)
{
    return bits ? code >> (64 - bits) : 0;
}

/* One range of codes: both bounds have the same prefix. */
static int is_one(const struct select *s)
{
    return s->bound[0].prefix == s->bound[1].prefix;
}

/* ---- Counting digits ------------------------------------------------------------------
 */

static unsigned next_bits(const struct select *s)
{
    return s->bits + DIGIT_BITS < s->code_bits ? s->bits + DIGIT_BITS : s->code_bits;
}

/* The codes of a block of rows, at most up to `last`; how many. */
static uint32_t make_codes(const struct select *s, uint64_t first, uint64_t last,
                           uint64_t codes[BLOCK])
{
    const uint32_t count = last - first < BLOCK ? (uint32_t)(last - first) : BLOCK;

    comparison_codes(&s->map.compare, first, count, codes);
    return count;
}

static void count_share(void *arg, unsigned worker)
{
    const struct select *const s = (const struct select *)arg;
    struct tally *const tally = tally_of(s, worker);
    const unsigned bits = next_bits(s);
    const uint64_t mask = (UINT64_C(1) << (bits - s->bits)) - 1;
    const uint64_t last = share(s, worker + 1);
    uint64_t codes[BLOCK];

    for (int side = 0; side < 2; side++)
        for (uint64_t i = 0; i <= mask; i++)
            tally->of_digit[side][i] = 0;
    for (uint64_t first = share(s, worker); first < last; first += BLOCK) {
        const uint32_t count = make_codes(s, first, last, codes);

        for (uint32_t i = 0; i < count; i++) {
            const uint64_t prefix = prefix_of(codes[i], s->bits);
            const uint64_t digit = prefix_of(codes[i], bits) & mask;

            if (prefix == s->bound[0].prefix)
                tally->of_digit[0][digit]++;
            if (prefix == s->bound[1].prefix)
                tally->of_digit[1][digit]++;
        }
    }
}

/* Lengthen the prefix of a bound by the digit of the row of this rank. */
static void lengthen(struct select *s, int side, uint64_t rank)
{
    const unsigned bits = next_bits(s) - s->bits;
    struct bound *const bound = &s->bound[side];
    uint64_t digit = 0;

    for (;; digit++) {
        bound->equal = 0;
        for (unsigned worker = 0; worker < s->workers; worker++)
            bound->equal += tally_of(s, worker)->of_digit[side][digit];
        if (rank - bound->below < bound->equal)
            break;
        bound->below += bound->equal;
    }
    bound->prefix = bound->prefix << bits | digit;
}

/* ---- Collecting -----------------------------------------------------------------------
 */

static void survey_share(void *arg, unsigned worker)
{
    const struct select *const s = (const struct select *)arg;
    struct tally *const tally = tally_of(s, worker);
    const uint64_t last = share(s, worker + 1);
    uint64_t between = 0;
    uint64_t equal[2] = {0, 0};
    uint64_t codes[BLOCK];

    for (uint64_t first = share(s, worker); first < last; first += BLOCK) {
        const uint32_t count = make_codes(s, first, last, codes);

        for (uint32_t i = 0; i < count; i++) {
            const uint64_t prefix = prefix_of(codes[i], s->bits);

            between += prefix > s->bound[0].prefix && prefix < s->bound[1].prefix;
            equal[0] += prefix == s->bound[0].prefix;
            equal[1] += prefix == s->bound[1].prefix;
        }
    }
    tally->between = between;
    tally->equal[0] = equal[0];
    tally->equal[1] = equal[1];
}

/* How many of `count` rows, the first of which is number `before`, a bound collects. */
static uint64_t within(const struct bound *bound, uint64_t before, uint64_t count)
{
    const uint64_t first = before > bound->first ? before : bound->first;
    const uint64_t last = before + count < bound->last ? before + count : bound->last;

    return last > first ? last - first : 0;
}

/* Each worker's counters become those of all workers before it. */
static void add_up(const struct select *s)
{
    uint64_t equal[2] = {0, 0};
    uint64_t to = 0;

    for (unsigned worker = 0; worker < s->workers; worker++) {
        struct tally *const tally = tally_of(s, worker);
        uint64_t some = tally->between;

        for (int side = 0; side < 2; side++) {
            const uint64_t here = tally->equal[side];

            if (side == 0 || !is_one(s))
                some += within(&s->bound[side], equal[side], here);
            tally->equal[side] = equal[side];
            equal[side] += here;
        }
        tally->to = to;
        to += some;
    }
}

/* Is a row with this prefix taken? `equal` counts rows with the prefixes of the bounds. */
static inline int is_taken(const struct select *s, uint64_t prefix, uint64_t equal[2])
{
    if (prefix == s->bound[0].prefix)
        return within(&s->bound[0], equal[0]++, 1) != 0;
    if (prefix == s->bound[1].prefix)
        return within(&s->bound[1], equal[1]++, 1) != 0;
    return prefix > s->bound[0].prefix && prefix < s->bound[1].prefix;
}

static void collect_share(void *arg, unsigned worker)
{
    const struct select *const s = (const struct select *)arg;
    const struct tally *const tally = tally_of(s, worker);
    const uint64_t last = share(s, worker + 1);
    uint64_t equal[2] = {tally->equal[0], tally->equal[1]};
    uint64_t to = tally->to;
    uint64_t codes[BLOCK];

    for (uint64_t first = share(s, worker); first < last; first += BLOCK) {
        const uint32_t count = make_codes(s, first, last, codes);

        for (uint32_t i = 0; i < count; i++) {
            if (!is_taken(s, prefix_of(codes[i], s->bits), equal))
                continue;
            if (s->map.bytes == 4)
                ((uint32_t *)s->map.numbers)[to++] = (uint32_t)(first + i);
            else
                ((uint64_t *)s->map.numbers)[to++] = first + i;
        }
    }
}

/* Collect the numbers of rows between the bounds, ascending. */
static void collect(struct pool *pool, struct select *s)
{
    struct tally *const tally = tally_of(s, 0);

    if (s->workers > 1) {
        pool_run(pool, s->workers, survey_share, s);
        add_up(s);
    } else {
        tally->equal[0] = tally->equal[1] = tally->to = 0;
    }
    pool_run(pool, s->workers, collect_share, s);
}

/* ---- All together ----------------------------------------------------------------------
 */

/* Rows that are collected, at most. */
static uint64_t few(uint64_t count, uint64_t wanted)
{
    return count / 2 <= wanted || count - 2 * wanted <= FEW ? count : 2 * wanted + FEW;
}

static uint32_t map_bytes_of(const struct request *request)
{
    return request->count > UINT64_C(1) << 32 ? 8 : 4;
}

/* Bits of the codes, and whether they say everything. */
static unsigned code_bits(const struct request_order *order, int *is_complete)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < order->field_count; i++)
        bytes += order->field[i].bytes;
    *is_complete = order->field_count > 0 && bytes <= 8;
    return bytes < 8 ? 8 * (unsigned)bytes : 64;
}

/* The numbers of rows, rounded up. */
static uint64_t map_room(const struct request *request, uint64_t count, uint64_t wanted)
{
    int is_complete;
    uint64_t most;

    code_bits(&request->order, &is_complete);
    most = is_complete ? few(count, wanted) : count;
    return (most * map_bytes_of(request) + 63) / 64 * 64;
}

uint64_t select_scratch_bytes(const struct request *request, uint64_t count,
                              uint64_t wanted)
{
    const int bits = 8 * (int)map_bytes_of(request);
    const uint64_t rows = wanted < count ? wanted : count;
    const uint64_t sorting = rows_scratch_bytes(request, rows);
    const uint64_t numbers = sort_scratch_bytes(bits, rows, sort_best_run(bits));

    return map_room(request, count, rows) + (sorting > numbers ? sorting : numbers);
}

/* Count digits until few rows are left, or no digit; these rows are collected. */
static void find_bounds(struct pool *pool, struct select *s)
{
    const uint64_t limit = few(s->range->count, s->last - s->first);
    uint64_t rows = s->range->count;

    s->bound[0] = s->bound[1] = (struct bound){.equal = rows};
    while (rows > limit && s->bits < s->code_bits) {
        pool_run(pool, s->workers, count_share, s);
        lengthen(s, 0, s->first);
        lengthen(s, 1, s->last - 1);
        s->bits = next_bits(s);
        rows = s->bound[1].below + s->bound[1].equal - s->bound[0].below;
    }
    s->bound[0].first = s->bound[1].first = 0;
    s->bound[0].last = s->bound[0].equal;
    s->bound[1].last = s->bound[1].equal;
    if (rows <= limit || !s->map.is_complete)
        return;
    s->bound[0].first = s->first - s->bound[0].below; /* equal rows: their places decide */
    if (is_one(s))
        s->bound[0].last = s->last - s->bound[0].below;
    s->bound[1].last = s->last - s->bound[1].below;
}

/* Leave only the numbers of selected rows, ascending, at the beginning of the map. */
static void reduce(struct pool *pool, struct select *s, void *scratch)
{
    const uint64_t skipped = s->first - s->bound[0].below - s->bound[0].first;
    const uint64_t rows = skipped + (s->last - s->first);
    const struct sort_request numbers = {
        .suite = suite_for(8 * (int)s->map.bytes),
        .keys = (unsigned char *)s->map.numbers + skipped * s->map.bytes,
        .count = s->last - s->first,
        .run = sort_best_run(8 * (int)s->map.bytes),
        .scratch = scratch,
        .work = s->work,
    };
    const uint64_t ends = s->bound[1].below + s->bound[1].last;
    const uint64_t collected = ends - s->bound[0].below - s->bound[0].first;

    if (collected == numbers.count)
        return;
    part_rows(&s->map, collected, rows);
    part_rows(&s->map, rows, skipped);
    sort_keys(pool, &numbers, NULL);
    s->map.numbers = numbers.keys;
}

void select_rows(struct pool *pool, const struct request *request,
                 const struct row_range *range, void *scratch, void *work,
                 struct cpu_counts *counts)
{
    const uint64_t count = range->count;
    struct select s = {
        .request = request,
        .range = range,
        .workers = rows_workers(pool, count),
        .work = (unsigned char *)work,
        .first = request->first < count ? request->first : count,
        .last = request->last < count ? request->last : count,
        .map = {.numbers = scratch, .bytes = map_bytes_of(request)}
    };
    struct row_range chosen = {range->first, s.last - s.first, range->to, NULL, 0};
    unsigned char *const room =
        (unsigned char *)scratch + map_room(request, count, chosen.count);

    *counts = (struct cpu_counts){0};
    if (chosen.count == 0 || select_keys(pool, request, range, work))
        return;
    if (chosen.count < count) {
        s.map.compare = comparison_of(request, range->first);
        s.code_bits = code_bits(&request->order, &s.map.is_complete);
        s.map.covered_fields = comparison_covered(&s.map.compare, 64);
        find_bounds(pool, &s);
        collect(pool, &s);
        reduce(pool, &s, room);
        chosen.map = s.map.numbers;
        chosen.map_bytes = s.map.bytes;
    }
    rows_sort(pool, request, &chosen, room, work, counts);
}
