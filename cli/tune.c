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
    uint64_t count;   /* 0 on the command line: suits the device */
    const char *device;
    struct kit_shape shape;
    mw_tuning only; /* fields that are not 0 are not swept */
    int quick;
    int paper;
    const char *path; /* of the table as TSV */
    const char *commit;
    struct cache_choice cache;

    mw_context *context;
    mw_info info;
    FILE *tsv;
    char shape_name[SHAPE_WORDS];
};

static struct trials trials_of(const struct tune *tune, mw_type type, uint64_t count)
{
    return (struct trials){.command = "tune",
                           .context = tune->context,
                           .type = type,
                           .count = count,
                           .shape = tune->shape,
                           .seed = 1,
                           .warm_ups = tune->quick ? 1 : 2,
                           .trials = tune->quick ? 3 : TRIALS_MOST};
}

/* Print the head of a table and make its input. */
static int begin_table(const struct tune *tune, struct trials *trials)
{
    printf("%s (%s%s%s): %" PRIu64 " keys of type %s, %s, engine %s\n", tune->info.device,
           tune->info.name, *tune->info.driver ? ", " : "", tune->info.driver,
           trials->count, mw_type_name(trials->type), tune->shape_name,
           engine_name(tune->only.engine));
    sweep_head(stdout, 0);
    return trials_open(trials);
}

/* P9, second part: each number of ways, with its best warps, over other counts. */
static int tune_counts(const struct tune *tune, mw_type type, const struct sweep *best)
{
    int result = EXIT_FINE;

    for (int step = -6; step <= 4 && result == EXIT_FINE; step += 2) {
        const uint64_t count = step < 0 ? tune->count >> -step : tune->count << step;
        struct trials trials = trials_of(tune, type, count);
        struct sweep sweep = {.trials = &trials, .tsv = tune->tsv};

        if (step == 0 || count == 0)
            continue;
        printf("\n");
        result = begin_table(tune, &trials);
        for (uint32_t ways = 2; ways <= 32 && result == EXIT_FINE; ways *= 2) {
            const struct sweep_row *const row = sweep_best(best, ways);

            if (row)
                result = sweep_try(&sweep, &row->wish);
        }
        trials_close(&trials);
    }
    return result;
}

/* The largest base that the library would choose, which sorts that count in one run. */
static uint32_t largest_base(const struct tune *tune, mw_type type)
{
    const mw_tuning heap = {.size = sizeof heap, .engine = MW_ENGINE_HEAP};
    uint32_t base = 16384;
    mw_plan plan;

    while (base > 1024 && (sort_plan(tune->context, &heap, type, base, &plan) != MW_OK ||
                           plan.tuning.base != base))
        base /= 2;
    return base;
}

/*
 * For engine tile, ways are a limit. Return the highest limit that gives the plan found
 * to be fastest, so that the row does not restrict other counts.
 */
static uint32_t most_ways(const struct tune *tune, mw_type type, const mw_tuning *used)
{
    mw_tuning wish = *used;
    mw_plan plan;

    for (wish.ways = 32; wish.ways > used->ways; wish.ways /= 2) {
        if (sort_plan(tune->context, &wish, type, tune->count, &plan) == MW_OK &&
            plan.tuning.ways == used->ways)
            break;
    }
    return wish.ways;
}

/* The fastest, and its row of the tuning table. */
static void print_best(const struct tune *tune, mw_type type, const struct sweep *sweep)
{
    const struct sweep_row *const best = sweep_best(sweep, 0);
    const mw_tuning *const t = &best->used;
    const double median = best->times.median;
    const unsigned size = (unsigned)mw_type_size(type);
    const uint32_t warps = t->warps / tune->info.processors;
    const int kib = tune->info.shared_per_processor >= 160 << 10 ? 160 : 0;

    printf("fastest: ways %u, warps %u, threads %u, items %u, base %u: %.3f ms, %.3f times "
           "as fast as the default\n",
           t->ways, t->warps, t->threads, t->items, t->base, median,
           median > 0 ? sweep->rows[0].times.median / median : 1);
    if (sweep->left_out)
        printf("%d tunings were left out, the first because: %s\n", sweep->left_out,
               sweep->why);
    if (t->engine == MW_ENGINE_TILE)
        printf("TUNE_TILE(%u, %d, %u, %" PRIu64 ", %u, %u, %u, 0, 0)\n\n",
               tune->info.architecture, kib, size, tune->count <= 1 << 20 ? tune->count : 0,
               most_ways(tune, type, t), t->threads, t->items);
    else
        printf("TUNE(%u, %d, %u, %u, %u, %u, %u)\n\n", tune->info.architecture, kib, size,
               t->ways, warps ? warps : 1, t->threads,
               best->wish.base ? t->base : largest_base(tune, type));
}

static int tune_type(const struct tune *tune, mw_type type)
{
    const mw_tuning standard = {.size = sizeof standard, .engine = tune->only.engine};
    struct trials trials = trials_of(tune, type, tune->count);
    struct sweep sweep = {.trials = &trials,
                          .only = tune->only,
                          .quick = tune->quick,
                          .processors = tune->info.processors,
                          .tsv = tune->tsv};
    int result = begin_table(tune, &trials);

    if (result == EXIT_FINE)
        result = sweep_try(&sweep, &standard);
    if (result == EXIT_FINE && sweep.count == 0)
        result = complain("tune", "%s", sweep.why);
    if (result == EXIT_FINE)
        result = tune->paper ? sweep_paper(&sweep) : sweep_engine(&sweep);
    trials_close(&trials);
    if (result == EXIT_FINE && tune->paper)
        result = tune_counts(tune, type, &sweep);
    if (result == EXIT_FINE)
        print_best(tune, type, &sweep);
    return result;
}

