/*
 * tile_rounds.c - whole sorts by engine tile, run from plans that the test changes.
 *
 * Rounds may be joined (tile_join: each block finds the cuts of its own tile) or not
 * (tile_merge), and cuts may be found by launches of their own: what comes out is the
 * same, whatever the plan chose. The program for 2^32 keys and more sorts few keys, too.
 *
 * NaNs with the sign set are translated in a way of their own (tile_code.cuh): quickly,
 * and mended where a thread finds any. So they turn up alone in every register of a
 * thread, in all of its registers, and among other NaNs and infinities, in whole and in
 * short tiles, sorted in one pass and merged.
 */
#include "keys.h"
#include "passes.h"
#include "plan_parts.h"

#include "reference.h"
#include "tile_rows.h"

enum { TILE = 2048, MOST_KEYS = 1 << 18 };

/* One sort: its keys as they come, and as they should be. */
struct sorting {
    mw_type type;
    mw_direction direction;
    size_t size;
    uint64_t count;
    char *keys;
    char *expected;
    struct item *items;
};

/* How a plan's rounds are merged. */
enum manner { AS_PLANNED, NONE_JOINED, IN_PHASES, ALL_JOINED, MANNERS, LARGE };

static const char *const manner_names[MANNERS] = {"as planned", "none joined", "in phases",
                                                  "all joined"};

static void expect(struct sorting *s)
{
    memcpy(s->expected, s->keys, s->count * s->size);
    reference_sort(s->type, s->direction, s->expected, s->count, s->items);
}

/* Let a round by ranks merge, in pieces that fit tiles. */
static void merge_instead(const struct plan *plan, struct plan_round *r, uint64_t count)
{
    const struct tile_geometry *const tile = &plan->program.tile;
    const int keys = (int)(tile->rows * tile->items);

    if (!r->ranked)
        return;
    r->ranked = 0;
    r->pieces = r->blocks = divide_up(
        count, plan_tile_piece(tile, r->ways, TILE_SLACK(keys, (int)tile->items)));
    r->piece = divide_up(count, r->pieces);
    r->cutters = r->ahead = divide_up(r->pieces + 1, tile->rows / WARP);
}

/* Plan the sort, change the plan's rounds, and run it on the fixture's device. */
static int sorts(struct fixture *f, const struct sorting *s, uint32_t ways,
                 uint32_t threads, uint32_t items, enum manner manner)
{
    const mw_tuning wish = {sizeof wish, MW_ENGINE_TILE, ways, 0, threads, items, 0};
    const struct code code = type_code(type_row(s->type), s->direction);
    const struct plan_keys of = {.size = s->size, .large = manner == LARGE};
    struct device *const device = f->device;
    struct pass_log log = {.phases = manner == IN_PHASES};
    uint32_t launches = 1;
    struct program *program;
    struct plan plan;
    void *keys;
    mw_status status;

    TRY(plan_make(&plan, &wish, &device->info, of, s->count, &f->error));
    for (uint32_t i = 0; i < plan.rounds; i++) {
        if (manner != AS_PLANNED) {
            merge_instead(&plan, &plan.round[i], s->count);
            plan.round[i].joined = manner == ALL_JOINED;
        }
        launches += log.phases ? 2 : 1;
    }
    if (manner != AS_PLANNED)
        plan_workspace(&plan, of, s->count);
    TRY(device->verbs->load(device, &plan.program, kernels_of(MW_ENGINE_TILE), &program));
    keys = fixture_array(f, plan.key_bytes);
    memcpy(keys, s->keys, plan.key_bytes);
    TRY(passes_sort(device, program, &plan, code, keys, s->count,
                    fixture_array(f, plan.workspace_bytes), NULL, &log));
    if (memcmp(keys, s->expected, plan.key_bytes) != 0 || log.count != launches)
        status = fail(&f->error, MW_DEVICE_FAILED, "not sorted, or %u launches, not %u",
                      log.count, launches);
done:
    if (status != MW_OK)
        tap_note("%llu keys: %s", (wide)s->count, f->error.text);
    pass_log_close(device, &log);
    fixture_clear(f);
    return status == MW_OK;
}

static void test_manners(struct tap *tap, struct fixture *f, struct sorting *s)
{
    /* Types and tiles of 2048 keys that the simulator has for them. */
    static const struct {
        mw_type type;
        mw_direction direction;
        uint32_t threads;
        uint32_t items;
    } programs[] = {
        {MW_U16, MW_ASCENDING,  256, 8 },
        {MW_I32, MW_DESCENDING, 64,  32},
        {MW_I64, MW_ASCENDING,  64,  32},
    };
    /* Tiles, plus some keys: few, and some more than a plan joins. */
    static const struct {
        uint64_t tiles;
        int64_t keys;
        uint32_t ways;
        const char *shape;
    } inputs[] = {
        {2,  1,   2,  "random"        },
        {3,  -31, 32, "few:2"         },
        {9,  5,   4,  "specials"      },
        {17, 0,   16, "organ"         },
        {33, -1,  32, "blocks:333"    },
        {70, 7,   8,  "interleaved:32"},
    };

    for (size_t i = 0; i < COUNT_OF(programs) * COUNT_OF(inputs); i++) {
        const size_t p = i % COUNT_OF(programs);
        const size_t in = i / COUNT_OF(programs);
        int passed;

        s->type = programs[p].type;
        s->direction = programs[p].direction;
        s->size = mw_type_size(s->type);
        s->count = TILE * inputs[in].tiles + (uint64_t)inputs[in].keys;
        passed = kit_fill(s->type, inputs[in].shape, 1 + p, s->keys, s->count) == MW_OK;
        expect(s);
        for (int manner = 0; manner < MANNERS; manner++)
            tap_case(tap,
                     passed && sorts(f, s, inputs[in].ways, programs[p].threads,
                                     programs[p].items, (enum manner)manner),
                     "%llu %s %s, %u ways, %s", (wide)s->count, mw_type_name(s->type),
                     inputs[in].shape, inputs[in].ways, manner_names[manner]);
    }
}

