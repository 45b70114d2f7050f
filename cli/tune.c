/*
 * tune.c - `multiway tune`: how to sort fastest on the present device, found by
 * trying, and the row of the tuning table that says so.
 */
#define _POSIX_C_SOURCE 200809L /* open_memstream, gmtime_r */

#include "cli.h"
#include "device.h"
#include "options.h"
#include "output.h"
#include "tune_lists.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

struct tune {
    const char *type; /* "all": one of each size */
    uint64_t count;   /* 0: as suits the device */
    const char *device;
    const char *shape;
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
    struct kit_shape shape;
    uint64_t count;
    FILE *tsv;
    char rows[4][80]; /* of the tuning table, as found */
    int row_count;
};

static void print_case(const struct run *run, const struct trials *trials)
{
    printf("%s (%s%s%s): %" PRIu64 " keys of type %s, %s, engine %s\n", run->info.device,
           run->info.name, *run->info.driver ? ", " : "", run->info.driver, trials->count,
           mw_type_name(trials->type), run->choice->shape,
           engine_name(run->choice->only.engine));
}

static struct trials trials_of(const struct run *run, mw_type type, uint64_t count)
{
    return (struct trials){.command = "tune",
                           .context = run->context,
                           .type = type,
                           .count = count,
                           .warm_ups = run->choice->quick ? 1 : 2,
                           .trials = run->choice->quick ? 3 : TRIALS_MOST};
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
        print_case(run, &trials);
        sweep_head();
        result = trials_open(&trials, run->shape, 1);
        for (uint32_t ways = 2; ways <= 32 && result == TRIALS_FINE; ways *= 2) {
            const struct sweep_row *const row = sweep_best(best, ways);

            if (row)
                result = sweep_try(&sweep, &row->wish);
        }
        trials_close(&trials);
    }
    return result;
}

/* The largest base that the library would choose: the greatest that one run needs. */
static uint32_t largest_base(const struct run *run, mw_type type)
{
    mw_tuning tuning = MW_TUNING_INIT;
    uint32_t base = 16384;

    tuning.engine = MW_ENGINE_HEAP;
    if (mw_set_tuning(run->context, &tuning) != MW_OK)
        return base;
    while (base > 1024 && (kit_get_tuning(run->context, type, base, &tuning) != MW_OK ||
                           tuning.base != base))
        base /= 2;
    return base;
}

/*
 * Engine tile takes ways as the most it may merge: the most that come to what was
 * fastest here, lest other counts be held to this one's.
 */
static uint32_t most_ways(const struct run *run, mw_type type, const mw_tuning *used)
{
    mw_tuning wish = *used;
    mw_tuning tuning = MW_TUNING_INIT;

    for (wish.ways = 32; wish.ways > used->ways; wish.ways /= 2) {
        if (mw_set_tuning(run->context, &wish) == MW_OK &&
            kit_get_tuning(run->context, type, run->count, &tuning) == MW_OK &&
            tuning.ways == used->ways)
            break;
    }
    return wish.ways;
}

static void write_row(struct run *run, const struct sweep *sweep,
                      const struct sweep_row *best)
{
    const mw_tuning *const t = &best->times.counts.tuning;
    const mw_type type = sweep->trials->type;
    const unsigned arch = run->info.architecture;
    const unsigned size = (unsigned)mw_type_size(type);
    char *const row = run->rows[run->row_count++];
    const size_t bytes = sizeof run->rows[0];

    if (t->engine == MW_ENGINE_TILE)
        snprintf(row, bytes, "TUNE_TILE(%u, %d, %u, %llu, %u, %u, %u, 0, 0)", arch,
                 run->info.shared_per_processor >= 160 << 10 ? 160 : 0, size,
                 run->count <= 1 << 20 ? (unsigned long long)run->count : 0,
                 most_ways(run, type, t), t->threads, t->items);
    else
        snprintf(row, bytes, "TUNE(%u, %u, %u, %u, %u, %u)", arch, size, t->ways,
                 t->warps / run->info.processors ? t->warps / run->info.processors : 1,
                 t->threads, best->wish.base ? t->base : largest_base(run, type));
}

static void print_best(const struct sweep *sweep, const struct sweep_row *best)
{
    const mw_tuning *const t = &best->times.counts.tuning;

    printf("fastest: ways %u, warps %u, threads %u, items %u, base %u: %.3f ms", t->ways,
           t->warps, t->threads, t->items, t->base, best->times.median);
    if (best == &sweep->rows[0])
        printf(", which is the default\n");
    else
        printf(", %.3f times as fast as the default\n",
               best->times.median > 0 ? sweep->rows[0].times.median / best->times.median
                                      : 0);
    if (sweep->left_out)
        printf("%d tunings were left out, the first because: %s\n", sweep->left_out,
               sweep->why);
}

