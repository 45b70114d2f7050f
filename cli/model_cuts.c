/*
 * model_cuts.c - `multiway model` of merges and splits: the I/Os of cuts by the paper's
 * analysis of its partition, beside what the simulator counts.
 *
 * The paper finds a cut of K lists by binary searches, K log2 N steps, each of which reads
 * one block. An I/O is counted here as a sector that a probe reads.
 */
#include "model_cuts.h"

#include "cli.h"
#include "table.h"
#include "tally.h"

#include <math.h>

enum { LANES = 32 };

/* What the analysis says, added up over the rounds of a merge. */
struct cuts_order {
    double cuts;   /* that are searched for: the ends of a group need no search */
    double probes; /* of all of them */
    double steps;  /* probes that a warp makes one after the other */
    double moves;  /* I/Os that move keys */
};

static double log2_of(double x)
{
    return x > 1 ? log2(x) : 0;
}

/* `cuts` cuts of `lists` lists of `length` keys each. */
static void add_cuts(struct cuts_order *order, double cuts, double lists, double length)
{
    order->cuts += cuts;
    order->probes += cuts * lists * log2_of(length);
    order->steps += cuts * ceil(lists / LANES) * log2_of(length);
}

static struct cuts_order order_of(const struct kit_work *work, const mw_plan *plan)
{
    struct cuts_order order = {0};

    if (work->task.operation == KIT_SPLIT)
        add_cuts(&order, (double)work->rank_count, (double)work->parts,
                 (double)work->count / (double)work->parts);
    for (uint32_t i = 0; work->task.operation == KIT_MERGE && i < plan->rounds; i++) {
        const mw_plan_round *const r = &plan->round[i];

        add_cuts(&order, (double)(r->blocks - r->groups), r->ways, (double)r->run);
        order.moves += 2 * (double)work->count / LANES;
    }
    return order;
}

static void put_rounds(struct report *report, const mw_plan *plan)
{
    const struct table table = table_open(
        report, "rounds", "round:-26 run:18 ways:18 groups:12 tiles:12 piece:18");

    for (uint32_t i = 0; i < plan->rounds; i++) {
        const mw_plan_round *const r = &plan->round[i];

        table_row(&table, COUNT(i + 1), COUNT(r->run), COUNT(r->ways), COUNT(r->groups),
                  COUNT(r->blocks), COUNT(r->piece));
    }
    table_close(&table);
}

/* Orders of growth with constants of 1, and what was counted; below 0: nothing was. */
static void put_orders(struct report *report, const struct kit_work *work,
                       const struct cuts_order *order, const struct tally *tally)
{
    const int splits = work->task.operation == KIT_SPLIT;
    const mw_traffic none = {0};
    const mw_traffic *const probes = !tally   ? &none
                                     : splits ? &tally->bulk /* it moves no keys */
                                              : &tally->probes;
    const double cuts = order->cuts > 0 ? order->cuts : 1;
    const double sectors = ceil((double)(work->count * mw_type_size(work->type)) / LANES);
    /* clang-format off */
    const struct {
        const char *what, *formula;
        double order, counted;
    } orders[] = {
        {"I/Os of a cut", "O(K log2(N/K))", order->probes / cuts,
         (double)probes->global_sectors / cuts},
        {"its steps, 32 lists each", "O(K/W log2(N/K))", order->steps / cuts,
         (double)probes->global_requests / cuts},
        {"I/Os of all cuts", "O(C K log2(N/K))", order->probes,
         (double)probes->global_sectors},
        {"different blocks of these", "at most all: N size/32", sectors,
         (double)probes->global_distinct},
        {"I/Os of moving keys", "2 R N/B", order->moves,
         tally && !splits ? (double)tally->bulk.global_requests : 0},
    };
    /* clang-format on */
    const struct table table = table_open(
        report, "orders", "order_of_growth:-26 order:18 counted:18 quotient:9 formula:-1");

    for (size_t i = 0; i < sizeof orders / sizeof orders[0] - (size_t)splits; i++) {
        const double counted = tally ? orders[i].counted : -1;

        table_row(&table, TEXT(orders[i].what), REAL(orders[i].order), REAL(counted),
                  REAL(orders[i].order > 0 ? counted / orders[i].order : -1),
                  TEXT(orders[i].formula));
    }
    table_close(&table);
}

static void put_cuts(const struct trials *input, const struct kit_work *work,
                     const mw_plan *plan, const struct tally *tally, int json)
{
    const struct cuts_order order = order_of(work, plan);
    struct report report = report_begin(json);

    report_input(&report, input->type, input->count, input->shape, input->seed);
    report_field(&report, "operation", TEXT(kit_operation_name(work->task.operation)));
    report_field(&report, "job", TEXT(work->task.text));
    report_field(&report, "ran", TRUTH(tally != NULL));
    if (tally)
        report_field(&report, "correct", TRUTH(tally->correct));
    report_field(&report, "N", COUNT(work->count));
    report_field(&report, "K", COUNT(work->parts));
    report_field(&report, "C", COUNT((uint64_t)order.cuts));
    report_field(&report, "R", COUNT(plan->rounds));
    report_field(&report, "B", COUNT(LANES));
    report_field(&report, "W", COUNT(LANES));
    if (plan->rounds)
        put_rounds(&report, plan);
    put_orders(&report, work, &order, tally);
    report_close(&report);
}

/* The plan of the job; no array is read for it, so any addresses will do. */
static mw_status plan_of(mw_context *context, struct kit_work *work, mw_plan *plan)
{
    char *const any = (char *)(uintptr_t)(UINT64_C(1) << 40);
    const int has_values = work->out_value_bytes && !work->task.positions;
    const struct kit_arrays arrays = {.keys = any,
                                      .values = has_values ? any : NULL,
                                      .out = any,
                                      .out_values = work->out_value_bytes ? any : NULL,
                                      .ranks = (const uint64_t *)any};
    const mw_job job = kit_work_job(work, &arrays);

    return mw_get_plan(context, &job, plan);
}

int model_cuts(struct trials *trials, const struct kit_task *task, const mw_tuning *tuning,
               int run, int json)
{
    mw_plan plan = MW_PLAN_INIT;
    struct tally tally;
    struct kit_work work;
    const char *const wrong = kit_work_open(&work, task, trials->type, trials->count);
    int result = EXIT_FINE;

    if (wrong)
        result = complain("model", "--job %s: %s", task->text, wrong);
    else if (mw_set_tuning(trials->context, tuning) != MW_OK ||
             plan_of(trials->context, &work, &plan) != MW_OK)
        result = complain("model", "%s", mw_error(trials->context));
    if (result == EXIT_FINE && run) {
        result = trials_open(trials);
        if (result == EXIT_FINE)
            result = trials_count_task(trials, task, tuning, &tally);
        trials_close(trials);
    }
    if (result != EXIT_TROUBLE)
        put_cuts(trials, &work, &plan, run ? &tally : NULL, json);
    kit_work_close(&work);
    return result;
}
