/*
 * stream.c - streams, events and copies of a GPU: the verbs of device.h, each a call or
 * two of the driver inside our context.
 */
#include "gpu.h"

/* Leave the context after a driver call; its error becomes "cannot `what` on cuda:0". */
static mw_status leave_with(struct gpu *gpu, CUresult code, const char *what)
{
    const mw_status status = driver_check(&gpu->driver, gpu->base.error, code,
                                          "cannot %s on %s", what, gpu->base.info.device);

    leave(gpu);
    return status;
}

mw_status gpu_stream_open(struct device *device, void **stream)
{
    struct gpu *const gpu = gpu_of(device);
    CUstream opened = NULL;
    mw_status status;

    TRY(enter(gpu));
    TRY(leave_with(gpu, gpu->driver.StreamCreate(&opened, CU_STREAM_NON_BLOCKING),
                   "create a stream"));
done:
    *stream = opened;
    return status;
}

void gpu_stream_close(struct device *device, void *stream)
{
    struct gpu *const gpu = gpu_of(device);

    if (!stream || gpu->driver.CtxPushCurrent(gpu->context) != CUDA_SUCCESS)
        return;
    gpu->driver.StreamDestroy(stream);
    leave(gpu);
}

mw_status gpu_wait(struct device *device, void *stream)
{
    struct gpu *const gpu = gpu_of(device);
    mw_status status;

    TRY(enter(gpu));
    TRY(leave_with(gpu, gpu->driver.StreamSynchronize(stream), "wait for a stream"));
done:
    return status;
}

mw_status gpu_wait_all(struct device *device)
{
    struct gpu *const gpu = gpu_of(device);
    mw_status status;

    TRY(enter(gpu));
    TRY(leave_with(gpu, gpu->driver.CtxSynchronize(), "wait for all work"));
done:
    return status;
}

mw_status gpu_event_open(struct device *device, void **event)
{
    struct gpu *const gpu = gpu_of(device);
    CUevent opened = NULL;
    mw_status status;

    TRY(enter(gpu));
    TRY(leave_with(gpu, gpu->driver.EventCreate(&opened, CU_EVENT_DEFAULT),
                   "create an event"));
done:
    *event = opened;
    return status;
}

void gpu_event_close(struct device *device, void *event)
{
    struct gpu *const gpu = gpu_of(device);

    if (!event || gpu->driver.CtxPushCurrent(gpu->context) != CUDA_SUCCESS)
        return;
    gpu->driver.EventDestroy(event);
    leave(gpu);
}

mw_status gpu_record(struct device *device, void *event, void *stream)
{
    struct gpu *const gpu = gpu_of(device);
    mw_status status;

    TRY(enter(gpu));
    TRY(leave_with(gpu, gpu->driver.EventRecord(event, stream), "record an event"));
done:
    return status;
}

mw_status gpu_follow(struct device *device, void *stream, void *event)
{
    struct gpu *const gpu = gpu_of(device);
    mw_status status;

    TRY(enter(gpu));
    TRY(leave_with(gpu, gpu->driver.StreamWaitEvent(stream, event, 0),
                   "make a stream wait for an event"));
done:
    return status;
}

mw_status gpu_elapsed(struct device *device, void *first, void *second,
                      double *milliseconds)
{
    struct gpu *const gpu = gpu_of(device);
    float elapsed = 0;
    CUresult code;
    mw_status status;

    TRY(enter(gpu));
    code = gpu->driver.EventSynchronize(second);
    if (code == CUDA_SUCCESS)
        code = gpu->driver.EventElapsedTime(&elapsed, first, second);
    TRY(leave_with(gpu, code, "measure the time between two events"));
    *milliseconds = elapsed;
done:
    return status;
}

static mw_status copy(struct gpu *gpu, const struct copy *request)
{
    mw_status status = MW_OK;

    if (request->bytes == 0)
        return MW_OK;
    TRY(enter(gpu));
    status =
        driver_check(&gpu->driver, gpu->base.error, copy_run(&gpu->copies, request),
                     "cannot copy %llu bytes %s %s", (unsigned long long)request->bytes,
                     request->upload ? "to" : "from", gpu->base.info.device);
    leave(gpu);
done:
    return status;
}

mw_status gpu_upload(struct device *device, void *memory, const void *from, uint64_t bytes,
                     void *stream)
{
    const struct copy request = {(unsigned char *)from, (uintptr_t)memory, bytes, stream,
                                 1};

    return copy(gpu_of(device), &request);
}

mw_status gpu_download(struct device *device, void *to, const void *memory, uint64_t bytes,
                       void *stream)
{
    const struct copy request = {to, (uintptr_t)memory, bytes, stream, 0};

    return copy(gpu_of(device), &request);
}

/* If the context cannot be entered, nothing is copied. */
void gpu_begin(struct device *device, struct transfer *transfer)
{
    struct gpu *const gpu = gpu_of(device);

    transfer->bytes = 0;
    transfer->code = gpu->driver.CtxPushCurrent(gpu->context);
    if (transfer->code != CUDA_SUCCESS)
        return;
    copy_begin(&gpu->copies, transfer, device->stream);
    leave(gpu);
}

/* Without threads the transfer is made now, which needs the context. */
mw_status gpu_finish(struct device *device, struct transfer *transfer)
{
    struct gpu *const gpu = gpu_of(device);
    const int entered = gpu->driver.CtxPushCurrent(gpu->context) == CUDA_SUCCESS;
    const CUresult code = copy_finish(&gpu->copies, transfer);

    if (entered)
        leave(gpu);
    return driver_check(&gpu->driver, device->error, code, "cannot copy %llu bytes %s %s",
                        (unsigned long long)transfer->bytes,
                        transfer->upload ? "to" : "from", device->info.device);
}
