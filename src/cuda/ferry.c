/*
 * ferry.c - threads that make transfers of one direction through page-locked buffers.
 */
#define _POSIX_C_SOURCE 200809L /* pthread */

#include "ferry.h"

#include "base/host.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Bytes [offset, offset + bytes) of a transfer, from byte `within` of a span on. */
struct piece {
    struct transfer *transfer; /* NULL: none */
    uint64_t offset;
    uint64_t bytes;
    uint32_t span;
    uint64_t within;
};

/* A page-locked buffer, the piece on its way, and the event after it. */
struct slot {
    unsigned char *buffer;
    struct piece piece;
    CUevent event;
};

struct lane {
    struct ferry *ferry;
    pthread_t thread;
    unsigned turn; /* of its slots */
    struct slot slots[FERRY_SLOTS];
};

struct ferry {
    const struct driver *driver;
    CUcontext context;
    CUstream stream;       /* of all pieces: from one stream to another there are gaps */
    unsigned char *memory; /* of all buffers */
    pthread_mutex_t lock;  /* of what follows, and of transfers */
    pthread_cond_t work, done;
    struct transfer *first, *last; /* with pieces to hand out */
    int ending;
    unsigned ready;   /* threads that have entered the context or failed to, ... */
    CUresult code;    /* ... with the first failure */
    unsigned threads; /* started */
    unsigned lane_count;
    struct lane lanes[FERRY_MOST_LANES];
};

/* ---- Pieces ------------------------------------------------------------------------ */

/* Take the next piece; 0 if there is none. The ferry is locked. */
static int take(struct ferry *ferry, struct piece *piece)
{
    struct transfer *const transfer = ferry->first;
    uint64_t bytes;

    if (!transfer)
        return 0;
    bytes = transfer->bytes - transfer->given;
    if (bytes > (transfer->is_direct ? FERRY_DIRECT : FERRY_PIECE))
        bytes = transfer->is_direct ? FERRY_DIRECT : FERRY_PIECE;
    *piece =
        (struct piece){transfer, transfer->given, bytes, transfer->span, transfer->within};
    transfer->given += bytes;
    transfer->within += bytes;
    while (transfer->span + 1 < transfer->span_count &&
           transfer->within >= transfer->spans[transfer->span].bytes)
        transfer->within -= transfer->spans[transfer->span++].bytes;
    if (transfer->given == transfer->bytes)
        ferry->first = transfer->next;
    return 1;
}

/* A piece is copied, or `code` says why not. */
static void complete(struct ferry *ferry, const struct piece *piece, CUresult code)
{
    struct transfer *const transfer = piece->transfer;

    pthread_mutex_lock(&ferry->lock);
    transfer->left -= piece->bytes;
    if (transfer->code == CUDA_SUCCESS)
        transfer->code = code;
    if (transfer->left == 0)
        pthread_cond_broadcast(&ferry->done);
    pthread_mutex_unlock(&ferry->lock);
}

/* Copy between a slot's buffer and the spans of its piece. */
static void stage(const struct slot *slot)
{
    const struct transfer *const transfer = slot->piece.transfer;
    const struct host_span *span = &transfer->spans[slot->piece.span];
    uint64_t within = slot->piece.within;

    for (uint64_t i = 0; i < slot->piece.bytes; span++, within = 0) {
        const uint64_t left = slot->piece.bytes - i;
        const uint64_t bytes = span->bytes - within < left ? span->bytes - within : left;
        unsigned char *const host = (unsigned char *)span->at + within;

        if (transfer->upload)
            memcpy(slot->buffer + i, host, bytes);
        else
            memcpy(host, slot->buffer + i, bytes);
        i += bytes;
    }
}

static CUresult send(const struct ferry *ferry, const struct transfer *transfer, void *host,
                     uint64_t offset, uint64_t bytes)
{
    const CUdeviceptr memory = (uintptr_t)transfer->memory + offset;

    return transfer->upload
               ? ferry->driver->MemcpyHtoDAsync(memory, host, bytes, ferry->stream)
               : ferry->driver->MemcpyDtoHAsync(host, memory, bytes, ferry->stream);
}

