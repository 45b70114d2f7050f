/*
 * model.c - `multiway model`: what a sort should cost by the paper's analysis and by its
 * plan, beside what the simulator counts.
 */
#include "cli.h"
#include "device.h"
#include "model_cuts.h"
#include "options.h"
#include "placed.h"
#include "tally.h"
#include "trials.h"

#include <inttypes.h>
#include <math.h>

enum {
    LANES = 32,            /* W, and the keys of an I/O */
    MOST_UNASKED = 1 << 20 /* keys that are sorted without --run */
};

struct model {
    struct trials trials; /* the input */
    const char *operation, *job;
    struct kit_task task;
    mw_tuning tuning;
    uint64_t block;  /* B; 0: 32 */
    uint64_t memory; /* M; 0: the keys of a base-case run */
    int run;         /* any number of keys */
    int no_run;
    int json;

    uint32_t warps;       /* P */
    struct tally ways[2]; /* pairwise first, then multiway; counts if it was run */
    int way_count;
    int ran;
};

/* log_base(x), at least 0: there are no negative passes. */
static double log_of(double x, double base)
{
    return x > 1 ? log2(x) / log2(base) : 0;
}

/*
 * The paper's analysis in the parallel external memory model. It gives no constants, so
 * they are 1 here, and logarithms are not rounded. Its unit of work is an access
 * to shared memory; here also a shuffle. A lane of a pairwise sort merges key by key, a
 * warp with a heap merges blocks by bitonic networks.
 */
static void put_orders(struct report *report, const struct model *model,
                       const struct tally *tally)
{
    const mw_traffic *const traffic = &tally->counts.traffic;
    const int heap = tally->plan.tuning.engine == MW_ENGINE_HEAP;
    const uint64_t merges =
        tally->claims[MERGING + READS].counted + tally->claims[MERGING + WRITES].counted;
    const uint64_t work = traffic->shared_wavefronts + traffic->shuffles;
    const uint64_t shared = tally->counts.warp_shared / mw_type_size(model->trials.type);
    const double n = (double)tally->plan.count;
    const double k = tally->plan.tuning.ways;
    const double p = model->warps;
    const double m = (double)model->memory;
    const double b = (double)model->block;
    const double once = n / (p * b); /* I/Os of a processor that move all keys */
    const double rounds = log_of(n / m, k);
    /* clang-format off */
    const struct {
        const char *what, *formula;
        double order, counted; /* less than 0: cannot be counted */
    } orders[] = {
        {"I/Os of merging", "O(N/(P B) log_K(N/M))",
         once * rounds, (double)merges / p},
        {"all I/Os", "O(N/(P B) (log_K(N/M) + 1) + K log2(N) log_K(N/M))",
         once * (rounds + 1) + k * log_of(n, 2) * rounds,
         (double)traffic->global_requests / p},
        {"least I/Os of any sort", "Omega(N/(P B) log_(M/B)(N/B) + log2(N))",
         once * log_of(n / b, m / b) + log_of(n, 2), -1},
        {"work", heap ? "O(N/(P W) log2(N) log2(W))" : "O(N/(P W) log2(N))",
         n / (p * LANES) * log_of(n, 2) * (heap ? log2(LANES) : 1),
         (double)work / p},
        {"shared memory, keys", "B (2 K - 1)",
         b * (2 * k - 1), (double)shared},
    };
    /* clang-format on */
    const struct table table = table_open(
        report, "orders", "order_of_growth:-26 order:18 counted:18 quotient:9 formula:-1");

    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        const double order = orders[i].order;
        const double counted = model->ran ? orders[i].counted : -1;

        table_row(&table, TEXT(orders[i].what), REAL(order), REAL(counted),
                  REAL(order > 0 ? counted / order : -1), TEXT(orders[i].formula));
    }
    table_close(&table);
}

