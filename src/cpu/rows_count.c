/*
 * rows_count.c - positions of rows by codes of at most 16 bits: see rows_count.h.
 */
#include "cpu/rows_count.h"

#include <string.h>

#include "cpu/sort.h"
#include "cpu/stream.h"
#include "cpu/suite.h"

enum {
    LEAST = 1024, /* rows that are worth the counters */
    DIGITS = 256,
    BLOCK = 256,            /* rows whose codes are made at once */
    LINE = 256,             /* bytes that are written at once */
    SHORT_BITS = 24,        /* of a position beside a digit in 4 bytes */
    LONG_BITS = 32,         /* and in 8 bytes */
    AROUND_BYTES = 4 << 20, /* positions of this size: non-temporal stores */
    TABLES = 4 /* of counters: equal neighbouring digits do not wait for each other */
};

/* What a round reads. An item of the round before is a digit above a position. */
enum source { CODES_8, CODES_16, ITEMS_4, ITEMS_8 };

struct counting {
    const struct request *request;
    struct comparison compare;
    unsigned workers;
    unsigned char *work;
    enum source source;
    const unsigned char *codes; /* the codes before `flip`; NULL: they are made of fields */
    uint16_t flip;
    const void *items; /* ITEMS_4, ITEMS_8 */
    unsigned char *to;
    uint32_t to_bytes; /* 4 or 8 */
    size_t before;     /* bytes of a line that lie before `to`: places count them, too */
};

/* A thread's own memory: counters, then places; and lines that are not yet full. */
struct table {
    uint64_t next[DIGITS];
    uint64_t first[DIGITS];
    unsigned char line[DIGITS][LINE];
};

_Static_assert(sizeof(struct table) <= WORK_BYTES, "a table fits the working memory");

static struct table *table_of(const struct counting *c, unsigned worker)
{
    return (struct table *)(void *)(c->work + (size_t)worker * WORK_BYTES);
}

static uint64_t code_bytes(const struct request *r)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < r->order.field_count; i++)
        bytes += r->order.field[i].bytes;
    return bytes;
}

int rows_count_fits(const struct request *r, uint64_t count)
{
    return r->operation == MW_SORT && !request_has_segments(r) && r->only_positions &&
           r->order.field_count > 0 && code_bytes(r) <= 2 && count >= LEAST &&
           count <= UINT32_MAX;
}

static uint32_t item_bytes(uint64_t count)
{
    return count <= UINT64_C(1) << SHORT_BITS ? 4 : 8;
}

uint64_t rows_count_bytes(const struct request *r, uint64_t count)
{
    return rows_count_fits(r, count) && code_bytes(r) == 2 ? count * item_bytes(count) : 0;
}

/* ---- Digits -------------------------------------------------------------------------- */

/* The caller's numbers if they are contiguous and codes differ by flipped bits; or NULL. */
static const unsigned char *plain_codes(const struct request *r,
                                        const struct comparison *compare)
{
    const struct request_field *const field = &r->order.field[0];
    const struct field_code *const f = &field->code;
    const unsigned char *const first = compare->field[0].first;

    if (field->is_string || r->order.field_count > 1 ||
        compare->field[0].step != field->bytes || f->lowest || f->rotate || f->zero ||
        f->low || f->high != f->mask || (uintptr_t)first % field->bytes)
        return NULL;
    return first;
}

/* Make codes of rows [first, first + count), as wide as the source says. */
static void make_codes(const struct counting *c, uint64_t first, uint32_t count,
                       void *codes)
{
    uint64_t wide[BLOCK];

    comparison_codes(&c->compare, first, count, wide);
    if (c->source == CODES_8)
        for (uint32_t i = 0; i < count; i++)
            ((uint8_t *)codes)[i] = (uint8_t)(wide[i] >> 56);
    else
        for (uint32_t i = 0; i < count; i++)
            ((uint16_t *)codes)[i] = (uint16_t)(wide[i] >> 48);
}

