/*
 * across_faults.c - the k-th call fails, for every k: of all ranks' calls for memory and
 * threads, of one rank's calls of its device, or of its communicator. Then all ranks
 * return the same status with a message, and nobody waits forever. Nothing leaks, rows in
 * place are still their rank's own (on "cpu"), and the same handles then sort.
 */
#include "backend_device.h"
#include "context.h"
#include "fault_plant.h"
#include "kit.h"
#include "tap.h"
#include "watch.h"

#include <stdlib.h>

enum { RANKS = 3, COUNT = 200, VICTIM = 1 };

enum fault { OF_HOST, OF_DEVICE, OF_COMM };

static const struct scenario {
    const char *device;
    enum fault fault;
    int is_device; /* mw_sort_across_device */
    int least;     /* it takes at least this number of calls, or nothing is tested */
} scenarios[] = {
    {"cpu:1", OF_HOST,   0, 10},
    {"sim",   OF_HOST,   1, 40},
    {"sim",   OF_DEVICE, 0, 20},
    {"sim",   OF_DEVICE, 1, 40},
    {"cpu:2", OF_COMM,   0, 15},
};

struct trial_of_faults {
    const struct scenario *scenario;
    mw_context *contexts[RANKS];
    struct device_verbs verbs;
    struct watch watch[RANKS];
    uint64_t fail_at;
    uint32_t keys[RANKS][COUNT];
    uint32_t values[RANKS][COUNT];
    atomic_int started;
    mw_status status[RANKS];
    int has_message[RANKS];
    atomic_int no_rows; /* the victim could not copy its rows to the device or back */
};

/* Rows of the rank in device memory, sorted there, and back. */
static mw_status sort_there(struct trial_of_faults *t, mw_comm *comm, mw_job *job,
                            mw_table *in, mw_column *values)
{
    mw_context *const context = t->contexts[comm->rank];
    void *const here[] = {in->elements, values->data};
    void *there[2] = {NULL, NULL};
    mw_status status = MW_OK;

    for (int i = 0; i < 2 && status == MW_OK; i++) {
        status = mw_alloc(context, 4 * COUNT, &there[i]);
        if (status == MW_OK)
            status = mw_upload(context, there[i], here[i], 4 * COUNT);
    }
    in->elements = there[0];
    values->data = there[1];
    if (status != MW_OK) { /* a rank that cannot take part brings a job that is none */
        in->elements = NULL;
        t->no_rows = 1;
    }
    status = mw_sort_across_device(context, comm, job);
    for (int i = 0; i < 2 && status == MW_OK; i++)
        t->no_rows |= mw_download(context, here[i], there[i], 4 * COUNT) != MW_OK;
    mw_free(context, there[1]);
    mw_free(context, there[0]);
    return status;
}

static mw_status rank_main(mw_comm *comm, void *argument)
{
    struct trial_of_faults *const t = argument;
    const uint32_t rank = comm->rank;
    mw_comm watched = watch_comm(&t->watch[rank], comm, rank == VICTIM ? t->fail_at : 0);
    mw_column values = {t->values[rank], 4};
    mw_table in = {
        .elements = t->keys[rank], .count = COUNT, .columns = &values, .column_count = 1};
    mw_job job = MW_JOB_INIT;

    t->started++;
    job.order = mw_order_of(MW_U32, MW_ASCENDING);
    job.in = &in;
    t->status[rank] = t->scenario->is_device
                          ? sort_there(t, &watched, &job, &in, &values)
                          : mw_sort_across(t->contexts[rank], &watched, &job);
    t->has_message[rank] = watched.error[0] != '\0';
    mw_across_release(&watched);
    return t->status[rank];
}

static void fill(struct trial_of_faults *t, struct kit_fingerprint prints[RANKS])
{
    kit_fill(MW_U32, "few:100", 7, t->keys, RANKS * COUNT);
    for (uint32_t i = 0; i < RANKS; i++) {
        for (uint32_t k = 0; k < COUNT; k++)
            t->values[i][k] = i * COUNT + k;
        prints[i] = (struct kit_fingerprint){0};
        kit_fingerprint_add(&prints[i], MW_U32, t->keys[i], COUNT);
        kit_fingerprint_add(&prints[i], MW_U32, t->values[i], COUNT);
    }
}

static int is_sorted(const struct trial_of_faults *t)
{
    const uint32_t *const keys = t->keys[0], *const values = t->values[0];

    for (uint32_t i = 1; i < RANKS * COUNT; i++)
        if (keys[i - 1] > keys[i] || (keys[i - 1] == keys[i] && values[i - 1] >= values[i]))
            return 0;
    return 1;
}

