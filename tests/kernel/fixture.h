/*
 * fixture.h - one kernel on the simulator: open a device, give it arrays, launch, look
 * at memory and at the ledger. All tests of kernels and of the simulator use it.
 *
 * The simulator's memory is host memory, so tests read and write arrays in place.
 */
#ifndef MW_TESTS_FIXTURE_H
#define MW_TESTS_FIXTURE_H

#include "plan_parts.h"
#include "sim/sim.h"

#include "kit.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

enum { FIXTURE_MOST_ARRAYS = 64 };

struct fixture {
    struct device *device;
    struct error error;
    uint64_t seed;
    void *arrays[FIXTURE_MOST_ARRAYS];
    int array_count;
};

/* Returns 1 if the simulator opened. Close it either way. */
int fixture_open(struct fixture *f);
void fixture_close(struct fixture *f);

/* Device memory, full of garbage, until fixture_clear; the test ends if there is none. */
void *fixture_array(struct fixture *f, uint64_t bytes);

/* Free all arrays and forget the ledger. */
void fixture_clear(struct fixture *f);

/* 0 to `limit` - 1 */
uint64_t fixture_random(struct fixture *f, uint64_t limit);

/* How to launch a kernel of the library; `tile` is NULL for engine heap. */
struct work {
    enum kernel_id kernel;
    int bits;
    const struct tile_geometry *tile;
    uint64_t blocks;
    uint32_t threads;
    uint64_t shared;
};

/* Launch it on an empty ledger. Returns 1, or 0 with the message as a note. */
int fixture_launch(struct fixture *f, const struct work *work, const void *args,
                   size_t args_bytes);

/* Launch a kernel that the library does not have. */
mw_status fixture_run(struct fixture *f, const struct simt_kernel *kernel, uint64_t blocks,
                      uint32_t threads, uint64_t shared, const void *args,
                      size_t args_bytes);

/* The ledger since it was last forgotten. */
const mw_ledger_line *fixture_ledger(struct fixture *f, size_t *count);

/* The traffic of the n-th line that has any, from 0; all zero if there are fewer. */
mw_traffic fixture_line(struct fixture *f, size_t n);

/* The sum of all lines, and of those with one kind of access. */
mw_traffic ledger_total(const mw_ledger_line *lines, size_t count);
mw_traffic ledger_sum(const mw_ledger_line *lines, size_t count, mw_access access,
                      int stores);

/* A section of the kernel tests; main.c has the list. */
typedef void kernel_test(struct tap *tap, struct fixture *f);

#endif
