/*
 * requests.h - what the last launch asked of global memory, for tests of one kernel
 * that hold it to few requests.
 */
#ifndef MW_TESTS_REQUESTS_H
#define MW_TESTS_REQUESTS_H

#include "device.h"

/* Requests since the ledger was reset; 0 if it cannot be had. */
static inline uint64_t global_requests(struct device *device)
{
    const mw_ledger_line *lines;
    uint64_t requests = 0;
    size_t count;

    if (device->verbs->ledger(device, &lines, &count) != MW_OK)
        return 0;
    for (size_t i = 0; i < count; i++)
        requests += lines[i].traffic.global_requests;
    return requests;
}

#endif
