/*
 * memory.c - device memory for callers without CUDA headers.
 */
#include "context.h"

mw_status mw_alloc(mw_context *context, uint64_t bytes, void **memory)
{
    mw_status status;

    TRY(context_ready(context));
    if (!memory)
        return fail(&context->error, MW_BAD_ARGUMENT, "memory is NULL");
    *memory = NULL;
    TRY(context->backend->verbs->alloc(context->backend, bytes, memory));
done:
    return status;
}

void mw_free(mw_context *context, void *memory)
{
    if (context && context->backend)
        context->backend->verbs->free(context->backend, memory);
}

static mw_status check_copy(mw_context *context, const void *to, const void *from,
                            uint64_t bytes)
{
    mw_status status;

    TRY(context_ready(context));
    if (bytes && (!to || !from))
        return fail(&context->error, MW_BAD_ARGUMENT, "a copy of %llu bytes %s NULL",
                    (unsigned long long)bytes, to ? "from" : "to");
done:
    return status;
}

mw_status mw_upload(mw_context *context, void *memory, const void *from, uint64_t bytes)
{
    mw_status status;

    TRY(check_copy(context, memory, from, bytes));
    if (bytes)
        TRY(context->backend->verbs->upload(context->backend, memory, from, bytes));
done:
    return status;
}

mw_status mw_download(mw_context *context, void *to, const void *memory, uint64_t bytes)
{
    mw_status status;

    TRY(check_copy(context, to, memory, bytes));
    if (bytes)
        TRY(context->backend->verbs->download(context->backend, to, memory, bytes));
done:
    return status;
}

mw_status mw_wait(mw_context *context)
{
    mw_status status;

    TRY(context_ready(context));
    TRY(context->backend->verbs->wait(context->backend));
done:
    return status;
}
