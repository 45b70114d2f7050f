/*
 * watch.h - a communicator that counts what its rank receives, and may fail.
 */
#ifndef MW_TESTS_WATCH_H
#define MW_TESTS_WATCH_H

#include "multiway_across.h"

struct watch {
    mw_comm *inner;
    uint64_t bytes; /* received, its own too */
    uint64_t calls;
    uint64_t fail_at; /* this call fails, counted from 1; 0: none */
};

/* A communicator that calls `inner` and counts in `watch`. */
mw_comm watch_comm(struct watch *watch, mw_comm *inner, uint64_t fail_at);

#endif