/* Send a piece from span to span. */
static CUresult send_spans(const struct ferry *ferry, const struct piece *piece)
{
    const struct host_span *span = &piece->transfer->spans[piece->span];
    uint64_t within = piece->within;
    CUresult code = CUDA_SUCCESS;

    for (uint64_t i = 0; i < piece->bytes && code == CUDA_SUCCESS; span++, within = 0) {
        const uint64_t left = piece->bytes - i;
        const uint64_t bytes = span->bytes - within < left ? span->bytes - within : left;

        if (bytes)
            code = send(ferry, piece->transfer, (char *)span->at + within,
                        piece->offset + i, bytes);
        i += bytes;
    }
    return code;
}

/* ---- Lanes ------------------------------------------------------------------------- */

/* Wait for the slot's piece; a downloaded one is copied to where it belongs. */
static void unload(struct ferry *ferry, struct slot *slot)
{
    CUresult code;

    if (!slot->piece.transfer)
        return;
    code = ferry->driver->EventSynchronize(slot->event);
    if (code == CUDA_SUCCESS && !slot->piece.transfer->upload &&
        !slot->piece.transfer->is_direct)
        stage(slot);
    complete(ferry, &slot->piece, code);
    slot->piece.transfer = NULL;
}

/* Start the copy of a piece through the slot, which is empty. */
static void load(struct ferry *ferry, struct slot *slot, const struct piece *piece)
{
    const struct transfer *const transfer = piece->transfer;
    CUresult code;

    slot->piece = *piece;
    if (transfer->is_direct) {
        code = send_spans(ferry, piece);
    } else {
        if (transfer->upload)
            stage(slot);
        code = send(ferry, transfer, slot->buffer, piece->offset, piece->bytes);
    }
    if (code == CUDA_SUCCESS)
        code = ferry->driver->EventRecord(slot->event, ferry->stream);
    if (code == CUDA_SUCCESS)
        return;
    ferry->driver->StreamSynchronize(ferry->stream); /* some of it may be on its way */
    complete(ferry, piece, code);
    slot->piece.transfer = NULL;
}

/* Make some progress: take a piece, or if there is none, end one. 0: nothing to do. */
static int advance(struct lane *lane)
{
    struct slot *const slot = &lane->slots[lane->turn % FERRY_SLOTS];
    struct piece piece = {.transfer = NULL};
    int has_work = 0;

    pthread_mutex_lock(&lane->ferry->lock);
    take(lane->ferry, &piece);
    pthread_mutex_unlock(&lane->ferry->lock);
    for (int i = 0; i < FERRY_SLOTS; i++)
        has_work |= lane->slots[i].piece.transfer != NULL;
    unload(lane->ferry, slot);
    if (piece.transfer)
        load(lane->ferry, slot, &piece);
    lane->turn++;
    return has_work || piece.transfer;
}

static void *lane_thread(void *argument)
{
    struct lane *const lane = argument;
    struct ferry *const ferry = lane->ferry;
    const CUresult code = ferry->driver->CtxPushCurrent(ferry->context);
    CUcontext popped;
    int ending = code != CUDA_SUCCESS;

    pthread_mutex_lock(&ferry->lock);
    ferry->ready++;
    if (ferry->code == CUDA_SUCCESS)
        ferry->code = code;
    pthread_cond_broadcast(&ferry->done);
    pthread_mutex_unlock(&ferry->lock);
    while (!ending) {
        while (advance(lane))
            continue;
        pthread_mutex_lock(&ferry->lock);
        while (!ferry->first && !ferry->ending)
            pthread_cond_wait(&ferry->work, &ferry->lock);
        ending = ferry->ending;
        pthread_mutex_unlock(&ferry->lock);
    }
    if (code == CUDA_SUCCESS)
        ferry->driver->CtxPopCurrent(&popped);
    return NULL;
}

/* ---- The ferry ---------------------------------------------------------------------- */

