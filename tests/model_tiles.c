/*
 * model_tiles.c - what the merges of engine tile read and write, to the last request
 * and sector. The forecast has only bounds for that, since cuts depend on the keys,
 * and no two programs need cut alike. But once the cuts are known, the rest is
 * arithmetic: here they are read from the workspace after a sort of one round. The
 * same round, joined, must move just as much.
 *
 *   model_tiles [percent]
 *
 * `percent` runs so many of the cases only, evenly spread.
 */
#include "backend_device.h"
#include "context.h"
#include "plan_parts.h"

#include "../cli/forecast.h"
#include "tap.h"
#include "tile_rows.h"
#include "trial.h"

#include <stdlib.h>

/* Bulk traffic, worked out. */
struct moved {
    uint64_t reads;
    uint64_t read_sectors;
    uint64_t writes;
    uint64_t write_sectors;
};

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Lines of 32 keys, at multiples of 32, that `count` keys from `first` on lie in. */
static uint64_t lines_of(uint64_t first, uint64_t count)
{
    return (first + count + 31) / 32 - first / 32;
}

static uint64_t sectors_of(uint64_t first, uint64_t count, uint64_t size)
{
    return ((first + count) * size + 31) / 32 - first * size / 32;
}

/*
 * A list's part is loaded in chunks. A warp reads a line of a chunk at a time; a chunk
 * that lies across one line more than it fills has its last line read with its first.
 */
static void add_part(struct moved *moved, const struct plan *plan, uint64_t size,
                     uint64_t first, uint64_t count)
{
    const uint64_t steps = plan->program.tile.items / 2 + 1;

    for (; count > 0;
         first += least(count, 32 * steps), count -= least(count, 32 * steps)) {
        const uint64_t chunk = least(count, 32 * steps);

        moved->reads += least(lines_of(first, chunk), steps);
        moved->read_sectors += sectors_of(first, chunk, size);
    }
}

/* A tile is written by its warps, 32 rows each, a line at a time. */
static void add_tile(struct moved *moved, const struct plan *plan, uint64_t size,
                     uint64_t first, uint64_t count)
{
    while (count > 0) {
        const uint64_t rows = least(count, 32 * plan->program.tile.items);

        moved->writes += lines_of(first, rows);
        moved->write_sectors += sectors_of(first, rows, size);
        first += rows;
        count -= rows;
    }
}

/* The only round's traffic, from its cuts. */
static struct moved moved_by(const struct plan *plan, const wide *cuts, uint64_t size)
{
    const struct plan_round *const round = &plan->round[0];
    struct moved moved = {0, 0, 0, 0};

    for (uint64_t piece = 0; piece < round->pieces; piece++) {
        const wide *const cut = cuts + piece * round->ways; /* counts are below */
        uint64_t first = 0;
        uint64_t count = 0;

        for (uint32_t i = 0; i < round->ways; i++) {
            const unsigned start = (unsigned)cut[i];
            const uint64_t part = (unsigned)cut[round->ways + i] - start;

            add_part(&moved, plan, size, i * round->run + start, part);
            first += start;
            count += part;
        }
        add_tile(&moved, plan, size, first, count);
    }
    return moved;
}

/* Sort `keys` by this plan on the device, in `memory`, to `sorted`. */
static mw_status sort_by(mw_context *context, const struct plan *plan,
                         const struct trial *t, const void *keys, void *sorted,
                         void *const *memory)
{
    struct device *const device = backend_device(context->backend);
    const struct type_row *const row = type_row(t->type);
    const uint64_t bytes = t->count * row->size;
    struct program *program;
    mw_status status;

    TRY(mw_upload(context, memory[0], keys, bytes));
    TRY(device->verbs->load(device, &plan->program, plan->kernels, &program));
    device->verbs->ledger_reset(device);
    TRY(passes_sort(device, program, plan, type_code(row, t->direction), memory[0],
                    t->count, memory[1], NULL, NULL));
    TRY(mw_download(context, sorted, memory[0], bytes));
done:
    return status;
}

