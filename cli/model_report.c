#include "model_report.h"

#include "json.h"
#include "options.h"

#include <inttypes.h>
#include <math.h>

/* One of the paper's formulas, and what was counted for it. */
struct order {
    const char *key; /* in JSON */
    const char *what;
    const char *formula;
    int asymptotic; /* known but for a constant, which is taken to be 1 */
    double order;
    int countable; /* a bound on all sorts is not */
    double counted;
};

enum { ORDERS = 5 };

/* The paper's unit of work is an access to shared memory; here also a shuffle. */
/* clang-format off */
static void make_orders(const struct model_way *way, struct order orders[ORDERS])
{
    const struct pem *const pem = &way->pem;
    const struct forecast *const f = &way->forecast;
    const int heap = f->tuning.engine == MW_ENGINE_HEAP;
    const uint64_t merges =
        f->figures[MERGE_READS].counted + f->figures[MERGE_WRITES].counted;
    const uint64_t work = way->traffic.shared_wavefronts + way->traffic.shuffles;
    const uint64_t shared = f->figures[WARP_BYTES].counted;

    orders[0] = (struct order){
        "merge_ios", "I/Os of merging", "O(N/(P B) log_K(N/M))",
        1, pem_merge_ios(pem), 1, (double)merges / pem->p};
    orders[1] = (struct order){
        "all_ios", "all I/Os", "O(N/(P B) (log_K(N/M) + 1) + K log2(N) log_K(N/M))",
        1, pem_all_ios(pem), 1, (double)way->traffic.global_requests / pem->p};
    orders[2] = (struct order){
        "least_ios", "least I/Os of any sort", "Omega(N/(P B) log_(M/B)(N/B) + log2(N))",
        1, pem_least_ios(pem), 0, 0};
    orders[3] = (struct order){
        "work", "work", heap ? "O(N/(P W) log2(N) log2(W))" : "O(N/(P W) log2(N))",
        1, heap ? pem_heap_work(pem) : pem_pairwise_work(pem), 1, (double)work / pem->p};
    orders[4] = (struct order){
        "shared_keys", "shared memory, keys", "B (2 K - 1)",
        0, pem_heap_keys(pem), 1, (double)shared / (double)f->key_size};
}
/* clang-format on */

static void print_order(const struct order *order, int ran)
{
    printf("    %-23s %14.2f", order->what, order->order);
    if (ran && order->countable)
        printf(" %14.2f", order->counted);
    else
        printf(" %14s", "-");
    if (ran && order->countable && order->order > 0)
        printf(" %8.2f", order->counted / order->order);
    else
        printf(" %8s", "-");
    printf("  %s\n", order->formula);
}

static void print_figure(const struct figure *figure, int ran)
{
    char foretold[48];

    if (figure->least == figure->most)
        snprintf(foretold, sizeof foretold, "%" PRIu64, figure->least);
    else
        snprintf(foretold, sizeof foretold, "%" PRIu64 "..%" PRIu64, figure->least,
                 figure->most);
    printf("    %-10s %-22s %28s", figure->pass, figure->what, foretold);
    if (ran)
        printf(" %14" PRIu64, figure->counted);
    else
        printf(" %14s", "-");
    printf("  %s%s\n", figure->formula,
           ran && !figure_holds(figure) ? "  NOT AS FORETOLD" : "");
}

static const char *way_name(const struct model_way *way)
{
    return way->forecast.tuning.ways == 2 ? "pairwise" : "multiway";
}

static void print_way(const struct model_way *way, int ran)
{
    const struct forecast *const f = &way->forecast;
    struct order orders[ORDERS];

    make_orders(way, orders);
    printf("\n%s: engine %s, K = %u, base = %u\n", way_name(way),
           engine_name(f->tuning.engine), f->tuning.ways, f->tuning.base);
    printf("  %-25s %14s %14s %8s\n", "orders of growth, a warp", "constant 1", "counted",
           "quotient");
    for (int i = 0; i < ORDERS; i++)
        print_order(&orders[i], ran);
    printf("  %-36s %27s %14s\n", "all warps: exact, or from..to", "foretold", "counted");
    for (int i = 0; i < FIGURES; i++) {
        if (f->figures[i].known)
            print_figure(&f->figures[i], ran);
    }
    for (uint32_t i = 0; i < f->rounds; i++)
        printf("    round %" PRIu32 ": %" PRIu64 " x %" PRIu32 " runs of %" PRIu64
               " keys, merged in %" PRIu64 " piece%s each\n",
               i + 1, f->round[i].groups, f->round[i].ways, f->round[i].run,
               f->round[i].pieces, f->round[i].pieces == 1 ? "" : "s");
}

/* Sectors that the base case and the merges move, the least of them or those counted. */
static double sectors_of(const struct forecast *f, int ran)
{
    static const enum figure_name names[] = {FIRST_READ_SECTORS, FIRST_WRITE_SECTORS,
                                             MERGE_READ_SECTORS, MERGE_WRITE_SECTORS};
    uint64_t sum = 0;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        sum += ran ? f->figures[names[i]].counted : f->figures[names[i]].least;
    return (double)sum;
}

