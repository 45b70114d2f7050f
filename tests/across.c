/*
 * across.c - random jobs on ranks of one process, against mw_run of one handle.
 *
 *   across DEVICE SEED COUNT [MOST [RANKS]]
 *
 * runs COUNT jobs of at most MOST rows, on 1 to RANKS ranks. Each rank has a part of the
 * same arrays, and some have none. All arrays, and the guards around them, must be what
 * mw_run makes of a copy, byte by byte. Of a comparison that is no order only the rows
 * must all be there. Case i of a seed is case 0 of seed + i.
 */
#include "anything.h"
#include "multiway_across.h"
#include "tap.h"

#include <inttypes.h>
#include <stdlib.h>

enum { MOST_RANKS = 64 };

struct crew {
    mw_context *contexts[MOST_RANKS];
    struct case_of_rows *c;
    int is_device; /* parts are copied to device memory, and back */
    uint32_t ranks;
    uint64_t in[MOST_RANKS + 1], out[MOST_RANKS + 1]; /* where parts begin */
};

static struct array *target_of(struct case_of_rows *c, uint32_t i)
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

static mw_status rank_main(mw_comm *comm, void *argument)
{
    const struct crew *const crew = argument;
    struct case_of_rows *const c = crew->c;
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
        struct array *const target = target_of(c, i);

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
static mw_status run_alone(mw_context *context, struct case_of_rows *c)
{
    mw_column columns[2][MOST_COLUMNS];
    mw_table tables[2];
    mw_job job = MW_JOB_INIT;

    for (uint32_t i = 0; i < c->columns; i++) {
        struct array *const target = target_of(c, i);

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

static int same(const struct array *a, const struct array *b)
{
    return memcmp(a->room, b->room, (size_t)array_room(a)) == 0;
}

/* Numbers of rows, or positions, of a comparison that is no order: is each there once? */
static const char *judge_rows(struct case_of_rows *c)
{
    const struct array *const numbers =
        c->has_positions ? &c->positions : target_of(c, c->columns - 1);
    const size_t bytes = c->has_positions ? mw_type_size(c->position_type) : 4;
    unsigned char *const seen = calloc((size_t)c->count + 1, 1);
    int right = seen != NULL;

    for (uint64_t i = 0; right && i < c->count; i++) {
        uint64_t number = 0;

        memcpy(&number, array_at(numbers) + i * bytes, bytes);
        right = number < c->count && !seen[number]++;
    }
    free(seen);
    return right ? NULL : "a row is lost or doubled";
}

static const char *judge(struct case_of_rows *c, struct case_of_rows *alone)
{
    if (!c->is_order)
        return judge_rows(c);
    for (uint32_t i = 0; i < c->columns; i++) {
        if (!same(&c->in[i], &alone->in[i]))
            return "input, or result in place, differs";
        if (!same(&c->out[i], &alone->out[i]))
            return "result differs";
    }
    return same(&c->positions, &alone->positions) ? NULL : "positions differ";
}

static const char *try_case(struct crew *crew, mw_context *context, uint64_t seed,
                            uint64_t most, uint32_t ranks)
{
    struct case_of_rows c, alone;
    const int made = case_make(&c, seed, most) & case_make(&alone, seed, most);
    const char *wrong = made ? NULL : "no memory";
    int in_place = !c.with_out;

    for (uint32_t i = 0; i < c.columns; i++)
        in_place |= c.place[i] == IN_PLACE;
    crew->c = &c;
    crew->ranks = 1 + (uint32_t)roll(&c, ranks);
    cut(&c, crew->ranks, crew->in);
    cut(&c, crew->ranks, crew->out);
    if (in_place)
        memcpy(crew->out, crew->in, sizeof crew->in);
    if (made && run_alone(context, &alone) != MW_OK)
        wrong = mw_error(context);
    if (!wrong && mw_across_threads(crew->ranks, rank_main, crew) != MW_OK)
        wrong = "mw_sort_across failed";
    if (!wrong)
        wrong = judge(&c, &alone);
    if (wrong) {
        tap_note("%u ranks", crew->ranks);
        case_print(&c);
    }
    case_free(&c);
    case_free(&alone);
    return wrong;
}

int main(int count, char **words)
{
    const char *const device = count > 1 ? words[1] : "cpu:1";
    const uint64_t seed = count > 2 ? strtoull(words[2], NULL, 10) : 1;
    const uint64_t cases = count > 3 ? strtoull(words[3], NULL, 10) : 100;
    const uint64_t most = count > 4 ? strtoull(words[4], NULL, 10) : 3000;
    const uint32_t ranks = count > 5 ? (uint32_t)strtoul(words[5], NULL, 10) : MOST_RANKS;
    static struct crew crew;
    struct tap tap = {0};
    mw_context *alone = NULL;
    mw_status status = mw_open(&alone, "cpu:1", NULL);

    for (uint32_t i = 0; i < ranks && i < MOST_RANKS && status == MW_OK; i++)
        status = mw_open(&crew.contexts[i], device, NULL);
    tap_ok(&tap, status == MW_OK, "handles for all ranks", mw_status_text(status));
    for (uint64_t i = 0; i < cases && status == MW_OK && tap.failed < 5; i++) {
        crew.is_device = strncmp(device, "cpu", 3) != 0 && i % 2;

        const char *const wrong = try_case(&crew, alone, seed + i, most, ranks);

        if (wrong || i == cases - 1)
            tap_case(&tap, !wrong, "jobs up to seed %" PRIu64 "%s%s", seed + i,
                     wrong ? ": " : "", wrong ? wrong : "");
    }
    for (uint32_t i = 0; i < MOST_RANKS; i++)
        mw_close(crew.contexts[i]);
    mw_close(alone);
    return tap_end(&tap);
}