static void put_rounds(struct report *report, const mw_plan *plan)
{
    const struct table table =
        table_open(report, "rounds",
                   "round:-26 run:18 ways:18 groups:12 pieces:12 piece:18 blocks:12");

    for (uint32_t i = 0; i < plan->rounds; i++) {
        const mw_plan_round *const r = &plan->round[i];

        table_row(&table, COUNT(i + 1), COUNT(r->run), COUNT(r->ways), COUNT(r->groups),
                  COUNT(r->pieces), COUNT(r->piece), COUNT(r->blocks));
    }
    table_close(&table);
}

/* Bulk sectors of all passes, by the formula or counted. */
static uint64_t sectors_of(const struct tally *tally, int ran)
{
    uint64_t sum = 0;

    for (int i = READ_SECTORS; i < PLANNED; i += 2)
        sum += ran ? tally->claims[i].counted : tally->claims[i].formula;
    return sum;
}

static void put_way(struct report *report, const struct model *model,
                    const struct tally *tally)
{
    const mw_plan *const plan = &tally->plan;

    report_open(report, NULL);
    report_field(report, "name", TEXT(plan->tuning.ways == 2 ? "pairwise" : "multiway"));
    report_field(report, "K", COUNT(plan->tuning.ways));
    report_field(report, "tuning", TUNING(&plan->tuning));
    report_field(report, "launches", COUNT(plan->launches));
    report_field(report, "workspace_bytes", COUNT(plan->workspace_bytes));
    report_field(report, "merge_rounds", COUNT(plan->rounds));
    report_field(report, model->ran ? "bulk_sectors" : "least_bulk_sectors",
                 COUNT(sectors_of(tally, model->ran)));
    put_rounds(report, plan);
    put_orders(report, model, tally);
    tally_report(report, tally, model->ran);
    report_close(report);
}

static void put_model(const struct model *model)
{
    struct report report = report_begin(model->json);
    const struct trials *const input = &model->trials;
    const struct tally *const ways = model->ways;

    report_input(&report, input->type, input->count, input->shape, input->seed);
    report_field(&report, "ran", TRUTH(model->ran));
    if (model->ran)
        report_field(&report, "correct",
                     TRUTH(ways[0].correct && ways[model->way_count - 1].correct));
    report_field(&report, "N", COUNT(input->count));
    report_field(&report, "P", COUNT(model->warps));
    report_field(&report, "M", COUNT(model->memory));
    report_field(&report, "B", COUNT(model->block));
    report_field(&report, "W", COUNT(LANES));
    if (model->json)
        json_open(&report.json, "ways", '[');
    for (int i = 0; i < model->way_count; i++)
        put_way(&report, model, &ways[i]);
    if (model->json)
        json_close(&report.json, '[');
    report_close(&report);
}

/* The way asked for and, before it, the same engine and base with two ways. */
static mw_status find_ways(struct model *model)
{
    const struct trials *const input = &model->trials;
    const mw_tuning heap = {.size = sizeof heap, .engine = MW_ENGINE_HEAP};
    mw_plan of_heap, plan;
    mw_status status =
        sort_plan(input->context, &heap, input->type, input->count, &of_heap);

    if (status == MW_OK)
        status =
            sort_plan(input->context, &model->tuning, input->type, input->count, &plan);
    if (status != MW_OK)
        return status;
    model->warps = model->tuning.warps ? model->tuning.warps : of_heap.tuning.warps;
    model->memory = model->memory ? model->memory : plan.tuning.base;
    model->block = model->block ? model->block : LANES;
    model->tuning = plan.tuning;
    for (int i = plan.tuning.ways == 2; i < 2 && status == MW_OK; i++) {
        model->tuning.ways = i ? plan.tuning.ways : 2;
        status = tally_plan(&model->ways[model->way_count++], input->context,
                            &model->tuning, input->type, input->count);
    }
    return status;
}

/* Sort as each way says and add up what was counted. */
static int run_ways(struct model *model)
{
    int result = trials_open(&model->trials);

    for (int i = 0; i < model->way_count && result != EXIT_TROUBLE; i++) {
        const mw_tuning tuning = model->ways[i].plan.tuning;
        const int one = trials_count(&model->trials, &tuning, &model->ways[i]);

        result = one > result ? one : result;
    }
    model->ran = 1;
    trials_close(&model->trials);
    return result;
}

