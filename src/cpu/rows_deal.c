/*
 * rows_deal.c - deal rows out to buckets, then sort these: see rows_deal.h.
 */
#include "cpu/rows_deal.h"

#include <stdatomic.h>
#include <string.h>

#include "cpu/suite.h"

enum {
    LEAST = 1 << 18, /* rows that are worth it: fewer are in the caches anyway */
    BUCKETS = 256,   /* their ends, one line of each, fit L1 */
    SAMPLES = 4096,
    SLOTS = 4096, /* equal ranges of codes, each in one bucket */
    BLOCK = 256,  /* rows whose codes are made at once */
    COLUMNS_MOST = 4,
    LINE = 64,     /* bytes that go to memory at once */
    ROW_MOST = 32, /* bytes; longer rows should move only once */
    SPARE = 2      /* bytes for each row to sort buckets with */
};

struct deal {
    const struct request *request;
    struct request buckets; /* the same, but read from the copies */
    mw_column in[COLUMNS_MOST], out[COLUMNS_MOST];
    struct comparison compare;
    struct pool *pool;
    unsigned workers;
    unsigned char *ids; /* the bucket of each row */
    unsigned char *spare;
    uint64_t spare_bytes; /* of each worker */
    unsigned char *work;
    uint64_t least; /* code of slot 0 */
    unsigned shift;
    unsigned char bucket[SLOTS];
    uint64_t starts[BUCKETS + 1];
    atomic_uint next; /* bucket that nobody has taken */
};

/* A worker's counters, then where its next row of each bucket goes. */
struct tally {
    uint64_t rows[BUCKETS];
};

static struct tally *tally_of(const struct deal *d, unsigned worker)
{
    return (struct tally *)(void *)(d->work + (size_t)worker * WORK_BYTES);
}

static uint64_t copies_bytes(const struct request *r, uint64_t count)
{
    return (count * r->row_bytes + 63) / 64 * 64 + (uint64_t)64 * COLUMNS_MOST;
}

uint64_t rows_deal_bytes(const struct request *r, uint64_t count)
{
    const int is_for_it = r->operation == MW_SORT && !request_has_segments(r) &&
                          r->order.field_count > 0 && !r->position_bytes &&
                          r->column_count <= COLUMNS_MOST && r->row_bytes <= ROW_MOST &&
                          count <= UINT32_MAX;

    return is_for_it ? copies_bytes(r, count) + count + SPARE * count + 64 : 0;
}

/* ---- Buckets ----------------------------------------------------------------------- */

/* Divide the codes of a sample into slots, and the slots evenly into buckets. */
static void make_buckets(struct deal *d, void *memory)
{
    uint64_t *const codes = memory;
    const struct suite *const suite = suite_for(64);
    const struct quick_task all = {.keys = codes, .count = SAMPLES};
    uint64_t chance = d->request->count;
    unsigned at = 0;

    for (uint64_t i = 0; i < SAMPLES; i++) {
        const uint64_t first = pool_part(d->request->count, SAMPLES, i);
        const uint64_t room = pool_part(d->request->count, SAMPLES, i + 1) - first;

        chance = chance * UINT64_C(6364136223846793005) + 1442695040888963407;
        codes[i] = comparison_code(&d->compare, first + (chance >> 24) % room);
    }
    suite->quick(&all);
    d->least = codes[0];
    d->shift = 0;
    while ((codes[SAMPLES - 1] - d->least) >> d->shift >= SLOTS)
        d->shift++;
    for (unsigned slot = 0; slot < SLOTS; slot++) {
        while (at < SAMPLES && (codes[at] - d->least) >> d->shift < slot)
            at++;
        d->bucket[slot] =
            (unsigned char)(at < SAMPLES ? at * BUCKETS / SAMPLES : BUCKETS - 1);
    }
}

static inline unsigned bucket_of(const struct deal *d, uint64_t code)
{
    const uint64_t slot = code > d->least ? (code - d->least) >> d->shift : 0;

    return d->bucket[slot < SLOTS ? slot : SLOTS - 1];
}

static void count_share(void *arg, unsigned worker)
{
    struct deal *const d = (struct deal *)arg;
    const uint64_t last = pool_part(d->request->count, d->workers, worker + 1);
    struct tally *const tally = tally_of(d, worker);
    uint64_t codes[BLOCK];

    memset(tally, 0, sizeof *tally);
    for (uint64_t at = pool_part(d->request->count, d->workers, worker); at < last;
         at += BLOCK) {
        const uint32_t count = last - at < BLOCK ? (uint32_t)(last - at) : BLOCK;

        comparison_codes(&d->compare, at, count, codes);
        for (uint32_t i = 0; i < count; i++) {
            const unsigned bucket = bucket_of(d, codes[i]);

            d->ids[at + i] = (unsigned char)bucket;
            tally->rows[bucket]++;
        }
    }
}

/* Where buckets begin, and where workers write in them; the most rows of a bucket. */
static uint64_t add_up(struct deal *d)
{
    uint64_t at = 0;
    uint64_t most = 0;

    for (unsigned bucket = 0; bucket < BUCKETS; bucket++) {
        d->starts[bucket] = at;
        for (unsigned worker = 0; worker < d->workers; worker++) {
            uint64_t *const rows = &tally_of(d, worker)->rows[bucket];
            const uint64_t count = *rows;

            *rows = at;
            at += count;
        }
        most = at - d->starts[bucket] > most ? at - d->starts[bucket] : most;
    }
    d->starts[BUCKETS] = at;
    return most;
}

/* ---- Dealing and sorting ------------------------------------------------------------ */

/* Lines of memory that are filled before they are written. */
struct lines {
    unsigned char line[BUCKETS][LINE];
};

