/*
 * tune.c - `multiway tune`: how to sort fastest on a device, found by trying, and the
 * row of the tuning table that makes it the default.
 */
#define _POSIX_C_SOURCE 200809L /* fdopen, gmtime_r */

#include "cli.h"
#include "device.h"
#include "options.h"
#include "output.h"
#include "sweep.h"

#include <errno.h>
#include <inttypes.h>
#include <time.h>
#include <unistd.h>

static const mw_type sizes[] = {MW_U8, MW_U16, MW_U32, MW_U64}; /* --type all */

enum { SIZES = sizeof sizes / sizeof sizes[0] };

struct tune {
    const char *type; /* "all": one of each size */
    uint64_t count;   /* 0: as suits the device */
    const char *device;
    struct kit_shape shape;
    mw_tuning only; /* fields that are not 0 are not swept */
    int quick;
    int paper;
    const char *tsv;
    const char *commit;
    struct cache_choice cache;
};

/* What one run has open. */
struct run {
    const struct tune *choice;
    mw_context *context;
    mw_info info;
    uint64_t count;
    FILE *tsv;
    char shape[SHAPE_WORDS];
};

static struct trials trials_of(const struct run *run, mw_type type, uint64_t count)
{
    return (struct trials){.command = "tune",
                           .context = run->context,
                           .type = type,
                           .count = count,
                           .shape = run->choice->shape,
                           .seed = 1,
                           .warm_ups = run->choice->quick ? 1 : 2,
                           .trials = run->choice->quick ? 3 : TRIALS_MOST};
}

/* Print the head of a table and make its input. */
static enum trials_result begin_table(const struct run *run, struct trials *trials)
{
    printf("%s (%s%s%s): %" PRIu64 " keys of type %s, %s, engine %s\n", run->info.device,
           run->info.name, *run->info.driver ? ", " : "", run->info.driver, trials->count,
           mw_type_name(trials->type), run->shape, engine_name(run->choice->only.engine));
    sweep_head(stdout, 0);
    return trials_open(trials);
}

/* P9, second part: each number of ways, with its best warps, over other counts. */
static enum trials_result tune_counts(const struct run *run, mw_type type,
                                      const struct sweep *best)
{
    enum trials_result result = TRIALS_FINE;

    for (int step = -6; step <= 4 && result == TRIALS_FINE; step += 2) {
        const uint64_t count = step < 0 ? run->count >> -step : run->count << step;
        struct trials trials = trials_of(run, type, count);
        struct sweep sweep = {.trials = &trials, .tsv = run->tsv};

        if (step == 0 || count == 0)
            continue;
        printf("\n");
        result = begin_table(run, &trials);
        for (uint32_t ways = 2; ways <= 32 && result == TRIALS_FINE; ways *= 2) {
            const struct sweep_row *const row = sweep_best(best, ways);

            if (row)
                result = sweep_try(&sweep, &row->wish);
        }
        trials_close(&trials);
    }
    return result;
}

/* The largest base that the library would choose, which sorts that count in one run. */
static uint32_t largest_base(const struct run *run, mw_type type)
{
    const mw_tuning heap = {.size = sizeof heap, .engine = MW_ENGINE_HEAP};
    uint32_t base = 16384;
    mw_plan plan;

    while (base > 1024 && (sort_plan(run->context, &heap, type, base, &plan) != MW_OK ||
                           plan.tuning.base != base))
        base /= 2;
    return base;
}

/*
 * For engine tile, ways are a limit. Return the highest limit that gives the plan found
 * to be fastest, so that the row does not restrict other counts.
 */
static uint32_t most_ways(const struct run *run, mw_type type, const mw_tuning *used)
{
    mw_tuning wish = *used;
    mw_plan plan;

    for (wish.ways = 32; wish.ways > used->ways; wish.ways /= 2) {
        if (sort_plan(run->context, &wish, type, run->count, &plan) == MW_OK &&
            plan.tuning.ways == used->ways)
            break;
    }
    return wish.ways;
}

