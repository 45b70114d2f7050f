#include "count_report.h"

#include "json.h"
#include "options.h"

#include <inttypes.h>
#include <stdlib.h>

enum { BUSIEST = 12 };

static void print_head(const struct count *count, const struct tally *tally, int correct)
{
    const mw_tuning *const tuning = &tally->counts.tuning;
    char shape[SHAPE_WORDS];

    shape_text(count->shape, shape);
    printf("%" PRIu64 " %s keys, %s, seed %" PRIu64 "%s, sorted in the simulator: %s\n",
           count->count, mw_type_name(count->type), shape, count->seed,
           count->descending ? ", descending" : "",
           correct ? "in order, the same keys" : "WRONG");
    printf("engine %s, ways %u, warps %u, threads %u, base %u: %u merge round%s, "
           "%u launch%s\n",
           engine_name(tuning->engine), tuning->ways, tuning->warps, tuning->threads,
           tuning->base, tally->counts.rounds, tally->counts.rounds == 1 ? "" : "s",
           tally->counts.launches, tally->counts.launches == 1 ? "" : "es");
}

static void print_traffic(const mw_traffic *t)
{
    printf(" %10" PRIu64 " %10" PRIu64 " %9" PRIu64 " %9" PRIu64 " %9" PRIu64 " %9" PRIu64
           " %10" PRIu64 " %9" PRIu64,
           t->shared_requests, t->shared_wavefronts, traffic_conflicts(t),
           t->global_requests, t->global_sectors, t->global_distinct, t->shuffles,
           t->barriers);
}

static const char traffic_head[] =
    "     shared wavefronts conflicts    global   sectors  distinct "
    "  shuffles  barriers";

static void print_kernels(const struct tally *tally)
{
    printf("\n%-11s launches%s\n", "kernel", traffic_head);
    for (int i = 0; i < tally->kernel_count; i++) {
        printf("%-11s %8" PRIu64, tally->kernels[i].name, tally->kernels[i].launches);
        print_traffic(&tally->kernels[i].traffic);
        printf("\n");
    }
    printf("%-11s %8" PRIu32, "total", tally->counts.launches);
    print_traffic(&tally->total);
    printf("\n");
}

/* What a warp's serial merge takes on the average. */
static void print_serial(const struct kernel_tally *kernel)
{
    const double merges = (double)kernel->merges;

    if (kernel->merges > 0)
        printf("serial merges of %s, counted apart: %" PRIu64 " by a warp, %.1f wavefronts "
               "each; %.1f without conflicts\n",
               kernel->name, kernel->merges,
               (double)kernel->serial.shared_wavefronts / merges,
               (double)kernel->serial.shared_ideal / merges);
}

/* By how much a claim is exceeded, and why that may be. */
static void print_excess(const struct claim *claim)
{
    const int64_t more = (int64_t)(claim->counted - claim->formula); /* or less */

    printf("%-34s %+10" PRId64 " %10s  ", "", more, "");
    if (claim->in_percent)
        printf("%.2f %%; ", 100 * (double)(int64_t)more / (double)claim->formula);
    if (claim_holds(claim))
        printf("%s: at most %" PRIu64 "\n", claim->excuse, claim->allowance);
    else
        printf("NOT EXPLAINED\n");
}

static void print_claims(const struct tally *tally)
{
    printf("\n%-34s %10s %10s\n", "claim", "counted", "formula");
    for (int i = 0; i < tally->claim_count; i++) {
        const struct claim *const claim = &tally->claims[i];

        printf("%-2s %-31s %10" PRIu64 " %10" PRIu64 "  %s\n", claim->row, claim->what,
               claim->counted, claim->formula, claim->text);
        if (claim->counted != claim->formula)
            print_excess(claim);
    }
    if (tally->searches.shared_requests > 0)
        printf("searches, counted apart: %" PRIu64 " requests, %" PRIu64
               " wavefronts, %" PRIu64 " conflicts\n",
               tally->searches.shared_requests, tally->searches.shared_wavefronts,
               traffic_conflicts(&tally->searches));
    for (int i = 0; i < tally->kernel_count; i++)
        print_serial(&tally->kernels[i]);
}

static void print_line(const mw_ledger_line *line)
{
    char where[64];

    snprintf(where, sizeof where, "%s:%d", line->file, line->line);
    printf("%-11s %-19s %-7s", line->kernel, where,
           line->access == MW_ACCESS_PLAIN ? "" : mw_access_name(line->access));
    print_traffic(&line->traffic);
    printf("  %s\n", line->text ? line->text : "");
}

static int by_weight(const void *a, const void *b)
{
    const mw_ledger_line *const x = *(const mw_ledger_line *const *)a;
    const mw_ledger_line *const y = *(const mw_ledger_line *const *)b;
    const uint64_t x_weight = traffic_weight(&x->traffic);
    const uint64_t y_weight = traffic_weight(&y->traffic);

    if (x_weight != y_weight)
        return x_weight < y_weight ? 1 : -1;
    return (x > y) - (x < y); /* the ledger's own order */
}

