/*
 * sort.c - the sorting calls: arguments in, passes out.
 */
#include "context.h"

/* Is there such a type, and can so many keys of it be addressed? */
static mw_status check_count(mw_context *context, mw_type type, uint64_t count)
{
    const struct type_row *const row = type_row(type);
    mw_status status;

    TRY(context_ready(context));
    if (!row)
        return fail(&context->error, MW_BAD_ARGUMENT, "there is no type number %d",
                    (int)type);
    if (count > (UINT64_C(1) << 62) / row->size)
        return fail(&context->error, MW_BAD_ARGUMENT,
                    "count %llu is beyond what can be sorted", (unsigned long long)count);
done:
    return status;
}

/* Both ways in check the same things, in the same words. */
static mw_status check_keys(mw_context *context, mw_type type, mw_direction direction,
                            const void *keys, uint64_t count)
{
    mw_status status;

    TRY(check_count(context, type, count));
    if (direction != MW_ASCENDING && direction != MW_DESCENDING)
        return fail(&context->error, MW_BAD_ARGUMENT, "there is no direction number %d",
                    (int)direction);
    if (!keys && count)
        return fail(&context->error, MW_BAD_ARGUMENT, "keys is NULL while count is %llu",
                    (unsigned long long)count);
    if ((uintptr_t)keys % type_row(type)->size)
        return fail(&context->error, MW_BAD_ARGUMENT,
                    "keys of type %s must be aligned to %zu bytes", type_row(type)->name,
                    type_row(type)->size);
done:
    return status;
}

static void note_plan(mw_context *context, const struct plan *plan, uint64_t count)
{
    const uint64_t bytes = count ? plan->key_bytes * (1 + plan->rounds) : 0;
    const uint64_t warps = plan->tuning.threads / 32; /* of a block */

    context->counts = (mw_counts){.count = count,
                                  .rounds = plan->rounds,
                                  .launches = plan->launches,
                                  .bytes_read = bytes,
                                  .bytes_written = bytes,
                                  .warp_shared = plan->merge_shared / warps,
                                  .tuning = plan->tuning};
}

static mw_status sort_on_cpu(mw_context *context, const struct type_row *row,
                             mw_direction direction, void *keys, uint64_t count,
                             void *scratch)
{
    struct cpu_counts counts = {0};
    mw_status status;

    status = cpu_sort(context->cpu, (int)(8 * row->size), type_code(row, direction), keys,
                      count, scratch, &counts);
    if (status != MW_OK)
        return fail(&context->error, status, "no %llu bytes of scratch memory",
                    (unsigned long long)cpu_scratch_bytes((int)(8 * row->size), count));
    context->counts = (mw_counts){.count = count,
                                  .rounds = counts.rounds,
                                  .bytes_read = counts.bytes_read,
                                  .bytes_written = counts.bytes_written,
                                  .tuning = context->tuning};
    return MW_OK;
}

/* The program that `plan` is for. */
static mw_status load_program(mw_context *context, const struct plan *plan,
                              struct program **program)
{
    return context->device->verbs->load(context->device, &plan->program,
                                        plan_kernels_in_phases(plan->kernels), program);
}

/* Sort device memory by plan; the ledger starts anew. */
static mw_status sort_on_device(mw_context *context, const struct plan *plan,
                                const struct type_row *row, mw_direction direction,
                                void *keys, uint64_t count, void *workspace, void *stream)
{
    struct device *const device = context->device;
    struct program *program;
    mw_status status = MW_OK;

    note_plan(context, plan, count);
    context->log.count = 0;
    context->log.round = 0;
    context->log.phases = context->timing == MW_TIMING_PHASES;
    context->timed = 0;
    if (device->verbs->ledger_reset)
        device->verbs->ledger_reset(device);
    if (count == 0)
        return MW_OK;
    TRY(load_program(context, plan, &program));
    TRY(passes_sort(device, program, plan, type_code(row, direction), keys, count,
                    workspace, stream, context->timing ? &context->log : NULL));
    if (context->log.count)
        context->counts.launches = context->log.count;
done:
    if (status != MW_OK)
        context->log.count = 0;
    return status;
}

