/*
 * ledger.h - memory traffic by kernel, source line and kind of access.
 */
#ifndef MW_SIM_LEDGER_H
#define MW_SIM_LEDGER_H

#include "base/base.h"
#include "simt_calls.h"

/* One word at one site, in one kernel. */
struct ledger_entry {
    const struct simt_kernel *kernel;
    const struct simt_site *site;
    mw_traffic traffic; /* in launches that have ended */
    mw_traffic now;     /* in the one that runs */
};

struct ledger_launches {
    const struct simt_kernel *kernel;
    uint64_t count;
};

struct ledger {
    struct ledger_entry *entries; /* number 0 is not used: it means none */
    uint32_t count;
    uint32_t capacity;
    uint32_t *slots; /* a hash table of entry numbers; 0: free */
    uint32_t slot_count;
    struct ledger_launches *launches;
    size_t kernels;
    mw_traffic last;       /* of the launch that ended last, over all lines */
    mw_ledger_line *lines; /* those handed out last ... */
    char **texts;
    size_t line_count;
    int told; /* ... and whether they are still up to date */
};

/* Count a launch of `kernel`. Returns 0, or -1 if there is no memory. */
int ledger_launch(struct ledger *ledger, const struct simt_kernel *kernel);

/* The number of this entry, which is made if it is new; 0 if there is no memory. */
uint32_t ledger_number(struct ledger *ledger, const struct simt_kernel *kernel,
                       const struct simt_site *site);

/* The launch is over: add its counts to those of earlier launches. */
void ledger_end(struct ledger *ledger);

/* The lines, sorted and with their text; valid until the next launch or reset. */
mw_status ledger_lines(struct ledger *ledger, struct error *error,
                       const mw_ledger_line **lines, size_t *count);

/* Forget all counts and free all memory. */
void ledger_reset(struct ledger *ledger);

/* The part of a path after its last slash. */
const char *base_name(const char *path);

#endif
