/*
 * fake_events.c - the fake driver's events: each keeps the time it was recorded
 * at, and tells it only to those who waited for it.
 */
#include "fake_state.h"

struct CUevent_st {
    int recorded;
    int waited_for;
    int at; /* launches before it */
};

EXPORT CUresult cuEventCreate(CUevent *event, unsigned flags)
{
    const CUresult code = begin_inside("cuEventCreate");

    if (code != CUDA_SUCCESS)
        return code;
    if (flags != CU_EVENT_DEFAULT)
        return INVALID_VALUE;
    *event = object_add(EVENT, sizeof **event);
    **event = (struct CUevent_st){0, 0, 0};
    return CUDA_SUCCESS;
}

EXPORT CUresult cuEventDestroy_v2(CUevent event)
{
    const CUresult code = begin_inside("cuEventDestroy_v2");

    return either(code, object_remove(EVENT, event));
}

EXPORT CUresult cuEventRecord(CUevent event, CUstream stream)
{
    const CUresult code = begin_inside("cuEventRecord");

    if (code != CUDA_SUCCESS)
        return code;
    if (!object_holds(EVENT, event, sizeof *event) ||
        (stream && !object_holds(STREAM, stream, 1)))
        return INVALID_HANDLE;
    *event = (struct CUevent_st){1, 0, fake.launches};
    return CUDA_SUCCESS;
}

EXPORT CUresult cuEventSynchronize(CUevent event)
{
    const CUresult code = begin_inside("cuEventSynchronize");

    if (code != CUDA_SUCCESS)
        return code;
    if (!object_holds(EVENT, event, sizeof *event))
        return INVALID_HANDLE;
    event->waited_for = 1;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuEventElapsedTime(float *milliseconds, CUevent first, CUevent last)
{
    const CUresult code = begin_inside("cuEventElapsedTime");

    if (code != CUDA_SUCCESS)
        return code;
    if (!object_holds(EVENT, first, sizeof *first) ||
        !object_holds(EVENT, last, sizeof *last) || !first->recorded || !last->recorded)
        return INVALID_HANDLE;
    if (!last->waited_for)
        return NOT_READY;
    *milliseconds = 0.25f * (float)(last->at - first->at);
    return CUDA_SUCCESS;
}
