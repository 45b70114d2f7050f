/*
 * unit_tile_cuts.c - kernel tile_cut: are its cuts cuts?
 *
 * Where they fall is the kernel's choice, so there is no one right answer. But
 * every cut must be made by one place in the total order (key, list, position):
 * the last key before it in any list comes before the first key behind it in
 * any other. It must lie within TILE_SLACK keys of where it was asked for, not
 * before its predecessor, and of 8-byte keys its bounds must hold. Nor may cuts take
 * long: on average over an array, a few rounds of a few loads.
 */
#include "device.h"
#include "kit.h"

#include "requests.h"
#include "tap.h"
#include "tile_rows.h"
#include "wide_keys.h"

#include <stdlib.h>

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
    IDENTICAL,
    TURNS,
    BLOCKS,
    FLOATS,
    NEAR_FLOATS,
    CUBES,
    KINDS
};

static const char *const kind_names[KINDS] = {"all equal",
                                              "two values",
                                              "ten values",
                                              "random",
                                              "extremes",
                                              "lists ascend",
                                              "lists reversed",
                                              "one odd list out",
                                              "skewed",
                                              "identical lists",
                                              "lists in turns",
                                              "blocks in turn",
                                              "floats, lists ascend",
                                              "neighbouring floats",
                                              "cubes"};

/* Keys of a group, if it is whole; the array in 16ths of a group plus some keys. */
static const struct shape {
    uint64_t group;
    uint64_t sixteenths;
    uint64_t more;
} shapes[] = {
    {4096,   16, 0 },
    {4096,   37, 5 }, /* the last group is short, and so is its last list */
    {32768,  1,  17}, /* a single, short group: most lists are empty */
    {32768,  15, 31},
    {180224, 16, 0 },
    {180224, 19, 77},
};

enum { ROUND = 3 }; /* its number */

enum { MOST_KEYS = 225280, MOST_CUTS = 2 * 2400 * TILE_MOST_WAYS };

/* Of a cut, on average; narrow keys are equal more often. */
enum { MOST_LOADS = 55, MOST_NARROW_LOADS = 56 };

struct bench {
    struct device *device;
    struct error error;
    uint64_t *keys; /* the array, one key in 64 bits each */
    void *narrow;   /* the same as the device has it, then its samples */
    wide *cells;
    unsigned *cuts; /* their lower halves */
    int bits;
    const struct tile_geometry *tile;
};

static wide slack_of(const struct bench *b)
{
    return (wide)TILE_SLACK((int)(b->tile->rows * b->tile->items));
}

static uint64_t key_of(enum kind kind, int bits, uint64_t list, uint64_t ways, uint64_t i)
{
    const uint64_t most = UINT64_MAX >> (64 - bits);
    uint64_t random = kit_mix(list << 32 | i);

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
    case IDENTICAL:
        return i * 3 & most;
    case TURNS: /* a list has nine of ten keys where the others have few */
        if (random % 10)
            return (list % ways << (bits - 5)) + (random >> 8 & most >> 5);
        return random >> 8 & most;
    case BLOCKS: /* 128 keys of each list in turn; of 8 bits, the last value stays */
        return i / 128 * ways + list % ways < most ? i / 128 * ways + list % ways : most;
    case FLOATS:
        return code_of_float(bits, list % ways * 3000 + i % 3000);
    case NEAR_FLOATS: /* few of them, next to each other, and more of some in some lists */
        return code_of_float(bits, 1) +
               (random % 3 ? list * 5 % ways % 5 : random >> 8) % 5;
    case CUBES: /* lists alike, but keys crowded at the lower end */
        random >>= 48;
        random *= random * random;
        return bits < 48 ? random >> (48 - bits) : random << (bits - 48);
    default:
        return random & most;
    }
}

/* Sorted runs, and behind them every 32nd key of the array. */
static void fill(struct bench *b, const struct tile_round *r, enum kind kind)
{
    const size_t size = (size_t)b->bits / 8;
    char *const samples = (char *)b->narrow + r->count * size;

    for (wide first = 0; first < r->count; first += r->run) {
        const wide left = r->count - first;
        const wide length = left < r->run ? left : r->run;

        for (wide i = 0; i < length; i++)
            b->keys[first + i] =
                key_of(kind, b->bits, first / r->run, (uint64_t)r->ways, i);
        qsort(b->keys + first, length, sizeof *b->keys, compare_wide);
    }
    for (wide i = 0; i < r->count; i++) { /* little-endian: the low bytes come first */
        memcpy((char *)b->narrow + i * size, &b->keys[i], size);
        if (i % TILE_SAMPLE == 0)
            memcpy(samples + i / TILE_SAMPLE * size, &b->keys[i], size);
    }
}

static uint64_t sample_count(const struct tile_round *r)
{
    return (r->count + TILE_SAMPLE - 1) / TILE_SAMPLE;
}

