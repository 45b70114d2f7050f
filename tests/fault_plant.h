/*
 * fault_plant.h - calls of the host and of a device's verbs, one of which fails.
 */
#ifndef MW_TESTS_FAULT_PLANT_H
#define MW_TESTS_FAULT_PLANT_H

#include "device.h"

#include <stdatomic.h>

/* The calls so far. Worker threads allocate, too. */
struct plant {
    int armed;          /* the library is being called, whose calls of the host may fail */
    atomic_int fail_at; /* this call fails, counted from 1; 0: none */
    atomic_int calls;
    atomic_int live; /* memory, mappings, threads and events not yet freed */
    _Atomic(const char *) failed;
    mw_status status;                /* of the call that failed */
    const struct device_verbs *real; /* those that ours call */
};

extern struct plant plant;

/* Have a device call verbs that may fail: `*verbs`, which are set. */
void plant_verbs(struct device *device, struct device_verbs *verbs);

#endif