/* Is the ledger what the cuts make it? */
static int counts_are(mw_context *context, const struct plan *plan, const struct trial *t,
                      const wide *cuts)
{
    const struct moved moved = moved_by(plan, cuts, mw_type_size(t->type));
    mw_counts counts = MW_COUNTS_INIT;
    const mw_ledger_line *lines;
    struct forecast f;
    size_t line_count;

    if (mw_get_counts(context, &counts) != MW_OK ||
        mw_get_ledger(context, &lines, &line_count) != MW_OK)
        return 0;
    forecast_make(&f, &plan->tuning, mw_type_size(t->type), t->count);
    forecast_count(&f, &counts, lines, line_count);
    if (f.figures[MERGE_READS].counted == moved.reads &&
        f.figures[MERGE_READ_SECTORS].counted == moved.read_sectors &&
        f.figures[MERGE_WRITES].counted == moved.writes &&
        f.figures[MERGE_WRITE_SECTORS].counted == moved.write_sectors)
        return 1;
    tap_note("%llu reads of %llu sectors, %llu writes of %llu, but by the cuts "
             "%llu of %llu and %llu of %llu",
             (unsigned long long)f.figures[MERGE_READS].counted,
             (unsigned long long)f.figures[MERGE_READ_SECTORS].counted,
             (unsigned long long)f.figures[MERGE_WRITES].counted,
             (unsigned long long)f.figures[MERGE_WRITE_SECTORS].counted,
             (unsigned long long)moved.reads, (unsigned long long)moved.read_sectors,
             (unsigned long long)moved.writes, (unsigned long long)moved.write_sectors);
    return 0;
}

/* Merge as planned, joined, and otherwise, which leaves the cuts behind. */
static int both_exact(mw_context *context, struct plan *plan, const struct trial *t,
                      const void *keys, void *sorted, wide *cuts, void *const *memory)
{
    struct plan_round *const round = &plan->round[0];
    const uint64_t cut_bytes = (round->pieces + 1) * round->ways * sizeof *cuts;
    int passed = round->joined;

    for (int joined = 0; passed && joined <= 1; joined++) {
        round->joined = joined;
        plan_workspace(plan, mw_type_size(t->type), t->count);
        passed = sort_by(context, plan, t, keys, sorted, memory) == MW_OK;
        if (passed && !joined)
            passed = mw_download(context, cuts, (char *)memory[1] + plan->cuts_offset,
                                 cut_bytes) == MW_OK;
        passed = passed &&
                 kit_first_disorder(t->type, t->direction, sorted, t->count) == t->count &&
                 counts_are(context, plan, t, cuts);
    }
    return passed;
}

static int traffic_exact(mw_context *context, const struct trial *t)
{
    const size_t size = mw_type_size(t->type);
    void *memory[2] = {NULL, NULL};
    void *const keys = malloc(2 * t->count * size);
    const size_t room = (PLAN_MOST_JOINED + 1) * TILE_MOST_WAYS * sizeof(wide);
    wide *const cuts = malloc(room);
    struct error error;
    struct plan plan;
    const int passed =
        keys != NULL && cuts != NULL &&
        plan_make(&plan, &t->tuning, &context->backend->info, size, t->count, &error) == MW_OK &&
        plan.rounds == 1 && kit_fill(t->type, t->shape, t->seed, keys, t->count) == MW_OK &&
        mw_alloc(context, t->count * size, &memory[0]) == MW_OK &&
        mw_alloc(context, plan.workspace_bytes + room, &memory[1]) == MW_OK &&
        both_exact(context, &plan, t, keys, (char *)keys + t->count * size, cuts, memory);

    mw_free(context, memory[1]);
    mw_free(context, memory[0]);
    free(cuts);
    free(keys);
    return passed;
}

/* Every shape and number of ways, with types and geometries in turn; whole and ragged. */
static void test_tiles(struct tap *tap, mw_context *context, int percent)
{
    static const mw_type types[] = {MW_I32, MW_F64, MW_U8, MW_U16};
    char shape[SHAPE_TEXT];
    int number = 0;

    for (int i = 0; trial_shape(i, shape); i++) {
        for (uint32_t ways = 2; ways <= 32; ways *= 2, number++) {
            struct trial t = {.type = types[number % COUNT_OF(types)],
                              .shape = shape,
                              .seed = (uint64_t)number,
                              .tuning = MW_TUNING_INIT};
            const struct tile_geometry *tile =
                tile_of_size(mw_type_size(t.type), number / 2 % 3);
            char text[TRIAL_TEXT];

            if ((number + 1) * percent / 100 == number * percent / 100)
                continue;
            if (!tile)
                tile = tile_of_size(mw_type_size(t.type), 1);
            t.tuning.engine = MW_ENGINE_TILE;
            t.tuning.ways = ways;
            t.tuning.threads = tile->rows;
            t.tuning.items = tile->items;
            t.count =
                (uint64_t)ways * tile->rows * tile->items - (number % 3 == 2 ? 77 : 0);
            trial_text(&t, text);
            tap_ok(tap, traffic_exact(context, &t), "by the cuts", text);
        }
    }
}

int main(int count, char **error)
{
    const int percent = count > 1 ? atoi(error[1]) : 100;
    struct tap tap = {0, 0};
    mw_context *context;

    tap_ok(&tap, mw_open(&context, "sim", NULL) == MW_OK, "open", "sim");
    if (tap.failed == 0)
        test_tiles(&tap, context, percent);
    mw_close(context);
    return tap_end(&tap);
}
