/*
 * claims_tally.c - engine tally on the simulator: every type it serves, both directions,
 * shapes that make counters carry and lanes collide, keys at every alignment. Keys are
 * read once and written once, by 16 bytes where they are aligned; counters of 1-byte keys
 * never conflict, and equal 2-byte keys of a lane are added at once.
 *
 *   claims_tally [percent [cuda]]   sorts on the other device, without claims
 */
#include "claim.h"

#include <stdlib.h>

enum { VECTOR = 16 };

static const mw_type types[] = {MW_U8, MW_I8, MW_U16, MW_I16, MW_F16, MW_BF16};
static const char *const shapes[] = {"random", "equal",        "few:2",    "few:5",
                                     "sorted", "sawtooth:100", "specials", "organ"};
static const uint64_t counts[] = {1, 7, 31, 1000, 8209, 33001};

/*
 * Whole vectors are one access of a lane each, what is cut off at the ends one a key. A
 * request that begins inside a sector touches 17 instead of 16.
 */
static int traffic_right(const struct claim *c, const char *kernel, int stores)
{
    const uint64_t bytes = c->trial->count * c->size;
    const mw_traffic moved = claim_sum(c, kernel, MW_ACCESS_BULK, stores);

    return moved.global_sectors <= bytes / 32 + bytes / 512 + 2 * VECTOR + 4 &&
           moved.global_requests <= bytes / (32 * VECTOR) + c->plan.first_blocks * 40 + 32;
}

static mw_traffic counting(const struct claim *c)
{
    return claim_sum(c, "tally_count", MW_ACCESS_COUNTER, 1);
}

static void test_sort(struct tap *tap, mw_context *context, const struct trial *t)
{
    struct claim c;
    char text[TRIAL_TEXT];
    const int made = claim_make(&c, context, t);
    const int narrow = mw_type_size(t->type) == 1;

    trial_text(t, text);
    tap_case(tap,
             made && c.counts.launches == 3 && c.counts.rounds == 0 &&
                 c.counts.bytes_read == t->count * c.size &&
                 c.counts.bytes_written == c.counts.bytes_read &&
                 traffic_right(&c, "tally_count", 0) &&
                 traffic_right(&c, "tally_write", 1) &&
                 (!narrow || counting(&c).shared_worst == 1),
             "%s", text);
}

static void test_sorts(struct tap *tap, mw_context *context, int percent)
{
    const int all = COUNT_OF(types) * COUNT_OF(shapes) * 2;

    for (int i = 0; i < all; i++) {
        const struct trial t = {
            .type = types[i / 2 % COUNT_OF(types)],
            .direction = (mw_direction)(i % 2),
            .shape = shapes[i / 2 / COUNT_OF(types)],
            .seed = (uint64_t)i / 2,
            .count = counts[i % COUNT_OF(counts)],
            .tuning = {sizeof t.tuning, MW_ENGINE_TALLY, 0, 0, 0, 0, 0},
            .device_memory = i % 5 != 0
        };

        if (claim_chosen(i, percent))
            test_sort(tap, context, &t);
    }
}

/* More equal keys in a block than a counter holds, and lanes with equal keys. */
static void test_carries(struct tap *tap, mw_context *context)
{
    static const struct {
        mw_type type;
        const char *shape;
        uint64_t count;
        uint64_t most; /* additions of a warp for its vectors */
    } rows[] = {
        {MW_U16,  "equal",      300007, 1 },
        {MW_I16,  "equal",      200003, 1 },
        {MW_F16,  "sawtooth:2", 150001, 2 },
        {MW_U16,  "sawtooth:8", 300007, 8 },
        {MW_BF16, "few:2",      400001, 2 },
        {MW_I16,  "sawtooth:2", 100003, 2 },
        {MW_F16,  "random",     100003, 8 },
        {MW_I8,   "random",     100003, 16},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct trial t = {
            .type = rows[i].type,
            .direction = MW_DESCENDING,
            .shape = rows[i].shape,
            .seed = 3,
            .count = rows[i].count,
            .tuning = {sizeof t.tuning, MW_ENGINE_TALLY, 0, 0, 0, 0, 0},
            .device_memory = 1
        };
        struct claim c;
        const int made = claim_make(&c, context, &t);

        const uint64_t vectors = t.count * c.size / VECTOR / 32 + 64;
        const uint64_t added = made ? counting(&c).shared_requests : 0;

        tap_case(tap, added && added <= vectors * rows[i].most,
                 "%llu keys %s %s: %llu additions of a warp, at most %llu a vector",
                 (unsigned long long)t.count, mw_type_name(t.type), t.shape,
                 (unsigned long long)added, (unsigned long long)rows[i].most);
    }
}

/* Larger counts, where nothing can be counted. */
static void test_device(struct tap *tap, const char *device)
{
    static const uint64_t larger[] = {33, 4093, 100003, 1000003, 20000003};
    mw_context *const context = trial_open(tap, device);
    const int all = COUNT_OF(types) * COUNT_OF(shapes) * COUNT_OF(larger);

    for (int i = 0; context && i < all; i++) {
        const struct trial t = {
            .type = types[i % COUNT_OF(types)],
            .direction = (mw_direction)(i / 3 % 2),
            .shape = shapes[i / COUNT_OF(types) % COUNT_OF(shapes)],
            .seed = (uint64_t)i + 1,
            .count = larger[i / COUNT_OF(types) / COUNT_OF(shapes)],
            .tuning = {sizeof t.tuning, MW_ENGINE_TALLY, 0, 0, 0, 0, 0},
            .device_memory = 1
        };
        struct outcome outcome;
        char text[TRIAL_TEXT];
        const int right = trial_run(context, &t, &outcome);

        trial_text(&t, text);
        tap_case(tap, right, "%s %s", text, outcome.why);
        trial_close(&outcome);
    }
    mw_close(context);
}

int main(int argc, char **argv)
{
    struct tap tap = {0, 0};

    if (argc > 2) {
        test_device(&tap, argv[2]);
        return tap_end(&tap);
    }

    mw_context *const context = claim_open(&tap);

    if (context) {
        test_sorts(&tap, context, argc > 1 ? atoi(argv[1]) : 100);
        test_carries(&tap, context);
    }
    mw_close(context);
    return tap_end(&tap);
}