/* Make the handle's scratch memory at least `bytes` large. */
static mw_status want_scratch(mw_context *context, uint64_t bytes)
{
    struct device *const device = context->device;
    mw_status status = MW_OK;

    if (context->scratch_bytes >= bytes)
        return MW_OK;
    device->verbs->free(device, context->scratch);
    context->scratch = NULL;
    context->scratch_bytes = 0;
    TRY(device->verbs->alloc(device, bytes, &context->scratch));
    context->scratch_bytes = bytes;
done:
    return status;
}

mw_status mw_sort(mw_context *context, mw_type type, mw_direction direction, void *keys,
                  uint64_t count)
{
    const struct type_row *const row = type_row(type);
    struct plan plan;
    uint64_t keys_room;
    mw_status status;
    char *scratch;

    TRY(check_keys(context, type, direction, keys, count));
    if (context->cpu)
        return sort_on_cpu(context, row, direction, keys, count, NULL);
    TRY(plan_make(&plan, &context->tuning, &context->info, row->size, count,
                  &context->error));
    if (count == 0)
        return sort_on_device(context, &plan, row, direction, NULL, 0, NULL, NULL);

    keys_room = (plan.key_bytes + 255) / 256 * 256;
    TRY(want_scratch(context, keys_room + plan.workspace_bytes));
    scratch = context->scratch;
    TRY(context->device->verbs->upload(context->device, scratch, keys, plan.key_bytes));
    TRY(sort_on_device(context, &plan, row, direction, scratch, count, scratch + keys_room,
                       NULL));
    TRY(context->device->verbs->wait(context->device, NULL));
    TRY(context->device->verbs->download(context->device, keys, scratch, plan.key_bytes));
done:
    return status;
}

mw_status mw_sort_workspace(mw_context *context, mw_type type, uint64_t count,
                            uint64_t *bytes)
{
    const struct type_row *const row = type_row(type);
    struct program *program;
    struct plan plan;
    mw_status status;

    TRY(check_count(context, type, count));
    if (!bytes)
        return fail(&context->error, MW_BAD_ARGUMENT, "bytes is NULL");
    if (context->cpu) {
        *bytes = cpu_scratch_bytes((int)(8 * row->size), count);
        return MW_OK;
    }
    TRY(plan_make(&plan, &context->tuning, &context->info, row->size, count,
                  &context->error));
    TRY(load_program(context, &plan, &program));
    *bytes = plan.workspace_bytes;
done:
    return status;
}

mw_status mw_sort_device(mw_context *context, mw_type type, mw_direction direction,
                         void *keys, uint64_t count, void *workspace,
                         uint64_t workspace_bytes, void *stream)
{
    const struct type_row *const row = type_row(type);
    uint64_t wanted;
    struct plan plan;
    mw_status status;

    TRY(check_keys(context, type, direction, keys, count));
    if ((uintptr_t)keys % 16 || (uintptr_t)workspace % 16)
        return fail(&context->error, MW_BAD_ARGUMENT,
                    "keys and workspace must be aligned to 16 bytes");
    if (context->cpu) {
        wanted = cpu_scratch_bytes((int)(8 * row->size), count);
    } else {
        TRY(plan_make(&plan, &context->tuning, &context->info, row->size, count,
                      &context->error));
        wanted = plan.workspace_bytes;
    }
    if (workspace_bytes < wanted || (!workspace && wanted))
        return fail(&context->error, MW_BAD_ARGUMENT,
                    "the workspace has %llu bytes, the sort needs %llu",
                    (unsigned long long)(workspace ? workspace_bytes : 0),
                    (unsigned long long)wanted);
    if (context->cpu)
        return sort_on_cpu(context, row, direction, keys, count, workspace);
    TRY(sort_on_device(context, &plan, row, direction, keys, count, workspace, stream));
done:
    return status;
}