/* NULL, or what is wrong after a sort that ended with `all`. */
static const char *judge(struct trial_of_faults *t, mw_status all,
                         const struct kit_fingerprint before[RANKS])
{
    const int is_cpu = t->scenario->device[0] == 'c';
    const int all_started = !plant.failed || strcmp(plant.failed, "pthread_create") != 0;

    if (all == MW_OK)
        return t->no_rows || is_sorted(t) ? NULL : "wrong result";
    for (uint32_t i = 0; i < RANKS; i++) {
        struct kit_fingerprint print = {0};

        kit_fingerprint_add(&print, MW_U32, t->keys[i], COUNT);
        kit_fingerprint_add(&print, MW_U32, t->values[i], COUNT);
        if (is_cpu && !kit_fingerprint_equal(print, before[i]) && !is_sorted(t))
            return "a rank lost its rows";
        if (all_started && t->started && t->status[i] != all)
            return "ranks return different statuses";
        if (all_started && t->started && !t->has_message[i])
            return "no message";
    }
    return NULL;
}

static mw_status open_all(struct trial_of_faults *t)
{
    mw_status status = MW_OK;

    for (uint32_t i = 0; i < RANKS && status == MW_OK; i++)
        status = mw_open(&t->contexts[i], t->scenario->device, NULL);
    if (status == MW_OK && t->scenario->fault == OF_DEVICE)
        plant_verbs(backend_device(t->contexts[VICTIM]->backend), &t->verbs);
    return status;
}

/* Sort with call k failing, then without a fault; NULL, or what is wrong. */
static const char *sort_twice(struct trial_of_faults *t, int k, int *failed)
{
    const int of_comm = t->scenario->fault == OF_COMM;
    struct kit_fingerprint before[RANKS];
    const char *wrong;

    fill(t, before);
    t->started = 0;
    t->no_rows = 0;
    plant.calls = 0;
    plant.fail_at = of_comm ? 0 : k;
    t->fail_at = of_comm ? (uint64_t)k : 0;

    const mw_status status = mw_across_threads(RANKS, rank_main, t);

    plant.fail_at = 0;
    t->fail_at = 0;
    *failed = of_comm ? t->watch[VICTIM].calls >= (uint64_t)k : plant.failed != NULL;
    wrong = judge(t, status, before);
    if (!wrong && !*failed && status != MW_OK)
        wrong = "failed without a fault";
    if (!wrong && *failed && status != (of_comm ? MW_DEVICE_FAILED : plant.status) &&
        status != MW_OK && !(t->no_rows && status == MW_BAD_ARGUMENT))
        wrong = "not the status of the call that failed";
    if (!wrong && of_comm && *failed && status == MW_OK)
        wrong = "the communicator's failure was not noticed";
    fill(t, before);
    if (!wrong && (mw_across_threads(RANKS, rank_main, t) != MW_OK || !is_sorted(t)))
        wrong = "does not sort after that";
    return wrong;
}

/* Let call k fail; returns 1 as long as there is a call k. */
static int try_call(struct tap *tap, struct trial_of_faults *t, int k)
{
    static const char *const names[] = {"host", "device", "communicator"};
    const struct scenario *const s = t->scenario;
    const char *wrong = "cannot open handles";
    int failed = 0;

    plant.failed = NULL;
    plant.live = 0;
    plant.armed = s->fault != OF_DEVICE;
    if (open_all(t) == MW_OK)
        wrong = sort_twice(t, k, &failed);
    for (uint32_t i = 0; i < RANKS; i++)
        mw_close(t->contexts[i]);
    plant.armed = 0;
    if (!wrong && plant.live)
        wrong = "something was not freed";
    if (wrong || !failed)
        tap_case(tap, !wrong && k > s->least, "%s%s, calls of the %s up to %d (%s)%s%s",
                 s->device, s->is_device ? ", device memory" : "", names[s->fault], k,
                 failed && plant.failed ? plant.failed : "none fails", wrong ? ": " : "",
                 wrong ? wrong : "");
    return failed && !wrong;
}

int main(void)
{
    static struct trial_of_faults t;
    struct tap tap = {0};

    for (size_t i = 0; i < COUNT_OF(scenarios); i++) {
        t.scenario = &scenarios[i];
        for (int k = 1; try_call(&tap, &t, k);)
            k++;
    }
    return tap_end(&tap);
}
