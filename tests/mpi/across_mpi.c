/*
 * across_mpi.c - random jobs by ranks of MPI, against mw_run of one handle. Each rank has
 * all arrays and sorts its part of them; that part must be what mw_run makes.
 *
 *   mpirun -n RANKS across_mpi SEED COUNT [MOST]
 *
 * The last rank prints, as one TAP test.
 */
#include "crew.h"
#include "multiway_mpi.h"
#include "tap.h"

#include <inttypes.h>
#include <stdlib.h>

static int same(const struct array *a, const struct array *b, uint64_t first, uint64_t last,
                uint64_t bytes)
{
    return memcmp(array_at(a) + first * bytes, array_at(b) + first * bytes,
                  (size_t)((last - first) * bytes)) == 0;
}

/* Is this rank's part right? Of comparisons that are no orders, the status must do. */
static int judge(struct crew *crew, uint32_t rank)
{
    struct case_of_rows *const c = &crew->c;
    const uint64_t first = crew->out[rank], last = crew->out[rank + 1];
    int right = 1;

    for (uint32_t i = 0; i < c->columns && c->is_order; i++) {
        if (crew_target(c, i))
            right &= same(crew_target(c, i), crew_target(&crew->alone, i), first, last,
                          c->bytes[i]);
    }
    if (c->has_positions && c->is_order)
        right &= same(&c->positions, &crew->alone.positions, first, last,
                      mw_type_size(c->position_type));
    return right;
}

int main(int count, char **words)
{
    const uint64_t seed = count > 1 ? strtoull(words[1], NULL, 10) : 1;
    const uint64_t cases = count > 2 ? strtoull(words[2], NULL, 10) : 100;
    const uint64_t most = count > 3 ? strtoull(words[3], NULL, 10) : 3000;
    static struct crew crew;
    struct tap tap = {0};
    mw_context *context = NULL;
    mw_comm comm;
    uint64_t wrong = 0;

    if (MPI_Init(&count, &words) != MPI_SUCCESS ||
        mw_mpi_open(&comm, MPI_COMM_WORLD) != MW_OK || comm.ranks > MOST_RANKS ||
        mw_open(&context, "cpu:1", NULL) != MW_OK)
        return 1;
    crew.contexts[comm.rank] = context;
    for (uint64_t i = 0; i < cases && !wrong; i++) {
        wrong = !crew_make(&crew, seed + i, most, comm.ranks, 1);
        wrong |= crew_run_alone(&crew, context) != MW_OK;
        wrong |= crew_rank(&comm, &crew) != MW_OK || !judge(&crew, comm.rank);
        wrong *= seed + i;
        comm.maximum(comm.state, &wrong, 1);
        crew_free(&crew);
    }
    mw_close(context);
    if (comm.rank == comm.ranks - 1) {
        tap_case(&tap, !wrong,
                 "%" PRIu64 " jobs by %u ranks; wrong: seed %" PRIu64 " (0: none)", cases,
                 comm.ranks, wrong);
        tap_end(&tap);
    }
    mw_mpi_close(&comm);
    MPI_Finalize();
    return wrong != 0;
}