static int tune_types(const struct tune *tune)
{
    int result = EXIT_FINE;
    mw_type type;

    if (mw_type_parse(tune->type, &type) == MW_OK)
        result = tune_type(tune, type);
    else
        for (int i = 0; i < SIZES && result == EXIT_FINE; i++)
            result = tune_type(tune, sizes[i]);
    if (result == EXIT_FINE)
        printf("Put the rows into src/tune.def. Blocks per SM are fixed when kernels of "
               "engine tile\nare compiled and were not swept: 0 stands for the library's "
               "rule. If the table has\nthis geometry already, keep the blocks of that "
               "row.\n");
    return result;
}

/* Lines of `#` that say what the figures are of. */
static void begin_tsv(const struct tune *tune)
{
    const char *const engine = engine_name(tune->only.engine);
    const struct trials trials = trials_of(tune, MW_U8, 0);
    const time_t now = time(NULL);
    struct tm day;
    char date[32];

    strftime(date, sizeof date, "%Y-%m-%d", gmtime_r(&now, &day));
    fprintf(
        tune->tsv,
        "# engine %s, %" PRIu64 " keys of type %s, shape %s\n"
        "# machine: %s, driver %s\n# date: %s\n# commit: %s\n"
        "# command: multiway tune --engine %s --type %s --count %" PRIu64
        " --shape %s%s%s\n"
        "# wall clock around mw_enqueue and mw_wait, %d trials after %d to warm up, all "
        "verified\n",
        engine, tune->count, tune->type, tune->shape_name, tune->info.name,
        *tune->info.driver ? tune->info.driver : "none", date, tune->commit, engine,
        tune->type, tune->count, tune->shape_name, tune->quick ? " --quick" : "",
        tune->paper ? " --paper" : "", trials.trials, trials.warm_ups);
    sweep_head(tune->tsv, 1);
}

static int tune_to_file(struct tune *tune)
{
    struct output output = {0};
    int status = EXIT_TROUBLE;

    if (!tune->path)
        return tune_types(tune);
    if (output_open(&output, "tune", tune->path) == 0) {
        tune->tsv = fdopen(dup(output.file), "w");
        if (tune->tsv) {
            begin_tsv(tune);
            status = tune_types(tune);
        }
        if (!tune->tsv || fclose(tune->tsv) != 0)
            status = complain("tune", "cannot write %s: %s", tune->path, strerror(errno));
    }
    if (status == EXIT_FINE && output_finish(&output))
        status = EXIT_TROUBLE;
    output_drop(&output);
    return status;
}

/* No failure, unless a table was asked for. */
static int nothing_to_tune(const struct tune *tune, const char *what, const char *why)
{
    if (tune->path)
        return complain("tune", "%s (%s): there is nothing to tune; %s was not written",
                        what, why, tune->path);
    printf("%s (%s): there is nothing to tune\n", what, why);
    return EXIT_FINE;
}

static int tune(struct tune *tune)
{
    mw_status status = device_open(&tune->context, tune->device, tune->cache, &tune->only);
    int result;

    shape_text(tune->shape, tune->shape_name);
    if (status == MW_OK)
        status = mw_get_info(tune->context, &tune->info);
    if (!tune->count)
        tune->count = strcmp(tune->info.device, "sim") == 0 ? 20000
                      : tune->paper                         ? 1 << 22
                                                            : 1 << 26;
    if (status != MW_OK)
        result = complain("tune", "%s", device_error(tune->context, status));
    else if (tune->info.architecture == 0)
        result = nothing_to_tune(tune, tune->info.device, tune->info.name);
    else if (tune->only.engine == MW_ENGINE_PAIR)
        result = nothing_to_tune(tune, "engine pair", "its geometry is fixed");
    else if (tune->only.engine == MW_ENGINE_TALLY)
        result = nothing_to_tune(tune, "engine tally", "its blocks follow from the count");
    else if (tune->only.engine == MW_ENGINE_DEAL)
        result = nothing_to_tune(tune, "engine deal", "its tiles are engine tile's");
    else
        result = tune_to_file(tune);
    mw_close(tune->context);
    return result;
}

int command_tune(int argc, char **argv)
{
    struct tune c = {.type = "i32",
                     .device = "auto",
                     .commit = "unknown",
                     .only = MW_TUNING_INIT,
                     .info = MW_INFO_INIT};
    /* clang-format off */
    const struct option options[] = {
        {"type",   0, "TYPE", OPTION_TEXT, &c.type,   0, "or all: one of each size (i32)"},
        {"count",  0, "N",    OPTION_SIZE, &c.count,  0, "of keys (2^26; sim: 20000)"},
        SHAPE_OPTION(c.shape),
        {"device", 0, "NAME", OPTION_TEXT, &c.device, 0, "auto, cuda[:N] or sim (auto)"},
        {"quick",  0, NULL,   OPTION_FLAG, &c.quick,  0, "fewer tunings, three trials"},
        {"paper",  0, NULL,   OPTION_FLAG, &c.paper,  0, "heap, as the paper tuned it"},
        {"tsv",    0, "FILE", OPTION_TEXT, &c.path,   0, "also write the table there"},
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
            "and threads for the fastest of those. Engines pair, tally and deal have\n"
            "nothing to tune. What you set is not swept.",
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
    const int parsed = options_parse(&command, argc, argv, NULL);
    char names[TYPE_NAMES];
    mw_type type;

    if (parsed != OPTIONS_RUN)
        return parsed;
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
