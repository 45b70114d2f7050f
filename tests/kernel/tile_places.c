/*
 * tile_places.c - engine tile's kernels with places: are they stable?
 *
 * tile_sort must give each tile's keys in order, equal ones as they stood, and say of
 * each where that was. tile_merge must do the same with the parts of lists that the cuts
 * name, put together in the order of the lists, and tile_join without being told the
 * cuts. What is expected is worked out here, key by key, so a place that is lost, doubled
 * or a filler's shows at once.
 */
#include "keys.h"

/* Bits, rows, items, as CMakeLists.txt compiles them; of each width one with rows of 128
 * bytes. */
#define PROGRAMS(P) \
    P(8, 128, 16) P(8, 64, 32) P(32, 256, 16) P(32, 64, 8) P(64, 256, 8) P(64, 64, 16)
#define NAME(kernel, bits, rows, items) simt_##kernel##_##bits##_##rows##x##items##_places
#define DECLARE(bits, rows, items)                                              \
    extern const struct simt_kernel NAME(tile_sort, bits, rows, items),         \
        NAME(tile_cut, bits, rows, items), NAME(tile_merge, bits, rows, items), \
        NAME(tile_join, bits, rows, items);
/* clang-format off */
#define ROW(bits, rows, items)                                                   \
    {bits, rows, items, &NAME(tile_sort, bits, rows, items),                     \
     &NAME(tile_cut, bits, rows, items), &NAME(tile_merge, bits, rows, items),   \
     &NAME(tile_join, bits, rows, items)},

PROGRAMS(DECLARE)

static const struct program {
    int bits;
    uint64_t rows, items;
    const struct simt_kernel *sort, *cut, *merge, *join;
} programs[] = {PROGRAMS(ROW)};
/* clang-format on */

static const enum kind kinds[] = {EQUAL,  GREATEST, FEW,      RANDOM,
                                  SORTED, REVERSED, IDENTICAL};

enum { MOST_KEYS = 1 << 15, MOST_TILE = 4096 };

static uint64_t *keys;

/* A key and where it was. */
static struct origin {
    uint64_t key;
    uint64_t place;
} expected[MOST_TILE];