/* Does the command also run what it computes? */
static int wants_run(const struct model *model)
{
    return !model->no_run && (model->run || model->trials.count <= MOST_UNASKED);
}

static int model(struct model *model)
{
    mw_context **const context = &model->trials.context;
    int result = trials_simulate(&model->trials);

    if (result == EXIT_FINE && model->job) {
        result = model_cuts(&model->trials, &model->task, &model->tuning, wants_run(model),
                            model->json);
        mw_close(*context);
        return result;
    }
    if (result == EXIT_FINE && find_ways(model) != MW_OK)
        result = complain("model", "%s", mw_error(*context));
    if (result == EXIT_FINE && model->memory <= model->block)
        result =
            complain("model", "M = %" PRIu64 " and B = %" PRIu64 ": expected M to exceed B",
                     model->memory, model->block);
    if (result == EXIT_FINE && wants_run(model))
        result = run_ways(model);
    if (result != EXIT_TROUBLE)
        put_model(model);
    mw_close(*context);
    return result;
}

int command_model(int argc, char **argv)
{
    struct model c = {
        .trials = {.command = "model", .type = MW_I32, .trials = 1},
        .operation = "sort",
        .tuning = MW_TUNING_INIT
    };
    /* clang-format off */
    const struct option options[] = {
        {"type",   0, "TYPE",  OPTION_TYPE,  &c.trials.type,  0, "of the keys (i32):"},
        COUNT_OPTION(c.trials.count),
        {"operation", 0, "NAME", OPTION_TEXT, &c.operation, 0, "sort, merge, split (sort)"},
        {"job",    0, "TEXT", OPTION_TEXT, &c.job,  0, "lists, as of bench: 16, zipf:64"},
        {"block",  0, "B",  OPTION_SIZE, &c.block,  0, "keys of an I/O in formulas (32)"},
        {"memory", 0, "M",  OPTION_SIZE, &c.memory, 0, "keys of internal memory (base)"},
        SHAPE_OPTION(c.trials.shape), SEED_OPTION(c.trials.seed),
        TUNING_OPTIONS(c.tuning),
        {"run",    0, NULL, OPTION_FLAG, &c.run,    0, "sort even more than 2^20 keys"},
        {"no-run", 0, NULL, OPTION_FLAG, &c.no_run, 0, "formulas only"},
        JSON_OPTION(c.json),
        {0},
    };
    /* clang-format on */
    const struct command command = {
        .name = "model",
        .usage = "--count N [--type TYPE] [--ways K] [--warps P] [--engine NAME] [--json]",
        .about =
            "Print the paper's formulas for a sort, with K ways and pairwise: I/Os,\n"
            "their lower bound, internal work, shared memory. Print the library's plan\n"
            "for it, and the bulk traffic that follows from the plan. Beside both,\n"
            "print what the simulator counted. Of merges and splits, print the I/Os of\n"
            "cuts.",
        .options = options,
        .more =
            "The paper's formulas are orders of growth, printed with constants of 1 for\n"
            "one of P warps. Up to 2^20 keys are sorted without --run. The exit status is\n"
            "1 if the sort was wrong, or if a claim does not hold.\n"
            "\n"
            "  multiway model --count 2^16 --engine heap --ways 16 --base 1024\n"
            "  multiway model --count 2^40 --type f64 --ways 8 --warps 1000\n"
            "  multiway model --count 2^20 --operation merge --job 16\n",
    };
    const int parsed = options_parse(&command, argc, argv, NULL);

    if (parsed != OPTIONS_RUN)
        return parsed;
    if (c.run && c.no_run)
        return complain("model", "--run and --no-run exclude each other");
    if (task_read("model", c.operation, c.job, &c.task))
        return EXIT_TROUBLE;
    if (c.task.operation > KIT_SPLIT)
        return complain("model", "--operation %s: expected sort, merge or split",
                        c.operation);
    return model(&c);
}
