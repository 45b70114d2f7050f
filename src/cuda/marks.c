#include "marks.h"

#include <stdlib.h>

/* Room for `mark`, and as much again, so that a sort's marks grow it a few times only. */
static int make_room(struct marks *marks, uint32_t mark)
{
    const uint32_t room = 2 * mark + 16;
    CUevent *events;

    if (mark < marks->room)
        return 1;
    events = realloc(marks->events, room * sizeof *events);
    if (!events)
        return 0;
    for (uint32_t i = marks->room; i < room; i++)
        events[i] = NULL;
    marks->events = events;
    marks->room = room;
    return 1;
}

CUresult marks_set(const struct driver *driver, struct marks *marks, uint32_t mark,
                   CUstream stream)
{
    CUresult code = CUDA_SUCCESS;

    if (!make_room(marks, mark))
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (!marks->events[mark])
        code = driver->EventCreate(&marks->events[mark], CU_EVENT_DEFAULT);
    return code == CUDA_SUCCESS ? driver->EventRecord(marks->events[mark], stream) : code;
}

CUresult marks_between(const struct driver *driver, const struct marks *marks,
                       uint32_t mark, double *milliseconds)
{
    float elapsed = 0;
    CUresult code = driver->EventSynchronize(marks->events[mark + 1]);

    if (code == CUDA_SUCCESS)
        code = driver->EventElapsedTime(&elapsed, marks->events[mark],
                                        marks->events[mark + 1]);
    *milliseconds = elapsed;
    return code;
}

void marks_destroy(const struct driver *driver, struct marks *marks)
{
    for (uint32_t i = 0; i < marks->room; i++) {
        if (marks->events[i])
            driver->EventDestroy(marks->events[i]);
        marks->events[i] = NULL;
    }
}

void marks_free(struct marks *marks)
{
    free(marks->events);
    *marks = (struct marks){NULL, 0};
}
