/*
 * tile_carry.c - engine tile's kernels with places: do rows follow their keys, stably,
 * and without bank conflicts?
 *
 * tile_sort must sort the rows of each tile, tile_merge and tile_join those of each group
 * of lists. The order is worked out here, row by row. Whole arrays are compared, with the
 * bytes between values and around the array, which must stay as they are.
 *
 * Items hold a prefix of a code. Rows with the same prefix and different codes are put
 * right by one thread if they are few, and otherwise by sorting the tile again. So there
 * are codes of which `tied` have a prefix in common, and codes that crowd.
 */
#include "keys.h"

#include "tile_rows.h"

enum { MOST_ROWS = 1 << 15, MOST_PIECES = 4, PARTS = 3 };
enum { GUARD = 64, FILL = 0xa5 }; /* bytes around an array; what unused bytes are */

/* clang-format off */
static const struct codes {
    const char *name;
    enum kind kind;
    unsigned tied; /* 0: codes of `kind` */
    enum { EVEN, CLUSTERS, OCTAVES, FROM_TOP } crowd;
} codes[] = {
    {"equal", EQUAL, 0, 0}, {"the greatest", GREATEST, 0, 0}, {"ten values", FEW, 0, 0},
    {"random", RANDOM, 0, 0}, {"sorted", SORTED, 0, 0}, {"reversed", REVERSED, 0, 0},
    {"the same lists", IDENTICAL, 0, 0}, {"4 tied", RANDOM, 4, 0},
    {"24 tied", RANDOM, 24, 0}, {"25 tied", RANDOM, 25, 0}, {"300 tied", RANDOM, 300, 0},
    {"clusters", RANDOM, 0, CLUSTERS}, {"octaves", RANDOM, 0, OCTAVES},
    {"octaves from the top", RANDOM, 0, FROM_TOP},
};

/* What rows are made of; distances from row to row in bytes, those of keys in keys. */
static const struct shape {
    const char *name;
    unsigned key_in;  /* 0: codes are made of parts */
    unsigned key_out; /* 0: none */
    int piece_count;
    struct {
        unsigned bytes, out_bytes;
        unsigned in, out; /* in 0: numbers of rows, which may become wider */
    } piece[MOST_PIECES];
} shapes[] = {
    {"keys and 4 bytes", 1, 1, 1, {{4, 4, 4, 4}}},
    {"keys and 8 bytes, 1 byte", 1, 1, 2, {{8, 8, 8, 8}, {1, 1, 1, 1}}},
    {"records", 3, 2, 4, {{2, 2, 6, 10}, {1, 1, 3, 5}, {8, 8, 24, 16}, {4, 4, 12, 4}}},
    {"numbers of rows, no keys", 2, 0, 2, {{4, 4, 0, 4}, {4, 8, 0, 8}}},
    {"codes of parts", 0, 1, 2, {{4, 4, 4, 4}, {4, 4, 0, 4}}},
};

/* The parts of a code of 8 bytes; one of 4 bytes has the last two. */
static const struct {
    int bytes, is_string, drop, bits;
} parts[PARTS] = {{4, 0, 0, 32}, {3, 1, 0, 24}, {2, 0, 8, 8}};

static const struct manner {
    const char *name;
    int ways;
    int joined, ahead; /* merges: by tile_join; with cutters in the launch */
} manners[] = {
    {"sorted", 1, 0, 0}, {"2 ways", 2, 0, 1}, {"4 ways", 4, 1, 0}, {"8 ways", 8, 0, 0},
    {"16 ways", 16, 0, 1}, {"32 ways, joined", 32, 1, 0}, {"32 ways", 32, 0, 0},
};
/* clang-format on */

struct test {
    struct fixture *f;
    int bits;
    const struct tile_geometry *tile;
    const struct shape *shape;
    struct tile_carry carry;
    uint64_t count, group; /* rows: all, and those that are sorted together */
    uint64_t flip;         /* keys are codes ^ flip */
    uint64_t value_ways;   /* of a conflict in accesses to values */
};

static uint64_t *code;  /* of each row */
static uint64_t *order; /* where each row of the result was */
static uint64_t worst;  /* conflict of the accesses to values */