static mw_status launch_cut(struct bench *b, const struct tile_round *round, uint64_t cuts)
{
    const uint64_t per_block = tile_cut_threads / WARP;
    const struct tile_cut_args args = {.round = *round};
    struct launch launch = {.kernel = KERNEL_TILE_CUT,
                            .blocks = (cuts + per_block - 1) / per_block,
                            .threads = tile_cut_threads,
                            .args = &args,
                            .args_bytes = sizeof args};
    mw_status status;

    TRY(b->device->verbs->load(b->device,
                               &(struct program_name){MW_ENGINE_TILE, b->bits, *b->tile},
                               1u << launch.kernel, &launch.program));
    b->device->verbs->ledger_reset(b->device);
    TRY(b->device->verbs->launch(b->device, &launch));
    TRY(b->device->verbs->wait(b->device, NULL));
done:
    return status;
}

static mw_status cut(struct bench *b, struct tile_round round)
{
    const struct device_verbs *const verbs = b->device->verbs;
    const uint64_t size = (uint64_t)b->bits / 8;
    const uint64_t bytes[] = {round.count * size, sample_count(&round) * size};
    const uint64_t rows = (uint64_t)round.groups * (round.pieces + 1);
    const uint64_t ways = (uint64_t)round.ways;
    void *in = NULL, *samples = NULL, *cuts = NULL;
    mw_status status;

    TRY(verbs->alloc(b->device, bytes[0], &in));
    TRY(verbs->alloc(b->device, bytes[1], &samples));
    TRY(verbs->alloc(b->device, rows * ways * sizeof(wide), &cuts));
    TRY(verbs->upload(b->device, in, b->narrow, bytes[0], NULL));
    TRY(verbs->upload(b->device, samples, (char *)b->narrow + bytes[0], bytes[1], NULL));
    round.in = in;
    round.samples = samples;
    round.cuts = cuts;
    TRY(launch_cut(b, &round, rows));
    TRY(verbs->download(b->device, b->cells, cuts, rows * ways * sizeof(wide), NULL));
    for (uint64_t i = 0; i < rows * ways; i++)
        b->cuts[i] = (unsigned)b->cells[i];
done:
    verbs->free(b->device, cuts);
    verbs->free(b->device, samples);
    verbs->free(b->device, in);
    return status;
}

/* One group of the array. */
struct view {
    const uint64_t *keys; /* of the group */
    wide left;            /* keys from there to the end of the array */
    wide run;
    int ways;
};

static wide length_of(const struct view *v, int list)
{
    const wide first = (wide)list * v->run;
    const wide left = v->left > first ? v->left - first : 0;

    return left < v->run ? left : v->run;
}

static uint64_t key_at(const struct view *v, int list, wide i)
{
    return v->keys[(wide)list * v->run + i];
}

/* Is there a place in the total order that makes this cut? */
static int consistent(const struct view *v, const unsigned *parts)
{
    int last = -1;  /* the list of the last key before the cut, ... */
    int first = -1; /* ... and of the first one behind it */

    for (int list = 0; list < v->ways; list++) {
        const unsigned part = parts[list];

        if (part > length_of(v, list))
            return 0;
        if (part > 0 &&
            (last < 0 || key_at(v, list, part - 1) >= key_at(v, last, parts[last] - 1)))
            last = list;
        if (part < length_of(v, list) &&
            (first < 0 || key_at(v, list, part) < key_at(v, first, parts[first])))
            first = list;
    }
    if (last < 0 || first < 0)
        return 1;
    const uint64_t before = key_at(v, last, parts[last] - 1);
    const uint64_t behind = key_at(v, first, parts[first]);

    return before < behind || (before == behind && last <= first);
}

/* Are the upper halves of keys before it no greater, and of those behind it no less? */
static int bounded(const struct view *v, const unsigned *parts, uint64_t bound)
{
    for (int list = 0; list < v->ways; list++) {
        const unsigned part = parts[list];

        if (part > 0 && key_at(v, list, part - 1) >> 32 > bound)
            return 0;
        if (part < length_of(v, list) && key_at(v, list, part) >> 32 < bound)
            return 0;
    }
    return 1;
}

/* What is wrong with cut `i` of a group, or NULL. */
static const char *judge_cut(const struct bench *b, const struct tile_round *r,
                             const struct view *v, wide group, wide i)
{
    const wide row = group * (r->pieces + 1) + i;
    const unsigned *const parts = b->cuts + row * (wide)r->ways;
    const wide *const cells = b->cells + row * (wide)r->ways;
    const wide slack = slack_of(b);
    wide whole = 0;
    wide rank = 0;

    for (int list = 0; list < r->ways; list++) {
        whole += length_of(v, list);
        rank += parts[list];
        if ((cells[list] >> 32 & 0xffff) != ROUND)
            return "not of this round";
        if (i > 0 && r->piece > 2 * slack && parts[list] < parts[list - r->ways])
            return "a part before its predecessor's";
    }
    const wide wanted = i * r->piece < whole ? i * r->piece : whole;

    if (!consistent(v, parts))
        return "no place in the total order makes it";
    if ((wanted == 0 || wanted == whole) && rank != wanted)
        return "not at the group's end";
    if (rank > wanted + slack || rank + slack < wanted)
        return "too far off";
    if (b->bits == 64 && !bounded(v, parts, cells[0] >> 48 | cells[1] >> 48 << 16))
        return "keys are not within its bounds";
    return NULL;
}

