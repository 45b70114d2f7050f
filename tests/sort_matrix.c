/*
 * sort_matrix.c - every type, shape, awkward count and tuning on one device.
 *
 *   sort_matrix cpu|sim|cuda [percent]
 *
 * The whole product would take days; the cases cover every pair of values
 * instead. Each result is in order, has the fingerprint of the input, and is
 * byte for byte what the CPU makes of the same input. `percent` runs that part of
 * the cases, evenly spread, where a sanitizer makes them slow.
 */
#include "claim.h"
#include "tile_rows.h"

#include <stdlib.h>

/* clang-format off */
enum parameter { TYPE, DIRECTION, SHAPE, COUNT, ENGINE, WAYS, WARPS, THREADS, BASE, MEMORY,
                 PARAMETERS };
/* clang-format on */

enum { CPU = 1, SIM = 2, CUDA = 4, ALL = 7 };

static const mw_engine all_engines[] = {MW_ENGINE_AUTO, MW_ENGINE_HEAP, MW_ENGINE_TILE,
                                        MW_ENGINE_PAIR, MW_ENGINE_TALLY};
static const uint32_t all_ways[] = {0, 2, 4, 8, 16, 32};
static const uint32_t all_warps[] = {0, 1, 7, 100};
static const uint32_t all_threads[] = {0, 32, 96, 256};
static const uint32_t all_bases[] = {0, 1024, 2048, 4096, 8192, 16384};

/* clang-format off */
/* A count: keys, plus bases, plus groups of `ways` bases. */
static const struct count_row {
    int devices;
    int64_t keys, bases, groups;
} count_rows[] = {
    {ALL, 0, 0, 0}, {ALL, 1, 0, 0}, {ALL, 2, 0, 0}, {ALL, 31, 0, 0}, {ALL, 32, 0, 0},
    {ALL, 33, 0, 0}, {ALL, 1023, 0, 0}, {ALL, 1024, 0, 0}, {ALL, 1025, 0, 0},
    {ALL, 4093, 0, 0}, {ALL, 65521, 0, 0}, /* primes */
    {SIM | CUDA, -1, 1, 0}, {SIM | CUDA, 1, 1, 0}, {SIM | CUDA, 5, 9, 0},
    {SIM | CUDA, -1, 0, 1}, {SIM | CUDA, 0, 0, 1}, {SIM | CUDA, 1, 0, 1},
    {SIM | CUDA, 33, 1, 2}, /* two groups and a short one */
    {CPU | CUDA, (1 << 17) + 1, 0, 0}, {CPU | CUDA, 1000003, 0, 0},
    {CPU | CUDA, 1 << 20, 0, 0}, {CUDA, (1 << 22) - 1, 0, 0}, {CUDA, 10000019, 0, 0},
    {CUDA, 1 << 24, 0, 0},
};
/* clang-format on */

/* One device's part: its handle, its shapes, its limit. */
struct matrix {
    const char *name;
    int device;
    uint64_t most; /* keys */
    mw_context *context;
    mw_context *judge; /* on the CPU */
    char shapes[MOST_SHAPES][SHAPE_TEXT];
};

/* The n-th row of the device, or NULL. */
static const struct count_row *count_row(int device, int n)
{
    for (size_t i = 0; i < COUNT_OF(count_rows); i++) {
        if (count_rows[i].devices & device && n-- == 0)
            return &count_rows[i];
    }
    return NULL;
}

/*
 * Engine pair leaves no choice of a base. A count beyond what the device has time for
 * becomes an odd one just below that.
 */
static uint64_t count_of(const struct matrix *m, const struct count_row *row,
                         const struct trial *t)
{
    const mw_tuning *const tuning = &t->tuning;
    const int64_t pair = mw_type_size(t->type) == 8 ? 2048 : 4352;
    const int64_t base = tuning->engine == MW_ENGINE_PAIR ? pair
                         : tuning->engine == MW_ENGINE_TILE
                             ? tuning->threads * tuning->items
                             : tuning->base;
    const int64_t ways = tuning->ways ? tuning->ways : 8;
    const uint64_t count =
        (uint64_t)(row->keys + (base ? base : 1024) * (row->bases + ways * row->groups));

    return count <= m->most ? count : m->most - count % 1021;
}

static struct trial trial_of(const struct matrix *m, const int *values, int number)
{
    struct trial t = {.type = (mw_type)values[TYPE],
                      .direction = (mw_direction)values[DIRECTION],
                      .shape = m->shapes[values[SHAPE]],
                      .seed = (uint64_t)number,
                      .tuning = MW_TUNING_INIT,
                      .device_memory = values[MEMORY]};

    t.tuning.engine = all_engines[values[ENGINE]];
    t.tuning.ways = all_ways[values[WAYS]];
    t.tuning.warps = all_warps[values[WARPS]];
    t.tuning.threads = all_threads[values[THREADS]];
    t.tuning.base = all_bases[values[BASE]];
    tile_fit(&t.tuning, mw_type_size(t.type), values[BASE] - 1);
    t.count = count_of(m, count_row(m->device, values[COUNT]), &t);
    return t;
}

/* Sort on the device and on the CPU, with the memory of the other kind there. */
static void run_trial(struct tap *tap, struct matrix *m, struct trial t)
{
    struct trial other_trial = t;
    struct outcome ours;
    struct outcome other = {.keys = NULL};
    char text[TRIAL_TEXT];
    int passed = trial_run(m->context, &t, &ours);

    trial_text(&t, text);
    other_trial.device_memory = !t.device_memory && m->device == CPU;
    if (passed) {
        passed = trial_run(m->judge, &other_trial, &other) &&
                 memcmp(ours.keys, other.keys, t.count * mw_type_size(t.type)) == 0;
        if (!passed)
            tap_note("the CPU has other bytes: %s", other.why);
    } else {
        tap_note("%s", ours.why);
    }
    if (ours.status == MW_UNSUPPORTED && m->device == CUDA)
        tap_skip(tap, text, ours.why);
    else
        tap_ok(tap, passed, m->name, text);
    trial_close(&other);
    trial_close(&ours);
}

