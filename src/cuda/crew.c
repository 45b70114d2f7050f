/*
 * crew.c - threads that make transfers of one direction through page-locked buffers.
 */
#define _POSIX_C_SOURCE 200809L /* pthread */

#include "crew.h"

#include "base/host.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Bytes [offset, offset + bytes) of a transfer, from byte `within` of a span on. */
struct piece {
    struct transfer *transfer; /* NULL: none */
    uint64_t offset;
    uint64_t bytes;
    uint32_t span;
    uint64_t within;
};

/* A page-locked buffer, the stream its pieces travel on, and the one on its way. */
struct slot {
    CUstream stream;
    unsigned char *buffer;
    struct piece piece;
};

struct lane {
    struct crew *crew;
    pthread_t thread;
    unsigned turn; /* of its slots */
    struct slot slots[CREW_SLOTS];
};

struct crew {
    const struct driver *driver;
    CUcontext context;
    unsigned char *memory; /* of all buffers */
    pthread_mutex_t lock;  /* of what follows, and of transfers */
    pthread_cond_t work, done;
    struct transfer *first, *last; /* with pieces to hand out */
    int ending;
    unsigned ready;   /* threads that have entered the context or failed to, ... */
    CUresult code;    /* ... with the first failure */
    unsigned threads; /* started */
    unsigned lane_count;
    struct lane lanes[CREW_MOST_LANES];
};

/* ---- Pieces ------------------------------------------------------------------------ */

/* Take the next piece; 0 if there is none. The crew is locked. */
static int take(struct crew *crew, struct piece *piece)
{
    struct transfer *const transfer = crew->first;
    uint64_t bytes;

    if (!transfer)
        return 0;
    bytes = transfer->bytes - transfer->given;
    if (bytes > (transfer->is_direct ? CREW_DIRECT : CREW_PIECE))
        bytes = transfer->is_direct ? CREW_DIRECT : CREW_PIECE;
    *piece =
        (struct piece){transfer, transfer->given, bytes, transfer->span, transfer->within};
    transfer->given += bytes;
    transfer->within += bytes;
    while (transfer->span + 1 < transfer->span_count &&
           transfer->within >= transfer->spans[transfer->span].bytes)
        transfer->within -= transfer->spans[transfer->span++].bytes;
    if (transfer->given == transfer->bytes)
        crew->first = transfer->next;
    return 1;
}

/* A piece is copied, or `code` says why not. */
static void complete(struct crew *crew, const struct piece *piece, CUresult code)
{
    struct transfer *const transfer = piece->transfer;

    pthread_mutex_lock(&crew->lock);
    transfer->left -= piece->bytes;
    if (transfer->code == CUDA_SUCCESS)
        transfer->code = code;
    if (transfer->left == 0)
        pthread_cond_broadcast(&crew->done);
    pthread_mutex_unlock(&crew->lock);
}

/*
 * Copy to memory that is not read soon, without reading it first: a plain store loads the
 * cache line that it overwrites.
 */
static void copy_out(unsigned char *to, const unsigned char *from, uint64_t bytes)
{
#if defined(__SSE2__)
    const uint64_t ahead = (16 - (uintptr_t)to % 16) % 16;
    uint64_t i = ahead < bytes ? ahead : bytes;

    memcpy(to, from, i);
    for (; i + 64 <= bytes; i += 64) {
        const __m128i *const source = (const __m128i *)(from + i);
        __m128i *const target = (__m128i *)(to + i);
        const __m128i a = _mm_loadu_si128(source), b = _mm_loadu_si128(source + 1);
        const __m128i c = _mm_loadu_si128(source + 2), d = _mm_loadu_si128(source + 3);

        _mm_stream_si128(target, a);
        _mm_stream_si128(target + 1, b);
        _mm_stream_si128(target + 2, c);
        _mm_stream_si128(target + 3, d);
    }
    memcpy(to + i, from + i, bytes - i);
    _mm_sfence();
#else
    memcpy(to, from, bytes);
#endif
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
            copy_out(host, slot->buffer + i, bytes);
        i += bytes;
    }
}