static int cuts_right(const struct bench *b, const struct tile_round *r)
{
    for (wide group = 0; group < r->groups; group++) {
        const wide first = group * (wide)r->ways * r->run;
        struct view v = {b->keys + first, r->count - first, r->run, r->ways};

        for (wide i = 0; i <= r->pieces; i++) {
            const char *const wrong = judge_cut(b, r, &v, group, i);

            if (wrong) {
                tap_note("count %llu, run %llu, piece %llu, cut %llu of "
                         "group %llu: %s",
                         r->count, r->run, r->piece, i, group, wrong);
                return 0;
            }
        }
    }
    return 1;
}

/* Did the last launch ask for little, its results written, too? */
static int cuts_cheap(struct bench *b, const struct tile_round *r)
{
    const uint64_t cuts = (uint64_t)r->groups * (r->pieces + 1);
    const uint64_t most = (b->bits < 32 ? MOST_NARROW_LOADS : MOST_LOADS) * cuts;
    const uint64_t requests = global_requests(b->device);

    if (requests > most)
        tap_note("piece %llu: %llu requests of %llu cuts", r->piece, (wide)requests,
                 (wide)cuts);
    return requests > 0 && requests <= most;
}

/*
 * Do the keys stand for floats? That is said of all that may, by turns, whatever they
 * are; only how they are interpolated depends on it.
 */
static int floats_of(const struct bench *b, const struct shape *s, enum kind kind)
{
    return b->bits < 32     ? 0
           : kind >= FLOATS ? 1
                            : (int)((size_t)(s - shapes) + (size_t)kind) % 3 - 1;
}

/* The shape, cut into pieces that cuts cannot overtake each other in, or nearer. */
static int shape_right(struct bench *b, const struct shape *s, int ways, enum kind kind,
                       int near)
{
    struct tile_round r = {.count = s->group / 16 * s->sixteenths + s->more,
                           .run = s->group / (wide)ways,
                           .piece = 2 * slack_of(b) + 11,
                           .number = ROUND,
                           .ways = ways,
                           .floats = floats_of(b, s, kind)};
    const wide group = r.count < s->group ? r.count : s->group;

    r.groups = (unsigned)((r.count + s->group - 1) / s->group);
    r.pieces = (unsigned)((group + r.piece - 1) / r.piece);
    if (near) {
        r.piece = 80;
        r.pieces = (unsigned)((group + r.piece - 1) / r.piece);
    }
    if (r.count > MOST_KEYS || (r.pieces + 1) * r.groups * (unsigned)ways > MOST_CUTS) {
        tap_note("the test has too little room");
        return 0;
    }
    if (!near)
        fill(b, &r, kind);
    if (cut(b, r) != MW_OK) {
        tap_note("%s", b->error.text);
        return 0;
    }
    return cuts_right(b, &r) && cuts_cheap(b, &r);
}

/* One width and geometry, numbers of ways `step` apart, every kind of lists. */
static void test_width(struct tap *tap, struct bench *b, int step)
{
    for (int ways = 2; ways <= TILE_MOST_WAYS; ways *= step) {
        for (int kind = 0; kind < KINDS; kind++) {
            int passed = 1;

            for (size_t i = 0; i < COUNT_OF(shapes) && passed; i++) {
                const int large = shapes[i].group > 100000;

                if (large && tap->count % 4 != 0) /* these take their time */
                    continue;
                passed &= shape_right(b, &shapes[i], ways, (enum kind)kind, 0);
                if (large)
                    passed &= shape_right(b, &shapes[i], ways, (enum kind)kind, 1);
            }
            tap_case(tap, passed, "%d bits, %u x %u, %d ways, %s", b->bits, b->tile->rows,
                     b->tile->items, ways, kind_names[kind]);
        }
    }
}

int main(void)
{
    struct tap tap = {0, 0};
    struct bench b = {.keys = malloc(MOST_KEYS * sizeof(uint64_t)),
                      .narrow = malloc(2 * MOST_KEYS * sizeof(uint64_t)),
                      .cells = malloc(MOST_CUTS * sizeof(wide)),
                      .cuts = malloc(MOST_CUTS * sizeof(unsigned))};

    tap_ok(&tap, sim_open(&b.device, &b.error) == MW_OK, "open", b.error.text);
    for (b.bits = 8; b.bits <= 64 && b.device; b.bits *= 2) {
        for (int n = 0; (b.tile = tile_of_size((size_t)b.bits / 8, n)); n++) {
            if (n > 0 && slack_of(&b) == (wide)TILE_LEAST_SLACK)
                continue; /* the slack is all that cuts know of a tile */
            test_width(&tap, &b, n > 0 ? 4 : 2);
        }
    }
    if (b.device)
        b.device->verbs->close(b.device);
    free(b.cuts);
    free(b.cells);
    free(b.narrow);
    free(b.keys);
    return tap_end(&tap);
}