static struct lines *lines_of(const struct deal *d, unsigned worker)
{
    return (struct lines *)(void *)(tally_of(d, worker) + 1);
}

/* Write what a line holds, up to value `next` of the column, if it began at `first`. */
static void flush(unsigned char *to, const unsigned char *line, uint64_t first,
                  uint64_t next, size_t bytes)
{
    const uint64_t end = next * bytes;
    const uint64_t begin = (end - 1) / LINE * LINE;
    const uint64_t skipped = first * bytes > begin ? first * bytes - begin : 0;

    memcpy(to + begin + skipped, line + skipped, end - begin - skipped);
}

/*
 * Deal rows [first, last) of a column whose values divide a line; `bytes` is a constant.
 * Writing to many places at once, one value each, would wait for each line in turn.
 */
static inline void deal_lines(const struct deal *d, const unsigned char *from,
                              unsigned char *to, unsigned worker, size_t bytes)
{
    const uint64_t last = pool_part(d->request->count, d->workers, worker + 1);
    const uint64_t each = LINE / bytes;
    const struct tally *const begun = tally_of(d, worker);
    struct lines *const lines = lines_of(d, worker);
    struct tally next = *begun;

    for (uint64_t i = pool_part(d->request->count, d->workers, worker); i < last; i++) {
        const unsigned id = d->ids[i];
        const uint64_t at = next.rows[id]++;
        unsigned char *const line = lines->line[id];

        memcpy(line + at % each * bytes, from + i * bytes, bytes);
        if (at % each + 1 < each)
            continue;
        if (at - begun->rows[id] + 1 >= each)
            memcpy(to + (at + 1 - each) * bytes, line, LINE);
        else
            flush(to, line, begun->rows[id], at + 1, bytes);
    }
    for (unsigned id = 0; id < BUCKETS; id++)
        if (next.rows[id] > begun->rows[id] && next.rows[id] % each)
            flush(to, lines->line[id], begun->rows[id], next.rows[id], bytes);
}

/* The same for values of any length. */
static void deal_values(const struct deal *d, const unsigned char *from, unsigned char *to,
                        unsigned worker, size_t bytes)
{
    const uint64_t last = pool_part(d->request->count, d->workers, worker + 1);
    struct tally next = *tally_of(d, worker);

    for (uint64_t i = pool_part(d->request->count, d->workers, worker); i < last; i++)
        memcpy(to + next.rows[d->ids[i]]++ * bytes, from + i * bytes, bytes);
}

static void deal_share(void *arg, unsigned worker)
{
    const struct deal *const d = (const struct deal *)arg;

    for (uint32_t i = 0; i < d->request->column_count; i++) {
        const struct request_column column = request_column(d->request, i);
        unsigned char *const to =
            (unsigned char *)(uintptr_t)request_column(&d->buckets, i).in;

        if (column.bytes == 4)
            deal_lines(d, column.in, to, worker, 4);
        else if (column.bytes == 8)
            deal_lines(d, column.in, to, worker, 8);
        else if (column.bytes == 16)
            deal_lines(d, column.in, to, worker, 16);
        else
            deal_values(d, column.in, to, worker, column.bytes);
    }
}

static void sort_share(void *arg, unsigned worker)
{
    struct deal *const d = (struct deal *)arg;
    struct cpu_counts counts;

    for (;;) {
        const unsigned bucket = atomic_fetch_add(&d->next, 1);

        if (bucket >= BUCKETS)
            return;

        const uint64_t first = d->starts[bucket];
        const struct row_range range = {first, d->starts[bucket + 1] - first, first, NULL,
                                        0};

        rows_sort(pool_alone(d->pool), &d->buckets, &range,
                  d->spare + worker * d->spare_bytes, d->work + (size_t)worker * WORK_BYTES,
                  &counts);
    }
}

/* The request of all buckets: columns are read from their copies in scratch memory. */
static void make_request(struct deal *d, unsigned char *scratch)
{
    const struct request *const r = d->request;

    d->buckets = *r;
    d->buckets.column_size = sizeof d->in[0];
    for (uint32_t i = 0; i < r->column_count; i++) {
        const struct request_column column = request_column(r, i);

        if (i == 0) {
            d->buckets.in.elements = scratch;
            d->buckets.out.elements = column.out;
        } else {
            d->in[i - 1] = (mw_column){scratch, column.bytes};
            d->out[i - 1] = (mw_column){column.out, column.bytes};
        }
        scratch += (r->count * column.bytes + 63) / 64 * 64;
    }
    d->buckets.in.columns = d->in;
    d->buckets.out.columns = d->out;
    d->buckets.in_place = 0;
}

int rows_deal(struct pool *pool, const struct request *r, void *scratch, void *work)
{
    struct deal d = {.request = r,
                     .compare = comparison_of(r, 0),
                     .pool = pool,
                     .workers = rows_workers(pool, r->count),
                     .work = work};
    uint64_t needed;

    if (r->count < LEAST || !rows_deal_bytes(r, r->count) || !suite_for(64)->quick)
        return 0;
    d.ids = (unsigned char *)scratch + copies_bytes(r, r->count);
    d.spare = d.ids + (r->count + 63) / 64 * 64;
    make_request(&d, scratch);
    make_buckets(&d, work);
    pool_run(pool, d.workers, count_share, &d);
    needed = rows_scratch_bytes(&d.buckets, add_up(&d));
    d.spare_bytes = (needed + 63) / 64 * 64;

    const uint64_t fit = SPARE * r->count / (d.spare_bytes + 1);

    if (fit < d.workers) /* some bucket is too long */
        return 0;
    atomic_init(&d.next, 0);
    pool_run(pool, d.workers, deal_share, &d);
    pool_run(pool, d.workers, sort_share, &d);
    return 1;
}
