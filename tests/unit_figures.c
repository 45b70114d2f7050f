/*
 * unit_figures.c - what the library tells of a sort: mw_get_plan agrees with what a timed
 * sort then launches, counts and ledger add up, and stay until the next sort.
 */
#include "kernel/fixture.h"
#include "trial.h"

static const struct {
    const char *name;
    mw_tuning tuning; /* size, engine, ways, warps, threads, items, base */
} tunings[] = {
    {"auto",           {sizeof(mw_tuning), MW_ENGINE_AUTO, 0, 0, 0, 0, 0}      },
    {"heap",           {sizeof(mw_tuning), MW_ENGINE_HEAP, 0, 0, 0, 0, 0}      },
    {"heap, 2 ways",   {sizeof(mw_tuning), MW_ENGINE_HEAP, 2, 7, 64, 0, 1024}  },
    {"heap, 32 ways",  {sizeof(mw_tuning), MW_ENGINE_HEAP, 32, 100, 0, 0, 2048}},
    {"tile, 4 ways",   {sizeof(mw_tuning), MW_ENGINE_TILE, 4, 0, 64, 32, 0}    },
    {"tile, 32 ways",  {sizeof(mw_tuning), MW_ENGINE_TILE, 32, 0, 0, 0, 0}     },
    {"pair",           {sizeof(mw_tuning), MW_ENGINE_PAIR, 0, 0, 0, 0, 0}      },
    {"auto as heap's", {sizeof(mw_tuning), MW_ENGINE_AUTO, 4, 0, 0, 0, 1024}   },
};

static const uint64_t counts[] = {0, 1, 1024, 2049, 9001, 30011};
static const mw_type types[] = {MW_I32, MW_U8, MW_F64};

/* Is the merge of a round launched as planned? Cutters of tile_merge come on top. */
static int merge_agrees(const mw_plan *plan, const mw_launch *l, int phases)
{
    const mw_plan_round *const round = &plan->round[l->round - 1];
    const int cuts_inside =
        plan->tuning.engine == MW_ENGINE_TILE && !round->joined && !phases;

    return l->threads == plan->tuning.threads &&
           (cuts_inside ? l->blocks > round->blocks : l->blocks == round->blocks);
}

/* The launches of a sort, the last of each round being its merge, against the plan. */
static int launches_agree(const mw_plan *plan, const mw_launch *l, size_t count, int phases)
{
    int right = (count > 0) == (plan->count > 0);
    uint32_t round = 0;

    for (size_t i = 0; right && i < count; i++) {
        if (i == 0)
            right = l->round == 0 && l->blocks == plan->first_blocks &&
                    l->threads == plan->first_threads;
        else if (i + 1 == count || l[i + 1].round != l[i].round)
            right = l[i].round == ++round && merge_agrees(plan, &l[i], phases);
        else
            right = l[i].round == round + 1;
    }
    return right && round == plan->rounds &&
           (phases ? count >= plan->launches : count == plan->launches);
}

static int plan_agrees(mw_context *context, const struct trial *t, int phases)
{
    mw_plan plan = {.size = sizeof plan};
    mw_counts made = MW_COUNTS_INIT;
    const mw_launch *launches;
    struct outcome outcome;
    uint64_t workspace;
    size_t count;
    int right;

    mw_set_timing(context, phases ? MW_TIMING_PHASES : MW_TIMING_LAUNCHES);
    right = mw_set_tuning(context, &t->tuning) == MW_OK &&
            kit_get_plan(context, t->type, t->count, &plan) == MW_OK &&
            kit_sort_workspace(context, t->type, t->count, &workspace) == MW_OK &&
            plan.workspace_bytes <= workspace && trial_run(context, t, &outcome);
    if (right)
        trial_close(&outcome);
    return right && mw_get_launches(context, &launches, &count) == MW_OK &&
           launches_agree(&plan, launches, count, phases) &&
           mw_get_counts(context, &made) == MW_OK && made.rounds == plan.rounds &&
           made.launches == count && made.count == t->count && plan.count == t->count &&
           memcmp(&made.tuning, &plan.tuning, sizeof made.tuning) == 0;
}

static void test_plans(struct tap *tap, mw_context *context)
{
    for (size_t i = 0; i < COUNT_OF(tunings) * COUNT_OF(counts); i++) {
        const size_t row = i / COUNT_OF(counts);
        struct trial t = {.type = types[i % COUNT_OF(types)],
                          .shape = "random",
                          .count = counts[i % COUNT_OF(counts)],
                          .tuning = tunings[row].tuning,
                          .device_memory = (int)i % 2};

        if (t.tuning.items && t.count > 30000) /* more tiles than are joined */
            t.count = (1 << 17) + 1;
        tap_case(tap, plan_agrees(context, &t, 0) && plan_agrees(context, &t, 1),
                 "planned as launched: %s, %llu %s", tunings[row].name,
                 (unsigned long long)t.count, mw_type_name(t.type));
    }
    mw_set_timing(context, MW_TIMING_OFF);
}

