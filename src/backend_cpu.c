/*
 * backend_cpu.c - requests on the CPU: src/cpu sorts, and memory is plain memory.
 */
#include "backend.h"
#include "cpu/cpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cpu_backend {
    struct backend base;
    struct cpu *cpu;
};

static struct cpu *cpu_of(struct backend *backend)
{
    return ((struct cpu_backend *)backend)->cpu;
}

static int bits_of(const struct request *request)
{
    return 8 * (int)request->type->size;
}

static void close(struct backend *backend)
{
    cpu_close(cpu_of(backend));
    free(backend);
}

/* Scratch memory of a request, and the most of all such requests up to its count. */
static uint64_t scratch_bytes(struct backend *backend, const struct request *request,
                              uint64_t limit)
{
    return request->type ? cpu_scratch_bytes(bits_of(request), request->count, limit)
                         : cpu_rows_scratch(cpu_of(backend), request, limit);
}

static uint64_t scratch_most(struct backend *backend, const struct request *request)
{
    return request->type ? cpu_scratch_most(bits_of(request), request->count)
                         : cpu_rows_scratch(cpu_of(backend), request, UINT64_MAX);
}

/* A request that is more than bare keys needs an order that can be called. */
static mw_status check_order(struct backend *backend, const struct request *request)
{
    if (request->type || request->order.field_count || request->order.less_on_host)
        return MW_OK;
    return fail(backend->error, MW_UNSUPPORTED,
                "the CPU cannot compile the text of an order: it needs less_on_host");
}

static mw_status plan(struct backend *backend, const struct request *request, mw_plan *plan)
{
    mw_status status;

    TRY(check_order(backend, request));
    plan->count = request->count;
    plan->workspace_bytes = scratch_bytes(backend, request, UINT64_MAX);
    plan->tuning = backend->tuning;
done:
    return status;
}

static mw_status prepare(struct backend *backend, const struct request *request,
                         uint64_t *workspace_bytes)
{
    mw_status status;

    TRY(check_order(backend, request));
    *workspace_bytes = scratch_most(backend, request);
done:
    return status;
}

/* Run with the caller's scratch memory, or with the CPU's own if it is NULL. */
static mw_status run_with(struct backend *backend, const struct request *request,
                          uint64_t limit, void *scratch)
{
    struct cpu *const cpu = cpu_of(backend);
    struct cpu_counts counts = {0};
    mw_status status;

    if (request->type)
        TRY(cpu_sort(cpu, bits_of(request), request->code, request->keys, request->count,
                     limit, scratch, &counts));
    else
        TRY(cpu_rows(cpu, request, limit, scratch, &counts));
    backend->counts = (mw_counts){.size = sizeof backend->counts,
                                  .count = request->count,
                                  .rounds = counts.rounds,
                                  .bytes_read = counts.bytes_read,
                                  .bytes_written = counts.bytes_written,
                                  .tuning = backend->tuning};
done:
    return status;
}

static mw_status run(struct backend *backend, const struct request *request)
{
    const uint64_t limit = backend->memory_bytes ? backend->memory_bytes : UINT64_MAX;
    const uint64_t wanted = scratch_bytes(backend, request, limit);
    mw_status status;

    if (wanted > limit)
        return fail(backend->error, MW_NO_MEMORY,
                    "the job needs %llu bytes of scratch memory; memory_bytes is %llu",
                    (unsigned long long)wanted, (unsigned long long)backend->memory_bytes);
    TRY(check_order(backend, request));
    TRY(run_with(backend, request, limit, NULL));
done:
    return status;
}

static mw_status enqueue(struct backend *backend, const struct request *request,
                         void *workspace, uint64_t bytes, void *stream)
{
    mw_status status;

    (void)stream;
    TRY(check_order(backend, request));
    TRY(backend_check_workspace(backend, bytes,
                                scratch_bytes(backend, request, UINT64_MAX)));
    TRY(run_with(backend, request, UINT64_MAX, workspace));
done:
    return status;
}

static mw_status alloc(struct backend *backend, uint64_t bytes, void **memory)
{
    const uint64_t room = (bytes / 256 + 1) * 256;

    *memory = bytes < SIZE_MAX / 2 ? aligned_alloc(256, (size_t)room) : NULL;
    if (!*memory)
        return fail(backend->error, MW_NO_MEMORY, "cannot allocate %llu bytes",
                    (unsigned long long)bytes);
    return MW_OK;
}

static void give(struct backend *backend, void *memory)
{
    (void)backend;
    free(memory);
}

static mw_status upload(struct backend *backend, void *memory, const void *from,
                        uint64_t bytes)
{
    (void)backend;
    memcpy(memory, from, (size_t)bytes);
    return MW_OK;
}

static mw_status download(struct backend *backend, void *to, const void *memory,
                          uint64_t bytes)
{
    return upload(backend, to, memory, bytes);
}

static mw_status wait(struct backend *backend)
{
    (void)backend;
    return MW_OK; /* a sort returns when it is done */
}

static const struct backend_verbs verbs = {
    .close = close,
    .plan = plan,
    .prepare = prepare,
    .run = run,
    .enqueue = enqueue,
    .alloc = alloc,
    .free = give,
    .upload = upload,
    .download = download,
    .wait = wait,
};

mw_status backend_open_cpu(struct backend **backend, unsigned threads, struct error *error)
{
    struct cpu_backend *const made = calloc(1, sizeof *made);
    mw_status status;

    *backend = NULL;
    if (!made)
        return fail(error, MW_NO_MEMORY, "no memory for a handle");
    made->base.verbs = &verbs;
    made->base.error = error;
    TRY(cpu_open(&made->cpu, threads, error));

    mw_info *const info = &made->base.info;

    info->size = sizeof *info;
    info->processors = cpu_threads(made->cpu);
    info->ahead_of_time = 1;
    snprintf(info->device, sizeof info->device, "cpu:%u", info->processors);
    snprintf(info->name, sizeof info->name, "CPU, %u thread%s", info->processors,
             info->processors == 1 ? "" : "s");
    *backend = &made->base;
done:
    if (status != MW_OK)
        free(made);
    return status;
}