/* The fastest, and its row of the tuning table. */
static void print_best(const struct run *run, mw_type type, const struct sweep *sweep)
{
    const struct sweep_row *const best = sweep_best(sweep, 0);
    const mw_tuning *const t = &best->used;
    const double median = best->times.median;
    const unsigned size = (unsigned)mw_type_size(type);
    const uint32_t warps = t->warps / run->info.processors;

    printf("fastest: ways %u, warps %u, threads %u, items %u, base %u: %.3f ms, %.3f times "
           "as fast as the default\n",
           t->ways, t->warps, t->threads, t->items, t->base, median,
           median > 0 ? sweep->rows[0].times.median / median : 1);
    if (sweep->left_out)
        printf("%d tunings were left out, the first because: %s\n", sweep->left_out,
               sweep->why);
    if (t->engine == MW_ENGINE_TILE)
        printf("TUNE_TILE(%u, %d, %u, %" PRIu64 ", %u, %u, %u, 0, 0)\n\n",
               run->info.architecture,
               run->info.shared_per_processor >= 160 << 10 ? 160 : 0, size,
               run->count <= 1 << 20 ? run->count : 0, most_ways(run, type, t), t->threads,
               t->items);
    else
        printf("TUNE(%u, %u, %u, %u, %u, %u)\n\n", run->info.architecture, size, t->ways,
               warps ? warps : 1, t->threads,
               best->wish.base ? t->base : largest_base(run, type));
}

static enum trials_result tune_type(struct run *run, mw_type type)
{
    const struct tune *const choice = run->choice;
    const mw_tuning standard = {.size = sizeof standard, .engine = choice->only.engine};
    struct trials trials = trials_of(run, type, run->count);
    struct sweep sweep = {.trials = &trials,
                          .only = choice->only,
                          .quick = choice->quick,
                          .processors = run->info.processors,
                          .tsv = run->tsv};
    enum trials_result result = begin_table(run, &trials);

    if (result == TRIALS_FINE)
        result = sweep_try(&sweep, &standard);
    if (result == TRIALS_FINE && sweep.count == 0) {
        complain("tune", "%s", sweep.why);
        result = TRIALS_TROUBLE;
    }
    if (result == TRIALS_FINE)
        result = choice->paper                           ? sweep_paper(&sweep)
                 : choice->only.engine == MW_ENGINE_TILE ? sweep_tile(&sweep)
                                                         : sweep_heap(&sweep);
    trials_close(&trials);
    if (result == TRIALS_FINE && choice->paper)
        result = tune_counts(run, type, &sweep);
    if (result == TRIALS_FINE)
        print_best(run, type, &sweep);
    return result;
}

static int tune_types(struct run *run)
{
    enum trials_result result = TRIALS_FINE;
    mw_type type;

    if (mw_type_parse(run->choice->type, &type) == MW_OK)
        result = tune_type(run, type);
    else
        for (int i = 0; i < SIZES && result == TRIALS_FINE; i++)
            result = tune_type(run, sizes[i]);
    if (result == TRIALS_FINE)
        printf("Put the rows into src/tune.def. Blocks per SM are fixed when kernels of "
               "engine tile\nare compiled and were not swept: 0 stands for the library's "
               "rule. If the table has\nthis geometry already, keep the blocks of that "
               "row.\n");
    return trials_exit(result);
}

/* Lines of `#` that say what the figures are of. */
static void begin_tsv(const struct run *run)
{
    const struct tune *const choice = run->choice;
    const char *const engine = engine_name(choice->only.engine);
    const struct trials trials = trials_of(run, MW_U8, 0);
    const time_t now = time(NULL);
    struct tm day;
    char date[32];

    strftime(date, sizeof date, "%Y-%m-%d", gmtime_r(&now, &day));
    fprintf(
        run->tsv,
        "# engine %s, %" PRIu64 " keys of type %s, shape %s\n"
        "# machine: %s, driver %s\n# date: %s\n# commit: %s\n"
        "# command: multiway tune --engine %s --type %s --count %" PRIu64
        " --shape %s%s%s\n"
        "# wall clock around mw_enqueue and mw_wait, %d trials after %d to warm up, all "
        "verified\n",
        engine, run->count, choice->type, run->shape, run->info.name,
        *run->info.driver ? run->info.driver : "none", date, choice->commit, engine,
        choice->type, run->count, run->shape, choice->quick ? " --quick" : "",
        choice->paper ? " --paper" : "", trials.trials, trials.warm_ups);
    sweep_head(run->tsv, 1);
}

static int tune_to_file(struct run *run)
{
    const char *const path = run->choice->tsv;
    struct output output = {0};
    int status = EXIT_TROUBLE;

    if (!path)
        return tune_types(run);
    if (output_aim(&output, "tune", path) == 0 && output_open(&output) == 0) {
        run->tsv = fdopen(dup(output.file), "w");
        if (run->tsv) {
            begin_tsv(run);
            status = tune_types(run);
        }
        if (!run->tsv || fclose(run->tsv) != 0)
            status = complain("tune", "cannot write %s: %s", path, strerror(errno));
    }
    if (status == EXIT_FINE && output_finish(&output))
        status = EXIT_TROUBLE;
    output_drop(&output);
    return status;
}