static uint64_t code_of(const struct codes *c, int bits, uint64_t tile, uint64_t i)
{
    const uint64_t random = kit_mix(i);
    const uint64_t octave = random >> (64 - bits) >> kit_mix(i + tile) % (unsigned)bits;

    if (c->crowd == CLUSTERS) /* 12 bits vary, the highest and the lowest */
        return random >> 62 << (bits - 2) | (random & 1023);
    if (c->crowd != EVEN)
        return c->crowd == OCTAVES ? octave : ~octave << (64 - bits) >> (64 - bits);
    if (!c->tied)
        return key_of(c->kind, bits, 0, 1, i);
    /* The random bits are in no prefix, even if the range is a quarter of all. */
    return i * 1021 % tile / c->tied * c->tied << (bits - 12) | random >> (88 - bits);
}

static uint64_t group_size; /* of compare() */

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;

    if (x / group_size != y / group_size)
        return x < y ? -1 : 1;
    if (code[x] != code[y])
        return code[x] < code[y] ? -1 : 1;
    return (x > y) - (x < y);
}

/* An array of `count` values in guards, each byte FILL. */
static unsigned char *array_of(struct fixture *f, uint64_t count, uint64_t pitch)
{
    unsigned char *const array = fixture_array(f, count * pitch + 2 * GUARD);

    memset(array, FILL, count * pitch + 2 * GUARD);
    return array + GUARD;
}

/* The value of piece `p` of row `i`. */
static uint64_t value_of(const struct shape *s, int p, uint64_t i)
{
    return s->piece[p].in ? kit_mix(i << 8 | (uint64_t)p) : i;
}

/* Are the values in the result the rows' of `order`, and all other bytes FILL? */
static int same_values(const struct test *t, int p, const unsigned char *out)
{
    const struct shape *const s = t->shape;
    const size_t size = (size_t)t->bits / 8;
    const uint64_t pitch = p < 0 ? s->key_out * size : s->piece[p].out;
    const size_t bytes = p < 0 ? size : s->piece[p].out_bytes;
    const uint64_t all = t->count * pitch + 2 * GUARD;
    unsigned char *const expected = malloc(all);
    int same = 1;

    memset(expected, FILL, all);
    for (uint64_t i = 0; i < t->count; i++) {
        const uint64_t value = p < 0 ? code[order[i]] ^ t->flip : value_of(s, p, order[i]);

        memcpy(expected + GUARD + i * pitch, &value, bytes); /* little-endian */
    }
    for (uint64_t i = 0; same && i < all; i++) {
        same = out[(int64_t)i - GUARD] == expected[i];
        if (!same)
            tap_note("%s: piece %d is wrong in row %lld", s->name, p,
                     ((long long)i - GUARD) / (long long)pitch);
    }
    free(expected);
    return same;
}

/* Parts of the codes, each an array whose rows are in the order `source->order`. */
static void add_parts(struct test *t)
{
    struct tile_source *const source = &t->carry.source;
    unsigned *const turned = fixture_array(t->f, t->count * sizeof *turned);
    int below = t->bits; /* bits of the parts not yet made */

    for (uint64_t i = 0; i < t->count; i++)
        turned[i] = (unsigned)(t->count - 1 - i);
    source->order = turned;
    for (int p = t->bits == 64 ? 0 : 1; p < PARTS; p++) {
        const uint64_t mask = UINT64_MAX >> (64 - 8 * parts[p].bytes);
        const uint64_t pitch = (uint64_t)parts[p].bytes + 3;
        unsigned char *const at = array_of(t->f, t->count, pitch) + 1;

        below -= parts[p].bits;
        for (uint64_t i = 0; i < t->count; i++) {
            const uint64_t field = (code[i] >> below << parts[p].drop ^ 0x55) & mask;

            for (int b = 0; b < parts[p].bytes; b++)
                at[turned[i] * pitch + (unsigned)b] =
                    (unsigned char)(field >>
                                    8 * (parts[p].is_string ? parts[p].bytes - 1 - b : b));
        }
        source->part[source->part_count++] = (struct code_part){
            .at = at,
            .pitch = pitch,
            .bytes = parts[p].bytes,
            .is_string = parts[p].is_string,
            .drop = parts[p].drop,
            .bits = parts[p].bits,
            .code = {.flip = 0x55, .mask = mask, .high = mask}
        };
    }
}