/* C2: how much less multiway merging moves. */
static void print_comparison(const struct model_result *result)
{
    const struct forecast *const two = &result->ways[0].forecast;
    const struct forecast *const many = &result->ways[1].forecast;

    printf("\nmerge rounds: pairwise %u, multiway %u", two->rounds, many->rounds);
    if (many->rounds)
        printf(", %.2f times as many", (double)two->rounds / many->rounds);
    printf("; log2(K) = %.2f\n", log2(result->ways[1].pem.k));
    printf("bulk sectors of all passes: pairwise %.0f, multiway %.0f%s\n",
           sectors_of(two, result->ran), sectors_of(many, result->ran),
           result->ran ? "" : ", at the least");
}

void model_report_text(const struct model *model, const struct model_result *result)
{
    const struct pem *const pem = &result->ways[0].pem;
    char shape[SHAPE_WORDS];

    shape_text(model->shape, shape);
    printf("%" PRIu64 " %s keys, ", model->count, mw_type_name(model->type));
    if (result->ran)
        printf("%s, seed %" PRIu64 ", sorted in the simulator: %s\n", shape, model->seed,
               result->correct ? "in order, the same keys" : "WRONG");
    else
        printf("not sorted%s\n", model->no_run ? "" : ": that many take long (--run)");
    printf("N = %.0f, size = %zu, P = %.0f, M = %.0f, B = %.0f, W = %.0f\n", pem->n,
           mw_type_size(model->type), pem->p, pem->m, pem->b, pem->w);
    for (int i = 0; i < result->way_count; i++)
        print_way(&result->ways[i], result->ran);
    if (result->way_count == 2)
        print_comparison(result);
}

static void json_orders(struct json *json, const struct model_way *way, int ran)
{
    struct order orders[ORDERS];

    make_orders(way, orders);
    json_open(json, "orders", '[');
    for (int i = 0; i < ORDERS; i++) {
        json_open(json, NULL, '{');
        json_text(json, "name", orders[i].key);
        json_text(json, "formula", orders[i].formula);
        json_truth(json, "asymptotic", orders[i].asymptotic);
        json_real(json, "order", orders[i].order);
        if (ran && orders[i].countable)
            json_real(json, "counted", orders[i].counted);
        json_close(json, '{');
    }
    json_close(json, '[');
}

static void json_rounds(struct json *json, const struct forecast *f)
{
    json_open(json, "rounds", '[');
    for (uint32_t i = 0; i < f->rounds; i++) {
        json_open(json, NULL, '{');
        json_count(json, "run", f->round[i].run);
        json_count(json, "ways", f->round[i].ways);
        json_count(json, "groups", f->round[i].groups);
        json_count(json, "pieces", f->round[i].pieces);
        json_close(json, '{');
    }
    json_close(json, '[');
}

static void json_figures(struct json *json, const struct forecast *f, int ran)
{
    json_open(json, "figures", '[');
    for (int i = 0; i < FIGURES; i++) {
        const struct figure *const figure = &f->figures[i];

        if (!figure->known)
            continue;
        json_open(json, NULL, '{');
        json_text(json, "pass", figure->pass);
        json_text(json, "what", figure->what);
        json_text(json, "formula", figure->formula);
        json_truth(json, "exact", figure_exact(figure));
        json_count(json, "least", figure->least);
        json_count(json, "most", figure->most);
        if (ran) {
            json_count(json, "counted", figure->counted);
            json_truth(json, "holds", figure_holds(figure));
        }
        json_close(json, '{');
    }
    json_close(json, '[');
}

static void json_way(struct json *json, const struct model_way *way, int ran)
{
    json_open(json, NULL, '{');
    json_text(json, "name", way_name(way));
    json_count(json, "K", (uint64_t)way->pem.k);
    json_tuning(json, "tuning", &way->forecast.tuning);
    json_orders(json, way, ran);
    json_rounds(json, &way->forecast);
    json_figures(json, &way->forecast, ran);
    json_close(json, '{');
}

void model_report_json(const struct model *model, const struct model_result *result)
{
    const struct pem *const pem = &result->ways[0].pem;
    struct json json = {.to = stdout};
    char shape[SHAPE_WORDS];

    shape_text(model->shape, shape);
    json_open(&json, NULL, '{');
    json_text(&json, "type", mw_type_name(model->type));
    json_count(&json, "size", mw_type_size(model->type));
    json_count(&json, "count", model->count);
    json_text(&json, "shape", shape);
    json_count(&json, "seed", model->seed);
    json_truth(&json, "ran", result->ran);
    if (result->ran)
        json_truth(&json, "correct", result->correct);
    json_count(&json, "N", (uint64_t)pem->n);
    json_count(&json, "P", (uint64_t)pem->p);
    json_count(&json, "M", model->memory ? model->memory : (uint64_t)pem->m);
    json_count(&json, "B", model->block ? model->block : (uint64_t)pem->b);
    json_count(&json, "W", (uint64_t)pem->w);
    json_open(&json, "ways", '[');
    for (int i = 0; i < result->way_count; i++)
        json_way(&json, &result->ways[i], result->ran);
    json_close(&json, '[');
    json_close(&json, '{');
}