/* The CPU ignores the tuning, so one value of each field is enough. */
static void run_matrix(struct tap *tap, struct matrix *m, int percent)
{
    const int tuned = m->device != CPU;
    int values[PARAMETERS] = {
        [TYPE] = MW_TYPE_COUNT,
        [DIRECTION] = 2,
        [SHAPE] = trial_shapes(m->shapes, m->device == SIM ? 2 : 1),
        [ENGINE] = tuned ? (int)COUNT_OF(all_engines) : 1,
        [WAYS] = tuned ? (int)COUNT_OF(all_ways) : 1,
        [WARPS] = tuned ? (int)COUNT_OF(all_warps) : 1,
        [THREADS] = tuned ? (int)COUNT_OF(all_threads) : 1,
        [BASE] = tuned ? (int)COUNT_OF(all_bases) : 1,
        [MEMORY] = 2,
    };
    struct cover cover;
    int run = 0;

    while (count_row(m->device, values[COUNT]))
        values[COUNT]++;
    tap_ok(tap, cover_open(&cover, PARAMETERS, values) == 0, m->name,
           "every pair of values has a case");
    for (int i = 0; i < cover.count; i++) {
        const int *const chosen = cover.cases + i * PARAMETERS;

        if (!claim_chosen(i, percent))
            continue;
        run_trial(tap, m, trial_of(m, chosen, i));
        run++;
    }
    tap_note("%d cases cover every pair; %d were run", cover.count, run);
    cover_close(&cover);
}

/*
 * Beyond every cache, and more runs than one merge of the CPU takes; on the
 * simulator, lists of many samples.
 */
static void run_large(struct tap *tap, struct matrix *m)
{
    static const struct {
        int devices;
        mw_type type;
        mw_direction direction;
        const char *shape;
        uint64_t count;
    } rows[] = {
        {CPU | CUDA, MW_U32, MW_ASCENDING,  "random",         20000003},
        {CPU | CUDA, MW_F32, MW_DESCENDING, "few:1000",       8000000 },
        {CPU | CUDA, MW_F64, MW_ASCENDING,  "specials",       4500011 },
        {CPU | CUDA, MW_I64, MW_DESCENDING, "interleaved:7",  4500000 },
        {CPU | CUDA, MW_U16, MW_ASCENDING,  "random",         5000003 },
        {CPU | CUDA, MW_I8,  MW_DESCENDING, "organ",          3000003 },
        {CUDA,       MW_I32, MW_ASCENDING,  "random",         70000001},
        {CUDA,       MW_F64, MW_DESCENDING, "random",         40000003},
        {SIM | CUDA, MW_U32, MW_ASCENDING,  "random",         700011  },
        {SIM | CUDA, MW_F64, MW_DESCENDING, "sawtooth:65536", 300001  },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        if (rows[i].devices & m->device)
            run_trial(tap, m,
                      (struct trial){.type = rows[i].type,
                                     .direction = rows[i].direction,
                                     .shape = rows[i].shape,
                                     .count = rows[i].count,
                                     .tuning = MW_TUNING_INIT});
    }
}

/* Engine deal: all shapes; and the simulator tells that they are dealt. */
static void run_dealt(struct tap *tap, struct matrix *m)
{
    static const mw_type types[] = {MW_U32, MW_F64, MW_I64, MW_F32};
    const int shapes = trial_shapes(m->shapes, MOST_SHAPES);

    mw_set_timing(m->context, m->device == SIM ? MW_TIMING_LAUNCHES : MW_TIMING_OFF);
    for (int i = 0; i < shapes; i++) {
        struct trial t = {.type = types[i % COUNT_OF(types)],
                          .direction = i / 4 % 2 ? MW_DESCENDING : MW_ASCENDING,
                          .shape = m->shapes[i],
                          .count = m->device == SIM ? 99013 : 3000017,
                          .tuning = MW_TUNING_INIT};

        t.tuning.engine = MW_ENGINE_DEAL;
        run_trial(tap, m, t);
        if (m->device == SIM)
            tap_ok(tap, trial_dealt(m->context), "dealt", t.shape);
    }
    mw_set_timing(m->context, MW_TIMING_OFF);
}

int main(int argc, char **argv)
{
    static const struct matrix rows[] = {
        {.name = "cpu:3", .device = CPU,  .most = 1 << 20},
        {.name = "sim",   .device = SIM,  .most = 70000  },
        {.name = "cuda",  .device = CUDA, .most = 1 << 24},
    };
    const int percent = argc > 2 ? atoi(argv[2]) : 100;
    struct tap tap = {0, 0};

    for (size_t i = 0; i < COUNT_OF(rows) && argc > 1; i++) {
        struct matrix m = rows[i];

        if (strncmp(m.name, argv[1], 3) != 0)
            continue;
        m.context = trial_open(&tap, m.name);
        m.judge = trial_open(&tap, "cpu:2");
        if (m.context && m.judge) {
            run_matrix(&tap, &m, percent);
            run_large(&tap, &m);
            if (m.device != CPU)
                run_dealt(&tap, &m);
        }
        mw_close(m.judge);
        mw_close(m.context);
    }
    return tap_end(&tap);
}