static enum trials_result tune_type(struct run *run, mw_type type)
{
    const int paper = run->choice->paper;
    const mw_tuning standard = {.size = sizeof standard,
                                .engine = run->choice->only.engine};
    const struct tune_lists lists = {run->choice->only, run->choice->quick,
                                     run->info.processors};
    struct trials trials = trials_of(run, type, run->count);
    struct sweep *const sweep = calloc(1, sizeof *sweep);
    enum trials_result result;

    if (!sweep) {
        complain("tune", "no memory for the table");
        return TRIALS_TROUBLE;
    }
    sweep->trials = &trials;
    sweep->tsv = run->tsv;
    print_case(run, &trials);
    sweep_head();
    result = trials_open(&trials, run->shape, 1);
    if (result == TRIALS_FINE)
        result = sweep_try(sweep, &standard);
    if (result == TRIALS_FINE && sweep->count == 0) {
        complain("tune", "%s", sweep->why);
        result = TRIALS_TROUBLE;
    }
    if (result == TRIALS_FINE)
        result = paper                                 ? tune_paper(&lists, sweep)
                 : lists.only.engine == MW_ENGINE_TILE ? tune_tile(&lists, sweep)
                                                       : tune_heap(&lists, sweep);
    trials_close(&trials);
    if (result == TRIALS_FINE && paper)
        result = tune_counts(run, type, sweep);
    if (result == TRIALS_FINE) {
        print_best(sweep, sweep_best(sweep, 0));
        write_row(run, sweep, sweep_best(sweep, 0));
        printf("\n");
    }
    free(sweep);
    return result;
}

static void print_rows(const struct run *run)
{
    const int tile = run->choice->only.engine == MW_ENGINE_TILE;

    printf("For src/tune.def:\n");
    for (int i = 0; i < run->row_count; i++)
        printf("%s\n", run->rows[i]);
    if (tile)
        printf("Blocks a multiprocessor are fixed when kernels are compiled and were not "
               "swept:\n0 stands for the library's rule. A geometry that the table has "
               "already was timed\nwith the blocks of its row; keep them.\n");
}

/* Lines of `#` that say what the figures are of. */
static void begin_tsv(const struct run *run)
{
    const struct tune *const choice = run->choice;
    const struct trials trials = trials_of(run, MW_U8, 0);
    const time_t now = time(NULL);
    struct tm day;
    char date[32];

    strftime(date, sizeof date, "%Y-%m-%d", gmtime_r(&now, &day));
    fprintf(run->tsv,
            "# engine %s, %" PRIu64 " keys of type %s, shape %s\n"
            "# machine: %s, driver %s\n# date: %s\n# commit: %s\n"
            "# command: multiway tune --engine %s --type %s --count %" PRIu64
            " --shape %s%s%s\n"
            "# wall clock around mw_enqueue and mw_wait, %d trials after %d to warm "
            "up, all verified\n",
            engine_name(choice->only.engine), run->count, choice->type, choice->shape,
            run->info.name, *run->info.driver ? run->info.driver : "none", date,
            choice->commit, engine_name(choice->only.engine), choice->type, run->count,
            choice->shape, choice->quick ? " --quick" : "", choice->paper ? " --paper" : "",
            trials.trials, trials.warm_ups);
    sweep_head_tsv(run->tsv);
}

static int tune_types(struct run *run)
{
    static const mw_type sizes[] = {MW_U8, MW_U16, MW_U32, MW_U64};
    enum trials_result result = TRIALS_FINE;
    mw_type type;

    if (mw_type_parse(run->choice->type, &type) == MW_OK)
        result = tune_type(run, type);
    for (int i = 0; run->row_count < 4 && strcmp(run->choice->type, "all") == 0 && i < 4 &&
                    result == TRIALS_FINE;
         i++)
        result = tune_type(run, sizes[i]);
    if (result == TRIALS_FINE)
        print_rows(run);
    return result == TRIALS_FINE    ? EXIT_FINE
           : result == TRIALS_WRONG ? EXIT_NO
                                    : EXIT_TROUBLE;
}

