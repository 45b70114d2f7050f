/*
 * api.c - open and close handles, choose tunings, ask for figures.
 */
#include "base/sized.h"
#include "context.h"
#include "plan.h"

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

/* The first GPU if kernels can be had for it, or else the CPU, with the reason. */
static mw_status open_auto(mw_context *context, const mw_options *options)
{
    char why[sizeof context->backend->info.fallback];
    mw_status status = backend_open_cuda(&context->backend, 0, options, &context->error);

    if (status == MW_OK && !*context->backend->info.fallback)
        return MW_OK;
    if (status == MW_OK) {
        snprintf(why, sizeof why, "%s", context->backend->info.fallback);
        context->backend->verbs->close(context->backend);
    } else {
        snprintf(why, sizeof why, "%s", context->error.text);
    }
    context->error.text[0] = '\0'; /* no GPU is no failure here */
    TRY(backend_open_cpu(&context->backend, 0, &context->error));
    snprintf(context->backend->info.fallback, sizeof why, "%s", why);
done:
    return status;
}

static mw_status open_backend(mw_context *context, const char *device,
                              const mw_options *options)
{
    struct error *const error = &context->error;
    long number;

    if (strcmp(device, "auto") == 0)
        return open_auto(context, options);
    if (parse_device(device, "cuda", 0, &number))
        return backend_open_cuda(&context->backend, (int)number, options, error);
    if (strcmp(device, "sim") == 0)
        return backend_open_sim(&context->backend, error);
    if (!parse_device(device, "cpu", 0, &number))
        return fail(error, MW_BAD_ARGUMENT,
                    "unknown device \"%s\" (expected auto, cuda[:N], cpu[:N] or sim)",
                    device);
    if (number == 0 && strcmp(device, "cpu") != 0)
        return fail(error, MW_BAD_ARGUMENT,
                    "device \"%s\" has 0 threads (expected 1 or more)", device);
    return backend_open_cpu(&context->backend, (unsigned)number, error);
}

mw_status mw_open(mw_context **context, const char *device, const mw_options *options)
{
    mw_options ours = MW_OPTIONS_INIT;
    mw_status status;

    if (!context)
        return MW_BAD_ARGUMENT;
    *context = calloc(1, sizeof **context);
    if (!*context)
        return MW_NO_MEMORY;
    if (!device)
        return fail(&(*context)->error, MW_BAD_ARGUMENT, "device is NULL");
    if (options)
        TRY(sized_read(&ours, sizeof ours, options, options->size, sizeof options->size,
                       "mw_options", &(*context)->error));
    TRY(open_backend(*context, device, &ours));
    (*context)->backend->tuning = (mw_tuning)MW_TUNING_INIT;
    (*context)->backend->memory_bytes = ours.memory_bytes;
    (*context)->backend->info.memory_limit = ours.memory_bytes;
    (*context)->backend->counts = (mw_counts)MW_COUNTS_INIT;
done:
    return status;
}

void mw_close(mw_context *context)
{
    if (context && context->backend)
        context->backend->verbs->close(context->backend);
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
    if (!context->backend)
        return fail(&context->error, MW_BAD_ARGUMENT, "this handle failed to open");
    return MW_OK;
}

mw_status backend_check_workspace(struct backend *backend, uint64_t bytes, uint64_t wanted)
{
    if (bytes >= wanted)
        return MW_OK;
    return fail(backend->error, MW_BAD_ARGUMENT,
                "the workspace has %llu bytes, expected %llu or more",
                (unsigned long long)bytes, (unsigned long long)wanted);
}

mw_status mw_set_tuning(mw_context *context, const mw_tuning *tuning)
{
    mw_tuning ours = MW_TUNING_INIT;
    mw_status status;

    TRY(context_ready(context));
    if (tuning) {
        TRY(sized_read(&ours, sizeof ours, tuning, tuning->size, sizeof tuning->size,
                       "mw_tuning", &context->error));
        ours.size = sizeof ours;
        TRY(plan_check(&ours, &context->error));
    }
    context->backend->tuning = ours;
done:
    return status;
}

/* Can a struct that a call fills be filled? `size` is its first member. */
static mw_status check_target(mw_context *context, const void *target, const char *what)
{
    size_t size = 0;

    if (target)
        memcpy(&size, target, sizeof size);
    if (size >= sizeof size && size <= SIZED_MOST)
        return MW_OK;
    return fail(&context->error, MW_BAD_ARGUMENT,
                target ? "%s has no size; start from its _INIT macro" : "%s is NULL", what);
}

mw_status mw_get_info(mw_context *context, mw_info *info)
{
    mw_status status;

    TRY(context_ready(context));
    TRY(check_target(context, info, "mw_info"));
    sized_write(info, &context->backend->info, sizeof *info);
done:
    return status;
}

mw_status mw_get_plan(mw_context *context, const mw_job *job, mw_plan *plan)
{
    mw_plan made = {.size = sizeof made};
    struct request request;
    mw_status status;

    TRY(context_ready(context));
    TRY(check_target(context, plan, "mw_plan"));
    TRY(job_read(job, 0, &request, &context->error));
    TRY(context->backend->verbs->plan(context->backend, &request, &made));
    sized_write(plan, &made, sizeof made);
done:
    return status;
}

mw_status mw_get_counts(mw_context *context, mw_counts *counts)
{
    const mw_ledger_line *lines;
    mw_counts made;
    size_t line_count;
    mw_status status;

    TRY(context_ready(context));
    TRY(check_target(context, counts, "mw_counts"));
    TRY(mw_get_ledger(context, &lines, &line_count));
    made = context->backend->counts;
    for (size_t i = 0; i < line_count; i++)
        traffic_add(&made.traffic, &lines[i].traffic);
    sized_write(counts, &made, sizeof made);
done:
    return status;
}

mw_status mw_set_timing(mw_context *context, mw_timing timing)
{
    mw_status status;

    TRY(context_ready(context));
    if ((unsigned)timing > MW_TIMING_PHASES)
        return fail(&context->error, MW_BAD_ARGUMENT, "timing number %d, expected 0 to %d",
                    (int)timing, (int)MW_TIMING_PHASES);
    context->backend->timing = timing;
done:
    return status;
}

mw_status mw_get_launches(mw_context *context, const mw_launch **launches, size_t *count)
{
    mw_status status;

    TRY(context_ready(context));
    if (!launches || !count)
        return fail(&context->error, MW_BAD_ARGUMENT, "%s is NULL",
                    launches ? "count" : "launches");
    *launches = NULL;
    *count = 0;
    if (context->backend->verbs->launches)
        TRY(context->backend->verbs->launches(context->backend, launches, count));
done:
    return status;
}

mw_status mw_get_ledger(mw_context *context, const mw_ledger_line **lines, size_t *count)
{
    mw_status status;

    TRY(context_ready(context));
    if (!lines || !count)
        return fail(&context->error, MW_BAD_ARGUMENT, "%s is NULL",
                    lines ? "count" : "lines");
    *lines = NULL;
    *count = 0;
    if (context->backend->verbs->ledger)
        TRY(context->backend->verbs->ledger(context->backend, lines, count));
done:
    return status;
}
