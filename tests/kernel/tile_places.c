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
#define ROW(bits, rows, items)             \
    {bits,                                 \
     rows,                                 \
     items,                                \
     &NAME(tile_sort, bits, rows, items),  \
     &NAME(tile_cut, bits, rows, items),   \
     &NAME(tile_merge, bits, rows, items), \
     &NAME(tile_join, bits, rows, items)},

/* clang-format off */
PROGRAMS(DECLARE)

static const struct program {
    int bits, rows, items;
    const struct simt_kernel *sort, *cut, *merge, *join;
} programs[] = {PROGRAMS(ROW)};
/* clang-format on */

static const enum kind kinds[] = {EQUAL,  GREATEST, FEW,      RANDOM,
                                  SORTED, REVERSED, IDENTICAL};

enum { MOST_KEYS = 1 << 15 };

static uint64_t *keys;

/* A key and where it was. */
struct origin {
    uint64_t key;
    uint64_t place;
};

static int compare(const void *a, const void *b)
{
    const struct origin *const x = a;
    const struct origin *const y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

/* What a launch is given, and what it gave. */
struct pass {
    const struct program *program;
    uint64_t tile;
    size_t size;
    uint64_t count;
    void *in, *out, *samples, *out_samples;
    unsigned short *places;
};

static struct pass pass_of(struct fixture *f, const struct program *p, uint64_t count)
{
    const size_t size = (size_t)p->bits / 8;

    return (struct pass){.program = p,
                         .tile = (uint64_t)p->rows * (uint64_t)p->items,
                         .size = size,
                         .count = count,
                         .in = device_keys(f, keys, count, p->bits),
                         .out = fixture_array(f, count * size),
                         .samples = device_samples(f, keys, count, p->bits),
                         .out_samples =
                             fixture_array(f, divide_up(count, TILE_SAMPLE) * size),
                         .places = fixture_array(f, count * sizeof(short))};
}

static int launch(struct fixture *f, const struct simt_kernel *kernel, uint64_t blocks,
                  int threads, size_t shared, const void *args, size_t args_bytes)
{
    if (fixture_run(f, kernel, blocks, (uint32_t)threads, shared, args, args_bytes) ==
        MW_OK)
        return 1;
    tap_note("%s", f->error.text);
    return 0;
}

/* Do these, stably sorted, stand at `first` of the result? */
static int result_is(const struct pass *pass, uint64_t first, struct origin *expected,
                     uint64_t count)
{
    const size_t size = pass->size;
    int right = 1;

    qsort(expected, count, sizeof *expected, compare);
    for (uint64_t i = 0; right && i < count; i++) {
        const uint64_t at = first + i;
        const uint64_t *const key = &expected[i].key;

        right =
            pass->places[at] == expected[i].place &&
            memcmp((char *)pass->out + at * size, key, size) == 0 &&
            (at % TILE_SAMPLE != 0 ||
             memcmp((char *)pass->out_samples + at / TILE_SAMPLE * size, key, size) == 0);
        if (!right)
            tap_note("key %llu has place %u, not %llu, or is another", (wide)at,
                     pass->places[at], (wide)expected[i].place);
    }
    return right;
}

/* Two tiles, the last of which has `less` keys fewer: a stable sort of each? */
static int tiles_sorted(struct fixture *f, const struct program *p, enum kind kind,
                        uint64_t less)
{
    const uint64_t tile = (uint64_t)p->rows * (uint64_t)p->items;
    const uint64_t count = 2 * tile - less;
    struct origin *const expected = malloc(tile * sizeof *expected);
    struct pass pass;
    int passed;

    for (uint64_t i = 0; i < count; i++)
        keys[i] = key_of(kind, p->bits, 0, 1, i);
    pass = pass_of(f, p, count);
    const struct tile_sort_args args = {.in = pass.in,
                                        .out = pass.out,
                                        .samples = pass.out_samples,
                                        .count = count,
                                        .places = pass.places};

    passed = launch(
        f, p->sort, divide_up(count, tile), p->rows,
        TILE_SORT_SHARED((size_t)p->rows, (size_t)p->items, TILE_PLACED_BYTES(pass.size)),
        &args, sizeof args);
    for (uint64_t first = 0; first < count && passed; first += tile) {
        const uint64_t length = count - first < tile ? count - first : tile;

        for (uint64_t i = 0; i < length; i++)
            expected[i] = (struct origin){keys[first + i], i};
        passed = result_is(&pass, first, expected, length);
    }
    fixture_clear(f);
    free(expected);
    return passed;
}

/* Is tile `number`, which begins at `*first`, the stable merge of its parts of lists? */
static int tile_merged(const struct pass *pass, const struct tile_round *r, uint64_t number,
                       uint64_t *first)
{
    const uint64_t ways = (uint64_t)r->ways;
    const uint64_t group = number / r->pieces;
    const wide *const from =
        r->cuts + (group * (r->pieces + 1) + number % r->pieces) * ways;
    struct origin *const expected = malloc(pass->tile * sizeof *expected);
    uint64_t count = 0;
    int passed = 1;

    for (uint64_t list = 0; list < ways; list++) {
        const uint64_t *const at = keys + (group * ways + list) * r->run;

        for (uint64_t i = (unsigned)from[list]; i < (unsigned)from[ways + list]; i++) {
            if (count < pass->tile)
                expected[count] = (struct origin){at[i], count};
            passed &= count++ < pass->tile;
        }
    }
    passed = passed && result_is(pass, *first, expected, count);
    *first += count;
    free(expected);
    return passed;
}

/* Two tiles and more a group; the last group is short, and so is its last list. */
static int runs_merged(struct fixture *f, const struct program *p, enum kind kind, int ways,
                       int join)
{
    const uint64_t tile = (uint64_t)p->rows * (uint64_t)p->items;
    const uint64_t run = round_up(divide_up(tile * 9 / 4, (uint64_t)ways), TILE_SAMPLE);
    const uint64_t group = run * (uint64_t)ways;
    const uint64_t count = group + group / 3 + 7;
    struct tile_round r = {.count = count,
                           .run = run,
                           .piece = tile - 2 * (uint64_t)TILE_SLACK((int)tile) -
                                    (uint64_t)(ways / 2 * (p->items - 1)),
                           .groups = 2,
                           .number = 1,
                           .ways = ways};
    struct tile_merge_args args;
    struct pass pass;
    uint64_t first = 0;
    int passed;

    fill_lists(keys, kind, p->bits, count, run, ways);
    pass = pass_of(f, p, count);
    r.pieces = (unsigned)divide_up(group, r.piece);
    r.in = pass.in;
    r.out = pass.out;
    r.samples = pass.samples;
    r.out_samples = pass.out_samples;
    r.cuts = fixture_array(f, 2 * (r.pieces + 1) * (uint64_t)ways * sizeof(wide));
    const struct tile_cut_args cut_args = {.round = r};

    args = (struct tile_merge_args){.round = r, .places = pass.places};
    if (join) /* it finds the cuts itself */
        args.round.cuts = NULL;
    passed = launch(f, p->cut, divide_up(2 * (r.pieces + 1), tile_cut_threads / 32),
                    tile_cut_threads, 0, &cut_args, sizeof cut_args) &&
             launch(f, join ? p->join : p->merge, 2 * r.pieces, p->rows,
                    TILE_MERGE_SHARED((size_t)p->rows, (size_t)p->items,
                                      TILE_PLACED_BYTES(pass.size)),
                    &args, sizeof args);
    for (uint64_t i = 0; passed && i < 2 * r.pieces; i++)
        passed = tile_merged(&pass, &r, i, &first);
    fixture_clear(f);
    return passed && first == count;
}

void test_tile_places(struct tap *tap, struct fixture *f)
{
    keys = malloc(MOST_KEYS * sizeof *keys);
    for (size_t i = 0; i < COUNT_OF(programs) * COUNT_OF(kinds); i++) {
        const struct program *const p = &programs[i / COUNT_OF(kinds)];
        const enum kind kind = kinds[i % COUNT_OF(kinds)];
        const uint64_t tile = (uint64_t)p->rows * (uint64_t)p->items;
        const uint64_t lesses[] = {0, 1, 33, tile - 1, tile + 5};
        int passed = 1;

        for (size_t j = 0; j < COUNT_OF(lesses); j++)
            passed &= tiles_sorted(f, p, kind, lesses[j]);
        tap_case(tap, passed, "%d bits, %d x %d, %s, sorted", p->bits, p->rows, p->items,
                 kind_names[kind]);
        for (int ways = 2; ways <= TILE_MOST_WAYS; ways *= 2)
            tap_case(tap,
                     runs_merged(f, p, kind, ways, 0) && runs_merged(f, p, kind, ways, 1),
                     "%d bits, %d x %d, %s, %d ways", p->bits, p->rows, p->items,
                     kind_names[kind], ways);
    }
    free(keys);
}
