/*
 * unit_cuts.c - kernel heap_cut against brute force, with heavy ties.
 *
 * The oracle merges a group one key at a time, the least first and of equals
 * the one in the first list, and notes how many keys each list has given: the
 * only cut there is for that rank. The kernel must find the same for every
 * rank asked for, in lists of unequal lengths and with empty ones. Nor may it take
 * long, whatever the lists are like.
 */
#include "device.h"
#include "kernels/launch.h"
#include "kit.h"

#include "requests.h"
#include "tap.h"
#include "wide_keys.h"

#include <stdlib.h>

/* What the keys look like. */
enum kind {
    EQUAL,
    TWO,
    FEW,
    RANDOM,
    EXTREMES,
    LISTS_ASCEND,
    LISTS_DESCEND,
    ONE_ODD,
    SKEWED,
    BLOCKS,
    TURNS,
    ENDS,
    FLOATS,
    NEAR_FLOATS,
    KINDS
};

static const char *const kind_names[KINDS] = {"all equal",
                                              "two values",
                                              "ten values",
                                              "random",
                                              "extremes",
                                              "one list after the other",
                                              "lists reversed",
                                              "one odd list out",
                                              "skewed",
                                              "blocks in turn",
                                              "lists in turns",
                                              "at both ends",
                                              "floats, lists ascend",
                                              "neighbouring floats"};

/* Keys in the array, in a run, in a piece. Ranks are cut beyond the last key, too. */
static const struct shape {
    uint64_t count; /* in runs of this ... */
    uint64_t more;  /* ... plus some keys */
    uint64_t run;
    uint64_t piece;
} shapes[] = {
    {32, 0,   8,   1  },
    {33, 5,   8,   1  }, /* the last group: one list and a bit */
    {63, 63,  64,  32 },
    {2,  17,  100, 1  }, /* a single, short group: most lists are empty */
    {70, 333, 500, 480},
};

/* The most any shape takes: keys, and rows of cuts times ways. */
enum { MOST_KEYS = 70 * 500 + 333, MOST_CUTS = 1 << 18 };

/* Requests of a cut, on average over an array, of random keys and of any; the row written.
 */
enum { MOST_RANDOM_LOADS = 25, MOST_LOADS = 92 };

struct bench {
    struct device *device;
    struct error error;
    uint64_t *keys; /* the array, one key in 64 bits each */
    void *narrow;   /* the same as the device has it */
    wide *cuts;
    wide *expected;
};

static uint64_t key_of(enum kind kind, int bits, uint64_t list, uint64_t ways, uint64_t i)
{
    const uint64_t most = UINT64_MAX >> (64 - bits);
    const uint64_t random = kit_mix(list << 32 | i);

    switch (kind) {
    case EQUAL:
        return 7;
    case TWO:
        return 100 + random % 2;
    case FEW:
        return random % 10;
    case EXTREMES:
        return random % 3 == 0 ? 0 : random % 3 == 1 ? most : most / 2;
    case LISTS_ASCEND:
        return list % ways * 4 + random % 4;
    case LISTS_DESCEND:
        return (ways - list % ways) * 4 + random % 5;
    case ONE_ODD:
        return list % ways == 1 ? random & most : 50;
    case SKEWED: /* each list in a part of the range half as long as the last one's */
        return (random & most) >> (list % ways % (unsigned)(bits - 2));
    case BLOCKS: /* 16 keys of each list in turn; of 8 bits, the last value stays */
        return i / 16 * ways + list % ways < most ? i / 16 * ways + list % ways : most;
    case TURNS: /* a list has nine of ten keys where the others have few */
        if (random % 10)
            return (list % ways << (bits - 5)) + (random >> 8 & most >> 5);
        return random >> 8 & most;
    case ENDS: /* next to 0 and to the greatest key, by which pivots must not go beyond */
        return random % 2 ? random >> 8 & 3 : most - (random >> 8 & 3);
    case FLOATS:
        return code_of_float(bits, list % ways * 300 + i % 300);
    case NEAR_FLOATS: /* few of them, next to each other, and more of some in some lists */
        return code_of_float(bits, 1) +
               (random % 3 ? list * 5 % ways % 5 : random >> 8) % 5;
    default:
        return random & most;
    }
}

/* Sorted runs, wide for the oracle and narrow for the device. */
static void fill(struct bench *b, const struct heap_round *r, enum kind kind, int bits)
{
    const size_t size = (size_t)bits / 8;

    for (wide first = 0; first < r->count; first += r->run) {
        const wide left = r->count - first;
        const wide length = left < r->run ? left : r->run;

        for (wide i = 0; i < length; i++)
            b->keys[first + i] = key_of(kind, bits, first / r->run, (uint64_t)r->ways, i);
        qsort(b->keys + first, length, sizeof *b->keys, compare_wide);
    }
    for (wide i = 0; i < r->count; i++) /* little-endian: the low bytes come first */
        memcpy((char *)b->narrow + i * size, &b->keys[i], size);
}

/* Of the lists' next keys the least, of equals the one in the first list; -1 at the end. */
static int least_list(const struct bench *b, const struct heap_round *r, wide group,
                      const wide *taken)
{
    int least = -1;
    uint64_t least_key = 0;

    for (int list = 0; list < r->ways; list++) {
        const wide at = (group * (wide)r->ways + (wide)list) * r->run + taken[list];

        if (taken[list] == r->run || at >= r->count)
            continue;
        if (least < 0 || b->keys[at] < least_key) {
            least = list;
            least_key = b->keys[at];
        }
    }
    return least;
}