/* The rounds are not joined, as those of many keys: cuts are found ahead. */
static void test_large(struct tap *tap, struct fixture *f, struct sorting *s)
{
    static const struct {
        mw_type type;
        uint32_t threads;
        uint32_t items;
        uint32_t ways;
        uint64_t count;
        const char *shape;
    } rows[] = {
        {MW_I32, 128, 32, 16, 17 * 4096 + 5,  "random"    },
        {MW_U32, 128, 32, 4,  9 * 4096 - 1,   "few:2"     },
        {MW_F32, 256, 32, 8,  9 * 8192 + 31,  "organ"     },
        {MW_I64, 128, 16, 8,  40 * 2048 + 7,  "blocks:333"},
        {MW_F64, 256, 16, 16, 17 * 4096 + 1,  "specials"  },
        {MW_U64, 128, 16, 32, 33 * 2048 + 77, "swaps:99"  },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        s->type = rows[i].type;
        s->direction = (mw_direction)(i % 2);
        s->size = mw_type_size(s->type);
        s->count = rows[i].count;

        const int filled =
            kit_fill(s->type, rows[i].shape, 1 + i, s->keys, s->count) == MW_OK;

        expect(s);
        tap_case(tap,
                 filled && sorts(f, s, rows[i].ways, rows[i].threads, rows[i].items, LARGE),
                 "%llu %s %s, %u ways, by the large program", (wide)s->count,
                 mw_type_name(s->type), rows[i].shape, rows[i].ways);
    }
}

enum nans { ONE_A_THREAD, MIXED, EVERY_OTHER_THREAD, NANS };

/* The bits of key i: thread t of a tile begins with keys t, t + rows, t + 2 rows ... */
static uint64_t float_of(const struct tile_geometry *g, mw_type type, enum nans nans,
                         uint64_t i)
{
    const uint64_t sign = UINT64_C(1) << (type == MW_F32 ? 31 : 63);
    const uint64_t infinity = type == MW_F32 ? 0x7f800000 : UINT64_C(0x7ff0000000000000);
    const uint64_t some = infinity + 1 + kit_mix(i) % 1000;
    const uint64_t nan = sign | (i % 3 == 0 ? infinity + 1 : i % 3 == 1 ? sign - 1 : some);
    const uint64_t number = kit_mix(i) % infinity | (kit_mix(~i) & sign);
    const uint64_t thread = i % g->rows;
    const uint64_t place = (i / g->rows + thread) % g->items;
    const uint64_t mixed[] = {nan, nan, nan & ~sign, sign | infinity, infinity};

    if (nans == ONE_A_THREAD) /* in each in another register */
        return place == 0 ? nan : number;
    if (nans == MIXED)
        return place < COUNT_OF(mixed) ? mixed[place] : number;
    return thread % 2 ? nan : number;
}

/* All tiles for the type; one tile and tiles to be merged, whole and short. */
static void test_nans(struct tap *tap, struct fixture *f, struct sorting *s, mw_type type)
{
    const struct tile_geometry *g;

    s->type = type;
    s->size = mw_type_size(type);
    for (int n = 0; (g = tile_of_size(s->size, n)); n++) {
        const uint64_t tile = (uint64_t)g->rows * g->items;
        const uint64_t counts[] = {33, tile - g->rows - 1, tile, tile + 1, 3 * tile - 100};
        int passed = 1;

        for (size_t i = 0; passed && i < 2 * NANS * COUNT_OF(counts); i++) {
            s->direction = (mw_direction)(i % 2);
            s->count = counts[i / 2 % COUNT_OF(counts)];
            for (uint64_t k = 0; k < s->count; k++) {
                const enum nans nans = (enum nans)(i / 2 / COUNT_OF(counts));
                const uint64_t bits = float_of(g, type, nans, k);

                memcpy(s->keys + k * s->size, &bits, s->size); /* little-endian */
            }
            expect(s);
            passed = sorts(f, s, 0, g->rows, g->items, AS_PLANNED);
        }
        tap_case(tap, passed, "%s, %u x %u, NaNs in all registers and among others",
                 mw_type_name(type), g->rows, g->items);
    }
}

void test_tile_rounds(struct tap *tap, struct fixture *f)
{
    struct sorting s = {.keys = malloc(MOST_KEYS * sizeof(uint64_t)),
                        .expected = malloc(MOST_KEYS * sizeof(uint64_t)),
                        .items = malloc(2 * MOST_KEYS * sizeof(struct item))};

    test_manners(tap, f, &s);
    test_large(tap, f, &s);
    test_nans(tap, f, &s, MW_F32);
    test_nans(tap, f, &s, MW_F64);
    free(s.items);
    free(s.expected);
    free(s.keys);
}
