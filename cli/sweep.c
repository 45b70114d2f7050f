/*
 * sweep.c - many tunings of one sort, each timed once.
 */
#include "sweep.h"

#include "cli.h"
#include "device.h"
#include "options.h"
#include "table.h"

#include <math.h>
#include <stddef.h>

static const char columns[] =
    "engine:0 type:0 count:0 ways:4 warps:7 threads:7 items:5 base:6 "
    "rounds:6 median_ms:10 mean_ms:10 min_ms:10 max_ms:10 gkeys_s:8 ratio:6";

void sweep_head(FILE *to, int tsv)
{
    struct report report = {tsv ? REPORT_TSV : REPORT_TEXT, {.to = to}};

    table_open(&report, NULL, columns);
}

static void print_row(const struct sweep *sweep, const struct sweep_row *row)
{
    const struct times *const times = &row->times;
    const mw_tuning *const t = &row->used;
    const uint64_t count = sweep->trials->count;
    const double median = times->median > 0 ? times->median : INFINITY;
    struct report reports[] = {
        {REPORT_TEXT, {.to = stdout}    },
        {REPORT_TSV,  {.to = sweep->tsv}}
    };

    for (int i = 0; i < (sweep->tsv ? 2 : 1); i++)
        table_row(&((struct table){&reports[i], columns}), TEXT(engine_name(t->engine)),
                  TEXT(mw_type_name(sweep->trials->type)), COUNT(count), COUNT(t->ways),
                  COUNT(t->warps), COUNT(t->threads), COUNT(t->items), COUNT(t->base),
                  COUNT(row->rounds), REAL(times->median), REAL(times->mean),
                  REAL(times->least), REAL(times->most), REAL((double)count / median / 1e6),
                  REAL(sweep->rows[0].times.median / median));
}

/* Did an earlier wish have the same plan? */
static int tried(const struct sweep *sweep, const mw_tuning *used)
{
    for (int i = 0; i < sweep->count; i++) {
        const mw_tuning *const t = &sweep->rows[i].used;

        if (t->engine == used->engine && t->ways == used->ways && t->warps == used->warps &&
            t->threads == used->threads && t->items == used->items && t->base == used->base)
            return 1;
    }
    return 0;
}

int sweep_try(struct sweep *sweep, const mw_tuning *wish)
{
    struct trials *const trials = sweep->trials;
    struct sweep_row *const row = &sweep->rows[sweep->count];
    int result = TRIALS_CANNOT;
    mw_plan plan;
    const mw_status status =
        sort_plan(trials->context, wish, trials->type, trials->count, &plan);
    const mw_tuning *const used = &plan.tuning;

    if (status != MW_OK && status != MW_UNSUPPORTED)
        return complain(trials->command, "%s", device_error(trials->context, status));
    if (status == MW_OK) {
        if (sweep->count == SWEEP_MOST || tried(sweep, used))
            return EXIT_FINE;
        result = trials_run(trials, wish, &row->times);
    }
    if (result == TRIALS_CANNOT) {
        if (sweep->left_out++ == 0)
            snprintf(sweep->why, sizeof sweep->why, "%s", mw_error(trials->context));
        return EXIT_FINE;
    }
    if (result == EXIT_NO)
        complain(trials->command,
                 "the result is wrong: engine %s, ways %u, warps %u, threads %u, items %u, "
                 "base %u",
                 engine_name(used->engine), used->ways, used->warps, used->threads,
                 used->items, used->base);
    if (result != EXIT_FINE)
        return result;
    row->wish = *wish;
    row->used = *used;
    row->rounds = plan.rounds;
    sweep->count++;
    print_row(sweep, row);
    return EXIT_FINE;
}

/* Values of one field of a tuning; each list ends with 0. */
struct axis {
    size_t field;
    int per_processor; /* values are multiplied by the number of processors */
    uint32_t all[14];
    uint32_t quick[14]; /* if it has any */
};

/* clang-format off */
#define FIELD(name) offsetof(mw_tuning, name)
static const struct axis threads_items_ways[] = {
    {FIELD(threads), 0, {64, 128, 256, 512},              {128, 256}},
    {FIELD(items),   0, {8, 16, 32},                      {16, 32}},
    {FIELD(ways),    0, {32, 16, 8, 4},                   {32, 8}},
}, ways_warps[] = {
    {FIELD(ways),    0, {2, 4, 8, 16, 32},                {0}},
    {FIELD(warps),   1, {16, 24, 32, 40, 48, 64, 96},     {16, 32, 64}},
}, base_threads[] = {
    {FIELD(base),    0, {1024, 2048, 4096, 8192, 16384},  {0}},
    {FIELD(threads), 0, {64, 128, 256},                   {0}},
}, paper_few[] = {
    {FIELD(ways),    0, {2, 4, 8, 16, 32},                {0}},
    {FIELD(warps),   0, {60, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000, 2000, 4000},
     {60, 250, 1000}},
}, paper_many[] = {
    {FIELD(ways),    0, {2, 4, 8, 16, 32},                {0}},
    {FIELD(warps),   1, {16, 32, 48, 64, 96},             {0}},
};
#undef FIELD
/* clang-format on */

/* Try all combinations; a field that is not 0 keeps its value. */
static int try_all(struct sweep *sweep, mw_tuning wish, const struct axis *axes, int count)
{
    const uint32_t *value;
    uint32_t *field;
    int result = EXIT_FINE;

    if (count == 0)
        return sweep_try(sweep, &wish);
    field = (uint32_t *)((char *)&wish + axes->field);
    if (*field)
        return try_all(sweep, wish, axes + 1, count - 1);
    value = sweep->quick && *axes->quick ? axes->quick : axes->all;
    for (; *value && result == EXIT_FINE; value++) {
        *field = *value * (axes->per_processor ? sweep->processors : 1);
        result = try_all(sweep, wish, axes + 1, count - 1);
    }
    return result;
}

/* Engine heap: base and threads for the fastest of all ways and warps. */
int sweep_engine(struct sweep *sweep)
{
    mw_tuning wish = sweep->only;
    int result;

    if (wish.engine == MW_ENGINE_TILE)
        return try_all(sweep, wish, threads_items_ways, 3);
    result = try_all(sweep, wish, ways_warps, 2);
    if (result != EXIT_FINE)
        return result;
    if (!wish.ways)
        wish.ways = sweep_best(sweep, 0)->wish.ways;
    if (!wish.warps)
        wish.warps = sweep_best(sweep, 0)->wish.warps;
    return try_all(sweep, wish, base_threads, 2);
}

int sweep_paper(struct sweep *sweep)
{
    const int result = try_all(sweep, sweep->only, paper_few, 2);

    return result == EXIT_FINE ? try_all(sweep, sweep->only, paper_many, 2) : result;
}

const struct sweep_row *sweep_best(const struct sweep *sweep, uint32_t ways)
{
    const struct sweep_row *best = NULL;

    for (int i = 0; i < sweep->count; i++) {
        const struct sweep_row *const row = &sweep->rows[i];

        if (ways && row->used.ways != ways)
            continue;
        if (!best || row->times.median < best->times.median)
            best = row;
    }
    return best;
}