static CUresult send(const struct driver *driver, const struct transfer *transfer,
                     void *host, uint64_t offset, uint64_t bytes, CUstream stream)
{
    const CUdeviceptr memory = (uintptr_t)transfer->memory + offset;

    return transfer->upload ? driver->MemcpyHtoDAsync(memory, host, bytes, stream)
                            : driver->MemcpyDtoHAsync(host, memory, bytes, stream);
}

/* Send a piece from span to span. */
static CUresult send_spans(const struct driver *driver, const struct slot *slot)
{
    const struct piece *const piece = &slot->piece;
    const struct host_span *span = &piece->transfer->spans[piece->span];
    uint64_t within = piece->within;
    CUresult code = CUDA_SUCCESS;

    for (uint64_t i = 0; i < piece->bytes && code == CUDA_SUCCESS; span++, within = 0) {
        const uint64_t left = piece->bytes - i;
        const uint64_t bytes = span->bytes - within < left ? span->bytes - within : left;

        if (bytes)
            code = send(driver, piece->transfer, (char *)span->at + within,
                        piece->offset + i, bytes, slot->stream);
        i += bytes;
    }
    return code;
}

/* ---- Lanes ------------------------------------------------------------------------- */

/* Wait for the slot's piece; a downloaded one is copied to where it belongs. */
static void unload(struct crew *crew, struct slot *slot)
{
    CUresult code;

    if (!slot->piece.transfer)
        return;
    code = crew->driver->StreamSynchronize(slot->stream);
    if (code == CUDA_SUCCESS && !slot->piece.transfer->upload &&
        !slot->piece.transfer->is_direct)
        stage(slot);
    complete(crew, &slot->piece, code);
    slot->piece.transfer = NULL;
}

/* Start the copy of a piece through the slot, which is empty. */
static void load(struct crew *crew, struct slot *slot, const struct piece *piece)
{
    const struct transfer *const transfer = piece->transfer;
    CUresult code;

    slot->piece = *piece;
    if (transfer->is_direct) {
        code = send_spans(crew->driver, slot);
    } else {
        if (transfer->upload)
            stage(slot);
        code = send(crew->driver, transfer, slot->buffer, piece->offset, piece->bytes,
                    slot->stream);
    }
    if (code == CUDA_SUCCESS)
        return;
    crew->driver->StreamSynchronize(slot->stream); /* some of it may be on its way */
    complete(crew, piece, code);
    slot->piece.transfer = NULL;
}

/* Make some progress: take a piece, or if there is none, end one. 0: nothing to do. */
static int advance(struct lane *lane)
{
    struct slot *const slot = &lane->slots[lane->turn % CREW_SLOTS];
    struct piece piece = {.transfer = NULL};
    int has_work = 0;

    pthread_mutex_lock(&lane->crew->lock);
    take(lane->crew, &piece);
    pthread_mutex_unlock(&lane->crew->lock);
    for (int i = 0; i < CREW_SLOTS; i++)
        has_work |= lane->slots[i].piece.transfer != NULL;
    unload(lane->crew, slot);
    if (piece.transfer)
        load(lane->crew, slot, &piece);
    lane->turn++;
    return has_work || piece.transfer;
}

static void *lane_thread(void *argument)
{
    struct lane *const lane = argument;
    struct crew *const crew = lane->crew;
    const CUresult code = crew->driver->CtxPushCurrent(crew->context);
    CUcontext popped;
    int ending = code != CUDA_SUCCESS;

    pthread_mutex_lock(&crew->lock);
    crew->ready++;
    if (crew->code == CUDA_SUCCESS)
        crew->code = code;
    pthread_cond_broadcast(&crew->done);
    pthread_mutex_unlock(&crew->lock);
    while (!ending) {
        while (advance(lane))
            continue;
        pthread_mutex_lock(&crew->lock);
        while (!crew->first && !crew->ending)
            pthread_cond_wait(&crew->work, &crew->lock);
        ending = crew->ending;
        pthread_mutex_unlock(&crew->lock);
    }
    if (code == CUDA_SUCCESS)
        crew->driver->CtxPopCurrent(&popped);
    return NULL;
}