/* What is read for rows [first, first + count), perhaps made in `room`. */
static const void *block_of(const struct counting *c, uint64_t first, uint32_t count,
                            uint16_t *room)
{
    switch (c->source) {
    case ITEMS_4:
        return (const uint32_t *)c->items + first;
    case ITEMS_8:
        return (const uint64_t *)c->items + first;
    default:
        if (c->codes)
            return c->codes + first * (c->source == CODES_8 ? 1 : 2);
        make_codes(c, first, count, room);
        return room;
    }
}

/* The digit of a row of a block; `source` is a constant. */
INLINED uint8_t digit_at(const void *block, size_t i, enum source source, uint16_t flip)
{
    switch (source) {
    case CODES_8:
        return (uint8_t)(((const uint8_t *)block)[i] ^ flip);
    case CODES_16:
        return (uint8_t)(((const uint16_t *)block)[i] ^ flip);
    case ITEMS_4:
        return (uint8_t)(((const uint32_t *)block)[i] >> SHORT_BITS);
    default:
        return (uint8_t)(((const uint64_t *)block)[i] >> LONG_BITS);
    }
}

/* What is written for it; `position` is the row's, and `bytes` a constant, too. */
INLINED uint64_t value_at(const void *block, size_t i, enum source source, uint16_t flip,
                          uint64_t position, size_t bytes)
{
    switch (source) {
    case CODES_8:
        return position;
    case CODES_16: {
        const uint64_t digit = (((const uint16_t *)block)[i] ^ flip) >> 8;

        return digit << (bytes == 4 ? SHORT_BITS : LONG_BITS) | position;
    }
    case ITEMS_4:
        return ((const uint32_t *)block)[i] & ((1u << SHORT_BITS) - 1);
    default:
        return (uint32_t)((const uint64_t *)block)[i];
    }
}

/* ---- A round ------------------------------------------------------------------------- */

static uint64_t share(const struct counting *c, unsigned worker)
{
    return pool_part(c->request->count, c->workers, worker);
}

/* Count a thread's share; `source` is a constant. */
INLINED void count_digits(const struct counting *c, unsigned worker, enum source source)
{
    const uint64_t last = share(c, worker + 1);
    struct table *const table = table_of(c, worker);
    uint32_t counters[TABLES][DIGITS] = {{0}};
    uint16_t room[BLOCK];

    for (uint64_t at = share(c, worker); at < last; at += BLOCK) {
        const uint32_t count = last - at < BLOCK ? (uint32_t)(last - at) : BLOCK;
        const void *const block = block_of(c, at, count, room);
        size_t i = 0;

        for (; i + TABLES <= count; i += TABLES)
            for (size_t k = 0; k < TABLES; k++)
                counters[k][digit_at(block, i + k, source, c->flip)]++;
        for (; i < count; i++)
            counters[0][digit_at(block, i, source, c->flip)]++;
    }
    for (unsigned digit = 0; digit < DIGITS; digit++) {
        table->next[digit] = 0;
        for (uint32_t k = 0; k < TABLES; k++)
            table->next[digit] += counters[k][digit];
    }
}

static void count_share(void *arg, unsigned worker)
{
    const struct counting *const c = (const struct counting *)arg;

    switch (c->source) {
    case CODES_8:
        count_digits(c, worker, CODES_8);
        break;
    case CODES_16:
        count_digits(c, worker, CODES_16);
        break;
    case ITEMS_4:
        count_digits(c, worker, ITEMS_4);
        break;
    case ITEMS_8:
        count_digits(c, worker, ITEMS_8);
    }
}

/* Counters become places. */
static void add_up(const struct counting *c)
{
    uint64_t at = c->before / c->to_bytes;

    for (unsigned digit = 0; digit < DIGITS; digit++) {
        for (unsigned worker = 0; worker < c->workers; worker++) {
            struct table *const table = table_of(c, worker);
            const uint64_t count = table->next[digit];

            table->next[digit] = table->first[digit] = at;
            at += count;
        }
    }
}

/* Write what the line of a digit holds before place `next`. */
static void write_rest(const struct counting *c, const struct table *table, unsigned digit,
                       uint64_t next)
{
    const size_t bytes = c->to_bytes;
    const uint64_t end = next * bytes;
    const uint64_t begin = (end - 1) / LINE * LINE;
    const uint64_t first = table->first[digit] * bytes;
    const uint64_t from = first > begin ? first : begin;

    memcpy(c->to + (from - c->before), table->line[digit] + from % LINE, end - from);
}

