/*
 * sort.c - `multiway sort`: a file of keys in, the same keys in order out.
 */
#include "cli.h"
#include "device.h"
#include "input.h"
#include "json.h"
#include "options.h"
#include "output.h"

#include <inttypes.h>
#include <stdlib.h>

struct sort {
    mw_type type;
    int descending;
    const char *device;
    mw_tuning tuning;
    struct cache_choice cache;
    const char *output;
    const char *input;
    int stats;
    int json;
};

struct figures {
    mw_info info;
    mw_counts counts;
    double seconds;
};

/*
 * From the input to keys in order. Input and device are opened before a key is read,
 * which may take long on a pipe. The handle is closed before anything is written: its
 * memory may be needed then.
 */
static int read_and_sort(const struct sort *sort, void **keys, uint64_t *count,
                         struct figures *figures)
{
    const mw_direction direction = sort->descending ? MW_DESCENDING : MW_ASCENDING;
    struct input input;
    mw_context *context = NULL;
    mw_status status = MW_OK;
    int bad = input_open(&input, "sort", sort->input, sort->type);

    if (!bad)
        status = device_open(&context, sort->device, sort->cache, &sort->tuning);
    if (status == MW_OK)
        bad = bad || input_all(&input, keys, count);
    if (status == MW_OK && !bad) {
        const double start = kit_seconds();

        status = mw_sort(context, sort->type, direction, *keys, *count);
        figures->seconds = kit_seconds() - start;
        if (status == MW_OK)
            status = mw_get_info(context, &figures->info);
        if (status == MW_OK)
            status = mw_get_counts(context, &figures->counts);
    }
    if (status != MW_OK)
        bad = complain("sort", "%s", device_error(context, status));
    mw_close(context);
    input_close(&input);
    return bad;
}

static void print_stats(const struct sort *sort, const struct figures *figures)
{
    const double rate =
        figures->seconds > 0 ? 1e-9 * (double)figures->counts.count / figures->seconds : 0;
    struct json json = {.to = stderr};

    if (!sort->json) {
        fprintf(stderr,
                "multiway sort: %s (%s): %" PRIu64 " %s keys in %.6f s, %.3f Gk/s, "
                "%" PRIu32 " merge round%s\n",
                figures->info.device, figures->info.name, figures->counts.count,
                mw_type_name(sort->type), figures->seconds, rate, figures->counts.rounds,
                figures->counts.rounds == 1 ? "" : "s");
        return;
    }
    json_open(&json, NULL, '{');
    json_text(&json, "device", figures->info.device);
    json_text(&json, "name", figures->info.name);
    json_text(&json, "type", mw_type_name(sort->type));
    json_text(&json, "direction", sort->descending ? "descending" : "ascending");
    json_count(&json, "count", figures->counts.count);
    json_real(&json, "seconds", figures->seconds);
    json_real(&json, "giga_keys_per_second", rate);
    json_count(&json, "rounds", figures->counts.rounds);
    json_count(&json, "launches", figures->counts.launches);
    json_count(&json, "bytes_read", figures->counts.bytes_read);
    json_count(&json, "bytes_written", figures->counts.bytes_written);
    json_tuning(&json, "tuning", &figures->counts.tuning);
    json_close(&json, '{');
}

static int sort(const struct sort *sort)
{
    struct output output = {0};
    struct figures figures = {.info = MW_INFO_INIT, .counts = MW_COUNTS_INIT};
    void *keys = NULL;
    uint64_t count = 0;
    const int bad = output_aim(&output, "sort", sort->output) ||
                    read_and_sort(sort, &keys, &count, &figures) || output_open(&output) ||
                    output_room(&output, count * mw_type_size(sort->type)) ||
                    output_write(&output, keys, count * mw_type_size(sort->type)) ||
                    output_finish(&output);

    output_drop(&output);
    free(keys);
    if (!bad && (sort->stats || sort->json))
        print_stats(sort, &figures);
    return bad ? EXIT_TROUBLE : EXIT_FINE;
}

int command_sort(int argc, char **argv)
{
    struct sort c = {.device = "auto", .tuning = MW_TUNING_INIT};
    /* clang-format off */
    const struct option options[] = {
        TYPE_OPTION(c.type),
        {"desc",   0,   NULL,   OPTION_FLAG, &c.descending, 0, "the exact reverse order"},
        OUTPUT_OPTION(c.output),
        {"device", 0,   "NAME", OPTION_TEXT, &c.device,     0,
         "auto, cuda[:N], cpu[:N] or sim (auto)"},
        {"stats",  'v', NULL,   OPTION_FLAG, &c.stats,      0, "time on standard error"},
        JSON_OPTION(c.json),
        TUNING_OPTIONS(c.tuning),
        CACHE_OPTIONS(c.cache),
        {0},
    };
    /* clang-format on */
    const struct command command = {
        .name = "sort",
        .usage = "--type TYPE [--desc] [--device NAME] [-o FILE] [FILE]",
        .about =
            "Sort a file of keys: numbers by value, -0 before +0, NaNs after all numbers\n"
            "by their bits. Every device writes the same bytes. The output appears under\n"
            "its name when it is complete, and may be the input.",
        .options = options,
        .takes_file = 1,
        .more =
            "What is not given of engine, ways, warps, threads, items and base is the\n"
            "library's choice for the device; the CPU ignores all of them. Engine auto is\n"
            "heap if warps, threads or base are given, and otherwise tile.\n"
            "\n"
            "  multiway sort --type u64 -o sorted.bin keys.bin\n"
            "  multiway sort --type f32 --desc --device cpu:4 -v < keys.bin > sorted.bin\n"
            "  multiway sort --type i32 --engine heap --ways 8 -o keys.bin keys.bin\n",
    };
    const int parsed = options_parse(&command, argc, argv, &c.input);

    return parsed == OPTIONS_RUN ? sort(&c) : parsed;
}
