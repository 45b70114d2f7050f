/*
 * sweep.c - time an engine over its choices on one input, every result
 * verified: heap over ways and warps (P9 of the paper), tile over the most ways.
 *
 * A time runs from the call of mw_sort_device to the end of mw_wait, keys in
 * device memory; two runs to warm up, then ten trials.
 */
#include "kit.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { WARM_UPS = 2, TRIALS = 10 };

static const char usage[] =
    "usage: multiway_sweep [--device D] [--engine E] [--type T] [--count N] [--shape S]\n"
    "                      [--ways K] [--warps P] [--commit TEXT] [--tsv FILE]\n"
    "\n"
    "Sorts the same keys with 2 to 32 ways (or K), engine heap also with 16 to 96 warps\n"
    "a multiprocessor (or P in all), and prints the times. Defaults: cuda, heap, i32,\n"
    "2^26, random. Engine tile takes K as the most ways; K = 0 lets it choose.\n"
    "Engine pair has one choice only, of 2 ways.\n";

/* What the command line asks for. */
struct wish {
    const char *device;
    const char *engine;
    const char *type_name;
    const char *count_text;
    const char *shape;
    const char *ways;
    const char *warps;
    const char *commit;
    const char *tsv;
};

/* What every configuration sorts, and where. */
struct bench {
    mw_context *context;
    mw_info info;
    mw_engine engine;
    mw_type type;
    uint64_t count;
    uint64_t bytes;
    void *input;  /* host memory */
    void *output; /* host memory */
    void *keys;   /* device memory */
    void *workspace;
    uint64_t workspace_bytes;
    struct kit_fingerprint print;
    FILE *tsv;
};

struct times {
    double median, least, most, mean; /* milliseconds */
};

static void die(const struct bench *bench, const char *what)
{
    fprintf(stderr, "multiway_sweep: %s: %s\n", what,
            bench->context ? mw_error(bench->context) : "no handle");
    exit(2);
}

static void must(const struct bench *bench, mw_status status, const char *what)
{
    if (status != MW_OK)
        die(bench, what);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;

    return (x > y) - (x < y);
}

static void verify(struct bench *bench)
{
    struct kit_fingerprint print = {0};

    must(bench, mw_download(bench->context, bench->output, bench->keys, bench->bytes),
         "download");
    kit_fingerprint_add(&print, bench->type, bench->output, bench->count);
    if (kit_first_disorder(bench->type, MW_ASCENDING, bench->output, bench->count) !=
            bench->count ||
        !kit_fingerprint_equal(print, bench->print)) {
        fprintf(stderr, "multiway_sweep: a result is wrong\n");
        exit(1);
    }
}

static struct times measure(struct bench *bench)
{
    double trial[TRIALS];
    struct times times = {0};

    for (int i = -WARM_UPS; i < TRIALS; i++) {
        double start;

        must(bench, mw_upload(bench->context, bench->keys, bench->input, bench->bytes),
             "upload");
        start = kit_seconds();
        must(bench,
             mw_sort_device(bench->context, bench->type, MW_ASCENDING, bench->keys,
                            bench->count, bench->workspace, bench->workspace_bytes, NULL),
             "sort");
        must(bench, mw_wait(bench->context), "wait");
        if (i >= 0)
            trial[i] = 1000 * (kit_seconds() - start);
    }
    verify(bench);
    qsort(trial, TRIALS, sizeof *trial, by_value);
    for (int i = 0; i < TRIALS; i++)
        times.mean += trial[i] / TRIALS;
    times.median = (trial[TRIALS / 2 - 1] + trial[TRIALS / 2]) / 2;
    times.least = trial[0];
    times.most = trial[TRIALS - 1];
    return times;
}

/* One configuration: set it, make room for it, time it, print it. */
static void run(struct bench *bench, uint32_t ways, uint32_t warps)
{
    mw_tuning tuning = MW_TUNING_INIT;
    mw_counts counts = MW_COUNTS_INIT;
    struct times times;
    uint64_t wanted;

    tuning.engine = bench->engine;
    tuning.ways = ways;
    tuning.warps = warps;
    must(bench, mw_set_tuning(bench->context, &tuning), "tuning");
    must(bench, mw_sort_workspace(bench->context, bench->type, bench->count, &wanted),
         "workspace");
    if (wanted > bench->workspace_bytes) {
        mw_free(bench->context, bench->workspace);
        must(bench, mw_alloc(bench->context, wanted, &bench->workspace), "workspace");
        bench->workspace_bytes = wanted;
    }
    times = measure(bench);
    must(bench, mw_get_counts(bench->context, &counts), "counts");
    printf("%4u %7u %6u %6u %9.3f %9.3f %9.3f %9.3f %8.2f\n", ways, counts.tuning.warps,
           counts.tuning.base, counts.rounds, times.median, times.mean, times.least,
           times.most, (double)bench->count / times.median / 1e6);
    fflush(stdout);
    if (bench->tsv)
        fprintf(bench->tsv, "%u\t%u\t%u\t%u\t%.4f\t%.4f\t%.4f\t%.4f\t%.3f\n", ways,
                counts.tuning.warps, counts.tuning.base, counts.rounds, times.median,
                times.mean, times.least, times.most,
                (double)bench->count / times.median / 1e6);
}

