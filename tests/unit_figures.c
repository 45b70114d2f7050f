/*
 * unit_figures.c - what the library tells of a sort: counts and ledger add up and stay
 * until the next sort. That sorts are made as mw_get_plan says is shown by tour.c.
 */
#include "kernel/fixture.h"

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
    mw_plan plan = MW_PLAN_INIT;
    uint64_t bytes = 0;
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
           kit_get_plan(context, MW_U32, 1 << 20, &plan) == MW_OK &&
               kit_sort_workspace(context, MW_U32, 1 << 20, &bytes) == MW_OK &&
               plan.count == 1 << 20 && (plan.launches > 0) == planned &&
               plan.workspace_bytes > 0 && plan.workspace_bytes <= bytes &&
               plan.tuning.ways == 4,
           device, "a plan");
    tap_ok(tap,
           mw_get_ledger(context, &lines, &count) == MW_OK && (count > 0) == counting &&
               (made.traffic.shared_requests > 0) == counting &&
               mw_get_counts(context, &made) == MW_OK &&
               mw_get_ledger(context, &again, &count) == MW_OK && again == lines &&
               adds_up(&made, lines, count) && ledger_sorted(lines, count),
           device, "the ledger adds up and stays until the next sort");
    tap_ok(tap,
           mw_sort(context, MW_U32, MW_ASCENDING, NULL, 0) == MW_OK &&
               kit_sort_device(context, MW_U32, MW_ASCENDING, NULL, 0, NULL, 0, NULL) ==
                   MW_OK &&
               mw_get_counts(context, &made) == MW_OK && made.count == 0 &&
               made.launches == 0 && made.traffic.shared_requests == 0,
           device, "nothing to sort, not even a pointer");
}

int main(void)
{
    static const char *const devices[] = {"cpu:2", "sim", "cuda"};
    struct tap tap = {0, 0};

    for (size_t i = 0; i < COUNT_OF(devices); i++) {
        mw_context *context;
        const mw_status status = mw_open(&context, devices[i], NULL);

        if (status == MW_NO_DEVICE && strcmp(devices[i], "cuda") == 0) {
            tap_skip(&tap, "cuda: figures", "no CUDA device");
        } else {
            tap_ok(&tap, status == MW_OK, devices[i], mw_error(context));
            test_figures(&tap, context, devices[i]);
        }
        mw_close(context);
    }
    return tap_end(&tap);
}
