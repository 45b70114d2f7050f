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
    BLOCK = 256,    /* rows whose codes are made at once */
    LINE = 256,     /* bytes that are written at once */
    SHORT_BITS = 24 /* of a position beside a digit in 4 bytes */
};

/* What a round reads and writes. */
enum source { CODES_8, LOW_OF_16, ITEMS_4, ITEMS_8 };

struct counting {
    const struct request *request;
    struct comparison compare;
    unsigned workers;
    unsigned char *work;
    enum source source;
    unsigned shift;    /* LOW_OF_16: where the other digit goes in an item */
    const void *items; /* ITEMS_4, ITEMS_8: a digit above a position */
    unsigned char *to;
    uint32_t to_bytes; /* 4 or 8 */
    size_t before;     /* bytes of a line that lie before `to`: places count them, too */
};

/* Digits of some rows, and what is written for them. */
struct block {
    uint8_t digit[BLOCK];
    uint64_t value[BLOCK];
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

/* Codes of numbers next to each other, if those are their bits but for some flipped. */
static int plain_codes(const struct counting *c, uint64_t first, uint32_t count,
                       uint16_t *codes)
{
    const struct request_field *const field = &c->request->order.field[0];
    const struct field_code *const f = &field->code;
    const uint16_t flip = (uint16_t)f->flip;
    const unsigned char *const at = c->compare.field[0].first + first * field->bytes;
    const uint16_t *const two = (const uint16_t *)(const void *)at;

    if (field->is_string || c->request->order.field_count > 1 ||
        c->compare.field[0].step != field->bytes || f->lowest || f->rotate || f->zero ||
        f->low || f->high != f->mask || (uintptr_t)at % field->bytes)
        return 0;
    if (field->bytes == 1)
        for (uint32_t i = 0; i < count; i++)
            codes[i] = at[i] ^ flip;
    else
        for (uint32_t i = 0; i < count; i++)
            codes[i] = two[i] ^ flip;
    return 1;
}

static void codes_of(const struct counting *c, uint64_t first, uint32_t count,
                     uint16_t *codes)
{
    const unsigned shift = c->source == CODES_8 ? 56 : 48;
    uint64_t wide[BLOCK];

    if (plain_codes(c, first, count, codes))
        return;
    comparison_codes(&c->compare, first, count, wide);
    for (uint32_t i = 0; i < count; i++)
        codes[i] = (uint16_t)(wide[i] >> shift);
}

/*
 * Rows, or items of the round before, [first, first + count). `has_values` is a constant
 * where this is inlined.
 */
static inline void read_block(const struct counting *c, uint64_t first, uint32_t count,
                              int has_values, struct block *block)
{
    const uint32_t *const four = (const uint32_t *)c->items + first;
    const uint64_t *const eight = (const uint64_t *)c->items + first;
    uint16_t codes[BLOCK];

    switch (c->source) {
    case ITEMS_4:
        for (uint32_t i = 0; i < count; i++)
            block->digit[i] = (uint8_t)(four[i] >> SHORT_BITS);
        for (uint32_t i = 0; has_values && i < count; i++)
            block->value[i] = four[i] & ((1u << SHORT_BITS) - 1);
        break;
    case ITEMS_8:
        for (uint32_t i = 0; i < count; i++)
            block->digit[i] = (uint8_t)(eight[i] >> 32);
        for (uint32_t i = 0; has_values && i < count; i++)
            block->value[i] = (uint32_t)eight[i];
        break;
    default:
        codes_of(c, first, count, codes);
        for (uint32_t i = 0; i < count; i++)
            block->digit[i] = (uint8_t)codes[i];
        for (uint32_t i = 0; has_values && i < count; i++)
            block->value[i] = (uint64_t)(codes[i] >> 8) << c->shift | (first + i);
    }
}

/* ---- A round ------------------------------------------------------------------------- */

static uint64_t share(const struct counting *c, unsigned worker)
{
    return pool_part(c->request->count, c->workers, worker);
}

static void count_share(void *arg, unsigned worker)
{
    const struct counting *const c = (const struct counting *)arg;
    const uint64_t last = share(c, worker + 1);
    struct table *const table = table_of(c, worker);
    uint32_t half[2][DIGITS] = {{0}}; /* equal digits in a row wait less for each other */
    struct block block;

    for (uint64_t at = share(c, worker); at < last; at += BLOCK) {
        const uint32_t count = last - at < BLOCK ? (uint32_t)(last - at) : BLOCK;

        read_block(c, at, count, 0, &block);
        for (uint32_t i = 0; i < count; i++)
            half[i % 2][block.digit[i]]++;
    }
    for (unsigned digit = 0; digit < DIGITS; digit++)
        table->next[digit] = (uint64_t)half[0][digit] + half[1][digit];
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
 * Write a thread's share; `bytes` and `stream` are constants. Writing to many places at
 * once, one value each, would wait for each line in turn.
 */
INLINED void write_share(const struct counting *c, unsigned worker, size_t bytes,
                         int stream)
{
    const uint64_t last = share(c, worker + 1);
    const uint64_t each = LINE / bytes;
    struct table *const table = table_of(c, worker);
    struct block block;

    for (uint64_t at = share(c, worker); at < last; at += BLOCK) {
        const uint32_t count = last - at < BLOCK ? (uint32_t)(last - at) : BLOCK;

        read_block(c, at, count, 1, &block);
        for (uint32_t i = 0; i < count; i++) {
            const unsigned digit = block.digit[i];
            const uint64_t place = table->next[digit]++;
            unsigned char *const line = table->line[digit];
            const uint32_t four = (uint32_t)block.value[i];

            if (bytes == 4)
                memcpy(line + place % each * 4, &four, 4);
            else
                memcpy(line + place % each * 8, &block.value[i], 8);
            if (place % each + 1 < each)
                continue;
            if (place + 1 - table->first[digit] < each)
                write_rest(c, table, digit, place + 1);
            else if (stream)
                stream_write(c->to + ((place + 1 - each) * bytes - c->before), line, LINE);
            else
                memcpy(c->to + ((place + 1 - each) * bytes - c->before), line, LINE);
        }
    }
    for (unsigned digit = 0; digit < DIGITS; digit++)
        if (table->next[digit] > table->first[digit] && table->next[digit] % each)
            write_rest(c, table, digit, table->next[digit]);
    stream_end();
}

static void write_job(void *arg, unsigned worker)
{
    const struct counting *const c = (const struct counting *)arg;

    const int stream = c->request->count * c->to_bytes >= STREAM_BYTES;

    if (c->to_bytes == 4 && stream)
        write_share(c, worker, 4, 1);
    else if (c->to_bytes == 4)
        write_share(c, worker, 4, 0);
    else if (stream)
        write_share(c, worker, 8, 1);
    else
        write_share(c, worker, 8, 0);
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

    if (rounds == 2) {
        c.source = LOW_OF_16;
        c.shift = bytes == 4 ? SHORT_BITS : 32;
        run_round(pool, &c, scratch, bytes);
        c.source = bytes == 4 ? ITEMS_4 : ITEMS_8;
        c.items = scratch;
    }
    run_round(pool, &c, r->positions, r->position_bytes);
    return rounds;
}
