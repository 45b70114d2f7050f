/*
 * beyond.c - one argsort of more keys than 32-bit numbers with a sign can number: the keys
 * are sorted along, positions have 64 bits, and each row is judged by what it says of the
 * input.
 *
 *   beyond DEVICE [COUNT [SHAPE [THREADS]]]      2^31+12345 random u32 keys, 16 threads
 *
 * On a GPU it takes 60 GiB of its memory, on the host 32 GiB.
 */
#include "tap.h"
#include "trial.h"

#include <pthread.h>
#include <stdlib.h>

enum { MOST_THREADS = 64 };

/* All rows, and the part of one thread. */
struct part {
    const struct kit_input *input;
    uint64_t first, last;
    uint32_t *keys, *sorted;
    uint64_t *positions;
    unsigned char *seen; /* one byte a row, so that threads do not share any */
    uint64_t wrong;
    pthread_t thread;
};

static void *fill(void *argument)
{
    struct part *const p = argument;

    kit_input_fill(p->input, p->first, p->last - p->first, p->keys + p->first);
    return NULL;
}

/* Position after position: of this key, none twice, and in order, ties by position. */
static void *judge(void *argument)
{
    struct part *const p = argument;

    for (uint64_t i = p->first; i < p->last; i++) {
        const uint64_t row = p->positions[i];

        if (row >= p->input->count || p->keys[row] != p->sorted[i]) {
            p->wrong++;
            continue;
        }
        p->seen[row] = 1;
        p->wrong +=
            i > 0 && (p->sorted[i - 1] > p->sorted[i] ||
                      (p->sorted[i - 1] == p->sorted[i] && p->positions[i - 1] >= row));
    }
    return NULL;
}

/* Strictly ascending by key and position, so no row is there twice; is each there? */
static void *miss(void *argument)
{
    struct part *const p = argument;

    for (uint64_t i = p->first; i < p->last; i++)
        p->wrong += !p->seen[i];
    return NULL;
}

static uint64_t in_parts(const struct part *all, int threads, void *work(void *))
{
    struct part parts[MOST_THREADS];
    uint64_t wrong = 0;

    for (int i = 0; i < threads; i++) {
        const uint64_t count = all->input->count;

        parts[i] = *all;
        parts[i].first = count / (uint64_t)threads * (uint64_t)i;
        parts[i].last =
            i + 1 == threads ? count : count / (uint64_t)threads * (uint64_t)(i + 1);
        if (pthread_create(&parts[i].thread, NULL, work, &parts[i]) != 0)
            exit(2);
    }
    for (int i = 0; i < threads; i++) {
        pthread_join(parts[i].thread, NULL);
        wrong += parts[i].wrong;
    }
    return wrong;
}

/* One call of several, the first of which that fails ends them. */
#define STEP(call) status = status == MW_OK ? (call) : status

static mw_status sort_there(mw_context *context, const struct part *all)
{
    const uint64_t count = all->input->count;
    void *keys = NULL, *sorted = NULL, *positions = NULL, *workspace = NULL;
    mw_job job = MW_JOB_INIT;
    mw_table in, out;
    uint64_t bytes = 0;
    mw_status status = mw_alloc(context, count * 4, &keys);

    STEP(mw_alloc(context, count * 4, &sorted));
    STEP(mw_alloc(context, count * 8, &positions));
    in = (mw_table){keys, count, NULL, 0};
    out = (mw_table){sorted, count, NULL, 0};
    job.order = mw_order_of(MW_U32, MW_ASCENDING);
    job.in = &in;
    job.out = &out;
    job.positions = positions;
    job.position_type = MW_U64;
    STEP(mw_prepare(context, &job, &bytes));
    STEP(mw_alloc(context, bytes + 1, &workspace));
    STEP(mw_upload(context, keys, all->keys, count * 4));
    STEP(mw_enqueue(context, &job, workspace, bytes, NULL));
    STEP(mw_wait(context));
    STEP(mw_download(context, all->sorted, sorted, count * 4));
    STEP(mw_download(context, all->positions, positions, count * 8));
    mw_free(context, workspace);
    mw_free(context, positions);
    mw_free(context, sorted);
    mw_free(context, keys);
    return status;
}

int main(int argc, char **argv)
{
    const char *const device = argc > 1 ? argv[1] : "cuda";
    const char *const shape = argc > 3 ? argv[3] : "random";
    const int asked = argc > 4 ? atoi(argv[4]) : 16;
    const int threads = asked < 1 ? 1 : asked > MOST_THREADS ? MOST_THREADS : asked;
    uint64_t count = (UINT64_C(1) << 31) + 12345;
    struct tap tap = {0};
    mw_context *const context = trial_open(&tap, device);
    struct kit_shape parsed = {0};
    struct kit_input input;
    struct part all = {.input = &input};

    if (context && (kit_shape_parse(shape, &parsed) ||
                    (argc > 2 && kit_parse_count(argv[2], &count)) ||
                    kit_input_open(&input, MW_U32, count, parsed, 1) != MW_OK))
        return 2;
    if (context) {
        all.keys = malloc(count * 4);
        all.sorted = malloc(count * 4);
        all.positions = malloc(count * 8);
        all.seen = calloc(count, 1);
    }
    if (context && all.keys && all.sorted && all.positions && all.seen) {
        const double began = kit_seconds();
        mw_status status;

        in_parts(&all, threads, fill);
        status = sort_there(context, &all);
        tap_case(&tap, status == MW_OK, "%s: argsort of %llu keys, %s (%s)", device,
                 (unsigned long long)count, shape, mw_error(context));
        if (status == MW_OK) {
            tap_case(&tap, in_parts(&all, threads, judge) == 0, "in order, ties too");
            tap_case(&tap, in_parts(&all, threads, miss) == 0, "each row once");
        }
        tap_note("%.1f s in all", kit_seconds() - began);
    } else if (context) {
        tap_case(&tap, 0, "memory of the host");
    }
    free(all.seen);
    free(all.positions);
    free(all.sorted);
    free(all.keys);
    if (context)
        kit_input_close(&input);
    mw_close(context);
    return tap_end(&tap);
}
