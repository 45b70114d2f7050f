/*
 * heap_merge.c - kernel heap_merge alone, with lists that end wherever they can.
 *
 * A list that ends leaves a short node in the heap, later an empty one, and the kernel
 * goes by that. So here pieces are merged in which two lists share some keys in every
 * way there is, and pieces whose keys went to lists at random, most of them to few.
 * Fillers equal the greatest key, which many keys are. What comes out must be right,
 * and all keys must have been read to make it, none of them twice.
 */
#include "keys.h"

enum {
    SHARED_KEYS = 65, /* that two lists share: two nodes and a key */
    GROUPS = SHARED_KEYS + 1,
    RUN = 128, /* room for a list */
    WARPS = 4, /* of a block */
    MOST_KEYS = GROUPS * HEAP_MOST_WAYS * RUN
};

/* How long the lists are: the first of them shared by two, the rest ... */
static const struct lengths {
    const char *name;
    int rest;    /* ... this long each, */
    int partner; /* how far after the first its partner is, of `ways` / 8 */
    int scatter; /* or, if not 0, that many keys per list scattered over all of them */
} lengths[] = {
    {"neighbours, alone",       0,  0, 0 },
    {"neighbours, among short", 5,  0, 0 },
    {"among full",              64, 4, 0 },
    {"among others",            75, 7, 0 },
    {"a few keys scattered",    0,  0, 2 },
    {"many keys scattered",     0,  0, 40},
};

static const enum kind kinds[] = {RANDOM, EXTREMES, GREATEST, LISTS_ASCEND, LISTS_DESCEND};

static uint64_t *keys;   /* in lists of RUN */
static uint64_t *merged; /* what is to come out */

/* How many keys the lists of a group have. The sum does not depend on the group. */
static void share(const struct lengths *l, int ways, int group, int *length)
{
    const int first = group % ways;
    const int partner = first ^ (l->partner * ways / 8 > 1 ? l->partner * ways / 8 : 1);

    for (int list = 0; list < ways; list++)
        length[list] = l->rest;
    for (int i = 0; i < l->scatter * ways; i++) {
        const uint64_t random = kit_mix((uint64_t)group << 32 | (unsigned)i);
        int list = (int)((random >> 8) % (1 + random % (unsigned)ways));

        while (length[list] == RUN - 2)
            list = (list + 1) % ways;
        length[list]++;
    }
    if (l->scatter == 0) {
        length[first] = group;
        length[partner] = SHARED_KEYS - group;
    }
}

/*
 * Make the lists, which need not begin where their room does, and what to expect.
 * Adds to `*blocks` the blocks of 32 keys in which the lists are read.
 */
static uint64_t prepare(const struct lengths *l, enum kind kind, int bits, int ways,
                        wide *cuts, uint64_t *blocks)
{
    uint64_t total = 0;

    for (int i = 0; i < GROUPS * ways * RUN; i++)
        keys[i] = 1; /* of what is in no list, none may come out */
    for (int group = 0; group < GROUPS; group++) {
        uint64_t *const expected = merged + group * ways * RUN;
        int length[HEAP_MOST_WAYS];

        total = 0;
        share(l, ways, group, length);
        for (int list = 0; list < ways; list++) {
            const int begin = (group + list) % 3;
            uint64_t *const at = keys + (group * ways + list) * RUN + begin;
            const uint64_t count = (uint64_t)length[list];

            for (uint64_t i = 0; i < count; i++)
                at[i] = key_of(kind, bits, (uint64_t)list, (uint64_t)ways,
                               (uint64_t)group * RUN + i);
            sort_each(at, count, count);
            memcpy(expected + total, at, count * sizeof *at);
            total += count;
            cuts[2 * group * ways + list] = (wide)begin;
            cuts[(2 * group + 1) * ways + list] = (wide)begin + count;
            *blocks += divide_up(count, HEAP_NODE_KEYS);
        }
        sort_each(expected, total, total);
    }
    return total;
}

static int merged_right(struct fixture *f, const struct lengths *l, enum kind kind,
                        int bits, int ways)
{
    const uint64_t size = (uint64_t)bits / 8;
    const wide whole = (wide)ways * RUN;
    struct heap_merge_args args = {
        .round = {.count = GROUPS * whole,
                  .run = RUN,
                  .groups = GROUPS,
                  .pieces = 1,
                  .ways = ways,
                  .cuts = fixture_array(f, 2 * GROUPS * (uint64_t)ways * sizeof(wide))}
    };
    const struct work work = {.kernel = KERNEL_HEAP_MERGE,
                              .bits = bits,
                              .blocks = divide_up(GROUPS, WARPS),
                              .threads = WARPS * WARP,
                              .shared = WARPS * HEAP_NODE_KEYS * size *
                                        (uint64_t)HEAP_NODES(ways)};
    uint64_t read = 0;
    size_t lines;
    const mw_ledger_line *ledger;
    int passed;

    args.round.piece = prepare(l, kind, bits, ways, args.round.cuts, &read);
    args.round.in = device_keys(f, keys, args.round.count, bits);
    args.round.out = fixture_array(f, args.round.count * size);
    passed = fixture_launch(f, &work, &args, sizeof args);
    ledger = fixture_ledger(f, &lines);
    passed = passed &&
             ledger_sum(ledger, lines, MW_ACCESS_BULK, 0).global_requests == read &&
             ledger_sum(ledger, lines, MW_ACCESS_BULK, 1).global_requests ==
                 GROUPS * divide_up(args.round.piece, HEAP_NODE_KEYS);
    for (wide group = 0; passed && group < GROUPS; group++)
        passed = same_keys((char *)args.round.out + group * whole * size,
                           merged + group * whole, args.round.piece, bits);
    if (!passed)
        tap_note("%d bits, %s keys", bits, kind_names[kind]);
    fixture_clear(f);
    return passed;
}

void test_heap_merge(struct tap *tap, struct fixture *f)
{
    keys = malloc(MOST_KEYS * sizeof *keys);
    merged = malloc(MOST_KEYS * sizeof *merged);
    for (int ways = 2; ways <= HEAP_MOST_WAYS; ways *= 2) {
        for (size_t i = 0; i < COUNT_OF(lengths); i++) {
            int passed = 1;

            /* Widths take turns: what they do with short nodes is the same. */
            for (size_t kind = 0; kind < COUNT_OF(kinds); kind++)
                passed &= merged_right(f, &lengths[i], kinds[kind],
                                       8 << (kind + i + (size_t)ways / 2) % 4, ways);
            tap_case(tap, passed, "%d ways, %s", ways, lengths[i].name);
        }
    }
    free(merged);
    free(keys);
}