static int compare(const void *a, const void *b)
{
    const struct origin *const x = a;
    const struct origin *const y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

/* Is tile `number`, which begins at `*first` of the result, the stable sort of its keys? */
static int tile_right(const struct tile_round *r, const unsigned short *places, int bits,
                      uint64_t number, uint64_t *first)
{
    const uint64_t ways = (uint64_t)r->ways;
    const uint64_t group = number / r->pieces;
    const wide *const from =
        r->cuts + (group * (r->pieces + 1) + number % r->pieces) * ways;
    const size_t size = (size_t)bits / 8;
    uint64_t count = 0;
    int right = 1;

    for (uint64_t list = 0; list < ways; list++) {
        const uint64_t *const at = keys + (group * ways + list) * r->run;

        for (uint64_t i = (unsigned)from[list]; i < (unsigned)from[ways + list]; i++) {
            if (count == MOST_TILE)
                return 0;
            expected[count] = (struct origin){at[i], count};
            count++;
        }
    }
    qsort(expected, count, sizeof *expected, compare);
    for (uint64_t i = 0; right && i < count; i++) {
        const uint64_t at = *first + i;
        const uint64_t *const key = &expected[i].key;

        right = places[at] == expected[i].place &&
                memcmp((char *)r->out + at * size, key, size) == 0 &&
                (at % TILE_SAMPLE != 0 ||
                 memcmp((char *)r->out_samples + at / TILE_SAMPLE * size, key, size) == 0);
        if (!right)
            tap_note("key %llu has place %u, not %llu, or is another", (wide)at, places[at],
                     (wide)expected[i].place);
    }
    *first += count;
    return right;
}

/* Sort tiles: each is a group of one list and of one piece, with cuts at both ends. */
static int sorts(struct fixture *f, const struct program *p, const struct tile_round *r,
                 unsigned short *places)
{
    const size_t bytes = TILE_PLACED_BYTES((size_t)p->bits / 8);
    const struct tile_sort_args args = {.in = r->in,
                                        .out = r->out,
                                        .samples = r->out_samples,
                                        .count = r->count,
                                        .places = places};

    for (uint64_t i = 0; i < r->groups; i++) {
        const uint64_t left = r->count - i * r->run;

        r->cuts[2 * i] = 0;
        r->cuts[2 * i + 1] = left < r->run ? left : r->run;
    }
    return fixture_run(f, p->sort, r->groups, (uint32_t)p->rows,
                       TILE_SORT_SHARED(p->rows, p->items, bytes), &args,
                       sizeof args) == MW_OK;
}

static int merges(struct fixture *f, const struct program *p, const struct tile_round *r,
                  unsigned short *places, int join)
{
    const size_t bytes = TILE_PLACED_BYTES((size_t)p->bits / 8);
    const struct tile_cut_args cut_args = {.round = *r};
    struct tile_merge_args args = {.round = *r, .places = places};

    if (join) /* it finds the cuts itself */
        args.round.cuts = NULL;
    return fixture_run(f, p->cut, divide_up(cuts_of(r), tile_cut_threads / 32),
                       tile_cut_threads, 0, &cut_args, sizeof cut_args) == MW_OK &&
           fixture_run(f, join ? p->join : p->merge, (uint64_t)r->groups * r->pieces,
                       (uint32_t)p->rows, TILE_MERGE_SHARED(p->rows, p->items, bytes),
                       &args, sizeof args) == MW_OK;
}

/* Sort tiles if there is one way, else merge lists: is every tile of the result right? */
static int stable(struct fixture *f, const struct program *p, enum kind kind, int ways,
                  uint64_t count, uint64_t run, int join)
{
    struct tile_round r = {
        .count = count, .run = run, .piece = ways > 1 ? 0 : run, .number = 1, .ways = ways};
    unsigned short *const places = fixture_array(f, count * sizeof *places);
    uint64_t first = 0;
    int passed;

    fill_lists(keys, kind, p->bits, count, run, ways);
    for (uint64_t i = 0; ways == 1 && i < count; i++)
        keys[i] = key_of(kind, p->bits, 0, 1, i);
    r = round_of(f, keys, p->bits, r, p->rows * p->items, p->items);
    passed = ways > 1 ? merges(f, p, &r, places, join) : sorts(f, p, &r, places);
    if (!passed)
        tap_note("%s", f->error.text);
    for (uint64_t i = 0; passed && i < (uint64_t)r.groups * r.pieces; i++)
        passed = tile_right(&r, places, p->bits, i, &first);
    fixture_clear(f);
    return passed && first == count;
}

void test_tile_places(struct tap *tap, struct fixture *f)
{
    keys = malloc(MOST_KEYS * sizeof *keys);
    for (size_t i = 0; i < COUNT_OF(programs) * COUNT_OF(kinds); i++) {
        const struct program *const p = &programs[i / COUNT_OF(kinds)];
        const enum kind kind = kinds[i % COUNT_OF(kinds)];
        const uint64_t tile = p->rows * p->items;
        const uint64_t counts[] = {2 * tile, 2 * tile - 33, tile + 1, tile - 5};
        int passed = 1;

        for (size_t j = 0; j < COUNT_OF(counts); j++)
            passed &= stable(f, p, kind, 1, counts[j], tile, 0);
        /* Two tiles and more a group; the last group is short, and so is its last list. */
        for (uint64_t ways = 2; ways <= TILE_MOST_WAYS; ways *= 2) {
            const uint64_t run = round_up(divide_up(tile * 9 / 4, ways), TILE_SAMPLE);
            const uint64_t count = run * ways + run * ways / 3 + 7;

            for (int join = 0; join < 2; join++)
                passed &= stable(f, p, kind, (int)ways, count, run, join);
        }
        tap_case(tap, passed, "%d bits, %d x %d, %s", p->bits, (int)p->rows, (int)p->items,
                 kind_names[kind]);
    }
    free(keys);
}
