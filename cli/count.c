/*
 * count.c - `multiway count`: one sort in the simulator, and what it cost.
 */
#include "cli.h"
#include "count_report.h"
#include "device.h"
#include "options.h"

#include <stdlib.h>

static int failed(const mw_context *context, mw_status status)
{
    return complain("count", "%s", device_error(context, status));
}

/* Sort, judge, report. `keys` has room for the input. */
static int count_keys(const struct count *count, mw_context *context,
                      const struct kit_input *input, void *keys)
{
    const mw_direction direction = count->descending ? MW_DESCENDING : MW_ASCENDING;
    struct kit_fingerprint before = {0, 0};
    struct kit_fingerprint after = {0, 0};
    struct tally tally;
    mw_status status;
    int correct;

    kit_input_fill(input, 0, count->count, keys);
    kit_fingerprint_add(&before, count->type, keys, count->count);
    status = mw_set_timing(context, MW_TIMING_LAUNCHES); /* to tell launches apart */
    if (status == MW_OK)
        status = mw_sort(context, count->type, direction, keys, count->count);
    if (status != MW_OK)
        return failed(context, status);
    kit_fingerprint_add(&after, count->type, keys, count->count);
    correct =
        kit_fingerprint_equal(before, after) &&
        kit_first_disorder(count->type, direction, keys, count->count) == count->count;
    status = tally_make(&tally, context, count->type);
    if (status != MW_OK)
        return failed(context, status);
    if (count->json)
        count_report_json(count, &tally, correct);
    else
        count_report_text(count, &tally, correct);
    return correct && tally_holds(&tally) ? EXIT_FINE : EXIT_NO;
}

static int count(const struct count *count)
{
    const struct cache_choice no_cache = {NULL, 1};
    mw_context *context = NULL;
    struct kit_input input = {0};
    mw_status status;
    int result = EXIT_TROUBLE;
    void *const keys = memory_for("count", count->count, mw_type_size(count->type));

    if (!keys)
        return EXIT_TROUBLE;
    status = device_open(&context, "sim", no_cache, &count->tuning);
    if (status != MW_OK)
        result = failed(context, status);
    else if (kit_input_open(&input, count->type, count->count, count->shape, count->seed) !=
             MW_OK)
        result = complain("count", "no memory for the swaps");
    else
        result = count_keys(count, context, &input, keys);
    kit_input_close(&input);
    mw_close(context);
    free(keys);
    return result;
}

int command_count(int argc, char **argv)
{
    struct count choice = {.tuning = MW_TUNING_INIT};
    /* clang-format off */
    const struct option options[] = {
        {"type",  0, "TYPE",  OPTION_TYPE,  &choice.type,       1, "of the keys:"},
        {"count", 0, "N",     OPTION_COUNT, &choice.count,      1,
         "how many; a million take seconds"},
        {"shape", 0, "SHAPE", OPTION_SHAPE, &choice.shape,      0,
         "of the input, as for gen (random)"},
        {"seed",  0, "N",     OPTION_COUNT, &choice.seed,       0,
         "another number, another input (0)"},
        {"desc",  0, NULL,    OPTION_FLAG,  &choice.descending, 0, "descending"},
        TUNING_OPTIONS(choice.tuning),
        {"lines", 0, NULL,    OPTION_FLAG,  &choice.all_lines,  0,
         "every line with traffic, not only the busiest"},
        {"json",  0, NULL,    OPTION_FLAG,  &choice.json,       0, "everything, as JSON"},
        {0},
    };
    /* clang-format on */
    const struct command command = {
        .name = "count",
        .usage = "--type TYPE --count N [--shape SHAPE] [--engine NAME] [--lines | --json]",
        .about =
            "Sort an input in the simulator, with the kernels a GPU would run; check\n"
            "the result; print what each kernel and each source line asked of memory,\n"
            "and hold the totals against the formulas of the paper.",
        .options = options,
        .more =
            "A request is one access of a whole warp; a wavefront one turn of the 32\n"
            "banks of shared memory, a conflict a turn too many; a sector 32 bytes of\n"
            "global memory, distinct if its launch had not yet read or written it: what\n"
            "memory moves. The exit status is 1 if the sort was wrong, or if a claim is\n"
            "NOT EXPLAINED: neither the formula nor what is named beside it accounts for\n"
            "the count.\n"
            "\n"
            "  multiway count --type i32 --count 100k --shape random --ways 8\n"
            "  multiway count --type f64 --count 20k --shape organ --engine heap --lines\n",
    };
    enum parsed parsed;

    kit_shape_parse("random", &choice.shape);
    parsed = options_parse(&command, argc, argv, NULL);
    return parsed == PARSED_RUN ? count(&choice) : exit_of(parsed);
}