/*
 * Write a thread's share; `source` and `bytes` are constants. Values are collected in
 * lines: single stores to many places at once would wait for a cache line each.
 */
INLINED void write_share(const struct counting *c, unsigned worker, enum source source,
                         size_t bytes)
{
    /*
     * Items of the first round are read again, best from the caches. But what several
     * threads write may be in the cache of another one, where plain stores wait for it.
     */
    const uint64_t limit = source == CODES_16 ? STREAM_BYTES : AROUND_BYTES;
    const int around = c->workers > 1 || c->request->count * bytes >= limit;
    const uint64_t last = share(c, worker + 1);
    const uint64_t each = LINE / bytes;
    const uint16_t flip = c->flip;
    struct table *const table = table_of(c, worker);
    uint64_t next[DIGITS]; /* the compiler knows that no store to a line changes it */
    uint16_t room[BLOCK];

    memcpy(next, table->next, sizeof next);
    for (uint64_t at = share(c, worker); at < last; at += BLOCK) {
        const uint32_t count = last - at < BLOCK ? (uint32_t)(last - at) : BLOCK;
        const void *const block = block_of(c, at, count, room);

        for (size_t i = 0; i < count; i++) {
            const unsigned digit = digit_at(block, i, source, flip);
            const uint64_t place = next[digit]++;
            const uint64_t eight = value_at(block, i, source, flip, at + i, bytes);
            const uint32_t four = (uint32_t)eight;
            unsigned char *const line = table->line[digit];

            memcpy(line + place % each * bytes, bytes == 4 ? (const void *)&four : &eight,
                   bytes);
            if (place % each + 1 < each)
                continue;
            if (place + 1 - table->first[digit] < each)
                write_rest(c, table, digit, place + 1);
            else if (around)
                stream_write(c->to + ((place + 1 - each) * bytes - c->before), line, LINE);
            else
                memcpy(c->to + ((place + 1 - each) * bytes - c->before), line, LINE);
        }
    }
    for (unsigned digit = 0; digit < DIGITS; digit++)
        if (next[digit] > table->first[digit] && next[digit] % each)
            write_rest(c, table, digit, next[digit]);
    stream_end();
}

/* The same; `bytes` is a constant. */
INLINED void write_source(const struct counting *c, unsigned worker, size_t bytes)
{
    switch (c->source) {
    case CODES_8:
        write_share(c, worker, CODES_8, bytes);
        break;
    case CODES_16:
        write_share(c, worker, CODES_16, bytes);
        break;
    case ITEMS_4:
        write_share(c, worker, ITEMS_4, bytes);
        break;
    case ITEMS_8:
        write_share(c, worker, ITEMS_8, bytes);
    }
}

static void write_job(void *arg, unsigned worker)
{
    const struct counting *const c = (const struct counting *)arg;

    if (c->to_bytes == 4)
        write_source(c, worker, 4);
    else
        write_source(c, worker, 8);
}

static void run_round(struct pool *pool, struct counting *c, void *to, uint32_t bytes)
{
    c->to = to;
    c->to_bytes = bytes;
    c->before = (uintptr_t)to % LINE;
    pool_run(pool, c->workers, count_share, c);
    add_up(c);
    pool_run(pool, c->workers, write_job, c);
}

uint32_t rows_count(struct pool *pool, const struct request *r, void *scratch, void *work)
{
    const uint32_t bytes = item_bytes(r->count);
    const uint32_t rounds = (uint32_t)code_bytes(r);
    struct counting c = {.request = r,
                         .compare = comparison_of(r, 0),
                         .workers = rows_workers(pool, r->count),
                         .work = work,
                         .source = CODES_8};

    c.codes = plain_codes(r, &c.compare);
    c.flip = c.codes ? (uint16_t)r->order.field[0].code.flip : 0;
    if (rounds == 2) {
        c.source = CODES_16;
        run_round(pool, &c, scratch, bytes);
        c.source = bytes == 4 ? ITEMS_4 : ITEMS_8;
        c.items = scratch;
    }
    run_round(pool, &c, r->positions, r->position_bytes);
    return rounds;
}
