/*
 * copy.c - staged copies: threads, page-locked buffers and their streams.
 */
#define _POSIX_C_SOURCE 200809L /* pthread */

#include "copy.h"

#include <pthread.h>
#include <string.h>

/* The chunk in a slot's buffer; none if `bytes` is 0. */
struct cargo {
    uint64_t offset;
    size_t bytes;
};

/* One thread's share: chunks first, first + COPY_LANES, ... */
struct lane {
    const struct driver *driver;
    CUcontext context;
    const struct copy_slot *slots;
    const struct copy *copy;
    int first;
    CUresult code;
};

static CUresult staging_make(const struct driver *driver, struct staging *staging)
{
    const size_t bytes = (size_t)COPY_LANES * COPY_SLOTS * COPY_CHUNK;
    void *memory = NULL;
    CUresult code = driver->MemAllocHost(&memory, bytes);

    if (code != CUDA_SUCCESS)
        return code;
    staging->memory = memory;
    for (int i = 0; i < COPY_LANES * COPY_SLOTS && code == CUDA_SUCCESS; i++) {
        struct copy_slot *const slot = &staging->slots[i / COPY_SLOTS][i % COPY_SLOTS];

        slot->buffer = staging->memory + (size_t)i * COPY_CHUNK;
        code = driver->StreamCreate(&slot->stream, CU_STREAM_NON_BLOCKING);
    }
    if (code != CUDA_SUCCESS)
        staging_free(driver, staging);
    return code;
}

void staging_free(const struct driver *driver, struct staging *staging)
{
    if (!staging->memory)
        return;
    for (int i = 0; i < COPY_LANES * COPY_SLOTS; i++) {
        const struct copy_slot *const slot =
            &staging->slots[i / COPY_SLOTS][i % COPY_SLOTS];

        if (slot->stream)
            driver->StreamDestroy(slot->stream);
    }
    driver->MemFreeHost(staging->memory);
    memset(staging, 0, sizeof *staging);
}

/* Wait for the slot's chunk; a downloaded one is copied to the caller's memory. */
static CUresult unload(const struct lane *lane, const struct copy_slot *slot,
                       struct cargo *cargo)
{
    const size_t bytes = cargo->bytes;

    if (bytes == 0)
        return CUDA_SUCCESS;
    cargo->bytes = 0;

    const CUresult code = lane->driver->StreamSynchronize(slot->stream);

    if (code == CUDA_SUCCESS && !lane->copy->upload)
        memcpy(lane->copy->host + cargo->offset, slot->buffer, bytes);
    return code;
}

/* Start the copy of the chunk at `offset` through the slot. */
static CUresult load(const struct lane *lane, const struct copy_slot *slot,
                     struct cargo *cargo, uint64_t offset)
{
    const struct copy *const copy = lane->copy;
    const uint64_t left = copy->bytes - offset;
    const size_t bytes = left < COPY_CHUNK ? (size_t)left : COPY_CHUNK;

    *cargo = (struct cargo){offset, bytes};
    if (!copy->upload)
        return lane->driver->MemcpyDtoHAsync(slot->buffer, copy->device + offset, bytes,
                                             slot->stream);
    memcpy(slot->buffer, copy->host + offset, bytes);
    return lane->driver->MemcpyHtoDAsync(copy->device + offset, slot->buffer, bytes,
                                         slot->stream);
}

static void lane_run(struct lane *lane)
{
    struct cargo cargo[COPY_SLOTS] = {
        {0, 0}
    };
    const uint64_t stride = (uint64_t)COPY_LANES * COPY_CHUNK;
    uint64_t offset = (uint64_t)lane->first * COPY_CHUNK;
    CUresult code = CUDA_SUCCESS;

    for (int turn = 0; offset < lane->copy->bytes && code == CUDA_SUCCESS; turn++) {
        const int i = turn % COPY_SLOTS;

        code = unload(lane, &lane->slots[i], &cargo[i]);
        if (code == CUDA_SUCCESS)
            code = load(lane, &lane->slots[i], &cargo[i], offset);
        offset += stride;
    }
    /* After a failure too: the buffers must be idle before the next copy. */
    for (int i = 0; i < COPY_SLOTS; i++) {
        const CUresult last = unload(lane, &lane->slots[i], &cargo[i]);

        if (code == CUDA_SUCCESS)
            code = last;
    }
    lane->code = code;
}

static void *lane_thread(void *argument)
{
    struct lane *const lane = argument;
    CUcontext popped;

    lane->code = lane->driver->CtxPushCurrent(lane->context);
    if (lane->code == CUDA_SUCCESS) {
        lane_run(lane);
        lane->driver->CtxPopCurrent(&popped);
    }
    return NULL;
}

static CUresult run_staged(const struct driver *driver, CUcontext context,
                           const struct staging *staging, const struct copy *copy)
{
    struct lane lanes[COPY_LANES];
    pthread_t threads[COPY_LANES];
    int started[COPY_LANES] = {0};
    CUresult code = CUDA_SUCCESS;

    for (int i = 0; i < COPY_LANES; i++) {
        lanes[i] = (struct lane){driver, context, staging->slots[i], copy, i, CUDA_SUCCESS};
        if (i > 0)
            started[i] = pthread_create(&threads[i], NULL, lane_thread, &lanes[i]) == 0;
    }
    for (int i = 0; i < COPY_LANES; i++) {
        if (!started[i])
            lane_run(&lanes[i]);
    }
    for (int i = 0; i < COPY_LANES; i++) {
        if (started[i])
            pthread_join(threads[i], NULL);
        if (code == CUDA_SUCCESS)
            code = lanes[i].code;
    }
    return code;
}

/* Is the byte in page-locked memory? The driver reports an error for pageable memory. */
static int is_locked(const struct driver *driver, const unsigned char *byte)
{
    int type = 0;

    return driver->PointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                       (uintptr_t)byte) == CUDA_SUCCESS &&
           type == CU_MEMORYTYPE_HOST;
}

/* Staging helps large copies of pageable memory, provided there are buffers for it. */
static int is_staged(const struct driver *driver, struct staging *staging,
                     const struct copy *copy)
{
    return copy->bytes >= COPY_STAGED_FROM &&
           !(is_locked(driver, copy->host) &&
             is_locked(driver, copy->host + copy->bytes - 1)) &&
           (staging->memory || staging_make(driver, staging) == CUDA_SUCCESS);
}

CUresult copy_run(const struct driver *driver, CUcontext context, struct staging *staging,
                  const struct copy *copy)
{
    if (is_staged(driver, staging, copy)) {
        /* The slots' streams are not ordered with the copy's: nothing may be left. */
        const CUresult code = driver->StreamSynchronize(copy->stream);

        return code == CUDA_SUCCESS ? run_staged(driver, context, staging, copy) : code;
    }
    if (copy->upload)
        return driver->MemcpyHtoDAsync(copy->device, copy->host, (size_t)copy->bytes,
                                       copy->stream);
    return driver->MemcpyDtoHAsync(copy->host, copy->device, (size_t)copy->bytes,
                                   copy->stream);
}
