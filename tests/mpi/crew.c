/*
 * crew.c - random jobs of several ranks, and the same job by one handle.
 */
#include "crew.h"

#include "tap.h"

struct array *crew_target(struct case_of_rows *c, uint32_t i)
{
    return c->place[i] == NOWHERE ? NULL : c->place[i] == IN_PLACE ? &c->in[i] : &c->out[i];
}

/* Cut the rows anywhere: evenly, at random, or so that most parts are empty. */
static void cut(struct case_of_rows *c, uint32_t ranks, uint64_t *begins)
{
    const uint64_t kind = roll(c, 4);

    for (uint32_t i = 0; i <= ranks; i++)
        begins[i] = kind == 0   ? c->count * i / ranks
                    : kind == 1 ? (i > ranks / 2 ? c->count : 0)
                                : roll(c, c->count + 1);
    for (uint32_t i = 1; i <= ranks; i++) { /* insertion sort: few */
        for (uint32_t k = i; k > 0 && begins[k - 1] > begins[k]; k--) {
            const uint64_t swapped = begins[k];

            begins[k] = begins[k - 1];
            begins[k - 1] = swapped;
        }
    }
    begins[0] = 0;
    begins[ranks] = c->count;
}

/* A part of an array; on a device, a copy of it. */
static mw_status reach(const struct crew *crew, uint32_t rank, struct array *array,
                       uint64_t first, uint64_t count, uint64_t bytes, void **at)
{
    mw_context *const context = crew->contexts[rank];
    unsigned char *const here = array_at(array) + first * bytes;
    mw_status status;

    *at = here;
    if (!crew->is_device)
        return MW_OK;
    status = mw_alloc(context, count * bytes + 1, at);
    return status == MW_OK && count ? mw_upload(context, *at, here, count * bytes) : status;
}

/* Copy what may have been written back, and free the copy. */
static mw_status return_part(const struct crew *crew, uint32_t rank, struct array *array,
                             uint64_t first, uint64_t count, uint64_t bytes, void *at)
{
    mw_status status = MW_OK;

    if (!crew->is_device || !at)
        return MW_OK;
    if (count)
        status = mw_download(crew->contexts[rank], array_at(array) + first * bytes, at,
                             count * bytes);
    mw_free(crew->contexts[rank], at);
    return status;
}

mw_status crew_rank(mw_comm *comm, void *argument)
{
    struct crew *const crew = argument;
    struct case_of_rows *const c = &crew->c;
    const uint32_t rank = comm->rank;
    const uint64_t in = crew->in[rank], out = crew->out[rank];
    const uint64_t in_count = crew->in[rank + 1] - in,
                   out_count = crew->out[rank + 1] - out;
    const size_t position_bytes = mw_type_size(c->position_type);
    mw_column columns[2][MOST_COLUMNS] = {{{NULL, 0}}};
    mw_table tables[2];
    mw_job job = MW_JOB_INIT;
    mw_status status = MW_OK;

    for (uint32_t i = 0; i < c->columns && status == MW_OK; i++) {
        struct array *const target = crew_target(c, i);

        columns[0][i].bytes = columns[1][i].bytes = c->bytes[i];
        status =
            reach(crew, rank, &c->in[i], in, in_count, c->bytes[i], &columns[0][i].data);
        if (status == MW_OK && c->place[i] == IN_PLACE)
            columns[1][i].data = columns[0][i].data;
        else if (status == MW_OK && target)
            status =
                reach(crew, rank, target, out, out_count, c->bytes[i], &columns[1][i].data);
    }
    if (status == MW_OK && c->has_positions)
        status = reach(crew, rank, &c->positions, out, out_count, position_bytes,
                       &job.positions);
    for (int i = 0; i < 2; i++)
        tables[i] = (mw_table){columns[i][0].data, i ? out_count : in_count, columns[i] + 1,
                               c->columns - 1};
    job.order = &c->order;
    job.in = &tables[0];
    job.out = c->with_out ? &tables[1] : NULL;
    job.position_type = c->position_type;
    if (crew->is_device && c->count % 2) /* the simulator's memory can be copied */
        comm->flags |= MW_COMM_DEVICE_MEMORY;
    if (status == MW_OK)
        status = crew->is_device ? mw_sort_across_device(crew->contexts[rank], comm, &job)
                                 : mw_sort_across(crew->contexts[rank], comm, &job);
    if (status != MW_OK)
        tap_note("rank %u: %s", rank, comm->error);
    for (uint32_t i = 0; i < c->columns && status == MW_OK; i++) {
        status = return_part(crew, rank, &c->in[i], in, in_count, c->bytes[i],
                             columns[0][i].data);
        if (status == MW_OK && c->place[i] == ELSEWHERE)
            status = return_part(crew, rank, &c->out[i], out, out_count, c->bytes[i],
                                 columns[1][i].data);
    }
    if (status == MW_OK && c->has_positions)
        status = return_part(crew, rank, &c->positions, out, out_count, position_bytes,
                             job.positions);
    return status;
}

/* The same job by one handle, on arrays of a copy. */
mw_status crew_run_alone(struct crew *crew, mw_context *context)
{
    struct case_of_rows *const c = &crew->alone;
    mw_column columns[2][MOST_COLUMNS];
    mw_table tables[2];
    mw_job job = MW_JOB_INIT;

    for (uint32_t i = 0; i < c->columns; i++) {
        struct array *const target = crew_target(c, i);

        columns[0][i] = (mw_column){array_at(&c->in[i]), c->bytes[i]};
        columns[1][i] = (mw_column){target ? array_at(target) : NULL, c->bytes[i]};
    }
    for (int i = 0; i < 2; i++)
        tables[i] =
            (mw_table){columns[i][0].data, c->count, columns[i] + 1, c->columns - 1};
    job.order = &c->order;
    job.in = &tables[0];
    job.out = c->with_out ? &tables[1] : NULL;
    job.position_type = c->position_type;
    job.positions = c->has_positions ? array_at(&c->positions) : NULL;
    return mw_run(context, &job);
}

int crew_make(struct crew *crew, uint64_t seed, uint64_t most, uint32_t ranks, int exactly)
{
    struct case_of_rows *const c = &crew->c;
    const int made = case_make(c, seed, most) & case_make(&crew->alone, seed, most);
    int in_place = !c->with_out;

    for (uint32_t i = 0; i < c->columns; i++)
        in_place |= c->place[i] == IN_PLACE;
    crew->ranks = exactly ? ranks : 1 + (uint32_t)roll(c, ranks);
    cut(c, crew->ranks, crew->in);
    cut(c, crew->ranks, crew->out);
    if (in_place)
        memcpy(crew->out, crew->in, sizeof crew->in);
    return made;
}

void crew_free(struct crew *crew)
{
    case_free(&crew->c);
    case_free(&crew->alone);
}
