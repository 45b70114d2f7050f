/*
 * unit_heap.c - kernel heap_merge alone, with lists that end wherever they can.
 *
 * A list that ends leaves a short node in the heap, later an empty one, and the kernel
 * goes by that. So here pieces are merged in which two lists share some keys in every
 * way there is, and pieces whose keys went to lists at random, most of them to few.
 * Many keys are the greatest there is, which fillers equal. What comes out must be right,
 * and all keys must have been read to make it, none of them twice.
 */
#include "device.h"
#include "kernels/launch.h"
#include "kit.h"

#include "tap.h"
#include "wide_keys.h"

#include <stdlib.h>

enum {
    SHARED_KEYS = 97, /* that two lists share */
    GROUPS = SHARED_KEYS + 1,
    RUN = 128, /* room for a list */
    WARPS = 4, /* of a block */
    MOST_KEYS = GROUPS * HEAP_MOST_WAYS * RUN
};

/* How long the lists are: the first of them shared by two, the rest ... */
static const struct lengths {
    const char *name;
    int rest;    /* ... so long each, */
    int partner; /* how far behind the first its partner is, of `ways` / 8 */
    int scatter; /* or, if not 0, as many keys a list scattered over all of them */
} lengths[] = {
    {"alone",                    0,  4, 0 },
    {"neighbours, alone",        0,  0, 0 },
    {"neighbours, among short",  5,  0, 0 },
    {"among full",               64, 4, 0 },
    {"neighbours, among others", 50, 0, 0 },
    {"among others",             75, 7, 0 },
    {"a few keys scattered",     0,  0, 2 },
    {"many keys scattered",      0,  0, 40},
};

enum kind { RANDOM, EXTREMES, GREATEST, LISTS_ASCEND, LISTS_DESCEND, KINDS };

static const char *const kind_names[KINDS] = {"random", "extremes", "the greatest",
                                              "one list after the other", "lists reversed"};

struct bench {
    struct device *device;
    struct error error;
    uint64_t *keys;   /* in lists of RUN, one key in 64 bits each */
    uint64_t *merged; /* what is to come out */
    char *narrow;     /* keys as the device has them, in or out */
    wide *cuts;       /* two rows a group: where its lists begin, and end */
};

static uint64_t key_of(enum kind kind, int bits, uint64_t list, uint64_t i)
{
    const uint64_t most = UINT64_MAX >> (64 - bits);
    const uint64_t random = kit_mix(list << 32 | i);

    switch (kind) {
    case EXTREMES:
        return random % 3 == 0 ? 0 : random % 3 == 1 ? most : most / 2;
    case GREATEST:
        return most;
    case LISTS_ASCEND:
        return list * 4 + random % 4;
    case LISTS_DESCEND:
        return (HEAP_MOST_WAYS - list) * 4 + random % 5;
    default:
        return random & most;
    }
}

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

/* Make the lists, which need not begin where their room does, and what to expect. */
static wide prepare(struct bench *b, const struct lengths *l, enum kind kind, int bits,
                    int ways)
{
    wide total = 0;

    for (int group = 0; group < GROUPS; group++) {
        uint64_t *const expected = b->merged + (size_t)group * (size_t)ways * RUN;
        wide *const cuts = b->cuts + 2 * group * ways;
        int length[HEAP_MOST_WAYS];

        total = 0;
        share(l, ways, group, length);
        for (int list = 0; list < ways; list++) {
            uint64_t *const keys = b->keys + (size_t)(group * ways + list) * RUN;
            const int begin = (group + list) % 3;

            for (int i = 0; i < RUN; i++) /* of the rest, none may come out */
                keys[i] = 1;
            for (int i = begin; i < begin + length[list]; i++)
                keys[i] = key_of(kind, bits, (uint64_t)list, (uint64_t)(group * RUN + i));
            qsort(keys + begin, (size_t)length[list], sizeof *keys, compare_wide);
            memcpy(expected + total, keys + begin, (size_t)length[list] * sizeof *keys);
            total += (wide)length[list];
            cuts[list] = (wide)begin;
            cuts[ways + list] = (wide)(begin + length[list]);
        }
        qsort(expected, total, sizeof *expected, compare_wide);
    }
    return total;
}

/* The blocks of 32 keys in which all lists are read and all pieces are written. */
static uint64_t blocks_expected(const struct bench *b, const struct heap_round *round)
{
    uint64_t blocks = GROUPS * ((round->piece + HEAP_NODE_KEYS - 1) / HEAP_NODE_KEYS);

    for (int group = 0; group < GROUPS; group++) {
        const wide *const cuts = b->cuts + 2 * group * round->ways;

        for (int list = 0; list < round->ways; list++)
            blocks += (cuts[round->ways + list] - cuts[list] + HEAP_NODE_KEYS - 1) / HEAP_NODE_KEYS;
    }
    return blocks;
}