/* Start threads, and wait until each is ready or has failed. */
static CUresult start(struct ferry *ferry)
{
    while (ferry->threads < ferry->lane_count &&
           pthread_create(&ferry->lanes[ferry->threads].thread, NULL, lane_thread,
                          &ferry->lanes[ferry->threads]) == 0)
        ferry->threads++;
    pthread_mutex_lock(&ferry->lock);
    while (ferry->ready < ferry->threads)
        pthread_cond_wait(&ferry->done, &ferry->lock);
    pthread_mutex_unlock(&ferry->lock);
    return ferry->code;
}

static CUresult make_slots(struct ferry *ferry)
{
    const struct driver *const driver = ferry->driver;
    void *memory = NULL;
    CUresult code = driver->StreamCreate(&ferry->stream, CU_STREAM_NON_BLOCKING);

    if (code == CUDA_SUCCESS)
        code = driver->MemAllocHost(&memory,
                                    (size_t)ferry->lane_count * FERRY_SLOTS * FERRY_PIECE);
    ferry->memory = memory;
    for (unsigned i = 0; i < ferry->lane_count * FERRY_SLOTS && code == CUDA_SUCCESS; i++) {
        struct slot *const slot = &ferry->lanes[i / FERRY_SLOTS].slots[i % FERRY_SLOTS];

        slot->buffer = ferry->memory + (size_t)i * FERRY_PIECE;
        code = driver->EventCreate(&slot->event, CU_EVENT_DISABLE_TIMING);
    }
    return code;
}

CUresult ferry_open(struct ferry **ferry, const struct driver *driver, CUcontext context)
{
    const unsigned half = host_processors() / 2;
    struct ferry *const made = calloc(1, sizeof *made);
    CUresult code;

    *ferry = NULL;
    if (!made)
        return CUDA_ERROR_OUT_OF_MEMORY;
    made->driver = driver;
    made->context = context;
    made->lane_count = half < 2 ? 2 : half > FERRY_MOST_LANES ? FERRY_MOST_LANES : half;
    for (unsigned i = 0; i < made->lane_count; i++)
        made->lanes[i].ferry = made;
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->work, NULL);
    pthread_cond_init(&made->done, NULL);
    code = make_slots(made);
    if (code == CUDA_SUCCESS)
        code = start(made);
    if (code == CUDA_SUCCESS)
        *ferry = made;
    else
        ferry_close(made);
    return code;
}

void ferry_close(struct ferry *ferry)
{
    if (!ferry)
        return;
    pthread_mutex_lock(&ferry->lock);
    ferry->ending = 1;
    pthread_cond_broadcast(&ferry->work);
    pthread_mutex_unlock(&ferry->lock);
    for (unsigned i = 0; i < ferry->threads; i++)
        pthread_join(ferry->lanes[i].thread, NULL);
    for (unsigned i = 0; i < ferry->lane_count * FERRY_SLOTS; i++) {
        const CUevent event = ferry->lanes[i / FERRY_SLOTS].slots[i % FERRY_SLOTS].event;

        if (event)
            ferry->driver->EventDestroy(event);
    }
    if (ferry->stream)
        ferry->driver->StreamDestroy(ferry->stream);
    if (ferry->memory)
        ferry->driver->MemFreeHost(ferry->memory);
    pthread_cond_destroy(&ferry->done);
    pthread_cond_destroy(&ferry->work);
    pthread_mutex_destroy(&ferry->lock);
    free(ferry);
}

void ferry_begin(struct ferry *ferry, struct transfer *transfer)
{
    if (transfer->bytes == 0)
        return;
    pthread_mutex_lock(&ferry->lock);
    if (ferry->first)
        ferry->last->next = transfer;
    else
        ferry->first = transfer;
    ferry->last = transfer;
    pthread_cond_broadcast(&ferry->work);
    pthread_mutex_unlock(&ferry->lock);
}

CUresult ferry_finish(struct ferry *ferry, struct transfer *transfer)
{
    while (!ferry->threads && advance(&ferry->lanes[0]))
        continue;
    pthread_mutex_lock(&ferry->lock);
    while (transfer->left)
        pthread_cond_wait(&ferry->done, &ferry->lock);
    pthread_mutex_unlock(&ferry->lock);
    return transfer->code;
}
