/*
 * input.c - the keys of a case, made by a thread for each processor.
 */
#define _DEFAULT_SOURCE /* _SC_NPROCESSORS_ONLN */

#include "bench.h"

#include <pthread.h>
#include <unistd.h>

enum { MOST_THREADS = 64, FEW = 1 << 16 };

/* The part of one thread. */
struct share {
    share_work *work;
    const void *what;
    uint64_t first, last;
    struct kit_faults faults;
    pthread_t thread;
    int started;
};

static void *do_share(void *argument)
{
    struct share *const share = argument;

    share->work(share->what, share->first, share->last, &share->faults);
    return NULL;
}

/* The caller does the first share, and those for which no thread could be started. */
void in_shares(share_work *work, const void *what, uint64_t count,
               struct kit_faults *faults)
{
    const long processors = count < FEW ? 1 : sysconf(_SC_NPROCESSORS_ONLN);
    const int threads = processors < 1              ? 1
                        : processors > MOST_THREADS ? MOST_THREADS
                                                    : (int)processors;
    const uint64_t each = count / (uint64_t)threads;
    struct share shares[MOST_THREADS];

    for (int i = 0; i < threads; i++) {
        struct share *const share = &shares[i];

        *share = (struct share){.work = work, .what = what, .first = each * (uint64_t)i};
        share->last = i + 1 == threads ? count : share->first + each;
        share->started =
            i > 0 && pthread_create(&share->thread, NULL, do_share, share) == 0;
    }
    for (int i = 0; i < threads; i++) {
        if (shares[i].started)
            pthread_join(shares[i].thread, NULL);
        else
            do_share(&shares[i]);
        if (faults)
            kit_faults_add(faults, &shares[i].faults);
    }
}

struct filling {
    const struct kit_input *input;
    char *keys;
};

static void fill(const void *what, uint64_t first, uint64_t last, struct kit_faults *faults)
{
    const struct filling *const filling = what;

    (void)faults;
    kit_input_fill(filling->input, first, last - first,
                   filling->keys + first * mw_type_size(filling->input->type));
}

int input_fill(const struct one_case *what, uint64_t seed, void *keys)
{
    struct kit_input input;
    const struct filling filling = {&input, keys};
    const mw_status status =
        kit_input_open(&input, what->type, what->count, what->shape->shape, seed);

    if (status == MW_OK)
        in_shares(fill, &filling, what->count, NULL);
    kit_input_close(&input);
    if (status == MW_OK)
        return 0;
    return complain("bench", "cannot make an input of shape %s: %s", what->shape->name,
                    mw_status_text(status));
}
