/*
 * model.c - `multiway model`: what a sort should cost by the paper's analysis and by
 * the kernels' own arithmetic, and beside it what the simulator counts.
 */
#include "cli.h"
#include "device.h"
#include "model_report.h"
#include "options.h"

#include <stdlib.h>

enum {
    LANES = 32,            /* W, and the keys of an I/O */
    MOST_UNASKED = 1 << 20 /* keys that are sorted without --run */
};

static int failed(const mw_context *context, mw_status status)
{
    return complain("model", "%s", device_error(context, status));
}

/* Sort the input as `way` says, and enter what was counted; -1 after a complaint. */
static int run_way(const struct model *model, struct model_result *result,
                   struct model_way *way, mw_context *context,
                   const struct kit_input *input, void *keys)
{
    struct kit_fingerprint before = {0, 0};
    struct kit_fingerprint after = {0, 0};
    mw_counts counts = MW_COUNTS_INIT;
    const mw_ledger_line *lines;
    size_t line_count;
    mw_status status;

    kit_input_fill(input, 0, model->count, keys);
    kit_fingerprint_add(&before, model->type, keys, model->count);
    status = mw_set_tuning(context, &way->forecast.tuning);
    if (status == MW_OK)
        status = mw_sort(context, model->type, MW_ASCENDING, keys, model->count);
    if (status == MW_OK)
        status = mw_get_counts(context, &counts);
    if (status == MW_OK)
        status = mw_get_ledger(context, &lines, &line_count);
    if (status != MW_OK) {
        failed(context, status);
        return -1;
    }
    kit_fingerprint_add(&after, model->type, keys, model->count);
    result->correct &=
        kit_fingerprint_equal(before, after) &&
        kit_first_disorder(model->type, MW_ASCENDING, keys, model->count) == model->count;
    forecast_count(&way->forecast, &counts, lines, line_count);
    way->traffic = counts.traffic;
    for (int i = 0; i < FIGURES; i++)
        result->held &= figure_holds(&way->forecast.figures[i]);
    return 0;
}

static int run_ways(const struct model *model, struct model_result *result,
                    mw_context *context)
{
    struct kit_input input = {0};
    void *const keys = memory_for("model", model->count, mw_type_size(model->type));
    int trouble = -1;

    if (!keys)
        return -1;
    if (kit_input_open(&input, model->type, model->count, model->shape, model->seed) !=
        MW_OK)
        complain("model", "no memory for the swaps");
    else
        trouble = 0;
    for (int i = 0; i < result->way_count && !trouble; i++)
        trouble = run_way(model, result, &result->ways[i], context, &input, keys);
    result->ran = !trouble;
    kit_input_close(&input);
    free(keys);
    return trouble;
}

/* Warps at work: as wished, or as many as engine heap would keep in flight. */
static mw_status find_warps(const struct model *model, mw_context *context, uint32_t *warps)
{
    mw_tuning tuning = MW_TUNING_INIT;
    mw_status status;

    *warps = model->tuning.warps;
    if (*warps)
        return MW_OK;
    tuning.engine = MW_ENGINE_HEAP;
    status = mw_set_tuning(context, &tuning);
    if (status == MW_OK)
        status = kit_get_tuning(context, model->type, model->count, &tuning);
    *warps = tuning.warps;
    return status;
}

/* Foretell one way to sort, by a tuning that the library filled in. */
static void add_way(const struct model *model, struct model_result *result,
                    const mw_tuning *tuning, uint32_t warps)
{
    struct model_way *const way = &result->ways[result->way_count++];

    way->pem = (struct pem){.n = (double)model->count,
                            .p = warps,
                            .m = (double)(model->memory ? model->memory : tuning->base),
                            .b = (double)(model->block ? model->block : LANES),
                            .w = LANES,
                            .k = tuning->ways};
    forecast_make(&way->forecast, tuning, mw_type_size(model->type), model->count);
}