/* The arrays of keys and pieces. Keys that come in are codes ^ `entered`. */
static unsigned char *make_arrays(struct test *t, uint64_t entered)
{
    const struct shape *const s = t->shape;
    const size_t size = (size_t)t->bits / 8;
    const uint64_t in_pitch = s->key_in * size;
    unsigned char *const keys = s->key_in ? array_of(t->f, t->count, in_pitch) : NULL;

    t->carry = (struct tile_carry){
        .source = {.keys = keys, .pitch = in_pitch},
        .out_pitch = s->key_out * size,
        .piece_count = s->piece_count
    };
    for (uint64_t i = 0; keys && i < t->count; i++) {
        const uint64_t key = code[i] ^ entered;

        memcpy(keys + i * in_pitch, &key, size);
    }
    if (!keys)
        add_parts(t);
    for (int p = 0; p < s->piece_count; p++) {
        const uint64_t pitch = s->piece[p].in;
        unsigned char *const in = pitch ? array_of(t->f, t->count, pitch) : NULL;

        for (uint64_t i = 0; in && i < t->count; i++) {
            const uint64_t value = value_of(s, p, i);

            memcpy(in + i * pitch, &value, s->piece[p].bytes);
        }
        t->carry.piece[p] = (struct tile_piece){in,
                                                array_of(t->f, t->count, s->piece[p].out),
                                                (unsigned)pitch,
                                                s->piece[p].out,
                                                s->piece[p].bytes,
                                                s->piece[p].out_bytes};
    }
    return s->key_out ? array_of(t->f, t->count, t->carry.out_pitch) : NULL;
}

/*
 * The worst conflict that is allowed: none in sorting, two-way in merging and, if rows do
 * not fill the banks, in loads and stores. In a merge, accesses to values conflict no
 * more than lists are merged, unless many rows are tied.
 */
static uint64_t most_conflict(const struct test *t, mw_access access, int sorts)
{
    switch (access) {
    case MW_ACCESS_VALUE:
        return t->value_ways;
    case MW_ACCESS_SEARCH:
    case MW_ACCESS_PROBE:
        return WARP;
    case MW_ACCESS_GATHER:
    case MW_ACCESS_SCATTER:
        return sorts ? 1 : 2;
    default:
        return TILE_PLACED_BYTES * t->tile->items == 128 ? 1 : 2;
    }
}

static int banks_hold(const struct test *t, int sorts)
{
    size_t count;
    const mw_ledger_line *const lines = fixture_ledger(t->f, &count);
    int holds = 1;

    for (size_t i = 0; i < count; i++) {
        const uint64_t ways = lines[i].traffic.shared_worst;

        if (lines[i].access == MW_ACCESS_VALUE && ways > worst)
            worst = ways;
        if (ways > most_conflict(t, lines[i].access, sorts)) {
            tap_note("%s:%d: %llu-way conflict", lines[i].file, lines[i].line, (wide)ways);
            holds = 0;
        }
    }
    return holds;
}

static int launch(const struct test *t, enum kernel_id kernel, uint64_t blocks,
                  const void *args, size_t bytes)
{
    const struct program_name name = {.bits = t->bits, .tile = *t->tile};
    const int is_cut = kernel == KERNEL_TILE_CUT;
    const struct work work = {.kernel = kernel,
                              .bits = t->bits,
                              .tile = t->tile,
                              .blocks = blocks,
                              .threads = is_cut ? tile_cut_threads : t->tile->rows,
                              .shared = is_cut ? 0
                                        : kernel == KERNEL_TILE_SORT
                                            ? tile_sort_shared(&name)
                                            : tile_merge_shared(&name)};

    return fixture_launch(t->f, &work, args, bytes) &&
           banks_hold(t, kernel == KERNEL_TILE_SORT);
}

static int sort_tiles(const struct test *t, void *out, void *samples)
{
    const struct {
        struct tile_sort_args bare;
        struct tile_carry carry;
    } args = {
        {.out = out,
         .samples = samples,
         .count = t->count,
         .enter = {.flip = t->flip},
         .leave = {.flip = t->flip}},
        t->carry
    };

    return launch(t, KERNEL_TILE_SORT, divide_up(t->count, t->group), &args, sizeof args);
}

static int merge_lists(const struct test *t, const struct manner *m, void *out,
                       struct tile_round r)
{
    const uint64_t cells = cuts_of(&r) * (uint64_t)TILE_CUT_CELLS(r.ways, t->bits, 1);
    const unsigned cutters =
        m->ahead ? (unsigned)divide_up(cuts_of(&r), t->tile->rows / WARP) : 0;
    struct {
        struct tile_cut_args bare;
        struct tile_carry carry;
    } cut_args = {{.round = r}, t->carry};
    struct {
        struct tile_merge_args bare;
        struct tile_carry carry;
    } args = {
        {.round = r, .cutters = cutters, .ahead = cutters, .leave = {.flip = t->flip}},
        t->carry
    };