/* ---- The crew ---------------------------------------------------------------------- */

/* Start threads, and wait until each is ready or has failed. */
static CUresult start(struct crew *crew)
{
    while (crew->threads < crew->lane_count &&
           pthread_create(&crew->lanes[crew->threads].thread, NULL, lane_thread,
                          &crew->lanes[crew->threads]) == 0)
        crew->threads++;
    pthread_mutex_lock(&crew->lock);
    while (crew->ready < crew->threads)
        pthread_cond_wait(&crew->done, &crew->lock);
    pthread_mutex_unlock(&crew->lock);
    return crew->code;
}

static CUresult make_slots(struct crew *crew)
{
    void *memory = NULL;
    CUresult code = crew->driver->MemAllocHost(&memory, (size_t)crew->lane_count *
                                                            CREW_SLOTS * CREW_PIECE);

    if (code != CUDA_SUCCESS)
        return code;
    crew->memory = memory;
    for (unsigned i = 0; i < crew->lane_count * CREW_SLOTS && code == CUDA_SUCCESS; i++) {
        struct slot *const slot = &crew->lanes[i / CREW_SLOTS].slots[i % CREW_SLOTS];

        slot->buffer = crew->memory + (size_t)i * CREW_PIECE;
        code = crew->driver->StreamCreate(&slot->stream, CU_STREAM_NON_BLOCKING);
    }
    return code;
}

CUresult crew_open(struct crew **crew, const struct driver *driver, CUcontext context)
{
    const unsigned half = host_processors() / 2;
    struct crew *const made = calloc(1, sizeof *made);
    CUresult code;

    *crew = NULL;
    if (!made)
        return CUDA_ERROR_OUT_OF_MEMORY;
    made->driver = driver;
    made->context = context;
    made->lane_count = half < 2 ? 2 : half > CREW_MOST_LANES ? CREW_MOST_LANES : half;
    for (unsigned i = 0; i < made->lane_count; i++)
        made->lanes[i].crew = made;
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->work, NULL);
    pthread_cond_init(&made->done, NULL);
    code = make_slots(made);
    if (code == CUDA_SUCCESS)
        code = start(made);
    if (code == CUDA_SUCCESS)
        *crew = made;
    else
        crew_close(made);
    return code;
}

void crew_close(struct crew *crew)
{
    if (!crew)
        return;
    pthread_mutex_lock(&crew->lock);
    crew->ending = 1;
    pthread_cond_broadcast(&crew->work);
    pthread_mutex_unlock(&crew->lock);
    for (unsigned i = 0; i < crew->threads; i++)
        pthread_join(crew->lanes[i].thread, NULL);
    for (unsigned i = 0; i < crew->lane_count * CREW_SLOTS; i++) {
        const CUstream stream = crew->lanes[i / CREW_SLOTS].slots[i % CREW_SLOTS].stream;

        if (stream)
            crew->driver->StreamDestroy(stream);
    }
    if (crew->memory)
        crew->driver->MemFreeHost(crew->memory);
    pthread_cond_destroy(&crew->done);
    pthread_cond_destroy(&crew->work);
    pthread_mutex_destroy(&crew->lock);
    free(crew);
}

void crew_begin(struct crew *crew, struct transfer *transfer)
{
    if (transfer->bytes == 0)
        return;
    pthread_mutex_lock(&crew->lock);
    if (crew->first)
        crew->last->next = transfer;
    else
        crew->first = transfer;
    crew->last = transfer;
    pthread_cond_broadcast(&crew->work);
    pthread_mutex_unlock(&crew->lock);
}

CUresult crew_finish(struct crew *crew, struct transfer *transfer)
{
    while (!crew->threads && advance(&crew->lanes[0]))
        continue;
    pthread_mutex_lock(&crew->lock);
    while (transfer->left)
        pthread_cond_wait(&crew->done, &crew->lock);
    pthread_mutex_unlock(&crew->lock);
    return transfer->code;
}