/* The way asked for and, before it, the same engine and base with two ways. */
static mw_status find_ways(const struct model *model, struct model_result *result,
                           mw_context *context)
{
    mw_tuning many;
    mw_tuning two;
    uint32_t warps;
    mw_status status = kit_get_tuning(context, model->type, model->count, &many);

    if (status == MW_OK)
        status = find_warps(model, context, &warps);
    if (status != MW_OK)
        return status;
    two = many;
    two.ways = 2;
    if (many.ways != 2) {
        status = mw_set_tuning(context, &two);
        if (status == MW_OK)
            status = kit_get_tuning(context, model->type, model->count, &two);
        if (status != MW_OK)
            return status;
        add_way(model, result, &two, warps);
    }
    add_way(model, result, &many, warps);
    return MW_OK;
}

static int model(const struct model *model)
{
    const struct cache_choice no_cache = {NULL, 1};
    struct model_result result = {.correct = 1, .held = 1};
    mw_context *context = NULL;
    mw_status status = device_open(&context, "sim", no_cache, &model->tuning);
    int trouble = 0;

    if (status == MW_OK)
        status = find_ways(model, &result, context);
    if (status != MW_OK)
        trouble = failed(context, status);
    else if (result.ways[0].pem.m <= result.ways[0].pem.b)
        trouble = complain("model", "memory must be more than a block: M = %.0f, B = %.0f",
                           result.ways[0].pem.m, result.ways[0].pem.b);
    else if (!model->no_run && (model->run || model->count <= MOST_UNASKED))
        trouble = run_ways(model, &result, context);
    mw_close(context);
    if (trouble)
        return EXIT_TROUBLE;
    if (model->json)
        model_report_json(model, &result);
    else
        model_report_text(model, &result);
    return result.correct && result.held ? EXIT_FINE : EXIT_NO;
}

int command_model(int argc, char **argv)
{
    struct model choice = {.type = MW_I32, .tuning = MW_TUNING_INIT};
    /* clang-format off */
    const struct option options[] = {
        {"type",   0, "TYPE",  OPTION_TYPE,  &choice.type,   0, "of the keys (i32):"},
        {"count",  0, "N",     OPTION_COUNT, &choice.count,  1, "how many, N"},
        {"block",  0, "B",     OPTION_SIZE,  &choice.block,  0,
         "keys of an I/O, for the paper's formulas (32)"},
        {"memory", 0, "M",     OPTION_SIZE,  &choice.memory, 0,
         "keys of internal memory, likewise (the base)"},
        {"shape",  0, "SHAPE", OPTION_SHAPE, &choice.shape,  0,
         "of the input, as for gen (random)"},
        {"seed",   0, "N",     OPTION_COUNT, &choice.seed,   0,
         "another number, another input (0)"},
        TUNING_OPTIONS(choice.tuning),
        {"run",    0, NULL,    OPTION_FLAG,  &choice.run,    0,
         "sort even if it takes long"},
        {"no-run", 0, NULL,    OPTION_FLAG,  &choice.no_run, 0, "formulas only"},
        {"json",   0, NULL,    OPTION_FLAG,  &choice.json,   0, "everything, as JSON"},
        {0},
    };
    /* clang-format on */
    const struct command command = {
        .name = "model",
        .usage = "--count N [--type TYPE] [--ways K] [--warps P] [--engine NAME] [--json]",
        .about = "Print the paper's formulas for a sort, with K ways and pairwise: I/Os,\n"
                 "their lower bound, internal work, shared memory. Then print what the\n"
                 "kernels should ask of memory exactly, and beside both what they did ask\n"
                 "for in the simulator.",
        .options = options,
        .more =
            "The paper's formulas are orders of growth: they are printed with constants\n"
            "of 1, for one of P warps (--warps, or what engine heap would keep in\n"
            "flight). Up to 2^20 keys are sorted unasked. The exit status is 1 if the\n"
            "sort was wrong, or a figure not as foretold.\n"
            "\n"
            "  multiway model --count 2^16 --engine heap --ways 16 --base 1024\n"
            "  multiway model --count 2^40 --type f64 --ways 8 --warps 1000\n",
    };
    enum parsed parsed;

    kit_shape_parse("random", &choice.shape);
    parsed = options_parse(&command, argc, argv, NULL);
    if (parsed != PARSED_RUN)
        return exit_of(parsed);
    if (choice.run && choice.no_run)
        return complain("model", "--run or --no-run, not both");
    return model(&choice);
}
