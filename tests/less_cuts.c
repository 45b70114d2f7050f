/*
 * less_cuts.c - 16-byte records by an expression, enough of them for several rounds of
 * cuts: the result must be the stable order, or any permutation if the comparison is none.
 */
#include <multiway.h>

#include "tap.h"
#include "trial.h"

#include <stdlib.h>

MW_RECORD(record, { uint64_t key, place; });
MW_ORDER(by_key, record, a->key < b->key);

enum { MOST = 100003 };

/* Answers like this depend on the pair, but are no order. */
static int no_order(const void *a, const void *b)
{
    const uint64_t mixed = ((const record *)a)->place * UINT64_C(0x9e3779b97f4a7c15) ^
                           ((const record *)b)->place * UINT64_C(0xc2b2ae3d27d4eb4f);

    return mixed >> 37 & 1;
}

static void run(struct tap *tap, mw_context *context, uint64_t count, uint64_t keys,
                int any)
{
    record *const rows = malloc(count * sizeof *rows);
    char *const seen = calloc(count, 1);
    mw_order order = by_key;
    int passed = rows && seen;

    if (any)
        order.less_on_host = no_order;
    for (uint64_t i = 0; i < count && passed; i++)
        rows[i] = (record){i * UINT64_C(0x9e3779b97f4a7c15) % keys, i};
    passed = passed && mw_sort_records(context, &order, rows, count) == MW_OK;
    for (uint64_t i = 0; i < count && passed; i++) {
        const record *const r = &rows[i];

        passed = r->place < count && !seen[r->place]++ &&
                 r->key == r->place * UINT64_C(0x9e3779b97f4a7c15) % keys &&
                 (any || i == 0 || r[-1].key < r->key ||
                  (r[-1].key == r->key && r[-1].place < r->place));
    }
    tap_case(tap, passed, "%d rows, %d keys%s", (int)count, keys < MOST ? (int)keys : MOST,
             any ? ", no order" : "");
    free(rows);
    free(seen);
}

int main(int argc, char **argv)
{
    static const uint64_t counts[] = {3585, 16384, MOST};
    static const uint64_t keys[] = {1, 5, 256, UINT64_MAX};
    struct tap tap = {0, 0};
    mw_context *const context = trial_open(&tap, argc > 1 ? argv[1] : "sim");

    for (int i = 0; i < (int)(COUNT_OF(counts) * COUNT_OF(keys)) && context; i++)
        for (int any = 0; any < 2; any++)
            run(&tap, context, counts[i / 4], keys[i % 4], any);
    mw_close(context);
    return tap_end(&tap);
}
