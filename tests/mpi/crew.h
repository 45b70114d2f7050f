/*
 * crew.h - random jobs of several ranks, and the same job by one handle.
 */
#ifndef MW_TESTS_MPI_CREW_H
#define MW_TESTS_MPI_CREW_H

#include "anything.h"
#include "multiway_across.h"

enum { MOST_RANKS = 64 };

/* A job whose arrays all ranks have a part of. */
struct crew {
    mw_context *contexts[MOST_RANKS];
    struct case_of_rows c, alone; /* the same */
    int is_device;                /* parts are copied to device memory, and back */
    uint32_t ranks;
    uint64_t in[MOST_RANKS + 1], out[MOST_RANKS + 1]; /* where parts begin */
};

/* Case `seed` of at most `most` rows for 1 to `ranks` ranks; `exactly`: for all of them. */
int crew_make(struct crew *crew, uint64_t seed, uint64_t most, uint32_t ranks, int exactly);
void crew_free(struct crew *crew);

/* What a rank does: sort its part. `argument` is the crew. */
mw_status crew_rank(mw_comm *comm, void *argument);

/* Run the same job on `alone`. */
mw_status crew_run_alone(struct crew *crew, mw_context *context);

/* Where column `i` of the result goes; NULL: nowhere. */
struct array *crew_target(struct case_of_rows *c, uint32_t i);

#endif