static void expect(struct bench *b, const struct heap_round *r)
{
    wide *row = b->expected;

    for (wide group = 0; group < r->groups; group++) {
        wide taken[HEAP_MOST_WAYS] = {0};

        for (wide i = 0; i <= r->pieces; i++, row += r->ways) {
            memcpy(row, taken, (size_t)r->ways * sizeof *row);
            for (wide k = 0; k < r->piece; k++) {
                const int list = least_list(b, r, group, taken);

                if (list >= 0)
                    taken[list]++;
            }
        }
    }
}

static mw_status cut(struct bench *b, const struct heap_round *round, int bits, size_t cuts)
{
    const struct device_verbs *const verbs = b->device->verbs;
    const uint64_t key_bytes = round->count * (uint64_t)bits / 8;
    const uint64_t per_block = heap_cut_threads / WARP;
    struct heap_cut_args args = {.round = *round};
    struct launch launch = {.kernel = KERNEL_HEAP_CUT,
                            .blocks = (cuts + per_block - 1) / per_block,
                            .threads = heap_cut_threads,
                            .args = &args,
                            .args_bytes = sizeof args};
    const uint64_t cut_bytes = cuts * (uint64_t)round->ways * sizeof(wide);
    void *in = NULL;
    void *out = NULL;
    mw_status status;

    TRY(verbs->load(b->device,
                    &(struct program_name){.engine = MW_ENGINE_HEAP, .bits = bits},
                    1u << launch.kernel, &launch.program));
    TRY(verbs->alloc(b->device, key_bytes, &in));
    TRY(verbs->alloc(b->device, cut_bytes, &out));
    TRY(verbs->upload(b->device, in, b->narrow, key_bytes, NULL));
    args.round.in = in;
    args.round.cuts = out;
    verbs->ledger_reset(b->device);
    TRY(verbs->launch(b->device, &launch));
    TRY(verbs->wait(b->device, NULL));
    TRY(verbs->download(b->device, b->cuts, out, cut_bytes, NULL));
done:
    verbs->free(b->device, out);
    verbs->free(b->device, in);
    return status;
}

/* Did the last launch ask for little? */
static int cuts_cheap(struct bench *b, size_t cuts, enum kind kind)
{
    const uint64_t most =
        (kind == RANDOM ? MOST_RANDOM_LOADS : MOST_LOADS) * (uint64_t)cuts;
    const uint64_t requests = global_requests(b->device);

    if (requests > most)
        tap_note("%llu requests of %zu cuts", (unsigned long long)requests, cuts);
    return requests > 0 && requests <= most;
}

static int cuts_right(struct bench *b, const struct shape *s, int bits, int ways,
                      enum kind kind)
{
    const wide whole = (wide)ways * s->run;
    struct heap_round r = {.count = s->count * s->run + s->more,
                           .run = s->run,
                           .piece = s->piece,
                           .ways = ways};
    const wide group = r.count < whole ? r.count : whole;
    size_t cuts;

    r.groups = (r.count + whole - 1) / whole;
    r.pieces = (group + r.piece - 1) / r.piece;
    cuts = r.groups * (r.pieces + 1);
    if (r.count > MOST_KEYS || cuts * (wide)ways > MOST_CUTS) {
        tap_note("the test has too little room");
        return 0;
    }
    fill(b, &r, kind, bits);
    expect(b, &r);
    if (cut(b, &r, bits, cuts) != MW_OK) {
        tap_note("%s", b->error.text);
        return 0;
    }
    for (size_t i = 0; i < cuts * (size_t)ways; i++) {
        if (b->cuts[i] != b->expected[i]) {
            tap_note("count %llu, run %llu, cut %zu, list %zu: %llu instead of %llu",
                     r.count, r.run, i / (size_t)ways, i % (size_t)ways, b->cuts[i],
                     b->expected[i]);
            return 0;
        }
    }
    return cuts_cheap(b, cuts, kind);
}

int main(void)
{
    struct tap tap = {0, 0};
    struct bench b = {.keys = malloc(MOST_KEYS * sizeof(uint64_t)),
                      .narrow = malloc(MOST_KEYS * sizeof(uint64_t)),
                      .cuts = malloc(MOST_CUTS * sizeof(wide)),
                      .expected = malloc(MOST_CUTS * sizeof(wide))};

    tap_ok(&tap, sim_open(&b.device, &b.error) == MW_OK, "open", b.error.text);
    for (int bits = 8; bits <= 64 && b.device; bits *= 2) {
        for (int ways = 2; ways <= HEAP_MOST_WAYS; ways *= 2) {
            for (int kind = 0; kind < KINDS; kind++) {
                int passed = 1;

                for (size_t i = 0; i < COUNT_OF(shapes); i++)
                    passed &= cuts_right(&b, &shapes[i], bits, ways, (enum kind)kind);
                tap_case(&tap, passed, "%d bits, %d ways, %s", bits, ways,
                         kind_names[kind]);
            }
        }
    }
    if (b.device)
        b.device->verbs->close(b.device);
    free(b.expected);
    free(b.cuts);
    free(b.narrow);
    free(b.keys);
    return tap_end(&tap);
}