/* The table is collected in memory and written when it is complete. */
static int tune_to_file(struct run *run)
{
    struct output output = {0};
    char *text = NULL;
    size_t bytes = 0;
    int status;

    if (!run->choice->tsv)
        return tune_types(run);
    status = output_aim(&output, "tune", run->choice->tsv) ? EXIT_TROUBLE : EXIT_FINE;
    if (status == EXIT_FINE) {
        run->tsv = open_memstream(&text, &bytes);
        if (!run->tsv)
            status = complain("tune", "no memory for the table");
    }
    if (run->tsv) {
        begin_tsv(run);
        status = tune_types(run);
        if (fclose(run->tsv) != 0)
            status = complain("tune", "no memory for the table");
    }
    if (status == EXIT_FINE &&
        (output_open(&output) || output_write(&output, text, bytes) ||
         output_finish(&output)))
        status = EXIT_TROUBLE;
    output_drop(&output);
    free(text);
    return status;
}

/* Which is fine; but who asked for a table is not left to look for it. */
static int nothing_to_tune(const struct tune *choice, const char *who, const char *what)
{
    if (choice->tsv)
        return complain("tune", "%s (%s): there is nothing to tune; %s was not written",
                        who, what, choice->tsv);
    printf("%s (%s): there is nothing to tune\n", who, what);
    return EXIT_FINE;
}

static int tune(const struct tune *choice)
{
    struct run run = {.choice = choice, .info = MW_INFO_INIT, .count = choice->count};
    const char *const trouble = kit_shape_parse(choice->shape, &run.shape);
    char names[TYPE_NAMES];
    mw_status status;
    mw_type type;
    int result;

    type_names(names);
    if (strcmp(choice->type, "all") != 0 && mw_type_parse(choice->type, &type) != MW_OK)
        return complain("tune", "--type %s: no such type; there are%s, and all",
                        choice->type, names);
    if (trouble)
        return complain("tune", "--shape %s: %s (see multiway gen --help)", choice->shape,
                        trouble);
    status = device_open(&run.context, choice->device, choice->cache, &choice->only);
    if (status == MW_OK)
        status = mw_get_info(run.context, &run.info);
    if (!run.count) {
        const int sim = strcmp(run.info.device, "sim") == 0;

        run.count = sim ? 20000 : choice->paper ? 1 << 22 : 1 << 26;
    }
    if (status != MW_OK)
        result = complain("tune", "%s", device_error(run.context, status));
    else if (run.info.architecture == 0)
        result = nothing_to_tune(choice, run.info.device, run.info.name);
    else if (choice->only.engine == MW_ENGINE_PAIR)
        result = nothing_to_tune(choice, "engine pair", "its shape is fixed");
    else
        result = tune_to_file(&run);
    mw_close(run.context);
    return result;
}

int command_tune(int argc, char **argv)
{
    struct tune choice = {.type = "i32",
                          .device = "auto",
                          .shape = "random",
                          .commit = "unknown",
                          .only = MW_TUNING_INIT};
    /* clang-format off */
    const struct option options[] = {
        {"type",   0, "TYPE",  OPTION_TEXT,  &choice.type,   0,
         "of the keys, or all: one of each size (i32)"},
        {"count",  0, "N",     OPTION_SIZE,  &choice.count,  0,
         "how many (2^26; sim: 20000)"},
        {"shape",  0, "SHAPE", OPTION_TEXT,  &choice.shape,  0,
         "of the input, as for gen (random)"},
        {"device", 0, "NAME",  OPTION_TEXT,  &choice.device, 0,
         "auto, cuda, cuda:1 or sim (auto)"},
        {"quick",  0, NULL,    OPTION_FLAG,  &choice.quick,  0,
         "fewer tunings, three trials instead of ten"},
        {"paper",  0, NULL,    OPTION_FLAG,  &choice.paper,  0,
         "heap: warps for each K, then counts, as the paper"},
        {"tsv",    0, "FILE",  OPTION_TEXT,  &choice.tsv,    0,
         "write the table there, too"},
        {"commit", 0, "TEXT",  OPTION_TEXT,  &choice.commit, 0,
         "what that file says of the sources"},
        TUNING_OPTIONS(choice.only),
        CACHE_OPTIONS(choice.cache),
        {0},
    };
    /* clang-format on */
    const struct command command = {
        .name = "tune",
        .usage = "[--type TYPE] [--count N] [--device NAME] [--engine NAME] [--tsv FILE]",
        .about =
            "Sort the same keys by many tunings; check every result; print the times, the\n"
            "fastest, and the row of the library's tuning table (src/tune.def) for it.\n"
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

    if (parsed != PARSED_RUN)
        return exit_of(parsed);
    if (choice.paper && choice.only.engine != MW_ENGINE_AUTO &&
        choice.only.engine != MW_ENGINE_HEAP)
        return complain("tune", "--paper is about engine heap");
    if (choice.only.engine == MW_ENGINE_AUTO)
        choice.only.engine = choice.paper ? MW_ENGINE_HEAP : MW_ENGINE_TILE;
    return tune(&choice);
}
