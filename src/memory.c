/*
 * memory.c - device memory for callers without CUDA headers.
 */
#include "context.h"

#include <stdlib.h>
#include <string.h>

mw_status mw_alloc(mw_context *context, uint64_t bytes, void **memory)
{
    mw_status status;

    TRY(context_ready(context));
    if (!memory)
        return fail(&context->error, MW_BAD_ARGUMENT, "memory is NULL");
    *memory = NULL;
    if (context->device) {
        TRY(context->device->verbs->alloc(context->device, bytes ? bytes : 1, memory));
    } else {
        const uint64_t room = (bytes / 256 + 1) * 256;

        *memory = bytes < SIZE_MAX / 2 ? aligned_alloc(256, (size_t)room) : NULL;
        if (!*memory)
            return fail(&context->error, MW_NO_MEMORY, "no %llu bytes of memory",
                        (unsigned long long)bytes);
    }
done:
    return status;
}

void mw_free(mw_context *context, void *memory)
{
    if (!context)
        return;
    if (context->device)
        context->device->verbs->free(context->device, memory);
    else
        free(memory);
}

static mw_status check_copy(mw_context *context, const void *a, const void *b,
                            uint64_t bytes)
{
    mw_status status;

    TRY(context_ready(context));
    if (bytes && (!a || !b))
        return fail(&context->error, MW_BAD_ARGUMENT, "a copy of %llu bytes with NULL",
                    (unsigned long long)bytes);
done:
    return status;
}

mw_status mw_upload(mw_context *context, void *memory, const void *from, uint64_t bytes)
{
    mw_status status;

    TRY(check_copy(context, memory, from, bytes));
    if (bytes && context->device) {
        TRY(context->device->verbs->upload(context->device, memory, from, bytes, NULL));
        TRY(context->device->verbs->wait(context->device, NULL));
    } else if (bytes) {
        memcpy(memory, from, (size_t)bytes);
    }
done:
    return status;
}

mw_status mw_download(mw_context *context, void *to, const void *memory, uint64_t bytes)
{
    mw_status status;

    TRY(check_copy(context, to, memory, bytes));
    if (bytes && context->device) {
        TRY(context->device->verbs->download(context->device, to, memory, bytes, NULL));
        TRY(context->device->verbs->wait(context->device, NULL));
    } else if (bytes) {
        memcpy(to, memory, (size_t)bytes);
    }
done:
    return status;
}

mw_status mw_wait(mw_context *context)
{
    mw_status status;

    TRY(context_ready(context));
    if (context->device)
        TRY(context->device->verbs->wait_all(context->device));
done:
    return status;
}
