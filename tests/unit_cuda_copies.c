/*
 * unit_cuda_copies.c - copies of the CUDA device on a fake driver: of every size, of
 * pageable and page-locked memory, on streams and as transfers. Needs fake_cuda/ first in
 * LD_LIBRARY_PATH.
 */
#include "fake_cuda/life.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

static struct error error; /* of the device below */
static struct device *device;
static const struct device_verbs *verbs;

/* Lives with copies of many sizes, while the caller has a context of his own. */
static void test_lives(struct tap *tap)
{
    static const uint64_t sizes[] = {1, COPY_STAGED_FROM - 1, COPY_STAGED_FROM,
                                     COPY_STAGED_FROM + FERRY_PIECE, MOST_BYTES - 1};
    int dummy = 0;
    const CUcontext own = (CUcontext)(void *)&dummy;
    CUcontext popped = NULL;

    fakes.driver.CtxPushCurrent(own);
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        const struct outcome outcome = life(i % 2 ? ABSENT_BITS : ACCEPTED_BITS, sizes[i]);

        tap_case(tap,
                 outcome.status == MW_OK && outcome.same && outcome.milliseconds == 0.25,
                 "%llu bytes there and back, and a timed launch: %s",
                 (unsigned long long)sizes[i], outcome.error.text);
    }
    tap_ok(tap, fakes.cuda->depth() == 1, "contexts are left", "");
    fakes.driver.CtxPopCurrent(&popped);
    tap_ok(tap, popped == own, "and the caller's is current again", "");
}

/* Copies of page-locked memory on two streams, the second after an event of the first. */
static mw_status test_locked_copies(struct tap *tap)
{
    const uint64_t bytes = COPY_STAGED_FROM;
    const int created = fakes.cuda->calls.called("cuStreamCreate");
    void *streams[2] = {NULL, NULL};
    void *event = NULL, *memory = NULL, *host = NULL;
    CUcontext context = NULL;
    mw_status status;

    fakes.driver.DevicePrimaryCtxRetain(&context, 0);
    fakes.driver.CtxPushCurrent(context);
    fakes.driver.MemAllocHost(&host, 3 * bytes - 1); /* the last byte is pageable */
    memset(host, 'a', bytes);
    for (int i = 0; i < 2; i++)
        TRY(verbs->stream_open(device, &streams[i]));
    TRY(verbs->event_open(device, &event));
    TRY(verbs->alloc(device, bytes, &memory));
    memset(memory, 'b', bytes);
    TRY(verbs->upload(device, memory, host, bytes, streams[0]));
    TRY(verbs->record(device, event, streams[0]));
    tap_ok(tap, *(char *)memory == 'b', "the upload has not waited", "");
    TRY(verbs->follow(device, streams[1], event));
    TRY(verbs->download(device, (char *)host + bytes, memory, bytes, streams[1]));
    TRY(verbs->wait(device, streams[1]));
    tap_ok(tap, memcmp(host, (char *)host + bytes, bytes) == 0,
           "the download has followed the event", "");
    tap_ok(tap, fakes.cuda->calls.called("cuStreamCreate") == created + 2,
           "page-locked memory needs no staging", "");
    memset(host, 'c', bytes);
    TRY(verbs->upload(device, memory, host, bytes, streams[0]));
    TRY(verbs->download(device, (char *)host + 2 * bytes, memory, bytes, streams[0]));
    TRY(verbs->wait(device, streams[0]));
    tap_ok(tap, memcmp(host, (char *)host + 2 * bytes, bytes) == 0,
           "a staged copy waits for its stream", "");
done:
    verbs->event_close(device, event);
    for (int i = 0; i < 2; i++)
        verbs->stream_close(device, streams[i]);
    fakes.driver.MemFreeHost(host);
    fakes.driver.CtxPopCurrent(&context);
    fakes.driver.DevicePrimaryCtxRelease(0);
    return status;
}

/* Two transfers a direction, of spans of any length, in memory of either kind. */
static mw_status transfer_spans(unsigned char *host, void *memory, int *same)
{
    enum { PARTS = 2, HALF = 3 * FERRY_PIECE + 77 };
    struct host_span spans[2 * PARTS][3];
    struct transfer transfers[2 * PARTS];
    mw_status status = MW_OK;

    for (int i = 0; i < 2 * PARTS; i++) { /* uploads of the first half, then downloads */
        unsigned char *const at = host + i * HALF;
        const uint64_t first = i % PARTS ? 5 : FERRY_PIECE + 3;

        spans[i][0] = (struct host_span){at, first};
        spans[i][1] = (struct host_span){at + first, 0};
        spans[i][2] = (struct host_span){at + first, HALF - first};
        transfers[i] = (struct transfer){.memory = (char *)memory + i % PARTS * HALF,
                                         .spans = spans[i],
                                         .span_count = 3,
                                         .upload = i < PARTS};
    }
    for (int i = 0; i < PARTS * HALF; i++)
        host[i] = (unsigned char)(i * 2654435761u >> 13);
    for (int direction = 0; direction < 2; direction++) {
        for (int i = 0; i < PARTS; i++)
            verbs->begin(device, &transfers[direction * PARTS + i]);
        for (int i = 0; i < PARTS; i++) {
            const mw_status end = verbs->finish(device, &transfers[direction * PARTS + i]);

            status = status == MW_OK ? end : status;
        }
    }
    *same = memcmp(host, host + PARTS * HALF, PARTS * HALF) == 0;
    memset(host, 0, 2 * PARTS * HALF);
    return status;
}

static mw_status test_transfers(struct tap *tap)
{
    const uint64_t bytes = 16 * FERRY_PIECE;
    unsigned char *const pageable = malloc(bytes);
    void *locked = NULL, *memory = NULL;
    CUcontext context = NULL;
    int same = 0;
    mw_status status;

    fakes.driver.DevicePrimaryCtxRetain(&context, 0);
    fakes.driver.CtxPushCurrent(context);
    fakes.driver.MemAllocHost(&locked, bytes);
    TRY(verbs->alloc(device, bytes, &memory));
    TRY(transfer_spans(pageable, memory, &same));
    tap_ok(tap, same, "transfers of pageable memory", "");
    TRY(transfer_spans(locked, memory, &same));
    tap_ok(tap, same, "transfers of page-locked memory", "");
done:
    free(pageable);
    fakes.driver.MemFreeHost(locked);
    fakes.driver.CtxPopCurrent(&context);
    fakes.driver.DevicePrimaryCtxRelease(0);
    return status;
}

int main(void)
{
    struct tap tap = {0, 0};
    const int found = life_begin();

    tap_ok(&tap, found, "the fake driver opens", "");
    if (!found)
        return tap_end(&tap);
    test_lives(&tap);
    for (int i = 0; i < 2; i++) {
        mw_status status = cuda_open(&device, 0, NULL, &error);

        if (status == MW_OK) {
            verbs = device->verbs;
            status = (i ? test_transfers : test_locked_copies)(&tap);
            verbs->close(device);
        }
        tap_case(&tap, status == MW_OK && leaks() == 0, "everything is freed %s",
                 status ? error.text : "");
    }
    life_end();
    return tap_end(&tap);
}
