/*
 * sweep.c - many tunings of one sort, each timed once.
 */
#include "sweep.h"

#include "cli.h"
#include "device.h"
#include "options.h"
#include "table.h"

#include <math.h>

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

enum trials_result sweep_try(struct sweep *sweep, const mw_tuning *wish)
{
    struct trials *const trials = sweep->trials;
    struct sweep_row *const row = &sweep->rows[sweep->count];
    enum trials_result result = TRIALS_CANNOT;
    mw_plan plan;
    const mw_status status =
        sort_plan(trials->context, wish, trials->type, trials->count, &plan);
    const mw_tuning *const used = &plan.tuning;

    if (status == MW_OK) {
        if (sweep->count == SWEEP_MOST || tried(sweep, used))
            return TRIALS_FINE;
        result = trials_run(trials, wish, &row->times);
    } else if (status != MW_UNSUPPORTED) {
        complain(trials->command, "%s", device_error(trials->context, status));
        return TRIALS_TROUBLE;
    }
    if (result == TRIALS_CANNOT) {
        if (sweep->left_out++ == 0)
            snprintf(sweep->why, sizeof sweep->why, "%s", mw_error(trials->context));
        return TRIALS_FINE;
    }
    if (result == TRIALS_WRONG)
        complain(trials->command,
                 "the result is wrong: engine %s, ways %u, warps %u, threads %u, items %u, "
                 "base %u",
                 engine_name(used->engine), used->ways, used->warps, used->threads,
                 used->items, used->base);
    if (result != TRIALS_FINE)
        return result;
    row->wish = *wish;
    row->used = *used;
    row->rounds = plan.rounds;
    sweep->count++;
    print_row(sweep, row);
    return TRIALS_FINE;
}

/* Values of one field of a tuning, ended by 0; each is multiplied by `times`. */
struct axis {
    uint32_t *field;
    const uint32_t *values;
    uint32_t times;
};

/* Try all combinations; a field that is not 0 keeps its value. */
static enum trials_result try_all(struct sweep *sweep, const mw_tuning *wish,
                                  const struct axis *axes, int count)
{
    enum trials_result result = TRIALS_FINE;

    if (count == 0)
        return sweep_try(sweep, wish);
    if (*axes->field)
        return try_all(sweep, wish, axes + 1, count - 1);
    for (const uint32_t *value = axes->values; *value && result == TRIALS_FINE; value++) {
        *axes->field = *value * axes->times;
        result = try_all(sweep, wish, axes + 1, count - 1);
    }
    *axes->field = 0;
    return result;
}

static const uint32_t all_ways[] = {2, 4, 8, 16, 32, 0};

enum trials_result sweep_tile(struct sweep *sweep)
{
    static const uint32_t threads[2][5] = {
        {64,   128, 256, 512},
        {128, 256   }
    };
    static const uint32_t items[2][4] = {
        {8, 16, 32},
        {16, 32 }
    };
    static const uint32_t ways[2][5] = {
        {32, 16, 8, 4},
        {32, 8  }
    };
    const int quick = sweep->quick;
    mw_tuning wish = sweep->only;
    const struct axis axes[] = {
        {&wish.threads, threads[quick], 1},
        {&wish.items,   items[quick],   1},
        {&wish.ways,    ways[quick],    1}
    };

    return try_all(sweep, &wish, axes, 3);
}

enum trials_result sweep_heap(struct sweep *sweep)
{
    static const uint32_t warps[2][8] = {
        {16,  24, 32, 40, 48, 64, 96},
        {16, 32, 64}
    };
    static const uint32_t bases[] = {1024, 2048, 4096, 8192, 16384, 0};
    static const uint32_t threads[] = {64, 128, 256, 0};
    mw_tuning wish = sweep->only;
    const struct axis axes[] = {
        {&wish.ways,    all_ways,            1                },
        {&wish.warps,   warps[sweep->quick], sweep->processors},
        {&wish.base,    bases,               1                },
        {&wish.threads, threads,             1                }
    };
    enum trials_result result = try_all(sweep, &wish, axes, 2);

    if (result != TRIALS_FINE)
        return result;
    if (!wish.ways)
        wish.ways = sweep_best(sweep, 0)->wish.ways;
    if (!wish.warps)
        wish.warps = sweep_best(sweep, 0)->wish.warps;
    return try_all(sweep, &wish, axes + 2, 2);
}

enum trials_result sweep_paper(struct sweep *sweep)
{
    static const uint32_t warps[2][14] = {
        {60,   100, 200, 300, 400, 500, 600, 700, 800, 900, 1000, 2000, 4000},
        {60, 250, 1000}
    };
    static const uint32_t per_processor[] = {16, 32, 48, 64, 96, 0};
    mw_tuning wish = sweep->only;
    const struct axis few[] = {
        {&wish.ways,  all_ways,            1},
        {&wish.warps, warps[sweep->quick], 1}
    };
    const struct axis many[] = {
        {&wish.ways,  all_ways,      1                },
        {&wish.warps, per_processor, sweep->processors}
    };
    const enum trials_result result = try_all(sweep, &wish, few, 2);

    return result == TRIALS_FINE ? try_all(sweep, &wish, many, 2) : result;
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