static void begin_tsv(struct bench *bench, const struct wish *wish)
{
    char date[32];
    const time_t now = time(NULL);

    bench->tsv = fopen(wish->tsv, "w");
    if (!bench->tsv) {
        perror(wish->tsv);
        exit(2);
    }
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
    fprintf(bench->tsv,
            "# engine %s, %s keys of type %s, shape %s\n"
            "# machine: %s, driver %s\n# date: %s\n# commit: %s\n"
            "# command: multiway_sweep --engine %s --type %s --count %s --shape %s\n"
            "# wall clock around mw_sort_device and mw_wait, %d trials, all verified\n"
            "ways\twarps\tbase\trounds\tmedian_ms\tmean_ms\tmin_ms\tmax_ms\tgkeys_s\n",
            wish->engine, wish->count_text, wish->type_name, wish->shape, bench->info.name,
            bench->info.driver, date, wish->commit, wish->engine, wish->type_name,
            wish->count_text, wish->shape, TRIALS);
}

static struct wish read_wish(int argc, char **argv)
{
    struct wish wish = {"cuda", "heap", "i32",     "2^26", "random",
                        NULL,   NULL,   "unknown", NULL};
    const struct {
        const char *name;
        const char **value;
    } options[] = {
        {"--device", &wish.device    },
        {"--engine", &wish.engine    },
        {"--type",   &wish.type_name },
        {"--count",  &wish.count_text},
        {"--shape",  &wish.shape     },
        {"--ways",   &wish.ways      },
        {"--warps",  &wish.warps     },
        {"--commit", &wish.commit    },
        {"--tsv",    &wish.tsv       }
    };

    for (int i = 1; i < argc; i += 2) {
        size_t o = 0;

        while (o < sizeof options / sizeof *options && strcmp(argv[i], options[o].name))
            o++;
        if (o == sizeof options / sizeof *options || i + 1 == argc) {
            fputs(usage, strcmp(argv[i], "--help") ? stderr : stdout);
            exit(strcmp(argv[i], "--help") ? 2 : 0);
        }
        *options[o].value = argv[i + 1];
    }
    return wish;
}

/* MW_ENGINE_AUTO if there is none of that name. */
static mw_engine engine_of(const char *name)
{
    static const struct {
        const char *name;
        mw_engine engine;
    } rows[] = {
        {"heap", MW_ENGINE_HEAP},
        {"tile", MW_ENGINE_TILE},
        {"pair", MW_ENGINE_PAIR},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].name, name) == 0)
            return rows[i].engine;
    }
    return MW_ENGINE_AUTO;
}

static void open_bench(struct bench *bench, const struct wish *wish)
{
    *bench = (struct bench){.info = MW_INFO_INIT};
    must(bench, mw_open(&bench->context, wish->device, NULL), "open");
    must(bench, mw_get_info(bench->context, &bench->info), "info");
    if (mw_type_parse(wish->type_name, &bench->type) != MW_OK ||
        kit_parse_count(wish->count_text, &bench->count) != 0 ||
        (bench->engine = engine_of(wish->engine)) == MW_ENGINE_AUTO) {
        fputs(usage, stderr);
        exit(2);
    }
    bench->bytes = bench->count * mw_type_size(bench->type);
    bench->input = malloc(bench->bytes);
    bench->output = malloc(bench->bytes);
    if (!bench->input || !bench->output ||
        kit_fill(bench->type, wish->shape, 1, bench->input, bench->count) != MW_OK) {
        fprintf(stderr, "multiway_sweep: no such input\n");
        exit(2);
    }
    kit_fingerprint_add(&bench->print, bench->type, bench->input, bench->count);
    must(bench, mw_alloc(bench->context, bench->bytes, &bench->keys), "keys");
    if (wish->tsv)
        begin_tsv(bench, wish);
}

static void close_bench(struct bench *bench, const struct wish *wish)
{
    mw_free(bench->context, bench->workspace);
    mw_free(bench->context, bench->keys);
    if (bench->tsv && fclose(bench->tsv) != 0)
        die(bench, wish->tsv);
    mw_close(bench->context);
    free(bench->input);
    free(bench->output);
}

int main(int argc, char **argv)
{
    static const uint32_t all_ways[] = {0, 2, 4, 8, 16, 32};
    static const uint32_t per_processor[] = {16, 24, 32, 40, 48, 64, 96};
    const struct wish wish = read_wish(argc, argv);
    struct bench bench;

    open_bench(&bench, &wish);
    printf("%s, driver %s: %s keys of type %s, %s, engine %s\n", bench.info.name,
           bench.info.driver, wish.count_text, wish.type_name, wish.shape, wish.engine);
    printf("ways   warps   base rounds median ms   mean ms    min ms    max ms     Gk/s\n");
    for (size_t i = 0; i < sizeof all_ways / sizeof *all_ways; i++) {
        const uint32_t ways = all_ways[i];

        if (wish.ways && ways != (uint32_t)atoi(wish.ways))
            continue;
        if (bench.engine == MW_ENGINE_PAIR && ways != 2)
            continue;
        if (bench.engine != MW_ENGINE_HEAP) {
            run(&bench, ways, 0);
        } else if (wish.warps) {
            run(&bench, ways, (uint32_t)atoi(wish.warps));
        } else {
            for (size_t j = 0; ways && j < sizeof per_processor / sizeof *per_processor;
                 j++)
                run(&bench, ways, per_processor[j] * bench.info.processors);
        }
    }
    close_bench(&bench, &wish);
    return 0;
}
