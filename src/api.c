/*
 * api.c - the hall: checks what comes through the door and sends it to a room,
 * the CPU's or the devices'.
 */
#include "context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int mw_version(void)
{
    return MW_VERSION;
}

/* "cuda:3" is `kind` "cuda" and number 3; without a colon the number is `other`. */
static int parse_device(const char *device, const char *kind, long other, long *number)
{
    const size_t length = strlen(kind);
    char *end;

    if (strncmp(device, kind, length) != 0)
        return 0;
    if (device[length] == '\0') {
        *number = other;
        return 1;
    }
    if (device[length] != ':' || device[length + 1] < '0' || device[length + 1] > '9')
        return 0;
    *number = strtol(device + length + 1, &end, 10);
    return *end == '\0' && *number <= 1 << 20;
}

static mw_status open_cpu(mw_context *context, long threads)
{
    mw_status status;

    TRY(cpu_open(&context->cpu, (unsigned)threads, &context->error));
    context->info = (mw_info){.size = sizeof context->info,
                              .processors = cpu_threads(context->cpu),
                              .ahead_of_time = 1};
    snprintf(context->info.device, sizeof context->info.device, "cpu:%u",
             context->info.processors);
    snprintf(context->info.name, sizeof context->info.name, "CPU, %u thread%s",
             context->info.processors, context->info.processors == 1 ? "" : "s");
done:
    return status;
}

static mw_status open_device(mw_context *context, const char *device,
                             const mw_options *options)
{
    struct error *const error = &context->error;
    mw_status status;
    long number;

    if (strcmp(device, "auto") == 0) {
        status = cuda_open(&context->device, 0, options, error);
        if (status != MW_OK) {
            error->text[0] = '\0'; /* no GPU is no failure here */
            return open_cpu(context, 0);
        }
    } else if (parse_device(device, "cuda", 0, &number)) {
        status = cuda_open(&context->device, (int)number, options, error);
    } else if (strcmp(device, "sim") == 0) {
        status = sim_open(&context->device, error);
    } else if (parse_device(device, "cpu", 0, &number)) {
        if (number == 0 && strcmp(device, "cpu") != 0)
            return fail(error, MW_BAD_ARGUMENT, "device \"%s\": no threads", device);
        return open_cpu(context, number);
    } else {
        return fail(error, MW_BAD_ARGUMENT,
                    "there is no device \"%s\"; auto, cuda, cuda:N, cpu, cpu:N and sim are",
                    device);
    }
    if (status == MW_OK)
        context->info = context->device->info;
    return status;
}

mw_status mw_open(mw_context **context, const char *device, const mw_options *options)
{
    const mw_options defaults = MW_OPTIONS_INIT;

    if (!context)
        return MW_BAD_ARGUMENT;
    *context = calloc(1, sizeof **context);
    if (!*context)
        return MW_NO_MEMORY;
    (*context)->tuning = (mw_tuning)MW_TUNING_INIT;
    (*context)->counts.tuning = (mw_tuning)MW_TUNING_INIT;
    if (!device)
        return fail(&(*context)->error, MW_BAD_ARGUMENT, "no device was named");
    if (options && options->size != sizeof *options)
        return fail(&(*context)->error, MW_BAD_ARGUMENT,
                    "options were not begun with MW_OPTIONS_INIT of this version");
    return open_device(*context, device, options ? options : &defaults);
}

void mw_close(mw_context *context)
{
    if (!context)
        return;
    if (context->device) {
        pass_log_close(context->device, &context->log);
        context->device->verbs->free(context->device, context->scratch);
        context->device->verbs->close(context->device);
    }
    cpu_close(context->cpu);
    free(context);
}

const char *mw_error(const mw_context *context)
{
    return context ? context->error.text : mw_status_text(MW_NO_MEMORY);
}

mw_status context_ready(mw_context *context)
{
    if (!context)
        return MW_BAD_ARGUMENT;
    if (!context->device && !context->cpu)
        return fail(&context->error, MW_BAD_ARGUMENT, "this handle failed to open");
    return MW_OK;
}

