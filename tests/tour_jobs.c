/*
 * tour_jobs.c - a short tour of every kernel on one device by jobs of every kind, each of
 * which must return the bytes that the CPU returns. At the end every kernel of the library
 * must have been launched.
 *
 *   tour_jobs cuda      or under compute-sanitizer: see CONTRIBUTING.md
 *
 * tour.c has the types and engines of bare keys.
 */
#include "stops.h"
#include "tap.h"
#include "trial.h"

static const char *const kernels[] = {
#define KERNEL_ROW(id, name, args, program, memory) #name,
#include "kernels/kernels.def"
#undef KERNEL_ROW
};

/* Note which kernels were launched. */
static mw_status see(mw_context *context, int seen[COUNT_OF(kernels)])
{
    const mw_launch *launches = NULL;
    size_t count = 0;
    const mw_status status = mw_get_launches(context, &launches, &count);

    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < COUNT_OF(kernels); k++)
            seen[k] |= strcmp(launches[i].kernel, kernels[k]) == 0;
    return status;
}

/* The CPU's result goes to the data's own arrays. */
static const char *visit(mw_context *context, mw_context *cpu, const struct stop_data *data,
                         int seen[COUNT_OF(kernels)])
{
    static struct stop_job here, there;
    const mw_tuning tuning = stop_tuning(data->stop);
    char *at[STOP_ARRAYS];
    const char *wrong = NULL;

    if (!stop_copy(data, at))
        return "no memory";
    stop_make_job(data, data->at, &here);
    stop_make_job(data, at, &there);
    if (mw_run(cpu, &here.job) != MW_OK)
        wrong = mw_error(cpu);
    else if (mw_set_tuning(context, &tuning) != MW_OK ||
             mw_run(context, &there.job) != MW_OK || see(context, seen) != MW_OK)
        wrong = mw_error(context);
    else if (!stop_same(data, at))
        wrong = "other bytes than the CPU's";
    stop_free(at);
    return wrong;
}

int main(int argc, char **argv)
{
    const char *const device = argc > 1 ? argv[1] : "sim";
    struct tap tap = {0};
    mw_context *const context = trial_open(&tap, device);
    mw_context *const cpu = context ? trial_open(&tap, "cpu:2") : NULL;
    int seen[COUNT_OF(kernels)] = {0};
    mw_info info = MW_INFO_INIT;

    if (cpu) {
        mw_get_info(context, &info);
        mw_set_timing(context, MW_TIMING_PHASES);
    }
    for (size_t i = 0; cpu && i < stop_count; i++) {
        struct stop_data data;
        const char *const wrong = stop_open(&data, &stops[i], info.processors, cpu)
                                      ? visit(context, cpu, &data, seen)
                                      : "no memory, or no lists";
        char text[STOP_TEXT];

        if (wrong)
            tap_note("%s", wrong);
        tap_case(&tap, !wrong, "%s: job %d, %s", device, (int)i, stop_text(&data, text));
        stop_close(&data);
    }
    for (size_t k = 0; cpu && k < COUNT_OF(kernels); k++)
        tap_case(&tap, seen[k], "%s: %s was launched", device, kernels[k]);
    mw_close(cpu);
    mw_close(context);
    return tap_end(&tap);
}