/* By kernel, file, line, kind of access and loads before stores; no entry twice. */
static int ledger_sorted(const mw_ledger_line *lines, size_t count)
{
    int right = 1;

    for (size_t i = 0; i < count; i++) {
        const mw_ledger_line *const a = &lines[i > 0 ? i - 1 : 0];
        const mw_ledger_line *const b = &lines[i];
        int order = strcmp(a->kernel, b->kernel);

        order = order ? order : strcmp(a->file, b->file);
        order = order ? order : a->line - b->line;
        order = order ? order : (int)a->access - (int)b->access;
        order = order ? order : a->stores - b->stores;
        right &= (i == 0 || order < 0) && b->line > 0 && b->text && *b->text &&
                 *b->text != ' ' && b->launches > 0;
    }
    return right;
}

static int adds_up(const mw_counts *made, const mw_ledger_line *lines, size_t count)
{
    const mw_traffic sum = ledger_total(lines, count);

    return memcmp(&sum, &made->traffic, sizeof sum) == 0;
}

static void test_figures(struct tap *tap, mw_context *context, const char *device)
{
    const int counting = strcmp(device, "sim") == 0;
    const int planned = strncmp(device, "cpu", 3) != 0;
    const mw_ledger_line *lines = NULL;
    const mw_ledger_line *again = NULL;
    mw_counts made = MW_COUNTS_INIT;
    mw_tuning wish = MW_TUNING_INIT;
    static uint32_t keys[5000];
    size_t count = 99;

    tap_ok(tap,
           mw_get_counts(context, &made) == MW_OK && made.count == 0 &&
               made.launches == 0 && made.bytes_read == 0 &&
               made.traffic.shared_requests == 0 &&
               mw_get_ledger(context, &lines, &count) == MW_OK && count == 0,
           device, "no figures before the first sort");
    wish.ways = 4;
    wish.base = 1024;
    kit_fill(MW_U32, "random", 1, keys, COUNT_OF(keys));
    tap_ok(tap,
           mw_set_tuning(context, &wish) == MW_OK &&
               mw_sort(context, MW_U32, MW_ASCENDING, keys, COUNT_OF(keys)) == MW_OK &&
               mw_get_counts(context, &made) == MW_OK && made.count == COUNT_OF(keys) &&
               made.size == sizeof made &&
               (!planned || (made.rounds == 2 && made.launches == 5 &&
                             made.bytes_read == 3 * sizeof keys &&
                             made.bytes_written == 3 * sizeof keys &&
                             made.warp_shared == 32 * 7 * sizeof keys[0])),
           device, "rounds, launches and bytes by plan");
    tap_ok(tap,
           mw_get_ledger(context, &lines, &count) == MW_OK && (count > 0) == counting &&
               (made.traffic.shared_requests > 0) == counting &&
               adds_up(&made, lines, count) && ledger_sorted(lines, count),
           device, "the ledger adds up");
    tap_ok(tap,
           mw_get_counts(context, &made) == MW_OK &&
               mw_get_ledger(context, &again, &count) == MW_OK && again == lines &&
               adds_up(&made, lines, count),
           device, "the ledger stays until the next sort");
    tap_ok(tap,
           mw_sort(context, MW_U32, MW_ASCENDING, NULL, 0) == MW_OK &&
               kit_sort_device(context, MW_U32, MW_ASCENDING, NULL, 0, NULL, 0, NULL) ==
                   MW_OK &&
               mw_get_counts(context, &made) == MW_OK && made.count == 0 &&
               made.launches == 0 && made.traffic.shared_requests == 0,
           device, "nothing to sort, not even a pointer");
}

/* The CPU has a plan, too: a workspace, no launches, the tuning that was set. */
static void test_cpu(struct tap *tap, mw_context *context)
{
    mw_plan plan = {.size = sizeof plan};
    mw_tuning wish = MW_TUNING_INIT;
    uint64_t bytes = 0;

    wish.ways = 8;
    tap_ok(tap,
           mw_set_tuning(context, &wish) == MW_OK &&
               kit_get_plan(context, MW_U32, 1 << 20, &plan) == MW_OK &&
               kit_sort_workspace(context, MW_U32, 1 << 20, &bytes) == MW_OK &&
               plan.count == 1 << 20 && plan.workspace_bytes == bytes && bytes > 0 &&
               plan.launches == 0 && plan.tuning.ways == 8,
           "cpu", "a plan");
}

int main(void)
{
    static const char *const devices[] = {"cpu:2", "sim", "cuda"};
    struct tap tap = {0, 0};

    for (size_t i = 0; i < COUNT_OF(devices); i++) {
        mw_context *context;
        const mw_status status = mw_open(&context, devices[i], NULL);

        if (status == MW_NO_DEVICE && strcmp(devices[i], "cuda") == 0) {
            tap_skip(&tap, "cuda: plans and figures", "no CUDA device");
        } else {
            tap_ok(&tap, status == MW_OK, devices[i], mw_error(context));
            test_figures(&tap, context, devices[i]);
            if (i > 0)
                test_plans(&tap, context);
            else
                test_cpu(&tap, context);
        }
        mw_close(context);
    }
    return tap_end(&tap);
}