/* No failure, unless a table was asked for. */
static int nothing_to_tune(const struct tune *choice, const char *what, const char *why)
{
    if (choice->tsv)
        return complain("tune", "%s (%s): there is nothing to tune; %s was not written",
                        what, why, choice->tsv);
    printf("%s (%s): there is nothing to tune\n", what, why);
    return EXIT_FINE;
}

static int tune(const struct tune *choice)
{
    struct run run = {.choice = choice, .info = MW_INFO_INIT, .count = choice->count};
    mw_status status =
        device_open(&run.context, choice->device, choice->cache, &choice->only);
    int result;

    shape_text(choice->shape, run.shape);
    if (status == MW_OK)
        status = mw_get_info(run.context, &run.info);
    if (!run.count)
        run.count = strcmp(run.info.device, "sim") == 0 ? 20000
                    : choice->paper                     ? 1 << 22
                                                        : 1 << 26;
    if (status != MW_OK)
        result = complain("tune", "%s", device_error(run.context, status));
    else if (run.info.architecture == 0)
        result = nothing_to_tune(choice, run.info.device, run.info.name);
    else if (choice->only.engine == MW_ENGINE_PAIR)
        result = nothing_to_tune(choice, "engine pair", "its geometry is fixed");
    else
        result = tune_to_file(&run);
    mw_close(run.context);
    return result;
}

int command_tune(int argc, char **argv)
{
    struct tune c = {
        .type = "i32", .device = "auto", .commit = "unknown", .only = MW_TUNING_INIT};
    /* clang-format off */
    const struct option options[] = {
        {"type",   0, "TYPE", OPTION_TEXT, &c.type,   0, "or all: one of each size (i32)"},
        {"count",  0, "N",    OPTION_SIZE, &c.count,  0, "of keys (2^26; sim: 20000)"},
        SHAPE_OPTION(c.shape),
        {"device", 0, "NAME", OPTION_TEXT, &c.device, 0, "auto, cuda[:N] or sim (auto)"},
        {"quick",  0, NULL,   OPTION_FLAG, &c.quick,  0, "fewer tunings, three trials"},
        {"paper",  0, NULL,   OPTION_FLAG, &c.paper,  0, "heap, as the paper tuned it"},
        {"tsv",    0, "FILE", OPTION_TEXT, &c.tsv,    0, "also write the table there"},
        {"commit", 0, "TEXT", OPTION_TEXT, &c.commit, 0, "of the sources, for that file"},
        TUNING_OPTIONS(c.only),
        CACHE_OPTIONS(c.cache),
        {0},
    };
    /* clang-format on */
    const struct command command = {
        .name = "tune",
        .usage = "[--type TYPE] [--count N] [--device NAME] [--engine NAME] [--tsv FILE]",
        .about =
            "Sort the same keys by many tunings; check every result; print the times, the\n"
            "fastest, and its row of the library's tuning table (src/tune.def).\n"
            "Engine tile: threads, items and ways. Engine heap: ways and warps, then base\n"
            "and threads for the fastest of those. Engine pair has nothing to tune.\n"
            "What you set is not swept.",
        .options = options,
        .more =
            "A time is the wall clock's, from the call to the end of the sort, keys in\n"
            "device memory: the median of ten trials after two to warm up. `ratio` is the\n"
            "default's time over this one's. The exit status is 1 if a result was wrong.\n"
            "\n"
            "  multiway tune --type all --tsv tile.tsv\n"
            "  multiway tune --type u64 --count 2^16 --quick\n"
            "  multiway tune --paper --type i32 --tsv paper.tsv\n",
    };
    const enum parsed parsed = options_parse(&command, argc, argv, NULL);
    char names[TYPE_NAMES];
    mw_type type;

    if (parsed != PARSED_RUN)
        return exit_of(parsed);
    type_names(names);
    if (strcmp(c.type, "all") != 0 && mw_type_parse(c.type, &type) != MW_OK)
        return complain("tune", "--type %s: expected all or one of%s", c.type, names);
    if (c.paper && c.only.engine != MW_ENGINE_AUTO && c.only.engine != MW_ENGINE_HEAP)
        return complain("tune", "--paper needs engine heap, not %s",
                        engine_name(c.only.engine));
    if (c.only.engine == MW_ENGINE_AUTO)
        c.only.engine = c.paper ? MW_ENGINE_HEAP : MW_ENGINE_TILE;
    return tune(&c);
}