/* And those in which they were, by the ledger of the last launch. */
static uint64_t blocks_moved(struct bench *b)
{
    const mw_ledger_line *lines = NULL;
    size_t count = 0;
    uint64_t blocks = 0;

    if (b->device->verbs->ledger(b->device, &lines, &count) != MW_OK)
        return 0;
    for (size_t i = 0; i < count; i++)
        blocks += lines[i].access == MW_ACCESS_BULK ? lines[i].traffic.global_requests : 0;
    return blocks;
}

static mw_status merge(struct bench *b, const struct heap_round *round, int bits)
{
    const struct device_verbs *const verbs = b->device->verbs;
    const uint64_t size = (uint64_t)bits / 8;
    const uint64_t bytes = round->count * size;
    const uint64_t cut_bytes = 2 * GROUPS * (uint64_t)round->ways * sizeof(wide);
    struct heap_merge_args args = {.round = *round};
    struct launch launch = {.kernel = KERNEL_HEAP_MERGE,
                            .blocks = (GROUPS + WARPS - 1) / WARPS,
                            .threads = WARPS * WARP,
                            .shared_bytes = (uint32_t)(WARPS * HEAP_NODE_KEYS *
                                                       HEAP_NODES(round->ways) * (int)size),
                            .args = &args,
                            .args_bytes = sizeof args};
    void *in = NULL;
    void *out = NULL;
    void *cuts = NULL;
    mw_status status;

    TRY(verbs->load(b->device,
                    &(struct program_name){.engine = MW_ENGINE_HEAP, .bits = bits},
                    1u << launch.kernel, &launch.program));
    TRY(verbs->alloc(b->device, bytes, &in));
    TRY(verbs->alloc(b->device, bytes, &out));
    TRY(verbs->alloc(b->device, cut_bytes, &cuts));
    TRY(verbs->upload(b->device, in, b->narrow, bytes, NULL));
    TRY(verbs->upload(b->device, out, b->narrow, bytes, NULL));
    TRY(verbs->upload(b->device, cuts, b->cuts, cut_bytes, NULL));
    args.round.in = in;
    args.round.out = out;
    args.round.cuts = (wide *)cuts;
    verbs->ledger_reset(b->device);
    TRY(verbs->launch(b->device, &launch));
    TRY(verbs->wait(b->device, NULL));
    TRY(verbs->download(b->device, b->narrow, out, bytes, NULL));
done:
    verbs->free(b->device, cuts);
    verbs->free(b->device, out);
    verbs->free(b->device, in);
    return status;
}

static int merged_right(struct bench *b, const struct lengths *l, enum kind kind, int bits,
                        int ways)
{
    const size_t size = (size_t)bits / 8;
    const wide whole = (wide)ways * RUN;
    struct heap_round round = {
        .count = GROUPS * whole, .run = RUN, .groups = GROUPS, .pieces = 1, .ways = ways};

    round.piece = prepare(b, l, kind, bits, ways);
    for (wide i = 0; i < round.count; i++) /* little-endian: the low bytes come first */
        memcpy(b->narrow + i * size, &b->keys[i], size);
    if (merge(b, &round, bits) != MW_OK) {
        tap_note("%s", b->error.text);
        return 0;
    }
    if (blocks_moved(b) != blocks_expected(b, &round)) {
        tap_note("%s keys: %llu blocks moved instead of %llu", kind_names[kind],
                 (wide)blocks_moved(b), (wide)blocks_expected(b, &round));
        return 0;
    }
    for (wide group = 0; group < GROUPS; group++) {
        for (wide i = 0; i < round.piece; i++) {
            const wide at = group * whole + i;

            if (memcmp(b->narrow + at * size, &b->merged[at], size) != 0) {
                tap_note("%s keys, group %llu: key %llu of %llu is wrong", kind_names[kind],
                         group, i, round.piece);
                return 0;
            }
        }
    }
    return 1;
}

int main(void)
{
    struct tap tap = {0, 0};
    struct bench b = {.keys = malloc(MOST_KEYS * sizeof(uint64_t)),
                      .merged = malloc(MOST_KEYS * sizeof(uint64_t)),
                      .narrow = malloc(MOST_KEYS * sizeof(uint64_t)),
                      .cuts = malloc(2 * GROUPS * HEAP_MOST_WAYS * sizeof(wide))};

    tap_ok(&tap, sim_open(&b.device, &b.error) == MW_OK, "open", b.error.text);
    for (int ways = 2; ways <= HEAP_MOST_WAYS && b.device; ways *= 2) {
        for (size_t i = 0; i < COUNT_OF(lengths); i++) {
            int passed = 1;

            /* Widths take turns: what they do with short nodes is the same. */
            for (int kind = 0; kind < KINDS; kind++)
                passed &= merged_right(&b, &lengths[i], (enum kind)kind,
                                       8 << (kind + i + (size_t)ways / 2) % 4, ways);
            tap_case(&tap, passed, "%d ways, %s", ways, lengths[i].name);
        }
    }
    if (b.device)
        b.device->verbs->close(b.device);
    free(b.cuts);
    free(b.narrow);
    free(b.merged);
    free(b.keys);
    return tap_end(&tap);
}