mw_status mw_set_tuning(mw_context *context, const mw_tuning *tuning)
{
    const mw_tuning defaults = MW_TUNING_INIT;
    mw_status status;

    TRY(context_ready(context));
    if (tuning && tuning->size != sizeof *tuning)
        return fail(&context->error, MW_BAD_ARGUMENT,
                    "the tuning was not begun with MW_TUNING_INIT of this version");
    if (tuning)
        TRY(plan_check(tuning, &context->error));
    context->tuning = tuning ? *tuning : defaults;
done:
    return status;
}

mw_status mw_get_tuning(mw_context *context, mw_type type, uint64_t count,
                        mw_tuning *tuning)
{
    const struct type_row *const row = type_row(type);
    struct plan plan;
    mw_status status;

    TRY(context_ready(context));
    if (!row || !tuning)
        return fail(&context->error, MW_BAD_ARGUMENT,
                    row ? "tuning is NULL" : "no such type");
    if (context->cpu) {
        *tuning = context->tuning;
        return MW_OK;
    }
    TRY(plan_make(&plan, &context->tuning, &context->info, row->size, count,
                  &context->error));
    *tuning = plan.tuning;
done:
    return status;
}

mw_status mw_get_info(mw_context *context, mw_info *info)
{
    mw_status status;

    TRY(context_ready(context));
    if (!info || info->size != sizeof *info)
        return fail(&context->error, MW_BAD_ARGUMENT,
                    "info was not begun with MW_INFO_INIT");
    *info = context->info;
    info->size = sizeof *info;
done:
    return status;
}

mw_status mw_get_counts(mw_context *context, mw_counts *counts)
{
    const mw_ledger_line *lines;
    size_t line_count;
    mw_status status;

    TRY(context_ready(context));
    if (!counts || counts->size != sizeof *counts)
        return fail(&context->error, MW_BAD_ARGUMENT,
                    "counts were not begun with MW_COUNTS_INIT");
    TRY(mw_get_ledger(context, &lines, &line_count));
    *counts = context->counts;
    counts->size = sizeof *counts;
    for (size_t i = 0; i < line_count; i++)
        traffic_add(&counts->traffic, &lines[i].traffic);
done:
    return status;
}

mw_status mw_set_timing(mw_context *context, mw_timing timing)
{
    mw_status status;

    TRY(context_ready(context));
    if (timing != MW_TIMING_OFF && timing != MW_TIMING_LAUNCHES &&
        timing != MW_TIMING_PHASES)
        return fail(&context->error, MW_BAD_ARGUMENT, "there is no timing number %d",
                    (int)timing);
    context->timing = timing;
done:
    return status;
}

mw_status mw_get_launches(mw_context *context, const mw_launch **launches, size_t *count)
{
    struct pass_log *log;
    mw_status status;

    TRY(context_ready(context));
    if (!launches || !count)
        return fail(&context->error, MW_BAD_ARGUMENT, "launches or count is NULL");
    *launches = NULL;
    *count = 0;
    log = &context->log;
    for (uint32_t i = 0; i < log->count && !context->timed; i++)
        TRY(context->device->verbs->elapsed(context->device, log->events[i],
                                            log->events[i + 1],
                                            &log->launches[i].milliseconds));
    context->timed = 1;
    *launches = log->launches;
    *count = log->count;
done:
    return status;
}

mw_status mw_get_ledger(mw_context *context, const mw_ledger_line **lines, size_t *count)
{
    mw_status status;

    TRY(context_ready(context));
    if (!lines || !count)
        return fail(&context->error, MW_BAD_ARGUMENT, "lines or count is NULL");
    *lines = NULL;
    *count = 0;
    if (context->device && context->device->verbs->ledger)
        TRY(context->device->verbs->ledger(context->device, lines, count));
done:
    return status;
}