    r.cuts = fixture_array(t->f, cells * sizeof *r.cuts);
    memset(r.cuts, 0, cells * sizeof *r.cuts);
    cut_args.bare.round.cuts = args.bare.round.cuts = m->joined ? NULL : r.cuts;
    cut_args.bare.round.in = args.bare.round.in = NULL;
    cut_args.bare.round.out = args.bare.round.out = out;
    if (!m->joined && !m->ahead &&
        !launch(t, KERNEL_TILE_CUT, divide_up(cuts_of(&r), tile_cut_threads / WARP),
                &cut_args, sizeof cut_args))
        return 0;
    return launch(t, m->joined ? KERNEL_TILE_JOIN : KERNEL_TILE_MERGE,
                  (uint64_t)r.groups * r.pieces + cutters, &args, sizeof args);
}

/* Sort or merge rows: is the result right, byte by byte? */
static int carries(struct test *t, const struct codes *c, const struct manner *m)
{
    const uint64_t tile = (uint64_t)t->tile->rows * t->tile->items;
    const uint64_t run =
        m->ways > 1 ? round_up(divide_up(tile * 9 / 4, (uint64_t)m->ways), TILE_SAMPLE)
                    : tile;
    unsigned char *out;
    struct tile_round r = {
        .run = run, .piece = m->ways > 1 ? 0 : run, .number = 1, .ways = m->ways};
    int passed;

    t->value_ways = m->ways > 1 && !c->tied && !c->crowd ? (uint64_t)m->ways : WARP;
    t->group = run * (uint64_t)m->ways;
    t->count = r.count = t->group + t->group / 3 + 7; /* the last list is short */
    for (uint64_t i = 0; i < t->count; i++) {
        code[i] = code_of(c, t->bits, tile, m->ways > 1 ? i % t->group : i);
        order[i] = i;
    }
    if (m->ways > 1)
        sort_each(code, t->count, run);
    r = round_of(t->f, code, t->bits, r, tile, t->tile->items);
    out = make_arrays(t, m->ways > 1 ? 0 : t->flip);
    group_size = t->group;
    qsort(order, t->count, sizeof *order, compare);
    passed = m->ways > 1 ? merge_lists(t, m, out, r) : sort_tiles(t, out, r.out_samples);
    for (int p = out ? -1 : 0; passed && p < t->shape->piece_count; p++)
        passed = same_values(t, p, p < 0 ? out : t->carry.piece[p].out);
    for (uint64_t i = 0; passed && i < t->count; i += TILE_SAMPLE)
        passed = memcmp((char *)r.out_samples + i / TILE_SAMPLE * ((size_t)t->bits / 8),
                        &code[order[i]], (size_t)t->bits / 8) == 0;
    fixture_clear(t->f);
    return passed;
}

/* The geometries for codes of a width, in turn. */
static const struct tile_geometry *some_tile(int bits, int n)
{
    const size_t size = (size_t)bits / 8;
    int count = 0;

    while (tile_of(size, 1, count))
        count++;
    return tile_of(size, 1, n % count);
}

void test_tile_carry(struct tap *tap, struct fixture *f)
{
    code = malloc(2 * MOST_ROWS * sizeof *code);
    order = code + MOST_ROWS;
    for (size_t i = 0; i < COUNT_OF(codes) * COUNT_OF(manners) * 2; i++) {
        const struct codes *const c = &codes[i / COUNT_OF(manners) / 2];
        const struct manner *const m = &manners[i / 2 % COUNT_OF(manners)];
        int passed = 1;

        for (size_t s = 0; s < COUNT_OF(shapes); s++) {
            struct test t = {.f = f, .bits = i % 2 ? 64 : 32, .shape = &shapes[s]};

            t.tile = some_tile(t.bits, (int)(i / 2 + s));
            t.flip = s % 2 ? 0 : UINT64_C(1) << (t.bits - 1);
            passed &= carries(&t, c, m);
        }
        tap_case(tap, passed, "codes of %d bits, %s, %s", i % 2 ? 64 : 32, c->name,
                 m->name);
    }
    tap_note("accesses to values conflict %llu-way at the worst", (wide)worst);
    free(code);
}