/* All lines in the ledger's order, or the busiest first. */
static void print_lines(const struct count *count, const struct tally *tally)
{
    const mw_ledger_line **const lines = malloc((tally->line_count + 1) * sizeof *lines);
    size_t used = 0;
    size_t shown;

    if (!lines)
        return;
    for (size_t i = 0; i < tally->line_count; i++) {
        if (traffic_weight(&tally->lines[i].traffic) > 0)
            lines[used++] = &tally->lines[i];
    }
    shown = used;
    if (!count->all_lines && used > BUSIEST) {
        qsort(lines, used, sizeof *lines, by_weight);
        shown = BUSIEST;
    }
    printf("\n%-11s %-19s %-7s%s  %s\n", "kernel", "line", "access", traffic_head,
           "source");
    for (size_t i = 0; i < shown; i++)
        print_line(lines[i]);
    if (shown < used)
        printf("and %zu more lines: --lines shows them all\n", used - shown);
    free(lines);
}

void count_report_text(const struct count *count, const struct tally *tally, int correct)
{
    print_head(count, tally, correct);
    print_kernels(tally);
    print_claims(tally);
    print_lines(count, tally);
}

static void json_claims(struct json *json, const struct tally *tally)
{
    json_open(json, "claims", '[');
    for (int i = 0; i < tally->claim_count; i++) {
        const struct claim *const claim = &tally->claims[i];

        json_open(json, NULL, '{');
        json_text(json, "row", claim->row);
        json_text(json, "what", claim->what);
        json_count(json, "counted", claim->counted);
        json_count(json, "formula", claim->formula);
        json_text(json, "formula_text", claim->text);
        json_count(json, "allowance", claim->allowance);
        json_text(json, "allowance_text", claim->excuse);
        json_truth(json, "holds", claim_holds(claim));
        json_close(json, '{');
    }
    json_close(json, '[');
}

static void json_launches(struct json *json, const struct tally *tally)
{
    json_open(json, "each_launch", '[');
    for (size_t i = 0; i < tally->launch_count; i++) {
        const mw_launch *const launch = &tally->launches[i];

        json_open(json, NULL, '{');
        json_text(json, "kernel", launch->kernel);
        json_count(json, "round", launch->round);
        json_count(json, "blocks", launch->blocks);
        json_count(json, "threads", launch->threads);
        json_traffic(json, "traffic", &launch->traffic);
        json_close(json, '{');
    }
    json_close(json, '[');
}

static void json_lines(struct json *json, const struct tally *tally)
{
    json_open(json, "lines", '[');
    for (size_t i = 0; i < tally->line_count; i++) {
        const mw_ledger_line *const line = &tally->lines[i];

        json_open(json, NULL, '{');
        json_text(json, "kernel", line->kernel);
        json_text(json, "file", line->file);
        json_count(json, "line", (uint64_t)line->line);
        json_text(json, "text", line->text ? line->text : "");
        json_text(json, "access", mw_access_name(line->access));
        json_truth(json, "stores", line->stores);
        json_traffic(json, "traffic", &line->traffic);
        json_close(json, '{');
    }
    json_close(json, '[');
}

void count_report_json(const struct count *count, const struct tally *tally, int correct)
{
    struct json json = {.to = stdout};
    char shape[SHAPE_WORDS];

    shape_text(count->shape, shape);
    json_open(&json, NULL, '{');
    json_text(&json, "device", "sim");
    json_text(&json, "type", mw_type_name(count->type));
    json_count(&json, "count", count->count);
    json_text(&json, "shape", shape);
    json_count(&json, "seed", count->seed);
    json_text(&json, "direction", count->descending ? "descending" : "ascending");
    json_truth(&json, "correct", correct);
    json_tuning(&json, "tuning", &tally->counts.tuning);
    json_count(&json, "rounds", tally->counts.rounds);
    json_count(&json, "launches", tally->counts.launches);
    json_open(&json, "kernels", '[');
    for (int i = 0; i < tally->kernel_count; i++) {
        json_open(&json, NULL, '{');
        json_text(&json, "kernel", tally->kernels[i].name);
        json_count(&json, "launches", tally->kernels[i].launches);
        json_traffic(&json, "traffic", &tally->kernels[i].traffic);
        json_count(&json, "serial_merges", tally->kernels[i].merges);
        json_traffic(&json, "serial", &tally->kernels[i].serial);
        json_close(&json, '{');
    }
    json_close(&json, '[');
    json_launches(&json, tally);
    json_traffic(&json, "total", &tally->total);
    json_traffic(&json, "bulk", &tally->bulk);
    json_traffic(&json, "searches", &tally->searches);
    json_traffic(&json, "merging", &tally->merging);
    json_claims(&json, tally);
    json_lines(&json, tally);
    json_close(&json, '{');
}
