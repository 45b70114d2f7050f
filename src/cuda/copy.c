/*
 * copy.c - copies: who makes them, the driver or a ferry.
 */
#include "copy.h"

/* Is the byte in page-locked memory? The driver reports an error for pageable memory. */
static int is_locked(const struct driver *driver, const void *byte)
{
    int type = 0;

    return driver->PointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                       (uintptr_t)byte) == CUDA_SUCCESS &&
           type == CU_MEMORYTYPE_HOST;
}

static int is_locked_from(const struct driver *driver, const void *first, const void *end)
{
    return is_locked(driver, first) && is_locked(driver, (const char *)end - 1);
}

static CUresult drive(const struct driver *driver, const struct copy *copy)
{
    if (copy->upload)
        return driver->MemcpyHtoDAsync(copy->device, copy->host, (size_t)copy->bytes,
                                       copy->stream);
    return driver->MemcpyDtoHAsync(copy->host, copy->device, (size_t)copy->bytes,
                                   copy->stream);
}

/* The ferry of a direction, or NULL if there cannot be one. */
static struct ferry *ferry_of(struct copies *copies, int upload)
{
    struct ferry **const ferry = &copies->ferries[upload != 0];

    if (!*ferry)
        ferry_open(ferry, copies->driver, copies->context);
    return *ferry;
}

/* A transfer by the driver, which waits for the stream. */
static CUresult drive_spans(const struct driver *driver, const struct transfer *transfer,
                            CUstream stream)
{
    struct copy copy = {.device = (uintptr_t)transfer->memory,
                        .stream = stream,
                        .upload = transfer->upload};
    CUresult code = CUDA_SUCCESS;

    for (uint32_t i = 0; i < transfer->span_count && code == CUDA_SUCCESS; i++) {
        copy.host = transfer->spans[i].at;
        copy.bytes = transfer->spans[i].bytes;
        if (copy.bytes)
            code = drive(driver, &copy);
        copy.device += copy.bytes;
    }
    if (code == CUDA_SUCCESS)
        code = driver->StreamSynchronize(stream);
    return code;
}

void copy_begin(struct copies *copies, struct transfer *transfer, CUstream stream)
{
    struct ferry *const ferry = ferry_of(copies, transfer->upload);

    transfer->next = NULL;
    transfer->bytes = transfer->given = transfer->within = 0;
    transfer->span = 0;
    transfer->code = CUDA_SUCCESS;
    for (uint32_t i = 0; i < transfer->span_count; i++)
        transfer->bytes += transfer->spans[i].bytes;
    transfer->left = ferry ? transfer->bytes : 0;
    if (transfer->bytes == 0)
        return;
    if (ferry) {
        const struct host_span *const first = transfer->spans;
        const struct host_span *const last = first + transfer->span_count - 1;

        transfer->is_direct =
            is_locked_from(copies->driver, first->at, (char *)last->at + last->bytes);
        ferry_begin(ferry, transfer);
    } else {
        transfer->code = drive_spans(copies->driver, transfer, stream);
    }
}

CUresult copy_finish(struct copies *copies, struct transfer *transfer)
{
    struct ferry *const ferry = copies->ferries[transfer->upload != 0];

    return transfer->bytes && ferry ? ferry_finish(ferry, transfer) : transfer->code;
}

/* Staging helps large copies of pageable memory, provided there are buffers for it. */
static int is_staged(struct copies *copies, const struct copy *copy)
{
    return copy->bytes >= COPY_STAGED_FROM &&
           !is_locked_from(copies->driver, copy->host, copy->host + copy->bytes) &&
           ferry_of(copies, copy->upload);
}

CUresult copy_run(struct copies *copies, const struct copy *copy)
{
    const struct host_span span = {copy->host, copy->bytes};
    struct transfer transfer = {.memory = (char *)(uintptr_t)copy->device,
                                .spans = &span,
                                .span_count = 1,
                                .upload = copy->upload};
    CUresult code;

    if (!is_staged(copies, copy))
        return drive(copies->driver, copy);
    /* Transfers are not ordered with streams: nothing may be left. */
    code = copies->driver->StreamSynchronize(copy->stream);
    if (code != CUDA_SUCCESS)
        return code;
    copy_begin(copies, &transfer, copy->stream);
    return copy_finish(copies, &transfer);
}

void copies_close(struct copies *copies)
{
    for (int i = 0; i < 2; i++) {
        ferry_close(copies->ferries[i]);
        copies->ferries[i] = NULL;
    }
}
